/* A parsed program, and launches of its kernels: the executor of the software CUDA driver.
 *
 * A program (ptx/ptx.h makes one from text) is immutable and may be launched by any number of threads at once.
 *
 * Addresses: a device pointer is the host address of its bytes (one address
 * space, as with CUDA's unified addressing).  The shared and local windows of
 * generic addressing lie at non-canonical addresses that no allocation has.
 * Every global access is checked against the memory that the launch may touch (struct soft_memory), every
 * shared, local, const and param access against its window, every access for alignment.
 *
 * Calling sequence: ptx_parse -> lay out the variables (soft_program_variables) in
 * device memory, copy their initial bytes, soft_program_relocate -> soft_launch_run.
 * Whoever launches owns all memory named here; the executor owns the
 * program and its worker threads. */
#ifndef CULVERT_SOFTCUDA_EXEC_H
#define CULVERT_SOFTCUDA_EXEC_H

#include "base/bytes.h"
#include "softcuda/exec/cuda.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct soft_image;
struct soft_program;
struct exec_watch;
struct soft_launch;

struct soft_parameter {
	uint32_t offset_B;
	uint32_t size_B;
	uint32_t align_B;
};

/* An .entry. */
struct soft_function {
	const char *name;
	const struct soft_parameter *parameters;
	uint32_t parameter_count;
	uint32_t parameter_size_B;       /* of the packed buffer */
	uint32_t static_shared_B;
	uint32_t local_B;                /* per lane, this function's own frame */
	uint32_t register_count;         /* 32-bit registers a GPU might use: an estimate */
	uint32_t required_block[3];      /* .reqntid; 0 where absent */
	uint32_t max_block_threads;      /* .maxntid's product; 1024 where absent */
	const struct soft_program *program;
};

/* A module-scope .global or .const variable. */
struct soft_variable {
	const char *name;
	uint64_t size_B;
	uint32_t align_B;
	bool constant;
	const void *initial;             /* size_B bytes; NULL: zeros */
};

void soft_program_destroy(struct soft_program *program);

/* 10 * major + minor of .target; e.g. 90. */
unsigned soft_program_target(const struct soft_program *program);
/* Whether it is of a target such as sm_90a, which no newer device has. */
bool soft_program_target_only(const struct soft_program *program);

const struct soft_function *soft_program_function(const struct soft_program *program,
						  const char *name);
/* All entries in the order of the source. */
const struct soft_function *soft_program_functions(const struct soft_program *program,
						   uint32_t *count_out);
const struct soft_variable *soft_program_variables(const struct soft_program *program,
						   uint32_t *count_out);

/* Writes the addresses that initializers contain (such as a table of pointers in .global) into the variables' bytes;
 * addresses[i]: where variable i is. */
void soft_program_relocate(const struct soft_program *program, const uint64_t *addresses);

/* What soft_memory.find_image returns for an object's value. */
enum soft_image_state {
	SOFT_IMAGE_THERE,
	SOFT_IMAGE_UNKNOWN,
	SOFT_IMAGE_ARRAY_GONE,           /* its array was destroyed */
	SOFT_IMAGE_MEMORY_GONE,          /* its linear memory was freed */
	SOFT_IMAGE_FOREIGN               /* of a device that the launch may not touch */
};

/* Errors in accesses to device memory (culvert_soft_note_memory). */
enum soft_touch {
	SOFT_TOUCH_UNWRITTEN = 1,        /* it reads bytes that were not written */
	SOFT_TOUCH_READ_ONLY = 2,        /* it writes to memory that kernels may only read */
	SOFT_TOUCH_WRITE_ONLY = 4        /* it reads memory that kernels may only write */
};

/* What is known of an allocation. */
struct soft_notes {
	uint64_t start, end;             /* end 0: of none */
	bool readable, writable;         /* kernels may read, may write it */
	atomic_uchar *written;           /* by byte, 1 if it was written; NULL: nobody has to ask */
};

/* Queries of the executor to the owner of the device's memory.  Each is thread-safe and holds no lock when it
 * returns. */
struct soft_memory {
	/* Finds the live allocation that contains address and that the launch may access: of its device, of its
	 * peers, managed and pinned host memory; otherwise host memory, if kernels may access that.  The executor
	 * keeps the answer until the launch ends. */
	bool (*find)(const struct soft_launch *launch, uint64_t address, uint64_t *start_out,
		     uint64_t *end_out);
	/* Whether address, where nothing is found, is at most SOFT_CLOSE_B before or behind an allocation that the
	 * launch may access.  Only asked if soft_launch.loose is set. */
	bool (*is_close)(const struct soft_launch *launch, uint64_t address);
	/* Appends where address is, such as ": 4 bytes behind a buffer of 64 bytes", or nothing.  Returns the extent
	 * of the buffer that the text names, or zeros. */
	void (*describe)(uint64_t address, struct bytes *text, uint64_t *start_out, uint64_t *end_out);
	/* The texture or surface object of that value. */
	enum soft_image_state (*find_image)(const struct soft_launch *launch, uint64_t object,
					    struct soft_image *image_out);
	/* For checkers: classifies a kernel's access, which is noted if it writes; and marks bytes as written. */
	unsigned (*touch)(uint64_t address, uint32_t size_B, bool reads, bool writes);
	void (*written)(uint64_t address, uint64_t size_B);
	/* What is known of the allocation that contains address; it holds until the launch ends, but more may have
	 * been written.  A write that marks its bytes in `written`, and a read of bytes that are marked there, need no
	 * touch.  False: there is none. */
	bool (*notes)(uint64_t address, struct soft_notes *notes_out);
};

/* The largest distance at which a read outside of memory gives zeros. */
enum { SOFT_CLOSE_B = 64 << 10 };

struct soft_launch {
	const struct soft_function *function;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t dynamic_shared_B;
	bool cooperative;                /* grid-wide barriers allowed */
	bool loose;                      /* loads close to global and private memory give zeros, and a work-group may
					  * access shared memory up to the end of its last unit; not if it is watched */
	const void *parameters;          /* packed, parameter_size_B bytes */
	const uint64_t *variable_addresses; /* by index of soft_program_variables */
	unsigned device_index;
	uint32_t peers;                  /* a bit for each other device whose memory it may access */
	const struct soft_memory *memory;
	const struct exec_watch *watch;  /* what watches it (exec/watch.h); NULL: nothing */
	void *watch_data;                /* for the watcher */
	unsigned sm;                     /* of the device, e.g. 90 */
	unsigned multiprocessor_count;   /* %nsmid */
	uint64_t multiprocessors;        /* those on which it runs, a bit for each; 0: all */
};

/* Runs the whole grid and returns when the last work-group is done.  Blocking; on
 * the calling thread, helped by the process's pool when it takes long
 * (CULVERT_SOFT_THREADS).  Any thread, any number at once.
 * CUDA_SUCCESS, or the error that hardware would give (CUDA_ERROR_ILLEGAL_ADDRESS,
 * _MISALIGNED_ADDRESS, _ILLEGAL_INSTRUCTION, _LAUNCH_FAILED for trap,
 * _ASSERT, _LAUNCH_TIMEOUT for a barrier that can never complete) with a line
 * in report for a person: kernel, PTX line, work-group, work-item, address. */
CUresult soft_launch_run(const struct soft_launch *launch, struct bytes *report);

/* Stops the pool's threads; for the library's destructor and tests. */
void soft_exec_shutdown(void);

#endif
