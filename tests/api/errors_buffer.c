/* Buffers and the commands on them (OpenCL 3.0 API, 5.2, 5.5). */
#include "config.h"

#include "tests/api/errors.h"

#include <stdlib.h>

/* A buffer with flags, which is right. */
static cl_mem good_buffer(cl_mem_flags flags)
{
	cl_int code;
	cl_mem buffer = clCreateBuffer(world.context, flags, WORLD_BUFFER_B, NULL, &code);
	REQUIRE(!code);
	return buffer;
}

/* --- creation ------------------------------------------------------------------------- */

static cl_mem create(cl_mem_flags flags, size_t size_B, void *pointer)
{
	return clCreateBuffer(world.context, flags, size_B, pointer, &error_code);
}

static cl_mem create_with(const cl_mem_properties *properties, cl_mem_flags flags, size_t size_B,
			  void *pointer)
{
	return clCreateBufferWithProperties(world.context, properties, flags, size_B, pointer,
					    &error_code);
}

static const cl_mem_flags bad_flags[] = {
	(cl_mem_flags)1 << 40,
	CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
	CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
	CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
	CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
};

static void flags_and_properties(void)
{
	const cl_mem_properties unknown[] = {0x7777, 1, 0};
	for (unsigned i = 0; i < sizeof(bad_flags) / sizeof(bad_flags[0]); i++) {
		ERROR_OBJECT(clCreateBuffer, CL_INVALID_VALUE, 1, create(bad_flags[i], 64, NULL));
		ERROR_OBJECT(clCreateBufferWithProperties, CL_INVALID_VALUE, 1,
			     create_with(NULL, bad_flags[i], 64, NULL));
	}
	ERROR_OBJECT(clCreateBuffer, CL_INVALID_VALUE, 1,
		     create(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 64, error_bytes));
	ERROR_OBJECT(clCreateBuffer, CL_INVALID_VALUE, 1,
		     create(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, error_bytes));
	ERROR_OBJECT(clCreateBufferWithProperties, CL_INVALID_PROPERTY, 1,
		     create_with(unknown, 0, 64, NULL));
	ERROR_OBJECT(clCreateBuffer, CL_INVALID_CONTEXT, 1,
		     clCreateBuffer(world.wrong_context, 0, 64, NULL, &error_code));
	ERROR_OBJECT(clCreateBufferWithProperties, CL_INVALID_CONTEXT, 1,
		     clCreateBufferWithProperties(world.wrong_context, NULL, 0, 64, NULL,
						  &error_code));
}

static void sizes_and_pointers(void)
{
	cl_ulong most_B;
	REQUIRE(!clGetDeviceInfo(world.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most_B),
				 &most_B, NULL));
	ERROR_OBJECT(clCreateBuffer, CL_INVALID_BUFFER_SIZE, 1, create(0, 0, NULL));
	ERROR_OBJECT(clCreateBuffer, CL_INVALID_BUFFER_SIZE, 2, create(0, most_B + 1, NULL));
	ERROR_OBJECT(clCreateBuffer, CL_INVALID_HOST_PTR, 1,
		     create(CL_MEM_USE_HOST_PTR, 64, NULL));
	ERROR_OBJECT(clCreateBuffer, CL_INVALID_HOST_PTR, 1,
		     create(CL_MEM_COPY_HOST_PTR, 64, NULL));
	ERROR_OBJECT(clCreateBuffer, CL_INVALID_HOST_PTR, 2, create(0, 64, error_bytes));
	ERROR_OBJECT(clCreateBufferWithProperties, CL_INVALID_BUFFER_SIZE, 1,
		     create_with(NULL, 0, 0, NULL));
	ERROR_OBJECT(clCreateBufferWithProperties, CL_INVALID_BUFFER_SIZE, 2,
		     create_with(NULL, 0, most_B + 1, NULL));
	ERROR_OBJECT(clCreateBufferWithProperties, CL_INVALID_HOST_PTR, 1,
		     create_with(NULL, CL_MEM_USE_HOST_PTR, 64, NULL));
	ERROR_OBJECT(clCreateBufferWithProperties, CL_INVALID_HOST_PTR, 2,
		     create_with(NULL, CL_MEM_ALLOC_HOST_PTR, 64, error_bytes));
}

/* cl_intel_create_buffer_with_properties: other codes than those of OpenCL 3.0's function for wrong properties. */
static void with_properties_of_intel(void)
{
	const cl_mem_properties none[] = {0}, unknown[] = {0x7777, 1, 0};
	cl_mem(CL_API_CALL * make)(cl_context, const cl_mem_properties *, cl_mem_flags, size_t, void *, cl_int *);
	*(void **)&make = error_function("clCreateBufferWithPropertiesINTEL");
	REQUIRE(make);
	ERROR_OBJECT(clCreateBufferWithPropertiesINTEL, CL_INVALID_CONTEXT, 1,
		     make(world.wrong_context, none, 0, 64, NULL, &error_code));
	ERROR_OBJECT(clCreateBufferWithPropertiesINTEL, CL_INVALID_VALUE, 1,
		     make(world.context, unknown, 0, 64, NULL, &error_code));
	for (unsigned i = 0; i < sizeof(bad_flags) / sizeof(bad_flags[0]); i++)
		ERROR_OBJECT(clCreateBufferWithPropertiesINTEL, CL_INVALID_VALUE, 2,
			     make(world.context, none, bad_flags[i], 64, NULL, &error_code));
	ERROR_OBJECT(clCreateBufferWithPropertiesINTEL, CL_INVALID_BUFFER_SIZE, 1,
		     make(world.context, none, 0, 0, NULL, &error_code));
	ERROR_OBJECT(clCreateBufferWithPropertiesINTEL, CL_INVALID_HOST_PTR, 1,
		     make(world.context, none, CL_MEM_USE_HOST_PTR, 64, NULL, &error_code));
	ERROR_OBJECT(clCreateBufferWithPropertiesINTEL, CL_INVALID_HOST_PTR, 1,
		     make(world.context, none, CL_MEM_COPY_HOST_PTR, 64, NULL, &error_code));
	ERROR_OBJECT(clCreateBufferWithPropertiesINTEL, CL_INVALID_HOST_PTR, 1,
		     make(world.context, none, 0, 64, error_bytes, &error_code));
}

/* A pointer of clSVMAlloc, and more bytes than it has. */
static void svm_pointers(void)
{
	void *pointer = clSVMAlloc(world.context, CL_MEM_READ_WRITE, 4096, 0);
	REQUIRE(pointer);
	ERROR_OBJECT(clCreateBuffer, CL_INVALID_BUFFER_SIZE, 3,
		     create(CL_MEM_USE_HOST_PTR, 4097, pointer));
	ERROR_OBJECT(clCreateBuffer, CL_INVALID_BUFFER_SIZE, 3,
		     create(CL_MEM_COPY_HOST_PTR, 4097, pointer));
	ERROR_OBJECT(clCreateBufferWithProperties, CL_INVALID_BUFFER_SIZE, 3,
		     create_with(NULL, CL_MEM_USE_HOST_PTR, 4097, pointer));
	ERROR_OBJECT(clCreateBufferWithProperties, CL_INVALID_BUFFER_SIZE, 3,
		     create_with(NULL, CL_MEM_COPY_HOST_PTR, 4097, pointer));
	clSVMFree(world.context, pointer);
}

/* --- sub-buffers ---------------------------------------------------------------------- */

static cl_mem sub_buffer(cl_mem buffer, cl_mem_flags flags, size_t origin_B, size_t size_B)
{
	const cl_buffer_region region = {origin_B, size_B};
	return clCreateSubBuffer(buffer, flags, CL_BUFFER_CREATE_TYPE_REGION, &region,
				 &error_code);
}

/* Flags that the buffer's do not allow, as condition. */
static void sub_flags(unsigned condition, cl_mem_flags of_buffer, cl_mem_flags flags)
{
	cl_mem buffer = good_buffer(of_buffer);
	ERROR_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, condition,
		     sub_buffer(buffer, flags, 0, 64));
	REQUIRE(!clReleaseMemObject(buffer));
}

static void sub_buffers(void)
{
	const cl_buffer_region region = {0, 64};
	sub_flags(1, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE);
	sub_flags(1, CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY);
	sub_flags(2, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE);
	sub_flags(2, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY);
	sub_flags(3, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY);
	sub_flags(4, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY);
	sub_flags(5, CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY);
	sub_flags(5, CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY);
	sub_flags(7, CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR);
	sub_flags(7, CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR);
	sub_flags(7, CL_MEM_READ_WRITE, CL_MEM_COPY_HOST_PTR);
	/* 5.2.1, table of cl_mem_flags: the buffer's allow either, and not both. */
	REQUIRE(!sub_buffer(world.buffer, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 0, 64));
	REQUIRE(error_code == CL_INVALID_VALUE);
	ERROR_OBJECT(clCreateSubBuffer, CL_INVALID_MEM_OBJECT, 1,
		     sub_buffer(world.wrong_mem, 0, 0, 64));
	ERROR_OBJECT(clCreateSubBuffer, CL_INVALID_MEM_OBJECT, 1,
		     sub_buffer(world.image, 0, 0, 64));
	ERROR_OBJECT(clCreateSubBuffer, CL_INVALID_MEM_OBJECT, 2,
		     sub_buffer(world.sub_buffer, 0, 0, 64));
	ERROR_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, 8,
		     clCreateSubBuffer(world.buffer, 0, 0x7777, &region, &error_code));
	ERROR_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, 9,
		     clCreateSubBuffer(world.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL,
				       &error_code));
	ERROR_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, 11,
		     sub_buffer(world.buffer, 0, 0, WORLD_BUFFER_B + 1));
	ERROR_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, 11,
		     sub_buffer(world.buffer, 0, WORLD_BUFFER_B, 1));
	ERROR_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, 11,
		     sub_buffer(world.buffer, 0, 512, SIZE_MAX - 1));
	ERROR_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, 11,
		     sub_buffer(world.buffer, 0, 2 * WORLD_BUFFER_B, 64));
	ERROR_OBJECT(clCreateSubBuffer, CL_INVALID_BUFFER_SIZE, 1,
		     sub_buffer(world.buffer, 0, 0, 0));
	ERROR_OBJECT(clCreateSubBuffer, CL_MISALIGNED_SUB_BUFFER_OFFSET, 1,
		     sub_buffer(world.buffer, 0, 1, 64));
}

/* --- commands ------------------------------------------------------------------------- */

static cl_int read(cl_command_queue queue, cl_mem buffer, size_t offset_B, size_t size_B,
		   void *pointer)
{
	return clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset_B, size_B, pointer, 0, NULL,
				   NULL);
}

static cl_int write(cl_command_queue queue, cl_mem buffer, size_t offset_B, size_t size_B,
		    const void *pointer)
{
	return clEnqueueWriteBuffer(queue, buffer, CL_TRUE, offset_B, size_B, pointer, 0, NULL,
				    NULL);
}

static void transfers(void)
{
	cl_mem write_only = good_buffer(CL_MEM_HOST_WRITE_ONLY);
	cl_mem read_only = good_buffer(CL_MEM_HOST_READ_ONLY);
	cl_mem none = good_buffer(CL_MEM_HOST_NO_ACCESS);
	cl_mem const bad[] = {world.wrong_mem, world.image};
	for (unsigned i = 0; i < 2; i++) {
		ERROR_CODE(clEnqueueReadBuffer, CL_INVALID_MEM_OBJECT, 1,
			   read(world.queue, bad[i], 0, 4, error_bytes));
		ERROR_CODE(clEnqueueWriteBuffer, CL_INVALID_MEM_OBJECT, 1,
			   write(world.queue, bad[i], 0, 4, error_bytes));
	}
	ERROR_CODE(clEnqueueReadBuffer, CL_INVALID_CONTEXT, 1,
		   read(world.queue, world.foreign_buffer, 0, 4, error_bytes));
	ERROR_CODE(clEnqueueWriteBuffer, CL_INVALID_CONTEXT, 1,
		   write(world.queue, world.foreign_buffer, 0, 4, error_bytes));
	ERROR_CODE(clEnqueueReadBuffer, CL_INVALID_VALUE, 1,
		   read(world.queue, world.buffer, 0, WORLD_BUFFER_B + 1, error_bytes));
	ERROR_CODE(clEnqueueReadBuffer, CL_INVALID_VALUE, 1,
		   read(world.queue, world.buffer, 16, SIZE_MAX - 8, error_bytes));
	ERROR_CODE(clEnqueueWriteBuffer, CL_INVALID_VALUE, 1,
		   write(world.queue, world.buffer, WORLD_BUFFER_B, 1, error_bytes));
	ERROR_CODE(clEnqueueReadBuffer, CL_INVALID_VALUE, 2,
		   read(world.queue, world.buffer, 0, 4, NULL));
	ERROR_CODE(clEnqueueWriteBuffer, CL_INVALID_VALUE, 2,
		   write(world.queue, world.buffer, 0, 4, NULL));
	ERROR_CODE(clEnqueueReadBuffer, CL_INVALID_OPERATION, 1,
		   read(world.queue, write_only, 0, 4, error_bytes));
	ERROR_CODE(clEnqueueReadBuffer, CL_INVALID_OPERATION, 1,
		   read(world.queue, none, 0, 4, error_bytes));
	ERROR_CODE(clEnqueueWriteBuffer, CL_INVALID_OPERATION, 1,
		   write(world.queue, read_only, 0, 4, error_bytes));
	ERROR_CODE(clEnqueueWriteBuffer, CL_INVALID_OPERATION, 1,
		   write(world.queue, none, 0, 4, error_bytes));
	REQUIRE(!clReleaseMemObject(write_only));
	REQUIRE(!clReleaseMemObject(read_only));
	REQUIRE(!clReleaseMemObject(none));
}

static cl_int copy(cl_mem from, cl_mem to, size_t from_B, size_t to_B, size_t size_B)
{
	return clEnqueueCopyBuffer(world.queue, from, to, from_B, to_B, size_B, 0, NULL, NULL);
}

static void copies(void)
{
	cl_mem second = sub_buffer(world.buffer, 0, 512, 1024);
	REQUIRE(second);
	ERROR_CODE(clEnqueueCopyBuffer, CL_INVALID_CONTEXT, 1,
		   copy(world.foreign_buffer, world.buffer, 0, 0, 4));
	ERROR_CODE(clEnqueueCopyBuffer, CL_INVALID_CONTEXT, 2,
		   copy(world.buffer, world.foreign_buffer, 0, 0, 4));
	ERROR_CODE(clEnqueueCopyBuffer, CL_INVALID_MEM_OBJECT, 1,
		   copy(world.image, world.buffer, 0, 0, 4));
	ERROR_CODE(clEnqueueCopyBuffer, CL_INVALID_MEM_OBJECT, 2,
		   copy(world.buffer, world.wrong_mem, 0, 0, 4));
	ERROR_CODE(clEnqueueCopyBuffer, CL_INVALID_VALUE, 1,
		   copy(world.buffer, world.buffer2, WORLD_BUFFER_B - 2, 0, 4));
	ERROR_CODE(clEnqueueCopyBuffer, CL_INVALID_VALUE, 2,
		   copy(world.buffer, world.buffer2, 0, SIZE_MAX, 4));
	ERROR_CODE(clEnqueueCopyBuffer, CL_MEM_COPY_OVERLAP, 1,
		   copy(world.buffer, world.buffer, 0, 15, 16));
	ERROR_CODE(clEnqueueCopyBuffer, CL_MEM_COPY_OVERLAP, 1,
		   copy(world.sub_buffer, world.sub_buffer, 15, 0, 16));
	ERROR_CODE(clEnqueueCopyBuffer, CL_MEM_COPY_OVERLAP, 2,
		   copy(world.sub_buffer, second, 512, 0, 16));
	REQUIRE(!copy(world.sub_buffer, second, 0, 0, 512));
	REQUIRE(!clReleaseMemObject(second));
}

static cl_int fill(cl_mem buffer, const void *pattern, size_t pattern_B, size_t offset_B,
		   size_t size_B)
{
	return clEnqueueFillBuffer(world.queue, buffer, pattern, pattern_B, offset_B, size_B, 0,
				   NULL, NULL);
}

static void fills(void)
{
	ERROR_CODE(clEnqueueFillBuffer, CL_INVALID_CONTEXT, 1,
		   fill(world.foreign_buffer, error_bytes, 4, 0, 4));
	ERROR_CODE(clEnqueueFillBuffer, CL_INVALID_MEM_OBJECT, 1,
		   fill(world.image, error_bytes, 4, 0, 4));
	ERROR_CODE(clEnqueueFillBuffer, CL_INVALID_VALUE, 1,
		   fill(world.buffer, error_bytes, 4, 0, WORLD_BUFFER_B + 4));
	ERROR_CODE(clEnqueueFillBuffer, CL_INVALID_VALUE, 2, fill(world.buffer, NULL, 4, 0, 4));
	ERROR_CODE(clEnqueueFillBuffer, CL_INVALID_VALUE, 3,
		   fill(world.buffer, error_bytes, 0, 0, 4));
	ERROR_CODE(clEnqueueFillBuffer, CL_INVALID_VALUE, 4,
		   fill(world.buffer, error_bytes, 12, 0, 12));
	ERROR_CODE(clEnqueueFillBuffer, CL_INVALID_VALUE, 5,
		   fill(world.buffer, error_bytes, 256, 0, 256));
	ERROR_CODE(clEnqueueFillBuffer, CL_INVALID_VALUE, 6,
		   fill(world.buffer, error_bytes, 4, 2, 4));
	ERROR_CODE(clEnqueueFillBuffer, CL_INVALID_VALUE, 7,
		   fill(world.buffer, error_bytes, 4, 0, 6));
}

static void *map(cl_mem buffer, cl_map_flags flags, size_t offset_B, size_t size_B)
{
	return clEnqueueMapBuffer(world.queue, buffer, CL_TRUE, flags, offset_B, size_B, 0, NULL,
				  NULL, &error_code);
}

static void unmap(cl_mem buffer, void *pointer)
{
	REQUIRE(!clEnqueueUnmapMemObject(world.queue, buffer, pointer, 0, NULL, NULL));
	REQUIRE(!clFinish(world.queue));
}

static void map_access(unsigned condition, cl_mem_flags flags, cl_map_flags map_flags)
{
	cl_mem buffer = good_buffer(flags);
	ERROR_OBJECT(clEnqueueMapBuffer, CL_INVALID_OPERATION, condition,
		     map(buffer, map_flags, 0, 64));
	REQUIRE(!clReleaseMemObject(buffer));
}

/* What flags do not forbid. */
static void host_may(cl_mem_flags flags, cl_map_flags map_flags)
{
	cl_mem buffer = good_buffer(flags);
	void *pointer = map(buffer, map_flags, 0, 64);
	REQUIRE(pointer);
	unmap(buffer, pointer);
	if (flags & CL_MEM_HOST_WRITE_ONLY)
		REQUIRE(!clEnqueueWriteBuffer(world.queue, buffer, CL_TRUE, 0, 64, error_bytes, 0,
					      NULL, NULL));
	else
		REQUIRE(!clEnqueueReadBuffer(world.queue, buffer, CL_TRUE, 0, 64, error_bytes, 0,
					     NULL, NULL));
	REQUIRE(!clReleaseMemObject(buffer));
}

static void maps(void)
{
	ERROR_OBJECT(clEnqueueMapBuffer, CL_INVALID_CONTEXT, 1,
		     map(world.foreign_buffer, CL_MAP_READ, 0, 64));
	ERROR_OBJECT(clEnqueueMapBuffer, CL_INVALID_MEM_OBJECT, 1,
		     map(world.image, CL_MAP_READ, 0, 64));
	ERROR_OBJECT(clEnqueueMapBuffer, CL_INVALID_VALUE, 1,
		     map(world.buffer, CL_MAP_READ, 1, WORLD_BUFFER_B));
	ERROR_OBJECT(clEnqueueMapBuffer, CL_INVALID_VALUE, 2,
		     map(world.buffer, CL_MAP_READ, 0, 0));
	ERROR_OBJECT(clEnqueueMapBuffer, CL_INVALID_VALUE, 3, map(world.buffer, 1u << 20, 0, 64));
	ERROR_OBJECT(clEnqueueMapBuffer, CL_INVALID_VALUE, 3,
		     map(world.buffer, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 64));
	map_access(1, CL_MEM_HOST_WRITE_ONLY, CL_MAP_READ);
	map_access(1, CL_MEM_HOST_NO_ACCESS, CL_MAP_READ);
	map_access(2, CL_MEM_HOST_READ_ONLY, CL_MAP_WRITE);
	map_access(2, CL_MEM_HOST_NO_ACCESS, CL_MAP_WRITE);
	map_access(2, CL_MEM_HOST_READ_ONLY, CL_MAP_WRITE_INVALIDATE_REGION);
	host_may(CL_MEM_HOST_WRITE_ONLY, CL_MAP_WRITE);
	host_may(CL_MEM_HOST_WRITE_ONLY, CL_MAP_WRITE_INVALIDATE_REGION);
	host_may(CL_MEM_HOST_READ_ONLY, CL_MAP_READ);
	void *pointer = map(world.buffer, CL_MAP_WRITE, 0, 64);
	REQUIRE(pointer);
	ERROR_OBJECT(clEnqueueMapBuffer, CL_INVALID_OPERATION, 4,
		     map(world.buffer, CL_MAP_WRITE, 32, 64));
	ERROR_OBJECT(clEnqueueMapBuffer, CL_INVALID_OPERATION, 4,
		     map(world.buffer, CL_MAP_WRITE_INVALIDATE_REGION, 63, 1));
	ERROR_OBJECT(clEnqueueMapBuffer, CL_INVALID_OPERATION, 4,
		     map(world.sub_buffer, CL_MAP_WRITE, 0, 64));
	unmap(world.buffer, pointer);
	ERROR_CODE(clEnqueueUnmapMemObject, CL_INVALID_VALUE, 1,
		   clEnqueueUnmapMemObject(world.queue, world.buffer, pointer, 0, NULL, NULL));
	ERROR_CODE(clEnqueueUnmapMemObject, CL_INVALID_VALUE, 1,
		   clEnqueueUnmapMemObject(world.queue, world.buffer, NULL, 0, NULL, NULL));
	ERROR_CODE(clEnqueueUnmapMemObject, CL_INVALID_MEM_OBJECT, 1,
		   clEnqueueUnmapMemObject(world.queue, world.wrong_mem, pointer, 0, NULL, NULL));
	ERROR_CODE(clEnqueueUnmapMemObject, CL_INVALID_CONTEXT, 1,
		   clEnqueueUnmapMemObject(world.queue, world.foreign_buffer, pointer, 0, NULL,
					   NULL));
}

static cl_int migrate(cl_uint count, const cl_mem *mems, cl_mem_migration_flags flags)
{
	return clEnqueueMigrateMemObjects(world.queue, count, mems, flags, 0, NULL, NULL);
}

static void CL_CALLBACK notify(cl_mem mem, void *user)
{
	(void)mem;
	(void)user;
}

static void migrations_and_callbacks(void)
{
	const cl_mem wrong[] = {world.buffer, world.wrong_mem};
	const cl_mem foreign[] = {world.buffer, world.foreign_buffer};
	ERROR_CODE(clEnqueueMigrateMemObjects, CL_INVALID_VALUE, 1, migrate(0, wrong, 0));
	ERROR_CODE(clEnqueueMigrateMemObjects, CL_INVALID_VALUE, 1, migrate(1, NULL, 0));
	ERROR_CODE(clEnqueueMigrateMemObjects, CL_INVALID_VALUE, 2, migrate(1, wrong, 1u << 20));
	ERROR_CODE(clEnqueueMigrateMemObjects, CL_INVALID_MEM_OBJECT, 1, migrate(2, wrong, 0));
	ERROR_CODE(clEnqueueMigrateMemObjects, CL_INVALID_CONTEXT, 1, migrate(2, foreign, 0));
	ERROR_CODE(clSetMemObjectDestructorCallback, CL_INVALID_MEM_OBJECT, 1,
		   clSetMemObjectDestructorCallback(world.wrong_mem, notify, NULL));
	ERROR_CODE(clSetMemObjectDestructorCallback, CL_INVALID_VALUE, 1,
		   clSetMemObjectDestructorCallback(world.buffer, NULL, NULL));
}

void errors_buffer(void)
{
	flags_and_properties();
	sizes_and_pointers();
	with_properties_of_intel();
	svm_pointers();
	sub_buffers();
	transfers();
	copies();
	fills();
	maps();
	migrations_and_callbacks();
}
