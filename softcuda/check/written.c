/* Reads of local and private memory that nobody has written, and the part of
 * check_access that all checks share. */
#include "config.h"

#include "softcuda/check/job.h"

#include <stdlib.h>

enum {
	CHUNK_B = 16,             /* the widest alignment that padding comes from */
	NEAR_OPS = 512            /* the largest distance between the parts of a structure's copy */
};

/* The store that first uses a loaded value, to copy it elsewhere; NULL: there is none. */
static const struct op *copying_store(const struct code *code, const struct op *op)
{
	const struct op *end = code->ops + code->op_count;
	if (end - op > NEAR_OPS)
		end = op + NEAR_OPS;
	for (const struct op *user = op + 1; user < end; user++)
		for (unsigned k = 0; k < OP_OPERANDS; k++)
			if (user->reads >> k & 1 && user->x[k] == op->x[0])
				return user->vector && check_is_store(user) &&
				       k != MEMORY_ADDRESS ? user : NULL;
	return NULL;
}

/* Whether a store writes exactly what a load has read. */
static bool is_whole_copy(const struct op *load, const struct op *store)
{
	return load->vector == store->vector &&
	       !memcmp(load->x, store->x, load->vector * sizeof(load->x[0]));
}

/* Whether a register is written by the ops from first up to end. */
static bool is_changed(const struct code *code, size_t first, size_t end, uint32_t operand)
{
	for (size_t i = first; i < end; i++)
		for (unsigned k = 0; k < OP_OPERANDS; k++)
			if (code->ops[i].writes >> k & 1 && code->ops[i].x[k] == operand)
				return true;
	return false;
}

/* Whether two ops belong to different turns of a loop that was unrolled, or only one of them to a turn. */
static bool is_other_turn(const struct warp *warp, const struct op *op, const struct op *other)
{
	const struct soft_program *program = warp->group->job->program;
	const struct code *code = warp->frame->code;
	const uint32_t one = code->places[op - code->ops].file, two = code->places[other - code->ops].file;
	return one != two && (exec_source_file(program, one)->turn || exec_source_file(program, two)->turn);
}

/* Whether a load is one of several of adjacent bytes.  What different turns of a loop load are elements. */
static bool has_siblings(const struct warp *warp, const struct op *op)
{
	const struct code *code = warp->frame->code;
	size_t at = (size_t)(op - code->ops);
	size_t first = at > NEAR_OPS ? at - NEAR_OPS : 0;
	size_t end = at + NEAR_OPS < code->op_count ? at + NEAR_OPS : code->op_count;
	for (size_t i = first; i < end; i++) {
		const struct op *other = &code->ops[i];
		int64_t apart_B = other->imm - op->imm;
		if (i != at && other->vector && check_is_load(other) &&
		    other->space == op->space && apart_B > -CHUNK_B && apart_B < CHUNK_B &&
		    other->x[MEMORY_ADDRESS] == op->x[MEMORY_ADDRESS] &&
		    !is_changed(code, i < at ? i : at, i < at ? at : i, op->x[MEMORY_ADDRESS]) &&
		    !is_other_turn(warp, op, other))
			return true;
	}
	return false;
}

/* Whether a loaded value is copied unchanged together with adjacent ones: an expression of the source that is copied
 * in several pieces is a structure.  An expression of a function that was inlined several times is also there several
 * times. */
static bool copies_structure(const struct warp *warp, const struct op *op)
{
	const struct code *code = warp->frame->code;
	const size_t at = (size_t)(op - code->ops);
	const struct source_place *place = &code->places[at];
	const size_t end = at + NEAR_OPS < code->op_count ? at + NEAR_OPS : code->op_count;
	if (has_siblings(warp, op))
		return true;
	if (exec_source_file(warp->group->job->program, place->file)->function)
		return false;
	for (size_t i = at > NEAR_OPS ? at - NEAR_OPS : 0; i < end && place->line; i++) {
		const struct op *other = &code->ops[i], *store;
		if (i == at || !other->vector || !check_is_load(other) ||
		    memcmp(&code->places[i], place, sizeof(*place)) != 0)
			continue;
		store = copying_store(code, other);
		if (store && is_whole_copy(other, store))
			return true;
	}
	return false;
}

/* What is known of the bytes of the memory that a lane accesses, by offset. */
struct notes {
	struct check_group *group;
	uint8_t *bytes;                   /* local memory; NULL: private memory */
	struct check_local *local;        /* private memory, of lane l */
	unsigned l;
	uint64_t offset_B, end_B;         /* of the access; where the memory ends */
};

static bool is_written(const struct notes *notes, uint64_t offset_B)
{
	return (notes->bytes ? notes->bytes[offset_B] : check_local_note(notes->local, notes->l, offset_B)) ==
	       BYTE_WRITTEN;
}

static void set(const struct notes *notes, uint64_t offset_B, uint32_t size_B, uint8_t note)
{
	if (notes->bytes && note != BYTE_WRITTEN) {
		(void)check_put_off_none(notes->group);
		notes->group->grown = (struct range){0, 0};
	}
	if (notes->bytes)
		memset(notes->bytes + offset_B, note, size_B);
	else
		check_local_set(notes->local, 1u << notes->l, offset_B, size_B, note);
}

/* Whether a read is of uninitialized memory.  Structures are copied with their padding, so a read counts only if
 * none of its bytes was written, and in a structure only if a whole chunk was not. */
static bool is_unwritten(const struct notes *notes, uint64_t offset_B, uint64_t size_B)
{
	for (uint64_t i = offset_B; i < offset_B + size_B; i++)
		if (is_written(notes, i))
			return false;
	return true;
}

static bool is_padding(const struct warp *warp, const struct op *op, const struct notes *notes)
{
	const uint64_t start = notes->offset_B / CHUNK_B * CHUNK_B;
	const uint64_t end = start + CHUNK_B < notes->end_B ? start + CHUNK_B : notes->end_B;
	return has_siblings(warp, op) && copying_store(warp->frame->code, op) &&
	       !is_unwritten(notes, start, end - start);
}

static void report(struct warp *warp, const struct op *op, unsigned l, uint64_t place,
		   uint32_t size_B)
{
	static const char *const names[] = {"global", "local", "private", "argument"};
	static const char kind[] = "uninitialised read";
	struct bytes text = BYTES_INIT;
	uint64_t offset_B;
	if (!check_find(check_of(warp->group), warp, op, kind, 0))
		return;
	exec_describe_memory(warp, l, place, &text);
	check_tell(check_of(warp->group), warp, op, l, kind, "%u bytes of %s memory that nobody has written, at %s",
		   size_B, names[exec_place(warp, l, place, &offset_B)], check_text(&text));
	bytes_finish(&text);
}

/* Removes what a store of lane l copies, or what a load had noted that runs again; false: it is not there. */
static bool take_copied(struct warp *warp, unsigned l, const struct op *op, struct check_copied *copied_out)
{
	struct check_local *local = &check_of(warp->group)->locals[warp->index];
	struct check_loaded *loaded = &local->copied[l];
	for (uint32_t i = 0; i < loaded->count; i++) {
		if (loaded->items[i].store != op && loaded->items[i].load != op)
			continue;
		*copied_out = loaded->items[i];
		loaded->items[i] = loaded->items[--loaded->count];
		local->copied_count--;
		check_local_tell(warp);
		return true;
	}
	return false;
}

/* Notes a store; notes NULL: it is not known which bytes of the value are initialized.  A copy of uninitialized
 * bytes is uninitialized; the padding of a structure is copied with it. */
static void note_store(struct warp *warp, const struct op *op, unsigned l, const struct notes *notes,
		       uint32_t size_B)
{
	struct check_copied copied;
	const bool copies = take_copied(warp, l, op, &copied);
	if (copies && !notes && !copied.structure)
		report(warp, copied.load, l, copied.place, copied.size_B);
	if (notes)
		set(notes, notes->offset_B, size_B, copies ? BYTE_UNWRITTEN : BYTE_WRITTEN);
}

/* false: out of memory. */
static bool add_copied(struct warp *warp, unsigned l, const struct check_copied *copied)
{
	enum { CAPACITY = 16 };
	struct check_local *local = &check_of(warp->group)->locals[warp->index];
	struct check_loaded *loaded = &local->copied[l];
	if (loaded->count == loaded->capacity) {
		const uint32_t capacity = loaded->capacity ? 2 * loaded->capacity : CAPACITY;
		struct check_copied *items = realloc(loaded->items, capacity * sizeof(*items));
		if (!items)
			return false;
		loaded->items = items;
		loaded->capacity = capacity;
	}
	loaded->items[loaded->count++] = *copied;
	local->copied_count++;
	check_local_tell(warp);
	return true;
}

/* vector: the variable that contains the bytes is a vector. false: out of memory. */
static bool note_load(struct warp *warp, const struct op *op, unsigned l, uint64_t place,
		      const struct notes *notes, uint32_t size_B, bool vector)
{
	const struct op *store = check_is_load(op) && (op->vector == 1 || !vector) ?
				 copying_store(warp->frame->code, op) : NULL;
	if (store && is_whole_copy(op, store)) {
		const bool structure = !vector && copies_structure(warp, op);
		return add_copied(warp, l, &(struct check_copied){op, store, place, size_B, structure});
	}
	report(warp, op, l, place, size_B);
	/* One report is enough; and an atomic also writes. */
	set(notes, notes->offset_B, size_B, BYTE_WRITTEN);
	return true;
}

/* Finds the notes about the bytes at a place; *known_out: there are some.  False when out of memory. */
static bool find_notes(struct warp *warp, unsigned l, uint64_t place, struct notes *notes_out, bool *known_out)
{
	struct check_group *group = check_of(warp->group);
	struct check_local *local = &group->locals[warp->index];
	const enum place_space space = exec_place(warp, l, place, &notes_out->offset_B);
	*known_out = space == PLACE_SHARED || space == PLACE_LOCAL;
	if (space == PLACE_LOCAL && !check_local_fits(warp))
		return false;
	notes_out->group = group;
	notes_out->bytes = space == PLACE_SHARED ? group->written : NULL;
	notes_out->local = local;
	notes_out->l = l;
	notes_out->end_B = space == PLACE_SHARED ? warp->group->job->shared_B : local->stride_B;
	return true;
}

/* Reports elements of a vector that are not initialized, if a later element is: those at the end may be the fourth
 * of three, and a copy may be of a structure, unless the variable is a vector. */
static void check_elements(struct warp *warp, const struct op *op, unsigned l, uint64_t place,
			   const struct notes *notes, uint32_t size_B)
{
	uint32_t element_B = op->vector ? size_B / op->vector : size_B, last = 0;
	const struct check_variable *variable = notes->bytes ? NULL : check_variable_at(warp, notes->offset_B);
	if (!check_is_load(op) || op->vector < 2 ||
	    (!(variable && variable->vector) && copying_store(warp->frame->code, op)))
		return;
	for (uint32_t at = 0; at < size_B; at += element_B)
		last = is_unwritten(notes, notes->offset_B + at, element_B) ? last : at;
	for (uint32_t at = 0; at < last; at += element_B) {
		if (!is_unwritten(notes, notes->offset_B + at, element_B))
			continue;
		report(warp, op, l, place + at, element_B);
		set(notes, notes->offset_B + at, element_B, BYTE_WRITTEN);
	}
}

void check_late(struct warp *warp, unsigned l, uint64_t place, uint32_t size_B)
{
	struct notes notes;
	bool known;
	if (!(check_of(warp->group)->job->options & CHECK_UNINIT))
		return;
	if (!find_notes(warp, l, place, &notes, &known))
		(void)check_fail_memory(warp, warp->frame->code->ops, 1u << l);
	else if (known)
		set(&notes, notes.offset_B, size_B, BYTE_UNWRITTEN);
}

bool check_written(struct warp *warp, const struct op *op, unsigned l, uint64_t place,
		   uint32_t size_B)
{
	struct notes notes;
	struct check_copied old;
	bool known;
	if (!find_notes(warp, l, place, &notes, &known))
		return check_fail_memory(warp, op, 1u << l);
	if (check_is_store(op)) {
		note_store(warp, op, l, known ? &notes : NULL, size_B);
		return true;
	}
	if (!known)
		return true;
	(void)take_copied(warp, l, op, &old);
	if (!is_unwritten(&notes, notes.offset_B, size_B)) {
		check_elements(warp, op, l, place, &notes, size_B);
		return true;
	}
	const struct check_variable *variable = notes.bytes ? NULL : check_variable_at(warp, notes.offset_B);
	/* A vector has no padding. */
	const bool vector = variable && variable->vector;
	if (!vector && is_padding(warp, op, &notes)) {
		set(&notes, notes.offset_B, size_B, BYTE_WRITTEN);
		return true;
	}
	return note_load(warp, op, l, place, &notes, size_B, vector) ||
	       check_fail_memory(warp, op, 1u << l);
}

/* Notes a load of uninitialized global memory; if the value is copied elsewhere it is reported only when it is used. */
static bool note_global_load(struct warp *warp, const struct op *op, unsigned l, uint64_t place,
			     uint32_t size_B)
{
	const struct op *store = check_is_load(op) ? copying_store(warp->frame->code, op) : NULL;
	struct check_copied old;
	(void)take_copied(warp, l, op, &old);
	if (store && is_whole_copy(op, store)) {
		const bool structure = copies_structure(warp, op);
		return add_copied(warp, l, &(struct check_copied){op, store, place, size_B, structure}) ||
		       check_fail_memory(warp, op, 1u << l);
	}
	report(warp, op, l, place, size_B);
	warp->group->job->launch->memory->written(place, size_B);
	return true;
}

static const char *flag_kind(bool write)
{
	static const char to_read_only[] = "write to read-only memory", of_write_only[] = "read of write-only memory";
	return write ? to_read_only : of_write_only;
}

bool check_flag_is_known(struct check_job *check, const struct op *op, bool write)
{
	return check_is_known(check, op, flag_kind(write), 0);
}

/* Culvert's own kernels, which have no source lines, may fill a buffer that kernels can only read. */
bool check_flags_count(const struct check_job *check)
{
	return check->options & CHECK_MEMORY && check->job->program->file_count;
}

/* Reports an access that the flags of a buffer forbid. */
static void report_flag(struct warp *warp, const struct op *op, unsigned l, uint64_t place, uint32_t size_B, bool write)
{
	const char *kind = flag_kind(write);
	struct bytes text = BYTES_INIT;
	if (!check_find(check_of(warp->group), warp, op, kind, 0))
		return;
	exec_describe_memory(warp, l, place, &text);
	check_tell(check_of(warp->group), warp, op, l, kind, "%u bytes of a CL_MEM_%s_ONLY buffer, at %s", size_B,
		   write ? "READ" : "WRITE", check_text(&text));
	bytes_finish(&text);
}

/* Checks what the OpenCL driver has noted about a buffer. */
bool check_noted(struct warp *warp, const struct op *op, unsigned l, uint64_t place,
		 uint32_t size_B)
{
	const struct job *job = warp->group->job;
	const unsigned options = check_of(warp->group)->job->options;
	uint64_t offset_B;
	if (exec_place(warp, l, place, &offset_B) != PLACE_GLOBAL)
		return true;
	const unsigned touch = warp->group->job->launch->memory->touch(place, size_B, !check_is_store(op),
								       !check_is_load(op));
	struct check_copied old;
	/* What the load had read before is not on its way any more. */
	if (options & CHECK_UNINIT && !(touch & SOFT_TOUCH_UNWRITTEN) && check_is_load(op))
		(void)take_copied(warp, l, op, &old);
	if (!touch || !job->program->file_count)
		return true;
	if (options & CHECK_MEMORY && touch & (SOFT_TOUCH_READ_ONLY | SOFT_TOUCH_WRITE_ONLY))
		report_flag(warp, op, l, place, size_B, touch & SOFT_TOUCH_READ_ONLY);
	return !(options & CHECK_UNINIT && touch & SOFT_TOUCH_UNWRITTEN) ||
	       note_global_load(warp, op, l, place, size_B);
}

static void mark(struct warp *warp, uint32_t lanes, uint32_t start_B, uint32_t size_B,
		 uint8_t value)
{
	struct check_local *local = &check_of(warp->group)->locals[warp->index];
	if (!check_local_fits(warp))
		(void)check_fail_memory(warp, warp->frame->code->ops, lanes);
	else if ((uint64_t)start_B + size_B <= local->stride_B)
		check_local_set(local, lanes, start_B, size_B, value);
}

/* The lanes that have written none of these bytes.  Arguments and results are copied completely, with their padding, so
 * that all of one counts as written if a part of it is. */
static uint32_t find_unwritten(const struct warp *warp, uint32_t lanes, uint32_t start_B, uint32_t size_B)
{
	const struct check_local *local = &check_of(warp->group)->locals[warp->index];
	if (!local->written || (uint64_t)start_B + size_B > local->stride_B)
		return 0;
	for (uint32_t i = 0; i < size_B; i++)
		lanes &= ~(local->written[start_B + i] | local->gap[start_B + i]);
	return size_B ? lanes : 0;
}

/* Notes that an argument or a result was copied from one place to another one. */
static void note_passed(struct warp *warp, uint32_t lanes, uint32_t from_B, uint32_t from_size_B, uint32_t to_B,
			uint32_t size_B)
{
	const uint32_t unwritten = find_unwritten(warp, lanes, from_B, from_size_B);
	mark(warp, lanes & ~unwritten, to_B, size_B, BYTE_WRITTEN);
	if (unwritten)
		mark(warp, unwritten, to_B, size_B, BYTE_UNWRITTEN);
}

void check_call(struct warp *warp, const struct frame *frame, uint32_t lanes)
{
	const struct code *code = frame->code;
	const struct call_site *site = frame->site;
	mark(warp, lanes, frame->local_B, code->local_B, BYTE_UNWRITTEN);
	for (uint32_t i = 0; i < code->parameter_count; i++)
		note_passed(warp, lanes, frame->parent->local_B + site->arguments[i].from_B, site->arguments[i].size_B,
			    frame->local_B + code->parameters[i].offset_B, code->parameters[i].size_B);
}

void check_return(struct warp *warp, const struct frame *frame, uint32_t lanes)
{
	const struct call_site *site = frame->site;
	for (uint32_t i = 0; i < site->result_count; i++)
		note_passed(warp, lanes, frame->local_B + frame->code->results[i].offset_B,
			    frame->code->results[i].size_B, frame->parent->local_B + site->results[i].to_B,
			    site->results[i].size_B);
}
