/* Statements of random kernels (kernels_make.h). */
#ifndef CULVERT_TESTS_FUZZ_KERNELS_STATEMENT_H
#define CULVERT_TESTS_FUZZ_KERNELS_STATEMENT_H

#include "tests/fuzz/kernels_expression.h"

/* Appends so many statements; what they declare stays in scope. */
void statements(struct maker *maker, unsigned count);
/* Appends what makes one number, sum, of the variables from the first-th to
 * before the end-th. */
void sum_up(struct maker *maker, unsigned first, unsigned end);
/* The fields of a variable of struct s come into scope. */
void fields_add(struct maker *maker, const char *name, unsigned mask);

#endif
