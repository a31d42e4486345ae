/* suld, sust and sured: bytes or samples of a surface. */
#include "config.h"

#include "softcuda/exec/fault.h"
#include "softcuda/exec/object.h"
#include "softcuda/exec/watch.h"

#include "softcuda/exec/table.h"

/* One lane's access.  Formatted ones (.p) count texels, the others (.b) bytes; y, z
 * and layers are whole in either case. */
struct reach {
	struct warp *warp;
	const struct op *op;
	unsigned l;
	const struct soft_image *image;
	uint32_t size_B;
	uint64_t place;           /* 0: nowhere, as .zero has it */
};

static int32_t slot(const struct reach *reach, enum image_slot index)
{
	return (int32_t)reach->warp->image[index][reach->l];
}

/* Where an index of count places goes; false: outside, and not moved. */
static bool inside(int64_t *index, int64_t count, enum image_edge edge)
{
	if (*index >= 0 && *index < count)
		return true;
	if (edge != IMAGE_EDGE_CLAMP || count <= 0)
		return false;
	*index = *index < 0 ? 0 : count - 1;
	return true;
}

static void describe(const struct reach *reach, struct bytes *text)
{
	const struct soft_image *image = reach->image;
	bytes_printf(text, "surface coordinate (%d", slot(reach, IMAGE_SLOT_X));
	for (unsigned d = 1; d < image->dimensions; d++)
		bytes_printf(text, ",%d", slot(reach, IMAGE_SLOT_X + d));
	bytes_append_char(text, ')');
	if (image->layered)
		bytes_printf(text, " of layer %d", slot(reach, IMAGE_SLOT_LAYER));
	bytes_printf(text, " outside of %u", image->size[0]);
	for (unsigned d = 1; d < image->dimensions; d++)
		bytes_printf(text, " x %u", image->size[d]);
	bytes_printf(text, " texels of %u bytes", image_texel_B(image));
	if (image->layered)
		bytes_printf(text, " in %u layers", image->layers);
}

/* A trap, or for those who check: OpenCL leaves undefined what .clamp and .zero
 * define (OpenCL C 3.0, 6.15.15). */
static bool outside(const struct reach *reach, enum image_edge edge)
{
	struct bytes text = BYTES_INIT;
	const struct exec_watch *watch = reach->warp->group->job->watch;
	if (edge != IMAGE_TRAP && (!watch || !watch->outside))
		return true;
	describe(reach, &text);
	if (edge == IMAGE_TRAP)
		exec_fault(reach->warp, reach->op, 1u << reach->l, CUDA_ERROR_ILLEGAL_ADDRESS,
			   "%s", bytes_string(&text));
	else
		watch->outside(reach->warp, reach->op, reach->l, bytes_string(&text));
	bytes_finish(&text);
	return edge != IMAGE_TRAP;
}

static bool misaligned(const struct reach *reach, int64_t x_B)
{
	exec_fault(reach->warp, reach->op, 1u << reach->l, CUDA_ERROR_ILLEGAL_ADDRESS,
		   "misaligned access of %u bytes at byte %lld of a surface's row",
		   reach->size_B, (long long)x_B);
	return false;
}

/* Fills image, size_B and place; false: a fault was noted. */
static bool reach_place(struct reach *reach, uint64_t object, uint32_t size_B)
{
	const struct image_mode mode = exec_image_mode(reach->op);
	const struct soft_image *image = reach->image =
		exec_object_find(reach->warp, reach->op, reach->l, object, true);
	if (!image)
		return false;
	const uint32_t texel_B = image_texel_B(image);
	const uint32_t unit_B = mode.formatted ? texel_B : 1;
	reach->size_B = size_B ? size_B : texel_B;
	if (reach->size_B > texel_B) {
		exec_fault(reach->warp, reach->op, 1u << reach->l, CUDA_ERROR_ILLEGAL_ADDRESS,
			   "access of %u bytes to a texel of %u", reach->size_B, texel_B);
		return false;
	}
	int64_t count = mode.formatted ? (int64_t)image->size[0] :
			(int64_t)image->size[0] * texel_B - reach->size_B + 1;
	int64_t x = slot(reach, IMAGE_SLOT_X), layer = 0;
	int64_t index[3] = {x, 0, 0};
	bool in = inside(&index[0], count, mode.edge), moved = index[0] != x;
	for (unsigned d = 1; d < image->dimensions; d++) {
		index[d] = x = slot(reach, IMAGE_SLOT_X + d);
		in &= inside(&index[d], image->size[d], mode.edge);
		moved |= index[d] != x;
	}
	if (image->layered) {
		layer = x = (uint32_t)slot(reach, IMAGE_SLOT_LAYER);
		in &= inside(&layer, image->layers, mode.edge);
		moved |= layer != x;
	}
	reach->place = 0;
	if ((!in || moved) && !outside(reach, mode.edge))
		return false;
	if (!in)
		return true;
	if (index[0] * unit_B % reach->size_B)
		return misaligned(reach, index[0] * unit_B);
	reach->place = image->start + (uint64_t)index[0] * unit_B +
		       (uint64_t)index[1] * image->pitch_B +
		       (uint64_t)(index[2] + layer) * image->slice_B;
	return true;
}

static bool touch(const struct reach *reach, unsigned kind)
{
	return !reach->place || !exec_object_watched(reach->warp) ||
	       exec_object_touch(reach->warp, reach->op, reach->l, kind, reach->place,
				 reach->size_B);
}

/* --- suld ---------- */

#define SULD(name, memory, put)                                                           \
	OP_HEAD(name)                                                                     \
	{                                                                                 \
		const lane_u64 *object = OPERAND(const lane_u64, MEMORY_ADDRESS);         \
		OP_UINT_##put result[4][LANES] = {{0}};                                   \
		memory value[4];                                                          \
		struct reach reach = {.warp = warp, .op = op};                            \
		for (uint32_t rest = mask; rest; rest &= rest - 1) {                      \
			unsigned l = reach.l = exec_lowest(rest);                         \
			if (!reach_place(&reach, object[l],                               \
					 (uint32_t)sizeof(memory) * op->vector) ||        \
			    !touch(&reach, SOFT_ACCESS_READ))                             \
				return FLOW_FAULT;                                        \
			if (!reach.place)                                                 \
				continue;                                                 \
			memcpy(value, (const void *)(uintptr_t)reach.place, reach.size_B); \
			for (unsigned e = 0; e < op->vector; e++)                         \
				result[e][l] = value[e];                                  \
		}                                                                         \
		for (unsigned e = 0; e < op->vector; e++)                                 \
			op_put_##put(OPERAND(void, e), result[e], mask);                  \
		return FLOW_NEXT;                                                         \
	}

SULD(suld_1, uint8_t, 16)
SULD(suld_2, uint16_t, 16)
SULD(suld_4, uint32_t, 32)
SULD(suld_8, uint64_t, 64)

/* --- sust ---------- */

#define SUST(name, memory, lanes)                                                         \
	OP_HEAD(name)                                                                     \
	{                                                                                 \
		const lane_u64 *object = OPERAND(const lane_u64, MEMORY_ADDRESS);         \
		memory value[4];                                                          \
		struct reach reach = {.warp = warp, .op = op};                            \
		for (uint32_t rest = mask; rest; rest &= rest - 1) {                      \
			unsigned l = reach.l = exec_lowest(rest);                         \
			if (!reach_place(&reach, object[l],                               \
					 (uint32_t)sizeof(memory) * op->vector) ||        \
			    !touch(&reach, SOFT_ACCESS_WRITE))                            \
				return FLOW_FAULT;                                        \
			for (unsigned e = 0; e < op->vector; e++)                         \
				value[e] = (memory)OPERAND(const lanes, e)[l];            \
			if (reach.place)                                                  \
				memcpy((void *)(uintptr_t)reach.place, value, reach.size_B); \
		}                                                                         \
		return FLOW_NEXT;                                                         \
	}

SUST(sust_1, uint8_t, lane_u16)
SUST(sust_2, uint16_t, lane_u16)
SUST(sust_4, uint32_t, lane_u32)
SUST(sust_8, uint64_t, lane_u64)

/* sust.p: values become texels. */
OP_HEAD(sust_formatted)
{
	const lane_u64 *object = OPERAND(const lane_u64, MEMORY_ADDRESS);
	struct reach reach = {.warp = warp, .op = op};
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		uint32_t value[4];
		unsigned l = reach.l = exec_lowest(rest);
		if (!reach_place(&reach, object[l], 0) || !touch(&reach, SOFT_ACCESS_WRITE))
			return FLOW_FAULT;
		for (unsigned e = 0; e < op->vector; e++)
			value[e] = OPERAND(const lane_u32, e)[l];
		if (reach.place)
			texel_write(reach.image, (void *)(uintptr_t)reach.place, value, op->vector);
	}
	return FLOW_NEXT;
}

/* --- sured ---------- */

#define REDUCE(name, type, signed_type)                                                   \
	static type name##_value(enum image_reduction reduction, type old, type value)    \
	{                                                                                 \
		switch (reduction) {                                                      \
		case IMAGE_ADD:                                                           \
			return old + value;                                               \
		case IMAGE_MIN:                                                           \
			return value < old ? value : old;                                 \
		case IMAGE_MAX:                                                           \
			return value > old ? value : old;                                 \
		case IMAGE_MIN_SIGNED:                                                    \
			return (signed_type)value < (signed_type)old ? value : old;       \
		case IMAGE_MAX_SIGNED:                                                    \
			return (signed_type)value > (signed_type)old ? value : old;       \
		case IMAGE_AND:                                                           \
			return old & value;                                               \
		case IMAGE_OR:                                                            \
			return old | value;                                               \
		}                                                                         \
		return old;                                                               \
	}                                                                                 \
	static void name(void *place, enum image_reduction reduction, type value)         \
	{                                                                                 \
		type *p = place, old = __atomic_load_n(p, __ATOMIC_RELAXED);              \
		while (!__atomic_compare_exchange_n(                                      \
			p, &old, name##_value(reduction, old, value), 0,                  \
			__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))                              \
			;                                                                 \
	}

REDUCE(reduce_4, lane_u32, lane_s32)
REDUCE(reduce_8, lane_u64, lane_s64)

/* Of .p the surface says whether numbers have a sign. */
static enum image_reduction reduction_of(const struct reach *reach, const struct image_mode *mode)
{
	bool has_sign = mode->formatted && (reach->image->kind == TEXEL_SINT ||
					    reach->image->kind == TEXEL_SNORM);
	if (has_sign && mode->component == IMAGE_MIN)
		return IMAGE_MIN_SIGNED;
	return has_sign && mode->component == IMAGE_MAX ? IMAGE_MAX_SIGNED :
	       (enum image_reduction)mode->component;
}

OP_HEAD(sured)
{
	const lane_u64 *object = OPERAND(const lane_u64, MEMORY_ADDRESS);
	const struct image_mode mode = exec_image_mode(op);
	struct reach reach = {.warp = warp, .op = op};
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = reach.l = exec_lowest(rest);
		if (!reach_place(&reach, object[l], mode.element_B) ||
		    !touch(&reach, SOFT_ACCESS_READ_STRONG | SOFT_ACCESS_WRITE_STRONG))
			return FLOW_FAULT;
		void *place = (void *)(uintptr_t)reach.place;
		if (place && mode.element_B == 4)
			reduce_4(place, reduction_of(&reach, &mode), OPERAND(const lane_u32, 0)[l]);
		else if (place)
			reduce_8(place, reduction_of(&reach, &mode), OPERAND(const lane_u64, 0)[l]);
	}
	return FLOW_NEXT;
}

static const struct op_row rows[] = {
	{"_suld.1", "", suld_1}, {"_suld.2", "", suld_2}, {"_suld.4", "", suld_4},
	{"_suld.8", "", suld_8}, {"_sust.1", "", sust_1}, {"_sust.2", "", sust_2},
	{"_sust.4", "", sust_4}, {"_sust.8", "", sust_8}, {"_sust.p", "", sust_formatted},
	{"_sured", "", sured}
};

EXEC_TABLE(exec_rows_surface)
