/* Special registers, addresses of frames and windows. */
#include "config.h"

#include "softcuda/exec/table.h"
#include "softcuda/exec/warp.h"

#include <time.h>

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#define SPECIAL(name, put, expression) OP_HEAD(name) { OP_RESULT(put, expression) }
/* The same for all lanes: computed once. */
#define SPECIAL_COMMON(name, put, expression)                                 \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const OP_UINT_##put common = (OP_UINT_##put)(expression);     \
		OP_RESULT(put, common)                                        \
	}
#define LAUNCH (warp->group->job->launch)

/* Work-groups are dealt out in turn to the multiprocessors that the launch has. */
static unsigned multiprocessor_of(const struct group *group)
{
	const struct soft_launch *launch = group->job->launch;
	const uint64_t rank = group->ctaid[0] +
			      launch->grid[0] * (group->ctaid[1] +
						 (uint64_t)launch->grid[1] * group->ctaid[2]);
	uint64_t set = launch->multiprocessors;
	if (!set)
		return (unsigned)(rank % (launch->multiprocessor_count ? launch->multiprocessor_count
								       : 1));
	for (uint64_t skip = rank % (unsigned)__builtin_popcountll(set); skip; skip--)
		set &= set - 1;
	return (unsigned)__builtin_ctzll(set);
}

SPECIAL(tid_x, 32, warp->tid[0][l])
SPECIAL(tid_y, 32, warp->tid[1][l])
SPECIAL(tid_z, 32, warp->tid[2][l])
SPECIAL_COMMON(ntid_x, 32, LAUNCH->block[0])
SPECIAL_COMMON(ntid_y, 32, LAUNCH->block[1])
SPECIAL_COMMON(ntid_z, 32, LAUNCH->block[2])
SPECIAL_COMMON(ctaid_x, 32, warp->group->ctaid[0])
SPECIAL_COMMON(ctaid_y, 32, warp->group->ctaid[1])
SPECIAL_COMMON(ctaid_z, 32, warp->group->ctaid[2])
SPECIAL_COMMON(nctaid_x, 32, LAUNCH->grid[0])
SPECIAL_COMMON(nctaid_y, 32, LAUNCH->grid[1])
SPECIAL_COMMON(nctaid_z, 32, LAUNCH->grid[2])
SPECIAL(laneid, 32, l)
SPECIAL_COMMON(warpid, 32, warp->index)
SPECIAL_COMMON(nwarpid, 32, warp->group->warp_count)
SPECIAL_COMMON(smid, 32, multiprocessor_of(warp->group))
SPECIAL_COMMON(nsmid, 32, LAUNCH->multiprocessor_count)
SPECIAL_COMMON(gridid, 64, warp->group->job->id)
SPECIAL(lanemask_eq, 32, 1u << l)
SPECIAL(lanemask_lt, 32, (1u << l) - 1)
SPECIAL(lanemask_le, 32, (2u << l) - 1)
SPECIAL(lanemask_gt, 32, ~((2u << l) - 1))
SPECIAL(lanemask_ge, 32, ~((1u << l) - 1))
SPECIAL_COMMON(clock_32, 32, now_ns())
SPECIAL_COMMON(clock_hi, 32, now_ns() >> 32)
SPECIAL_COMMON(clock_64, 64, now_ns())
SPECIAL_COMMON(dynamic_shared, 32, LAUNCH->dynamic_shared_B)
SPECIAL_COMMON(total_shared, 32, warp->group->job->shared_B -
	       warp->group->job->code->shared_gap_B)
SPECIAL_COMMON(zero, 32, 0)
SPECIAL_COMMON(one, 32, 1)

OP_HEAD(no)
{
	op_put_predicate(OPERAND(void, 0), 0, mask);
	return FLOW_NEXT;
}

SPECIAL_COMMON(local_64, 64, warp->frame->local_B + (uint64_t)op->imm)
SPECIAL_COMMON(local_32, 32, warp->frame->local_B + (uint64_t)op->imm)

#define PARAMETERS ((uint64_t)(uintptr_t)LAUNCH->parameters)
#define INSIDE(window) ((a[l] & WINDOW_MASK) == (window))
OP_UNARY(cvta_shared, lane_u64, 64, a[l] | WINDOW_SHARED)
OP_UNARY(cvta_local, lane_u64, 64, a[l] | WINDOW_LOCAL)
OP_UNARY(cvta_to_window, lane_u64, 64, a[l] & ~WINDOW_MASK)
OP_UNARY(cvta_param, lane_u64, 64, a[l] + PARAMETERS)
OP_UNARY(cvta_to_param, lane_u64, 64, a[l] - PARAMETERS)

static bool is_parameter(const struct warp *warp, uint64_t address)
{
	return address - PARAMETERS < LAUNCH->function->parameter_size_B;
}

static bool is_constant(const struct warp *warp, uint64_t address)
{
	const struct soft_program *program = warp->group->job->program;
	for (uint32_t i = 0; i < program->variable_count; i++)
		if (program->variables[i].constant &&
		    address - LAUNCH->variable_addresses[i] < program->variables[i].size_B)
			return true;
	return false;
}

#define ISSPACEP(name, expression)                                            \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lane_u64 *a = OPERAND(const lane_u64, 1);               \
		uint32_t result = 0;                                          \
		for (unsigned l = 0; l < LANES; l++)                          \
			result |= (expression) ? 1u << l : 0;                 \
		op_put_predicate(OPERAND(void, 0), result, mask);             \
		return FLOW_NEXT;                                             \
	}

ISSPACEP(isspacep_shared, INSIDE(WINDOW_SHARED))
ISSPACEP(isspacep_local, INSIDE(WINDOW_LOCAL))
ISSPACEP(isspacep_param, is_parameter(warp, a[l]))
ISSPACEP(isspacep_const, is_constant(warp, a[l]))
ISSPACEP(isspacep_global, !INSIDE(WINDOW_SHARED) && !INSIDE(WINDOW_LOCAL) &&
	 !is_parameter(warp, a[l]) && !is_constant(warp, a[l]))

/* What a driver may pass to a kernel behind its back: nothing. */
#define ENVIRONMENT(n) {"%envreg" #n, "w", zero}

static const struct op_row rows[] = {
	{"%tid.x", "w", tid_x}, {"%tid.y", "w", tid_y}, {"%tid.z", "w", tid_z},
	{"%ntid.x", "w", ntid_x}, {"%ntid.y", "w", ntid_y}, {"%ntid.z", "w", ntid_z},
	{"%ctaid.x", "w", ctaid_x}, {"%ctaid.y", "w", ctaid_y}, {"%ctaid.z", "w", ctaid_z},
	{"%nctaid.x", "w", nctaid_x}, {"%nctaid.y", "w", nctaid_y},
	{"%nctaid.z", "w", nctaid_z}, {"%laneid", "w", laneid}, {"%warpid", "w", warpid},
	{"%nwarpid", "w", nwarpid}, {"%smid", "w", smid}, {"%nsmid", "w", nsmid},
	{"%gridid", "l", gridid}, {"%lanemask_eq", "w", lanemask_eq},
	{"%lanemask_lt", "w", lanemask_lt}, {"%lanemask_le", "w", lanemask_le},
	{"%lanemask_gt", "w", lanemask_gt}, {"%lanemask_ge", "w", lanemask_ge},
	{"%clock", "w", clock_32}, {"%clock_hi", "w", clock_hi}, {"%clock64", "l", clock_64},
	{"%globaltimer", "l", clock_64}, {"%globaltimer_lo", "w", clock_32},
	{"%globaltimer_hi", "w", clock_hi}, {"%dynamic_smem_size", "w", dynamic_shared},
	{"%total_smem_size", "w", total_shared}, {"%aggr_smem_size", "w", total_shared},
	{"%clusterid.x", "w", ctaid_x}, {"%clusterid.y", "w", ctaid_y},
	{"%clusterid.z", "w", ctaid_z}, {"%nclusterid.x", "w", nctaid_x},
	{"%nclusterid.y", "w", nctaid_y}, {"%nclusterid.z", "w", nctaid_z},
	{"%cluster_ctaid.x", "w", zero}, {"%cluster_ctaid.y", "w", zero},
	{"%cluster_ctaid.z", "w", zero}, {"%cluster_nctaid.x", "w", one},
	{"%cluster_nctaid.y", "w", one}, {"%cluster_nctaid.z", "w", one},
	{"%cluster_ctarank", "w", zero}, {"%cluster_nctarank", "w", one},
	ENVIRONMENT(0), ENVIRONMENT(1), ENVIRONMENT(2), ENVIRONMENT(3), ENVIRONMENT(4),
	ENVIRONMENT(5), ENVIRONMENT(6), ENVIRONMENT(7), ENVIRONMENT(8), ENVIRONMENT(9),
	ENVIRONMENT(10), ENVIRONMENT(11), ENVIRONMENT(12), ENVIRONMENT(13), ENVIRONMENT(14),
	ENVIRONMENT(15), ENVIRONMENT(16), ENVIRONMENT(17), ENVIRONMENT(18), ENVIRONMENT(19),
	ENVIRONMENT(20), ENVIRONMENT(21), ENVIRONMENT(22), ENVIRONMENT(23), ENVIRONMENT(24),
	ENVIRONMENT(25), ENVIRONMENT(26), ENVIRONMENT(27), ENVIRONMENT(28), ENVIRONMENT(29),
	ENVIRONMENT(30), ENVIRONMENT(31),
	{"%reserved_smem_offset_begin", "w", zero}, {"%reserved_smem_offset_end", "w", zero},
	{"%reserved_smem_offset_cap", "w", zero}, {"%is_explicit_cluster", "p", no},
	{"_local.64", "l", local_64}, {"_local.32", "w", local_32},
	{"_cvta.shared", "ll", cvta_shared}, {"_cvta.local", "ll", cvta_local},
	{"_cvta.to.shared", "ll", cvta_to_window}, {"_cvta.to.local", "ll", cvta_to_window},
	{"_cvta.param", "ll", cvta_param}, {"_cvta.to.param", "ll", cvta_to_param},
	{"_isspacep.shared", "pl", isspacep_shared}, {"_isspacep.local", "pl", isspacep_local},
	{"_isspacep.shared::cta", "pl", isspacep_shared},
	{"_isspacep.param", "pl", isspacep_param},
	{"_isspacep.param::entry", "pl", isspacep_param}, {"_isspacep.const", "pl", isspacep_const},
	{"_isspacep.global", "pl", isspacep_global}
};

EXEC_TABLE_HOT(exec_rows_special)
