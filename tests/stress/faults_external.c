/* Memory and semaphores by file descriptor.  The software driver takes a memfd for memory: one whose
 * seals may be added to is CUDA's own (cuMemExportToShareableHandle), any other another API's; and a
 * FIFO for another API's semaphore. */
#include "config.h"

#include "tests/api/fifo.h"
#include "tests/stress/faults.h"

#include "icd/include/cl_culvert.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OPAQUE_FD = 0x2060, DEVICE_LIST = 0x2051, SIZE_B = 2 << 20, WORDS = 64 };
enum { SEMAPHORE_FD = 0x2055, DEVICE_HANDLES = 0x2053 };

typedef cl_int(CL_API_CALL *take)(cl_command_queue, cl_uint, const cl_mem *, cl_uint,
				  const cl_event *, cl_event *);

static take entry(cl_platform_id platform, const char *name)
{
	take function;
	void *found = clGetExtensionFunctionAddressForPlatform(platform, name);
	memcpy(&function, &found, sizeof(found));
	return function;
}

#define ENTRY(function, name)                                                              \
	do {                                                                               \
		void *found_ = clGetExtensionFunctionAddressForPlatform(platform, name);   \
		memcpy(&(function), &found_, sizeof(found_));                              \
	} while (0)

static int shared_memory(int seals)
{
	const int fd = memfd_create("faults", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 && !ftruncate(fd, SIZE_B) && !fcntl(fd, F_ADD_SEALS, seals))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static cl_mem import(struct faults_run *run, int fd)
{
	const cl_mem_properties list[] = {
		OPAQUE_FD, (cl_mem_properties)fd,
		DEVICE_LIST, (cl_mem_properties)(uintptr_t)run->devices[0], 0, 0
	};
	cl_int code = 12345;
	cl_mem mem = clCreateBufferWithProperties(run->context, list, CL_MEM_READ_WRITE, SIZE_B,
						  NULL, &code);
	NOTE(clCreateBufferWithProperties, code);
	WRONG_UNLESS((mem != NULL) == (code == CL_SUCCESS));
	return mem;
}

/* levels 0: an image with linear layout; otherwise one in the GPU's own, with so many levels. */
static cl_mem import_image(struct faults_run *run, int fd, cl_uint levels)
{
	const cl_mem_properties list[] = {
		OPAQUE_FD, (cl_mem_properties)fd,
		DEVICE_LIST, (cl_mem_properties)(uintptr_t)run->devices[0], 0,
		CL_EXTERNAL_IMAGE_TILING_CULVERT, levels > 0,
		levels ? CL_EXTERNAL_IMAGE_ALLOCATION_SIZE_CULVERT : 0, SIZE_B, 0
	};
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 16,
		.num_mip_levels = levels
	};
	cl_int code = 12345;
	cl_mem mem = clCreateImageWithProperties(run->context, list, CL_MEM_READ_WRITE, &format,
						 &desc, NULL, &code);
	NOTE(clCreateImageWithProperties, code);
	WRONG_UNLESS((mem != NULL) == (code == CL_SUCCESS));
	return mem;
}

/* Made and released: what images do is in faults_images.c. */
static void use_image(struct faults_run *run, int fd, cl_uint levels)
{
	if (fd < 0) {
		faults_wrong(run, "no memory to import", __LINE__);
		return;
	}
	cl_mem mem = import_image(run, fd, levels);
	if (mem)
		TRY(clReleaseMemObject(mem));
	else
		WRONG_UNLESS(!close(fd));
}

static void use(struct faults_run *run, cl_platform_id platform, cl_command_queue queue, int fd)
{
	static const cl_uint seven = 7;
	const take acquire = entry(platform, "clEnqueueAcquireExternalMemObjectsKHR");
	const take release = entry(platform, "clEnqueueReleaseExternalMemObjectsKHR");
	cl_uint words[WORDS] = {0};
	if (fd < 0 || !acquire || !release) {
		faults_wrong(run, "no memory to import", __LINE__);
		return;
	}
	cl_mem mem = import(run, fd);
	/* What was not taken is the application's still. */
	if (!mem) {
		WRONG_UNLESS(!close(fd));
		return;
	}
	const unsigned errors = run->errors;
	NOTE(clEnqueueAcquireExternalMemObjectsKHR, acquire(queue, 1, &mem, 0, NULL, NULL));
	TRY(clEnqueueFillBuffer(queue, mem, &seven, sizeof(seven), 0, sizeof(words), 0, NULL,
				NULL));
	TRY(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL));
	NOTE(clEnqueueReleaseExternalMemObjectsKHR, release(queue, 1, &mem, 0, NULL, NULL));
	TRY(clFinish(queue));
	for (unsigned i = 0; i < WORDS && run->errors == errors; i++)
		if (words[i] != seven) {
			printf("word %u is %u, not 7\n", i, words[i]);
			faults_wrong(run, "wrong data without an error", __LINE__);
			break;
		}
	TRY(clReleaseMemObject(mem));
}

/* No type is exported on every machine that softcuda acts as. */
static bool exports(struct faults_run *run, cl_uint type)
{
	cl_uint types[4] = {0};
	bool listed = false;
	TRY(clGetDeviceInfo(run->devices[0], CL_DEVICE_EXTERNAL_MEMORY_EXPORT_HANDLE_TYPES_CULVERT, sizeof(types),
			    types, NULL));
	for (unsigned i = 0; i < 4; i++)
		listed = listed || types[i] == type;
	return listed;
}

/* Made to be exported, filled, and named by a handle.  It has the size that memory is exported in; of that only the
 * last words are filled, because each page that is touched takes time in each of six hundred processes (faults.sh). */
static void use_exported(struct faults_run *run, cl_platform_id platform, cl_command_queue queue,
			 cl_uint type)
{
	const cl_mem_properties list[] = {
		CL_MEM_EXPORT_HANDLE_TYPES_CULVERT, type, 0,
		DEVICE_LIST, (cl_mem_properties)(uintptr_t)run->devices[0], 0, 0
	};
	clGetMemObjectHandleForTypeCULVERT_fn handle_of;
	static const cl_uint nine = 9;
	unsigned char handle[CL_CUDA_IPC_HANDLE_SIZE_CULVERT];
	cl_int code = 12345, fd;
	ENTRY(handle_of, "clGetMemObjectHandleForTypeCULVERT");
	cl_mem mem = clCreateBufferWithProperties(run->context, list, CL_MEM_READ_WRITE, SIZE_B,
						  NULL, &code);
	NOTE(clCreateBufferWithProperties, code);
	WRONG_UNLESS((mem != NULL) == (code == CL_SUCCESS));
	if (!mem)
		return;
	TRY(clEnqueueFillBuffer(queue, mem, &nine, sizeof(nine), SIZE_B - sizeof(nine) * WORDS, sizeof(nine) * WORDS, 0,
				NULL, NULL));
	TRY(clFinish(queue));
	if (!NOTE(clGetMemObjectHandleForTypeCULVERT,
		  handle_of(mem, run->devices[0], type, sizeof(handle), handle, NULL)) &&
	    type != CL_EXTERNAL_MEMORY_HANDLE_CUDA_IPC_CULVERT) {
		memcpy(&fd, handle, sizeof(fd));
		WRONG_UNLESS(!close(fd));
	}
	TRY(clReleaseMemObject(mem));
}

/* Another process's (faults_exporter), whose handle is in the file FAULTS_IPC. */
static void use_ipc(struct faults_run *run, cl_platform_id platform, cl_command_queue queue)
{
	const char *path = getenv("FAULTS_IPC");
	unsigned char handle[CL_CUDA_IPC_HANDLE_SIZE_CULVERT];
	FILE *file = path ? fopen(path, "re") : NULL;
	if (!file)
		return;
	WRONG_UNLESS(fread(handle, sizeof(handle), 1, file) == 1);
	fclose(file);
	const cl_mem_properties list[] = {
		CL_EXTERNAL_MEMORY_HANDLE_CUDA_IPC_CULVERT, (cl_mem_properties)(uintptr_t)handle,
		DEVICE_LIST, (cl_mem_properties)(uintptr_t)run->devices[0], 0, 0
	};
	cl_int code = 12345;
	cl_mem mem = clCreateBufferWithProperties(run->context, list, CL_MEM_READ_WRITE, SIZE_B,
						  NULL, &code);
	NOTE(clCreateBufferWithProperties, code);
	WRONG_UNLESS((mem != NULL) == (code == CL_SUCCESS));
	if (!mem)
		return;
	const take acquire = entry(platform, "clEnqueueAcquireExternalMemObjectsKHR");
	NOTE(clEnqueueAcquireExternalMemObjectsKHR, acquire(queue, 1, &mem, 0, NULL, NULL));
	TRY(clFinish(queue));
	TRY(clReleaseMemObject(mem));
}

/* Signals and waits itself: a wait is for a signal that was enqueued, and fails with it. */
static void signal_and_wait(struct faults_run *run, cl_platform_id platform, cl_command_queue queue,
			    int fd)
{
	const cl_semaphore_properties_khr list[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, SEMAPHORE_FD,
		(cl_semaphore_properties_khr)fd, DEVICE_HANDLES,
		(cl_semaphore_properties_khr)(uintptr_t)run->devices[0], 0, 0
	};
	clCreateSemaphoreWithPropertiesKHR_fn create;
	clEnqueueSignalSemaphoresKHR_fn signal;
	clEnqueueWaitSemaphoresKHR_fn wait;
	clReleaseSemaphoreKHR_fn release;
	ENTRY(create, "clCreateSemaphoreWithPropertiesKHR");
	ENTRY(signal, "clEnqueueSignalSemaphoresKHR");
	ENTRY(wait, "clEnqueueWaitSemaphoresKHR");
	ENTRY(release, "clReleaseSemaphoreKHR");
	cl_int code = 12345;
	cl_semaphore_khr semaphore = create(run->context, list, &code);
	NOTE(clCreateSemaphoreWithPropertiesKHR, code);
	WRONG_UNLESS((semaphore != NULL) == (code == CL_SUCCESS));
	if (!semaphore) {
		WRONG_UNLESS(!close(fd));
		return;
	}
	for (int i = 0; i < 2; i++)
		if (!NOTE(clEnqueueSignalSemaphoresKHR,
			  signal(queue, 1, &semaphore, NULL, 0, NULL, NULL)))
			NOTE(clEnqueueWaitSemaphoresKHR,
			     wait(queue, 1, &semaphore, NULL, 0, NULL, NULL));
	TRY(clFinish(queue));
	NOTE(clReleaseSemaphoreKHR, release(semaphore));
}

void faults_external(struct faults_run *run, cl_command_queue queue)
{
	cl_platform_id platform;
	if (!queue || TRY(clGetDeviceInfo(run->devices[0], CL_DEVICE_PLATFORM, sizeof(platform),
					  &platform, NULL)))
		return;
	use(run, platform, queue, shared_memory(F_SEAL_SHRINK | F_SEAL_GROW));
	use(run, platform, queue, shared_memory(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL));
	use_image(run, shared_memory(F_SEAL_SHRINK | F_SEAL_GROW), 0);
	use_image(run, shared_memory(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 1);
	use_image(run, shared_memory(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 3);
	if (exports(run, OPAQUE_FD))
		use_exported(run, platform, queue, OPAQUE_FD);
	if (exports(run, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR))
		use_exported(run, platform, queue, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR);
	if (exports(run, CL_EXTERNAL_MEMORY_HANDLE_CUDA_IPC_CULVERT))
		use_exported(run, platform, queue, CL_EXTERNAL_MEMORY_HANDLE_CUDA_IPC_CULVERT);
	use_ipc(run, platform, queue);
	signal_and_wait(run, platform, queue, fifo_open());
}
