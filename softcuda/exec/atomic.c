/* atom and red: the host's atomics, also for shared memory.  They are sequentially consistent, which every .sem and
 * .scope allows. */
#include "config.h"

#include "softcuda/exec/access.h"
#include "softcuda/exec/watch.h"
#include "softcuda/exec/half.h"
#include "softcuda/exec/memory.h"
#include "softcuda/exec/real.h"
#include "softcuda/exec/table.h"

#define ATOMIC_OLD(type, lanes, body)                                                  \
	{                                                                              \
		uint64_t place[LANES];                                                 \
		const lanes *b = OPERAND(const lanes, 1);                              \
		lanes *d = OPERAND(lanes, 0);                                          \
		if (!exec_access(warp, op, mask, (uint32_t)sizeof(type) * op->vector,  \
				 SOFT_ACCESS_READ_STRONG | SOFT_ACCESS_WRITE_STRONG, place)) \
			return FLOW_FAULT;                                             \
		for (uint32_t rest = mask; rest; rest &= rest - 1) {                   \
			unsigned l = exec_lowest(rest);                                \
			type *p = (type *)(uintptr_t)place[l];                         \
			type value = (type)b[l], old;                                  \
			body                                                           \
			d[l] = (lanes)old;                                             \
		}                                                                      \
		return FLOW_NEXT;                                                      \
	}

#define ATOMIC_NATIVE(name, type, call) \
	OP_HEAD(name) ATOMIC_OLD(type, type, old = call(p, value, __ATOMIC_SEQ_CST);)

/* An operation that the host does not have: expression computes the new value from old and value. */
#define ATOMIC_LOOP(name, type, expression)                                            \
	OP_HEAD(name) ATOMIC_OLD(type, type,                                           \
		old = __atomic_load_n(p, __ATOMIC_RELAXED);                            \
		for (;;) {                                                             \
			type wanted = (type)(expression);                              \
			if (__atomic_compare_exchange_n(p, &old, wanted, 0,            \
					__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))           \
				break;                                                 \
		})

/* A lane's comparison may depend on the lanes before it.  The checker is called after it, because a failed one does
 * not write. */
#define ATOMIC_CAS(name, type)                                                         \
	OP_HEAD(name##_together)                                                       \
	{                                                                              \
		const type *c = OPERAND(const type, 2);                                \
		ATOMIC_OLD(type, type,                                                 \
			old = value;                                                   \
			__atomic_compare_exchange_n(p, &old, (type)c[l], 0,            \
				__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);)                  \
	}                                                                              \
	OP_HEAD(name)                                                                  \
	{                                                                              \
		enum flow flow = FLOW_NEXT;                                            \
		if (!warp->watched)                                                    \
			return name##_together(warp, op, mask);                        \
		for (uint32_t rest = mask; rest && flow == FLOW_NEXT; rest &= rest - 1) \
			flow = name##_together(warp, op, rest & -rest);                \
		return flow;                                                           \
	}

#define ATOMICS_INTEGER(n)                                                             \
	ATOMIC_NATIVE(add_##n, lane_u##n, __atomic_fetch_add)                          \
	ATOMIC_NATIVE(and_##n, lane_u##n, __atomic_fetch_and)                          \
	ATOMIC_NATIVE(or_##n, lane_u##n, __atomic_fetch_or)                            \
	ATOMIC_NATIVE(xor_##n, lane_u##n, __atomic_fetch_xor)                          \
	ATOMIC_NATIVE(exch_##n, lane_u##n, __atomic_exchange_n)                        \
	ATOMIC_CAS(cas_##n, lane_u##n)                                                 \
	ATOMIC_LOOP(min_u##n, lane_u##n, value < old ? value : old)                    \
	ATOMIC_LOOP(max_u##n, lane_u##n, value > old ? value : old)                    \
	ATOMIC_LOOP(min_s##n, lane_u##n, (int##n##_t)value < (int##n##_t)old ? value : old) \
	ATOMIC_LOOP(max_s##n, lane_u##n, (int##n##_t)value > (int##n##_t)old ? value : old)

ATOMICS_INTEGER(32)
ATOMICS_INTEGER(64)
ATOMIC_CAS(cas_16, lane_u16)
ATOMIC_NATIVE(exch_16, lane_u16, __atomic_exchange_n)
ATOMIC_LOOP(inc_32, lane_u32, old >= value ? 0 : old + 1)
ATOMIC_LOOP(dec_32, lane_u32, old == 0 || old > value ? value : old - 1)

static bool is_shared(const struct warp *warp, uint64_t place)
{
	const struct group *group = warp->group;
	return place - (uint64_t)(uintptr_t)group->shared < group->job->shared_B;
}

/* On global memory subnormals are flushed, on shared memory not (PTX ISA 8.1,
 * 9.7.12: atom). */
static uint32_t add_f32_bits(uint32_t a, uint32_t b, bool shared)
{
	float x = f32_bits(a), y = f32_bits(b);
	return result_f32(shared ? x + y : ftz_f32(ftz_f32(x) + ftz_f32(y)));
}

/* On shared memory it is an ordinary sum in a loop; on global memory a NaN is not changed, and the operand's has
 * priority over the memory's. */
static uint64_t add_f64_bits(uint64_t a, uint64_t b, bool shared)
{
	double x = f64_bits(a), y = f64_bits(b);
	if (!shared && (x != x || y != y))
		return y != y ? b : a;
	return result_f64(x + y, x, y, x);
}

static uint16_t add_f16_bits(uint16_t a, uint16_t b)
{
	return half_from_f64(half_to_f64(a) + half_to_f64(b), HALF_RN);
}

static uint16_t add_bf16_bits(uint16_t a, uint16_t b)
{
	return bfloat_from_f64(bfloat_to_f64(a) + bfloat_to_f64(b), HALF_RN);
}

/* min and max as the instructions: the number before a NaN, -0 below 0. */
static double lesser(double x, double y, double sign)
{
	if (x != x || y != y)
		return x != x ? y : x;
	return x == y ? (!signbit(x) == (sign < 0) ? x : y) : x * sign < y * sign ? x : y;
}

#define HALF_EXTREME(name, read, write, sign)                                          \
	static uint16_t name##_bits(uint16_t a, uint16_t b)                            \
	{                                                                              \
		return write(lesser(read(a), read(b), sign), HALF_RN);                 \
	}                                                                              \
	ATOMIC_LOOP(name, lane_u16, name##_bits(old, value))                           \
	ATOMIC_LOOP(name##x2, lane_u32,                                                \
		    pair(name##_bits((uint16_t)old, (uint16_t)value),                  \
			 name##_bits((uint16_t)(old >> 16), (uint16_t)(value >> 16))))

static uint32_t pair(uint16_t low, uint16_t high)
{
	return low | (uint32_t)high << 16;
}

ATOMIC_LOOP(add_f32, lane_u32, add_f32_bits(old, value, is_shared(warp, place[l])))
ATOMIC_LOOP(add_f64, lane_u64, add_f64_bits(old, value, is_shared(warp, place[l])))
ATOMIC_LOOP(add_f16, lane_u16, add_f16_bits(old, value))
ATOMIC_LOOP(add_bf16, lane_u16, add_bf16_bits(old, value))
ATOMIC_LOOP(add_f16x2, lane_u32,
	    pair(add_f16_bits((uint16_t)old, (uint16_t)value),
		 add_f16_bits((uint16_t)(old >> 16), (uint16_t)(value >> 16))))
ATOMIC_LOOP(add_bf16x2, lane_u32,
	    pair(add_bf16_bits((uint16_t)old, (uint16_t)value),
		 add_bf16_bits((uint16_t)(old >> 16), (uint16_t)(value >> 16))))

HALF_EXTREME(min_f16, half_to_f64, half_from_f64, 1)
HALF_EXTREME(max_f16, half_to_f64, half_from_f64, -1)
HALF_EXTREME(min_bf16, bfloat_to_f64, bfloat_from_f64, 1)
HALF_EXTREME(max_bf16, bfloat_to_f64, bfloat_from_f64, -1)

#define HALVES(name, fn) \
	{"_atom." name ".f16", "", fn##_f16}, {"_atom." name ".bf16", "", fn##_bf16}, \
	{"_atom." name ".f16x2", "", fn##_f16x2}, {"_atom." name ".bf16x2", "", fn##_bf16x2}
#define BITS(name, fn) \
	{"_atom." name ".b32", "", fn##_32}, {"_atom." name ".b64", "", fn##_64}, \
	{"_atom." name ".u32", "", fn##_32}, {"_atom." name ".u64", "", fn##_64}, \
	{"_atom." name ".s32", "", fn##_32}, {"_atom." name ".s64", "", fn##_64}
#define ORDERED(name, fn) \
	{"_atom." name ".u32", "", fn##_u32}, {"_atom." name ".u64", "", fn##_u64}, \
	{"_atom." name ".s32", "", fn##_s32}, {"_atom." name ".s64", "", fn##_s64}

static const struct op_row rows[] = {
	BITS("add", add), BITS("and", and), BITS("or", or), BITS("xor", xor),
	BITS("exch", exch), BITS("cas", cas), ORDERED("min", min), ORDERED("max", max),
	{"_atom.cas.b16", "", cas_16}, {"_atom.exch.b16", "", exch_16},
	{"_atom.inc.u32", "", inc_32}, {"_atom.dec.u32", "", dec_32},
	{"_atom.add.f32", "", add_f32}, {"_atom.add.f64", "", add_f64},
	HALVES("add", add), HALVES("min", min), HALVES("max", max)
};

EXEC_TABLE(exec_rows_atomic)
