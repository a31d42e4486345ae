/* Sizes of the levels of mipmapped arrays. */
#include "config.h"

#include "backend/gpu_image.h"

static uint64_t halved(uint64_t size, uint32_t level)
{
	return size >> level ? size >> level : size ? 1 : 0;
}

struct gpu_extent gpu_extent_of_level(const struct gpu_extent *extent, uint32_t level)
{
	return (struct gpu_extent){
		.width = halved(extent->width, level),
		.height = halved(extent->height, level),
		.depth = extent->layered ? extent->depth : halved(extent->depth, level),
		.layered = extent->layered,
	};
}

uint64_t gpu_extent_texels(const struct gpu_extent *extent, uint32_t levels)
{
	uint64_t texels = 0;
	for (uint32_t i = 0; i < levels; i++) {
		const struct gpu_extent level = gpu_extent_of_level(extent, i);
		texels += level.width * (level.height ? level.height : 1) * (level.depth ? level.depth : 1);
	}
	return texels;
}
