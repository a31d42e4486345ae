/* Protects: memory of softcuda that processes share: what is written through one mapping is
 * read through another, what is given back is given back, errors are CUDA's. */
#include "config.h"

#include "tests/unit/soft_setup.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECE_B = 2 << 20 };

#define OK(call) CHECK_EQ(call, CUDA_SUCCESS)
#define INVALID(call) CHECK_EQ(call, CUDA_ERROR_INVALID_VALUE)

static CUmemAllocationProp properties_of(int device)
{
	CUmemAllocationProp properties;
	memset(&properties, 0, sizeof(properties));
	properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	properties.location.id = device;
	return properties;
}

static CUmemAccessDesc access_of(int device)
{
	CUmemAccessDesc access;
	memset(&access, 0, sizeof(access));
	access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	access.location.id = device;
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	return access;
}

static CUdeviceptr mapped(CUmemGenericAllocationHandle handle, size_t size_B)
{
	const CUmemAccessDesc access = access_of(0);
	CUdeviceptr address = 0;
	OK(cuMemAddressReserve(&address, size_B, 0, 0, 0));
	OK(cuMemMap(address, size_B, 0, handle, 0));
	OK(cuMemSetAccess(address, size_B, &access, 1));
	return address;
}

static void give_back(CUdeviceptr address, size_t size_B)
{
	OK(cuMemUnmap(address, size_B));
	OK(cuMemAddressFree(address, size_B));
}

static void shares(void)
{
	const CUmemAllocationProp properties = properties_of(0);
	CUmemGenericAllocationHandle made, imported;
	size_t granularity_B = 0, before_B, between_B, after_B, total_B;
	unsigned out[2] = {0, 0};
	int fd = -1;
	CHECK(set_up());
	OK(cuMemGetInfo(&before_B, &total_B));
	OK(cuMemGetAllocationGranularity(&granularity_B, &properties,
					 CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	CHECK_EQ(granularity_B, PIECE_B);
	OK(cuMemCreate(&made, 2 * PIECE_B, &properties, 0));
	OK(cuMemExportToShareableHandle(&fd, made, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	OK(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)fd,
					  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	CHECK_EQ(close(fd), 0);
	CUdeviceptr one = mapped(made, 2 * PIECE_B), other = mapped(imported, PIECE_B);
	/* Mappings keep the memory. */
	OK(cuMemRelease(made));
	OK(cuMemRelease(imported));
	OK(cuMemGetInfo(&between_B, &total_B));
	CHECK_EQ(before_B - between_B, 2 * PIECE_B);
	OK(cuMemsetD32(one, 77, 2 * PIECE_B / 4));
	OK(cuMemcpyDtoH(out, other + PIECE_B - 4, 4));
	CHECK_EQ(out[0], 77);
	OK(cuMemsetD32(other, 5, 1));
	OK(cuMemcpyDtoH(out, one, 8));
	CHECK(out[0] == 5 && out[1] == 77);
	give_back(one, 2 * PIECE_B);
	OK(cuMemcpyDtoH(out, other, 4));
	CHECK_EQ(out[0], 5);
	give_back(other, PIECE_B);
	OK(cuMemGetInfo(&after_B, &total_B));
	CHECK_EQ(after_B, before_B);
}

static void errors(void)
{
	const CUmemAllocationProp properties = properties_of(0);
	const CUmemAccessDesc access = access_of(0), other_device = access_of(1);
	CUmemAllocationProp wrong = properties;
	CUmemGenericAllocationHandle handle, imported;
	CUdeviceptr address;
	unsigned out = 0;
	CHECK(set_up());
	INVALID(cuMemCreate(&handle, 4096, &properties, 0));
	INVALID(cuMemCreate(&handle, 0, &properties, 0));
	wrong.location.type = CU_MEM_LOCATION_TYPE_INVALID;
	INVALID(cuMemCreate(&handle, PIECE_B, &wrong, 0));
	wrong = properties_of(99);
	CHECK_EQ(cuMemCreate(&handle, PIECE_B, &wrong, 0), CUDA_ERROR_INVALID_DEVICE);
	CHECK_EQ(cuMemCreate(&handle, (size_t)PIECE_B << 30, &properties, 0),
		 CUDA_ERROR_OUT_OF_MEMORY);
	OK(cuMemCreate(&handle, PIECE_B, &properties, 0));
	INVALID(cuMemAddressReserve(&address, 4096, 0, 0, 0));
	OK(cuMemAddressReserve(&address, 2 * PIECE_B, 0, 0, 0));
	INVALID(cuMemMap(address, 2 * PIECE_B, 0, handle, 0));
	INVALID(cuMemMap(address, PIECE_B, 4096, handle, 0));
	INVALID(cuMemMap(address + 4096, PIECE_B, 0, handle, 0));
	INVALID(cuMemSetAccess(address, PIECE_B, &access, 1));
	OK(cuMemMap(address, PIECE_B, 0, handle, 0));
	INVALID(cuMemMap(address, PIECE_B, 0, handle, 0));
	/* Without access it is no memory. */
	INVALID(cuMemcpyDtoH(&out, address, 4));
	CHECK_EQ(cuMemSetAccess(address, PIECE_B, &other_device, 1), CUDA_ERROR_NOT_SUPPORTED);
	OK(cuMemSetAccess(address, PIECE_B, &access, 1));
	OK(cuMemcpyDtoH(&out, address, 4));
	INVALID(cuMemFree(address));
	INVALID(cuMemAddressFree(address, 2 * PIECE_B));
	INVALID(cuMemUnmap(address, 2 * PIECE_B));
	OK(cuMemUnmap(address, PIECE_B));
	INVALID(cuMemcpyDtoH(&out, address, 4));
	INVALID(cuMemAddressFree(address, PIECE_B));
	OK(cuMemAddressFree(address, 2 * PIECE_B));
	INVALID(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)0,
					       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	OK(cuMemRelease(handle));
	INVALID(cuMemRelease(handle));
}

static int sealed(size_t size_B, int seals)
{
	const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	CHECK_EQ(ftruncate(fd, (off_t)size_B), 0);
	CHECK_EQ(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void other_apis(void)
{
	const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle;
	CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer;
	CUmemGenericAllocationHandle imported;
	CUexternalMemory external;
	CUdeviceptr address;
	CHECK(set_up());
	const int own = sealed(PIECE_B, F_SEAL_SHRINK | F_SEAL_GROW), fd = sealed(8192, all);
	const int seen = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	memset(&handle, 0, sizeof(handle));
	memset(&buffer, 0, sizeof(buffer));
	handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
	handle.size = 8192;
	/* What is for the one call is nothing for the other. */
	handle.handle.fd = own;
	INVALID(cuImportExternalMemory(&external, &handle));
	INVALID(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)fd,
					       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	handle.handle.fd = fd;
	handle.size = 8193;
	INVALID(cuImportExternalMemory(&external, &handle));
	handle.size = 8192;
	OK(cuImportExternalMemory(&external, &handle));
	buffer.size = 8193;
	INVALID(cuExternalMemoryGetMappedBuffer(&address, external, &buffer));
	buffer.offset = 4096;
	buffer.size = 4096;
	OK(cuExternalMemoryGetMappedBuffer(&address, external, &buffer));
	OK(cuDestroyExternalMemory(external));
	INVALID(cuDestroyExternalMemory(external));
	/* The descriptor was the driver's. */
	CHECK(fcntl(fd, F_GETFD) < 0);
	const unsigned *bytes = mmap(NULL, 8192, PROT_READ, MAP_SHARED, seen, 0);
	OK(cuMemsetD32(address, 9, 1024));
	OK(cuCtxSynchronize());
	CHECK(bytes[1023] == 0 && bytes[1024] == 9 && bytes[2047] == 9);
	OK(cuMemFree(address));
	CHECK_EQ(bytes[1024], 9);
	munmap((void *)(uintptr_t)bytes, 8192);
	close(seen);
	close(own);
}

int main(void)
{
	static const struct test_case cases[] = {TEST(shares), TEST(errors), TEST(other_apis)};
	setenv("CULVERT_SOFT_DEVICES", "2", 1);
	setenv("CULVERT_SOFT_ORACLE", "1", 1);
	return test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
