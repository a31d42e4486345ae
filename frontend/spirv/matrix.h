/* Cooperative matrices (SPV_KHR_cooperative_matrix), which the work-items of a sub-group hold together, and their
 * products by mma instructions.
 *
 * A matrix consists of blocks of 8 lines and 4 * run places.  Along the places, which are the dimension that a product
 * sums over, or the columns of a sum, a work-item has run neighbours: a register.  In each block, the work-item with
 * the number n in its sub-group has the register of line n / 4 that begins at place n % 4 * run (PTX ISA, "Matrix
 * Fragments for mma").  All registers of a matrix are a vector in LLVM IR, in the order of spirv_fragment_register.
 * The position of an element depends on the use, the rows and columns, and for factors on the width of the components.
 *
 * Source: SPV_KHR_cooperative_matrix, revision 10.  Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_MATRIX_H
#define CULVERT_FRONTEND_SPIRV_MATRIX_H

#include "frontend/spirv/value.h"

/* Cooperative Matrix Use. */
enum { SPIRV_MATRIX_A, SPIRV_MATRIX_B, SPIRV_MATRIX_SUM };

/* How a matrix is divided. */
struct spirv_fragment {
	unsigned lines, places;     /* dimensions of the matrix */
	unsigned run;               /* number of elements in a register */
	bool lines_are_rows;        /* otherwise lines are columns */
	bool is_by_line;            /* the registers of 8 lines stand together, not those of 16 */
};

struct spirv_fragment spirv_fragment_of(const struct spirv_type *type);

/* The number of the register for lines from 8 * line on and places from 4 * run * block on. */
unsigned spirv_fragment_register(const struct spirv_fragment *fragment, unsigned line, unsigned block);

/* Builds a composite of one constituent, to which all elements are set. */
bool spirv_matrix_fill(struct spirv_reader *reader, const struct spirv_op *op);

/* Whether a value of a type may be loaded or stored through a pointer: matrices are in private memory only.  False with
 * a message. */
bool spirv_matrix_is_private(struct spirv_reader *reader, const struct spirv_type *type, uint32_t pointer);

/* Whether the result of an instruction may have a type: always, if it is no matrix.  False with a message. */
bool spirv_matrix_may_result(struct spirv_reader *reader, unsigned op, const struct spirv_type *type);

#endif
