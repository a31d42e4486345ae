/* The smallest harness that serves: a test program is a list of TEST functions
 * and TEST_MAIN.  A failed CHECK prints where and goes on; REQUIRE leaves the
 * test.  Exit status: 0 all passed, 1 a failure, 77 everything was skipped.
 * TEST_LEFT_OUT in the environment names functions that do not run, separated by
 * spaces: what the machine cannot do, as an emulator. */
#ifndef CULVERT_TESTS_TEST_H
#define CULVERT_TESTS_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test_case {
	const char *name;
	void (*run)(void);
};

static int test_failures;
static int test_skips;

#define CHECK(condition)                                                              \
	do {                                                                          \
		if (!(condition)) {                                                   \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);        \
			test_failures++;                                              \
		}                                                                     \
	} while (0)

#define CHECK_EQ(got, expected)                                                       \
	do {                                                                          \
		long long got_ = (long long)(got), expected_ = (long long)(expected);  \
		if (got_ != expected_) {                                              \
			printf("%s:%d: %s is %lld, expected %lld\n", __FILE__, __LINE__, \
			       #got, got_, expected_);                                \
			test_failures++;                                              \
		}                                                                     \
	} while (0)

#define CHECK_STRING(got, expected)                                                   \
	do {                                                                          \
		const char *got_ = (got), *expected_ = (expected);                    \
		if (!got_ || strcmp(got_, expected_)) {                               \
			printf("%s:%d: %s is \"%s\", expected \"%s\"\n", __FILE__, __LINE__, \
			       #got, got_ ? got_ : "(null)", expected_);              \
			test_failures++;                                              \
		}                                                                     \
	} while (0)

#define REQUIRE(condition)                                                            \
	do {                                                                          \
		if (!(condition)) {                                                   \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);        \
			test_failures++;                                              \
			return;                                                       \
		}                                                                     \
	} while (0)

#define SKIP(why)                                                                     \
	do {                                                                          \
		printf("skipped: %s\n", (why));                                       \
		test_skips++;                                                         \
		return;                                                               \
	} while (0)

/* Numbers that look random and are the same in each run; a test sets the state where a seed is to repeat them. */
static uint64_t test_random_state = 1;

static inline uint64_t test_random(uint64_t below)
{
	test_random_state = test_random_state * UINT64_C(6364136223846793005) +
			    UINT64_C(1442695040888963407);
	return below ? (test_random_state >> 33) % below : 0;
}

static bool test_is_left_out(const char *name)
{
	const char *names = getenv("TEST_LEFT_OUT");
	const size_t length = strlen(name);
	for (const char *at = names; at && (at = strstr(at, name)); at += length)
		if ((at == names || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

static int test_run_all(const struct test_case *cases, int count)
{
	for (int i = 0; i < count; i++) {
		int before = test_failures;
		if (test_is_left_out(cases[i].name)) {
			printf("%s is left out\n", cases[i].name);
			test_skips++;
			continue;
		}
		cases[i].run();
		if (test_failures != before)
			printf("FAIL %s\n", cases[i].name);
	}
	if (test_failures)
		return 1;
	return count && test_skips == count ? 77 : 0;
}

#define TEST_MAIN(...)                                                                \
	int main(void)                                                                \
	{                                                                             \
		static const struct test_case cases[] = {__VA_ARGS__};                \
		return test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));  \
	}

#define TEST(function) {#function, function}

#endif
