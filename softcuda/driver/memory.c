/* The table of allocations: device, managed and pinned host memory.
 *
 * A device address is the host address of the bytes.  Large allocations are
 * mapped between guard pages, small ones come from the heap; kernels and copies
 * are held to the table in either case.  Where kernels can access the host's
 * memory, all are mapped, because the heap is such memory. */
#include "config.h"

#include "softcuda/driver/memory.h"

#include "base/log.h"
#include "base/page.h"
#include "softcuda/check/option.h"
#include "softcuda/control.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/managed.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/pool.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/exec.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	ALIGNMENT_B = 512,                   /* as CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT */
	HEAP_MAX_B = 64 << 10,               /* the largest allocation from the heap */
	HUGE_PAGE_B = 2 << 20,               /* of the page tables of x86-64, and of aarch64 with pages of 4 KiB */
	POISON_MAX_B = 64 << 10,             /* the number of bytes that are filled with a pattern, which takes
					      * little time */
	POISON_BYTE = 0xcd,
	FREED_BYTE = 0xdd,
	PAGEABLE_GUARD_B = 64 << 10,         /* beside each allocation, where the host's memory is accessible: kernels
					      * access memory close to a buffer by mistake */
	QUARANTINE_B = 256 << 20,            /* of freed memory that the checker keeps */
	DESCRIBED_B = 1 << 20                /* the largest distance from a buffer at which a report names it */
};

#define ZONE_B ((uint64_t)256 << 30)         /* of addresses: place_locked */

/* Sorted by start, no two overlap.  The reader-writer lock guards the table
 * itself; what it points to is guarded by the driver's lock, but for start and
 * size_B, which never change. Taken after the driver's lock. */
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct soft_allocation **table;
static size_t table_count, table_capacity;
/* The size of what is in soft_driver.limbo; guarded by the driver's lock. */
static uint64_t limbo_B;

/* --- the table ---------- */

/* The number of allocations that start at or below address. */
static size_t table_rank(uint64_t address)
{
	size_t low = 0, high = table_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (table[middle]->start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct soft_allocation *table_find(uint64_t address)
{
	size_t rank = table_rank(address);
	struct soft_allocation *found = rank ? table[rank - 1] : NULL;
	return found && address - found->start < found->size_B ? found : NULL;
}

/* The allocation to which a pointer can refer, which is no array. */
static struct soft_allocation *find_pointed(uint64_t address)
{
	struct soft_allocation *found = table_find(address);
	return found && found->kind != SOFT_MEMORY_ARRAY ? found : NULL;
}

size_t soft_memory_live_locked(bool host)
{
	size_t live = 0;
	for (size_t i = 0; i < table_count; i++)
		live += host == (table[i]->kind == SOFT_MEMORY_HOST);
	return live;
}

/* Whether a launch can access it: each device has an address space of its own; managed and host memory is in all of
 * them. */
static bool reachable(const struct soft_allocation *allocation, const struct soft_launch *launch)
{
	if (allocation->kind != SOFT_MEMORY_DEVICE ||
	    allocation->device->index == launch->device_index)
		return true;
	return allocation->pool ? atomic_load(&allocation->pool->access) >>
					  launch->device_index & 1
				: launch->peers >> allocation->device->index & 1;
}

/* The end of what a launch may access.  The last load of 32 bytes may begin inside of the allocation and end behind it:
 * for compute_100 and later, libnvvm joins loads of 6 bytes to one of 8.  A GPU has memory there, because it maps whole
 * pages.  In a loose launch, memory that was allocated here ends where the next allocation could begin. */
static uint64_t accessible_end(const struct soft_allocation *allocation, const struct soft_launch *launch)
{
	enum { LOAD_MAX_B = 32 };
	const bool owns_rest = allocation->mapping && !allocation->shared;
	const uint64_t end = allocation->start + allocation->size_B;
	const uint64_t unit_B = launch->loose && owns_rest ? ALIGNMENT_B : LOAD_MAX_B;
	return check_options() & CHECK_MEMORY ? end : (end + unit_B - 1) / unit_B * unit_B;
}

/* The allocation behind which address is, if a loose launch may access that; NULL: none. */
static struct soft_allocation *find_rest(uint64_t address, const struct soft_launch *launch)
{
	const size_t rank = launch->loose ? table_rank(address) : 0;
	struct soft_allocation *found = rank ? table[rank - 1] : NULL;
	return found && found->kind != SOFT_MEMORY_ARRAY && address < accessible_end(found, launch) ? found : NULL;
}

bool soft_memory_find(const struct soft_launch *launch, uint64_t address, uint64_t *start_out,
		      uint64_t *end_out)
{
	pthread_rwlock_rdlock(&table_lock);
	const struct soft_allocation *found = find_pointed(address);
	found = found ? found : find_rest(address, launch);
	bool foreign = found && !reachable(found, launch);
	if (found) {
		*start_out = found->start;
		*end_out = accessible_end(found, launch);
	}
	pthread_rwlock_unlock(&table_lock);
	if (foreign)
		log_err("softcuda: device %u: kernel '%s' uses 0x%llx, which is memory of another "
			"device without peer access", launch->device_index, launch->function->name,
			(unsigned long long)address);
	if (!found)
		return soft_pageable_find(address, start_out, end_out);
	return !foreign;
}

/* --- what is known of its bytes ---------- */

static _Atomic(bool) any_noted;

/* A byte for each byte of an allocation, 1 if it was written; NULL: all were. */
static atomic_uchar *notes_of(struct soft_allocation *allocation)
{
	return atomic_load_explicit(&allocation->all_written, memory_order_relaxed) ? NULL : allocation->written;
}

static void written_set(struct soft_allocation *allocation, uint64_t address, uint64_t size_B)
{
	const uint64_t first = address - allocation->start;
	atomic_uchar *notes = notes_of(allocation);
	if (notes && !first && size_B >= allocation->size_B) {
		atomic_store_explicit(&allocation->all_written, true, memory_order_relaxed);
		return;
	}
	for (uint64_t i = first; notes && i < first + size_B && i < allocation->size_B; i++)
		atomic_store_explicit(&notes[i], 1, memory_order_relaxed);
}

static bool written_any(struct soft_allocation *allocation, uint64_t address, uint64_t size_B)
{
	const uint64_t first = address - allocation->start;
	atomic_uchar *notes = notes_of(allocation);
	if (!notes)
		return true;
	for (uint64_t i = first; i < first + size_B && i < allocation->size_B; i++)
		if (atomic_load_explicit(&notes[i], memory_order_relaxed))
			return true;
	return false;
}

/* If there is no memory for notes, all of it counts as written. */
void soft_memory_note(uint64_t address, uint64_t size_B, unsigned what)
{
	const unsigned options = check_options();
	if (!(options & (CHECK_MEMORY | CHECK_UNINIT)))
		return;
	pthread_rwlock_wrlock(&table_lock);
	struct soft_allocation *found = find_pointed(address);
	if (found && found->start == address && size_B <= found->size_B) {
		found->noted = what & (CULVERT_SOFT_READ_ONLY | CULVERT_SOFT_WRITE_ONLY);
		if (what & CULVERT_SOFT_NEW && options & CHECK_UNINIT) {
			free(found->written);
			found->written = calloc(found->size_B, 1);
			atomic_store(&found->all_written, false);
		}
		atomic_store(&any_noted, true);
	}
	pthread_rwlock_unlock(&table_lock);
}

unsigned soft_memory_touch(uint64_t address, uint32_t size_B, bool reads, bool writes)
{
	unsigned touch = 0;
	if (!atomic_load_explicit(&any_noted, memory_order_relaxed))
		return 0;
	pthread_rwlock_rdlock(&table_lock);
	struct soft_allocation *found = find_pointed(address);
	if (found && (found->noted || found->written)) {
		if (reads && !written_any(found, address, size_B))
			touch |= SOFT_TOUCH_UNWRITTEN;
		if (reads && found->noted & CULVERT_SOFT_WRITE_ONLY)
			touch |= SOFT_TOUCH_WRITE_ONLY;
		if (writes && found->noted & CULVERT_SOFT_READ_ONLY)
			touch |= SOFT_TOUCH_READ_ONLY;
		if (writes)
			written_set(found, address, size_B);
	}
	pthread_rwlock_unlock(&table_lock);
	return touch;
}

bool soft_memory_notes(uint64_t address, struct soft_notes *notes_out)
{
	if (!atomic_load_explicit(&any_noted, memory_order_relaxed)) {
		*notes_out = (struct soft_notes){.end = UINT64_MAX, .readable = true, .writable = true};
		return true;
	}
	pthread_rwlock_rdlock(&table_lock);
	struct soft_allocation *found = find_pointed(address);
	if (found)
		*notes_out = (struct soft_notes){
			.start = found->start, .end = found->start + found->size_B,
			.readable = !(found->noted & CULVERT_SOFT_WRITE_ONLY),
			.writable = !(found->noted & CULVERT_SOFT_READ_ONLY), .written = notes_of(found)
		};
	pthread_rwlock_unlock(&table_lock);
	return found;
}

/* Notes that a copy or a memset has written there, or another process may have. */
void soft_memory_written(uint64_t address, uint64_t size_B)
{
	if (!atomic_load_explicit(&any_noted, memory_order_relaxed))
		return;
	pthread_rwlock_rdlock(&table_lock);
	struct soft_allocation *found = find_pointed(address);
	if (found)
		written_set(found, address, size_B);
	pthread_rwlock_unlock(&table_lock);
}

static const struct soft_allocation *find_freed_locked(uint64_t address)
{
	struct list *link, *next;
	list_for_each(link, next, &soft_driver.limbo) {
		const struct soft_allocation *freed =
			list_entry(link, struct soft_allocation, link);
		if (address - freed->start < freed->size_B)
			return freed;
	}
	return NULL;
}

/* The buffer that contains address, or the nearest one. */
static const struct soft_allocation *find_near_locked(uint64_t address, uint64_t *distance_B_out)
{
	size_t rank = table_rank(address);
	const struct soft_allocation *below = rank ? table[rank - 1] : NULL;
	const struct soft_allocation *above = rank < table_count ? table[rank] : NULL;
	uint64_t behind_B = below ? address - (below->start + below->size_B) : UINT64_MAX;
	uint64_t before_B = above ? above->start - address : UINT64_MAX;
	if (below && address - below->start < below->size_B)
		behind_B = 0;
	*distance_B_out = behind_B <= before_B ? behind_B : before_B;
	return behind_B <= before_B ? below : above;
}

bool soft_memory_is_close(const struct soft_launch *launch, uint64_t address)
{
	uint64_t distance_B;
	pthread_rwlock_rdlock(&table_lock);
	const struct soft_allocation *found = find_near_locked(address, &distance_B);
	const bool is_close = found && distance_B <= SOFT_CLOSE_B && reachable(found, launch);
	pthread_rwlock_unlock(&table_lock);
	return is_close;
}

/* The buffer that the text describes; NULL: none. */
static const struct soft_allocation *describe_locked(uint64_t address, struct bytes *text)
{
	uint64_t distance_B;
	const struct soft_allocation *found = find_freed_locked(address);
	if (found) {
		bytes_printf(text, ", %llu bytes into the buffer #%llu of %llu bytes, which was "
			     "freed after launch %llu", (unsigned long long)(address - found->start),
			     (unsigned long long)found->id, (unsigned long long)found->size_B,
			     (unsigned long long)found->freed_at);
		return found;
	}
	found = find_near_locked(address, &distance_B);
	if (!found || distance_B > DESCRIBED_B) {
		bytes_append_string(text, address < DESCRIBED_B ? ", near the null pointer" :
				    ", far from every buffer");
		return NULL;
	}
	bytes_printf(text, ", %llu bytes %s the buffer #%llu of %llu bytes",
		     (unsigned long long)(address < found->start ||
					  address - found->start >= found->size_B ?
					  distance_B : address - found->start),
		     address < found->start ? "before" :
		     address - found->start < found->size_B ? "into" :
		     "behind the end of", (unsigned long long)found->id,
		     (unsigned long long)found->size_B);
	return found;
}

void soft_memory_describe(uint64_t address, struct bytes *text, uint64_t *start_out,
			  uint64_t *end_out)
{
	lock_take(&soft_driver.lock);
	const struct soft_allocation *found = describe_locked(address, text);
	*start_out = found ? found->start : 0;
	*end_out = found ? found->start + found->size_B : 0;
	lock_drop(&soft_driver.lock);
}

/* Writers hold the driver's lock, so a reader that holds it needs no other. */
struct soft_allocation *soft_memory_lookup_locked(uint64_t address)
{
	return find_pointed(address);
}

struct soft_allocation *soft_memory_lookup_all_locked(uint64_t address)
{
	struct soft_allocation *found = table_find(address);
	struct list *link, *next;
	if (found)
		return found;
	list_for_each(link, next, &soft_driver.limbo) {
		struct soft_allocation *freed = list_entry(link, struct soft_allocation, link);
		if (address - freed->start < freed->size_B)
			return freed;
	}
	return NULL;
}

struct soft_allocation *soft_memory_range_locked(uint64_t address, uint64_t size_B)
{
	struct soft_allocation *found = find_pointed(address);
	return found && size_B <= found->size_B - (address - found->start) ? found : NULL;
}

static bool table_insert_locked(struct soft_allocation *allocation)
{
	pthread_rwlock_wrlock(&table_lock);
	if (table_count == table_capacity) {
		size_t capacity = table_capacity ? 2 * table_capacity : 64;
		struct soft_allocation **grown = realloc(table, capacity * sizeof(*grown));
		if (!grown) {
			pthread_rwlock_unlock(&table_lock);
			return false;
		}
		table = grown;
		table_capacity = capacity;
	}
	size_t rank = table_rank(allocation->start);
	memmove(table + rank + 1, table + rank, (table_count - rank) * sizeof(*table));
	table[rank] = allocation;
	table_count++;
	pthread_rwlock_unlock(&table_lock);
	return true;
}

static void table_remove_locked(const struct soft_allocation *allocation)
{
	pthread_rwlock_wrlock(&table_lock);
	size_t rank = table_rank(allocation->start);
	memmove(table + rank - 1, table + rank, (table_count - rank) * sizeof(*table));
	table_count--;
	pthread_rwlock_unlock(&table_lock);
}

/* --- bytes ---------- */

/* Where a mapping should be, so that kernels that miss it find no memory of the host there, and freed memory is not
 * mapped again soon; NULL: anywhere.  Linux puts the host's own mappings at the upper end of the largest gap. */
static void *place_locked(uint64_t mapping_B)
{
	static char *zone;
	static uint64_t used_B;
	if (!soft_pageable())
		return NULL;
	if (!zone) {
		void *found = mmap(NULL, ZONE_B, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (found == MAP_FAILED)
			return NULL;
		munmap(found, ZONE_B);
		zone = found;
	}
	if (mapping_B > ZONE_B / 2)
		return NULL;
	if (used_B + mapping_B > ZONE_B / 2)
		used_B = 0;
	void *place = zone + used_B;
	used_B += mapping_B;
	return place;
}

/* Maps size_B bytes between pages that cannot be accessed.  From HUGE_PAGE_B on, the address is a multiple of that, and
 * Linux may use pages of that size, with which the addresses of a kernel that streams through buffers are translated
 * faster. */
static bool map_bytes_locked(struct soft_allocation *allocation)
{
	const uint64_t page_B = host_page_B();
	const uint64_t align_B = allocation->size_B < HUGE_PAGE_B ? page_B : HUGE_PAGE_B;
	const uint64_t guard_B = soft_pageable() ? PAGEABLE_GUARD_B : page_B;
	const uint64_t besides_B = 2 * guard_B + align_B - page_B;
	const uint64_t data_B = host_pages_B(allocation->size_B);
	if (data_B < allocation->size_B || data_B + besides_B < data_B)
		return false;
	const uint64_t mapping_B = data_B + besides_B;
	char *mapping = mmap(place_locked(mapping_B), mapping_B, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mapping == MAP_FAILED)
		return false;
	char *start = mapping + guard_B;
	start += -(uintptr_t)start % align_B;
	if (mprotect(start, data_B, PROT_READ | PROT_WRITE)) {
		munmap(mapping, mapping_B);
		return false;
	}
	if (align_B == HUGE_PAGE_B)
		(void)madvise(start, data_B, MADV_HUGEPAGE);
	allocation->mapping = mapping;
	allocation->mapping_B = mapping_B;
	allocation->start = (uint64_t)(uintptr_t)start;
	return true;
}

static bool heap_bytes(struct soft_allocation *allocation)
{
	uint64_t size_B = (allocation->size_B + ALIGNMENT_B - 1) / ALIGNMENT_B * ALIGNMENT_B;
	uint64_t gap_B = check_options() & CHECK_MEMORY ? GLOBAL_GAP_B : 0;
	allocation->mapping = aligned_alloc(ALIGNMENT_B, size_B + 2 * gap_B);
	allocation->start = (uint64_t)(uintptr_t)allocation->mapping + gap_B;
	if (!allocation->mapping)
		return false;
	/* accessible_end: as behind the end of mapped memory. */
	memset((char *)allocation->mapping + gap_B + allocation->size_B, 0, size_B - allocation->size_B);
	return true;
}

/* Keeps kernels from accessing the bytes beside it, and those of freed memory, as memory of the host. */
static bool own_bytes(struct soft_allocation *allocation)
{
	return !allocation->mapping_B ||
	       soft_pageable_own((uint64_t)(uintptr_t)allocation->mapping, allocation->mapping_B, allocation);
}

static void give_bytes_back(const struct soft_allocation *allocation)
{
	soft_pageable_disown(allocation);
	if (allocation->ipc_exported)
		close(allocation->ipc_fd);
	if (allocation->mapping_B)
		munmap(allocation->mapping, allocation->mapping_B);
	else
		free(allocation->mapping);
}

/* New device memory is filled with a pattern, so that programs do not find zeros by chance.  Host and managed memory
 * is zeroed, as the operating system does. */
static void fill_bytes(const struct soft_allocation *allocation)
{
	void *bytes = (void *)(uintptr_t)allocation->start;
	uint64_t size_B = allocation->size_B < POISON_MAX_B ? allocation->size_B : POISON_MAX_B;
	if (allocation->kind == SOFT_MEMORY_DEVICE || allocation->kind == SOFT_MEMORY_ARRAY)
		memset(bytes, POISON_BYTE, size_B);
	else if (!allocation->mapping_B)
		memset(bytes, 0, allocation->size_B);
}

void soft_memory_zero_new(const struct soft_allocation *allocation)
{
	const bool is_mapped = allocation->mapping_B && allocation->size_B > POISON_MAX_B;
	memset((void *)(uintptr_t)allocation->start, 0, is_mapped ? POISON_MAX_B : allocation->size_B);
}

/* --- allocations ---------- */

/* Whether its pages move (driver/managed.h).  Elsewhere managed memory is device memory that the host can access. */
static bool is_paged(enum soft_memory_kind kind)
{
	return kind == SOFT_MEMORY_MANAGED && soft_shares_pages();
}

static bool is_of_device(enum soft_memory_kind kind)
{
	return kind == SOFT_MEMORY_DEVICE || kind == SOFT_MEMORY_ARRAY ||
	       (kind == SOFT_MEMORY_MANAGED && !soft_shares_pages());
}

static bool on_device(const struct soft_allocation *allocation)
{
	return is_of_device(allocation->kind) && !allocation->shared;
}

static void account_locked(const struct soft_allocation *allocation)
{
	struct soft_pool *pool = allocation->pool;
	if (on_device(allocation))
		allocation->device->used_B += allocation->size_B;
	if (!pool)
		return;
	pool->allocations++;
	pool->used_B += allocation->size_B;
	if (pool->used_B > pool->used_high_B)
		pool->used_high_B = pool->used_B;
	if (pool->used_B > pool->reserved_B)
		pool->reserved_B = pool->used_B;
	soft_pool_trim_locked(pool, pool->reserved_B);
	if (pool->reserved_B > pool->reserved_high_B)
		pool->reserved_high_B = pool->reserved_B;
}

static bool fits_locked(struct soft_device *device, struct soft_pool *pool, enum soft_memory_kind kind,
			uint64_t size_B)
{
	if (!is_of_device(kind))
		return true;
	if (!soft_managed_makes_room_locked(device, size_B)) {
		if (pool)
			soft_pool_take_all_locked(pool);
		return false;
	}
	return !pool || !pool->max_B ||
	       (pool->used_B <= pool->max_B && size_B <= pool->max_B - pool->used_B);
}

CUresult soft_memory_alloc_locked(struct soft_context *context, enum soft_memory_kind kind,
				  uint64_t size_B, struct soft_pool *pool,
				  struct soft_allocation **allocation_out)
{
	struct soft_device *device = pool ? pool->device : context->device;
	if (!fits_locked(device, pool, kind, size_B))
		return CUDA_ERROR_OUT_OF_MEMORY;
	struct soft_allocation *allocation = calloc(1, sizeof(*allocation));
	if (!allocation)
		return CUDA_ERROR_OUT_OF_MEMORY;
	list_init(&allocation->link);
	allocation->size_B = size_B;
	allocation->kind = kind;
	allocation->device = device;
	allocation->context = pool ? NULL : context;
	allocation->pool = pool;
	allocation->id = ++soft_driver.next_id;
	if (!(size_B <= HEAP_MAX_B && !soft_pageable() ? heap_bytes(allocation) : map_bytes_locked(allocation))) {
		free(allocation);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	fill_bytes(allocation);
	if (!own_bytes(allocation) || (is_paged(kind) && !soft_managed_begin_locked(allocation)) ||
	    !table_insert_locked(allocation)) {
		soft_managed_end_locked(allocation);
		give_bytes_back(allocation);
		free(allocation);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	account_locked(allocation);
	*allocation_out = allocation;
	return CUDA_SUCCESS;
}

/* Enters existing memory, which must not overlap others, as an allocation. */
static CUresult enter_locked(struct soft_context *context, const struct soft_allocation *like,
			     struct soft_allocation **allocation_out)
{
	struct soft_allocation *allocation = malloc(sizeof(*allocation));
	if (!allocation)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*allocation = *like;
	list_init(&allocation->link);
	allocation->context = context;
	allocation->id = ++soft_driver.next_id;
	if (!own_bytes(allocation) || !table_insert_locked(allocation)) {
		soft_pageable_disown(allocation);
		free(allocation);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*allocation_out = allocation;
	return CUDA_SUCCESS;
}

CUresult soft_memory_register_locked(struct soft_context *context, void *pointer, uint64_t size_B,
				     unsigned flags)
{
	const uint64_t start = (uint64_t)(uintptr_t)pointer;
	const struct soft_allocation like = {
		.start = start, .size_B = size_B, .kind = SOFT_MEMORY_REGISTERED,
		.flags = flags, .device = context->device,
	};
	struct soft_allocation *allocation;
	if (!size_B || start + size_B < start)
		return CUDA_ERROR_INVALID_VALUE;
	size_t rank = table_rank(start);
	if (table_find(start) || (rank < table_count && table[rank]->start < start + size_B))
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	return enter_locked(context, &like, &allocation);
}

CUresult soft_memory_share_locked(struct soft_context *context, struct soft_device *device,
				  uint64_t start, uint64_t size_B, void *mapping, size_t mapping_B,
				  struct soft_allocation **allocation_out)
{
	const struct soft_allocation like = {
		.start = start, .size_B = size_B, .kind = SOFT_MEMORY_DEVICE,
		.device = device, .shared = true, .mapping = mapping, .mapping_B = mapping_B,
	};
	return enter_locked(context, &like, allocation_out);
}

bool soft_memory_is_ipc_capable(const struct soft_allocation *allocation)
{
	return allocation->kind == SOFT_MEMORY_DEVICE && !allocation->shared && !allocation->pool &&
	       allocation->context;
}

struct soft_allocation *soft_memory_opened_locked(const struct soft_context *context, uint64_t inode)
{
	for (size_t i = 0; i < table_count; i++)
		if (table[i]->ipc_opens && table[i]->ipc_inode == inode &&
		    table[i]->context == context && !table[i]->freeing)
			return table[i];
	return NULL;
}

/* --- the end of allocations ---------- */

/* Whether a launch may still access it: a launch keeps the ranges that it has looked up until it ends, so memory
 * that was freed after the oldest running one began must stay mapped. */
static bool touchable_locked(const struct soft_allocation *allocation)
{
	if (allocation->pins)
		return true;
	if (list_empty(&soft_driver.kernels))
		return false;
	const struct soft_operation *oldest =
		list_entry(soft_driver.kernels.next, struct soft_operation, kernel_link);
	return oldest->kernel_number <= allocation->freed_at;
}

/* What it counts for while it is freed.  A process may have far fewer mappings than small pieces of the heap. */
static uint64_t limbo_size_B(const struct soft_allocation *allocation)
{
	return allocation->size_B <= HEAP_MAX_B && allocation->mapping_B ? allocation->mapping_B : allocation->size_B;
}

/* Whether the memory checker keeps freed memory, to find uses of it; only as long as there is room. */
static bool kept_locked(const struct soft_allocation *allocation)
{
	return allocation->mapping && limbo_B <= QUARANTINE_B && check_options() & CHECK_MEMORY;
}

void soft_memory_reap_locked(void)
{
	struct list *link, *next;
	list_for_each(link, next, &soft_driver.limbo) {
		struct soft_allocation *allocation =
			list_entry(link, struct soft_allocation, link);
		if (touchable_locked(allocation) || kept_locked(allocation))
			continue;
		list_remove(link);
		limbo_B -= limbo_size_B(allocation);
		give_bytes_back(allocation);
		free(allocation->written);
		free(allocation);
	}
}

/* Fills freed memory with a pattern, so that readers do not find its old contents. */
static void poison_freed(const struct soft_allocation *allocation)
{
	bool ours = allocation->kind != SOFT_MEMORY_REGISTERED && !allocation->shared;
	uint64_t size_B = allocation->size_B < POISON_MAX_B ? allocation->size_B : POISON_MAX_B;
	if (ours && (soft_sched.lazy || soft_oracle_on()))
		memset((void *)(uintptr_t)allocation->start, FREED_BYTE, size_B);
}

void soft_memory_free_locked(struct soft_allocation *allocation)
{
	struct soft_pool *pool = allocation->pool;
	table_remove_locked(allocation);
	poison_freed(allocation);
	allocation->freed = true;
	allocation->freed_at = soft_driver.kernels_started;
	if (on_device(allocation))
		allocation->device->used_B -= allocation->size_B;
	soft_managed_end_locked(allocation);
	if (pool) {
		pool->used_B -= allocation->size_B;
		soft_pool_trim_locked(pool, pool->release_threshold_B);
		pool->allocations--;
		soft_pool_release_locked(pool);
	}
	list_append(&soft_driver.limbo, &allocation->link);
	limbo_B += limbo_size_B(allocation);
	soft_memory_reap_locked();
}

void soft_memory_free_context_locked(struct soft_context *context)
{
	for (size_t i = table_count; i-- > 0;)
		if (table[i]->context == context)
			soft_memory_free_locked(table[i]);
}

void soft_memory_pin_locked(struct soft_allocation *allocation)
{
	allocation->pins++;
}

void soft_memory_unpin_locked(struct soft_allocation *allocation)
{
	if (!--allocation->pins && allocation->freed)
		soft_memory_reap_locked();
}
