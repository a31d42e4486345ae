#include "config.h"

#include "icd/memory/mem_properties.h"

#include "icd/object/platform.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

struct reading {
	struct ocl_mem_properties *properties;
	const struct _cl_context *context;
	cl_uint devices;                 /* number of devices in the device list */
	bool has_devices, has_address, has_exports;
	unsigned layout_seen;            /* a bit for each property of cl_culvert_external_image */
};

/* cl_khr_external_memory: CL_INVALID_DEVICE for a device that is not in the context.  Moves *list behind the
 * devices. */
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

static bool is_handle(cl_mem_properties name)
{
	return name == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR ||
	       name == CL_EXTERNAL_MEMORY_HANDLE_CUDA_IPC_CULVERT;
}

static cl_int handle_read(struct ocl_mem_properties *properties, cl_mem_properties name,
			  cl_mem_properties value)
{
	struct gpu_handle *handle = &properties->handle;
	const void *ipc = (const void *)(uintptr_t)value;
	properties->is_external = true;
	if (name == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR) {
		handle->type = GPU_HANDLE_FD;
		handle->fd = value > INT_MAX ? -1 : (int)value;
		return value > INT_MAX ? CL_INVALID_PROPERTY : CL_SUCCESS;
	}
	handle->type = GPU_HANDLE_IPC;
	if (!ipc)
		return CL_INVALID_PROPERTY;
	memcpy(handle->ipc, ipc, sizeof(handle->ipc));
	return CL_SUCCESS;
}

bool ocl_handle_type_find(cl_mem_properties name, enum gpu_handle_type *type_out)
{
	switch (name) {
	case CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR:
		*type_out = GPU_HANDLE_FD;
		return true;
	case CL_EXTERNAL_MEMORY_HANDLE_CUDA_IPC_CULVERT:
		*type_out = GPU_HANDLE_IPC;
		return true;
	case CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR:
		*type_out = GPU_HANDLE_DMA_BUF;
		return true;
	default:
		return false;
	}
}

/* Reads the type of handle for exports.  Only one type is valid: CUDA memory that can be exported as a file
 * descriptor has no IPC handle, and the reverse. */
static cl_int exports_read(struct ocl_mem_properties *properties, const cl_mem_properties **list)
{
	const cl_mem_properties type = **list;
	if (!ocl_handle_type_find(type, &properties->exported) ||
	    (*list)[1] != CL_MEM_EXPORT_HANDLE_TYPES_LIST_END_CULVERT)
		return CL_INVALID_PROPERTY;
	properties->is_exportable = true;
	*list += 2;
	return CL_SUCCESS;
}

static bool is_layout(cl_mem_properties name)
{
	return name >= CL_EXTERNAL_IMAGE_TILING_CULVERT && name <= CL_EXTERNAL_IMAGE_COLOR_ATTACHMENT_CULVERT;
}

/* Reads a property of cl_culvert_external_image.  Each may be given once; all but the offset and the size of the
 * allocation are 0 or 1. */
static cl_int layout_read(struct reading *reading, cl_mem_properties name, cl_mem_properties value)
{
	struct ocl_external_layout *layout = &reading->properties->layout;
	const unsigned bit = 1u << (name - CL_EXTERNAL_IMAGE_TILING_CULVERT);
	const bool is_size = name == CL_EXTERNAL_IMAGE_ALLOCATION_SIZE_CULVERT ||
			     name == CL_EXTERNAL_IMAGE_OFFSET_CULVERT;
	if (reading->layout_seen & bit || (!is_size && value > 1))
		return CL_INVALID_PROPERTY;
	reading->layout_seen |= bit;
	reading->properties->has_layout = true;
	switch (name) {
	case CL_EXTERNAL_IMAGE_TILING_CULVERT:
		layout->optimal = value == CL_EXTERNAL_IMAGE_TILING_OPTIMAL_CULVERT;
		break;
	case CL_EXTERNAL_IMAGE_ALLOCATION_SIZE_CULVERT:
		layout->allocation_B = value;
		break;
	case CL_EXTERNAL_IMAGE_OFFSET_CULVERT:
		layout->offset_B = value;
		break;
	case CL_EXTERNAL_IMAGE_DEDICATED_CULVERT:
		layout->dedicated = value;
		break;
	default:
		layout->color_attachment = value;
		break;
	}
	return CL_SUCCESS;
}

/* The image begins in the allocation, whose size is required.  Other tilings have no further properties. */
static cl_int layout_check(const struct reading *reading)
{
	const struct ocl_mem_properties *properties = reading->properties;
	const struct ocl_external_layout *layout = &properties->layout;
	if (!properties->has_layout)
		return CL_SUCCESS;
	if (!properties->is_external)
		return CL_INVALID_PROPERTY;
	if (!layout->optimal)
		return reading->layout_seen == 1 ? CL_SUCCESS : CL_INVALID_PROPERTY;
	return layout->offset_B < layout->allocation_B ? CL_SUCCESS : CL_INVALID_PROPERTY;
}

static cl_int list_read(struct reading *reading, const cl_mem_properties *list)
{
	struct ocl_mem_properties *properties = reading->properties;
	cl_int error = CL_SUCCESS;
	while (*list && !error) {
		const cl_mem_properties name = *list++;
		if (is_handle(name) && !properties->is_external) {
			error = handle_read(properties, name, *list++);
		} else if (is_layout(name)) {
			error = layout_read(reading, name, *list++);
		} else if (name == CL_MEM_EXPORT_HANDLE_TYPES_CULVERT && !reading->has_exports) {
			reading->has_exports = true;
			error = exports_read(properties, &list);
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

/* Whether the device can export memory as such a handle. */
static bool can_export(const struct gpu_caps *caps, enum gpu_handle_type type)
{
	return type == GPU_HANDLE_DMA_BUF ? caps->exports_dma_buf : caps->exports;
}

static cl_int read_and_check(const struct _cl_context *context, const cl_mem_properties *list,
			     struct ocl_mem_properties *properties)
{
	struct reading reading = {.properties = properties, .context = context};
	cl_int error = list_read(&reading, list);
	if (error)
		return error;
	/* cl_khr_external_memory: CL_INVALID_PROPERTY for a device list without a handle. */
	if (reading.has_devices && !ocl_mem_properties_share(properties))
		return CL_INVALID_PROPERTY;
	if (properties->is_external && properties->is_exportable)
		return CL_INVALID_PROPERTY;
	error = layout_check(&reading);
	if (error)
		return error;
	/* Imported memory belongs to one device.  CL_INVALID_DEVICE when another device of the list, or without a
	 * list of the context, would have to import it. */
	const cl_uint owners = reading.has_devices ? reading.devices : context->device_count;
	if (ocl_mem_properties_share(properties) && owners != 1)
		return CL_INVALID_DEVICE;
	/* CL_INVALID_PROPERTY for a type of handle that the device does not support. */
	if (properties->is_exportable &&
	    !can_export(context->devices[properties->device]->caps, properties->exported))
		return CL_INVALID_PROPERTY;
	return CL_SUCCESS;
}

cl_int ocl_mem_properties_read(const struct _cl_context *context, const cl_mem_properties *list,
			       struct ocl_mem_properties *properties)
{
	/* handle is large and not cleared: it is only read if is_external is set. */
	properties->list = list;
	properties->count = 0;
	properties->is_external = properties->is_exportable = properties->has_addresses = false;
	properties->has_layout = false;
	properties->layout = (struct ocl_external_layout){0};
	properties->device = 0;
	return list ? read_and_check(context, list, properties) : CL_SUCCESS;
}

cl_int ocl_mem_external_check(cl_mem_flags flags, const void *host_pointer)
{
	if (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
		return CL_INVALID_VALUE;
	return host_pointer ? CL_INVALID_HOST_PTR : CL_SUCCESS;
}

void ocl_mem_external_taken(const struct ocl_mem_properties *properties)
{
	if (properties->is_external && properties->handle.type == GPU_HANDLE_FD)
		(void)close(properties->handle.fd);
}
