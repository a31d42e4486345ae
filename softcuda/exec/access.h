/* Converts the addresses of a memory instruction to places in host memory, with checks.
 *
 * All of ld, st, atomics and copies access memory this way, so the checker watches here. */
#ifndef CULVERT_SOFTCUDA_EXEC_ACCESS_H
#define CULVERT_SOFTCUDA_EXEC_ACCESS_H

#include "softcuda/exec/table.h"
#include "softcuda/exec/warp.h"
#include "softcuda/exec/watch.h"

/* Finds the place of each lane's size_B bytes. kind: of SOFT_ACCESS_*.  An inactive lane gets the place of an active
 * one, so that loads can read for all lanes. false: a fault was noted.
 *
 * With SOFT_ACCESS_LOAD, the place of a lane that reads close to a buffer or to private memory may be that of size_B
 * zeros, which are elsewhere (soft_launch.loose). */
static inline bool exec_access(struct warp *warp, const struct op *op, uint32_t mask,
			       uint32_t size_B, unsigned kind, uint64_t *place)
{
	return warp->access(warp, op, mask, size_B, kind, place);
}

/* Finds whether there are size_B bytes for each lane of mask, and where.  The checker and the oracle do not learn of
 * this access, and it is no fault if there are none. */
static inline bool exec_access_probe(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
				     uint64_t *place)
{
	warp->probes = true;
	const bool there = warp->access(warp, op, mask, size_B, SOFT_ACCESS_READ, place);
	warp->probes = false;
	return there;
}

/* The values of warp->access: for launches that are not watched, and for those that are. */
exec_access_way EXEC_LEVELED(exec_access_plain), EXEC_LEVELED(exec_access_watched);

#endif
