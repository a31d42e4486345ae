#include "config.h"

#include "softcuda/check/cells.h"

#include "softcuda/exec/level.h"

extern const struct cells_functions cells_table;
#ifdef CULVERT_X86_LEVELS
extern const struct cells_functions cells_table_v2, cells_table_v3, cells_table_v4;
#endif

/* As the levels of exec/level.c. */
static const struct cells_functions *const tables[EXEC_LEVELS_MAX] = {
	&cells_table,
#ifdef CULVERT_X86_LEVELS
	&cells_table_v2, &cells_table_v3, &cells_table_v4
#endif
};

const struct cells_functions *cells_functions(void)
{
	return tables[exec_level_number()];
}
