/* Protects: the function that destroys an object runs once, after everything that any owner did with the object. */
#include "config.h"

#include "tests/litmus/litmus.h"

#include "icd/object/object.c"

static unsigned used[3], destroyed;

static void destroy(struct object *object)
{
	(void)object;
	assert(used[0] && used[1] && used[2]);
	used[0] = used[1] = used[2] = 0;
	destroyed++;
}

static const struct object_type type = {"object", CL_INVALID_VALUE, destroy};
static struct object object;

/* The application has two references, and a command one. */
static void setup(void)
{
	used[0] = used[1] = used[2] = destroyed = 0;
	object_init(&object, &type);
	assert(!object_retain(&object, &type));
	object_ref(&object);
}

LITMUS_THREAD(release_first)
{
	used[0] = 1;
	assert(!object_release(&object, &type));
}

LITMUS_THREAD(release_second)
{
	used[1] = 1;
	assert(!object_release(&object, &type));
}

LITMUS_THREAD(end_command)
{
	used[2] = 1;
	object_unref(&object);
}

static void finish(void)
{
	assert(destroyed == 1);
}

LITMUS_3(setup, release_first, release_second, end_command, finish)
