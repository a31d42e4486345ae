#include "config.h"

#include "icd/memory/mem_properties.h"

#include "icd/object/platform.h"

#include <limits.h>
#include <unistd.h>

struct reading {
	struct ocl_mem_properties *properties;
	const struct _cl_context *context;
	cl_uint devices;                 /* in the device list */
	bool has_devices, has_address;
};

/* cl_khr_external_memory: CL_INVALID_DEVICE for what is no device of the context.  Returns
 * what follows the list. */
static cl_int devices_read(struct reading *reading, const cl_mem_properties **list)
{
	const cl_mem_properties *next = *list;
	for (; *next != CL_MEM_DEVICE_HANDLE_LIST_END_KHR; next++) {
		cl_device_id device = (cl_device_id)(uintptr_t)*next;
		cl_int error = ocl_device_check(device);
		if (error)
			return error;
		const int position = ocl_context_device_index(reading->context, device);
		if (position < 0)
			return CL_INVALID_DEVICE;
		reading->properties->device = (uint32_t)position;
		reading->devices++;
	}
	*list = next + 1;
	return CL_SUCCESS;
}

static cl_int list_read(struct reading *reading, const cl_mem_properties *list)
{
	struct ocl_mem_properties *properties = reading->properties;
	cl_int error = CL_SUCCESS;
	while (*list && !error) {
		const cl_mem_properties name = *list++;
		if (name == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR && !properties->is_external) {
			if (*list > INT_MAX)
				return CL_INVALID_PROPERTY;
			properties->is_external = true;
			properties->fd = (int)*list++;
		} else if (name == CL_MEM_DEVICE_HANDLE_LIST_KHR && !reading->has_devices) {
			reading->has_devices = true;
			error = devices_read(reading, &list);
		} else if (name == CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT && !reading->has_address) {
			reading->has_address = true;
			if (*list != CL_TRUE && *list != CL_FALSE)
				return CL_INVALID_PROPERTY;
			properties->has_addresses = *list++ == CL_TRUE;
		} else {
			error = CL_INVALID_PROPERTY;
		}
	}
	properties->count = (size_t)(list - properties->list) + 1;
	return error;
}

cl_int ocl_mem_properties_read(const struct _cl_context *context, const cl_mem_properties *list,
			       struct ocl_mem_properties *properties)
{
	struct reading reading = {.properties = properties, .context = context};
	*properties = (struct ocl_mem_properties){.list = list};
	cl_int error = list ? list_read(&reading, list) : CL_SUCCESS;
	if (error)
		return error;
	/* cl_khr_external_memory: CL_INVALID_PROPERTY for a device list without a handle. */
	if (reading.has_devices && !properties->is_external)
		return CL_INVALID_PROPERTY;
	/* CL_INVALID_DEVICE when a device of the list, or without one of the context, cannot
	 * import the memory: it is one device's, and the others can not. */
	const cl_uint importers = reading.has_devices ? reading.devices : context->device_count;
	return properties->is_external && importers != 1 ? CL_INVALID_DEVICE : CL_SUCCESS;
}

cl_int ocl_mem_external_check(cl_mem_flags flags, const void *host_pointer)
{
	if (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
		return CL_INVALID_VALUE;
	return host_pointer ? CL_INVALID_HOST_PTR : CL_SUCCESS;
}

void ocl_mem_external_taken(const struct ocl_mem_properties *properties)
{
	if (properties->is_external)
		(void)close(properties->fd);
}
