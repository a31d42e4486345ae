/* The state of the software CUDA driver: what all calls share.
 *
 * One lock guards everything here and in the objects of the other headers, except the table of allocations,
 * which has its own reader-writer lock so that kernels can look addresses up while the
 * driver works.  Functions named _locked want the driver's lock held; it is
 * never held while an operation runs, while a caller's function is called, or
 * while a program is parsed. */
#ifndef CULVERT_SOFTCUDA_DRIVER_STATE_H
#define CULVERT_SOFTCUDA_DRIVER_STATE_H

#include "base/list.h"
#include "base/lock.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"
#include "softcuda/exec/exec.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct soft_context;
struct soft_pool;

enum {
	SOFT_DEVICES_MAX = 16,
	SOFT_SM = 90,                        /* what devices are by default */
	SOFT_SM_OLDEST = 50, SOFT_SM_NEWEST = 121,
	SOFT_MULTIPROCESSORS = 4,            /* by default */
	SOFT_MULTIPROCESSORS_MAX = 64,
	SOFT_WARP = 32,
	SOFT_THREADS_PER_BLOCK = 1024,
	SOFT_THREADS_PER_SM = 2048,
	SOFT_BLOCKS_PER_SM = 32,
	SOFT_REGISTERS = 65536,              /* per block and per multiprocessor */
	SOFT_SHARED_STATIC_B = 48 << 10,
	SOFT_PITCH_MAX_B = 2147483647,
	SOFT_SHARED_OPTIN_B = 227 << 10,
	SOFT_SHARED_RESERVED_B = 1 << 10,    /* per block */
	SOFT_SHARED_PER_SM_B = 228 << 10,
	SOFT_CANDIDATES_MAX = 256,           /* operations to choose from at a time */
	SOFT_LEAST_PRIORITY = 0,
	SOFT_GREATEST_PRIORITY = -5
};

/* Lives as long as the process. */
struct soft_device {
	unsigned index;
	unsigned sm;                         /* of its compute capability */
	unsigned multiprocessors;
	uint64_t memory_B;
	uint64_t used_B;
	uint64_t idle_B;                     /* what pools reserve and nobody uses */
	struct soft_context *primary;        /* NULL while nobody retains it */
	unsigned primary_refs;
	unsigned primary_flags;
	struct soft_pool *default_pool;
	struct soft_pool *pool;              /* what cuMemAllocAsync uses */
};

struct soft_driver {
	struct lock lock;
	struct lock_condition done;          /* some operation completed */
	struct lock_condition work;          /* some operation may start */
	bool initialised;
	atomic_bool forked;                  /* this is a child: nothing works, the lock neither */
	bool stopping;                       /* the process ends: start nothing */
	atomic_bool oracle_on;               /* CULVERT_SOFT_ORACLE (driver/oracle.h) */
	struct soft_device devices[SOFT_DEVICES_MAX];
	unsigned device_count;
	struct list contexts;                /* of soft_context.link */
	struct list active;                  /* of soft_stream.active */
	struct list kernels;                 /* of running launches, oldest first */
	struct list limbo;                   /* of freed allocations kernels may still touch */
	struct list waiters;                 /* host threads that wait for a point */
	uint64_t kernels_started;
	uint64_t next_id;                    /* contexts, streams, threads, buffers: never reused */
};

extern struct soft_driver soft_driver;

uint64_t soft_now_ns(void);

#endif
