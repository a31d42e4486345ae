#include "config.h"

#include "frontend/module.h"

#include <llvm-c/Core.h>

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <vector>

namespace {

/* The variables of a function that may become values, and what its paths do with each of them. */
class variables {
public:
	/* vectors_only: of vectors alone, as Clang wrote their accesses. */
	variables(llvm::Function &function, bool vectors_only);
	/* The variables that no path reads before it has assigned them, and whose assigned values are all read.  If a
	 * value were not read, the code generator would drop it, and with it the reads of other memory that it was
	 * computed from, which are to be checked. */
	std::vector<llvm::AllocaInst *> fit() const;

private:
	using set = llvm::BitVector;
	using sets = llvm::DenseMap<const llvm::BasicBlock *, set>;

	void find_variables(llvm::Function &function, bool vectors_only);
	/* The number of the variable that an instruction assigns or reads, or -1. */
	int assigned_by(const llvm::Instruction &instruction) const;
	int read_by(const llvm::Instruction &instruction) const;
	/* The variables that are certainly assigned at the start of a block, and those that may be read behind its
	 * end before they are assigned. */
	set at_start(const llvm::BasicBlock &block) const;
	set at_end(const llvm::BasicBlock &block) const;
	/* Change `now` from the start of a block to its end, or from its end to its start.  With last, unfit variables
	 * are noted. */
	void go_forward(const llvm::BasicBlock &block, set &now, bool last);
	void go_back(const llvm::BasicBlock &block, set &now, bool last);

	std::vector<llvm::AllocaInst *> list;
	llvm::DenseMap<const llvm::Value *, int> numbers;
	sets assigned;            /* by block: what is assigned at its end */
	sets awaited;             /* by block: what may be read from its start on, before it is assigned */
	set unfit;
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

void variables::find_variables(llvm::Function &function, bool vectors_only)
{
	for (llvm::Instruction &instruction : function.getEntryBlock()) {
		auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
		if (!variable || !variable->isStaticAlloca() || !llvm::isAllocaPromotable(variable) ||
		    (vectors_only && !is_whole_vector(*variable)))
			continue;
		numbers[variable] = (int)list.size();
		list.push_back(variable);
	}
}

int variables::assigned_by(const llvm::Instruction &instruction) const
{
	const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
	const auto found = store ? numbers.find(store->getPointerOperand()) : numbers.end();
	return found == numbers.end() ? -1 : found->second;
}

int variables::read_by(const llvm::Instruction &instruction) const
{
	const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
	const auto found = load ? numbers.find(load->getPointerOperand()) : numbers.end();
	return found == numbers.end() ? -1 : found->second;
}

variables::set variables::at_start(const llvm::BasicBlock &block) const
{
	const bool is_first = block.isEntryBlock();
	set result((unsigned)list.size(), !is_first);
	for (const llvm::BasicBlock *before : llvm::predecessors(&block)) {
		const auto found = assigned.find(before);
		if (!is_first && found != assigned.end())
			result &= found->second;
	}
	return result;
}

variables::set variables::at_end(const llvm::BasicBlock &block) const
{
	set result((unsigned)list.size());
	for (const llvm::BasicBlock *next : llvm::successors(&block)) {
		const auto found = awaited.find(next);
		if (found != awaited.end())
			result |= found->second;
	}
	return result;
}

void variables::go_forward(const llvm::BasicBlock &block, set &now, bool last)
{
	for (const llvm::Instruction &instruction : block) {
		const int to = assigned_by(instruction), from = read_by(instruction);
		if (to >= 0)
			now.set((unsigned)to);
		if (last && from >= 0 && !now.test((unsigned)from))
			unfit.set((unsigned)from);
	}
}

void variables::go_back(const llvm::BasicBlock &block, set &now, bool last)
{
	for (const llvm::Instruction &instruction : llvm::reverse(block)) {
		const int to = assigned_by(instruction), from = read_by(instruction);
		if (from >= 0 && !instruction.use_empty())
			now.set((unsigned)from);
		if (to < 0)
			continue;
		if (last && !now.test((unsigned)to) && llvm::isa<llvm::Instruction>(instruction.getOperand(0)))
			unfit.set((unsigned)to);
		now.reset((unsigned)to);
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

variables::variables(llvm::Function &function, bool vectors_only)
{
	find_variables(function, vectors_only);
	unfit.resize((unsigned)list.size());
	if (list.empty())
		return;
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

std::vector<llvm::AllocaInst *> variables::fit() const
{
	std::vector<llvm::AllocaInst *> result;
	for (unsigned i = 0; i < list.size(); i++)
		if (!unfit.test(i))
			result.push_back(list[i]);
	return result;
}

const char mark[] = "culvert.assigned";

} // namespace

void fe_module_note_assigned(struct fe_module *module)
{
	for (llvm::Function &function : *llvm::unwrap(module->module)) {
		if (function.isDeclaration())
			continue;
		for (llvm::AllocaInst *variable : variables(function, true).fit())
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
		const std::vector<llvm::AllocaInst *> list = variables(function, false).fit();
		if (list.empty())
			continue;
		llvm::DominatorTree dominators(function);
		llvm::PromoteMemToReg(list, dominators);
	}
}
