/* The lists of name and value, ended by 0, that clCreate*WithProperties take: objects keep a
 * copy, for they are asked for it. */
#ifndef CULVERT_ICD_PROPERTIES_H
#define CULVERT_ICD_PROPERTIES_H

#include <CL/cl.h>
#include <stddef.h>

/* A copy of list, which may be NULL: then so is the copy, and its count 0.  The count is of
 * words, the final 0 included; the copy is the caller's to free.  CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_properties_copy(const cl_properties *list, cl_properties **copy_out,
			   size_t *count_out);
/* The same of a list whose words were counted: one with lists among its values. */
cl_int ocl_properties_copy_words(const cl_properties *list, size_t count,
				 cl_properties **copy_out);

#endif
