/* Texture and surface objects, which kernels get instead of addresses. */
#include "config.h"

#include "softcuda/driver/object.h"

#include "softcuda/driver/array.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/exec.h"
#include "softcuda/exec/image.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* An object's value is its index in the table and, above it, how often that index was used before, so that a stale
 * value is detected. 0 is no object. */
enum { PLACE_BITS = 20, PLACES_MAX = 1 << PLACE_BITS };

/* The reader-writer lock allows kernels to look up objects concurrently; writers also hold the driver's lock, which
 * is taken first. */
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct place {
	struct object *object;               /* NULL: free */
	uint64_t uses;
} *table;
static size_t table_count, live[2];          /* live: textures, surfaces */

struct object *soft_object_find_locked(uint64_t value, bool surface)
{
	uint64_t index = (value & (PLACES_MAX - 1)) - 1;
	struct object *object = index < table_count ? table[index].object : NULL;
	return object && object->image.object == value && object->image.surface == surface ?
	       object : NULL;
}

enum soft_image_state soft_image_find(const struct soft_launch *launch, uint64_t value,
				      struct soft_image *image_out)
{
	enum soft_image_state state = SOFT_IMAGE_THERE;
	uint64_t extent_B = 0, start, end;
	pthread_rwlock_rdlock(&table_lock);
	const struct object *object = soft_object_find_locked(value, false);
	if (!object)
		object = soft_object_find_locked(value, true);
	if (!object) {
		state = SOFT_IMAGE_UNKNOWN;
	} else {
		unsigned device = object->context->device->index;
		*image_out = object->image;
		extent_B = object->array ? 0 : object->extent_B;
		if (object->array && atomic_load(&object->array->gone))
			state = SOFT_IMAGE_ARRAY_GONE;
		else if (device != launch->device_index && !(launch->peers >> device & 1))
			state = SOFT_IMAGE_FOREIGN;
	}
	pthread_rwlock_unlock(&table_lock);
	if (state == SOFT_IMAGE_THERE && extent_B &&
	    (!soft_memory_find(launch, image_out->start, &start, &end) ||
	     end - image_out->start < extent_B))
		state = SOFT_IMAGE_MEMORY_GONE;
	return state;
}

size_t soft_object_live_locked(bool surface)
{
	return live[surface];
}

/* --- life ---------- */

static bool grow_locked(void)
{
	size_t count = table_count ? 2 * table_count : 64;
	struct place *grown = count <= PLACES_MAX / 2 ? realloc(table, count * sizeof(*grown)) :
			      NULL;
	if (!grown)
		return false;
	memset(grown + table_count, 0, (count - table_count) * sizeof(*grown));
	table = grown;
	table_count = count;
	return true;
}

bool soft_object_insert_locked(struct object *object)
{
	size_t index = 0;
	pthread_rwlock_wrlock(&table_lock);
	while (index < table_count && table[index].object)
		index++;
	bool there = index < table_count || grow_locked();
	if (there) {
		object->image.object = (index + 1) | ++table[index].uses << PLACE_BITS;
		table[index].object = object;
		live[object->image.surface]++;
	}
	pthread_rwlock_unlock(&table_lock);
	return there;
}

void soft_object_destroy_locked(struct object *object)
{
	pthread_rwlock_wrlock(&table_lock);
	table[(object->image.object & (PLACES_MAX - 1)) - 1].object = NULL;
	live[object->image.surface]--;
	pthread_rwlock_unlock(&table_lock);
	list_remove(&object->link);
	if (object->array)
		soft_array_unref_locked(object->array);
	free(object);
}

void soft_object_retire_context_locked(struct soft_context *context)
{
	struct list *link, *next;
	list_for_each(link, next, &context->objects)
		soft_object_destroy_locked(list_entry(link, struct object, link));
}
