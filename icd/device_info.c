#include "config.h"

#include "icd/device_info.h"

#include "backend/codegen.h"
#include "frontend/kernel_abi.h"
#include "icd/extension.h"
#include "icd/image.h"
#include "icd/printf.h"

#include <stdint.h>
#include <stdio.h>

/* Rows of cl_nv_device_attribute_query that headers leave out. */
#ifndef CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV
#define CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV 0x4007
#endif
#ifndef CL_DEVICE_PCI_BUS_ID_NV
#define CL_DEVICE_PCI_BUS_ID_NV 0x4008
#endif
#ifndef CL_DEVICE_PCI_SLOT_ID_NV
#define CL_DEVICE_PCI_SLOT_ID_NV 0x4009
#endif
#ifndef CL_DEVICE_PCI_DOMAIN_ID_NV
#define CL_DEVICE_PCI_DOMAIN_ID_NV 0x400A
#endif

#define FP_CONFIG                                                                                 \
	(CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO |            \
	 CL_FP_ROUND_TO_INF | CL_FP_FMA)

/* Of the bytes for parameters, what the application cannot have: each hidden one
 * is at most 8 bytes. */
#define HIDDEN_PARAMETERS_B (8u * ABI_HIDDEN_COUNT)

/* More than these nobody needs; OpenCL 3.0 API, table 5, asks for 128 and 64, and for 16
 * samplers. */
enum { IMAGE_ARGS = 256, SAMPLER_ARGS = 32 };

/* The PCI vendor; the software device has none. */
#define VENDOR_ID_NVIDIA 0x10DEu

static cl_bool compiler_available(void)
{
	struct bytes log = BYTES_INIT;
	cl_int error = be_nvvm_load(&log);
	bytes_finish(&log);
	return error ? CL_FALSE : CL_TRUE;
}

static cl_device_atomic_capabilities atomic_capabilities(void)
{
	/* OpenCL 3.0 API, table 5: the least is relaxed order in the work-group's scope. */
	cl_device_atomic_capabilities capabilities =
		CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
	if (ocl_feature_has("__opencl_c_atomic_order_acq_rel"))
		capabilities |= CL_DEVICE_ATOMIC_ORDER_ACQ_REL;
	if (ocl_feature_has("__opencl_c_atomic_order_seq_cst"))
		capabilities |= CL_DEVICE_ATOMIC_ORDER_SEQ_CST;
	if (ocl_feature_has("__opencl_c_atomic_scope_device"))
		capabilities |= CL_DEVICE_ATOMIC_SCOPE_DEVICE;
	if (ocl_feature_has("__opencl_c_atomic_scope_all_devices"))
		capabilities |= CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
	return capabilities;
}

static cl_int put_driver_version(const struct gpu_caps *caps, const struct info_out *out)
{
	/* The driver's number comes first, for programs that parse it; ours follows,
	 * because programs key their own caches on this string. */
	char text[sizeof(caps->driver_version) + 64];
	snprintf(text, sizeof(text), "%s culvert %s", caps->driver_version, PACKAGE_VERSION);
	return info_put_string(out, text);
}

static cl_int put_max_work_item_sizes(const struct gpu_caps *caps, const struct info_out *out)
{
	const size_t sizes[3] = {caps->max_block[0], caps->max_block[1], caps->max_block[2]};
	return info_put(out, sizes, sizeof(sizes));
}

static cl_int put_language_versions(const struct info_out *out)
{
	static const cl_name_version versions[] = {
		{CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
		{CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
		{CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
		{CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
	};
	return info_put(out, versions, sizeof(versions));
}

/* Puts what a writer appended, and gives the buffer back. */
static cl_int put_bytes(struct bytes *bytes, bool text, const struct info_out *out)
{
	cl_int error = CL_OUT_OF_HOST_MEMORY;
	if (!bytes_failed(bytes))
		error = text ? info_put_string(out, bytes_string(bytes))
			     : info_put(out, bytes->data, bytes->size_B);
	bytes_finish(bytes);
	return error;
}

static cl_int put_features(const struct info_out *out)
{
	struct bytes list = BYTES_INIT;
	ocl_features_versions(&list);
	return put_bytes(&list, false, out);
}

static cl_int put_extensions(const struct info_out *out)
{
	struct bytes text = BYTES_INIT;
	ocl_extensions_text(OCL_EXTENSION_DEVICE, &text);
	return put_bytes(&text, true, out);
}

static cl_int put_extension_versions(const struct info_out *out)
{
	struct bytes list = BYTES_INIT;
	ocl_extensions_versions(OCL_EXTENSION_DEVICE, &list);
	return put_bytes(&list, false, out);
}

/* The same for every process with this driver and this version of ours, and for
 * no other (cl_khr_device_uuid): two FNV-1a hashes of the two numbers. */
static cl_int put_driver_uuid(const struct gpu_caps *caps, const struct info_out *out)
{
	char text[sizeof(caps->driver_version) + 64];
	cl_uchar uuid[CL_UUID_SIZE_KHR];
	int length = snprintf(text, sizeof(text), "%s culvert %s", caps->driver_version,
			      PACKAGE_VERSION);
	uint64_t hash = 0xcbf29ce484222325u;
	for (size_t half = 0; half < 2; half++) {
		for (int i = 0; i < length; i++)
			hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
		for (size_t i = 0; i < 8; i++)
			uuid[8 * half + i] = (cl_uchar)(hash >> (8 * i));
	}
	return info_put(out, uuid, sizeof(uuid));
}

cl_int ocl_device_info(cl_device_id device, cl_device_info name, const struct info_out *out)
{
	const struct gpu_caps *caps = device->caps;
	const bool images = ocl_device_has_images(device);
	switch (name) {
#define INFO(param, type, ...)                                                                    \
	case param:                                                                               \
		return INFO_PUT(out, type, __VA_ARGS__);
#define INFO_STRING(param, ...)                                                                   \
	case param:                                                                               \
		return info_put_string(out, __VA_ARGS__);
#define INFO_CALL(param, ...)                                                                     \
	case param:                                                                               \
		return __VA_ARGS__;
#include "icd/device_info.def"
#undef INFO
#undef INFO_STRING
#undef INFO_CALL
	default:
		return CL_INVALID_VALUE;
	}
}
