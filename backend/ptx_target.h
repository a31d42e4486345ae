/* The target of PTX, where it is one of an architecture alone.
 *
 * libnvvm names the target that it was asked for, such as sm_90.  Inline PTX can have instructions that only sm_90a
 * has, which runs on devices of compute capability 9.0 and on no newer ones.  Thread-safety: no state. */
#ifndef CULVERT_BACKEND_PTX_TARGET_H
#define CULVERT_BACKEND_PTX_TARGET_H

#include "base/bytes.h"

/* Changes the target of PTX for sm to the architecture's own, if it has instructions that need that.  ptx can have
 * failed afterwards (bytes_failed). */
void be_ptx_target_choose(struct bytes *ptx, unsigned sm);

#endif
