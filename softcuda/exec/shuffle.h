/* Which lane a lane of a shuffle reads from (PTX ISA 9.0, 9.7.9.6), for the interpreter and the compiler. */
#ifndef CULVERT_SOFTCUDA_EXEC_SHUFFLE_H
#define CULVERT_SOFTCUDA_EXEC_SHUFFLE_H

#include <stdbool.h>
#include <stdint.h>

enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };

/* The lane that lane l reads from, with the operands b and c of the instruction.  It is l itself if the lane that these
 * name is outside of the segment; *inside_out is the instruction's predicate. */
static inline uint32_t shuffle_source(enum shuffle kind, uint32_t l, uint32_t b, uint32_t c, bool *inside_out)
{
	const uint32_t by = b & 31, bound = c & 31, segment = c >> 8 & 31;
	const uint32_t top = (l & segment) | (bound & ~segment), bottom = l & segment;
	uint32_t from;
	if (kind == SHUFFLE_UP) {
		from = l - by;
		*inside_out = (int32_t)from >= (int32_t)top;
	} else {
		from = kind == SHUFFLE_IDX ? bottom | (by & ~segment) : kind == SHUFFLE_DOWN ? l + by : l ^ by;
		*inside_out = from <= top;
	}
	return *inside_out ? from & 31 : l;
}

#endif
