#include "config.h"

#include "tests/gpu/texture_run.h"

#include "tests/gpu/texture_case.h"

struct driver cuda;

static FILE *results;
CUmodule texture_module;
static CUdeviceptr coordinates_at, values_at;
uint32_t coordinates[ITEMS_MAX][4], values[ITEMS_MAX][4];
unsigned char texels[TEXELS_MAX_B];
static uint64_t state;

uint32_t random_word(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) ^ (uint32_t)(state >> 13);
}

double random_unit(void)
{
	return (random_word() >> 8) / 16777216.0;
}

uint32_t bits_of(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

void put(const char *name, CUresult status, unsigned count)
{
	struct record record = {.status = (uint32_t)status, .count = status ? 0 : count};
	snprintf(record.name, sizeof(record.name), "%s", name);
	fwrite(&record, sizeof(record), 1, results);
	fwrite(coordinates, 16, record.count, results);
	fwrite(values, 16, record.count, results);
	fflush(results);
}

CUresult launch(const char *kernel, uint64_t object, unsigned count)
{
	CUfunction function;
	void *parameters[] = {&object, &coordinates_at, &values_at, &count};
	CUresult result = cuda.function(&function, texture_module, kernel);
	if (!result)
		result = cuda.write(coordinates_at, coordinates, 16u * count);
	if (!result)
		result = cuda.write(values_at, values, 16u * count);
	if (!result)
		result = cuda.launch(function, (count + 63) / 64, 1, 1, 64, 1, 1, 0, NULL,
				     parameters, NULL);
	if (!result)
		result = cuda.synchronize();
	if (!result)
		result = cuda.read(values, values_at, 16u * count);
	return result;
}

/* --- kernels ---------- */

static void say_textures(struct text *text)
{
	char name[64], mnemonic[16];
	for (unsigned s = 0; s < SHAPES; s++)
		for (int real = 0; real < 2; real++) {
			snprintf(name, sizeof(name), "tex_%s_%s", shape_names[s],
				 real ? "f32" : "s32");
			say_texture(text, name, "tex", shape_names[s], real, "");
			snprintf(name, sizeof(name), "level_%s_%s", shape_names[s],
				 real ? "f32" : "s32");
			say_texture(text, name, "tex.level", shape_names[s], real,
				    real ? ", f3" : ", x3");
		}
	say_texture(text, "offset_2d_f32", "tex", "2d", 1, ", {1, -2}");
	say_texture(text, "offset_2d_s32", "tex", "2d", 0, ", {1, -2}");
	for (const char *c = "rgba"; *c; c++) {
		snprintf(mnemonic, sizeof(mnemonic), "tld4.%c", *c);
		snprintf(name, sizeof(name), "gather_2d_%c", *c);
		say_texture(text, name, mnemonic, "2d", 1, "");
		snprintf(name, sizeof(name), "gather_a2d_%c", *c);
		say_texture(text, name, mnemonic, "a2d", 1, "");
	}
}

CUresult load(const struct text *text, CUmodule *module_out)
{
	static char log[4096];
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *option_values[] = {log, (void *)(uintptr_t)(sizeof(log) - 1)};
	CUresult result = cuda.load(module_out, text->data, 2, options, option_values);
	if (result)
		fprintf(stderr, "loading gave %d: %s\n", result, log);
	return result;
}

static void say_all(struct text *text)
{
	say_header(text);
	say_surfaces(text);
	say_textures(text);
}

void texture_print(void)
{
	struct text text = {0};
	say_all(&text);
	fputs(text.data, stdout);
	free(text.data);
}

CUresult prepare(void)
{
	struct text text = {0};
	say_all(&text);
	CUresult result = load(&text, &texture_module);
	free(text.data);
	if (!result)
		result = cuda.take(&coordinates_at, sizeof(coordinates));
	if (!result)
		result = cuda.take(&values_at, sizeof(values));
	return result;
}

bool texture_run(const char *driver_path, FILE *file, int trap)
{
	results = file;
	state = 1;
	if (!driver_open(driver_path) || prepare())
		return false;
	if (trap < 0) {
		run_attributes();
		run_errors();
		run_queries();
		run_ramps();
		run_textures();
		run_surfaces();
	}
	if (trap != TRAPS_NONE)
		run_traps(trap);
	return !ferror(file);
}
