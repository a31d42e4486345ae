/* Makes the rows of a *_info.def into cases of a switch over the parameter's name.  The function around it has a
 * variable out, a const struct info_out pointer, and the variables that the head of the .def file names. */
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
/* An array; pointer may be NULL if count is 0. */
#define INFO_ARRAY(param, type, count, pointer)                                                   \
	case param:                                                                               \
		return info_put(out, pointer, sizeof(type) * (count));
/* A function call that fills out itself and returns the error. */
#define INFO_CALL(param, ...)                                                                     \
	case param:                                                                               \
		return __VA_ARGS__;

#endif
