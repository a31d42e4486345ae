/* tex and tld4: coordinates to texels, and between them. */
#include "config.h"

#include "backend/softcuda/exec_half.h"
#include "backend/softcuda/exec_object.h"
#include "backend/softcuda/exec_real.h"
#include "backend/softcuda/exec_table.h"

#include <math.h>

/* Weights are fixed-point numbers with 8 bits of fraction ("Linear Filtering"). */
enum { WEIGHT_BITS = 8, WEIGHT_ONE = 1 << WEIGHT_BITS };
/* Beyond every texture, and so that it fits an integer in 1/256. */
static const double far_out = 1099511627776.0;

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

static double in_texels(const struct soft_image *image, unsigned d, float coordinate)
{
	double x = coordinate;
	bool repeats = image->address[d] == IMAGE_WRAP || image->address[d] == IMAGE_MIRROR;
	if (x != x)
		return 0;
	if (image->normalized) {
		/* Two periods of wrap are one of mirror; fmod is exact. */
		if (repeats)
			x = isinf(x) ? 0 : fmod(x, 2);
		x *= image->size[d];
	}
	return x > far_out ? far_out : x < -far_out ? -far_out : x;
}

/* floor, of what fits. */
static int64_t whole(double value)
{
	int64_t towards_zero = (int64_t)value;
	return towards_zero - (value < (double)towards_zero);
}

static struct span span_at(double texels)
{
	int64_t fixed = whole(texels * WEIGHT_ONE + 0.5) - WEIGHT_ONE / 2;
	return (struct span){fixed >> WEIGHT_BITS, (uint32_t)fixed & (WEIGHT_ONE - 1)};
}

static float coordinate(const struct fetch *fetch, unsigned d)
{
	float value;
	memcpy(&value, &fetch->warp->image[IMAGE_SLOT_X + d][fetch->l], sizeof(value));
	return value;
}

/* The texel at any index; false: a fault was noted. */
static bool texel_at(const struct fetch *fetch, const int64_t index[3], uint32_t value[4])
{
	const struct soft_image *image = fetch->image;
	uint64_t place = image->start + fetch->layer * image->slice_B;
	const uint64_t stride_B[3] = {image_texel_B(image), image->pitch_B, image->slice_B};
	for (unsigned d = 0; d < image->dimensions; d++) {
		int64_t i = addressed(image, d, index[d]);
		if (i < 0) {
			texel_border(image, value);
			return true;
		}
		place += (uint64_t)i * stride_B[d];
	}
	if (exec_object_watched(fetch->warp) &&
	    !exec_object_touch(fetch->warp, fetch->op, fetch->l, SOFT_ACCESS_READ, place,
			       image_texel_B(image)))
		return false;
	texel_read(image, (const void *)(uintptr_t)place, value);
	return true;
}

static bool fetch_point(const struct fetch *fetch, uint32_t value[4])
{
	int64_t index[3] = {0, 0, 0};
	for (unsigned d = 0; d < fetch->image->dimensions; d++) {
		if (fetch->mode.real)
			index[d] = whole(in_texels(fetch->image, d, coordinate(fetch, d)));
		else
			index[d] = (int32_t)fetch->warp->image[IMAGE_SLOT_X + d][fetch->l];
		index[d] += fetch->offset[d];
	}
	return texel_at(fetch, index, value);
}

static bool fetch_linear(const struct fetch *fetch, uint32_t value[4])
{
	const unsigned dimensions = fetch->image->dimensions;
	struct span span[3];
	double sum[4] = {0, 0, 0, 0};
	for (unsigned d = 0; d < dimensions; d++) {
		span[d] = span_at(in_texels(fetch->image, d, coordinate(fetch, d)));
		span[d].first += fetch->offset[d];
	}
	for (unsigned corner = 0; corner < 1u << dimensions; corner++) {
		int64_t index[3] = {0, 0, 0};
		double weight = 1;
		uint32_t texel[4];
		for (unsigned d = 0; d < dimensions; d++) {
			bool other = corner >> d & 1;
			index[d] = span[d].first + other;
			weight *= (other ? span[d].weight : WEIGHT_ONE - span[d].weight) /
				  (double)WEIGHT_ONE;
		}
		if (!texel_at(fetch, index, texel))
			return false;
		for (unsigned c = 0; c < 4; c++) {
			float real;
			memcpy(&real, &texel[c], sizeof(real));
			sum[c] += weight * real;
		}
	}
	for (unsigned c = 0; c < 4; c++) {
		float real = (float)sum[c];
		memcpy(&value[c], &real, sizeof(real));
		/* Which NaN a host's sum is depends on its compiler. */
		value[c] = real != real ? NAN_32 : value[c];
	}
	return true;
}

/* One component of the four texels that a linear filter would use, counterclockwise
 * from the lower left (PTX ISA, tld4). */
static bool fetch_gather(const struct fetch *fetch, uint32_t value[4])
{
	static const uint8_t right[4] = {0, 1, 1, 0}, low[4] = {1, 1, 0, 0};
	struct span x = span_at(in_texels(fetch->image, 0, coordinate(fetch, 0)));
	struct span y = span_at(in_texels(fetch->image, 1, coordinate(fetch, 1)));
	for (unsigned i = 0; i < 4; i++) {
		const int64_t index[3] = {x.first + fetch->offset[0] + right[i],
					  y.first + fetch->offset[1] + low[i], 0};
		uint32_t texel[4];
		if (!texel_at(fetch, index, texel))
			return false;
		value[i] = texel[fetch->mode.component];
	}
	return true;
}

typedef bool fetch_run(const struct fetch *fetch, uint32_t value[4]);

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
		bool linear = fetch.image->filter && fetch.mode.real;
		fetch_run *run = gather ? fetch_gather : linear ? fetch_linear : fetch_point;
		if (!run(&fetch, value))
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
