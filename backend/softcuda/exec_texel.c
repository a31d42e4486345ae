/* Texels to 32-bit values and back. */
#include "config.h"

#include "backend/softcuda/exec_half.h"
#include "backend/softcuda/exec_image.h"

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

/* IEC 61966-2-1, as the guide's sRGB reads: 8-bit channels to linear ones. */
static float from_srgb(uint32_t bits)
{
	double value = bits / 255.0;
	return (float)(value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
}

static uint32_t decode(const struct soft_image *image, uint32_t bits, unsigned channel)
{
	double most = image->channel_B == 1 ? 127 : 32767, value;
	switch (image->kind) {
	case TEXEL_UNORM:
		if (image->srgb && image->channel_B == 1 && channel < 3)
			return float_bits(from_srgb(bits));
		return float_bits((float)bits / (image->channel_B == 1 ? 255.0f : 65535.0f));
	case TEXEL_SNORM:
		value = extend(image, bits) / most;
		return float_bits((float)(value < -1 ? -1 : value));
	case TEXEL_FLOAT:
		return image->channel_B == 2 ? float_bits((float)half_to_f64((uint16_t)bits)) :
		       bits;
	case TEXEL_SINT:
		return (uint32_t)extend(image, bits);
	default:
		return bits;
	}
}

void texel_read(const struct soft_image *image, const void *place, uint32_t value[4])
{
	const char *at = place;
	bool whole = image->kind == TEXEL_UINT || image->kind == TEXEL_SINT;
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
	value[1] = value[2] = 0;
	value[3] = whole ? 1 : float_bits(1);
	for (unsigned c = 0; c < image->channels; c++)
		value[c] = decode(image, raw(image, at + (size_t)c * image->channel_B), c);
}

void texel_border(const struct soft_image *image, uint32_t value[4])
{
	for (unsigned c = 0; c < 4; c++) {
		double color = image->border[c];
		if (image->kind == TEXEL_UINT)
			value[c] = color >= 0 && color <= UINT32_MAX ? (uint32_t)color : 0;
		else if (image->kind == TEXEL_SINT)
			value[c] = fabs(color) <= INT32_MAX ? (uint32_t)(int32_t)color : 0;
		else
			value[c] = float_bits(image->border[c]);
	}
}

/* --- back ---------- */

static double clamp(double value, double low, double high)
{
	return value != value ? 0 : value < low ? low : value > high ? high : value;
}

static uint32_t encode(const struct soft_image *image, uint32_t value)
{
	const unsigned bits = 8u * image->channel_B;
	const uint32_t most = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
	const int32_t high = (int32_t)(most >> 1);
	double real = bits_float(value);
	switch (image->kind) {
	case TEXEL_UNORM:
		return (uint32_t)rint(clamp(real, 0, 1) * most);
	case TEXEL_SNORM:
		return (uint32_t)(int32_t)rint(clamp(real, -1, 1) * high);
	case TEXEL_FLOAT:
		return image->channel_B == 2 ? half_from_f64(real, HALF_RN) : value;
	case TEXEL_SINT:
		return (int32_t)value > high ? (uint32_t)high :
		       (int32_t)value < -high - 1 ? (uint32_t)(-high - 1) : value;
	default:
		return value < most ? value : most;
	}
}

void texel_write(const struct soft_image *image, void *place, const uint32_t *value,
		 unsigned count)
{
	char *at = place;
	for (unsigned c = 0; c < image->channels && c < count; c++, at += image->channel_B) {
		uint32_t word = encode(image, value[c]);
		uint16_t half = (uint16_t)word;
		if (image->channel_B == 1)
			*at = (char)word;
		else if (image->channel_B == 2)
			memcpy(at, &half, sizeof(half));
		else
			memcpy(at, &word, sizeof(word));
	}
}
