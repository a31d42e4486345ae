#include "config.h"

#include "tests/kernels/test.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void complain(struct test *test, enum verdict verdict, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	printf("%s:%d: ", test->path, test->line);
	vprintf(format, arguments);
	putchar('\n');
	va_end(arguments);
	if (test->verdict == PASS || verdict == WRONG_FILE)
		test->verdict = verdict;
}

bool evaluate(struct test *test, const char *text, size_t i, size_t n, struct value *value)
{
	char error[128];
	if (expression_evaluate(text, test->buffers, i, n, value, error, sizeof(error)))
		return true;
	complain(test, WRONG_FILE, "%s", error);
	return false;
}

struct device_buffer *find_buffer(struct test *test, const char *name, size_t length)
{
	for (struct buffer *buffer = test->buffers; buffer; buffer = buffer->next)
		if (strlen(buffer->name) == length && !memcmp(buffer->name, name, length))
			return (struct device_buffer *)buffer;
	return NULL;
}
