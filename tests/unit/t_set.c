/* Protects: the set of pointers (frontend/set.h): a member's index is its turn, however many there are; and
 * names as symbols (frontend/symbol.h): every text comes back from its letters, and no two kernels meet in PTX.
 *
 * Seen to fail with each of these mistakes in set.c: the slots are not filled anew when they grow; a search stops at
 * the first slot that is taken, or goes on in another table's size; a member is added twice; an index is off by
 * one. */
#include "config.h"

#include "frontend/set.h"

#include "tests/unit/test.h"

enum { MEMBERS = 5000 };

static void members(void)
{
	static char memory[8 * MEMBERS];
	static unsigned turn[8 * MEMBERS]; /* 0: no member */
	struct fe_set set = {0};
	uint32_t count = 0, index = 99;
	CHECK(!fe_set_has(&set, memory));
	while (count < MEMBERS) {
		const uint64_t n = test_random(sizeof(memory));
		CHECK_EQ(fe_set_find(&set, &memory[n], &index), turn[n] != 0);
		if (turn[n])
			CHECK_EQ(index, turn[n] - 1);
		if (test_random(3)) {
			CHECK(fe_set_add(&set, &memory[n]));
			if (!turn[n])
				turn[n] = ++count;
		}
		CHECK_EQ(set.count, count);
	}
	for (size_t n = 0; n < sizeof(memory); n++)
		CHECK_EQ(fe_set_has(&set, &memory[n]), turn[n] != 0);
	fe_set_finish(&set);
	CHECK(!set.items && !set.count);
}

TEST_MAIN(TEST(members))
