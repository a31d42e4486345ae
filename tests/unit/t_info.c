#include "config.h"

#include "icd/object/info.h"

#include "tests/unit/test.h"

static void sizes(void)
{
	cl_uint value = 0;
	size_t size = 0;
	const struct info_out ask = {0, NULL, &size};
	const struct info_out small = {3, &value, &size};
	const struct info_out exact = {4, &value, &size};
	const struct info_out large = {400, &value, NULL};
	CHECK_EQ(INFO_PUT(&ask, cl_uint, 7), CL_SUCCESS);
	CHECK_EQ(size, 4);
	size = 99;
	CHECK_EQ(INFO_PUT(&small, cl_uint, 7), CL_INVALID_VALUE);
	CHECK_EQ(value, 0);
	CHECK_EQ(size, 99);
	CHECK_EQ(INFO_PUT(&exact, cl_uint, 7), CL_SUCCESS);
	CHECK_EQ(value, 7);
	CHECK_EQ(size, 4);
	CHECK_EQ(INFO_PUT(&large, cl_uint, 8), CL_SUCCESS);
	CHECK_EQ(value, 8);
}

static void strings(void)
{
	char text[8] = "xxxxxxx";
	size_t size = 0;
	const struct info_out exact = {4, text, &size};
	const struct info_out small = {3, text, &size};
	CHECK_EQ(info_put_string(&exact, "abc"), CL_SUCCESS);
	CHECK_STRING(text, "abc");
	CHECK_EQ(size, 4);
	CHECK_EQ(text[4], 'x');
	CHECK_EQ(info_put_string(&small, "abc"), CL_INVALID_VALUE);
}

/* An empty list: nothing is written, whatever room there is. */
static void nothing(void)
{
	char byte = 'x';
	size_t size = 99;
	const struct info_out room = {1, &byte, &size};
	const struct info_out none = {0, &byte, &size};
	CHECK_EQ(info_put(&room, NULL, 0), CL_SUCCESS);
	CHECK_EQ(info_put(&none, NULL, 0), CL_SUCCESS);
	CHECK_EQ(size, 0);
	CHECK_EQ(byte, 'x');
}

TEST_MAIN(TEST(sizes), TEST(strings), TEST(nothing))
