/* What the parts of the corpus share: where results go, what is sampled. */
#ifndef CULVERT_TESTS_TEXTURE_CASE_H
#define CULVERT_TESTS_TEXTURE_CASE_H

#include "tests/gpu/texture_driver.h"
#include "tests/gpu/texture_kernel.h"

#include <stdint.h>

enum { ITEMS = 200, RAMP = 1024, ITEMS_MAX = 4096, TEXELS_MAX_B = 1 << 20 };

/* Of the case at hand: work-items' coordinates and values, the resource's bytes. */
extern uint32_t coordinates[ITEMS_MAX][4], values[ITEMS_MAX][4];
extern unsigned char texels[TEXELS_MAX_B];
extern CUmodule texture_module;

uint32_t random_word(void);
double random_unit(void);
uint32_t bits_of(float value);
/* Loads the kernels into the current context and takes memory for what they read. */
CUresult prepare(void);
CUresult load(const struct text *text, CUmodule *module_out);
/* Runs a kernel of the module on the first count coordinates. */
CUresult launch(const char *kernel, uint64_t object, unsigned count);
/* Writes the case's record. */
void put(const char *name, CUresult status, unsigned count);

struct format {
	const char *name;
	CUarray_format format;
	unsigned channel_B;
	char kind;                /* i: integer that can be promoted, w: 32 bits, f: float */
};

/* By bits, signed or not, of integers and floats; and normalized by themselves. */
enum { FORMATS = 8, FORMAT_F16 = 6, FORMAT_F32 = 7, NORMALIZED_FORMATS = 5 };
extern const struct format formats[FORMATS];
struct normalized_format {
	struct format is;
	unsigned channels;
};
extern const struct normalized_format normalized_formats[NORMALIZED_FORMATS];

enum place { ON_ARRAY, ON_LINEAR, ON_PITCH };
struct shape {
	const char *name, *geometry;
	enum place place;
	unsigned dimensions, size[3], layers;
};

/* The first SHAPES of them are arrays. */
enum { SHAPE_2D = 1, SHAPE_LINEAR = 5, SHAPE_PITCH = 6, RESOURCES = 7 };
extern const struct shape shapes[RESOURCES];

struct resource {
	const struct shape *shape;
	CUarray array;
	CUdeviceptr memory;
	CUDA_RESOURCE_DESC descriptor;
	size_t row_B, rows;
};

void fill_texels(const struct format *format, size_t size_B, bool wild);
CUresult resource_create(struct resource *resource, const struct shape *shape,
			 const struct format *format, unsigned channels, unsigned flags);
void resource_destroy(struct resource *resource);
/* texels to the array, or read: back. */
CUresult array_fill(const struct resource *resource, bool read);

struct sampler {
	bool filter, normalized;
	unsigned address, flags;
	float border[4];
};

CUresult texture_create(CUtexObject *object, const struct resource *resource,
			const struct sampler *sampler);

/* The instructions that surfaces are tried with: say_surfaces names the kernels. */
struct width {
	const char *name;
	unsigned bits, vector;
};
struct reduction {
	const char *operation, *type;
};
enum { EDGES = 2, WIDTHS = 11, REDUCTIONS = 16 };
extern const char *const edges[EDGES];
extern const struct width widths[WIDTHS];
extern const struct reduction reductions[REDUCTIONS];
void say_surfaces(struct text *text);

/* The parts. */
void run_textures(void);
void run_ramps(void);
void run_surfaces(void);
void run_attributes(void);
void run_errors(void);
void run_queries(void);
/* Each ends the context; only: its number, or negative for all. */
void run_traps(int only);

#endif
