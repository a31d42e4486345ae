/* Addresses of a memory instruction -> places in host memory, checked.
 *
 * The one way to memory for ld, st, atomics and copies: the checker looks on here. */
#ifndef CULVERT_SOFTCUDA_EXEC_ACCESS_H
#define CULVERT_SOFTCUDA_EXEC_ACCESS_H

#include "softcuda/exec/table.h"
#include "softcuda/exec/warp.h"
#include "softcuda/exec/watch.h"

/* Where each lane's size_B bytes are.  kind: of SOFT_ACCESS_*.  An inactive lane gets
 * an active one's place, so that loads may read for all lanes.  false: a fault was
 * noted. */
static inline bool exec_access(struct warp *warp, const struct op *op, uint32_t mask,
			       uint32_t size_B, unsigned kind, uint64_t *place)
{
	return warp->access(warp, op, mask, size_B, kind, place);
}

/* Whether there are size_B bytes for the lanes of mask, and where.  Nobody is told of the access: neither the
 * checker nor the oracle, and that there are none is no fault. */
static inline bool exec_access_probe(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
				     uint64_t *place)
{
	warp->probes = true;
	const bool there = warp->access(warp, op, mask, size_B, SOFT_ACCESS_READ, place);
	warp->probes = false;
	return there;
}

/* What warp->access may be: for a launch that neither the checker nor the oracle looks
 * at, and for one that they do. */
exec_access_way EXEC_LEVELED(exec_access_plain), EXEC_LEVELED(exec_access_watched);

#endif
