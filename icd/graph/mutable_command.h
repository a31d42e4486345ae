/* Launches in a command buffer that can be changed between its enqueues
 * (cl_khr_command_buffer_mutable_dispatch).
 *
 * A change makes a new command beside the old one, by the checks of a new launch, and
 * takes its place when all changes of a call are good.
 *
 * Not thread-safe: whoever changes a buffer's commands is alone (command_buffer.h). */
#ifndef CULVERT_ICD_MUTABLE_COMMAND_H
#define CULVERT_ICD_MUTABLE_COMMAND_H

#include "icd/graph/command_buffer.h"
#include "icd/launch/launch.h"

extern const struct object_type ocl_mutable_command_type;

/* As the application gave it. */
struct ocl_mutable_range {
	cl_uint work_dim;
	size_t offset[3], global[3], local[3];
	bool has_local;
};

struct ocl_mutable_state {
	struct ocl_mutable_range range;
	struct ocl_arguments *arguments; /* a reference */
};

/* Lives as long as its buffer. */
struct _cl_mutable_command_khr {
	struct object base;
	cl_command_buffer_khr buffer;
	uint32_t position;               /* in it */
	cl_kernel kernel;                /* as recorded: a ref */
	cl_kernel values;                /* a clone to set arguments of: a ref; NULL: none yet */
	cl_command_properties_khr *properties; /* owned, with the final 0; or NULL */
	size_t property_count;
	cl_bitfield fields;              /* OCL_MUTABLE_*: what may be changed */
	bool set;                        /* all arguments are */
	struct ocl_mutable_state now;
	/* While a change is under way. */
	struct ocl_mutable_state next;
	cl_kernel next_values;           /* with another execution info: a ref; or NULL */
	struct ocl_command *fresh;       /* owned; NULL: it is not changed */
	bool fresh_set;
};

/* The kernel's arguments are kept as they are now.  The caller's reference is the only one. */
cl_int ocl_mutable_create(cl_command_buffer_khr buffer, cl_kernel kernel,
			  const struct ocl_ndrange *range,
			  const cl_command_properties_khr *properties, cl_bitfield fields, bool set,
			  struct _cl_mutable_command_khr **handle_out);

/* All changes or none. */
cl_int ocl_mutable_update(cl_command_buffer_khr buffer, cl_uint count,
			  const struct ocl_mutable_config *const *configs);

#endif
