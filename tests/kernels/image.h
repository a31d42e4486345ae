/* Images and samplers of kernel files: their words, and the objects these stand for.
 *
 *	SHAPE NAME ORDER CHANNEL WIDTH [HEIGHT] [DEPTH or LAYERS] [levels N] [of BUFFER [pitch BYTES]]
 *	       SHAPE: 1d 1d_array 1d_buffer 2d 2d_array 3d
 *	       ORDER: r a rg ra rgba bgra argb abgr intensity luminance depth srgba sbgra
 *	       CHANNEL: unorm8 unorm16 unorm10 unorm10_2 unorm565 unorm555 snorm8 snorm16 int8 ... uint32 half float
 *	       N: of a mipmapped image, whose levels follow each other in its channels
 *	sampler [none|edge|clamp|repeat|mirror] [nearest|linear] [normalized] [levels [linear] LOD_MIN LOD_MAX]
 *
 * Thread-safety: none. */
#ifndef CULVERT_TESTS_KERNELS_IMAGE_H
#define CULVERT_TESTS_KERNELS_IMAGE_H

#include "tests/kernels/expression.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

struct image {
	char name[64];
	char buffer[64];                 /* of which it is made; "": its own memory */
	cl_image_format format;
	cl_image_desc desc;
	size_t region[3];                /* all of it, or of level 0, as the transfers take it */
	enum element_type type;          /* of a channel as bytes */
	size_t channels;
};

/* false: at is not an image; where a word was wrong. */
bool image_parse(const char **at, struct image *image_out);
size_t image_count(const struct image *image);      /* channels in all */

/* buffer: what the image is made of, or NULL; data: what it starts with, or NULL. */
cl_mem image_create(cl_command_queue queue, cl_context context, const struct image *image, cl_mem buffer, void *data,
		    cl_int *error_out);
cl_int image_read(cl_command_queue queue, const struct image *image, cl_mem mem, void *data);

/* The words behind "sampler", up to a comma or a bracket. */
cl_sampler sampler_create(cl_context context, const char **at, cl_int *error_out);

#endif
