/* Which memory a kernel may touch, variable by variable. */
#include "config.h"

#include "softcuda/check/job.h"

static bool inside_shared(const struct job *job, uint64_t offset_B, uint32_t size_B)
{
	struct range range;
	for (uint32_t i = 0; i < job->program->shared_count; i++)
		if (exec_shared_extent(job, i, &range) && offset_B >= range.start &&
		    offset_B + size_B <= range.end)
			return true;
	return false;
}

static bool inside_frame(const struct warp *warp, unsigned l, uint64_t offset_B, uint32_t size_B)
{
	struct range range;
	for (const struct frame *frame = warp->frame; frame; frame = frame->parent) {
		/* Memory from alloca counts as one block. */
		if (frame->tops && offset_B >= frame->local_B + frame->code->local_B &&
		    offset_B + size_B <= frame->tops[l])
			return true;
		for (uint32_t i = 0; i < frame->code->local_count; i++)
			if (exec_frame_extent(frame, i, &range) && offset_B >= range.start &&
			    offset_B + size_B <= range.end)
				return true;
	}
	return false;
}

static bool fault(struct warp *warp, const struct op *op, unsigned l, uint64_t place,
		  uint32_t size_B, const char *what)
{
	struct bytes text = BYTES_INIT;
	exec_describe_memory(warp, l, place, &text);
	exec_fault(warp, op, 1u << l, CUDA_ERROR_ILLEGAL_ADDRESS, "%s of %u bytes at %s", what,
		   size_B, check_text(&text));
	bytes_finish(&text);
	return false;
}

static bool is_constant(const struct job *job, uint64_t place)
{
	for (uint32_t i = 0; i < job->program->variable_count; i++) {
		const struct soft_variable *variable = &job->program->variables[i];
		if (variable->constant &&
		    place - job->launch->variable_addresses[i] < variable->size_B)
			return true;
	}
	return false;
}

bool check_bounds(struct warp *warp, const struct op *op, unsigned l, uint64_t place,
		  uint32_t size_B)
{
	const struct job *job = warp->group->job;
	uint64_t offset_B;
	switch (exec_place(warp, l, place, &offset_B)) {
	case PLACE_SHARED:
		return inside_shared(job, offset_B, size_B) ||
		       fault(warp, op, l, place, size_B, "out-of-bounds access");
	case PLACE_LOCAL:
		return (inside_frame(warp, l, offset_B, size_B) &&
			!check_in_gap(warp, l, offset_B, size_B)) ||
		       fault(warp, op, l, place, size_B, "out-of-bounds access");
	case PLACE_PARAM:
		return check_is_load(op) ||
		       fault(warp, op, l, place, size_B, "write to what is constant,");
	default:
		return check_is_load(op) || !is_constant(job, place) ||
		       fault(warp, op, l, place, size_B, "write to what is constant,");
	}
}
