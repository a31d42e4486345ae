/* The struct that every OpenCL handle starts with.
 *
 * An object has two reference counts.  api_refs counts the application's references, which clRetain* and clRelease*
 * change and CL_*_REFERENCE_COUNT returns.  refs counts all owners; the application, as long as api_refs is not 0,
 * is one of them.  So a running command may use an object after the application's last release.  When refs becomes 0
 * the type's destroy is called, without any lock held.
 *
 * Thread-safe: the counts are atomic.  A handle must be alive when it is passed to these functions. */
#ifndef CULVERT_ICD_OBJECT_H
#define CULVERT_ICD_OBJECT_H

#include <CL/cl_icd.h>
#include <CL/cl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct object;

struct object_type {
	const char *name;                    /* for messages, such as "event" */
	cl_int invalid;                      /* the error for an invalid handle, such as CL_INVALID_EVENT */
	void (*destroy)(struct object *);    /* frees the object and what it owns */
};

struct object {
	const cl_icd_dispatch *dispatch;     /* the first word, which the ICD loader reads */
	void *dispatch_data;                 /* the second word: the loader's data, in cl_khr_icd 2.0 */
	const struct object_type *type;      /* NULL once destroyed */
	atomic_uint api_refs;
	atomic_uint refs;
};

/* Set the first and second word of every object that is made from now on.  Not thread-safe: called before the platform
 * is returned to the application, and by the ICD loader, while no other call makes objects. */
void object_set_dispatch(const cl_icd_dispatch *dispatch);
void object_set_dispatch_data(void *dispatch_data);

/* Both counts are 1: the application has the only reference. */
void object_init(struct object *object, const struct object_type *type);
/* As object_init, for memory of an object that was destroyed, of any type: dispatch and dispatch_data are kept. */
static inline void object_renew(struct object *object, const struct object_type *type)
{
	object->type = type;
	atomic_init(&object->refs, 1);
	/* api_refs is set last, because ocl_mem_is reads it first. */
	atomic_store_explicit(&object->api_refs, 1, memory_order_release);
}

/* CL_SUCCESS, or the type's error when handle is NULL or of another type.  A handle that was freed is mostly found, but
 * not always. */
static inline cl_int object_check(const void *handle, const struct object_type *type)
{
	const struct object *object = handle;
	return object && object->type == type ? CL_SUCCESS : type->invalid;
}

/* Change refs, for owners inside the driver. */
void object_ref(void *handle);
void object_unref(void *handle);             /* NULL is fine */

/* clRetain* and clRelease*: check the handle, then change api_refs. */
cl_int object_retain(void *handle, const struct object_type *type);
cl_int object_release(void *handle, const struct object_type *type);

static inline cl_uint object_reference_count(const void *handle)
{
	const struct object *object = handle;
	return atomic_load_explicit(&object->api_refs, memory_order_relaxed);
}

#endif
