/* A process that has memory for others to open by CUDA IPC, as faults_external.c does:
 *	faults_exporter LIBRARY FILE
 * makes it with the CUDA driver LIBRARY, writes its handle to FILE, and keeps it until standard input
 * ends. */
#include "config.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

enum { SIZE_B = 2 << 20 };

static CUresult (*init)(unsigned);
static CUresult (*retain)(CUcontext *, CUdevice);
static CUresult (*set_current)(CUcontext);
static CUresult (*alloc)(CUdeviceptr *, size_t);
static CUresult (*get_handle)(CUipcMemHandle *, CUdeviceptr);

static int find(void *library)
{
	*(void **)&init = dlsym(library, "cuInit");
	*(void **)&retain = dlsym(library, "cuDevicePrimaryCtxRetain");
	*(void **)&set_current = dlsym(library, "cuCtxSetCurrent");
	*(void **)&alloc = dlsym(library, "cuMemAlloc_v2");
	*(void **)&get_handle = dlsym(library, "cuIpcGetMemHandle");
	return init && retain && set_current && alloc && get_handle;
}

/* A reader finds the whole handle, or no file. */
static int write_whole(const char *path, const void *bytes, size_t size_B)
{
	char part[4096];
	snprintf(part, sizeof(part), "%s.part", path);
	FILE *file = fopen(part, "w");
	if (!file)
		return 0;
	const size_t written = fwrite(bytes, size_B, 1, file);
	return !fclose(file) && written == 1 && !rename(part, path);
}

int main(int argc, char **argv)
{
	CUcontext context;
	CUdeviceptr address;
	CUipcMemHandle handle;
	char byte;
	void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
	if (!library || !find(library) || init(0) || retain(&context, 0) || set_current(context) ||
	    alloc(&address, SIZE_B) || get_handle(&handle, address) ||
	    !write_whole(argv[2], &handle, sizeof(handle))) {
		fprintf(stderr, "faults_exporter: no memory to share\n");
		return 1;
	}
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}
