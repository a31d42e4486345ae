/* Contexts; everything that belongs to a context is destroyed with it.  Functions whose names contain _locked need
 * the driver's lock. */
#ifndef CULVERT_SOFTCUDA_DRIVER_CONTEXT_H
#define CULVERT_SOFTCUDA_DRIVER_CONTEXT_H

#include "base/bytes.h"
#include "base/list.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"
#include "softcuda/exec/exec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct soft_stream;

/* The API version of contexts that were created without one. */
enum { SOFT_API_VERSION_OLD = 3020 };

struct soft_context {
	struct list link;                    /* of soft_driver.contexts */
	CUcontext handle;
	uint64_t id;
	struct soft_device *device;
	bool primary;
	bool alive;                          /* false once destroyed */
	unsigned refs;                       /* stacks, waiting threads, the handle */
	unsigned flags;
	unsigned api_version;
	CUresult fault;                      /* it stays once set; CUDA_SUCCESS: none */
	struct bytes report;                 /* the fault in words */
	struct list streams;                 /* of soft_stream.link */
	struct list events;                  /* of soft_event.link */
	struct list modules;                 /* of soft_module.link */
	struct list arrays;                  /* of soft_array.link */
	struct list objects;                 /* textures and surfaces */
	struct list greens;                  /* of soft_green.link */
	struct list graphics;                /* of soft_graphics.link */
	struct soft_stream *legacy;          /* the NULL stream */
	uint32_t peers;                      /* a bit for each device whose memory is accessible */
	CUfunc_cache cache_config;
	size_t limits[CU_LIMIT_MAX];
};

/* For a green context, returns the primary context of which it is a part. */
CUresult soft_context_find_locked(CUcontext cu_context, struct soft_context **context_out);
/* context_life.c. */
CUresult soft_context_create_locked(struct soft_device *device, unsigned flags, unsigned api_version,
				    struct soft_context **context_out);
/* Frees what belongs to it; pending work is waited for; context_life.c. */
void soft_context_destroy_locked(struct soft_context *context);
void soft_context_unref_locked(struct soft_context *context);
/* The primary context, made now if nobody has it; context_life.c, as the next two. */
CUresult soft_primary_retain_locked(struct soft_device *device, struct soft_context **context_out);
/* CUDA_ERROR_INVALID_CONTEXT: it is not retained. */
CUresult soft_primary_release_locked(struct soft_device *device);
/* Destroys it, however often it is retained. */
void soft_primary_destroy_locked(struct soft_device *device);
/* schedule.c: waits until all that was submitted before the call is done; its fault. */
CUresult soft_context_wait_locked(struct soft_context *context);
/* schedule.c: sets the context's fault, unless it has one; operations that wait in its streams are ended. report is
 * a text, and is moved. */
void soft_context_fault_locked(struct soft_context *context, CUresult result,
			       struct bytes *report);

#endif
