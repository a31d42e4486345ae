/* One enqueued thing: what it is, what it touches, what it waits for.
 *
 * A door fills a command on its own stack and gives it to ocl_queue_enqueue,
 * which submits it there and then if it can.  If not, the queue keeps a copy that
 * owns references to all that it needs (deferred.h) until its turn.  The kinds
 * differ in a few small functions (struct ocl_command_kind).
 *
 * Thread-safety: a command is plain data and has one owner at a time. */
#ifndef CULVERT_ICD_COMMAND_H
#define CULVERT_ICD_COMMAND_H

#include "backend/gpu_transfer.h"
#include "icd/memory/image.h"
#include "icd/memory/mem.h"
#include "icd/order/event.h"
#include "icd/order/lanes.h"
#include "icd/order/native.h"
#include "icd/program/kernel.h"

struct ocl_command;
struct _cl_command_buffer_khr;
struct ocl_command_graph;
struct ocl_foreign_use;

/* A range of a buffer, or all of an image, that the command uses on the queue's device. */
struct ocl_access {
	cl_mem mem;
	struct ocl_acquired at;          /* at.address while it is being submitted */
	gpu_address descriptor;          /* of an image that goes to a kernel: the same */
	uint64_t lo_B, hi_B;             /* in the root */
	enum ocl_access_mode mode;
};

/* How long submitting a command may hold up the thread that does it. */
enum ocl_delay {
	OCL_DELAY_NONE,
	OCL_DELAY_SHORT,                 /* work of the thread's own, or a short wait: not under a lock */
	OCL_DELAY_GPU                    /* it waits for the GPU */
};

struct ocl_command_kind {
	/* Puts the operation into a stream; accesses are acquired.  put is there, instead of run, for kinds that
	 * a command buffer can record: it may also become nodes of a graph.  Neither: no operation. */
	cl_int (*run)(struct ocl_command *command, struct gpu_stream *stream);
	cl_int (*put)(struct ocl_command *command, struct gpu_sink sink);
	/* Keeps and gives back what the payload needs beyond the door's call; NULL: nothing. */
	void (*retain)(struct ocl_command *command);
	void (*release)(struct ocl_command *command);
	/* Asked just before run; NULL: none. */
	enum ocl_delay (*delay)(const struct ocl_command *command);
	enum ocl_lane_class lanes;       /* of an out-of-order queue, that it goes to */
};

struct ocl_transfer {                    /* read, write, copy; rect or not */
	union {
		const void *from;
		void *to;
	} host;
	struct gpu_transfer_plan plan;   /* between host and device */
	uint64_t size_B;
	struct gpu_rect buffer, other;   /* other: the host, or the copy's target */
	uint64_t region_B[3];
};

struct ocl_fill {
	unsigned char pattern[128];
	uint32_t pattern_B;
	uint64_t size_B;
};

/* Reads, writes, copies, fills and maps of images (image.h has the boxes). */
struct ocl_image_transfer {
	union {
		const void *from;
		void *to;
	} host;                          /* the first texel */
	struct gpu_transfer_plan plan;   /* between host and image */
	uint64_t row_pitch_B, slice_pitch_B;   /* of the host or of a buffer */
	struct ocl_image_box box;        /* in the image; of a copy: in the source */
	struct ocl_image_box target;     /* of a copy from image to image */
	unsigned char texel[16];         /* of a fill */
};

struct ocl_launch {
	cl_kernel kernel;
	const struct ocl_kernel_code *code;
	struct gpu_function *function;   /* for grids that start at 0 */
	struct gpu_function *starting;   /* for the others, if there are any */
	struct ocl_arguments *arguments;
	uint64_t offset[3];
	uint64_t global[3];
	uint32_t local[3];
	uint64_t whole[3];               /* work-groups of that size, */
	uint32_t rest[3];                /* and the work-items that are left over */
	uint32_t edges;                  /* the dimensions that have such, as a set */
	uint32_t work_dim;
	uint32_t dynamic_local_B;
	bool uniform;                    /* local divides global */
	bool indirect;                   /* it may use any USM */
	bool recorded;                   /* in a command buffer, which does the accounting */
	bool cooperative;                /* all work-groups run at once; uniform */
	bool special;                    /* cooperative, indirect or of several grids */
	uint64_t printf_buffer;          /* while it is being submitted, */
	uint64_t grid_barrier;           /* and this */
};

struct ocl_cuda_work {                   /* the application's, which keeps data alive */
	void (CL_CALLBACK *work)(void *cuda_stream, const cl_ulong *cuda_pointers, void *data);
	void *data;
};

struct ocl_command {
	const struct ocl_command_kind *kind;
	cl_command_queue queue;
	cl_command_type type;            /* as its event reports it */
	cl_event event;                  /* NULL: nobody asked for one */
	enum ocl_delay delay;            /* the last answer of kind->delay, which run keeps to */
	bool witness;                    /* submission has to give a done event */
	bool joins;                      /* waits for all that were enqueued before it */
	bool bars;                       /* all that are enqueued later wait for it */
	struct ocl_access *accesses;     /* memory of whoever owns the command */
	uint32_t access_count;
	uint32_t dependency_count;
	const cl_event *dependencies;    /* what it waits for, but for its place in the queue */
	union {
		struct ocl_transfer transfer;
		struct ocl_fill fill;
		struct ocl_image_transfer image;
		struct ocl_launch launch;
		struct ocl_map *map;
		struct ocl_native *native;
		struct {
			struct _cl_command_buffer_khr *buffer;
			struct ocl_command_graph *graph;
		} buffer;
		struct ocl_cuda_work cuda_work;
		struct ocl_foreign_use *foreign;  /* semaphore_foreign.h */
		bool to_host;            /* migrate */
	} u;
};

/* What every command needs; the door fills in the rest.  accesses: room for what
 * ocl_command_touch will add; NULL when that is nothing. */
void ocl_command_init(struct ocl_command *command, const struct ocl_command_kind *kind,
		      cl_command_queue queue, cl_command_type type, struct ocl_access *accesses);

/* Adds a range of mem (offset in mem) to what the command touches. The array
 * must have room. */
void ocl_command_touch(struct ocl_command *command, cl_mem mem, uint64_t offset_B,
		       uint64_t size_B, enum ocl_access_mode mode);

/* For commands that move bytes of the application's: stream writes its memory from now
 * on; and the keeping of a command's map. */
void ocl_command_note_host_write(const struct ocl_command *command, struct gpu_stream *stream);
void ocl_command_map_retain(struct ocl_command *command);
void ocl_command_map_release(struct ocl_command *command);

/* What it depends on is settled.  What other threads enqueue between this and the submission is
 * nothing that the command has to come after. */
enum ocl_delay ocl_command_delay_of_any(struct ocl_command *command);
static inline enum ocl_delay ocl_command_delay(struct ocl_command *command)
{
	if (command->kind->delay || command->access_count)
		return ocl_command_delay_of_any(command);
	return OCL_DELAY_NONE;
}

static inline cl_int ocl_command_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_command_kind *kind = command->kind;
	if (kind->put)
		return kind->put(command, gpu_into(stream));
	return kind->run ? kind->run(command, stream) : CL_SUCCESS;
}

/* Puts the command into stream, after all that it depends on; those are settled.
 * Nothing is published when it fails.  For an in-order queue the caller makes sure
 * that nobody else submits to it meanwhile. */
cl_int ocl_command_submit_any(struct ocl_command *command, struct gpu_stream *stream,
			      struct ocl_submission *submission);
static inline cl_int ocl_command_submit(struct ocl_command *command, struct gpu_stream *stream,
					struct ocl_submission *submission)
{
	/* Many launches are an operation and nothing around it. */
	if (command->event || command->witness || command->dependency_count ||
	    command->access_count)
		return ocl_command_submit_any(command, stream, submission);
	submission->done = NULL;
	return ocl_command_run(command, stream);
}

/* For a run that needs what is ahead in its stream done. No lock may be held. */
cl_int ocl_command_stream_wait(struct gpu_stream *stream);

/* A copy for later, which owns references to everything: in room, of ocl_command_duplicate_B bytes, are its
 * accesses and its wait list. */
size_t ocl_command_duplicate_B(const struct ocl_command *command);
void ocl_command_duplicate(struct ocl_command *copy, const struct ocl_command *command,
			   void *room);
/* Gives the references back. */
void ocl_command_duplicate_finish(struct ocl_command *copy);

/* The kinds. */
extern const struct ocl_command_kind ocl_command_marker;
extern const struct ocl_command_kind ocl_command_read;
extern const struct ocl_command_kind ocl_command_write;
extern const struct ocl_command_kind ocl_command_copy;
extern const struct ocl_command_kind ocl_command_read_rect;
extern const struct ocl_command_kind ocl_command_write_rect;
extern const struct ocl_command_kind ocl_command_copy_rect;
extern const struct ocl_command_kind ocl_command_fill;
extern const struct ocl_command_kind ocl_command_map;
extern const struct ocl_command_kind ocl_command_unmap;
extern const struct ocl_command_kind ocl_command_migrate;  /* of shared memory */
extern const struct ocl_command_kind ocl_command_image_read;
extern const struct ocl_command_kind ocl_command_image_write;
extern const struct ocl_command_kind ocl_command_image_copy;
extern const struct ocl_command_kind ocl_command_image_to_buffer;
extern const struct ocl_command_kind ocl_command_buffer_to_image;
extern const struct ocl_command_kind ocl_command_image_fill;
extern const struct ocl_command_kind ocl_command_image_map;
extern const struct ocl_command_kind ocl_command_image_unmap;
extern const struct ocl_command_kind ocl_command_launch;
extern const struct ocl_command_kind ocl_command_launch_printf;
extern const struct ocl_command_kind ocl_command_native;
extern const struct ocl_command_kind ocl_command_command_buffer;

#endif
