/* Reads of local and private memory that nobody has written, and the part of
 * check_access that all checks share. */
#include "config.h"

#include "backend/softcuda/check_job.h"

#include "backend/softcuda/exec_memory.h"

#include <stdlib.h>

enum {
	CHUNK_B = 16,             /* the widest alignment that padding comes from */
	NEAR_OPS = 32             /* how far the parts of a structure's copy are apart */
};

/* A warp's private memory may have grown; its content has moved with it. */
static bool local_fits(struct warp *warp, struct check_local *local)
{
	if (local->stride_B == warp->local_stride_B)
		return true;
	uint8_t *written = calloc(LANES, warp->local_stride_B);
	if (!written)
		return false;
	for (size_t l = 0; l < LANES && local->written; l++)
		memcpy(written + l * warp->local_stride_B,
		       local->written + l * local->stride_B, local->stride_B);
	free(local->written);
	local->written = written;
	local->stride_B = warp->local_stride_B;
	return true;
}

/* Whether what is loaded is first used as what a store puts elsewhere. */
static bool is_copied(const struct code *code, const struct op *op)
{
	const struct op *end = code->ops + code->op_count;
	if (end - op > NEAR_OPS)
		end = op + NEAR_OPS;
	for (const struct op *user = op + 1; user < end; user++)
		for (unsigned k = 0; k < OP_OPERANDS; k++)
			if (user->reads >> k & 1 && user->x[k] == op->x[0])
				return user->vector && check_is_store(user) &&
				       k != MEMORY_ADDRESS;
	return false;
}

/* Whether a load is one of several of neighbouring bytes. */
static bool has_siblings(const struct code *code, const struct op *op)
{
	size_t at = (size_t)(op - code->ops);
	size_t first = at > NEAR_OPS ? at - NEAR_OPS : 0;
	size_t end = at + NEAR_OPS < code->op_count ? at + NEAR_OPS : code->op_count;
	for (size_t i = first; i < end; i++) {
		const struct op *other = &code->ops[i];
		int64_t apart_B = other->imm - op->imm;
		if (i != at && other->vector && check_is_load(other) &&
		    other->space == op->space && apart_B > -CHUNK_B && apart_B < CHUNK_B &&
		    other->x[MEMORY_ADDRESS] == op->x[MEMORY_ADDRESS])
			return true;
	}
	return false;
}

/* A vector is read whole to change one of its elements, and structures are copied
 * with their padding.  So only what has no written byte at all counts, and of a
 * structure only a chunk that has none. */
static bool is_unwritten(const uint8_t *written, uint32_t size_B)
{
	return !memchr(written, 1, size_B);
}

static bool is_padding(const struct warp *warp, const struct op *op, const uint8_t *written,
		       uint64_t offset_B, uint64_t end_B)
{
	uint64_t start = offset_B / CHUNK_B * CHUNK_B;
	uint64_t end = start + CHUNK_B < end_B ? start + CHUNK_B : end_B;
	const struct code *code = warp->frame->code;
	return has_siblings(code, op) && is_copied(code, op) &&
	       !is_unwritten(written + start, (uint32_t)(end - start));
}

bool check_written(struct warp *warp, const struct op *op, unsigned l, uint64_t place,
		   uint32_t size_B)
{
	struct check_group *group = warp->group->check;
	struct check_local *local = &group->locals[warp->index];
	uint64_t offset_B;
	enum check_space space = check_place(warp, l, place, &offset_B);
	if (space != CHECK_SPACE_SHARED && space != CHECK_SPACE_LOCAL)
		return true;
	if (space == CHECK_SPACE_LOCAL && !local_fits(warp, local))
		return check_fail_memory(warp, op, 1u << l);
	uint64_t end_B = space == CHECK_SPACE_SHARED ? warp->group->job->shared_B :
			 local->stride_B;
	uint8_t *start = space == CHECK_SPACE_SHARED ? group->written :
			 local->written + (size_t)l * local->stride_B;
	uint8_t *written = start + offset_B;
	if (check_is_store(op)) {
		memset(written, 1, size_B);
		return true;
	}
	if (!is_unwritten(written, size_B))
		return true;
	if (!is_padding(warp, op, start, offset_B, end_B)) {
		struct bytes text = BYTES_INIT;
		check_describe_place(warp, l, place, &text);
		check_report(group, warp, op, l, "uninitialised read", 0,
			     "%u bytes of %s memory that nobody has written, at %s", size_B,
			     space == CHECK_SPACE_SHARED ? "local" : "private",
			     bytes_string(&text));
		bytes_finish(&text);
	}
	/* Once is enough, and an atomic writes. */
	memset(written, 1, size_B);
	return true;
}

/* Arguments and results are copied whole, with what they have of padding. */
static void mark(struct warp *warp, uint32_t lanes, uint32_t start_B, uint32_t size_B,
		 uint8_t value)
{
	struct check_local *local = &warp->group->check->locals[warp->index];
	if (!local_fits(warp, local) || (uint64_t)start_B + size_B > local->stride_B)
		return;
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		memset(local->written + (size_t)exec_lowest(rest) * local->stride_B + start_B,
		       value, size_B);
}

void check_call(struct warp *warp, const struct frame *frame, uint32_t lanes)
{
	const struct code *code = frame->code;
	mark(warp, lanes, frame->local_B, code->local_B, 0);
	for (uint32_t i = 0; i < code->parameter_count; i++)
		mark(warp, lanes, frame->local_B + code->parameters[i].offset_B,
		     code->parameters[i].size_B, 1);
}

void check_return(struct warp *warp, const struct frame *frame, uint32_t lanes)
{
	const struct call_site *site = frame->site;
	for (uint32_t i = 0; i < site->result_count; i++)
		mark(warp, lanes, frame->parent->local_B + site->results[i].to_B,
		     site->results[i].size_B, 1);
}

bool check_access(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
		  const uint64_t *place)
{
	unsigned options = warp->group->check->job->options;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		if ((options & CHECK_MEMORY && !check_bounds(warp, op, l, place[l], size_B)) ||
		    (options & CHECK_UNINIT && !check_written(warp, op, l, place[l], size_B)) ||
		    (options & CHECK_RACE && !check_race(warp, op, l, place[l], size_B)))
			return false;
	}
	return true;
}
