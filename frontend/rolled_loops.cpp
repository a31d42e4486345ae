#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/module.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>

namespace {

/* The instructions of a loop that is long, including those of the functions that it calls. */
constexpr uint64_t long_loop = 500;
constexpr uint64_t most_counted = 1000000;

/* The lengths of functions with what they call.  A function that calls itself counts once. */
using lengths = std::map<const llvm::Function *, uint64_t>;

uint64_t length_of(const llvm::Function &function, lengths &known);

uint64_t length_of(const llvm::BasicBlock &block, lengths &known)
{
	uint64_t length = block.sizeWithoutDebug();
	for (const llvm::Instruction &instruction : block) {
		auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
		if (call && call->getCalledFunction())
			length += length_of(*call->getCalledFunction(), known);
	}
	return length;
}

uint64_t length_of(const llvm::Function &function, lengths &known)
{
	auto found = known.emplace(&function, 0);
	if (!found.second)
		return found.first->second;
	uint64_t length = 0;
	for (const llvm::BasicBlock &block : function)
		length = std::min(length + length_of(block, known), most_counted);
	return known[&function] = length;
}

/* Whether a value is, or may become by inlining, a constant. */
bool may_be_constant(const llvm::Value *value, unsigned steps)
{
	if (auto *parameter = llvm::dyn_cast<llvm::Argument>(value))
		return !fe_is_kernel(llvm::wrap(parameter->getParent()));
	if (llvm::isa<llvm::Constant>(value))
		return true;
	if (!llvm::isa<llvm::BinaryOperator>(value) && !llvm::isa<llvm::CastInst>(value))
		return false;
	return steps && llvm::all_of(llvm::cast<llvm::User>(value)->operands(), [steps](const llvm::Use &operand) {
		return may_be_constant(operand, steps - 1);
	});
}

/* Whether the block leaves its loop by a comparison with a constant, which may tell how often the loop is executed. */
bool may_count(const llvm::BasicBlock *block)
{
	constexpr unsigned most_steps = 6;
	auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
	auto *comparison = branch && branch->isConditional() ? llvm::dyn_cast<llvm::CmpInst>(branch->getCondition())
							     : nullptr;
	return comparison && (may_be_constant(comparison->getOperand(0), most_steps) ||
			      may_be_constant(comparison->getOperand(1), most_steps));
}

/* Whether the source says whether to unroll the loop. */
bool has_hint(const llvm::Loop &loop)
{
	constexpr llvm::StringLiteral prefix("llvm.loop.unroll.");
	const llvm::MDNode *properties = loop.getLoopID();
	return properties && llvm::any_of(properties->operands(), [&prefix](const llvm::MDOperand &operand) {
		auto *property = llvm::dyn_cast_or_null<llvm::MDNode>(operand.get());
		auto *name = property && property->getNumOperands()
				     ? llvm::dyn_cast_or_null<llvm::MDString>(property->getOperand(0).get())
				     : nullptr;
		return name && name->getString().substr(0, prefix.size()) == prefix;
	});
}

void keep(llvm::Loop &loop, lengths &known)
{
	llvm::SmallVector<llvm::BasicBlock *, 4> ends;
	uint64_t length = 0;
	loop.getExitingBlocks(ends);
	for (const llvm::BasicBlock *block : loop.blocks())
		length += length_of(*block, known);
	if (length >= long_loop && loop.getLoopLatch() && !has_hint(loop) && llvm::none_of(ends, may_count))
		loop.setLoopAlreadyUnrolled();
}

} // namespace

void fe_module_keep_loops(struct fe_module *module)
{
	lengths known;
	for (llvm::Function &function : *llvm::unwrap(module->module)) {
		if (function.isDeclaration() || function.hasOptNone())
			continue;
		llvm::DominatorTree tree(function);
		llvm::LoopInfo loops(tree);
		for (llvm::Loop *loop : loops.getLoopsInPreorder())
			keep(*loop, known);
	}
}
