/* What the compilers said of a source. */
#ifndef CULVERT_TOOLS_BUILD_LOG_H
#define CULVERT_TOOLS_BUILD_LOG_H

#include "tools/json.h"

#include <stddef.h>

/* On stderr: on a terminal in the colours that compilers have. */
void build_log_print(const char *log, size_t size_B);

/* A list of objects: severity, text, and file, line and column, or null where there are none. */
void build_log_json(struct json *json, const char *key, const char *log, size_t size_B);

#endif
