#include "config.h"

#include "icd/object/object.h"

static const cl_icd_dispatch *dispatch_now;
static void *dispatch_data_now;

void object_set_dispatch(const cl_icd_dispatch *dispatch)
{
	dispatch_now = dispatch;
}

void object_set_dispatch_data(void *dispatch_data)
{
	dispatch_data_now = dispatch_data;
}

void object_init(struct object *object, const struct object_type *type)
{
	object->dispatch = dispatch_now;
	object->dispatch_data = dispatch_data_now;
	object_renew(object, type);
}

void object_ref(void *handle)
{
	struct object *object = handle;
	atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);
}

static void object_end(struct object *object)
{
	const struct object_type *type = object->type;
	object->type = NULL;
	type->destroy(object);
}

void object_unref(void *handle)
{
	struct object *object = handle;
	if (!object || atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) != 1)
		return;
	object_end(object);
}

cl_int object_retain(void *handle, const struct object_type *type)
{
	cl_int error = object_check(handle, type);
	if (error)
		return error;
	struct object *object = handle;
	/* A callback may retain an object that the application has already released; the application then has a
	 * reference again. */
	if (!atomic_fetch_add_explicit(&object->api_refs, 1, memory_order_relaxed))
		object_ref(object);
	return CL_SUCCESS;
}

cl_int object_release(void *handle, const struct object_type *type)
{
	cl_int error = object_check(handle, type);
	if (error)
		return error;
	struct object *object = handle;
	/* The caller has the only reference, so no other thread can have one. */
	if (atomic_load_explicit(&object->refs, memory_order_acquire) == 1 &&
	    atomic_load_explicit(&object->api_refs, memory_order_acquire) == 1) {
		atomic_store_explicit(&object->api_refs, 0, memory_order_relaxed);
		object_end(object);
		return CL_SUCCESS;
	}
	/* One release too many must not free an object that a running command uses. */
	unsigned count = atomic_load_explicit(&object->api_refs, memory_order_relaxed);
	do {
		if (!count)
			return type->invalid;
	} while (!atomic_compare_exchange_weak_explicit(&object->api_refs, &count, count - 1,
							memory_order_acq_rel,
							memory_order_relaxed));
	if (count == 1)
		object_unref(object);
	return CL_SUCCESS;
}
