#include "config.h"

#include "frontend/unrolled_loops.h"

#include "frontend/bounded_indices.h"
#include "frontend/counted_loops.h"
#include "frontend/module.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <map>
#include <set>

namespace {

/* --- one loop ---------- */

/* A copy of the blocks of a loop. */
struct turn {
	std::vector<llvm::BasicBlock *> blocks;
	llvm::BasicBlock *header, *latch, *body;
	llvm::StoreInst *step;
};

/* Has the lines of a copy say that they are those of another turn: what several turns read is no structure that is
 * copied in pieces, and an error that several turns have is one. */
void mark_lines(const turn &turn, unsigned *number)
{
	std::map<llvm::DILocalScope *, llvm::DILexicalBlock *> scopes;
	for (llvm::BasicBlock *block : turn.blocks)
		for (llvm::Instruction &instruction : *block) {
			const llvm::DILocation *at = instruction.getDebugLoc().get();
			if (!at)
				continue;
			llvm::LLVMContext &context = block->getContext();
			llvm::DILexicalBlock *&scope = scopes[at->getScope()];
			if (!scope) {
				const llvm::DIFile *file = at->getFile();
				const llvm::StringRef name = file->getFilename().split(FE_TURN_MARK).first;
				const std::string marked = (name + FE_TURN_MARK + llvm::Twine(++*number)).str();
				scope = llvm::DILexicalBlock::getDistinct(
					context, at->getScope(),
					llvm::DIFile::get(context, marked, file->getDirectory()),
					at->getLine(), at->getColumn());
			}
			instruction.setDebugLoc(llvm::DILocation::get(context, at->getLine(), at->getColumn(),
								      scope, at->getInlinedAt()));
		}
}

/* number: of the turns that were marked before; NULL: they are not marked. */
turn copy_turn(const turn &first, llvm::BasicBlock *behind, unsigned *number)
{
	llvm::ValueToValueMapTy map;
	turn copy;
	for (llvm::BasicBlock *block : first.blocks) {
		llvm::BasicBlock *made = llvm::CloneBasicBlock(block, map, "", block->getParent());
		if (behind)
			made->moveBefore(behind);
		map[block] = made;
		copy.blocks.push_back(made);
	}
	for (llvm::BasicBlock *block : copy.blocks)
		for (llvm::Instruction &instruction : *block)
			llvm::RemapInstruction(&instruction, map,
					       llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
	copy.header = llvm::cast<llvm::BasicBlock>(map[first.header]);
	copy.latch = llvm::cast<llvm::BasicBlock>(map[first.latch]);
	copy.body = llvm::cast<llvm::BasicBlock>(map[first.body]);
	copy.step = llvm::cast<llvm::StoreInst>(map[first.step]);
	if (number)
		mark_lines(copy, number);
	return copy;
}

void go_to(llvm::BasicBlock *from, llvm::BasicBlock *to)
{
	llvm::Instruction *old = from->getTerminator();
	llvm::IRBuilder<>(old).CreateBr(to);
	old->eraseFromParent();
}

void replace_counter(const turn &turn, const llvm::AllocaInst *counter, llvm::ConstantInt *now,
		     llvm::ConstantInt *next)
{
	for (llvm::BasicBlock *block : turn.blocks)
		for (llvm::Instruction &instruction : llvm::make_early_inc_range(*block)) {
			auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
			if (!load || load->getPointerOperand() != counter)
				continue;
			const bool counted = block == turn.latch && turn.step->comesBefore(load);
			load->replaceAllUsesWith(counted ? next : now);
			load->eraseFromParent();
		}
}

/* Computes what is constant now.  Only what a condition keeps from ever being executed is lost with it. */
void fold_constants(const turn &turn)
{
	for (llvm::BasicBlock *block : turn.blocks) {
		for (llvm::Instruction &instruction : llvm::make_early_inc_range(*block)) {
			llvm::ConstantInt *value = fe_fold_integers(instruction);
			if (!value || (value->isZero() && fe_decides_note(instruction)))
				continue;
			instruction.replaceAllUsesWith(value);
			instruction.eraseFromParent();
		}
		llvm::ConstantFoldTerminator(block);
	}
}

void unroll(const llvm::Loop &loop, const fe_counted_loop &counted, unsigned *number)
{
	llvm::BasicBlock *header = loop.getHeader(), *behind = nullptr;
	const auto *branch = llvm::cast<llvm::BranchInst>(header->getTerminator());
	const unsigned stays = loop.contains(branch->getSuccessor(0)) ? 0 : 1;
	llvm::BasicBlock *exit = branch->getSuccessor(1 - stays);
	std::vector<turn> turns(1);
	for (llvm::BasicBlock &block : *header->getParent())
		if (loop.contains(&block)) {
			turns[0].blocks.push_back(&block);
			behind = block.getNextNode();
		}
	turns[0].header = header;
	turns[0].latch = loop.getLoopLatch();
	turns[0].body = branch->getSuccessor(stays);
	turns[0].step = counted.step;
	while (turns.size() + 1 < counted.values.size())
		turns.push_back(copy_turn(turns[0], behind, number));
	for (size_t i = 0; i < turns.size(); i++) {
		replace_counter(turns[i], counted.counter, counted.values[i], counted.values[i + 1]);
		go_to(turns[i].header, turns[i].body);
		go_to(turns[i].latch, i + 1 < turns.size() ? turns[i + 1].header : exit);
		fold_constants(turns[i]);
	}
}

/* --- which loops ---------- */

using loops = std::set<const llvm::Loop *>;

/* Whether each turn of a loop computes the same value.  Variables are not values yet. */
bool is_invariant(const llvm::Loop &loop, const llvm::Value *value, unsigned depth)
{
	constexpr unsigned most_depth = 8;
	const auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
	if (!instruction || !loop.contains(instruction))
		return true;
	if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
		const auto *variable = llvm::dyn_cast<llvm::AllocaInst>(load->getPointerOperand());
		return variable && llvm::isAllocaPromotable(variable) &&
		       llvm::none_of(variable->users(), [&](const llvm::User *user) {
			       const auto *store = llvm::dyn_cast<llvm::StoreInst>(user);
			       return store && loop.contains(store);
		       });
	}
	const bool computes = instruction->isBinaryOp() || instruction->isCast() ||
			      llvm::isa<llvm::CmpInst>(instruction) || llvm::isa<llvm::SelectInst>(instruction);
	return computes && depth < most_depth &&
	       llvm::all_of(instruction->operands(), [&](const llvm::Use &operand) {
		       return is_invariant(loop, operand, depth + 1);
	       });
}

/* Whether a loop chooses by a condition that is the same in each turn. */
bool has_invariant_choice(const llvm::Loop &loop)
{
	for (const llvm::BasicBlock *block : loop.blocks())
		for (const llvm::Instruction &instruction : *block) {
			const auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
			const auto *branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
			const llvm::Value *condition = select ? select->getCondition() :
						       branch && branch->isConditional() ? branch->getCondition() :
											   nullptr;
			if (condition && !llvm::isa<llvm::Constant>(condition) && is_invariant(loop, condition, 0))
				return true;
		}
	return false;
}

/* Whether the program says itself how often a loop is written. */
bool has_unroll_hint(const llvm::Loop &loop)
{
	for (const char *name : {"llvm.loop.unroll.disable", "llvm.loop.unroll.count"})
		if (llvm::findOptionMDForLoop(&loop, name))
			return true;
	return false;
}

class plan {
public:
	plan(llvm::Function &function, bool for_choices);
	/* The first blocks of the loops to unroll, inner loops first. */
	std::vector<llvm::BasicBlock *> headers() const;

private:
	/* Add the loops that have to be unrolled to make constants of an index, or of all indices of an array; false:
	 * that is not enough. */
	bool add_index(const llvm::Value *index, loops &to) const;
	bool add_array(const llvm::Value &pointer, loops &to) const;
	uint64_t size_of(const llvm::Loop &loop, const loops &unrolled) const;
	uint64_t size_of_all(const loops &unrolled) const;
	bool is_wanted(const loops &with) const;

	const fe_counted_loop *counted(const llvm::Loop *loop) const;

	llvm::DominatorTree dominators;
	llvm::LoopInfo info;
	std::vector<llvm::Loop *> order;      /* outer loops first */
	std::map<const llvm::Loop *, fe_counted_loop> counts;
	loops chosen;
	const bool for_choices;
};

const fe_counted_loop *plan::counted(const llvm::Loop *loop) const
{
	const auto found = counts.find(loop);
	return found != counts.end() && found->second.counter ? &found->second : nullptr;
}

bool plan::add_index(const llvm::Value *index, loops &to) const
{
	if (llvm::isa<llvm::Constant>(index))
		return llvm::isa<llvm::ConstantInt>(index);
	const auto *load = llvm::dyn_cast<llvm::LoadInst>(index);
	if (load) {
		for (const llvm::Loop *loop = info.getLoopFor(load->getParent()); loop; loop = loop->getParentLoop()) {
			const fe_counted_loop *count = counted(loop);
			if (count && count->counter == load->getPointerOperand()) {
				to.insert(loop);
				return true;
			}
		}
		return false;
	}
	const auto *instruction = llvm::dyn_cast<llvm::Instruction>(index);
	if (!instruction || !(instruction->isBinaryOp() || instruction->isCast()))
		return false;
	return llvm::all_of(instruction->operands(),
			    [&](const llvm::Use &operand) { return add_index(operand, to); });
}

bool plan::add_array(const llvm::Value &pointer, loops &to) const
{
	for (const llvm::User *user : pointer.users()) {
		if (const auto *element = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
			for (const llvm::Use &index : element->indices())
				if (!add_index(index, to))
					return false;
			if (!add_array(*element, to))
				return false;
		} else if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(user)) {
			if (store->getValueOperand() == &pointer)
				return false;
		} else if (!llvm::isa<llvm::LoadInst>(user) && !llvm::isa<llvm::MemIntrinsic>(user) &&
			   !llvm::isa<llvm::LifetimeIntrinsic>(user)) {
			return false;
		}
	}
	return true;
}

uint64_t plan::size_of(const llvm::Loop &loop, const loops &unrolled) const
{
	uint64_t size = 0;
	for (const llvm::BasicBlock *block : loop.blocks())
		size += info.getLoopFor(block) == &loop ? block->size() : 0;
	for (const llvm::Loop *inner : loop)
		size += size_of(*inner, unrolled);
	return unrolled.count(&loop) ? size * (counted(&loop)->values.size() - 1) : size;
}

uint64_t plan::size_of_all(const loops &unrolled) const
{
	uint64_t size = 0;
	for (const llvm::Loop *loop : info)
		size += size_of(*loop, unrolled);
	return size;
}

/* Whether what would be unrolled is worth it. */
bool plan::is_wanted(const loops &with) const
{
	/* The software device interprets long kernels, which would be slower. */
	constexpr uint64_t most_instructions = 4000;
	if (with.size() == chosen.size() || size_of_all(with) > most_instructions)
		return false;
	return !for_choices || llvm::any_of(with, [](const llvm::Loop *loop) { return has_invariant_choice(*loop); });
}

plan::plan(llvm::Function &function, bool choices) : dominators(function), info(dominators), for_choices(choices)
{
	const auto found = info.getLoopsInPreorder();
	order.assign(found.begin(), found.end());
	for (const llvm::Loop *loop : order)
		if (!for_choices || !has_unroll_hint(*loop))
			counts[loop] = fe_count_loop(*loop);
	for (const llvm::Instruction &instruction : function.getEntryBlock()) {
		const auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
		llvm::Type *element;
		loops with = chosen;
		if (variable && fe_is_small_array(*variable, &element) && add_array(*variable, with) && is_wanted(with))
			chosen = with;
	}
}

std::vector<llvm::BasicBlock *> plan::headers() const
{
	std::vector<llvm::BasicBlock *> result;
	for (const llvm::Loop *loop : llvm::reverse(order))
		if (chosen.count(loop))
			result.push_back(loop->getHeader());
	return result;
}

bool has_small_array(const llvm::Function &function)
{
	llvm::Type *element;
	return llvm::any_of(function.getEntryBlock(), [&](const llvm::Instruction &instruction) {
		const auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
		return variable && fe_is_small_array(*variable, &element);
	});
}

} // namespace

bool fe_is_small_array(const llvm::AllocaInst &variable, llvm::Type **element_out)
{
	uint64_t count = 1;
	llvm::Type *type = variable.getAllocatedType();
	if (!type->isArrayTy() || !variable.isStaticAlloca())
		return false;
	for (; type->isArrayTy() && count <= FE_MOST_ELEMENTS; type = type->getArrayElementType())
		count *= type->getArrayNumElements();
	*element_out = type;
	return count <= FE_MOST_ELEMENTS && type->isSingleValueType();
}

bool fe_unroll_for_arrays(llvm::Function &function, bool checked)
{
	unsigned number = 0;
	bool changed = false;
	if (!has_small_array(function))
		return false;
	for (llvm::BasicBlock *header : plan(function, !checked).headers()) {
		const llvm::DominatorTree dominators(function);
		const llvm::LoopInfo info(dominators);
		const llvm::Loop *loop = info.getLoopFor(header);
		const fe_counted_loop counted = loop && loop->getHeader() == header ? fe_count_loop(*loop) :
						fe_counted_loop();
		if (!counted.counter)
			continue;
		unroll(*loop, counted, checked ? &number : nullptr);
		changed = true;
	}
	return changed;
}
