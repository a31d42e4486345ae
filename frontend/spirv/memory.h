/* Memory operands (SPIR-V 1.6, 3.29) of loads, stores and copies.
 *
 * Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_MEMORY_H
#define CULVERT_FRONTEND_SPIRV_MEMORY_H

#include "frontend/spirv/value.h"

struct spirv_access {
	bool is_volatile;
	uint32_t align_B;           /* 0: the module gives none */
};

/* Reads a mask and its operands from word *at on, if there is one, and moves *at behind them; false with a message. */
bool spirv_access_read(struct spirv_reader *reader, const struct spirv_op *op, unsigned *at,
		       struct spirv_access *access);
/* Whether word at is the end of the instruction; false with a message. */
bool spirv_is_all_read(struct spirv_reader *reader, const struct spirv_op *op, unsigned at);

#endif
