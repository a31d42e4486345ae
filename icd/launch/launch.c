#include "config.h"

#include "icd/launch/launch.h"

#include "icd/launch/launch_size.h"
#include "icd/memory/image_mirror.h"
#include "icd/order/printf.h"
#include "icd/order/queue.h"
#include "icd/program/module.h"

#include <stdlib.h>
#include <string.h>

/* --- checks -------------------------------------------------------------------------------- */

/* A dimension that the range does not have counts as one work-item. */
static inline void dimension_leave_out(struct ocl_launch *launch, unsigned i)
{
	launch->global[i] = launch->whole[i] = 1;
	launch->offset[i] = 0;
	launch->local[i] = 1;
	launch->rest[i] = 0;
}

static inline cl_int dimension_take(struct ocl_launch *launch, const struct ocl_ndrange *range,
				    unsigned i)
{
	const uint64_t global = range->global ? range->global[i] : 0;
	const uint64_t offset = range->offset ? range->offset[i] : 0;
	launch->global[i] = global;
	launch->offset[i] = offset;
	/* OpenCL 3.0 API, 5.10: CL_INVALID_GLOBAL_OFFSET when a global id would not fit a size_t.  PTX from another
	 * compiler computes ids from the GPU's registers alone and knows no offset. */
	return offset && (global > SIZE_MAX - offset || launch->code->abi->no_offset)
		       ? CL_INVALID_GLOBAL_OFFSET : CL_SUCCESS;
}

static inline cl_int sizes_take(struct ocl_launch *launch, const struct ocl_ndrange *range)
{
	const uint32_t dimensions = range->work_dim;
	/* OpenCL 3.0 API, 5.10: CL_INVALID_WORK_DIMENSION unless it is 1 to 3. */
	if (dimensions < 1 || dimensions > 3)
		return CL_INVALID_WORK_DIMENSION;
	launch->work_dim = dimensions;
	if (dimensions < 2)
		dimension_leave_out(launch, 1);
	if (dimensions < 3)
		dimension_leave_out(launch, 2);
	cl_int error = dimension_take(launch, range, 0);
	for (unsigned i = 1; i < dimensions && !error; i++)
		error = dimension_take(launch, range, i);
	return error;
}

static inline cl_int local_take(struct ocl_launch *launch, const struct ocl_ndrange *range,
				const struct gpu_caps *caps)
{
	const uint32_t *required = launch->code->abi->required_local;
	const uint32_t dimensions = launch->work_dim;
	for (unsigned i = dimensions; required[0] && i < 3; i++)
		if (required[i] != 1)
			return CL_INVALID_WORK_GROUP_SIZE;
	for (unsigned i = 0; i < dimensions; i++) {
		const size_t local = range->local[i];
		/* 5.10: CL_INVALID_WORK_GROUP_SIZE when it is not the size that the kernel requires. */
		if (!local || (required[0] && local != required[i]))
			return CL_INVALID_WORK_GROUP_SIZE;
		/* 5.10: CL_INVALID_WORK_ITEM_SIZE above CL_DEVICE_MAX_WORK_ITEM_SIZES. */
		if (local > caps->max_block[i])
			return CL_INVALID_WORK_ITEM_SIZE;
		launch->local[i] = (uint32_t)local;
	}
	return CL_SUCCESS;
}

/* 64-bit divisions are slow, and few sizes need them. */
static inline void groups_divide(struct ocl_launch *launch, unsigned i)
{
	const uint64_t global = launch->global[i];
	const uint32_t local = launch->local[i];
	if (global <= UINT32_MAX) {
		launch->whole[i] = (uint32_t)global / local;
		launch->rest[i] = (uint32_t)global % local;
	} else {
		launch->whole[i] = global / local;
		launch->rest[i] = (uint32_t)(global % local);
	}
	launch->edges |= (uint32_t)(launch->rest[i] != 0) << i;
}

static inline uint64_t groups_of(const struct ocl_launch *launch, unsigned dimension)
{
	return launch->whole[dimension] + (launch->edges >> dimension & 1);
}

/* Counts the work-groups in each dimension; returns the number of work-items of a work-group. */
static inline uint64_t groups_count(struct ocl_launch *launch, unsigned dimensions)
{
	uint64_t items = 1;
	launch->edges = 0;
	for (unsigned i = 0; i < dimensions; i++) {
		items *= launch->local[i];
		if (launch->local[i] != 1) {
			groups_divide(launch, i);
		} else {
			launch->whole[i] = launch->global[i];
			launch->rest[i] = 0;
		}
	}
	return items;
}

static inline cl_int local_decide(struct ocl_launch *launch, const struct ocl_ndrange *range,
				  cl_command_queue queue)
{
	const struct abi_kernel *abi = launch->code->abi;
	const uint32_t *required = abi->required_local;
	cl_int error = CL_SUCCESS;
	/* Work-groups need not be uniform if the driver chooses their size and the kernel cannot notice that they
	 * differ. */
	launch->uniform = launch->cooperative ||
			  (abi->uniform_groups &&
			   (range->local || required[0] || abi->sees_groups));
	if (range->local)
		error = local_take(launch, range, queue->device->caps);
	else if (required[0])
		memcpy(launch->local, required, sizeof(launch->local));
	else
		error = ocl_launch_choose(queue, launch);
	if (error)
		return error;
	/* The required size may have more dimensions than the range. */
	const uint64_t items = groups_count(launch, required[0] ? 3 : launch->work_dim);
	if (items > launch->code->caps.max_threads)
		return CL_INVALID_WORK_GROUP_SIZE;
	/* 5.10: CL_INVALID_WORK_GROUP_SIZE when the program was built for uniform work-groups and the global size is
	 * no multiple of the local size. cl_culvert_grid_barrier: also when it was not built for uniform
	 * work-groups. */
	return launch->uniform && launch->edges ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

/* The most work-groups in a dimension.  The ids of work-groups are parameters of 32 bits.  PTX from another compiler
 * computes them from the GPU's registers alone, which only know one grid. */
static inline uint64_t most_groups(const struct ocl_launch *launch, const struct gpu_caps *caps,
				   unsigned i)
{
	return launch->code->abi->no_offset ? caps->max_grid[i] : UINT32_MAX;
}

static cl_int pieces_fail(const struct ocl_launch *launch, cl_command_queue queue, unsigned i)
{
	const struct gpu_caps *caps = queue->device->caps;
	ocl_context_report(queue->context,
			   "kernel %s: %llu work-groups in dimension %u, %s runs at most %llu",
			   launch->kernel->name, (unsigned long long)groups_of(launch, i), i,
			   caps->name, (unsigned long long)most_groups(launch, caps, i));
	return CL_OUT_OF_RESOURCES;
}

/* The most grids of full work-groups.  The call that launches them returns when the last one is in the stream: with
 * many more it would not return in any useful time. */
enum { MOST_GRIDS = 1 << 20 };

static cl_int grids_fail(const struct ocl_launch *launch, cl_command_queue queue, uint64_t grids)
{
	ocl_context_report(queue->context,
			   "kernel %s: %llu x %llu x %llu work-groups would be %llu grids, of which a launch has at "
			   "most %u",
			   launch->kernel->name, (unsigned long long)groups_of(launch, 0),
			   (unsigned long long)groups_of(launch, 1), (unsigned long long)groups_of(launch, 2),
			   (unsigned long long)grids, (unsigned)MOST_GRIDS);
	return CL_OUT_OF_RESOURCES;
}

/* Decides how many grids the full work-groups need: OpenCL has no limit to the number of work-groups, CUDA's grids
 * have one (65535 in dimensions 1 and 2). */
static inline cl_int pieces_decide(struct ocl_launch *launch, cl_command_queue queue)
{
	const struct gpu_caps *caps = queue->device->caps;
	launch->split = false;
	for (unsigned i = 0; i < 3; i++) {
		launch->pieces[i] = 1;
		if (groups_of(launch, i) <= caps->max_grid[i])
			continue;
		if (groups_of(launch, i) > most_groups(launch, caps, i))
			return pieces_fail(launch, queue, i);
		launch->pieces[i] = (uint32_t)((launch->whole[i] + caps->max_grid[i] - 1) /
					       caps->max_grid[i]);
		launch->split = launch->split || launch->pieces[i] > 1;
	}
	const uint64_t grids = (uint64_t)launch->pieces[0] * launch->pieces[1] * launch->pieces[2];
	return grids > MOST_GRIDS ? grids_fail(launch, queue, grids) : CL_SUCCESS;
}

/* Whether the launch has more than this many work-groups.  Their number may have more than 64 bits. */
static bool has_more_groups(const struct ocl_launch *launch, uint64_t most)
{
	uint64_t groups = 1;
	/* A factor has at most 32 bits. */
	for (unsigned i = 0; i < 3 && groups <= UINT32_MAX; i++)
		groups *= groups_of(launch, i);
	return groups > most;
}

/* cl_culvert_grid_barrier: CL_OUT_OF_RESOURCES when the device cannot run all work-groups concurrently. (OpenCL 3.0
 * API, 5.10: "insufficient resources needed to execute the kernel".) */
static cl_int residency_check(const struct ocl_launch *launch, cl_command_queue queue)
{
	const uint32_t *local = launch->local;
	uint64_t most = 0;
	cl_int error = gpu_function_resident(launch->code->function,
					     local[0] * local[1] * local[2],
					     launch->dynamic_local_B, &most);
	most *= queue->device->caps->multiprocessors;
	if (!error && has_more_groups(launch, most)) {
		ocl_context_report(queue->context,
				   "kernel %s has a barrier of the whole grid: %s runs at most "
				   "%llu of its work-groups of %u x %u x %u at once, not %llu x %llu x %llu",
				   launch->kernel->name, queue->device->caps->name,
				   (unsigned long long)most, local[0], local[1], local[2],
				   (unsigned long long)groups_of(launch, 0), (unsigned long long)groups_of(launch, 1),
				   (unsigned long long)groups_of(launch, 2));
		return CL_OUT_OF_RESOURCES;
	}
	return error ? error : gpu_barriers_wait_ready(queue->device->gpu);
}

/* --- accesses ---------------------------------------------------------------------------- */

static inline cl_int local_memory_check(struct ocl_launch *launch, cl_command_queue queue)
{
	const struct abi_kernel *abi = launch->code->abi;
	uint64_t dynamic_B = abi->dynamic_local_B;
	if (launch->code->traits.locals)
		dynamic_B = ocl_kernel_dynamic_local_B(abi, launch->arguments, NULL);
	const uint64_t static_B = launch->code->caps.static_local_B;
	const uint64_t most_B = ocl_device_local_B(queue->device);
	/* OpenCL 3.0 API, 5.10: CL_OUT_OF_RESOURCES when a work-group would need more local memory than it can have. */
	if (dynamic_B > most_B || static_B > most_B - dynamic_B) {
		ocl_context_report(queue->context,
				   "kernel %s needs %llu bytes of local memory for a work-group, "
				   "%s has %llu",
				   launch->kernel->name, (unsigned long long)(dynamic_B + static_B),
				   queue->device->caps->name, (unsigned long long)most_B);
		return CL_OUT_OF_RESOURCES;
	}
	launch->dynamic_local_B = (uint32_t)dynamic_B;
	return CL_SUCCESS;
}

static inline bool argument_writes(const struct ocl_memory_argument *argument,
				   const struct _cl_mem *mem)
{
	return argument->writes &&
	       (argument->image || !(mem->flags & (CL_MEM_READ_ONLY | OCL_MEM_IMMUTABLE)));
}

/* OpenCL 3.0 API, 5.10: CL_INVALID_IMAGE_SIZE for an image that is larger than the device supports;
 * CL_IMAGE_FORMAT_NOT_SUPPORTED for a format that a kernel cannot both read and write: it would read what it has
 * written without the rounding of the format. */
static cl_int image_check(const struct _cl_mem *mem, enum abi_access access, cl_device_id device)
{
	if (access == ABI_ACCESS_READ_WRITE && mem->image->packing.word_B)
		return CL_IMAGE_FORMAT_NOT_SUPPORTED;
	return ocl_image_fits(mem, device);
}

static cl_int images_check(const struct ocl_launch *launch, cl_command_queue queue)
{
	const struct abi_kernel *abi = launch->code->abi;
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < abi->argument_count && !error; i++)
		if (abi->arguments[i].kind == ABI_ARGUMENT_IMAGE)
			error = image_check(launch->arguments->items[i].mem, abi->arguments[i].access, queue->device);
	return error;
}

/* Adds accesses of memory that the kernel uses through pointers; they have no parameter and are the last ones.
 * Memory objects that were released are left out. */
static void indirect_touch(struct ocl_command *command, const struct ocl_indirect *indirect)
{
	for (uint32_t i = 0; i < indirect->count; i++) {
		cl_mem mem = indirect->mems[i];
		if (ocl_mem_is_alive(mem))
			ocl_command_touch(command, mem, 0, mem->size_B,
					  ocl_mem_is_immutable(mem) ? OCL_ACCESS_READ
								    : OCL_ACCESS_UPDATE);
	}
}

cl_int ocl_launch_find_accesses(struct ocl_command *command,
				struct ocl_access own[OCL_LAUNCH_ACCESSES])
{
	const struct ocl_launch *launch = &command->u.launch;
	const struct ocl_indirect *indirect = launch->kernel->indirect;
	const struct ocl_indirect *addressed = launch->kernel->addressed;
	const struct ocl_memory_argument *argument = launch->code->traits.memory;
	const uint32_t count = launch->code->traits.memory_count;
	const uint64_t most = (uint64_t)count + (indirect ? indirect->count : 0) +
			      (addressed ? addressed->count : 0);
	command->access_count = 0;
	command->accesses = most > OCL_LAUNCH_ACCESSES ? malloc(most * sizeof(*own)) : own;
	if (!command->accesses)
		return CL_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < count; i++, argument++) {
		cl_mem mem = launch->arguments->items[argument->index].mem;
		if (mem)
			ocl_command_touch(command, mem, 0, mem->size_B,
					  argument_writes(argument, mem) ? OCL_ACCESS_UPDATE
									 : OCL_ACCESS_READ);
	}
	if (indirect)
		indirect_touch(command, indirect);
	if (addressed)
		indirect_touch(command, addressed);
	return CL_SUCCESS;
}

void ocl_launch_record(struct ocl_command *command)
{
	if (command->kind == &ocl_command_launch || command->kind == &ocl_command_launch_printf)
		command->u.launch.recorded = true;
}

/* Whether a grid of the launch does not start at work-item 0: because of an offset, because it is at an edge, or
 * because it is another piece than the first. */
static bool has_starts(const struct ocl_launch *launch)
{
	bool starts = launch->split;
	for (unsigned i = 0; i < 3; i++)
		starts = starts || launch->offset[i] || (launch->rest[i] && launch->whole[i]);
	return starts;
}

/* Whether a global id of the launch may have more than 32 bits. */
static bool is_wide(const struct ocl_launch *launch)
{
	bool wide = false;
	for (unsigned i = 0; i < 3; i++)
		wide = wide || launch->offset[i] + launch->global[i] > UINT32_MAX;
	return wide;
}

static inline cl_int functions_find(struct ocl_launch *launch)
{
	const struct ocl_kernel_code *code = launch->code;
	const bool wide = code->traits.narrow_ids && is_wide(launch);
	launch->function = launch->starting = code->function;
	if (!wide && !(code->traits.starts && has_starts(launch)))
		return CL_SUCCESS;
	cl_int error = ocl_kernel_part(launch->kernel, code,
				       wide ? OCL_MODULE_WIDE : OCL_MODULE_STARTS,
				       &launch->starting);
	if (wide)
		launch->function = launch->starting;
	return error;
}

/* Fills in everything except the accesses. *empty_out: there are no work-items; then no local size is chosen. */
static cl_int launch_describe(struct ocl_launch *launch, cl_command_queue queue, cl_kernel kernel,
			      const struct ocl_ndrange *range, bool *empty_out)
{
	launch->kernel = kernel;
	launch->arguments = kernel->arguments;
	launch->indirect = kernel->indirect_kinds != 0;
	launch->recorded = false;
	cl_int error = ocl_kernel_code_for(kernel, queue->device, &launch->code);
	if (!error)
		error = sizes_take(launch, range);
	if (!error)
		error = ocl_kernel_arguments_check(kernel, launch->code);
	if (error)
		return error;
	*empty_out = !launch->global[0] || !launch->global[1] || !launch->global[2];
	if (*empty_out)
		return CL_SUCCESS;
	launch->cooperative = launch->code->traits.grid_barrier;
	error = local_memory_check(launch, queue);
	if (!error)
		error = local_decide(launch, range, queue);
	if (!error)
		error = pieces_decide(launch, queue);
	if (!error && launch->cooperative)
		error = residency_check(launch, queue);
	if (error)
		return error;
	launch->special = launch->cooperative || launch->indirect || launch->edges || launch->split;
	return functions_find(launch);
}

cl_int ocl_launch_suggest(cl_command_queue queue, cl_kernel kernel,
			  const struct ocl_ndrange *range, size_t *local_out)
{
	struct ocl_launch launch = {0};
	bool empty;
	cl_int error = launch_describe(&launch, queue, kernel, range, &empty);
	/* cl_khr_suggested_local_work_size: CL_INVALID_GLOBAL_WORK_SIZE for no work-items. */
	if (!error && empty)
		error = CL_INVALID_GLOBAL_WORK_SIZE;
	for (unsigned i = 0; i < range->work_dim && !error; i++)
		local_out[i] = launch.local[i];
	return error;
}

cl_int ocl_launch_init(struct ocl_command *command, struct ocl_access own[OCL_LAUNCH_ACCESSES],
		       cl_command_queue queue, cl_kernel kernel, cl_command_type type,
		       const struct ocl_ndrange *range)
{
	struct ocl_launch *launch = &command->u.launch;
	ocl_command_init(command, &ocl_command_launch, queue, type, own);
	bool empty;
	cl_int error = launch_describe(launch, queue, kernel, range, &empty);
	if (error)
		return error;
	/* OpenCL 3.0 API, 5.10: a launch without work-items succeeds; its command keeps its place in the queue. */
	if (empty) {
		command->kind = &ocl_command_marker;
		return CL_SUCCESS;
	}
	if (launch->code->traits.prints)
		command->kind = &ocl_command_launch_printf;
	if (launch->code->traits.images)
		error = images_check(launch, queue);
	if (!error && (launch->code->traits.memory_count || kernel->indirect || kernel->addressed))
		error = ocl_launch_find_accesses(command, own);
	return error;
}

void ocl_launch_finish(struct ocl_command *command, const struct ocl_access *own)
{
	if (command->accesses != own)
		free(command->accesses);
}

/* --- parameters ------------------------------------------------------------------------------ */

enum { LAUNCH_PARAMETERS = 64 };

/* The values of parameters that are not arguments. */
struct hidden_values {
	uint32_t *offsets;               /* the offsets of the local memory arguments */
	uint64_t id_start[3];            /* the first global id of the next grid */
	uint32_t group_start[3];
	uint32_t group_count[3];         /* the number of work-groups in all grids */
};

/* The sampler states with which the kernel may read its images: those of samplers in its code, and of its sampler
 * arguments. */
static uint32_t sampler_states(const struct ocl_launch *launch)
{
	const struct abi_kernel *abi = launch->code->abi;
	uint32_t states = abi->sampler_states;
	for (uint32_t i = 0; i < abi->argument_count; i++) {
		uint32_t bits;
		if (abi->arguments[i].kind != ABI_ARGUMENT_SAMPLER)
			continue;
		memcpy(&bits, launch->arguments->data + launch->arguments->items[i].offset_B,
		       sizeof(bits));
		states |= 1u << abi_sampler_state(bits & ABI_SAMPLER_STATE_BITS);
	}
	return states;
}

/* The parameter of an image is the address of its descriptor. */
static cl_int image_parameter(const struct ocl_launch *launch, uint32_t index,
			      struct ocl_access *access, void **parameter_out)
{
	const struct abi_argument *argument = &launch->code->abi->arguments[index];
	const uint32_t states =
		argument->access == ABI_ACCESS_WRITE_ONLY ? 0 : sampler_states(launch);
	*parameter_out = &access->descriptor;
	return ocl_image_bind(launch->arguments->items[index].mem, &access->at, states,
			      &access->descriptor);
}

static void local_parameters(const struct ocl_launch *launch, struct hidden_values *values,
			     void **parameters)
{
	const struct ocl_arguments *arguments = launch->arguments;
	(void)ocl_kernel_dynamic_local_B(launch->code->abi, arguments, values->offsets);
	for (uint32_t i = 0; i < arguments->count; i++)
		if (arguments->items[i].kind == ABI_ARGUMENT_LOCAL)
			parameters[i] = &values->offsets[i];
}

/* Sets the addresses of the arguments' values: the block of arguments has those of values and pointers, the accesses
 * have those of memory objects. */
static inline cl_int argument_parameters(struct ocl_command *command,
					 struct hidden_values *values, void **parameters)
{
	const struct ocl_launch *launch = &command->u.launch;
	const struct ocl_arguments *arguments = launch->arguments;
	const struct ocl_memory_argument *memory = launch->code->traits.memory;
	struct ocl_access *access = command->accesses;
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < arguments->count; i++)
		parameters[i] = arguments->parameters[i];
	for (uint32_t i = launch->code->traits.memory_count; i && !error; i--, memory++) {
		const struct ocl_argument *item = &arguments->items[memory->index];
		if (!item->mem)
			continue;
		if (memory->image)
			error = image_parameter(launch, memory->index, access,
						&parameters[memory->index]);
		else if (!item->pointer)
			parameters[memory->index] = &access->at.address;
		access++;
	}
	if (launch->code->traits.locals)
		local_parameters(launch, values, parameters);
	return error;
}

static cl_int hidden_parameters(struct ocl_launch *launch, struct hidden_values *values,
				void **parameters)
{
	const struct abi_kernel *abi = launch->code->abi;
	for (unsigned i = 0; i < 3; i++)
		values->group_count[i] = (uint32_t)groups_of(launch, i);
#define BY_DIMENSION(value, place)                                                                \
	case ABI_HIDDEN_##value##_X:                                                             \
	case ABI_HIDDEN_##value##_Y:                                                             \
	case ABI_HIDDEN_##value##_Z:                                                             \
		parameters[i] = &(place)[abi->hidden[i] - ABI_HIDDEN_##value##_X];               \
		break;
	for (uint32_t i = 0; i < abi->hidden_count; i++) {
		switch (abi->hidden[i]) {
		BY_DIMENSION(ID_START, values->id_start)
		BY_DIMENSION(GLOBAL_OFFSET, launch->offset)
		BY_DIMENSION(GLOBAL_SIZE, launch->global)
		BY_DIMENSION(GROUP_START, values->group_start)
		BY_DIMENSION(GROUP_COUNT, values->group_count)
		BY_DIMENSION(ENQUEUED_LOCAL, launch->local)
		case ABI_HIDDEN_WORK_DIM:
			parameters[i] = &launch->work_dim;
			break;
		case ABI_HIDDEN_PRINTF_BUFFER:
			parameters[i] = &launch->printf_buffer;
			break;
		case ABI_HIDDEN_GRID_BARRIER:
			parameters[i] = &launch->grid_barrier;
			break;
		default:
			/* The kernel comes from another version and has a parameter that this one does not know. */
			return CL_OUT_OF_RESOURCES;
		}
	}
#undef BY_DIMENSION
	return CL_SUCCESS;
}

/* Launches the one grid of a launch that is not special, whose work-groups all have the full local size. */
static inline cl_int launch_whole(const struct ocl_launch *launch, struct gpu_sink sink,
				  struct hidden_values *values, struct gpu_launch *gpu)
{
	gpu->cooperative = false;
	for (unsigned i = 0; i < 3; i++) {
		gpu->grid[i] = (uint32_t)launch->whole[i];
		gpu->block[i] = launch->local[i];
	}
	gpu->function = launch->function;
	/* Only hidden parameters refer to these values. */
	for (unsigned i = 0; launch->code->abi->hidden_count && i < 3; i++) {
		values->group_start[i] = 0;
		values->id_start[i] = launch->offset[i];
		if (launch->offset[i])
			gpu->function = launch->starting;
	}
	return gpu_sink_launch(sink, gpu);
}

/* One of the launch's grids: that of a piece of the full work-groups, or for a set of dimensions that of the smaller
 * work-groups at their edges. */
struct grid {
	unsigned edges;                  /* bit i: at the edge of dimension i */
	uint32_t piece[3];               /* in the other dimensions */
};

/* Goes on to the launch's next grid.  false: there is none. */
static bool grid_next(const struct ocl_launch *launch, struct grid *grid)
{
	for (unsigned i = 0; i < 3; i++) {
		if (!(grid->edges >> i & 1) && ++grid->piece[i] < launch->pieces[i])
			return true;
		grid->piece[i] = 0;
	}
	/* The subset of the edges that follows; 0 after the last. */
	grid->edges = (grid->edges - launch->edges) & launch->edges;
	return grid->edges != 0;
}

/* false: the grid has no work-groups. */
static bool grid_describe(const struct ocl_launch *launch, const struct grid *grid,
			  struct hidden_values *values, struct gpu_launch *gpu)
{
	bool starts = false;
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t whole = launch->whole[i];
		const bool edge = grid->edges >> i & 1;
		const uint64_t most = (whole + launch->pieces[i] - 1) / launch->pieces[i];
		const uint64_t start = edge ? whole : most * grid->piece[i];
		const uint64_t left = whole - start;
		gpu->grid[i] = edge ? 1 : (uint32_t)(left < most ? left : most);
		gpu->block[i] = edge ? launch->rest[i] : launch->local[i];
		if (!gpu->grid[i])
			return false;
		values->group_start[i] = (uint32_t)start;
		values->id_start[i] = launch->offset[i] + start * launch->local[i];
		starts = starts || values->id_start[i];
	}
	gpu->function = starts ? launch->starting : launch->function;
	return true;
}

uint32_t ocl_launch_grids(const struct ocl_launch *launch)
{
	struct hidden_values values;
	struct gpu_launch gpu;
	struct grid grid = {0};
	uint32_t count = 0;
	do
		count += grid_describe(launch, &grid, &values, &gpu);
	while (grid_next(launch, &grid));
	return count;
}

/* Launches the full work-groups, and those at the edges. */
static cl_int launch_several(const struct ocl_launch *launch, struct gpu_sink sink,
			     struct hidden_values *values, struct gpu_launch *gpu)
{
	struct grid grid = {0};
	cl_int error = CL_SUCCESS;
	do {
		if (grid_describe(launch, &grid, values, gpu))
			error = gpu_sink_launch(sink, gpu);
	} while (!error && grid_next(launch, &grid));
	return error;
}

/* Launches several grids, or a kernel that has a grid barrier or may access any USM. */
static cl_int launch_special(struct ocl_command *command, struct gpu_sink sink,
			     struct hidden_values *values, struct gpu_launch *gpu)
{
	struct ocl_launch *launch = &command->u.launch;
	cl_int error = CL_SUCCESS;
	/* A graph has counters of its own (command_graph.c). */
	if (launch->cooperative && sink.stream)
		error = gpu_stream_barrier(sink.stream, &launch->grid_barrier);
	if (!error && launch->indirect && sink.stream)
		error = ocl_stream_set_add(&command->queue->context->svm.indirect, sink.stream);
	if (error)
		return error;
	gpu->cooperative = launch->cooperative;
	return launch_several(launch, sink, values, gpu);
}

static cl_int grids_put(struct ocl_command *command, struct gpu_sink sink)
{
	struct ocl_launch *launch = &command->u.launch;
	const struct abi_kernel *abi = launch->code->abi;
	const size_t count = (size_t)abi->argument_count + abi->hidden_count;
	void *own_parameters[LAUNCH_PARAMETERS];
	uint32_t own_offsets[LAUNCH_PARAMETERS];
	void **parameters = own_parameters;
	struct hidden_values values;
	struct gpu_launch gpu;
	values.offsets = own_offsets;
	if (count > LAUNCH_PARAMETERS) {
		parameters = malloc(count * (sizeof(*parameters) + sizeof(*values.offsets)));
		if (!parameters)
			return CL_OUT_OF_HOST_MEMORY;
		values.offsets = (uint32_t *)(parameters + count);
	}
	gpu.dynamic_local_B = launch->dynamic_local_B;
	gpu.parameters = parameters;
	cl_int error = argument_parameters(command, &values, parameters);
	if (!error && abi->hidden_count)
		error = hidden_parameters(launch, &values, parameters + abi->argument_count);
	/* The stream of a graph is added when the graph is launched. */
	if (!error && sink.stream)
		error = ocl_stream_set_add(launch->code->streams, sink.stream);
	if (!error)
		error = launch->special ? launch_special(command, sink, &values, &gpu)
					: launch_whole(launch, sink, &values, &gpu);
	if (parameters != own_parameters)
		free(parameters);
	return error;
}

/* A launch that uses images through mirrors: each is brought up to date before, and copied to its buffer after it. */
static cl_int mirrored_put(struct ocl_command *command, struct gpu_sink sink)
{
	struct lock *mirrors = &command->queue->context->mirrors;
	struct ocl_access *access = command->accesses;
	cl_int error = CL_SUCCESS;
	uint32_t begun = 0;
	lock_take(mirrors);
	for (; begun < command->access_count && !error; begun++)
		if (ocl_mem_is_mirrored(access[begun].mem))
			error = ocl_mirror_begin(access[begun].mem, &access[begun].at, sink);
	if (!error)
		error = grids_put(command, sink);
	const bool launched = !error;
	for (uint32_t i = 0; i < begun; i++) {
		cl_int ended = CL_SUCCESS;
		if (ocl_mem_is_mirrored(access[i].mem))
			ended = ocl_mirror_end(access[i].mem, &access[i].at, sink, launched);
		error = error ? error : ended;
	}
	lock_drop(mirrors);
	return error;
}

static bool uses_mirrors(const struct ocl_command *command)
{
	for (uint32_t i = 0; i < command->access_count; i++)
		if (ocl_mem_is_mirrored(command->accesses[i].mem))
			return true;
	return false;
}

/* Launches the kernel into a stream, or adds its launch to a graph. */
static cl_int launch_put(struct ocl_command *command, struct gpu_sink sink)
{
	if (command->u.launch.code->traits.images && uses_mirrors(command))
		return mirrored_put(command, sink);
	return grids_put(command, sink);
}

cl_int ocl_launch_put_printing(struct ocl_command *command, struct gpu_sink sink,
			       gpu_address buffer)
{
	command->u.launch.printf_buffer = buffer;
	return launch_put(command, sink);
}

static cl_int launch_printf_run(struct ocl_command *command, struct gpu_stream *stream)
{
	struct ocl_print *print;
	cl_int error = ocl_print_begin(command->queue, stream,
				       command->u.launch.code->program_code, &print);
	if (error)
		return error;
	error = ocl_launch_put_printing(command, gpu_into(stream), ocl_print_buffer(print));
	if (!error)
		return ocl_print_end(print);
	ocl_print_cancel(print);
	return error;
}

/* The kernel has a reference to its code; the block of arguments keeps the values of the launch, whatever
 * clSetKernelArg sets before the command is submitted. */
static void launch_retain(struct ocl_command *command)
{
	object_ref(command->u.launch.kernel);
	(void)ocl_arguments_ref(command->u.launch.arguments);
	if (command->u.launch.indirect && !command->u.launch.recorded)
		atomic_fetch_add(&command->queue->context->svm.waiting, 1);
}

static void launch_release(struct ocl_command *command)
{
	if (command->u.launch.indirect && !command->u.launch.recorded)
		atomic_fetch_sub(&command->queue->context->svm.waiting, 1);
	ocl_arguments_unref(command->u.launch.arguments);
	object_unref(command->u.launch.kernel);
}

const struct ocl_command_kind ocl_command_launch = {
	.put = launch_put, .retain = launch_retain, .release = launch_release,
};

static enum ocl_delay short_delay(const struct ocl_command *command)
{
	(void)command;
	return OCL_DELAY_SHORT;
}

/* The driver takes a microsecond or more for each grid. */
const struct ocl_command_kind ocl_command_launch_long = {
	.put = launch_put, .delay = short_delay,
	.retain = launch_retain, .release = launch_release,
};

/* The submission waits if all of the queue's printf buffers are in use. */
const struct ocl_command_kind ocl_command_launch_printf = {
	.run = launch_printf_run, .delay = short_delay,
	.retain = launch_retain, .release = launch_release,
};
