/* Protects: loads and stores of whole warps (softcuda/exec/row.h): lanes with addresses side by side, alike, apart
 * and backwards, of each size and vector, in global and local memory; and that of such a row only the lane
 * whose bytes are not there ends the kernel. */
#include "config.h"

#include "tests/unit/soft_setup.h"
#include "base/bytes.h"

#include <string.h>

enum { LANES_OF_A_WARP = 32, MEMORY_B = 4096, STRIDES = 5 };

struct width {
	const char *type, *reg, *move;    /* move: how a 16-bit register is stored as 8 bits */
	unsigned size_B;
};

static const struct width widths[] = {
	{"u8", "h", "u8", 1}, {"s8", "h", "u8", 1}, {"u16", "h", "u16", 2}, {"b32", "w", "b32", 4},
	{"f64", "l", "b64", 8}
};

static const char *elements(const struct width *width, unsigned count)
{
	static char text[64];
	char *end = text;
	end += sprintf(end, count > 1 ? "{" : "");
	for (unsigned i = 0; i < count; i++)
		end += sprintf(end, "%s%s%u", i ? ", " : "", width->reg, i);
	sprintf(end, count > 1 ? "}" : "");
	return text;
}

static const char *vector(unsigned count)
{
	return count == 1 ? "" : count == 2 ? ".v2" : ".v4";
}

/* load: from start + thread * step + 32, by way of an offset of the instruction, to thread's place in out;
 * store: the other way round.  In local memory the whole of it is copied in before, and out after. */
static void write_kernels(struct bytes *ptx, const struct width *width, unsigned count)
{
	const char *list = elements(width, count);
	bytes_printf(ptx, ".version 7.8\n.target sm_75\n.address_size 64\n");
	for (unsigned local = 0; local < 2; local++) {
		const char *space = local ? "shared" : "global", *name = local ? "local" : "global";
		for (unsigned store = 0; store < 2; store++) {
			bytes_printf(ptx, ".entry %s_%s(.param .u64 in, .param .u64 out, .param .s32 first, "
				     ".param .s32 step) {\n"
				     ".reg .b16 h<4>; .reg .b32 w<4>, t, s, f; .reg .b64 l<4>, p, q, m; .reg .pred z;\n"
				     ".shared .align 16 .b8 room[%d];\n"
				     "ld.param.u64 p, [in]; ld.param.u64 q, [out]; mov.u32 t, %%tid.x;\n"
				     "ld.param.s32 f, [first]; ld.param.s32 s, [step]; mad.lo.s32 f, t, s, f;\n",
				     store ? "store" : "load", name, MEMORY_B);
			/* Lane 0 copies, eight bytes at a time. */
			if (local)
				bytes_printf(ptx, "setp.ne.u32 z, t, 0; @z bra FILLED; mov.u32 s, 0;\n"
					     "FILL: cvt.u64.u32 m, s; add.s64 m, m, %s; ld.global.b64 l0, [m];\n"
					     "mov.u32 w0, room; add.u32 w0, w0, s; st.shared.b64 [w0], l0;\n"
					     "add.u32 s, s, 8; setp.lt.u32 z, s, %d; @z bra FILL;\n"
					     "FILLED: bar.sync 0;\n", store ? "q" : "p", MEMORY_B);
			/* m or f: where the row is; p or q plus thread * size: where the thread's own bytes are. */
			bytes_printf(ptx, "mul.wide.u32 l0, t, %u; add.s64 %s, %s, l0; cvt.s64.s32 m, f; "
				     "add.s64 m, m, %s;\n", width->size_B * count, store ? "p" : "q",
				     store ? "p" : "q", store ? "q" : "p");
			if (local)
				bytes_printf(ptx, "mov.u32 s, room; add.s32 f, f, s;\n");
			const char *row = local ? "f" : "m";
			if (store)
				bytes_printf(ptx, "ld.global%s.%s %s, [p]; st.%s%s.%s [%s+32], %s;\n", vector(count),
					     width->type, list, space, vector(count), width->move, row, list);
			else
				bytes_printf(ptx, "ld.%s%s.%s %s, [%s+32]; st.global%s.%s [q], %s;\n", space,
					     vector(count), width->type, list, row, vector(count), width->move,
					     list);
			if (local && store)
				bytes_printf(ptx, "bar.sync 0; setp.ne.u32 z, t, 0; @z bra DONE; mov.u32 s, 0;\n"
					     "DRAIN: mov.u32 w0, room; add.u32 w0, w0, s; ld.shared.b64 l0, [w0];\n"
					     "cvt.u64.u32 m, s; add.s64 m, m, q; st.global.b64 [m], l0;\n"
					     "add.u32 s, s, 8; setp.lt.u32 z, s, %d; @z bra DRAIN;\nDONE:\n",
					     MEMORY_B);
			bytes_printf(ptx, "ret; }\n");
		}
	}
}

static unsigned char in[MEMORY_B], out[MEMORY_B], expected[MEMORY_B];

static CUresult run(CUmodule module, const char *name, CUdeviceptr from, CUdeviceptr to, int first, int step,
		    unsigned threads)
{
	CUfunction function;
	void *parameters[] = {&from, &to, &first, &step};
	CHECK_EQ(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyHtoD(from, in, MEMORY_B), CUDA_SUCCESS);
	CHECK_EQ(cuMemsetD8(to, 0xee, MEMORY_B), CUDA_SUCCESS);
	CHECK_EQ(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, NULL, parameters, NULL), CUDA_SUCCESS);
	return cuMemcpyDtoH(out, to, MEMORY_B);
}

/* Of a kernel by its name: first and step lie inside of the memory. */
static void check_row(CUmodule module, const char *name, bool store, CUdeviceptr from, CUdeviceptr to,
		      unsigned size_B, int first, int step, unsigned threads)
{
	memset(expected, 0xee, sizeof(expected));
	for (unsigned t = 0; t < threads; t++) {
		const int row = first + 32 + (int)t * step;
		if (store)
			memcpy(expected + row, in + t * size_B, size_B);
		else
			memcpy(expected + t * size_B, in + row, size_B);
	}
	CHECK_EQ(run(module, name, from, to, first, step, threads), CUDA_SUCCESS);
	if (memcmp(out, expected, MEMORY_B)) {
		printf("%s of %u bytes, first %d, step %d, %u threads: wrong\n", name, size_B, first, step, threads);
		test_failures++;
	}
}

static void check_width(const struct width *width, unsigned count, CUdeviceptr from, CUdeviceptr to)
{
	struct bytes ptx = BYTES_INIT;
	CUmodule module;
	const int size_B = (int)(width->size_B * count);
	const int steps[STRIDES] = {size_B, 0, 2 * size_B, -size_B, 3 * size_B};
	write_kernels(&ptx, width, count);
	REQUIRE(cuModuleLoadData(&module, bytes_string(&ptx)) == CUDA_SUCCESS);
	for (unsigned s = 0; s < STRIDES; s++) {
		for (unsigned threads = 30; threads <= 64; threads += 17) {
			/* The last byte of the row is the last of the memory, or its first one the first. */
			const int span = (int)(threads - 1) * (steps[s] < 0 ? -steps[s] : steps[s]) + size_B;
			const int low = -32, high = MEMORY_B - 32 - span;
			if (span > MEMORY_B)
				continue;
			const int back = steps[s] < 0 ? span - size_B : 0;
			check_row(module, "load_global", false, from, to, (unsigned)size_B, low + back, steps[s],
				  threads);
			check_row(module, "load_local", false, from, to, (unsigned)size_B, high + back, steps[s],
				  threads);
			check_row(module, "load_global", false, from, to, (unsigned)size_B, high + back, steps[s],
				  threads);
			/* Which of the stores to one place is the last is not defined. */
			if (!steps[s])
				continue;
			check_row(module, "store_global", true, from, to, (unsigned)size_B, high + back, steps[s],
				  threads);
			check_row(module, "store_local", true, from, to, (unsigned)size_B, low + back, steps[s],
				  threads);
		}
	}
	CHECK_EQ(cuModuleUnload(module), CUDA_SUCCESS);
	bytes_finish(&ptx);
}

static void rows(void)
{
	CUdeviceptr from, to;
	REQUIRE(set_up());
	REQUIRE(cuMemAlloc(&from, MEMORY_B) == CUDA_SUCCESS && cuMemAlloc(&to, MEMORY_B) == CUDA_SUCCESS);
	for (unsigned i = 0; i < MEMORY_B; i++)
		in[i] = (unsigned char)(i * 7 + i / 256 + 1);
	for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++)
		for (unsigned count = 1; count <= 4; count *= 2)
			if (widths[w].size_B * count <= 16)
				check_width(&widths[w], count, from, to);
	CHECK_EQ(cuMemFree(from), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree(to), CUDA_SUCCESS);
}

/* A row of which one lane has no memory, or that is not aligned, ends the context; each in one of its own. */
static void ends(void)
{
	static const struct { const char *kernel; int first, step; CUresult result; } cases[] = {
		{"load_global", MEMORY_B - 32 - 31 * 4, 4, CUDA_ERROR_ILLEGAL_ADDRESS},
		{"load_global", MEMORY_B - 32 - 31 * 4 - 2, 4, CUDA_ERROR_MISALIGNED_ADDRESS},
		{"store_global", MEMORY_B - 32 - 31 * 4, 4, CUDA_ERROR_ILLEGAL_ADDRESS},
		{"load_local", MEMORY_B - 32 - 31 * 4, 4, CUDA_ERROR_ILLEGAL_ADDRESS},
		{"load_local", -36, 4, CUDA_ERROR_ILLEGAL_ADDRESS},
		{"load_local", MEMORY_B - 32, 0, CUDA_ERROR_ILLEGAL_ADDRESS},
		{"store_local", MEMORY_B - 32 - 31 * 4 + 1, 4, CUDA_ERROR_MISALIGNED_ADDRESS}
	};
	struct bytes ptx = BYTES_INIT;
	write_kernels(&ptx, &widths[3], 1);
	REQUIRE(set_up());
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CUcontext context;
		CUmodule module;
		CUdeviceptr from, to;
#if CUDA_VERSION >= 13000
		REQUIRE(cuCtxCreate(&context, NULL, 0, 0) == CUDA_SUCCESS);
#else
		REQUIRE(cuCtxCreate(&context, 0, 0) == CUDA_SUCCESS);
#endif
		REQUIRE(cuModuleLoadData(&module, bytes_string(&ptx)) == CUDA_SUCCESS);
		REQUIRE(cuMemAlloc(&from, MEMORY_B) == CUDA_SUCCESS && cuMemAlloc(&to, MEMORY_B) == CUDA_SUCCESS);
		CHECK_EQ(run(module, cases[i].kernel, from, to, cases[i].first, cases[i].step, 32),
			 cases[i].result);
		cuCtxDestroy(context);
	}
	bytes_finish(&ptx);
}

TEST_MAIN(TEST(rows), TEST(ends))
