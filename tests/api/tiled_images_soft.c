/* The other program of the software device: it imports the same memfd by CUDA's calls, and copies texels with CUDA. */
#include "config.h"

#include "tests/api/cuda_library.h"
#include "tests/api/fifo.h"
#include "tests/api/tiled_images.h"

#include <cuda.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OFFSET_B = 1536, SPARE_B = 1 << 16, PATIENCE_MS = 20000 };

#define CALLS(CALL)                                                                                \
	CALL(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                    \
	CALL(cuDevicePrimaryCtxRelease_v2, (CUdevice))                                             \
	CALL(cuCtxPushCurrent_v2, (CUcontext))                                                     \
	CALL(cuCtxPopCurrent_v2, (CUcontext *))                                                    \
	CALL(cuImportExternalMemory, (CUexternalMemory *, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *)) \
	CALL(cuExternalMemoryGetMappedMipmappedArray,                                              \
	     (CUmipmappedArray *, CUexternalMemory, const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *)) \
	CALL(cuMipmappedArrayGetLevel, (CUarray *, CUmipmappedArray, unsigned))                    \
	CALL(cuMipmappedArrayDestroy, (CUmipmappedArray))                                          \
	CALL(cuDestroyExternalMemory, (CUexternalMemory))                                          \
	CALL(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *))                                               \
	CALL(cuCtxSynchronize, (void))

static struct {
#define CALL(name, parameters) CUresult(*name) parameters;
	CALLS(CALL)
#undef CALL
} cu;

static CUcontext context;
static int written, wanted;

struct own {
	CUexternalMemory memory;
	CUmipmappedArray mipmap;
};

static const char *start(const unsigned char *uuid)
{
	void *library = cuda_library(NULL);
	(void)uuid;
	if (!library)
		return "no CUDA driver";
#define CALL(name, parameters)                                                                     \
	*(void **)&cu.name = dlsym(library, #name);                                                \
	if (!cu.name)                                                                              \
		return "the driver lacks " #name;
	CALLS(CALL)
#undef CALL
	return cu.cuDevicePrimaryCtxRetain(&context, 0) ? "no CUDA context" : NULL;
}

static bool semaphores(int *written_out, int *wanted_out)
{
	written = fifo_open();
	wanted = fifo_open();
	*written_out = fcntl(written, F_DUPFD_CLOEXEC, 0);
	*wanted_out = fcntl(wanted, F_DUPFD_CLOEXEC, 0);
	return *written_out >= 0 && *wanted_out >= 0;
}

static int memory_make(size_t size_B)
{
	const int fd = memfd_create("tiled", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 && !ftruncate(fd, (off_t)size_B) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static CUarray_format format_of(cl_channel_type type)
{
	switch (type) {
	case CL_UNORM_INT8:
	case CL_UNSIGNED_INT8:
		return CU_AD_FORMAT_UNSIGNED_INT8;
	case CL_UNORM_INT16:
		return CU_AD_FORMAT_UNSIGNED_INT16;
	case CL_SIGNED_INT32:
		return CU_AD_FORMAT_SIGNED_INT32;
	case CL_HALF_FLOAT:
		return CU_AD_FORMAT_HALF;
	default:
		return CU_AD_FORMAT_FLOAT;
	}
}

static unsigned channels_of(cl_channel_order order)
{
	return order == CL_R ? 1 : order == CL_RG ? 2 : 4;
}

/* Takes the descriptor. */
static bool map(const struct tiled_image *image, int fd, struct own *own)
{
	const struct tiled_shape *shape = image->shape;
	CUDA_EXTERNAL_MEMORY_HANDLE_DESC memory;
	CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC mapping;
	memset(&memory, 0, sizeof(memory));
	memset(&mapping, 0, sizeof(mapping));
	memory.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
	memory.handle.fd = fd;
	memory.size = image->allocation_B;
	mapping.offset = image->offset_B;
	mapping.arrayDesc.Width = shape->width;
	mapping.arrayDesc.Height = shape->height;
	mapping.arrayDesc.Depth = shape->layers ? shape->layers : shape->depth;
	mapping.arrayDesc.Format = format_of(shape->format.image_channel_data_type);
	mapping.arrayDesc.NumChannels = channels_of(shape->format.image_channel_order);
	mapping.arrayDesc.Flags = shape->layers ? CUDA_ARRAY3D_LAYERED : 0;
	mapping.numLevels = shape->levels;
	if (cu.cuImportExternalMemory(&own->memory, &memory)) {
		close(fd);
		return false;
	}
	if (!cu.cuExternalMemoryGetMappedMipmappedArray(&own->mipmap, own->memory, &mapping))
		return true;
	(void)cu.cuDestroyExternalMemory(own->memory);
	return false;
}

static bool map_in_context(const struct tiled_image *image, struct own *own)
{
	CUcontext popped;
	const int copy = fcntl(image->fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		return false;
	if (cu.cuCtxPushCurrent_v2(context)) {
		close(copy);
		return false;
	}
	const bool mapped = map(image, copy, own);
	(void)cu.cuCtxPopCurrent_v2(&popped);
	return mapped;
}

/* Memory with room for any layout whose rows have a little padding. */
static enum tiled_made make(const struct tiled_shape *shape, struct tiled_image *image)
{
	struct own *own = calloc(1, sizeof(*own));
	*image = (struct tiled_image){.shape = shape, .dedicated = shape->dedicated, .own = own};
	image->offset_B = shape->with_offset ? OFFSET_B : 0;
	image->allocation_B = image->offset_B + 2 * tiled_level_at(shape, shape->levels) + SPARE_B;
	image->fd = memory_make(image->allocation_B);
	if (own && image->fd >= 0 && map_in_context(image, own))
		return TILED_MADE;
	if (image->fd >= 0)
		close(image->fd);
	free(own);
	return TILED_FAILED;
}

/* One level; writes: to the image. */
static bool level_copy(const struct tiled_image *image, unsigned level, void *texels, bool writes)
{
	const struct own *own = image->own;
	size_t region[3];
	CUarray array;
	CUDA_MEMCPY3D copy;
	tiled_region(image->shape, level, region);
	if (cu.cuMipmappedArrayGetLevel(&array, own->mipmap, level))
		return false;
	memset(&copy, 0, sizeof(copy));
	copy.srcMemoryType = writes ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
	copy.dstMemoryType = writes ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
	copy.srcArray = copy.dstArray = array;
	copy.srcHost = copy.dstHost = texels;
	copy.WidthInBytes = copy.srcPitch = copy.dstPitch = region[0] * image->shape->texel_B;
	/* Layers are CUDA's third dimension, also of 1D arrays. */
	const bool rows = image->shape->layers && !image->shape->height;
	copy.Height = copy.srcHeight = copy.dstHeight = rows ? 1 : region[1];
	copy.Depth = rows ? region[1] : region[2];
	/* A copy of pageable host memory may end after the call. */
	return !cu.cuMemcpy3D_v2(&copy) && !cu.cuCtxSynchronize();
}

static bool copy(const struct tiled_image *image, unsigned char *texels, bool writes)
{
	CUcontext popped;
	bool good = !cu.cuCtxPushCurrent_v2(context);
	for (unsigned level = 0; level < image->shape->levels && good; level++)
		good = level_copy(image, level, texels + tiled_level_at(image->shape, level), writes);
	(void)cu.cuCtxPopCurrent_v2(&popped);
	return good;
}

static bool write_texels(const struct tiled_image *image, const void *texels)
{
	return copy(image, (void *)(uintptr_t)texels, true) && write(written, "s", 1) == 1;
}

static bool clear(const struct tiled_image *image, const unsigned char color[4])
{
	static unsigned char texels[TILED_TEXELS_MAX_B];
	for (size_t i = 0; i < tiled_level_at(image->shape, image->shape->levels); i++)
		texels[i] = color[i % 4];
	return write_texels(image, texels);
}

static bool read_texels(const struct tiled_image *image, void *texels)
{
	struct pollfd polled = {.fd = wanted, .events = POLLIN};
	char byte;
	return poll(&polled, 1, PATIENCE_MS) == 1 && read(wanted, &byte, 1) == 1 && copy(image, texels, false);
}

static void drop(const struct tiled_image *image)
{
	struct own *own = image->own;
	CUcontext popped;
	(void)cu.cuCtxPushCurrent_v2(context);
	(void)cu.cuMipmappedArrayDestroy(own->mipmap);
	(void)cu.cuDestroyExternalMemory(own->memory);
	(void)cu.cuCtxPopCurrent_v2(&popped);
	free(own);
}

static void end(void)
{
	close(written);
	close(wanted);
	(void)cu.cuDevicePrimaryCtxRelease_v2(0);
}

const struct tiled_maker tiled_soft = {
	.start = start, .semaphores = semaphores, .make = make, .write = write_texels, .clear = clear,
	.read = read_texels, .drop = drop, .end = end,
};
