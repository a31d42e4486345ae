/*
 * A barrier of all work-groups of a launch, docs/cl_culvert_grid_barrier.md.
 *
 * One word counts who arrives.  The first work-group adds 2^31 less the number of the others, who
 * add 1 each: when all have come the upper bit has changed and the rest is 0 again, whatever was
 * done with the word before, so that no launch has to set it up.  The launch provides a word that
 * no other one uses at the time, and all work-groups run at once (it is cooperative).
 */
#include "frontend/builtins/builtin.h"

extern ulong __culvert_hidden_grid_barrier(void);

#define ALL_ARRIVED 0x80000000u

HELPER uint add(__global uint *word, uint value)
{
	uint old;
	__asm__ __volatile__("atom.add.release.gpu.global.u32 %0, [%1], %2;"
			     : "=r"(old)
			     : "l"(word), "r"(value)
			     : "memory");
	return old;
}

HELPER uint look(__global uint *word)
{
	uint now;
	__asm__ __volatile__("ld.acquire.gpu.global.u32 %0, [%1];"
			     : "=r"(now)
			     : "l"(word)
			     : "memory");
	return now;
}

HELPER void arrive_and_wait(__global uint *word)
{
	/* There is one grid: such a launch is uniform. */
	uint groups = __nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_nctaid_y() *
		      __nvvm_read_ptx_sreg_nctaid_z();
	bool first = !(__nvvm_read_ptx_sreg_ctaid_x() | __nvvm_read_ptx_sreg_ctaid_y() |
		       __nvvm_read_ptx_sreg_ctaid_z());
	uint old = add(word, first ? ALL_ARRIVED - (groups - 1) : 1);
	while (!((old ^ look(word)) & ALL_ARRIVED))
		;
}

/*
 * The work-group's barriers order its accesses before and after those of the work-item that speaks
 * for it, and release and acquire of the device carry them to the other work-groups.
 */
BUILTIN __attribute__((convergent)) void culvert_grid_barrier(cl_mem_fence_flags flags)
{
	(void)flags;
	__nvvm_bar_sync(0);
	if (!(__nvvm_read_ptx_sreg_tid_x() | __nvvm_read_ptx_sreg_tid_y() |
	      __nvvm_read_ptx_sreg_tid_z()))
		arrive_and_wait((__global uint *)__culvert_hidden_grid_barrier());
	__nvvm_bar_sync(0);
}
