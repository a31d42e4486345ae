#include "config.h"

#include "backend/gpu_internal.h"
#include "base/cancel.h"

/* Memory of the application that a device uses in place. */

/* Also where the device could use the memory as it is: a copy of pageable memory may read its bytes when it is
 * enqueued, before kernels ahead of it have written them. */
static cl_int host_register(struct gpu_device *device, void *pointer, uint64_t size_B, gpu_address *address_out)
{
	struct gpu_scope scope;
	CUdeviceptr cu_address = 0;
	cl_int error = gpu_enter_new(device, &scope);
	if (error)
		return error;
	error = gpu_check(device, cuda.cuMemHostRegister_v2(pointer, size_B, CU_MEMHOSTREGISTER_PORTABLE |
									   CU_MEMHOSTREGISTER_DEVICEMAP));
	if (!error) {
		error = gpu_check(device, cuda.cuMemHostGetDevicePointer_v2(&cu_address, pointer, 0));
		if (error)
			(void)gpu_check(device, cuda.cuMemHostUnregister(pointer));
	}
	gpu_leave(&scope);
	*address_out = cu_address;
	return error;
}

cl_int gpu_host_register(struct gpu_device *device, void *pointer, uint64_t size_B, gpu_address *address_out)
{
	const int before = cancel_hold();
	cl_int error = host_register(device, pointer, size_B, address_out);
	cancel_restore(before);
	return error;
}

void gpu_host_unregister(struct gpu_device *device, void *pointer)
{
	struct gpu_scope scope;
	const int before = cancel_hold();
	/* The registrations of a lost device end with its context. */
	if (!gpu_enter(device, &scope)) {
		(void)gpu_check(device, cuda.cuMemHostUnregister(pointer));
		gpu_leave(&scope);
	}
	cancel_restore(before);
}
