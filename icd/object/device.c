#include "config.h"

#include "icd/object/device.h"

#include "base/lock.h"
#include "frontend/frontend.h"

#include <CL/cl_ext.h>
#include <stdlib.h>

/* The sub-devices that exist. */
static struct lock listed_lock = LOCK_INIT(LOCK_RANK_CACHE);
static struct list listed = {&listed, &listed};
static atomic_uint listed_count;

void ocl_device_enlist(cl_device_id sub_device)
{
	lock_take(&listed_lock);
	list_append(&listed, &sub_device->link);
	atomic_fetch_add_explicit(&listed_count, 1, memory_order_relaxed);
	lock_drop(&listed_lock);
}

bool ocl_device_is_listed(const void *handle)
{
	struct list *link, *next;
	bool found = false;
	/* A thread that has a sub-device's handle also sees that it was counted. */
	if (!atomic_load_explicit(&listed_count, memory_order_relaxed))
		return false;
	lock_take(&listed_lock);
	list_for_each(link, next, &listed)
		found |= list_entry(link, struct _cl_device_id, link) == handle;
	lock_drop(&listed_lock);
	return found;
}

/* Only for sub-devices: root devices are never destroyed. */
static void device_destroy(struct object *object)
{
	cl_device_id device = (cl_device_id)object;
	lock_take(&listed_lock);
	if (!list_empty(&device->link)) {
		list_remove(&device->link);
		atomic_fetch_sub_explicit(&listed_count, 1, memory_order_relaxed);
	}
	lock_drop(&listed_lock);
	object_unref(device->parent);
	free(device->partition);
	free(device->own_caps);
	free(device);
}

const struct object_type ocl_device_type = {"device", CL_INVALID_DEVICE, device_destroy};

/* Memory that applications cannot have: the driver's context, code and stacks need it. */
#define RESERVE_SHARE 32u
#define RESERVE_MOST_B ((cl_ulong)1 << 30)
#define ALLOC_STEP_B ((cl_ulong)1 << 20)

static bool has_images(const struct gpu_caps *caps)
{
	return caps->image2d[0] && caps->image2d[1] && caps->image3d[0] && caps->image3d[1] &&
	       caps->image3d[2] && caps->image_layers && caps->image_linear &&
	       FE_HAS___opencl_c_images;
}

void ocl_device_init(cl_device_id device, cl_platform_id platform, struct gpu_device *gpu,
		     uint32_t index)
{
	object_init(&device->base, &ocl_device_type);
	device->platform = platform;
	device->gpu = gpu;
	device->caps = gpu_device_caps(gpu);
	device->index = index;
	device->images = has_images(device->caps);
	list_init(&device->link);
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
	/* TeaLeaf, for one, has CL_DEVICE_TYPE_ALL in an int, which extends its sign to 64 bits. */
	if (type == CL_DEVICE_TYPE_ALL || type == ~(cl_device_type)0)
		return CL_SUCCESS;
	return type && !(type & ~known) ? CL_SUCCESS : CL_INVALID_DEVICE_TYPE;
}

/* --- memory at one address --------------------------------------------------------------- */

/* Without managed memory that host and devices can access concurrently, pinned memory of the host is used, which all
 * devices can access; but then atomics of devices and of the host do not see each other. */
cl_device_svm_capabilities ocl_svm_capabilities(const struct gpu_caps *caps)
{
	cl_device_svm_capabilities can = 0;
	if (caps->can_map_host)
		can = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
	if (can && caps->concurrent_managed)
		can |= CL_DEVICE_SVM_ATOMICS;
	if (can && caps->concurrent_managed && caps->pageable_access)
		can |= CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
	return can;
}

/* Atomics on pinned memory, over the bus, are atomic on one device only.  Atomics on managed memory are atomic for
 * all devices and the host. */
cl_bitfield ocl_usm_capabilities(const struct gpu_caps *caps, cl_device_info name)
{
	const cl_bitfield own = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL |
				CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;
	const cl_bitfield pinned = own | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL;
	const cl_bitfield all = pinned | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
	if (!caps->can_map_host)
		return name == CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL ? own : 0;
	switch (name) {
	case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
		return pinned;
	case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
		return own;
	case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL:
		return caps->concurrent_managed && caps->pageable_access ? all : 0;
	default:
		return caps->concurrent_managed ? all : pinned;
	}
}
