#include "config.h"

#include "icd/object/device_info.h"

#include "backend/codegen.h"
#include "frontend/frontend.h"
#include "frontend/kernel_abi.h"
#include "frontend/spirv.h"
#include "icd/include/cl_culvert.h"
#include "icd/include/khr_command_buffer.h"
#include "icd/include/khr_external_memory.h"
#include "icd/include/khr_semaphore.h"
#include "icd/object/extension.h"
#include "icd/object/info_rows.h"
#include "icd/object/platform.h"
#include "icd/object/sub_device.h"
#include "icd/object/svm_types.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Queries of cl_nv_device_attribute_query that the headers lack. */
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

/* OpenCL 3.1; cl_khr_spirv_queries has the same numbers. */
#ifndef CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS
#define CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS 0x12B9
#define CL_DEVICE_SPIRV_EXTENSIONS 0x12BA
#define CL_DEVICE_SPIRV_CAPABILITIES 0x12BB
#endif

#ifndef CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT
#define CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT 0x4230
#endif

/* cl_khr_kernel_clock and cl_ext_float_atomics, which older headers lack. */
#ifndef CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR
#define CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR 0x1076
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR (1 << 0)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR (1 << 1)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR (1 << 2)
#endif
#ifndef CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT
#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT 0x4233
#define CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 0)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT (1 << 1)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT (1 << 2)
#define CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 16)
#define CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT (1 << 17)
#define CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT (1 << 18)
#endif

#define FP_CONFIG                                                                                 \
	(CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO |            \
	 CL_FP_ROUND_TO_INF | CL_FP_FMA)

/* The hardware supports half arithmetic with this rounding mode only. */
#define HALF_FP_CONFIG (CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA)

/* The capabilities that cl_ext_float_atomics adds for a type (fp16, fp32 or fp64) in an address space. */
#define FP_ATOMICS_IN(type, space, SPACE)                                                         \
	((FE_HAS___opencl_c_ext_##type##_##space##_atomic_add                                     \
		  ? CL_DEVICE_##SPACE##_FP_ATOMIC_ADD_EXT : 0) |                                  \
	 (FE_HAS___opencl_c_ext_##type##_##space##_atomic_min_max                                 \
		  ? CL_DEVICE_##SPACE##_FP_ATOMIC_MIN_MAX_EXT : 0))
#define FP_ATOMICS(type) (FP_ATOMICS_IN(type, global, GLOBAL) | FP_ATOMICS_IN(type, local, LOCAL))

/* Loads and stores of atomic_float and atomic_double are part of OpenCL C and need no feature of the extension. */
#define FP_ATOMIC_LOAD_STORE                                                                      \
	(CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT)
#define FP16_ATOMIC_LOAD_STORE                                                                    \
	((FE_HAS___opencl_c_ext_fp16_global_atomic_load_store                                     \
		  ? CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT : 0) |                              \
	 (FE_HAS___opencl_c_ext_fp16_local_atomic_load_store                                      \
		  ? CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT : 0))

/* The bytes of kernel parameters that hidden parameters may use, each at most 8 bytes. */
#define HIDDEN_PARAMETERS_B (8u * ABI_HIDDEN_COUNT)

/* More image and sampler arguments than programs need; OpenCL 3.0 API, table 5, requires 128 and 64 images, and 16
 * samplers. */
enum { IMAGE_ARGS = 256, SAMPLER_ARGS = 32 };

/* NVIDIA's PCI vendor ID; the software device has none. */
#define VENDOR_ID_NVIDIA 0x10DEu

/* The largest program-scope variable.  They are in ordinary device memory; larger ones should be buffers. */
#define GLOBAL_VARIABLE_B ((size_t)256 << 20)

/* What kernels can require (cl_intel_required_subgroup_size); others have the last one, that of a warp. */
static const size_t sub_group_sizes[3] = {8, 16, 32};

static cl_bool compiler_available(void)
{
	struct bytes log = BYTES_INIT;
	cl_int error = be_nvvm_load(&log);
	bytes_finish(&log);
	return error ? CL_FALSE : CL_TRUE;
}

static cl_device_atomic_capabilities atomic_capabilities(void)
{
	/* OpenCL 3.0 API, table 5: the minimum is relaxed order in the work-group's scope. */
	cl_device_atomic_capabilities capabilities =
		CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
	if (FE_HAS___opencl_c_atomic_order_acq_rel)
		capabilities |= CL_DEVICE_ATOMIC_ORDER_ACQ_REL;
	if (FE_HAS___opencl_c_atomic_order_seq_cst)
		capabilities |= CL_DEVICE_ATOMIC_ORDER_SEQ_CST;
	if (FE_HAS___opencl_c_atomic_scope_device)
		capabilities |= CL_DEVICE_ATOMIC_SCOPE_DEVICE;
	if (FE_HAS___opencl_c_atomic_scope_all_devices)
		capabilities |= CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
	return capabilities;
}

/* cl_khr_integer_dot_product: a product is accelerated if it has "a performance advantage over application-provided
 * code composed from elementary instructions and/or other dot product instructions".  A plain product is one
 * instruction, dp4a.  A product with a saturating sum is shorter than add_sat() of a product, which is what a
 * program would write (frontend/builtins/dot_product.cl); but from sm_120 on a signed add_sat() is one instruction,
 * and there is no advantage. */
static cl_int put_dot_product_acceleration(const struct _cl_device_id *device,
					   const struct info_out *out)
{
	cl_bool shorter_sum = device->caps->sm < 120;
	const cl_device_integer_dot_product_acceleration_properties_khr properties = {
		.signed_accelerated = CL_TRUE,
		.unsigned_accelerated = CL_TRUE,
		.mixed_signedness_accelerated = CL_TRUE,
		.accumulating_saturating_signed_accelerated = shorter_sum,
		.accumulating_saturating_unsigned_accelerated = CL_TRUE,
		.accumulating_saturating_mixed_signedness_accelerated = shorter_sum,
	};
	return info_put(out, &properties, sizeof(properties));
}

/* The driver's version comes first, because programs parse it.  Culvert's version follows, because programs use this
 * string as a key of their own caches. */
struct driver_version {
	char text[sizeof(((struct gpu_caps *)NULL)->driver_version) + 64];
};

static struct driver_version driver_version_of(const struct gpu_caps *caps)
{
	struct driver_version version;
	snprintf(version.text, sizeof(version.text), "%s culvert " PACKAGE_VERSION, caps->driver_version);
	return version;
}

static cl_int put_driver_version(const struct gpu_caps *caps, const struct info_out *out)
{
	const struct driver_version version = driver_version_of(caps);
	return info_put_string(out, version.text);
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
		{CL_MAKE_VERSION(3, 1, 0), "OpenCL C"},
	};
	return info_put(out, versions, sizeof(versions));
}

/* Returns the bytes that were appended as the query's result, and frees them. */
static cl_int put_bytes(struct bytes *bytes, bool text, const struct info_out *out)
{
	cl_int error = CL_OUT_OF_HOST_MEMORY;
	if (!bytes_failed(bytes))
		error = text ? info_put_string(out, bytes_string(bytes))
			     : info_put(out, bytes->data, bytes->size_B);
	bytes_finish(bytes);
	return error;
}

/* OpenCL 3.0 API, table 5: a string such as "SPIR-V_1.6 SPIR-V_1.5", or an array of cl_name_version. */
static cl_int put_il_versions(bool text, const struct info_out *out)
{
	struct bytes list = BYTES_INIT;
	for (unsigned minor = FE_SPIRV_MINOR + 1; minor-- > 0;) {
		const cl_name_version row = {CL_MAKE_VERSION(FE_SPIRV_MAJOR, minor, 0), "SPIR-V"};
		if (text)
			bytes_printf(&list, "%sSPIR-V_%d.%u", list.size_B ? " " : "",
				     FE_SPIRV_MAJOR, minor);
		else
			bytes_append(&list, &row, sizeof(row));
	}
	return put_bytes(&list, text, out);
}

typedef const char *const *names_function(size_t *count_out);

static cl_int put_names(names_function *names, const struct info_out *out)
{
	size_t count;
	const char *const *list = names(&count);
	return info_put(out, list, count * sizeof(*list));
}

static cl_int put_spirv_capabilities(const struct info_out *out)
{
	size_t count;
	const uint32_t *list = fe_spirv_capabilities(&count);
	return info_put(out, list, count * sizeof(*list));
}

#define BYTES_SHAPE(a, b) \
	{16, 16, 16, CL_MATRIX_##a##_CULVERT, CL_MATRIX_##b##_CULVERT, CL_MATRIX_INT_CULVERT}
static const cl_matrix_shape_culvert matrix_shapes[] = {
	{16, 16, 16, CL_MATRIX_HALF_CULVERT, CL_MATRIX_HALF_CULVERT, CL_MATRIX_FLOAT_CULVERT},
	{16, 16, 16, CL_MATRIX_HALF_CULVERT, CL_MATRIX_HALF_CULVERT, CL_MATRIX_HALF_CULVERT},
	BYTES_SHAPE(CHAR, CHAR), BYTES_SHAPE(CHAR, UCHAR), BYTES_SHAPE(UCHAR, CHAR), BYTES_SHAPE(UCHAR, UCHAR),
	{16, 16, 16, CL_MATRIX_BFLOAT16_CULVERT, CL_MATRIX_BFLOAT16_CULVERT, CL_MATRIX_FLOAT_CULVERT},
	{16, 16, 8, CL_MATRIX_TF32_CULVERT, CL_MATRIX_TF32_CULVERT, CL_MATRIX_FLOAT_CULVERT},
	{8, 8, 4, CL_MATRIX_DOUBLE_CULVERT, CL_MATRIX_DOUBLE_CULVERT, CL_MATRIX_DOUBLE_CULVERT},
};
enum { MATRIX_SHAPES = sizeof(matrix_shapes) / sizeof(matrix_shapes[0]), MATRIX_SHAPES_NEWER = 3 };

/* PTX ISA, mma: the instructions came with compute capability 7.5, those of the shapes at the end with 8.0. */
static size_t matrix_shape_count(unsigned sm)
{
	if (sm < 75)
		return 0;
	return sm < 80 ? MATRIX_SHAPES - MATRIX_SHAPES_NEWER : MATRIX_SHAPES;
}

static cl_int put_features(unsigned sm, const struct info_out *out)
{
	struct bytes list = BYTES_INIT;
	ocl_features_versions(sm, &list);
	return put_bytes(&list, false, out);
}

static cl_int put_extensions(unsigned sm, const struct info_out *out)
{
	struct bytes text = BYTES_INIT;
	ocl_extensions_text(OCL_EXTENSION_DEVICE, sm, &text);
	return put_bytes(&text, true, out);
}

static cl_int put_extension_versions(unsigned sm, const struct info_out *out)
{
	struct bytes list = BYTES_INIT;
	ocl_extensions_versions(OCL_EXTENSION_DEVICE, sm, &list);
	return put_bytes(&list, false, out);
}

/* cl_khr_device_uuid: equal in all processes with this version of the driver and of Culvert, and different for all
 * others: two FNV-1a hashes of the two version numbers. */
static cl_int put_driver_uuid(const struct gpu_caps *caps, const struct info_out *out)
{
	const struct driver_version version = driver_version_of(caps);
	cl_uchar uuid[CL_UUID_SIZE_KHR];
	uint64_t hash = 0xcbf29ce484222325u;
	for (size_t half = 0; half < 2; half++) {
		for (const char *c = version.text; *c; c++)
			hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
		for (size_t i = 0; i < 8; i++)
			uuid[8 * half + i] = (cl_uchar)(hash >> (8 * i));
	}
	return info_put(out, uuid, sizeof(uuid));
}

/* The number of the platform's devices. */
static cl_uint all_devices(const cl_device_id **devices_out)
{
	const cl_device_id *devices = NULL;
	cl_uint count = 0;
	(void)ocl_platform_devices(&devices, &count);
	if (devices_out)
		*devices_out = devices;
	return count;
}

/* CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR: streams wait for events of other devices without the host, so that each
 * device synchronizes with all, itself included. */
static cl_int put_sync_devices(const struct info_out *out)
{
	const cl_device_id *devices;
	const cl_uint count = all_devices(&devices);
	return info_put(out, devices, count * sizeof(*devices));
}

/* cl_khr_unified_svm: as many as the platform has, 0 for a type that this device does not support. */
static cl_int put_svm_types(const struct gpu_caps *caps, const struct info_out *out)
{
	cl_svm_capabilities_khr types[OCL_SVM_TYPES];
	const cl_device_id *devices;
	const cl_uint device_count = all_devices(&devices), count = ocl_svm_type_count(devices, device_count, NULL);
	for (cl_uint type = 0; type < count; type++)
		types[type] = ocl_svm_type_can(caps, type);
	return info_put(out, types, count * sizeof(types[0]));
}

static cl_int put_luid(cl_device_id device, const struct info_out *out)
{
	const struct gpu_luid luid = gpu_device_luid(device->gpu);
	return info_put(out, luid.bytes, CL_LUID_SIZE_KHR);
}

cl_int ocl_device_info(cl_device_id device, cl_device_info name, const struct info_out *out)
{
	const struct gpu_caps *caps = device->caps;
	switch (name) {
#include "icd/object/device_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}
