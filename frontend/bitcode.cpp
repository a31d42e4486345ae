#include "config.h"

#include "frontend/demangle.h"
#include "frontend/module.h"

#include <cstring>
#include <memory>
#include <string>

#include <llvm-c/Core.h>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace {

/* An object is this header and LLVM bitcode.  LLVM's reader does not expect damaged bitcode, so damage is detected
 * before. */
constexpr char magic[8] = {'c', 'u', 'l', 'v', 'o', 'b', 'j', '1'};
constexpr size_t header_size_B = sizeof(magic) + 8;

uint64_t checksum(const char *data, size_t size_B)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (size_t i = 0; i < size_B; i++)
		hash = (hash ^ static_cast<unsigned char>(data[i])) * 0x100000001b3u;
	return hash;
}

void put_header(char *header, uint64_t sum)
{
	std::memcpy(header, magic, sizeof(magic));
	for (size_t i = 0; i < 8; i++)
		header[sizeof(magic) + i] = static_cast<char>(sum >> (8 * i));
}

bool object_is_whole(const bytes *object)
{
	char expected[header_size_B];
	if (object->size_B < header_size_B)
		return false;
	put_header(expected,
		   checksum(object->data + header_size_B, object->size_B - header_size_B));
	return !std::memcmp(object->data, expected, header_size_B);
}

std::unique_ptr<llvm::Module> parse(const bytes *object, llvm::LLVMContext &context, bytes *log)
{
	if (!object_is_whole(object)) {
		bytes_append_string(log, "error: not a program compiled by this compiler\n");
		return nullptr;
	}
	llvm::StringRef bitcode(object->data + header_size_B, object->size_B - header_size_B);
	auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "program"), context);
	if (!module) {
		std::string reason = llvm::toString(module.takeError());
		bytes_printf(log, "error: a compiled program cannot be read: %s\n", reason.c_str());
		return nullptr;
	}
	return std::move(*module);
}

/* Each program has its own copy of a struct's type, so structs are compared by their members.  Pointers are opaque,
 * so types have no cycles. */
bool same_shape(const llvm::Type *one, const llvm::Type *other)
{
	if (one == other)
		return true;
	if (one->getTypeID() != other->getTypeID() ||
	    one->getNumContainedTypes() != other->getNumContainedTypes())
		return false;
	if (one->isArrayTy() && one->getArrayNumElements() != other->getArrayNumElements())
		return false;
	if (!one->isArrayTy() && !one->isStructTy() && !one->isFunctionTy())
		return false;
	for (unsigned i = 0; i < one->getNumContainedTypes(); i++)
		if (!same_shape(one->getContainedType(i), other->getContainedType(i)))
			return false;
	return true;
}

/* Reports all conflicting definitions; LLVM's linker stops at the first. */
bool check_clashes(const llvm::Module &to, const llvm::Module &from, bytes *log)
{
	bool clean = true;
	for (const llvm::GlobalValue &value : from.global_values()) {
		const llvm::GlobalValue *other = to.getNamedValue(value.getName());
		if (!other || value.hasLocalLinkage() || other->hasLocalLinkage() ||
		    value.getName().find("llvm.") == 0)
			continue;
		std::string name = fe_demangle(value.getName().str());
		if (value.hasExternalLinkage() && other->hasExternalLinkage() &&
		    !value.isDeclaration() && !other->isDeclaration()) {
			bytes_printf(log, "error: '%s' is defined in more than one program\n",
				     name.c_str());
			clean = false;
		} else if (llvm::isa<llvm::Function>(value) != llvm::isa<llvm::Function>(other) ||
			   (llvm::isa<llvm::Function>(value) &&
			    !same_shape(value.getValueType(), other->getValueType()))) {
			bytes_printf(log, "error: '%s' has a different type in another program\n",
				     name.c_str());
			clean = false;
		}
	}
	return clean;
}

void on_diagnostic(LLVMDiagnosticInfoRef info, void *log)
{
	const char *kind;
	switch (LLVMGetDiagInfoSeverity(info)) {
	case LLVMDSError:
		kind = "error";
		break;
	case LLVMDSWarning:
		kind = "warning";
		break;
	default:
		return;
	}
	char *text = LLVMGetDiagInfoDescription(info);
	bytes_printf(static_cast<bytes *>(log), "%s: %s\n", kind, text);
	LLVMDisposeMessage(text);
}

} // namespace

bool fe_function_is_kernel(LLVMValueRef function)
{
	/* Clang attaches this metadata to every kernel and to nothing else; the calling convention differs from
	 * version to version. */
	return llvm::unwrap<llvm::Function>(function)->hasMetadata("kernel_arg_addr_space");
}

LLVMContextRef fe_context_create(struct bytes *log)
{
	LLVMContextRef context = LLVMContextCreate();
	LLVMContextSetDiagnosticHandler(context, on_diagnostic, log);
	return context;
}

void fe_module_finish(struct fe_module *module)
{
	if (module->module)
		LLVMDisposeModule(module->module);
	if (module->context)
		LLVMContextDispose(module->context);
	*module = fe_module{};
}

enum fe_status fe_module_read(const struct bytes *object, struct fe_module *module_out,
			      struct bytes *log)
{
	LLVMContextRef context = fe_context_create(log);
	std::unique_ptr<llvm::Module> module = parse(object, *llvm::unwrap(context), log);
	if (!module) {
		LLVMContextDispose(context);
		return FE_LINK_FAILED;
	}
	module_out->context = context;
	module_out->module = llvm::wrap(module.release());
	return FE_OK;
}

enum fe_status fe_module_write(const struct fe_module *module, struct bytes *object_out)
{
	llvm::SmallString<0> bitcode;
	llvm::raw_svector_ostream stream(bitcode);
	llvm::WriteBitcodeToFile(*llvm::unwrap(module->module), stream);
	char header[header_size_B];
	put_header(header, checksum(bitcode.data(), bitcode.size()));
	bytes object = {};
	bytes_append(&object, header, sizeof(header));
	bytes_append(&object, bitcode.data(), bitcode.size());
	if (bytes_failed(&object)) {
		bytes_finish(&object);
		return FE_NO_MEMORY;
	}
	bytes_move(object_out, &object);
	return FE_OK;
}

enum fe_status fe_module_link(struct fe_module *module, const struct bytes *objects, size_t count,
			      struct bytes *log)
{
	llvm::Module &to = *llvm::unwrap(module->module);
	for (size_t i = 0; i < count; i++) {
		std::unique_ptr<llvm::Module> from = parse(&objects[i], to.getContext(), log);
		if (!from || !check_clashes(to, *from, log) ||
		    llvm::Linker::linkModules(to, std::move(from)))
			return FE_LINK_FAILED;
	}
	return FE_OK;
}
