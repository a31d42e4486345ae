/* Functions that work element by element: tables of them, and the engine that tests a table.
 *
 * The scalar form is compared with a reference at the points of points.h; each vector form must
 * give what the scalar form gave, bit by bit.  Thread-safety: none. */
#ifndef CULVERT_TESTS_BUILTINS_CALL_H
#define CULVERT_TESTS_BUILTINS_CALL_H

#include "tests/builtins/family.h"
#include "tests/builtins/number.h"

/* One evaluation: the reference reads the arguments and says what is right. */
struct call {
	enum type type;            /* the function's generic type */
	struct number a[3];
	struct number result;      /* of a real function: .real is exact, not yet rounded */
	struct number second;      /* what goes through the pointer */
	long double absolute;      /* an error that is allowed besides the bound in ulps */
	bool any_zero_sign;
	bool any_result, any_second;    /* nothing is promised for these arguments */
	bool has_other;
	struct number other;       /* as right as result */
};

typedef void call_reference(struct call *call);

/* A signature is the result, '=', the arguments, and after '+' what the last pointer leads to:
 *   t the generic type    i int       u, s  the generic type without, with sign
 *   w twice as wide       r int for scalars, the signed type for vectors (-1 for true)
 * A mixed form gives for each argument v (vector) or s (scalar). */
struct function {
	const char *name;          /* a call is NAME(arguments), or an expression with $1 $2 $3 */
	const char *signature;
	const char *mixed;         /* NULL: there is none */
	unsigned types;            /* bits 1 << enum type */
	long double ulps[3];       /* float, double, half; negative: nothing is promised */
	call_reference *reference; /* NULL: only the vector forms are tested */
};

enum {
	TYPES_REAL = 1 << TYPE_HALF | 1 << TYPE_FLOAT | 1 << TYPE_DOUBLE,
	TYPES_HALF = 1 << TYPE_HALF,
	TYPES_FLOAT = 1 << TYPE_FLOAT,
	TYPES_DOUBLE = 1 << TYPE_DOUBLE,
	TYPES_INTEGER = (1 << INTEGER_TYPES) - 1,
	TYPES_32 = 1 << TYPE_INT | 1 << TYPE_UINT,
	TYPES_NOT_64 = TYPES_INTEGER & ~(1 << TYPE_LONG | 1 << TYPE_ULONG),
};

/* Tests the functions of a table for those of their types that are in `types`. */
void call_test(struct device *device, const struct depth *depth, const struct function *functions,
	       size_t count, unsigned types);

#endif
