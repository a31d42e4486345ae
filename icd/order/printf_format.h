/* Converts the records of a printf buffer to text (OpenCL C 3.0, 6.15.14).
 *
 * The process's locale is not used: the decimal point is always a point.  A conversion specification whose argument
 * is missing or has another type is printed as it stands in the format.  Integers without a length modifier are
 * printed in full, whatever their size.
 * Thread-safe: pure functions. */
#ifndef CULVERT_ICD_PRINTF_FORMAT_H
#define CULVERT_ICD_PRINTF_FORMAT_H

#include "base/bytes.h"
#include "frontend/kernel_abi.h"

/* Appends the text of the record at data, which a kernel wrote and which may be anything.  Returns the record's size
 * in bytes; 0: the size_B bytes do not contain a whole record. */
size_t ocl_printf_format(struct bytes *text, const struct abi_program *abi,
			 const unsigned char *data, size_t size_B);

#endif
