/* Linear filtering with a GPU's arithmetic.
 *
 * The CUDA C++ Programming Guide ("Linear Filtering") says that weights have 8 bits of
 * fraction and no more.  The rest was found in the results of an H200, all of which it
 * gives bit by bit: the weights of corners are 8-bit numbers too, whose sum is one; texels
 * of 8 and 16 bits are summed as integers and have 16 bits when they become floats;
 * halves are rounded to halves; ties go away from zero, or up in integers. */
#ifndef CULVERT_BACKEND_SOFTCUDA_EXEC_FILTER_H
#define CULVERT_BACKEND_SOFTCUDA_EXEC_FILTER_H

#include "backend/softcuda/exec_image.h"

enum { FILTER_BITS = 8, FILTER_ONE = 1 << FILTER_BITS, FILTER_CORNERS = 8 };

/* The corners' weights from the fraction of each dimension, all in 1/FILTER_ONE.  Of
 * corner i bit d says whether it is the further one in dimension d. */
void filter_weights(const uint32_t *fraction, unsigned dimensions,
		    uint32_t weights[FILTER_CORNERS]);

/* A weighted sum of texels, channel by channel; starts as {0}. */
struct filter_sum {
	int64_t whole[4];         /* of texels that are normalized integers */
	double real[4];           /* of others */
};

/* Whether texels are summed as integers: what sRGB makes is not of the format any more. */
bool filter_is_whole(const struct soft_image *image);

/* texel: as texel_read_whole has it if filter_is_whole, else texel_read. */
void filter_add(const struct soft_image *image, struct filter_sum *sum, const uint32_t texel[4],
		uint32_t weight);
/* As texel_read has it. */
void filter_finish(const struct soft_image *image, const struct filter_sum *sum,
		   uint32_t value[4]);

#endif
