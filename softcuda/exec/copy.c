/* cp.async: done where it stands, which every wait for it allows. */
#include "config.h"

#include "softcuda/exec/access.h"
#include "softcuda/exec/watch.h"
#include "softcuda/exec/memory.h"
#include "softcuda/exec/table.h"

/* x[0]: how many bytes are read, the rest is zeros; x[1]: from where; x[2], no operand:
 * how many bytes are written.  To a checker it is a store and then loads; the data
 * are in no register, which vector, being 0, says. */
OP_HEAD(cp_async)
{
	const lane_u32 *read_B = OPERAND(const lane_u32, 0);
	uint32_t size_B = op->x[2];
	uint64_t to[LANES];
	struct op source = *op;
	source.x[MEMORY_ADDRESS] = op->x[1];
	source.space = SPACE_GLOBAL;
	source.address_32 = false;
	source.writes = 1;
	source.reads = 1u << MEMORY_ADDRESS;
	if (!exec_access(warp, op, mask, size_B, SOFT_ACCESS_WRITE, to))
		return FLOW_FAULT;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		bool whole = read_B[l] >= size_B;
		uint64_t first[LANES], last[LANES];
		char *at = (char *)(uintptr_t)to[l];
		memset(at, 0, size_B);
		if (!read_B[l])
			continue;
		/* Only a whole one has an alignment that can be checked. */
		source.imm = 0;
		if (!exec_access(warp, &source, 1u << l, whole ? size_B : 1,
				 SOFT_ACCESS_READ, first))
			return FLOW_FAULT;
		source.imm = whole ? 0 : read_B[l] - 1;
		if (!whole && !exec_access(warp, &source, 1u << l, 1, SOFT_ACCESS_READ, last))
			return FLOW_FAULT;
		memcpy(at, (const void *)(uintptr_t)first[l], whole ? size_B : read_B[l]);
	}
	return FLOW_NEXT;
}

static const struct op_row rows[] = {{"_cp.async", "", cp_async}};

EXEC_TABLE(exec_rows_copy)
