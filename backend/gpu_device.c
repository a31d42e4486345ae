#include "config.h"

#include "backend/gpu_external.h"
#include "backend/gpu_repeat.h"

#include "base/log.h"
#include "base/options.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MIN_CUDA_VERSION = 12000 };

static pthread_once_t found_once = PTHREAD_ONCE_INIT;
/* Written once by find_devices. */
static struct gpu_device **devices;
static uint32_t device_count;
static struct bytes driver_note;
/* Whether this process is a child of the one that found the devices. pthread_atfork sets it where that is available,
 * so that no system call is needed for each object. */
static atomic_bool is_child;
static bool sees_forks;
static pid_t birth_pid;

static uint32_t attribute(CUdevice cu_device, CUdevice_attribute which)
{
	int value = 0;
	/* An attribute that the driver does not know counts as 0. */
	if (cuda.cuDeviceGetAttribute(&value, which, cu_device) != CUDA_SUCCESS || value < 0)
		return 0;
	return (uint32_t)value;
}

static void read_limits(struct gpu_caps *caps, CUdevice cu_device)
{
	caps->multiprocessors = attribute(cu_device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
	caps->clock_kHz = attribute(cu_device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
	caps->memory_clock_kHz = attribute(cu_device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
	caps->memory_bus_bits = attribute(cu_device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
	caps->l2_B = attribute(cu_device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
	caps->max_threads_per_block =
		attribute(cu_device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
	caps->max_block[0] = attribute(cu_device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
	caps->max_block[1] = attribute(cu_device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
	caps->max_block[2] = attribute(cu_device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
	caps->max_grid[0] = attribute(cu_device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
	caps->max_grid[1] = attribute(cu_device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
	caps->max_grid[2] = attribute(cu_device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
	caps->max_threads_per_multiprocessor =
		attribute(cu_device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
	caps->registers_per_block =
		attribute(cu_device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
	caps->local_static_B =
		attribute(cu_device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
	caps->local_optin_B =
		attribute(cu_device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
	if (caps->local_optin_B < caps->local_static_B)
		caps->local_optin_B = caps->local_static_B;
	caps->constant_B = attribute(cu_device, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
	caps->warp = attribute(cu_device, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
	caps->copy_engines = attribute(cu_device, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
	/* PTX ISA 8.1, in CUDA 12.1, raised the limit from 4096 bytes. */
	caps->parameter_B = caps->cuda_version >= 12010 && caps->sm >= 70 ? 32764 : 4096;
}

static void read_features(struct gpu_caps *caps, CUdevice cu_device)
{
	const uint32_t mode = attribute(cu_device, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
	caps->compute_mode = mode == CU_COMPUTEMODE_PROHIBITED          ? GPU_COMPUTE_PROHIBITED
			     : mode == CU_COMPUTEMODE_EXCLUSIVE_PROCESS ? GPU_COMPUTE_EXCLUSIVE
									: GPU_COMPUTE_SHARED;
	caps->ecc = attribute(cu_device, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
	caps->integrated = attribute(cu_device, CU_DEVICE_ATTRIBUTE_INTEGRATED);
	caps->kernel_timeout = attribute(cu_device, CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT);
	caps->concurrent_kernels = attribute(cu_device, CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS);
	caps->can_map_host = attribute(cu_device, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY);
	caps->managed_memory = attribute(cu_device, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
	caps->concurrent_managed =
		attribute(cu_device, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS);
	caps->pageable_access = attribute(cu_device, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS);
	caps->cooperative_launch = attribute(cu_device, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
	caps->memory_pools = attribute(cu_device, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
	/* Where memory cannot be exported as file descriptors, CUDA IPC does not work either (WSL, vGPU). */
	caps->exports = gpu_external_can_export() &&
			attribute(cu_device,
				  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED);
	caps->exports_dma_buf = caps->exports && cuda.cuMemGetHandleForAddressRange &&
				attribute(cu_device, CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED);
	caps->pci_domain = attribute(cu_device, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
	caps->pci_bus = attribute(cu_device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
	caps->pci_device = attribute(cu_device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
}

/* The smallest value of several attributes. */
static uint32_t least(CUdevice cu_device, unsigned count, const CUdevice_attribute *which)
{
	uint32_t least = UINT32_MAX;
	for (unsigned i = 0; i < count; i++) {
		const uint32_t value = attribute(cu_device, which[i]);
		least = value < least ? value : least;
	}
	return least;
}

/* OpenCL has one limit for several kinds of images; it is the smallest of CUDA's limits. */
static void read_image_limits(struct gpu_caps *caps, CUdevice cu_device)
{
#define LEAST(...)                                                                                \
	least(cu_device, sizeof((CUdevice_attribute[]){__VA_ARGS__}) / sizeof(CUdevice_attribute), \
	      (const CUdevice_attribute[]){__VA_ARGS__})
#define TEXTURE(what) CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE##what
#define SURFACE(what) CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE##what
	caps->image2d[0] = LEAST(TEXTURE(1D_WIDTH), TEXTURE(1D_LAYERED_WIDTH), TEXTURE(2D_WIDTH),
				 TEXTURE(2D_LAYERED_WIDTH), TEXTURE(2D_LINEAR_WIDTH),
				 SURFACE(1D_WIDTH), SURFACE(1D_LAYERED_WIDTH), SURFACE(2D_WIDTH),
				 SURFACE(2D_LAYERED_WIDTH));
	caps->image2d[1] = LEAST(TEXTURE(2D_HEIGHT), TEXTURE(2D_LAYERED_HEIGHT),
				 TEXTURE(2D_LINEAR_HEIGHT), SURFACE(2D_HEIGHT),
				 SURFACE(2D_LAYERED_HEIGHT));
	caps->image_mipmapped[0] = LEAST(TEXTURE(1D_MIPMAPPED_WIDTH), TEXTURE(2D_MIPMAPPED_WIDTH));
	caps->image_mipmapped[1] = LEAST(TEXTURE(2D_MIPMAPPED_HEIGHT));
	caps->image3d[0] = LEAST(TEXTURE(3D_WIDTH), SURFACE(3D_WIDTH));
	caps->image3d[1] = LEAST(TEXTURE(3D_HEIGHT), SURFACE(3D_HEIGHT));
	caps->image3d[2] = LEAST(TEXTURE(3D_DEPTH), SURFACE(3D_DEPTH));
	caps->image_layers = LEAST(TEXTURE(1D_LAYERED_LAYERS), TEXTURE(2D_LAYERED_LAYERS),
				   SURFACE(1D_LAYERED_LAYERS), SURFACE(2D_LAYERED_LAYERS));
	caps->image_linear = attribute(cu_device, TEXTURE(1D_LINEAR_WIDTH));
	caps->image_pitch_max_B = attribute(cu_device, TEXTURE(2D_LINEAR_PITCH));
#undef LEAST
#undef TEXTURE
#undef SURFACE
	caps->texture_align_B = attribute(cu_device, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
	caps->texture_pitch_B = attribute(cu_device, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT);
}

/* Whether the properties without which nothing can be built or launched are known; every driver has them. */
static bool complete(const struct gpu_caps *caps)
{
	for (int i = 0; i < 3; i++)
		if (!caps->max_block[i] || !caps->max_grid[i])
			return false;
	return caps->sm >= 10 && caps->multiprocessors && caps->max_threads_per_block &&
	       caps->local_static_B && caps->warp;
}

static cl_int read_caps(struct gpu_caps *caps, CUdevice cu_device)
{
	size_t memory_B = 0;
	CUuuid cu_uuid;
	cl_int error = gpu_check(NULL, cuda.cuDeviceGetName(caps->name, sizeof(caps->name),
							    cu_device));
	if (!error)
		error = gpu_check(NULL, cuda.cuDeviceTotalMem_v2(&memory_B, cu_device));
	if (!error)
		error = gpu_check(NULL, cuda.cuDeviceGetUuid_v2(&cu_uuid, cu_device));
	if (error)
		return error;
	memcpy(caps->uuid, cu_uuid.bytes, sizeof(caps->uuid));
	caps->memory_B = memory_B;
	caps->sm = 10 * attribute(cu_device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
		   attribute(cu_device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
	read_limits(caps, cu_device);
	read_features(caps, cu_device);
	read_image_limits(caps, cu_device);
	if (!complete(caps)) {
		log_err("%s: not used: the driver does not report its properties", caps->name);
		return CL_DEVICE_NOT_AVAILABLE;
	}
	return CL_SUCCESS;
}

static struct gpu_device *device_create(int ordinal, const struct gpu_caps *common)
{
	struct gpu_device *device = calloc(1, sizeof(*device));
	if (!device)
		return NULL;
	device->caps = *common;
	if (gpu_check(NULL, cuda.cuDeviceGet(&device->cu_device, ordinal)) ||
	    read_caps(&device->caps, device->cu_device))
		goto free_device;
	if (lock_init(&device->birth_lock, LOCK_RANK_GPU))
		goto free_device;
	if (lock_init(&device->lock, LOCK_RANK_GPU))
		goto finish_birth_lock;
	/* OpenCL 3.0 API, 4.2 and 4.4: CL_DEVICE_AVAILABLE is false, and no context is created. */
	if (device->caps.compute_mode == GPU_COMPUTE_PROHIBITED)
		atomic_init(&device->lost, CL_DEVICE_NOT_AVAILABLE);
	device->way = gpu_way_first(&device->caps);
	device->max_pitch_B = attribute(device->cu_device, CU_DEVICE_ATTRIBUTE_MAX_PITCH);
	for (int i = 0; i < GPU_PRIORITIES; i++)
		list_init(&device->idle_streams[i]);
	list_init(&device->epochs);
	list_init(&device->deferred);
	return device;

finish_birth_lock:
	lock_finish(&device->birth_lock);
free_device:
	free(device);
	return NULL;
}

/* The version of the kernel module, if the library's name does not contain it. */
static void read_module_version(char *version, size_t size_B)
{
	FILE *file = fopen("/sys/module/nvidia/version", "re");
	if (!file)
		return;
	if (fgets(version, (int)size_B, file))
		version[strcspn(version, "\n")] = '\0';
	fclose(file);
}

static bool start_driver(struct gpu_caps *common)
{
	struct gpu_library library;
	if (!gpu_symbols_load(&library, &driver_note))
		return false;
	CUresult cu_result = cuda.cuInit(0);
	if (cu_result != CUDA_SUCCESS) {
		bytes_printf(&driver_note, ": cuInit: %s (%d)", gpu_error_find(cu_result)->name,
			     (int)cu_result);
		return false;
	}
	cu_result = cuda.cuDriverGetVersion(&common->cuda_version);
	if (cu_result != CUDA_SUCCESS || common->cuda_version < MIN_CUDA_VERSION) {
		bytes_printf(&driver_note, ": it supports CUDA %d.%d, but 12.0 or newer is required",
			     common->cuda_version / 1000, common->cuda_version % 1000 / 10);
		return false;
	}
	common->software = library.software;
	if (library.software)
		snprintf(common->driver_version, sizeof(common->driver_version), "%s",
			 PACKAGE_VERSION);
	else if (*library.version)
		memcpy(common->driver_version, library.version, sizeof(common->driver_version));
	else
		read_module_version(common->driver_version, sizeof(common->driver_version));
	if (!*common->driver_version)
		snprintf(common->driver_version, sizeof(common->driver_version), "%d.%d",
			 common->cuda_version / 1000, common->cuda_version % 1000 / 10);
	return true;
}

static void child_begins(void)
{
	atomic_store_explicit(&is_child, true, memory_order_relaxed);
}

static void find_devices(void)
{
	struct gpu_caps common = {0};
	int count = 0;
	birth_pid = getpid();
	sees_forks = !pthread_atfork(NULL, NULL, child_begins);
	if (!start_driver(&common))
		goto out;
	if (gpu_check(NULL, cuda.cuDeviceGetCount(&count)) || count <= 0) {
		bytes_append_string(&driver_note, ": no device");
		goto out;
	}
	devices = calloc((size_t)count, sizeof(struct gpu_device *));
	for (int i = 0; devices && i < count; i++) {
		struct gpu_device *device = device_create(i, &common);
		if (!device)
			continue;
		device->index = device_count;
		devices[device_count++] = device;
		log_info("device %u: %s, sm %u, %llu MiB, driver %s", device->index,
			 device->caps.name, device->caps.sm,
			 (unsigned long long)(device->caps.memory_B >> 20),
			 device->caps.driver_version);
	}
	bytes_printf(&driver_note, ": CUDA %d.%d, %u device%s", common.cuda_version / 1000,
		     common.cuda_version % 1000 / 10, device_count, device_count == 1 ? "" : "s");
out:
	/* If CULVERT_CUDA names a driver, it should have a device. */
	if (!device_count && strcmp(option_string(OPTION_CUDA), "auto"))
		log_warn("CULVERT_CUDA=%s: no device: %s", option_string(OPTION_CUDA),
			 bytes_string(&driver_note));
	else
		log_info("CUDA driver: %s", bytes_string(&driver_note));
}

cl_int gpu_devices(struct gpu_device *const **devices_out, uint32_t *count_out)
{
	pthread_once(&found_once, find_devices);
	*devices_out = devices;
	*count_out = device_count;
	return CL_SUCCESS;
}

const char *gpu_driver_note(void)
{
	pthread_once(&found_once, find_devices);
	return bytes_string(&driver_note);
}

const struct gpu_caps *gpu_device_caps(const struct gpu_device *device)
{
	return &device->caps;
}

struct gpu_luid gpu_device_luid(const struct gpu_device *device)
{
	struct gpu_luid luid = {0};
	unsigned int node_mask = 0;
	char bytes[sizeof(luid.bytes)];
	if (cuda.cuDeviceGetLuid &&
	    cuda.cuDeviceGetLuid(bytes, &node_mask, device->cu_device) == CUDA_SUCCESS) {
		luid.valid = true;
		memcpy(luid.bytes, bytes, sizeof(bytes));
		luid.node_mask = node_mask;
	}
	return luid;
}

cl_int gpu_device_status(const struct gpu_device *device)
{
	return atomic_load_explicit(&device->lost, memory_order_acquire);
}

bool gpu_peer_is_open(const struct gpu_device *a, const struct gpu_device *b)
{
	const struct gpu_device *low = a->index < b->index ? a : b;
	const struct gpu_device *high = a->index < b->index ? b : a;
	return low != high && high->index < GPU_PEERS_MAX &&
	       atomic_load(&low->peers_open) >> high->index & 1;
}

/* --- the context --- */

static inline cl_int scope_begin(struct gpu_device *device, CUcontext cu_context,
				 struct gpu_scope *scope)
{
	scope->changed = scope->by_handle = false;
	cl_int error = gpu_check(device, cuda.cuCtxGetCurrent(&scope->cu_previous));
	if (error || scope->cu_previous == cu_context)
		return error;
	error = gpu_check(device, cuda.cuCtxSetCurrent(cu_context));
	scope->changed = !error;
	return error;
}

void gpu_leave_changed(const struct gpu_scope *scope)
{
	/* If the caller's context was destroyed meanwhile, it cannot be made current again. */
	(void)gpu_check(NULL, cuda.cuCtxSetCurrent(scope->cu_previous));
}

/* Makes a memory pool of our own, so that the settings of the application's pool do not change.  The pool keeps
 * freed memory, within gpu_mem.c's limit, and must not make an allocation wait for work. */
static CUmemoryPool pool_create(struct gpu_device *device)
{
	if (!device->caps.memory_pools || !cuda.cuMemPoolCreate || !cuda.cuMemPoolDestroy ||
	    !cuda.cuMemPoolGetAttribute || !cuda.cuMemPoolSetAttribute || !cuda.cuMemPoolTrimTo ||
	    !cuda.cuMemAllocFromPoolAsync || !cuda.cuMemFreeAsync)
		return NULL;
	CUmemPoolProps props;
	CUmemoryPool cu_pool;
	memset(&props, 0, sizeof(props));
	props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	props.handleTypes = CU_MEM_HANDLE_TYPE_NONE;
	props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	props.location.id = device->cu_device;
	if (gpu_check(device, cuda.cuMemPoolCreate(&cu_pool, &props)))
		return NULL;
	cuuint64_t keep_B = UINT64_MAX;
	int no = 0;
	if (!gpu_check(device, cuda.cuMemPoolSetAttribute(
			cu_pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep_B)) &&
	    !gpu_check(device, cuda.cuMemPoolSetAttribute(
			cu_pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &no)))
		return cu_pool;
	(void)gpu_check(device, cuda.cuMemPoolDestroy(cu_pool));
	return NULL;
}

static cl_int context_set_up(struct gpu_device *device, CUcontext cu_context)
{
	struct gpu_scope scope;
	cl_int error = scope_begin(device, cu_context, &scope);
	if (error)
		return error;
	error = gpu_check(device, cuda.cuCtxGetStreamPriorityRange(
		&device->least_priority, &device->greatest_priority));
	if (!error)
		error = gpu_stream_create(device, NULL, 0, &device->memory_stream);
	if (!error)
		device->cu_pool = pool_create(device);
	gpu_leave(&scope);
	return error;
}

/* birth_lock is held during slow driver calls: every other thread that wants it needs this context and has to wait
 * anyway. */
cl_int gpu_device_use(struct gpu_device *device)
{
	if (atomic_load_explicit(&device->cu_context, memory_order_acquire))
		return gpu_device_status(device);
	lock_take(&device->birth_lock);
	cl_int error = gpu_device_status(device);
	CUcontext cu_context = NULL;
	if (error || atomic_load(&device->cu_context))
		goto drop_lock;
	error = gpu_check(device, cuda.cuDevicePrimaryCtxRetain(&cu_context, device->cu_device));
	if (error)
		goto drop_lock;
	error = context_set_up(device, cu_context);
	if (error)
		(void)gpu_check(device, cuda.cuDevicePrimaryCtxRelease_v2(device->cu_device));
	else
		atomic_store_explicit(&device->cu_context, cu_context, memory_order_release);
drop_lock:
	lock_drop(&device->birth_lock);
	return error;
}

cl_int gpu_enter(struct gpu_device *device, struct gpu_scope *scope)
{
	CUcontext cu_context = atomic_load_explicit(&device->cu_context, memory_order_acquire);
	cl_int error = cu_context ? gpu_device_status(device) : gpu_device_use(device);
	if (error)
		return error;
	if (!cu_context)
		cu_context = atomic_load_explicit(&device->cu_context, memory_order_relaxed);
	return scope_begin(device, cu_context, scope);
}

cl_int gpu_enter_share(struct gpu_device *device, const struct gpu_share *share, struct gpu_scope *scope)
{
	if (!share)
		return gpu_enter(device, scope);
	const cl_int error = gpu_device_status(device);
	return error ? error : scope_begin(device, share->cu_context, scope);
}

cl_int gpu_enter_by_handle(struct gpu_device *device, struct gpu_scope *scope)
{
	return gpu_scope_by_handle(device, scope);
}

bool gpu_wants_current(struct gpu_device *device, CUresult cu_result, struct gpu_scope *scope)
{
	if (!scope->by_handle || (cu_result != CUDA_ERROR_INVALID_CONTEXT &&
				  cu_result != CUDA_ERROR_INVALID_HANDLE))
		return false;
	if (!atomic_exchange(&device->wants_current, true))
		log_info("%s: the driver requires a current context for calls on streams",
			 device->caps.name);
	return !gpu_enter(device, scope);
}

cl_int gpu_device_check_process(struct gpu_device *device)
{
	if (sees_forks ? atomic_load_explicit(&is_child, memory_order_relaxed)
		    : getpid() != birth_pid)
		gpu_device_lose(device, CL_OUT_OF_RESOURCES);
	return gpu_device_status(device);
}

cl_int gpu_device_ask(struct gpu_device *device)
{
	struct gpu_scope scope;
	cl_int error = gpu_scope_by_handle(device, &scope);
	if (error)
		return error;
	CUresult cu_result;
	do
		cu_result = cuda.cuStreamQuery(device->memory_stream->cu_stream);
	while (cu_result && gpu_wants_current(device, cu_result, &scope));
	if (cu_result != CUDA_ERROR_NOT_READY)
		(void)gpu_check_result(device, cu_result, "cuStreamQuery", __FILE__, __LINE__);
	gpu_leave(&scope);
	return gpu_device_status(device);
}

cl_int gpu_enter_new(struct gpu_device *device, struct gpu_scope *scope)
{
	cl_int error = gpu_device_check_process(device);
	return error ? error : gpu_enter(device, scope);
}

