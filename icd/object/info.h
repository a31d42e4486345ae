/* The one clerk for all clGet*Info calls.
 *
 * A query is a switch over rows of a .def file, INFO(param, type, expression), which
 * icd/object/info_rows.h makes into cases:
 *
 *	const struct info_out *out = &(const struct info_out){size, value, size_ret};
 *	switch (name) {
 *	#include "icd/order/event_info.def"
 *	default: return CL_INVALID_VALUE;
 *	}
 */
#ifndef CULVERT_ICD_INFO_H
#define CULVERT_ICD_INFO_H

#include <CL/cl.h>
#include <stddef.h>

struct info_out {
	size_t size_B;       /* of value */
	void *value;         /* NULL: only the size is asked for */
	size_t *size_ret;    /* may be NULL */
};

/* CL_INVALID_VALUE when value is given and too small (OpenCL 3.0 API, 4.1 and
 * the like of every query: "size ... must be >= the size of the return type"). */
cl_int info_put(const struct info_out *out, const void *data, size_t size_B);
cl_int info_put_string(const struct info_out *out, const char *string);

#define INFO_PUT(out, type, ...) info_put((out), &(const type){__VA_ARGS__}, sizeof(type))

#endif
