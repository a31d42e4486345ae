/* Memory: every allocation, registration and mapping, by address. */
#ifndef CULVERT_SOFTCUDA_DRIVER_MEMORY_H
#define CULVERT_SOFTCUDA_DRIVER_MEMORY_H

#include "base/bytes.h"
#include "base/list.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"
#include "softcuda/exec/exec.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct soft_context;
struct soft_device;
struct soft_managed;
struct soft_pool;

enum soft_memory_kind {
	SOFT_MEMORY_DEVICE,
	SOFT_MEMORY_MANAGED,
	SOFT_MEMORY_HOST,                    /* pinned, ours */
	SOFT_MEMORY_REGISTERED,              /* pinned, the caller's own */
	SOFT_MEMORY_ARRAY                    /* of a CUDA array: pointers do not reach it */
};

struct soft_graphics_part;

struct soft_allocation {
	struct list link;                    /* of soft_driver.limbo once freed */
	uint64_t start;                      /* its address, on device and host alike */
	uint64_t size_B;
	uint64_t id;                         /* never reused */
	enum soft_memory_kind kind;
	unsigned flags;                      /* as given to the call that made it */
	struct soft_device *device;
	struct soft_context *context;        /* is freed with it; NULL: no context's */
	struct soft_pool *pool;              /* NULL: not from a pool */
	bool freed;                          /* no longer in the table */
	bool freeing;                        /* an operation that frees it is in a stream */
	bool sync_operations;                /* CU_POINTER_ATTRIBUTE_SYNC_MEMOPS */
	bool shared;                         /* the bytes belong to others, too */
	bool mapped;                         /* by cuMemMap or cuIpcOpenMemHandle; cuMemFree does not free it */
	bool ipc_exported;                   /* the bytes are those of ipc_fd (driver/ipc.c) */
	int ipc_fd;                          /* owned */
	uint64_t ipc_inode;                  /* of another process's file, while ipc_opens: */
	unsigned ipc_opens;                  /*   how often it was opened */
	unsigned pins;                       /* number of operations that will access its bytes */
	uint64_t freed_at;                   /* soft_driver.kernels_started then */
	uint64_t oracle_writes;              /* operations that have written to it */
	unsigned noted;                      /* CULVERT_SOFT_READ_ONLY and _WRITE_ONLY */
	atomic_uchar *written;               /* owned: a byte for each of its bytes; NULL: all are written */
	atomic_bool all_written;             /* all of its bytes are, whatever written says */
	struct soft_managed *managed;        /* where its pages are (driver/managed.h); NULL: they do not move */
	struct soft_graphics_part *egl;      /* of the array of an EGL image, which copies read and write; or NULL */
	void *mapping;                       /* NULL: not to be unmapped here */
	size_t mapping_B;                    /* 0: from the heap */
};

CUresult soft_memory_alloc_locked(struct soft_context *context, enum soft_memory_kind kind,
				  uint64_t size_B, struct soft_pool *pool,
				  struct soft_allocation **allocation_out);
/* Zeroes device memory that was just allocated; most pages of much memory are new and not touched. */
void soft_memory_zero_new(const struct soft_allocation *allocation);
/* Enters memory at start, which others may use too, into the table as memory of device.  mapping: what is to be
 * unmapped with it; NULL: nothing.  If this fails, nothing is unmapped. */
CUresult soft_memory_share_locked(struct soft_context *context, struct soft_device *device,
				  uint64_t start, uint64_t size_B, void *mapping, size_t mapping_B,
				  struct soft_allocation **allocation_out);
/* Whether CUDA IPC can share it: only memory of cuMemAlloc. */
bool soft_memory_is_ipc_capable(const struct soft_allocation *allocation);
/* The memory of another process that context has opened, by the inode; NULL: none. */
struct soft_allocation *soft_memory_opened_locked(const struct soft_context *context, uint64_t inode);
/* Removes it from the table; it is unmapped when no running launch can access it. */
void soft_memory_free_locked(struct soft_allocation *allocation);
/* Frees it as cuMemFree does, after the context's work; returns the context's fault.  If the wait was not possible,
 * or the context was destroyed meanwhile, it is not freed here. */
CUresult soft_memory_end_locked(struct soft_context *context, struct soft_allocation *allocation,
				const char *call);
void soft_memory_pin_locked(struct soft_allocation *allocation);
void soft_memory_unpin_locked(struct soft_allocation *allocation);
/* Unmaps memory that no running launch can access any more. */
void soft_memory_reap_locked(void);
/* Everything that belongs to context. */
void soft_memory_free_context_locked(struct soft_context *context);
/* The live allocation that holds address, or NULL. */
struct soft_allocation *soft_memory_lookup_locked(uint64_t address);
/* culvert_soft_note_memory.  Takes a lock of its own. */
void soft_memory_note(uint64_t address, uint64_t size_B, unsigned what);
/* The memory that kernels can access (exec/exec.h), and what is noted about it.  Thread-safe; no lock is held on
 * return. */
bool soft_memory_find(const struct soft_launch *launch, uint64_t address, uint64_t *start_out,
		      uint64_t *end_out);
bool soft_memory_is_close(const struct soft_launch *launch, uint64_t address);
unsigned soft_memory_touch(uint64_t address, uint32_t size_B, bool reads, bool writes);
bool soft_memory_notes(uint64_t address, struct soft_notes *notes_out);
void soft_memory_written(uint64_t address, uint64_t size_B);
void soft_memory_describe(uint64_t address, struct bytes *text, uint64_t *start_out,
			  uint64_t *end_out);
/* Whether kernels may access all writable host memory: with CULVERT_SOFT_PAGEABLE, or on a coherent machine. */
bool soft_pageable(void);
/* Whether the host may access managed memory while kernels run, and its pages can be prefetched. */
bool soft_shares_pages(void);
/* The page of such memory that address is in; false also where the option is off. */
bool soft_pageable_find(uint64_t address, uint64_t *start_out, uint64_t *end_out);
/* From now on, until soft_pageable_disown(owner), the pages from start on are not such memory.  False without
 * memory. */
bool soft_pageable_own(uint64_t start, uint64_t size_B, void *owner);
void soft_pageable_disown(const void *owner);
/* The number of live allocations: pinned memory of the host, or all others. */
size_t soft_memory_live_locked(bool host);
/* The live allocation that contains address, or one that was freed and that a launch may still access. */
struct soft_allocation *soft_memory_lookup_all_locked(uint64_t address);
/* As soft_memory_lookup_locked, if all of [address, address + size_B) is in the allocation. */
struct soft_allocation *soft_memory_range_locked(uint64_t address, uint64_t size_B);
/* Enters memory of the caller into the table as registered memory. */
CUresult soft_memory_register_locked(struct soft_context *context, void *pointer, uint64_t size_B,
				     unsigned flags);

#endif
