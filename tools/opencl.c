#include "config.h"

#include "tools/opencl.h"

#include "base/own_library.h"
#include "tools/tool.h"

#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char file_name[] = "libculvert.so";

bool opencl_library(struct bytes *path)
{
	/* Beside the tool in a build tree; a tree that was moved: bin/ and lib/. */
	if (own_library_find(file_name, path) || own_library_find("../lib/libculvert.so", path))
		return true;
	/* Installed: its parts are in a folder below the one it is in. */
	static const char installed[] = CULVERT_LIBDIR "/../libculvert.so";
	if (access(installed, R_OK))
		return false;
	bytes_append_string(path, installed);
	return !bytes_failed(path);
}

static void *open_library(struct bytes *why)
{
	struct bytes path = BYTES_INIT;
	const char *name = opencl_library(&path) ? path.data : file_name;
	void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const char *reason = dlerror();
		bytes_append_string(why, reason ? reason : name);
	}
	bytes_finish(&path);
	return handle;
}

static bool find_platform(struct opencl *opencl, void *handle, struct bytes *why)
{
	void *(*address_of)(const char *) = NULL;
	cl_int (*platforms)(cl_uint, cl_platform_id *, cl_uint *) = NULL;
	cl_uint count = 0;
	void *address = dlsym(handle, "clGetExtensionFunctionAddress");
	/* POSIX lets a function's address travel in a void pointer. */
	memcpy(&address_of, &address, sizeof(address));
	address = address_of ? address_of("clIcdGetPlatformIDsKHR") : NULL;
	memcpy(&platforms, &address, sizeof(address));
	cl_int error = platforms ? platforms(1, &opencl->platform, &count) : CL_INVALID_OPERATION;
	if (error || !count) {
		bytes_printf(why, "%s reports no platform: %s", file_name, opencl_error(error));
		return false;
	}
	/* cl_khr_icd: an object begins with a pointer to the table of all calls. */
	memcpy(&opencl->call, opencl->platform, sizeof(opencl->call));
	return true;
}

/* A loader's layer of that file, around what is called until now.  One that is none is left out, as
 * loaders do. */
static void add_layer(struct opencl *opencl, const char *file)
{
	pfn_clInitLayer init = NULL;
	cl_uint count = 0;
	const cl_icd_dispatch *table = NULL;
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	void *address = handle ? dlsym(handle, "clInitLayer") : NULL;
	memcpy(&init, &address, sizeof(address));
	if (init && !init(sizeof(*table) / sizeof(void *), opencl->call, &count, &table) &&
	    count >= sizeof(*table) / sizeof(void *))
		opencl->call = table;
	else if (handle)
		dlclose(handle);
}

/* No loader is between the tool and the platform: its part of OPENCL_LAYERS is done here, so that
 * `culvert trace` sees the tool's own calls, too. */
static void add_layers(struct opencl *opencl)
{
	const char *list = secure_getenv("OPENCL_LAYERS");
	char *copy = list ? strdup(list) : NULL, *rest = NULL;
	for (char *file = copy ? strtok_r(copy, ":", &rest) : NULL; file;
	     file = strtok_r(NULL, ":", &rest))
		add_layer(opencl, file);
	free(copy);
}

static bool find_devices(struct opencl *opencl, struct bytes *why)
{
	cl_int error = opencl->call->clGetDeviceIDs(opencl->platform, CL_DEVICE_TYPE_ALL, 0, NULL,
						    &opencl->device_count);
	if (error == CL_DEVICE_NOT_FOUND) {
		opencl->device_count = 0;
		return true;
	}
	if (!error) {
		opencl->devices = calloc(opencl->device_count, sizeof(cl_device_id));
		error = opencl->devices ? opencl->call->clGetDeviceIDs(
						  opencl->platform, CL_DEVICE_TYPE_ALL,
						  opencl->device_count, opencl->devices, NULL)
					: CL_OUT_OF_HOST_MEMORY;
	}
	if (error)
		bytes_printf(why, "clGetDeviceIDs: %s", opencl_error(error));
	return !error;
}

bool opencl_open(struct opencl *opencl, struct bytes *why)
{
	*opencl = (struct opencl){0};
	void *handle = open_library(why);
	if (!handle || !find_platform(opencl, handle, why))
		return false;
	add_layers(opencl);
	return find_devices(opencl, why);
}

void opencl_close(struct opencl *opencl)
{
	free(opencl->devices);
	opencl->devices = NULL;
	opencl->device_count = 0;
}

cl_device_id opencl_device(const struct opencl *opencl, uint64_t number)
{
	if (number < opencl->device_count)
		return opencl->devices[number];
	if (!opencl->device_count)
		tool_error("no device; run 'culvert doctor' to see why, "
			   "or set CULVERT_CUDA=soft to use the software device");
	else if (opencl->device_count == 1)
		tool_error("no device %" PRIu64 "; there is one device, number 0", number);
	else
		tool_error("no device %" PRIu64 "; there are %u devices, numbers 0 to %u", number, opencl->device_count,
			   opencl->device_count - 1);
	return NULL;
}

char *opencl_device_string(const struct opencl *opencl, cl_device_id device, cl_device_info name)
{
	size_t size_B = 0;
	char *text = NULL;
	if (!opencl->call->clGetDeviceInfo(device, name, 0, NULL, &size_B))
		text = calloc(1, size_B + 1);
	if (text && !opencl->call->clGetDeviceInfo(device, name, size_B, text, NULL))
		return text;
	free(text);
	return strdup("");
}

uint64_t opencl_device_number(const struct opencl *opencl, cl_device_id device,
			      cl_device_info name)
{
	union {
		uint64_t wide;
		uint32_t narrow;
	} value = {0};
	size_t size_B = 0;
	if (opencl->call->clGetDeviceInfo(device, name, sizeof(value), &value, &size_B))
		return 0;
	return size_B == sizeof(value.narrow) ? value.narrow : value.wide;
}

char *opencl_build_log(const struct opencl *opencl, cl_program program, cl_device_id device)
{
	const cl_icd_dispatch *call = opencl->call;
	size_t size_B = 0;
	if (call->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size_B))
		return NULL;
	char *log = calloc(1, size_B + 1);
	if (log && call->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size_B, log, NULL)) {
		free(log);
		return NULL;
	}
	return log;
}

const char *opencl_error(cl_int error)
{
	static const struct {
		cl_int code;
		const char *name;
	} names[] = {
#define NAME(code) {code, #code}
		NAME(CL_SUCCESS), NAME(CL_DEVICE_NOT_FOUND), NAME(CL_DEVICE_NOT_AVAILABLE),
		NAME(CL_COMPILER_NOT_AVAILABLE), NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
		NAME(CL_OUT_OF_RESOURCES), NAME(CL_OUT_OF_HOST_MEMORY),
		NAME(CL_PROFILING_INFO_NOT_AVAILABLE), NAME(CL_MEM_COPY_OVERLAP),
		NAME(CL_IMAGE_FORMAT_MISMATCH), NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED),
		NAME(CL_BUILD_PROGRAM_FAILURE), NAME(CL_MAP_FAILURE),
		NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
		NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
		NAME(CL_COMPILE_PROGRAM_FAILURE), NAME(CL_LINKER_NOT_AVAILABLE),
		NAME(CL_LINK_PROGRAM_FAILURE), NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
		NAME(CL_INVALID_VALUE), NAME(CL_INVALID_DEVICE_TYPE), NAME(CL_INVALID_PLATFORM),
		NAME(CL_INVALID_DEVICE), NAME(CL_INVALID_CONTEXT),
		NAME(CL_INVALID_QUEUE_PROPERTIES), NAME(CL_INVALID_COMMAND_QUEUE),
		NAME(CL_INVALID_HOST_PTR), NAME(CL_INVALID_MEM_OBJECT),
		NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR), NAME(CL_INVALID_IMAGE_SIZE),
		NAME(CL_INVALID_IMAGE_DESCRIPTOR), NAME(CL_INVALID_SAMPLER),
		NAME(CL_INVALID_PIPE_SIZE), NAME(CL_INVALID_BINARY),
		NAME(CL_INVALID_BUILD_OPTIONS), NAME(CL_INVALID_PROGRAM),
		NAME(CL_INVALID_PROGRAM_EXECUTABLE), NAME(CL_INVALID_KERNEL_NAME),
		NAME(CL_INVALID_KERNEL), NAME(CL_INVALID_ARG_INDEX), NAME(CL_INVALID_ARG_VALUE),
		NAME(CL_INVALID_ARG_SIZE), NAME(CL_INVALID_KERNEL_ARGS),
		NAME(CL_INVALID_WORK_DIMENSION), NAME(CL_INVALID_WORK_GROUP_SIZE),
		NAME(CL_INVALID_WORK_ITEM_SIZE), NAME(CL_INVALID_GLOBAL_OFFSET),
		NAME(CL_INVALID_EVENT_WAIT_LIST), NAME(CL_INVALID_EVENT),
		NAME(CL_INVALID_OPERATION), NAME(CL_INVALID_BUFFER_SIZE),
		NAME(CL_INVALID_GLOBAL_WORK_SIZE), NAME(CL_INVALID_PROPERTY),
		NAME(CL_INVALID_COMPILER_OPTIONS), NAME(CL_INVALID_LINKER_OPTIONS),
#undef NAME
	};
	static char text[32];
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].code == error)
			return names[i].name;
	snprintf(text, sizeof(text), "error %d", (int)error);
	return text;
}
