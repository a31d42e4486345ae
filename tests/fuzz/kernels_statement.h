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
/* Those of struct t. */
void nested_add(struct maker *maker, const char *name);

enum { KERNELS_LOCALS_MAX_B = 16 * 1024 };

void say(struct maker *maker, const char *text);
/* Appends what is true for some work-items. */
void condition(struct maker *maker);

/* Each appends one statement, or another kind of them where its own cannot be. */
void make_variable(struct maker *maker);
void make_assignment(struct maker *maker);
void make_branch(struct maker *maker);
/* kernels_object.c */
void make_array(struct maker *maker);
void make_matrix(struct maker *maker);
void make_array_access(struct maker *maker);
void make_struct(struct maker *maker);
void make_struct_copy(struct maker *maker);
void make_union(struct maker *maker);
void make_pointer(struct maker *maker);
void make_pointer_call(struct maker *maker);
void make_byte_access(struct maker *maker);
void make_nested(struct maker *maker);
/* kernels_region.c: memory that a work-item alone has */
void make_region(struct maker *maker);
void make_generic_pointer(struct maker *maker);
void make_elements(struct maker *maker);
void make_wide_atomic(struct maker *maker);
void make_ordered_atomic(struct maker *maker);
/* kernels_shared.c: memory that others see, and groups */
void make_count(struct maker *maker);
void make_own_atomic(struct maker *maker);
void make_half_store(struct maker *maker);
void make_exchange(struct maker *maker);
void make_struct_exchange(struct maker *maker);
void make_async_copy(struct maker *maker);
void make_group_call(struct maker *maker);
/* kernels_parts.c: objects whose parts belong to different work-items */
void make_parts(struct maker *maker);
void make_neighbours(struct maker *maker);
/* kernels_chosen.c: pointers of which only the run says in which address space they point */
void make_chosen_pointer(struct maker *maker);
/* kernels_chain.c: products and divisions */
void make_chain(struct maker *maker);

#endif
