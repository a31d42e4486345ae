/* The PTX of several modules as one text: what is the same in both, and what only has one name. */
#include "config.h"

#include "backend/ptx_join.h"
#include "tests/unit/test.h"

#include <string.h>

#define HEAD "//\n// a compiler's words; {\n//\n\n.version 8.0\n.target sm_75\n.address_size 64\n\n"
#define ENTRY(name, callee) "\t// .globl\t" name "\n.visible .entry " name "(\n\t.param .u64 " name \
	"_param_0\n)\n{\n\t{ // begin {\n\tcall.uni \n\t" callee ", \n\t(\n\t);\n\t}\n\tret;\n\n}\n"
#define HELPER(body) ".func helper(\n\t.param .b32 helper_param_0\n)\n{\n\t" body "\n}\n"

static struct bytes joined;

/* third: NULL for none. */
static const char *join_three(const char *first, const char *second, const char *third)
{
	struct bytes texts[3] = {BYTES_INIT, BYTES_INIT, BYTES_INIT};
	bytes_append_string(&texts[0], first);
	bytes_append_string(&texts[1], second);
	bytes_append_string(&texts[2], third ? third : "");
	bytes_finish(&joined);
	be_ptx_join(texts, third ? 3 : 2, &joined);
	for (int i = 0; i < 3; i++)
		bytes_finish(&texts[i]);
	return bytes_string(&joined);
}

static const char *join(const char *first, const char *second)
{
	return join_three(first, second, NULL);
}

static unsigned count(const char *text, const char *part)
{
	unsigned found = 0;
	for (; (text = strstr(text, part)) != NULL; text++)
		found++;
	return found;
}

static void one_head_and_all_entries(void)
{
	const char *text = join(HEAD ENTRY("a", "x"), HEAD ENTRY("b", "y"));
	CHECK_EQ(count(text, ".version"), 1);
	CHECK_EQ(count(text, ".address_size 64"), 1);
	CHECK_EQ(count(text, "\n.visible .entry a("), 1);
	CHECK_EQ(count(text, "\n.visible .entry b("), 1);
	CHECK_EQ(count(text, "\n}\n"), 2);
	CHECK_EQ(count(text, "$$"), 0);
}

static void what_is_the_same_is_there_once(void)
{
	static const char table[] = ".global .align 4 .b8 table[8] = {1, 0, 0, 0, 2, 0, 0, 0};\n";
	static const char shared[] = ".extern .shared .align 16 .b8 all[];\n";
	struct bytes first = BYTES_INIT, second = BYTES_INIT;
	bytes_printf(&first, HEAD "%s%s" HELPER("ret;") ENTRY("a", "helper"), table, shared);
	bytes_printf(&second, HEAD "%s%s" HELPER("ret;") ENTRY("b", "helper"), shared, table);
	const char *text = join(bytes_string(&first), bytes_string(&second));
	CHECK_EQ(count(text, table), 1);
	CHECK_EQ(count(text, shared), 1);
	CHECK_EQ(count(text, ".func helper("), 1);
	CHECK_EQ(count(text, "$$"), 0);
	bytes_finish(&first);
	bytes_finish(&second);
}

static void what_differs_gets_another_name(void)
{
	const char *text = join(HEAD ".func helper(\n\t.param .b32 helper_param_0\n)\n;\n"
				     ENTRY("a", "helper") HELPER("ret;"),
				HEAD ".func helper(\n\t.param .b32 helper_param_0\n)\n;\n"
				     ENTRY("b", "helper") HELPER("exit;")
				     ".global .align 8 .u64 places[2] = {generic(t), t};\n"
				     ".shared .align 4 .f32 helper_tile;\n");
	CHECK_EQ(count(text, ".func helper("), 2);
	CHECK_EQ(count(text, ".func helper$$part1("), 2);
	CHECK_EQ(count(text, "\thelper, \n"), 1);
	CHECK_EQ(count(text, "\thelper$$part1, \n"), 1);
	CHECK_EQ(count(text, ".shared .align 4 .f32 helper_tile;"), 1);
	CHECK_EQ(count(text, "{generic(t), t};"), 1);
}

/* A function in the same words, which call another one's function. */
static void callers_follow_their_functions(void)
{
	static const char caller[] = ".func caller()\n{\n\tcall.uni \n\thelper, (1);\n\tret;\n}\n";
	struct bytes first = BYTES_INIT, second = BYTES_INIT;
	bytes_printf(&first, HEAD "%s" HELPER("ret;") ENTRY("a", "caller"), caller);
	bytes_printf(&second, HEAD "%s" HELPER("exit;") ENTRY("b", "caller"), caller);
	const char *text = join(bytes_string(&first), bytes_string(&second));
	CHECK_EQ(count(text, ".func caller()"), 1);
	CHECK_EQ(count(text, ".func caller$$part1()"), 1);
	CHECK_EQ(count(text, "\thelper$$part1, (1);"), 1);
	CHECK_EQ(count(text, "\tcaller$$part1, \n"), 1);
	bytes_finish(&first);
	bytes_finish(&second);
}

/* What is the same as a function that got another name. */
static void a_third_has_its_own(void)
{
	const char *text = join_three(HEAD ENTRY("a", "helper") HELPER("ret;"),
				      HEAD ENTRY("b", "helper") HELPER("exit;"),
				      HEAD ENTRY("c", "helper") HELPER("exit;"));
	CHECK_EQ(count(text, ".func helper("), 1);
	CHECK_EQ(count(text, ".func helper$$part1("), 1);
	CHECK_EQ(count(text, ".func helper$$part2("), 1);
	CHECK_EQ(count(text, "\thelper$$part2, \n"), 1);
}

static void results_are_no_names(void)
{
	const char *text = join(HEAD ".func  (.param .b32 func_retval0) f(\n)\n{\n\tret;\n}\n",
				HEAD ".func  (.param .b32 func_retval0) g(\n)\n{\n\tret;\n}\n");
	CHECK_EQ(count(text, "func_retval0) f("), 1);
	CHECK_EQ(count(text, "func_retval0) g("), 1);
	CHECK_EQ(count(text, "$$"), 0);
}

static void finish(void)
{
	bytes_finish(&joined);
}

TEST_MAIN(TEST(one_head_and_all_entries), TEST(what_is_the_same_is_there_once),
	  TEST(what_differs_gets_another_name), TEST(callers_follow_their_functions),
	  TEST(a_third_has_its_own),
	  TEST(results_are_no_names), TEST(finish))
