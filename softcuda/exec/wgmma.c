#include "config.h"

#include "softcuda/exec/wgmma.h"

#include "softcuda/exec/access.h"
#include "softcuda/exec/fault.h"
#include "softcuda/exec/memory.h"

#include <string.h>

/* PTX ISA, "Matrix Descriptor Format". */
struct descriptor {
	uint32_t start, leading, stride;  /* bytes */
	unsigned base_offset;
	unsigned chunks;                  /* pieces of 16 bytes in a row of the swizzled pattern; 1: no swizzling */
};

enum { CHUNK_B = 16, CORE_ROWS = 8 };

static struct descriptor descriptor_of(uint64_t bits)
{
	static const uint8_t chunks[] = {1, 8, 4, 2};
	const uint32_t mask = 0x3fff;
	return (struct descriptor){
		.start = ((uint32_t)bits & mask) * CHUNK_B, .leading = ((uint32_t)(bits >> 16) & mask) * CHUNK_B,
		.stride = ((uint32_t)(bits >> 32) & mask) * CHUNK_B, .base_offset = (unsigned)(bits >> 49) & 7,
		.chunks = chunks[bits >> 62]
	};
}

/* Where an element is: at `line` of m or n, and k.  PTX ISA, "Strides", of wgmma.  A core matrix has 8 rows of 16
 * bytes.  Without swizzling, the leading offset is that of the next core matrix along k, and the stride that along m or
 * n.  With it, the stride is that of the next 8 rows, and the leading offset only counts in matrices that are
 * transposed, between patterns; the bits of a piece in its row are combined with those of the row. */
static uint32_t address_of(const struct descriptor *d, const struct wgmma_load *load, unsigned line, unsigned k)
{
	const unsigned along = load->transposed ? line : k, across = load->transposed ? k : line;
	const unsigned row_B = d->chunks * CHUNK_B, along_B = along * load->size_B;
	const uint32_t in_rows = across % CORE_ROWS * row_B, rows = across / CORE_ROWS;
	if (d->chunks == 1) {
		const uint32_t next_line = load->transposed ? along_B / CHUNK_B * d->stride + rows * d->leading :
					   along_B / CHUNK_B * d->leading + rows * d->stride;
		return d->start + in_rows + along_B % CHUNK_B + next_line;
	}
	const uint32_t plain = d->start + in_rows + along_B % row_B + along_B / row_B * d->leading + rows * d->stride;
	return plain ^ ((plain >> 7 & (d->chunks - 1)) << 4);
}

/* Loads elements of each lane to a slot: one that fills a part of a register, or all of the register. */
static bool load_elements(struct warp *warp, const struct op *op, uint32_t mask, const struct wgmma_load *load,
			  unsigned index, unsigned count)
{
	const struct matrix_part part = {.role = load->role, .m = WGMMA_ROWS, .n = CORE_ROWS, .k = load->k,
					 .size_B = load->size_B};
	const unsigned per = matrix_per_register(load->size_B), first_row = warp->index % WGMMA_WARPS * WGMMA_ROWS;
	const unsigned shift = index % per * 8 * load->size_B, size_B = count * load->size_B;
	const lane_u64 *descriptors = OPERAND(const lane_u64, 1);
	lane_u64 *address = OPERAND(lane_u64, 0);
	uint64_t place[LANES];
	struct op access = *op;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		const unsigned l = exec_lowest(rest);
		const struct descriptor d = descriptor_of(descriptors[l]);
		const struct matrix_position at = matrix_position(&part, l, index);
		if (d.base_offset)
			return exec_fault(warp, op, 1u << l, CUDA_ERROR_NOT_SUPPORTED,
					  "a matrix descriptor with a base offset: softcuda has none") != FLOW_FAULT;
		address[l] = load->role == MATRIX_A ? address_of(&d, load, first_row + at.row, at.column) :
			     address_of(&d, load, load->first * CORE_ROWS + at.column, at.row);
	}
	/* A load, for who watches it. */
	access.x[MEMORY_ADDRESS] = op->x[0];
	access.reads = 1u << MEMORY_ADDRESS;
	access.mode = ORDER_WEAK;
	access.vector = 1;
	access.space = SPACE_SHARED;
	access.imm = 0;
	if (!exec_access(warp, &access, mask, size_B, SOFT_ACCESS_READ, place))
		return false;
	uint32_t *slot = warp->matrix[(load->role == MATRIX_A ? MATRIX_SLOT_A : MATRIX_SLOT_B) + index / per];
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		const unsigned l = exec_lowest(rest);
		uint32_t value = 0;
		memcpy(&value, (const void *)(uintptr_t)place[l], size_B);
		value ^= load->negated ? wgmma_signs(load->size_B, size_B) : 0;
		slot[l] = shift ? slot[l] | value << shift : value;
	}
	return true;
}

OP_HEAD(load)
{
	struct wgmma_load load;
	memcpy(&load, &op->imm, sizeof(load));
	const struct matrix_part part = {.role = load.role, .m = WGMMA_ROWS, .n = CORE_ROWS, .k = load.k,
					 .size_B = load.size_B};
	const unsigned count = load.transposed ? 1 : matrix_per_register(load.size_B);
	if (warp->index / WGMMA_WARPS * WGMMA_WARPS + WGMMA_WARPS > warp->group->warp_count)
		return exec_fault(warp, op, mask, CUDA_ERROR_ILLEGAL_INSTRUCTION,
				  "wgmma of a warp that is not one of four: warp %u of %u", warp->index,
				  warp->group->warp_count);
	for (unsigned i = 0; i < matrix_elements(&part); i += count)
		if (!load_elements(warp, op, mask, &load, i, count))
			return FLOW_FAULT;
	return FLOW_NEXT;
}

static const struct op_row rows[] = {{"_wgmma.load", "", load}};

EXEC_TABLE(exec_rows_wgmma)
