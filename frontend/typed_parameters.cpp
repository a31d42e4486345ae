#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/loop_facts.h"
#include "frontend/module.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>
#include <memory>
#include <vector>

namespace {

/* Returns the addresses of the parameter's elements if it is used for nothing else, and if they are numbers of one
 * type; otherwise an empty list. */
std::vector<llvm::GetElementPtrInst *> elements_of(llvm::Argument &parameter)
{
	std::vector<llvm::GetElementPtrInst *> elements;
	for (llvm::User *user : parameter.users()) {
		auto *element = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
		if (!element || element->getNumIndices() != 1)
			return {};
		llvm::Type *type = element->getSourceElementType();
		if (!type->isIntegerTy() && !type->isFloatingPointTy())
			return {};
		elements.push_back(element);
		if (type != elements.front()->getSourceElementType())
			return {};
	}
	return elements;
}

/* Returns how an element's index advances in the innermost loop around it; NULL: it does not, advances by a constant,
 * or the loop has a constant number of iterations, so that libnvvm may unroll all of them. */
const llvm::SCEVAddRecExpr *advance_of(llvm::GetElementPtrInst *element, loop_facts &facts)
{
	const llvm::Loop *loop = facts.loops.getLoopFor(element->getParent());
	auto *index = llvm::dyn_cast<llvm::SExtInst>(element->getOperand(1));
	if (!index || !loop || !loop->isInnermost() || facts.evolution.getSmallConstantTripCount(loop))
		return nullptr;
	auto *advance = llvm::dyn_cast<llvm::SCEVAddRecExpr>(facts.evolution.getSCEV(index->getOperand(0)));
	if (!advance || advance->getLoop() != loop || !advance->isAffine() ||
	    llvm::isa<llvm::SCEVConstant>(advance->getOperand(1)))
		return nullptr;
	return advance;
}

/* Whether two indices advance by the same step, with a distance that is neither a constant nor depends on the step. */
bool advance_alike(const llvm::SCEVAddRecExpr *one, const llvm::SCEVAddRecExpr *other, llvm::ScalarEvolution &evolution)
{
	const llvm::SCEV *step = one->getOperand(1);
	if (one->getLoop() != other->getLoop() || step != other->getOperand(1))
		return false;
	const llvm::SCEV *distance = evolution.getMinusSCEV(one->getStart(), other->getStart());
	return !llvm::isa<llvm::SCEVConstant>(distance) &&
	       !llvm::SCEVExprContains(distance, [step](const llvm::SCEV *part) { return part == step; });
}

/* Whether a loop accesses no memory at addresses that change in it, except that it loads these two elements. */
bool only_loads(const llvm::Loop *loop, llvm::Value *one, llvm::Value *other, llvm::ScalarEvolution &evolution)
{
	for (llvm::BasicBlock *block : loop->blocks()) {
		for (llvm::Instruction &instruction : *block) {
			if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction))
				return false;
			llvm::Value *address = llvm::getLoadStorePointerOperand(&instruction);
			if (!address || evolution.isLoopInvariant(evolution.getSCEV(address), loop))
				continue;
			if (!llvm::isa<llvm::LoadInst>(instruction) || (address != one && address != other))
				return false;
		}
	}
	return true;
}

/* An element, and how its index advances in a loop. */
struct advancing {
	llvm::GetElementPtrInst *element;
	const llvm::SCEVAddRecExpr *index;
};

bool is_pair(const advancing &one, const advancing &other, loop_facts &facts)
{
	return one.element->getParent() == other.element->getParent() &&
	       advance_alike(one.index, other.index, facts.evolution) &&
	       only_loads(one.index->getLoop(), one.element, other.element, facts.evolution);
}

/* Whether a loop has a pair of them.  It then has no third element that advances (only_loads). */
bool have_pair(const std::vector<llvm::GetElementPtrInst *> &elements, loop_facts &facts)
{
	std::map<const llvm::Loop *, std::vector<advancing>> loops;
	for (llvm::GetElementPtrInst *element : elements)
		if (const llvm::SCEVAddRecExpr *index = advance_of(element, facts))
			loops[index->getLoop()].push_back({element, index});
	for (const auto &[loop, found] : loops)
		if (found.size() == 2 && is_pair(found[0], found[1], facts))
			return true;
	return false;
}

void mark_parameters(llvm::Function &kernel)
{
	std::unique_ptr<loop_facts> facts;
	for (llvm::Argument &parameter : kernel.args()) {
		if (!parameter.getType()->isPointerTy() || parameter.hasByValAttr())
			continue;
		const auto elements = elements_of(parameter);
		if (elements.size() < 2)
			continue;
		if (!facts)
			facts = std::make_unique<loop_facts>(kernel);
		if (have_pair(elements, *facts))
			parameter.addAttr(llvm::Attribute::get(kernel.getContext(), FE_TYPED_PARAMETER));
	}
}

} // namespace

void fe_module_type_parameters(struct fe_module *module)
{
	for (llvm::Function &function : *llvm::unwrap(module->module)) {
		if (fe_is_kernel(llvm::wrap(&function)) && !function.hasOptNone())
			mark_parameters(function);
	}
}
