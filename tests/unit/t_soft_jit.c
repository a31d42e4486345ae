/* Protects: kernels as machine code give the bits that the interpreter gives.  Random kernels of all instructions that
 * PTX's text can name, with branches, loops, memory, barriers and shuffles, run both ways for blocks of many shapes;
 * all memory that they write is compared.  Faults are the same, and machine code of programs that are gone is given
 * back.
 *
 * SOFT_JIT_SEED=N and SOFT_JIT_KERNELS=N in the environment: which kernels and how many; SOFT_JIT_MODULES=N: how many
 * programs come and go; SOFT_JIT_BLOCKS=N: how many blocks of statements a kernel has; SOFT_JIT_ONE_IN=N: one in N of
 * t_soft_exec's cases of an instruction is compiled; SOFT_JIT_ACCESSES=N: how many kernels clamped_addresses runs. */
#include "config.h"

#include "softcuda/check/trace.h"
#include "softcuda/check/watch.h"
#include "softcuda/exec/compiled.h"
#include "softcuda/exec/level.h"
#include "softcuda/exec/tier.h"
#include "tests/unit/soft_jit_texts.h"
#include "tests/unit/soft_compiler.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEM_IN_B = 128, ITEM_OUT_B = 512, ITEMS_MAX = 512, REGISTERS = 6 };

static unsigned long from_environment(const char *name, unsigned long usual)
{
	const char *text = getenv(name);
	return text ? strtoul(text, NULL, 10) : usual;
}

/* --- a random kernel ---------- */

static struct bytes ptx;
static unsigned label, depth;
static bool late;

static unsigned any_register(char width)
{
	(void)width;
	return random_below(REGISTERS);
}

static void write_guard(void)
{
	if (!random_below(4))
		bytes_printf(&ptx, "@%sp%u ", random_below(2) ? "!" : "", random_below(REGISTERS));
}

static void write_random_instruction(void)
{
	const unsigned i = random_below(text_count);
	write_guard();
	if (strlen(texts[i].shape) == 3 && texts[i].shape[2] == 'w' && texts[i].name[0] != 's' && !random_below(4)) {
		/* Shifts and such by a constant, sums with one. */
		bytes_printf(&ptx, "%s %c%u, %c%u, 0x%x;\n", texts[i].name, texts[i].shape[0], random_below(REGISTERS),
			     texts[i].shape[1], random_below(REGISTERS),
			     random_below(2) ? random_below(40) : random_below(0x7fffffff));
		return;
	}
	write_instruction(&ptx, texts[i].name, texts[i].shape, any_register);
}

/* A place of a work-item's own: 64 bytes of each kind of memory. */
static void write_memory(void)
{
	static const struct { const char *type; char width; unsigned size_B; } types[] = {
		{"u8", 'h', 1}, {"s8", 'h', 1}, {"b16", 'h', 2}, {"b32", 'w', 4}, {"f32", 'w', 4}, {"b64", 'l', 8},
		{"v2.b32", 'w', 8}, {"v4.b32", 'w', 16}, {"v2.b64", 'l', 16}
	};
	static const char *const spaces[] = {"global", "shared", "local"};
	static const char *const bases[] = {"a", "n1", "n2"};
	const unsigned t = random_below(9), s = random_below(3), count = t == 7 ? 4 : t == 6 || t == 8 ? 2 : 1;
	const bool loads = random_below(2), varying = random_below(2);
	char data[64] = "";
	for (unsigned i = 0, at = 0; i < count; i++)
		at += (unsigned)snprintf(data + at, sizeof(data) - at, "%s%c%u", i ? ", " : "", types[t].width,
					 (random_below(2) + 2 * i) % REGISTERS);
	if (varying) {
		bytes_printf(&ptx, "and.b32 n4, w%u, %u;\n", random_below(REGISTERS), 48 & ~(types[t].size_B - 1));
		if (s)
			bytes_printf(&ptx, "add.u32 n5, %s, n4;\n", bases[s]);
		else
			bytes_append_string(&ptx, "cvt.u64.u32 b, n4; add.u64 b, b, a;\n");
	}
	write_guard();
	const char *const ordered = s && !random_below(4) ? "volatile." : "";
	const char *base = varying ? s ? "n5" : "b" : bases[s];
	const char *open = count > 1 ? "{" : "", *close = count > 1 ? "}" : "";
	const unsigned offset = random_below(2) * 16;
	if (loads)
		bytes_printf(&ptx, "ld.%s%s.%s %s%s%s, [%s+%u];\n", ordered, spaces[s], types[t].type, open, data,
			     close, base, offset);
	else
		bytes_printf(&ptx, "st.%s%s.%s [%s+%u], %s%s%s;\n", ordered, spaces[s], types[t].type, base, offset,
			     open, data, close);
}

static void write_special(void)
{
	static const char *const names[] = {"%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ctaid.x", "%nctaid.x",
					    "%laneid", "%warpid", "%lanemask_lt"};
	bytes_printf(&ptx, "mov.u32 w%u, %s;\n", random_below(REGISTERS), names[random_below(10)]);
}

/* The guard of a branch: of some lanes, or of all alike. */
static void write_condition(void)
{
	if (random_below(3))
		bytes_printf(&ptx, "and.pred g, p%u, p%u;\n", random_below(REGISTERS), random_below(REGISTERS));
	else
		bytes_printf(&ptx, "setp.lt.u32 g, n3, %u;\n", random_below(3));
}

static void write_statements(unsigned count);

static void write_branch(void)
{
	const unsigned own = label++;
	write_condition();
	bytes_printf(&ptx, "@%sg bra E%u;\n", random_below(2) ? "!" : "", own);
	write_statements(1 + random_below(5));
	const bool both = random_below(2);
	if (both)
		bytes_printf(&ptx, "bra.uni F%u;\n", own);
	bytes_printf(&ptx, "E%u:\n", own);
	if (both) {
		write_statements(1 + random_below(5));
		bytes_printf(&ptx, "F%u:\n", own);
	}
}

/* A loop of at most four turns, whose number lanes have alike or not, with a way out in the middle. */
static void write_loop(void)
{
	const unsigned own = label++, counter = 6 + depth;
	bytes_printf(&ptx, "and.b32 w%u, %s, 3;\nL%u:\n", counter, random_below(2) ? "n3" : "w1", own);
	write_statements(1 + random_below(5));
	if (random_below(2)) {
		write_condition();
		bytes_printf(&ptx, "@g bra M%u;\n", own);
	}
	write_statements(1 + random_below(3));
	bytes_printf(&ptx, "setp.ne.u32 g, w%u, 0; sub.u32 w%u, w%u, 1;\n@g bra L%u;\nM%u:\n", counter, counter,
		     counter, own, own);
}

static void write_statements(unsigned count)
{
	depth++;
	for (unsigned i = 0; i < count; i++) {
		const unsigned kind = random_below(20);
		if (kind == 0 && depth < 4)
			write_branch();
		else if (kind == 1 && depth < 4)
			write_loop();
		else if (kind < 6)
			write_memory();
		else if (kind == 6)
			write_special();
		else if (kind == 7)
			bytes_printf(&ptx, "selp.b32 w%u, w%u, w%u, p%u; mov.b32 w%u, n0;\n", random_below(REGISTERS),
				     random_below(REGISTERS), random_below(REGISTERS), random_below(REGISTERS),
				     random_below(REGISTERS));
		else
			write_random_instruction();
	}
	depth--;
}

/* PTX does not define what a shuffle reads of lanes that the last warp of a block does not have, so the result is only
 * used where the source is a work-item. */
static void write_shuffle(void)
{
	const unsigned distance = 1 + random_below(31);
	bytes_printf(&ptx, "shr.u32 n4, n6, 7; xor.b32 n4, n4, %u; mov.u32 n5, %%ntid.x; mov.u32 n7, %%ntid.y;\n"
		     "mul.lo.u32 n5, n5, n7; setp.lt.u32 g, n4, n5; shfl.sync.bfly.b32 n4, w%u, %u, 31, -1;\n"
		     "@g mov.b32 w%u, n4;\n",
		     distance, random_below(REGISTERS), distance, random_below(REGISTERS));
}

/* What all work-items come to: barriers, and what the lanes of a warp do together. */
static void write_together(void)
{
	switch (random_below(6)) {
	case 0:
		bytes_append_string(&ptx, "bar.sync 0;\n");
		break;
	case 1:
		bytes_printf(&ptx, "barrier.red.popc.u32 w%u, 0, p%u;\n", random_below(REGISTERS),
			     random_below(REGISTERS));
		break;
	case 2:
		write_shuffle();
		break;
	case 3:
		bytes_printf(&ptx, "vote.sync.ballot.b32 w%u, p%u, -1;\n", random_below(REGISTERS),
			     random_below(REGISTERS));
		break;
	case 4:
		bytes_printf(&ptx, "atom.global.add.u32 w%u, [a+8], w%u;\n", random_below(REGISTERS),
			     random_below(REGISTERS));
		break;
	default:
		bytes_printf(&ptx, "@p%u bra X;\n", random_below(REGISTERS));
		break;
	}
}

/* Where work-items have what a kernel begins and ends with: each in a structure of its own, or values of one kind side
 * by side.  Code for the former takes LLVM longer, and every fifth kernel has it. */
enum layout { STRUCTURES, ROWS };

/* The addresses of numbers of 8, 4 and 2 bytes. */
static void write_addresses(enum layout layout)
{
	for (unsigned size_B = 8; size_B >= 2; size_B /= 2)
		bytes_printf(&ptx, "mul.wide.u32 b, n0, %u; add.u64 in%u, in, b;\n"
			     "mul.wide.u32 b, n0, %u; add.u64 out%u, out, b;\n",
			     layout == ROWS ? size_B : ITEM_IN_B, size_B, layout == ROWS ? size_B : ITEM_OUT_B, size_B);
	bytes_printf(&ptx, "mul.wide.u32 a, n0, %u; add.u64 a, a, out; add.u64 a, a, %u;\n",
		     layout == ROWS ? ITEM_OUT_B / 2 : ITEM_OUT_B, ITEM_OUT_B / 2 * (layout == ROWS ? ITEMS_MAX : 1));
}

static void write_loads(unsigned scale)
{
	for (unsigned i = 0; i < REGISTERS; i++)
		bytes_printf(&ptx,
			     "ld.global.b64 l%u, [in8+%u]; ld.global.b32 w%u, [in4+%u]; ld.global.b16 h%u, [in2+%u];\n"
			     "setp.ne.u16 p%u, h%u, 0; and.b32 n4, w%u, 1; setp.ne.u32 p%u, n4, 0;\n",
			     i, 8 * i * scale, i, (48 + 4 * i) * scale, i, (72 + 2 * i) * scale, i, i, i, i);
}

static void write_stores(unsigned scale)
{
	for (unsigned i = 0; i < REGISTERS; i++)
		bytes_printf(&ptx,
			     "st.global.b64 [out8+%u], l%u; st.global.b32 [out4+%u], w%u;\n"
			     "st.global.b16 [out2+%u], h%u; selp.b32 n4, 1, 0, p%u; st.global.b32 [out4+%u], n4;\n",
			     8 * i * scale, i, (48 + 4 * i) * scale, i, (72 + 2 * i) * scale, i, i,
			     (96 + 4 * i) * scale);
	bytes_append_string(&ptx, "ld.shared.b64 l0, [n1]; ld.shared.b64 l1, [n1+24]; ld.local.b64 l2, [n2]; "
			    "ld.local.b64 l3, [n2+40];\n");
	for (unsigned i = 0; i < 4; i++)
		bytes_printf(&ptx, "st.global.b64 [out8+%u], l%u;\n", (128 + 8 * i) * scale, i);
}

/* n0 is the work-item's number, n1 and n2 the addresses of its shared and local memory, n3 the group's number, a that
 * of its memory in global memory. */
static void write_kernel(enum layout layout)
{
	const unsigned scale = layout == ROWS ? ITEMS_MAX : 1;
	bytes_finish(&ptx);
	label = depth = 0;
	bytes_append_string(&ptx, HEADER ".entry k(.param .u64 given_in, .param .u64 given_out)\n{\n");
	declare(&ptx);
	bytes_printf(&ptx, ".reg .b64 in8, in4, in2, out8, out4, out2;\n"
		     ".shared .align 16 .b8 room[%u]; .local .align 16 .b8 stack[128];\n"
		     "mov.u32 n4, %%tid.y; mov.u32 n5, %%ntid.x; mov.u32 n0, %%tid.x; mad.lo.u32 n6, n4, n5, n0;\n"
		     "mov.u32 n4, %%ntid.y; mul.lo.u32 n4, n4, n5; mov.u32 n3, %%ctaid.x; mad.lo.u32 n0, n3, n4, n6;\n"
		     "ld.param.u64 in, [given_in]; ld.param.u64 out, [given_out]; mov.u32 n2, stack;\n"
		     "mov.u32 n1, room; shl.b32 n6, n6, 7; add.u32 n1, n1, n6;\n",
		     128 * 128);
	write_addresses(layout);
	write_loads(scale);
	for (unsigned long i = from_environment("SOFT_JIT_BLOCKS", 2 + random_below(3)); i; i--) {
		write_statements(2 + random_below(8));
		if (random_below(2))
			write_together();
	}
	bytes_append_string(&ptx, "X:\n");
	write_stores(scale);
	bytes_append_string(&ptx, "ret;\n}\n");
}

/* --- both ways ---------- */

enum { SHAPES = 10 };
static const uint32_t shapes[SHAPES][2] = {{32, 1}, {64, 1}, {7, 1}, {100, 1}, {12, 3},
					   {8, 4},  {20, 2}, {3, 5}, {16, 6},  {32, 3}};

static uint32_t grid[2] = {3, 1};

/* The bytes that a launch accesses, if launches are traced. */
struct accesses {
	struct soft_interval *intervals;
	size_t count;
};

static bool traced;
static struct accesses accesses;     /* of the last launch */

static void read_trace(struct soft_trace *trace)
{
	free(accesses.intervals);
	accesses = (struct accesses){NULL, 0};
	CHECK(!trace || soft_trace_intervals(trace, &accesses.intervals, &accesses.count));
	soft_trace_destroy(trace);
}

static bool equal_accesses(const struct accesses *a, const struct accesses *b)
{
	bool equal = a->count == b->count;
	for (size_t i = 0; equal && i < a->count; i++)
		equal = a->intervals[i].start == b->intervals[i].start && a->intervals[i].end == b->intervals[i].end &&
			a->intervals[i].kinds == b->intervals[i].kinds;
	return equal;
}

static CUresult launch(struct module *module, bool interpreted, const uint32_t *shape, const void *parameters)
{
	struct soft_trace *trace = traced ? soft_trace_create() : NULL;
	bytes_finish(&module->log);
	const struct soft_launch l = {
		.function = soft_program_function(module->program, "k"), .grid = {grid[0], grid[1], 1},
		.block = {shape[0], shape[1], 1}, .parameters = parameters, .cooperative = interpreted,
		.memory = &device_memory, .variable_addresses = module->addresses, .sm = 90, .multiprocessor_count = 4,
		.watch = watch_for(trace), .watch_data = trace
	};
	const CUresult result = soft_launch_run(&l, &module->log);
	read_trace(trace);
	return result;
}

/* Numbers that mean something to some instruction, and others. */
static uint64_t random_bits(void)
{
	static const uint64_t special[] = {
		0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001,
		0x3f800000, 0xbf800000, 0x00800000, 0x00400000, 0x4f000000, 0x7fffffffffffffff, 0x8000000000000000,
		0xffffffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001, 0x7ff8000000000123,
		0x3ff0000000000000, 0x0010000000000000, 0x0008000000000000, 0x43e0000000000000, 0x3c00, 0x7c00, 0x7e01
	};
	const uint64_t bits = (uint64_t)random_below(0x7fffffff) << 33 ^ (uint64_t)random_below(0x7fffffff) << 11 ^
			      random_below(4096);
	switch (random_below(4)) {
	case 0:
		return special[random_below(sizeof(special) / sizeof(special[0]))];
	case 1:
		return special[random_below(sizeof(special) / sizeof(special[0]))] << 32 |
		       special[random_below(sizeof(special) / sizeof(special[0]))];
	case 2:
		return bits % 256;
	default:
		return bits;
	}
}

struct memory {
	char *in, *out, *expected;
};

static bool compare_shape(struct module *module, const struct memory *m, const uint32_t *shape, unsigned long seed)
{
	struct { const void *in, *out; } parameters = {m->in, m->out};
	const size_t size_B = (size_t)ITEMS_MAX * ITEM_OUT_B;
	memset(m->out, 0xee, size_B);
	const CUresult expected = launch(module, true, shape, &parameters);
	memcpy(m->expected, m->out, size_B);
	memset(m->out, 0xee, size_B);
	const struct accesses expected_accesses = accesses;
	accesses = (struct accesses){NULL, 0};
	CHECK(!traced || expected_accesses.count);
	/* Otherwise nothing would be compared. */
	CHECK(expected != CUDA_SUCCESS || memcmp(m->out, m->expected, size_B));
	const CUresult result = launch(module, false, shape, &parameters);
	const bool equal = equal_accesses(&accesses, &expected_accesses);
	free(expected_accesses.intervals);
	if (!equal)
		printf("kernel %lu, block %u x %u: other bytes are accessed\n", seed, shape[0], shape[1]);
	if (equal && result == expected && (result != CUDA_SUCCESS || !memcmp(m->out, m->expected, size_B)))
		return true;
	size_t at = 0;
	while (at < size_B && m->out[at] == m->expected[at])
		at++;
	printf("kernel %lu, block %u x %u: result %d, expected %d; byte %zu: 0x%016llx, expected 0x%016llx\n",
	       seed, shape[0], shape[1], result, expected, at,
	       at < size_B ? (unsigned long long)*(uint64_t *)(void *)(m->out + (at & ~(size_t)7)) : 0,
	       at < size_B ? (unsigned long long)*(uint64_t *)(void *)(m->expected + (at & ~(size_t)7)) : 0);
	return false;
}

static void write_kernel_of(unsigned long seed)
{
	test_random_state = seed * 0x9e3779b97f4a7c15u;
	write_kernel(seed % 5 ? ROWS : STRUCTURES);
}

/* Of the kernel that write_kernel_of has written. */
static bool compare_kernel(unsigned long seed)
{
	struct module module;
	if (module_load(&module, bytes_string(&ptx)) != CUDA_SUCCESS) {
		printf("kernel %lu: %s\n%s", seed, bytes_string(&module.log), bytes_string(&ptx));
		return false;
	}
	const size_t size_B = (size_t)ITEMS_MAX * ITEM_OUT_B;
	struct memory m = {device_take((size_t)ITEMS_MAX * ITEM_IN_B), device_take(size_B), malloc(size_B)};
	bool right = m.expected != NULL;
	for (size_t i = 0; right && i < (size_t)ITEMS_MAX * ITEM_IN_B; i += 8)
		*(uint64_t *)(void *)(m.in + i) = random_bits();
	for (unsigned i = 0; right && i < 3; i++)
		right = compare_shape(&module, &m, shapes[i ? random_below(SHAPES) : i], seed);
	free(m.expected);
	module_finish(&module);
	if (!right && getenv("SOFT_JIT_SHOW"))
		printf("%s", bytes_string(&ptx));
	return right;
}

/* Whether machine code could continue what the interpreter has begun. */
static bool has_barrier(void)
{
	return strstr(bytes_string(&ptx), "bar.sync") || strstr(bytes_string(&ptx), "barrier.red");
}

static void random_kernels(void)
{
	const unsigned long seed = from_environment("SOFT_JIT_SEED", 1),
			    last = seed + from_environment("SOFT_JIT_KERNELS", traced ? 8 : 25) - 1;
	const uint64_t compiled = atomic_load(&tier_counts.compiled), refused = atomic_load(&tier_counts.refused);
	unsigned wrong = 0, count = 0;
	list_instructions();
	CHECK(text_count > 700);
	for (unsigned long i = seed; i <= last && wrong < 5; i++) {
		write_kernel_of(i);
		if (late && !has_barrier())
			continue;
		wrong += !compare_kernel(i);
		count++;
	}
	bytes_finish(&ptx);
	printf("%u instructions; %u kernels of %lu to %lu: %llu compiled, %llu refused\n", text_count, count, seed,
	       last, (unsigned long long)(atomic_load(&tier_counts.compiled) - compiled),
	       (unsigned long long)(atomic_load(&tier_counts.refused) - refused));
	CHECK_EQ(wrong, 0);
	CHECK_EQ(atomic_load(&tier_counts.refused) - refused, 0);
	CHECK(atomic_load(&tier_counts.compiled) - compiled >= count);
	CHECK(!late || atomic_load(&compiled_taken_count) > count);
}

/* --- addresses that are consecutive for some lanes, and not for others ---------- */

/* Of each work-item a place in an array: its number, limited from both sides as by clamp() in OpenCL; or, with
 * `scatter`, permuted.  It copies the elements there. */
static void write_clamped(const char *type, char width, unsigned count, unsigned element_B, bool scatter,
			  const char *space)
{
	const unsigned size_B = count * element_B;
	char data[64] = "";
	for (unsigned i = 0, at = 0; i < count; i++)
		at += (unsigned)snprintf(data + at, sizeof(data) - at, "%s%c%u", i ? ", " : "", width, i);
	const char *open = count > 1 ? "{" : "", *close = count > 1 ? "}" : "";
	bytes_finish(&ptx);
	bytes_append_string(&ptx, HEADER ".entry k(.param .u64 given_in, .param .u64 given_out)\n{\n");
	declare(&ptx);
	bytes_printf(&ptx, ".shared .align 16 .b8 room[8192];\n"
		     "mov.u32 n0, %%ctaid.x; mov.u32 n1, %%ntid.x; mov.u32 n2, %%tid.y; mov.u32 n3, %%ntid.y;\n"
		     "mul.lo.u32 n4, n0, n3; add.u32 n4, n4, n2; mov.u32 n2, %%tid.x; mad.lo.u32 n0, n4, n1, n2;\n"
		     "sub.s32 n2, n0, 3; max.s32 n2, n2, 0; min.s32 n2, n2, 90; %s\n"
		     "ld.param.u64 in, [given_in]; ld.param.u64 out, [given_out];\n"
		     "mul.wide.u32 a, n2, %u; mul.wide.u32 b, n0, %u;\n",
		     scatter ? "xor.b32 n2, n2, 5;" : "", size_B, size_B);
	if (!strcmp(space, "shared"))
		bytes_printf(&ptx,
			     "mov.u32 n5, room; cvt.u32.u64 n6, a; add.u32 n5, n5, n6; add.u64 a, in, a; "
			     "add.u64 b, out, b;\n"
			     "ld.global.%s %s%s%s, [a]; st.shared.%s [n5], %s%s%s; ld.shared.%s %s%s%s, [n5];\n"
			     "st.global.%s [b], %s%s%s;\n",
			     type, open, data, close, type, open, data, close, type, open, data, close, type, open,
			     data, close);
	else
		bytes_printf(&ptx,
			     "add.u64 l7, in, a; add.u64 b, out, b; add.u64 a, out, a; add.u64 a, a, 16384;\n"
			     "mov.u32 n7, %%ctaid.x; mul.wide.u32 l6, n7, 16384; add.u64 a, a, l6;\n"
			     "ld.global.%s %s%s%s, [l7]; st.global.%s [b], %s%s%s; st.global.%s [a], %s%s%s;\n",
			     type, open, data, close, type, open, data, close, type, open, data, close);
	bytes_append_string(&ptx, "ret;\n}\n");
}

/* Elements of all sizes, loaded and stored by lanes at the edges and inside. */
static void clamped_addresses(void)
{
	static const struct { const char *type; char width; unsigned count, element_B; } types[] = {
		{"u8", 'h', 1, 1}, {"s8", 'h', 1, 1}, {"b16", 'h', 1, 2}, {"b32", 'w', 1, 4}, {"b64", 'l', 1, 8},
		{"v2.u8", 'h', 2, 1}, {"v4.s8", 'h', 4, 1}, {"v2.b16", 'h', 2, 2}, {"v4.b16", 'h', 4, 2},
		{"v2.b32", 'w', 2, 4}, {"v4.b32", 'w', 4, 4}, {"v2.b64", 'l', 2, 8}
	};
	const unsigned all = 4 * sizeof(types) / sizeof(types[0]);
	const unsigned long count = from_environment("SOFT_JIT_ACCESSES", all);
	for (unsigned long number = 0; number < count; number++) {
		/* 13 has no divisor in common with `all`; the first twelve are of all types and both memories. */
		const unsigned i = (unsigned)(13 * number % all);
		struct module module;
		write_clamped(types[i / 4].type, types[i / 4].width, types[i / 4].count, types[i / 4].element_B, i % 2,
			      i / 2 % 2 ? "shared" : "global");
		if (module_load(&module, bytes_string(&ptx)) != CUDA_SUCCESS) {
			printf("%s: %s\n", types[i / 4].type, bytes_string(&module.log));
			test_failures++;
			continue;
		}
		const size_t in_B = (size_t)ITEMS_MAX * ITEM_IN_B, out_B = (size_t)ITEMS_MAX * ITEM_OUT_B;
		struct memory m = {device_take(in_B), device_take(out_B), malloc(out_B)};
		REQUIRE(m.expected != NULL);
		for (size_t at = 0; at < in_B; at += 8)
			*(uint64_t *)(void *)(m.in + at) = random_bits();
		for (unsigned s = 0; s < SHAPES; s++)
			CHECK(compare_shape(&module, &m, shapes[s], i));
		free(m.expected);
		module_finish(&module);
	}
	bytes_finish(&ptx);
}

/* --- loops that lanes leave at different times, with loads from anywhere ---------- */

static const char rows_ptx[] = HEADER
	".entry k(.param .u64 given_in, .param .u64 given_out) {\n"
	".reg .pred p, q; .reg .b32 n, i, j, m, c, v, s; .reg .f32 f, g; .reg .b64 a, b, in, out;\n"
	"mov.u32 m, %ctaid.x; mov.u32 i, %ntid.x; mov.u32 j, %ntid.y; mul.lo.u32 j, j, m; mov.u32 n, %tid.y; "
	"add.u32 j, j, n;\n"
	"mov.u32 n, %tid.x; mad.lo.u32 n, j, i, n; ld.param.u64 in, [given_in]; ld.param.u64 out, [given_out];\n"
	"mul.wide.u32 a, n, 4; add.u64 b, in, a; ld.global.u32 m, [b]; and.b32 m, m, 31; mov.u32 i, 0; mov.u32 s, 0; "
	"mov.f32 f, 0f00000000;\n"
	"L: setp.ge.u32 p, i, m; @p bra E;\n"
	"mad.lo.u32 j, i, 7, n; and.b32 j, j, 1023; mul.wide.u32 b, j, 4; add.u64 b, in, b; ld.global.u32 c, [b];\n"
	"and.b32 c, c, 4095; mul.wide.u32 b, c, 4; add.u64 b, in, b; ld.global.u32 v, [b]; ld.global.f32 g, [b+64];\n"
	"setp.gt.s32 q, v, 0; @q mad.lo.u32 s, s, 31, v; fma.rn.f32 f, f, 0f3F000000, g; add.u32 i, i, 1; bra L;\n"
	"E: mul.wide.u32 b, n, 8; add.u64 b, out, b; st.global.u32 [b], s; st.global.f32 [b+4], f; ret; }\n";

/* Such a kernel is compiled for one lane at a time. */
static void rows_of_different_lengths(void)
{
	struct module module;
	const size_t in_B = (size_t)ITEMS_MAX * ITEM_IN_B, out_B = (size_t)ITEMS_MAX * ITEM_OUT_B;
	REQUIRE(module_load(&module, rows_ptx) == CUDA_SUCCESS);
	struct memory m = {device_take(in_B), device_take(out_B), malloc(out_B)};
	REQUIRE(m.expected != NULL);
	for (size_t at = 0; at < in_B; at += 8)
		*(uint64_t *)(void *)(m.in + at) = random_bits();
	for (unsigned s = 0; s < SHAPES; s++)
		CHECK(compare_shape(&module, &m, shapes[s], s));
	for (unsigned s = 0; s < TIER_SHAPES; s++) {
		const struct compiled *compiled = atomic_load(&module.program->tiers[0].shapes[s].compiled);
		CHECK(compiled && compiled->width == 1);
	}
	free(m.expected);
	module_finish(&module);
}

/* --- faults ---------- */

static const char store_ptx[] = HEADER
	".entry k(.param .u64 given_in, .param .u64 given_out) { .reg .b32 n; .reg .b64 a, b;\n"
	"mov.u32 n, %tid.x; mul.wide.u32 b, n, 4; ld.param.u64 a, [given_out]; add.u64 a, a, b;\n"
	"st.global.u32 [a], n; ret; }\n";

/* The twentieth work-item stores behind the memory: in both ways the same is said. */
static void faults(void)
{
	struct module module;
	struct bytes expected = BYTES_INIT;
	const uint32_t shape[2] = {32, 1};
	REQUIRE(module_load(&module, store_ptx) == CUDA_SUCCESS);
	struct { const void *in, *out; } parameters = {NULL, device_take(19 * 4)};
	CHECK_EQ(launch(&module, true, shape, &parameters), CUDA_ERROR_ILLEGAL_ADDRESS);
	bytes_append_string(&expected, bytes_string(&module.log));
	CHECK(strstr(bytes_string(&expected), "work-item (19,0,0)") != NULL);
	CHECK_EQ(launch(&module, false, shape, &parameters), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK_STRING(bytes_string(&module.log), bytes_string(&expected));
	bytes_finish(&expected);
	module_finish(&module);
}

/* --- addresses on either side of a parameter ---------- */

/* Items read behind the parameter, before it, and at an address that is aligned though the parameter may not be. */
static const char sides_ptx[] = HEADER
	".entry k(.param .u64 given_in, .param .u64 given_out) { .reg .b32 n, m, x, y, z; .reg .b64 a, b, c, in, out;\n"
	"mov.u32 n, %ntid.x; mov.u32 m, %ntid.y; mul.lo.u32 n, n, m; mov.u32 m, %ctaid.x; mul.lo.u32 n, n, m;\n"
	"mov.u32 x, %ntid.x; mov.u32 y, %tid.y; mad.lo.u32 n, x, y, n; mov.u32 x, %tid.x; add.u32 n, n, x;\n"
	"ld.param.u64 in, [given_in]; ld.param.u64 out, [given_out]; and.b64 b, in, 3; sub.u64 in, in, b;\n"
	"mul.wide.u32 a, n, 4; add.u64 c, in, a; ld.global.u32 x, [c];\n"
	"sub.s32 m, 7, n; mul.wide.s32 a, m, 4; add.u64 c, in, a; ld.global.u32 y, [c+-4];\n"
	"xor.b32 m, n, 21; mul.wide.s32 a, m, -4; add.u64 c, in, a; ld.global.u32 z, [c];\n"
	"mul.wide.u32 a, n, 16; add.u64 a, out, a; st.global.u32 [a], x; st.global.v2.b32 [a+8], {y, z}; ret; }\n";

static void sides_of_a_parameter(void)
{
	struct module module;
	const size_t in_B = (size_t)ITEMS_MAX * ITEM_IN_B, out_B = (size_t)ITEMS_MAX * ITEM_OUT_B;
	REQUIRE(module_load(&module, sides_ptx) == CUDA_SUCCESS);
	char *in = device_take(in_B), *out = device_take(out_B + 4);
	struct memory m = {in, out, malloc(out_B)};
	REQUIRE(m.expected != NULL);
	for (size_t at = 0; at < in_B; at += 8)
		*(uint64_t *)(void *)(in + at) = random_bits();
	for (unsigned s = 0; s < 4 * SHAPES; s++) {
		m.in = in + in_B / 2 + s / SHAPES;
		/* A store of 8 bytes at an odd multiple of 4 is a fault. */
		m.out = out + (s / SHAPES == 3 ? 4 : 0);
		CHECK(compare_shape(&module, &m, shapes[s % SHAPES], s));
	}
	free(m.expected);
	module_finish(&module);
}

/* --- accesses of 32 bytes ---------- */

/* A parameter that is a multiple of 16 is not aligned for them. */
static void write_wide(const char *place)
{
	bytes_finish(&ptx);
	bytes_printf(&ptx, HEADER
		".entry k(.param .u64 given_in, .param .u64 given_out) {\n"
		".reg .b32 n, x, y; .reg .b64 a, b, in, out, c<4>;\n"
		"mov.u32 n, %%ntid.x; mov.u32 x, %%ntid.y; mul.lo.u32 n, n, x;\n"
		"mov.u32 x, %%ctaid.x; mul.lo.u32 n, n, x;\n"
		"mov.u32 x, %%ntid.x; mov.u32 y, %%tid.y; mad.lo.u32 n, x, y, n; mov.u32 x, %%tid.x; add.u32 n, n, x;\n"
		"ld.param.u64 in, [given_in]; ld.param.u64 out, [given_out]; %s\n"
		"mul.wide.u32 a, n, 32; add.u64 b, in, a; ld.global.v4.b64 {c0, c1, c2, c3}, [b];\n"
		"add.u64 b, out, a; st.global.v4.b64 [b], {c0, c1, c2, c3}; ret; }\n", place);
}

static void wide_accesses(void)
{
	static const char *const places[2] = {"", "xor.b32 n, n, 5;"};
	const size_t in_B = (size_t)ITEMS_MAX * ITEM_IN_B, out_B = (size_t)ITEMS_MAX * ITEM_OUT_B;
	for (unsigned i = 0; i < 2; i++) {
		struct module module;
		write_wide(places[i]);
		REQUIRE(module_load(&module, bytes_string(&ptx)) == CUDA_SUCCESS);
		char *in = device_take(in_B + 32), *out = device_take(out_B + 32);
		struct memory m = {in, out, malloc(out_B)};
		REQUIRE(m.expected != NULL);
		for (size_t at = 0; at < in_B; at += 8)
			*(uint64_t *)(void *)(in + at) = random_bits();
		for (unsigned s = 0; s < 4 * SHAPES; s++) {
			m.in = in + (s / SHAPES & 1) * 16;
			m.out = out + (s / SHAPES >> 1) * 16;
			CHECK(compare_shape(&module, &m, shapes[s % SHAPES], s));
		}
		free(m.expected);
		module_finish(&module);
	}
	bytes_finish(&ptx);
}

/* --- many work-groups, which code runs several of in a call ---------- */

/* Work-item n adds its group's place in the grid and 4 * (n - 30011) to its element.  The latter is a product of 32-bit
 * numbers, which wraps around in one part: the code leaves its group to the interpreter. */
static const char groups_ptx[] = HEADER
	".entry k(.param .u64 given_in, .param .u64 given_out) { .reg .b32 x, y, n, w, t; .reg .b64 a, b, c, d;\n"
	"mov.u32 x, %ctaid.x; mov.u32 y, %ctaid.y; mov.u32 w, %nctaid.x; mad.lo.u32 n, y, w, x;\n"
	"mov.u32 w, %ntid.x; mov.u32 t, %tid.x; mad.lo.u32 n, n, w, t; mul.wide.u32 b, n, 8;\n"
	"ld.param.u64 a, [given_out]; add.u64 a, a, b; shl.b32 x, x, 8; xor.b32 x, x, y; add.u32 x, x, t;\n"
	"sub.u32 n, n, 30011; mul.wide.u32 c, n, 4; cvt.u64.u32 b, x; add.u64 c, c, b;\n"
	"ld.global.u64 d, [a]; add.u64 d, d, c; st.global.u64 [a], d; ret; }\n";

/* Each group runs once; and the last work-item accesses memory behind the end, which the log has to say. */
static void many_groups(void)
{
	struct module module;
	const uint32_t sizes[3][2] = {{32, 1}, {20, 1}, {96, 1}};
	grid[0] = 700;
	grid[1] = 3;
	REQUIRE(module_load(&module, groups_ptx) == CUDA_SUCCESS);
	for (unsigned s = 0; s < 3; s++) {
		const uint32_t width = sizes[s][0], count = 700 * 3 * width;
		uint64_t *out = device_take((size_t)count * 8), wrong = 0;
		struct { const void *in, *out; } parameters = {NULL, out};
		memset(out, 0, (size_t)count * 8);
		CHECK_EQ(launch(&module, false, sizes[s], &parameters), CUDA_SUCCESS);
		for (uint32_t i = 0; i < count; i++)
			wrong += out[i] != (uint64_t)(i - 30011) * 4 + ((i / width % 700 << 8) ^ i / width / 700) +
					   i % width;
		CHECK_EQ(wrong, 0);
		parameters.out = device_take((size_t)count * 8 - 8);
		CHECK_EQ(launch(&module, false, sizes[s], &parameters), CUDA_ERROR_ILLEGAL_ADDRESS);
		CHECK(strstr(bytes_string(&module.log), "work-group (699,2,0)") != NULL);
	}
	module_finish(&module);
	grid[0] = 3;
	grid[1] = 1;
}

/* --- programs that come and go ---------- */

static size_t resident_pages(void)
{
	size_t total = 0, resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	if (!file)
		return 0;
	if (fscanf(file, "%zu %zu", &total, &resident) != 2)
		resident = 0;
	fclose(file);
	return resident;
}

static void come_and_go(unsigned long count)
{
	const uint32_t shape[2] = {32, 1};
	for (unsigned long i = 0; i < count; i++) {
		struct module module;
		REQUIRE(module_load(&module, store_ptx) == CUDA_SUCCESS);
		struct { const void *in, *out; } parameters = {NULL, device_take(4096)};
		CHECK_EQ(launch(&module, false, shape, &parameters), CUDA_SUCCESS);
		CHECK(atomic_load(&tier_counts.code_B) > 0);
		module_finish(&module);
		CHECK_EQ(atomic_load(&tier_counts.code_B), 0);
	}
}

static void programs_come_and_go(void)
{
	const unsigned long count = from_environment("SOFT_JIT_MODULES", 100);
	const uint64_t compiled = atomic_load(&tier_counts.compiled);
	come_and_go(20);
	const size_t before = resident_pages();
	come_and_go(count);
	const size_t after = resident_pages(), more = after - before;
	CHECK_EQ(atomic_load(&tier_counts.compiled) - compiled, count + 20);
	/* Programs leave nothing, however many they are.  AddressSanitizer keeps memory that was freed. */
#ifdef __SANITIZE_ADDRESS__
	const long most = 256 + 16 * (long)count;
#else
	const long most = 256;
#endif
	printf("%lu programs: %zu pages resident before, %zu after\n", count, before, after);
	if ((long)more > most)
		test_failures++;
}

/* --- all instructions, with their expected values ---------- */

/* The environment has t_soft_exec compile every kernel.  Each instruction is one, and they are shared by processes. */
static void instructions(void)
{
	enum { PARTS = 8 };
	static const char program[] = "tests/unit/t_soft_exec";
	const unsigned long one_in = from_environment("SOFT_JIT_ONE_IN", 1);
	pid_t children[PARTS + 1];
	if (access(program, X_OK)) {
		printf("%s is missing; `make check TESTS=` builds it\n", program);
		test_failures++;
		return;
	}
	for (int i = 0; i <= PARTS; i++) {
		char part[24], parts[24];
		snprintf(part, sizeof(part), "%lu", (unsigned long)i * one_in);
		snprintf(parts, sizeof(parts), "%lu", PARTS * one_in);
		children[i] = fork();
		if (!children[i]) {
			execl(program, program, i < PARTS ? "part" : "rest", part, parts, (char *)NULL);
			_exit(99);
		}
	}
	for (int i = 0, status = 1; i <= PARTS; i++, status = 1)
		CHECK(children[i] > 0 && waitpid(children[i], &status, 0) == children[i] && !status);
}

/* "random": random kernels alone, as t_soft_jit_levels asks for; "late": the same, each work-group of which the
 * interpreter begins to run, as t_soft_jit_late asks for, of those with a barrier; "traced": the same, and all bytes
 * that they access are compared, as t_soft_jit_trace asks for. */
int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		TEST(instructions), TEST(random_kernels), TEST(clamped_addresses),
		TEST(rows_of_different_lengths), TEST(faults),
		TEST(sides_of_a_parameter), TEST(wide_accesses), TEST(many_groups),
		TEST(programs_come_and_go)
	};
	late = argc > 1 && !strcmp(argv[1], "late");
	if (!soft_find_compiler() || setenv("CULVERT_SOFT_JIT", late ? "late" : "always", 1) ||
	    setenv("CULVERT_CACHE", "off", 1)) {
		printf("culvert-softcuda-compile is not here\n");
		return 99;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	traced = argc > 1 && !strcmp(argv[1], "traced");
	const bool all = argc < 2 || (strcmp(argv[1], "random") && !traced && !late);
	const int count = (int)(sizeof(cases) / sizeof(cases[0]));
	const int failed = all ? test_run_all(cases, count) : test_run_all(cases + 1, 1);
	read_trace(NULL);
	soft_exec_shutdown();
	return failed;
}
