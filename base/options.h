/* The environment options, read once per process from config.def.
 *
 * Thread-safe: the first call reads the environment, and later calls return the same values, also when the
 * application changes its environment. */
#ifndef CULVERT_BASE_OPTIONS_H
#define CULVERT_BASE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum option {
#define OPTION(name, type, default_value, help) OPTION_##name,
#include "base/config.def"
	OPTION_COUNT
};

/* Never NULL; valid as long as the process lives.  In a set-uid program every option has its default, because
 * the environment comes from the caller and not from the owner. */
const char *option_string(enum option option);
bool option_flag(enum option option);
uint64_t option_number(enum option option);

/* Whether the value is one that config.def allows.  An option with another value has its default. */
bool option_valid(enum option option);

/* Reads a size such as "1G", "64M" or "100000"; false when text is not a size. */
bool option_parse_size(const char *text, uint64_t *size_B_out);

/* The name of the environment variable, such as "CULVERT_DEBUG", its default value and its line of help. */
const char *option_name(enum option option);
const char *option_default(enum option option);
const char *option_help(enum option option);

#endif
