#include "config.h"

#include "frontend/module.h"

#include <llvm/ADT/STLExtras.h>

#include <set>
#include <string>
#include <vector>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace {

using functions = std::set<const llvm::Function *>;

/* The functions that call function, directly or not. */
functions callers_of(const llvm::Function *function)
{
	functions callers;
	std::vector<const llvm::Function *> pending{function};
	while (!pending.empty()) {
		const llvm::Function *callee = pending.back();
		pending.pop_back();
		for (const llvm::User *user : callee->users()) {
			auto *call = llvm::dyn_cast<llvm::CallBase>(user);
			if (call && call->getCalledFunction() == callee && callers.insert(call->getFunction()).second)
				pending.push_back(call->getFunction());
		}
	}
	return callers;
}

/* A call in function of one of callers that is to be inlined anyway; NULL: there is none. */
llvm::CallBase *find_call(llvm::Function *function, const functions &callers)
{
	for (llvm::Instruction &instruction : llvm::instructions(function)) {
		auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
		llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
		if (callee && callee != function && callers.count(callee) &&
		    callee->hasFnAttribute(llvm::Attribute::AlwaysInline))
			return call;
	}
	return nullptr;
}

} // namespace

extern "C" bool fe_inline_callers(LLVMValueRef kernel, LLVMValueRef called)
{
	/* More calls than that are left to libnvvm. */
	constexpr unsigned most_calls = 1000;
	auto *function = llvm::unwrap<llvm::Function>(kernel);
	const functions callers = callers_of(llvm::unwrap<llvm::Function>(called));
	unsigned count = 0;
	for (; count < most_calls; count++) {
		llvm::CallBase *call = find_call(function, callers);
		llvm::InlineFunctionInfo info;
		if (!call || !llvm::InlineFunction(*call, info).isSuccess())
			break;
	}
	return count;
}

namespace {

/* The calls of a function, if all its uses are calls of it. */
std::vector<llvm::CallBase *> calls_of(llvm::Function &function)
{
	std::vector<llvm::CallBase *> calls;
	for (llvm::User *user : function.users()) {
		auto *call = llvm::dyn_cast<llvm::CallBase>(user);
		if (!call || call->getCalledFunction() != &function)
			return {};
		calls.push_back(call);
	}
	return calls;
}

/* Whether a function is short, and has neither private variables in memory nor structures that are copied to it. */
bool is_short(const llvm::Function &function)
{
	constexpr unsigned most_instructions = 100;
	if (function.isDeclaration() || !function.hasInternalLinkage() || function.isVarArg() ||
	    (!function.getSubprogram() && !function.hasFnAttribute(llvm::Attribute::AlwaysInline)) ||
	    function.getInstructionCount() > most_instructions)
		return false;
	for (const llvm::Argument &argument : function.args())
		if (argument.hasByValAttr() || argument.hasStructRetAttr())
			return false;
	for (const llvm::Instruction &instruction : llvm::instructions(function))
		if (llvm::isa<llvm::AllocaInst>(instruction))
			return false;
	return true;
}

/* Has the lines of a function say that they are its own. */
void name_in_file(llvm::Function &function, llvm::DISubprogram *description)
{
	const llvm::DIFile *file = description->getFile();
	const std::string name = (file->getFilename() + "#culvert_in#" + function.getName()).str();
	description->replaceOperandWith(0, llvm::DIFile::get(function.getContext(), name, file->getDirectory()));
}

void inline_everywhere(llvm::Function &function)
{
	const std::vector<llvm::CallBase *> calls = calls_of(function);
	if (calls.empty())
		return;
	if (llvm::DISubprogram *description = function.getSubprogram())
		name_in_file(function, description);
	/* Intrinsics that libnvvm does not know would describe these. */
	for (unsigned i = 0; i < function.arg_size(); i++)
		function.removeParamAttr(i, llvm::Attribute::NoAlias);
	for (llvm::CallBase *call : calls) {
		llvm::InlineFunctionInfo info;
		(void)llvm::InlineFunction(*call, info);
	}
	if (function.use_empty())
		function.eraseFromParent();
}

} // namespace

void fe_module_inline_short(struct fe_module *module)
{
	for (llvm::Function &function : llvm::make_early_inc_range(*llvm::unwrap(module->module)))
		if (is_short(function) && !callers_of(&function).count(&function))
			inline_everywhere(function);
}
