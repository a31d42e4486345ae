/* Which buffer a device's address is in: those whose addresses the application may know
 * (cl_ext_buffer_device_address).  Addresses of all devices and of the host are one space.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_ADDRESS_H
#define CULVERT_ICD_ADDRESS_H

#include "base/lock.h"
#include "base/spans.h"

#include <CL/cl.h>
#include <stdint.h>

struct ocl_address_table {
	struct lock lock;                /* guards all below */
	struct spans spans;              /* of cl_mem: no references, they leave before they end */
};

int ocl_address_table_init(struct ocl_address_table *table);
void ocl_address_table_finish(struct ocl_address_table *table);

/* Gives mem memory on all devices of its context, and enters it.
 * CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_address_enter(cl_mem mem);
/* mem, which was entered, ends. */
void ocl_address_leave(cl_mem mem);
/* The buffer that address is in, held (mem.h); NULL: none. */
cl_mem ocl_address_find(cl_context context, uint64_t address);

#endif
