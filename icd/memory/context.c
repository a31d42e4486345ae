#include "config.h"

#include "icd/memory/context.h"

#include "base/bytes.h"
#include "base/cancel.h"
#include "base/log.h"
#include "icd/memory/mem.h"
#include "icd/object/info_rows.h"
#include "icd/object/platform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct context_destructor {
	struct context_destructor *next;
	ocl_context_destroyed callback;
	void *user_data;
};

/* Returns 0 or ENOMEM. */
static int prints_init(struct ocl_prints *prints)
{
	if (lock_init(&prints->lock, LOCK_RANK_EVENT))
		return ENOMEM;
	if (lock_condition_init(&prints->changed)) {
		lock_finish(&prints->lock);
		return ENOMEM;
	}
	list_init(&prints->pending);
	atomic_init(&prints->count, 0);
	return 0;
}

static void prints_finish(struct ocl_prints *prints)
{
	lock_condition_finish(&prints->changed);
	lock_finish(&prints->lock);
}

static void context_destroy(struct object *object)
{
	cl_context context = (cl_context)object;
	const int before = cancel_hold();
	/* OpenCL 3.0 API, 4.4.1: the callbacks are called in the reverse order of their registration, before the
	 * context's resources are freed.  There are no other references to the context. */
	while (context->destructors) {
		struct context_destructor *destructor = context->destructors;
		context->destructors = destructor->next;
		destructor->callback(context, destructor->user_data);
		free(destructor);
	}
	ocl_mems_free_spare(context);
	prints_finish(&context->prints);
	ocl_address_table_finish(&context->addresses);
	ocl_svm_table_finish(&context->svm);
	ocl_host_writes_finish(&context->host_writes);
	lock_finish(&context->mirrors);
	lock_finish(&context->lock);
	for (cl_uint i = 0; i < context->device_count; i++)
		if (context->devices[i]->parent)
			object_unref(context->devices[i]);
	free(context->devices);
	free(context->gpus);
	free(context->properties);
	free(context);
	cancel_restore(before);
}

const struct object_type ocl_context_type = {"context", CL_INVALID_CONTEXT, context_destroy};

/* OpenCL 3.0 API, 4.4: one property and its value. */
static cl_int property_check(cl_context_properties name, cl_context_properties value,
			     struct ocl_gl_properties *gl)
{
	switch (name) {
	case CL_CONTEXT_PLATFORM:
		return ocl_platform_check((const void *)value);
	/* cl_arm_printf: "the implementation is free to round up or ignore" the size. */
	case CL_PRINTF_CALLBACK_ARM:
	case CL_PRINTF_BUFFERSIZE_ARM:
		return CL_SUCCESS;
	case CL_CONTEXT_INTEROP_USER_SYNC:
		return value == CL_TRUE || value == CL_FALSE ? CL_SUCCESS : CL_INVALID_PROPERTY;
	default:
		return ocl_gl_properties_take(gl, name, value) ? CL_SUCCESS : CL_INVALID_PROPERTY;
	}
}

/* The callback of cl_arm_printf in a list that was checked; 0: there is none. */
static cl_context_properties print_of(const cl_context_properties *properties)
{
	for (; properties && *properties; properties += 2)
		if (*properties == CL_PRINTF_CALLBACK_ARM)
			return properties[1];
	return 0;
}

cl_int ocl_context_properties_check(const cl_context_properties *properties, size_t *count_out,
				    struct ocl_gl_properties *gl_out)
{
	bool user_sync = false;
	size_t count = 0;
	if (!properties)
		goto out;
	for (; properties[count]; count += 2) {
		cl_int error = property_check(properties[count], properties[count + 1], gl_out);
		if (error)
			return error;
		user_sync = user_sync || properties[count] == CL_CONTEXT_INTEROP_USER_SYNC;
		/* 4.4: CL_INVALID_PROPERTY "... or if the same property name is specified more than once". */
		for (size_t i = 0; i < count; i += 2)
			if (properties[i] == properties[count])
				return CL_INVALID_PROPERTY;
	}
	/* 4.4: CL_INVALID_PROPERTY "if both CL_CONTEXT_INTEROP_USER_SYNC, and any of the properties defined by the
	 * cl_khr_gl_sharing extension are defined". */
	if (user_sync && gl_out->given)
		return CL_INVALID_PROPERTY;
	count++;
out:
	*count_out = count;
	return CL_SUCCESS;
}

static void device_add(cl_context context, cl_device_id device)
{
	/* References to root devices are not counted: threads that create contexts would contend for the count. */
	if (device->parent)
		object_ref(device);
	context->devices[context->device_count++] = device;
	if (ocl_context_place(context, device) == context->gpu_count)
		context->gpus[context->gpu_count++] = device->gpu;
}

static cl_int devices_copy(cl_context context, const cl_device_id *devices, cl_uint count)
{
	context->devices = calloc(count, sizeof(*context->devices));
	context->gpus = calloc(count, sizeof(struct gpu_device *));
	if (!context->devices || !context->gpus)
		return CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; i < count; i++) {
		if (gpu_device_status(devices[i]->gpu))
			return CL_DEVICE_NOT_AVAILABLE;
		/* OpenCL 3.0 API, 4.4: duplicate devices are ignored. */
		if (ocl_context_device_index(context, devices[i]) < 0)
			device_add(context, devices[i]);
	}
	return CL_SUCCESS;
}

cl_int ocl_context_create(const cl_context_properties *properties, const cl_device_id *devices,
			  cl_uint device_count, ocl_context_notify notify, void *notify_data,
			  cl_context *context_out)
{
	struct ocl_gl_properties gl = {0};
	size_t property_count;
	cl_int error = ocl_context_properties_check(properties, &property_count, &gl);
	const bool shares_gl = !error && ocl_gl_properties_share(&gl);
	if (shares_gl)
		error = ocl_gl_properties_check(&gl);
	if (!error && shares_gl)
		error = ocl_gl_devices_check(devices, device_count);
	if (error)
		return error;
	cl_context context = calloc(1, sizeof(*context));
	if (!context)
		return CL_OUT_OF_HOST_MEMORY;
	if (lock_init(&context->lock, LOCK_RANK_CONTEXT)) {
		free(context);
		return CL_OUT_OF_HOST_MEMORY;
	}
	if (lock_init(&context->mirrors, LOCK_RANK_MIRRORS))
		goto fail_mirrors;
	if (ocl_host_writes_init(&context->host_writes))
		goto fail_writes;
	if (ocl_svm_table_init(&context->svm))
		goto fail_svm;
	if (ocl_address_table_init(&context->addresses))
		goto fail_addresses;
	if (prints_init(&context->prints))
		goto fail_prints;
	object_init(&context->base, &ocl_context_type);
	context->shares_gl = shares_gl;
	atomic_init(&context->user_events, 0);
	context->notify = notify;
	context->notify_data = notify_data;
	context->print = (void(CL_CALLBACK *)(const char *, size_t, size_t, void *))print_of(properties);
	error = devices_copy(context, devices, device_count);
	if (!error && property_count) {
		size_t size_B = property_count * sizeof(*properties);
		context->properties = malloc(size_B);
		if (context->properties) {
			memcpy(context->properties, properties, size_B);
			context->property_count = property_count;
		} else {
			error = CL_OUT_OF_HOST_MEMORY;
		}
	}
	if (error) {
		object_unref(context);
		return error;
	}
	*context_out = context;
	return CL_SUCCESS;
fail_prints:
	ocl_address_table_finish(&context->addresses);
fail_addresses:
	ocl_svm_table_finish(&context->svm);
fail_svm:
	ocl_host_writes_finish(&context->host_writes);
fail_writes:
	lock_finish(&context->mirrors);
fail_mirrors:
	lock_finish(&context->lock);
	free(context);
	return CL_OUT_OF_HOST_MEMORY;
}

cl_int ocl_context_add_destructor(cl_context context, ocl_context_destroyed callback,
				  void *user_data)
{
	struct context_destructor *destructor = malloc(sizeof(*destructor));
	if (!destructor)
		return CL_OUT_OF_HOST_MEMORY;
	destructor->callback = callback;
	destructor->user_data = user_data;
	lock_take(&context->lock);
	destructor->next = context->destructors;
	context->destructors = destructor;
	lock_drop(&context->lock);
	return CL_SUCCESS;
}

int ocl_context_device_index(const struct _cl_context *context, const struct _cl_device_id *device)
{
	for (cl_uint i = 0; i < context->device_count; i++)
		if (context->devices[i] == device)
			return (int)i;
	return -1;
}

uint32_t ocl_context_place(const struct _cl_context *context, const struct _cl_device_id *device)
{
	uint32_t place = 0;
	while (place < context->gpu_count && context->gpus[place] != device->gpu)
		place++;
	return place;
}

cl_int ocl_context_info(cl_context context, cl_context_info name, const struct info_out *out)
{
	switch (name) {
#include "icd/memory/context_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}

void ocl_context_report(cl_context context, const char *format, ...)
{
	if (!context->notify && !log_enabled(LOG_LEVEL_INFO))
		return;
	lock_assert_none();
	struct bytes text = BYTES_INIT;
	va_list arguments;
	va_start(arguments, format);
	bytes_vprintf(&text, format, arguments);
	va_end(arguments);
	log_info("context: %s", bytes_string(&text));
	if (context->notify)
		context->notify(bytes_string(&text), NULL, 0, context->notify_data);
	bytes_finish(&text);
}
