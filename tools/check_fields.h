/* A report of the software device's checker, taken apart. */
#ifndef CULVERT_TOOLS_CHECK_FIELDS_H
#define CULVERT_TOOLS_CHECK_FIELDS_H

#include "tools/json.h"

/* An object of a list: kind, kernel, file, line, column, work_group, work_item, memory (which buffer or
 * variable, where in it, which argument), other (the access that a race is with), message, text.  What
 * the report does not tell is null. */
void check_fields_json(struct json *json, const char *report, size_t size_B);

#endif
