/* How repeated launches are made, as CULVERT_LAUNCH says. */
#include "config.h"

#include "backend/gpu_repeat.h"

#include "base/log.h"
#include "base/options.h"

#include <string.h>

static const char *const names[] = {[GPU_WAY_UNKNOWN] = "auto", [GPU_WAY_KERNEL] = "kernel",
				    [GPU_WAY_GRAPH] = "graph"};

enum gpu_way gpu_way_first(const struct gpu_caps *caps)
{
	const char *name = option_string(OPTION_LAUNCH);
	/* The speed of the software driver says nothing about a GPU, so it is not measured. */
	const int unasked = caps->software ? GPU_WAY_KERNEL : GPU_WAY_UNKNOWN;
	for (int way = GPU_WAY_UNKNOWN; way <= GPU_WAY_GRAPH; way++)
		if (!strcmp(names[way], name))
			return (enum gpu_way)(way == GPU_WAY_UNKNOWN ? unasked : way);
	log_warn("%s=%s: not one of auto, kernel, graph; using auto", option_name(OPTION_LAUNCH), name);
	return (enum gpu_way)unasked;
}

const char *gpu_way_name(enum gpu_way way)
{
	return names[way];
}
