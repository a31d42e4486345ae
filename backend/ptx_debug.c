#include "config.h"

#include "backend/codegen.h"

#include <string.h>

/* PTX ISA 9.0, 11.1.2: `.target sm_90, debug`, in one of the first lines. */
bool be_ptx_is_debug(const struct bytes *ptx)
{
	static const char target[] = "\n.target ";
	const char *text = bytes_string(ptx), *line = strstr(text, target);
	if (!line)
		return false;
	line += sizeof(target) - 1;
	const size_t length = strcspn(line, "\n");
	static const char word[] = ", debug";
	return length >= sizeof(word) - 1 &&
	       !memcmp(line + length - (sizeof(word) - 1), word, sizeof(word) - 1);
}
