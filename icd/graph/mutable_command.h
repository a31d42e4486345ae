/* Launches in a command buffer that can be changed between its enqueues
 * (cl_khr_command_buffer_mutable_dispatch).
 *
 * A change makes a new command, with the checks of a new launch; the new commands replace the old ones when all changes
 * of a call are valid.
 *
 * Not thread-safe: one thread at a time changes a buffer's commands (ocl_command_buffer_change_begin). */
#ifndef CULVERT_ICD_MUTABLE_COMMAND_H
#define CULVERT_ICD_MUTABLE_COMMAND_H

#include "icd/graph/command_buffer.h"
#include "icd/launch/launch.h"

extern const struct object_type ocl_mutable_command_type;

/* The NDRange as the application gave it. */
struct ocl_mutable_range {
	cl_uint work_dim;
	size_t offset[3], global[3], local[3];
	bool has_local;
};

/* What can be changed. */
struct ocl_mutable_state {
	struct ocl_mutable_range range;
	struct ocl_arguments *arguments; /* a reference */
};

/* A handle of a recorded launch; it lives as long as its command buffer. */
struct _cl_mutable_command_khr {
	struct object base;
	cl_command_buffer_khr buffer;
	cl_command_queue queue;          /* one of the buffer's queues */
	uint32_t position;               /* of the command in buffer */
	cl_kernel kernel;                /* ref held: the kernel that was recorded */
	cl_kernel values;                /* ref held: a clone of it, whose arguments are changed; NULL: none yet */
	cl_command_properties_khr *properties; /* owned, with the final 0; or NULL */
	size_t property_count;
	cl_bitfield fields;              /* OCL_MUTABLE_*: what may be changed */
	bool set;                        /* all arguments are set */
	struct ocl_mutable_state now;
	/* While a change is being made: */
	struct ocl_mutable_state next;
	cl_kernel next_values;           /* ref held: replaces values, because its execution info changes; or NULL */
	struct ocl_command *fresh;       /* owned: the new command; NULL: this one is not changed */
	bool fresh_set;                  /* replaces set */
};

/* Makes a handle with the kernel's current arguments.  The caller has the only reference. */
cl_int ocl_mutable_create(cl_command_buffer_khr buffer, cl_command_queue queue, cl_kernel kernel,
			  const struct ocl_ndrange *range,
			  const cl_command_properties_khr *properties, cl_bitfield fields, bool set,
			  struct _cl_mutable_command_khr **handle_out);

/* Makes a handle with the launch that from has now, and its command, for queue, one of the queues of buffer.  The
 * caller owns both.  No other thread changes from.  The errors of recording the launch. */
cl_int ocl_mutable_remap(const struct _cl_mutable_command_khr *from, cl_command_buffer_khr buffer,
			 cl_command_queue queue, struct _cl_mutable_command_khr **handle_out,
			 struct ocl_command **command_out);

/* Makes all changes, or none if one is invalid. */
cl_int ocl_mutable_update(cl_command_buffer_khr buffer, cl_uint count,
			  const struct ocl_mutable_config *const *configs);

#endif
