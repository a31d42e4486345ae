/* What every OpenCL handle starts with.
 *
 * Two counts: api_refs moves with clRetain and clRelease and is what
 * CL_*_REFERENCE_COUNT reports; refs counts every owner, the application's whole
 * share being one of them.  A running command may so outlive the application's
 * last release.  At refs 0 the type's destroy runs, outside every lock.
 *
 * Thread-safe: the counts are atomic; a handle must be alive when passed in. */
#ifndef CULVERT_ICD_OBJECT_H
#define CULVERT_ICD_OBJECT_H

#include <CL/cl_icd.h>
#include <CL/cl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct object;

struct object_type {
	const char *name;                    /* "event": for messages */
	cl_int invalid;                      /* CL_INVALID_EVENT */
	void (*destroy)(struct object *);    /* frees the object itself too */
};

struct object {
	const cl_icd_dispatch *dispatch;     /* word 0: the loader's */
	void *dispatch_data;                 /* word 1: cl_khr_icd 2.0, from the platform */
	const struct object_type *type;      /* NULL once destroyed */
	atomic_uint api_refs;
	atomic_uint refs;
};

/* What word 0 and word 1 are of every object that is made from now on.  Called while there are no
 * calls that make objects: before the platform is handed out, and by the loader (cl_khr_icd). */
void object_set_dispatch(const cl_icd_dispatch *dispatch);
void object_set_dispatch_data(void *dispatch_data);

/* api_refs 1, refs 1: the application holds it. */
void object_init(struct object *object, const struct object_type *type);
/* The same in memory of an object that has been destroyed, of whatever type. */
static inline void object_renew(struct object *object, const struct object_type *type)
{
	object->type = type;
	atomic_init(&object->refs, 1);
	/* Last: see ocl_mem_is. */
	atomic_store_explicit(&object->api_refs, 1, memory_order_release);
}

/* CL_SUCCESS, or the type's own invalid code when handle is NULL or of another
 * type.  A freed handle is caught at best effort only. */
static inline cl_int object_check(const void *handle, const struct object_type *type)
{
	const struct object *object = handle;
	return object && object->type == type ? CL_SUCCESS : type->invalid;
}

/* Internal ownership. */
void object_ref(void *handle);
void object_unref(void *handle);             /* NULL is fine */

/* clRetain*, clRelease*: check, then move api_refs. */
cl_int object_retain(void *handle, const struct object_type *type);
cl_int object_release(void *handle, const struct object_type *type);

static inline cl_uint object_reference_count(const void *handle)
{
	const struct object *object = handle;
	return atomic_load_explicit(&object->api_refs, memory_order_relaxed);
}

#endif
