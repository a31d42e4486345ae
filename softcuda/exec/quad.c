/* 128 bits: mov, ld, st, and the two atomics that there are (PTX ISA 9.0, 9.7.13.15). */
#include "config.h"

#include "softcuda/exec/access.h"
#include "softcuda/exec/watch.h"
#include "softcuda/exec/memory.h"
#include "softcuda/exec/table.h"

struct __attribute__((may_alias)) lane_u128 {
	uint64_t low, high;
};

/* Not every host has atomics of this size, so one lock makes them; with accesses of
 * another size they were not atomic on a GPU either.  A leaf. */
static struct lock atomics = LOCK_INIT(LOCK_RANK_CACHE);

static struct lane_u128 *at(uint64_t place)
{
	return (struct lane_u128 *)(uintptr_t)place;
}

OP_HEAD(copy)
{
	const struct lane_u128 *a = OPERAND(const struct lane_u128, 1);
	struct lane_u128 *d = OPERAND(struct lane_u128, 0);
	for (unsigned l = 0; l < LANES; l++)
		d[l] = mask >> l & 1 ? a[l] : d[l];
	return FLOW_NEXT;
}

OP_HEAD(pack)
{
	const lane_u64 *a = OPERAND(const lane_u64, 1), *b = OPERAND(const lane_u64, 2);
	struct lane_u128 *d = OPERAND(struct lane_u128, 0);
	for (unsigned l = 0; l < LANES; l++)
		d[l] = mask >> l & 1 ? (struct lane_u128){a[l], b[l]} : d[l];
	return FLOW_NEXT;
}

OP_UNARY(unpack_low, struct lane_u128, 64, a[l].low)
OP_UNARY(unpack_high, struct lane_u128, 64, a[l].high)

OP_HEAD(load)
{
	const bool weak = op->mode == ORDER_WEAK;
	struct lane_u128 *d = OPERAND(struct lane_u128, 0);
	uint64_t place[LANES];
	if (!exec_access(warp, op, mask, sizeof(*d),
			 SOFT_ACCESS_LOAD | (weak ? SOFT_ACCESS_READ : SOFT_ACCESS_READ_STRONG), place))
		return FLOW_FAULT;
	if (!weak)
		lock_take(&atomics);
	for (unsigned l = 0; l < LANES; l++)
		d[l] = mask >> l & 1 ? *at(place[l]) : d[l];
	if (!weak)
		lock_drop(&atomics);
	return FLOW_NEXT;
}

OP_HEAD(store)
{
	const bool weak = op->mode == ORDER_WEAK;
	const struct lane_u128 *value = OPERAND(const struct lane_u128, 0);
	uint64_t place[LANES];
	if (!exec_access(warp, op, mask, sizeof(*value),
			 weak ? SOFT_ACCESS_WRITE : SOFT_ACCESS_WRITE_STRONG, place))
		return FLOW_FAULT;
	if (!weak)
		lock_take(&atomics);
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		*at(place[l]) = value[l];
	}
	if (!weak)
		lock_drop(&atomics);
	return FLOW_NEXT;
}

/* exch, and cas: only where memory is b, it becomes c. */
static enum flow exchange(struct warp *warp, const struct op *op, uint32_t mask, bool compares)
{
	const struct lane_u128 *b = OPERAND(const struct lane_u128, 1);
	const struct lane_u128 *c = compares ? OPERAND(const struct lane_u128, 2) : b;
	struct lane_u128 *d = OPERAND(struct lane_u128, 0);
	uint64_t place[LANES];
	if (!exec_access(warp, op, mask, sizeof(*d),
			 SOFT_ACCESS_READ_STRONG | SOFT_ACCESS_WRITE_STRONG, place))
		return FLOW_FAULT;
	lock_take(&atomics);
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		const struct lane_u128 old = *at(place[l]);
		if (!compares || (old.low == b[l].low && old.high == b[l].high))
			*at(place[l]) = c[l];
		d[l] = old;
	}
	lock_drop(&atomics);
	return FLOW_NEXT;
}

OP_HEAD(exch)
{
	return exchange(warp, op, mask, false);
}

/* One by one for the checker, as in exec/atomic.c. */
OP_HEAD(cas)
{
	enum flow flow = FLOW_NEXT;
	if (!warp->watched)
		return exchange(warp, op, mask, true);
	for (uint32_t rest = mask; rest && flow == FLOW_NEXT; rest &= rest - 1)
		flow = exchange(warp, op, rest & -rest, true);
	return flow;
}

static const struct op_row rows[] = {
	{"_zqq", "qq", copy}, {"_pack.128.2", "qll", pack},
	{"_unpack.128.2.0", "lq", unpack_low}, {"_unpack.128.2.1", "lq", unpack_high},
	{"_ld.16", "", load}, {"_st.16", "", store},
	{"_atom.exch.b128", "", exch}, {"_atom.cas.b128", "", cas}
};

EXEC_TABLE(exec_rows_quad)
