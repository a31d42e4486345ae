#include "config.h"

#include "icd/compile/choices.h"

enum { SIZE_B = 4 };

bool ocl_choice_read(const char *at, const char *end, struct ocl_choice *choice_out)
{
	size_t asked_B = 0;
	if (end - at < SIZE_B)
		return false;
	for (unsigned i = 0; i < SIZE_B; i++)
		asked_B |= (size_t)(unsigned char)at[i] << (8 * i);
	if (asked_B > (size_t)(end - at - SIZE_B))
		return false;
	*choice_out = (struct ocl_choice){at + SIZE_B, asked_B, at + SIZE_B + asked_B};
	return true;
}

void ocl_choice_append(struct bytes *list, const void *asked, size_t asked_B)
{
	for (unsigned i = 0; i < SIZE_B; i++)
		bytes_append_char(list, (char)(asked_B >> (8 * i)));
	bytes_append(list, asked, asked_B);
}
