#include "config.h"

#include "softcuda/exec/level.h"

#include "base/log.h"
#include "base/options.h"

#include <stdatomic.h>
#include <string.h>
#ifdef CULVERT_X86_LEVELS
#include <cpuid.h>
#endif

#define SUFFIXED_(name, level) name##level
#define SUFFIXED(name, level) SUFFIXED_(name, level)
#define DECLARE(name, level) extern const struct op_rows SUFFIXED(name, level);
#define ADDRESS(name, level) &SUFFIXED(name, level),
#define DECLARE_LEVEL(level)                                                  \
	EXEC_HOT_TABLES(DECLARE, level)                                       \
	extern exec_access_way exec_access_plain##level, exec_access_watched##level;
#define LEVEL(text, level)                                                    \
	{text, {EXEC_HOT_TABLES(ADDRESS, level)}, exec_access_plain##level,   \
	 exec_access_watched##level}

/* Without a suffix: the baseline. */
DECLARE_LEVEL()
#ifdef CULVERT_X86_LEVELS
DECLARE_LEVEL(_v2)
DECLARE_LEVEL(_v3)
DECLARE_LEVEL(_v4)
#endif

static const struct exec_level levels[EXEC_LEVELS_MAX] = {
	LEVEL("baseline", ),
#ifdef CULVERT_X86_LEVELS
	LEVEL("x86-64-v2", _v2), LEVEL("x86-64-v3", _v3), LEVEL("x86-64-v4", _v4)
#endif
};

#ifdef CULVERT_X86_LEVELS
/* What a level asks of leaf 1 and leaf 0x80000001, register ecx (cpuid.h has the bits), where the compilers'
 * own names of features are not known to all of them. */
static bool has_bits(unsigned leaf, unsigned bits)
{
	unsigned a, b, c = 0, d;
	return __get_cpuid(leaf, &a, &b, &c, &d) && (c & bits) == bits;
}

/* Each level includes the one before.  __builtin_cpu_supports also asks whether the system keeps the
 * registers. */
static unsigned count_levels(void)
{
	if (!has_bits(1, bit_SSE3 | bit_SSSE3 | bit_CMPXCHG16B | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT))
		return 1;
	if (!has_bits(1, bit_FMA | bit_MOVBE | bit_F16C) || !has_bits(0x80000001, bit_LZCNT) ||
	    !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
	    !__builtin_cpu_supports("bmi2"))
		return 2;
	if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
	    !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
	    !__builtin_cpu_supports("avx512vl"))
		return 3;
	return 4;
}
#else
static unsigned count_levels(void)
{
	return 1;
}
#endif

/* 0: not asked yet.  chosen: a level's number and one. */
static atomic_uint count, chosen;

unsigned exec_level_count(void)
{
	unsigned known = atomic_load_explicit(&count, memory_order_relaxed);
	if (!known) {
		known = count_levels();
		atomic_store_explicit(&count, known, memory_order_relaxed);
	}
	return known;
}

void exec_level_choose(unsigned index)
{
	atomic_store(&chosen, index + 1);
}

/* The number of the level that CULVERT_SOFT_LEVEL names, or of the best one. */
static unsigned level_wanted(void)
{
	const char *name = option_string(OPTION_SOFT_LEVEL);
	const unsigned best = exec_level_count() - 1;
	for (unsigned i = 0; i <= best; i++)
		if (!strcmp(levels[i].name, name))
			return i;
	if (strcmp(name, "best"))
		log_warn("softcuda: CULVERT_SOFT_LEVEL=%s: this processor does not have it, or there is no such level; "
			 "%s is used", name, levels[best].name);
	return best;
}

unsigned exec_level_number(void)
{
	unsigned number = atomic_load_explicit(&chosen, memory_order_relaxed), expected = 0;
	if (number)
		return number - 1;
	number = level_wanted() + 1;
	return (atomic_compare_exchange_strong(&chosen, &expected, number) ? number : expected) - 1;
}

const struct exec_level *exec_level(void)
{
	return &levels[exec_level_number()];
}
