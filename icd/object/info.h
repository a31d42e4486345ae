/* The results of all clGet*Info functions.
 *
 * A query is a switch whose cases icd/object/info_rows.h makes from the rows of a .def file, such as
 * INFO(param, type, expression):
 *
 *	const struct info_out *out = &(const struct info_out){size, value, size_ret};
 *	switch (name) {
 *	#include "icd/order/event_info.def"
 *	default: return CL_INVALID_VALUE;
 *	}
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_INFO_H
#define CULVERT_ICD_INFO_H

#include <CL/cl.h>
#include <stddef.h>

struct info_out {
	size_t size_B;       /* of the memory at value */
	void *value;         /* NULL: the application asks for the size alone */
	size_t *size_ret;    /* NULL: it does not ask for the size */
};

/* Returns data as the result.  CL_INVALID_VALUE when value is not NULL and too small (OpenCL 3.0 API, 4.1, and likewise
 * for every query: "size ... must be >= the size of the return type"). */
cl_int info_put(const struct info_out *out, const void *data, size_t size_B);
cl_int info_put_string(const struct info_out *out, const char *string);

#define INFO_PUT(out, type, ...) info_put((out), &(const type){__VA_ARGS__}, sizeof(type))

#endif
