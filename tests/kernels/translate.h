/* A source as intermediate language, by a program that knows how. */
#ifndef CULVERT_TESTS_KERNELS_TRANSLATE_H
#define CULVERT_TESTS_KERNELS_TRANSLATE_H

#include <stddef.h>

/* What COMMAND OPTIONS writes when it reads text: owned.  NULL when it fails. */
unsigned char *translate(const char *command, const char *options, const char *text,
			 size_t *size_B_out);

#endif
