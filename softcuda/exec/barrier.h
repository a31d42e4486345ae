/* What a barrier instruction does, in op->mode.  x[0] the result, x[1] the
 * barrier's number, x[2] the count of threads (absent: all), x[3] the predicate. */
#ifndef CULVERT_SOFTCUDA_EXEC_BARRIER_H
#define CULVERT_SOFTCUDA_EXEC_BARRIER_H

/* The number of the barrier of barrier.cluster; those of bar are below it. */
enum { BARRIER_OF_CLUSTER = 16 };

enum barrier_mode {
	BARRIER_SYNC,
	BARRIER_ARRIVE,
	BARRIER_POPC,
	BARRIER_AND,
	BARRIER_OR
};

#endif
