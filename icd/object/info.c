#include "config.h"

#include "icd/object/info.h"

#include <string.h>

cl_int info_put(const struct info_out *out, const void *data, size_t size_B)
{
	if (out->value) {
		if (out->size_B < size_B)
			return CL_INVALID_VALUE;
		if (size_B)
			memcpy(out->value, data, size_B);
	}
	if (out->size_ret)
		*out->size_ret = size_B;
	return CL_SUCCESS;
}

cl_int info_put_string(const struct info_out *out, const char *string)
{
	return info_put(out, string, strlen(string) + 1);
}
