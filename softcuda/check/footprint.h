/* CULVERT_SOFT_FOOTPRINT: the bytes that each work-item of each launch reads and writes, in global
 * and local memory, written to a file.  docs/softcuda.md has its form.
 *
 * A launch whose footprint is taken stays on the thread that launches it, which owns it. */
#ifndef CULVERT_SOFTCUDA_FOOTPRINT_H
#define CULVERT_SOFTCUDA_FOOTPRINT_H

#include "softcuda/exec/warp.h"

struct footprint;

/* Sets the job's footprint (check/job.h); NULL if none is wanted. false: out of memory. */
bool footprint_create(struct job *job);
/* The lanes in mask have accessed size_B bytes each at these places.  kind: of SOFT_ACCESS_*. */
void footprint_mark(struct warp *warp, uint32_t mask, uint32_t size_B, unsigned kind,
		    const uint64_t *place);
/* Appends the footprint to the file and frees it.  NULL is fine. */
void footprint_finish(struct footprint *footprint);

#endif
