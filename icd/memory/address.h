/* A table of the buffers whose device addresses the application may use (cl_ext_buffer_device_address): finds the
 * buffer that contains an address.  The addresses of all devices and of the host are distinct.
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
	struct spans spans;              /* owned by cl_mem, without references: each leaves before it is freed */
};

int ocl_address_table_init(struct ocl_address_table *table);
void ocl_address_table_finish(struct ocl_address_table *table);

/* Allocates mem's memory on all devices of its context, and adds their addresses to the table.
 * CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_address_enter(cl_mem mem);
/* Removes mem's addresses, before it is freed. */
void ocl_address_leave(cl_mem mem);
/* The buffer that contains address, held (ocl_mem_hold in mem.h); NULL: none. */
cl_mem ocl_address_find(cl_context context, uint64_t address);

#endif
