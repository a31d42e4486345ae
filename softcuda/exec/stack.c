/* stacksave, stackrestore, alloca (PTX ISA 9.0, 9.7.17).  The stack grows upwards here:
 * each lane's behind its frame's variables, and it ends with the frame. */
#include "config.h"

#include "softcuda/exec/fault.h"
#include "softcuda/exec/table.h"
#include "softcuda/exec/warp.h"

/* Operand i of lane l, of 32 or 64 bits as op says. */
static uint64_t operand(const struct warp *warp, const struct op *op, unsigned i, unsigned l)
{
	return op->address_32 ? OPERAND(const lane_u32, i)[l] : OPERAND(const lane_u64, i)[l];
}

static void put(const struct warp *warp, const struct op *op, unsigned l, uint64_t value)
{
	if (op->address_32)
		OPERAND(lane_u32, 0)[l] = (uint32_t)value;
	else
		OPERAND(lane_u64, 0)[l] = value;
}

OP_HEAD(stack_save)
{
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		put(warp, op, l, warp->frame->tops[l]);
	}
	return FLOW_NEXT;
}

OP_HEAD(stack_restore)
{
	const struct frame *frame = warp->frame;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		const uint64_t top = operand(warp, op, 1, l);
		if (top < frame->local_B + frame->code->local_B || top > frame->tops[l])
			return exec_fault(warp, op, 1u << l, CUDA_ERROR_HARDWARE_STACK_ERROR,
					  "stackrestore of 0x%llx, which is not on the stack",
					  (unsigned long long)top);
		frame->tops[l] = (uint32_t)top;
	}
	return FLOW_NEXT;
}

/* op->imm is the alignment. */
OP_HEAD(stack_alloca)
{
	struct frame *frame = warp->frame;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		const uint64_t size_B = operand(warp, op, 1, l), align_B = (uint64_t)op->imm;
		const uint64_t start = (frame->tops[l] + align_B - 1) & ~(align_B - 1);
		if (size_B > LOCAL_MAX_B || !warp_grow_local(warp, start + size_B))
			return exec_fault(warp, op, 1u << l, CUDA_ERROR_HARDWARE_STACK_ERROR,
					  "no room for alloca of %llu bytes",
					  (unsigned long long)size_B);
		frame->tops[l] = (uint32_t)(start + size_B);
		if (frame->extent_B < frame->tops[l])
			frame->extent_B = frame->tops[l];
		put(warp, op, l, start);
	}
	return FLOW_NEXT;
}

static const struct op_row rows[] = {
	{"_stack.save", "", stack_save}, {"_stack.restore", "", stack_restore},
	{"_stack.alloca", "", stack_alloca}
};

EXEC_TABLE(exec_rows_stack)
