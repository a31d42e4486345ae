/* Images and samplers of `culvert run`:
 *
 *	image:FORMAT:SIZE[:CONTENT]   as image:rgba-unorm8:64x48:zero
 *
 * FORMAT is a channel order and a data type as clCreateImage has them, in small letters; SIZE is the
 * width, height and depth, then the layers of an array; CONTENT is as of a buffer of that many texels,
 * with the bytes that are stored. */
#ifndef CULVERT_TOOLS_RUN_IMAGE_H
#define CULVERT_TOOLS_RUN_IMAGE_H

#include "tools/element.h"
#include "tools/opencl.h"

struct run_image {
	cl_image_format format;
	cl_image_desc desc;
	size_t region[3];        /* all of it, as transfers take it */
	size_t texels;
	cl_mem buffer;           /* what an image1d_buffer_t is made of; reference, or NULL */
};

/* type: of the argument, "image2d_t".  element_out: a texel; content_out: points into word, and is
 * "zero" where there is none.  False: the word is no such image. */
bool run_image_parse(const char *type, const char *word, struct run_image *image,
		     struct element *element_out, const char **content_out);

/* value: its texels. */
cl_mem run_image_create(struct run_image *image, const struct opencl *opencl, cl_context context,
			struct bytes *value, cl_int *error_out);
cl_int run_image_read(const struct run_image *image, const struct opencl *opencl,
		      cl_command_queue queue, cl_mem memory, struct bytes *value);

/* "64x48": as it was given. */
const char *run_image_size(const struct run_image *image);       /* static */
/* The same as numbers, the outermost first: how many. */
unsigned run_image_shape(const struct run_image *image, size_t sizes_out[3]);

/* "linear,repeat,normalized", in any order; what is left out is nearest, clamp_to_edge and not
 * normalized.  False: the word is no such sampler. */
struct run_sampler {
	cl_bool normalized;
	cl_addressing_mode addressing;
	cl_filter_mode filter;
};
bool run_sampler_parse(const char *word, struct run_sampler *sampler);

#endif
