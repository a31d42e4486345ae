#include "config.h"

#include "frontend/module.h"
#include "frontend/demangle.h"
#include "frontend/sub_group_names.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <llvm-c/Core.h>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

/* Kernels that require sub-groups of 8 or 16 work-items (cl_intel_required_subgroup_size) call other functions of the
 * builtin library (frontend/builtins/sub_group.h).  What such a kernel calls, and what in turn calls functions for
 * sub-groups, is copied for the size.  Programs without such kernels are not changed. */

namespace {

constexpr unsigned sizes[] = {8, 16};
constexpr char size_metadata[] = "intel_reqd_sub_group_size";

using functions = std::set<const llvm::Function *>;
using kernel_list = std::vector<llvm::Function *>;

/* The size that the function requires; 0: none. */
unsigned required_size(const llvm::Function &function)
{
	const llvm::MDNode *node = function.getMetadata(size_metadata);
	const auto *size = node && node->getNumOperands()
		? llvm::mdconst::dyn_extract<llvm::ConstantInt>(node->getOperand(0)) : nullptr;
	return size && size->getBitWidth() <= 64 ? unsigned(size->getZExtValue()) : 0;
}

kernel_list kernels_of(llvm::Module &module, unsigned size)
{
	kernel_list kernels;
	for (llvm::Function &function : module)
		if (!function.isDeclaration() && fe_function_is_kernel(llvm::wrap(&function)) &&
		    required_size(function) == size)
			kernels.push_back(&function);
	return kernels;
}

/* The function that an instruction calls; null: it is another instruction.  There are no calls by a pointer. */
llvm::Function *callee_of(const llvm::Instruction &instruction)
{
	auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
	return call ? llvm::dyn_cast<llvm::Function>(call->getCalledOperand()->stripPointerCasts()) : nullptr;
}

/* A matrix, and a named barrier, belong to the 32 work-items of a warp. */
bool needs_warp(const llvm::Instruction &instruction)
{
	const llvm::Function *callee = callee_of(instruction);
	if (callee)
		return callee->isDeclaration() && callee->getName().contains("culvert_matrix_");
	auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
	auto *code = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
	return code && code->getAsmString() == FE_NAMED_BARRIER;
}

using questioner = bool (*)(const char *symbol);

/* Whether the library has the function for sub-groups of different sizes. */
bool depends_on_size(const llvm::Function &function, questioner has_builtin)
{
	return function.isDeclaration() && has_builtin(fe_sub_group_name(function.getName(), sizes[0]).c_str());
}

/* The functions with a body that call functions for sub-groups, directly or indirectly. */
functions users_of_sub_groups(const llvm::Module &module, questioner has_builtin)
{
	functions users;
	std::vector<const llvm::Function *> pending;
	for (const llvm::Function &function : module)
		if (depends_on_size(function, has_builtin))
			pending.push_back(&function);
	while (!pending.empty()) {
		const llvm::Function *function = pending.back();
		pending.pop_back();
		for (const llvm::User *user : function->users()) {
			auto *call = llvm::dyn_cast<llvm::Instruction>(user);
			if (call && callee_of(*call) == function && users.insert(call->getFunction()).second)
				pending.push_back(call->getFunction());
		}
	}
	return users;
}

/* The functions with a body that the kernels call, directly or indirectly, and the kernels, in a fixed order. */
kernel_list called_by(const kernel_list &kernels)
{
	kernel_list called = kernels;
	functions seen(kernels.begin(), kernels.end());
	for (size_t i = 0; i < called.size(); i++) {
		for (const llvm::Instruction &instruction : llvm::instructions(called[i])) {
			llvm::Function *callee = callee_of(instruction);
			if (callee && !callee->isDeclaration() && seen.insert(callee).second)
				called.push_back(callee);
		}
	}
	return called;
}

llvm::Function *copy_of(llvm::Function &function, const std::string &ending)
{
	llvm::ValueToValueMapTy values;
	llvm::Function *made = llvm::CloneFunction(&function, values);
	made->setName(function.getName() + ending);
	made->setLinkage(llvm::GlobalValue::InternalLinkage);
	made->setVisibility(llvm::GlobalValue::DefaultVisibility);
	made->setComdat(nullptr);
	if (!fe_function_is_kernel(llvm::wrap(&function)))
		return made;
	/* A kernel that another function calls is an ordinary function there (OpenCL C 3.0, 6.7). */
	llvm::SmallVector<std::pair<unsigned, llvm::MDNode *>, 8> notes;
	made->getAllMetadata(notes);
	for (const auto &note : notes)
		if (note.first != llvm::LLVMContext::MD_dbg)
			made->setMetadata(note.first, nullptr);
	made->setCallingConv(llvm::CallingConv::SPIR_FUNC);
	made->removeFnAttr(llvm::Attribute::OptimizeNone);
	made->removeFnAttr(llvm::Attribute::NoInline);
	return made;
}

void call_instead(llvm::Instruction &instruction, llvm::Function &other)
{
	auto &call = llvm::cast<llvm::CallBase>(instruction);
	call.setCalledOperand(&other);
	call.setCallingConv(other.getCallingConv());
}

/* Gives kernels with a size that are called bodies of their own, so that a kernel is called by nothing. */
void separate_called(const kernel_list &kernels)
{
	for (llvm::Function *kernel : kernels) {
		std::vector<llvm::Instruction *> calls;
		for (llvm::User *user : kernel->users()) {
			auto *call = llvm::dyn_cast<llvm::Instruction>(user);
			if (call && callee_of(*call) == kernel)
				calls.push_back(call);
		}
		llvm::Function *body = calls.empty() ? nullptr : copy_of(*kernel, ".called");
		for (llvm::Instruction *call : calls)
			call_instead(*call, *body);
	}
}

/* The library's function in place of another one. */
llvm::Function &of_size(llvm::Function &function, unsigned size)
{
	const std::string name = fe_sub_group_name(function.getName(), size);
	llvm::Module &module = *function.getParent();
	llvm::Function *own = module.getFunction(name);
	if (own)
		return *own;
	own = llvm::Function::Create(function.getFunctionType(), llvm::GlobalValue::ExternalLinkage, name, module);
	own->setCallingConv(function.getCallingConv());
	own->setAttributes(function.getAttributes());
	return *own;
}

class specializer {
public:
	specializer(llvm::Module &to_change, unsigned sub_group_size, questioner library, bytes *messages)
		: module(to_change), size(sub_group_size), has_builtin(library), log(messages)
	{
	}

	enum fe_status run()
	{
		const kernel_list kernels = kernels_of(module, size);
		const functions users = users_of_sub_groups(module, has_builtin);
		kernel_list called = called_by(kernels);
		for (const llvm::Function *function : called)
			for (const llvm::Instruction &instruction : llvm::instructions(function))
				if (needs_warp(instruction))
					return refuse(*function);
		for (llvm::Function *&function : called) {
			if (llvm::is_contained(kernels, function))
				continue;
			if (!users.count(function))
				function = nullptr;
			else
				function = copies[function] = copy_of(*function, ".sub_group_" + std::to_string(size));
		}
		for (llvm::Function *function : called)
			if (function)
				change(*function);
		return FE_OK;
	}

private:
	enum fe_status refuse(const llvm::Function &function)
	{
		bytes_printf(log, "error: '%s', %s(%u): matrices and named barriers need sub-groups of 32\n",
			     fe_demangle(function.getName().str()).c_str(), size_metadata, size);
		return FE_LINK_FAILED;
	}

	void change(llvm::Function &function)
	{
		for (llvm::Instruction &instruction : llvm::instructions(function)) {
			llvm::Function *callee = callee_of(instruction);
			const auto made = copies.find(callee);
			if (made != copies.end())
				call_instead(instruction, *made->second);
			else if (callee && depends_on_size(*callee, has_builtin))
				call_instead(instruction, of_size(*callee, size));
		}
	}

	llvm::Module &module;
	const unsigned size;
	const questioner has_builtin;
	bytes *const log;
	std::map<const llvm::Function *, llvm::Function *> copies;
};

} // namespace

enum fe_status fe_module_size_sub_groups(struct fe_module *module, bool (*has_builtin)(const char *symbol),
					 struct bytes *log)
{
	llvm::Module &unwrapped = *llvm::unwrap(module->module);
	for (unsigned size : sizes)
		separate_called(kernels_of(unwrapped, size));
	for (unsigned size : sizes) {
		if (kernels_of(unwrapped, size).empty())
			continue;
		enum fe_status status = specializer(unwrapped, size, has_builtin, log).run();
		if (status)
			return status;
	}
	return FE_OK;
}
