/* Protects: which allocation of shared virtual memory an address is in (icd/memory/svm_table.c): random
 * allocations, frees and look-ups beside a list.
 *
 * Seen to fail with each of these mistakes in svm_table.c: an address behind an allocation's first byte is not
 * found, or found with another offset; any address of an allocation frees it; clSVMFree frees what USM has, or the
 * other way round; what was freed is still found; a look-up keeps no reference. */
#include "config.h"

#include "icd/memory/svm.h"

#include "icd/memory/mem.h"
#include "tests/unit/test.h"

enum { ALLOCATIONS = 40, PLACES = 400, STEPS = 20000 };

static struct {
	struct ocl_svm svm;
	bool there;
} model[ALLOCATIONS];
static struct _cl_mem mems[ALLOCATIONS];
static struct _cl_context context;
static char memory[PLACES]; /* whose addresses are handed out */

static void mem_destroy(struct object *object)
{
	(void)object;
	CHECK(!"the test has a share of each");
}

static const struct object_type mem_type = {"buffer", CL_INVALID_MEM_OBJECT, mem_destroy};

/* The allocation that a place is in; -1: none. */
static int at(uint64_t place)
{
	for (int i = 0; i < ALLOCATIONS; i++) {
		const char *start = model[i].svm.pointer;
		if (model[i].there && memory + place >= start &&
		    memory + place < start + model[i].svm.size_B)
			return i;
	}
	return -1;
}

static void allocate(void)
{
	const unsigned n = (unsigned)test_random(ALLOCATIONS);
	const uint64_t place = test_random(PLACES - 20), size_B = 1 + test_random(20);
	if (model[n].there)
		return;
	for (uint64_t i = place; i < place + size_B; i++)
		if (at(i) >= 0)
			return;
	model[n].svm = (struct ocl_svm){
		.kind = (enum ocl_svm_kind)test_random(4),
		.usm = test_random(2),
		.size_B = size_B,
		.pointer = memory + place,
	};
	model[n].there = true;
	object_init(&mems[n].base, &mem_type);
	CHECK_EQ(ocl_svm_enter(&context, &mems[n], &model[n].svm), CL_SUCCESS);
}

static void take(void)
{
	const uint64_t place = test_random(PLACES);
	const int n = at(place);
	const bool usm = test_random(2);
	const bool first = n >= 0 && model[n].svm.pointer == memory + place;
	const bool good = first && usm == model[n].svm.usm;
	CHECK(ocl_svm_take(&context, memory + place, usm) == (good ? &mems[n] : NULL));
	if (good)
		model[n].there = false;
}

static void find(void)
{
	const uint64_t place = test_random(PLACES);
	const int n = at(place);
	size_t offset_B = 0;
	struct ocl_svm svm;
	CHECK_EQ(ocl_svm_describe(&context, memory + place, &svm), n >= 0);
	if (n >= 0)
		CHECK(svm.pointer == model[n].svm.pointer && svm.kind == model[n].svm.kind &&
		      svm.size_B == model[n].svm.size_B);
	cl_mem mem = ocl_svm_find(&context, memory + place, &offset_B);
	CHECK(mem == (n >= 0 ? &mems[n] : NULL));
	if (!mem)
		return;
	CHECK_EQ(offset_B, memory + place - (char *)model[n].svm.pointer);
	CHECK_EQ(atomic_load(&mem->base.refs), 2);
	object_unref(mem);
}

static void random_sequence(void)
{
	static void (*const steps[])(void) = {allocate, take, find, find};
	REQUIRE(!ocl_svm_table_init(&context.svm));
	for (unsigned i = 0; i < STEPS && !test_failures; i++)
		steps[test_random(4)]();
	for (unsigned i = 0; i < ALLOCATIONS; i++)
		if (model[i].there)
			CHECK(ocl_svm_take(&context, model[i].svm.pointer,
					   model[i].svm.usm) == &mems[i]);
	ocl_svm_table_finish(&context.svm);
}

TEST_MAIN(TEST(random_sequence))
