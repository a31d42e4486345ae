/* An argument of a kernel, from the words of the command line. */
#ifndef CULVERT_TOOLS_RUN_ARGUMENT_H
#define CULVERT_TOOLS_RUN_ARGUMENT_H

#include "tools/element.h"
#include "tools/opencl.h"

struct run_argument {
	const char *word;        /* as it was given */
	char *name, *type;       /* owned; as in the source */
	struct element element;
	bool local, buffer;      /* neither: a value */
	bool constant;           /* the kernel cannot write to it */
	struct bytes value;      /* a value's or a buffer's bytes */
	size_t local_B;
	cl_mem memory;
};

/* Asks the kernel for argument index and makes its value of word.  False: that was said. */
bool run_argument_init(struct run_argument *argument, const struct opencl *opencl,
		       cl_kernel kernel, cl_uint index, const char *word);
cl_int run_argument_set(struct run_argument *argument, const struct opencl *opencl,
			cl_context context, cl_kernel kernel, cl_uint index);
void run_argument_finish(struct run_argument *argument, const struct opencl *opencl);

#endif
