/* What texture and surface instructions share: finding a lane's object, and informing watchers of accesses. */
#ifndef CULVERT_SOFTCUDA_EXEC_OBJECT_H
#define CULVERT_SOFTCUDA_EXEC_OBJECT_H

#include "softcuda/exec/memory.h"
#include "softcuda/exec/warp.h"

/* The object of lane l, of the kind and shape that op needs; NULL: a fault was noted.  Valid until the next call for
 * this group. */
const struct soft_image *exec_object_find(struct warp *warp, const struct op *op, unsigned l,
					  uint64_t object, bool surface);

/* For the oracle and the checker; false: a fault was noted. */
bool exec_object_touch(struct warp *warp, const struct op *op, unsigned l, unsigned kind,
		       uint64_t address, uint32_t size_B);

static inline struct image_mode exec_image_mode(const struct op *op)
{
	struct image_mode mode;
	memcpy(&mode, &op->imm, sizeof(mode));
	return mode;
}

static inline bool exec_object_watched(const struct warp *warp)
{
	return warp->watched;
}

#endif
