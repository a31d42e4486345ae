/* Protects: a kernel's argument whose memory object was destroyed is not taken for the new object in the same struct,
 * and no spare struct is lost or taken twice. */
#include "config.h"

#include "tests/litmus/litmus.h"

#include "icd/memory/mem_spare.c"

static struct _cl_context context;
static struct _cl_mem mems[2];
static cl_mem made[2];

/* mems[0] was named and is being destroyed; mems[1] is spare. */
static void setup(void)
{
	atomic_init(&context.spare_mems, &mems[1]);
	for (unsigned i = 0; i < 2; i++) {
		mems[i].context = &context;
		mems[i].next_spare = NULL;
		mems[i].size_B = 0;
		atomic_init(&mems[i].life, i ? 2 : 1);
		atomic_init(&mems[i].holders, 1);
		atomic_init(&mems[i].base.api_refs, 0);
		made[i] = NULL;
	}
}

LITMUS_THREAD(destroy)
{
	mems[0].size_B = 1;
	ocl_mem_drop(&mems[0]);
}

/* As mem_new does. */
static void make(unsigned number)
{
	cl_mem mem = ocl_mem_spare_take(&context);
	if (!mem)
		return;
	object_renew(&mem->base, NULL);
	assert(mem->size_B == (mem == &mems[0]));
	mem->size_B = 2;
	made[number] = mem;
}

LITMUS_THREAD(make_first)
{
	make(0);
}

LITMUS_THREAD(make_second)
{
	make(1);
}

LITMUS_THREAD(launch)
{
	assert(!ocl_mem_is(&mems[0], 1));
}

static void finish(void)
{
	unsigned count = 0;
	assert(!made[0] || made[0] != made[1]);
	for (cl_mem mem = atomic_load(&context.spare_mems); mem; mem = mem->next_spare)
		count++;
	assert(count + !!made[0] + !!made[1] == 2);
}

LITMUS_4(setup, destroy, make_first, make_second, launch, finish)
