/* The elements of a kernel's argument: their type, their text, and arrays of them in
 * files of NumPy (.npy). */
#ifndef CULVERT_TOOLS_ELEMENT_H
#define CULVERT_TOOLS_ELEMENT_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

struct element {
	char kind;               /* as NumPy has it: i, u, f; V: bytes without a meaning */
	unsigned scalar_B;       /* 1, 2, 4, 8 */
	unsigned lanes;          /* 1; of a vector 2, 3, 4, 8, 16 */
	unsigned size_B;         /* with the padding of three */
};

/* The type as clGetKernelArgInfo names it: "float4", "uint*", "struct point*".  A type
 * that is not of OpenCL's own is one byte of kind V. */
struct element element_of_type(const char *name);

/* A number as it was written: of a real type the value, of all others the 64 bits of the
 * integer, whose size is what negative has taken the sign of. */
struct element_number {
	double real;
	uint64_t bits;
	bool negative;
};
/* False when text is no number of that kind; what it holds is asked of element_holds. */
bool element_read(const struct element *element, const char *text, struct element_number *out);
bool element_holds(const struct element *element, const struct element_number *number);
/* Puts it into all of a scalar's bytes, as many of an integer's low bits as there are. */
void element_put(const struct element *element, const struct element_number *number,
		 struct bytes *out);
/* The three in turn: false when text is no number that the element holds. */
bool element_parse(const struct element *element, const char *text, struct bytes *out);

/* The value of one element, "(1, 2)" for a vector. */
void element_print(const struct element *element, const void *value, struct bytes *text);

/* Content of an .npy file -> elements, whose type must be the file's: false with why. */
bool element_read_npy(const struct element *element, const struct bytes *file,
		      struct bytes *out, struct bytes *why);
/* sizes: of the array, the outermost first, where it is no plain list; their product is the number of
 * elements. */
void element_write_npy(const struct element *element, const struct bytes *values,
		       const size_t *sizes, unsigned size_count, struct bytes *file);

#endif
