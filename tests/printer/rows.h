/* The constructs of LLVM IR that the printer must write, as rows of a table, and what
 * becomes of a row: an item for each of its types and widths.
 *
 * In a row's text stand for the item's types:
 *	$T      the type: i32, <4 x i32>          $E   its element: i32
 *	$U      the type converted to             $N   how many elements, 1 for a scalar
 *	$[i1]   the element in brackets, as many as $T has
 *	$(5)    a constant of type $T with 5 in each element
 *	$M      the type as names of intrinsics have it: v4i32
 *	$#      the item's number, for names of globals
 *	$$      a dollar
 * The body finds %a, %b and %c of the type $T (rows with types), %in and %out, and
 * leaves its result in %r.  b has no zeros; c is small and not negative.
 *
 * Memory: the items are items_finish's to free.  Thread-safety: none. */
#ifndef CULVERT_TESTS_PRINTER_ROWS_H
#define CULVERT_TESTS_PRINTER_ROWS_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>

/* Sets of types. */
enum {
	I8 = 1, I16 = 2, I32 = 4, I64 = 8, HALF = 16, FLOAT = 32, DOUBLE = 64,
	INTEGERS = I8 | I16 | I32 | I64, REALS = HALF | FLOAT | DOUBLE, NO_TYPE = 0
};
enum { TYPE_COUNT = 7 };

/* Sets of widths: bit n for the vectors of n elements. */
enum {
	W1 = 1 << 1, W2 = 1 << 2, W3 = 1 << 3, W4 = 1 << 4, W8 = 1 << 8, W16 = 1 << 16,
	VECTORS = W2 | W3 | W4 | W8 | W16, EVERY = W1 | VECTORS, SOME = W1 | W3 | W4
};

enum relation { ANY, NARROWER, WIDER };

struct row {
	const char *name;
	unsigned types, widths;
	unsigned to;                    /* conversions: to each of these */
	enum relation relation;         /* of which only those of such a size */
	const char *result;             /* its type; NULL: $T */
	const char *body;
	const char *globals;            /* before the kernel; NULL: none */
	const char *reference;          /* a body for the host's compiler; NULL: the same */
	const char *reference_globals;  /* with reference */
	unsigned ulps;                  /* by how much a real result may differ */
};

struct item {
	const struct row *row;
	char name[96];                  /* of the row and its types */
	char kernel[16];
	unsigned type;                  /* bit of the set; 0: none */
	unsigned result_type;           /* bit of the set for reals, else 0 */
	struct bytes text, reference;   /* LLVM IR, without target */
};

struct items {
	struct item *all;
	size_t count;
};

/* False: no memory. */
bool items_make(struct items *items);
void items_finish(struct items *items);

/* What the items' texts refer to: it goes behind them. */
extern const char items_metadata[];

/* A row that the printer must refuse, and a part of what it says. */
struct refused_row {
	const char *name, *text, *says;
};
extern const struct refused_row refused_rows[];
extern const size_t refused_row_count;

enum { INPUT_B = 1024, OUTPUT_B = 256, OPERAND_B = 256 };
/* The operands that an item's kernel finds, INPUT_B bytes. */
void items_fill_input(const struct item *item, unsigned char *input);

#endif
