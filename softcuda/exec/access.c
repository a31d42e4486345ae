#include "config.h"

#include "softcuda/exec/access.h"
#include "softcuda/exec/fault.h"
#include "softcuda/exec/watch.h"

#include "base/log.h"
#include "softcuda/exec/memory.h"
#include "softcuda/exec/place.h"

/* Names in OpenCL's terms: PTX's shared memory is local memory, its local memory private. */
static const char *space_name(unsigned space)
{
	static const char *const names[] = {"generic", "global", "constant", "local", "private",
					    "argument"};
	return names[space];
}

static bool fault(struct warp *warp, const struct op *op, unsigned l, uint64_t address,
		  uint32_t size_B, bool misaligned)
{
	struct bytes text = BYTES_INIT;
	if (warp->probes)
		return false;
	exec_describe_address(warp, op, address, size_B, &text);
	exec_fault(warp, op, 1u << l,
		   misaligned ? CUDA_ERROR_MISALIGNED_ADDRESS : CUDA_ERROR_ILLEGAL_ADDRESS,
		   "%s access of %u bytes at %s address 0x%llx%s",
		   misaligned ? "misaligned" : "out-of-bounds", size_B, space_name(op->space),
		   (unsigned long long)address, bytes_string(&text));
	bytes_finish(&text);
	return false;
}

static bool in_ranges(struct group *group, uint64_t first, uint64_t end)
{
	for (uint32_t i = 0; i < RANGES; i++) {
		if (first < group->ranges[i].start || end > group->ranges[i].end || end < first)
			continue;
		group->recent_range = i;
		return true;
	}
	return false;
}

static bool find_range(struct group *group, uint64_t address, uint32_t size_B)
{
	const struct soft_launch *launch = group->job->launch;
	uint64_t parameters = (uint64_t)(uintptr_t)launch->parameters;
	struct range range;
	if (in_ranges(group, address, address + size_B))
		return true;
	if (launch->parameters && address >= parameters &&
	    address + size_B <= parameters + launch->function->parameter_size_B)
		return true;
	if (!launch->memory->find(launch, address, &range.start, &range.end))
		return false;
	group->ranges[group->next_range] = range;
	group->recent_range = group->next_range;
	group->next_range = (group->next_range + 1) % RANGES;
	return address >= range.start && address + size_B <= range.end;
}

/* What a load finds close to memory.  The largest one is of 32 bytes. */
static const _Alignas(32) unsigned char zeros[32];

/* Whether an access that has no place may have that of zeros. */
static bool may_read_zeros(const struct warp *warp, uint32_t size_B, unsigned kind)
{
	return kind & SOFT_ACCESS_LOAD && warp->group->job->launch->loose && !warp->probes && size_B <= sizeof(zeros);
}

static void tell_zeros(struct warp *warp, const struct op *op, unsigned l, uint64_t address, uint32_t size_B)
{
	struct bytes text = BYTES_INIT;
	if (!log_enabled(LOG_LEVEL_WARN) || atomic_exchange(&warp->group->job->read_close, true))
		return;
	exec_describe_place(warp, op, l, &text);
	bytes_printf(&text, ": a read of %u bytes at %s address 0x%llx", size_B, space_name(op->space),
		     (unsigned long long)address);
	exec_describe_address(warp, op, address, size_B, &text);
	log_warn("softcuda: %s: it gives zeros", bytes_string(&text));
	bytes_finish(&text);
}

/* kind: of SOFT_ACCESS_*. */
static bool check_global(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
			 unsigned kind, uint64_t *address)
{
	const struct soft_launch *launch = warp->group->job->launch;
	const struct range *recent = &warp->group->ranges[warp->group->recent_range];
	uint64_t low = address[0], high = address[0], bits = 0, offsets = 0;
	/* All offsets combined by or are at least the greatest, and are computed faster. */
	for (unsigned l = 0; l < LANES; l++) {
		bits |= address[l];
		offsets |= address[l] - recent->start;
	}
	if (!(bits & (size_B - 1)) && recent->end - recent->start >= size_B &&
	    offsets <= recent->end - recent->start - size_B)
		return true;
	for (unsigned l = 0; l < LANES; l++) {
		low = address[l] < low ? address[l] : low;
		high = address[l] > high ? address[l] : high;
	}
	if (!(bits & (size_B - 1)) && in_ranges(warp->group, low, high + size_B))
		return true;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		if (address[l] & (size_B - 1))
			return fault(warp, op, l, address[l], size_B, true);
		if (find_range(warp->group, address[l], size_B))
			continue;
		if (!may_read_zeros(warp, size_B, kind) || !launch->memory->is_close(launch, address[l]))
			return fault(warp, op, l, address[l], size_B, false);
		tell_zeros(warp, op, l, address[l], size_B);
		address[l] = (uint64_t)(uintptr_t)zeros;
	}
	for (unsigned l = 0; l < LANES; l++)
		address[l] = mask >> l & 1 ? address[l] : address[exec_lowest(mask)];
	return true;
}

/* watch.kind: of SOFT_ACCESS_*; SOFT_ACCESS_LOAD only if watch.on is false. watch.on is a constant in every caller, so
 * that there is no code for it in launches that are not watched. */
struct watch {
	bool on;
	unsigned kind;
};

static inline __attribute__((always_inline)) bool
access_global(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
	      struct watch watch, uint64_t *address)
{
	if (check_global(warp, op, mask, size_B, watch.kind, address))
		return true;
	/* An access may be invalid as the result of a race. */
	if (watch.on)
		WATCH(warp->group->job, missed, warp, mask, size_B, watch.kind, address);
	return false;
}

/* Whether an address outside of a work-item's private memory is close to it. */
static bool is_close_private(uint64_t address, uint64_t window_B)
{
	return (uint32_t)address + (uint32_t)SOFT_CLOSE_B <= window_B + 2 * (uint64_t)SOFT_CLOSE_B;
}

/* Accesses a window that all lanes share (stride 0) or of which each lane has its own.  kind: of SOFT_ACCESS_*, or 0 of
 * memory outside of which no load gives zeros. */
static bool access_window(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, unsigned kind,
			  uint64_t *address, char *base, uint64_t window_B, uint64_t stride_B)
{
	/* A generic address is reported with its window. */
	const uint64_t window = op->space != SPACE_GENERIC ? 0 :
				base == warp->group->shared ? WINDOW_SHARED : WINDOW_LOCAL;
	uint64_t bits = 0;
	uint32_t outside = 0;
	/* All addresses combined by or are at least the greatest, and are computed faster. */
	for (unsigned l = 0; l < LANES; l++)
		bits |= address[l];
	if ((bits & (size_B - 1)) || bits > window_B || window_B - bits < size_B) {
		for (uint32_t rest = mask; rest; rest &= rest - 1) {
			unsigned l = exec_lowest(rest);
			if (address[l] & (size_B - 1))
				return fault(warp, op, l, address[l] | window, size_B, true);
			if (address[l] <= window_B && window_B - address[l] >= size_B)
				continue;
			if (!may_read_zeros(warp, size_B, kind) || !is_close_private(address[l], window_B))
				return fault(warp, op, l, address[l] | window, size_B, false);
			tell_zeros(warp, op, l, address[l] | window, size_B);
			outside |= 1u << l;
		}
	}
	for (unsigned l = 0; l < LANES; l++)
		address[l] += (uint64_t)(uintptr_t)base;
	for (uint64_t l = 0, own = 0; stride_B && l < LANES; l++, own += stride_B)
		address[l] += own;
	for (unsigned l = 0; outside && l < LANES; l++)
		address[l] = (outside | ~mask) >> l & 1 ? (uint64_t)(uintptr_t)zeros : address[l];
	return true;
}

static bool access_local(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, unsigned kind,
			 uint64_t *address)
{
	uint64_t end_B = warp->local ? warp->frame->extent_B : 0;
	return access_window(warp, op, mask, size_B, kind, address, warp->local, end_B,
			     warp->local_stride_B);
}

static bool access_generic(struct warp *warp, const struct op *op, uint32_t mask,
			   uint32_t size_B, struct watch watch, uint64_t *address)
{
	struct group *group = warp->group;
	uint64_t first = address[exec_lowest(mask)] & WINDOW_MASK;
	uint64_t mixed = 0;
	for (unsigned l = 0; l < LANES; l++)
		mixed |= (address[l] & WINDOW_MASK) ^ first;
	if (!mixed && first != WINDOW_SHARED && first != WINDOW_LOCAL)
		return access_global(warp, op, mask, size_B, watch, address);
	if (!mixed) {
		for (unsigned l = 0; l < LANES; l++)
			address[l] &= ~WINDOW_MASK;
		return first == WINDOW_LOCAL ? access_local(warp, op, mask, size_B, watch.kind, address) :
		       access_window(warp, op, mask, size_B, 0, address, group->shared,
				     group->job->shared_B, 0);
	}
	/* Lanes whose addresses are in different windows are processed one by one. */
	uint64_t place[LANES] = {0};
	unsigned last = 0;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		uint64_t one[LANES];
		last = exec_lowest(rest);
		for (unsigned l = 0; l < LANES; l++)
			one[l] = address[last];
		if (!access_generic(warp, op, 1u << last, size_B, watch, one))
			return false;
		place[last] = one[last];
	}
	for (unsigned l = 0; l < LANES; l++)
		address[l] = mask >> l & 1 ? place[l] : place[last];
	return true;
}

static inline __attribute__((always_inline)) bool
access_space(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
	     struct watch watch, uint64_t *place)
{
	struct group *group = warp->group;
	uint64_t offset = (uint64_t)op->imm;
	if (op->address_32) {
		const lane_u32 *base = OPERAND(const lane_u32, MEMORY_ADDRESS);
		/* Addresses wrap at 32 bits as on hardware, so that a negative index and an offset can cancel each
		 * other. */
		for (unsigned l = 0; l < LANES; l++)
			place[l] = base[l] + (uint32_t)offset;
	} else {
		const lane_u64 *base = OPERAND(const lane_u64, MEMORY_ADDRESS);
		for (unsigned l = 0; l < LANES; l++)
			place[l] = base[l] + offset;
	}
	if (mask != MASK_ALL) {
		uint64_t first = place[exec_lowest(mask)];
		for (unsigned l = 0; l < LANES; l++)
			place[l] = mask >> l & 1 ? place[l] : first;
	}
	switch (op->space) {
	case SPACE_GENERIC:
		return access_generic(warp, op, mask, size_B, watch, place);
	case SPACE_SHARED:
		/* PTX ISA, addresses as operands: truncated to the width of the state space.  They are extended by
		 * sign, so that a report can say how far before the first byte an address is. */
		for (unsigned l = 0; l < LANES; l++)
			place[l] = (uint64_t)(int64_t)(int32_t)place[l];
		return access_window(warp, op, mask, size_B, 0, place, group->shared,
				     group->job->shared_B, 0);
	case SPACE_LOCAL:
		return access_local(warp, op, mask, size_B, watch.kind, place);
	case SPACE_PARAM:
		/* Constant memory can only be read, and launches never write memory that is const on the host. */
		return access_window(warp, op, mask, size_B, 0, place,
				     (char *)(uintptr_t)group->job->launch->parameters,
				     group->job->launch->function->parameter_size_B, 0);
	default:
		return access_global(warp, op, mask, size_B, watch, place);
	}
}

bool EXEC_LEVELED(exec_access_plain)(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
		       unsigned kind, uint64_t *place)
{
	return access_space(warp, op, mask, size_B, (struct watch){false, kind}, place);
}

bool EXEC_LEVELED(exec_access_watched)(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
			 unsigned kind, uint64_t *place)
{
	kind &= SOFT_ACCESS_MASK;
	if (warp->probes)
		return access_space(warp, op, mask, size_B, (struct watch){false, kind}, place);
	if (!access_space(warp, op, mask, size_B, (struct watch){true, kind}, place))
		return false;
	return WATCH_ASK(warp->group->job, access, warp, op, mask, size_B, kind, place);
}
