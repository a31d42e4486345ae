/* Loads and stores of cooperative matrices.
 *
 * SPV_KHR_cooperative_matrix asks for no alignment beyond that of the elements of Pointer, so that most accesses have
 * two ways: by whole registers, if pointer and stride are aligned for it, and by single components.  Which one is taken
 * is the same for all work-items; the module's Aligned operand, or the size of the elements, may decide it. */
#include "config.h"

#include "frontend/spirv/matrix.h"

#include "frontend/spirv/memory.h"
#include "frontend/spirv/opencl_std.h"

#include <inttypes.h>

/* A matrix in memory, and the way that is being built. */
struct place {
	const struct spirv_type *type;
	struct spirv_fragment fragment;
	unsigned size_B;            /* of a component */
	LLVMValueRef pointer, stride_B;
	unsigned align_B;           /* that pointer and stride certainly have */
	bool is_volatile;
	bool along;                 /* neighbours along the places are neighbours in memory */
	bool by_tiles;              /* the local memory's instruction for matrices loads it, if it is aligned */
	unsigned own_align_B;       /* of components, in the way that is being built */
	bool by_register;           /* registers are loaded and stored at once */
};

/* --- operands ------------------------------------------------------------------------------------------------ */

/* The largest power of two that divides a number, at most 4096. */
static unsigned power_of(uint64_t number)
{
	const uint64_t power = number & (~number + 1);
	return power && power < SPIRV_MOST_ALIGN_B ? (unsigned)power : SPIRV_MOST_ALIGN_B;
}

static bool find_layout(struct spirv_reader *reader, uint32_t id, struct place *place)
{
	enum { ROW_MAJOR, COLUMN_MAJOR };
	LLVMValueRef value = spirv_value_of(reader, id, spirv_int(reader, 32));
	if (!value)
		return false;
	const uint32_t layout = LLVMIsAConstantInt(value) ? (uint32_t)LLVMConstIntGetZExtValue(value) : UINT32_MAX;
	if (layout != ROW_MAJOR && layout != COLUMN_MAJOR)
		return spirv_fail(reader,
				  "the memory layout %" PRIu32
				  " is not supported; it is a constant, RowMajorKHR (%d) or "
				  "ColumnMajorKHR (%d)",
				  id, ROW_MAJOR, COLUMN_MAJOR);
	place->along = (layout == ROW_MAJOR) == place->fragment.lines_are_rows;
	return true;
}

/* Reads Pointer and Stride.  The stride counts elements of the type that is pointed to, and has no sign. */
static bool find_memory(struct spirv_reader *reader, uint32_t id, uint32_t stride, const struct spirv_access *access,
			struct place *place)
{
	const struct spirv_type *pointer = spirv_type_of(reader, id);
	const struct spirv_type *element = pointer ? spirv_pointee(reader, pointer) : NULL;
	const struct spirv_type *number = element ? spirv_type_of(reader, stride) : NULL;
	LLVMValueRef count = number ? spirv_value(reader, stride) : NULL;
	place->pointer = count ? spirv_pointer(reader, id) : NULL;
	if (!place->pointer)
		return false;
	if (!(spirv_is_number(element) || element->class == SPIRV_BFLOAT) || element->rows)
		return spirv_fail(reader, "the pointer does not point to numbers or vectors of numbers");
	if (number->class != SPIRV_INT || number->lanes != 1)
		return spirv_fail(reader, "the stride is no integer");
	count = LLVMBuildIntCast2(reader->builder, count, spirv_int(reader, 64), false, "");
	place->stride_B = LLVMBuildMul(reader->builder, count, spirv_number(reader, 64, element->size_B), "");
	place->align_B = access->align_B ? access->align_B : element->align_B;
	const unsigned stride_align_B = power_of(
		LLVMIsAConstantInt(place->stride_B) ? LLVMConstIntGetZExtValue(place->stride_B) : element->size_B);
	place->align_B = stride_align_B < place->align_B ? stride_align_B : place->align_B;
	return true;
}

/* Reads all operands from word at on, the first of which is the layout; false with a message. */
static bool find_place(struct spirv_reader *reader, const struct spirv_op *op, uint32_t pointer, unsigned at,
		       const struct spirv_type *type, struct place *place)
{
	struct spirv_access access;
	*place = (struct place){.type = type, .fragment = spirv_fragment_of(type), .size_B = type->bits / 8};
	if (op->count < at + 2)
		return spirv_fail(reader, "the layouts RowMajorKHR and ColumnMajorKHR need a stride");
	unsigned end = at + 2;
	if (!spirv_access_read(reader, op, &end, &access) || !spirv_is_all_read(reader, op, end))
		return false;
	place->is_volatile = access.is_volatile;
	return find_layout(reader, op->words[at], place) &&
	       find_memory(reader, pointer, op->words[at + 1], &access, place);
}

/* --- addresses ----------------------------------------------------------------------------------------------- */

static LLVMValueRef plus(struct spirv_reader *reader, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildAdd(reader->builder, a, b, "");
}

static LLVMValueRef times(struct spirv_reader *reader, LLVMValueRef a, uint64_t b)
{
	return LLVMBuildMul(reader->builder, a, spirv_number(reader, 64, b), "");
}

/* The bytes from an element to another one, a number of lines and places behind it. */
static LLVMValueRef distance(struct spirv_reader *reader, const struct place *place, unsigned lines, unsigned places)
{
	const unsigned major = place->along ? lines : places, minor = place->along ? places : lines;
	return plus(reader, times(reader, place->stride_B, major),
		    spirv_number(reader, 64, (uint64_t)minor * place->size_B));
}

static LLVMValueRef move(struct spirv_reader *reader, LLVMValueRef pointer, LLVMValueRef distance_B)
{
	return LLVMBuildGEP2(reader->builder, spirv_int(reader, 8), pointer, &distance_B, 1, "");
}

/* The work-item's number in its sub-group, as an i64; NULL with a message. */
static LLVMValueRef number_in_sub_group(struct spirv_reader *reader)
{
	LLVMValueRef value = spirv_call(reader, "__culvert_matrix_lane", spirv_int(reader, 32), NULL, 0);
	return value ? LLVMBuildZExt(reader->builder, value, spirv_int(reader, 64), "") : NULL;
}

/* A pointer to the first component of the work-item; NULL with a message. */
static LLVMValueRef first_of(struct spirv_reader *reader, const struct place *place)
{
	LLVMBuilderRef builder = reader->builder;
	LLVMValueRef number = number_in_sub_group(reader);
	if (!number)
		return NULL;
	LLVMValueRef line = LLVMBuildLShr(builder, number, spirv_number(reader, 64, 2), "");
	LLVMValueRef at = LLVMBuildAnd(builder, number, spirv_number(reader, 64, 3), "");
	at = times(reader, at, place->fragment.run);
	LLVMValueRef major = place->along ? line : at, minor = place->along ? at : line;
	return move(reader, place->pointer, plus(reader, LLVMBuildMul(builder, major, place->stride_B, ""),
						 times(reader, minor, place->size_B)));
}

/* --- registers ----------------------------------------------------------------------------------------------- */

/* Whether the vector of a matrix is made of words of 32 bits, each a register, so that no instruction takes them
 * apart. */
static bool has_words(const struct place *place)
{
	const unsigned run = place->fragment.run;
	return run > 1 && run * place->size_B == 4 && place->type->lanes > run;
}

static LLVMTypeRef register_type(struct spirv_reader *reader, const struct place *place)
{
	return has_words(place) && place->by_register ? spirv_int(reader, 32)
						      : spirv_vector(place->type->element->memory, place->fragment.run);
}

/* The component i of a register at an address. */
static LLVMValueRef component_at(struct spirv_reader *reader, const struct place *place, LLVMValueRef pointer,
				 unsigned i)
{
	return i ? move(reader, pointer, distance(reader, place, 0, i)) : pointer;
}

/* Sets what the module says of memory, and the alignment, in a load or store. */
static LLVMValueRef mark(const struct place *place, LLVMValueRef access, unsigned align_B)
{
	LLVMSetAlignment(access, align_B);
	LLVMSetVolatile(access, place->is_volatile);
	return access;
}

static LLVMValueRef load_register(struct spirv_reader *reader, const struct place *place, LLVMValueRef pointer)
{
	LLVMBuilderRef builder = reader->builder;
	LLVMTypeRef type = register_type(reader, place);
	const unsigned run = place->fragment.run;
	if (place->by_register)
		return mark(place, LLVMBuildLoad2(builder, type, pointer, ""), run * place->size_B);
	LLVMValueRef whole = LLVMGetUndef(type);
	for (unsigned i = 0; i < run; i++) {
		LLVMValueRef part = LLVMBuildLoad2(builder, place->type->element->memory,
						   component_at(reader, place, pointer, i), "");
		mark(place, part, place->own_align_B);
		if (run == 1)
			return part;
		whole = LLVMBuildInsertElement(builder, whole, part, spirv_number(reader, 32, i), "");
	}
	return has_words(place) ? LLVMBuildBitCast(builder, whole, spirv_int(reader, 32), "") : whole;
}

static void store_register(struct spirv_reader *reader, const struct place *place, LLVMValueRef whole,
			   LLVMValueRef pointer)
{
	LLVMBuilderRef builder = reader->builder;
	const unsigned run = place->fragment.run;
	if (place->by_register) {
		mark(place, LLVMBuildStore(builder, whole, pointer), run * place->size_B);
		return;
	}
	if (has_words(place))
		whole = LLVMBuildBitCast(builder, whole, spirv_vector(place->type->element->memory, run), "");
	for (unsigned i = 0; i < run; i++) {
		LLVMValueRef part = run == 1 ? whole
					     : LLVMBuildExtractElement(builder, whole, spirv_number(reader, 32, i), "");
		mark(place, LLVMBuildStore(builder, part, component_at(reader, place, pointer, i)), place->own_align_B);
	}
}

/* The vector in which the registers are elements, if has_words is true, or runs of elements. */
static LLVMTypeRef vector_of(struct spirv_reader *reader, const struct place *place)
{
	return has_words(place) ? spirv_vector(spirv_int(reader, 32), place->type->lanes / place->fragment.run)
				: place->type->value;
}

static LLVMValueRef put_register(struct spirv_reader *reader, const struct place *place, LLVMValueRef whole,
				 LLVMValueRef part, unsigned number)
{
	const unsigned run = has_words(place) ? 1 : place->fragment.run;
	for (unsigned i = 0; i < run; i++) {
		LLVMValueRef element = run == 1 ? part
			: LLVMBuildExtractElement(reader->builder, part, spirv_number(reader, 32, i), "");
		whole = LLVMBuildInsertElement(reader->builder, whole, element,
					       spirv_number(reader, 32, number * run + i), "");
	}
	return whole;
}

static LLVMValueRef take_register(struct spirv_reader *reader, const struct place *place, LLVMValueRef whole,
				  unsigned number)
{
	const unsigned run = has_words(place) ? 1 : place->fragment.run;
	LLVMValueRef part = LLVMGetUndef(spirv_vector(place->type->element->value, run));
	for (unsigned i = 0; i < run; i++) {
		LLVMValueRef element = LLVMBuildExtractElement(reader->builder, whole,
							       spirv_number(reader, 32, number * run + i), "");
		if (run == 1)
			return element;
		part = LLVMBuildInsertElement(reader->builder, part, element, spirv_number(reader, 32, i), "");
	}
	return part;
}

/* --- whole matrices ------------------------------------------------------------------------------------------ */

/* Loads each register, or stores it if value is not NULL.  Returns the matrix, or NULL with a message. */
static LLVMValueRef move_registers(struct spirv_reader *reader, const struct place *place, LLVMValueRef value)
{
	const struct spirv_fragment *fragment = &place->fragment;
	const unsigned blocks = fragment->places / (4 * fragment->run);
	LLVMValueRef first = first_of(reader, place);
	LLVMValueRef whole = value ? LLVMBuildBitCast(reader->builder, value, vector_of(reader, place), "")
				   : LLVMConstNull(vector_of(reader, place));
	for (unsigned line = 0; first && line < fragment->lines / 8; line++)
		for (unsigned block = 0; block < blocks; block++) {
			const unsigned number = spirv_fragment_register(fragment, line, block);
			LLVMValueRef pointer = move(reader, first, distance(reader, place, 8 * line,
									    4 * fragment->run * block));
			if (value)
				store_register(reader, place, take_register(reader, place, whole, number), pointer);
			else
				whole = put_register(reader, place, whole, load_register(reader, place, pointer),
						     number);
		}
	return first ? LLVMBuildBitCast(reader->builder, whole, place->type->value, "") : NULL;
}

/* The distance of the register with a number from the first one. */
static LLVMValueRef distance_of(struct spirv_reader *reader, const struct place *place, unsigned number)
{
	const struct spirv_fragment *fragment = &place->fragment;
	for (unsigned line = 0; line < fragment->lines / 8; line++)
		for (unsigned block = 0; block < fragment->places / (4 * fragment->run); block++)
			if (spirv_fragment_register(fragment, line, block) == number)
				return distance(reader, place, 8 * line, 4 * fragment->run * block);
	return spirv_number(reader, 64, 0);
}

/* Loads a matrix of 16-bit components from local memory, four registers at once: the work-item 8 i + j gives the
 * address of row j of the block of register i.  NULL with a message. */
static LLVMValueRef load_tiles(struct spirv_reader *reader, const struct place *place)
{
	LLVMBuilderRef builder = reader->builder;
	const char *name = place->along ? "__culvert_matrix_tiles_straight" : "__culvert_matrix_tiles_transposed";
	const unsigned registers = place->type->lanes / 2;
	LLVMValueRef number = number_in_sub_group(reader), whole = LLVMConstNull(vector_of(reader, place));
	if (!number)
		return NULL;
	LLVMValueRef one = spirv_number(reader, 64, 1);
	LLVMValueRef bit_3 = LLVMBuildAnd(builder, LLVMBuildLShr(builder, number, spirv_number(reader, 64, 3), ""), one,
					  "");
	LLVMValueRef bit_4 = LLVMBuildLShr(builder, number, spirv_number(reader, 64, 4), "");
	LLVMValueRef row = LLVMBuildAnd(builder, number, spirv_number(reader, 64, 7), "");
	LLVMValueRef own = LLVMBuildMul(builder, row, place->stride_B, "");
	/* Within four registers, the distance of the fourth one is the sum of those of the second and third. */
	own = plus(reader, own, LLVMBuildMul(builder, bit_3, distance_of(reader, place, 1), ""));
	if (registers > 2)
		own = plus(reader, own, LLVMBuildMul(builder, bit_4, distance_of(reader, place, 2), ""));
	for (unsigned first = 0; first < registers; first += 4) {
		LLVMValueRef from = move(reader, place->pointer, plus(reader, own, distance_of(reader, place, first)));
		const struct spirv_argument argument = {
			.value = from, .base = 't', .is_pointer = true, .qualifiers = SPIRV_CONST};
		LLVMValueRef four = spirv_call(reader, name, LLVMVectorType(spirv_int(reader, 32), 4), &argument, 1);
		if (!four)
			return NULL;
		for (unsigned i = 0; i < 4 && first + i < registers; i++) {
			LLVMValueRef index = spirv_number(reader, 32, i);
			whole = LLVMBuildInsertElement(builder, whole,
						       LLVMBuildExtractElement(builder, four, index, ""),
						       spirv_number(reader, 32, first + i), "");
		}
	}
	return LLVMBuildBitCast(builder, whole, place->type->value, "");
}

/* --- the two ways -------------------------------------------------------------------------------------------- */

/* Loads or stores in the way for an alignment; NULL with a message. */
static LLVMValueRef move_aligned(struct spirv_reader *reader, struct place *place, LLVMValueRef value, unsigned align_B)
{
	const unsigned register_B = place->fragment.run * place->size_B;
	place->own_align_B = align_B < place->size_B ? align_B : place->size_B;
	place->by_register = place->along && align_B >= register_B;
	return place->by_tiles && align_B >= 16 ? load_tiles(reader, place) : move_registers(reader, place, value);
}

/* A bool: whether the pointer and the stride are multiples of a power of two. */
static LLVMValueRef is_aligned(struct spirv_reader *reader, const struct place *place, unsigned align_B)
{
	LLVMBuilderRef builder = reader->builder;
	LLVMTypeRef word = spirv_int(reader, 64);
	LLVMValueRef bits = LLVMBuildPtrToInt(builder, place->pointer, word, "");
	bits = LLVMBuildOr(builder, bits, place->stride_B, "");
	bits = LLVMBuildAnd(builder, bits, spirv_number(reader, 64, align_B - 1), "");
	return LLVMBuildICmp(builder, LLVMIntEQ, bits, LLVMConstNull(word), "");
}

/* Loads the matrix, or stores value if it is not NULL.  Returns the matrix; NULL with a message. */
static LLVMValueRef move_matrix(struct spirv_reader *reader, struct place *place, LLVMValueRef value)
{
	LLVMBuilderRef builder = reader->builder;
	const unsigned register_B = place->fragment.run * place->size_B;
	const unsigned wanted_B = place->by_tiles ? 16 : place->along ? register_B : place->size_B;
	if (place->align_B >= wanted_B)
		return move_aligned(reader, place, value, wanted_B);
	LLVMBasicBlockRef after = spirv_block_behind(reader), slow = spirv_block_behind(reader),
			  fast = spirv_block_behind(reader), ends[2];
	LLVMValueRef values[2];
	LLVMBuildCondBr(builder, is_aligned(reader, place, wanted_B), fast, slow);
	for (unsigned i = 0; i < 2; i++) {
		LLVMPositionBuilderAtEnd(builder, i ? slow : fast);
		values[i] = move_aligned(reader, place, value, i ? place->align_B : wanted_B);
		ends[i] = LLVMGetInsertBlock(builder);
		if (!values[i])
			return NULL;
		LLVMBuildBr(builder, after);
	}
	LLVMPositionBuilderAtEnd(builder, after);
	if (value)
		return value;
	LLVMValueRef phi = LLVMBuildPhi(builder, place->type->value, "");
	LLVMAddIncoming(phi, values, ends, 2);
	return phi;
}

/* --- instructions -------------------------------------------------------------------------------------------- */

static bool build_load(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct place place;
	if (!op->type->rows)
		return spirv_fail(reader, "the result is no cooperative matrix");
	if (!find_place(reader, op, op->words[3], 4, op->type, &place))
		return false;
	place.by_tiles = place.type->bits == 16 && place.type->use != SPIRV_MATRIX_SUM &&
			 LLVMGetPointerAddressSpace(LLVMTypeOf(place.pointer)) == SPIRV_LOCAL;
	return spirv_define(reader, op, move_matrix(reader, &place, NULL));
}

static bool build_store(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = spirv_type_of(reader, op->words[2]);
	LLVMValueRef value = type ? spirv_value(reader, op->words[2]) : NULL;
	struct place place;
	if (!value)
		return false;
	if (!type->rows)
		return spirv_fail(reader, "the object is no cooperative matrix");
	if (!find_place(reader, op, op->words[1], 3, type, &place))
		return false;
	if (LLVMGetPointerAddressSpace(LLVMTypeOf(place.pointer)) == SPIRV_CONSTANT)
		return spirv_fail(reader, "constant memory cannot be written to");
	return move_matrix(reader, &place, value) != NULL;
}

const struct spirv_row spirv_matrix_memory_rows[] = {
	{SPIRV_OP_MATRIX_LOAD, 5, 0, 0, build_load},
	{SPIRV_OP_MATRIX_STORE, 4, 0, 0, build_store},
	{0, 0, 0, 0, NULL},
};
