#include "config.h"

#include "icd/compile/asked.h"

enum { SIZE_B = 4 };

bool ocl_asked_read(const char *at, const char *end, struct ocl_asked *asked_out)
{
	size_t rows_B = 0;
	if (end - at < SIZE_B)
		return false;
	for (unsigned i = 0; i < SIZE_B; i++)
		rows_B |= (size_t)(unsigned char)at[i] << (8 * i);
	if (rows_B > (size_t)(end - at - SIZE_B))
		return false;
	*asked_out = (struct ocl_asked){at + SIZE_B, rows_B, at + SIZE_B + rows_B};
	return true;
}

void ocl_asked_append(struct bytes *list, const void *rows, size_t rows_B)
{
	for (unsigned i = 0; i < SIZE_B; i++)
		bytes_append_char(list, (char)(rows_B >> (8 * i)));
	bytes_append(list, rows, rows_B);
}
