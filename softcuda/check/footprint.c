#include "config.h"

#include "softcuda/check/footprint.h"

#include "base/log.h"
#include "base/options.h"
#include "softcuda/check/job.h"
#include "softcuda/check/trace.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { WRITES = SOFT_ACCESS_WRITE | SOFT_ACCESS_WRITE_STRONG, FIRST_ROOM = 4096 };

/* A range of bytes that a work-item has accessed.  In local memory the offsets are from its start. */
struct mark {
	uint64_t group, start, end;
	uint32_t item;
	bool local, writes;
};

struct footprint {
	struct job *job;
	struct mark *marks;
	size_t count, room;
	bool lost;                        /* out of memory */
};

bool footprint_create(struct job *job)
{
	if (!*option_string(OPTION_SOFT_FOOTPRINT))
		return true;
	struct footprint *footprint = calloc(1, sizeof(*footprint));
	watched_of(job)->footprint = footprint;
	if (footprint)
		footprint->job = job;
	return footprint != NULL;
}

static int compare(const void *one, const void *other)
{
	const struct mark *a = one, *b = other;
	if (a->local != b->local)
		return a->local ? 1 : -1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->item != b->item)
		return a->item < b->item ? -1 : 1;
	if (a->writes != b->writes)
		return a->writes ? 1 : -1;
	return a->start < b->start ? -1 : a->start > b->start;
}

static bool is_continued(const struct mark *mark, const struct mark *next)
{
	return mark->local == next->local && mark->group == next->group &&
	       mark->item == next->item && mark->writes == next->writes &&
	       next->start <= mark->end;
}

/* Sorts the ranges and joins adjacent ones. */
static void join(struct footprint *footprint)
{
	size_t count = 0;
	qsort(footprint->marks, footprint->count, sizeof(*footprint->marks), compare);
	for (size_t i = 0; i < footprint->count; i++) {
		const struct mark *next = &footprint->marks[i];
		struct mark *last = count ? &footprint->marks[count - 1] : NULL;
		if (!last || !is_continued(last, next))
			footprint->marks[count++] = *next;
		else if (next->end > last->end)
			last->end = next->end;
	}
	footprint->count = count;
}

/* Existing ranges are joined first: a loop accesses the same places again and again. */
static bool make_room(struct footprint *footprint)
{
	if (footprint->count < footprint->room)
		return true;
	join(footprint);
	if (footprint->room && footprint->count < footprint->room / 2)
		return true;
	size_t room = footprint->room ? 2 * footprint->room : FIRST_ROOM;
	struct mark *marks = realloc(footprint->marks, room * sizeof(*marks));
	if (!marks) {
		footprint->lost = true;
		return footprint->count < footprint->room;
	}
	footprint->marks = marks;
	footprint->room = room;
	return true;
}

static uint64_t group_number(const struct group *group)
{
	const uint32_t *grid = group->job->launch->grid;
	return group->ctaid[0] +
	       (uint64_t)grid[0] * (group->ctaid[1] + (uint64_t)grid[1] * group->ctaid[2]);
}

void footprint_mark(struct warp *warp, uint32_t mask, uint32_t size_B, unsigned kind,
		    const uint64_t *place)
{
	struct footprint *footprint = watched_of(warp->group->job)->footprint;
	uint64_t group = group_number(warp->group), start;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		enum place_space space = exec_place(warp, l, place[l], &start);
		if (space != PLACE_GLOBAL && space != PLACE_SHARED)
			continue;
		if (!make_room(footprint)) {
			footprint->lost = true;
			return;
		}
		footprint->marks[footprint->count++] = (struct mark){
			.group = group, .item = warp->index * LANES + l, .start = start,
			.end = start + size_B, .local = space == PLACE_SHARED,
			.writes = kind & WRITES};
	}
}

/* --- names -------------------------------------------------------------------------------- */

/* How bytes are named in a report: by a variable, or by an argument's buffer. */
struct place {
	char kind[16];
	const char *name;                 /* NULL: number is used */
	uint32_t number;
	uint64_t start, end;
};

/* Finds the argument whose value is the nearest below an address in the same buffer; its place ends where that of
 * the next argument begins. */
static bool find_argument(const struct job *job, uint64_t address, struct place *place)
{
	const struct soft_function *function = job->launch->function;
	uint64_t start, value;
	bool found = false;
	if (!job->launch->memory->find(job->launch, address, &start, &place->end))
		return false;
	for (uint32_t i = 0; i < function->parameter_count; i++) {
		const struct soft_parameter *parameter = &function->parameters[i];
		if (parameter->size_B != sizeof(value))
			continue;
		memcpy(&value, (const char *)job->launch->parameters + parameter->offset_B,
		       sizeof(value));
		if (value > address && value < place->end)
			place->end = value;
		if (value < start || value > address || (found && value <= place->start))
			continue;
		found = true;
		place->number = i;
		place->start = value;
	}
	return found;
}

static void find_global(const struct job *job, uint64_t address, struct place *place)
{
	for (uint32_t i = 0; i < job->program->variable_count; i++) {
		const struct soft_variable *variable = &job->program->variables[i];
		uint64_t start = job->launch->variable_addresses[i];
		if (address - start < variable->size_B) {
			*place = (struct place){"variable", variable->name, 0, start,
						start + variable->size_B};
			memcpy(place->kind, variable->constant ? "constant" : "variable", 8);
			return;
		}
	}
	*place = (struct place){.kind = "argument"};
	if (!find_argument(job, address, place))
		*place = (struct place){"other", NULL, 0, address, UINT64_MAX};
}

static void find_local(const struct job *job, uint64_t offset_B, struct place *place)
{
	uint64_t start = 0, end = UINT64_MAX;
	const struct shared_variable *variable = exec_shared_at(job, offset_B, &start, &end);
	*place = (struct place){"local", variable && !variable->external ? variable->name
									  : "arguments",
				0, start, end};
}

static void write_mark(const struct job *job, const struct mark *mark, struct bytes *text)
{
	/* Adjacent ranges may belong to several objects. */
	for (uint64_t start = mark->start; start < mark->end;) {
		struct place place;
		(mark->local ? find_local : find_global)(job, start, &place);
		uint64_t end = mark->end < place.end ? mark->end : place.end;
		bytes_printf(text, "%c %llu %u %s ", mark->writes ? 'w' : 'r',
			     (unsigned long long)mark->group, mark->item, place.kind);
		if (place.name)
			bytes_append_string(text, place.name);
		else
			bytes_printf(text, "%u", place.number);
		bytes_printf(text, " %llu %llu\n", (unsigned long long)(start - place.start),
			     (unsigned long long)(end - place.start));
		start = end;
	}
}

static bool append(const struct bytes *text)
{
	int file = open(option_string(OPTION_SOFT_FOOTPRINT),
			O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	bool good = file >= 0 && !bytes_failed(text) &&
		    write(file, text->data, text->size_B) == (ssize_t)text->size_B;
	if (file >= 0)
		close(file);
	return good;
}

void footprint_finish(struct footprint *footprint)
{
	if (!footprint)
		return;
	const struct soft_launch *launch = footprint->job->launch;
	struct bytes text = BYTES_INIT;
	join(footprint);
	bytes_printf(&text, "launch %s %u %u %u %u %u %u\n", launch->function->name,
		     launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
		     launch->block[1], launch->block[2]);
	for (size_t i = 0; i < footprint->count; i++)
		write_mark(footprint->job, &footprint->marks[i], &text);
	if (footprint->lost || !append(&text))
		log_err("softcuda: a footprint could not be written");
	bytes_finish(&text);
	free(footprint->marks);
	free(footprint);
}
