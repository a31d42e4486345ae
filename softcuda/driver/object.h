/* Texture and surface objects, by the values that kernels know them by. */
#ifndef CULVERT_SOFTCUDA_DRIVER_OBJECT_H
#define CULVERT_SOFTCUDA_DRIVER_OBJECT_H

#include "base/list.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"
#include "softcuda/exec/exec.h"
#include "softcuda/exec/image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct soft_array;
struct soft_context;

struct object {
	struct list link;                    /* of soft_context.objects */
	struct soft_context *context;
	struct soft_array *array;            /* a reference; NULL: linear memory */
	uint64_t extent_B;                   /* of linear memory */
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC texture;
	struct soft_image image;
};

/* The texture or surface object of a value, as kernels have it.  Thread-safe. */
enum soft_image_state soft_image_find(const struct soft_launch *launch, uint64_t value,
				      struct soft_image *image_out);
/* The object of a value; NULL: there is none of that kind. */
struct object *soft_object_find_locked(uint64_t value, bool surface);
/* Gives it a value; false when out of memory. */
bool soft_object_insert_locked(struct object *object);
void soft_object_destroy_locked(struct object *object);
void soft_object_retire_context_locked(struct soft_context *context);
/* How many texture or surface objects there are. */
size_t soft_object_live_locked(bool surface);

#endif
