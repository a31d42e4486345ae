/* Who makes the images of tests/api/tiled_images: another API, which lays them out in the GPU's own way, and exports
 * their memory.  On a GPU it is Vulkan (tiled_images_vulkan.c); on the software device it is a program that uses CUDA's
 * calls itself (tiled_images_soft.c). */
#ifndef CULVERT_TESTS_API_TILED_IMAGES_H
#define CULVERT_TESTS_API_TILED_IMAGES_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

enum { TILED_TEXELS_MAX_B = 1 << 18 };

struct tiled_shape {
	cl_mem_object_type type;
	cl_image_format format;
	unsigned texel_B;
	size_t width, height, depth, layers;
	unsigned levels;
	bool with_offset;                /* it does not begin where its memory does */
	bool dedicated, color_attachment;
};

struct tiled_image {
	const struct tiled_shape *shape;
	int fd;                          /* a new one, which the caller gets */
	uint64_t allocation_B, offset_B;
	bool dedicated;                  /* also if the other API insists on it */
	void *own;                       /* the maker's */
};

/* FAILED: the image should be there, and an error occurred.  Nothing is left of it then, nor if it is ABSENT. */
enum tiled_made { TILED_MADE, TILED_ABSENT, TILED_FAILED };

/* Texels are those of all levels, one level behind another, without padding. */
struct tiled_maker {
	/* NULL, or why it is not there.  uuid: of the device (CL_DEVICE_UUID_KHR). */
	const char *(*start)(const unsigned char *uuid);
	/* Opaque descriptors of a semaphore that write signals, and of one that read waits for. */
	bool (*semaphores)(int *written_out, int *wanted_out);
	/* ABSENT: the other API has no such images, or does not export them. */
	enum tiled_made (*make)(const struct tiled_shape *shape, struct tiled_image *image_out);
	bool (*write)(const struct tiled_image *image, const void *texels);
	/* As write: every texel gets this color.  Of CL_RGBA and CL_UNSIGNED_INT8 only. */
	bool (*clear)(const struct tiled_image *image, const unsigned char color[4]);
	bool (*read)(const struct tiled_image *image, void *texels);
	void (*drop)(const struct tiled_image *image);
	void (*end)(void);
};

extern const struct tiled_maker tiled_soft;
/* Where there are no headers of Vulkan's, it never starts. */
extern const struct tiled_maker tiled_vulkan;

/* The size of a level in texels; layers count as the third number, or the second of 1D arrays. */
static inline void tiled_region(const struct tiled_shape *shape, unsigned level, size_t region[3])
{
	const size_t sizes[3] = {shape->width, shape->height, shape->depth};
	for (unsigned i = 0; i < 3; i++)
		region[i] = sizes[i] >> level ? sizes[i] >> level : 1;
	if (shape->layers)
		region[shape->height ? 2 : 1] = shape->layers;
}

static inline size_t tiled_level_B(const struct tiled_shape *shape, unsigned level)
{
	size_t region[3];
	tiled_region(shape, level, region);
	return region[0] * region[1] * region[2] * shape->texel_B;
}

/* Where a level begins in texels; of the number of levels, their size. */
static inline size_t tiled_level_at(const struct tiled_shape *shape, unsigned level)
{
	size_t at = 0;
	for (unsigned i = 0; i < level; i++)
		at += tiled_level_B(shape, i);
	return at;
}

#endif
