/* Protects: a queue's line (icd/order/line.h) lets a command go when it may, never before, and none is
 * forgotten.  Random sequences beside a model that looks at all commands each time.
 *
 * Seen to fail with each of these mistakes in line.c: a lifted barrier frees only the first command behind
 * it, or none; a marker without a list does not wait, in line or before it enters; nobody looks at the
 * command that becomes the first; a failed one waits for a barrier; a barrier is forgotten when it is
 * taken and not when it leaves, or holds itself; a ticket has passed before its command has left. */
#include "config.h"

#include "icd/order/line.h"

#include "tests/unit/test.h"

enum { COMMANDS = 40, STEPS = 200, SEEDS = 400 };

/* A command and what the model knows of it: its place in model.all is its ticket. */
struct known {
	struct ocl_line_place place;
	unsigned unsettled;              /* events that it still waits for */
	bool failed, taken, left;
};

static struct {
	struct known all[COMMANDS];
	unsigned count;                  /* that have entered */
	struct ocl_line line;
} model;

static unsigned any(unsigned below)
{
	return (unsigned)test_random(below);
}

static bool someone_before(unsigned place, bool barriers_alone)
{
	for (unsigned i = 0; i < place; i++)
		if (!model.all[i].left && (!barriers_alone || model.all[i].place.bars))
			return true;
	return false;
}

/* line.h's rules, word by word. */
static bool may_go(unsigned place)
{
	const struct known *known = &model.all[place];
	const bool settled = !known->unsettled;
	if (known->taken || known->left || (!settled && !known->failed))
		return false;
	if (model.line.in_order)
		return !someone_before(place, false);
	if (known->failed)
		return true;
	return !someone_before(place, true) && !(known->place.joins && someone_before(place, false));
}

static bool anyone_may_go(void)
{
	for (unsigned i = 0; i < model.count; i++)
		if (may_go(i))
			return true;
	return false;
}

static struct known *known_of(const struct ocl_line_place *place)
{
	for (unsigned i = 0; i < model.count; i++)
		if (&model.all[i].place == place)
			return &model.all[i];
	return NULL;
}

static void enter(void)
{
	if (model.count == COMMANDS)
		return;
	struct known *known = &model.all[model.count];
	memset(known, 0, sizeof(*known));
	known->unsettled = any(3);
	const bool bars = !any(6), joins = bars ? any(2) : !any(6);
	ocl_line_place_init(&known->place, joins, bars);
	atomic_store(&known->place.pending, known->unsettled);
	const bool held = model.line.in_order
				  ? someone_before(model.count, false)
				  : someone_before(model.count, true) ||
					    (known->place.joins && someone_before(model.count, false));
	CHECK_EQ(ocl_line_holds(&model.line, joins), held);
	/* One that nothing holds may be on its way already, as a long submission is. */
	known->taken = !known->unsettled && !held && any(2);
	ocl_line_enter(&model.line, &known->place, known->taken);
	model.count++;
	CHECK_EQ(known->place.ticket, model.count);
	if (!known->taken)
		ocl_line_update(&model.line, &known->place);
}

static void settle(void)
{
	if (!model.count)
		return;
	struct known *known = &model.all[any(model.count)];
	if (!known->unsettled)
		return;
	if (!any(4)) {
		known->failed = true;
		atomic_store(&known->place.failed, true);
		ocl_line_update(&model.line, &known->place);
	}
	known->unsettled--;
	if (atomic_fetch_sub(&known->place.pending, 1) == 1)
		ocl_line_update(&model.line, &known->place);
}

static void take(void)
{
	const bool expected = anyone_may_go();
	CHECK_EQ(ocl_line_has_next(&model.line), expected);
	struct ocl_line_place *place = ocl_line_take(&model.line);
	CHECK_EQ(place != NULL, expected);
	if (!place)
		return;
	struct known *known = known_of(place);
	REQUIRE(known != NULL);
	CHECK(may_go((unsigned)(known - model.all)));
	known->taken = true;
}

static void leave(void)
{
	if (!model.count)
		return;
	const unsigned first = any(model.count);
	for (unsigned i = 0; i < model.count; i++) {
		struct known *known = &model.all[(first + i) % model.count];
		if (!known->taken || known->left)
			continue;
		ocl_line_leave(&model.line, &known->place);
		known->left = true;
		return;
	}
}

static void check_passed(void)
{
	const unsigned ticket = any(model.count + 1);
	CHECK_EQ(ocl_line_has_passed(&model.line, ticket), !someone_before(ticket, false));
}

static void sequence(bool in_order, uint64_t seed)
{
	const int failures = test_failures;
	memset(&model, 0, sizeof(model));
	test_random_state = 2 * seed + 1;
	ocl_line_init(&model.line, in_order);
	for (unsigned i = 0; i < STEPS; i++) {
		static void (*const steps[])(void) = {enter, settle, take, leave, check_passed};
		steps[any(sizeof(steps) / sizeof(steps[0]))]();
	}
	/* Everything is settled: everybody goes. */
	for (unsigned i = 0; i < 10 * COMMANDS * COMMANDS && someone_before(model.count, false); i++) {
		settle();
		take();
		leave();
	}
	CHECK(!someone_before(model.count, false) && list_empty(&model.line.waiting));
	CHECK(list_empty(&model.line.barriers) && list_empty(&model.line.ready));
	if (test_failures != failures)
		printf("  %s, seed %llu\n", in_order ? "in order" : "out of order",
		       (unsigned long long)seed);
}

static void in_order(void)
{
	for (uint64_t seed = 0; seed < SEEDS && !test_failures; seed++)
		sequence(true, seed);
}

static void out_of_order(void)
{
	for (uint64_t seed = 0; seed < SEEDS && !test_failures; seed++)
		sequence(false, seed);
}

TEST_MAIN(TEST(in_order), TEST(out_of_order))
