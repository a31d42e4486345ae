/* Everything that can be asked of a built program, as text: two programs that must be
 * the same have the same.  Not thread-safe. */
#ifndef CULVERT_TESTS_KERNELS_FACTS_H
#define CULVERT_TESTS_KERNELS_FACTS_H

#include <CL/cl.h>

/* Where to: facts_write does nothing without.  False when it cannot be opened. */
int facts_open(const char *path);
void facts_write(const char *name, cl_program program, cl_device_id device);
/* 0 when all was written. */
int facts_close(void);

/* Puts what clCreateProgramWithBinary makes of the program's binary in its place, built;
 * NULL where it is not made. */
cl_int facts_go_by_binary(cl_program *program, cl_context context, cl_device_id device,
			  const char *options);

#endif
