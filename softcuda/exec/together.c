/* What the lanes of a warp do together: shfl, vote, match, redux, activemask. */
#include "config.h"

#include "softcuda/exec/shuffle.h"
#include "softcuda/exec/table.h"
#include "softcuda/exec/warp.h"
#include "softcuda/exec/watch.h"

/* Lanes that came to a function by calls of their own have frames of their own, and meet here all the same,
 * as those of a GPU do.  The operands of such lanes are moved between their frames and the one of the path
 * that runs, where these lanes have no values.  Kinds: w is 32 bits wide, l 64, p a predicate. */
static void move_lane(char *to, const char *from, char kind, unsigned l)
{
	const size_t size_B = kind == 'l' ? 8 : 4;
	if (kind != 'p') {
		memcpy(to + l * size_B, from + l * size_B, size_B);
		return;
	}
	lane_u32 bits;
	memcpy(&bits, from, sizeof(bits));
	op_put_predicate(to, bits, 1u << l);
}

static void move_foreign(struct warp *warp, const struct op *op, uint32_t met, const char *kinds,
			 bool results)
{
	const unsigned which = results ? op->writes : op->reads;
	for (uint32_t rest = met; rest; rest &= rest - 1) {
		const unsigned l = exec_lowest(rest);
		if (warp->lane_frame[l] == warp->frame)
			continue;
		for (unsigned i = 0; i < OP_OPERANDS; i++) {
			const uint32_t x = op->x[i];
			if (!(which >> i & 1) || x == OPERAND_NONE ||
			    x >> OPERAND_BANK_SHIFT != BANK_REGISTER)
				continue;
			char *here = op_bank(warp, x);
			char *there = warp->lane_frame[l]->registers + (x & OPERAND_OFFSET_MASK);
			move_lane(results ? there : here, results ? here : there, kinds[i], l);
		}
	}
}

/* Body runs once the members are there; met says who they are.  kinds: of all six operands. */
#define TOGETHER(name, kinds, members, body)                                  \
	OP_HEAD(name)                                                         \
	{                                                                     \
		uint32_t met = exec_meet(warp, op, mask, members, false);     \
		if (!met)                                                     \
			return FLOW_SCHEDULE;                                 \
		if (met != mask)                                              \
			move_foreign(warp, op, met, kinds, false);            \
		body                                                          \
		if (met != mask)                                              \
			move_foreign(warp, op, met, kinds, true);             \
		return exec_meet_done(warp, mask, met);                       \
	}

static void shuffle(struct warp *warp, const struct op *op, uint32_t met, enum shuffle kind)
{
	const lane_u32 *a = OPERAND(const lane_u32, 1);
	const lane_u32 *b = OPERAND(const lane_u32, 2);
	const lane_u32 *c = OPERAND(const lane_u32, 3);
	uint32_t result[LANES], valid = 0, from_lanes[LANES];
	for (unsigned l = 0; l < LANES; l++) {
		bool inside;
		from_lanes[l] = shuffle_source(kind, l, b[l], c[l], &inside);
		result[l] = a[from_lanes[l]];
		valid |= inside ? 1u << l : 0;
	}
	WATCH(warp->group->job, shuffle, warp, op, met, from_lanes);
	op_put_32(OPERAND(void, 0), result, met);
	if (op->x[5] != OPERAND_NONE)
		op_put_predicate(OPERAND(void, 5), valid, met);
}

TOGETHER(shfl_up, "wwwwwp", 4, shuffle(warp, op, met, SHUFFLE_UP);)
TOGETHER(shfl_down, "wwwwwp", 4, shuffle(warp, op, met, SHUFFLE_DOWN);)
TOGETHER(shfl_bfly, "wwwwwp", 4, shuffle(warp, op, met, SHUFFLE_BFLY);)
TOGETHER(shfl_idx, "wwwwwp", 4, shuffle(warp, op, met, SHUFFLE_IDX);)

#define VOTES (op_predicate(warp, op->x[1]) & met)
#define VOTE(name, expression) \
	TOGETHER(name, "ppwwww", 2, \
		op_put_predicate(OPERAND(void, 0), (expression) ? MASK_ALL : 0, met);)

VOTE(vote_all, VOTES == met)
VOTE(vote_any, VOTES != 0)
VOTE(vote_uni, VOTES == 0 || VOTES == met)

static void put_common(struct warp *warp, const struct op *op, uint32_t met, uint32_t value)
{
	uint32_t result[LANES];
	for (unsigned l = 0; l < LANES; l++)
		result[l] = value;
	op_put_32(OPERAND(void, 0), result, met);
}

TOGETHER(vote_ballot, "wpwwww", 2, put_common(warp, op, met, VOTES);)

#define MATCH(n, kinds)                                                         \
	static void match_any_lanes_##n(struct warp *warp, const struct op *op, \
					uint32_t met)                         \
	{                                                                     \
		const lane_u##n *a = OPERAND(const lane_u##n, 1);             \
		uint32_t result[LANES] = {0};                                 \
		for (unsigned l = 0; l < LANES; l++)                          \
			for (unsigned k = 0; k < LANES; k++)                  \
				result[l] |= a[k] == a[l] ? (1u << k) & met : 0; \
		op_put_32(OPERAND(void, 0), result, met);                     \
	}                                                                     \
	static void match_all_lanes_##n(struct warp *warp, const struct op *op, \
					uint32_t met)                         \
	{                                                                     \
		const lane_u##n *a = OPERAND(const lane_u##n, 1);             \
		uint32_t same = 0;                                            \
		for (unsigned l = 0; l < LANES; l++)                          \
			same |= a[l] == a[exec_lowest(met)] ? 1u << l : 0;    \
		bool all = (same & met) == met;                               \
		put_common(warp, op, met, all ? met : 0);                     \
		if (op->x[5] != OPERAND_NONE)                                 \
			op_put_predicate(OPERAND(void, 5), all ? MASK_ALL : 0, met); \
	}                                                                     \
	TOGETHER(match_any_##n, kinds, 2, match_any_lanes_##n(warp, op, met);)       \
	TOGETHER(match_all_##n, kinds, 2, match_all_lanes_##n(warp, op, met);)

MATCH(32, "wwwwwp")
MATCH(64, "wlwwwp")

#define REDUX(name, type, start, expression)                                  \
	static uint32_t name##_lanes(struct warp *warp, const struct op *op, uint32_t met) \
	{                                                                     \
		const type *a = OPERAND(const type, 1);                       \
		type r = (type)(start);                                       \
		for (uint32_t rest = met; rest; rest &= rest - 1) {           \
			const type x = a[exec_lowest(rest)];                  \
			r = (type)(expression);                               \
		}                                                             \
		return (uint32_t)r;                                           \
	}                                                                     \
	TOGETHER(name, "wwwwww", 2, put_common(warp, op, met, name##_lanes(warp, op, met));)

REDUX(redux_add, lane_u32, 0, r + x)
REDUX(redux_and, lane_u32, MASK_ALL, r & x)
REDUX(redux_or, lane_u32, 0, r | x)
REDUX(redux_xor, lane_u32, 0, r ^ x)
REDUX(redux_min_u, lane_u32, UINT32_MAX, x < r ? x : r)
REDUX(redux_max_u, lane_u32, 0, x > r ? x : r)
REDUX(redux_min_s, lane_s32, INT32_MAX, x < r ? x : r)
REDUX(redux_max_s, lane_s32, INT32_MIN, x > r ? x : r)

OP_HEAD(activemask)
{
	put_common(warp, op, mask, mask);
	return FLOW_NEXT;
}

TOGETHER(elect, "wwwwwp", 1,
	put_common(warp, op, met, exec_lowest(met));
	if (op->x[5] != OPERAND_NONE)
		op_put_predicate(OPERAND(void, 5), met & -met, met);)

static const struct op_row rows[] = {
	{"_shfl.sync.up.b32", "wwwww", shfl_up}, {"_shfl.sync.down.b32", "wwwww", shfl_down},
	{"_shfl.sync.bfly.b32", "wwwww", shfl_bfly}, {"_shfl.sync.idx.b32", "wwwww", shfl_idx},
	{"_vote.sync.all.pred", "ppw", vote_all}, {"_vote.sync.any.pred", "ppw", vote_any},
	{"_vote.sync.uni.pred", "ppw", vote_uni}, {"_vote.sync.ballot.b32", "wpw", vote_ballot},
	{"_match.any.sync.b32", "www", match_any_32}, {"_match.any.sync.b64", "wlw", match_any_64},
	{"_match.all.sync.b32", "www", match_all_32}, {"_match.all.sync.b64", "wlw", match_all_64},
	{"_redux.sync.add.u32", "www", redux_add}, {"_redux.sync.add.s32", "www", redux_add},
	{"_redux.sync.and.b32", "www", redux_and}, {"_redux.sync.or.b32", "www", redux_or},
	{"_redux.sync.xor.b32", "www", redux_xor}, {"_redux.sync.min.u32", "www", redux_min_u},
	{"_redux.sync.max.u32", "www", redux_max_u}, {"_redux.sync.min.s32", "www", redux_min_s},
	{"_redux.sync.max.s32", "www", redux_max_s}, {"_activemask.b32", "w", activemask},
	{"_elect.sync", "ww", elect}
};

EXEC_TABLE_HOT(exec_rows_together)
