#include "config.h"

#include "softcuda/driver/sched.h"

#include "base/options.h"
#include "softcuda/check/report_file.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"
#include "softcuda/exec/exec.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	HOLDS_MAX = 8,
	CHANGES_MAX = 16,
	NAME_MAX_B = 128,
	/* PCT distributes its changes of priority over so many choices. */
	PCT_CHOICES = 256,
	OPERATION_NS = 1000                  /* duration of an operation on the virtual clock */
};

struct hold {
	char name[NAME_MAX_B];
	uint64_t left;                       /* number of operations that are still held */
	bool keep;                           /* they are held until they are released explicitly */
};

#define DEFAULTS {.stuck_ns = 10000000000u, .idle_ns = 2000000}

struct soft_sched_options soft_sched = DEFAULTS;

static struct {
	bool random;                         /* seed or pct */
	bool pct;
	uint64_t state;                      /* of the random generator */
	uint64_t changes[CHANGES_MAX];       /* the choices at which priorities change */
	unsigned change_count;
	uint64_t choices;
	struct hold holds[HOLDS_MAX];
	unsigned hold_count;
	char *items;                         /* the option's text; NULL: none */
} sched;

/* The virtual clock; it may be read and advanced without the driver's lock. */
static _Atomic uint64_t clock_ns;

/* SplitMix64. */
static uint64_t next_random(void)
{
	uint64_t z = sched.state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* --- reading the option ---------- */

static bool read_number(const char *text, uint64_t *number_out, const char **rest_out)
{
	uint64_t number = 0;
	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (number > (UINT64_MAX - 9) / 10)
			return false;
		number = 10 * number + (uint64_t)(*text - '0');
	}
	*number_out = number;
	*rest_out = text;
	return true;
}

static bool read_whole(const char *text, uint64_t most, uint64_t *number_out)
{
	const char *rest;
	return read_number(text, number_out, &rest) && !*rest && *number_out <= most;
}

static bool read_seed(const char *text)
{
	soft_sched.lazy = sched.random = true;
	return read_whole(text, UINT64_MAX, &sched.state);
}

static bool read_pct(const char *text)
{
	uint64_t depth;
	const char *rest;
	if (!read_number(text, &sched.state, &rest) || *rest != ':' ||
	    !read_whole(rest + 1, CHANGES_MAX, &depth) || !depth)
		return false;
	soft_sched.lazy = sched.random = sched.pct = true;
	sched.change_count = (unsigned)depth - 1;
	for (unsigned i = 0; i < sched.change_count; i++)
		sched.changes[i] = 1 + next_random() % PCT_CHOICES;
	return true;
}

static bool read_hold(const char *text)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);
	struct hold *hold = &sched.holds[sched.hold_count];
	if (!length || length >= NAME_MAX_B || sched.hold_count == HOLDS_MAX)
		return false;
	hold->left = UINT64_MAX;
	if (colon && !read_whole(colon + 1, UINT64_MAX, &hold->left))
		return false;
	memcpy(hold->name, text, length);
	soft_sched.lazy = true;
	sched.hold_count++;
	return true;
}

static bool read_keep(const char *text)
{
	const size_t length = strlen(text);
	struct hold *hold = &sched.holds[sched.hold_count];
	if (!length || length >= NAME_MAX_B || sched.hold_count == HOLDS_MAX)
		return false;
	*hold = (struct hold){.keep = true};
	memcpy(hold->name, text, length);
	soft_sched.lazy = true;
	sched.hold_count++;
	return true;
}

static bool read_sync(const char *text)
{
	soft_sched.sync = !strcmp(text, "all") ? SOFT_SYNC_ALL : SOFT_SYNC_NONE;
	return soft_sched.sync == SOFT_SYNC_ALL || !strcmp(text, "none");
}

static bool read_peer(const char *text)
{
	soft_sched.peer = !strcmp(text, "off") ? SOFT_PEER_OFF : SOFT_PEER_CORRUPT;
	return soft_sched.peer == SOFT_PEER_OFF || !strcmp(text, "corrupt");
}

static bool read_clock(const char *text)
{
	static const struct {
		const char *name;
		uint64_t unit_ns;
	} units[] = {{"", 1000000000u}, {"s", 1000000000u}, {"ms", 1000000}, {"us", 1000}};
	uint64_t number;
	const char *unit;
	soft_sched.virtual_clock = true;
	if (!read_number(text, &number, &unit) || number > 1000000)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(units[i].name, unit))
			continue;
		soft_sched.work_ns = number * units[i].unit_ns;
		return true;
	}
	return false;
}

static bool read_ms(const char *text, uint64_t *time_ns_out)
{
	uint64_t ms;
	if (!read_whole(text, 1000000000, &ms))
		return false;
	*time_ns_out = ms * 1000000;
	return true;
}

static bool read_stuck(const char *text)
{
	return read_ms(text, &soft_sched.stuck_ns);
}

static bool read_idle(const char *text)
{
	return read_ms(text, &soft_sched.idle_ns);
}

static bool read_item(const char *item)
{
	static const struct {
		const char *name;
		bool (*read)(const char *text);
	} readers[] = {
		{"seed:", read_seed}, {"pct:", read_pct}, {"hold:", read_hold},
		{"keep:", read_keep},
		{"sync:", read_sync}, {"peer:", read_peer}, {"clock:", read_clock},
		{"stuck:", read_stuck}, {"idle:", read_idle},
	};
	if (!strcmp(item, "late")) {
		soft_sched.late = true;
		return true;
	}
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (!strncmp(item, readers[i].name, strlen(readers[i].name)))
			return readers[i].read(item + strlen(readers[i].name));
	return false;
}

static bool read_items(const char *items)
{
	char *text = strdup(items), *rest = NULL;
	bool good = text != NULL;
	for (char *item = text ? strtok_r(text, ",", &rest) : NULL; item && good;
	     item = strtok_r(NULL, ",", &rest)) {
		good = read_item(item);
		if (!good)
			soft_report("softcuda: CULVERT_SOFT_SCHED: '%s' cannot be understood\n",
				    item);
	}
	free(text);
	free(sched.items);
	sched.items = strdup(items);
	return good && sched.items;
}

bool soft_sched_start(void)
{
	return read_items(option_string(OPTION_SOFT_SCHED));
}

bool soft_sched_restart_locked(const char *items)
{
	const struct soft_sched_options defaults = DEFAULTS;
	char *before = sched.items;
	soft_sched = defaults;
	memset(&sched, 0, sizeof(sched));
	sched.items = before;
	return read_items(items);
}

const char *soft_sched_items(void)
{
	return sched.items && *sched.items ? sched.items : "(not set)";
}

/* --- choosing ---------- */

static bool names(const char *name, const struct soft_operation *operation)
{
	return !strcmp(name, operation->type->name) ||
	       (operation->label && !strcmp(name, operation->label));
}

static bool held_locked(struct soft_operation *operation)
{
	if (operation->was_held)
		return true;
	for (unsigned i = 0; i < sched.hold_count; i++) {
		struct hold *hold = &sched.holds[i];
		if (hold->keep || !hold->left || !names(hold->name, operation))
			continue;
		hold->left--;
		operation->was_held = true;
		return true;
	}
	return false;
}

bool soft_sched_kept_locked(const struct soft_operation *operation)
{
	for (unsigned i = 0; i < sched.hold_count; i++)
		if (sched.holds[i].keep && names(sched.holds[i].name, operation))
			return true;
	return false;
}

void soft_sched_let_go_locked(void)
{
	for (unsigned i = 0; i < sched.hold_count; i++)
		sched.holds[i].keep = false;
}

/* Chooses the stream with the highest priority; at a change, that stream gets the lowest one. */
static unsigned choose_pct_locked(struct soft_operation *const *operations, unsigned count)
{
	unsigned best = 0;
	for (unsigned i = 0; i < count; i++) {
		struct soft_stream *stream = operations[i]->stream;
		if (!stream->chance)
			stream->chance = next_random() | CHANGES_MAX;
		if (stream->chance > operations[best]->stream->chance)
			best = i;
	}
	for (unsigned i = 0; i < sched.change_count; i++)
		if (sched.changes[i] == sched.choices)
			operations[best]->stream->chance = i + 1;
	return best;
}

static unsigned choose_oldest(struct soft_operation *const *operations, unsigned count)
{
	unsigned best = 0;
	for (unsigned i = 1; i < count; i++)
		if (operations[i]->ticket < operations[best]->ticket)
			best = i;
	return best;
}

unsigned soft_sched_choose_locked(struct soft_operation *const *operations, unsigned count)
{
	struct soft_operation *free_ones[SOFT_CANDIDATES_MAX];
	unsigned index[SOFT_CANDIDATES_MAX], free_count = 0;
	for (unsigned i = 0; i < count; i++) {
		if (held_locked(operations[i]))
			continue;
		index[free_count] = i;
		free_ones[free_count++] = operations[i];
	}
	if (!free_count)
		for (; free_count < count; free_count++) {
			index[free_count] = free_count;
			free_ones[free_count] = operations[free_count];
		}
	sched.choices++;
	if (sched.pct)
		return index[choose_pct_locked(free_ones, free_count)];
	return index[sched.random ? (unsigned)(next_random() % free_count)
				  : choose_oldest(free_ones, free_count)];
}

bool soft_sched_coin_locked(void)
{
	return !sched.random || next_random() & 1;
}

/* --- the clock ---------- */

void soft_sched_tick_locked(const struct soft_operation *operation)
{
	(void)soft_sched_clock_ns(OPERATION_NS + (operation->type->run ? soft_sched.work_ns : 0));
}

uint64_t soft_sched_now_ns_locked(void)
{
	return soft_sched.virtual_clock ? soft_sched_clock_ns(0) : soft_now_ns();
}

uint64_t soft_sched_clock_ns(uint64_t pass_ns)
{
	return atomic_fetch_add(&clock_ns, pass_ns) + pass_ns;
}
