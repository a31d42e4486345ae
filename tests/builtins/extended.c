/* Extensions that add functions to OpenCL C: bit fields, dot products of bytes, copies of boxes,
 * clocks, hints, and atomics of reals.  Each is skipped where the device does not have it. */
#include "config.h"

#include "tests/builtins/probe.h"

#include <stdio.h>
#include <string.h>

static bool has_extension(struct device *device, const char *name)
{
	static char list[16384];
	return !clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, sizeof(list), list, NULL) &&
	       strstr(list, name);
}

/* -- cl_khr_extended_bit_ops (OpenCL C 3.0, 6.15.3.1) ------------------------------------------ */

static const char bit_fields[] =
	"	uint bits = 8 * sizeof($T);\n"
	"	$T$n a = vload$n(g, (global const $T *)data), b = vload$n(g + 64, (global const $T "
	"*)data);\n"
	"	$T$n reversed = bit_reverse(a);\n"
	"	for (uint c = 0; c <= bits; c += 1 + c / 3) {\n"
	"		uint o = (g * 5 + c) % (bits - c + 1);\n"
	"		$T$n inserted = bitfield_insert(a, b, o, c);\n"
	"		$S$n with_sign = bitfield_extract_signed(a, o, c);\n"
	"		$U$n without = bitfield_extract_unsigned(a, o, c);\n"
	"		for (uint e = 0; e < $y; e++) {\n"
	"			ulong x = (($U *)&a)[e], y = (($U *)&b)[e], field = 0, turned = "
	"0;\n"
	"			ulong put = x;\n"
	"			for (uint k = 0; k < c; k++) {\n"
	"				field |= (x >> (o + k) & 1) << k;\n"
	"				put &= ~(1ul << (o + k));\n"
	"				put |= (y >> k & 1) << (o + k);\n"
	"			}\n"
	"			for (uint k = 0; k < bits; k++)\n"
	"				turned |= (x >> k & 1) << (bits - 1 - k);\n"
	"			ulong filled = field;\n"
	"			for (uint k = c; c && k < 64; k++)\n"
	"				filled |= (field >> (c - 1) & 1) << k;\n"
	"			CHECK((($U *)&inserted)[e] == ($U)put);\n"
	"			CHECK((($S *)&with_sign)[e] == ($S)filled);\n"
	"			CHECK((($U *)&without)[e] == ($U)field);\n"
	"			CHECK((($U *)&reversed)[e] == ($U)turned);\n"
	"		}\n"
	"	}\n";

static void add_bit_fields(struct probes *probes, const struct depth *depth)
{
	static const unsigned widths[] = {1, 2, 3, 4, 8, 16};
	static char scalar[sizeof(bit_fields) + 64];
	/* A scalar is read as such: there is no vload for it. */
	snprintf(scalar, sizeof(scalar), "	uint bits = 8 * sizeof($T);\n"
		 "	$T a = ((global const $T *)data)[g], b = ((global const $T *)data)[g + 64];\n%s",
		 strstr(bit_fields, "	$T$n reversed"));
	for (int type = 0; type <= TYPE_ULONG; type++) {
		for (unsigned w = 0; w < sizeof(widths) / sizeof(*widths); w++) {
			char count[8];
			if (depth->quick && (widths[w] == 2 || widths[w] == 8))
				continue;
			snprintf(count, sizeof(count), "%u", widths[w]);
			struct template template = {(enum type)type, widths[w], "", count};
			probes_add(probes, &template, "bit fields of $T$n",
				   widths[w] == 1 ? scalar : bit_fields);
		}
	}
}

/* -- cl_khr_integer_dot_product (6.15.3) ------------------------------------------------------- */

static const char dots[] =
	"	char4 cs = vload4(g, (global const char *)data), ds = vload4(g + 64, (global const "
	"char *)data);\n"
	"	uchar4 cu = as_uchar4(cs), du = as_uchar4(ds);\n"
	"	uint c = as_uint(cs), d = as_uint(ds);\n"
	"	if (g == 0) { cs = ds = (char4)(-128); cu = du = (uchar4)(255); c = as_uint(cs); d "
	"= c; }\n"
	"	if (g == 1) { cu = (uchar4)(255); ds = (char4)(-128); c = as_uint(cu); d = "
	"as_uint(ds); }\n"
	"	cs = as_char4(c); ds = as_char4(d); cu = as_uchar4(c); du = as_uchar4(d);\n"
	"	long ss = 0, uu = 0, us = 0, su = 0;\n"
	"	for (int e = 0; e < 4; e++) {\n"
	"		long a = ((char *)&cs)[e], b = ((char *)&ds)[e];\n"
	"		long ua = ((uchar *)&cu)[e], ub = ((uchar *)&du)[e];\n"
	"		ss += a * b; uu += ua * ub; us += ua * b; su += a * ub;\n"
	"	}\n"
	"	CHECK(dot(cs, ds) == (int)ss && dot(cu, du) == (uint)uu);\n"
	"	CHECK(dot(cu, ds) == (int)us && dot(cs, du) == (int)su);\n"
	"	CHECK(dot_4x8packed_ss_int(c, d) == (int)ss);\n"
	"	CHECK(dot_4x8packed_uu_uint(c, d) == (uint)uu);\n"
	"	CHECK(dot_4x8packed_us_int(c, d) == (int)us);\n"
	"	CHECK(dot_4x8packed_su_int(c, d) == (int)su);\n"
	"	for (int k = 0; k < 5; k++) {\n"
	"		long add = k == 0 ? 7 : k == 1 ? INT_MAX : k == 2 ? INT_MIN : k == 3 ? -9 : "
	"INT_MAX - 100;\n"
	"		uint more = k == 0 ? 7 : k == 1 ? UINT_MAX : k == 2 ? UINT_MAX - 100 : "
	"12345;\n"
	"		int is = (int)clamp(ss + add, (long)INT_MIN, (long)INT_MAX);\n"
	"		int ius = (int)clamp(us + add, (long)INT_MIN, (long)INT_MAX);\n"
	"		int isu = (int)clamp(su + add, (long)INT_MIN, (long)INT_MAX);\n"
	"		uint iu = (uint)min(uu + (long)more, (long)UINT_MAX);\n"
	"		CHECK(dot_acc_sat(cs, ds, (int)add) == is);\n"
	"		CHECK(dot_acc_sat(cu, ds, (int)add) == ius);\n"
	"		CHECK(dot_acc_sat(cs, du, (int)add) == isu);\n"
	"		CHECK(dot_acc_sat(cu, du, more) == iu);\n"
	"		CHECK(dot_acc_sat_4x8packed_ss_int(c, d, (int)add) == is);\n"
	"		CHECK(dot_acc_sat_4x8packed_us_int(c, d, (int)add) == ius);\n"
	"		CHECK(dot_acc_sat_4x8packed_su_int(c, d, (int)add) == isu);\n"
	"		CHECK(dot_acc_sat_4x8packed_uu_uint(c, d, more) == iu);\n"
	"	}\n";

/* -- cl_khr_extended_async_copies, cl_khr_async_work_group_copy_fence (6.15.11) ---------------- */

/* $x: bytes of an element.  A box of 3 planes of 4 lines of 5 elements, there and back. */
static const char boxes[] =
	"	local uchar box[4096] __attribute__((aligned(16)));\n"
	"	for (size_t i = g; i < 4096; i += 64) box[i] = out[i] = 0xee;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
	"	event_t e = async_work_group_copy_3D3D(box, 2, data, 3, $x, 5, 4, 3, 9, 40, 6, 24, "
	"0);\n"
	"	wait_group_events(1, &e);\n"
	"	for (size_t i = g; i < 80 * $x; i += 64) {\n"
	"		size_t at = i / $x, b = i % $x;\n"
	"		int inside = at >= 2 && (at - 2) / 24 < 3 && (at - 2) % 24 / 6 < 4 && (at - 2) % "
	"6 < 5;\n"
	"		size_t from = 3 + (at - 2) / 24 * 40 + (at - 2) % 24 / 6 * 9 + (at - 2) % "
	"6;\n"
	"		CHECK(box[i] == (inside ? data[from * $x + b] : 0xee));\n"
	"	}\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	e = async_work_group_copy_2D2D(out, 1, box, 2, $x, 5, 4, 6, 7, 0);\n"
	"	async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
	"	e = async_work_group_copy_2D2D(box, 100, out, 1, $x, 5, 4, 7, 5, e);\n"
	"	wait_group_events(1, &e);\n"
	"	for (size_t i = g; i < 35 * $x; i += 64) {\n"
	"		size_t at = i / $x, b = i % $x;\n"
	"		int inside = at >= 1 && (at - 1) / 7 < 4 && (at - 1) % 7 < 5;\n"
	"		size_t from = 3 + (at - 1) / 7 * 9 + (at - 1) % 7;\n"
	"		CHECK(out[i] == (inside ? data[from * $x + b] : 0xee));\n"
	"	}\n"
	"	for (size_t i = g; i < 20 * $x; i += 64)\n"
	"		CHECK(box[100 * $x + i] == data[(3 + i / $x / 5 * 9 + i / $x % 5) * $x + i % "
	"$x]);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	e = async_work_group_copy_3D3D(out, 0, box, 2, $x, 5, 4, 3, 6, 24, 5, 20, 0);\n"
	"	e = async_work_group_copy_2D2D(box, 0, data, 1, $x, 1, 8, 4, 1, e);\n"
	"	wait_group_events(1, &e);\n"
	"	barrier(CLK_GLOBAL_MEM_FENCE);\n"
	"	for (size_t i = g; i < 8 * $x; i += 64)\n"
	"		CHECK(box[i] == data[(1 + i / $x * 4) * $x + i % $x]);\n";

/* -- cl_khr_kernel_clock (6.15.20), cl_khr_expect_assume --------------------------------------- */

/* The device's clock may tick slowly; it must tick. */
static const char clocks[] =
	"	ulong first = clock_read_$x(), now = first;\n"
	"	uint2 halves = clock_read_hilo_$x();\n"
	"	CHECK(as_ulong(halves) - first < 1ul << 40);\n"
	"	for (int k = 0; k < 10000000 && now == first; k++) now = clock_read_$x();\n"
	"	CHECK(now - first - 1 < 1ul << 40);\n"
	"	ulong later = clock_read_$x();\n"
	"	CHECK(later - now < 1ul << 40);\n";

static const char hints[] =
	"	int n = (int)data[g] + 1, sum = 0;\n"
	"	__builtin_assume(n > 0);\n"
	"	if (__builtin_expect(n > 100, 0)) sum = 1;\n"
	"	else sum = 2;\n"
	"	CHECK(sum == (data[g] > 99 ? 1 : 2));\n"
	"	CHECK(__builtin_expect((long)n, 3L) == n);\n";

/* -- cl_ext_float_atomics ---------------------------------------------------------------------- */

/* $x: the type; $y: the address space, and then what explicit forms have behind the operand. */
static const char sums[] =
	"	WHERE\n"
	"	if (g == 0) atomic_store_explicit(c, ($x)0, memory_order_relaxed, "
	"memory_scope_device);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
	"	$x old = atomic_fetch_add$y($x)(g % 4) END;\n"
	"	CHECK(old >= 0 && old <= 96);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
	"	CHECK(atomic_load_explicit(c, memory_order_relaxed, memory_scope_device) == 96);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
	"	old = atomic_fetch_sub$y($x)2 END;\n"
	"	CHECK(old <= 96 && old >= 96 - 126);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
	"	CHECK(atomic_load_explicit(c, memory_order_relaxed, memory_scope_device) == "
	"-32);\n";
static const char extremes[] =
	"	WHERE\n"
	"	if (g == 0) atomic_store_explicit(c, ($x)0, memory_order_relaxed, "
	"memory_scope_device);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
	"	$x mine = ($x)((int)(g * 37 % 64) - 32) / ($x)2;\n"
	"	$x old = atomic_fetch_min$y mine END;\n"
	"	CHECK(old <= 0 && old >= -16);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
	"	CHECK(atomic_load_explicit(c, memory_order_relaxed, memory_scope_device) == -16);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
	"	old = atomic_fetch_max$y mine END;\n"
	"	CHECK(old <= ($x)15.5f && old >= -16);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
	"	CHECK(atomic_load_explicit(c, memory_order_relaxed, memory_scope_device) == "
	"($x)15.5f);\n"
	/* "min(x, qNaN) = min(qNaN, x) = x", and of two NaNs a NaN. */
	"	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
	"	if (g == 0) {\n"
	"		$x none = ($x)NAN;\n"
	"		CHECK(atomic_fetch_min$y none END == ($x)15.5f);\n"
	"		CHECK(atomic_fetch_max$y none END == ($x)15.5f);\n"
	"		CHECK(atomic_load_explicit(c, memory_order_relaxed, memory_scope_device) == "
	"($x)15.5f);\n"
	"		atomic_store_explicit(c, none, memory_order_relaxed, "
	"memory_scope_device);\n"
	"		old = atomic_fetch_max$y none END;\n"
	"		CHECK(old != old);\n"
	"		old = atomic_fetch_min$y ($x)-3 END;\n"
	"		CHECK(old != old);\n"
	"		CHECK(atomic_load_explicit(c, memory_order_relaxed, memory_scope_device) == "
	"-3);\n"
	"		atomic_store_explicit(c, none, memory_order_relaxed, "
	"memory_scope_device);\n"
	"		atomic_fetch_max$y ($x)-INFINITY END;\n"
	"		CHECK(atomic_load_explicit(c, memory_order_relaxed, memory_scope_device) "
	"==\n"
	"		      ($x)-INFINITY);\n"
	"	}\n";
/* Subnormal numbers count: as operand, as what is there, and as what comes of two normal ones. */
static const char subnormals[] =
	"	WHERE\n"
	"	float tiny = as_float(3u), least = as_float(0x00800000u);\n"
	"	if (g == 0) {\n"
	"		atomic_store_explicit(c, ($x)tiny, memory_order_relaxed, memory_scope_device);\n"
	"		CHECK(atomic_fetch_add$y ($x)tiny END == ($x)tiny);\n"
	"		CHECK(atomic_fetch_sub$y ($x)0 END == ($x)as_float(6u));\n"
	"		CHECK(atomic_exchange$y ($x)least END == ($x)as_float(6u));\n"
	"		atomic_fetch_sub$y ($x)as_float(0x00800005u) END;\n"
	"		CHECK(atomic_exchange$y ($x)tiny END == -($x)as_float(5u));\n"
	"		atomic_fetch_add$y ($x)0x1p-100f END;\n"
	"		$x sum = ($x)tiny + ($x)0x1p-100f;\n"
	"		CHECK(atomic_exchange$y ($x)-0.0f END == sum);\n"
	"		atomic_fetch_add$y ($x)-0.0f END;\n"
	"		CHECK(signbit(atomic_exchange$y ($x)0 END));\n"
	"	}\n";
/* What atomic_half alone needs an extension for; exchanges lose nothing. */
static const char moves[] =
	"	WHERE\n"
	"	local int sum;\n"
	"	if (g == 0) { sum = 0; atomic_store(c, ($x)100); }\n"
	"	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
	"	$x old = atomic_exchange$y($x)g END;\n"
	"	atomic_add(&sum, (int)old);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
	"	CHECK(sum + (int)atomic_load(c) == 100 + 63 * 32);\n"
	"	CHECK(atomic_load_explicit(c, memory_order_acquire) == atomic_load(c));\n"
	"	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
	"	atomic_store_explicit(c, ($x)-7, memory_order_release);\n"
	"	CHECK(atomic_load(c) == -7);\n";

static const struct {
	const char *suffix, *end;
} ways[] = {
	{"(c, ", ")"},
	{"_explicit(c, ", ", memory_order_acq_rel)"},
	{"_explicit(c, ", ", memory_order_relaxed, memory_scope_work_group)"},
	{"_explicit(c, ", ", memory_order_seq_cst, memory_scope_all_svm_devices)"},
};
enum { WAYS = sizeof(ways) / sizeof(*ways) };

/* The template with the object's address space and the end of each call filled in. */
static void write_atomic(struct bytes *text, const char *from, const char *type, bool is_local,
			 int way)
{
	while (*from) {
		if (!strncmp(from, "WHERE", 5)) {
			bytes_printf(text, is_local ? "local atomic_%s place[2]; volatile local "
						      "atomic_%s *c = place;"
						    : "volatile global atomic_%s *c = "
						      "(volatile global atomic_%s *)out;",
				     type, type);
			from += 5;
		} else if (!strncmp(from, " END", 4)) {
			bytes_append_string(text, ways[way].end);
			from += 4;
		} else {
			bytes_append_char(text, *from++);
		}
	}
}

static void add_atomic(struct probes *probes, const char *body, const char *what, const char *type)
{
	for (int place = 0; place < 2; place++) {
		for (int way = 0; way < WAYS; way++) {
			struct bytes text = BYTES_INIT;
			char name[96];
			struct template template = {TYPE_INT, 1, type, ways[way].suffix};
			write_atomic(&text, body, type, place, way);
			snprintf(name, sizeof(name), "atomic %s of %s %s, way %d", what,
				 place ? "local" : "global", type, way);
			if (bytes_failed(&text))
				family_fail("out of memory");
			else
				probes_add(probes, &template, name, bytes_string(&text));
			bytes_finish(&text);
		}
	}
}

static void add_float_atomics(struct probes *probes, bool has_half)
{
	static const char *const types[] = {"float", "double", "half"};
	for (int t = 0; t < (has_half ? 3 : 2); t++) {
		add_atomic(probes, sums, "sums", types[t]);
		add_atomic(probes, extremes, "extremes", types[t]);
		if (t < 2)
			add_atomic(probes, subnormals, "subnormals", types[t]);
	}
	if (has_half)
		add_atomic(probes, moves, "moves", "half");
}

/* -- the family -------------------------------------------------------------------------------- */

static void add_boxes(struct probes *probes)
{
	static const char *const sizes[] = {"1", "2", "3", "4", "6", "8", "12", "16"};
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct template template = {TYPE_CHAR, 1, sizes[i], ""};
		probes_add(probes, &template, "boxes of elements of $x bytes", boxes);
	}
}

static void add_clocks(struct probes *probes)
{
	static const char *const scopes[] = {"device", "work_group", "sub_group"};
	for (unsigned i = 0; i < sizeof(scopes) / sizeof(*scopes); i++) {
		struct template template = {TYPE_ULONG, 1, scopes[i], ""};
		probes_add(probes, &template, "clock of $x", clocks);
	}
}

static bool has_half_atomics(struct device *device)
{
	enum { HALF_FP_ATOMIC_CAPABILITIES_EXT = 0x4233 };
	cl_bitfield capabilities = 0;
	return !clGetDeviceInfo(device->id, HALF_FP_ATOMIC_CAPABILITIES_EXT, sizeof(capabilities),
				&capabilities, NULL) && capabilities;
}

void extended_family(struct device *device, const struct depth *depth)
{
	struct probes probes;
	const struct template none = {TYPE_INT, 1, "", ""};
	probes_init(&probes, device, true);
	if (has_extension(device, "cl_khr_extended_bit_ops"))
		add_bit_fields(&probes, depth);
	if (has_extension(device, "cl_khr_integer_dot_product"))
		probes_add(&probes, &none, "dot products", dots);
	if (has_extension(device, "cl_khr_extended_async_copies") &&
	    has_extension(device, "cl_khr_async_work_group_copy_fence"))
		add_boxes(&probes);
	if (has_extension(device, "cl_khr_kernel_clock"))
		add_clocks(&probes);
	if (has_extension(device, "cl_khr_expect_assume"))
		probes_add(&probes, &none, "hints", hints);
	if (has_extension(device, "cl_ext_float_atomics"))
		add_float_atomics(&probes, has_half_atomics(device));
	probes_finish(&probes);
}
