#include "config.h"

#include "tests/footprint/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of one object, work-item and kind. */
struct mark {
	uint64_t group, start, end;
	uint32_t item, kind;
	const struct object *object;
};

/* What has a name: an argument's buffer from there on, a variable, the local arguments. */
struct object {
	char name[NAME_MAX_B + 16];
	const char *start;
	size_t size_B;
};

static struct {
	struct object objects[ARGUMENTS_MAX + VARIABLES_MAX + 1];
	unsigned object_count;
	struct mark *marks;
	size_t count, room;
	const struct reference_launch *launch;
} it;

static void object_add(const char *prefix, const char *name, const void *start, size_t size_B)
{
	struct object *object = &it.objects[it.object_count++];
	snprintf(object->name, sizeof(object->name), "%s %s", prefix, name);
	object->start = start;
	object->size_B = size_B;
}

void reference_marks_begin(const struct reference_launch *launch, char *local_arguments,
			   size_t local_B)
{
	char number[16];
	it.launch = launch;
	it.object_count = 0;
	for (unsigned i = 0; i < launch->kernel->argument_count; i++) {
		snprintf(number, sizeof(number), "%u", i);
		if (launch->kernel->kinds[i] == REFERENCE_GLOBAL && launch->values[i])
			object_add("argument", number, launch->values[i], launch->sizes_B[i]);
	}
	for (unsigned i = 0; i < launch->program->variable_count; i++) {
		const struct reference_variable *variable = &launch->program->variables[i];
		object_add(variable->local ? "local" : "variable", variable->name, variable->start,
			   variable->size_B);
	}
	object_add("local", "arguments", local_arguments, local_B);
}

/* Of arguments that overlap the one that begins last, as softcuda does. */
static const struct object *find_object(const char *address)
{
	const struct object *found = NULL;
	for (unsigned i = 0; i < it.object_count; i++) {
		const struct object *object = &it.objects[i];
		if (address >= object->start && address < object->start + object->size_B &&
		    (!found || object->start > found->start))
			found = object;
	}
	return found;
}

bool reference_is_local(const void *address)
{
	const struct object *object = find_object(address);
	return object && !strncmp(object->name, "local", 5);
}

static int compare(const void *one, const void *other)
{
	const struct mark *a = one, *b = other;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->item != b->item)
		return a->item < b->item ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

static void join(void)
{
	size_t count = 0;
	if (it.count)
		qsort(it.marks, it.count, sizeof(*it.marks), compare);
	for (size_t i = 0; i < it.count; i++) {
		const struct mark next = it.marks[i];
		struct mark *last = count ? &it.marks[count - 1] : NULL;
		bool continued = last && last->object == next.object && last->group == next.group &&
				 last->item == next.item && last->kind == next.kind &&
				 next.start <= last->end;
		if (!continued)
			it.marks[count++] = next;
		else if (next.end > last->end)
			last->end = next.end;
	}
	it.count = count;
}

void reference_mark(uint64_t group, uint32_t item, const void *address, uint64_t size_B,
		    uint32_t kind)
{
	const struct object *object = find_object(address);
	if (!object)
		return;
	if (it.count == it.room)
		join();
	if (it.count > it.room / 2 || !it.room) {
		size_t room = it.room ? 2 * it.room : 1 << 16;
		struct mark *marks = realloc(it.marks, room * sizeof(*marks));
		if (!marks)
			abort();
		it.marks = marks;
		it.room = room;
	}
	uint64_t start = (uint64_t)((const char *)address - object->start);
	it.marks[it.count++] = (struct mark){.group = group, .item = item, .kind = kind,
					     .object = object, .start = start,
					     .end = start + size_B};
}

void reference_marks_end(void)
{
	const char *path = getenv("REFERENCE_FOOTPRINT");
	FILE *file = path ? fopen(path, "a") : NULL;
	join();
	if (file) {
		const struct reference_launch *launch = it.launch;
		fprintf(file, "launch %s", launch->kernel->name);
		for (unsigned d = 0; d < 3; d++)
			fprintf(file, " %zu",
				(launch->global[d] + launch->local[d] - 1) / launch->local[d]);
		for (unsigned d = 0; d < 3; d++)
			fprintf(file, " %zu", launch->local[d]);
		fprintf(file, "%s\n", launch->program->copies ? " copies" : "");
		for (size_t i = 0; i < it.count; i++)
			fprintf(file, "%c %llu %u %s %llu %llu\n", "rwRW"[it.marks[i].kind],
				(unsigned long long)it.marks[i].group, it.marks[i].item,
				it.marks[i].object->name, (unsigned long long)it.marks[i].start,
				(unsigned long long)it.marks[i].end);
		fclose(file);
	}
	it.count = 0;
}
