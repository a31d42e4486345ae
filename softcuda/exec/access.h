/* Addresses of a memory instruction -> places in host memory, checked.
 *
 * The one way to memory for ld, st, atomics and copies: the checker looks on here. */
#ifndef CULVERT_SOFTCUDA_EXEC_ACCESS_H
#define CULVERT_SOFTCUDA_EXEC_ACCESS_H

#include "softcuda/exec/table.h"
#include "softcuda/exec/warp.h"

/* Where each lane's size_B bytes are.  kind: of SOFT_ACCESS_*.  An inactive lane gets
 * an active one's place, so that loads may read for all lanes.  false: a fault was
 * noted. */
static inline bool exec_access(struct warp *warp, const struct op *op, uint32_t mask,
			       uint32_t size_B, unsigned kind, uint64_t *place)
{
	return warp->access(warp, op, mask, size_B, kind, place);
}

/* What warp->access may be: for a launch that neither the checker nor the oracle looks
 * at, and for one that they do. */
exec_access_way EXEC_LEVELED(exec_access_plain), EXEC_LEVELED(exec_access_watched);

#endif
