/* The target of PTX, where it is not the one that libnvvm was asked for.
 *
 * libnvvm names the target that it was asked for, such as sm_90.  Inline PTX can have instructions that only sm_90a
 * has, which runs on devices of compute capability 9.0 and on no newer ones.  Thread-safety: no state. */
#ifndef CULVERT_BACKEND_PTX_TARGET_H
#define CULVERT_BACKEND_PTX_TARGET_H

#include "base/bytes.h"

/* Changes the target of PTX for sm to the architecture's own, if it has instructions that need that.  ptx can have
 * failed afterwards (bytes_failed). */
void be_ptx_target_choose(struct bytes *ptx, unsigned sm);

/* For -cl-culvert-warp-synchronous: gives PTX the target sm_60, for which the assembler, also where it makes code for
 * newer devices, keeps the work-items of a warp together as GPUs before Volta do (CUDA's Volta tuning guide, 1.4.1.2:
 * independent thread scheduling).  Atomics, which are relaxed anyway, lose the word that older targets do not have.
 * The assembler refuses what else they do not have.  ptx can have failed afterwards (bytes_failed). */
void be_ptx_target_keep_warps(struct bytes *ptx);

#endif
