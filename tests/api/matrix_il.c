/* SPV_KHR_cooperative_matrix: products of each type and of many dimensions, in each layout, from global and local
 * memory, aligned and not, are those of a plain multiplication; stores write nothing beside the matrix.
 *
 * The functions that multiply are written as SPIR-V, word by word; kernels of OpenCL C call them. */
#include "config.h"

#include "icd/include/cl_culvert.h"
#include "tests/api/fixture.h"
#include "tests/api/il_builder.h"

/* SPIR-V 1.6, 3.49 and 3.31; SPV_KHR_cooperative_matrix; SPV_INTEL_joint_matrix for tf32, and for the bits of
 * bfloat16. */
enum {
	EXTENSION = 10, TYPE_FLOAT = 22, MATRIX_TYPE = 4456, MATRIX_LOAD = 4457, MATRIX_STORE = 4458,
	MATRIX_MULADD = 4459,
	WORKGROUP = 4, SUB_GROUP = 3, TF32_OPERANDS = 0x20, BFLOAT16_OPERANDS = 0x40
};
static const uint32_t capabilities[] = {9, 10, 22, 39, 5116, 5118, 6022, 6436, 6437};

enum kind { HALF, FLOAT, DOUBLE, BFLOAT, BFLOAT_BITS, BYTE, INT, KINDS };
static const struct { unsigned size_B; const char *memory; } kinds[] = {
	{2, "ushort"}, {4, "uint"}, {8, "ulong"}, {2, "ushort"}, {2, "ushort"}, {1, "uchar"}, {4, "uint"}
};

struct shape { unsigned m, n, k; };
static const struct factor {
	enum kind kind, sum;
	uint32_t flags;             /* 1: a is signed, 2: b is */
	bool is_newer;              /* it needs compute capability 8.0 */
	struct shape shapes[9];
} factors[] = {
	{HALF, FLOAT, 0, false, {{16, 16, 16}, {16, 8, 16}, {8, 16, 16}, {32, 8, 16}, {8, 32, 16}, {16, 16, 32},
				 {32, 16, 16}, {8, 16, 32}}},
	{HALF, HALF, 0, false, {{16, 16, 16}, {16, 8, 16}, {8, 16, 16}, {8, 32, 16}, {32, 16, 16}}},
	{BYTE, INT, 0xf, false, {{16, 16, 16}, {16, 8, 16}, {8, 16, 16}, {16, 16, 32}, {8, 16, 32}, {16, 8, 32},
				 {32, 8, 16}}},
	{BYTE, INT, 0xd, false, {{16, 16, 16}, {8, 16, 16}}},
	{BYTE, INT, 0xe, false, {{16, 16, 16}, {8, 16, 16}}},
	{BYTE, INT, 0, false, {{16, 16, 16}, {8, 16, 32}}},
	{BFLOAT, FLOAT, 0, true, {{16, 16, 16}, {8, 16, 16}, {16, 8, 16}, {32, 8, 16}}},
	{BFLOAT_BITS, FLOAT, BFLOAT16_OPERANDS, true, {{16, 16, 16}}},
	{FLOAT, FLOAT, TF32_OPERANDS, true, {{16, 16, 8}, {8, 16, 8}, {16, 8, 8}, {16, 16, 16}}},
	{DOUBLE, DOUBLE, 0, true, {{8, 8, 4}, {8, 8, 8}, {16, 16, 4}, {8, 16, 4}, {16, 8, 8}, {16, 16, 8}}}
};

/* Bits of a way to multiply, each a function.  Odd: the pointers and strides are aligned to elements only. */
enum { A_BY_COLUMN = 1, B_BY_COLUMN = 2, SUM_BY_COLUMN = 4, IN_LOCAL = 8, IS_ODD = 16, WAYS = 8 };
/* Elements between rows or columns, of a matrix with up to 32; before the matrix; of a buffer. */
enum { STRIDE = 40, ODD_STRIDE = 37, ODD = 3, ROOM = 32 * STRIDE, SENTINEL = 0x5b };

static struct api_test test;
static cl_command_queue queue;

/* --- elements ------------------------------------------------------------------------------------------------- */

static uint64_t bits_of_half(int value)
{
	const unsigned size = (unsigned)abs(value);
	unsigned exponent = 0;
	while (size >> exponent > 1)
		exponent++;
	return value ? (unsigned)(value < 0) << 15 | (exponent + 15) << 10 | ((size << 10 >> exponent) & 0x3ff) : 0;
}

/* A small whole number as an element, which is exact. */
static uint64_t bits_of(enum kind kind, int value)
{
	const float real = (float)value;
	const double wide = value;
	uint32_t bits;
	uint64_t wide_bits;
	memcpy(&bits, &real, sizeof(bits));
	memcpy(&wide_bits, &wide, sizeof(wide_bits));
	switch (kind) {
	case HALF: return bits_of_half(value);
	case FLOAT: return bits;
	case DOUBLE: return wide_bits;
	case BFLOAT:
	case BFLOAT_BITS: return bits >> 16;
	case BYTE: return (uint8_t)value;
	default: return (uint32_t)value;
	}
}

static int a_at(const struct factor *factor, unsigned row, unsigned k)
{
	return (int)((row * 7 + k * 3) % 11) + (factor->kind == BYTE && !(factor->flags & 1) ? 240 : -4);
}

static int b_at(const struct factor *factor, unsigned k, unsigned column)
{
	return (int)((k * 5 + column * 2) % 7) + (factor->kind == BYTE && !(factor->flags & 2) ? 200 : -3);
}

static int c_at(unsigned row, unsigned column)
{
	return (int)((row * 3 + column * 13) % 17) - 8;
}

static unsigned stride_of(unsigned way)
{
	return way & IS_ODD ? ODD_STRIDE : STRIDE;
}

static void put(unsigned char *memory, enum kind kind, unsigned way, bool by_column, unsigned row, unsigned column,
		int value)
{
	const size_t major = by_column ? column : row, minor = by_column ? row : column;
	const size_t place = major * stride_of(way) + minor + (way & IS_ODD ? ODD : 0);
	const uint64_t bits = bits_of(kind, value);
	for (unsigned i = 0; i < kinds[kind].size_B; i++)
		memory[place * kinds[kind].size_B + i] = (unsigned char)(bits >> 8 * i);
}

/* --- modules --------------------------------------------------------------------------------------------------- */

/* Ids of types: components and what pointers point to, by kind; pointers to factors, in global and in local memory, and
 * to sums; matrices. */
struct ids {
	uint32_t component[KINDS], memory[KINDS], factor[2], sum, matrix[3], layout[2], function[2];
};

static void write_numbers(struct il *il, struct ids *ids)
{
	const uint32_t uchar = il_id(il), ushort = il_id(il);
	const uint32_t memory[] = {ushort, il->uint, il->ulong, ushort, ushort, uchar, il->uint};
	il_op(il, IL_TYPE_INT, 3, uchar, 8, 0);
	il_op(il, IL_TYPE_INT, 3, ushort, 16, 0);
	for (unsigned kind = 0; kind < KINDS; kind++) {
		ids->memory[kind] = memory[kind];
		ids->component[kind] = kind < BFLOAT_BITS ? il_id(il) : memory[kind];
		if (kind < BFLOAT)
			il_op(il, (enum il_opcode)TYPE_FLOAT, 2, ids->component[kind], kinds[kind].size_B * 8);
	}
	il_op(il, (enum il_opcode)TYPE_FLOAT, 3, ids->component[BFLOAT], 16, 0);
}

static uint32_t write_pointer(struct il *il, uint32_t storage, uint32_t type)
{
	const uint32_t id = il_id(il);
	il_op(il, IL_TYPE_POINTER, 3, id, storage, type);
	return id;
}

static void write_types(struct il *il, struct ids *ids, const struct factor *factor, const struct shape *shape)
{
	const unsigned rows[] = {shape->m, shape->k, shape->m}, columns[] = {shape->k, shape->n, shape->n};
	write_numbers(il, ids);
	const uint32_t scope = il_constant(il, SUB_GROUP);
	for (unsigned use = 0; use < 3; use++) {
		const uint32_t row = il_constant(il, rows[use]), column = il_constant(il, columns[use]),
			       number = il_constant(il, use);
		ids->matrix[use] = il_id(il);
		il_op(il, (enum il_opcode)MATRIX_TYPE, 6, ids->matrix[use],
		      ids->component[use < 2 ? factor->kind : factor->sum], scope, row, column, number);
	}
	ids->factor[0] = write_pointer(il, IL_GLOBAL, ids->memory[factor->kind]);
	ids->factor[1] = write_pointer(il, WORKGROUP, ids->memory[factor->kind]);
	ids->sum = ids->memory[factor->sum] == ids->memory[factor->kind]
			   ? ids->factor[0]
			   : write_pointer(il, IL_GLOBAL, ids->memory[factor->sum]);
	for (unsigned i = 0; i < 2; i++) {
		ids->layout[i] = il_constant(il, i);
		ids->function[i] = il_id(il);
		il_op(il, IL_TYPE_FUNCTION, 7, ids->function[i], il->void_, ids->factor[i], ids->factor[i], ids->sum,
		      ids->sum, il->uint);
	}
}

/* void product(a, b, c, d, stride): *d = *a * *b + *c. */
static void write_function(struct il *il, const struct ids *ids, const struct factor *factor, unsigned way,
			   uint32_t function)
{
	const unsigned is_local = way & IN_LOCAL ? 1 : 0;
	const uint32_t types[] = {ids->factor[is_local], ids->factor[is_local], ids->sum, ids->sum, il->uint};
	const unsigned by_column[] = {way & A_BY_COLUMN ? 1 : 0, way & B_BY_COLUMN ? 1 : 0,
				      way & SUM_BY_COLUMN ? 1 : 0};
	uint32_t parameters[5], loaded[3], sum = il_id(il);
	il_op(il, IL_FUNCTION, 4, il->void_, function, 0, ids->function[is_local]);
	for (unsigned i = 0; i < 5; i++) {
		parameters[i] = il_id(il);
		il_op(il, IL_FUNCTION_PARAMETER, 2, types[i], parameters[i]);
	}
	il_op(il, IL_LABEL, 1, il_id(il));
	for (unsigned i = 0; i < 3; i++) {
		loaded[i] = il_id(il);
		il_op(il, (enum il_opcode)MATRIX_LOAD, 5, ids->matrix[i], loaded[i], parameters[i],
		      ids->layout[by_column[i]], parameters[4]);
	}
	il_op(il, (enum il_opcode)MATRIX_MULADD, 6, ids->matrix[2], sum, loaded[0], loaded[1], loaded[2],
	      factor->flags);
	/* Rows of the sum become columns of d, so that a wrong position does not hide behind an equal one. */
	il_op(il, (enum il_opcode)MATRIX_STORE, 4, parameters[3], sum, ids->layout[!by_column[2]], parameters[4]);
	il_kernel_end(il);
}

static void write_module(struct il *il, const struct factor *factor, const struct shape *shape,
			 const unsigned ways[WAYS])
{
	struct ids ids;
	uint32_t functions[WAYS];
	il_start(il);
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(*capabilities); i++)
		il_op(il, IL_CAPABILITY, 1, capabilities[i]);
	for (unsigned i = 0; i < WAYS; i++) {
		char name[16];
		snprintf(name, sizeof(name), "product_%u", ways[i]);
		functions[i] = il_id(il);
		il_link(il, functions[i], name, IL_EXPORT);
	}
	il_types(il);
	write_types(il, &ids, factor, shape);
	for (unsigned i = 0; i < WAYS; i++)
		write_function(il, &ids, factor, ways[i], functions[i]);
	il_finish(il);
}

/* --- kernels --------------------------------------------------------------------------------------------------- */

/* A kernel for each function, which copies the factors to local memory first if the function wants them there. */
static cl_program make_callers(const struct factor *factor, const unsigned ways[WAYS])
{
	static char source[WAYS * 1024];
	const char *in = kinds[factor->kind].memory, *sum = kinds[factor->sum].memory;
	size_t at = (size_t)snprintf(
		source, sizeof(source),
		"#define RUN(way, space, variables, copy, a_of, b_of) \\\n"
		"void product_##way(space %s *a, space %s *b, global %s *c, global %s *d, uint stride); \\\n"
		"kernel void run_##way(global %s *a, global %s *b, global %s *c, global %s *d, uint stride, "
		"uint first) { \\\n"
		"	variables \\\n"
		"	for (uint i = get_local_id(0); i < %u; i += 32) { copy } \\\n"
		"	barrier(CLK_LOCAL_MEM_FENCE); \\\n"
		"	product_##way(a_of + first, b_of + first, c + first, d + first, stride); \\\n"
		"}\n"
		"#define VARIABLES local %s la[%u] __attribute__((aligned(16))), lb[%u] __attribute__((aligned(16)));\n"
		"#define COPY la[i] = a[i]; lb[i] = b[i];\n",
		in, in, sum, sum, in, in, sum, sum, ROOM, in, ROOM, ROOM);
	for (unsigned i = 0; i < WAYS; i++)
		at += (size_t)snprintf(source + at, sizeof(source) - at,
				       ways[i] & IN_LOCAL ? "RUN(%u, local, VARIABLES, COPY, la, lb)\n"
							  : "RUN(%u, global, , , a, b)\n", ways[i]);
	return api_test_program(test.context, source);
}

static cl_program build(const struct factor *factor, const struct shape *shape, const unsigned ways[WAYS])
{
	struct il il;
	cl_int error;
	write_module(&il, factor, shape, ways);
	cl_program parts[2] = {clCreateProgramWithIL(test.context, il.words, il.count * sizeof(*il.words), &error),
			       make_callers(factor, ways)};
	CHECK_OK(error);
	il_free(&il);
	for (unsigned i = 0; i < 2; i++)
		if (!CHECK_OK(clCompileProgram(parts[i], 1, &test.device, NULL, 0, NULL, NULL, NULL, NULL))) {
			char log[4096];
			build_log(parts[i], test.device, log, sizeof(log));
			printf("%u x %u x %u, type %d: %s\n", shape->m, shape->n, shape->k, factor->kind, log);
		}
	cl_program linked = clLinkProgram(test.context, 1, &test.device, NULL, 2, parts, NULL, NULL, &error);
	CHECK_OK(error);
	for (unsigned i = 0; i < 2; i++)
		CHECK_OK(clReleaseProgram(parts[i]));
	return linked;
}

/* --- products -------------------------------------------------------------------------------------------------- */

static void fill(const struct factor *factor, const struct shape *shape, unsigned way, unsigned char *memory[4],
		 unsigned char *expected)
{
	for (unsigned i = 0; i < 4; i++)
		memset(memory[i], SENTINEL, ROOM * 8);
	memset(expected, SENTINEL, ROOM * 8);
	for (unsigned k = 0; k < shape->k; k++) {
		for (unsigned row = 0; row < shape->m; row++)
			put(memory[0], factor->kind, way, way & A_BY_COLUMN, row, k, a_at(factor, row, k));
		for (unsigned column = 0; column < shape->n; column++)
			put(memory[1], factor->kind, way, way & B_BY_COLUMN, k, column, b_at(factor, k, column));
	}
	for (unsigned row = 0; row < shape->m; row++)
		for (unsigned column = 0; column < shape->n; column++) {
			int sum = c_at(row, column);
			for (unsigned k = 0; k < shape->k; k++)
				sum += a_at(factor, row, k) * b_at(factor, k, column);
			put(memory[2], factor->sum, way, way & SUM_BY_COLUMN, row, column, c_at(row, column));
			put(expected, factor->sum, way, !(way & SUM_BY_COLUMN), row, column, sum);
		}
}

static void check_way(cl_program program, const struct factor *factor, const struct shape *shape, unsigned way)
{
	static unsigned char memory[5][ROOM * 8];
	unsigned char *parts[] = {memory[0], memory[1], memory[2], memory[3]};
	const size_t items = 32, sum_B = (size_t)ROOM * kinds[factor->sum].size_B;
	const cl_uint stride = stride_of(way), first = way & IS_ODD ? ODD : 0;
	cl_mem mems[4];
	char name[16];
	snprintf(name, sizeof(name), "run_%u", way);
	cl_kernel kernel = kernel_make(program, name);
	fill(factor, shape, way, parts, memory[4]);
	for (cl_uint i = 0; i < 4; i++) {
		mems[i] = buffer_make(test.context, CL_MEM_COPY_HOST_PTR, ROOM * 8, memory[i]);
		CHECK_OK(clSetKernelArg(kernel, i, sizeof(mems[i]), &mems[i]));
	}
	CHECK_OK(clSetKernelArg(kernel, 4, sizeof(stride), &stride));
	CHECK_OK(clSetKernelArg(kernel, 5, sizeof(first), &first));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
	buffer_read(queue, mems[3], memory[3], sum_B);
	if (!CHECK(!memcmp(memory[3], memory[4], sum_B)))
		printf("%u x %u x %u, type %d, sum %d, flags 0x%x, way %u\n", shape->m, shape->n, shape->k,
		       factor->kind, factor->sum, (unsigned)factor->flags, way);
	for (cl_uint i = 0; i < 4; i++)
		CHECK_OK(clReleaseMemObject(mems[i]));
	CHECK_OK(clReleaseKernel(kernel));
}

/* A quarter of all ways, in turn. */
static void check_shape(const struct factor *factor, const struct shape *shape, unsigned number)
{
	unsigned ways[WAYS];
	for (unsigned i = 0; i < WAYS; i++)
		ways[i] = i * 4 + (number + i / 2) % 4;
	cl_program program = build(factor, shape, ways);
	for (unsigned i = 0; program && i < WAYS; i++)
		check_way(program, factor, shape, ways[i]);
	if (program)
		CHECK_OK(clReleaseProgram(program));
}

static bool has_newer(void)
{
	cl_matrix_shape_culvert shapes[32];
	size_t size_B = 0;
	bool found = false;
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_MATRIX_SHAPES_CULVERT, sizeof(shapes), shapes, &size_B));
	for (size_t i = 0; i < size_B / sizeof(shapes[0]); i++)
		found |= shapes[i].a_type == CL_MATRIX_BFLOAT16_CULVERT;
	return found;
}

int main(void)
{
	unsigned number = 0;
	if (!api_test_start(&test, "matrix_il"))
		return API_TEST_SKIP;
	queue = queue_make(test.context, test.device, 0);
	const bool newer = has_newer();
	for (size_t i = 0; i < sizeof(factors) / sizeof(*factors); i++)
		for (const struct shape *shape = factors[i].shapes; shape->m; shape++)
			if (newer || !factors[i].is_newer)
				check_shape(&factors[i], shape, number++);
	CHECK(number > 15);
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
