/* Surfaces: loads, stores and reductions of each width, inside and around. */
#include "config.h"

#include "tests/gpu/texture_case.h"

const char *const edges[EDGES] = {"clamp", "zero"};
const struct width widths[WIDTHS] = {
	{"b8", 8, 1}, {"v2b8", 8, 2}, {"v4b8", 8, 4}, {"b16", 16, 1}, {"v2b16", 16, 2},
	{"v4b16", 16, 4}, {"b32", 32, 1}, {"v2b32", 32, 2}, {"v4b32", 32, 4}, {"b64", 64, 1},
	{"v2b64", 64, 2}
};
const struct reduction reductions[REDUCTIONS] = {
	{"b.add", "u32"}, {"b.add", "s32"}, {"b.add", "u64"}, {"b.min", "u32"}, {"b.min", "s32"},
	{"b.max", "u32"}, {"b.max", "s32"}, {"b.min", "u64"}, {"b.max", "s64"}, {"b.and", "b32"},
	{"b.or", "b32"}, {"p.add", "b32"}, {"p.min", "b32"}, {"p.max", "b32"}, {"p.and", "b32"},
	{"p.or", "b32"}
};

void say_surfaces(struct text *text)
{
	char name[64], operation[16];
	for (unsigned s = 0; s < SHAPES; s++)
		for (unsigned e = 0; e < 2; e++) {
			for (unsigned w = 0; w < WIDTHS; w++) {
				snprintf(name, sizeof(name), "suld_%s_%s_%s", shape_names[s],
					 widths[w].name, edges[e]);
				say_surface(text, name, "suld.b", shape_names[s], widths[w].bits,
					    widths[w].vector, edges[e]);
				memcpy(name, "sust", 4);
				say_surface(text, name, "sust.b", shape_names[s], widths[w].bits,
					    widths[w].vector, edges[e]);
			}
			snprintf(name, sizeof(name), "sustp_%s_%s", shape_names[s], edges[e]);
			say_surface(text, name, "sust.p", shape_names[s], 32, 4, edges[e]);
		}
	for (unsigned s = 0; s < 3; s++)
		for (unsigned r = 0; r < REDUCTIONS; r++) {
			snprintf(name, sizeof(name), "sured_%s_%u", shape_names[s], r);
			snprintf(operation, sizeof(operation), "sured.%s",
				 reductions[r].operation);
			say_reduction(text, name, operation, shape_names[s], reductions[r].type,
				      "zero");
		}
	say_surface(text, "sust_trap", "sust.b", "2d", 32, 1, "trap");
	say_surface(text, "suld_trap", "suld.b", "2d", 32, 1, "trap");
	say_surface(text, "sustp_trap", "sust.p", "2d", 32, 4, "trap");
	say_surface(text, "sustp_one", "sust.p", "2d", 32, 1, "zero");
	say_surface(text, "sustp_two", "sust.p", "2d", 32, 2, "zero");
}

/* --- surfaces ---------- */

/* Each place once, and a few around: step bytes, or texels, from one to the next. */
static unsigned choose_places(const struct shape *shape, int width, int step)
{
	const int height = shape->dimensions > 1 ? (int)shape->size[1] : 1;
	const int depth = shape->layers ? (int)shape->layers :
			  shape->dimensions > 2 ? (int)shape->size[2] : 1;
	const int low_y = shape->dimensions > 1 ? -1 : 0, low_z = depth > 1 ? -1 : 0;
	unsigned count = 0;
	memset(coordinates, 0, sizeof(coordinates));
	for (int z = low_z; z < depth - low_z; z++)
		for (int y = low_y; y < height - low_y; y++)
			for (int x = -step; x < width + 2 * step && count < ITEMS_MAX;
			     x += step, count++) {
				const int flat[4] = {x, y, z, 0}, line[4] = {z, x, 0, 0};
				const int plane[4] = {z, x, y, 0};
				memcpy(coordinates[count], !shape->layers ? flat :
				       shape->dimensions > 1 ? plane : line, 16);
			}
	return count;
}

static void put_texels(const char *name, CUresult status, const struct resource *resource)
{
	size_t size_B = resource->row_B * resource->rows;
	memset(values, 0, sizeof(values));
	memset(coordinates, 0, sizeof(coordinates));
	memcpy(values, texels, size_B < sizeof(values) ? size_B : sizeof(values));
	put(name, status, (unsigned)((size_B + 15) / 16));
}

/* Stores that meet at one place store one value. */
static void choose_values(unsigned count, bool same)
{
	for (unsigned i = 0; i < count; i++)
		for (unsigned e = 0; e < 4; e++)
			values[i][e] = same && i ? values[0][e] : random_word();
}

static void run_surface(const struct resource *resource, CUsurfObject object, const char *prefix,
			unsigned texel_B, const char *kernel, unsigned access_B)
{
	char name[96];
	const bool formatted = !access_B;
	const int width = (int)resource->shape->size[0] * (formatted ? 1 : (int)texel_B);
	unsigned count = choose_places(resource->shape, width, formatted ? 1 : (int)access_B);
	snprintf(name, sizeof(name), "%s %s", prefix, kernel);
	choose_values(count, strstr(kernel, "clamp") != NULL);
	CUresult status = launch(kernel, object, count);
	if (!strncmp(kernel, "suld", 4)) {
		put(name, status, count);
		return;
	}
	if (!status)
		status = array_fill(resource, true);
	put_texels(name, status, resource);
}

static void run_surface_kernels(const struct resource *resource, CUsurfObject object,
				const char *prefix, unsigned texel_B)
{
	char kernel[64];
	for (unsigned e = 0; e < 2; e++) {
		for (unsigned w = 0; w < WIDTHS; w++) {
			unsigned access_B = widths[w].bits * widths[w].vector / 8;
			if (access_B > texel_B)
				continue;
			snprintf(kernel, sizeof(kernel), "suld_%s_%s_%s",
				 resource->shape->geometry, widths[w].name, edges[e]);
			run_surface(resource, object, prefix, texel_B, kernel, access_B);
			memcpy(kernel, "sust", 4);
			run_surface(resource, object, prefix, texel_B, kernel, access_B);
		}
		snprintf(kernel, sizeof(kernel), "sustp_%s_%s", resource->shape->geometry,
			 edges[e]);
		run_surface(resource, object, prefix, texel_B, kernel, 0);
	}
	for (unsigned r = 0; r < REDUCTIONS && !resource->shape->layers; r++) {
		unsigned access_B = reductions[r].type[1] == '6' ? 8 : 4;
		bool formatted = reductions[r].operation[0] == 'p';
		snprintf(kernel, sizeof(kernel), "sured_%s_%u", resource->shape->geometry, r);
		if (formatted ? texel_B == 4 : access_B <= texel_B)
			run_surface(resource, object, prefix, texel_B, kernel,
				    formatted ? 0 : access_B);
	}
	for (unsigned v = 0; v < 2 && !strcmp(resource->shape->name, "2d"); v++)
		run_surface(resource, object, prefix, texel_B, v ? "sustp_two" : "sustp_one", 0);
}

static void run_surface_on(const struct shape *shape, const struct format *format,
			   unsigned channels)
{
	struct resource resource;
	CUsurfObject object = 0;
	char prefix[48];
	snprintf(prefix, sizeof(prefix), "surface %s %sx%u", shape->name, format->name, channels);
	fill_texels(format, 1 << 16, false);
	CUresult status = resource_create(&resource, shape, format, channels,
					  CUDA_ARRAY3D_SURFACE_LDST);
	if (!status)
		status = cuda.surface_create(&object, &resource.descriptor);
	if (status)
		put(prefix, status, 0);
	else
		run_surface_kernels(&resource, object, prefix, format->channel_B * channels);
	if (object)
		cuda.surface_destroy(object);
	resource_destroy(&resource);
}

void run_surfaces(void)
{
	for (unsigned s = 0; s < SHAPES; s++)
		for (unsigned f = 0; f < FORMATS; f++)
			for (unsigned channels = 1; channels <= 4; channels *= 2)
				if (channels == 4 || s == SHAPE_2D)
					run_surface_on(&shapes[s], &formats[f], channels);
	for (unsigned f = 0; f < NORMALIZED_FORMATS; f++)
		run_surface_on(&shapes[SHAPE_2D], &normalized_formats[f].is,
			       normalized_formats[f].channels);
}
