#include "config.h"

#include "softcuda/check/job.h"

#include "softcuda/exec/level.h"

extern const struct check_whole_functions check_whole_table;
#ifdef CULVERT_X86_LEVELS
extern const struct check_whole_functions check_whole_table_v2, check_whole_table_v3, check_whole_table_v4;
#endif

/* As the levels of exec/level.c. */
static const struct check_whole_functions *const tables[EXEC_LEVELS_MAX] = {
	&check_whole_table,
#ifdef CULVERT_X86_LEVELS
	&check_whole_table_v2, &check_whole_table_v3, &check_whole_table_v4
#endif
};

const struct check_whole_functions *check_whole_functions(void)
{
	return tables[exec_level_number()];
}
