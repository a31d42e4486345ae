#include "config.h"

#include "icd/device.h"

#include "icd/extension.h"

static void device_destroy(struct object *object)
{
	(void)object; /* never asked for: a root device has no release */
}

const struct object_type ocl_device_type = {"device", CL_INVALID_DEVICE, device_destroy};

/* Kept back for the driver's own context, code and stacks. */
#define RESERVE_SHARE 32u
#define RESERVE_MOST_B ((cl_ulong)1 << 30)
#define ALLOC_STEP_B ((cl_ulong)1 << 20)

void ocl_device_init(cl_device_id device, cl_platform_id platform, struct gpu_device *gpu,
		     uint32_t index)
{
	object_init(&device->base, &ocl_device_type);
	device->platform = platform;
	device->gpu = gpu;
	device->caps = gpu_device_caps(gpu);
	device->index = index;
}

cl_ulong ocl_device_max_alloc_B(const struct _cl_device_id *device)
{
	cl_ulong memory_B = device->caps->memory_B;
	cl_ulong reserve_B = memory_B / RESERVE_SHARE;
	if (reserve_B > RESERVE_MOST_B)
		reserve_B = RESERVE_MOST_B;
	return (memory_B - reserve_B) / ALLOC_STEP_B * ALLOC_STEP_B;
}

cl_ulong ocl_device_max_constant_B(const struct _cl_device_id *device)
{
	const cl_ulong max_B = 64u << 20, alloc_B = ocl_device_max_alloc_B(device);
	return alloc_B < max_B ? alloc_B : max_B;
}

bool ocl_device_matches(const struct _cl_device_id *device, cl_device_type type)
{
	if (type == CL_DEVICE_TYPE_ALL || (type & CL_DEVICE_TYPE_GPU))
		return true;
	return (type & CL_DEVICE_TYPE_DEFAULT) && device->index == 0;
}

cl_int ocl_device_type_check(cl_device_type type)
{
	const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU |
				     CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
				     CL_DEVICE_TYPE_CUSTOM;
	if (type == CL_DEVICE_TYPE_ALL)
		return CL_SUCCESS;
	return type && !(type & ~known) ? CL_SUCCESS : CL_INVALID_DEVICE_TYPE;
}

bool ocl_device_has_images(const struct _cl_device_id *device)
{
	const struct gpu_caps *caps = device->caps;
	return caps->image2d[0] && caps->image2d[1] && caps->image3d[0] && caps->image3d[1] &&
	       caps->image3d[2] && caps->image_layers && caps->image_linear &&
	       ocl_feature_has("__opencl_c_images");
}
