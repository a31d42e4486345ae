#include "config.h"

#include "frontend/assigned_values.h"
#include "frontend/bounded_indices.h"
#include "frontend/module.h"
#include "frontend/unrolled_loops.h"

#include <llvm-c/Core.h>

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <map>

namespace {

/* A private array all accesses of which are known. */
struct array {
	llvm::AllocaInst *variable;
	llvm::Type *element;
	uint64_t size_B, element_B;
	/* Loads, stores and the operations that fill the array, with the byte of the first element. */
	std::vector<std::pair<llvm::Instruction *, uint64_t>> accesses;
	std::vector<llvm::Instruction *> addresses;
};

bool is_memset_of_zero(const llvm::Instruction &instruction)
{
	const auto *fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction);
	const auto *value = fill ? llvm::dyn_cast<llvm::ConstantInt>(fill->getValue()) : nullptr;
	return value && value->isZero();
}

/* What a copy initializes an array with, or NULL. */
llvm::Constant *copied_constant(const llvm::Instruction &instruction)
{
	const auto *copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction);
	const auto *from = copy ? llvm::dyn_cast<llvm::GlobalVariable>(copy->getRawSource()) : nullptr;
	return from && from->isConstant() && from->hasDefinitiveInitializer() ?
	       const_cast<llvm::Constant *>(from->getInitializer()) : nullptr;
}

/* The value that an operation gives to the element from a byte on, or NULL. */
llvm::Constant *filled_with(const llvm::Instruction &instruction, const array &array, uint64_t at_B)
{
	if (is_memset_of_zero(instruction))
		return llvm::Constant::getNullValue(array.element);
	llvm::Constant *all = copied_constant(instruction);
	return all ? llvm::ConstantFoldLoadFromConst(all, array.element, llvm::APInt(64, at_B),
						     instruction.getModule()->getDataLayout()) :
	       nullptr;
}

/* Whether an instruction assigns constants to the whole array, as an initializer does. */
bool fills(const llvm::Instruction &instruction, const array &array, const llvm::Value &pointer, uint64_t at_B)
{
	const auto *fill = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction);
	const auto *length = fill ? llvm::dyn_cast<llvm::ConstantInt>(fill->getLength()) : nullptr;
	if (!length || fill->isVolatile() || fill->getRawDest() != &pointer || at_B ||
	    length->getValue() != array.size_B)
		return false;
	for (uint64_t i = 0; i < array.size_B; i += array.element_B)
		if (!filled_with(instruction, array, i))
			return false;
	return true;
}

/* Whether an instruction loads or stores one whole element. */
bool is_of_element(const llvm::Instruction &instruction, const array &array, const llvm::Value &pointer,
		   uint64_t at_B)
{
	const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
	const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
	if ((!load || !load->isSimple()) && (!store || !store->isSimple() || store->getValueOperand() == &pointer))
		return false;
	const llvm::Type *type = load ? load->getType() : store->getValueOperand()->getType();
	return type == array.element && at_B % array.element_B == 0 && at_B < array.size_B;
}

/* Finds the accesses through a pointer to a byte of the array; false: not all of them are at constant places inside. */
bool find_accesses(array &array, llvm::Value &pointer, uint64_t at_B)
{
	const llvm::DataLayout &layout = array.variable->getModule()->getDataLayout();
	for (llvm::User *user : pointer.users()) {
		auto *instruction = llvm::cast<llvm::Instruction>(user);
		if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction)) {
			llvm::APInt offset_B(layout.getIndexTypeSizeInBits(address->getType()), at_B);
			if (address->getType()->isVectorTy() || !address->accumulateConstantOffset(layout, offset_B) ||
			    !find_accesses(array, *address, offset_B.getZExtValue()))
				return false;
			array.addresses.push_back(address);
		} else if (is_of_element(*instruction, array, pointer, at_B) ||
			   fills(*instruction, array, pointer, at_B)) {
			array.accesses.emplace_back(instruction, at_B);
		} else {
			return false;
		}
	}
	return true;
}

std::vector<array> find_arrays(llvm::Function &function)
{
	const llvm::DataLayout &layout = function.getParent()->getDataLayout();
	std::vector<array> result;
	for (llvm::Instruction &instruction : function.getEntryBlock()) {
		auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
		llvm::Type *element;
		if (!variable || !fe_is_small_array(*variable, &element))
			continue;
		array found = {variable, element, layout.getTypeAllocSize(variable->getAllocatedType()),
			       layout.getTypeAllocSize(element), {}, {}};
		/* Between the elements there must be nothing that one could access. */
		if (found.element_B == layout.getTypeStoreSize(element) && find_accesses(found, *variable, 0))
			result.push_back(found);
	}
	return result;
}

/* Numbers the elements of an array, the first one by `first`. */
void number_elements(const array &array, unsigned first, fe_places &places)
{
	for (const auto &[instruction, at_B] : array.accesses) {
		const llvm::Value *pointer = llvm::getLoadStorePointerOperand(instruction);
		if (pointer) {
			places.numbers[pointer] = first + (unsigned)(at_B / array.element_B);
			continue;
		}
		std::vector<unsigned> &filled = places.filled[instruction];
		for (uint64_t i = 0; i < array.size_B / array.element_B; i++)
			filled.push_back(first + (unsigned)i);
	}
}

/* Makes variables of the elements that are loaded or stored. */
void split(const array &array)
{
	std::map<uint64_t, llvm::AllocaInst *> elements;
	llvm::IRBuilder<> builder(array.variable);
	for (const auto &[instruction, at_B] : array.accesses) {
		const llvm::Value *pointer = llvm::getLoadStorePointerOperand(instruction);
		if (pointer && !elements.count(at_B))
			elements[at_B] = builder.CreateAlloca(array.element, nullptr, array.variable->getName());
	}
	for (const auto &[instruction, at_B] : array.accesses) {
		if (auto *load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
			load->setOperand(llvm::LoadInst::getPointerOperandIndex(), elements[at_B]);
		} else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(instruction)) {
			store->setOperand(llvm::StoreInst::getPointerOperandIndex(), elements[at_B]);
		} else {
			builder.SetInsertPoint(instruction);
			for (const auto &[element_B, element] : elements)
				builder.CreateStore(filled_with(*instruction, array, element_B), element);
			instruction->eraseFromParent();
		}
	}
	for (llvm::Instruction *address : array.addresses)
		address->eraseFromParent();
	array.variable->eraseFromParent();
}

void split_arrays(llvm::Function &function)
{
	const std::vector<array> arrays = find_arrays(function);
	fe_places places;
	for (const array &array : arrays) {
		number_elements(array, places.count, places);
		places.count += (unsigned)(array.size_B / array.element_B);
	}
	const llvm::BitVector unfit = fe_unfit_places(function, places);
	unsigned first = 0;
	for (const array &array : arrays) {
		const auto count = (unsigned)(array.size_B / array.element_B);
		const int found = unfit.find_first_in(first, first + count);
		first += count;
		if (found < 0)
			split(array);
	}
}

/* Makes values of the integers that are assigned once: indices are computed from them. */
void make_single_values(llvm::Function &function)
{
	std::vector<llvm::AllocaInst *> single;
	for (llvm::AllocaInst *variable : fe_assigned_variables(function, false))
		if (variable->getAllocatedType()->isIntegerTy() &&
		    llvm::count_if(variable->users(), [](const llvm::User *user) {
			    return llvm::isa<llvm::StoreInst>(user);
		    }) == 1)
			single.push_back(variable);
	if (single.empty())
		return;
	llvm::DominatorTree dominators(function);
	llvm::PromoteMemToReg(single, dominators);
}

/* Removes the blocks that nothing leads to any more, and puts those together that follow one another. */
void tidy(llvm::Function &function)
{
	llvm::EliminateUnreachableBlocks(function);
	for (llvm::BasicBlock &block : llvm::make_early_inc_range(function))
		llvm::MergeBlockIntoPredecessor(&block);
}

} // namespace

void fe_module_split_arrays(struct fe_module *module)
{
	for (llvm::Function &function : *llvm::unwrap(module->module))
		if (!function.isDeclaration() && !function.hasFnAttribute(FE_LIBRARY_ATTRIBUTE)) {
			make_single_values(function);
			const bool unrolled = fe_unroll_for_arrays(function, true);
			if (fe_decide_bounded_indices(function) || unrolled)
				tidy(function);
			split_arrays(function);
		}
}

void fe_module_unroll_choices(struct fe_module *module)
{
	for (llvm::Function &function : *llvm::unwrap(module->module))
		if (!function.isDeclaration() && fe_unroll_for_arrays(function, false))
			tidy(function);
}
