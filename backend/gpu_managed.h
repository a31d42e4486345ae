/* Managed memory: one address for the host and all devices; pages move to whoever accesses them.
 *
 * An allocation has a part that is meant to be in the memory of its device, its home; that is all of it as long as it
 * fits.  The rest stays in the memory of the host, and devices access it there, over the bus: if the driver had to
 * evict pages for each other, kernels that use all of the memory would be slower than that.
 *
 * Thread-safe. */
#ifndef CULVERT_BACKEND_GPU_MANAGED_H
#define CULVERT_BACKEND_GPU_MANAGED_H

#include "backend/gpu.h"

struct gpu_managed;

/* What a program knows about its use of a range (cuMemAdvise); GPU_ADVICE_DEFAULT withdraws all of it. */
enum gpu_advice {
	GPU_ADVICE_DEFAULT,
	GPU_ADVICE_SET_READ_MOSTLY, GPU_ADVICE_UNSET_READ_MOSTLY,
	GPU_ADVICE_PREFER_DEVICE, GPU_ADVICE_PREFER_HOST, GPU_ADVICE_PREFER_NONE,
	GPU_ADVICE_SET_ACCESSED_BY_DEVICE, GPU_ADVICE_UNSET_ACCESSED_BY_DEVICE,
	GPU_ADVICE_SET_ACCESSED_BY_HOST, GPU_ADVICE_UNSET_ACCESSED_BY_HOST
};

/* Allocates memory for count devices, of which the first is its home.  CL_MEM_OBJECT_ALLOCATION_FAILURE if a device
 * does not support use by device and host at the same time, if it does not fit and CULVERT_OVERSUBSCRIBE is off, the
 * driver takes no advice (before CUDA 12.2) or the device has no room for its page tables, or if the host would need
 * more than half of its memory for such rests, or more than it has left; CL_OUT_OF_HOST_MEMORY,
 * CL_OUT_OF_RESOURCES. */
cl_int gpu_managed_alloc(struct gpu_device *const *devices, uint32_t count, uint64_t size_B,
			 struct gpu_managed **managed_out);
void *gpu_managed_pointer(const struct gpu_managed *managed);
/* Whether a part of it has no room on its device. */
bool gpu_managed_exceeds(const struct gpu_managed *managed);
/* Frees it once the events have happened, and no kernel runs on its device.  NULL is fine. */
void gpu_managed_free(struct gpu_managed *managed, struct gpu_event *const *after, uint32_t count);

/* Moves the pages of a range to the host or to the stream's device, as far as there is room. */
cl_int gpu_managed_prefetch(struct gpu_stream *stream, struct gpu_managed *managed, uint64_t lo_B, uint64_t size_B,
			    bool to_host);
/* Moves the part that is meant to be on a device to the stream's device. */
cl_int gpu_managed_bring(struct gpu_stream *stream, struct gpu_managed *managed);
/* Notes that a device uses the memory, so that its pages are there or will be soon. */
void gpu_managed_note_use(struct gpu_managed *managed);
/* Gives the driver advice, where it takes any.  A hint: what it refuses is logged. */
cl_int gpu_managed_advise(struct gpu_device *device, const struct gpu_managed *managed, uint64_t lo_B,
			  uint64_t size_B, enum gpu_advice advice);

#endif
