/*
 * Barriers and fences.
 *
 * libnvvm drops order and scope of LLVM's fences, so fences are written as PTX.  The memory clobber
 * keeps the compiler from moving accesses across.
 */
#include "frontend/builtins/builtin.h"
#include "frontend/builtins/note.h"

#define PTX_FENCE(text) __asm__ __volatile__(text : : : "memory")

/*
 * OpenCL C 3.0, 6.15.8: all work-items of the group arrive before any leaves, and the accesses
 * named by the flags are visible to the group.  bar.sync orders global and local memory alike
 * within the group, so the flags make no difference, except to a checker.
 */
BUILTIN __attribute__((convergent)) void barrier(cl_mem_fence_flags flags)
{
	note_barrier(flags);
	__nvvm_bar_sync(0);
}

BUILTIN __attribute__((convergent)) void work_group_barrier(cl_mem_fence_flags flags)
{
	note_barrier(flags);
	__nvvm_bar_sync(0);
}

/* A wider scope than the group asks for a fence on each side of the barrier. */
BUILTIN __attribute__((convergent)) void work_group_barrier(cl_mem_fence_flags flags,
							    memory_scope scope)
{
	note_barrier(flags);
	switch (scope) {
	case memory_scope_device:
		PTX_FENCE("fence.acq_rel.gpu;");
		__nvvm_bar_sync(0);
		PTX_FENCE("fence.acq_rel.gpu;");
		break;
	case memory_scope_all_svm_devices:
		PTX_FENCE("fence.acq_rel.sys;");
		__nvvm_bar_sync(0);
		PTX_FENCE("fence.acq_rel.sys;");
		break;
	default:
		__nvvm_bar_sync(0);
		break;
	}
}

/*
 * cl_intel_split_work_group_barrier 1.0: what a work-item did before it arrives is visible to those that have waited.
 * PTX has no barrier in two parts that all architectures support: arriving is a fence, and waiting is the barrier, which
 * no work-item leaves before all have arrived.
 */
BUILTIN __attribute__((convergent)) void intel_work_group_barrier_arrive(cl_mem_fence_flags flags)
{
	(void)flags;
	PTX_FENCE("fence.acq_rel.cta;");
}

BUILTIN __attribute__((convergent)) void intel_work_group_barrier_arrive(cl_mem_fence_flags flags,
									 memory_scope scope)
{
	(void)flags;
	switch (scope) {
	case memory_scope_device:
		PTX_FENCE("fence.acq_rel.gpu;");
		break;
	case memory_scope_all_svm_devices:
		PTX_FENCE("fence.acq_rel.sys;");
		break;
	default:
		PTX_FENCE("fence.acq_rel.cta;");
		break;
	}
}

BUILTIN __attribute__((convergent)) void intel_work_group_barrier_wait(cl_mem_fence_flags flags)
{
	work_group_barrier(flags);
}

BUILTIN __attribute__((convergent)) void intel_work_group_barrier_wait(cl_mem_fence_flags flags,
								       memory_scope scope)
{
	work_group_barrier(flags, scope);
}

/*
 * The fences of OpenCL 1.x.  A global one reaches the whole device: programs pass data between
 * work-groups with it and an atomic flag.  A local one also joins the lanes of the warp that are
 * here together: programs written for lock-step warps exchange values through local memory with
 * mem_fence alone, and independent thread scheduling must not let one lane run ahead.
 */
HELPER __attribute__((convergent)) void fence(cl_mem_fence_flags flags)
{
	if (flags & CLK_GLOBAL_MEM_FENCE)
		PTX_FENCE("fence.acq_rel.gpu;");
	else
		PTX_FENCE("fence.acq_rel.cta;");
	if (flags & CLK_LOCAL_MEM_FENCE)
		__asm__ __volatile__("{\n\t"
				     ".reg .b32 lanes;\n\t"
				     "activemask.b32 lanes;\n\t"
				     "bar.warp.sync lanes;\n\t"
				     "}"
				     :
				     :
				     : "memory");
}

BUILTIN __attribute__((convergent)) void mem_fence(cl_mem_fence_flags flags)
{
	fence(flags);
}

BUILTIN __attribute__((convergent)) void read_mem_fence(cl_mem_fence_flags flags)
{
	fence(flags);
}

BUILTIN __attribute__((convergent)) void write_mem_fence(cl_mem_fence_flags flags)
{
	fence(flags);
}

#define FENCE_AT(scope) \
	do { \
		if (order == memory_order_seq_cst) \
			PTX_FENCE("fence.sc." scope ";"); \
		else \
			PTX_FENCE("fence.acq_rel." scope ";"); \
	} while (0)

/*
 * OpenCL C 3.0, 6.15.12.6.  The flags only name which memory must be ordered; PTX fences order all
 * of it.  A relaxed fence, and one for the work-item alone, has no effect on memory.
 */
BUILTIN void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order,
				    memory_scope scope)
{
	(void)flags;
	if (order == memory_order_relaxed)
		return;
	switch (scope) {
	case memory_scope_work_item:
		break;
	case memory_scope_device:
		FENCE_AT("gpu");
		break;
	case memory_scope_all_svm_devices:
		FENCE_AT("sys");
		break;
	default:
		FENCE_AT("cta");
		break;
	}
}
