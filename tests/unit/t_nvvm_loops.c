/* What lowering makes of loops: their counters, and the parameters and addresses that they use. */
#include "config.h"

#include "tests/unit/lowered.h"

static const char counters_ir[] =
	"define spir_kernel void @k(ptr addrspace(1) %p, i32 %a, i32 %b, i32 %step, i32 %n) {\n"
	"entry:\n  br label %loop\n"
	"loop:\n"
	"  %turn = phi i32 [ 0, %entry ], [ %turn.next, %loop ]\n"
	"  %i = phi i32 [ %a, %entry ], [ %i.next, %loop ]\n"
	"  %j = phi i32 [ %b, %entry ], [ %j.next, %loop ]\n"
	"  %k = phi i32 [ 7, %entry ], [ %k.next, %loop ]\n"
	"  %other = phi i32 [ 7, %entry ], [ %other.next, %loop ]\n"
	"  %x = xor i32 %i, %j\n  %y = xor i32 %k, %other\n  %z = xor i32 %x, %y\n"
	"  store i32 %z, ptr addrspace(1) %p\n"
	"  %i.next = add nsw i32 %i, %step\n  %j.next = add i32 %step, %j\n"
	"  %k.next = add i32 %k, %step\n  %other.next = add i32 %other, %turn\n"
	"  %turn.next = add i32 %turn, 1\n"
	"  %more = icmp ult i32 %turn.next, %n\n"
	"  br i1 %more, label %loop, label %done\n"
	"done:\n  ret void\n}\n";

/* Of the three counters with one step that does not change, one stays. */
static void test_counters(void)
{
	struct outcome o = lower(counters_ir, 90, 48 * 1024);
	struct outcome n = lower(counters_ir, 100, 48 * 1024);
	REQUIRE(o.status == FE_OK && n.status == FE_OK);
	CHECK_EQ(count(&o.text, " phi i32 "), 3);
	CHECK_EQ(count(&o.text, " sub i32 "), 2);
	CHECK_EQ(count(&n.text, " phi i32 "), 5);
	outcome_finish(&o);
	outcome_finish(&n);
}

/* A loop that reads p[i * m + a] and p[i * m + b], then EXTRA; b is the sum of the second index. */
#define PAIR_IR(target, type, b, extra) \
	"define " target "_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %out, i32 %m, i32 %a, i32 %b, " \
	"i32 %n) {\nentry:\n  br label %loop\nloop:\n" \
	"  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n" \
	"  %row = mul nsw i32 %i, %m\n" \
	"  %x = add nsw i32 %row, %a\n  %y = add nsw i32 " b "\n" \
	"  %wide.x = sext i32 %x to i64\n  %wide.y = sext i32 %y to i64\n" \
	"  %at.x = getelementptr inbounds " type ", ptr addrspace(1) %p, i64 %wide.x\n" \
	"  %at.y = getelementptr inbounds " type ", ptr addrspace(1) %p, i64 %wide.y\n" \
	"  %e = load " type ", ptr addrspace(1) %at.x\n  %f = load " type ", ptr addrspace(1) %at.y\n" extra \
	"  store volatile " type " %e, ptr addrspace(1) %out\n  store volatile " type " %f, ptr addrspace(1) %out\n" \
	"  %next = add nsw i32 %i, 1\n" \
	"  %more = icmp slt i32 %next, %n\n" \
	"  br i1 %more, label %loop, label %done\n" \
	"done:\n  ret void\n}\n"

/* Whether the kernel's first parameter is declared with this type. */
static void check_parameter(const char *ir, unsigned sm, const char *type)
{
	char head[64];
	struct outcome o = lower(ir, sm, 48 * 1024);
	REQUIRE(o.status == FE_OK);
	snprintf(head, sizeof(head), "void @k(%s addrspace(1)* ", type);
	if (!strstr(bytes_string(&o.text), head))
		printf("no %s in %s\n", head, bytes_string(&o.text));
	CHECK_EQ(count(&o.text, head), 1);
	/* The annotation names the same type of the function. */
	snprintf(head, sizeof(head), "void (%s addrspace(1)*, ", type);
	CHECK_EQ(count(&o.text, head), 1);
	outcome_finish(&o);
}

/* A parameter has the type of its elements where a loop reads two of them that advance alike, and nothing else. */
static void test_typed_parameters(void)
{
	check_parameter(PAIR_IR("spir", "float", "%row, %b", ""), 90, "float");
	check_parameter(PAIR_IR("ptx", "float", "%row, %b", ""), 90, "float"); /* as of Clang 22 */
	check_parameter(PAIR_IR("spir", "double", "%row, %b", ""), 75, "double");
	check_parameter(PAIR_IR("spir", "i16", "%row, %b", ""), 90, "i16");
	check_parameter(PAIR_IR("spir", "float", "%row, %b", ""), 100, "i8");
	check_parameter(PAIR_IR("spir", "<2 x float>", "%row, %b", ""), 90, "i8");
	check_parameter(PAIR_IR("spir", "float", "%x, 3", ""), 90, "i8");
	check_parameter(PAIR_IR("spir", "float", "%x, %m", ""), 90, "i8");
	check_parameter(PAIR_IR("spir", "float", "%i, %b", ""), 90, "i8");
	check_parameter(PAIR_IR("spir", "float", "%row, %b", "  store float 0.0, ptr addrspace(1) %at.x\n"), 90, "i8");
	check_parameter(PAIR_IR("spir", "float", "%row, %b",
				"  %at.z = getelementptr inbounds float, ptr addrspace(1) %out, i64 %wide.y\n"
				"  %g = load volatile float, ptr addrspace(1) %at.z\n"), 90, "i8");
}

/* A loop up to n, or of as many turns as TURNS says, around ACCESS; %row is p, and elements of a type behind it. */
#define ARRAY_IR(type, first, turns, access) \
	"define spir_kernel void @k(ptr addrspace(1) %p, i64 %first, i32 %n) {\n" \
	"entry:\n" \
	"  %row = getelementptr inbounds " type ", ptr addrspace(1) %p, i64 " first "\n  br label %loop\n" \
	"loop:\n" \
	"  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n" access \
	"  store " type " zeroinitializer, ptr addrspace(1) %at\n" \
	"  %next = add nsw i32 %i, 1\n" \
	"  %more = icmp slt i32 %next, " turns "\n" \
	"  br i1 %more, label %loop, label %done\n" \
	"done:\n  ret void\n}\n"
#define ELEMENT_IR(type) \
	"  %wide = sext i32 %i to i64\n" \
	"  %at = getelementptr inbounds " type ", ptr addrspace(1) %row, i64 %wide\n"

/* Whether the kernel has an address in bytes, and multiplies its first element by size_B. */
static void check_kept(const char *ir, unsigned sm, unsigned size_B, bool kept)
{
	char product[64];
	struct outcome o = lower(ir, sm, 48 * 1024);
	REQUIRE(o.status == FE_OK);
	snprintf(product, sizeof(product), "%u\n", size_B);
	CHECK_EQ(has(&o.text, "mul nsw i64"), kept);
	CHECK_EQ(has(&o.text, "getelementptr inbounds i8, i8 addrspace(1)*"), kept);
	if (kept)
		CHECK(has(&o.text, product));
	outcome_finish(&o);
}

/* The address of an array that a loop indexes is one value, so that libnvvm adds no two indices in each iteration. */
static void test_kept_addresses(void)
{
	check_kept(ARRAY_IR("float", "%first", "%n", ELEMENT_IR("float")), 90, 4, true);
	check_kept(ARRAY_IR("<3 x float>", "%first", "%n", ELEMENT_IR("<3 x float>")), 75, 16, true);
	/* In the loop, but the same in each iteration. */
	check_kept(ARRAY_IR("i64", "%first", "%n",
			    "  %again = getelementptr inbounds i64, ptr addrspace(1) %p, i64 %first\n"
			    "  %wide = sext i32 %i to i64\n"
			    "  %at = getelementptr inbounds i64, ptr addrspace(1) %again, i64 %wide\n"), 90, 8, true);
	/* libnvvm's newer LLVM keeps it by itself. */
	check_kept(ARRAY_IR("float", "%first", "%n", ELEMENT_IR("float")), 100, 4, false);
	/* A constant is added to the address of an access, and a loop of four turns is written out. */
	check_kept(ARRAY_IR("float", "7", "%n", ELEMENT_IR("float")), 90, 4, false);
	check_kept(ARRAY_IR("float", "%first", "4", ELEMENT_IR("float")), 90, 4, false);
	check_kept(ARRAY_IR("float", "%first", "%n",
			    "  %at = getelementptr inbounds float, ptr addrspace(1) %row, i64 3\n"), 90, 4, false);
}

TEST_MAIN(TEST(test_counters), TEST(test_typed_parameters), TEST(test_kept_addresses))
