#include "config.h"

#include "icd/launch/launch_size.h"

#include "icd/launch/launch_memo.h"

#include <string.h>

static uint32_t lesser(uint64_t a, uint32_t b)
{
	return a < b ? (uint32_t)a : b;
}

static uint32_t divisor_at_most(uint64_t size, uint32_t most)
{
	uint32_t divisor = lesser(size, most);
	while (size % divisor)
		divisor--;
	return divisor;
}

/* The largest multiple of a warp that divides size; 0: there is none. */
static uint32_t warps_at_most(uint64_t size, uint32_t most)
{
	uint32_t divisor = most - most % 32;
	while (divisor && size % divisor)
		divisor -= 32;
	return divisor;
}

static void local_extend(const uint64_t global[3], uint32_t threads, const uint32_t max[3],
			 uint32_t local[3])
{
	local[1] = divisor_at_most(global[1], lesser(threads / local[0], max[1]));
	local[2] = divisor_at_most(global[2], lesser(threads / (local[0] * local[1]), max[2]));
}

/* The number of work-items times the share of lanes that are used: 64 for 64 work-items, 17 for 33. */
static uint32_t local_value(const uint32_t local[3])
{
	const uint32_t items = local[0] * local[1] * local[2];
	const uint32_t lanes = (items + 31) / 32 * 32;
	return items * items / lanes;
}

static bool is_flat(const uint64_t global[3])
{
	return global[1] == 1 && global[2] == 1;
}

void ocl_launch_choose_local(const uint64_t global[3], uint32_t threads, const uint32_t max[3],
			     uint32_t local_out[3])
{
	const uint32_t most = lesser(threads, max[0]);
	const bool flat = is_flat(global);
	uint32_t other[3];
	/* Two candidates: whole warps along x, which is the order of memory; or a narrow block that leaves room for
	 * y and z, when x does not divide well. */
	const uint32_t wide = warps_at_most(global[0], flat ? most : lesser(most, 64));
	local_out[0] = wide ? wide : divisor_at_most(global[0], most);
	local_extend(global, threads, max, local_out);
	if (flat || wide)
		return;
	other[0] = divisor_at_most(global[0], lesser(most, 32));
	local_extend(global, threads, max, other);
	if (local_value(other) > local_value(local_out))
		memcpy(local_out, other, sizeof(other));
}

/* Whether a size that divides the global size is nearly as good as one that need not: it has at least two warps, or
 * is the whole range, and few lanes are idle. */
static bool is_good(const uint64_t global[3], const uint32_t local[3])
{
	const uint32_t items = local[0] * local[1] * local[2];
	if (global[0] == local[0] && global[1] == local[1] && global[2] == local[2])
		return true;
	return items >= 64 && 4 * local_value(local) >= 3 * items;
}

/* Chooses a size that need not divide the global size: rows of one or two warps, or whole rows if they are short;
 * the rest of the work-group is in y and z. */
static void choose_any(const uint64_t global[3], uint32_t threads, const uint32_t max[3],
		       uint32_t local_out[3])
{
	enum { GROUP = 256, SHORT_ROW = 64, ROW = 32 };
	const uint32_t room = lesser(threads, GROUP);
	uint32_t row = is_flat(global) ? room : global[0] <= SHORT_ROW ? SHORT_ROW : ROW;
	local_out[0] = lesser(global[0], lesser(lesser(row, room), max[0]));
	local_out[1] = lesser(global[1], lesser(room / local_out[0], max[1]));
	local_out[2] = lesser(global[2], lesser(room / (local_out[0] * local_out[1]), max[2]));
}

cl_int ocl_launch_choose(cl_command_queue queue, struct ocl_launch *launch)
{
	const struct gpu_caps *caps = queue->device->caps;
	uint32_t threads = 0;
	if (ocl_launch_recall_local(queue, launch))
		return CL_SUCCESS;
	cl_int error = gpu_function_suggest(launch->code->function, launch->dynamic_local_B,
					    &threads);
	if (error)
		return error;
	threads = lesser(threads, launch->code->caps.max_threads);
	threads = threads ? threads : 1;
	ocl_launch_choose_local(launch->global, threads, caps->max_block, launch->local);
	if (!launch->uniform && !is_good(launch->global, launch->local))
		choose_any(launch->global, threads, caps->max_block, launch->local);
	return CL_SUCCESS;
}
