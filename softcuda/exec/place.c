#include "config.h"

#include "softcuda/exec/place.h"

#include "softcuda/exec/watch.h"

#include <stdio.h>

enum place_space exec_place(const struct warp *warp, unsigned l, uint64_t place,
			    uint64_t *offset_B_out)
{
	const struct job *job = warp->group->job;
	uint64_t parameters = (uint64_t)(uintptr_t)job->launch->parameters;
	uint64_t shared = place - (uint64_t)(uintptr_t)warp->group->shared;
	uint64_t local = place - (uint64_t)(uintptr_t)warp->local -
			 (uint64_t)l * warp->local_stride_B;
	if (shared < job->shared_B) {
		*offset_B_out = shared;
		return PLACE_SHARED;
	}
	if (warp->local && local < warp->local_stride_B) {
		*offset_B_out = local;
		return PLACE_LOCAL;
	}
	if (job->launch->parameters &&
	    place - parameters < job->launch->function->parameter_size_B) {
		*offset_B_out = place - parameters;
		return PLACE_PARAM;
	}
	*offset_B_out = place;
	return PLACE_GLOBAL;
}

/* --- shared variables ---------- */

bool exec_shared_extent(const struct job *job, uint32_t i, struct range *range_out)
{
	const struct shared_variable *variable = &job->program->shared[i];
	uint64_t start = job->code->shared_offset_B[i];
	uint64_t end = variable->external ? job->shared_B : start + variable->size_B;
	*range_out = (struct range){start, end};
	return start != SHARED_UNUSED;
}

const struct shared_variable *exec_shared_at(const struct job *job, uint64_t offset_B,
					     uint64_t *start_B_out, uint64_t *end_B_out)
{
	struct range range;
	for (uint32_t i = 0; i < job->program->shared_count; i++) {
		if (!exec_shared_extent(job, i, &range) || offset_B < range.start ||
		    offset_B >= range.end)
			continue;
		*start_B_out = range.start;
		*end_B_out = range.end;
		return &job->program->shared[i];
	}
	return NULL;
}

/* An offset below 0 is a large number: what is before and what behind is told by the sign. */
static bool is_before(const struct range *range, uint64_t address)
{
	return (int64_t)(address - range->start) < 0;
}

static bool is_behind(const struct range *range, uint64_t address)
{
	return (int64_t)(address - range->end) >= 0;
}

/* How far an address is from a range; 0 inside. */
static uint64_t distance(const struct range *range, uint64_t address)
{
	return is_before(range, address) ? range->start - address :
	       is_behind(range, address) ? address - range->end + 1 : 0;
}

void exec_describe_in(struct bytes *text, const struct range *range, uint64_t address,
		      const char *what, const char *name)
{
	unsigned long long size_B = range->end - range->start;
	if (is_before(range, address))
		bytes_printf(text, ", %llu bytes before ",
			     (unsigned long long)(range->start - address));
	else if (is_behind(range, address))
		bytes_printf(text, ", %llu bytes behind the end of ",
			     (unsigned long long)(address - range->end));
	else
		bytes_printf(text, ", %llu bytes into ",
			     (unsigned long long)(address - range->start));
	bytes_printf(text, "%s%s of %llu bytes", what, name, size_B);
}

static void describe_shared(const struct job *job, uint64_t offset_B, struct bytes *text)
{
	const struct shared_variable *nearest = NULL;
	struct range range, best = {0, 0};
	for (uint32_t i = 0; i < job->program->shared_count; i++) {
		if (!exec_shared_extent(job, i, &range) || range.start == range.end)
			continue;
		if (nearest && distance(&range, offset_B) >= distance(&best, offset_B))
			continue;
		nearest = &job->program->shared[i];
		best = range;
	}
	if (!nearest) {
		bytes_append_string(text, ", where the kernel has no local memory");
		return;
	}
	exec_describe_in(text, &best, offset_B, nearest->external ? "the local arguments" :
	    "the local variable ", nearest->external ? "" : nearest->name);
}

/* --- private memory ---------- */

bool exec_frame_extent(const struct frame *frame, uint32_t i, struct range *range_out)
{
	const struct local_variable *local = &frame->code->locals[i];
	range_out->start = (uint64_t)frame->local_B + local->offset_B;
	range_out->end = range_out->start + local->size_B;
	return local->size_B;
}

/* Appends which argument of a function a place in private memory is in; false: it is in none. */
static bool describe_passed(const struct warp *warp, uint64_t offset_B, struct bytes *text)
{
	for (const struct frame *frame = warp->frame; frame; frame = frame->parent) {
		const struct code *code = frame->code;
		for (uint32_t i = 0; i < code->parameter_count && !code->entry; i++) {
			const uint64_t start_B = (uint64_t)frame->local_B + code->parameters[i].offset_B;
			const struct range range = {start_B, start_B + code->parameters[i].size_B};
			char what[sizeof("argument 4294967295 of function ")];
			if (distance(&range, offset_B))
				continue;
			snprintf(what, sizeof(what), "argument %u of function ", i);
			exec_describe_in(text, &range, offset_B, what, code->name);
			return true;
		}
	}
	return false;
}

static void describe_local(const struct warp *warp, uint64_t offset_B, struct bytes *text)
{
	const struct exec_watch *watch = warp->group->job->watch;
	if (watch && watch->describe_private && watch->describe_private(warp, offset_B, text))
		return;
	struct range range, best = {0, 0};
	const char *function = NULL;
	if (describe_passed(warp, offset_B, text))
		return;
	for (const struct frame *frame = warp->frame; frame; frame = frame->parent) {
		for (uint32_t i = 0; i < frame->code->local_count; i++) {
			if (!exec_frame_extent(frame, i, &range))
				continue;
			if (function && distance(&range, offset_B) >= distance(&best, offset_B))
				continue;
			function = frame->code->name;
			best = range;
		}
	}
	if (!function) {
		bytes_append_string(text, ", where the work-item has no private memory");
		return;
	}
	exec_describe_in(text, &best, offset_B, "private memory of ", function);
}

/* --- global memory ---------- */

/* Appends which variable of the program an address is in, or near; false: it is in none, or apart_B from something
 * else, which is nearer. */
static bool describe_variable(const struct job *job, uint64_t address, uint64_t apart_B, struct bytes *text)
{
	enum { NEAR_B = 256 };
	for (uint32_t i = 0; i < job->program->variable_count; i++) {
		const struct soft_variable *variable = &job->program->variables[i];
		const struct range range = {job->launch->variable_addresses[i],
					    job->launch->variable_addresses[i] +
					    variable->size_B};
		if (distance(&range, address) > NEAR_B || distance(&range, address) >= apart_B)
			continue;
		exec_describe_in(text, &range, address, variable->constant ? "the constant variable " :
		    "the program's variable ", variable->name);
		return true;
	}
	return false;
}

/* " (argument 2)": which of the kernel's arguments point into a buffer. */
static void name_arguments(const struct job *job, const struct range *buffer, struct bytes *text)
{
	const struct soft_function *function = job->launch->function;
	const char *before = " (argument ";
	uint64_t value;
	for (uint32_t i = 0; i < function->parameter_count; i++) {
		const struct soft_parameter *parameter = &function->parameters[i];
		if (parameter->size_B != sizeof(value))
			continue;
		memcpy(&value, (const char *)job->launch->parameters + parameter->offset_B,
		       sizeof(value));
		if (value < buffer->start || value >= buffer->end)
			continue;
		bytes_printf(text, "%s%u", before, i);
		before = ", ";
	}
	if (*before == ',')
		bytes_append_char(text, ')');
}

static void describe_global(const struct job *job, uint64_t address, struct bytes *text)
{
	enum { NEAR_B = 64 };
	struct range parameters = {(uint64_t)(uintptr_t)job->launch->parameters, 0}, buffer = {0, 0};
	parameters.end = parameters.start + job->launch->function->parameter_size_B;
	uint64_t apart_B = parameters.start ? distance(&parameters, address) : NEAR_B;
	if (apart_B >= NEAR_B)
		apart_B = UINT64_MAX;
	if (describe_variable(job, address, apart_B, text))
		return;
	/* The arguments are in the host's memory, where a buffer may be beside them. */
	const size_t size_B = text->size_B;
	job->launch->memory->describe(address, text, &buffer.start, &buffer.end);
	if (apart_B == UINT64_MAX || (buffer.end && distance(&buffer, address) < apart_B)) {
		name_arguments(job, &buffer, text);
		return;
	}
	text->size_B = size_B;
	if (text->data)
		text->data[size_B] = '\0';
	exec_describe_in(text, &parameters, address, "the kernel's arguments", "");
}

void exec_describe_global(const struct job *job, uint64_t address, struct bytes *text)
{
	bytes_printf(text, "global address 0x%llx", (unsigned long long)address);
	describe_global(job, address, text);
}

void exec_describe_memory(const struct warp *warp, unsigned l, uint64_t place, struct bytes *text)
{
	static const char *const names[] = {"global", "local", "private", "argument"};
	uint64_t offset_B;
	enum place_space space = exec_place(warp, l, place, &offset_B);
	bytes_printf(text, "%s address 0x%llx", names[space], (unsigned long long)offset_B);
	switch (space) {
	case PLACE_SHARED:
		describe_shared(warp->group->job, offset_B, text);
		break;
	case PLACE_LOCAL:
		describe_local(warp, offset_B, text);
		break;
	default:
		describe_global(warp->group->job, place, text);
		break;
	}
}

/* The address is as the program has it: an offset, or generic. */
void exec_describe_address(const struct warp *warp, const struct op *op, uint64_t address,
			    uint32_t size_B, struct bytes *text)
{
	const struct job *job = warp->group->job;
	uint64_t window = op->space == SPACE_GENERIC ? address & WINDOW_MASK : 0;
	/* Of an access that begins inside, the first byte outside says most. */
	uint64_t offset_B = window ? address & ~WINDOW_MASK : address;
	struct range start, end;
	if (op->space == SPACE_SHARED || window == WINDOW_SHARED) {
		describe_shared(job, offset_B, text);
	} else if (op->space == SPACE_LOCAL || window == WINDOW_LOCAL) {
		describe_local(warp, offset_B, text);
	} else if (op->space == SPACE_PARAM) {
		const struct range range = {0, job->launch->function->parameter_size_B};
		exec_describe_in(text, &range, offset_B, "the kernel's arguments", "");
	} else {
		const struct soft_memory *memory = job->launch->memory;
		if (memory->find(job->launch, address, &start.start, &start.end) &&
		    !memory->find(job->launch, address + size_B - 1, &end.start, &end.end))
			address = start.end;
		describe_global(job, address, text);
	}
}
