#include "config.h"

#include "frontend/spirv_module.h"

/* Variables decorated as BuiltIn (OpenCL SPIR-V environment 3.0, 2.9): the work-item functions of
 * OpenCL C 3.0, 6.15.1, and the masks of 6.15.19.4. */

#define THREE(f) "(ulong3)(" f "(0), " f "(1), " f "(2))"

struct builtin {
	uint32_t number;
	const char *value;
};

static const struct builtin builtins[] = {
	{SpvBuiltInWorkDim, "get_work_dim()"},
	{SpvBuiltInGlobalSize, THREE("get_global_size")},
	{SpvBuiltInGlobalInvocationId, THREE("get_global_id")},
	{SpvBuiltInWorkgroupSize, THREE("get_local_size")},
	{SpvBuiltInEnqueuedWorkgroupSize, THREE("get_enqueued_local_size")},
	{SpvBuiltInLocalInvocationId, THREE("get_local_id")},
	{SpvBuiltInNumWorkgroups, THREE("get_num_groups")},
	{SpvBuiltInWorkgroupId, THREE("get_group_id")},
	{SpvBuiltInGlobalOffset, THREE("get_global_offset")},
	{SpvBuiltInGlobalLinearId, "get_global_linear_id()"},
	{SpvBuiltInLocalInvocationIndex, "get_local_linear_id()"},
	{SpvBuiltInSubgroupSize, "get_sub_group_size()"},
	{SpvBuiltInSubgroupMaxSize, "get_max_sub_group_size()"},
	{SpvBuiltInNumSubgroups, "get_num_sub_groups()"},
	{SpvBuiltInNumEnqueuedSubgroups, "get_enqueued_num_sub_groups()"},
	{SpvBuiltInSubgroupId, "get_sub_group_id()"},
	{SpvBuiltInSubgroupLocalInvocationId, "get_sub_group_local_id()"},
	{SpvBuiltInSubgroupEqMask, "get_sub_group_eq_mask()"},
	{SpvBuiltInSubgroupGeMask, "get_sub_group_ge_mask()"},
	{SpvBuiltInSubgroupGtMask, "get_sub_group_gt_mask()"},
	{SpvBuiltInSubgroupLeMask, "get_sub_group_le_mask()"},
	{SpvBuiltInSubgroupLtMask, "get_sub_group_lt_mask()"},
};

const char *spirv_builtin_value(uint32_t builtin)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (builtins[i].number == builtin)
			return builtins[i].value;
	return NULL;
}
