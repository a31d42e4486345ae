/* Sub-groups (OpenCL C 3.0, 6.15.19, and the extensions of them): every function for every type,
 * against a loop over the same values, in whole sub-groups and partial ones, called by all
 * work-items and by some. */
#include "config.h"

#include "tests/builtins/family.h"

#include "base/bytes.h"

#include <stdio.h>
#include <string.h>

struct kind {
	const char *name, *least, *greatest;
	bool is_integer, in_core;      /* in_core: without cl_khr_subgroup_extended_types */
};

static const struct kind kinds[] = {
	{"char", "CHAR_MIN", "CHAR_MAX", true, false},
	{"uchar", "0", "UCHAR_MAX", true, false},
	{"short", "SHRT_MIN", "SHRT_MAX", true, false},
	{"ushort", "0", "USHRT_MAX", true, false},
	{"int", "INT_MIN", "INT_MAX", true, true},
	{"uint", "0", "UINT_MAX", true, true},
	{"long", "LONG_MIN", "LONG_MAX", true, true},
	{"ulong", "0", "ULONG_MAX", true, true},
	{"float", "-INFINITY", "INFINITY", false, true},
	{"double", "-INFINITY", "INFINITY", false, true},
	{"half", "-INFINITY", "INFINITY", false, true},
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static const struct {
	const char *name, *combined, *identity;    /* NULL: see identity_of */
	bool only_integers;
} operations[] = {
	{"add", "a + b", "0", false}, {"mul", "a * b", "1", false},
	{"min", "b < a ? b : a", NULL, false}, {"max", "a < b ? b : a", NULL, false},
	{"and", "a & b", "(T)~(T)0", true}, {"or", "a | b", "0", true},
	{"xor", "a ^ b", "0", true},
};
enum { OPERATIONS = sizeof(operations) / sizeof(*operations) };

/* What every program begins with.  Who calls: everybody, two of three, the upper lanes, one lane,
 * and groups of lanes with gaps between. */
static const char common[] =
	"#define CHECK(condition) if (!(condition)) atomic_min(bad, (uint)__LINE__)\n"
	"#define PATTERNS 5\n"
	"#define CALLS(p, i) ((p) == 0 || ((p) == 1 && (i) % 3) || ((p) == 2 && (i) > 20) ||"
	" ((p) == 3 && (i) == 13) || ((p) == 4 && (i) * 7 & 8))\n"
	"#define SET_UP uint size = get_sub_group_size(), me = get_sub_group_local_id();\\\n"
	"	in += get_local_linear_id() - me;\\\n"
	"	uint everybody = size == 32 ? ~0u : (1u << size) - 1;\\\n"
	"	uint up_to_me = me == 31 ? ~0u : (1u << (me + 1)) - 1;\\\n"
	"	uint before_me = (1u << me) - 1;\n"
	"uint __attribute__((noinline)) callers(uint pattern, uint size) {\n"
	"	uint lanes = 0;\n"
	"	for (uint i = 0; i < size; i++) lanes |= CALLS(pattern, i) ? 1u << i : 0;\n"
	"	return lanes;\n"
	"}\n"
	"uint __attribute__((noinline)) cluster(uint me, uint n) {\n"
	"	uint lanes = 0;\n"
	"	for (uint i = 0; i < 32; i++) lanes |= i / n == me / n ? 1u << i : 0;\n"
	"	return lanes;\n"
	"}\n";

/* Values whose sums and products are exact: products are of signs and some twos, and the sum of 257
 * is below 2048. */
static const char combining[] =
	"T value_OP(int n) { return MUL ? (T)(n % 5 ? n & 1 ? 1 : (T)-1 : 2) : (T)n; }\n"
	"void __attribute__((noinline)) sum_OP(global const int *in, uint lanes, T *sum) {\n"
	"	T a = (T)(IDENTITY);\n"
	"	for (uint i = 0; i < 32; i++)\n"
	"		if (lanes >> i & 1) { T b = value_OP(in[i]); a = (T)(COMBINED); }\n"
	"	*sum = a;\n"
	"}\n"
	"T serial_OP(global const int *in, uint lanes) {\n"
	"	T sum;\n"
	"	sum_OP(in, lanes, &sum);\n"
	"	return sum;\n"
	"}\n";
static const char by_all[] =
	"kernel void all_OP(global const int *in, global uint *bad) {\n"
	"	SET_UP\n"
	"	T x = value_OP(in[me]);\n"
	"	CHECK(sub_group_reduce_OP(x) == serial_OP(in, everybody));\n"
	"	CHECK(sub_group_scan_inclusive_OP(x) == serial_OP(in, up_to_me));\n"
	"	CHECK(sub_group_scan_exclusive_OP(x) == serial_OP(in, before_me));\n"
	"}\n";
static const char by_some[] =
	"kernel void some_OP(global const int *in, global uint *bad) {\n"
	"	SET_UP\n"
	"	T x = value_OP(in[me]);\n"
	"	for (uint p = 0; p < PATTERNS; p++) {\n"
	"		uint lanes = callers(p, size);\n"
	"		if (CALLS(p, me)) {\n"
	"			T r = sub_group_non_uniform_reduce_OP(x);\n"
	"			T i = sub_group_non_uniform_scan_inclusive_OP(x);\n"
	"			T e = sub_group_non_uniform_scan_exclusive_OP(x);\n"
	"			T c1 = sub_group_clustered_reduce_OP(x, 1);\n"
	"			T c2 = sub_group_clustered_reduce_OP(x, 2);\n"
	"			T c4 = sub_group_clustered_reduce_OP(x, 4);\n"
	"			T c8 = sub_group_clustered_reduce_OP(x, 8);\n"
	"			T c16 = sub_group_clustered_reduce_OP(x, 16);\n"
	"			T c32 = sub_group_clustered_reduce_OP(x, 32);\n"
	"			CHECK(r == serial_OP(in, lanes));\n"
	"			CHECK(i == serial_OP(in, lanes & up_to_me));\n"
	"			CHECK(e == serial_OP(in, lanes & before_me));\n"
	"			CHECK(c1 == x);\n"
	"			CHECK(c2 == serial_OP(in, lanes & cluster(me, 2)));\n"
	"			CHECK(c4 == serial_OP(in, lanes & cluster(me, 4)));\n"
	"			CHECK(c8 == serial_OP(in, lanes & cluster(me, 8)));\n"
	"			CHECK(c16 == serial_OP(in, lanes & cluster(me, 16)));\n"
	"			CHECK(c32 == serial_OP(in, lanes));\n"
	"		}\n"
	"	}\n"
	"}\n";

/* Values from other lanes; where nothing is promised of a result, it is not looked at. */
static const char moving[] =
	"kernel void moves(global const int *in, global uint *bad) {\n"
	"	SET_UP\n"
	"	T x = (T)in[me];\n"
	"	for (uint i = 0; i < size; i++)\n"
	"		CHECK(sub_group_broadcast(x, i) == (T)in[i]);\n"
	"	for (uint p = 0; p < PATTERNS; p++) {\n"
	"		uint lanes = callers(p, size);\n"
	"#define THERE(i) ((i) < 32 && (lanes >> (i) & 1))\n"
	"		if (CALLS(p, me)) {\n"
	"			uint first = ctz(lanes), last = 31 - clz(lanes);\n"
	"			T f = sub_group_broadcast_first(x);\n"
	"			T b = sub_group_non_uniform_broadcast(x, last);\n"
	"			uint from = THERE(31 - me) ? 31 - me : me;\n"
	"			T s = sub_group_shuffle(x, from);\n"
	"			T by = sub_group_shuffle_xor(x, 5);\n"
	"			T up = sub_group_shuffle_up(x, 3);\n"
	"			T down = sub_group_shuffle_down(x, 2);\n"
	"			T turned = sub_group_rotate(x, 7), back = sub_group_rotate(x, "
	"-40);\n"
	"			T inside = sub_group_clustered_rotate(x, 3, 8);\n"
	"			T inner = sub_group_clustered_rotate(x, -1, 4);\n"
	"			CHECK(f == (T)in[first]);\n"
	"			CHECK(b == (T)in[last]);\n"
	"			CHECK(s == (T)in[from]);\n"
	"			CHECK(!THERE(me ^ 5) || by == (T)in[me ^ 5]);\n"
	"			CHECK(me < 3 || !THERE(me - 3) || up == (T)in[me - 3]);\n"
	"			CHECK(!THERE(me + 2) || down == (T)in[me + 2]);\n"
	"			from = (me + 7) % 32;\n"
	"			CHECK(!THERE(from) || turned == (T)in[from]);\n"
	"			from = (me + 24) % 32;\n"
	"			CHECK(!THERE(from) || back == (T)in[from]);\n"
	"			from = me / 8 * 8 + (me + 3) % 8;\n"
	"			CHECK(!THERE(from) || inside == (T)in[from]);\n"
	"			from = me / 4 * 4 + (me + 3) % 4;\n"
	"			CHECK(!THERE(from) || inner == (T)in[from]);\n"
	"			int same = sub_group_non_uniform_all_equal((T)1);\n"
	"			int other = sub_group_non_uniform_all_equal((T)(me == last));\n"
	"			CHECK(same);\n"
	"			CHECK(!other == (first != last));\n"
	"		}\n"
	"	}\n"
	"}\n"
	"kernel void vectors(global const int *in, global uint *bad) {\n"
	"	SET_UP\n"
	"#define VECTOR(n) { T##n v, b; for (uint e = 0; e < n; e++) ((T *)&v)[e] = "
	"(T)(in[me] + e);\\\n"
	"	for (uint i = 0; i < size; i += 5) { b = sub_group_broadcast(v, i);\\\n"
	"	for (uint e = 0; e < n; e++) CHECK(((T *)&b)[e] == (T)(in[i] + e)); }\\\n"
	"	if (me % 3) { b = sub_group_non_uniform_broadcast(v, 1);\\\n"
	"	for (uint e = 0; e < n; e++) CHECK(size < 2 || ((T *)&b)[e] == (T)(in[1] + e)); } "
	"}\n"
	"	VECTOR(2) VECTOR(3) VECTOR(4) VECTOR(8) VECTOR(16)\n"
	"}\n";

static const char deciding[] =
	"kernel void votes(global const int *in, global uint *bad) {\n"
	"	SET_UP\n"
	"	CHECK(get_max_sub_group_size() == 32);\n"
	"	CHECK(get_sub_group_id() * 32 + me == get_local_linear_id());\n"
	"	CHECK(sub_group_all(1) && !sub_group_all(me != size - 1));\n"
	"	CHECK(sub_group_any(me == size - 1) && !sub_group_any(0));\n"
	"	uint said = 0;\n"
	"	for (uint i = 0; i < size; i++) said |= in[i] & 1 ? 1u << i : 0;\n"
	"	for (uint p = 0; p < PATTERNS; p++) {\n"
	"		uint lanes = callers(p, size);\n"
	"		if (CALLS(p, me)) {\n"
	"			int chosen = sub_group_elect();\n"
	"			int all = sub_group_non_uniform_all(in[me] & 1);\n"
	"			int any = sub_group_non_uniform_any(in[me] & 1);\n"
	"			int yes = sub_group_non_uniform_all(4), no = "
	"sub_group_non_uniform_any(0);\n"
	"			uint4 ballot = sub_group_ballot(in[me] & 1 ? -2 : 0);\n"
	"			CHECK(!chosen == (me != ctz(lanes)));\n"
	"			CHECK(!all == ((said & lanes) != lanes));\n"
	"			CHECK(!any == !(said & lanes));\n"
	"			CHECK(yes && !no);\n"
	"			CHECK(ballot.x == (said & lanes) && !(ballot.y | ballot.z | "
	"ballot.w));\n"
	"		}\n"
	"	}\n"
	"	uint4 some = (uint4)(0x1234a678u, 1, 2, 3);\n"
	"	CHECK(!sub_group_inverse_ballot(some) == !(some.x >> me & 1));\n"
	"	for (uint i = 0; i < size; i++)\n"
	"		CHECK(!sub_group_ballot_bit_extract(some, i) == !(some.x >> i & 1));\n"
	"	CHECK(sub_group_ballot_bit_count(some) == popcount(some.x));\n"
	"	CHECK(sub_group_ballot_inclusive_scan(some) == popcount(some.x & up_to_me));\n"
	"	CHECK(sub_group_ballot_exclusive_scan(some) == popcount(some.x & before_me));\n"
	"	CHECK(sub_group_ballot_find_lsb(some) == 3 && sub_group_ballot_find_msb(some) == "
	"28);\n"
	"	uint4 eq = get_sub_group_eq_mask(), ge = get_sub_group_ge_mask();\n"
	"	uint4 gt = get_sub_group_gt_mask(), le = get_sub_group_le_mask();\n"
	"	uint4 lt = get_sub_group_lt_mask();\n"
	"	CHECK(eq.x == 1u << me && le.x == up_to_me && lt.x == before_me);\n"
	"	CHECK(ge.x == ~before_me && gt.x == ~up_to_me);\n"
	"	CHECK(!((eq | ge | gt | le | lt).y | (eq | ge | gt | le | lt).z));\n"
	"}\n"
	"kernel void logic(global const int *in, global uint *bad) {\n"
	"	SET_UP\n"
	"	uint said = 0;\n"
	"	for (uint i = 0; i < size; i++) said |= in[i] % 3 ? 1u << i : 0;\n"
	"#define AND(lanes) ((said & (lanes)) == (lanes))\n"
	"#define OR(lanes) ((said & (lanes)) != 0)\n"
	"#define XOR(lanes) (popcount(said & (lanes)) & 1)\n"
	"#define LOGIC(f, F) {\\\n"
	"	int r = sub_group_non_uniform_reduce_logical_##f(x);\\\n"
	"	int i = sub_group_non_uniform_scan_inclusive_logical_##f(x);\\\n"
	"	int e = sub_group_non_uniform_scan_exclusive_logical_##f(x);\\\n"
	"	int c1 = sub_group_clustered_reduce_logical_##f(x, 1);\\\n"
	"	int c8 = sub_group_clustered_reduce_logical_##f(x, 8);\\\n"
	"	int c32 = sub_group_clustered_reduce_logical_##f(x, 32);\\\n"
	"	CHECK(!r == !F(lanes)); CHECK(!i == !F(lanes & up_to_me));\\\n"
	"	CHECK(!e == !F(lanes & before_me)); CHECK(!c1 == !F(1u << me));\\\n"
	"	CHECK(!c8 == !F(lanes & cluster(me, 8))); CHECK(!c32 == !F(lanes)); }\n"
	"	for (uint p = 0; p < PATTERNS; p++) {\n"
	"		uint lanes = callers(p, size);\n"
	"		int x = in[me] % 3;\n"
	"		if (CALLS(p, me)) { LOGIC(and, AND) LOGIC(or, OR) LOGIC(xor, XOR) }\n"
	"	}\n"
	"}\n";

/* -- running ----------------------------------------------------------------------------------- */

enum { ITEMS_MAX = 320 };

static void run_kernel(struct device *device, cl_program program, const char *name,
		       const char *type, cl_mem in)
{
	/* One whole, several with a last one of one lane, one that is partial alone. */
	static const size_t sizes[] = {64, 257, 27};
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		cl_uint bad = (cl_uint)-1;
		cl_mem buffers[2] = {in, device_buffer(device, sizeof(bad), &bad)};
		if (!buffers[1])
			return;
		family_count(s == 0, sizes[s]);
		if (device_run(device, program, name, buffers, 2, sizes[s], sizes[s]) &&
		    device_read(device, buffers[1], sizeof(bad), &bad) && bad != (cl_uint)-1)
			family_fail("%s of %s, %zu work-items: line %u of the program", name, type,
				    sizes[s], bad);
		clReleaseMemObject(buffers[1]);
	}
}

/* Writes a text in which the operation's name stands for OP. */
static void append_operation(struct bytes *text, const char *from, const char *name)
{
	const char *at;
	for (; (at = strstr(from, "_OP")) != NULL; from = at + 3) {
		bytes_append(text, from, (size_t)(at - from));
		bytes_printf(text, "_%s", name);
	}
	bytes_append_string(text, from);
}

static const char *identity_of(const struct kind *kind, int o)
{
	if (operations[o].identity)
		return operations[o].identity;
	return strcmp(operations[o].name, "min") ? kind->least : kind->greatest;
}

static void write_operation(struct bytes *text, const struct kind *kind, int o, const char *kernels)
{
	const char *name = operations[o].name;
	bytes_printf(text, "#undef MUL\n#undef IDENTITY\n#undef COMBINED\n"
			   "#define MUL %d\n#define IDENTITY %s\n#define COMBINED %s\n",
		     !strcmp(name, "mul"), identity_of(kind, o), operations[o].combined);
	append_operation(text, combining, name);
	append_operation(text, kernels, name);
}

static bool has_operation(const struct kind *kind, int o)
{
	return kind->is_integer || !operations[o].only_integers;
}

static void begin(struct bytes *text, const struct kind *kind)
{
	bytes_append_string(text, common);
	bytes_printf(text, "#define T %s\n", kind->name);
	for (int n = 2; n <= 16; n = n == 3 ? 4 : n == 2 ? 3 : 2 * n)
		bytes_printf(text, "#define T%d %s%d\n", n, kind->name, n);
}

static cl_program build(struct device *device, struct bytes *text)
{
	cl_program program = NULL;
	if (bytes_failed(text))
		family_fail("out of memory");
	else
		program = device_build(device, bytes_string(text), true);
	bytes_finish(text);
	return program;
}

static void run_operations(struct device *device, const struct kind *kind, cl_mem in,
			   const char *kernels, const char *prefix)
{
	struct bytes text = BYTES_INIT;
	bool uniform = !strcmp(prefix, "all_");
	begin(&text, kind);
	for (int o = 0; o < OPERATIONS; o++)
		if (uniform ? o == 0 || o == 2 || o == 3 : has_operation(kind, o))
			write_operation(&text, kind, o, kernels);
	cl_program program = build(device, &text);
	if (!program)
		return;
	for (int o = 0; o < OPERATIONS; o++) {
		char name[32];
		if (uniform ? o != 0 && o != 2 && o != 3 : !has_operation(kind, o))
			continue;
		snprintf(name, sizeof(name), "%s%s", prefix, operations[o].name);
		run_kernel(device, program, name, kind->name, in);
	}
	clReleaseProgram(program);
}

static void run_others(struct device *device, const struct kind *kind, cl_mem in)
{
	struct bytes text = BYTES_INIT;
	bool decides = !strcmp(kind->name, "int");
	begin(&text, kind);
	bytes_append_string(&text, moving);
	bytes_append_string(&text, decides ? deciding : "");
	cl_program program = build(device, &text);
	if (!program)
		return;
	run_kernel(device, program, "moves", kind->name, in);
	run_kernel(device, program, "vectors", kind->name, in);
	if (decides) {
		run_kernel(device, program, "votes", kind->name, in);
		run_kernel(device, program, "logic", kind->name, in);
	}
	clReleaseProgram(program);
}

static bool has_extension(struct device *device, const char *name)
{
	static char list[16384];
	return !clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, sizeof(list), list, NULL) &&
	       strstr(list, name);
}

static cl_mem make_input(struct device *device)
{
	cl_int values[ITEMS_MAX];
	for (int i = 0; i < ITEMS_MAX; i++)
		values[i] = 1 + i * 5 % 11 + (i % 16 == 1 ? 16 : 0);
	return device_buffer(device, sizeof(values), values);
}

void sub_group_family(struct device *device, const struct depth *depth)
{
	if (!has_extension(device, "cl_khr_subgroups") ||
	    !has_extension(device, "cl_khr_subgroup_extended_types") ||
	    !has_extension(device, "cl_khr_subgroup_clustered_reduce") ||
	    !has_extension(device, "cl_khr_subgroup_rotate"))
		return;
	cl_mem in = make_input(device);
	bool has_half = has_extension(device, "cl_khr_fp16");
	for (int k = 0; in && k < KINDS; k++) {
		if (!strcmp(kinds[k].name, "half") && !has_half)
			continue;
		/* What is narrow goes through the code of 32 bits. */
		if (depth->quick && (!strcmp(kinds[k].name, "short") ||
				     !strcmp(kinds[k].name, "uchar")))
			continue;
		run_operations(device, &kinds[k], in, by_all, "all_");
		run_operations(device, &kinds[k], in, by_some, "some_");
		run_others(device, &kinds[k], in);
	}
	if (in)
		clReleaseMemObject(in);
}

/* -- work-groups ------------------------------------------------------------------------------- */

static const char by_group[] =
	"void __attribute__((noinline)) total_OP(global const int *in, uint end, T *total) {\n"
	"	T a = (T)(IDENTITY);\n"
	"	for (uint i = 0; i < end; i++) { T b = value_OP(in[i]); a = (T)(COMBINED); }\n"
	"	*total = a;\n"
	"}\n"
	"T linear_OP(global const int *in, uint end) {\n"
	"	T total;\n"
	"	total_OP(in, end, &total);\n"
	"	return total;\n"
	"}\n"
	"kernel void group_OP(global const int *in, global uint *bad) {\n"
	"	uint me = get_local_linear_id(), size = get_local_size(0);\n"
	"	T x = value_OP(in[me]);\n"
	"	for (int again = 0; again < 2; again++) {\n"
	"		T r = work_group_reduce_OP(x);\n"
	"		T i = work_group_scan_inclusive_OP(x);\n"
	"		T e = work_group_scan_exclusive_OP(x);\n"
	"		CHECK(r == linear_OP(in, size));\n"
	"		CHECK(i == linear_OP(in, me + 1));\n"
	"		CHECK(e == linear_OP(in, me));\n"
	"	}\n"
	"}\n";
/* cl_khr_work_group_uniform_arithmetic: "a non-zero predicate argument or return value is logically
 * true".  Some are true, all, one, all but one. */
static const char of_logic[] =
	"#define TRUE(i) (m == 0 ? in[i] % 3 == 1 : m == 1 || ((i) == size / 2) == (m == 2))\n"
	"#define LOGIC(f, COMBINED_, FIRST) {\\\n"
	"	int a = FIRST, before = FIRST, up_to_me = FIRST;\\\n"
	"	for (uint i = 0; i < size; i++) {\\\n"
	"		int b = TRUE(i);\\\n"
	"		if (i == me) before = a;\\\n"
	"		a = COMBINED_;\\\n"
	"		if (i == me) up_to_me = a;\\\n"
	"	}\\\n"
	"	CHECK(!work_group_reduce_logical_##f(x) == !a);\\\n"
	"	CHECK(!work_group_scan_inclusive_logical_##f(x) == !up_to_me);\\\n"
	"	CHECK(!work_group_scan_exclusive_logical_##f(x) == !before); }\n"
	"kernel void logic(global const int *in, global uint *bad) {\n"
	"	uint me = get_local_linear_id(), size = get_local_size(0);\n"
	"	for (int m = 0; m < 4; m++) {\n"
	"		int x = TRUE(me) ? 1 << m * 8 : 0;\n"
	"		LOGIC(and, a && b, 1) LOGIC(or, a || b, 0) LOGIC(xor, a ^ b, 0)\n"
	"	}\n"
	"}\n";
static const char of_group[] =
	"kernel void others(global const int *in, global uint *bad) {\n"
	"	uint me = get_local_linear_id(), size = get_local_size(0);\n"
	"	T x = (T)in[me];\n"
	"	for (uint i = 0; i < size; i += 13)\n"
	"		CHECK(work_group_broadcast(x, i) == (T)in[i]);\n"
	"	CHECK(work_group_broadcast(x, size - 1, 0) == (T)in[size - 1]);\n"
	"	CHECK(work_group_broadcast(x, size / 2, 0, 0) == (T)in[size / 2]);\n"
	"	CHECK(work_group_all(1) && !work_group_all(me != size - 1));\n"
	"	CHECK(work_group_any(me == size - 1) && !work_group_any(0));\n"
	"}\n";

/* Without cl_khr_work_group_uniform_arithmetic there are three operations. */
static bool group_has(const struct kind *kind, int o, bool more)
{
	return o == 0 || o == 2 || o == 3 || (more && has_operation(kind, o));
}

static void run_group(struct device *device, const struct kind *kind, cl_mem in)
{
	struct bytes text = BYTES_INIT;
	bool more = has_extension(device, "cl_khr_work_group_uniform_arithmetic");
	bool logic = more && !strcmp(kind->name, "int");
	begin(&text, kind);
	for (int o = 0; o < OPERATIONS; o++)
		if (group_has(kind, o, more))
			write_operation(&text, kind, o, by_group);
	bytes_append_string(&text, of_group);
	bytes_append_string(&text, logic ? of_logic : "");
	cl_program program = build(device, &text);
	if (!program)
		return;
	for (int o = 0; o < OPERATIONS; o++) {
		char name[32];
		snprintf(name, sizeof(name), "group_%s", operations[o].name);
		if (group_has(kind, o, more))
			run_kernel(device, program, name, kind->name, in);
	}
	run_kernel(device, program, "others", kind->name, in);
	if (logic)
		run_kernel(device, program, "logic", kind->name, in);
	clReleaseProgram(program);
}

void work_group_family(struct device *device, const struct depth *depth)
{
	cl_bool collective = CL_FALSE;
	(void)depth;
	clGetDeviceInfo(device->id, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
			sizeof(collective), &collective, NULL);
	if (!collective)
		return;
	cl_mem in = make_input(device);
	bool has_half = has_extension(device, "cl_khr_fp16");
	for (int k = 0; in && k < KINDS; k++)
		if (kinds[k].in_core && (has_half || strcmp(kinds[k].name, "half") != 0))
			run_group(device, &kinds[k], in);
	if (in)
		clReleaseMemObject(in);
}
