#include "config.h"

#include "icd/graph/mutable_command.h"

#include "icd/launch/launch_complaint.h"
#include "icd/memory/svm.h"
#include "icd/object/properties.h"
#include "icd/order/queue.h"
#include "icd/program/complaint.h"

#include <stdlib.h>
#include <string.h>

/* --- birth and death -------------------------------------------------------------------- */

static void mutable_destroy(struct object *object)
{
	struct _cl_mutable_command_khr *handle = (struct _cl_mutable_command_khr *)object;
	ocl_arguments_unref(handle->now.arguments);
	object_unref(handle->values);
	object_unref(handle->kernel);
	free(handle->properties);
	free(handle);
}

/* A mutable command belongs to its command buffer, which has the only reference. */
const struct object_type ocl_mutable_command_type = {
	"mutable command", OCL_INVALID_MUTABLE_COMMAND, mutable_destroy,
};

static void range_take(struct ocl_mutable_range *range, const struct ocl_ndrange *from)
{
	range->work_dim = from->work_dim;
	range->has_local = from->local;
	for (cl_uint i = 0; i < from->work_dim && i < 3; i++) {
		range->offset[i] = from->offset ? from->offset[i] : 0;
		range->global[i] = from->global ? from->global[i] : 0;
		range->local[i] = from->local ? from->local[i] : 0;
	}
}

static cl_int clone_make(cl_kernel kernel, cl_kernel *clone_out)
{
	*clone_out = NULL;
	cl_int error = ocl_kernel_clone(kernel, clone_out);
	if (error)
		return error;
	/* The clone is internal; without the application's reference it does not keep the program from being built
	 * again. */
	object_ref(*clone_out);
	return ocl_kernel_release(*clone_out);
}

cl_int ocl_mutable_create(cl_command_buffer_khr buffer, cl_command_queue queue, cl_kernel kernel,
			  const struct ocl_ndrange *range,
			  const cl_command_properties_khr *properties, cl_bitfield fields, bool set,
			  struct _cl_mutable_command_khr **handle_out)
{
	struct _cl_mutable_command_khr *handle = calloc(1, sizeof(*handle));
	if (!handle)
		return CL_OUT_OF_HOST_MEMORY;
	if (ocl_properties_copy(properties, &handle->properties, &handle->property_count)) {
		free(handle);
		return CL_OUT_OF_HOST_MEMORY;
	}
	object_init(&handle->base, &ocl_mutable_command_type);
	handle->buffer = buffer;
	handle->queue = queue;
	object_ref(kernel);
	handle->kernel = kernel;
	handle->fields = fields;
	handle->set = set;
	range_take(&handle->now.range, range);
	handle->now.arguments = ocl_arguments_ref(kernel->arguments);
	/* The application may change the kernel's execution info later, so the handle keeps a clone of the kernel. */
	cl_int error = kernel->indirect || kernel->addressed || kernel->indirect_kinds
			       ? clone_make(kernel, &handle->values) : CL_SUCCESS;
	if (error)
		object_unref(handle);
	else
		*handle_out = handle;
	return error;
}

static void change_drop(struct _cl_mutable_command_khr *handle)
{
	ocl_arguments_unref(handle->next.arguments);
	handle->next.arguments = NULL;
	object_unref(handle->next_values);
	handle->next_values = NULL;
	if (handle->fresh)
		ocl_recorded_free(handle->fresh);
	handle->fresh = NULL;
}

/* --- what was wrong with a change --------------------------------------------------------- */

/* What was wrong with an update, for a message.  The message is sent when the buffer is not busy any more, because
 * it calls the application, which may use the buffer. */
struct trouble {
	const struct _cl_mutable_command_khr *handle;   /* NULL: an error without a message */
	const struct ocl_mutable_argument *argument;    /* the argument that was wrong; NULL: the launch */
	struct ocl_mutable_range range;                 /* of the launch */
};

static void trouble_tell(const struct trouble *trouble, cl_int error)
{
	static const char call[] = "clUpdateMutableCommandsKHR";
	const struct ocl_mutable_range *range = &trouble->range;
	const struct ocl_ndrange ndrange = {range->work_dim, range->offset, range->global,
					    range->has_local ? range->local : NULL};
	if (!trouble->handle)
		return;
	cl_kernel kernel = trouble->handle->kernel;
	if (trouble->argument)
		ocl_complain_value(call, kernel, trouble->argument->index,
				   trouble->argument->size_B, error);
	else
		ocl_complain_launch(call, trouble->handle->queue, kernel, &ndrange, error);
}

/* --- one change ----------------------------------------------------------------------------- */

/* The errors of clUpdateMutableCommandsKHR for one config. */
static cl_int config_check(cl_command_buffer_khr buffer, const struct ocl_mutable_config *config)
{
	const struct _cl_mutable_command_khr *handle = config->command;
	if (object_check(handle, &ocl_mutable_command_type) || handle->buffer != buffer)
		return OCL_INVALID_MUTABLE_COMMAND;
	if (config->work_dim && config->work_dim != handle->now.range.work_dim)
		return CL_INVALID_OPERATION;
	const bool arguments = config->argument_count || config->svm_argument_count;
	if ((config->global_offset && !(handle->fields & OCL_MUTABLE_GLOBAL_OFFSET)) ||
	    (config->global_size && !(handle->fields & OCL_MUTABLE_GLOBAL_SIZE)) ||
	    (config->local_size && !(handle->fields & OCL_MUTABLE_LOCAL_SIZE)) ||
	    (arguments && !(handle->fields & OCL_MUTABLE_ARGUMENTS)) ||
	    (config->exec_info_count && !(handle->fields & OCL_MUTABLE_EXEC_INFO)))
		return CL_INVALID_OPERATION;
	if (!config->arguments != !config->argument_count ||
	    !config->svm_arguments != !config->svm_argument_count ||
	    !config->exec_infos != !config->exec_info_count)
		return CL_INVALID_VALUE;
	/* clSetKernelArgSVMPointer: CL_INVALID_OPERATION when no device of the context
	 * supports SVM. */
	return config->svm_argument_count && !ocl_svm_any(buffer->queues[0]->context)
		       ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/* Makes the clone whose arguments are changed, without the execution info that the application may have set since
 * the launch was recorded. */
static cl_int values_make(struct _cl_mutable_command_khr *handle)
{
	if (handle->values)
		return CL_SUCCESS;
	cl_int error = clone_make(handle->kernel, &handle->values);
	if (error)
		return error;
	handle->values->indirect_kinds = 0;
	(void)ocl_kernel_set_addressed(handle->values, 0, NULL);
	return ocl_kernel_set_indirect(handle->values, 0, NULL);
}

/* The kernel with whose arguments and execution info the changed launch is made. */
static cl_kernel next_values(const struct _cl_mutable_command_khr *handle)
{
	return handle->next_values ? handle->next_values : handle->values;
}

static cl_int exec_info_change(struct _cl_mutable_command_khr *handle,
			       const struct ocl_mutable_config *config)
{
	cl_kernel values;
	if (!config->exec_info_count)
		return CL_SUCCESS;
	cl_int error = clone_make(next_values(handle), &values);
	for (cl_uint i = 0; i < config->exec_info_count && !error; i++)
		error = ocl_kernel_set_exec_info(values, config->exec_infos[i].name,
						 config->exec_infos[i].size_B,
						 config->exec_infos[i].value);
	if (error) {
		object_unref(values);
		return error;
	}
	object_unref(handle->next_values);
	handle->next_values = values;
	return CL_SUCCESS;
}

static cl_int arguments_change(struct _cl_mutable_command_khr *handle,
			       const struct ocl_mutable_config *config, struct trouble *trouble)
{
	cl_kernel values = next_values(handle);
	cl_int error = CL_SUCCESS;
	ocl_arguments_unref(values->arguments);
	values->arguments = ocl_arguments_ref(handle->next.arguments);
	for (cl_uint i = 0; i < config->argument_count && !error; i++) {
		error = ocl_kernel_set_argument(values, config->arguments[i].index,
						config->arguments[i].size_B,
						config->arguments[i].value);
		if (error)
			*trouble = (struct trouble){.handle = handle,
						    .argument = &config->arguments[i]};
	}
	/* A pointer's size is ignored. */
	for (cl_uint i = 0; i < config->svm_argument_count && !error; i++)
		error = ocl_kernel_set_pointer(values, config->svm_arguments[i].index,
					       config->svm_arguments[i].value);
	ocl_arguments_unref(handle->next.arguments);
	handle->next.arguments = ocl_arguments_ref(values->arguments);
	return error;
}

static void range_change(struct ocl_mutable_range *range, const struct ocl_mutable_config *config)
{
	for (cl_uint i = 0; i < range->work_dim && i < 3; i++) {
		if (config->global_offset)
			range->offset[i] = config->global_offset[i];
		if (config->global_size)
			range->global[i] = config->global_size[i];
		if (config->local_size)
			range->local[i] = config->local_size[i];
	}
	range->has_local |= config->local_size != NULL;
}

static bool is_uniform(const struct ocl_mutable_range *range)
{
	for (cl_uint i = 0; i < range->work_dim && i < 3; i++)
		if (range->local[i] && range->global[i] % range->local[i])
			return false;
	return true;
}

/* Makes the new command.  If arguments are missing it is a marker, and its buffer cannot be enqueued. */
static cl_int fresh_make(struct _cl_mutable_command_khr *handle)
{
	const struct ocl_mutable_range *range = &handle->next.range;
	const struct ocl_ndrange ndrange = {range->work_dim, range->offset, range->global,
					    range->has_local ? range->local : NULL};
	struct ocl_access own[OCL_LAUNCH_ACCESSES];
	struct ocl_command command;
	cl_int error = ocl_launch_init(&command, own, handle->queue, next_values(handle),
				       CL_COMMAND_NDRANGE_KERNEL, &ndrange);
	handle->fresh_set = error != CL_INVALID_KERNEL_ARGS;
	if (!handle->fresh_set) {
		command.kind = &ocl_command_marker;
		error = CL_SUCCESS;
	}
	if (!error) {
		if (handle->fresh)
			ocl_recorded_free(handle->fresh);
		ocl_launch_record(&command);
		handle->fresh = ocl_recorded_copy(&command);
		error = handle->fresh ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	}
	ocl_launch_finish(&command, own);
	return error;
}

static cl_int change_make(const struct ocl_mutable_config *config, struct trouble *trouble)
{
	struct _cl_mutable_command_khr *handle = config->command;
	if (!handle->next.arguments) {
		handle->next = handle->now;
		(void)ocl_arguments_ref(handle->next.arguments);
	}
	cl_int error = values_make(handle);
	if (!error)
		error = exec_info_change(handle, config);
	if (!error)
		error = arguments_change(handle, config, trouble);
	if (error)
		return error;
	range_change(&handle->next.range, config);
	/* CL_INVALID_OPERATION: "a change to work-group uniformity". */
	if (is_uniform(&handle->next.range) != is_uniform(&handle->now.range))
		return CL_INVALID_OPERATION;
	error = fresh_make(handle);
	if (error)
		*trouble = (struct trouble){.handle = handle, .range = handle->next.range};
	return error;
}

/* --- copies for other queues ------------------------------------------------------------------ */

static cl_int handle_copy(const struct _cl_mutable_command_khr *from, cl_command_buffer_khr buffer,
			  cl_command_queue queue, struct _cl_mutable_command_khr **handle_out)
{
	struct _cl_mutable_command_khr *handle = calloc(1, sizeof(*handle));
	if (!handle)
		return CL_OUT_OF_HOST_MEMORY;
	if (ocl_properties_copy(from->properties, &handle->properties, &handle->property_count)) {
		free(handle);
		return CL_OUT_OF_HOST_MEMORY;
	}
	object_init(&handle->base, &ocl_mutable_command_type);
	handle->buffer = buffer;
	handle->queue = queue;
	object_ref(from->kernel);
	handle->kernel = from->kernel;
	handle->position = from->position;
	handle->fields = from->fields;
	handle->now = from->now;
	(void)ocl_arguments_ref(handle->now.arguments);
	cl_int error = from->values ? clone_make(from->values, &handle->values) : CL_SUCCESS;
	if (error)
		object_unref(handle);
	else
		*handle_out = handle;
	return error;
}

cl_int ocl_mutable_remap(const struct _cl_mutable_command_khr *from, cl_command_buffer_khr buffer,
			 cl_command_queue queue, struct _cl_mutable_command_khr **handle_out,
			 struct ocl_command **command_out)
{
	struct _cl_mutable_command_khr *handle;
	struct trouble trouble = {.handle = NULL};
	cl_int error = handle_copy(from, buffer, queue, &handle);
	if (error)
		return error;
	error = change_make(&(const struct ocl_mutable_config){.command = handle}, &trouble);
	if (!error) {
		*command_out = handle->fresh;
		handle->fresh = NULL;
		handle->set = handle->fresh_set;
	}
	change_drop(handle);
	if (error)
		object_unref(handle);
	else
		*handle_out = handle;
	return error;
}

/* --- all of a call --------------------------------------------------------------------------- */

/* Exchanges the handle's state and command with the new ones; a second call undoes the first. */
static void change_swap(cl_command_buffer_khr buffer, struct _cl_mutable_command_khr *handle)
{
	struct ocl_recorded *recorded = &buffer->commands[handle->position];
	struct ocl_command *command = recorded->command;
	const struct ocl_mutable_state state = handle->now;
	const bool set = handle->set;
	if (handle->next_values) {
		cl_kernel values = handle->values;
		handle->values = handle->next_values;
		handle->next_values = values;
	}
	recorded->command = handle->fresh;
	handle->fresh = command;
	handle->now = handle->next;
	handle->next = state;
	handle->set = handle->fresh_set;
	handle->fresh_set = set;
}

/* Finds the positions of the changed commands, each once, and their present commands. */
static uint32_t positions_gather(cl_uint count, const struct ocl_mutable_config *const *configs,
				 const cl_command_buffer_khr buffer, uint32_t *positions,
				 struct ocl_command **before)
{
	uint32_t found = 0;
	for (cl_uint i = 0; i < count; i++) {
		const uint32_t position = configs[i]->command->position;
		uint32_t k = 0;
		while (k < found && positions[k] != position)
			k++;
		if (k < found)
			continue;
		positions[found] = position;
		before[found++] = buffer->commands[position].command;
	}
	return found;
}

static cl_int changes_apply(cl_command_buffer_khr buffer, cl_uint count,
			    const struct ocl_mutable_config *const *configs)
{
	uint32_t *positions = malloc(count * sizeof(*positions));
	struct ocl_command **before = malloc(count * sizeof(struct ocl_command *));
	cl_int error = CL_OUT_OF_HOST_MEMORY;
	if (!positions || !before)
		goto done;
	const uint32_t found = positions_gather(count, configs, buffer, positions, before);
	for (uint32_t i = 0; i < found; i++)
		change_swap(buffer, buffer->commands[positions[i]].handle);
	error = ocl_command_buffer_rebuild_graph(buffer, positions, before, found);
	/* After an error the old commands are restored.  The graph may have been changed in part, so a new one is
	 * made; if that fails too, the buffer has no graph until the next update. */
	for (uint32_t i = 0; i < found && error; i++)
		change_swap(buffer, buffer->commands[positions[i]].handle);
	if (error)
		(void)ocl_command_buffer_rebuild_graph(buffer, NULL, NULL, 0);
done:
	free(positions);
	free(before);
	return error;
}

/* All configs have been checked. */
static cl_int changes_make(cl_command_buffer_khr buffer, cl_uint count,
			   const struct ocl_mutable_config *const *configs,
			   struct trouble *trouble)
{
	cl_int error = CL_SUCCESS;
	for (cl_uint i = 0; i < count && !error; i++)
		error = change_make(configs[i], trouble);
	if (!error)
		error = changes_apply(buffer, count, configs);
	for (cl_uint i = 0; i < count; i++)
		change_drop(configs[i]->command);
	return error;
}

cl_int ocl_mutable_update(cl_command_buffer_khr buffer, cl_uint count,
			  const struct ocl_mutable_config *const *configs)
{
	struct trouble trouble = {.handle = NULL};
	cl_int error = ocl_command_buffer_change_begin(buffer);
	if (error)
		return error;
	for (cl_uint i = 0; i < count && !error; i++)
		error = config_check(buffer, configs[i]);
	if (!error && count)
		error = changes_make(buffer, count, configs, &trouble);
	ocl_command_buffer_change_end(buffer);
	if (error)
		trouble_tell(&trouble, error);
	return error;
}
