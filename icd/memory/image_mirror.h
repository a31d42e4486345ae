/* Mirrors: arrays that have the texels of images which are made of buffers (cl_ext_image_from_buffer), or whose format
 * CUDA's arrays do not have.
 *
 * CUDA has textures of linear memory for 1D image buffers and for 2D images whose rows are aligned.  Kernels use any
 * other image of a buffer through an array, its mirror, of which each device has one.  All other commands use the
 * buffer's memory.  Images of packed formats (CL_UNORM_SHORT_565 and others) are in linear memory, their own if they
 * are not made of a buffer; their mirrors have floats, and the copies convert them.  A launch that uses the image is
 * put into its stream as three operations:
 *   1. a copy of the buffer's texels to the mirror, unless nothing has written the buffer since the last copy;
 *   2. the kernel;
 *   3. if the kernel may write the image, a copy of the mirror to the buffer.
 * OpenCL 3.0 API, 5.3.1.2: changes of the one "are reflected in the contents of" the other "at corresponding
 * synchronization points"; within a kernel they need not be.
 *
 * Launches may be unordered and write different texels of an image.  Therefore a launch that changes a mirror comes
 * after all earlier work with the buffer on the device, and other launches with the image come after it.  The context's
 * lock mirrors is held by the caller from ocl_mirror_begin to ocl_mirror_end, or around a replay.
 *
 * In a command buffer both copies are nodes of the graph.
 *
 * Not thread-safe: the caller holds that lock. */
#ifndef CULVERT_ICD_IMAGE_MIRROR_H
#define CULVERT_ICD_IMAGE_MIRROR_H

#include "icd/memory/image.h"

static inline bool ocl_mem_is_mirrored(const struct _cl_mem *mem)
{
	return mem->image && mem->image->mirrored;
}

/* Decides whether the new image mem, which has its storage, needs mirrors.  With one device its mirror is allocated
 * now, so that a failure is reported here.  CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES,
 * CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_mirror_prepare(cl_mem mem);

/* Steps 1 and 3 of a launch into sink, which uses the mirrored image as at.  ocl_mirror_end is called once for each
 * ocl_mirror_begin, also for one that failed.  launched: the kernel is in sink. */
cl_int ocl_mirror_begin(cl_mem mem, const struct ocl_acquired *at, struct gpu_sink sink);
cl_int ocl_mirror_end(cl_mem mem, struct ocl_acquired *at, struct gpu_sink sink, bool launched);

/* Called before and after a graph that uses the mirror on the device with index device is put into stream. */
cl_int ocl_mirror_replay(cl_mem mem, uint32_t device, struct gpu_stream *stream);
cl_int ocl_mirror_replayed(cl_mem mem, uint32_t device, struct gpu_stream *stream);

#endif
