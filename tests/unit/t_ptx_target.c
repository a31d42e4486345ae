/* Protects: PTX with instructions of Hopper GPUs alone gets the target sm_90a, and no other PTX does; PTX whose warps
 * are to be kept together gets the target sm_60. */
#include "config.h"

#include "backend/codegen.h"
#include "backend/ptx_target.h"
#include "tests/unit/test.h"

#include <string.h>

#define PTX(target, body) "//\n.version 8.3\n.target " target "\n.address_size 64\n.entry k()\n{\n" body "\tret;\n}\n"
#define PRODUCT "\twgmma.fence.sync.aligned;\n"

static struct bytes ptx;

static const char *choose(const char *text, unsigned sm)
{
	bytes_finish(&ptx);
	bytes_append_string(&ptx, text);
	be_ptx_target_choose(&ptx, sm);
	return bytes_string(&ptx);
}

static void those_with_such_instructions(void)
{
	CHECK_STRING(choose(PTX("sm_90", PRODUCT), 90), PTX("sm_90a", PRODUCT));
	CHECK(be_ptx_target_only(&ptx));
	CHECK_STRING(choose(PTX("sm_90, debug", PRODUCT), 90), PTX("sm_90a, debug", PRODUCT));
	CHECK(be_ptx_is_debug(&ptx) && be_ptx_target_only(&ptx));
	CHECK_STRING(choose(PTX("sm_90", "{setmaxnreg.dec.sync.aligned.u32 40;}\n"), 90),
		     PTX("sm_90a", "{setmaxnreg.dec.sync.aligned.u32 40;}\n"));
	CHECK_STRING(choose(PTX("sm_90a", PRODUCT), 90), PTX("sm_90a", PRODUCT));
}

static void no_others(void)
{
	static const char *const bodies[] = {"", "\t.file 1 \"wgmma.cl\"\n", "\t// a.wgmma.fence\n",
					     "\t.file 2 \"a/wgmma.h\"\n"};
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct bytes text = BYTES_INIT;
		bytes_printf(&text, PTX("sm_90", "%s"), bodies[i]);
		CHECK_STRING(choose(bytes_string(&text), 90), bytes_string(&text));
		CHECK(!be_ptx_target_only(&ptx));
		bytes_finish(&text);
	}
	/* The PTX compiler then says which instruction the device does not have. */
	CHECK_STRING(choose(PTX("sm_80", PRODUCT), 80), PTX("sm_80", PRODUCT));
	CHECK_STRING(choose(PTX("sm_100", PRODUCT), 100), PTX("sm_100", PRODUCT));
	bytes_finish(&ptx);
}

/* The assembler takes PTX for sm_60 as code that was written for warps in lockstep. */
static void warps_are_kept_together(void)
{
	bytes_append_string(&ptx, PTX("sm_75, debug",
				      "\tatom.relaxed.sys.global.cas.b32 %r1, [%rd1], %r2, %r3;\n"
				      "\t@%p1 atom.relaxed.gpu.global.add.u32 %r1, [%rd1], %r2;\n"
				      "\tred.relaxed.gpu.global.add.u32 [%rd1], %r2;\n"
				      "\tld.relaxed.gpu.global.u32 %r1, [%rd1];\n"));
	be_ptx_target_keep_warps(&ptx);
	CHECK_STRING(bytes_string(&ptx), PTX("sm_60, debug",
					     "\tatom.sys.global.cas.b32 %r1, [%rd1], %r2, %r3;\n"
					     "\t@%p1 atom.gpu.global.add.u32 %r1, [%rd1], %r2;\n"
					     "\tred.gpu.global.add.u32 [%rd1], %r2;\n"
					     "\tld.relaxed.gpu.global.u32 %r1, [%rd1];\n"));
	bytes_finish(&ptx);
}

TEST_MAIN(TEST(those_with_such_instructions), TEST(no_others), TEST(warps_are_kept_together))
