/* The text is ptxas's, which the library says as well:
 *
 *	ptxas info    : Compiling entry function 'twice' for 'sm_90'
 *	ptxas info    : Function properties for twice
 *	    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
 *	ptxas info    : Used 10 registers, used 1 barriers, 2048 bytes smem, 360 bytes cmem[0] */
#include "config.h"

#include "tools/compile_info.h"

#include <stdlib.h>
#include <string.h>

/* The number before what; 0 when that is not in the line. */
static uint64_t before(const char *line, const char *what)
{
	const char *at = strstr(line, what);
	if (!at || at == line)
		return 0;
	while (at > line && at[-1] == ' ')
		at--;
	while (at > line && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return strtoull(at, NULL, 10);
}

/* Whether the line names this entry, between quotes. */
static bool names(const char *line, const char *entry)
{
	const char *at = strstr(line, "Compiling entry function '");
	if (!at)
		return false;
	at += strlen("Compiling entry function '");
	size_t length = strlen(entry);
	return !strncmp(at, entry, length) && at[length] == '\'';
}

static void read_line(const char *line, bool *of_entry, struct compile_info *info)
{
	if (strstr(line, "bytes stack frame")) {
		/* The functions that a kernel calls have such lines as well. */
		if (*of_entry) {
			info->stack_B = before(line, "bytes stack frame");
			info->spill_store_B = before(line, "bytes spill stores");
			info->spill_load_B = before(line, "bytes spill loads");
		}
		*of_entry = false;
	} else if (strstr(line, ": Used ")) {
		info->registers = before(line, "registers");
		info->local_B = before(line, "bytes smem");
		info->barriers = before(line, "barriers");
	}
}

bool compile_info_find(const struct bytes *statistics, const char *entry,
		       struct compile_info *info_out)
{
	struct compile_info info = {0};
	char *copy = strdup(bytes_string(statistics)), *rest = NULL;
	bool inside = false, found = false, of_entry = false;
	for (char *line = copy ? strtok_r(copy, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (strstr(line, "Compiling entry function")) {
			inside = names(line, entry);
			found = found || inside;
		} else if (inside) {
			const char *of = strstr(line, "Function properties for ");
			if (of)
				of_entry = !strcmp(of + strlen("Function properties for "), entry);
			read_line(line, &of_entry, &info);
		}
	}
	free(copy);
	*info_out = info;
	return found;
}
