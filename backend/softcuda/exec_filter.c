/* Weights of texels and their sums. */
#include "config.h"

#include "backend/softcuda/exec_filter.h"

#include "backend/softcuda/exec_real.h"

#include <math.h>

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

/* What sRGB makes is not whole numbers of the format any more. */
static bool is_whole(const struct soft_image *image)
{
	return (image->kind == TEXEL_UNORM && !image->srgb) || image->kind == TEXEL_SNORM;
}

void filter_add(const struct soft_image *image, struct filter_sum *sum, const uint32_t texel[4],
		uint32_t weight)
{
	int32_t unit[4] = {0, 0, 0, 0};
	if (is_whole(image))
		texel_unit(image, texel, unit);
	for (unsigned c = 0; c < 4; c++) {
		float real;
		memcpy(&real, &texel[c], sizeof(real));
		sum->whole[c] += (int64_t)weight * unit[c];
		sum->real[c] += (double)weight / FILTER_ONE * real;
	}
}

/* To a number of 16 bits, normalized as the texels are. */
static int32_t to_16_bits(const struct soft_image *image, int64_t sum)
{
	int32_t s = (int32_t)sum;
	if (image->channel_B == 2)
		return (s + FILTER_ONE / 2) >> FILTER_BITS;
	/* 65535 / 255 is 257; 32767 / 127 is not whole, and this is what is taken for it. */
	if (image->kind == TEXEL_UNORM)
		return (s * 257 + FILTER_ONE / 2) >> FILTER_BITS;
	return s + (((s >> 4) + 4 + (s >> 12)) >> 3);
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

void filter_finish(const struct soft_image *image, const struct filter_sum *sum,
		   uint32_t value[4])
{
	for (unsigned c = 0; c < 4; c++) {
		float real;
		if (image->kind == TEXEL_UNORM && is_whole(image))
			real = (float)to_16_bits(image, sum->whole[c]) / 65535.0f;
		else if (image->kind == TEXEL_SNORM)
			real = (float)to_16_bits(image, sum->whole[c]) / 32767.0f;
		else if (image->kind == TEXEL_FLOAT && image->channel_B == 2)
			real = rounded(sum->real[c], -14, 10);
		else
			real = rounded(sum->real[c], -126, 23);
		memcpy(&value[c], &real, sizeof(real));
		/* Which NaN a host's sum is depends on its compiler. */
		value[c] = real != real ? NAN_32 : value[c];
	}
}
