/* The instructions that PTX's text can name and softcuda takes, for tests that write kernels of random ones.  One
 * thread. */
#ifndef CULVERT_TESTS_SOFT_JIT_TEXTS_H
#define CULVERT_TESTS_SOFT_JIT_TEXTS_H

#include "softcuda/exec/level.h"
#include "softcuda/ptx/ptx.h"
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER ".version 8.3\n.target sm_90\n.address_size 64\n"

enum { TEXT_MAX = 4000 };

static inline uint32_t random_below(uint32_t end)
{
	return (uint32_t)test_random(end);
}

/* "add.s32" and the widths of its operands, as in op_row.shape. */
static struct { char name[48], shape[8]; } texts[TEXT_MAX];
static unsigned text_count;

static inline void write_instruction(struct bytes *ptx, const char *name, const char *shape, unsigned (*choose)(char))
{
	bytes_printf(ptx, "%s ", name);
	for (unsigned k = 0; shape[k]; k++)
		if (k == 4 && !strcmp(name, "lop3.b32"))
			bytes_printf(ptx, ", %u", random_below(256));
		else
			bytes_printf(ptx, "%s%c%u", k ? ", " : "", shape[k], choose(shape[k]));
	bytes_append_string(ptx, ";\n");
}

static inline unsigned first_register(char width)
{
	(void)width;
	return 0;
}

static inline void declare(struct bytes *ptx)
{
	bytes_append_string(
		ptx, ".reg .pred p<8>, g; .reg .b16 h<8>; .reg .b32 w<10>, n<8>; .reg .b64 l<8>, a, b, in, out;\n");
}

/* Whether softcuda takes it; what it does not take, it refuses when it reads. */
static inline bool is_known(const char *name, const char *shape)
{
	struct bytes ptx = BYTES_INIT, log = BYTES_INIT;
	struct soft_program *program = NULL;
	bytes_append_string(&ptx, HEADER ".entry k() {\n");
	declare(&ptx);
	write_instruction(&ptx, name, shape, first_register);
	bytes_append_string(&ptx, "ret;\n}\n");
	const bool known = ptx_parse(bytes_string(&ptx), ptx.size_B, false, false, 90, &log, &program) == CUDA_SUCCESS;
	soft_program_destroy(known ? program : NULL);
	bytes_finish(&ptx);
	bytes_finish(&log);
	return known;
}

static inline void add_text(const char *name, const char *shape)
{
	if (strlen(name) >= sizeof(texts[0].name) || strlen(shape) >= sizeof(texts[0].shape) || strchr(shape, 'q') ||
	    text_count == TEXT_MAX || !is_known(name, shape))
		return;
	strcpy(texts[text_count].name, name);
	strcpy(texts[text_count++].shape, shape);
}

/* "_cvt.f32.s32" with the modifiers that there are. */
static inline void add_conversions(const char *types)
{
	static const char *const modifiers[] = {"", ".rn", ".rz", ".rm", ".rp", ".rzi", ".rni", ".rmi", ".rpi", ".sat",
						".rn.sat", ".rzi.sat", ".ftz", ".rn.ftz", ".rzi.ftz", ".rni.ftz.sat"};
	char name[64], shape[3] = "";
	const char *type = types;
	for (unsigned k = 0; k < 2; k++) {
		type = strchr(type, '.') + 1;
		const unsigned long bits = strtoul(type + 1, NULL, 10);
		shape[k] = bits == 64 ? 'l' : bits == 32 ? 'w' : 'h';
	}
	for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++) {
		snprintf(name, sizeof(name), "cvt%s%s", modifiers[i], types);
		add_text(name, shape);
	}
}

static inline void add_rows(const struct op_rows *rows)
{
	char name[64];
	for (size_t i = 0; i < rows->count; i++) {
		const struct op_row *row = &rows->rows[i];
		if (!strncmp(row->name, "_cvt.", 5) && strchr(row->name + 5, '.')) {
			add_conversions(row->name + 4);
		} else if (!strncmp(row->name, "_cmp.", 5)) {
			snprintf(name, sizeof(name), "setp%s", row->name + 4);
			add_text(name, row->shape);
		} else if (row->name[0] >= 'a' && row->name[0] <= 'z') {
			snprintf(name, sizeof(name), "%.*s", (int)strcspn(row->name, "/"), row->name);
			add_text(name, row->shape);
		}
	}
}

static inline void list_instructions(void)
{
	for (unsigned t = 0; t < EXEC_HOT_TABLE_COUNT; t++)
		add_rows(exec_level()->tables[t]);
	add_rows(&exec_rows_half);
	add_rows(&exec_rows_rounded);
	add_rows(&exec_rows_narrow);
	add_rows(&exec_rows_video);
}

#endif
