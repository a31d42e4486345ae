#include "config.h"

#include "frontend/constructors.h"
#include "frontend/demangle.h"
#include "frontend/evaluator.h"
#include "frontend/static_objects.h"

#include <algorithm>
#include <string>
#include <vector>

#include <llvm-c/Core.h>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace {

constexpr char list_name[] = "llvm.global_ctors";

/* The functions in Clang's list of constructors, in the order in which they are called. */
std::vector<llvm::Function *> listed(const llvm::Module &module)
{
	std::vector<std::pair<uint64_t, llvm::Function *>> rows;
	const llvm::GlobalVariable *list = module.getNamedGlobal(list_name);
	const auto *array = list && list->hasInitializer()
		? llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer()) : nullptr;
	for (unsigned i = 0; array && i < array->getNumOperands(); i++) {
		const auto *row = llvm::dyn_cast<llvm::ConstantStruct>(array->getOperand(i));
		const auto *priority = row ? llvm::dyn_cast<llvm::ConstantInt>(row->getOperand(0))
					   : nullptr;
		auto *function = row ? llvm::dyn_cast<llvm::Function>(
					       row->getOperand(1)->stripPointerCasts())
				     : nullptr;
		if (priority && function)
			rows.emplace_back(priority->getZExtValue(), function);
	}
	std::stable_sort(rows.begin(), rows.end(),
			 [](const auto &a, const auto &b) { return a.first < b.first; });
	std::vector<llvm::Function *> functions;
	for (const auto &row : rows)
		functions.push_back(row.second);
	return functions;
}

const llvm::GlobalVariable *variable_of(const llvm::Value *pointer)
{
	return llvm::dyn_cast<llvm::GlobalVariable>(pointer->stripInBoundsOffsets());
}

/* The object that an initializer initializes: the last one that it writes, or whose constructor it calls. */
std::string object_of(const llvm::Function &function)
{
	std::string name = fe_demangle(function.getName().str());
	for (const llvm::Instruction &instruction : llvm::instructions(function)) {
		const llvm::Value *pointer = nullptr;
		if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
			pointer = store->getPointerOperand();
		else if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
			pointer = call->arg_size() ? call->getArgOperand(0) : nullptr;
		const llvm::GlobalVariable *variable =
			pointer && pointer->getType()->isPointerTy() ? variable_of(pointer) : nullptr;
		if (variable && !fe_is_guard(*variable))
			name = fe_demangle(variable->getName().str());
	}
	return name;
}

/* The initializers of single objects, which Clang's function for a whole source calls one after the other. */
std::vector<llvm::Function *> initializers(const llvm::Module &module)
{
	std::vector<llvm::Function *> single;
	for (llvm::Function *function : listed(module)) {
		bool whole = function->getName().find("_GLOBAL__") == 0;
		if (!whole)
			single.push_back(function);
		for (llvm::Instruction &instruction : llvm::instructions(*function))
			if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
				if (whole && call->getCalledFunction())
					single.push_back(call->getCalledFunction());
	}
	return single;
}

bool evaluate_all(llvm::Module &module, bytes *log)
{
	fe_evaluator evaluator(module);
	bool all = true;
	std::string object;
	for (llvm::Function *function : initializers(module)) {
		/* If the commit fails the message names the last object. */
		object = object_of(*function);
		if (evaluator.run(*function))
			continue;
		bytes_printf(log, "error: the initializer of '%s' cannot be evaluated when the "
				  "program is linked: %s\n",
			     object.c_str(), evaluator.reason().c_str());
		all = false;
	}
	if (!all || evaluator.commit())
		return all;
	bytes_printf(log, "error: the initializer of '%s' or of an object before it cannot be "
			  "evaluated when the program is linked: %s\n",
		     object.c_str(), evaluator.reason().c_str());
	return false;
}

} // namespace

std::vector<const llvm::GlobalValue *> fe_constructors_begin(llvm::Module &module)
{
	std::vector<const llvm::GlobalValue *> roots;
	if (const llvm::GlobalVariable *list = module.getNamedGlobal(list_name))
		roots.push_back(list);
	/* Clang makes these functions kernels, to be launched by the host. */
	for (llvm::Function *function : listed(module)) {
		function->clearMetadata();
		function->setCallingConv(llvm::CallingConv::C);
	}
	return roots;
}

enum fe_status fe_constructors_run(llvm::Module &module, bytes *log)
{
	llvm::GlobalVariable *list = module.getNamedGlobal(list_name);
	if (!list)
		return FE_OK;
	if (!evaluate_all(module, log))
		return FE_LINK_FAILED;
	list->eraseFromParent();
	return FE_OK;
}
