/* The environment options, read once per process from config.def.
 *
 * Thread-safe: the first caller reads the environment, later callers see the
 * same values, so that a host that changes its environment later cannot make
 * two parts of the driver disagree. */
#ifndef CULVERT_BASE_OPTIONS_H
#define CULVERT_BASE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum option {
#define OPTION(name, type, default_value, help) OPTION_##name,
#include "base/config.def"
#undef OPTION
	OPTION_COUNT
};

/* Never NULL; valid as long as the process lives.  In a set-uid program every
 * option has its default: the environment is not the owner's. */
const char *option_string(enum option option);
bool option_flag(enum option option);
uint64_t option_number(enum option option);

/* "1G", "64M", "100000"; false when it is no size. */
bool option_parse_size(const char *text, uint64_t *size_B_out);

/* The variable's name ("CULVERT_DEBUG"), its default and its line of help. */
const char *option_name(enum option option);
const char *option_default(enum option option);
const char *option_help(enum option option);

#endif
