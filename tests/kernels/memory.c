#include "config.h"

#include "tests/kernels/memory.h"

#include "tests/kernels/compare.h"
#include "tests/kernels/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* {a, b, c}: evaluated once each, repeated to the end. */
static bool fill_from_list(struct test *test, const char *at, struct buffer *buffer)
{
	size_t given = 0;
	do {
		char item[256];
		struct value value;
		take_until(&at, ",}", item, sizeof(item));
		if (!evaluate(test, item, given, buffer->count, &value))
			return false;
		if (given < buffer->count)
			element_set(buffer->type, buffer->start, given, value);
		given++;
	} while (take_char(&at, ','));
	size_t size_B = element_size_B(buffer->type);
	for (size_t i = given; i < buffer->count; i++)
		memcpy((char *)buffer->start + i * size_B,
		       (char *)buffer->start + i % given * size_B, size_B);
	return true;
}

static bool fill(struct test *test, const char *at, struct buffer *buffer)
{
	if (take_char(&at, '{'))
		return fill_from_list(test, at, buffer);
	for (size_t i = 0; i < buffer->count; i++) {
		struct value value;
		if (!evaluate(test, at, i, buffer->count, &value))
			return false;
		element_set(buffer->type, buffer->start, i, value);
	}
	return true;
}

/* false, and complained: there is no memory. */
static bool make_room(struct test *test, struct device_buffer *made)
{
	size_t size_B = made->host.count * element_size_B(made->host.type);
	made->host.start = calloc(1, size_B + 1);
	made->host.data = calloc(1, size_B + 1);
	made->host.next = test->buffers;
	test->buffers = &made->host;
	if (!made->host.start || !made->host.data)
		complain(test, WRONG_FILE, "no memory for %s", made->host.name);
	return made->host.start && made->host.data;
}

void do_buffer(struct test *test, const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	size_t type_length = name_length(at);
	enum element_type type = element_type_named(at, type_length);
	at += type_length;
	while (isspace((unsigned char)*at))
		at++;
	size_t length = name_length(at);
	struct device_buffer *made = calloc(1, sizeof(*made));
	char *after;
	if (!made || type == ELEMENT_TYPE_COUNT || !length || length >= sizeof(made->host.name) ||
	    at[length] != '[') {
		free(made);
		complain(test, WRONG_FILE, "expected TYPE NAME[COUNT] = ...");
		return;
	}
	memcpy(made->host.name, at, length);
	made->host.type = type;
	made->host.count = strtoul(at + length + 1, &after, 0);
	size_t size_B = made->host.count * element_size_B(type);
	if (!make_room(test, made))
		return;
	if (!size_B || *after != ']' || (after++, !take_char((const char **)&after, '='))) {
		complain(test, WRONG_FILE, "expected NAME[COUNT] = ...");
		return;
	}
	if (!fill(test, after, &made->host))
		return;
	memcpy(made->host.data, made->host.start, size_B);
	cl_int error;
	made->mem = clCreateBuffer(test->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size_B,
				   made->host.data, &error);
	if (error)
		complain(test, FAIL, "clCreateBuffer: %d", error);
}

void do_image(struct test *test, const char *at)
{
	struct device_buffer *made = calloc(1, sizeof(*made)), *of;
	if (!made || !image_parse(&at, &made->image)) {
		free(made);
		complain(test, WRONG_FILE, "not an image from here on: %s", at);
		return;
	}
	made->is_image = true;
	memcpy(made->host.name, made->image.name, sizeof(made->host.name));
	made->host.type = made->image.type;
	made->host.count = image_count(&made->image);
	of = find_buffer(test, made->image.buffer, strlen(made->image.buffer));
	if (!make_room(test, made))
		return;
	if (*made->image.buffer && !of) {
		complain(test, WRONG_FILE, "no such buffer: %s", made->image.buffer);
		return;
	}
	if (take_char(&at, '=') && !fill(test, at, &made->host))
		return;
	memcpy(made->host.data, made->host.start,
	       made->host.count * element_size_B(made->host.type));
	cl_int error;
	made->mem = image_create(test->queue, test->context, &made->image, of ? of->mem : NULL,
				 made->host.data, &error);
	/* No order of three channels is mandatory (OpenCL 3.0 API, 5.3.2.1). */
	if (error == CL_IMAGE_FORMAT_NOT_SUPPORTED &&
	    made->image.format.image_channel_order == CL_RGB)
		complain(test, SKIP, "skipped: the device has no such format");
	else if (error)
		complain(test, FAIL, "the image cannot be made: %d", error);
}

void do_pipe(struct test *test, const char *at)
{
	struct device_buffer *made = calloc(1, sizeof(*made));
	unsigned packets, packet_B;
	if (!made || sscanf(at, " %63[A-Za-z0-9_][%u] of %u", made->host.name, &packets,
			    &packet_B) != 3) {
		free(made);
		complain(test, WRONG_FILE, "expected NAME[PACKETS] of BYTES");
		return;
	}
	made->is_pipe = true;
	if (!make_room(test, made))
		return;
	cl_int error;
	made->mem = clCreatePipe(test->context, 0, packet_B, packets, NULL, &error);
	if (error)
		complain(test, FAIL, "clCreatePipe: %d", error);
}

void do_release(struct test *test, const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	struct device_buffer *buffer = find_buffer(test, at, name_length(at));
	if (!buffer || !buffer->mem) {
		complain(test, WRONG_FILE, "no such buffer: %s", at);
		return;
	}
	clReleaseMemObject(buffer->mem);
	buffer->mem = NULL;
}

static cl_int read_one(struct test *test, const struct device_buffer *buffer)
{
	if (buffer->is_image)
		return image_read(test->queue, &buffer->image, buffer->mem, buffer->host.data);
	return clEnqueueReadBuffer(test->queue, buffer->mem, CL_TRUE, 0,
				   buffer->host.count * element_size_B(buffer->host.type),
				   buffer->host.data, 0, NULL, NULL);
}

void read_back(struct test *test)
{
	for (struct buffer *buffer = test->buffers; buffer; buffer = buffer->next) {
		const struct device_buffer *made = (struct device_buffer *)buffer;
		if (!made->mem || made->is_pipe)
			continue;
		cl_int error = read_one(test, made);
		if (error)
			complain(test, FAIL, "reading %s back: %d", buffer->name, error);
	}
}

static void compare(struct test *test, const struct buffer *buffer, const struct buffer *list,
		    const char *expression, const struct tolerance *tolerance)
{
	size_t wrong = 0;
	for (size_t i = 0; i < buffer->count; i++) {
		struct value expected, got = element_get(buffer->type, buffer->data, i);
		if (list)
			expected = element_get(buffer->type, list->start, i);
		else if (!evaluate(test, expression, i, buffer->count, &expected))
			return;
		if (value_is_close(buffer->type, got, expected, tolerance) || wrong++ >= 8)
			continue;
		complain(test, FAIL, "%s[%zu] differs:", buffer->name, i);
		printf("    got ");
		value_print(got);
		printf(", expected ");
		value_print(expected);
		putchar('\n');
	}
	if (wrong)
		printf("    %zu of %zu elements of %s differ\n", wrong, buffer->count, buffer->name);
}

void do_expect(struct test *test, const char *at)
{
	struct tolerance tolerance = {0, 0};
	if (test->verdict != PASS)
		return;
	while (isspace((unsigned char)*at))
		at++;
	size_t length = name_length(at);
	struct device_buffer *buffer = find_buffer(test, at, length);
	at += length;
	if (!buffer || !take_char(&at, '=')) {
		complain(test, WRONG_FILE, "expected NAME = ...");
		return;
	}
	char *expression = strdup(at);
	char *within = expression ? strstr(expression, " within ") : NULL;
	if (within) {
		char *unit;
		double amount = strtod(within + 8, &unit);
		*(strstr(unit, "ulp") ? &tolerance.ulp : &tolerance.absolute) = amount;
		*within = '\0';
	}
	const char *list_at = expression;
	struct buffer list = buffer->host;
	if (expression && take_char(&list_at, '{')) {
		list.start = calloc(list.count, element_size_B(list.type));
		if (list.start && fill_from_list(test, list_at, &list))
			compare(test, &buffer->host, &list, NULL, &tolerance);
		free(list.start);
	} else if (expression) {
		compare(test, &buffer->host, NULL, expression, &tolerance);
	}
	free(expression);
}

void save_buffers(struct test *test, const char *folder)
{
	const char *slash = strrchr(test->path, '/');
	for (const struct buffer *buffer = test->buffers; buffer; buffer = buffer->next) {
		char path[4096];
		if (((const struct device_buffer *)buffer)->is_pipe)
			continue;
		size_t size_B = buffer->count * element_size_B(buffer->type);
		snprintf(path, sizeof(path), "%s/%s.%s", folder,
			 slash ? slash + 1 : test->path, buffer->name);
		FILE *file = fopen(path, "wb");
		bool written = file && fwrite(buffer->data, 1, size_B, file) == size_B;
		if (file && fclose(file))
			written = false;
		if (!written)
			complain(test, FAIL, "%s cannot be written", path);
	}
}

void free_buffers(struct test *test)
{
	while (test->buffers) {
		struct device_buffer *buffer = (struct device_buffer *)test->buffers;
		test->buffers = buffer->host.next;
		if (buffer->mem)
			clReleaseMemObject(buffer->mem);
		free(buffer->host.start);
		free(buffer->host.data);
		free(buffer);
	}
}
