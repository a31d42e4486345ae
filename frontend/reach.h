/* The functions and variables that some of a module's need, directly or indirectly.  C++ only.  Thread-safety: as
 * the module's. */
#ifndef CULVERT_FRONTEND_REACH_H
#define CULVERT_FRONTEND_REACH_H

#include <vector>

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

class fe_reach {
public:
	explicit fe_reach(const std::vector<const llvm::GlobalValue *> &roots)
	{
		for (const llvm::GlobalValue *root : roots)
			visit(root);
		while (!pending.empty()) {
			const llvm::GlobalValue *value = pending.back();
			pending.pop_back();
			expand(value);
		}
	}

	bool has(const llvm::GlobalValue *value) const { return seen.contains(value); }

private:
	void expand(const llvm::GlobalValue *value)
	{
		visit_operands(value);
		if (auto *function = llvm::dyn_cast<llvm::Function>(value))
			for (const llvm::BasicBlock &block : *function)
				for (const llvm::Instruction &instruction : block)
					visit_operands(&instruction);
	}

	void visit_operands(const llvm::User *user)
	{
		for (const llvm::Use &use : user->operands())
			visit_value(use.get());
	}

	/* Visited constants are remembered: because constants share parts, the walk could otherwise take exponential
	 * time. */
	void visit_value(const llvm::Value *value)
	{
		if (auto *global = llvm::dyn_cast<llvm::GlobalValue>(value)) {
			visit(global);
		} else if (auto *constant = llvm::dyn_cast<llvm::Constant>(value)) {
			if (constants.insert(constant).second)
				visit_operands(constant);
		}
	}

	void visit(const llvm::GlobalValue *value)
	{
		if (seen.insert(value).second)
			pending.push_back(value);
	}

	llvm::DenseSet<const llvm::GlobalValue *> seen;
	llvm::DenseSet<const llvm::Constant *> constants;
	std::vector<const llvm::GlobalValue *> pending;
};

#endif
