/* ld and st. */
#include "config.h"

#include "softcuda/exec/memory.h"

#include "softcuda/exec/access.h"
#include "softcuda/exec/watch.h"
#include "softcuda/exec/row.h"
#include "softcuda/exec/table.h"

/* Elements of a vector lie side by side; the whole vector's place is checked at
 * once.  Only weak accesses may be torn or repeated. */
#define LOAD_LANES(name, memory, put)                                                     \
	static enum flow name##_lanes(struct warp *warp, const struct op *op, uint32_t mask) \
	{                                                                                 \
		uint64_t place[LANES];                                                    \
		OP_UINT_##put value[LANES];                                               \
		unsigned count = op->vector;                                              \
		if (!exec_access(warp, op, mask, (uint32_t)sizeof(memory) * count,        \
				 SOFT_ACCESS_LOAD | (op->mode == ORDER_WEAK ?             \
						     SOFT_ACCESS_READ : SOFT_ACCESS_READ_STRONG), \
				 place))                                                  \
			return FLOW_FAULT;                                                \
		for (unsigned e = 0; e < count; e++) {                                    \
			if (op->mode == ORDER_WEAK)                                       \
				for (unsigned l = 0; l < LANES; l++)                      \
					value[l] = (OP_UINT_##put)                        \
						((const memory *)(uintptr_t)place[l])[e]; \
			else                                                              \
				for (unsigned l = 0; l < LANES; l++)                      \
					value[l] = (OP_UINT_##put)__atomic_load_n(        \
						(const memory *)(uintptr_t)place[l] + e,  \
						__ATOMIC_SEQ_CST);                        \
			op_put_##put(OPERAND(void, e), value, mask);                      \
		}                                                                         \
		return FLOW_NEXT;                                                         \
	}

/* Lane l finds its element at from[l * step]; a step of 0: all lanes have the same one.  By way of an array
 * that nobody else knows of, so that the compiler need not ask whether register and memory overlap. */
#define LOAD_ROW(name, memory, put)                                                       \
	static inline __attribute__((always_inline)) void                                \
	name##_row(void *to, const memory *from, unsigned step)                           \
	{                                                                                 \
		OP_UINT_##put value[LANES];                                               \
		for (unsigned l = 0; l < LANES; l++)                                      \
			value[l] = (OP_UINT_##put)from[l * step];                         \
		memcpy(to, value, sizeof(value));                                         \
	}

/* One of `count` elements, which is a constant. */
#define LOAD_COUNT(name, memory, put, count)                                              \
	{                                                                                 \
		const struct row row = exec_row(warp, op, mask,                           \
						(uint32_t)sizeof(memory) * (count));      \
		const memory *from = (const memory *)(const void *)row.place;             \
		if (row.kind == ROW_NONE)                                                 \
			return name##_lanes(warp, op, mask);                              \
		for (unsigned e = 0; e < (count); e++) {                                  \
			if (row.kind == ROW_NEXT)                                         \
				name##_row(OPERAND(void, e), from + e, (count));          \
			else                                                              \
				name##_row(OPERAND(void, e), from + e, 0);                \
		}                                                                         \
		return FLOW_NEXT;                                                         \
	}

#define LOAD(name, memory, put)                                                           \
	LOAD_LANES(name, memory, put)                                                     \
	LOAD_ROW(name, memory, put)                                                       \
	OP_HEAD(name)                                                                     \
	{                                                                                 \
		if (op->mode != ORDER_WEAK)                                               \
			return name##_lanes(warp, op, mask);                              \
		if (op->vector == 1)                                                      \
			LOAD_COUNT(name, memory, put, 1)                                  \
		if (op->vector == 2)                                                      \
			LOAD_COUNT(name, memory, put, 2)                                  \
		if (op->vector == 4)                                                      \
			LOAD_COUNT(name, memory, put, 4)                                  \
		return name##_lanes(warp, op, mask);                                      \
	}

LOAD(ld_1u, lane_u8, 16)
LOAD(ld_1s, lane_s8, 16)
LOAD(ld_2, lane_u16, 16)
LOAD(ld_4, lane_u32, 32)
LOAD(ld_8, lane_u64, 64)

/* The byte of number op->vector of a register whose bytes before it were loaded: it becomes what memory has
 * there, for those lanes that have memory there. */
#define LOAD_BYTE(name, put)                                                              \
	OP_HEAD(name)                                                                     \
	{                                                                                 \
		OP_UINT_##put value[LANES];                                               \
		memcpy(value, OPERAND(void, 0), sizeof(value));                           \
		for (uint32_t rest = mask; rest; rest &= rest - 1) {                      \
			const unsigned l = exec_lowest(rest);                             \
			uint64_t place[LANES];                                            \
			if (exec_access_probe(warp, op, 1u << l, 1, place))               \
				value[l] |= (OP_UINT_##put)((OP_UINT_##put)               \
					*(const lane_u8 *)(uintptr_t)place[l]             \
					<< 8 * op->vector);                               \
		}                                                                         \
		op_put_##put(OPERAND(void, 0), value, mask);                              \
		return FLOW_NEXT;                                                         \
	}

LOAD_BYTE(ld_byte_2, 16)
LOAD_BYTE(ld_byte_4, 32)
LOAD_BYTE(ld_byte_8, 64)

#define STORE_LANES(name, memory, lanes)                                                  \
	static enum flow name##_lanes(struct warp *warp, const struct op *op, uint32_t mask) \
	{                                                                                 \
		uint64_t place[LANES];                                                    \
		unsigned count = op->vector;                                              \
		if (!exec_access(warp, op, mask, (uint32_t)sizeof(memory) * count,        \
				 op->mode == ORDER_WEAK ? SOFT_ACCESS_WRITE :             \
							  SOFT_ACCESS_WRITE_STRONG, place)) \
			return FLOW_FAULT;                                                \
		for (unsigned e = 0; e < count; e++) {                                    \
			const lanes *value = OPERAND(const lanes, e);                     \
			if (op->mode != ORDER_WEAK) {                                     \
				for (uint32_t rest = mask; rest; rest &= rest - 1) {      \
					unsigned l = exec_lowest(rest);                   \
					__atomic_store_n(                                 \
						(memory *)(uintptr_t)place[l] + e,        \
						(memory)value[l], __ATOMIC_SEQ_CST);      \
				}                                                         \
			} else if (mask == MASK_ALL) {                                    \
				for (unsigned l = 0; l < LANES; l++)                      \
					((memory *)(uintptr_t)place[l])[e] =              \
						(memory)value[l];                         \
			} else {                                                          \
				for (uint32_t rest = mask; rest; rest &= rest - 1) {      \
					unsigned l = exec_lowest(rest);                   \
					((memory *)(uintptr_t)place[l])[e] =              \
						(memory)value[l];                         \
				}                                                         \
			}                                                                 \
		}                                                                         \
		return FLOW_NEXT;                                                         \
	}

/* Lanes that store to one place take turns; the others' places are behind each other. */
#define STORE_COUNT(name, memory, lanes, count)                                           \
	{                                                                                 \
		const struct row row = exec_row(warp, op, mask,                           \
						(uint32_t)sizeof(memory) * (count));      \
		memory all[LANES * (count)];                                              \
		if (row.kind != ROW_NEXT)                                                 \
			return name##_lanes(warp, op, mask);                              \
		for (unsigned e = 0; e < (count); e++) {                                  \
			const lanes *value = OPERAND(const lanes, e);                     \
			for (unsigned l = 0; l < LANES; l++)                              \
				all[l * (count) + e] = (memory)value[l];                  \
		}                                                                         \
		memcpy(row.place, all, sizeof(all));                                      \
		return FLOW_NEXT;                                                         \
	}

#define STORE(name, memory, lanes)                                                        \
	STORE_LANES(name, memory, lanes)                                                  \
	OP_HEAD(name)                                                                     \
	{                                                                                 \
		if (op->mode != ORDER_WEAK)                                               \
			return name##_lanes(warp, op, mask);                              \
		if (op->vector == 1)                                                      \
			STORE_COUNT(name, memory, lanes, 1)                               \
		if (op->vector == 2)                                                      \
			STORE_COUNT(name, memory, lanes, 2)                               \
		if (op->vector == 4)                                                      \
			STORE_COUNT(name, memory, lanes, 4)                               \
		return name##_lanes(warp, op, mask);                                      \
	}

STORE(st_1, lane_u8, lane_u16)
STORE(st_2, lane_u16, lane_u16)
STORE(st_4, lane_u32, lane_u32)
STORE(st_8, lane_u64, lane_u64)

static const struct op_row rows[] = {
	{"_ld.1u", "", ld_1u}, {"_ld.1s", "", ld_1s}, {"_ld.2", "", ld_2}, {"_ld.4", "", ld_4},
	{"_ld.8", "", ld_8}, {"_ld.byte.2", "", ld_byte_2}, {"_ld.byte.4", "", ld_byte_4},
	{"_ld.byte.8", "", ld_byte_8}, {"_st.1", "", st_1}, {"_st.2", "", st_2}, {"_st.4", "", st_4},
	{"_st.8", "", st_8}
};

EXEC_TABLE_HOT(exec_rows_memory)
