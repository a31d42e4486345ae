/* Protects: how many processors threads and compilers are counted by (base/processors.h): those that a thread is bound
 * to. */
#include "config.h"

#include "base/processors.h"
#include "tests/unit/test.h"

#include <sched.h>

static void bound(void)
{
	cpu_set_t before, one;
	REQUIRE(!sched_getaffinity(0, sizeof(before), &before));
	CHECK(processors_usable() >= 1 && processors_usable() <= (unsigned)CPU_COUNT(&before));
	CPU_ZERO(&one);
	for (int i = 0; !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &before))
			CPU_SET(i, &one);
	REQUIRE(!sched_setaffinity(0, sizeof(one), &one));
	CHECK_EQ(processors_usable(), 1);
	CHECK(!sched_setaffinity(0, sizeof(before), &before));
}

TEST_MAIN(TEST(bound))
