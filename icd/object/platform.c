#include "config.h"

#include "icd/object/platform.h"

#include "base/bytes.h"
#include "base/log.h"
#include "icd/include/khr_command_buffer.h"
#include "icd/include/khr_semaphore.h"
#include "icd/object/extension.h"
#include "icd/object/info_rows.h"
#include "icd/object/svm_types.h"

#include <pthread.h>
#include <stdlib.h>

static void platform_destroy(struct object *object)
{
	(void)object; /* never called: platforms are not released */
}

const struct object_type ocl_platform_type = {"platform", CL_INVALID_PLATFORM, platform_destroy};

static struct _cl_platform_id the_platform = {
	.base = {
		.type = &ocl_platform_type,
		.api_refs = 1,
		.refs = 1,
	},
};

/* Written once, by devices_once; devices_made is set last. */
static pthread_once_t devices_once = PTHREAD_ONCE_INIT;
static atomic_bool devices_made;
static cl_device_id *devices;
static cl_uint device_count;
static cl_int devices_error;

cl_platform_id ocl_platform(void)
{
	return &the_platform;
}

static void devices_find(void)
{
	struct gpu_device *const *gpus;
	uint32_t count;
	devices_error = gpu_devices(&gpus, &count);
	if (devices_error) {
		log_err("devices: error %d: %s", devices_error, gpu_driver_note());
		return;
	}
	log_info("devices: %u: %s", (unsigned)count, gpu_driver_note());
	if (!count)
		return;
	cl_device_id *found = calloc(count, sizeof(*found));
	struct _cl_device_id *storage = calloc(count, sizeof(*storage));
	if (!found || !storage) {
		free(found);
		free(storage);
		devices_error = CL_OUT_OF_HOST_MEMORY;
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		ocl_device_init(&storage[i], &the_platform, gpus[i], i);
		found[i] = &storage[i];
	}
	devices = found;
	device_count = count;
	atomic_store(&devices_made, true);
}

cl_int ocl_platform_devices(const cl_device_id **devices_out, cl_uint *count_out)
{
	pthread_once(&devices_once, devices_find);
	if (devices_error)
		return devices_error;
	*devices_out = devices;
	*count_out = device_count;
	return CL_SUCCESS;
}

cl_int ocl_platform_check(const void *platform)
{
	return platform == &the_platform ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

cl_int ocl_device_check(const void *device)
{
	/* Before the devices are found there is no valid handle. */
	if (!atomic_load(&devices_made))
		return CL_INVALID_DEVICE;
	for (cl_uint i = 0; i < device_count; i++)
		if (device == devices[i])
			return CL_SUCCESS;
	return ocl_device_is_listed(device) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int ocl_devices_check(const cl_device_id *devices, cl_uint count)
{
	for (cl_uint i = 0; i < count; i++) {
		cl_int error = ocl_device_check(devices[i]);
		if (error)
			return error;
	}
	return CL_SUCCESS;
}

void ocl_platform_set_dispatch(const cl_icd_dispatch *dispatch)
{
	the_platform.base.dispatch = dispatch;
	object_set_dispatch(dispatch);
}

void ocl_platform_set_dispatch_data(void *dispatch_data)
{
	/* The loader calls this before it returns the platform to anyone.  Devices that an earlier loader has asked
	 * for get the new data, too. */
	the_platform.base.dispatch_data = dispatch_data;
	object_set_dispatch_data(dispatch_data);
	if (!atomic_load(&devices_made))
		return;
	for (cl_uint i = 0; i < device_count; i++)
		devices[i]->base.dispatch_data = dispatch_data;
}

static cl_int put_extensions(const struct info_out *out)
{
	struct bytes text = BYTES_INIT;
	ocl_extensions_text(OCL_EXTENSION_PLATFORM, OCL_EXTENSIONS_ANY_SM, &text);
	cl_int error = bytes_failed(&text) ? CL_OUT_OF_HOST_MEMORY
					   : info_put_string(out, bytes_string(&text));
	bytes_finish(&text);
	return error;
}

static cl_int put_extension_versions(const struct info_out *out)
{
	struct bytes list = BYTES_INIT;
	ocl_extensions_versions(OCL_EXTENSION_PLATFORM, OCL_EXTENSIONS_ANY_SM, &list);
	cl_int error = bytes_failed(&list) ? CL_OUT_OF_HOST_MEMORY
					   : info_put(out, list.data, list.size_B);
	bytes_finish(&list);
	return error;
}

/* cl_khr_unified_svm. */
static cl_int put_svm_types(const struct info_out *out)
{
	cl_svm_capabilities_khr types[OCL_SVM_TYPES];
	const cl_device_id *all = NULL;
	cl_uint all_count = 0;
	/* An error leaves no devices, and then there are no types. */
	(void)ocl_platform_devices(&all, &all_count);
	const cl_uint count = ocl_svm_type_count(all, all_count, types);
	return info_put(out, types, count * sizeof(types[0]));
}

cl_int ocl_platform_info(cl_platform_info name, const struct info_out *out)
{
	switch (name) {
#include "icd/object/platform_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}
