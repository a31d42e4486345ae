#include "config.h"

#include "frontend/spirv/matrix.h"

#include "frontend/spirv/opencl_std.h"

#include <inttypes.h>

/* As in vectors of OpenCL C. */
enum { MOST_LANES = 16, SUB_GROUP_SIZE = 32 };

/* --- fragments ----------------------------------------------------------------------------------------------- */

/* A sum of 8 rows and more columns is computed transposed, because mma has 16 rows and 8 columns. */
struct spirv_fragment spirv_fragment_of(const struct spirv_type *type)
{
	const bool is_sum = type->use == SPIRV_MATRIX_SUM;
	const bool rows = type->use == SPIRV_MATRIX_A || (is_sum && (type->rows > 8 || type->columns == 8));
	return (struct spirv_fragment){
		.lines = rows ? type->rows : type->columns,
		.places = rows ? type->columns : type->rows,
		.run = is_sum ? 2 : type->bits < 32 ? 32 / type->bits : 1,
		.lines_are_rows = rows,
		.is_by_line = type->use == SPIRV_MATRIX_B,
	};
}

unsigned spirv_fragment_register(const struct spirv_fragment *fragment, unsigned line, unsigned block)
{
	const unsigned blocks = fragment->places / (4 * fragment->run);
	if (fragment->is_by_line || fragment->lines == 8)
		return line * blocks + block;
	return (line / 2 * blocks + block) * 2 + line % 2;
}

/* --- where matrices may stand -------------------------------------------------------------------------------- */

enum { TAKES = 1, GIVES = 2, ALIKE = 4, ALL = TAKES | GIVES | ALIKE };

/* Instructions that take matrices or give them.  ALIKE: each element of the result depends on the operands' elements at
 * the same position. */
static unsigned treatment_of(unsigned op)
{
	switch (op) {
	case SpvOpSNegate: case SpvOpFNegate: case SpvOpIAdd: case SpvOpFAdd: case SpvOpISub: case SpvOpFSub:
	case SpvOpIMul: case SpvOpFMul: case SpvOpSDiv: case SpvOpUDiv: case SpvOpFDiv: case SpvOpMatrixTimesScalar:
	case SpvOpConvertFToU: case SpvOpConvertFToS: case SpvOpConvertSToF: case SpvOpConvertUToF:
	case SpvOpUConvert: case SpvOpSConvert: case SpvOpFConvert: case SpvOpBitcast: case SpvOpSelect:
	case SpvOpCopyObject: case SpvOpCopyLogical: case SpvOpPhi: return ALL;
	case SpvOpCompositeConstruct: case SpvOpCompositeExtract: case SpvOpCompositeInsert: case SpvOpFunctionCall:
	case SpvOpConstantComposite: case SpvOpSpecConstantComposite: case SPIRV_OP_MATRIX_MULADD: return TAKES | GIVES;
	case SpvOpUndef: case SpvOpConstantNull: case SpvOpFunction: case SpvOpFunctionParameter: case SpvOpLoad:
	case SPIRV_OP_MATRIX_LOAD: return GIVES;
	case SpvOpStore: case SpvOpReturnValue: case SpvOpVariable: case SPIRV_OP_MATRIX_STORE: return TAKES;
	default: return 0;
	}
}

bool spirv_matrix_may_result(struct spirv_reader *reader, unsigned op, const struct spirv_type *type)
{
	return !type->rows || treatment_of(op) & GIVES || spirv_fail(reader, "the result is no cooperative matrix");
}

/* Whether an id may be an operand of the instruction that is being built: always, if it is no matrix.  False with a
 * message. */
static bool may_stand(struct spirv_reader *reader, uint32_t id)
{
	const struct spirv_instruction now = reader->now, made = spirv_of(reader->module, id);
	bool has_result = false, has_type = false;
	spirv_has_result(made.op, &has_result, &has_type);
	const struct spirv_type *type = has_type ? spirv_type(reader, made.words[1]) : NULL;
	const unsigned treatment = treatment_of(now.op);
	if (!type || !type->rows)
		return true;
	if (!(treatment & TAKES))
		return spirv_fail(
			reader, "the operand %" PRIu32 " is a cooperative matrix, which the instruction does not take",
			id);
	const struct spirv_type *result = treatment & ALIKE ? spirv_type(reader, now.words[1]) : NULL;
	if (!result)
		return true;
	if (!spirv_matrix_is_alike(type, result))
		return spirv_fail(
			reader,
			"the operand %" PRIu32 " and the result are not matrices of the same use and dimensions", id);
	return type->use == SPIRV_MATRIX_SUM || type->bits == result->bits ||
	       spirv_fail(reader,
			  "components of matrices A and B keep their width when they are converted; convert the "
			  "numbers in memory, or a matrix of the use MatrixAccumulatorKHR");
}

bool spirv_matrix_is_private(struct spirv_reader *reader, const struct spirv_type *type, uint32_t pointer)
{
	const struct spirv_type *own = type->holds_matrix ? spirv_type_of(reader, pointer) : NULL;
	return !own || own->storage == SpvStorageClassFunction || own->storage == SpvStorageClassGeneric ||
	       spirv_fail(reader, "a cooperative matrix is in private memory only; OpCooperativeMatrixLoadKHR and "
			  "OpCooperativeMatrixStoreKHR move its elements");
}

/* --- types --------------------------------------------------------------------------------------------------- */

static bool constant_of(struct spirv_reader *reader, uint32_t id, uint32_t *value_out)
{
	LLVMValueRef value = spirv_value_of(reader, id, spirv_int(reader, 32));
	if (!value)
		return false;
	if (!LLVMIsAConstantInt(value))
		return spirv_fail(reader, "the operand %" PRIu32 " is no constant", id);
	*value_out = (uint32_t)LLVMConstIntGetZExtValue(value);
	return true;
}

static bool is_component(struct spirv_reader *reader, const struct spirv_type *type, uint32_t use)
{
	const bool is_number = spirv_is_number(type) || type->class == SPIRV_BFLOAT;
	if (!is_number || type->lanes != 1)
		return spirv_fail(reader, "the components of a matrix are no numbers");
	return use == SPIRV_MATRIX_SUM || type->class != SPIRV_INT || type->bits <= 16 ||
	       spirv_fail(reader,
			  "matrices A and B of integers of %u bits are not supported; integers have 8 bits there, or "
			  "are the 16 bits of bfloat16 numbers",
			  type->bits);
}

/* Whether the matrix divides into registers, and these into the operands of mma. */
static bool is_divided(struct spirv_reader *reader, const struct spirv_type *type)
{
	static const char *const names[] = {"A", "B", "C"};
	const struct spirv_fragment fragment = spirv_fragment_of(type);
	const bool is_sum = type->use == SPIRV_MATRIX_SUM;
	/* Products sum over two blocks, but for bytes and doubles. */
	const unsigned deep = 4 * fragment.run * (is_sum || type->bits == 8 || type->bits == 64 ? 1 : 2);
	const uint64_t elements = (uint64_t)type->rows * type->columns;
	const bool lines = fragment.lines == 8 ||
			   (fragment.lines && !(fragment.lines % (type->use == SPIRV_MATRIX_B ? 8 : 16)));
	if (lines && fragment.places && !(fragment.places % deep) && !(elements & (elements - 1)) &&
	    elements <= MOST_LANES * SUB_GROUP_SIZE)
		return true;
	return spirv_fail(reader,
			  "a matrix %s of %" PRIu32 " x %" PRIu32
			  " components of %u bits is not supported; it has 8, 16 or "
			  "32 %s, %u or a multiple of that as the other dimension, and at most %d components",
			  names[type->use], type->rows, type->columns, type->bits,
			  fragment.lines_are_rows ? "rows" : "columns", deep, MOST_LANES * SUB_GROUP_SIZE);
}

static bool build_type(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *element = spirv_type(reader, op->words[2]);
	uint32_t scope, rows, columns, use;
	if (!element || !constant_of(reader, op->words[3], &scope) || !constant_of(reader, op->words[4], &rows) ||
	    !constant_of(reader, op->words[5], &columns) || !constant_of(reader, op->words[6], &use))
		return false;
	if (scope != SpvScopeSubgroup)
		return spirv_fail(reader,
				  "matrices of the scope %" PRIu32 " are not supported; the scope is Subgroup (%d)",
				  scope, SpvScopeSubgroup);
	if (use > SPIRV_MATRIX_SUM)
		return spirv_fail(reader, "the use %" PRIu32 " of a matrix is not known", use);
	if (!is_component(reader, element, use))
		return false;
	struct spirv_type wanted = *element;
	wanted.rows = rows;
	wanted.columns = columns;
	wanted.use = use;
	if (!is_divided(reader, &wanted))
		return false;
	struct spirv_type *type = spirv_type_new(reader, op->words[1], element->class);
	if (!type)
		return false;
	type->element = element;
	type->bits = element->bits;
	type->rows = rows;
	type->columns = columns;
	type->use = use;
	type->length = rows * columns / SUB_GROUP_SIZE;
	/* A matrix of which a work-item has one element, 8 x 4 doubles, gets a second one that has no meaning. */
	type->lanes = type->length > 1 ? (unsigned)type->length : 2;
	type->depth = 2;
	type->holds_matrix = true;
	reader->may_stand = may_stand;
	return spirv_type_set_layout(reader, type, LLVMVectorType(element->value, type->lanes),
				     LLVMVectorType(element->memory, type->lanes));
}

/* --- composites ---------------------------------------------------------------------------------------------- */

bool spirv_matrix_fill(struct spirv_reader *reader, const struct spirv_op *op)
{
	if (op->count != 4)
		return spirv_fail(reader, "a cooperative matrix has one constituent, to which all components are set");
	LLVMValueRef part = spirv_value_of(reader, op->words[3], op->type->element->value);
	LLVMValueRef whole = LLVMGetUndef(op->type->value);
	if (!part)
		return false;
	for (unsigned i = 0; i < op->type->lanes; i++)
		whole = LLVMBuildInsertElement(reader->builder, whole, part, spirv_number(reader, 32, i), "");
	return spirv_define(reader, op, whole);
}

/* Builds OpCooperativeMatrixLengthKHR, whose operand is a type. */
static bool build_length(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = spirv_type(reader, op->words[3]);
	if (!type)
		return false;
	if (!type->rows || op->type->class != SPIRV_INT || op->type->lanes != 1)
		return spirv_fail(reader, "the operand is no type of cooperative matrices, or the result no integer");
	return spirv_define(reader, op, LLVMConstInt(op->type->value, type->length, false));
}

/* --- products ------------------------------------------------------------------------------------------------ */

/* Cooperative Matrix Operands, and two of SPV_INTEL_joint_matrix: the types of the components of A and B. */
enum {
	A_SIGNED = 0x1, B_SIGNED = 0x2, C_SIGNED = 0x4, RESULT_SIGNED = 0x8, SATURATES = 0x10,
	TF32 = 0x20, BFLOAT16 = 0x40, ALL_SIGNED = A_SIGNED | B_SIGNED | C_SIGNED | RESULT_SIGNED
};

/* A product that a function of the library computes: of 16 lines, or 8 of doubles, by 8. */
struct product {
	enum spirv_class class;
	unsigned bits;              /* of the factors' components */
	enum spirv_class sum_class;
	unsigned sum_bits;
	uint32_t needs;             /* an operand of the instruction */
	unsigned lines, blocks;     /* of the first factor */
	const char *name;           /* NULL: it depends on the signs */
};

static const struct product products[] = {
	{SPIRV_FLOAT, 16, SPIRV_FLOAT, 32, 0, 16, 2, "__culvert_matrix_product_half"},
	{SPIRV_FLOAT, 16, SPIRV_FLOAT, 16, 0, 16, 2, "__culvert_matrix_product_half"},
	{SPIRV_BFLOAT, 16, SPIRV_FLOAT, 32, 0, 16, 2, "__culvert_matrix_product_bfloat16"},
	{SPIRV_INT, 16, SPIRV_FLOAT, 32, BFLOAT16, 16, 2, "__culvert_matrix_product_bfloat16"},
	{SPIRV_FLOAT, 32, SPIRV_FLOAT, 32, TF32, 16, 2, "__culvert_matrix_product_tf32"},
	{SPIRV_FLOAT, 64, SPIRV_FLOAT, 64, 0, 8, 1, "__culvert_matrix_product_double"},
	{SPIRV_INT, 8, SPIRV_INT, 32, 0, 16, 1, NULL},
};

/* The operands of an OpCooperativeMatrixMulAddKHR.  x and y are A and B, or B and A if the product is transposed: the
 * lines of x become those of the sums. */
struct factors {
	const struct product *product;
	const char *name;
	const struct spirv_type *x_type, *y_type;
	LLVMValueRef x, y;          /* vectors of registers */
	struct spirv_fragment x_fragment, y_fragment, sum_fragment;
};

static const struct product *find_product(struct spirv_reader *reader, const struct spirv_type *a,
					  const struct spirv_type *b, const struct spirv_type *sum, uint32_t flags)
{
	for (size_t i = 0; i < sizeof(products) / sizeof(*products); i++) {
		const struct product *product = &products[i];
		if (a->class == product->class && a->bits == product->bits && b->class == a->class &&
		    b->bits == a->bits && sum->class == product->sum_class && sum->bits == product->sum_bits &&
		    (flags & (TF32 | BFLOAT16)) == product->needs)
			return product;
	}
	spirv_fail(reader,
		   "a product of these components is not supported; supported are half with sums of float or half, "
		   "bfloat16, also as integers (MatrixAAndBBFloat16ComponentsINTEL), and tf32 (float with "
		   "MatrixAAndBTF32ComponentsINTEL) with float, double with double, and integers of 8 bits with 32");
	return NULL;
}

static bool check_flags(struct spirv_reader *reader, const struct spirv_type *a, const struct spirv_type *sum,
			uint32_t flags)
{
	if (flags & ~(uint32_t)(ALL_SIGNED | SATURATES | TF32 | BFLOAT16))
		return spirv_fail(reader, "cooperative matrix operands 0x%" PRIx32 " are not supported", flags);
	/* 2.16.1: signed components "can only be used when the type of the corresponding matrix is an integer type". */
	if ((flags & (A_SIGNED | B_SIGNED) && a->class != SPIRV_INT) ||
	    (flags & (C_SIGNED | RESULT_SIGNED | SATURATES) && sum->class != SPIRV_INT))
		return spirv_fail(reader, "only components that are integers are signed, or saturate");
	return true;
}

static bool check_dimensions(struct spirv_reader *reader, const struct spirv_type *a, const struct spirv_type *b,
			     const struct spirv_type *c, const struct spirv_type *sum)
{
	if (!a->rows || a->use != SPIRV_MATRIX_A || !b->rows || b->use != SPIRV_MATRIX_B || !c->rows ||
	    c->use != SPIRV_MATRIX_SUM || sum->use != SPIRV_MATRIX_SUM)
		return spirv_fail(reader, "the operands are not matrices of the uses A, B and accumulator");
	if (a->columns != b->rows || a->rows != sum->rows || b->columns != sum->columns ||
	    !spirv_matrix_is_alike(c, sum))
		return spirv_fail(reader,
				  "matrices of %" PRIu32 " x %" PRIu32 ", %" PRIu32 " x %" PRIu32 " and %" PRIu32
				  " x %" PRIu32 " have no product and sum of %" PRIu32 " x %" PRIu32,
				  a->rows, a->columns, b->rows, b->columns, c->rows, c->columns, sum->rows,
				  sum->columns);
	if (c->class != sum->class || c->bits != sum->bits)
		return spirv_fail(reader, "the components of C are not those of the result; convert C first");
	if (sum->rows == 8 && sum->columns == 8 && a->bits != 64)
		return spirv_fail(
			reader,
			"a product of 8 rows and 8 columns is supported for double only; one dimension is 16 or a "
			"multiple of it");
	return true;
}

/* Elements of a vector by their indices: a vector, or the element itself if there is one.  A single register is no
 * vector. */
static LLVMValueRef gather(struct spirv_reader *reader, LLVMValueRef vector, const unsigned *indices, unsigned count)
{
	LLVMValueRef mask[MOST_LANES];
	if (LLVMGetTypeKind(LLVMTypeOf(vector)) != LLVMVectorTypeKind)
		return vector;
	for (unsigned i = 0; i < count; i++)
		mask[i] = spirv_number(reader, 32, indices[i]);
	if (count == 1)
		return LLVMBuildExtractElement(reader->builder, vector, mask[0], "");
	return LLVMBuildShuffleVector(reader->builder, vector, LLVMGetUndef(LLVMTypeOf(vector)),
				      LLVMConstVector(mask, count), "");
}

/* The registers of a factor, as words of 32 bits, or as doubles. */
static LLVMValueRef registers_of(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef value)
{
	LLVMTypeRef words = spirv_vector(spirv_int(reader, 32), type->lanes * type->bits / 32);
	return type->bits == 64 ? value : LLVMBuildBitCast(reader->builder, value, words, "");
}

/* The operand of a product that is made of a factor's registers: lines from 8 * line on, and blocks from block on. */
static struct spirv_argument factor_part(struct spirv_reader *reader, const struct factors *factors, bool is_x,
					 unsigned line, unsigned block)
{
	const struct spirv_fragment *fragment = is_x ? &factors->x_fragment : &factors->y_fragment;
	const unsigned lines = is_x ? factors->product->lines / 8 : 1;
	unsigned indices[4], count = 0;
	for (unsigned b = 0; b < factors->product->blocks; b++)
		for (unsigned l = 0; l < lines; l++)
			indices[count++] = spirv_fragment_register(fragment, line + l, block + b);
	return (struct spirv_argument){
		.value = gather(reader, is_x ? factors->x : factors->y, indices, count),
		.base = factors->product->bits == 64 ? 'd' : 'j',
		.lanes = count,
	};
}

/* Adds a part of the product, of lines from 8 * line on and 8 columns from 8 * column on, to these elements of the sum;
 * NULL with a message. */
static LLVMValueRef add_part(struct spirv_reader *reader, const struct factors *factors, const struct spirv_type *type,
			     LLVMValueRef sum, unsigned line, unsigned column)
{
	const struct product *product = factors->product;
	const unsigned lines = product->lines / 8, count = 2 * lines;
	const unsigned depth = factors->x_fragment.places / (4 * factors->x_fragment.run);
	LLVMTypeRef part_type = LLVMVectorType(type->element->value, count);
	LLVMTypeRef carried = type->bits == 16 ? LLVMVectorType(spirv_int(reader, 32), lines) : part_type;
	unsigned indices[4];
	for (unsigned i = 0; i < count; i++)
		indices[i] = 2 * spirv_fragment_register(&factors->sum_fragment, line + i / 2, column) + i % 2;
	LLVMValueRef part = LLVMBuildBitCast(reader->builder, gather(reader, sum, indices, count), carried, "");
	for (unsigned block = 0; block < depth && part; block += product->blocks) {
		const struct spirv_argument arguments[] = {
			factor_part(reader, factors, true, line, block),
			factor_part(reader, factors, false, column, block),
			{.value = part, .base = type->bits == 16 ? 'j' : spirv_letter(type, true),
			 .lanes = type->bits == 16 ? lines : count},
		};
		part = spirv_call(reader, factors->name, carried, arguments, 3);
	}
	if (!part)
		return NULL;
	part = LLVMBuildBitCast(reader->builder, part, part_type, "");
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef element = LLVMBuildExtractElement(reader->builder, part, spirv_number(reader, 32, i), "");
		sum = LLVMBuildInsertElement(reader->builder, sum, element, spirv_number(reader, 32, indices[i]), "");
	}
	return sum;
}

static LLVMValueRef multiply(struct spirv_reader *reader, const struct factors *factors, const struct spirv_type *type,
			     LLVMValueRef sum)
{
	const unsigned lines = factors->product->lines / 8;
	for (unsigned line = 0; line < factors->x_fragment.lines / 8; line += lines)
		for (unsigned column = 0; column < factors->y_fragment.lines / 8; column++) {
			sum = add_part(reader, factors, type, sum, line, column);
			if (!sum)
				return NULL;
		}
	return sum;
}

/* The name of the function for bytes, by the signs of x and y. */
static const char *name_of_bytes(bool x_signed, bool y_signed)
{
	static const char *const names[] = {
		"__culvert_matrix_product_uchar_uchar", "__culvert_matrix_product_uchar_char",
		"__culvert_matrix_product_char_uchar", "__culvert_matrix_product_char_char",
	};
	return names[x_signed * 2 + y_signed];
}

/* Adds C with saturation.  "Integer additions ... are saturating", with the signedness of the result. */
static LLVMValueRef add_saturated(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef product,
				  LLVMValueRef c, bool is_signed)
{
	const struct spirv_argument arguments[] = {spirv_by_value(type, product, is_signed),
						   spirv_by_value(type, c, is_signed)};
	return spirv_call(reader, "add_sat", type->value, arguments, 2);
}

static bool build_muladd(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *a_type = spirv_type_of(reader, op->words[3]);
	const struct spirv_type *b_type = a_type ? spirv_type_of(reader, op->words[4]) : NULL;
	const struct spirv_type *c_type = b_type ? spirv_type_of(reader, op->words[5]) : NULL;
	LLVMValueRef a = c_type ? spirv_value(reader, op->words[3]) : NULL;
	LLVMValueRef b = a ? spirv_value(reader, op->words[4]) : NULL;
	LLVMValueRef c = b ? spirv_value(reader, op->words[5]) : NULL;
	const uint32_t flags = op->count > 6 ? op->words[6] : 0;
	if (!c || !check_dimensions(reader, a_type, b_type, c_type, op->type) ||
	    !check_flags(reader, a_type, op->type, flags))
		return false;
	const struct product *product = find_product(reader, a_type, b_type, op->type, flags);
	if (!product)
		return false;
	a = registers_of(reader, a_type, a);
	b = registers_of(reader, b_type, b);
	struct factors factors = {.product = product, .sum_fragment = spirv_fragment_of(op->type)};
	const bool is_straight = factors.sum_fragment.lines_are_rows;
	const bool a_signed = flags & A_SIGNED, b_signed = flags & B_SIGNED;
	factors.x = is_straight ? a : b;
	factors.y = is_straight ? b : a;
	factors.x_fragment = spirv_fragment_of(is_straight ? a_type : b_type);
	factors.y_fragment = spirv_fragment_of(is_straight ? b_type : a_type);
	factors.name = product->name
			       ? product->name
			       : name_of_bytes(is_straight ? a_signed : b_signed, is_straight ? b_signed : a_signed);
	LLVMValueRef sum = multiply(reader, &factors, op->type, flags & SATURATES ? LLVMConstNull(op->type->value) : c);
	if (sum && flags & SATURATES)
		sum = add_saturated(reader, op->type, sum, c, flags & RESULT_SIGNED);
	return spirv_define(reader, op, sum);
}

const struct spirv_row spirv_matrix_type_rows[] = {
	{SPIRV_OP_TYPE_MATRIX, 7, 7, 0, build_type},
	{0, 0, 0, 0, NULL},
};

const struct spirv_row spirv_matrix_rows[] = {
	{SPIRV_OP_MATRIX_LENGTH, 4, 4, 0, build_length},
	{SPIRV_OP_MATRIX_MULADD, 6, 7, 0, build_muladd},
	{0, 0, 0, 0, NULL},
};
