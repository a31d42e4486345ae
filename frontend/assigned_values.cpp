#include "config.h"

#include "frontend/assigned_values.h"
#include "frontend/module.h"

#include <llvm-c/Core.h>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace {

using set = llvm::BitVector;

/* What the paths of a function do with its places. */
class flow {
public:
	flow(llvm::Function &function, const fe_places &places);
	set unfit;

private:
	using sets = llvm::DenseMap<const llvm::BasicBlock *, set>;

	/* Marks what an instruction assigns; the number of the place that it reads, or -1. */
	void mark_assigned(const llvm::Instruction &instruction, set &now, bool value) const;
	int read_by(const llvm::Instruction &instruction) const;
	/* The number of the place to which an instruction stores one value, or -1. */
	int stored_by(const llvm::Instruction &instruction) const;
	/* The places that are certainly assigned at the start of a block, and those that may be read behind its
	 * end before they are assigned. */
	set at_start(const llvm::BasicBlock &block) const;
	set at_end(const llvm::BasicBlock &block) const;
	/* Whether what the run does depends on a value, if not by way of this place.  False: that is not known. */
	bool is_needed(const llvm::Value &value, int place, unsigned depth = 0) const;
	/* Whether a value that is assigned to a place, and not read there, is computed from what may have an error: then
	 * it must not be left out. */
	bool is_checked(const llvm::Value &value, int to, unsigned depth = 0) const;
	/* Change `now` from the start of a block to its end, or from its end to its start.  With last, unfit places
	 * are noted. */
	void go_forward(const llvm::BasicBlock &block, set &now, bool last);
	void go_back(const llvm::BasicBlock &block, set &now, bool last);

	const fe_places &places;
	sets assigned;            /* by block: what is assigned at its end */
	sets awaited;             /* by block: what may be read from its start on, before it is assigned */
};

/* Whether a component of a value is chosen by a number that only the run knows, which may be one that there is not. */
bool is_indexed(const llvm::Value &value)
{
	return llvm::any_of(value.users(), [](const llvm::User *user) {
		const auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(user);
		const auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(user);
		const llvm::Value *number = extract ? extract->getIndexOperand() :
					    insert ? insert->getOperand(2) : nullptr;
		return number && !llvm::isa<llvm::ConstantInt>(number);
	});
}

/* Whether a variable is a vector whose components are all chosen by constants. */
bool is_whole_vector(const llvm::AllocaInst &variable)
{
	return variable.getAllocatedType()->isVectorTy() &&
	       llvm::none_of(variable.users(), [](const llvm::User *user) { return is_indexed(*user); });
}

int flow::stored_by(const llvm::Instruction &instruction) const
{
	const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
	const auto found = store ? places.numbers.find(store->getPointerOperand()) : places.numbers.end();
	return found == places.numbers.end() ? -1 : (int)found->second;
}

int flow::read_by(const llvm::Instruction &instruction) const
{
	const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
	const auto found = load ? places.numbers.find(load->getPointerOperand()) : places.numbers.end();
	return found == places.numbers.end() ? -1 : (int)found->second;
}

void flow::mark_assigned(const llvm::Instruction &instruction, set &now, bool value) const
{
	const int to = stored_by(instruction);
	if (to >= 0)
		value ? now.set((unsigned)to) : now.reset((unsigned)to);
	const auto filled = places.filled.find(&instruction);
	if (filled != places.filled.end())
		for (unsigned number : filled->second)
			value ? now.set(number) : now.reset(number);
}

set flow::at_start(const llvm::BasicBlock &block) const
{
	const bool is_first = block.isEntryBlock();
	set result(places.count, !is_first);
	for (const llvm::BasicBlock *before : llvm::predecessors(&block)) {
		const auto found = assigned.find(before);
		if (!is_first && found != assigned.end())
			result &= found->second;
	}
	return result;
}

set flow::at_end(const llvm::BasicBlock &block) const
{
	set result(places.count);
	for (const llvm::BasicBlock *next : llvm::successors(&block)) {
		const auto found = awaited.find(next);
		if (found != awaited.end())
			result |= found->second;
	}
	return result;
}

void flow::go_forward(const llvm::BasicBlock &block, set &now, bool last)
{
	for (const llvm::Instruction &instruction : block) {
		const int from = read_by(instruction);
		mark_assigned(instruction, now, true);
		if (last && from >= 0 && !now.test((unsigned)from))
			unfit.set((unsigned)from);
	}
}

/* Computations that are longer than that are not looked at. */
constexpr unsigned deepest = 6;

/* Of a store to another place that nobody reads, the value is checked, so that the place is unfit, and the store stays. */
bool flow::is_needed(const llvm::Value &value, int place, unsigned depth) const
{
	return llvm::any_of(value.users(), [this, place, depth](const llvm::User *user) {
		const auto *instruction = llvm::dyn_cast<llvm::Instruction>(user);
		if (!instruction || instruction->isTerminator() || llvm::isa<llvm::CallBase>(instruction))
			return instruction != nullptr;
		if (llvm::isa<llvm::StoreInst>(instruction))
			return stored_by(*instruction) != place;
		return depth < deepest && is_needed(*instruction, place, depth + 1);
	});
}

/* As x++ at the end is not, if x is needed otherwise: what is read there is known to be assigned, or the place is unfit
 * anyway. */
bool flow::is_checked(const llvm::Value &value, int to, unsigned depth) const
{
	const auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
	if (!instruction)
		return false;
	if (read_by(*instruction) == to)
		return !is_needed(*instruction, to);
	/* As of the number of a work-item. */
	const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(instruction);
	const bool computes = llvm::isa<llvm::BinaryOperator>(instruction) ||
			      llvm::isa<llvm::CastInst>(instruction) ||
			      (intrinsic && intrinsic->doesNotAccessMemory() && !intrinsic->isConvergent());
	return !computes || depth == deepest ||
	       llvm::any_of(instruction->operands(), [this, to, depth](const llvm::Use &operand) {
		       return is_checked(*operand, to, depth + 1);
	       });
}

/* A constant need not be read. */
void flow::go_back(const llvm::BasicBlock &block, set &now, bool last)
{
	for (const llvm::Instruction &instruction : llvm::reverse(block)) {
		const int to = stored_by(instruction), from = read_by(instruction);
		if (from >= 0 && !instruction.use_empty())
			now.set((unsigned)from);
		if (last && to >= 0 && !now.test((unsigned)to) && is_checked(*instruction.getOperand(0), to))
			unfit.set((unsigned)to);
		mark_assigned(instruction, now, false);
	}
}

/* Notes a block's set; true if it is new or has changed. */
template <class sets, class set> bool put(sets &to, const llvm::BasicBlock *block, const set &now)
{
	const auto [at, is_new] = to.try_emplace(block, now);
	const bool changed = is_new || at->second != now;
	at->second = now;
	return changed;
}

flow::flow(llvm::Function &function, const fe_places &places) : unfit(places.count), places(places)
{
	const llvm::ReversePostOrderTraversal<llvm::Function *> order(&function);
	for (bool changed = true; changed;) {
		changed = false;
		for (const llvm::BasicBlock *block : order) {
			set now = at_start(*block);
			go_forward(*block, now, false);
			changed |= put(assigned, block, now);
		}
		for (const llvm::BasicBlock *block : llvm::post_order(&function)) {
			set now = at_end(*block);
			go_back(*block, now, false);
			changed |= put(awaited, block, now);
		}
	}
	for (const llvm::BasicBlock *block : order) {
		set now = at_start(*block);
		go_forward(*block, now, true);
		now = at_end(*block);
		go_back(*block, now, true);
	}
}

const char mark[] = "culvert.assigned";

} // namespace

llvm::BitVector fe_unfit_places(llvm::Function &function, const fe_places &places)
{
	return places.count ? flow(function, places).unfit : set();
}

std::vector<llvm::AllocaInst *> fe_assigned_variables(llvm::Function &function, bool vectors_only)
{
	std::vector<llvm::AllocaInst *> list, fit;
	fe_places places;
	for (llvm::Instruction &instruction : function.getEntryBlock()) {
		auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
		if (!variable || !variable->isStaticAlloca() || !llvm::isAllocaPromotable(variable) ||
		    (vectors_only && !is_whole_vector(*variable)))
			continue;
		places.numbers[variable] = places.count++;
		list.push_back(variable);
	}
	const llvm::BitVector unfit = fe_unfit_places(function, places);
	for (unsigned i = 0; i < list.size(); i++)
		if (!unfit.test(i))
			fit.push_back(list[i]);
	return fit;
}

void fe_module_note_assigned(struct fe_module *module)
{
	for (llvm::Function &function : *llvm::unwrap(module->module)) {
		if (function.isDeclaration())
			continue;
		for (llvm::AllocaInst *variable : fe_assigned_variables(function, true))
			variable->setMetadata(mark, llvm::MDNode::get(function.getContext(), {}));
	}
}

bool fe_is_assigned(LLVMValueRef variable)
{
	return llvm::cast<llvm::Instruction>(llvm::unwrap(variable))->getMetadata(mark);
}

void fe_module_assigned_values(struct fe_module *module)
{
	for (llvm::Function &function : *llvm::unwrap(module->module)) {
		if (function.isDeclaration())
			continue;
		const std::vector<llvm::AllocaInst *> list = fe_assigned_variables(function, false);
		if (list.empty())
			continue;
		llvm::DominatorTree dominators(function);
		llvm::PromoteMemToReg(list, dominators);
	}
}
