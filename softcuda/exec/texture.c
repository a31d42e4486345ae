/* tex and tld4: coordinates to texels, and between them. */
#include "config.h"

#include "softcuda/exec/filter.h"
#include "softcuda/exec/half.h"
#include "softcuda/exec/object.h"
#include "softcuda/exec/watch.h"
#include "softcuda/exec/table.h"

#include <math.h>

/* Normalized coordinates are cut to so many bits of fraction before they are scaled. */
enum { UNIT_BITS = 21 };
/* Beyond every texture, and so that it fits an integer in 1/256. */
static const double far_out = 1099511627776.0;

/* A level of detail is a number of 1/256, as weights are. */
enum { LOD_BITS = 8, LOD_ONE = 1 << LOD_BITS };

/* One lane's fetch. */
struct fetch {
	struct warp *warp;
	const struct op *op;
	unsigned l;
	const struct soft_image *image;
	struct image_mode mode;
	uint32_t layer;
	int64_t offset[3];
};

/* A coordinate between two texels. */
struct span {
	int64_t first;            /* the next one is the other */
	uint32_t weight;          /* of the other, in 1/256 */
};

/* The index that a dimension's address mode makes of any; -1: the border. */
static int64_t addressed(const struct soft_image *image, unsigned d, int64_t i)
{
	const int64_t size = image->size[d];
	int64_t rest;
	if (i >= 0 && i < size)
		return i;
	switch (image->address[d]) {
	case IMAGE_WRAP:
		rest = i % size;
		return rest < 0 ? rest + size : rest;
	case IMAGE_MIRROR:
		rest = i % (2 * size);
		rest = rest < 0 ? rest + 2 * size : rest;
		return rest < size ? rest : 2 * size - 1 - rest;
	case IMAGE_BORDER:
		return -1;
	default:
		return i < 0 ? 0 : size - 1;
	}
}

/* floor, of what fits. */
static int64_t whole(double value)
{
	int64_t towards_zero = (int64_t)value;
	return towards_zero - (value < (double)towards_zero);
}

static double limit(double x)
{
	return x > far_out ? far_out : x < -far_out ? -far_out : x;
}

static double in_texels(const struct soft_image *image, unsigned d, float coordinate)
{
	const double unit = 1 << UNIT_BITS;
	double x = coordinate;
	bool repeats = image->address[d] == IMAGE_WRAP || image->address[d] == IMAGE_MIRROR;
	if (x != x || fpclassify(coordinate) == FP_SUBNORMAL)
		return 0;
	if (!image->normalized)
		return limit(x);
	/* Two periods of wrap are one of mirror; fmod is exact. */
	if (repeats)
		x = isinf(x) ? 0 : fmod(x, 2);
	return limit((double)whole(limit(x) * unit) / unit * image->size[d]);
}

static float coordinate(const struct fetch *fetch, unsigned d)
{
	float value;
	memcpy(&value, &fetch->warp->image[IMAGE_SLOT_X + d][fetch->l], sizeof(value));
	return value;
}

/* clamp: with the clamping address mode the place between texels is clamped, and so the
 * weight is nothing outside. */
static struct span span_at(const struct fetch *fetch, unsigned d, bool clamp)
{
	const struct soft_image *image = fetch->image;
	const int64_t last = (int64_t)(image->size[d] - 1) * FILTER_ONE;
	double texels = d < image->dimensions ? in_texels(image, d, coordinate(fetch, d)) : 0;
	int64_t fixed = whole(texels * FILTER_ONE + 0.5) - FILTER_ONE / 2 +
			fetch->offset[d] * FILTER_ONE;
	if (clamp && image->address[d] == IMAGE_CLAMP)
		fixed = fixed < 0 ? 0 : fixed > last ? last : fixed;
	return (struct span){fixed >> FILTER_BITS, (uint32_t)fixed & (FILTER_ONE - 1)};
}

/* The texel at any index; false: a fault was noted. */
static bool texel_at(const struct fetch *fetch, const int64_t index[3], bool as_whole,
		     uint32_t value[4])
{
	const struct soft_image *image = fetch->image;
	uint64_t place = image->start + fetch->layer * image->slice_B;
	const uint64_t stride_B[3] = {image_texel_B(image), image->pitch_B, image->slice_B};
	for (unsigned d = 0; d < 3; d++) {
		int64_t i = addressed(image, d, index[d]);
		if (i < 0) {
			(as_whole ? texel_border_whole : texel_border)(image, value);
			return true;
		}
		place += (uint64_t)i * stride_B[d];
	}
	if (exec_object_watched(fetch->warp) &&
	    !exec_object_touch(fetch->warp, fetch->op, fetch->l, SOFT_ACCESS_READ, place,
			       image_texel_B(image)))
		return false;
	(as_whole ? texel_read_whole : texel_read)(image, (const void *)(uintptr_t)place, value);
	return true;
}

static bool fetch_point(const struct fetch *fetch, uint32_t value[4])
{
	int64_t index[3] = {0, 0, 0};
	for (unsigned d = 0; d < fetch->image->dimensions; d++)
		index[d] = whole(in_texels(fetch->image, d, coordinate(fetch, d))) +
			   fetch->offset[d];
	return texel_at(fetch, index, false, value);
}

/* Linear memory has indices only ("tex1Dfetch"). */
static bool fetch_nothing(const struct fetch *fetch, uint32_t value[4])
{
	(void)fetch;
	memset(value, 0, 4 * sizeof(*value));
	return true;
}

/* Integers are no coordinates but indices, without an address mode.  With a level they
 * are clamped; without, all that is outside is 0, a layer as well.  Of one dimension
 * they are meant for linear memory: an array reads as 0. */
static bool fetch_index(const struct fetch *fetch, uint32_t value[4])
{
	const struct soft_image *image = fetch->image;
	int64_t index[3] = {0, 0, 0};
	bool in = fetch->mode.edge == IMAGE_EDGE_CLAMP || !fetch->mode.layered ||
		  fetch->layer == fetch->warp->image[IMAGE_SLOT_LAYER][fetch->l];
	for (unsigned d = 0; d < image->dimensions; d++) {
		const int64_t last = (int64_t)image->size[d] - 1;
		int64_t i = (int32_t)fetch->warp->image[IMAGE_SLOT_X + d][fetch->l] +
			    fetch->offset[d];
		if (fetch->mode.edge == IMAGE_EDGE_CLAMP)
			i = i < 0 ? 0 : i > last ? last : i;
		in &= i >= 0 && i <= last;
		index[d] = i;
	}
	memset(value, 0, 4 * sizeof(*value));
	if (!in || (image->dimensions == 1 && !image->layered && !image->buffer))
		return true;
	return texel_at(fetch, index, false, value);
}

/* Arrays of one dimension without layers are to the filter one row of two: with the border around it,
 * half of what it gives is the border. */
static bool fetch_linear(const struct fetch *fetch, uint32_t value[4])
{
	const struct soft_image *image = fetch->image;
	const bool row = image->dimensions == 1 && image->layered;
	const unsigned dimensions = image->dimensions == 3 ? 3 : 2;
	uint32_t fraction[3], weights[FILTER_CORNERS], texels[FILTER_CORNERS][4];
	int64_t first[3];
	for (unsigned d = 0; d < dimensions; d++) {
		struct span span = d && row ? (struct span){0, 0} : span_at(fetch, d, true);
		first[d] = span.first;
		fraction[d] = span.weight;
	}
	filter_weights(fraction, dimensions, weights);
	memset(texels, 0, sizeof(texels));
	for (unsigned corner = 0; corner < 1u << dimensions; corner++) {
		int64_t index[3] = {0, 0, 0};
		bool there = true;
		for (unsigned d = 0; d < dimensions; d++) {
			index[d] = first[d] + (corner >> d & 1);
			there &= !(corner >> d & 1) || fraction[d];
		}
		if (there && !texel_at(fetch, index, filter_is_whole(image), texels[corner]))
			return false;
	}
	filter_sum(image, texels, weights, 1u << dimensions, value);
	return true;
}

/* One component of the four texels that a linear filter would use, counterclockwise
 * from the lower left (PTX ISA, tld4). */
static bool fetch_gather(const struct fetch *fetch, uint32_t value[4])
{
	static const uint32_t alone[4] = {FILTER_ONE, 0, 0, 0};
	static const uint8_t right[4] = {0, 1, 1, 0}, low[4] = {1, 1, 0, 0};
	/* Signed bytes go through the filter's conversion. */
	const bool bytes = fetch->image->kind == TEXEL_SNORM && fetch->image->channel_B == 1;
	struct span x = span_at(fetch, 0, false), y = span_at(fetch, 1, false);
	for (unsigned i = 0; i < 4; i++) {
		const int64_t index[3] = {x.first + right[i], y.first + low[i], 0};
		uint32_t texel[4][4] = {{0}};
		if (!texel_at(fetch, index, bytes, texel[0]))
			return false;
		if (bytes)
			filter_sum(fetch->image, texel, alone, 4, texel[0]);
		value[i] = texel[0][fetch->mode.component];
	}
	return true;
}

typedef bool fetch_run(const struct fetch *fetch, uint32_t value[4]);

/* --- mipmapped arrays ---------- */

static float slot_float(const struct fetch *fetch, unsigned slot)
{
	float value;
	memcpy(&value, &fetch->warp->image[slot][fetch->l], sizeof(value));
	return value;
}

/* OpenGL 4.6, 8.14: the binary logarithm of the longer gradient, in texels of level 0.  CUDA refers to no other
 * definition. */
static double lod_of_gradients(const struct fetch *fetch)
{
	double longest = 0;
	for (unsigned axis = 0; axis < 2; axis++) {
		double square = 0;
		for (unsigned d = 0; d < fetch->image->dimensions; d++) {
			const double part = (double)slot_float(fetch, (axis ? IMAGE_SLOT_DY : IMAGE_SLOT_DX) + d) *
					    fetch->image->size[d];
			square += part * part;
		}
		longest = square > longest ? square : longest;
	}
	return log2(longest) / 2;
}

static uint32_t lod_of(const struct fetch *fetch)
{
	const struct soft_image *image = fetch->image;
	const int32_t whole_level = (int32_t)fetch->warp->image[IMAGE_SLOT_LOD][fetch->l];
	double lod = fetch->mode.component == IMAGE_LOD_GRADIENTS ? lod_of_gradients(fetch) :
		     fetch->mode.real ? slot_float(fetch, IMAGE_SLOT_LOD) : whole_level;
	lod += image->lod_bias;
	lod = lod > image->lod_min ? lod : image->lod_min;
	lod = lod < image->lod_max ? lod : image->lod_max;
	lod = lod > 0 ? lod : 0;
	lod = lod < image->levels - 1 ? lod : image->levels - 1;
	return (uint32_t)(lod * LOD_ONE + 0.5);
}

static bool fetch_level(const struct fetch *fetch, fetch_run *run, uint32_t level, uint32_t value[4])
{
	struct soft_image image = *fetch->image;
	struct fetch there = *fetch;
	there.image = &image;
	while (level--)
		image_next_level(&image);
	return run(&there, value);
}

/* "The nearest mipmap level", or the weighted average of two. */
static bool fetch_mipmapped(const struct fetch *fetch, fetch_run *run, uint32_t value[4])
{
	const uint32_t lod = lod_of(fetch), weight = lod % LOD_ONE;
	uint32_t other[4];
	if (!fetch->image->mip_filter)
		return fetch_level(fetch, run, (lod + LOD_ONE / 2) / LOD_ONE, value);
	if (!fetch_level(fetch, run, lod / LOD_ONE, value) ||
	    (weight && !fetch_level(fetch, run, lod / LOD_ONE + 1, other)))
		return false;
	for (unsigned c = 0; weight && c < 4; c++) {
		float a, b;
		memcpy(&a, &value[c], sizeof(a));
		memcpy(&b, &other[c], sizeof(b));
		a = (float)(((double)a * (LOD_ONE - weight) + (double)b * weight) / LOD_ONE);
		memcpy(&value[c], &a, sizeof(a));
	}
	return true;
}

/* --- instructions ---------- */

/* Lanes mostly have one object, which is then looked up once. */
static bool begin(struct fetch *fetch, uint64_t object)
{
	uint32_t (*slots)[LANES] = fetch->warp->image;
	unsigned l = fetch->l;
	if (!fetch->image || fetch->image->object != object)
		fetch->image = exec_object_find(fetch->warp, fetch->op, l, object, false);
	if (!fetch->image)
		return false;
	/* "The array index is clamped", as an unsigned number. */
	if (fetch->mode.layered) {
		uint32_t layer = slots[IMAGE_SLOT_LAYER][l], last = fetch->image->layers - 1;
		fetch->layer = layer < last ? layer : last;
	}
	for (unsigned d = 0; fetch->mode.offset && d < fetch->image->dimensions; d++)
		fetch->offset[d] = (int32_t)slots[IMAGE_SLOT_OFFSET_X + d][l];
	return true;
}

static void pack_half(uint32_t value[4])
{
	uint16_t half[4];
	for (unsigned c = 0; c < 4; c++) {
		float real;
		memcpy(&real, &value[c], sizeof(real));
		half[c] = half_from_f64(real, HALF_RN);
	}
	value[0] = half[0] | (uint32_t)half[1] << 16;
	value[1] = half[2] | (uint32_t)half[3] << 16;
}

static enum flow fetch_lanes(struct warp *warp, const struct op *op, uint32_t mask, bool gather)
{
	const lane_u64 *object = OPERAND(const lane_u64, MEMORY_ADDRESS);
	uint32_t result[4][LANES] = {{0}};
	struct fetch fetch = {.warp = warp, .op = op, .mode = exec_image_mode(op)};
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		uint32_t value[4];
		unsigned l = fetch.l = exec_lowest(rest);
		if (!begin(&fetch, object[l]))
			return FLOW_FAULT;
		fetch_run *run = gather ? fetch_gather : !fetch.mode.real ? fetch_index :
				 fetch.image->buffer ? fetch_nothing :
				 fetch.image->filter ? fetch_linear : fetch_point;
		const bool levels = !gather && fetch.image->levels && fetch.mode.component != IMAGE_LOD_BASE;
		if (levels ? !fetch_mipmapped(&fetch, run, value) : !run(&fetch, value))
			return FLOW_FAULT;
		if (fetch.mode.element_B == 2)
			pack_half(value);
		for (unsigned e = 0; e < 4; e++)
			result[e][l] = value[e];
	}
	for (unsigned e = 0; e < op->vector; e++)
		op_put_32(OPERAND(void, e), result[e], mask);
	return FLOW_NEXT;
}

OP_HEAD(tex)
{
	return fetch_lanes(warp, op, mask, false);
}

OP_HEAD(tld4)
{
	return fetch_lanes(warp, op, mask, true);
}

static const struct op_row rows[] = {{"_tex", "", tex}, {"_tld4", "", tld4}};

EXEC_TABLE(exec_rows_texture)
