/* A context (cl_context): devices that share objects.
 *
 * Thread-safe: all fields are constant after creation, except those that have a lock of their own. */
#ifndef CULVERT_ICD_CONTEXT_H
#define CULVERT_ICD_CONTEXT_H

#include "base/list.h"
#include "base/lock.h"
#include "icd/memory/address.h"
#include "icd/memory/gl_context.h"
#include "icd/memory/host_writes.h"
#include "icd/memory/svm.h"
#include "icd/object/device.h"
#include "icd/object/info.h"
#include "icd/object/object.h"

extern const struct object_type ocl_context_type;

struct context_destructor;

/* Output of printf that is not written yet, in the order in which the launches were submitted: icd/order/printf.c. */
struct ocl_prints {
	struct lock lock;                    /* guards the list */
	struct lock_condition changed;       /* an entry left the list */
	struct list pending;
	atomic_uint count;                   /* entries of the list: read without the lock, changed with it */
	uint64_t next;                       /* the number of the next entry */
};

struct _cl_context {
	struct object base;
	cl_device_id *devices;               /* owned array, each device once */
	cl_uint device_count;
	/* The GPUs that the devices are, or are parts of: each has one place in memory objects. */
	struct gpu_device **gpus;            /* owned array */
	uint32_t gpu_count;
	cl_context_properties *properties;   /* owned, with the final 0; NULL if none were given */
	size_t property_count;               /* in words, with the final 0 */
	void (CL_CALLBACK *notify)(const char *, const void *, size_t, void *);  /* pfn_notify, or NULL */
	void *notify_data;                   /* the application's user_data */
	/* cl_arm_printf: takes the output of printf, with notify_data; NULL: it goes to stdout. */
	void (CL_CALLBACK *print)(const char *, size_t, size_t, void *);
	struct ocl_prints prints;
	struct lock lock;                    /* guards destructors */
	struct context_destructor *destructors; /* owned: callbacks, the newest first */
	struct ocl_host_writes host_writes;
	struct ocl_svm_table svm;
	struct ocl_address_table addresses;
	struct lock mirrors;                 /* held while a launch that uses mirrors is submitted (image_mirror.h) */
	_Atomic(cl_mem) spare_mems;          /* structs that are used again: see mem.h */
	bool shares_gl;                      /* constant: it was created from an OpenGL context */
	atomic_uint user_events;             /* number of user events whose status is not set */
};

typedef void(CL_CALLBACK *ocl_context_notify)(const char *, const void *, size_t, void *);
typedef void(CL_CALLBACK *ocl_context_destroyed)(cl_context, void *);

/* properties: from the application, checked here: CL_INVALID_PLATFORM, CL_INVALID_PROPERTY.  devices: checked by the
 * caller; a device that is listed twice is taken once.  CL_DEVICE_NOT_AVAILABLE when a device is lost. */
cl_int ocl_context_create(const cl_context_properties *properties, const cl_device_id *devices,
			  cl_uint device_count, ocl_context_notify notify, void *notify_data,
			  cl_context *context_out);

/* Checks a property list: CL_INVALID_PLATFORM, CL_INVALID_PROPERTY.  *count_out: its words, with the final 0; *gl_out,
 * which is all 0 before: the properties about OpenGL. */
cl_int ocl_context_properties_check(const cl_context_properties *properties, size_t *count_out,
				    struct ocl_gl_properties *gl_out);

/* Adds a callback that is called when the context is destroyed; the one added last is called first. */
cl_int ocl_context_add_destructor(cl_context context, ocl_context_destroyed callback,
				  void *user_data);

/* Position of device in the context's list, or -1. */
int ocl_context_device_index(const struct _cl_context *context, const struct _cl_device_id *device);
/* Position of the GPU of device, which is one of the context's. */
uint32_t ocl_context_place(const struct _cl_context *context, const struct _cl_device_id *device);

cl_int ocl_context_info(cl_context context, cl_context_info name, const struct info_out *out);

/* Calls the application's pfn_notify with a message, if there is one.  No lock may be held. */
void ocl_context_report(cl_context context, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
