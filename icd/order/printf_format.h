/* Records of a printf buffer as text, by OpenCL C 3.0, 6.15.14.
 *
 * The host's locale does not matter: a decimal point is a point.  A conversion whose
 * argument is missing or of another kind is printed as it is written in the format.
 * Integers without a length modifier are printed whole, whatever their size.
 * Pure functions; any thread. */
#ifndef CULVERT_ICD_PRINTF_FORMAT_H
#define CULVERT_ICD_PRINTF_FORMAT_H

#include "base/bytes.h"
#include "frontend/kernel_abi.h"

/* Appends the text of the record at data, which comes from a kernel and is not
 * trusted.  Returns the record's size; 0: there is no whole record in size_B bytes. */
size_t ocl_printf_format(struct bytes *text, const struct abi_program *abi,
			 const unsigned char *data, size_t size_B);

#endif
