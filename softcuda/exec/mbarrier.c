/* mbarrier: a barrier that is an object in shared memory (PTX ISA 8.7, 9.7.13.15).
 *
 * What is in its 64 bits is ours to choose: how many arrivals a phase expects, how
 * many of them and of the announced bytes (tx) are still to come, and whether the
 * phase's number is odd.  A state that arrive returns is the object before it.  A
 * group belongs to one thread, so nothing here has to be atomic. */
#include "config.h"

#include "softcuda/exec/access.h"
#include "softcuda/exec/fault.h"
#include "softcuda/exec/watch.h"
#include "softcuda/exec/memory.h"
#include "softcuda/exec/table.h"

enum { COUNT_MAX = (1 << 20) - 1, TX_MAX = (1 << 20) - 1 };

struct mbarrier {
	int64_t expected, pending, tx;
	bool odd;
};

static struct mbarrier unpack(uint64_t bits)
{
	return (struct mbarrier){
		.expected = bits & COUNT_MAX, .pending = bits >> 20 & COUNT_MAX,
		.tx = (int64_t)(bits >> 40 & (2 * TX_MAX + 1)) - TX_MAX, .odd = bits >> 63
	};
}

static uint64_t pack(const struct mbarrier *barrier)
{
	return (uint64_t)barrier->expected | (uint64_t)barrier->pending << 20 |
	       (uint64_t)(barrier->tx + TX_MAX) << 40 | (uint64_t)barrier->odd << 63;
}

/* Where each lane's object is; false: a fault was noted. */
static bool find(struct warp *warp, const struct op *op, uint32_t mask, unsigned kind,
		 uint64_t *place)
{
	const struct group *group = warp->group;
	if (!exec_access(warp, op, mask, sizeof(uint64_t), kind, place))
		return false;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		if (place[l] - (uint64_t)(uintptr_t)group->shared < group->job->shared_B)
			continue;
		exec_fault(warp, op, 1u << l, CUDA_ERROR_ILLEGAL_ADDRESS,
			   "an mbarrier that is not in shared memory");
		return false;
	}
	return true;
}

/* x[0]: the count. */
OP_HEAD(mbarrier_init)
{
	const lane_u32 *count = OPERAND(const lane_u32, 0);
	uint64_t place[LANES];
	if (!find(warp, op, mask, SOFT_ACCESS_WRITE, place))
		return FLOW_FAULT;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		if (!count[l] || count[l] > COUNT_MAX)
			return exec_fault(warp, op, 1u << l, CUDA_ERROR_ILLEGAL_INSTRUCTION,
					  "an mbarrier for %u arrivals", count[l]);
		const struct mbarrier fresh = {.expected = count[l], .pending = count[l]};
		*(lane_u64 *)(uintptr_t)place[l] = pack(&fresh);
	}
	return FLOW_NEXT;
}

OP_HEAD(mbarrier_inval)
{
	uint64_t place[LANES];
	if (!find(warp, op, mask, SOFT_ACCESS_WRITE, place))
		return FLOW_FAULT;
	for (uint32_t rest = mask; rest; rest &= rest - 1)
		*(lane_u64 *)(uintptr_t)place[exec_lowest(rest)] = 0;
	return FLOW_NEXT;
}

/* Announced bytes come before the arrival, as in arrive.expect_tx.  False where the
 * ISA says that the behaviour is undefined. */
static bool change(lane_u64 *object, uint32_t arrivals, uint32_t dropped, int32_t tx)
{
	struct mbarrier barrier = unpack(*object);
	barrier.tx += tx;
	barrier.expected -= dropped;
	barrier.pending -= arrivals;
	if (barrier.pending < 0 || barrier.expected < 0 || barrier.tx > TX_MAX ||
	    barrier.tx < -TX_MAX)
		return false;
	if (!barrier.pending && !barrier.tx) {
		barrier.odd = !barrier.odd;
		barrier.pending = barrier.expected;
	}
	*object = pack(&barrier);
	return true;
}

/* x[0]: the state; x[1]: arrivals; x[2]: bytes announced (or come, negative); x[3]:
 * how many of the arrivals are expected no more. */
OP_HEAD(mbarrier_arrive)
{
	const lane_u32 *arrivals = OPERAND(const lane_u32, 1);
	const lane_u32 *tx = OPERAND(const lane_u32, 2);
	const lane_u32 *dropped = OPERAND(const lane_u32, 3);
	uint64_t place[LANES], state[LANES] = {0};
	if (!find(warp, op, mask, SOFT_ACCESS_READ_STRONG | SOFT_ACCESS_WRITE_STRONG, place))
		return FLOW_FAULT;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		lane_u64 *object = (lane_u64 *)(uintptr_t)place[l];
		state[l] = *object;
		if (!change(object, arrivals[l], dropped[l], (int32_t)tx[l]))
			return exec_fault(warp, op, 1u << l, CUDA_ERROR_ILLEGAL_INSTRUCTION,
					  "more arrivals or bytes than the mbarrier can take");
	}
	op_put_64(OPERAND(void, 0), state, mask);
	return FLOW_NEXT;
}

/* x[0]: whether the phase is over that x[2], a state or a parity, stands for. */
static enum flow wait(struct warp *warp, const struct op *op, uint32_t mask, const bool *odd)
{
	uint64_t place[LANES];
	uint32_t over = 0;
	if (!find(warp, op, mask, SOFT_ACCESS_READ_STRONG, place))
		return FLOW_FAULT;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		if (unpack(*(const lane_u64 *)(uintptr_t)place[l]).odd != odd[l])
			over |= 1u << l;
	}
	op_put_predicate(OPERAND(void, 0), over, mask);
	return FLOW_NEXT;
}

OP_HEAD(mbarrier_wait)
{
	const lane_u64 *state = OPERAND(const lane_u64, 2);
	bool odd[LANES];
	for (unsigned l = 0; l < LANES; l++)
		odd[l] = state[l] >> 63;
	return wait(warp, op, mask, odd);
}

OP_HEAD(mbarrier_wait_parity)
{
	const lane_u32 *parity = OPERAND(const lane_u32, 2);
	bool odd[LANES];
	for (unsigned l = 0; l < LANES; l++)
		odd[l] = parity[l] & 1;
	return wait(warp, op, mask, odd);
}

OP_UNARY(mbarrier_pending, lane_u64, 32, a[l] >> 20 & COUNT_MAX)

static const struct op_row rows[] = {
	{"_mbarrier.init", "", mbarrier_init}, {"_mbarrier.inval", "", mbarrier_inval},
	{"_mbarrier.arrive", "", mbarrier_arrive}, {"_mbarrier.wait", "", mbarrier_wait},
	{"_mbarrier.wait.parity", "", mbarrier_wait_parity},
	{"_mbarrier.pending_count", "wl", mbarrier_pending}
};

EXEC_TABLE(exec_rows_mbarrier)
