#include "config.h"

#include "frontend/demangle.h"
#include "frontend/evaluator.h"

#include <algorithm>

#include <llvm/ADT/APInt.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#if LLVM_VERSION_MAJOR >= 17
#include <llvm/TargetParser/Triple.h>
#else
#include <llvm/ADT/Triple.h>
#endif

namespace {

/* Limits of time (a second or two) and of recursion, for which the stack is large enough. */
enum { STEP_LIMIT = 1 << 21, DEPTH_LIMIT = 200, LARGEST_COPY_B = 1 << 20 };

bool is_made_of_parts(const llvm::Type *type)
{
	return type->isStructTy() || type->isArrayTy() || type->isVectorTy();
}

unsigned part_count(const llvm::Type *type)
{
	if (auto *structure = llvm::dyn_cast<llvm::StructType>(type))
		return structure->getNumElements();
	if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
		return unsigned(array->getNumElements());
	return llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
}

llvm::Type *part_type(llvm::Type *type, unsigned index)
{
	if (auto *structure = llvm::dyn_cast<llvm::StructType>(type))
		return structure->getElementType(index);
	if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
		return array->getElementType();
	return llvm::cast<llvm::FixedVectorType>(type)->getElementType();
}

uint64_t part_offset(const llvm::DataLayout &layout, llvm::Type *type, unsigned index)
{
	if (auto *structure = llvm::dyn_cast<llvm::StructType>(type))
		return layout.getStructLayout(structure)->getElementOffset(index);
	return index * uint64_t(layout.getTypeAllocSize(part_type(type, index)));
}

llvm::Constant *of_parts(llvm::Type *type, const std::vector<llvm::Constant *> &parts)
{
	if (auto *structure = llvm::dyn_cast<llvm::StructType>(type))
		return llvm::ConstantStruct::get(structure, parts);
	if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
		return llvm::ConstantArray::get(array, parts);
	return llvm::ConstantVector::get(parts);
}

/* The bits of a number; false: the constant is not a number. */
bool bits_of(const llvm::Constant *value, llvm::APInt *out)
{
	if (auto *integer = llvm::dyn_cast<llvm::ConstantInt>(value))
		*out = integer->getValue();
	else if (auto *real = llvm::dyn_cast<llvm::ConstantFP>(value))
		*out = real->getValueAPF().bitcastToAPInt();
	else if (value->isNullValue() && value->getType()->isPointerTy())
		*out = llvm::APInt(64, 0);
	else
		return false;
	return true;
}

llvm::Constant *of_bits(llvm::Type *type, const llvm::APInt &bits)
{
	if (type->isIntegerTy())
		return llvm::ConstantInt::get(type, bits.trunc(type->getIntegerBitWidth()));
	if (type->isFloatingPointTy())
		return llvm::ConstantFP::get(type->getContext(),
					     llvm::APFloat(type->getFltSemantics(), bits));
	return type->isPointerTy() && bits.isZero() ? llvm::Constant::getNullValue(type) : nullptr;
}

} // namespace

fe_evaluator::fe_evaluator(llvm::Module &module)
	: module(module), layout(module.getDataLayout()),
	  description(llvm::Triple(module.getTargetTriple())), names(description)
{
}

fe_evaluator::~fe_evaluator()
{
	for (llvm::GlobalVariable *variable : privates) {
		variable->removeDeadConstantUsers();
		if (!variable->use_empty())
			variable->replaceAllUsesWith(llvm::UndefValue::get(variable->getType()));
		variable->eraseFromParent();
	}
}

bool fe_evaluator::fail(const std::string &text)
{
	if (why.empty())
		why = text;
	return false;
}

uint64_t fe_evaluator::size_of(llvm::Type *type) const
{
	return layout.getTypeStoreSize(type);
}

/* -- memory ------------------------------------------------------------------------- */

/* Finds the memory to which a pointer points; false if size_B bytes are not in it. */
bool fe_evaluator::find(llvm::Constant *pointer, uint64_t size_B, place *out)
{
	llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
	auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(
		pointer->stripAndAccumulateConstantOffsets(layout, offset, true));
	enum { LOCAL = 3 };
	if (!variable || !variable->hasInitializer() || variable->getAddressSpace() == LOCAL)
		return fail("it uses memory that is not there yet");
	const uint64_t whole_B = layout.getTypeAllocSize(variable->getValueType());
	if (offset.isNegative() || offset.getZExtValue() > whole_B ||
	    whole_B - offset.getZExtValue() < size_B)
		return fail("it leaves the bounds of '" + fe_demangle(variable->getName().str()) +
			    "'");
	*out = {variable, offset.getZExtValue()};
	return true;
}

/* *known: false if the byte was not initialized. */
bool fe_evaluator::byte_at(const place &at, uint64_t offset_B, uint8_t *out, bool *known)
{
	const cells &cells = written[at.variable];
	auto next = cells.upper_bound(offset_B);
	llvm::Constant *value = nullptr;
	uint64_t start = offset_B;
	if (next != cells.begin()) {
		auto cell = std::prev(next);
		if (cell->first + size_of(cell->second->getType()) > offset_B) {
			start = cell->first;
			value = cell->second;
		}
	}
	if (!value)
		value = llvm::ConstantFoldLoadFromConst(
			at.variable->getInitializer(), llvm::Type::getInt8Ty(module.getContext()),
			llvm::APInt(64, offset_B), layout);
	llvm::APInt bits;
	*known = value && !llvm::isa<llvm::UndefValue>(value);
	if (!value || (*known && !bits_of(value, &bits)))
		return fail("it takes addresses apart");
	if (*known)
		*out = uint8_t(bits.lshr(unsigned(8 * (offset_B - start))).getLoBits(8)
				       .getZExtValue());
	return true;
}

llvm::Constant *fe_evaluator::load_bytes(const place &at, llvm::Type *type)
{
	const uint64_t size_B = size_of(type);
	llvm::APInt bits(unsigned(8 * size_B), 0);
	bool any = false;
	for (uint64_t i = 0; i < size_B; i++) {
		uint8_t byte = 0;
		bool known;
		if (!byte_at(at, at.offset_B + i, &byte, &known))
			return nullptr;
		any = any || known;
		bits.insertBits(byte, unsigned(8 * i), 8);
	}
	if (!any)
		return llvm::UndefValue::get(type);
	llvm::Constant *value = of_bits(type, bits);
	if (!value)
		fail("it makes addresses of numbers");
	return value;
}

llvm::Constant *fe_evaluator::load_scalar(const place &at, llvm::Type *type)
{
	const cells &cells = written[at.variable];
	auto cell = cells.find(at.offset_B);
	if (cell != cells.end() && cell->second->getType() == type)
		return cell->second;
	/* If nothing was written there, the initializer is used, also for addresses. */
	auto next = cells.lower_bound(at.offset_B);
	bool touched = next != cells.end() && next->first < at.offset_B + size_of(type);
	if (next != cells.begin()) {
		auto before = std::prev(next);
		touched = touched ||
			  before->first + size_of(before->second->getType()) > at.offset_B;
	}
	llvm::Constant *value = touched
		? nullptr
		: llvm::ConstantFoldLoadFromConst(at.variable->getInitializer(), type,
						  llvm::APInt(64, at.offset_B), layout);
	return value ? value : load_bytes(at, type);
}

llvm::Constant *fe_evaluator::load(const place &at, llvm::Type *type)
{
	if (!is_made_of_parts(type))
		return load_scalar(at, type);
	std::vector<llvm::Constant *> parts;
	for (unsigned i = 0; i < part_count(type); i++) {
		parts.push_back(load({at.variable, at.offset_B + part_offset(layout, type, i)},
				     part_type(type, i)));
		if (!parts.back())
			return nullptr;
	}
	return of_parts(type, parts);
}

/* Removes the cells within these bytes; a cell that extends beyond an end is replaced by single bytes. */
bool fe_evaluator::make_room(const place &at, uint64_t size_B)
{
	cells &cells = written[at.variable];
	const uint64_t start = at.offset_B, end = start + size_B;
	auto cell = cells.lower_bound(start);
	if (cell != cells.begin() &&
	    std::prev(cell)->first + size_of(std::prev(cell)->second->getType()) > start)
		cell--;
	while (cell != cells.end() && cell->first < end) {
		const uint64_t first = cell->first;
		llvm::Constant *value = cell->second;
		const uint64_t last = first + size_of(value->getType());
		llvm::APInt bits;
		bool known = !llvm::isa<llvm::UndefValue>(value);
		if ((first < start || last > end) && known && !bits_of(value, &bits))
			return fail("it takes addresses apart");
		cell = cells.erase(cell);
		llvm::Type *byte = llvm::Type::getInt8Ty(module.getContext());
		for (uint64_t b = first; b < last; b++)
			if (b < start || b >= end)
				cells[b] = known ? llvm::ConstantInt::get(
							   byte, bits.lshr(unsigned(8 * (b - first)))
									 .getLoBits(8)
									 .getZExtValue())
						 : llvm::UndefValue::get(byte);
	}
	return true;
}

bool fe_evaluator::store(const place &at, llvm::Constant *value)
{
	llvm::Type *type = value->getType();
	if (!is_made_of_parts(type)) {
		if (!make_room(at, size_of(type)))
			return false;
		written[at.variable][at.offset_B] = value;
		return true;
	}
	for (unsigned i = 0; i < part_count(type); i++) {
		llvm::Constant *part = value->getAggregateElement(i);
		if (!part)
			return fail("it writes what is no constant");
		if (!store({at.variable, at.offset_B + part_offset(layout, type, i)}, part))
			return false;
	}
	return true;
}

/* Copies cells as they are, so that addresses stay complete, and the bytes between them. */
bool fe_evaluator::copy(llvm::Constant *to, llvm::Constant *from, uint64_t size_B)
{
	place source, target;
	if (size_B > LARGEST_COPY_B)
		return fail("it copies too much");
	if (!find(from, size_B, &source) || !find(to, size_B, &target))
		return false;
	std::vector<std::pair<uint64_t, llvm::Constant *>> pieces;
	llvm::Type *byte = llvm::Type::getInt8Ty(module.getContext());
	llvm::Type *pointer = llvm::PointerType::get(module.getContext(), 0);
	for (uint64_t i = 0; i < size_B;) {
		const place at = {source.variable, source.offset_B + i};
		auto cell = written[at.variable].find(at.offset_B);
		llvm::Constant *value = cell == written[at.variable].end() ? nullptr : cell->second;
		if (!value || i + size_of(value->getType()) > size_B) {
			/* An address in an initializer can only be found as such. */
			value = llvm::ConstantFoldLoadFromConst(source.variable->getInitializer(),
								byte, llvm::APInt(64, at.offset_B),
								layout);
			bool whole = !value && i + size_of(pointer) <= size_B;
			value = whole ? load(at, pointer) : load(at, byte);
		}
		if (!value)
			return false;
		pieces.emplace_back(i, value);
		i += size_of(value->getType());
	}
	for (const auto &[offset_B, value] : pieces)
		if (!store({target.variable, target.offset_B + offset_B}, value))
			return false;
	return true;
}

bool fe_evaluator::fill(llvm::Constant *to, llvm::Constant *byte, uint64_t size_B)
{
	place target;
	if (size_B > LARGEST_COPY_B)
		return fail("it fills too much");
	if (!find(to, size_B, &target))
		return false;
	for (uint64_t i = 0; i < size_B; i++)
		if (!store({target.variable, target.offset_B + i}, byte))
			return false;
	return true;
}

llvm::Constant *fe_evaluator::new_private(llvm::Type *type, unsigned space)
{
	auto *variable = new llvm::GlobalVariable(
		module, type, false, llvm::GlobalValue::InternalLinkage,
		llvm::UndefValue::get(type), "private", nullptr,
		llvm::GlobalValue::NotThreadLocal, space);
	privates.push_back(variable);
	return variable;
}

/* -- code --------------------------------------------------------------------------- */

llvm::Constant *fe_evaluator::value_of(const values &frame, llvm::Value *value)
{
	if (auto *constant = llvm::dyn_cast<llvm::Constant>(value))
		return constant;
	return frame.lookup(value);
}

bool fe_evaluator::intrinsic(values &frame, llvm::IntrinsicInst &call)
{
	if (call.isAssumeLikeIntrinsic() || call.isLifetimeStartOrEnd() ||
	    call.getIntrinsicID() == llvm::Intrinsic::invariant_start) {
		if (!call.getType()->isVoidTy())
			frame[&call] = llvm::UndefValue::get(call.getType());
		return true;
	}
	auto *bytes = llvm::dyn_cast<llvm::MemIntrinsic>(&call);
	auto *length = bytes ? llvm::dyn_cast_or_null<llvm::ConstantInt>(
				       value_of(frame, bytes->getLength()))
			     : nullptr;
	if (!length)
		return fail("it calls '" + call.getCalledFunction()->getName().str() + "'");
	llvm::Constant *to = value_of(frame, bytes->getRawDest());
	llvm::Constant *what = value_of(frame, call.getArgOperand(1));
	return llvm::isa<llvm::MemSetInst>(bytes) ? fill(to, what, length->getZExtValue())
						  : copy(to, what, length->getZExtValue());
}

/* Functions of guards of static objects, for the one work-item that there is here (builtins/static_object.cl).
 * *done: whether the call is one of these. */
bool fe_evaluator::guard(values &frame, llvm::CallBase &call, bool *done)
{
	enum { UNTOUCHED, MADE };
	llvm::StringRef name = call.getCalledFunction()->getName();
	const bool releases = name == "__cxa_guard_release", asks = name == "__culvert_guard_made";
	/* An invalid index is found by the access, which fails. */
	const bool index = name == "__culvert_hidden_index";
	*done = releases || asks || index || name == "__cxa_guard_acquire";
	if (!*done || index)
		return true;
	llvm::Type *type = llvm::Type::getInt32Ty(module.getContext());
	llvm::Constant *pointer = value_of(frame, call.getArgOperand(0));
	place at;
	if (!pointer || !find(pointer, size_of(type), &at))
		return false;
	if (releases)
		return store(at, llvm::ConstantInt::get(type, MADE));
	llvm::Constant *now = load(at, type);
	if (!now)
		return false;
	frame[&call] = llvm::ConstantInt::get(
		type, now == llvm::ConstantInt::get(type, asks ? MADE : UNTOUCHED));
	return true;
}

bool fe_evaluator::call_out(values &frame, llvm::CallBase &call)
{
	llvm::Function *function = call.getCalledFunction();
	if (!function || function->getFunctionType() != call.getFunctionType() ||
	    function->isVarArg())
		return fail("it calls what is no function of the program");
	bool done;
	if (!guard(frame, call, &done))
		return false;
	if (done)
		return true;
	std::vector<llvm::Constant *> arguments;
	for (unsigned i = 0; i < call.arg_size(); i++) {
		llvm::Value *operand = call.getArgOperand(i);
		if (llvm::isa<llvm::MetadataAsValue>(operand))
			break;
		arguments.push_back(value_of(frame, operand));
		if (!arguments.back())
			return fail("it calls with what is no constant");
		if (!call.isByValArgument(i))
			continue;
		llvm::Type *type = call.getParamByValType(i);
		llvm::Constant *own = new_private(type, 0);
		if (!copy(own, arguments.back(), layout.getTypeAllocSize(type)))
			return false;
		arguments.back() = own;
	}
	llvm::Constant *result = nullptr;
	if (function->isDeclaration()) {
		if (llvm::canConstantFoldCallTo(&call, function))
			result = llvm::ConstantFoldCall(&call, function, arguments, &names);
		if (!result && llvm::isa<llvm::IntrinsicInst>(call))
			return intrinsic(frame, llvm::cast<llvm::IntrinsicInst>(call));
		if (!result)
			return fail("it calls '" + fe_demangle(function->getName().str()) + "'");
	} else if (!this->call(*function, arguments, &result)) {
		return false;
	}
	if (!call.getType()->isVoidTy())
		frame[&call] = result;
	return true;
}

/* Compares two addresses in one variable; LLVM before 19 leaves some of these comparisons to the linker. */
llvm::Constant *fe_evaluator::compare(const values &frame, llvm::ICmpInst &comparison)
{
	llvm::Constant *of[2], *base[2];
	llvm::APInt offset[2];
	for (unsigned i = 0; i < 2; i++) {
		of[i] = value_of(frame, comparison.getOperand(i));
		if (!of[i] || !of[i]->getType()->isPointerTy())
			return nullptr;
		offset[i] = llvm::APInt(layout.getIndexTypeSizeInBits(of[i]->getType()), 0);
		base[i] = llvm::cast<llvm::Constant>(
			of[i]->stripAndAccumulateConstantOffsets(layout, offset[i], true));
	}
	if (base[0] != base[1] || !llvm::isa<llvm::GlobalVariable>(base[0]))
		return nullptr;
	return llvm::ConstantInt::get(comparison.getType(),
				      llvm::ICmpInst::compare(offset[0], offset[1],
							      comparison.getPredicate()));
}

bool fe_evaluator::step(values &frame, llvm::Instruction &instruction)
{
	place at;
	llvm::Constant *result = nullptr;
	if (instruction.isAtomic())
		return fail("it uses atomic operations");
	if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
		return call_out(frame, *call);
	if (auto *memory = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
		llvm::Constant *value = value_of(frame, memory->getValueOperand());
		llvm::Constant *pointer = value_of(frame, memory->getPointerOperand());
		if (!value || !pointer)
			return fail("it writes what is no constant");
		return find(pointer, size_of(value->getType()), &at) && store(at, value);
	}
	if (auto *memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
		if (memory->isArrayAllocation())
			return fail("it has arrays of a variable length");
		result = new_private(memory->getAllocatedType(), memory->getAddressSpace());
	} else if (auto *memory = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
		llvm::Constant *pointer = value_of(frame, memory->getPointerOperand());
		if (!pointer || !find(pointer, size_of(memory->getType()), &at))
			return fail("it reads from what is no constant");
		result = load(at, memory->getType());
	} else if (auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
		result = compare(frame, *comparison);
	}
	if (!result && !instruction.mayReadOrWriteMemory()) {
		llvm::Instruction *copy = instruction.clone();
		bool constant = true;
		for (llvm::Use &use : copy->operands()) {
			llvm::Constant *value = value_of(frame, use.get());
			constant = constant && value;
			if (value)
				use.set(value);
		}
		result = constant ? llvm::ConstantFoldInstruction(copy, layout, &names) : nullptr;
		copy->deleteValue();
	}
	if (!result)
		return fail("it computes what is no constant");
	frame[&instruction] = result;
	return true;
}

/* NULL: the condition is not a constant, or there is no next block. */
llvm::BasicBlock *fe_evaluator::next_block(const values &frame, llvm::Instruction &last)
{
	if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(&last)) {
		if (!branch->isConditional())
			return branch->getSuccessor(0);
		auto *condition = llvm::dyn_cast_or_null<llvm::ConstantInt>(
			value_of(frame, branch->getCondition()));
		return condition ? branch->getSuccessor(condition->isZero()) : nullptr;
	}
	if (auto *choice = llvm::dyn_cast<llvm::SwitchInst>(&last)) {
		auto *condition = llvm::dyn_cast_or_null<llvm::ConstantInt>(
			value_of(frame, choice->getCondition()));
		return condition ? choice->findCaseValue(condition)->getCaseSuccessor() : nullptr;
	}
	return nullptr;
}

/* Sets the block's phis, all at the same time. */
bool fe_evaluator::enter(values &frame, llvm::BasicBlock &block, llvm::BasicBlock *from)
{
	std::vector<std::pair<llvm::PHINode *, llvm::Constant *>> incoming;
	for (llvm::PHINode &phi : block.phis())
		incoming.emplace_back(&phi, value_of(frame, phi.getIncomingValueForBlock(from)));
	for (const auto &[phi, value] : incoming) {
		if (!value)
			return fail("it computes what is no constant");
		frame[phi] = value;
	}
	return true;
}

bool fe_evaluator::call(llvm::Function &function, std::vector<llvm::Constant *> arguments,
			llvm::Constant **result)
{
	values frame;
	for (llvm::Argument &argument : function.args())
		frame[&argument] = arguments[argument.getArgNo()];
	if (++depth > DEPTH_LIMIT)
		return fail("it calls too deep");
	llvm::BasicBlock *block = &function.getEntryBlock(), *from = nullptr;
	while (block) {
		if (!enter(frame, *block, from))
			return false;
		for (llvm::Instruction &instruction : *block) {
			if (++steps > STEP_LIMIT)
				return fail("it takes too many steps");
			if (llvm::isa<llvm::PHINode>(instruction))
				continue;
			if (auto *back = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) {
				depth--;
				*result = back->getReturnValue()
					? value_of(frame, back->getReturnValue()) : nullptr;
				return !back->getReturnValue() || *result ||
				       fail("it computes what is no constant");
			}
			if (!instruction.isTerminator() && !step(frame, instruction))
				return false;
		}
		from = block;
		block = next_block(frame, *block->getTerminator());
	}
	return fail("it goes by what is no constant");
}

bool fe_evaluator::run(llvm::Function &function)
{
	llvm::Constant *nothing;
	why.clear();
	steps = depth = 0;
	return function.isDeclaration() || function.arg_size()
		? fail("it is not there") : call(function, {}, &nothing);
}

/* -- what is left of it --------------------------------------------------------------- */

llvm::Constant *fe_evaluator::rebuilt(const place &at, llvm::Type *type, llvm::Constant *old)
{
	const cells &cells = written[at.variable];
	auto next = cells.lower_bound(at.offset_B);
	bool touched = next != cells.end() &&
		       next->first < at.offset_B + uint64_t(layout.getTypeAllocSize(type));
	if (next != cells.begin())
		touched = touched || std::prev(next)->first +
					     size_of(std::prev(next)->second->getType()) > at.offset_B;
	if (!touched)
		return old;
	if (!is_made_of_parts(type))
		return load_scalar(at, type);
	std::vector<llvm::Constant *> parts;
	for (unsigned i = 0; i < part_count(type); i++) {
		llvm::Constant *part = old->getAggregateElement(i);
		parts.push_back(part ? rebuilt({at.variable,
						at.offset_B + part_offset(layout, type, i)},
					       part_type(type, i), part)
				     : nullptr);
		if (!parts.back())
			return nullptr;
	}
	return of_parts(type, parts);
}

bool fe_evaluator::commit()
{
	std::vector<llvm::GlobalVariable *> variables;
	for (const auto &row : written)
		if (std::find(privates.begin(), privates.end(), row.first) == privates.end())
			variables.push_back(row.first);
	for (llvm::GlobalVariable *variable : variables) {
		llvm::Constant *value = rebuilt({variable, 0}, variable->getValueType(),
						variable->getInitializer());
		if (!value)
			return fail("it keeps addresses as numbers");
		variable->setInitializer(value);
	}
	for (llvm::GlobalVariable *variable : privates) {
		variable->removeDeadConstantUsers();
		if (!variable->use_empty())
			return fail("it keeps the address of a variable that is gone");
	}
	return true;
}
