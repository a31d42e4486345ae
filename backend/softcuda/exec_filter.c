/* Weights of texels and their sums. */
#include "config.h"

#include "backend/softcuda/exec_filter.h"

#include "backend/softcuda/exec_real.h"

#include <math.h>

/* A half's one NaN as a float. */
enum { HALF_NAN = 0x7fffe000 };

/* --- weights ---------- */

static uint32_t part(uint32_t weight, uint32_t fraction)
{
	return (weight * fraction + FILTER_ONE / 2) >> FILTER_BITS;
}

/* A weight shared out among the corners of a square: at the further x rounding goes to
 * the further y, else to the nearer. */
static void square(uint32_t weight, const uint32_t fraction[2], uint32_t weights[4])
{
	uint32_t far = part(weight, fraction[0]), near = weight - far;
	weights[3] = part(far, fraction[1]);
	weights[1] = far - weights[3];
	weights[0] = part(near, FILTER_ONE - fraction[1]);
	weights[2] = near - weights[0];
}

void filter_weights(const uint32_t *fraction, unsigned dimensions,
		    uint32_t weights[FILTER_CORNERS])
{
	uint32_t far_z = dimensions == 3 ? fraction[2] : 0;
	square(FILTER_ONE - far_z, fraction, weights);
	if (dimensions == 3)
		square(far_z, fraction, weights + 4);
}

/* --- sums ---------- */

bool filter_is_whole(const struct soft_image *image)
{
	return image->kind != TEXEL_FLOAT && !image->srgb;
}

void filter_add(const struct soft_image *image, struct filter_sum *sum, const uint32_t texel[4],
		uint32_t weight)
{
	const bool has_sign = image->kind == TEXEL_SINT || image->kind == TEXEL_SNORM;
	/* Not even a NaN counts. */
	if (!weight)
		return;
	for (unsigned c = 0; c < 4; c++) {
		if (filter_is_whole(image))
			sum->whole[c] += weight * (has_sign ? (int64_t)(int32_t)texel[c] : texel[c]);
		else
			sum->real[c] += (double)weight / FILTER_ONE * f32_bits(texel[c]);
	}
}

/* A sum as a number of 16 bits, normalized as the texels are. */
static int32_t to_16_bits(const struct soft_image *image, int32_t sum)
{
	/* 65535 / 255 is 257; 32767 / 127 is not whole, and this is what is taken for it. */
	if (image->kind == TEXEL_UNORM && image->channel_B == 1)
		return (sum * 257 + FILTER_ONE / 2) >> FILTER_BITS;
	if (image->kind == TEXEL_SNORM && image->channel_B == 1)
		return sum + (((sum >> 4) + 4 + (sum >> 12)) >> 3);
	return (sum + FILTER_ONE / 2) >> FILTER_BITS;
}

/* To a float format's digits, ties away from zero. */
static float rounded(double value, int least_exponent, int digits)
{
	if (value == 0 || !isfinite(value))
		return (float)value;
	int exponent = ilogb(value);
	int unit = (exponent < least_exponent ? least_exponent : exponent) - digits;
	return (float)ldexp(round(ldexp(value, -unit)), unit);
}

static uint32_t finish_whole(const struct soft_image *image, int64_t sum)
{
	if (image->channel_B == 4)
		return (uint32_t)(sum >> FILTER_BITS);
	int32_t units = to_16_bits(image, (int32_t)sum);
	if (image->kind == TEXEL_UNORM)
		return bits_f32((float)units / 65535.0f);
	if (image->kind == TEXEL_SNORM)
		return bits_f32((float)(units < -INT16_MAX ? -INT16_MAX : units) / 32767.0f);
	return (uint32_t)units;
}

void filter_finish(const struct soft_image *image, const struct filter_sum *sum,
		   uint32_t value[4])
{
	const bool half = image->kind == TEXEL_FLOAT && image->channel_B == 2;
	for (unsigned c = 0; c < 4; c++) {
		if (filter_is_whole(image))
			value[c] = finish_whole(image, sum->whole[c]);
		else if (sum->real[c] != sum->real[c])
			value[c] = half ? HALF_NAN : NAN_32;
		else
			value[c] = bits_f32(half ? rounded(sum->real[c], -14, 10) :
					    rounded(sum->real[c], -126, 23));
	}
}
