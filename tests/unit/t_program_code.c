/* Protects: code that the cache has packed is the code that was packed, for all threads that
 * ask at once; what is no longer whole is not there; an application's binary is never packed, and
 * one of an older form is refused. */
#include "config.h"

#include "base/checksum.h"
#include "icd/compile/program_binary.h"
#include "tests/unit/test.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 16, ROUNDS = 200, TEXT_B = 20000, FLAGS_AT_B = 36, VERSION_AT_B = 8 };

enum { SM = 90 };

static struct abi_program *facts(void)
{
	const struct abi_program none = {0};
	struct bytes written = BYTES_INIT;
	abi_program_write(&none, &written);
	struct abi_program *read = abi_program_read(written.data, written.size_B);
	bytes_finish(&written);
	return read;
}

/* With machine code, so that all that can be packed is. */
static struct ocl_code *make_code(void)
{
	struct ocl_code *code = ocl_code_create();
	if (!code)
		abort();
	code->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	code->sm = code->ptx_sm = 90;
	code->choice.warp_synchronous = true;
	code->abi = facts();
	for (unsigned i = 0; code->ptx.bytes.size_B < TEXT_B; i++) {
		bytes_printf(&code->ptx.bytes, "add.s32 %%r%u, %%r%u, 1;\n", i, i);
		bytes_printf(&code->object.bytes, "%u", i * i);
	}
	bytes_append_string(&code->cubin, "machine code");
	bytes_append_string(&code->log, "words");
	return code;
}

static struct ocl_code *read_back(const struct bytes *value, enum ocl_code_form form)
{
	struct ocl_code *code = NULL;
	return ocl_code_read(value->data, value->size_B, form, SM, &code) ? NULL : code;
}

static bool equal(const struct bytes *a, const struct bytes *b)
{
	return a && b && a->size_B == b->size_B && !memcmp(a->data, b->data, a->size_B);
}

static void packed_code_is_the_code(void)
{
	struct bytes kept = BYTES_INIT, given = BYTES_INIT, again = BYTES_INIT, rekept = BYTES_INIT;
	struct ocl_code *code = make_code();
	ocl_code_write(code, OCL_CODE_KEPT, &kept);
	ocl_code_write(code, OCL_CODE_GIVEN, &given);
	CHECK(kept.size_B < given.size_B / 2);
	struct ocl_code *back = read_back(&kept, OCL_CODE_KEPT);
	REQUIRE(back);
	CHECK(back->ptx.packed && back->object.packed && !packed_bytes_empty(&back->object));
	CHECK(back->choice.warp_synchronous && !back->choice.verbose);
	CHECK(equal(&back->cubin, &code->cubin) && equal(&back->log, &code->log));
	/* Written as it lies, and to an application as if it had never been packed. */
	ocl_code_write(back, OCL_CODE_KEPT, &rekept);
	CHECK(equal(&rekept, &kept));
	ocl_code_write(back, OCL_CODE_GIVEN, &again);
	CHECK(equal(&again, &given));
	CHECK(equal(packed_bytes_open(&back->ptx), &code->ptx.bytes));
	CHECK(equal(packed_bytes_open(&back->object), &code->object.bytes));
	ocl_code_unref(back);
	ocl_code_unref(code);
	bytes_finish(&kept);
	bytes_finish(&given);
	bytes_finish(&again);
	bytes_finish(&rekept);
}

struct asker {
	struct packed_bytes *part;
	pthread_barrier_t *ready;
	const struct bytes *got;
};

static void *ask(void *data)
{
	struct asker *asker = data;
	pthread_barrier_wait(asker->ready);
	asker->got = packed_bytes_open(asker->part);
	return NULL;
}

static void threads_that_ask_at_once_get_the_same(void)
{
	struct bytes kept = BYTES_INIT;
	struct ocl_code *code = make_code();
	ocl_code_write(code, OCL_CODE_KEPT, &kept);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct asker askers[THREADS];
		pthread_t threads[THREADS];
		pthread_barrier_t ready;
		struct ocl_code *back = read_back(&kept, OCL_CODE_KEPT);
		REQUIRE(back && !pthread_barrier_init(&ready, NULL, THREADS));
		for (unsigned i = 0; i < THREADS; i++) {
			askers[i] = (struct asker){&back->ptx, &ready, NULL};
			CHECK(!pthread_create(&threads[i], NULL, ask, &askers[i]));
		}
		for (unsigned i = 0; i < THREADS; i++) {
			pthread_join(threads[i], NULL);
			CHECK(askers[i].got && askers[i].got == askers[0].got);
		}
		CHECK(equal(askers[0].got, &code->ptx.bytes));
		pthread_barrier_destroy(&ready);
		ocl_code_unref(back);
	}
	ocl_code_unref(code);
	bytes_finish(&kept);
}

/* Under a right checksum, too: none of it is memory of a wrong size. */
static void what_is_not_whole_is_not_there(void)
{
	struct bytes kept = BYTES_INIT, out = BYTES_INIT;
	struct ocl_code *code = make_code();
	ocl_code_write(code, OCL_CODE_KEPT, &kept);
	struct ocl_code *back = read_back(&kept, OCL_CODE_KEPT);
	REQUIRE(back);
	back->ptx.bytes.size_B /= 2;
	memset(back->object.bytes.data, 0, back->object.bytes.size_B);
	for (unsigned i = 0; i < 2; i++) {
		CHECK(!packed_bytes_open(&back->ptx));
		CHECK(!packed_bytes_open(&back->object));
	}
	ocl_code_write(back, OCL_CODE_GIVEN, &out);
	CHECK(bytes_failed(&out));
	ocl_code_unref(back);
	ocl_code_unref(code);
	bytes_finish(&kept);
	bytes_finish(&out);
}

/* Makes the checksum of an application's binary right again. */
static void seal(struct bytes *binary)
{
	unsigned char both[32];
	struct checksum sum = checksum_of(binary->data + 32, binary->size_B - 32);
	memcpy(both, binary->data, 16);
	memcpy(both + 16, sum.bytes, CHECKSUM_B);
	sum = checksum_of(both, sizeof(both));
	memcpy(binary->data + 16, sum.bytes, CHECKSUM_B);
}

static void applications_give_plain_code_of_this_version(void)
{
	struct bytes given = BYTES_INIT, kept = BYTES_INIT;
	struct ocl_code *code = make_code(), *back;
	ocl_code_write(code, OCL_CODE_GIVEN, &given);
	ocl_code_write(code, OCL_CODE_KEPT, &kept);
	CHECK(!read_back(&kept, OCL_CODE_GIVEN));
	seal(&kept);
	CHECK(!read_back(&kept, OCL_CODE_GIVEN));
	back = read_back(&given, OCL_CODE_GIVEN);
	CHECK(back != NULL);
	ocl_code_unref(back);
	given.data[FLAGS_AT_B] |= 32;
	seal(&given);
	CHECK(!read_back(&given, OCL_CODE_GIVEN));
	given.data[FLAGS_AT_B] = 0;
	for (char version = 0; version <= OCL_BINARY_VERSION + 1; version++) {
		given.data[VERSION_AT_B] = version;
		seal(&given);
		back = read_back(&given, OCL_CODE_GIVEN);
		CHECK_EQ(back != NULL, version == OCL_BINARY_VERSION);
		ocl_code_unref(back);
	}
	ocl_code_unref(code);
	bytes_finish(&given);
	bytes_finish(&kept);
}

TEST_MAIN(TEST(packed_code_is_the_code), TEST(threads_that_ask_at_once_get_the_same),
	  TEST(what_is_not_whole_is_not_there), TEST(applications_give_plain_code_of_this_version))
