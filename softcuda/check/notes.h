/* Notes of which bytes of global memory were written, a byte for each (exec/memory.h). */
#ifndef CULVERT_SOFTCUDA_CHECK_NOTES_H
#define CULVERT_SOFTCUDA_CHECK_NOTES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static const uint64_t check_each_byte = UINT64_C(0x0101010101010101);

/* Eight notes at a time.  Other launches may write notes of the same memory meanwhile, so that all accesses are
 * atomic. */
typedef uint64_t __attribute__((may_alias)) check_eight_notes;

static inline bool check_is_eight(const atomic_uchar *notes, uint64_t size_B)
{
	return size_B >= sizeof(check_eight_notes) && (uintptr_t)notes % sizeof(check_eight_notes) == 0;
}

static inline uint64_t check_eight_at(const atomic_uchar *notes)
{
	return __atomic_load_n((const check_eight_notes *)(const void *)notes, __ATOMIC_RELAXED);
}

/* Whether all of size_B bytes are noted as written. */
static inline bool check_all_written(const atomic_uchar *notes, uint64_t size_B)
{
	enum { MANY = 16 };
	const uint64_t eight_B = sizeof(check_eight_notes);
	uint64_t all = check_each_byte, i = 0;
	for (; i < size_B && (uintptr_t)(notes + i) % eight_B; i++)
		all &= atomic_load_explicit(&notes[i], memory_order_relaxed) * check_each_byte;
	/* As many as consecutive words of a warp have, without a branch for each. */
	for (; all == check_each_byte && size_B - i >= MANY * eight_B; i += MANY * eight_B)
		_Pragma("GCC unroll 16")
		for (unsigned k = 0; k < MANY; k++)
			all &= check_eight_at(notes + i + k * eight_B);
	for (; size_B - i >= eight_B; i += eight_B)
		all &= check_eight_at(notes + i);
	for (; i < size_B; i++)
		all &= atomic_load_explicit(&notes[i], memory_order_relaxed) * check_each_byte;
	return all == check_each_byte;
}

static inline void check_set_written(atomic_uchar *notes, uint64_t size_B)
{
	for (uint64_t i = 0, step; i < size_B; i += step) {
		const bool eight = check_is_eight(notes + i, size_B - i);
		step = eight ? sizeof(check_eight_notes) : 1;
		if (eight)
			__atomic_store_n((check_eight_notes *)(void *)(notes + i), check_each_byte, __ATOMIC_RELAXED);
		else
			atomic_store_explicit(&notes[i], 1, memory_order_relaxed);
	}
}

#endif
