/*
 * Pipes, OpenCL C 3.0, 6.15.15 (Pipe Functions).
 *
 * A pipe is struct abi_pipe of frontend/kernel_abi.h: a ring of packets with two ends, one for writing and
 * one for reading.  Of each end the packets that were reserved are counted, and those that were
 * committed; the counts only grow, and a packet's place in the ring is its number by the size of the ring.
 * A reservation is one exchange of `reserved`, so a call that fails has changed nothing.
 *
 * Reservations are committed in any order, but the other end may only see packets without a gap.
 * Whoever commits says so in the word of the reservation's first packet, and then moves `committed`
 * over all reservations that say so by now, be they its own or not.  Nobody waits for anybody: where
 * an earlier one is still open, whoever commits that one goes on.  Of two that commit at the same time
 * one sees the other's word or count: each has a sequentially consistent fence between its own store and
 * its look at the others'.
 *
 * Clang calls these functions for those of the program, with the packet's size and alignment behind
 * the arguments.
 */
#include "frontend/builtins/sub_group.h"

/* As in frontend/kernel_abi.h. */
struct end {
	ulong reserved;
	ulong unused[7];
	ulong committed;
	ulong unused_too[7];
};
struct ring {
	uint packet_size, max_packets;
	ulong packets_at;
	ulong unused[14];
	struct end writing, reading;
	ulong words[];
};
typedef __global struct ring *ring;

/* A word: the number of the first packet behind the reservation, and whether it was committed.  What was
 * there a round before is never beyond the packet's number. */
#define COMMITTED ((ulong)1 << 63)

/* A reservation's name is the number of its first packet, or one of these.  CLK_NULL_RESERVE_ID is
 * Clang's. */
#define NO_RESERVATION (~(ulong)0)
#define EMPTY_RESERVATION (~(ulong)0 - 1)

/* -- words that all work-items of the device share ---------------------------------------------- */

HELPER ulong look(__global const ulong *word)
{
	ulong value;
	__asm__ __volatile__("ld.acquire.gpu.global.u64 %0, [%1];"
			     : "=l"(value)
			     : "l"(word)
			     : "memory");
	return value;
}

HELPER void leave(__global ulong *word, ulong value)
{
	__asm__ __volatile__("st.release.gpu.global.u64 [%0], %1;"
			     :
			     : "l"(word), "l"(value)
			     : "memory");
}

/* What was there: `expected` when it is `desired` now. */
HELPER ulong exchange(__global ulong *word, ulong expected, ulong desired)
{
	ulong old;
	__asm__ __volatile__("atom.acq_rel.gpu.global.cas.b64 %0, [%1], %2, %3;"
			     : "=l"(old)
			     : "l"(word), "l"(expected), "l"(desired)
			     : "memory");
	return old;
}

HELPER void fence_sc(void)
{
	__asm__ __volatile__("fence.sc.gpu;" : : : "memory");
}

/* -- the two ends ------------------------------------------------------------------------------- */

/* One end as a call uses it: `before` counts how far the other end lets it go, `spare` packets more. */
struct side {
	__global struct end *end;
	__global const ulong *before;
	__global ulong *words;
	uint spare;
	uint max_packets;
};

HELPER struct side writing(ring r)
{
	return (struct side){&r->writing, &r->reading.committed, r->words, r->max_packets,
			     r->max_packets};
}

HELPER struct side reading(ring r)
{
	return (struct side){&r->reading, &r->writing.committed, r->words + r->max_packets, 0,
			     r->max_packets};
}

HELPER __global ulong *word_of(struct side s, ulong packet)
{
	return s.words + packet % s.max_packets;
}

/* Reserves as many packets as there are, at least `least` and at most `most`; the number of the first,
 * or NO_RESERVATION. */
HELPER ulong take(struct side s, uint least, uint most, __private uint *got)
{
	ulong first = look(&s.end->reserved);
	for (;;) {
		/* Looked at later than `first`, it is never less than what first came from. */
		long room = (long)(look(s.before) + s.spare - first);
		if (room < (long)least)
			return NO_RESERVATION;
		*got = room < (long)most ? (uint)room : most;
		ulong old = exchange(&s.end->reserved, first, first + *got);
		if (old == first)
			return first;
		first = old;
	}
}

/* Packets that were written, or read, before are so for who sees the count. */
HELPER void give(struct side s, ulong first, uint count)
{
	leave(word_of(s, first), (first + count) | COMMITTED);
	for (;;) {
		fence_sc();
		ulong now = look(&s.end->committed);
		ulong word = look(word_of(s, now));
		if (!(word & COMMITTED) || (word & ~COMMITTED) <= now)
			return;
		/* Somebody else may have done it, and be a round further. */
		(void)exchange(&s.end->committed, now, word & ~COMMITTED);
	}
}

HELPER ulong reserve(struct side s, uint count)
{
	uint got;
	if (!count)
		return EMPTY_RESERVATION;
	ulong first = take(s, count, count, &got);
	if (first != NO_RESERVATION)
		leave(word_of(s, first), first + count);
	return first;
}

HELPER uint count_of(struct side s, ulong id)
{
	return id & COMMITTED ? 0 : (uint)((look(word_of(s, id)) & ~COMMITTED) - id);
}

HELPER void commit(struct side s, ulong id)
{
	uint count = count_of(s, id);
	if (count)
		give(s, id, count);
}

/* -- packets ------------------------------------------------------------------------------------ */

HELPER __global uchar *packet(ring r, ulong number)
{
	return (__global uchar *)r + r->packets_at + number % r->max_packets * r->packet_size;
}

/* A program whose packets are of another size than the pipe's gets what there is of them. */
#define COPY_BY(T, to_space, from_space) \
	for (uint i = 0; i < size / sizeof(T); i++) \
		((to_space T *)to)[i] = ((from_space const T *)from)[i]
/* Pointers without an address space are generic. */
#define COPY(name, to_space, from_space) \
	HELPER void name(ring r, to_space void *to, from_space const void *from, uint size, \
			 uint align) \
	{ \
		if (size != r->packet_size) { \
			size = size < r->packet_size ? size : r->packet_size; \
			align = 1; \
		} \
		if (align >= 16) \
			COPY_BY(uint4, to_space, from_space); \
		else if (align == 8) \
			COPY_BY(ulong, to_space, from_space); \
		else if (align == 4) \
			COPY_BY(uint, to_space, from_space); \
		else if (align == 2) \
			COPY_BY(ushort, to_space, from_space); \
		else \
			COPY_BY(uchar, to_space, from_space); \
	}
COPY(copy_out, , __global)
COPY(copy_in, __global, )

/* -- one packet --------------------------------------------------------------------------------- */

/* The work-items of a warp that come together make one reservation of as many packets as there are
 * for them. */
struct share {
	ulong first;
	uint lanes, got, rank;
	uint zero; /* no padding, which without optimisation is copied as well */
};

TOGETHER struct share share_take(struct side s, uint lanes)
{
	struct share share = {NO_RESERVATION, lanes, 0,
			      (uint)__builtin_popcount(lanes & lanes_below()), 0};
	if (lane() == first_lane(lanes))
		share.first = take(s, 1, (uint)__builtin_popcount(lanes), &share.got);
	share.first = move_idx(share.first, first_lane(lanes), lanes);
	share.got = share.first == NO_RESERVATION ? 0 : move_idx(share.got, first_lane(lanes), lanes);
	return share;
}

TOGETHER int share_give(struct side s, struct share share)
{
	__asm__ __volatile__("bar.warp.sync %0;" : : "r"(of_warp(share.lanes)) : "memory");
	if (share.got && lane() == first_lane(share.lanes))
		give(s, share.first, share.got);
	return share.rank < share.got ? 0 : -1;
}

/* Those of the active work-items who call for the same pipe as the first; others go alone. */
TOGETHER uint lanes_at(ring r)
{
	uint lanes = active_lanes();
	ulong mine = (ulong)r;
	int same = move_idx(mine, first_lane(lanes), lanes) == mine;
	uint together = ballot(same, lanes);
	return same ? together : 1u << lane();
}

#define PIPE __attribute__((always_inline, convergent))

PIPE int __read_pipe_2(ring r, void *to, uint size, uint align)
{
	struct share share = share_take(reading(r), lanes_at(r));
	if (share.rank < share.got)
		copy_out(r, to, packet(r, share.first + share.rank), size, align);
	return share_give(reading(r), share);
}

PIPE int __write_pipe_2(ring r, const void *from, uint size, uint align)
{
	struct share share = share_take(writing(r), lanes_at(r));
	if (share.rank < share.got)
		copy_in(r, packet(r, share.first + share.rank), from, size, align);
	return share_give(writing(r), share);
}

/* -- reservations ------------------------------------------------------------------------------- */

/* Its mangled name: to this library reserve_id_t is a pointer, as it is to LLVM. */
bool _Z19is_valid_reserve_id13ocl_reserveid(void *id);
__attribute__((always_inline, const)) bool _Z19is_valid_reserve_id13ocl_reserveid(void *id)
{
	return (ulong)id != NO_RESERVATION;
}

PIPE int __read_pipe_4(ring r, void *id, uint index, void *to, uint size, uint align)
{
	if (index >= count_of(reading(r), (ulong)id))
		return -1;
	copy_out(r, to, packet(r, (ulong)id + index), size, align);
	return 0;
}

PIPE int __write_pipe_4(ring r, void *id, uint index, const void *from, uint size, uint align)
{
	if (index >= count_of(writing(r), (ulong)id))
		return -1;
	copy_in(r, packet(r, (ulong)id + index), from, size, align);
	return 0;
}

__attribute__((overloadable, convergent)) ulong work_group_broadcast(ulong, size_t, size_t, size_t);

/* One work-item reserves for all, and commits what all have done. */
#define RESERVATIONS(kind, side) \
	PIPE void *__reserve_##kind##_pipe(ring r, uint count, uint size, uint align) \
	{ \
		return (void *)reserve(side(r), count); \
	} \
	PIPE void __commit_##kind##_pipe(ring r, void *id, uint size, uint align) \
	{ \
		commit(side(r), (ulong)id); \
	} \
	PIPE void *__work_group_reserve_##kind##_pipe(ring r, uint count, uint size, uint align) \
	{ \
		ulong id = NO_RESERVATION; \
		if (!get_local_linear_id()) \
			id = reserve(side(r), count); \
		return (void *)work_group_broadcast(id, 0, 0, 0); \
	} \
	PIPE void __work_group_commit_##kind##_pipe(ring r, void *id, uint size, uint align) \
	{ \
		__nvvm_bar_sync(0); \
		if (!get_local_linear_id()) \
			commit(side(r), (ulong)id); \
	} \
	PIPE void *__sub_group_reserve_##kind##_pipe(ring r, uint count, uint size, uint align) \
	{ \
		ulong id = NO_RESERVATION; \
		if (!lane()) \
			id = reserve(side(r), count); \
		return (void *)move_idx(id, 0, all_lanes()); \
	} \
	PIPE void __sub_group_commit_##kind##_pipe(ring r, void *id, uint size, uint align) \
	{ \
		__asm__ __volatile__("bar.warp.sync %0;" : : "r"(of_warp(all_lanes())) : "memory"); \
		if (!lane()) \
			commit(side(r), (ulong)id); \
	}
RESERVATIONS(read, reading)
RESERVATIONS(write, writing)

/* -- questions ---------------------------------------------------------------------------------- */

#define QUESTIONS(access) \
	PIPE uint __get_pipe_num_packets_##access(ring r, uint size, uint align) \
	{ \
		ulong gone = look(&r->reading.reserved); \
		ulong there = look(&r->writing.committed) - gone; \
		return there < r->max_packets ? (uint)there : r->max_packets; \
	} \
	PIPE uint __get_pipe_max_packets_##access(ring r, uint size, uint align) \
	{ \
		return r->max_packets; \
	}
QUESTIONS(ro)
QUESTIONS(wo)
