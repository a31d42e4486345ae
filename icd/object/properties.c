#include "config.h"

#include "icd/object/properties.h"

#include <stdlib.h>
#include <string.h>

cl_int ocl_properties_copy_words(const cl_properties *list, size_t count, cl_properties **copy_out)
{
	cl_properties *copy = malloc(count * sizeof(*copy));
	if (!copy)
		return CL_OUT_OF_HOST_MEMORY;
	memcpy(copy, list, count * sizeof(*copy));
	*copy_out = copy;
	return CL_SUCCESS;
}

cl_int ocl_properties_copy(const cl_properties *list, cl_properties **copy_out,
			   size_t *count_out)
{
	size_t count = 0;
	*copy_out = NULL;
	*count_out = 0;
	if (!list)
		return CL_SUCCESS;
	while (list[count])
		count += 2;
	count++;
	cl_int error = ocl_properties_copy_words(list, count, copy_out);
	*count_out = error ? 0 : count;
	return error;
}
