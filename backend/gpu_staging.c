#include "config.h"

#include "backend/gpu_internal.h"
#include "backend/gpu_transfer.h"

#include <string.h>

/* Pinned memory through which pageable bytes are copied, so that nobody has to wait for the GPU: a few slots for
 * each device, which are allocated together when they are first needed and never freed.  A slot is free again when
 * the event that was left with it has happened. */

bool gpu_host_is_pinned(struct gpu_device *device, const void *pointer, uint64_t size_B)
{
	CUmemorytype cu_type = (CUmemorytype)0;
	unsigned managed = 0;
	CUdeviceptr cu_start = 0;
	size_t range_B = 0;
	CUpointer_attribute attributes[] = {
		CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
		CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
	};
	void *values[] = {&cu_type, &cu_start, &range_B, &managed};
	const uint64_t address = (uintptr_t)pointer;
	struct gpu_scope scope;
	if (gpu_enter(device, &scope))
		return false;
	/* If the driver returns an error the memory counts as pageable; other calls will report the error. */
	CUresult cu_result = cuda.cuPointerGetAttributes(4, attributes, values, address);
	gpu_leave(&scope);
	return cu_result == CUDA_SUCCESS && (cu_type == CU_MEMORYTYPE_HOST || managed) &&
	       address >= cu_start && address - cu_start <= range_B &&
	       size_B <= range_B - (address - cu_start);
}

/* --- slots --- */

static struct gpu_slot *slot_claim(struct gpu_device *device, unsigned *from)
{
	struct gpu_slot *found = NULL;
	lock_take(&device->lock);
	for (; *from < GPU_SLOTS && !found; ++*from) {
		struct gpu_slot *slot = &device->slots[*from];
		if (slot->taken)
			continue;
		slot->taken = true;
		found = slot;
	}
	lock_drop(&device->lock);
	return found;
}

static void slot_drop(struct gpu_device *device, struct gpu_slot *slot)
{
	lock_take(&device->lock);
	slot->taken = false;
	lock_drop(&device->lock);
}

/* If two threads allocate it, one frees its own again. */
static unsigned char *slots_memory(struct gpu_device *device)
{
	unsigned char *there = atomic_load(&device->slots_memory);
	void *made;
	if (there || gpu_host_alloc(device, (uint64_t)GPU_SLOTS * GPU_SLOT_B, &made))
		return there;
	if (atomic_compare_exchange_strong(&device->slots_memory, &there, made))
		return made;
	gpu_host_free(device, made, (uint64_t)GPU_SLOTS * GPU_SLOT_B);
	return there;
}

void gpu_slots_prepare(struct gpu_device *device)
{
	(void)slots_memory(device);
}

/* The caller has taken the slot; returns whether it can be used now. */
static bool slot_is_usable(struct gpu_device *device, struct gpu_slot *slot)
{
	if (slot->after && gpu_event_pending(slot->after))
		return false;
	gpu_event_unref(slot->after);
	slot->after = NULL;
	unsigned char *memory = slots_memory(device);
	if (memory)
		slot->memory = memory + (slot - device->slots) * GPU_SLOT_B;
	return memory;
}

struct gpu_slot *gpu_slot_take(struct gpu_device *device)
{
	struct gpu_slot *slot;
	unsigned from = 0;
	while ((slot = slot_claim(device, &from))) {
		if (slot_is_usable(device, slot))
			return slot;
		slot_drop(device, slot);
	}
	return NULL;
}

void *gpu_slot_memory(const struct gpu_slot *slot)
{
	return slot->memory;
}

void gpu_slot_release(struct gpu_device *device, struct gpu_slot *slot, struct gpu_event *after)
{
	slot->after = after ? gpu_event_ref(after) : NULL;
	slot_drop(device, slot);
}

static unsigned slots_for(uint64_t size_B)
{
	return (unsigned)((size_B + GPU_SLOT_B - 1) / GPU_SLOT_B);
}

void gpu_slots_release(struct gpu_device *device, struct gpu_slot **slots, unsigned count,
		       struct gpu_event *after)
{
	for (unsigned i = 0; i < count; i++)
		gpu_slot_release(device, slots[i], after);
}

bool gpu_slots_take(struct gpu_device *device, struct gpu_slot **slots, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		slots[i] = gpu_slot_take(device);
		if (slots[i])
			continue;
		gpu_slots_release(device, slots, i, NULL);
		return false;
	}
	return true;
}

bool gpu_transfer_has_room(struct gpu_device *device, uint64_t size_B)
{
	struct gpu_slot *slots[GPU_SLOTS];
	const unsigned count = slots_for(size_B);
	if (size_B > GPU_STAGED_MAX_B || !gpu_slots_take(device, slots, count))
		return false;
	gpu_slots_release(device, slots, count, NULL);
	return true;
}
