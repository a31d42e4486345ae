/* Kernels of one texture or surface instruction each, as PTX: work-item i takes four
 * words of coordinates from in[4 * i] and on, layer first, and leaves or finds its
 * values, 16 bytes, at out + 16 * i.  All have the parameters object, in, out, count. */
#ifndef CULVERT_TESTS_TEXTURE_KERNEL_H
#define CULVERT_TESTS_TEXTURE_KERNEL_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
	char *data;               /* terminated; NULL while empty */
	size_t size, capacity;
};

__attribute__((format(printf, 2, 3))) static inline void say(struct text *text, const char *format,
							     ...)
{
	char line[2048];
	va_list arguments;
	va_start(arguments, format);
	int size = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (text->size + (size_t)size + 1 > text->capacity) {
		text->capacity = 2 * text->capacity + sizeof(line);
		text->data = realloc(text->data, text->capacity);
		if (!text->data || size < 0 || size >= (int)sizeof(line)) {
			fprintf(stderr, "no room for the kernels\n");
			exit(1);
		}
	}
	memcpy(text->data + text->size, line, (size_t)size + 1);
	text->size += (size_t)size;
}

static const char *const shape_names[] = {"1d", "2d", "3d", "a1d", "a2d"};
enum { SHAPES = 5 };

static inline void say_header(struct text *text)
{
	say(text, ".version 8.1\n.target sm_75\n.address_size 64\n");
}

static inline void say_start(struct text *text, const char *name)
{
	say(text, ".visible .entry %s(.param .u64 object, .param .u64 in, .param .u64 out, "
	    ".param .u32 count)\n{\n"
	    ".reg .b64 o, in_at, out_at, at; .reg .b32 i, n, g; .reg .pred p;\n"
	    ".reg .b32 x<4>, r<4>; .reg .b16 h<4>; .reg .b64 l<2>; .reg .f32 f<4>;\n"
	    "mov.u32 i, %%tid.x; mov.u32 n, %%ntid.x; mov.u32 g, %%ctaid.x;\n"
	    "mad.lo.u32 i, g, n, i; ld.param.u32 n, [count]; setp.ge.u32 p, i, n; @p ret;\n"
	    "ld.param.u64 o, [object]; ld.param.u64 in_at, [in]; ld.param.u64 out_at, [out];\n"
	    "mul.wide.u32 at, i, 16; add.u64 in_at, in_at, at; add.u64 out_at, out_at, at;\n"
	    "ld.global.v4.b32 {x0, x1, x2, x3}, [in_at];\n"
	    "mov.b32 f0, x0; mov.b32 f1, x1; mov.b32 f2, x2; mov.b32 f3, x3;\n", name);
}

static inline void say_end(struct text *text)
{
	say(text, "ret;\n}\n");
}

/* The coordinates of a shape as an operand; real: floats, but for the layer. */
static inline const char *coordinate_text(const char *shape, int real)
{
	if (!strcmp(shape, "1d"))
		return real ? "{f0}" : "{x0}";
	if (!strcmp(shape, "2d"))
		return real ? "{f0, f1}" : "{x0, x1}";
	if (!strcmp(shape, "3d"))
		return real ? "{f0, f1, f2, f2}" : "{x0, x1, x2, x2}";
	if (!strcmp(shape, "a1d"))
		return real ? "{x0, f1}" : "{x0, x1}";
	return real ? "{x0, f1, f2, f2}" : "{x0, x1, x2, x2}";
}

/* extra: "" or what comes behind the object, with its comma. */
static inline void say_texture(struct text *text, const char *name, const char *mnemonic,
			       const char *shape, int real, const char *extra)
{
	say_start(text, name);
	say(text, "%s.%s.v4.u32.%s {r0, r1, r2, r3}, [o, %s]%s;\n"
	    "st.global.v4.b32 [out_at], {r0, r1, r2, r3};\n", mnemonic, shape,
	    real ? "f32" : "s32", coordinate_text(shape, real), extra);
	say_end(text);
}

static inline void say_surface(struct text *text, const char *name, const char *operation,
			       const char *shape, unsigned bits, unsigned vector, const char *edge)
{
	static const char *const letters = "hrl";
	const char letter = letters[bits == 64 ? 2 : bits == 32 ? 1 : 0];
	char values[32], suffix[16] = "";
	const char *at = coordinate_text(shape, 0);
	if (vector == 1)
		snprintf(values, sizeof(values), "%c0", letter);
	else if (vector == 2)
		snprintf(values, sizeof(values), "{%c0, %c1}", letter, letter);
	else
		snprintf(values, sizeof(values), "{%c0, %c1, %c2, %c3}", letter, letter, letter,
			 letter);
	if (vector > 1)
		snprintf(suffix, sizeof(suffix), "v%u.", vector);
	say_start(text, name);
	if (!strncmp(operation, "sust", 4))
		say(text, "ld.global.%sb%u %s, [out_at]; %s.%s.%sb%u.%s [o, %s], %s;\n", suffix,
		    bits, values, operation, shape, suffix, bits, edge, at, values);
	else
		say(text, "%s.%s.%sb%u.%s %s, [o, %s]; st.global.%sb%u [out_at], %s;\n", operation,
		    shape, suffix, bits, edge, values, at, suffix, bits, values);
	say_end(text);
}

/* type: u32, s32, u64, s64, b32. */
static inline void say_reduction(struct text *text, const char *name, const char *mnemonic,
				 const char *shape, const char *type, const char *edge)
{
	int wide = type[1] == '6';
	say_start(text, name);
	say(text, "ld.global.b%s %s, [out_at]; %s.%s.%s.%s [o, %s], %s;\n", type + 1,
	    wide ? "l0" : "r0", mnemonic, shape, type, edge, coordinate_text(shape, 0),
	    wide ? "l0" : "r0");
	say_end(text);
}

static inline void say_query(struct text *text, const char *name, const char *mnemonic)
{
	say_start(text, name);
	say(text, "%s.b32 r0, [o]; st.global.b32 [out_at], r0;\n", mnemonic);
	say_end(text);
}

#endif
