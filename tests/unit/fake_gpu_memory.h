/* Memory of the GPU of fake_gpu.h, and its copies.  Addresses are pointers, so that a test can look. */
#ifndef CULVERT_TESTS_FAKE_GPU_MEMORY_H
#define CULVERT_TESTS_FAKE_GPU_MEMORY_H

#include "tests/unit/fake_gpu.h"

static inline struct fake_block *fake_block_take(uint64_t size_B)
{
	if (fake_gpu_fails())
		return NULL;
	if (fake_gpu.block_count == FAKE_BLOCKS)
		abort();
	struct fake_block *block = &fake_gpu.blocks[fake_gpu.block_count];
	block->bytes = malloc(size_B);
	if (!block->bytes)
		abort();
	block->size_B = size_B;
	memset(block->bytes, 0xa5, size_B);
	fake_gpu.block_count++;
	return block;
}

static inline struct fake_block *fake_block_of(const void *bytes)
{
	for (uint32_t i = 0; i < fake_gpu.block_count; i++)
		if (fake_gpu.blocks[i].bytes == bytes)
			return &fake_gpu.blocks[i];
	return NULL;
}

static inline void fake_block_free(const void *bytes, struct gpu_event *const *after, uint32_t count)
{
	struct fake_block *block = fake_block_of(bytes);
	CHECK(block && !block->freed && count <= FAKE_WITNESSES);
	if (!block || block->freed || count > FAKE_WITNESSES)
		return;
	block->freed = true;
	block->count = count;
	for (uint32_t i = 0; i < count; i++) {
		block->after_stream[i] = after[i]->stream;
		block->after_sequence[i] = after[i]->sequence;
	}
	fake_blocks_sweep();
}

static inline void *fake_bytes(gpu_address address)
{
	return (void *)(uintptr_t)address;
}

cl_int gpu_memory_alloc(struct gpu_device *device, uint64_t size_B, gpu_address *address_out)
{
	struct fake_block *block = device->status ? NULL : fake_block_take(size_B);
	if (!block)
		return device->status ? device->status : CL_MEM_OBJECT_ALLOCATION_FAILURE;
	*address_out = (gpu_address)(uintptr_t)block->bytes;
	return CL_SUCCESS;
}

void gpu_memory_note(gpu_address address, uint64_t size_B, bool is_new, bool read_only, bool write_only)
{
	(void)address, (void)size_B, (void)is_new, (void)read_only, (void)write_only;
}

void gpu_memory_give_back(struct gpu_device *device, gpu_address address, uint64_t size_B,
			  struct gpu_event *const *after, uint32_t count)
{
	(void)device, (void)size_B;
	if (address)
		fake_block_free(fake_bytes(address), after, count);
}

void gpu_memory_free(struct gpu_device *device, gpu_address address, struct gpu_event *const *after,
		     uint32_t count)
{
	gpu_memory_give_back(device, address, 0, after, count);
}

cl_int gpu_host_alloc(struct gpu_device *device, uint64_t size_B, void **pointer_out)
{
	(void)device;
	struct fake_block *block = fake_block_take(size_B);
	*pointer_out = block ? block->bytes : NULL;
	return block ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

void gpu_host_free(struct gpu_device *device, void *pointer, uint64_t size_B)
{
	(void)device, (void)size_B;
	if (pointer)
		fake_block_free(pointer, NULL, 0);
}

bool gpu_host_is_pinned(struct gpu_device *device, const void *pointer, uint64_t size_B)
{
	(void)device, (void)size_B;
	return fake_block_of(pointer) != NULL;
}

/* --- copies ------------------------------------------------------------------------------------ */

static inline void fake_copy_run(const struct fake_op *op)
{
	memmove(op->to, op->from, op->size_B);
}

static inline cl_int fake_copy(struct gpu_stream *stream, void *to, const void *from, uint64_t size_B)
{
	if (stream->device->status || fake_gpu_fails())
		return stream->device->status ? stream->device->status : CL_OUT_OF_RESOURCES;
	const struct fake_op op = {.run = fake_copy_run, .to = to, .from = from, .size_B = size_B};
	fake_gpu_put(stream, &op);
	return CL_SUCCESS;
}

static inline bool fake_is_pinned(const void *bytes)
{
	for (uint32_t i = 0; i < fake_gpu.block_count; i++)
		if ((const unsigned char *)bytes >= fake_gpu.blocks[i].bytes &&
		    (const unsigned char *)bytes < fake_gpu.blocks[i].bytes + fake_gpu.blocks[i].size_B)
			return true;
	return false;
}

/* A copy of pageable memory blocks until it is over. */
static inline cl_int fake_copy_host(struct gpu_stream *stream, void *to, const void *from, uint64_t size_B,
				    bool pinned)
{
	const cl_int error = fake_copy(stream, to, from, size_B);
	if (!error && !pinned)
		fake_gpu_reach(stream, stream->last);
	return error;
}

cl_int gpu_copy_to_device(struct gpu_stream *stream, gpu_address to, const void *from, uint64_t size_B)
{
	return fake_copy_host(stream, fake_bytes(to), from, size_B, fake_is_pinned(from));
}

cl_int gpu_copy_to_host(struct gpu_stream *stream, void *to, gpu_address from, uint64_t size_B)
{
	return fake_copy_host(stream, to, fake_bytes(from), size_B, fake_is_pinned(to));
}

cl_int gpu_copy_to_device_pageable(struct gpu_stream *stream, gpu_address to, const void *from,
				   uint64_t size_B)
{
	return fake_copy_host(stream, fake_bytes(to), from, size_B, false);
}

cl_int gpu_copy_device(struct gpu_stream *stream, gpu_address to, gpu_address from, uint64_t size_B)
{
	return fake_copy(stream, fake_bytes(to), fake_bytes(from), size_B);
}

cl_int gpu_copy_from_peer(struct gpu_stream *stream, gpu_address to, gpu_address from,
			  struct gpu_device *from_device, bool own, uint64_t size_B)
{
	(void)from_device, (void)own;
	return fake_copy(stream, fake_bytes(to), fake_bytes(from), size_B);
}

bool gpu_peer_is_open(const struct gpu_device *a, const struct gpu_device *b)
{
	return a != b;
}

#endif
