#include "config.h"

#include "icd/launch/launch_complaint.h"

#include "icd/order/queue.h"
#include "icd/program/complaint.h"

#include <stdio.h>

static void complain_unset(const char *call, cl_kernel kernel)
{
	const struct ocl_arguments *arguments = kernel->arguments;
	char what[160];
	for (uint32_t i = 0; i < arguments->count; i++) {
		const struct ocl_argument *item = &arguments->items[i];
		const bool gone = item->mem && !ocl_mem_is(item->mem, item->life);
		if (item->set && !gone)
			continue;
		ocl_complaint_describe(ocl_kernel_abi(kernel), i, what);
		ocl_context_report(kernel->program->context,
				   "%s: kernel %s, %s %s (CL_INVALID_KERNEL_ARGS)", call,
				   kernel->name, what,
				   gone ? "is a memory object that was released" : "was never set");
		return;
	}
}

/* Writes sizes in as many dimensions as the range has, such as "64 x 2". */
static void sizes_text(const struct ocl_ndrange *range, const size_t *sizes, char text[80])
{
	size_t at = 0;
	text[0] = 0;
	for (unsigned i = 0; i < range->work_dim && at < 80; i++)
		at += (size_t)snprintf(text + at, 80 - at, "%s%zu", i ? " x " : "", sizes[i]);
}

/* Explains a local size that is too large, is not the required one, or does not divide the global size. */
static void complain_local(const char *call, cl_command_queue queue, cl_kernel kernel,
			   const struct ocl_ndrange *range)
{
	const struct ocl_kernel_code *code;
	char local[80], global[80];
	if (!range->local || ocl_kernel_code_for(kernel, queue->device, &code))
		return;
	const uint32_t *required = code->abi->required_local;
	uint64_t items = 1;
	bool other = false;
	for (unsigned i = 0; i < 3; i++) {
		const size_t size = i < range->work_dim ? range->local[i] : 1;
		other = other || (required[0] && size != required[i]);
		items = size > UINT32_MAX ? UINT64_MAX : items * size;
	}
	sizes_text(range, range->local, local);
	sizes_text(range, range->global, global);
	if (other)
		ocl_context_report(queue->context,
				   "%s: kernel %s: its reqd_work_group_size is %u "
				   "x %u x %u, not %s (CL_INVALID_WORK_GROUP_SIZE)",
				   call, kernel->name, required[0], required[1], required[2],
				   local);
	else if (!items || items > code->caps.max_threads)
		ocl_context_report(queue->context,
				   "%s: kernel %s: a work-group of %s has %llu "
				   "work-items, and %s supports 1 to %u for this kernel "
				   "(CL_INVALID_WORK_GROUP_SIZE)",
				   call, kernel->name, local, (unsigned long long)items,
				   queue->device->caps->name, code->caps.max_threads);
	else
		ocl_context_report(queue->context,
				   "%s: kernel %s: work-groups of %s do not divide "
				   "%s work-items, and it requires uniform work-groups "
				   "(CL_INVALID_WORK_GROUP_SIZE)",
				   call, kernel->name, local, global);
}

static void complain_item(const char *call, cl_command_queue queue, cl_kernel kernel,
			  const struct ocl_ndrange *range)
{
	const struct gpu_caps *caps = queue->device->caps;
	for (unsigned i = 0; i < range->work_dim; i++)
		if (range->local[i] > caps->max_block[i])
			ocl_context_report(
				queue->context,
				"%s: kernel %s: a work-group of %zu in "
				"dimension %u, and %s supports at most %u (CL_INVALID_WORK_ITEM_SIZE)",
				call, kernel->name, range->local[i], i, caps->name,
				caps->max_block[i]);
}

void ocl_complain_launch(const char *call, cl_command_queue queue, cl_kernel kernel,
			 const struct ocl_ndrange *range, cl_int error)
{
	if (error == CL_INVALID_KERNEL_ARGS)
		complain_unset(call, kernel);
	else if (error == CL_INVALID_WORK_GROUP_SIZE)
		complain_local(call, queue, kernel, range);
	else if (error == CL_INVALID_WORK_ITEM_SIZE)
		complain_item(call, queue, kernel, range);
	else if (error == CL_INVALID_WORK_DIMENSION)
		ocl_context_report(queue->context,
				   "%s: kernel %s: work_dim is %u; it must be 1 "
				   "to 3 (CL_INVALID_WORK_DIMENSION)",
				   call, kernel->name, range->work_dim);
}
