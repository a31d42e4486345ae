#include "config.h"

#include "frontend/module.h"

#include <set>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
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
