/* Linear filtering with a GPU's arithmetic.
 *
 * The CUDA C++ Programming Guide ("Linear Filtering") says that weights have 8 bits of
 * fraction and no more.  The rest was found in the results of an H200, all of which it
 * gives bit by bit: the weights of corners are 8-bit numbers too, whose sum is one; texels
 * of 8, 10 and 16 bits are summed as integers and have 16 bits when they become floats; the
 * digits of floats are aligned with the largest of four texels, and what then is 4 bits
 * below its last digit or lower is cut off; ties go away from zero, or up in integers. */
#ifndef CULVERT_SOFTCUDA_EXEC_FILTER_H
#define CULVERT_SOFTCUDA_EXEC_FILTER_H

#include "softcuda/exec/image.h"

enum { FILTER_BITS = 8, FILTER_ONE = 1 << FILTER_BITS, FILTER_CORNERS = 8 };

/* The corners' weights from the fraction of each dimension, all in 1/FILTER_ONE.  Of
 * corner i bit d says whether it is the further one in dimension d. */
void filter_weights(const uint32_t *fraction, unsigned dimensions,
		    uint32_t weights[FILTER_CORNERS]);

/* Whether texels are summed as integers: what sRGB makes is not of the format any more. */
bool filter_is_whole(const struct soft_image *image);

/* The weighted sum of 4 or 8 corners' texels, as texel_read has one.  They are as
 * texel_read_whole has them if filter_is_whole, else as texel_read does. */
void filter_sum(const struct soft_image *image, uint32_t (*texels)[4], const uint32_t *weights,
		unsigned corners, uint32_t value[4]);

#endif
