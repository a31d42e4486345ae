#ifndef CULVERT_TESTS_KERNELS_LAUNCH_H
#define CULVERT_TESTS_KERNELS_LAUNCH_H
/* The program of a kernel file, and the runs of its kernels.  Each complains of what is wrong.
 *
 * Thread-safety: none. */

#include "tests/kernels/test.h"

/* Once; true: there is a program to run. */
bool build(struct test *test);

/* KERNEL(ARG, ...) global X [Y [Z]] [local X [Y [Z]]] [offset X [Y [Z]]] */
void do_run(struct test *test, const char *at);

#endif
