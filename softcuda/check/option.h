/* What CULVERT_SOFT_CHECK asks for.  Thread-safe: it does not change while the process lives. */
#ifndef CULVERT_SOFTCUDA_CHECK_OPTION_H
#define CULVERT_SOFTCUDA_CHECK_OPTION_H

#include <stdint.h>

enum check_option {
	CHECK_MEMORY = 1,
	CHECK_RACE = 2,
	CHECK_UNINIT = 4,
	CHECK_BARRIER = 8,
	CHECK_STOP = 16,          /* the first report ends the launch */
	CHECK_BENIGN = 32         /* writes of equal values are not reported as races */
};

/* The gap that CHECK_MEMORY leaves between buffers. */
enum { GLOBAL_GAP_B = 4096 };
/* The gap that the front end leaves before and behind a private variable (frontend/lower_check.c). */
enum { VARIABLE_GAP_B = 32 };
/* A bit in the size of a variable that is a vector. */
#define CHECK_VECTOR (UINT64_C(1) << 63)

/* The words of CULVERT_SOFT_CHECK as a set of enum check_option. */
unsigned check_options(void);

#endif
