#include "config.h"

#include "backend/gpu.h"
#include "base/clock.h"
#include "icd/object/device_info.h"
#include "icd/object/platform.h"
#include "icd/object/sub_device.h"

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type,
					       cl_uint num_entries, cl_device_id *devices,
					       cl_uint *num_devices)
{
	const cl_device_id *all;
	cl_uint all_count, count = 0;
	/* OpenCL 3.0 API, 4.2: the behaviour for a NULL platform is implementation-defined; here it means our
	 * platform. */
	cl_int error = platform ? ocl_platform_check(platform) : CL_SUCCESS;
	if (!error)
		error = ocl_device_type_check(device_type);
	if (error)
		return error;
	if ((devices && !num_entries) || (!devices && !num_devices))
		return CL_INVALID_VALUE;
	error = ocl_platform_devices(&all, &all_count);
	if (error)
		return error;
	for (cl_uint i = 0; i < all_count; i++) {
		if (!ocl_device_matches(all[i], device_type))
			continue;
		if (devices && count < num_entries)
			devices[count] = all[i];
		count++;
	}
	if (num_devices)
		*num_devices = count;
	return count ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info param_name,
						size_t param_value_size, void *param_value,
						size_t *param_value_size_ret)
{
	cl_int error = ocl_device_check(device);
	if (error)
		return error;
	const struct info_out out = {param_value_size, param_value, param_value_size_ret};
	return ocl_device_info(device, param_name, &out);
}

CL_API_ENTRY cl_int CL_API_CALL
clCreateSubDevices(cl_device_id in_device, const cl_device_partition_property *properties,
		   cl_uint num_devices, cl_device_id *out_devices, cl_uint *num_devices_ret)
{
	cl_int error = ocl_device_check(in_device);
	return error ? error : ocl_sub_devices_create(in_device, properties, num_devices, out_devices,
						      num_devices_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainDevice(cl_device_id device)
{
	cl_int error = ocl_device_check(device);
	return error || !device->parent ? error : object_retain(device, &ocl_device_type);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDevice(cl_device_id device)
{
	cl_int error = ocl_device_check(device);
	return error || !device->parent ? error : object_release(device, &ocl_device_type);
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device,
							cl_ulong *device_timestamp,
							cl_ulong *host_timestamp)
{
	cl_int error = ocl_device_check(device);
	if (error)
		return error;
	if (!device_timestamp || !host_timestamp)
		return CL_INVALID_VALUE;
	/* OpenCL 3.0 API, 4.2.2: the device's time is that of profiling timestamps, which gpu_clock.c converts to
	 * the host's clock; so both times are the same. */
	*device_timestamp = *host_timestamp = host_now_ns();
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp)
{
	cl_int error = ocl_device_check(device);
	if (error)
		return error;
	if (!host_timestamp)
		return CL_INVALID_VALUE;
	*host_timestamp = host_now_ns();
	return CL_SUCCESS;
}
