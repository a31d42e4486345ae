#include "config.h"

#include "frontend/loop_facts.h"
#include "frontend/module.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace {

/* Address spaces of the NVPTX target. */
enum { SPACE_GLOBAL = 1, SPACE_CONSTANT = 4 };

/* Whether this is an address in global or constant memory, a variable number of elements behind another one.  If these
 * are bytes, nothing would change. */
bool may_be_kept(const llvm::GetElementPtrInst &address, const llvm::DataLayout &layout)
{
	const unsigned space = address.getPointerAddressSpace();
	return (space == SPACE_GLOBAL || space == SPACE_CONSTANT) && address.getNumIndices() == 1 &&
	       !llvm::isa<llvm::Constant>(address.getOperand(1)) && !address.getType()->isVectorTy() &&
	       address.getOperand(1)->getType() == layout.getIndexType(address.getType()) &&
	       !address.getSourceElementType()->isIntegerTy(8);
}

/* Whether a loop adds a number that changes in it to the address, which does not.  A loop with a constant number of
 * iterations may be unrolled as a whole, and then nothing changes in it. */
bool is_array_of_loop(llvm::GetElementPtrInst &address, loop_facts &facts)
{
	return llvm::any_of(address.users(), [&address, &facts](llvm::User *user) {
		auto *element = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
		if (!element || element->getPointerOperand() != &address)
			return false;
		const llvm::Loop *loop = facts.loops.getLoopFor(element->getParent());
		return loop && !loop->isLoopInvariant(element->getOperand(1)) &&
		       !facts.evolution.getSmallConstantTripCount(loop) &&
		       facts.evolution.isLoopInvariant(facts.evolution.getSCEV(&address), loop);
	});
}

/* Writes the distance in bytes. */
void keep(llvm::GetElementPtrInst &address, const llvm::DataLayout &layout)
{
	llvm::IRBuilder<> builder(&address);
	llvm::Value *number = address.getOperand(1);
	const uint64_t size_B = layout.getTypeAllocSize(address.getSourceElementType());
	llvm::Value *distance = builder.CreateMul(number, llvm::ConstantInt::get(number->getType(), size_B), "", false,
						  address.isInBounds());
	auto *kept = llvm::GetElementPtrInst::Create(builder.getInt8Ty(), address.getPointerOperand(), distance);
	kept->setIsInBounds(address.isInBounds());
	builder.Insert(kept);
	address.replaceAllUsesWith(kept);
	address.eraseFromParent();
}

void keep_in(llvm::Function &function, const llvm::DataLayout &layout)
{
	loop_facts facts(function);
	std::vector<llvm::GetElementPtrInst *> kept;
	if (facts.loops.empty())
		return;
	for (llvm::BasicBlock &block : function) {
		for (llvm::Instruction &instruction : block) {
			auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
			if (address && may_be_kept(*address, layout) && is_array_of_loop(*address, facts))
				kept.push_back(address);
		}
	}
	for (llvm::GetElementPtrInst *address : kept)
		keep(*address, layout);
}

} // namespace

void fe_module_keep_addresses(struct fe_module *module)
{
	const llvm::DataLayout &layout = llvm::unwrap(module->module)->getDataLayout();
	for (llvm::Function &function : *llvm::unwrap(module->module)) {
		if (!function.isDeclaration() && !function.hasOptNone())
			keep_in(function, layout);
	}
}
