/* Platforms and devices (OpenCL 3.0 API, 4.1 to 4.3). */
#include "config.h"

#include "tests/api/errors.h"
#include "tests/api/own_function.h"

#include <stdlib.h>

static void of_loaders(void)
{
	cl_int(CL_API_CALL *get)(cl_uint, cl_platform_id *, cl_uint *);
	cl_int(CL_API_CALL *set)(cl_platform_id, void *);
	cl_platform_id platform;
	*(void **)&get = own_function("clIcdGetPlatformIDsKHR");
	*(void **)&set = own_function("clIcdSetPlatformDispatchDataKHR");
	REQUIRE(get && set);
	if (!get || !set)
		return;
	ERROR_CODE(clIcdGetPlatformIDsKHR, CL_INVALID_VALUE, 1, get(0, &platform, NULL));
	ERROR_CODE(clIcdGetPlatformIDsKHR, CL_INVALID_VALUE, 2, get(0, NULL, NULL));
	ERROR_CODE(clIcdSetPlatformDispatchDataKHR, CL_INVALID_PLATFORM, 1,
		   set(world.wrong_platform, NULL));
}

static void platforms(void)
{
	cl_platform_id platform;
	ERROR_CODE(clGetPlatformIDs, CL_INVALID_VALUE, 1, clGetPlatformIDs(0, &platform, NULL));
	ERROR_CODE(clGetPlatformIDs, CL_INVALID_VALUE, 2, clGetPlatformIDs(0, NULL, NULL));
	of_loaders();
	ERROR_CODE(clUnloadPlatformCompiler, CL_INVALID_PLATFORM, 1,
		   clUnloadPlatformCompiler(world.wrong_platform));
}

static void devices(void)
{
	cl_device_id device;
	cl_uint count;
	ERROR_CODE(clGetDeviceIDs, CL_INVALID_PLATFORM, 1,
		   clGetDeviceIDs(world.wrong_platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	ERROR_CODE(clGetDeviceIDs, CL_INVALID_DEVICE_TYPE, 1,
		   clGetDeviceIDs(world.platform, 1u << 20, 1, &device, NULL));
	ERROR_CODE(clGetDeviceIDs, CL_INVALID_DEVICE_TYPE, 1,
		   clGetDeviceIDs(world.platform, 0, 1, &device, NULL));
	ERROR_CODE(clGetDeviceIDs, CL_INVALID_VALUE, 1,
		   clGetDeviceIDs(world.platform, CL_DEVICE_TYPE_ALL, 0, &device, NULL));
	ERROR_CODE(clGetDeviceIDs, CL_INVALID_VALUE, 2,
		   clGetDeviceIDs(world.platform, CL_DEVICE_TYPE_ALL, 1, NULL, NULL));
	ERROR_CODE(clGetDeviceIDs, CL_DEVICE_NOT_FOUND, 1,
		   clGetDeviceIDs(world.platform, CL_DEVICE_TYPE_CPU, 1, &device, &count));
	REQUIRE(!count);
}

/* A device that can be partitioned at all; on others each list is one that is not supported. */
static void partitions(cl_uint most, cl_uint units)
{
	const cl_device_partition_property half = most / 2 * (units / most);
	const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, half, 0};
	const cl_device_partition_property whole[] = {CL_DEVICE_PARTITION_EQUALLY, units, 0};
	const cl_device_partition_property large[] = {CL_DEVICE_PARTITION_EQUALLY, units + 1, 0};
	const cl_device_partition_property all[] = {
		CL_DEVICE_PARTITION_BY_COUNTS, units, units, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0,
	};
	const cl_device_partition_property negative[] = {
		CL_DEVICE_PARTITION_BY_COUNTS, -1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0,
	};
	const cl_device_partition_property too_large[] = {
		CL_DEVICE_PARTITION_BY_COUNTS, units + 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0,
	};
	cl_device_partition_property *many = calloc(most + 4, sizeof(*many));
	cl_device_id parts[4];
	many[0] = CL_DEVICE_PARTITION_BY_COUNTS;
	for (cl_uint i = 0; i <= most; i++)
		many[1 + i] = 1;
	ERROR_CODE(clCreateSubDevices, CL_INVALID_VALUE, 3,
		   clCreateSubDevices(world.device, equally, 1, parts, NULL));
	ERROR_CODE(clCreateSubDevices, CL_DEVICE_PARTITION_FAILED, 1,
		   clCreateSubDevices(world.device, whole, 4, parts, NULL));
	ERROR_CODE(clCreateSubDevices, CL_INVALID_DEVICE_PARTITION_COUNT, 1,
		   clCreateSubDevices(world.device, many, 4, parts, NULL));
	ERROR_CODE(clCreateSubDevices, CL_INVALID_DEVICE_PARTITION_COUNT, 2,
		   clCreateSubDevices(world.device, all, 4, parts, NULL));
	ERROR_CODE(clCreateSubDevices, CL_INVALID_DEVICE_PARTITION_COUNT, 2,
		   clCreateSubDevices(world.device, large, 4, parts, NULL));
	ERROR_CODE(clCreateSubDevices, CL_INVALID_DEVICE_PARTITION_COUNT, 3,
		   clCreateSubDevices(world.device, negative, 4, parts, NULL));
	ERROR_CODE(clCreateSubDevices, CL_INVALID_DEVICE_PARTITION_COUNT, 4,
		   clCreateSubDevices(world.device, too_large, 4, parts, NULL));
	free(many);
}

static void sub_devices(void)
{
	const cl_device_partition_property unknown[] = {0x7777, 1, 0};
	const cl_device_partition_property domain[] = {
		CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0,
	};
	const cl_device_partition_property none[] = {CL_DEVICE_PARTITION_EQUALLY, 0, 0};
	cl_uint most = 0, units = 0;
	cl_device_id parts[4];
	ERROR_CODE(clCreateSubDevices, CL_INVALID_DEVICE, 1,
		   clCreateSubDevices(world.wrong_device, none, 4, parts, NULL));
	ERROR_CODE(clCreateSubDevices, CL_INVALID_VALUE, 1,
		   clCreateSubDevices(world.device, unknown, 4, parts, NULL));
	ERROR_CODE(clCreateSubDevices, CL_INVALID_VALUE, 1,
		   clCreateSubDevices(world.device, NULL, 4, parts, NULL));
	ERROR_CODE(clCreateSubDevices, CL_INVALID_VALUE, 1,
		   clCreateSubDevices(world.device, none, 4, parts, NULL));
	ERROR_CODE(clCreateSubDevices, CL_INVALID_VALUE, 2,
		   clCreateSubDevices(world.device, domain, 4, parts, NULL));
	clGetDeviceInfo(world.device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof(most), &most, NULL);
	clGetDeviceInfo(world.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL);
	if (most > 1) {
		partitions(most, units);
		return;
	}
	error_absent("clCreateSubDevices", CL_INVALID_VALUE, 3);
	error_absent("clCreateSubDevices", CL_DEVICE_PARTITION_FAILED, 1);
	for (unsigned condition = 1; condition <= 4; condition++)
		error_absent("clCreateSubDevices", CL_INVALID_DEVICE_PARTITION_COUNT, condition);
}

static void timers(void)
{
	cl_ulong device_time, host_time;
	ERROR_CODE(clGetDeviceAndHostTimer, CL_INVALID_DEVICE, 1,
		   clGetDeviceAndHostTimer(world.wrong_device, &device_time, &host_time));
	ERROR_CODE(clGetDeviceAndHostTimer, CL_INVALID_VALUE, 1,
		   clGetDeviceAndHostTimer(world.device, &device_time, NULL));
	ERROR_CODE(clGetDeviceAndHostTimer, CL_INVALID_VALUE, 2,
		   clGetDeviceAndHostTimer(world.device, NULL, &host_time));
	ERROR_CODE(clGetHostTimer, CL_INVALID_DEVICE, 1,
		   clGetHostTimer(world.wrong_device, &host_time));
	ERROR_CODE(clGetHostTimer, CL_INVALID_VALUE, 1, clGetHostTimer(world.device, NULL));
}

void errors_platform(void)
{
	platforms();
	devices();
	sub_devices();
	timers();
}
