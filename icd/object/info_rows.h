/* What the rows of a *_info.def become: cases of a switch over the parameter's name, in a
 * function that has out, a const struct info_out pointer, in scope, and whatever else the
 * .def file says its expressions use. */
#ifndef CULVERT_ICD_INFO_ROWS_H
#define CULVERT_ICD_INFO_ROWS_H

#include "icd/object/info.h"

/* A value of a type. */
#define INFO(param, type, ...)                                                                    \
	case param:                                                                               \
		return INFO_PUT(out, type, __VA_ARGS__);
#define INFO_STRING(param, ...)                                                                   \
	case param:                                                                               \
		return info_put_string(out, __VA_ARGS__);
/* count may be 0 with pointer NULL. */
#define INFO_ARRAY(param, type, count, pointer)                                                   \
	case param:                                                                               \
		return info_put(out, pointer, sizeof(type) * (count));
/* A call that writes out itself and returns the error. */
#define INFO_CALL(param, ...)                                                                     \
	case param:                                                                               \
		return __VA_ARGS__;

#endif
