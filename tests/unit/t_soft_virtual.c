/* Protects: memory of softcuda that processes share: what is written through one mapping is
 * read through another, what is given back is given back, errors are CUDA's; images in memory of other APIs. */
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
	/* What is mapped begins at a page of the host. */
	const size_t page_B = (size_t)sysconf(_SC_PAGESIZE), words = page_B / sizeof(unsigned);
	const int own = sealed(PIECE_B, F_SEAL_SHRINK | F_SEAL_GROW), fd = sealed(2 * page_B, all);
	const int seen = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	memset(&handle, 0, sizeof(handle));
	memset(&buffer, 0, sizeof(buffer));
	handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
	handle.size = 2 * page_B;
	/* What is for the one call is nothing for the other. */
	handle.handle.fd = own;
	INVALID(cuImportExternalMemory(&external, &handle));
	INVALID(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)fd,
					       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	handle.handle.fd = fd;
	handle.size = 2 * page_B + 1;
	INVALID(cuImportExternalMemory(&external, &handle));
	handle.size = 2 * page_B;
	OK(cuImportExternalMemory(&external, &handle));
	buffer.size = 2 * page_B + 1;
	INVALID(cuExternalMemoryGetMappedBuffer(&address, external, &buffer));
	buffer.offset = page_B;
	buffer.size = page_B;
	OK(cuExternalMemoryGetMappedBuffer(&address, external, &buffer));
	OK(cuDestroyExternalMemory(external));
	INVALID(cuDestroyExternalMemory(external));
	/* The descriptor was the driver's. */
	CHECK(fcntl(fd, F_GETFD) < 0);
	const unsigned *bytes = mmap(NULL, 2 * page_B, PROT_READ, MAP_SHARED, seen, 0);
	OK(cuMemsetD32(address, 9, words));
	OK(cuCtxSynchronize());
	CHECK(bytes[words - 1] == 0 && bytes[words] == 9 && bytes[2 * words - 1] == 9);
	OK(cuMemFree(address));
	CHECK_EQ(bytes[words], 9);
	munmap((void *)(uintptr_t)bytes, 2 * page_B);
	close(seen);
	close(own);
}

/* --- images of other APIs ---------- */

/* The offset is in the second page, of any size that Linux has, and not at its start. */
enum { IMAGE_B = 1 << 17, WIDTH = 40, HEIGHT = 12, LEVELS = 3, OFFSET_B = (1 << 16) + 1536 };

static CUexternalMemory import(int fd, size_t size_B)
{
	CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle;
	CUexternalMemory external = NULL;
	memset(&handle, 0, sizeof(handle));
	handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
	handle.handle.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	handle.size = size_B;
	handle.flags = CUDA_EXTERNAL_MEMORY_DEDICATED;
	OK(cuImportExternalMemory(&external, &handle));
	return external;
}

static CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC image_of(unsigned levels)
{
	CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC image;
	memset(&image, 0, sizeof(image));
	image.offset = OFFSET_B;
	image.arrayDesc.Width = WIDTH;
	image.arrayDesc.Height = HEIGHT;
	image.arrayDesc.Format = CU_AD_FORMAT_UNSIGNED_INT32;
	image.arrayDesc.NumChannels = 1;
	image.arrayDesc.Flags = CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_COLOR_ATTACHMENT;
	image.numLevels = levels;
	return image;
}

/* The rows of a level, to or from host memory without padding. */
static void level_copy(CUmipmappedArray mipmap, unsigned level, unsigned *texels, bool writes)
{
	CUDA_MEMCPY2D copy;
	CUarray array;
	OK(cuMipmappedArrayGetLevel(&array, mipmap, level));
	memset(&copy, 0, sizeof(copy));
	copy.srcMemoryType = writes ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
	copy.dstMemoryType = writes ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
	copy.srcArray = copy.dstArray = array;
	copy.srcHost = copy.dstHost = texels;
	copy.WidthInBytes = (WIDTH >> level) * sizeof(*texels);
	copy.Height = HEIGHT >> level;
	OK(cuMemcpy2D(&copy));
}

/* Two imports of the same memory have the same texels in each level; a row of level 0 is where softcuda.md says. */
static void images(void)
{
	const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC image = image_of(LEVELS);
	static unsigned given[LEVELS][WIDTH * HEIGHT], got[WIDTH * HEIGHT];
	CUmipmappedArray one, other;
	CUDA_ARRAY3D_DESCRIPTOR is;
	CUarray array;
	CHECK(set_up());
	const int fd = sealed(IMAGE_B, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	CUexternalMemory first = import(fd, IMAGE_B), second = import(fd, IMAGE_B);
	OK(cuExternalMemoryGetMappedMipmappedArray(&one, first, &image));
	OK(cuExternalMemoryGetMappedMipmappedArray(&other, second, &image));
	OK(cuDestroyExternalMemory(first));
	OK(cuMipmappedArrayGetLevel(&array, other, 2));
	OK(cuArray3DGetDescriptor(&is, array));
	CHECK(is.Width == WIDTH / 4 && is.Height == HEIGHT / 4);
	for (unsigned level = 0; level < LEVELS; level++) {
		for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
			given[level][i] = 1000 * level + i;
		level_copy(one, level, given[level], true);
	}
	for (unsigned level = 0; level < LEVELS; level++) {
		level_copy(other, level, got, false);
		CHECK(!memcmp(got, given[level], (size_t)(WIDTH >> level) * (HEIGHT >> level) * sizeof(*got)));
	}
	const char *bytes = mmap(NULL, IMAGE_B, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(!memcmp(bytes + OFFSET_B, given[0], WIDTH * sizeof(*got)));
	munmap((void *)(uintptr_t)bytes, IMAGE_B);
	OK(cuMipmappedArrayDestroy(one));
	level_copy(other, 1, got, false);
	CHECK_EQ(got[0], 1000);
	OK(cuMipmappedArrayDestroy(other));
	OK(cuDestroyExternalMemory(second));
	close(fd);
}

static void image_errors(void)
{
	CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC image = image_of(1);
	CUmipmappedArray mipmap;
	CHECK(set_up());
	const int fd = sealed(IMAGE_B, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	/* A row has 160 bytes. */
	const size_t size_B = OFFSET_B + 160 * HEIGHT;
	CUexternalMemory external = import(fd, size_B), small = import(fd, size_B - 1);
	INVALID(cuExternalMemoryGetMappedMipmappedArray(&mipmap, small, &image));
	INVALID(cuExternalMemoryGetMappedMipmappedArray(NULL, external, &image));
	INVALID(cuExternalMemoryGetMappedMipmappedArray(&mipmap, external, NULL));
	INVALID(cuExternalMemoryGetMappedMipmappedArray(&mipmap, NULL, &image));
	image.offset = OFFSET_B + 16;
	INVALID(cuExternalMemoryGetMappedMipmappedArray(&mipmap, external, &image));
	image.offset = IMAGE_B;
	INVALID(cuExternalMemoryGetMappedMipmappedArray(&mipmap, external, &image));
	image.offset = 0;
	image.numLevels = 0;
	INVALID(cuExternalMemoryGetMappedMipmappedArray(&mipmap, external, &image));
	/* 40 texels have six levels. */
	image.numLevels = 7;
	INVALID(cuExternalMemoryGetMappedMipmappedArray(&mipmap, external, &image));
	image = image_of(1);
	image.arrayDesc.Format = (CUarray_format)0x7F;
	INVALID(cuExternalMemoryGetMappedMipmappedArray(&mipmap, external, &image));
	image = image_of(1);
	OK(cuExternalMemoryGetMappedMipmappedArray(&mipmap, external, &image));
	OK(cuMipmappedArrayDestroy(mipmap));
	OK(cuDestroyExternalMemory(external));
	OK(cuDestroyExternalMemory(small));
	close(fd);
}

int main(void)
{
	static const struct test_case cases[] = {TEST(shares), TEST(errors), TEST(other_apis), TEST(images),
						 TEST(image_errors)};
	setenv("CULVERT_SOFT_DEVICES", "2", 1);
	setenv("CULVERT_SOFT_ORACLE", "1", 1);
	return test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
