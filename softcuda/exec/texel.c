/* Texels to 32-bit values and back. */
#include "config.h"

#include "softcuda/exec/half.h"
#include "softcuda/exec/image.h"

#include <math.h>
#include <string.h>

static uint32_t float_bits(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static float bits_float(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static uint32_t raw(const struct soft_image *image, const char *place)
{
	uint16_t half;
	uint32_t word;
	switch (image->channel_B) {
	case 1:
		return (uint8_t)*place;
	case 2:
		memcpy(&half, place, sizeof(half));
		return half;
	default:
		memcpy(&word, place, sizeof(word));
		return word;
	}
}

static int32_t extend(const struct soft_image *image, uint32_t bits)
{
	return image->channel_B == 1 ? (int8_t)bits : image->channel_B == 2 ? (int16_t)bits :
	       (int32_t)bits;
}

/* A half as a float; a NaN keeps its bits. */
static uint32_t half_bits(uint32_t bits)
{
	if ((bits & 0x7fff) > 0x7c00)
		return (bits & 0x8000) << 16 | 0x7f800000 | (bits & 0x3ff) << 13;
	return float_bits((float)half_to_f64((uint16_t)bits));
}

/* IEC 61966-2-1, as the guide's sRGB reads: 8-bit channels to linear ones. */
static float from_srgb(uint32_t bits)
{
	double value = bits / 255.0;
	return (float)(value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
}

/* The highest that a channel of integers can be. */
static int32_t most(const struct soft_image *image)
{
	if (image->kind == TEXEL_UNORM)
		return image->channel_B == 1 ? UINT8_MAX : UINT16_MAX;
	return image->channel_B == 1 ? INT8_MAX : INT16_MAX;
}

/* The lowest number of a signed format counts as the one above it. */
static int32_t floor_at(int32_t value, int32_t low)
{
	return value < low ? low : value;
}

static uint32_t whole(const struct soft_image *image, uint32_t bits)
{
	bool has_sign = image->kind == TEXEL_SINT || image->kind == TEXEL_SNORM;
	return has_sign ? (uint32_t)extend(image, bits) : bits;
}

static uint32_t decode(const struct soft_image *image, uint32_t bits, unsigned channel)
{
	switch (image->kind) {
	case TEXEL_UNORM:
		if (image->srgb && channel < 3)
			return float_bits(from_srgb(bits));
		return float_bits((float)bits / (float)most(image));
	case TEXEL_SNORM:
		return float_bits((float)floor_at(extend(image, bits), -most(image)) /
				  (float)most(image));
	case TEXEL_FLOAT:
		return image->channel_B == 2 ? half_bits(bits) : bits;
	default:
		return whole(image, bits);
	}
}

/* The channels of a packed texel: where they are, and the highest that they can be. */
static const struct { unsigned shift; uint32_t most; } packed[4] = {
	{0, 1023}, {10, 1023}, {20, 1023}, {30, 3}
};

static uint32_t packed_bits(const void *place, unsigned channel)
{
	uint32_t word;
	memcpy(&word, place, sizeof(word));
	return word >> packed[channel].shift & packed[channel].most;
}

static uint32_t packed_decode(uint32_t bits, unsigned channel)
{
	return float_bits((float)bits / (float)packed[channel].most);
}

void texel_read(const struct soft_image *image, const void *place, uint32_t value[4])
{
	const char *at = place;
	if (image->packed) {
		for (unsigned c = 0; c < 4; c++)
			value[c] = packed_decode(packed_bits(place, c), c);
		return;
	}
	/* The two that are read most. */
	if (image->kind == TEXEL_FLOAT && image->channel_B == 4 && image->channels == 4) {
		memcpy(value, place, 4 * sizeof(*value));
		return;
	}
	if (image->kind == TEXEL_UNORM && !image->srgb && image->channel_B == 1 &&
	    image->channels == 4) {
		for (unsigned c = 0; c < 4; c++)
			value[c] = float_bits((float)(uint8_t)at[c] / 255.0f);
		return;
	}
	value[1] = value[2] = value[3] = 0;
	for (unsigned c = 0; c < image->channels; c++)
		value[c] = decode(image, raw(image, at + (size_t)c * image->channel_B), c);
}

void texel_read_whole(const struct soft_image *image, const void *place, uint32_t value[4])
{
	const char *at = place;
	value[1] = value[2] = value[3] = 0;
	for (unsigned c = 0; c < image->channels && image->packed; c++)
		value[c] = packed_bits(place, c);
	for (unsigned c = 0; c < image->channels && !image->packed; c++)
		value[c] = whole(image, raw(image, at + (size_t)c * image->channel_B));
}

/* --- back ---------- */

static double clamp(double value, double low, double high)
{
	return value != value ? 0 : value < low ? low : value > high ? high : value;
}

/* What a half has no room for is cut off, of a NaN as well. */
static uint32_t cut_to_half(uint32_t bits)
{
	if ((bits & 0x7fffffff) > 0x7f800000)
		return (bits >> 16 & 0x8000) | 0x7c00 | (bits >> 13 & 0x3ff);
	return half_from_f64(bits_float(bits), HALF_RZ);
}

static uint32_t encode(const struct soft_image *image, uint32_t value)
{
	const unsigned bits = 8u * image->channel_B;
	const uint32_t most = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
	const int32_t high = (int32_t)(most >> 1);
	double real = bits_float(value);
	switch (image->kind) {
	case TEXEL_UNORM:
		real = clamp(real, 0, 1);
		/* Of 16 bits only 4 more are seen: 12879.52 / 65535 becomes 12879. */
		real = bits == 16 ? floor(ldexp(real, 20)) / 0x1p20 * most : real * most;
		return (uint32_t)rint(real);
	case TEXEL_SNORM:
		return (uint32_t)(int32_t)rint(clamp(real, -1, 1) * high);
	case TEXEL_FLOAT:
		return image->channel_B == 2 ? cut_to_half(value) : value;
	case TEXEL_SINT:
		return (int32_t)value > high ? (uint32_t)high :
		       (int32_t)value < -high - 1 ? (uint32_t)(-high - 1) : value;
	default:
		return value < most ? value : most;
	}
}

static uint32_t packed_encode(uint32_t value, unsigned channel)
{
	return (uint32_t)rint(clamp(bits_float(value), 0, 1) * packed[channel].most);
}

/* --- borders and writes ---------- */

/* A border's colour is a texel of the format: saturated and rounded, or of integers
 * that stay such its bits. */
static uint32_t border_bits(const struct soft_image *image, unsigned channel)
{
	const uint32_t color = float_bits(image->border[channel]);
	if (channel >= image->channels)
		return 0;
	if (image->kind == TEXEL_UINT || image->kind == TEXEL_SINT)
		return color & (UINT32_MAX >> (32 - 8 * image->channel_B));
	return encode(image, color);
}

void texel_border(const struct soft_image *image, uint32_t value[4])
{
	for (unsigned c = 0; c < 4; c++) {
		const double color = image->border[c];
		if (image->packed) {
			value[c] = packed_decode(packed_encode(float_bits((float)color), c), c);
			continue;
		}
		value[c] = image->srgb && c < 3 ? float_bits((float)clamp(color, 0, 1)) :
			   decode(image, border_bits(image, c), c);
	}
}

void texel_border_whole(const struct soft_image *image, uint32_t value[4])
{
	for (unsigned c = 0; c < 4; c++)
		value[c] = image->packed ? packed_encode(float_bits(image->border[c]), c)
					 : whole(image, border_bits(image, c));
}

void texel_write(const struct soft_image *image, void *place, const uint32_t *value,
		 unsigned count)
{
	char *at = place;
	uint32_t all = 0;
	for (unsigned c = 0; c < count && image->packed; c++)
		all |= packed_encode(value[c], c) << packed[c].shift;
	if (image->packed) {
		memcpy(at, &all, sizeof(all));
		return;
	}
	for (unsigned c = 0; c < image->channels; c++, at += image->channel_B) {
		uint32_t word = c < count ? encode(image, value[c]) : 0;
		uint16_t half = (uint16_t)word;
		if (image->channel_B == 1)
			*at = (char)word;
		else if (image->channel_B == 2)
			memcpy(at, &half, sizeof(half));
		else
			memcpy(at, &word, sizeof(word));
	}
}
