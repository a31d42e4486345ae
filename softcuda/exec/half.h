/* f16 and bf16 as bits <-> double, each rounding once.
 *
 * Doubles hold every half, and every sum and product of two exactly; so
 * arithmetic goes through them.  A NaN comes out as 0x7fff. Thread-safe. */
#ifndef CULVERT_SOFTCUDA_EXEC_HALF_H
#define CULVERT_SOFTCUDA_EXEC_HALF_H

#include <stdint.h>
#include <string.h>

enum half_rounding { HALF_RN, HALF_RZ, HALF_RM, HALF_RP };

double half_to_f64(uint16_t bits);
uint16_t half_from_f64(double value, enum half_rounding rounding);
uint16_t bfloat_from_f64(double value, enum half_rounding rounding);

/* The 8-bit floats. */
double e4m3_to_f64(uint8_t bits);
double e5m2_to_f64(uint8_t bits);

static inline float bfloat_to_f32(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float value;
	memcpy(&value, &wide, sizeof(value));
	return value;
}

static inline double bfloat_to_f64(uint16_t bits)
{
	return bfloat_to_f32(bits);
}

#endif
