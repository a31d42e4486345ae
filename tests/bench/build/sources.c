#include "config.h"

#include "tests/bench/build/builder.h"
#include "tests/bench/build/sources.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char trivial[] =
	"KERNEL trivial(GLOBAL float *out, float a)\n"
	"{\n"
	"	out[ID] = a;\n"
	"}\n";

/* %d: a number of its own. */
static const char step[] =
	"KERNEL step%d(GLOBAL float *out, GLOBAL const float *in, int n, float a)\n"
	"{\n"
	"	int i = (int)ID;\n"
	"	float x = in[i], y = in[(i + %d) %% n], sum = 0.0f;\n"
	"	#pragma unroll\n"
	"	for (int j = 0; j < 8; j++) {\n"
	"		float t = x * %d.5f + y * (float)(j + 1);\n"
	"		float u = t * t - a * y;\n"
	"		if (u > 3.0f)\n"
	"			sum += sqrt(u) * a;\n"
	"		else\n"
	"			sum -= fabs(u) + (float)j;\n"
	"		x = fma(x, 0.5f, sum * 0.25f);\n"
	"		y = y - t * 0.125f;\n"
	"		sum = sum + in[(i + j * %d) %% n] * x;\n"
	"	}\n"
	"	float z = sum + x;\n"
	"	z = z * z + y;\n"
	"	if (z < 0.0f)\n"
	"		z = -z;\n"
	"	out[i] = z;\n"
	"	out[(i + 1) %% n] += exp(-y);\n"
	"}\n"
	"\n";

enum { STEPS = 20 };

static void *checked(void *memory)
{
	if (!memory) {
		fputs("out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

/* A variable that no other program has: a comment or a macro would be gone when a cache
 * looks at what the preprocessor left. */
static int print_salt(char *at, size_t room_B, const char *salt)
{
	return snprintf(at, room_B, "\n%s salt_%s = 1;\n", builder_facts.salt_type, salt);
}

char *source_salted(const char *text, const char *salt)
{
	const size_t size_B = strlen(text), room_B = strlen(salt) + 64;
	char *source = checked(malloc(size_B + room_B));
	memcpy(source, text, size_B);
	print_salt(source + size_B, room_B, salt);
	return source;
}

char *source_trivial(const char *prologue, const char *salt)
{
	const size_t room_B = strlen(prologue) + sizeof(trivial);
	char *text = checked(malloc(room_B));
	snprintf(text, room_B, "%s%s", prologue, trivial);
	char *source = source_salted(text, salt);
	free(text);
	return source;
}

char *source_500_lines(const char *prologue, const char *salt)
{
	const size_t room_B = strlen(prologue) + STEPS * (sizeof(step) + 16);
	char *text = checked(malloc(room_B));
	int at_B = snprintf(text, room_B, "%s", prologue);
	for (int i = 0; i < STEPS; i++)
		at_B += snprintf(text + at_B, room_B - (size_t)at_B, step, i, i + 1, i, i + 7);
	char *source = source_salted(text, salt);
	free(text);
	return source;
}

/* --- files ---------------------------------------------------------------------------- */

static char *read_file(const char *folder, const char *name)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END)) {
		perror(path);
		exit(1);
	}
	const size_t size_B = (size_t)ftell(file);
	char *text = checked(calloc(1, size_B + 1));
	rewind(file);
	if (fread(text, 1, size_B, file) != size_B) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return text;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

struct source_files source_files_read(const char *folder, const char *ending)
{
	struct source_files files = {0};
	struct dirent **entries;
	const int count = scandir(folder, &entries, NULL, by_name);
	if (count < 0) {
		perror(folder);
		exit(1);
	}
	files.names = checked(calloc((size_t)count + 1, sizeof(*files.names)));
	files.texts = checked(calloc((size_t)count + 1, sizeof(*files.texts)));
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		const size_t length = strlen(name), end = strlen(ending);
		if (length > end && !strcmp(name + length - end, ending)) {
			files.names[files.count] = checked(strndup(name, length - end));
			files.texts[files.count++] = read_file(folder, name);
		}
		free(entries[i]);
	}
	free(entries);
	return files;
}

void source_files_finish(struct source_files *files)
{
	for (unsigned i = 0; i < files->count; i++) {
		free(files->names[i]);
		free(files->texts[i]);
	}
	free(files->names);
	free(files->texts);
}
