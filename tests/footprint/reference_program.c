#include "config.h"

#include "tests/footprint/reference.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From the source to code that can be called. */

/* What Clang's SPIR target would have and the library has not. */
static const char prologue[] =
	"#undef cl_khr_fp16\n#undef cl_khr_subgroups\n#undef cl_khr_subgroup_shuffle\n"
	"#undef __opencl_c_subgroups\n#undef __opencl_c_work_group_collective_functions\n"
	"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
	/* Clang's type of events has no size on a processor. */
	"#define event_t ulong\n"
	"void reference_copy(ulong to, ulong from, ulong count, ulong size, ulong stride);\n"
	"#define async_work_group_strided_copy(to, from, count, stride, event)\\\n"
	"	(reference_copy((ulong)(to), (ulong)(from), count, sizeof(*(to)), stride), event)\n"
	"#define async_work_group_copy(to, from, count, event)\\\n"
	"	async_work_group_strided_copy(to, from, count, 1, event)\n"
	"#define wait_group_events(count, events) barrier(CLK_LOCAL_MEM_FENCE)\n"
	"#line 1\n";

static const char *setting(const char *name, const char *otherwise)
{
	const char *value = getenv(name);
	return value && *value ? value : otherwise;
}

/* clang's folder, which llvm-link is in as well. */
static const char *programs(void)
{
	static char folder[sizeof(CLANG_PROGRAM)];
	const char *slash = strrchr(CLANG_PROGRAM, '/');
	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - CLANG_PROGRAM) : 0,
		 CLANG_PROGRAM);
	return setting("REFERENCE_LLVM", folder);
}

static const char *library_path(void)
{
	return setting("REFERENCE_LIBRARY",
		       "/usr/share/pocl/kernel-x86_64-pc-linux-gnu-GENERIC.bc");
}

static bool run_command(struct bytes *command, const char *messages, struct bytes *log)
{
	bool good = !bytes_failed(command) && !system(bytes_string(command));
	struct bytes text = BYTES_INIT;
	if (!good && !bytes_read_file(&text, messages))
		bytes_printf(log, "%s\n", bytes_string(&text));
	bytes_finish(&text);
	bytes_finish(command);
	return good;
}

/* Options that Clang knows as they are. */
static void append_options(struct bytes *command, const char *options)
{
	char copy[4096], *at = copy, *word;
	bool standard = false, value = false;
	snprintf(copy, sizeof(copy), "%s", options);
	while ((word = strtok_r(at, " \t\n", &at))) {
		bool is_standard = !strncmp(word, "-cl-std=", 8);
		/* "-D NAME" as well. */
		bool taken = value || !strncmp(word, "-D", 2) || !strncmp(word, "-I", 2) ||
			     !strcmp(word, "-cl-single-precision-constant") || is_standard;
		value = !strcmp(word, "-D") || !strcmp(word, "-I");
		if (!taken)
			continue;
		standard = standard || is_standard;
		bytes_printf(command, " '%s'", word);
	}
	if (!standard)
		bytes_append_string(command, " -cl-std=CL1.2");
}

static bool compile(struct reference_program *program, const char *folder, const char *source,
		    const char *options)
{
	char path[256];
	struct bytes text = BYTES_INIT, command = BYTES_INIT;
	snprintf(path, sizeof(path), "%s/kernel.cl", folder);
	bytes_printf(&text, "%s%s", prologue, source);
	bool good = !bytes_failed(&text) && !bytes_write_file(text.data, text.size_B, path);
	bytes_finish(&text);
	bytes_printf(&command,
		     "%s/clang -x cl -w -O0 -target spir64-unknown-unknown -emit-llvm -c -Xclang "
		     "-cl-ext=-cl_khr_fp16 -D__OPENCL_VERSION__=300",
		     programs());
	append_options(&command, options);
	bytes_printf(&command, " -o %s/kernel.bc %s/kernel.cl 2>%s/messages", folder, folder,
		     folder);
	snprintf(path, sizeof(path), "%s/messages", folder);
	return run_command(&command, path, &program->log) && good;
}

static LLVMModuleRef read_module(LLVMContextRef context, const char *path, bool lazily)
{
	LLVMMemoryBufferRef buffer;
	LLVMModuleRef module = NULL;
	char *message = NULL;
	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
		LLVMDisposeMessage(message);
		return NULL;
	}
	if (lazily)
		return LLVMGetBitcodeModuleInContext2(context, buffer, &module) ? NULL : module;
	bool good = !LLVMParseBitcodeInContext2(context, buffer, &module);
	LLVMDisposeMemoryBuffer(buffer);
	return good ? module : NULL;
}

/* --- what the module has ---------------------------------------------------------------------- */

static unsigned space_of(LLVMValueRef global)
{
	return LLVMGetPointerAddressSpace(LLVMTypeOf(global));
}

/* Variables get names by which their addresses are found later. */
static void list_variables(struct reference_program *program, LLVMModuleRef module)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
	LLVMValueRef g = LLVMGetFirstGlobal(module);
	for (; g; g = LLVMGetNextGlobal(g)) {
		if ((space_of(g) != 1 && space_of(g) != 3) ||
		    program->variable_count == VARIABLES_MAX)
			continue;
		struct reference_variable *variable =
			&program->variables[program->variable_count];
		char symbol[32];
		size_t length;
		snprintf(variable->name, sizeof(variable->name), "%s",
			 LLVMGetValueName2(g, &length));
		snprintf(symbol, sizeof(symbol), "reference.variable.%u",
			 program->variable_count++);
		variable->size_B = LLVMABISizeOfType(layout, LLVMGlobalGetValueType(g));
		variable->local = space_of(g) == 3;
		LLVMSetValueName2(g, symbol, strlen(symbol));
		LLVMSetLinkage(g, LLVMExternalLinkage);
	}
}

static size_t parameter_align_B(LLVMValueRef f, unsigned i)
{
	unsigned align = LLVMGetEnumAttributeKindForName("align", 5);
	LLVMAttributeRef found = LLVMGetEnumAttributeAtIndex(f, i + 1, align);
	return found ? LLVMGetEnumAttributeValue(found) : 1;
}

static bool is_by_value(LLVMValueRef f, unsigned i)
{
	unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
	return LLVMGetEnumAttributeAtIndex(f, i + 1, byval) != NULL;
}

/* void (pointers to the arguments' bytes) that calls the kernel. */
static void build_entry(LLVMModuleRef module, LLVMValueRef f, unsigned number)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef plain = LLVMPointerTypeInContext(context, 0), types[ARGUMENTS_MAX];
	LLVMTypeRef type = LLVMGlobalGetValueType(f);
	LLVMValueRef values[ARGUMENTS_MAX];
	char name[32];
	snprintf(name, sizeof(name), "reference.kernel.%u", number);
	LLVMValueRef entry = LLVMAddFunction(
		module, name, LLVMFunctionType(LLVMVoidTypeInContext(context), &plain, 1, false));
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, entry, ""));
	LLVMGetParamTypes(type, types);
	for (unsigned i = 0; i < LLVMCountParams(f); i++) {
		LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(context), i, false);
		LLVMValueRef place = LLVMBuildGEP2(builder, plain, LLVMGetParam(entry, 0), &at, 1,
						   "");
		values[i] = LLVMBuildLoad2(builder, plain, place, "");
		if (!is_by_value(f, i))
			values[i] = LLVMBuildLoad2(builder, types[i], values[i], "");
		if (!is_by_value(f, i))
			LLVMSetAlignment(values[i], 1);
	}
	LLVMValueRef call = LLVMBuildCall2(builder, type, f, values, LLVMCountParams(f), "");
	LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(f));
	for (unsigned i = 0; i < LLVMCountParams(f); i++)
		if (is_by_value(f, i)) {
			unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
			LLVMAddCallSiteAttribute(call, i + 1,
						 LLVMGetEnumAttributeAtIndex(f, i + 1, byval));
		}
	LLVMBuildRetVoid(builder);
	LLVMDisposeBuilder(builder);
}

static void read_required_size(struct reference_kernel *kernel, LLVMValueRef f)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
	unsigned kind = LLVMGetMDKindIDInContext(context, "reqd_work_group_size", 20);
	size_t number;
	LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(f, &number);
	for (unsigned i = 0; i < number; i++) {
		if (LLVMValueMetadataEntriesGetKind(all, i) != kind)
			continue;
		LLVMValueRef node = LLVMMetadataAsValue(
			context, LLVMValueMetadataEntriesGetMetadata(all, i)), parts[3];
		if (LLVMGetMDNodeNumOperands(node) != 3)
			continue;
		LLVMGetMDNodeOperands(node, parts);
		for (unsigned d = 0; d < 3; d++)
			kernel->required[d] = LLVMConstIntGetZExtValue(parts[d]);
	}
	LLVMDisposeValueMetadataEntries(all);
}

enum { SPIR_KERNEL = LLVMSPIRKERNELCallConv };

static void list_kernels(struct reference_program *program, LLVMModuleRef module)
{
	LLVMValueRef f = LLVMGetFirstFunction(module);
	LLVMValueRef last = LLVMGetLastFunction(module);
	for (bool more = f != NULL; more; f = LLVMGetNextFunction(f)) {
		more = f != last;
		if (LLVMGetFunctionCallConv(f) != SPIR_KERNEL || LLVMIsDeclaration(f) ||
		    program->kernel_count == KERNELS_MAX || LLVMCountParams(f) > ARGUMENTS_MAX)
			continue;
		struct reference_kernel *kernel = &program->kernels[program->kernel_count];
		size_t length;
		snprintf(kernel->name, sizeof(kernel->name), "%s", LLVMGetValueName2(f, &length));
		kernel->argument_count = LLVMCountParams(f);
		for (unsigned i = 0; i < kernel->argument_count; i++) {
			LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(f, i));
			bool points = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
			unsigned space = points ? LLVMGetPointerAddressSpace(type) : 0;
			kernel->kinds[i] = space == 3	       ? REFERENCE_LOCAL
					   : points && space ? REFERENCE_GLOBAL
							     : REFERENCE_VALUE;
			kernel->aligns_B[i] = parameter_align_B(f, i);
		}
		read_required_size(kernel, f);
		build_entry(module, f, program->kernel_count++);
	}
}

/* --- linking and code ------------------------------------------------------------------------- */

static bool link_library(struct reference_program *program, const char *folder)
{
	char path[256];
	struct bytes command = BYTES_INIT;
	bytes_printf(&command,
		     "%s/llvm-link --suppress-warnings --only-needed %s/named.bc %s -o "
		     "%s/linked.bc 2>%s/messages",
		     programs(), folder, library_path(),
		     folder, folder);
	snprintf(path, sizeof(path), "%s/messages", folder);
	return run_command(&command, path, &program->log);
}

static bool fail(struct reference_program *program, LLVMErrorRef error)
{
	if (!error)
		return false;
	char *message = LLVMGetErrorMessage(error);
	bytes_printf(&program->log, "%s\n", message);
	LLVMDisposeErrorMessage(message);
	return true;
}

/* What the platform has itself is an address in the module. */
static void bind_symbols(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	for (const struct reference_symbol *symbol = reference_symbols; symbol->name; symbol++) {
		LLVMValueRef f = LLVMGetNamedFunction(module, symbol->name);
		if (!f)
			f = LLVMGetNamedGlobal(module, symbol->name);
		LLVMValueRef address = LLVMConstInt(LLVMInt64TypeInContext(context),
						    (uintptr_t)symbol->address, false);
		if (f)
			LLVMReplaceAllUsesWith(f, LLVMConstIntToPtr(address, LLVMTypeOf(f)));
	}
}

/* The C library's functions, for the library. */
static bool find_process_symbols(struct reference_program *program, LLVMOrcLLJITRef jit)
{
	LLVMOrcDefinitionGeneratorRef generator;
	if (fail(program, LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
				  &generator, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL)))
		return false;
	LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit), generator);
	return true;
}

static void *look_up(struct reference_program *program, LLVMOrcLLJITRef jit, const char *name)
{
	LLVMOrcExecutorAddress address = 0;
	return fail(program, LLVMOrcLLJITLookup(jit, &address, name)) ? NULL
								      : (void *)(uintptr_t)address;
}

static bool find_all(struct reference_program *program, LLVMOrcLLJITRef jit)
{
	char name[32];
	bool good = true;
	for (unsigned i = 0; good && i < program->kernel_count; i++) {
		snprintf(name, sizeof(name), "reference.kernel.%u", i);
		program->kernels[i].run =
			(void (*)(void *const *))(uintptr_t)look_up(program, jit, name);
		good = program->kernels[i].run != NULL;
	}
	for (unsigned i = 0; good && i < program->variable_count; i++) {
		snprintf(name, sizeof(name), "reference.variable.%u", i);
		program->variables[i].start = look_up(program, jit, name);
		good = program->variables[i].start != NULL;
	}
	return good;
}

static bool make_code(struct reference_program *program, LLVMOrcThreadSafeContextRef owner,
		      LLVMModuleRef module)
{
	LLVMOrcLLJITRef jit;
	if (fail(program, LLVMOrcCreateLLJIT(&jit, NULL)))
		return false;
	program->jit = jit;
	LLVMSetTarget(module, LLVMOrcLLJITGetTripleString(jit));
	LLVMSetDataLayout(module, LLVMOrcLLJITGetDataLayoutStr(jit));
	bind_symbols(module);
	return find_process_symbols(program, jit) &&
	       !fail(program, LLVMOrcLLJITAddLLVMIRModule(
				      jit, LLVMOrcLLJITGetMainJITDylib(jit),
				      LLVMOrcCreateNewThreadSafeModule(module, owner))) &&
	       find_all(program, jit);
}

/* The library's functions were made for a processor of their own, and so were their arguments. */
static void drop_targets(LLVMModuleRef module)
{
	static const char *const names[] = {"target-cpu", "target-features", "tune-cpu",
					    "min-legal-vector-width"};
	LLVMValueRef f = LLVMGetFirstFunction(module);
	for (; f; f = LLVMGetNextFunction(f))
		for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, names[i],
							 (unsigned)strlen(names[i]));
}

/* The module of the source with what it needs of the library, noted. */
static LLVMModuleRef prepare(struct reference_program *program, LLVMContextRef context,
			     const char *folder)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/kernel.bc", folder);
	LLVMModuleRef module = read_module(context, path, false);
	LLVMModuleRef library = read_module(context, library_path(), true);
	bool good = module && library &&
		    reference_name_builtins(module, library, &program->log);
	if (library)
		LLVMDisposeModule(library);
	if (good) {
		list_variables(program, module);
		list_kernels(program, module);
		program->copies = LLVMGetNamedFunction(module, "reference_copy") != NULL;
		snprintf(path, sizeof(path), "%s/named.bc", folder);
		good = !LLVMWriteBitcodeToFile(module, path) && link_library(program, folder);
	}
	if (module)
		LLVMDisposeModule(module);
	snprintf(path, sizeof(path), "%s/linked.bc", folder);
	module = good ? read_module(context, path, false) : NULL;
	if (module) {
		drop_targets(module);
		reference_note_accesses(module);
	}
	return module;
}

bool reference_build(struct reference_program *program, const char *source, const char *options)
{
	char folder[] = "/tmp/reference.XXXXXX", command[64];
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86AsmPrinter();
	if (!mkdtemp(folder))
		return false;
#if LLVM_VERSION_MAJOR < 21
	LLVMOrcThreadSafeContextRef owner = LLVMOrcCreateNewThreadSafeContext();
	LLVMContextRef context = LLVMOrcThreadSafeContextGetContext(owner);
#else
	LLVMContextRef context = LLVMContextCreate();
	LLVMOrcThreadSafeContextRef owner =
		LLVMOrcCreateNewThreadSafeContextFromLLVMContext(context);
#endif
	LLVMModuleRef module = NULL;
	bool good = compile(program, folder, source, options) &&
		    (module = prepare(program, context, folder));
	good = good && make_code(program, owner, module);
	LLVMOrcDisposeThreadSafeContext(owner);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return !system(command) && good;
}

void reference_unload(struct reference_program *program)
{
	if (program->jit && LLVMOrcDisposeLLJIT(program->jit))
		fprintf(stderr, "Reference: code could not be unloaded\n");
	program->jit = NULL;
	bytes_finish(&program->log);
}
