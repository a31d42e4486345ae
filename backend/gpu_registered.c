#include "config.h"

#include "backend/gpu_internal.h"
#include "base/cancel.h"

/* Memory of the application's that devices reach where it is. */

static cl_int host_register(struct gpu_device *device, void *pointer, uint64_t size_B, gpu_address *address_out)
{
	struct gpu_scope scope;
	CUdeviceptr cu_address = 0;
	cl_int err = gpu_enter_new(device, &scope);
	if (err)
		return err;
	err = gpu_check(device, cuda.cuMemHostRegister_v2(pointer, size_B, CU_MEMHOSTREGISTER_PORTABLE |
									   CU_MEMHOSTREGISTER_DEVICEMAP));
	if (!err) {
		err = gpu_check(device, cuda.cuMemHostGetDevicePointer_v2(&cu_address, pointer, 0));
		if (err)
			(void)gpu_check(device, cuda.cuMemHostUnregister(pointer));
	}
	gpu_leave(&scope);
	*address_out = cu_address;
	return err;
}

cl_int gpu_host_register(struct gpu_device *device, void *pointer, uint64_t size_B, bool *registered_out,
			 gpu_address *address_out)
{
	*registered_out = !device->caps.pageable_access;
	*address_out = (uintptr_t)pointer;
	if (!*registered_out)
		return CL_SUCCESS;
	const int before = cancel_hold();
	cl_int err = host_register(device, pointer, size_B, address_out);
	cancel_restore(before);
	return err;
}

void gpu_host_unregister(struct gpu_device *device, void *pointer)
{
	struct gpu_scope scope;
	const int before = cancel_hold();
	/* On a lost device it has gone with the context. */
	if (!gpu_enter(device, &scope)) {
		(void)gpu_check(device, cuda.cuMemHostUnregister(pointer));
		gpu_leave(&scope);
	}
	cancel_restore(before);
}
