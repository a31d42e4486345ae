/* The properties of clCreateBufferWithProperties and clCreateImageWithProperties.
 *
 * Thread-safe: the functions only read. */
#ifndef CULVERT_ICD_MEM_PROPERTIES_H
#define CULVERT_ICD_MEM_PROPERTIES_H

#include "icd/include/khr_external_memory.h"
#include "icd/memory/context.h"

/* cl_culvert_external_image: the layout of an imported image. */
struct ocl_external_layout {
	bool optimal;                    /* the GPU's own; false: rows follow each other */
	uint64_t allocation_B, offset_B; /* of the memory of another API; where the image begins in it */
	bool dedicated;                  /* it was allocated for the image alone */
	bool color_attachment;           /* the other API may draw into it */
};

/* The meaning of a list of properties. */
struct ocl_mem_properties {
	const cl_mem_properties *list;   /* the application's, or NULL */
	size_t count;                    /* of words in list, with the final 0; or 0 */
	bool is_external;                /* cl_khr_external_memory: the memory is imported from handle */
	struct gpu_handle handle;
	bool has_layout;                 /* a property of cl_culvert_external_image was given */
	struct ocl_external_layout layout;
	bool is_exportable;              /* cl_culvert_external_memory_export: the memory can be exported */
	enum gpu_handle_type exported;   /* as a handle of this type */
	uint32_t device;                 /* of imported and exported memory: the position of its device */
	bool has_addresses;              /* cl_ext_buffer_device_address */
};

/* The type of handle that a cl_external_memory_handle_type_khr names; false: none that Culvert knows. */
bool ocl_handle_type_find(cl_mem_properties name, enum gpu_handle_type *type_out);
/* Whether the memory is imported or can be exported. */
static inline bool ocl_mem_properties_share(const struct ocl_mem_properties *properties)
{
	return properties->is_external || properties->is_exportable;
}

/* Whether an image can have these properties: they import memory from a file descriptor, and nothing else. */
static inline bool ocl_mem_properties_are_image(const struct ocl_mem_properties *properties)
{
	return properties->is_external && properties->handle.type == GPU_HANDLE_FD &&
	       !properties->has_addresses;
}

/* Reads a list.  CL_INVALID_PROPERTY, CL_INVALID_DEVICE. */
cl_int ocl_mem_properties_read(const struct _cl_context *context, const cl_mem_properties *list,
			       struct ocl_mem_properties *properties);
/* cl_khr_external_memory: CL_INVALID_VALUE for flags about host memory, CL_INVALID_HOST_PTR for a pointer to host
 * memory. */
cl_int ocl_mem_external_check(cl_mem_flags flags, const void *host_pointer);
/* Called once an object was made: closes the file descriptor, if there is one, because memory was imported from it.
 * Until then the application owns it. */
void ocl_mem_external_taken(const struct ocl_mem_properties *properties);

#endif
