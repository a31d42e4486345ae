#include "config.h"

#include "frontend/constructors.h"
#include "frontend/demangle.h"
#include "frontend/embedded.h"
#include "frontend/module.h"
#include "frontend/options.h"
#include "frontend/reach.h"
#include "frontend/static_objects.h"
#include "frontend/symbol.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <llvm-c/Core.h>

#include <llvm/ADT/STLExtras.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>

namespace {

/* -- the index of the builtin library ------------------------------------------- */

/* A module inside the embedded library. */
struct part {
	size_t offset_B;
	size_t size_B;

	bool operator<(const part &other) const { return offset_B < other.offset_B; }
};

enum class home { nowhere, library, libdevice };

/* The index without its first lines, which are the library's id and its data layout. */
llvm::StringRef index_text()
{
	llvm::StringRef text(fe_embedded_index, size_t(fe_embedded_index_end - fe_embedded_index));
	return text.split('\n').second.split('\n').second;
}

llvm::StringRef library_layout()
{
	llvm::StringRef text(fe_embedded_index, size_t(fe_embedded_index_end - fe_embedded_index));
	return text.split('\n').second.split('\n').first;
}

/* Reads "<offset> <size>", or "-". */
home read_place(llvm::StringRef place, part *part_out)
{
	size_t library_size_B = size_t(fe_embedded_builtins_end - fe_embedded_builtins);
	auto [offset, size] = place.split(' ');
	part found;
	if (place == "-")
		return home::libdevice;
	if (offset.getAsInteger(10, found.offset_B) || size.getAsInteger(10, found.size_B) ||
	    found.offset_B > library_size_B || found.size_B > library_size_B - found.offset_B)
		return home::nowhere;
	*part_out = found;
	return home::library;
}

/* A binary search in the sorted lines. */
home find_symbol(llvm::StringRef name, part *part_out)
{
	llvm::StringRef text = index_text();
	while (!text.empty()) {
		size_t start = text.rfind('\n', text.size() / 2);
		start = start == llvm::StringRef::npos ? 0 : start + 1;
		size_t end = text.find('\n', start);
		auto [symbol, place] = text.substr(start, end - start).split(' ');
		int order = name.compare(symbol);
		if (!order)
			return read_place(place, part_out);
		text = order < 0 ? text.take_front(start) : text.drop_front(end + 1);
	}
	return home::nowhere;
}

/* -- what no kernel reaches --------------------------------------------------------- */

using values = std::vector<const llvm::GlobalValue *>;

values kernels_of(const llvm::Module &module, values kernels)
{
	for (const llvm::Function &function : module)
		if (!function.isDeclaration() && fe_function_is_kernel(llvm::wrap(&function)))
			kernels.push_back(&function);
	return kernels;
}

void erase(const std::vector<llvm::GlobalValue *> &values)
{
	for (llvm::GlobalValue *value : values) {
		if (auto *function = llvm::dyn_cast<llvm::Function>(value))
			function->dropAllReferences();
		else if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(value))
			variable->dropAllReferences();
	}
	for (llvm::GlobalValue *value : values) {
		value->removeDeadConstantUsers();
		/* Remaining users are unreachable, too. */
		if (!value->use_empty())
			value->replaceAllUsesWith(llvm::UndefValue::get(value->getType()));
		value->eraseFromParent();
	}
}

/* Removes everything that neither the kernels nor `before` reach, and makes the rest internal, so that libnvvm can
 * inline it and names of different programs do not conflict. */
void keep_kernels_only(llvm::Module &module, const values &before = {})
{
	fe_reach live(kernels_of(module, before));
	std::vector<llvm::GlobalValue *> dead;
	for (llvm::GlobalValue &value : module.global_values()) {
		auto *function = llvm::dyn_cast<llvm::Function>(&value);
		if (!live.has(&value)) {
			dead.push_back(&value);
		} else if (!value.isDeclaration() && !value.hasAppendingLinkage() &&
			   !(function && fe_function_is_kernel(llvm::wrap(function)))) {
			value.setLinkage(llvm::GlobalValue::InternalLinkage);
			value.setVisibility(llvm::GlobalValue::DefaultVisibility);
			if (auto *object = llvm::dyn_cast<llvm::GlobalObject>(&value))
				object->setComdat(nullptr);
		}
	}
	erase(dead);
}

/* -- linking ----------------------------------------------------------------------- */

/* The parts of the library that define functions which the module lacks. */
std::set<part> missing_parts(const llvm::Module &module)
{
	std::set<part> parts;
	part found;
	for (const llvm::Function &function : module)
		if (function.isDeclaration() && !function.isIntrinsic() &&
		    find_symbol(function.getName(), &found) == home::library)
			parts.insert(found);
	return parts;
}

/* Loaded lazily: only the bodies that are needed are read. */
bool link_part(llvm::Linker &linker, llvm::LLVMContext &context, const part &part, bytes *log)
{
	llvm::StringRef bitcode(fe_embedded_builtins + part.offset_B, part.size_B);
	auto library = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bitcode, "builtins"),
						  context, true);
	if (!library) {
		std::string reason = llvm::toString(library.takeError());
		bytes_printf(log, "error: the builtin library cannot be read: %s\n",
			     reason.c_str());
		return false;
	}
	return !linker.linkInModule(std::move(*library), llvm::Linker::Flags::LinkOnlyNeeded);
}

/* A function of one part may need another part, so this is repeated until nothing is missing that the library has. */
enum fe_status link_library(llvm::Module &module, bytes *log)
{
	enum { round_limit = 32 };
	llvm::Linker linker(module);
	for (int round = 0; round < round_limit; round++) {
		std::set<part> parts = missing_parts(module);
		if (parts.empty())
			return FE_OK;
		for (const part &part : parts)
			if (!link_part(linker, module.getContext(), part, log))
				return FE_INTERNAL;
	}
	bytes_append_string(log, "error: the builtin library does not define what it lists\n");
	return FE_INTERNAL;
}

using functions = std::set<const llvm::Function *>;

/* The functions that have a body. */
functions defined_in(const llvm::Module &module)
{
	functions defined;
	for (const llvm::Function &function : module)
		if (!function.isDeclaration())
			defined.insert(&function);
	return defined;
}

/* Marks the functions that have a body now, and had none before the library was linked. */
void mark_library(llvm::Module &module, const functions &before)
{
	for (llvm::Function &function : module)
		if (!function.isDeclaration() && !before.count(&function))
			function.addFnAttr(FE_LIBRARY_ATTRIBUTE);
}

/* -- what SPIR-V imports ------------------------------------------------------------- */

/* An imported function's name with this target's numbers of address spaces.  Translators leave SPIR's: 4 for generic
 * pointers, which have none here, and 2 for constant ones, which are 4 here.  The parameters' types tell what a number
 * means; no builtin function has both a generic and a constant pointer. */
std::string with_spaces_of_target(const llvm::Function &function, std::string name)
{
	enum { generic_space = 0, constant_space = 4 };
	auto points_to = [&](unsigned space) {
		return llvm::any_of(function.args(), [&](const llvm::Argument &argument) {
			return argument.getType()->isPointerTy() &&
			       argument.getType()->getPointerAddressSpace() == space;
		});
	};
	const bool is_constant = points_to(constant_space);
	if (!is_constant && !points_to(generic_space))
		return name;
	const std::string number = is_constant ? "U3AS2" : "U3AS4", here = is_constant ? "U3AS4" : "";
	for (size_t at = 0; (at = name.find(number, at)) != std::string::npos; at += here.size())
		name.replace(at, number.size(), here);
	return name;
}

/* A function that a SPIR-V module imports may be another program's, or one of the library if no program has that
 * name: translators leave functions that they do not know as imports. */
void import_from_library(llvm::Module &module)
{
	part unused;
	for (llvm::Function &function : llvm::make_early_inc_range(module)) {
		llvm::StringRef given = function.getName();
		const bool is_marked = given.consume_front(SYMBOL_LINKED);
		if (!function.isDeclaration())
			continue;
		std::string name = with_spaces_of_target(function, given.str());
		if ((name == given && !is_marked) || find_symbol(name, &unused) == home::nowhere)
			continue;
		llvm::Function *own = module.getFunction(name);
		if (!own) {
			function.setName(name);
		} else if (own->getFunctionType() == function.getFunctionType()) {
			function.replaceAllUsesWith(own);
			function.eraseFromParent();
		}
	}
}

/* -- what is missing ---------------------------------------------------------------- */

bool is_provided(const llvm::GlobalValue &value)
{
	part unused;
	auto *function = llvm::dyn_cast<llvm::Function>(&value);
	if (!function)
		return false;
	return function->isIntrinsic() || value.getName() == "__nvvm_reflect" ||
	       value.getName().find("__culvert_hidden_") == 0 ||
	       value.getName() == "__culvert_image" || value.getName() == "__culvert_sampler" ||
	       value.getName() == "__translate_sampler_initializer" ||
	       (value.getName() == "printf" && function->isVarArg()) ||
	       find_symbol(value.getName(), &unused) == home::libdevice;
}

/* The name of a function that uses the value, for the message; "" if no function does. */
std::string user_of(const llvm::GlobalValue &value)
{
	for (const llvm::User *user : value.users())
		if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(user))
			return fe_demangle(instruction->getFunction()->getName().str());
	return "";
}

enum fe_status report_missing(const llvm::Module &module, bytes *log)
{
	enum fe_status status = FE_OK;
	for (const llvm::GlobalValue &value : module.global_values()) {
		if (!value.isDeclaration() || value.use_empty() || is_provided(value))
			continue;
		std::string name = fe_demangle(value.getName().str());
		std::string user = user_of(value);
		bytes_printf(log, "error: undefined %s '%s'",
			     llvm::isa<llvm::Function>(value) ? "function" : "variable",
			     name.c_str());
		if (!user.empty())
			bytes_printf(log, ", used by '%s'", user.c_str());
		bytes_append_char(log, '\n');
		status = FE_LINK_FAILED;
	}
	return status;
}

} // namespace

void fe_module_set_target(struct fe_module *module)
{
	LLVMSetTarget(module->module, "nvptx64-nvidia-cuda");
	LLVMSetDataLayout(module->module, library_layout().str().c_str());
}

bool fe_builtin_exists(const char *name)
{
	llvm::StringRef called(name), text = index_text();
	std::string start = "\n_Z" + std::to_string(called.size()) + called.str();
	return !called.empty() && text.contains(start);
}

bool fe_builtin_symbol(const char *symbol)
{
	part unused;
	return find_symbol(symbol, &unused) != home::nowhere;
}

enum fe_status fe_module_link_builtins(struct fe_module *module, struct bytes *log)
{
	llvm::Module &unwrapped = *llvm::unwrap(module->module);
	enum fe_status status = fe_static_objects(unwrapped, log);
	if (status)
		return status;
	import_from_library(unwrapped);
	const values before = fe_constructors_begin(unwrapped);
	keep_kernels_only(unwrapped, before);
	status = fe_module_size_sub_groups(module, fe_builtin_symbol, log);
	if (status)
		return status;
	const functions own = fe_options_checked() ? defined_in(unwrapped) : functions();
	status = link_library(unwrapped, log);
	if (status)
		return status;
	if (fe_options_checked())
		mark_library(unwrapped, own);
	keep_kernels_only(unwrapped, before);
	status = report_missing(unwrapped, log);
	if (status || before.empty())
		return status;
	status = fe_constructors_run(unwrapped, log);
	keep_kernels_only(unwrapped);
	return status;
}
