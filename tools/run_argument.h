/* An argument of a kernel, from the words of the command line. */
#ifndef CULVERT_TOOLS_RUN_ARGUMENT_H
#define CULVERT_TOOLS_RUN_ARGUMENT_H

#include "tools/element.h"
#include "tools/opencl.h"
#include "tools/run_image.h"
#include "tools/run_pipe.h"

enum run_kind { RUN_VALUE, RUN_BUFFER, RUN_LOCAL, RUN_IMAGE, RUN_SAMPLER, RUN_PIPE };

struct run_argument {
	const char *word;        /* as it was given */
	char *name, *type;       /* owned; as in the source */
	enum run_kind kind;
	struct element element;  /* of a pipe a packet, of an image a texel */
	bool constant;           /* the kernel cannot write to it */
	bool reads;              /* a pipe that the kernel reads */
	struct bytes value;      /* a value's, a buffer's or an image's bytes; a pipe's packets */
	size_t local_B;
	struct run_image image;
	struct run_sampler sampler;
	struct run_pipe pipe;
	cl_mem memory;           /* of a buffer, image or pipe */
	cl_sampler sampler_object;
};

/* Asks the kernel for argument index and makes its value of word.  False: that was said. */
bool run_argument_init(struct run_argument *argument, const struct opencl *opencl,
		       cl_kernel kernel, cl_uint index, const char *word);
cl_int run_argument_set(struct run_argument *argument, const struct opencl *opencl,
			cl_context context, cl_device_id device, cl_command_queue queue,
			cl_kernel kernel, cl_uint index);
/* What is in its memory after the launch, into value. */
cl_int run_argument_read(struct run_argument *argument, const struct opencl *opencl,
			 cl_context context, cl_command_queue queue);
void run_argument_finish(struct run_argument *argument, const struct opencl *opencl);

#endif
