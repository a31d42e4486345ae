/* Weights of texels and their sums. */
#include "config.h"

#include "softcuda/exec/filter.h"

#include "softcuda/exec/real.h"

#include <limits.h>
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

/* --- integers ---------- */

bool filter_is_whole(const struct soft_image *image)
{
	return image->kind != TEXEL_FLOAT && !image->srgb;
}

/* Channels of a packed format are widened before the sum: their bits are repeated until there are 16. */
static uint32_t widened(uint32_t bits, unsigned channel)
{
	return channel < 3 ? bits << 6 | bits >> 4 : bits * 0x5555;
}

/* A sum as a number of 16 bits, normalized as the texels are. */
static int32_t to_16_bits(const struct soft_image *image, int32_t sum)
{
	/* 65535 / 255 is 257; 32767 / 127 is not whole, and this is what is taken for it. */
	if (image->kind == TEXEL_UNORM && image->channel_B == 1 && !image->packed)
		return (sum * 257 + FILTER_ONE / 2) >> FILTER_BITS;
	if (image->kind == TEXEL_SNORM && image->channel_B == 1)
		return sum + (((sum >> 4) + 4 + (sum >> 12)) >> 3);
	return (sum + FILTER_ONE / 2) >> FILTER_BITS;
}

static uint32_t sum_whole(const struct soft_image *image, uint32_t (*texels)[4],
			  const uint32_t *weights, unsigned corners, unsigned channel)
{
	const bool has_sign = image->kind == TEXEL_SINT || image->kind == TEXEL_SNORM;
	int64_t sum = 0;
	for (unsigned i = 0; i < corners; i++) {
		const uint32_t bits = texels[i][channel];
		const uint32_t texel = image->packed ? widened(bits, channel) : bits;
		sum += weights[i] * (has_sign ? (int64_t)(int32_t)texel : texel);
	}
	if (image->channel_B == 4)
		return (uint32_t)(sum >> FILTER_BITS);
	int32_t units = to_16_bits(image, (int32_t)sum);
	if (image->kind == TEXEL_UNORM)
		return bits_f32((float)units / 65535.0f);
	if (image->kind == TEXEL_SNORM)
		return bits_f32((float)(units < -INT16_MAX ? -INT16_MAX : units) / 32767.0f);
	return (uint32_t)units;
}

/* --- floats ---------- */

struct float_format {
	uint32_t nan;             /* the one NaN, as f32 */
	int digits;               /* behind the point */
	int least_exponent;
};
enum { GUARD_BITS = 4 };

static const struct float_format *format_of(const struct soft_image *image)
{
	static const struct float_format half = {0x7fffe000, 10, -14}, single = {NAN_32, 23, -126};
	return image->kind == TEXEL_FLOAT && image->channel_B == 2 ? &half : &single;
}

/* Ties away from zero. */
static float rounded(double value, const struct float_format *format)
{
	if (value == 0 || !isfinite(value))
		return (float)value;
	int exponent = ilogb(value);
	int unit = (exponent < format->least_exponent ? format->least_exponent : exponent) -
		   format->digits;
	return (float)ldexp(round(ldexp(value, -unit)), unit);
}

/* Of the four corners of a square.  A NaN counts even where rounding has left it no
 * weight, the exponent of a number does not. */
static double sum_square(const struct float_format *format, const float texels[4],
			 const uint32_t weights[4])
{
	double sum = 0;
	int highest = INT_MIN;
	for (unsigned i = 0; i < 4; i++) {
		if (texels[i] == 0 || (!weights[i] && isfinite(texels[i])))
			continue;
		int exponent = isfinite(texels[i]) ? ilogb(texels[i]) : INT_MAX;
		highest = exponent > highest ? exponent : highest;
	}
	const int unit = highest == INT_MAX || highest == INT_MIN ? 0 :
			 highest - format->digits - GUARD_BITS;
	for (unsigned i = 0; i < 4; i++) {
		double texel = texels[i];
		if (isfinite(texel))
			texel = ldexp(trunc(ldexp(texel, -unit)), unit);
		sum += texel * weights[i] / FILTER_ONE;
	}
	return sum;
}

static uint32_t sum_real(const struct soft_image *image, uint32_t (*texels)[4],
			 const uint32_t *weights, unsigned corners, unsigned channel)
{
	const struct float_format *format = format_of(image);
	double sum = 0;
	for (unsigned first = 0; first < corners; first += 4) {
		float square[4];
		for (unsigned i = 0; i < 4; i++)
			square[i] = f32_bits(texels[first + i][channel]);
		sum += sum_square(format, square, weights + first);
	}
	return sum != sum ? format->nan : bits_f32(rounded(sum, format));
}

void filter_sum(const struct soft_image *image, uint32_t (*texels)[4], const uint32_t *weights,
		unsigned corners, uint32_t value[4])
{
	const bool is_whole = filter_is_whole(image);
	for (unsigned c = 0; c < 4; c++)
		value[c] = (is_whole ? sum_whole : sum_real)(image, texels, weights, corners, c);
}
