#include "config.h"

#include "frontend/module.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <map>
#include <vector>

namespace {

/* The most instructions that compute an operand of a call, or a condition, before the loop. */
constexpr unsigned most_instructions = 16;
/* The most bytes of results that are kept in registers for one loop. */
constexpr uint64_t most_bytes = 64;

/* Whether a function of the library is more than some instructions that libnvvm moves by itself: it branches, or calls
 * a function of libdevice, most of which do. */
bool is_long(const llvm::Function &function)
{
	if (function.isDeclaration())
		return false;
	if (function.size() > 1)
		return true;
	return llvm::any_of(function.front(), [](const llvm::Instruction &instruction) {
		auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
		return call && !llvm::isa<llvm::IntrinsicInst>(call);
	});
}

/* Whether the result of a call depends only on its operands and on the work-item, and the call may as well be made by
 * other work-items, or never: functions such as sin, pow and get_global_id. */
bool is_pure_call(const llvm::CallInst &call)
{
	const llvm::Function *function = call.getCalledFunction();
	if (!function || !function->doesNotAccessMemory() || !function->doesNotThrow() || !function->willReturn())
		return false;
	if (function->isIntrinsic())
		return function->hasFnAttribute(llvm::Attribute::Speculatable);
	return fe_builtin_symbol(function->getName().str().c_str());
}

bool may_move(const llvm::CallInst &call)
{
	return call.getType()->isFPOrFPVectorTy() && is_pure_call(call) && !call.getCalledFunction()->isIntrinsic() &&
	       is_long(*call.getCalledFunction());
}

/* Whether a function has any such call; most have none, and their loops need not be found. */
bool has_any(llvm::Function &function)
{
	return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
		auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
		return call && may_move(*call);
	});
}

/* Whether an instruction can be executed elsewhere, for operands that it may not have in the program. */
bool is_pure(const llvm::Instruction &instruction)
{
	if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
		return is_pure_call(*call);
	return (llvm::isa<llvm::CmpInst>(instruction) || llvm::isa<llvm::CastInst>(instruction) ||
		llvm::isa<llvm::BinaryOperator>(instruction) || llvm::isa<llvm::UnaryOperator>(instruction) ||
		llvm::isa<llvm::SelectInst>(instruction) || llvm::isa<llvm::ExtractElementInst>(instruction) ||
		llvm::isa<llvm::InsertElementInst>(instruction) || llvm::isa<llvm::ShuffleVectorInst>(instruction)) &&
	       llvm::isSafeToSpeculativelyExecute(&instruction);
}

/* The condition under which a loop is entered, as the header evaluates it for the first iteration.  value NULL: the
 * loop's body is executed in any case. */
struct entry {
	const llvm::Loop *loop = nullptr;
	llvm::Value *value = nullptr;
	bool wanted = true; /* the value with which the body is executed */
};

/* A call, the outermost loop that it can leave, and what has to hold for it to be executed there. */
struct move {
	llvm::CallInst *call = nullptr;
	llvm::Loop *loop = nullptr;
	std::vector<entry> entries; /* from the innermost loop on */
};

/* Counts the instructions that have to be copied so that a value can be computed before the loop `from`; the phis of
 * the header of `own`, if not NULL, have their first values.  False: there is one that cannot be copied, or there are
 * too many. */
bool can_leave(const llvm::Value *value, const llvm::Loop &from, const llvm::Loop *own, unsigned &count)
{
	auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
	if (!instruction || !from.contains(instruction))
		return true;
	auto *phi = llvm::dyn_cast<llvm::PHINode>(instruction);
	if (phi && own && phi->getParent() == own->getHeader())
		return can_leave(phi->getIncomingValueForBlock(own->getLoopPreheader()), from, nullptr, count);
	if (!is_pure(*instruction) || ++count > most_instructions)
		return false;
	return llvm::all_of(instruction->operands(), [&from, own, &count](const llvm::Use &use) {
		return can_leave(use, from, own, count);
	});
}

bool operands_can_leave(const llvm::CallInst &call, const llvm::Loop &loop)
{
	return llvm::all_of(call.args(), [&loop](const llvm::Use &use) {
		unsigned count = 0;
		return can_leave(use, loop, nullptr, count);
	});
}

bool is_in_each_iteration(const llvm::BasicBlock *block, const llvm::Loop &loop, const llvm::DominatorTree &tree)
{
	llvm::SmallVector<llvm::BasicBlock *, 4> latches;
	loop.getLoopLatches(latches);
	return llvm::all_of(latches, [block, &tree](const llvm::BasicBlock *latch) {
		return tree.dominates(block, latch);
	});
}

/* The condition under which a block that each iteration executes is executed at all. */
entry entry_of(const llvm::Loop &loop, const llvm::BasicBlock *block)
{
	entry found;
	found.loop = &loop;
	auto *branch = llvm::dyn_cast<llvm::BranchInst>(loop.getHeader()->getTerminator());
	if (block == loop.getHeader() || !branch || !branch->isConditional())
		return found;
	const bool stays = loop.contains(branch->getSuccessor(0));
	if (stays && loop.contains(branch->getSuccessor(1)))
		return found;
	found.value = branch->getCondition();
	found.wanted = stays;
	return found;
}

bool entry_can_leave(const entry &one, const llvm::Loop &loop)
{
	unsigned count = 0;
	return !one.value || can_leave(one.value, loop, one.loop, count);
}

/* Which loops a call can leave; loop NULL: none. */
move find_move(llvm::CallInst &call, const llvm::DominatorTree &tree, const llvm::LoopInfo &loops)
{
	move found;
	found.call = &call;
	const llvm::BasicBlock *block = call.getParent();
	for (llvm::Loop *loop = loops.getLoopFor(block); loop; loop = loop->getParentLoop()) {
		if (!loop->getLoopPreheader() || !is_in_each_iteration(block, *loop, tree) ||
		    !operands_can_leave(call, *loop))
			break;
		std::vector<entry> entries = found.entries;
		entries.push_back(entry_of(*loop, block));
		if (!llvm::all_of(entries, [loop](const entry &one) { return entry_can_leave(one, *loop); }))
			break;
		found.entries = entries;
		found.loop = loop;
		block = loop->getLoopPreheader();
	}
	return found;
}

/* Computes a value before a loop, as can_leave examined it. */
llvm::Value *copy_value(llvm::IRBuilder<> &builder, llvm::Value *value, const llvm::Loop &from, const llvm::Loop *own)
{
	auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
	if (!instruction || !from.contains(instruction))
		return value;
	auto *phi = llvm::dyn_cast<llvm::PHINode>(instruction);
	if (phi && own && phi->getParent() == own->getHeader())
		return copy_value(builder, phi->getIncomingValueForBlock(own->getLoopPreheader()), from, nullptr);
	llvm::Instruction *copy = instruction->clone();
	for (llvm::Use &use : copy->operands())
		use.set(copy_value(builder, use, from, own));
	/* Where it stands now, its operands may be others than in the program. */
	copy->dropPoisonGeneratingFlags();
	return builder.Insert(copy);
}

/* Whether all loops are entered; NULL: they are in any case. */
llvm::Value *build_condition(llvm::IRBuilder<> &builder, const move &moved)
{
	llvm::Value *all = nullptr;
	for (const entry &one : moved.entries) {
		if (!one.value)
			continue;
		llvm::Value *value = copy_value(builder, one.value, *moved.loop, one.loop);
		if (!one.wanted)
			value = builder.CreateNot(value);
		all = all ? builder.CreateAnd(value, all) : value;
	}
	return all;
}

/* The call is made at the end of a block that a branch leaves. */
void make_call(const move &moved, llvm::BasicBlock &block)
{
	llvm::IRBuilder<> builder(block.getTerminator());
	for (llvm::Use &use : moved.call->args())
		use.set(copy_value(builder, use, *moved.loop, nullptr));
	moved.call->moveBefore(block, block.getTerminator()->getIterator());
}

/* The call is made only if the condition holds.  The result is undefined otherwise, and has no use then. */
void make_call_if(const move &moved, llvm::Value *condition)
{
	llvm::Type *type = moved.call->getType();
	llvm::BasicBlock *before = moved.loop->getLoopPreheader();
	llvm::BasicBlock *behind = before->splitBasicBlock(before->getTerminator());
	llvm::BasicBlock *block =
		llvm::BasicBlock::Create(before->getContext(), "", before->getParent(), behind);
	llvm::BranchInst::Create(behind, block);
	before->getTerminator()->eraseFromParent();
	llvm::BranchInst::Create(block, behind, condition, before);
	llvm::IRBuilder<> builder(&behind->front());
	llvm::PHINode *phi = builder.CreatePHI(type, 2);
	moved.call->replaceAllUsesWith(phi);
	make_call(moved, *block);
	phi->addIncoming(moved.call, block);
	phi->addIncoming(llvm::UndefValue::get(type), before);
}

void apply(const move &moved)
{
	llvm::BasicBlock *before = moved.loop->getLoopPreheader();
	llvm::IRBuilder<> builder(before->getTerminator());
	if (llvm::Value *condition = build_condition(builder, moved))
		make_call_if(moved, condition);
	else
		make_call(moved, *before);
}

/* Moves calls of one function of a program. */
class mover {
public:
	explicit mover(llvm::Function &moved_in) : function(moved_in) {}

	void run()
	{
		while (move_one())
			;
	}

private:
	bool move_one();

	llvm::Function &function;
	/* By the loop's header: bytes of results that are kept for it. */
	std::map<const llvm::BasicBlock *, uint64_t> kept_B;
};

/* Moves the first call that can be moved; its result may be the operand of another one. */
bool mover::move_one()
{
	llvm::DominatorTree tree(function);
	llvm::LoopInfo loops(tree);
	for (llvm::BasicBlock *block : llvm::ReversePostOrderTraversal<llvm::Function *>(&function)) {
		if (!loops.getLoopFor(block))
			continue;
		for (llvm::Instruction &instruction : *block) {
			auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
			if (!call || !may_move(*call))
				continue;
			const move found = find_move(*call, tree, loops);
			const uint64_t size_B =
				function.getParent()->getDataLayout().getTypeAllocSize(call->getType());
			if (!found.loop || kept_B[found.loop->getHeader()] + size_B > most_bytes)
				continue;
			kept_B[found.loop->getHeader()] += size_B;
			apply(found);
			return true;
		}
	}
	return false;
}

} // namespace

void fe_module_move_calls(struct fe_module *module)
{
	for (llvm::Function &function : *llvm::unwrap(module->module))
		if (!function.hasOptNone() && has_any(function))
			mover(function).run();
}
