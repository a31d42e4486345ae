/* Texture and surface objects in kernels: coordinates, look-up, queries. */
#include "config.h"

#include "softcuda/exec/fault.h"
#include "softcuda/exec/object.h"
#include "softcuda/exec/watch.h"

#include "softcuda/exec/table.h"

/* A lane's coordinates belong to the lane, so that paths which take turns between
 * this and the instruction itself do not disturb each other. */
OP_HEAD(stage)
{
	uint64_t slots = (uint64_t)op->imm;
	for (unsigned i = 0; i < op->vector; i++, slots >>= 8)
		op_put_32(warp->image[slots & 0xff], OPERAND(const uint32_t, i), mask);
	return FLOW_NEXT;
}

static enum soft_image_state look_up(struct group *group, uint64_t object,
				     const struct soft_image **image_out)
{
	struct soft_image *place = &group->images[group->next_image];
	for (unsigned i = 0; i < IMAGES; i++) {
		if (!object || group->images[i].object != object)
			continue;
		*image_out = &group->images[i];
		return SOFT_IMAGE_THERE;
	}
	enum soft_image_state state = group->job->launch->memory->find_image(group->job->launch, object, place);
	if (state != SOFT_IMAGE_THERE) {
		place->object = 0;
		return state;
	}
	group->next_image = (group->next_image + 1) % IMAGES;
	*image_out = place;
	return state;
}

static void refuse(struct warp *warp, const struct op *op, unsigned l, uint64_t object,
		   const char *what)
{
	exec_fault(warp, op, 1u << l, CUDA_ERROR_ILLEGAL_ADDRESS, "0x%llx %s",
		   (unsigned long long)object, what);
}

static const char *shape(unsigned dimensions, bool layered)
{
	static const char *const names[2][4] = {{"", "1D", "2D", "3D"},
						{"", "1D layered", "2D layered", ""}};
	return names[layered][dimensions & 3];
}

const struct soft_image *exec_object_find(struct warp *warp, const struct op *op, unsigned l,
					  uint64_t object, bool surface)
{
	static const char *const reasons[] = {
		"", "is no texture or surface object",
		"is an object of an array that was destroyed",
		"is an object of memory that was freed", "is an object of another device"
	};
	const struct image_mode mode = exec_image_mode(op);
	const struct soft_image *image = NULL;
	enum soft_image_state state = look_up(warp->group, object, &image);
	if (state != SOFT_IMAGE_THERE) {
		refuse(warp, op, l, object, reasons[state]);
		return NULL;
	}
	if (image->surface != surface) {
		refuse(warp, op, l, object, surface ? "is a texture object, not a surface" :
		       "is a surface object, not a texture");
		return NULL;
	}
	if (image->dimensions == mode.dimensions && image->layered == mode.layered)
		return image;
	exec_fault(warp, op, 1u << l, CUDA_ERROR_ILLEGAL_ADDRESS,
		   "the object 0x%llx is %s, the instruction %s", (unsigned long long)object,
		   shape(image->dimensions, image->layered),
		   shape(mode.dimensions, mode.layered));
	return NULL;
}

bool exec_object_touch(struct warp *warp, const struct op *op, unsigned l, unsigned kind,
		       uint64_t address, uint32_t size_B)
{
	return WATCH_ASK(warp->group->job, texel, warp, op, l, kind, address, size_B);
}

/* --- queries ---------- */

static uint32_t answer(const struct soft_image *image, enum image_query query)
{
	switch (query) {
	case IMAGE_QUERY_WIDTH:
		return image->size[0];
	case IMAGE_QUERY_HEIGHT:
		if (image->dimensions > 1)
			return image->size[1];
		/* An array of one dimension is one row to a texture. */
		return image->layered ? image->layers : !image->surface && !image->buffer;
	case IMAGE_QUERY_DEPTH:
		if (image->dimensions > 2)
			return image->size[2];
		return image->layered && image->dimensions == 2 ? image->layers : 0;
	}
	return 0;
}

/* txq and suq; vector: 1 of a surface. */
OP_HEAD(query)
{
	const lane_u64 *object = OPERAND(const lane_u64, MEMORY_ADDRESS);
	const struct image_mode mode = exec_image_mode(op);
	uint32_t result[LANES] = {0};
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		const struct soft_image *image = NULL;
		if (look_up(warp->group, object[l], &image) != SOFT_IMAGE_THERE ||
		    image->surface != (op->vector == 1)) {
			refuse(warp, op, l, object[l], "is not an object of the kind that is queried");
			return FLOW_FAULT;
		}
		result[l] = answer(image, (enum image_query)mode.component);
	}
	op_put_32(OPERAND(void, 0), result, mask);
	return FLOW_NEXT;
}

/* istypep; vector: 0 texture, 1 surface, 2 sampler, of which there are none. */
OP_HEAD(istype)
{
	const lane_u64 *object = OPERAND(const lane_u64, MEMORY_ADDRESS);
	uint32_t result = 0;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		const struct soft_image *image = NULL;
		if (look_up(warp->group, object[l], &image) == SOFT_IMAGE_THERE &&
		    op->vector == image->surface)
			result |= 1u << l;
	}
	op_put_predicate(OPERAND(void, 0), result, mask);
	return FLOW_NEXT;
}

static const struct op_row rows[] = {
	{"_image.stage", "", stage}, {"_image.query", "", query}, {"_image.istype", "", istype}
};

EXEC_TABLE(exec_rows_object)
