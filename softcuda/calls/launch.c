/* Kernel launches: checked by the call, executed in the order of the stream. */
#include "config.h"

#include "base/log.h"
#include "softcuda/calls/door.h"
#include "softcuda/calls/graph.h"
#include "softcuda/check/trace.h"
#include "softcuda/check/watch.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/entry.h"
#include "softcuda/driver/green.h"
#include "softcuda/driver/machine.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/module.h"
#include "softcuda/driver/object.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"
#include "softcuda/exec/exec.h"

#include <stdlib.h>
#include <string.h>

/* A launch, in the form to which all calls are converted. */
struct request {
	CUfunction cu_function;
	unsigned grid[3], block[3];
	unsigned dynamic_shared_B;
	CUstream cu_stream;
	bool cooperative;
	uint64_t multiprocessors;            /* of a graph's node, a bit for each; 0: those of the stream */
	void **parameters;                   /* a pointer to the value of each parameter */
	void **extra;                        /* or all values in one buffer */
};

struct launch_operation {
	struct soft_operation base;
	struct soft_module *module;
	struct soft_launch launch;
	void *parameters;                    /* owned */
};

static CUresult launch_run(struct soft_operation *operation, struct bytes *report)
{
	const struct soft_launch *launch = &((struct launch_operation *)operation)->launch;
	CUresult result = soft_launch_run(launch, report);
	soft_oracle_declare_trace(operation, launch->watch_data);
	return result;
}

static void launch_finish_locked(struct soft_operation *operation)
{
	struct launch_operation *launch = (struct launch_operation *)operation;
	free(launch->parameters);
	soft_trace_destroy(launch->launch.watch_data);
	soft_module_unref_locked(launch->module);
}

static const struct soft_operation_type launch_type = {
	.name = "kernel",
	.run = launch_run,
	.finish_locked = launch_finish_locked,
};

/* --- checking ---------- */

/* The number of multiprocessors in the set. */
static unsigned multiprocessors_in(uint64_t set, const struct soft_device *device)
{
	return set ? (unsigned)__builtin_popcountll(set) : device->multiprocessors;
}

/* multiprocessors: a bit for each; 0: all. */
static CUresult check_shape(const struct soft_entry *entry, const struct request *request,
			    uint64_t multiprocessors)
{
	static const unsigned grid_max[3] = {2147483647, 65535, 65535};
	static const unsigned block_max[3] = {1024, 1024, 64};
	const struct soft_function *function = entry->function;
	uint64_t threads = 1;
	for (int i = 0; i < 3; i++) {
		if (!request->grid[i] || request->grid[i] > grid_max[i] || !request->block[i] ||
		    request->block[i] > block_max[i])
			return CUDA_ERROR_INVALID_VALUE;
		if (function->required_block[i] &&
		    function->required_block[i] != request->block[i])
			return CUDA_ERROR_INVALID_VALUE;
		threads *= request->block[i];
	}
	if (threads > SOFT_THREADS_PER_BLOCK ||
	    request->dynamic_shared_B > entry->dynamic_shared_max_B ||
	    function->static_shared_B > SOFT_SHARED_STATIC_B)
		return CUDA_ERROR_INVALID_VALUE;
	if (threads > soft_entry_max_threads(entry))
		return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
	if (request->cooperative &&
	    (uint64_t)request->grid[0] * request->grid[1] * request->grid[2] >
		    (uint64_t)multiprocessors_in(multiprocessors, entry->module->context->device) *
			    soft_entry_occupancy(entry, (uint32_t)threads,
						 request->dynamic_shared_B))
		return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
	return CUDA_SUCCESS;
}

/* Reads the list of keys and values, which ends with CU_LAUNCH_PARAM_END. */
static CUresult read_extra(void **extra, const void **buffer_out, size_t *size_B_out)
{
	*buffer_out = NULL;
	*size_B_out = 0;
	for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			*buffer_out = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
			*size_B_out = *(const size_t *)extra[1];
		else
			return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

static CUresult pack_parameters(const struct soft_function *function,
				const struct request *request, char *packed)
{
	if (request->parameters && request->extra)
		return CUDA_ERROR_INVALID_VALUE;
	if (!function->parameter_count)
		return CUDA_SUCCESS;
	if (request->extra) {
		const void *buffer;
		size_t size_B;
		CUresult result = read_extra(request->extra, &buffer, &size_B);
		if (result != CUDA_SUCCESS)
			return result;
		if (!buffer || size_B < function->parameter_size_B)
			return CUDA_ERROR_INVALID_VALUE;
		memcpy(packed, buffer, function->parameter_size_B);
		return CUDA_SUCCESS;
	}
	if (!request->parameters)
		return CUDA_ERROR_INVALID_VALUE;
	for (uint32_t i = 0; i < function->parameter_count; i++) {
		const struct soft_parameter *parameter = &function->parameters[i];
		if (!request->parameters[i])
			return CUDA_ERROR_INVALID_VALUE;
		memcpy(packed + parameter->offset_B, request->parameters[i], parameter->size_B);
	}
	return CUDA_SUCCESS;
}

/* --- submitting ---------- */

static const struct soft_memory kernel_memory = {
	.find = soft_memory_find, .is_close = soft_memory_is_close, .describe = soft_memory_describe,
	.find_image = soft_image_find, .touch = soft_memory_touch, .written = soft_memory_written,
	.notes = soft_memory_notes
};

/* packed: the values of the parameters; NULL: they are taken from request. */
static CUresult submit_locked(struct soft_entry *entry, struct soft_stream *stream,
			      const struct request *request, const char *packed)
{
	const struct soft_function *function = entry->function;
	struct launch_operation *launch = soft_operation_create(&launch_type, sizeof(*launch));
	if (!launch)
		return CUDA_ERROR_OUT_OF_MEMORY;
	launch->module = entry->module;
	launch->module->refs++;
	launch->base.kernel = true;
	launch->base.label = function->name;
	launch->parameters = calloc(1, function->parameter_size_B + 1u);
	CUresult result = launch->parameters ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	if (result == CUDA_SUCCESS && packed)
		memcpy(launch->parameters, packed, function->parameter_size_B);
	else if (result == CUDA_SUCCESS)
		result = pack_parameters(function, request, launch->parameters);
	if (result != CUDA_SUCCESS) {
		soft_operation_destroy_locked(&launch->base);
		return result;
	}
	/* Without its trace, the oracle would miss what this launch does. */
	struct soft_trace *trace = soft_oracle_on() ? soft_trace_create() : NULL;
	if (!trace && soft_oracle_on()) {
		soft_operation_destroy_locked(&launch->base);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	const struct exec_watch *watch = watch_for(trace);
	launch->launch = (struct soft_launch){
		.function = function,
		.grid = {request->grid[0], request->grid[1], request->grid[2]},
		.block = {request->block[0], request->block[1], request->block[2]},
		.dynamic_shared_B = request->dynamic_shared_B,
		.cooperative = request->cooperative,
		.parameters = launch->parameters,
		.variable_addresses = entry->module->variable_addresses,
		.device_index = stream->context->device->index,
		.peers = stream->context->peers,
		.memory = &kernel_memory,
		.loose = !watch && soft_bounds() == SOFT_BOUNDS_LOOSE,
		.watch = watch,
		.watch_data = trace,
		.sm = stream->context->device->sm,
		.multiprocessor_count = stream->context->device->multiprocessors,
		.multiprocessors = request->multiprocessors ? request->multiprocessors
							    : stream->multiprocessors,
	};
	return soft_operation_submit_locked(&launch->base, stream);
}

static CUresult find_locked(struct soft_context *context, const struct request *request,
			    struct soft_stream **stream_out, struct soft_entry **entry_out)
{
	CUresult result = soft_stream_find_locked(context, request->cu_stream, stream_out);
	return result == CUDA_SUCCESS ? soft_entry_find_locked((*stream_out)->context,
							       request->cu_function, entry_out)
				      : result;
}

static CUresult launch_locked(struct soft_context *context, const struct request *request)
{
	struct soft_entry *entry;
	struct soft_stream *stream;
	CUresult result = find_locked(context, request, &stream, &entry);
	/* With lazy loading, the first use of a module may wait for all work of the context. */
	if (result == CUDA_SUCCESS && soft_sched.sync == SOFT_SYNC_ALL && !entry->launched) {
		entry->launched = true;
		result = soft_context_wait_locked(stream->context);
		if (result == CUDA_SUCCESS)
			result = find_locked(context, request, &stream, &entry);
	}
	if (result != CUDA_SUCCESS)
		return result;
	if (entry->module->context != stream->context)
		return CUDA_ERROR_INVALID_HANDLE;
	result = check_shape(entry, request, stream->multiprocessors);
	return result == CUDA_SUCCESS ? submit_locked(entry, stream, request, NULL) : result;
}

static CUresult launch(const char *call, const struct request *request)
{
	struct soft_context *context = NULL;
	CUresult result = soft_enter_stream(call, request->cu_stream, &context);
	return result == CUDA_SUCCESS ? soft_leave(call, launch_locked(context, request))
				      : soft_turned_back(result);
}

CUresult cuLaunchKernel(CUfunction cu_function, unsigned int grid_x, unsigned int grid_y,
			unsigned int grid_z, unsigned int block_x, unsigned int block_y,
			unsigned int block_z, unsigned int dynamic_shared_B, CUstream cu_stream,
			void **parameters, void **extra)
{
	const struct request request = {
		.cu_function = cu_function,
		.grid = {grid_x, grid_y, grid_z},
		.block = {block_x, block_y, block_z},
		.dynamic_shared_B = dynamic_shared_B,
		.cu_stream = cu_stream,
		.parameters = parameters,
		.extra = extra,
	};
	return launch(__func__, &request);
}

CUresult cuLaunchCooperativeKernel(CUfunction cu_function, unsigned int grid_x,
				   unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
				   unsigned int block_y, unsigned int block_z,
				   unsigned int dynamic_shared_B, CUstream cu_stream,
				   void **parameters)
{
	const struct request request = {
		.cu_function = cu_function,
		.grid = {grid_x, grid_y, grid_z},
		.block = {block_x, block_y, block_z},
		.dynamic_shared_B = dynamic_shared_B,
		.cu_stream = cu_stream,
		.cooperative = true,
		.parameters = parameters,
	};
	return launch(__func__, &request);
}

/* Attributes that are hints are ignored; those that change the meaning of a launch are not. */
static CUresult read_attribute(const CUlaunchAttribute *attribute, struct request *request)
{
	switch (attribute->id) {
	case CU_LAUNCH_ATTRIBUTE_IGNORE:
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		request->cooperative = attribute->value.cooperative != 0;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		if (attribute->value.clusterDim.x <= 1 && attribute->value.clusterDim.y <= 1 &&
		    attribute->value.clusterDim.z <= 1)
			return CUDA_SUCCESS;
		log_err("softcuda: cuLaunchKernelEx: clusters are not supported");
		return CUDA_ERROR_NOT_SUPPORTED;
	default:
		log_err("softcuda: cuLaunchKernelEx: attribute %d is not supported",
			(int)attribute->id);
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction cu_function, void **parameters,
			  void **extra)
{
	if (!config || (config->numAttrs && !config->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	struct request request = {
		.cu_function = cu_function,
		.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
		.block = {config->blockDimX, config->blockDimY, config->blockDimZ},
		.dynamic_shared_B = config->sharedMemBytes,
		.cu_stream = config->hStream,
		.parameters = parameters,
		.extra = extra,
	};
	for (unsigned i = 0; i < config->numAttrs; i++) {
		CUresult result = read_attribute(&config->attrs[i], &request);
		if (result != CUDA_SUCCESS)
			return result;
	}
	return launch(__func__, &request);
}

/* --- launches that are kept: the nodes of graphs ---------- */

struct soft_kept_launch {
	unsigned refs;
	struct soft_entry *entry;
	struct request request;              /* without a stream and parameters */
	char packed[];
};

static CUresult keep_locked(struct soft_entry *entry, const struct request *request,
			    struct soft_kept_launch **kept_out)
{
	struct soft_kept_launch *kept = calloc(1, sizeof(*kept) +
							  entry->function->parameter_size_B);
	if (!kept)
		return CUDA_ERROR_OUT_OF_MEMORY;
	CUresult result = pack_parameters(entry->function, request, kept->packed);
	if (result != CUDA_SUCCESS) {
		free(kept);
		return result;
	}
	kept->refs = 1;
	kept->entry = entry;
	entry->module->refs++;
	kept->request = *request;
	kept->request.parameters = kept->request.extra = NULL;
	*kept_out = kept;
	return CUDA_SUCCESS;
}

/* A node runs in the green context of its function: cuda.h says that ctx "is ignored if func is set", and an H200
 * (driver 580) then uses the current context. */
static uint64_t multiprocessors_of(const CUDA_KERNEL_NODE_PARAMS_v2 *parameters)
{
	const struct soft_green *green =
		!parameters->func && parameters->ctx ? soft_green_find_converted_locked(parameters->ctx)
						     : soft_green_current_locked();
	return green ? green->multiprocessors : 0;
}

CUresult soft_kept_launch_create_locked(struct soft_context *context,
					const CUDA_KERNEL_NODE_PARAMS_v2 *parameters,
					struct soft_kept_launch **kept_out)
{
	const struct request request = {
		.cu_function = parameters->func ? parameters->func
						: (CUfunction)parameters->kern,
		.grid = {parameters->gridDimX, parameters->gridDimY, parameters->gridDimZ},
		.block = {parameters->blockDimX, parameters->blockDimY, parameters->blockDimZ},
		.dynamic_shared_B = parameters->sharedMemBytes,
		.multiprocessors = multiprocessors_of(parameters),
		.parameters = parameters->kernelParams,
		.extra = parameters->extra,
	};
	struct soft_entry *entry;
	CUresult result = soft_entry_find_locked(context, request.cu_function, &entry);
	if (result == CUDA_SUCCESS)
		result = check_shape(entry, &request, request.multiprocessors);
	return result == CUDA_SUCCESS ? keep_locked(entry, &request, kept_out) : result;
}

void soft_kept_launch_ref_locked(struct soft_kept_launch *kept)
{
	kept->refs++;
}

void soft_kept_launch_unref_locked(struct soft_kept_launch *kept)
{
	if (--kept->refs)
		return;
	soft_module_unref_locked(kept->entry->module);
	free(kept);
}

struct soft_context *soft_kept_launch_context(const struct soft_kept_launch *kept)
{
	return kept->entry->module->context;
}

bool soft_kept_launch_replaces(const struct soft_kept_launch *kept, const struct soft_kept_launch *old)
{
	return kept->entry->module->context == old->entry->module->context &&
	       kept->request.multiprocessors == old->request.multiprocessors;
}

CUresult soft_kept_launch_cooperate_locked(struct soft_kept_launch **kept, bool cooperative)
{
	struct soft_kept_launch *old = *kept;
	struct request request = old->request;
	request.cooperative = cooperative;
	const CUresult result = check_shape(old->entry, &request, request.multiprocessors);
	if (result != CUDA_SUCCESS)
		return result;
	const size_t size_B = sizeof(*old) + old->entry->function->parameter_size_B;
	struct soft_kept_launch *changed = malloc(size_B);
	if (!changed)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(changed, old, size_B);
	changed->refs = 1;
	changed->request = request;
	changed->entry->module->refs++;
	soft_kept_launch_unref_locked(old);
	*kept = changed;
	return CUDA_SUCCESS;
}

bool soft_kept_launch_is_cooperative(const struct soft_kept_launch *kept)
{
	return kept->request.cooperative;
}

CUresult soft_kept_launch_submit_locked(struct soft_kept_launch *kept, struct soft_stream *stream)
{
	if (!kept->entry->module->handle)
		return CUDA_ERROR_INVALID_HANDLE;
	return submit_locked(kept->entry, stream, &kept->request, kept->packed);
}
