#include "config.h"

#include "icd/object/sub_device.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

/* How a device is to be partitioned. */
struct partition {
	const cl_device_partition_property *properties;
	size_t property_count;           /* with the final 0 */
	uint32_t unit;                   /* the GPU is split in steps of so many compute units */
	bool by_counts;                  /* properties[1], [2], ... are the sizes;
					  * otherwise all have the size properties[1] */
	cl_uint count;                   /* number of sub-devices */
};

cl_uint ocl_device_partitions_max(const struct _cl_device_id *device)
{
	const uint32_t units = device->parent ? device->share_units : gpu_device_units(device->gpu).count;
	return units > 1 ? units : 0;
}

/* --- what is asked for ------------------------------------------------------------------ */

static cl_int equally_read(cl_device_id parent, struct partition *partition)
{
	const cl_device_partition_property size = partition->properties[1];
	if (size <= 0 || partition->properties[2])
		return CL_INVALID_VALUE;
	if (size > parent->caps->multiprocessors)
		return CL_INVALID_DEVICE_PARTITION_COUNT;
	partition->property_count = 3;
	partition->count = parent->caps->multiprocessors / (cl_uint)size;
	return CL_SUCCESS;
}

/* 4.3: the name is "followed by a list of compute unit counts terminated with 0 or
 * CL_DEVICE_PARTITION_BY_COUNTS_LIST_END", which is 0 as well.  What ends the list of properties after that is not
 * read: the OpenCL adapter of DPC++'s runtime has one 0 for both. */
static cl_int counts_read(cl_device_id parent, struct partition *partition)
{
	const cl_device_partition_property *counts = partition->properties + 1;
	const cl_uint there = parent->caps->multiprocessors;
	uint64_t total = 0;
	for (; counts[partition->count] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; partition->count++) {
		const cl_device_partition_property size = counts[partition->count];
		if (size < 0 || size > there)
			return CL_INVALID_DEVICE_PARTITION_COUNT;
		total += (uint64_t)size;
		if (total > there || partition->count == ocl_device_partitions_max(parent))
			return CL_INVALID_DEVICE_PARTITION_COUNT;
	}
	partition->by_counts = true;
	partition->property_count = partition->count + 3;
	return partition->count ? CL_SUCCESS : CL_INVALID_VALUE;
}

static cl_uint size_of(const struct partition *partition, cl_uint index)
{
	return (cl_uint)partition->properties[partition->by_counts ? 1 + index : 1];
}

/* 4.3: CL_DEVICE_PARTITION_FAILED "if the partition name is supported by the implementation but in_device could not
 * be further partitioned": for equal parts whose size is no multiple of the GPU's unit, for parts by counts that are
 * smaller than the unit, and for one equal part that is the whole device.  Larger counts that are no multiple of the
 * unit are CL_INVALID_DEVICE_PARTITION_COUNT. */
static cl_int sizes_check(cl_device_id parent, const struct partition *partition)
{
	for (cl_uint i = 0; i < partition->count; i++) {
		const cl_uint size = size_of(partition, i);
		if (size % partition->unit == 0)
			continue;
		log_info("%s: clCreateSubDevices: the GPU has no sub-devices of %u compute units, "
			 "only of multiples of %u",
			 parent->caps->name, size, partition->unit);
		return partition->by_counts && size > partition->unit ? CL_INVALID_DEVICE_PARTITION_COUNT
								      : CL_DEVICE_PARTITION_FAILED;
	}
	const bool whole = !partition->by_counts && size_of(partition, 0) == parent->caps->multiprocessors;
	return whole ? CL_DEVICE_PARTITION_FAILED : CL_SUCCESS;
}

static cl_int partition_read(cl_device_id parent, const cl_device_partition_property *properties,
			     struct partition *partition)
{
	*partition = (struct partition){
		.properties = properties, .unit = gpu_device_units(parent->gpu).size,
	};
	if (!properties || (properties[0] != CL_DEVICE_PARTITION_EQUALLY &&
			    properties[0] != CL_DEVICE_PARTITION_BY_COUNTS))
		return CL_INVALID_VALUE;
	/* This device, or its driver, cannot be partitioned at all. */
	if (!partition->unit)
		return CL_INVALID_VALUE;
	const cl_int error = properties[0] == CL_DEVICE_PARTITION_EQUALLY ? equally_read(parent, partition)
									  : counts_read(parent, partition);
	/* 4.3 has CL_INVALID_VALUE for values that are not valid, whatever the device can do. */
	return error != CL_INVALID_VALUE && !ocl_device_partitions_max(parent) ? CL_DEVICE_PARTITION_FAILED : error;
}

/* --- birth -------------------------------------------------------------------- */

/* Makes a sub-device of the GPU's units from first to first + units - 1. */
static cl_int sub_device_create(cl_device_id parent, const struct partition *partition, uint32_t first,
				uint32_t units, cl_device_id *device_out)
{
	cl_device_id device = calloc(1, sizeof(*device));
	if (!device)
		return CL_OUT_OF_HOST_MEMORY;
	ocl_device_init(device, parent->platform, parent->gpu, parent->index);
	object_ref(parent);
	device->parent = parent;
	device->share_first = first;
	device->share_units = units;
	device->partition_count = partition->property_count;
	device->partition = calloc(partition->property_count, sizeof(*device->partition));
	device->own_caps = malloc(sizeof(*device->own_caps));
	cl_int error = device->partition && device->own_caps ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	if (!error) {
		/* The final 0 is there. */
		memcpy(device->partition, partition->properties,
		       (partition->property_count - 1) * sizeof(*device->partition));
		*device->own_caps = *parent->caps;
		device->own_caps->multiprocessors = units * partition->unit;
		device->caps = device->own_caps;
		error = gpu_share_find(device->gpu, first, units, &device->share);
	}
	if (error) {
		object_unref(device);
		return error == CL_OUT_OF_HOST_MEMORY ? error : CL_OUT_OF_RESOURCES;
	}
	ocl_device_enlist(device);
	*device_out = device;
	return CL_SUCCESS;
}

static cl_int all_create(cl_device_id parent, const struct partition *partition,
			 cl_device_id *devices_out)
{
	uint32_t first = parent->share_first;
	cl_int error = CL_SUCCESS;
	cl_uint made = 0;
	for (; made < partition->count && !error; made += !error) {
		const uint32_t units = size_of(partition, made) / partition->unit;
		error = sub_device_create(parent, partition, first, units, &devices_out[made]);
		first += units;
	}
	while (error && made)
		object_unref(devices_out[--made]);
	return error;
}

cl_int ocl_sub_devices_create(cl_device_id parent, const cl_device_partition_property *properties,
			      cl_uint count, cl_device_id *devices_out, cl_uint *count_out)
{
	struct partition partition;
	cl_int error = partition_read(parent, properties, &partition);
	if (!error && devices_out && count < partition.count)
		error = CL_INVALID_VALUE;
	if (!error)
		error = sizes_check(parent, &partition);
	if (!error && devices_out)
		error = all_create(parent, &partition, devices_out);
	if (!error && count_out)
		*count_out = partition.count;
	return error;
}
