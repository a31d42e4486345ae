/* The relational functions. */
#include "config.h"

#include "tests/builtins/call.h"
#include "tests/builtins/probe.h"

#include <math.h>

#define RELATIONAL(name, signature, types, ...) \
	static void name##_reference(struct call *call) \
	{ \
		long double x = call->a[0].real, y = call->a[1].real; \
		(void)x, (void)y; \
		call->result = number_from_bits(*(signature) == 'r' ? TYPE_INT : call->type, \
						(uint64_t)(__VA_ARGS__)); \
	}
#include "tests/builtins/relational.def"
#undef RELATIONAL

#define RELATIONAL(name, signature, types, ...) \
	{#name, signature, NULL, types, {0, 0, 0}, name##_reference},
static const struct function functions[] = {
#include "tests/builtins/relational.def"
};
#undef RELATIONAL

/* Random vectors seldom have all signs alike, so a third gets all and a third none. */
#define ANY_AND_ALL(load, element) \
	"	$T$n x = " load ";\n" \
	"	$T least = ($T)(($U)1 << (sizeof($T) * 8 - 1));\n" \
	"	if (g % 3 == 0) x |= ($T$n)least;\n" \
	"	if (g % 3 == 1) x &= ($T$n)~least;\n" \
	"	int some = 0, every = 1;\n" \
	"	$[some |= x" element " < 0; every &= x" element " < 0;\n$]" \
	"	CHECK(any(x) == some);\n" \
	"	CHECK(all(x) == every);\n"
static const char any_of_scalar[] = ANY_AND_ALL("((global const $T *)data)[g]", "");
static const char any_of_vector[] = ANY_AND_ALL("vload$n(g, (global const $T *)data)", ".s$h");
/* A scalar condition is true when not zero, a vector's by its most significant bit. */
static const char select_scalar[] =
	"	$T a = ((global const $T *)data)[g], b = ((global const $T *)data)[g + 64];\n"
	"	$S s = g % 3 ? ((global const $S *)data)[g + 9] : ($S)0;\n"
	"	CHECK(same(select(a, b, s), ($T)(s ? b : a)));\n"
	"	CHECK(same(select(a, b, ($U)s), ($T)(s ? b : a)));\n";
static const char select_vector[] =
	"	$T$n a = vload$n(g, (global const $T *)data);\n"
	"	$T$n b = vload$n(g, (global const $T *)data + 7);\n"
	"	$S$n s = vload$n(g, (global const $S *)data + 5);\n"
	"	$T$n r = select(a, b, s), t = select(a, b, as_$U$n(s));\n"
	"	$[CHECK(same(r.s$h, ($T)(s.s$h < 0 ? b.s$h : a.s$h)));\n"
	"	CHECK(same(t.s$h, r.s$h));\n$]";

static void add_probes(struct probes *probes)
{
	static const unsigned widths[] = {2, 3, 4, 8, 16};
	for (int t = 0; t < SCALAR_TYPES; t++) {
		enum type type = (enum type)t;
		bool has_any = type_is_signed(type) && !type_is_real(type);
		struct template scalar = {type, 1, "", ""};
		probes_add(probes, &scalar, "select of $T", select_scalar);
		if (has_any)
			probes_add(probes, &scalar, "any, all of $T", any_of_scalar);
		for (unsigned w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
			struct template vector = {type, widths[w], "", ""};
			probes_add(probes, &vector, "select of $T$n", select_vector);
			if (has_any)
				probes_add(probes, &vector, "any, all of $T$n", any_of_vector);
		}
	}
}

void relational_family(struct device *device, const struct depth *depth)
{
	struct probes probes;
	call_test(device, depth, functions, sizeof(functions) / sizeof(functions[0]),
		  TYPES_INTEGER | TYPES_REAL);
	probes_init(&probes, device, false);
	add_probes(&probes);
	probes_finish(&probes);
}
