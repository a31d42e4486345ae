/* Another API beside OpenCL, for tests of what it shares by opaque file descriptors: memory,
 * and binary semaphores by number.
 *
 * It works in steps, which it takes in their order and by itself: a step waits for a semaphore,
 * copies the memory to a row, fills it, and signals another semaphore; each part may be absent.
 *
 * On the software device it is the test itself (partner_soft.c): memory is a memfd, a semaphore a
 * FIFO.  On a GPU it is Vulkan (partner_vulkan.c). */
#ifndef CULVERT_TESTS_API_PARTNER_H
#define CULVERT_TESTS_API_PARTNER_H

#include <CL/cl.h>
#include <stdbool.h>

enum { PARTNER_WORDS = 1 << 14, PARTNER_ROWS = 32, PARTNER_SEMAPHORES = 32 };
enum { PARTNER_SIZE_B = PARTNER_WORDS * (int)sizeof(cl_uint) };

struct partner_step {
	int wait, signal;                /* numbers; -1: none */
	int row;                         /* where the memory is copied to; -1: nowhere */
	bool fills;
	cl_uint value;
};

struct partner {
	/* NULL, or why this partner is not there.  uuid: of the device (CL_DEVICE_UUID_KHR). */
	const char *(*start)(const unsigned char *uuid);
	/* Descriptors for who imports; -1 after a failure.  Semaphores have numbers from 0 up. */
	int (*memory)(void);
	int (*semaphore)(int *number_out);
	bool (*step)(const struct partner_step *step);
	/* Waits for all steps. */
	bool (*finish)(void);
	const cl_uint *(*row)(int row);
	void (*end)(void);
	/* Whether others may wait for a signal that is not in a step yet: Vulkan's rules for binary
	 * semaphores forbid it. */
	bool waits_first;
};

extern const struct partner partner_soft;
/* Where there are no headers of Vulkan's, it never starts. */
extern const struct partner partner_vulkan;

#endif
