#include "config.h"

#include "tests/builtins/probe.h"
#include "tests/builtins/points.h"

#include <stdio.h>
#include <string.h>

enum { ITEMS = 64, DATA_B = 1 << 15, OUT_B = 1 << 16 };

static void append_variable(struct bytes *text, const struct template *template, char variable,
			    unsigned element)
{
	switch (variable) {
	case 'T':
		bytes_append_string(text, type_name(template->type));
		break;
	case 'U':
		bytes_append_string(text, type_name(type_unsigned(template->type)));
		break;
	case 'S':
		bytes_append_string(text, type_name(type_signed(template->type)));
		break;
	case 'n':
		if (template->width > 1)
			bytes_printf(text, "%u", template->width);
		break;
	case 'N':
		bytes_printf(text, "%u", 2 * template->width);
		break;
	case 'x':
		bytes_append_string(text, template->x);
		break;
	case 'y':
		bytes_append_string(text, template->y);
		break;
	case 'e':
		bytes_printf(text, "%u", element);
		break;
	case 'h':
		bytes_printf(text, "%x", element);
		break;
	case ',':
		bytes_append_string(text, element ? ", " : "");
		break;
	default:
		break;
	}
}

/* Up to the end or to a closing "$]"; returns where it stopped. */
static const char *expand(struct bytes *text, const struct template *template, const char *from,
			  unsigned element)
{
	while (*from) {
		if (*from != '$') {
			bytes_append_char(text, *from++);
			continue;
		}
		char variable = from[1];
		from += 2;
		if (variable == ']')
			return from;
		if (variable != '[') {
			append_variable(text, template, variable, element);
			continue;
		}
		const char *after = from;
		for (unsigned e = 0; e < template->width; e++)
			after = expand(text, template, from, e);
		from = after;
	}
	return from;
}

static void write_helpers(const struct device *device, struct bytes *text)
{
	bytes_append_string(text, "#define CHECK(condition) "
				  "if (!(condition)) atomic_min(bad, (uint)__LINE__)\n");
	for (int t = 0; t < SCALAR_TYPES; t++) {
		enum type type = (enum type)t;
		if (type == TYPE_HALF && !device->has_half)
			continue;
		const char *name = type_name(type), *bits = type_name(type_unsigned(type));
		bytes_printf(text, "int __attribute__((overloadable)) same(%s x, %s y) "
				   "{ return as_%s(x) == as_%s(y); }\n", name, name, bits, bits);
	}
}

void probes_init(struct probes *probes, struct device *device, bool c11)
{
	memset(probes, 0, sizeof(*probes));
	probes->device = device;
	probes->c11 = c11;
}

static void fill_random(unsigned char *data, size_t size_B)
{
	for (size_t i = 0; i < size_B; i++)
		data[i] = (unsigned char)(points_random(i) >> 24);
}

static void run_probe(struct probes *probes, cl_program program, size_t n, cl_mem buffers[4])
{
	char kernel[32];
	cl_uint bad = (cl_uint)-1;
	snprintf(kernel, sizeof(kernel), "probe_%zu", n);
	buffers[2] = device_buffer(probes->device, sizeof(bad), &bad);
	family_count(1, ITEMS);
	if (buffers[2] &&
	    device_run(probes->device, program, kernel, buffers, 4, ITEMS, ITEMS) &&
	    device_read(probes->device, buffers[2], sizeof(bad), &bad) && bad != (cl_uint)-1)
		family_fail("%s: line %u of the probe", bytes_string(&probes->names[n]), bad);
	if (buffers[2])
		clReleaseMemObject(buffers[2]);
	buffers[2] = NULL;
}

static void run_probes(struct probes *probes)
{
	static unsigned char data[DATA_B];
	if (bytes_failed(&probes->text)) {
		family_fail("out of memory");
		return;
	}
	cl_program program = device_build(probes->device, bytes_string(&probes->text), probes->c11);
	if (!program)
		return;
	fill_random(data, sizeof(data));
	cl_mem buffers[4] = {device_buffer(probes->device, DATA_B, data),
			     device_buffer(probes->device, OUT_B, NULL), NULL,
			     device_buffer(probes->device, DATA_B, data)};
	if (buffers[0] && buffers[1] && buffers[3])
		for (size_t n = 0; n < probes->count; n++)
			run_probe(probes, program, n, buffers);
	for (int i = 0; i < 4; i++)
		if (buffers[i])
			clReleaseMemObject(buffers[i]);
	clReleaseProgram(program);
}

static void flush(struct probes *probes)
{
	if (probes->count)
		run_probes(probes);
	for (size_t n = 0; n < probes->count; n++)
		bytes_finish(&probes->names[n]);
	bytes_finish(&probes->text);
	probes->count = 0;
}

void probes_add(struct probes *probes, const struct template *template, const char *name,
		const char *body)
{
	if (template->type == TYPE_HALF && !probes->device->has_half)
		return;
	if (probes->count == PROBES_MAX)
		flush(probes);
	if (!probes->count)
		write_helpers(probes->device, &probes->text);
	expand(&probes->names[probes->count], template, name, 0);
	bytes_printf(&probes->text,
		     "kernel void probe_%zu(global const uchar *data, global uchar *out, "
		     "global uint *bad, constant uchar *table)\n{\n#line 1\n"
		     "\tsize_t g = get_global_id(0);\n", probes->count++);
	expand(&probes->text, template, body, 0);
	bytes_append_string(&probes->text, "}\n");
}

void probes_finish(struct probes *probes)
{
	flush(probes);
}
