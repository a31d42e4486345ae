/* Property lists, which clCreate*WithProperties take: pairs of name and value, ended by 0.  Objects keep a copy for
 * queries.  Thread-safe. */
#ifndef CULVERT_ICD_PROPERTIES_H
#define CULVERT_ICD_PROPERTIES_H

#include <CL/cl.h>
#include <stddef.h>

/* Copies list; if that is NULL the copy is NULL and its count 0.  The count is of words, with the final 0.  The caller
 * frees the copy.  CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_properties_copy(const cl_properties *list, cl_properties **copy_out,
			   size_t *count_out);
/* Copies a list of count words, for lists whose values are lists themselves. */
cl_int ocl_properties_copy_words(const cl_properties *list, size_t count,
				 cl_properties **copy_out);

#endif
