#include "config.h"

#include "softcuda/driver/device.h"

#include "softcuda/driver/schedule.h"
#include "softcuda/driver/machine.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/release.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/exec.h"

CUresult soft_device_find_locked(CUdevice cu_device, struct soft_device **device_out)
{
	if (cu_device < 0 || (unsigned)cu_device >= soft_driver.device_count)
		return CUDA_ERROR_INVALID_DEVICE;
	*device_out = &soft_driver.devices[cu_device];
	return CUDA_SUCCESS;
}

CUresult soft_device_attribute(const struct soft_device *device, CUdevice_attribute attribute,
			       int *value_out)
{
	switch ((int)attribute) {
#define ATTRIBUTE(number, name, value) \
	case (number):                 \
		*value_out = (value);  \
		return CUDA_SUCCESS;
#define ATTRIBUTE_SINCE(release, number, name, value)           \
	case (number):                                          \
		if (soft_release() < (release))                 \
			return CUDA_ERROR_INVALID_VALUE;        \
		*value_out = (value);                           \
		return CUDA_SUCCESS;
#include "softcuda/driver/device_attribute.def"
#undef ATTRIBUTE_SINCE
#undef ATTRIBUTE
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}
