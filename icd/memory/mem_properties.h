/* The properties of clCreateBufferWithProperties and clCreateImageWithProperties.
 *
 * Thread-safe: it only reads. */
#ifndef CULVERT_ICD_MEM_PROPERTIES_H
#define CULVERT_ICD_MEM_PROPERTIES_H

#include "icd/include/khr_external_memory.h"
#include "icd/memory/context.h"

/* What they say. */
struct ocl_mem_properties {
	const cl_mem_properties *list;   /* the application's, or NULL */
	size_t count;                    /* words of list, with the final 0; or 0 */
	bool is_external;                /* cl_khr_external_memory: it is imported by handle */
	struct gpu_handle handle;
	bool is_exportable;              /* cl_culvert_external_memory_export: as a handle of */
	enum gpu_handle_type exported;   /*   this type */
	uint32_t device;                 /* of either: the position of the memory's device */
	bool has_addresses;              /* cl_ext_buffer_device_address */
};

/* Whether they say where the memory comes from: it is imported, or can be exported. */
static inline bool ocl_mem_properties_share(const struct ocl_mem_properties *properties)
{
	return properties->is_external || properties->is_exportable;
}

/* Whether an image can be made of them: in imported memory of a file descriptor's. */
static inline bool ocl_mem_properties_are_image(const struct ocl_mem_properties *properties)
{
	return properties->is_external && properties->handle.type == GPU_HANDLE_FD &&
	       !properties->has_addresses;
}

/* CL_INVALID_PROPERTY, CL_INVALID_DEVICE. */
cl_int ocl_mem_properties_read(const struct _cl_context *context, const cl_mem_properties *list,
			       struct ocl_mem_properties *properties);
/* cl_khr_external_memory: CL_INVALID_VALUE for flags that speak of host memory,
 * CL_INVALID_HOST_PTR for a pointer to such. */
cl_int ocl_mem_external_check(cl_mem_flags flags, const void *host_pointer);
/* Once all has succeeded a descriptor is ours, and of no more use: memory has been made of it.  Until
 * then it is the application's. */
void ocl_mem_external_taken(const struct ocl_mem_properties *properties);

#endif
