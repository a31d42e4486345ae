#include "config.h"

#include "icd/object/object.h"

#include "tests/unit/test.h"

#include <stdint.h>

/* The object's counts alone: nothing behind the table. */
static const cl_icd_dispatch table;
static int data;

static unsigned destroyed;

static void thing_destroy(struct object *object)
{
	(void)object;
	destroyed++;
}

static const struct object_type thing_type = {"thing", CL_INVALID_EVENT, thing_destroy};
static const struct object_type other_type = {"other", CL_INVALID_KERNEL, thing_destroy};

static void words(void)
{
	struct object thing;
	object_set_dispatch(&table);
	object_set_dispatch_data(&data);
	object_init(&thing, &thing_type);
	/* What a loader relies on: the table first, its data second. */
	CHECK_EQ(offsetof(struct object, dispatch), 0);
	CHECK_EQ(offsetof(struct object, dispatch_data), sizeof(void *));
	CHECK(thing.dispatch == &table);
	CHECK(thing.dispatch_data == &data);
	CHECK_EQ(object_reference_count(&thing), 1);
}

static void kinds(void)
{
	struct object thing;
	object_init(&thing, &thing_type);
	CHECK_EQ(object_check(&thing, &thing_type), CL_SUCCESS);
	CHECK_EQ(object_check(&thing, &other_type), CL_INVALID_KERNEL);
	CHECK_EQ(object_check(NULL, &thing_type), CL_INVALID_EVENT);
	CHECK_EQ(object_retain(&thing, &other_type), CL_INVALID_KERNEL);
	CHECK_EQ(object_release(&thing, &other_type), CL_INVALID_KERNEL);
	CHECK_EQ(object_retain(NULL, &thing_type), CL_INVALID_EVENT);
	CHECK_EQ(object_release(NULL, &thing_type), CL_INVALID_EVENT);
}

static void counts(void)
{
	struct object thing;
	destroyed = 0;
	object_init(&thing, &thing_type);
	CHECK_EQ(object_retain(&thing, &thing_type), CL_SUCCESS);
	CHECK_EQ(object_reference_count(&thing), 2);
	CHECK_EQ(object_release(&thing, &thing_type), CL_SUCCESS);
	CHECK_EQ(destroyed, 0);
	CHECK_EQ(object_release(&thing, &thing_type), CL_SUCCESS);
	CHECK_EQ(destroyed, 1);
	CHECK(thing.type == NULL);
	object_unref(NULL);
}

/* A running command outlives the application's last release, and a release too
 * many does not take the command's share. */
static void owners(void)
{
	struct object thing;
	destroyed = 0;
	object_init(&thing, &thing_type);
	object_ref(&thing);
	CHECK_EQ(object_release(&thing, &thing_type), CL_SUCCESS);
	CHECK_EQ(destroyed, 0);
	CHECK_EQ(object_reference_count(&thing), 0);
	CHECK_EQ(object_release(&thing, &thing_type), CL_INVALID_EVENT);
	CHECK_EQ(destroyed, 0);
	object_unref(&thing);
	CHECK_EQ(destroyed, 1);
}

/* A callback may take a share again of what only the library still holds. */
static void revival(void)
{
	struct object thing;
	destroyed = 0;
	object_init(&thing, &thing_type);
	object_ref(&thing);
	CHECK_EQ(object_release(&thing, &thing_type), CL_SUCCESS);
	CHECK_EQ(object_retain(&thing, &thing_type), CL_SUCCESS);
	object_unref(&thing);
	CHECK_EQ(destroyed, 0);
	CHECK_EQ(object_release(&thing, &thing_type), CL_SUCCESS);
	CHECK_EQ(destroyed, 1);
}

TEST_MAIN(TEST(words), TEST(kinds), TEST(counts), TEST(owners), TEST(revival))
