/* What the tests of softcuda's driver API share: two devices, and a gate that
 * holds a stream until the test opens it. */
#ifndef CULVERT_TESTS_SOFT_SETUP_H
#define CULVERT_TESTS_SOFT_SETUP_H

#include "tests/unit/test.h"

#include <cuda.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { DEVICES = 2 };

static CUcontext contexts[DEVICES];

/* Two devices, and contexts that every test finds in place, device 0's current. */
static inline bool set_up(void)
{
	if (cuInit(0) != CUDA_SUCCESS)
		return false;
	for (int i = 0; i < DEVICES; i++)
		if (!contexts[i] &&
		    cuDevicePrimaryCtxRetain(&contexts[i], i) != CUDA_SUCCESS)
			return false;
	return cuCtxSetCurrent(contexts[0]) == CUDA_SUCCESS;
}

static inline void sleep_ms(long milliseconds)
{
	const struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
	nanosleep(&pause, NULL);
}

/* A door in a stream: what is behind it waits until the test opens it. */
struct gate {
	sem_t opened;
	sem_t reached;
	sem_t left;                          /* the stream's thread is done with the gate */
};

static inline void gate_wait(void *data)
{
	struct gate *gate = data;
	sem_post(&gate->reached);
	sem_wait(&gate->opened);
	sem_post(&gate->left);
}

static inline void gate_put(struct gate *gate, CUstream stream)
{
	sem_init(&gate->opened, 0, 0);
	sem_init(&gate->reached, 0, 0);
	sem_init(&gate->left, 0, 0);
	CHECK_EQ(cuLaunchHostFunc(stream, gate_wait, gate), CUDA_SUCCESS);
}

/* Returns when the stream has passed, for the gate lies on the caller's stack.  The
 * stream's end would not say so: with a fault in its context a stream counts as done
 * at once, whatever its host function still does.  Such a gate must have been reached
 * before the fault, or nobody ever comes. */
static inline void gate_open(struct gate *gate)
{
	sem_post(&gate->opened);
	sem_wait(&gate->left);
}

/* Before the first call, which reads the options once and for all. */
__attribute__((constructor)) static void two_devices(void)
{
	setenv("CULVERT_SOFT_DEVICES", "2", 1);
}

#endif
