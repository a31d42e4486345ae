/* Random modules of LLVM IR, made of what Clang makes of OpenCL C, through the lowering and
 * the writer of NVVM IR: libnvvm must take the text in its LLVM 7 dialect (sm_75, sm_90) and in
 * its newer one (sm_100). */
#include "config.h"

#include "backend/codegen.h"
#include "frontend/module.h"
#include "tests/fuzz/fuzz.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm/Config/llvm-config.h>

#include <stdio.h>
#include <string.h>

/* Flags that older versions of LLVM cannot parse. */
#if LLVM_VERSION_MAJOR >= 18
#define DISJOINT " disjoint"
#define ZEXT_NNEG " nneg"
#else
#define DISJOINT ""
#define ZEXT_NNEG ""
#endif
#if LLVM_VERSION_MAJOR >= 19
#define UITOFP_NNEG " nneg"
#else
#define UITOFP_NNEG ""
#endif

enum { TYPES = 18, INTEGERS = 8, VALUES_MAX = 64, STATEMENTS = 24 };

/* Integers first, vectors of four behind their scalars. */
static const char *const types[TYPES] = {
	"i8", "<4 x i8>", "i16", "<4 x i16>", "i32", "<4 x i32>", "i64", "<4 x i64>",
	"half", "<4 x half>", "float", "<4 x float>", "double", "<4 x double>",
	"<3 x float>", "<2 x double>", "<16 x float>", "<8 x half>",
};

struct maker {
	struct fuzz *fuzz;
	struct bytes text;
	unsigned value_types[VALUES_MAX];
	unsigned values;
};

static unsigned pick(struct maker *maker, unsigned below)
{
	return fuzz_number(maker->fuzz, below);
}

/* A value of a type: one that is there, or one loaded anew. */
static unsigned value_of(struct maker *maker, unsigned type)
{
	for (unsigned tries = 0; tries < 4; tries++) {
		unsigned value = pick(maker, maker->values ? maker->values : 1);
		if (value < maker->values && maker->value_types[value] == type)
			return value;
	}
	static const char *const spaces[] = {"1", "4", "3"};
	static const char *const names[] = {"in", "table", "shared"};
	unsigned space = pick(maker, 3), value = maker->values++;
	maker->value_types[value] = type;
	bytes_printf(&maker->text, "  %%p%u = getelementptr %s, ptr addrspace(%s) %%%s, i64 %u\n",
		     value, types[type], spaces[space], names[space], pick(maker, 100));
	bytes_printf(&maker->text, "  %%v%u = load %s%s, ptr addrspace(%s) %%p%u, align %u\n", value,
		     pick(maker, 8) ? "" : "volatile ", types[type], spaces[space], value,
		     1u << pick(maker, 4));
	return value;
}

static void result(struct maker *maker, unsigned type)
{
	maker->value_types[maker->values] = type;
	bytes_printf(&maker->text, "  %%v%u = ", maker->values++);
}

static void arithmetic(struct maker *maker)
{
	static const char *const integer[] = {
		"add", "sub nsw", "mul nuw", "udiv", "sdiv exact", "urem", "srem", "shl nuw nsw",
		"lshr exact", "ashr", "and", "or", "or" DISJOINT, "xor",
	};
	static const char *const real[] = {"fadd", "fsub nnan", "fmul fast", "fdiv arcp",
					   "fadd contract", "frem"};
	unsigned type = pick(maker, TYPES), a = value_of(maker, type), b = value_of(maker, type);
	bool is_integer = type < INTEGERS;
	result(maker, type);
	/* Remainders of reals come from fmod alone, never from Clang's operators. */
	bytes_printf(&maker->text, "%s %s %%v%u, %%v%u\n",
		     is_integer ? integer[pick(maker, 14)] : real[pick(maker, 5)], types[type], a, b);
}

static void one_operand(struct maker *maker)
{
	unsigned type = pick(maker, TYPES), a = value_of(maker, type);
	result(maker, type);
	if (type >= INTEGERS && pick(maker, 2))
		bytes_printf(&maker->text, "fneg %s %%v%u\n", types[type], a);
	else
		bytes_printf(&maker->text, "freeze %s %%v%u\n", types[type], a);
}

static void comparison(struct maker *maker)
{
	static const char *const integer[] = {"eq", "ne", "ugt", "sge", "slt", "ule"};
	static const char *const real[] = {"oeq", "une", "ogt", "ult", "uno", "ord"};
	unsigned type = pick(maker, TYPES), a = value_of(maker, type), b = value_of(maker, type);
	bool is_integer = type < INTEGERS;
	const char *lanes = strchr(types[type], 'x');
	char condition[32] = "i1";
	if (lanes)
		snprintf(condition, sizeof(condition), "%.*s i1>", (int)(lanes + 1 - types[type]),
			 types[type]);
	unsigned number = maker->values;
	bytes_printf(&maker->text, "  %%c%u = %s %s %s %%v%u, %%v%u\n", number,
		     is_integer ? "icmp" : "fcmp", is_integer ? integer[pick(maker, 6)]
							      : real[pick(maker, 6)],
		     types[type], a, b);
	result(maker, type);
	bytes_printf(&maker->text, "select %s %%c%u, %s %%v%u, %s %%v%u\n", condition, number,
		     types[type], a, types[type], b);
}

/* Between types of as many lanes: the even ones are scalars, up to double's. */
static void conversion(struct maker *maker)
{
	unsigned lanes = pick(maker, 2), from = 2 * pick(maker, 7) + lanes;
	unsigned to = 2 * pick(maker, 7) + lanes, a = value_of(maker, from);
	const char *operation = NULL;
	if (from < INTEGERS && to < INTEGERS)
		operation = to < from ? "trunc" : to == from ? NULL
				    : pick(maker, 2) ? "sext" : "zext" ZEXT_NNEG;
	else if (from < INTEGERS)
		operation = pick(maker, 2) ? "sitofp" : "uitofp" UITOFP_NNEG;
	else if (to < INTEGERS)
		operation = pick(maker, 2) ? "fptosi" : "fptoui";
	else
		operation = to < from ? "fptrunc" : to == from ? NULL : "fpext";
	if (!operation)
		return;
	result(maker, to);
	bytes_printf(&maker->text, "%s %s %%v%u to %s\n", operation, types[from], a, types[to]);
}

/* On vectors of four. */
static void elements(struct maker *maker)
{
	unsigned scalar = 2 * pick(maker, 7), vector = scalar + 1, a = value_of(maker, vector);
	unsigned b = value_of(maker, vector), x = value_of(maker, scalar), i = value_of(maker, 4);
	unsigned kind = pick(maker, 4);
	result(maker, kind == 0 ? scalar : vector);
	if (kind == 0)
		bytes_printf(&maker->text, "extractelement %s %%v%u, i32 %%v%u\n", types[vector], a, i);
	else if (kind == 1)
		bytes_printf(&maker->text, "insertelement %s %s, %s %%v%u, i64 %u\n", types[vector],
			     pick(maker, 2) ? "poison" : "undef", types[scalar], x, pick(maker, 4));
	else if (kind == 2)
		bytes_printf(&maker->text,
			     "shufflevector %s %%v%u, %s %%v%u, <4 x i32> <i32 %u, i32 %u, i32 "
			     "%s, i32 %u>\n",
			     types[vector], a, types[vector], b, pick(maker, 8), pick(maker, 8),
			     pick(maker, 2) ? "poison" : "7", pick(maker, 8));
	else
		bytes_printf(&maker->text, "insertelement %s %%v%u, %s %%v%u, i32 %%v%u\n",
			     types[vector], a, types[scalar], x, i);
}

static void branches(struct maker *maker)
{
	unsigned a = value_of(maker, 4), type = pick(maker, TYPES), x = value_of(maker, type);
	unsigned y = value_of(maker, type), number = maker->values;
	bytes_printf(&maker->text,
		     "  switch i32 %%v%u, label %%d%u [ i32 1, label %%one%u i32 -5, label %%d%u ]\n"
		     "one%u:\n  br label %%end%u\nd%u:\n  br label %%end%u\nend%u:\n",
		     a, number, number, number, number, number, number, number, number);
	result(maker, type);
	bytes_printf(&maker->text, "phi %s [ %%v%u, %%one%u ], [ %%v%u, %%d%u ]\n", types[type], x,
		     number, y, number);
}

static void storing(struct maker *maker)
{
	unsigned type = pick(maker, TYPES), a = value_of(maker, type);
	bytes_printf(&maker->text, "  store %s %%v%u, ptr addrspace(1) %%out, align %u\n",
		     types[type], a, 1u << pick(maker, 5));
	if (!pick(maker, 4))
		bytes_printf(&maker->text, "  store %s %%v%u, ptr %%slot, align 8\n", types[type], a);
}

static void make(struct maker *maker)
{
	static void (*const statements[])(struct maker *) = {
		arithmetic, one_operand, comparison, conversion, elements, branches, storing,
	};
	bytes_append_string(&maker->text,
			    "target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"\n"
			    "target triple = \"nvptx64-nvidia-cuda\"\n"
			    "define spir_kernel void @fuzz(ptr addrspace(1) %out, ptr addrspace(1) "
			    "%in, ptr addrspace(4) %table, ptr addrspace(3) %shared) {\n"
			    "  %slot = alloca [16 x double], align 8\n");
	while (maker->values < VALUES_MAX - 8 && pick(maker, STATEMENTS * 2))
		statements[pick(maker, 7)](maker);
	storing(maker);
	bytes_append_string(&maker->text, "  ret void\n}\n");
}

static bool lower(struct fe_module *module, unsigned sm, const struct codegen_choice *codegen,
		  struct bytes *text, struct bytes *log)
{
	const struct fe_compile_job target = {.sm = sm, .max_local_B = 48 * 1024};
	struct abi_program *abi = NULL;
	bool good = !fe_module_facts(module, codegen, &abi, log) &&
		    !fe_module_lower(module, abi, &target, codegen, log) &&
		    !fe_module_print(module, abi, &target, text, log);
	abi_program_destroy(abi);
	return good;
}

static bool accepted(const struct bytes *ir, unsigned sm, unsigned optimization)
{
	struct bytes text = BYTES_INIT, log = BYTES_INIT, ptx = BYTES_INIT;
	struct fe_module module = {.context = LLVMContextCreate()};
	char *message = NULL;
	const struct be_codegen_options options = {.sm = sm, .choice.optimization = optimization};
	/* The lowering, too, wants to know whether libnvvm optimises. */
	const struct codegen_choice codegen = {.uniform_groups = true, .optimization = optimization};
	LLVMMemoryBufferRef buffer =
		LLVMCreateMemoryBufferWithMemoryRangeCopy(ir->data, ir->size_B, "fuzz");
	bool good = !LLVMParseIRInContext(module.context, buffer, &module.module, &message);
	if (!good) {
		printf("the fuzzer's own mistake: %s\n", message);
	} else {
		good = lower(&module, sm, &codegen, &text, &log) &&
		       !be_nvvm_compile(text.data, text.size_B, NULL, 0, &options, &ptx, &log);
	}
	if (log.size_B && !good)
		printf("sm_%u, -opt=%u: %s\n", sm, optimization, bytes_string(&log));
	LLVMDisposeMessage(message);
	if (module.module)
		LLVMDisposeModule(module.module);
	LLVMContextDispose(module.context);
	bytes_finish(&text);
	bytes_finish(&log);
	bytes_finish(&ptx);
	return good;
}

static bool run(struct fuzz *fuzz)
{
	struct maker maker = {.fuzz = fuzz};
	make(&maker);
	unsigned optimization = pick(&maker, 2) ? 3 : 0;
	bool held = !bytes_failed(&maker.text) && accepted(&maker.text, 75, optimization) &&
		    accepted(&maker.text, 90, optimization) &&
		    accepted(&maker.text, 100, optimization);
	if (!held)
		printf("%s\n", bytes_string(&maker.text));
	bytes_finish(&maker.text);
	return held;
}

int main(int argc, char **argv)
{
	struct bytes log = BYTES_INIT;
	if (be_nvvm_load(&log)) {
		printf("skipped: %s\n", bytes_string(&log));
		bytes_finish(&log);
		return 77;
	}
	return fuzz_main(argc, argv, run);
}
