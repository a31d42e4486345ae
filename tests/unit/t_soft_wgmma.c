/* Protects: wgmma in softcuda.  A matrix in shared memory is laid out by the ISA's tables of canonical layouts
 * ("Strides" and "Shared Memory Matrix Layout" of wgmma), written here as the table has them, with the formula for
 * swizzled addresses; sums are compared with those of the host, at the places that "Register Fragments" of wgmma
 * names. */
#include "config.h"

#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#define HEADER ".version 8.4\n.target sm_90a\n.address_size 64\n"

enum type { F16, BF16, TF32, S8, U8, E4M3, E5M2 };
static const struct { const char *name; unsigned size_B; } types[] = {
	{"f16", 2}, {"bf16", 2}, {"tf32", 4}, {"s8", 1}, {"u8", 1}, {"e4m3", 1}, {"e5m2", 1}
};

/* Whole numbers from -8 to 7, and their bits. */
static int a_at(enum type type, unsigned row, unsigned k)
{
	return (int)((row * 7 + k * 3 + row * k) % 11) - (type == U8 ? 0 : 5);
}

static int b_at(enum type type, unsigned k, unsigned column)
{
	return (int)((k * 5 + column * 2 + column / 3) % 7) - (type == U8 ? 0 : 3);
}

static int c_at(unsigned row, unsigned column)
{
	return (int)((row * 3 + column * 13) % 17) - 8;
}

static uint32_t bits_of(enum type type, int value)
{
	static const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x4880,
					  0x4900};
	static const uint8_t e4m3[] = {0, 0x38, 0x40, 0x44, 0x48, 0x4a, 0x4c, 0x4e, 0x50, 0x51, 0x52};
	const float real = (float)value;
	uint32_t bits;
	memcpy(&bits, &real, sizeof(bits));
	switch (type) {
	case F16:
		return halves[abs(value)] | (value < 0 ? 0x8000u : 0);
	case BF16:
		return bits >> 16;
	case TF32:
		return bits;
	case E4M3:
		return e4m3[abs(value)] | (value < 0 ? 0x80u : 0);
	case E5M2:
		/* The upper half of an f16, which has all that such numbers need. */
		return halves[abs(value)] >> 8 | (value < 0 ? 0x80u : 0);
	default:
		return (uint32_t)value & 0xff;
	}
}

/* One instruction with 64 rows. */
struct wgmma {
	unsigned n;
	enum type a, b;
	unsigned swizzle_B;               /* 16: none */
	bool a_transposed, b_transposed;
	bool a_in_registers;
	int a_scale, b_scale;             /* 1 or -1 */
	const char *scale_d;              /* "1", "0", or "%p", which is false */
};

static unsigned depth(const struct wgmma *w)
{
	return 32 / types[w->a].size_B;
}

/* -- shared memory --------------------------------------------------------------------- */

enum { A_AT = 1024, B_AT = 16384, ROOM_B = 48 << 10 };

/* The offsets of a descriptor that the layouts below use: between patterns along the dimension of neighbours, and
 * across it.  They leave gaps. */
struct offsets {
	unsigned leading, stride;
};

static struct offsets offsets_of(const struct wgmma *w, bool transposed)
{
	if (w->swizzle_B == 16 && !transposed)
		return (struct offsets){.leading = 144, .stride = 288};
	if (w->swizzle_B == 16)
		return (struct offsets){.leading = 4224, .stride = 128};
	return (struct offsets){.leading = transposed ? 16 * w->swizzle_B : 16, .stride = 8 * w->swizzle_B};
}

/* The place of an element: mn is a row of a or a column of b. */
static unsigned place(const struct wgmma *w, bool transposed, unsigned base, unsigned size_B, unsigned mn, unsigned k)
{
	const struct offsets o = offsets_of(w, transposed);
	const unsigned unit = 16 / size_B;
	unsigned at = base;
	if (w->swizzle_B == 16 && !transposed)
		/* ((8,m),(T,2)):((1T,SBO),(1,LBO)) */
		at += mn % 8 * 16 + mn / 8 * o.stride + k % unit * size_B + k / unit * o.leading;
	else if (w->swizzle_B == 16)
		/* ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO)) */
		at += mn % unit * size_B + mn / unit * o.stride + k % 8 * 16 + k / 8 * o.leading;
	else if (!transposed)
		/* Swizzled: ((8,m),(T,2)):((8T,SBO),(1,T)) for 128 bytes */
		at += mn % 8 * w->swizzle_B + mn / 8 * o.stride + k * size_B;
	else
		/* ((T,8,m),(8,k)):((1,T,LBO),(8T,SBO)) for 128 bytes */
		at += mn * size_B % w->swizzle_B + mn * size_B / w->swizzle_B * o.leading + k % 8 * w->swizzle_B +
		      k / 8 * o.stride;
	/* The index of 16 bytes in a row is xored with that of the 128 bytes in the pattern. */
	return at ^ (at >> 7 & (w->swizzle_B / 16 - 1)) << 4;
}

static void fill_shared(const struct wgmma *w, char *room)
{
	for (unsigned row = 0; row < 64 && !w->a_in_registers; row++) {
		for (unsigned k = 0; k < depth(w); k++) {
			const uint32_t bits = bits_of(w->a, a_at(w->a, row, k));
			memcpy(room + place(w, w->a_transposed, A_AT, types[w->a].size_B, row, k), &bits,
			       types[w->a].size_B);
		}
	}
	for (unsigned column = 0; column < w->n; column++) {
		for (unsigned k = 0; k < depth(w); k++) {
			const uint32_t bits = bits_of(w->b, b_at(w->b, k, column));
			memcpy(room + place(w, w->b_transposed, B_AT, types[w->b].size_B, column, k), &bits,
			       types[w->b].size_B);
		}
	}
}

static uint64_t descriptor(const struct wgmma *w, bool transposed, unsigned base)
{
	const struct offsets o = offsets_of(w, transposed);
	const uint64_t mode = w->swizzle_B == 128 ? 1 : w->swizzle_B == 64 ? 2 : w->swizzle_B == 32 ? 3 : 0;
	return base >> 4 | (uint64_t)(o.leading >> 4) << 16 | (uint64_t)(o.stride >> 4) << 32 | mode << 62;
}

/* -- the kernel ------------------------------------------------------------------------ */

static void list(struct bytes *ptx, const char *prefix, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		bytes_printf(ptx, "%s%%%s%u", i ? ", " : "{", prefix, i);
	bytes_append_string(ptx, "}");
}

static bool is_float(const struct wgmma *w)
{
	return types[w->a].size_B > 1 || w->a >= E4M3;
}

/* Copies room to shared memory, multiplies with sums that it loads, and stores those. */
static void write_kernel(struct bytes *ptx, const struct wgmma *w)
{
	const unsigned sums = w->n / 2;
	const bool half = types[w->a].size_B == 2;
	bytes_printf(ptx, HEADER
		     ".entry k(.param .u64 room, .param .u64 a, .param .u64 c) {\n"
		     ".shared .align 1024 .b8 all[%u]; .reg .pred %%p, %%q;\n"
		     ".reg .b64 %%pr, %%pa, %%pc, %%o, %%da, %%db;\n"
		     ".reg .b32 %%t, %%i, %%v, %%s, %%a<4>, %%c<%u>;\n"
		     "mov.u32 %%t, %%tid.x; ld.param.u64 %%pr, [room]; mul.wide.u32 %%o, %%t, 4;\n"
		     "add.s64 %%pr, %%pr, %%o; mov.u32 %%s, all; mad.lo.u32 %%s, %%t, 4, %%s; mov.u32 %%i, 0;\n"
		     "L: ld.global.u32 %%v, [%%pr]; st.shared.u32 [%%s], %%v; add.s64 %%pr, %%pr, 512;\n"
		     "add.u32 %%s, %%s, 512; add.u32 %%i, %%i, 512; setp.lt.u32 %%q, %%i, %u; @%%q bra L;\n"
		     "fence.proxy.async.shared::cta; bar.sync 0; setp.ne.u32 %%p, 0, 0;\n"
		     "mov.u32 %%i, all; shr.u32 %%i, %%i, 4; cvt.u64.u32 %%o, %%i;\n"
		     "add.s64 %%da, %%o, 0x%llx; add.s64 %%db, %%o, 0x%llx;\n"
		     "ld.param.u64 %%pa, [a]; mul.wide.u32 %%o, %%t, 16; add.s64 %%pa, %%pa, %%o;\n"
		     "ld.global.v4.u32 {%%a0, %%a1, %%a2, %%a3}, [%%pa];\n"
		     "ld.param.u64 %%pc, [c]; mul.wide.u32 %%o, %%t, %u; add.s64 %%pc, %%pc, %%o;\n",
		     ROOM_B, sums, ROOM_B, (unsigned long long)descriptor(w, w->a_transposed, A_AT),
		     (unsigned long long)descriptor(w, w->b_transposed, B_AT), 4 * sums);
	for (unsigned i = 0; i < sums; i++)
		bytes_printf(ptx, "ld.global.u32 %%c%u, [%%pc+%u];\n", i, 4 * i);
	bytes_printf(ptx, "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s ", w->n, depth(w),
		     is_float(w) ? "f32" : "s32", types[w->a].name, types[w->b].name);
	list(ptx, "c", sums);
	bytes_append_string(ptx, ", ");
	if (w->a_in_registers)
		list(ptx, "a", 4);
	else
		bytes_append_string(ptx, "%da");
	bytes_printf(ptx, ", %%db, %s", w->scale_d);
	if (is_float(w))
		bytes_printf(ptx, ", %d, %d", w->a_scale, w->b_scale);
	if (half && !w->a_in_registers)
		bytes_printf(ptx, ", %d", w->a_transposed);
	if (half)
		bytes_printf(ptx, ", %d", w->b_transposed);
	bytes_append_string(ptx, ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n");
	for (unsigned i = 0; i < sums; i++)
		bytes_printf(ptx, "st.global.u32 [%%pc+%u], %%c%u;\n", 4 * i, i);
	bytes_append_string(ptx, "ret; }\n");
}

/* -- registers: warp w of the four has rows 16 w and on --------------------------------- */

static void fill_a(const struct wgmma *w, uint32_t (*a)[4])
{
	const unsigned per = 4 / types[w->a].size_B;
	for (unsigned t = 0; t < 128; t++) {
		for (unsigned i = 0; i < 4 * per; i++) {
			const unsigned row = t / 32 * 16 + t % 32 / 4 + (i / per % 2 ? 8 : 0);
			const unsigned k = t % 4 * per + i % per + (i / per >= 2 ? 4 * per : 0);
			a[t][i / per] |= bits_of(w->a, a_at(w->a, row, k)) << i % per * 8 * types[w->a].size_B;
		}
	}
}

static void sum_place(unsigned t, unsigned i, unsigned *row, unsigned *column)
{
	*row = t / 32 * 16 + t % 32 / 4 + (i % 4 >= 2 ? 8 : 0);
	*column = i / 4 * 8 + t % 4 * 2 + i % 2;
}

static uint32_t sum_bits(const struct wgmma *w, int sum)
{
	return is_float(w) ? bits_of(TF32, sum) : (uint32_t)sum;
}

static int sum_at(const struct wgmma *w, unsigned row, unsigned column)
{
	int sum = strcmp(w->scale_d, "1") ? 0 : c_at(row, column);
	for (unsigned k = 0; k < depth(w); k++)
		sum += w->a_scale * a_at(w->a, row, k) * w->b_scale * b_at(w->b, k, column);
	return sum;
}

static void check(const struct wgmma *w)
{
	struct bytes ptx = BYTES_INIT;
	struct module module;
	unsigned row, column, wrong = 0;
	write_kernel(&ptx, w);
	const CUresult result = module_load(&module, bytes_string(&ptx));
	if (result != CUDA_SUCCESS)
		printf("%s", bytes_string(&module.log));
	REQUIRE(result == CUDA_SUCCESS);
	char *room = device_take(ROOM_B);
	uint32_t (*a)[4] = device_take(128 * 16), *c = device_take(128 * 2 * w->n);
	fill_shared(w, room);
	fill_a(w, a);
	for (unsigned t = 0; t < 128; t++) {
		for (unsigned i = 0; i < w->n / 2; i++) {
			sum_place(t, i, &row, &column);
			c[t * w->n / 2 + i] = sum_bits(w, c_at(row, column));
		}
	}
	struct { void *room, *a, *c; } parameters = {room, a, c};
	CHECK_EQ(run(&module, "k", 1, 128, 0, &parameters), CUDA_SUCCESS);
	for (unsigned t = 0; t < 128; t++) {
		for (unsigned i = 0; i < w->n / 2; i++) {
			sum_place(t, i, &row, &column);
			wrong += c[t * w->n / 2 + i] != sum_bits(w, sum_at(w, row, column));
		}
	}
	if (wrong)
		printf("n%u %s, swizzled by %u, transposed %d %d, registers %d: %u sums are wrong\n", w->n,
		       types[w->a].name, w->swizzle_B, w->a_transposed, w->b_transposed, w->a_in_registers, wrong);
	CHECK(!wrong);
	module_finish(&module);
	device_reset();
	bytes_finish(&ptx);
}

static void layouts(void)
{
	for (unsigned swizzle_B = 16; swizzle_B <= 128; swizzle_B *= 2)
		for (unsigned way = 0; way < 8; way++)
			check(&(struct wgmma){swizzle_B == 16 ? 64 : 128, F16, F16, swizzle_B, way & 1 && !(way & 4),
					      way & 2, way & 4, 1, 1, "1"});
}

static void shapes_and_types(void)
{
	static const enum type pairs[][2] = {{F16, F16}, {BF16, BF16}, {TF32, TF32}, {S8, S8}, {U8, S8}, {S8, U8},
					     {E4M3, E5M2}, {E5M2, E4M3}};
	static const unsigned columns[] = {8, 24, 96, 256};
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (size_t n = 0; n < sizeof(columns) / sizeof(columns[0]); n++)
			for (unsigned registers = 0; registers < 2; registers++)
				check(&(struct wgmma){columns[n], pairs[i][0], pairs[i][1], 32, false, false, registers,
						      1, 1, "1"});
}

static void scales(void)
{
	for (unsigned registers = 0; registers < 2; registers++) {
		check(&(struct wgmma){64, F16, F16, 128, false, true, registers, -1, 1, "1"});
		check(&(struct wgmma){64, BF16, BF16, 128, false, true, registers, 1, -1, "0"});
		check(&(struct wgmma){64, TF32, TF32, 64, false, false, registers, -1, 1, "%p"});
	}
	for (unsigned registers = 0; registers < 2; registers++)
		check(&(struct wgmma){64, E4M3, E4M3, 64, false, false, registers, -1, 1, "1"});
	check(&(struct wgmma){64, E5M2, E5M2, 32, false, false, false, 1, -1, "%p"});
	check(&(struct wgmma){64, S8, S8, 64, false, false, false, 1, 1, "%p"});
}

/* -- sums of halves -------------------------------------------------------------------- */

/* Every element is 1: 16 + 2 in each of the two halves of a register. */
static const char halves_ptx[] = HEADER
	".entry k(.param .u64 out) { .shared .align 128 .b8 ones[256]; .reg .b64 %p, %o, %d; .reg .b32 %t, %s, %r<2>;\n"
	"mov.u32 %t, %tid.x; mov.u32 %s, ones; and.b32 %r0, %t, 63; mad.lo.u32 %s, %r0, 4, %s;\n"
	"mov.u32 %r0, 0x3c003c00; st.shared.u32 [%s], %r0; fence.proxy.async; bar.sync 0;\n"
	"mov.u32 %s, ones; shr.u32 %s, %s, 4; cvt.u64.u32 %d, %s;\n"
	"or.b64 %d, %d, 0x80000; mov.u32 %r0, 0x40004000; mov.u32 %r1, %r0; mov.u32 %s, 0x3c003c00;\n"
	"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r0, %r1}, {%s, %s, %s, %s}, %d, 1, 1, 1, 0;\n"
	"wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
	"ld.param.u64 %p, [out]; mul.wide.u32 %o, %t, 8; add.s64 %p, %p, %o; st.global.u32 [%p], %r0;\n"
	"st.global.u32 [%p+4], %r1; ret; }\n";

static void sums_of_halves(void)
{
	struct module module;
	REQUIRE(module_load(&module, halves_ptx) == CUDA_SUCCESS);
	uint32_t *out = device_take(128 * 8);
	CHECK_EQ(run(&module, "k", 1, 128, 0, &out), CUDA_SUCCESS);
	for (unsigned i = 0; i < 256; i++)
		CHECK_EQ(out[i], 0x4c804c80);
	module_finish(&module);
}

/* -- what is refused ------------------------------------------------------------------- */

#define PRODUCT "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {r, r, r, r}, d, d, 1, 1, 1, 0, 0;"

static CUresult load_body(struct module *module, const char *target, const char *body)
{
	struct bytes ptx = BYTES_INIT;
	bytes_printf(&ptx,
		     ".version 8.3\n.target %s\n.address_size 64\n.entry k() { .reg .b32 r; .reg .b64 d;\n"
		     "mov.u32 r, 0; mov.b64 d, 0x4000;\n%s ret; }\n", target, body);
	const CUresult result = module_load(module, bytes_string(&ptx));
	bytes_finish(&ptx);
	return result;
}

static void other_targets(void)
{
	static const char *const bodies[] = {PRODUCT, "wgmma.fence.sync.aligned;",
					     "setmaxnreg.dec.sync.aligned.u32 40;"};
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct module module;
		CHECK_EQ(load_body(&module, "sm_90", bodies[i]), CUDA_ERROR_INVALID_PTX);
		CHECK(strstr(bytes_string(&module.log), "requires .target sm_90a"));
		bytes_finish(&module.log);
		CHECK_EQ(load_body(&module, "sm_90a", bodies[i]), CUDA_SUCCESS);
		module_finish(&module);
	}
}

static void unknown(void)
{
	static const char *const bodies[] = {
		"wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {r, r, r, r, r, r}, d, d, 1, 1, 1, 0, 0;",
		"wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {r, r, r, r}, d, d, 1, 1, 1, 0, 0;",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.bf16 {r, r, r, r}, d, d, 1, 1, 1, 0, 0;",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {r, r, r}, d, d, 1, 1, 1, 0, 0;",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {r, r, r, r}, d, d, 1, 1, 2, 0, 0;",
		"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {r, r, r, r}, d, d, 1, 1, 1, 0, 0;",
		"wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {r, r, r, r}, d, d, 1;",
		"wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.s8 {r, r, r, r}, d, d, 1, 1, 1;",
		"wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {r, r, r, r}, d, d, 1, 1, 1, 0, 0;",
		"wgmma.wait_group.sync.aligned;", "setmaxnreg.inc.sync.aligned.u32 41;"
	};
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct module module;
		CHECK_EQ(load_body(&module, "sm_90a", bodies[i]), CUDA_ERROR_INVALID_PTX);
		CHECK(strstr(bytes_string(&module.log), i == 10 ? "'setmaxnreg" : "'wgmma."));
		bytes_finish(&module.log);
	}
}

/* Memory beyond that of the group, and a warp without three others. */
static void faults(void)
{
	struct module module;
	REQUIRE(load_body(&module, "sm_90a", PRODUCT) == CUDA_SUCCESS);
	CHECK_EQ(run(&module, "k", 1, 128, 0, NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK(strstr(bytes_string(&module.log), "out-of-bounds access of 4 bytes at local address"));
	CHECK_EQ(run(&module, "k", 1, 96, 0, NULL), CUDA_ERROR_ILLEGAL_INSTRUCTION);
	CHECK(strstr(bytes_string(&module.log), "not one of four"));
	module_finish(&module);
}

TEST_MAIN(TEST(layouts), TEST(shapes_and_types), TEST(scales), TEST(sums_of_halves), TEST(other_targets), TEST(unknown),
	  TEST(faults))
