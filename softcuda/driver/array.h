/* CUDA arrays.  Everything named
 * _locked wants the driver's lock. */
#ifndef CULVERT_SOFTCUDA_DRIVER_ARRAY_H
#define CULVERT_SOFTCUDA_DRIVER_ARRAY_H

#include "base/list.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"
#include "softcuda/exec/exec.h"
#include "softcuda/exec/image.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct soft_context;

struct soft_array {
	struct list link;                    /* of soft_context.arrays */
	CUarray handle;
	struct soft_context *context;
	struct soft_allocation *allocation;  /* NULL once gone */
	CUDA_ARRAY3D_DESCRIPTOR descriptor;
	uint8_t dimensions;                  /* of a layer */
	bool layered;
	uint32_t element_B;
	uint64_t pitch_B, slice_B;
	uint64_t height, depth;              /* at least 1; layers count as depth */
	unsigned refs;                       /* the handle, objects */
	uint64_t offset_B;                   /* of the first texel in the allocation */
	/* Of a level of a mipmapped array.  Level 0 has the handle of all of it. */
	struct soft_array *base, *next;      /* level 0, and the next level or NULL */
	CUmipmappedArray mipmap;
	uint8_t levels;
	atomic_bool gone;                    /* destroyed; kernels read it without the lock */
};

/* CUDA_ERROR_INVALID_HANDLE, also while it is being destroyed. */
CUresult soft_array_find_locked(CUarray cu_array, struct soft_array **array_out);
/* Level 0 of a mipmapped array; errors are those of soft_array_find_locked. */
CUresult soft_mipmap_find_locked(CUmipmappedArray cu_mipmap, struct soft_array **array_out);
void soft_array_unref_locked(struct soft_array *array);

/* The address of the first texel. */
uint64_t soft_array_start(const struct soft_array *array);

/* How the texels of a format are kept. */
struct soft_format {
	enum texel_kind kind;
	uint8_t channel_B;
	uint8_t channels;
	bool packed;                         /* ten bits each and two, in a word */
};

/* False for a format or a number of channels that there is not. */
bool soft_format_find(CUarray_format format, unsigned channels, struct soft_format *format_out);

/* The handle goes, and the array with its last user. */
void soft_array_end_locked(struct soft_array *array);
/* Everything that belongs to context; its memory goes by itself. */
void soft_array_retire_context_locked(struct soft_context *context);

#endif
