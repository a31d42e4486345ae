/* Protects: mma, wmma and ldmatrix in softcuda.  Products are compared with sums of the host.  Of mma and ldmatrix,
 * which lane has which element is what the PTX ISA says of each shape ("Matrix Fragments for mma.m16n8k16 ..."); of
 * wmma, what one instruction loads the next one multiplies and stores. */
#include "config.h"

#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#include <math.h>

#define HEADER ".version 8.3\n.target sm_90\n.address_size 64\n"

/* -- elements as bits ------------------------------------------------------------------ */

enum type { F16, BF16, TF32, F32, F64, S8, U8, S32, E4M3, E5M2, TYPES };
static const struct { const char *name; unsigned size_B; } types[TYPES] = {
	{"f16", 2}, {"bf16", 2}, {"tf32", 4}, {"f32", 4}, {"f64", 8}, {"s8", 1}, {"u8", 1}, {"s32", 4},
	{"e4m3", 1}, {"e5m2", 1}
};

/* Small whole numbers, which all types have. */
static void put(void *to, enum type type, double value)
{
	const float real = (float)value;
	uint32_t bits;
	int exponent;
	memcpy(&bits, &real, sizeof(bits));
	const double fraction = frexp(fabs(value), &exponent);
	const uint16_t half = (uint16_t)((value < 0 ? 0x8000 : 0) | (value == 0 ? 0 : (exponent + 14) << 10 |
									    (int)(fraction * 2048 - 1024)));
	const uint16_t bfloat = (uint16_t)(bits >> 16);
	const int32_t whole = (int32_t)value;
	/* One sign, exponents with a bias of 7 or 15, and three or two bits of the fraction. */
	const unsigned bias = type == E4M3 ? 7 : 15, width = type == E4M3 ? 3 : 2;
	const uint8_t small = (uint8_t)((value < 0 ? 0x80 : 0) |
					(value == 0 ? 0 : ((unsigned)exponent - 1 + bias) << width |
							  (unsigned)(fraction * (2 << width) - (1 << width))));
	switch (type) {
	case F16:
		memcpy(to, &half, 2);
		break;
	case BF16:
		memcpy(to, &bfloat, 2);
		break;
	case F64:
		memcpy(to, &value, 8);
		break;
	case S8:
	case U8:
		memcpy(to, &whole, 1);
		break;
	case S32:
		memcpy(to, &whole, 4);
		break;
	case E4M3:
	case E5M2:
		memcpy(to, &small, 1);
		break;
	default:
		memcpy(to, &bits, 4);
		break;
	}
}

static bool equals(const void *bytes, enum type type, double value)
{
	char expected[8];
	put(expected, type, value);
	return !memcmp(bytes, expected, types[type].size_B);
}

/* The elements of the matrices of a product, without an order that another layout would give, too. */
static double a_at(enum type type, unsigned row, unsigned k)
{
	const int value = (int)((row * 7 + k * 3) % 11);
	return type == U8 ? value + 200 : value - 4;
}

static double b_at(enum type type, unsigned k, unsigned column)
{
	const int value = (int)((k * 5 + column * 2) % 7);
	return type == U8 ? value + 240 : value - 3;
}

static double c_at(unsigned row, unsigned column)
{
	return (double)((row * 3 + column * 13) % 17) - 8;
}

static double sum_at(enum type a, enum type b, unsigned k, unsigned row, unsigned column)
{
	double sum = c_at(row, column);
	for (unsigned i = 0; i < k; i++)
		sum += a_at(a, row, i) * b_at(b, i, column);
	return sum;
}

/* -- mma ------------------------------------------------------------------------------- */

struct mma {
	unsigned m, n, k;
	enum type a, b, sum;
};

/* The ISA's formulas, where groupID is lane >> 2 and threadID_in_group lane % 4. */
static void place_a(const struct mma *mma, unsigned lane, unsigned i, unsigned *row, unsigned *k)
{
	const unsigned group = lane >> 2, thread = lane % 4;
	*row = group;
	*k = thread;
	switch (types[mma->a].size_B) {
	case 1:
		*k = thread * 4 + (i & 3) + (i >= 8 ? 16 : 0);
		*row += (i >= 4 && i < 8) || i >= 12 ? 8 : 0;
		break;
	case 2:
		*k = thread * 2 + (i & 1) + (i >= 4 ? 8 : 0);
		*row += (i >= 2 && i < 4) || i >= 6 ? 8 : 0;
		break;
	default:
		*k += i % 2 ? i * 2 - 2 : i * 2;
		*row += i % 2 ? 8 : 0;
		break;
	}
}

static void place_b(const struct mma *mma, unsigned lane, unsigned i, unsigned *k, unsigned *column)
{
	const unsigned group = lane >> 2, thread = lane % 4;
	*column = group;
	*k = types[mma->b].size_B == 1 ? thread * 4 + (i & 3) + (i >= 4 ? 16 : 0) :
	     types[mma->b].size_B == 2 ? thread * 2 + (i & 1) + (i >= 2 ? 8 : 0) : thread + i * 4;
}

static void place_c(unsigned lane, unsigned i, unsigned *row, unsigned *column)
{
	*row = (lane >> 2) + (i >= 2 ? 8 : 0);
	*column = (lane % 4) * 2 + (i & 1);
}

/* "{%prefix0, %prefix1}", with loads or stores of these from a lane's 64 bytes in memory before or behind it. */
static unsigned registers(unsigned elements, enum type type)
{
	return types[type].size_B < 4 ? elements * types[type].size_B / 4 : elements;
}

static void list(struct bytes *ptx, const char *prefix, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		bytes_printf(ptx, "%s%%%s%u", i ? ", " : "{", prefix, i);
	bytes_append_string(ptx, "}");
}

static void transfers(struct bytes *ptx, bool load, const char *prefix, const char *address, unsigned count,
		      enum type type)
{
	const char *width = types[type].size_B == 8 ? "b64" : "b32";
	if (load)
		bytes_printf(ptx, ".reg .%s %%%s<8>;\n", width, prefix);
	for (unsigned i = 0; i < count; i++) {
		const unsigned at_B = i * (types[type].size_B == 8 ? 8 : 4);
		if (load)
			bytes_printf(ptx, "ld.global.%s %%%s%u, [%s+%u];\n", width, prefix, i, address, at_B);
		else
			bytes_printf(ptx, "st.global.%s [%s+%u], %%%s%u;\n", width, address, at_B, prefix, i);
	}
}

static void write_mma(struct bytes *ptx, const struct mma *mma)
{
	const unsigned a = registers(mma->m * mma->k / 32, mma->a), b = registers(mma->n * mma->k / 32, mma->b);
	const unsigned c = registers(mma->m * mma->n / 32, mma->sum);
	bytes_append_string(
		ptx,
		HEADER ".entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {\n"
		       ".reg .b64 %pa, %pb, %pc, %pd, %o; .reg .b32 %lane;\n"
		       "mov.u32 %lane, %tid.x; mul.wide.u32 %o, %lane, 64;\n"
		       "ld.param.u64 %pa, [a]; add.s64 %pa, %pa, %o; ld.param.u64 %pb, [b]; add.s64 %pb, %pb, %o;\n"
		       "ld.param.u64 %pc, [c]; add.s64 %pc, %pc, %o; ld.param.u64 %pd, [d]; add.s64 %pd, %pd, %o;\n");
	transfers(ptx, true, "a", "%pa", a, mma->a);
	transfers(ptx, true, "b", "%pb", b, mma->b);
	transfers(ptx, true, "c", "%pc", c, mma->sum);
	bytes_printf(ptx, "mma.sync.aligned.m%un%uk%u.row.col.%s.%s.%s.%s ", mma->m, mma->n, mma->k,
		     types[mma->sum].name, types[mma->a].name, types[mma->b].name, types[mma->sum].name);
	list(ptx, "c", c);
	bytes_append_string(ptx, ", ");
	list(ptx, "a", a);
	bytes_append_string(ptx, ", ");
	list(ptx, "b", b);
	bytes_append_string(ptx, ", ");
	list(ptx, "c", c);
	bytes_append_string(ptx, ";\n");
	transfers(ptx, false, "c", "%pd", c, mma->sum);
	bytes_append_string(ptx, "ret; }\n");
}

static void fill_mma(const struct mma *mma, char *a, char *b, char *c)
{
	unsigned row, column;
	for (unsigned lane = 0; lane < 32; lane++) {
		for (unsigned i = 0; i < mma->m * mma->k / 32; i++) {
			place_a(mma, lane, i, &row, &column);
			put(a + 64 * lane + i * types[mma->a].size_B, mma->a, a_at(mma->a, row, column));
		}
		for (unsigned i = 0; i < mma->n * mma->k / 32; i++) {
			place_b(mma, lane, i, &row, &column);
			put(b + 64 * lane + i * types[mma->b].size_B, mma->b, b_at(mma->b, row, column));
		}
		for (unsigned i = 0; i < mma->m * mma->n / 32; i++) {
			place_c(lane, i, &row, &column);
			put(c + 64 * lane + i * types[mma->sum].size_B, mma->sum, c_at(row, column));
		}
	}
}

static void check_none(unsigned wrong, unsigned m, unsigned n, unsigned k, enum type type)
{
	if (wrong)
		printf("m%un%uk%u of %s: %u elements are wrong\n", m, n, k, types[type].name, wrong);
	CHECK(!wrong);
}

/* Whether the PTX is loaded; prints the log if not. */
static bool is_loaded(struct module *module, struct bytes *ptx)
{
	const CUresult result = module_load(module, bytes_string(ptx));
	if (result != CUDA_SUCCESS)
		printf("%s", bytes_string(&module->log));
	return result == CUDA_SUCCESS;
}

static void check_mma(const struct mma *mma)
{
	struct bytes ptx = BYTES_INIT;
	struct module module;
	unsigned row, column, wrong = 0;
	write_mma(&ptx, mma);
	REQUIRE(is_loaded(&module, &ptx));
	char *memory[4];
	for (unsigned i = 0; i < 4; i++)
		memory[i] = device_take(32 * 64);
	fill_mma(mma, memory[0], memory[1], memory[2]);
	CHECK_EQ(run(&module, "k", 1, 32, 0, memory), CUDA_SUCCESS);
	for (unsigned lane = 0; lane < 32; lane++) {
		for (unsigned i = 0; i < mma->m * mma->n / 32; i++) {
			place_c(lane, i, &row, &column);
			wrong += !equals(memory[3] + 64 * lane + i * types[mma->sum].size_B, mma->sum,
					 sum_at(mma->a, mma->b, mma->k, row, column));
		}
	}
	check_none(wrong, mma->m, mma->n, mma->k, mma->a);
	module_finish(&module);
	bytes_finish(&ptx);
}

static void products_of_registers(void)
{
	static const struct mma all[] = {
		{16, 8, 8, F16, F16, F32}, {16, 8, 8, F16, F16, F16}, {16, 8, 16, F16, F16, F32},
		{16, 8, 16, F16, F16, F16}, {16, 8, 8, BF16, BF16, F32}, {16, 8, 16, BF16, BF16, F32},
		{16, 8, 4, TF32, TF32, F32}, {16, 8, 8, TF32, TF32, F32}, {8, 8, 4, F64, F64, F64},
		{16, 8, 4, F64, F64, F64}, {16, 8, 8, F64, F64, F64}, {16, 8, 16, F64, F64, F64},
		{16, 8, 16, E4M3, E4M3, F32}, {16, 8, 32, E4M3, E5M2, F32}, {16, 8, 32, E5M2, E4M3, F16},
		{16, 8, 16, E5M2, E5M2, F16}, {8, 8, 16, S8, S8, S32},
		{8, 8, 16, U8, S8, S32}, {16, 8, 16, S8, U8, S32}, {16, 8, 32, U8, U8, S32}, {16, 8, 32, S8, S8, S32}
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		check_mma(&all[i]);
}

/* -- mma.m8n8k4 of f16: four products -------------------------------------------------- */

struct four {
	bool a_columns, b_columns;
	enum type c, d;
};

/* The ISA's formulas. */
static void place_four_a(const struct four *four, unsigned lane, unsigned i, unsigned *row, unsigned *k)
{
	*row = (four->a_columns ? i % 4 : lane % 4) + (lane < 16 ? 0 : 4);
	*k = four->a_columns ? lane % 4 : i;
}

static void place_four_b(const struct four *four, unsigned lane, unsigned i, unsigned *k, unsigned *column)
{
	*k = four->b_columns ? i : lane % 4;
	*column = (four->b_columns ? lane % 4 : i) + (lane < 16 ? 0 : 4);
}

static void place_four_c(enum type type, unsigned lane, unsigned i, unsigned *row, unsigned *column)
{
	*row = (type == F16 ? lane % 4 : (lane & 1) + (i & 2)) + (lane < 16 ? 0 : 4);
	*column = type == F16 ? i : (i & 4) + (lane & 2) + (i & 1);
}

/* The rows of a and c of the product that the lane takes part in, which differ from those of the others. */
static unsigned first_row(unsigned lane)
{
	return lane % 16 / 4 * 8;
}

static void write_four(struct bytes *ptx, const struct four *four)
{
	static const char *const layout[] = {"row", "col"};
	bytes_append_string(
		ptx,
		HEADER ".entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {\n"
		       ".reg .b64 %pa, %pb, %pc, %pd, %o; .reg .b32 %lane, %d<8>;\n"
		       "mov.u32 %lane, %tid.x; mul.wide.u32 %o, %lane, 64;\n"
		       "ld.param.u64 %pa, [a]; add.s64 %pa, %pa, %o; ld.param.u64 %pb, [b]; add.s64 %pb, %pb, %o;\n"
		       "ld.param.u64 %pc, [c]; add.s64 %pc, %pc, %o; ld.param.u64 %pd, [d]; add.s64 %pd, %pd, %o;\n");
	transfers(ptx, true, "a", "%pa", 2, F16);
	transfers(ptx, true, "b", "%pb", 2, F16);
	transfers(ptx, true, "c", "%pc", registers(8, four->c), four->c);
	bytes_printf(ptx, "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s ", layout[four->a_columns],
		     layout[four->b_columns], types[four->d].name, types[four->c].name);
	list(ptx, "d", registers(8, four->d));
	bytes_append_string(ptx, ", {%a0, %a1}, {%b0, %b1}, ");
	list(ptx, "c", registers(8, four->c));
	bytes_append_string(ptx, ";\n");
	transfers(ptx, false, "d", "%pd", registers(8, four->d), four->d);
	bytes_append_string(ptx, "ret; }\n");
}

static void check_four(const struct four *four)
{
	struct bytes ptx = BYTES_INIT;
	struct module module;
	unsigned row, column, wrong = 0;
	char *memory[4];
	write_four(&ptx, four);
	REQUIRE(is_loaded(&module, &ptx));
	for (unsigned i = 0; i < 4; i++)
		memory[i] = device_take(32 * 64);
	for (unsigned lane = 0; lane < 32; lane++) {
		for (unsigned i = 0; i < 4; i++) {
			place_four_a(four, lane, i, &row, &column);
			put(memory[0] + 64 * lane + 2 * i, F16, a_at(F16, first_row(lane) + row, column));
			place_four_b(four, lane, i, &row, &column);
			put(memory[1] + 64 * lane + 2 * i, F16, b_at(F16, row + lane % 16 / 4, column));
		}
		for (unsigned i = 0; i < 8; i++) {
			place_four_c(four->c, lane, i, &row, &column);
			put(memory[2] + 64 * lane + types[four->c].size_B * i, four->c,
			    c_at(first_row(lane) + row, column));
		}
	}
	CHECK_EQ(run(&module, "k", 1, 32, 0, memory), CUDA_SUCCESS);
	for (unsigned lane = 0; lane < 32; lane++) {
		for (unsigned i = 0; i < 8; i++) {
			place_four_c(four->d, lane, i, &row, &column);
			double sum = c_at(first_row(lane) + row, column);
			for (unsigned k = 0; k < 4; k++)
				sum += a_at(F16, first_row(lane) + row, k) * b_at(F16, k + lane % 16 / 4, column);
			wrong += !equals(memory[3] + 64 * lane + types[four->d].size_B * i, four->d, sum);
		}
	}
	check_none(wrong, 8, 8, 4, F16);
	module_finish(&module);
	bytes_finish(&ptx);
}

static void four_products(void)
{
	for (unsigned layouts = 0; layouts < 4; layouts++) {
		check_four(&(struct four){layouts & 1, layouts & 2, F32, F32});
		check_four(&(struct four){layouts & 1, layouts & 2, F16, F32});
		check_four(&(struct four){layouts & 1, layouts & 2, F16, F16});
	}
}

/* -- wmma ------------------------------------------------------------------------------ */

struct wmma {
	unsigned m, n, k;
	enum type input, sum;
	bool columns[4];          /* of a, b, c and d in memory: column by column */
	const char *space;        /* of loads and stores */
};

/* Numbers of elements between the first ones of two lines: rows or columns are further apart than they are long. */
enum { STRIDE = 40 };

static void write_wmma(struct bytes *ptx, const struct wmma *w)
{
	static const char *const layout[] = {"row", "col"};
	const bool half = w->input == F16, wide = w->input == F64;
	const unsigned a = half ? 8 : registers(w->m * w->k / 32, w->input);
	const unsigned b = half ? 8 : registers(w->n * w->k / 32, w->input);
	const unsigned c = registers(w->m * w->n / 32, w->sum);
	bytes_printf(ptx, HEADER ".entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {\n"
		     ".reg .b64 %%pa, %%pb, %%pc, %%pd; .reg .%s %%a<8>, %%b<8>, %%c<8>; .reg .b32 %%s;\n"
		     "mov.u32 %%s, %u; ld.param.u64 %%pa, [a]; ld.param.u64 %%pb, [b]; ld.param.u64 %%pc, [c];\n"
		     "ld.param.u64 %%pd, [d];\n", wide ? "b64" : "b32", STRIDE);
	for (unsigned i = 0; i < 3; i++) {
		const char name[] = {"abc"[i], '\0'};
		bytes_printf(ptx, "wmma.load.%s.sync.aligned.%s.m%un%uk%u%s.%s ", name, layout[w->columns[i]], w->m,
			     w->n, w->k, w->space, types[i == 2 ? w->sum : w->input].name);
		list(ptx, name, i == 0 ? a : i == 1 ? b : c);
		bytes_printf(ptx, ", [%%p%s], %%s;\n", name);
	}
	bytes_printf(ptx, "wmma.mma.sync.aligned.%s.%s.m%un%uk%u.%s", layout[w->columns[0]], layout[w->columns[1]],
		     w->m, w->n, w->k, types[w->sum].name);
	if (!half)
		bytes_printf(ptx, ".%s.%s", types[w->input].name, types[w->input].name);
	bytes_printf(ptx, ".%s ", types[w->sum].name);
	list(ptx, "c", c);
	bytes_append_string(ptx, ", ");
	list(ptx, "a", a);
	bytes_append_string(ptx, ", ");
	list(ptx, "b", b);
	bytes_append_string(ptx, ", ");
	list(ptx, "c", c);
	bytes_printf(ptx, ";\nwmma.store.d.sync.aligned.%s.m%un%uk%u%s.%s [%%pd], ", layout[w->columns[3]], w->m, w->n,
		     w->k, w->space, types[w->sum].name);
	list(ptx, "c", c);
	bytes_append_string(ptx, ", %s;\nret; }\n");
}

static void *element(char *matrix, enum type type, bool columns, unsigned row, unsigned column)
{
	return matrix + (columns ? column * STRIDE + row : row * STRIDE + column) * types[type].size_B;
}

static unsigned count_wrong(const struct wmma *w, char *d)
{
	unsigned wrong = 0;
	for (unsigned row = 0; row < w->m; row++)
		for (unsigned column = 0; column < w->n; column++)
			wrong += !equals(element(d, w->sum, w->columns[3], row, column), w->sum,
					 sum_at(w->input, w->input, w->k, row, column));
	return wrong;
}

static void check_wmma(const struct wmma *w)
{
	struct bytes ptx = BYTES_INIT;
	struct module module;
	write_wmma(&ptx, w);
	REQUIRE(is_loaded(&module, &ptx));
	char *memory[4];
	for (unsigned i = 0; i < 4; i++)
		memory[i] = device_take(32 * STRIDE * 8);
	for (unsigned row = 0; row < w->m; row++)
		for (unsigned k = 0; k < w->k; k++)
			put(element(memory[0], w->input, w->columns[0], row, k), w->input, a_at(w->input, row, k));
	for (unsigned k = 0; k < w->k; k++)
		for (unsigned column = 0; column < w->n; column++)
			put(element(memory[1], w->input, w->columns[1], k, column), w->input,
			    b_at(w->input, k, column));
	for (unsigned row = 0; row < w->m; row++)
		for (unsigned column = 0; column < w->n; column++)
			put(element(memory[2], w->sum, w->columns[2], row, column), w->sum, c_at(row, column));
	CHECK_EQ(run(&module, "k", 1, 32, 0, memory), CUDA_SUCCESS);
	check_none(count_wrong(w, memory[3]), w->m, w->n, w->k, w->input);
	module_finish(&module);
	bytes_finish(&ptx);
}

static void products_of_memory(void)
{
	static const struct { unsigned m, n, k; enum type input, sum; } all[] = {
		{16, 16, 16, F16, F32}, {32, 8, 16, F16, F32}, {8, 32, 16, F16, F16}, {16, 16, 16, F16, F16},
		{16, 16, 16, BF16, F32}, {32, 8, 16, BF16, F32}, {8, 32, 16, BF16, F32}, {16, 16, 8, TF32, F32},
		{8, 8, 4, F64, F64}, {16, 16, 16, S8, S32}, {32, 8, 16, U8, S32}, {8, 32, 16, S8, S32}
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (unsigned columns = 0; columns < 16; columns++) {
			const struct wmma w = {all[i].m, all[i].n, all[i].k, all[i].input, all[i].sum,
					       {columns & 1, columns & 2, columns & 4, columns & 8},
					       columns % 3 ? ".global" : ""};
			check_wmma(&w);
		}
	}
}

/* -- what is special ------------------------------------------------------------------- */

/* Rows of 8 halves that lie in no order: lane l has the address of row l. */
static const char rows_ptx[] = HEADER
	".entry k(.param .u64 in, .param .u64 out) {\n"
	".reg .b64 %p, %q, %o; .reg .b32 %l, %n, %s, %r<8>; .shared .align 16 .b8 room[512];\n"
	"mov.u32 %l, %tid.x; ld.param.u64 %p, [in]; mul.wide.u32 %o, %l, 16; add.s64 %q, %p, %o;\n"
	"ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%q]; xor.b32 %n, %l, 21; shl.b32 %n, %n, 4;\n"
	"mov.u32 %s, room; add.u32 %s, %s, %n; st.shared.v4.u32 [%s], {%r0, %r1, %r2, %r3}; bar.warp.sync -1;\n"
	"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%s];\n"
	"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r4, %r5}, [%s];\n"
	"ldmatrix.sync.aligned.m8n8.x1.trans.shared::cta.b16 {%r6}, [%s+0];\n"
	"ld.param.u64 %p, [out]; mul.wide.u32 %o, %l, 28; add.s64 %p, %p, %o;\n"
	"st.global.u32 [%p], %r0; st.global.u32 [%p+4], %r1; st.global.u32 [%p+8], %r2; st.global.u32 [%p+12], %r3;\n"
	"st.global.u32 [%p+16], %r4; st.global.u32 [%p+20], %r5; st.global.u32 [%p+24], %r6; ret; }\n";

/* The offset of the address counts for the alignment, too. */
static const char misaligned_ptx[] = HEADER
	".entry k() { .reg .b32 %s, %r; .shared .align 16 .b8 room[64]; mov.u32 %s, room; add.u32 %s, %s, 8;\n"
	"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r}, [%s+8]; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r}, "
	"[%s+16]; ret; }\n";

static void misaligned_rows(void)
{
	struct module module;
	REQUIRE(module_load(&module, misaligned_ptx) == CUDA_SUCCESS);
	CHECK_EQ(run(&module, "k", 1, 32, 0, NULL), CUDA_ERROR_MISALIGNED_ADDRESS);
	CHECK(strstr(bytes_string(&module.log), "16 bytes") && strstr(bytes_string(&module.log), "ptx line 5"));
	module_finish(&module);
}

static void rows_of_matrices(void)
{
	struct module module;
	unsigned wrong = 0;
	REQUIRE(module_load(&module, rows_ptx) == CUDA_SUCCESS);
	uint16_t *in = device_take(32 * 16), (*out)[14] = device_take(32 * 28);
	for (unsigned i = 0; i < 256; i++)
		in[i] = (uint16_t)(i * 251 + 9);
	struct { const void *in; void *out; } parameters = {in, out};
	CHECK_EQ(run(&module, "k", 1, 32, 0, &parameters), CUDA_SUCCESS);
	for (unsigned l = 0; l < 32; l++) {
		const unsigned group = l / 4, pair = 2 * (l % 4);
		for (unsigned i = 0; i < 8; i++)
			wrong += out[l][i] != in[8 * (8 * (i / 2) + group) + pair + i % 2];
		for (unsigned i = 0; i < 4; i++)
			wrong += out[l][8 + i] != in[8 * (8 * (i / 2) + pair + i % 2) + group];
		wrong += out[l][12] != in[8 * pair + group] || out[l][13] != in[8 * (pair + 1) + group];
	}
	CHECK_EQ(wrong, 0);
	module_finish(&module);
}

/* "If .satfinite is not specified, the accumulation is performed with wrapping"; the bits below a tf32's ten do not
 * count. */
static const char limits_ptx[] = HEADER
	".entry k(.param .u64 out) {\n"
	".reg .b64 %p; .reg .b32 %l, %w<2>, %s<2>, %b, %c, %t, %f<4>; .reg .b64 %o;\n"
	"mov.u32 %b, 0x7f7f7f7f; mov.u32 %c, 0x7fffffff; mov.u32 %t, 0x3f801fff; mov.u32 %f0, 0;\n"
	"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%w0, %w1}, {%b}, {%b}, {%c, %c};\n"
	"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {%s0, %s1}, {%b}, {%b}, {%c, %c};\n"
	"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, {%t, %t}, {%t}, {%f0, %f0, %f0, "
	"%f0};\n"
	"mov.u32 %l, %tid.x; mul.wide.u32 %o, %l, 12; ld.param.u64 %p, [out]; add.s64 %p, %p, %o;\n"
	"st.global.u32 [%p], %w1; st.global.u32 [%p+4], %s1; st.global.u32 [%p+8], %f2; ret; }\n";

static void limits_of_sums(void)
{
	struct module module;
	REQUIRE(module_load(&module, limits_ptx) == CUDA_SUCCESS);
	uint32_t (*out)[3] = device_take(32 * 12);
	CHECK_EQ(run(&module, "k", 1, 32, 0, &out), CUDA_SUCCESS);
	for (unsigned l = 0; l < 32; l++) {
		CHECK_EQ(out[l][0], 0x7fffffffu + 16 * 127 * 127);
		CHECK_EQ(out[l][1], 0x7fffffffu);
		CHECK_EQ(out[l][2], 0x40800000u);
	}
	module_finish(&module);
}

/* Lanes that come by different ways multiply once all are there; where some never come, the launch ends. */
static const char paths_ptx[] = HEADER
	".func (.reg .b32 r) product(.reg .b32 x) { .reg .b32 %r<4>;\n"
	"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0, %r1}, {x}, {x}, {x, x}; add.u32 r, %r0, %r1; ret; }\n"
	".entry k(.param .u64 out) {\n"
	".reg .b64 %p, %o; .reg .b32 %l, %r; .reg .pred %t; mov.u32 %l, %tid.x; setp.lt.u32 %t, %l, 7;\n"
	"@%t bra A; call (%r), product, (0); bra B; A: add.u32 %l, %l, 0; call (%r), product, (0);\n"
	"B: mul.wide.u32 %o, %l, 4; ld.param.u64 %p, [out]; add.s64 %p, %p, %o; st.global.u32 [%p], %r; ret; }\n"
	".entry some(.param .u64 out) { .reg .b32 %l, %r; .reg .pred %t; mov.u32 %l, %tid.x; setp.lt.u32 %t, %l, 7;\n"
	"@%t call (%r), product, (0); ret; }\n";

static void lanes_that_diverge(void)
{
	struct module module;
	REQUIRE(module_load(&module, paths_ptx) == CUDA_SUCCESS);
	uint32_t *out = device_take(32 * 4);
	memset(out, 0xff, 32 * 4);
	CHECK_EQ(run(&module, "k", 1, 32, 0, &out), CUDA_SUCCESS);
	for (unsigned l = 0; l < 32; l++)
		CHECK_EQ(out[l], 0);
	CHECK_EQ(run(&module, "some", 1, 32, 0, &out), CUDA_ERROR_ILLEGAL_INSTRUCTION);
	CHECK(strstr(bytes_string(&module.log), "all 32 have to take part"));
	CHECK_EQ(run(&module, "k", 1, 31, 0, &out), CUDA_ERROR_ILLEGAL_INSTRUCTION);
	module_finish(&module);
}

/* What ptxas refuses is refused with the instruction's name. */
static void refused(void)
{
	static const char *const bodies[] = {
		"mma.sync.aligned.m16n8k16.row.row.s32.s8.s8.s32 {r, r, r, r}, {r, r}, {r}, {r, r, r, r};",
		"mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32 {r, r, r, r}, {r}, {r}, {r, r, r, r};",
		"mma.sync.aligned.m16n8k8.row.col.f16.bf16.bf16.f16 {r, r}, {r, r}, {r}, {r, r};",
		"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {r, r, r}, {r, r}, {r}, {r, r, r, r};",
		"wmma.load.a.sync.aligned.row.m16n16k8.f16 {r, r, r, r, r, r, r, r}, [p];",
		"wmma.store.c.sync.aligned.row.m16n16k16.f32 [p], {r, r, r, r, r, r, r, r};",
		"ldmatrix.sync.aligned.m8n8.x3.shared.b16 {r, r, r}, [p];",
		"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32 {r, r, r, r}, {r, r}, {r, r}, "
		"{r, r, r, r, r, r, r, r};",
		"mma.sync.aligned.m8n8k4.row.col.f32.bf16.bf16.f32 {r, r, r, r, r, r, r, r}, {r, r}, {r, r}, "
		"{r, r, r, r, r, r, r, r};",
		"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.s8.f32 {r, r, r, r}, {r, r, r, r}, {r, r}, {r, r, r, r};"
	};
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct bytes ptx = BYTES_INIT;
		struct module module;
		char name[16];
		snprintf(name, sizeof(name), "'%.8s", bodies[i]);
		bytes_printf(&ptx,
			     HEADER ".entry k() { .reg .b32 r; .reg .b64 p; mov.u32 r, 0; mov.u64 p, 0;\n%s ret; }\n",
			     bodies[i]);
		CHECK_EQ(module_load(&module, bytes_string(&ptx)), CUDA_ERROR_INVALID_PTX);
		CHECK(strstr(bytes_string(&module.log), name));
		module_finish(&module);
		bytes_finish(&ptx);
	}
}

static void check_target(const char *body, unsigned since, unsigned target)
{
	struct bytes ptx = BYTES_INIT, words = BYTES_INIT;
	struct module module;
	const bool known = target >= since;
	bytes_printf(&words, "requires .target sm_%u", since);
	bytes_printf(&ptx,
		     ".version 8.3\n.target sm_%u\n.address_size 64\n.entry k() { .reg .b32 r; .reg .b64 p;\n"
		     "mov.u32 r, 0; mov.u64 p, 0;\n%s ret; }\n",
		     target, body);
	CHECK_EQ(module_load(&module, bytes_string(&ptx)), known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX);
	CHECK(known || strstr(bytes_string(&module.log), bytes_string(&words)));
	if (known)
		module_finish(&module);
	else
		bytes_finish(&module.log);
	bytes_finish(&words);
	bytes_finish(&ptx);
}

/* What came with a compute capability is refused for an older target, as by ptxas. */
static void older_targets(void)
{
	static const struct {
		unsigned since;
		const char *body;
	} known[] = {
		{90, "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {p, p, p, p}, {p, p}, {p}, {p, p, p, p};"},
		{89, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {r, r, r, r}, {r, r, r, r}, {r, r}, "
		     "{r, r, r, r};"},
		{70, "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {r, r, r, r}, {r, r}, {r, r}, {r, r, r, r};"},
		{80, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
		     "{r, r, r, r}, {r, r, r, r}, {r, r}, {r, r, r, r};"},
		{80, "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {r, r, r, r}, {r, r}, {r}, {r, r, r, r};"},
		{80, "wmma.load.a.sync.aligned.row.m16n16k16.bf16 {r, r, r, r}, [p];"},
		{75, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {r, r, r, r}, {r, r}, {r}, {r, r, r, r};"},
		{75, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {r, r}, {r}, {r}, {r, r};"},
		{75, "ldmatrix.sync.aligned.m8n8.x1.b16 {r}, [p];"},
		{72, "wmma.load.a.sync.aligned.row.m16n16k16.s8 {r, r}, [p];"},
		{70, "wmma.load.a.sync.aligned.row.m16n16k16.f16 {r, r, r, r, r, r, r, r}, [p];"},
	};
	static const unsigned targets[] = {70, 72, 75, 80, 89, 90};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		for (size_t t = 0; t < sizeof(targets) / sizeof(targets[0]); t++)
			check_target(known[i].body, known[i].since, targets[t]);
}

TEST_MAIN(TEST(older_targets), TEST(products_of_registers), TEST(four_products), TEST(products_of_memory),
	  TEST(rows_of_matrices), TEST(misaligned_rows), TEST(limits_of_sums), TEST(lanes_that_diverge), TEST(refused))
