/* A command: what it does, which memory it accesses, what it waits for.
 *
 * The function of an OpenCL call fills a command on its stack and passes it to ocl_queue_enqueue, which submits it at
 * once if it can.  Otherwise the queue keeps a copy that owns references to all that it needs (deferred.h) until it
 * can be submitted.  The kinds of commands differ in a few small functions (struct ocl_command_kind).
 *
 * Not thread-safe: a command is plain data and has one owner at a time. */
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

/* A range of a buffer, or a whole image, that the command uses on the queue's device. */
struct ocl_access {
	cl_mem mem;
	struct ocl_acquired at;          /* where it is on the device; valid while the command is being submitted */
	gpu_address descriptor;          /* of an image argument of a kernel; valid likewise */
	uint64_t lo_B, hi_B;             /* byte offsets in the root */
	enum ocl_access_mode mode;
};

/* How long submitting a command may delay the thread that submits it. */
enum ocl_delay {
	OCL_DELAY_NONE,
	OCL_DELAY_SHORT,                 /* it works on the host or waits shortly: no lock may be held */
	OCL_DELAY_GPU                    /* it waits for earlier work of the GPU: no lock may be held */
};

struct ocl_command_kind {
	/* Puts the operation into a stream; the accesses were acquired.  Kinds that a command buffer can record have
	 * put instead of run, which may also add nodes to a graph.  A kind with neither has no operation. */
	cl_int (*run)(struct ocl_command *command, struct gpu_stream *stream);
	cl_int (*put)(struct ocl_command *command, struct gpu_sink sink);
	/* Take and release references to what the command's part of the union u needs after the OpenCL call has
	 * returned; NULL: nothing. */
	void (*retain)(struct ocl_command *command);
	void (*release)(struct ocl_command *command);
	/* Called just before run or put; NULL: OCL_DELAY_NONE. */
	enum ocl_delay (*delay)(const struct ocl_command *command);
	enum ocl_lane_class lanes;       /* of the streams that it may use in an out-of-order queue */
	/* It is submitted by the thread that enqueues it, or that settles the last thing that it waits for, and not
	 * passed to a worker thread because of its delay. */
	bool here;
};

/* Reads, writes and copies of buffers, of ranges and of rects. */
struct ocl_transfer {
	union {
		const void *from;
		void *to;
	} host;                          /* the host's memory, of a read or a write */
	struct gpu_transfer_plan plan;   /* how the bytes go between host and device */
	uint64_t size_B;                 /* of a range */
	struct gpu_rect buffer, other;   /* of a rect; other: of the host's memory, or of a copy's target */
	uint64_t region_B[3];            /* of a rect */
};

struct ocl_fill {
	unsigned char pattern[128];
	uint32_t pattern_B;              /* its size: 1, 2, 4 ... 128 */
	uint64_t size_B;                 /* of the range to fill */
};

/* Reads, writes, copies, fills and maps of images (image.h has the boxes). */
struct ocl_image_transfer {
	union {
		const void *from;
		void *to;
	} host;                          /* the first texel in the host's memory */
	struct gpu_transfer_plan plan;   /* how the bytes go between host and device */
	uint64_t row_pitch_B, slice_pitch_B;   /* of the host's memory, or of a buffer */
	struct ocl_image_box box;        /* in the image; of a copy between images: in the source */
	struct ocl_image_box target;     /* of a copy between images: in the target */
	unsigned char texel[16];         /* of a fill: the texel's bytes in the image's format */
};

struct ocl_launch {
	cl_kernel kernel;
	const struct ocl_kernel_code *code;    /* of kernel, for the queue's device */
	struct gpu_function *function;   /* for the grid that starts at work-group 0 */
	struct gpu_function *starting;   /* for the grids that start elsewhere, if there are any */
	struct ocl_arguments *arguments;
	uint64_t offset[3];              /* of the global ids */
	uint64_t global[3];              /* in work-items, as is local */
	uint32_t local[3];
	uint64_t whole[3];               /* the number of work-groups of the full local size */
	uint32_t rest[3];                /* the work-items left over, which make smaller work-groups */
	uint32_t edges;                  /* bit i: dimension i has a rest */
	uint32_t pieces[3];              /* the number of grids that the full work-groups of a dimension make */
	uint32_t work_dim;
	uint32_t dynamic_local_B;        /* size of the local memory arguments together */
	bool uniform;                    /* all work-groups must have the same size: local divides global */
	bool indirect;                   /* the kernel may access any USM of the context */
	bool recorded;                   /* in a command buffer, which notes the streams that use memory and modules */
	bool cooperative;                /* all work-groups run concurrently; uniform is set */
	bool split;                      /* into more than one piece in a dimension */
	bool special;                    /* cooperative, indirect or of several grids */
	uint64_t printf_buffer;          /* device address; valid while the command is being submitted */
	uint64_t grid_barrier;           /* device address; valid likewise */
};

/* cl_culvert_cuda_interop: a function of the application that enqueues CUDA work; data is the application's. */
struct ocl_cuda_work {
	void (CL_CALLBACK *work)(void *cuda_stream, const cl_ulong *cuda_pointers, void *data);
	void *data;
};

struct ocl_command {
	const struct ocl_command_kind *kind;
	cl_command_queue queue;
	cl_command_type type;            /* as its event reports it */
	cl_event event;                  /* NULL: the application does not want one */
	enum ocl_delay delay;            /* the last result of kind->delay, which run does not exceed */
	bool witness;                    /* the submission has to record a GPU event after the command */
	bool joins;                      /* it waits for all commands enqueued before it */
	bool bars;                       /* all commands enqueued after it wait for it */
	struct ocl_access *accesses;     /* memory of the command's owner */
	uint32_t access_count;
	uint32_t dependency_count;       /* of dependencies: the wait list, and events of semaphores */
	const cl_event *dependencies;
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
		} buffer;                /* clEnqueueCommandBufferKHR */
		struct ocl_cuda_work cuda_work;
		struct ocl_foreign_use *foreign;  /* semaphore_foreign.h */
		bool to_host;            /* ocl_command_migrate */
		enum gpu_advice advice;  /* ocl_command_advise */
	} u;
};

/* Sets the fields that all kinds have; the caller sets those of its kind.  accesses: room for the accesses that
 * ocl_command_touch will add; NULL for none. */
void ocl_command_init(struct ocl_command *command, const struct ocl_command_kind *kind,
		      cl_command_queue queue, cl_command_type type, struct ocl_access *accesses);

/* Adds a range of mem to the command's accesses, whose array must have room.  offset_B: in mem. */
void ocl_command_touch(struct ocl_command *command, cl_mem mem, uint64_t offset_B,
		       uint64_t size_B, enum ocl_access_mode mode);

/* Notes that an operation which was put into stream writes memory of the application (host_writes.h). */
void ocl_command_note_host_write(const struct ocl_command *command, struct gpu_stream *stream);
/* retain and release of kinds that have a map. */
void ocl_command_map_retain(struct ocl_command *command);
void ocl_command_map_release(struct ocl_command *command);

/* How long submitting the command may delay the thread.  The events that it waits for are settled.  Commands that
 * other threads enqueue between this call and the submission do not matter: this one need not run after them. */
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

/* Puts the command into stream, after the events that it waits for, which are settled.  If it fails nothing is changed
 * that other threads see, except by the grids of a launch that are in the stream before the one that fails.  In an
 * in-order queue no other thread may submit meanwhile. */
cl_int ocl_command_submit_any(struct ocl_command *command, struct gpu_stream *stream,
			      struct ocl_submission *submission);
static inline cl_int ocl_command_submit(struct ocl_command *command, struct gpu_stream *stream,
					struct ocl_submission *submission)
{
	/* Many launches need nothing but their operation. */
	if (command->event || command->witness || command->dependency_count ||
	    command->access_count)
		return ocl_command_submit_any(command, stream, submission);
	submission->done = NULL;
	return ocl_command_run(command, stream);
}

/* Waits until everything in stream is complete, for kinds whose run needs that.  No lock may be held. */
cl_int ocl_command_stream_wait(struct gpu_stream *stream);

/* Copies a command to be submitted later.  The copy owns references to all that it needs; its accesses and its wait
 * list are stored in room, which has ocl_command_duplicate_B bytes. */
size_t ocl_command_duplicate_B(const struct ocl_command *command);
void ocl_command_duplicate(struct ocl_command *copy, const struct ocl_command *command,
			   void *room);
/* Releases the copy's references. */
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
extern const struct ocl_command_kind ocl_command_migrate;
extern const struct ocl_command_kind ocl_command_advise;
extern const struct ocl_command_kind ocl_command_image_read;
extern const struct ocl_command_kind ocl_command_image_write;
extern const struct ocl_command_kind ocl_command_image_copy;
extern const struct ocl_command_kind ocl_command_image_to_buffer;
extern const struct ocl_command_kind ocl_command_buffer_to_image;
extern const struct ocl_command_kind ocl_command_image_fill;
extern const struct ocl_command_kind ocl_command_image_map;
extern const struct ocl_command_kind ocl_command_image_unmap;
extern const struct ocl_command_kind ocl_command_launch;
extern const struct ocl_command_kind ocl_command_launch_long;  /* of many grids; a command buffer has none */
extern const struct ocl_command_kind ocl_command_launch_printf;
extern const struct ocl_command_kind ocl_command_native;
extern const struct ocl_command_kind ocl_command_command_buffer;
extern const struct ocl_command_kind ocl_command_gl_acquire;
extern const struct ocl_command_kind ocl_command_gl_release;
extern const struct ocl_command_kind ocl_command_egl_acquire;
extern const struct ocl_command_kind ocl_command_egl_release;

#endif
