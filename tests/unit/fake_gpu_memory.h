/* Memory of the GPU of fake_gpu.h, and its copies.  Addresses are pointers, so that a test can look. */
#ifndef CULVERT_TESTS_FAKE_GPU_MEMORY_H
#define CULVERT_TESTS_FAKE_GPU_MEMORY_H

#include "backend/gpu_transfer.h"
#include "tests/unit/fake_gpu.h"

enum { FAKE_TAKEN_B = 1 << 16 };

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

/* Nothing that tests give is in a block. */
cl_int gpu_host_register(struct gpu_device *device, void *pointer, uint64_t size_B, gpu_address *address_out)
{
	(void)device, (void)size_B;
	*address_out = (uintptr_t)pointer;
	return fake_gpu_fails() ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

void gpu_host_unregister(struct gpu_device *device, void *pointer)
{
	(void)device, (void)pointer;
	CHECK(false);
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

static inline void fake_taken_run(const struct fake_op *op)
{
	memcpy(op->to, op->data, op->size_B);
	free(op->data);
}

/* Few bytes are taken within the call, and copied in their turn. */
static inline cl_int fake_copy_taken(struct gpu_stream *stream, void *to, const void *from,
				     uint64_t size_B)
{
	if (stream->device->status || fake_gpu_fails())
		return stream->device->status ? stream->device->status : CL_OUT_OF_RESOURCES;
	struct fake_op op = {
		.run = fake_taken_run, .to = to, .size_B = size_B, .data = malloc(size_B)};
	if (!op.data)
		abort();
	memcpy(op.data, from, size_B);
	fake_gpu_put(stream, &op);
	return CL_SUCCESS;
}

cl_int gpu_copy_to_device(struct gpu_stream *stream, gpu_address to, const void *from, uint64_t size_B)
{
	if (size_B <= FAKE_TAKEN_B && !fake_is_pinned(from))
		return fake_copy_taken(stream, fake_bytes(to), from, size_B);
	return fake_copy_host(stream, fake_bytes(to), from, size_B, fake_is_pinned(from));
}

cl_int gpu_copy_to_host(struct gpu_stream *stream, void *to, gpu_address from, uint64_t size_B)
{
	return fake_copy_host(stream, to, fake_bytes(from), size_B, fake_is_pinned(to));
}

struct gpu_transfer_plan gpu_transfer_plan_pageable(const struct gpu_transfer *transfer)
{
	(void)transfer;
	return (struct gpu_transfer_plan){GPU_TRANSFER_DRIVER, .early = false};
}

cl_int gpu_transfer_to_device(struct gpu_stream *stream, enum gpu_transfer_way way, gpu_address to,
			      const void *from, uint64_t size_B)
{
	CHECK_EQ(way, GPU_TRANSFER_DRIVER);
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

/* --- what images, windows and shared memory are here ----------------------------------------------- */

struct gpu_array {
	struct fake_block *block;
};

cl_int gpu_array_create(struct gpu_device *device, const struct gpu_texel *texel,
			const struct gpu_extent *extent, struct gpu_array **array_out)
{
	const uint64_t depth = extent->depth ? extent->depth : 1,
		       height = extent->height ? extent->height : 1;
	struct fake_block *block = NULL;
	if (!device->status)
		block = fake_block_take(extent->width * height * depth * gpu_texel_B(texel));
	if (!block)
		return device->status ? device->status : CL_MEM_OBJECT_ALLOCATION_FAILURE;
	*array_out = malloc(sizeof(**array_out));
	if (!*array_out)
		abort();
	(*array_out)->block = block;
	return CL_SUCCESS;
}

void gpu_array_destroy(struct gpu_array *array, struct gpu_event *const *after, uint32_t count)
{
	if (!array)
		return;
	fake_block_free(array->block->bytes, after, count);
	free(array);
}

cl_int gpu_array_copy_peer(struct gpu_stream *stream, const struct gpu_array *to,
			   const struct gpu_array *from)
{
	return fake_copy(stream, to->block->bytes, from->block->bytes, to->block->size_B);
}

/* Of a whole array from the host, without pitches: all that a storage asks for. */
cl_int gpu_image_copy(struct gpu_stream *stream, const struct gpu_image_side *to,
		      const struct gpu_image_side *from, const uint64_t region[3], uint32_t texel_B)
{
	CHECK(to->array && from->host && !from->row_pitch_B);
	CHECK_EQ(to->array->block->size_B, region[0] * region[1] * region[2] * texel_B);
	return fake_copy_host(stream, to->array->block->bytes, from->host, to->array->block->size_B,
			      false);
}

/* Copies of it go in runs of any length. */
struct gpu_window {
	struct fake_block *block;
	uint64_t pinned_lo_B, pinned_hi_B;
};

cl_int gpu_window_create(struct gpu_device *device, uint64_t size_B, struct gpu_window **window_out)
{
	(void)device;
	struct fake_block *block = fake_block_take(size_B);
	if (!block)
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	*window_out = calloc(1, sizeof(**window_out));
	if (!*window_out)
		abort();
	(*window_out)->block = block;
	return CL_SUCCESS;
}

void gpu_window_destroy(struct gpu_window *window)
{
	if (!window)
		return;
	fake_block_free(window->block->bytes, NULL, 0);
	free(window);
}

void *gpu_window_memory(const struct gpu_window *window)
{
	return window->block->bytes;
}

cl_int gpu_window_pin(struct gpu_window *window, uint64_t lo_B, uint64_t hi_B)
{
	if (fake_gpu_fails())
		return CL_OUT_OF_RESOURCES;
	if (window->pinned_lo_B == window->pinned_hi_B)
		window->pinned_lo_B = lo_B, window->pinned_hi_B = hi_B;
	window->pinned_lo_B = window->pinned_lo_B < lo_B ? window->pinned_lo_B : lo_B;
	window->pinned_hi_B = window->pinned_hi_B > hi_B ? window->pinned_hi_B : hi_B;
	return CL_SUCCESS;
}

uint64_t gpu_window_run(struct gpu_window *window, uint64_t at_B, uint64_t end_B)
{
	CHECK(at_B < window->block->size_B && at_B < end_B);
	return at_B + 1 + fake_gpu_random(end_B - at_B);
}

/* A part of a storage that only the application's own memory and its handle have. */
void gpu_external_release(struct gpu_device *device, struct gpu_external *external,
			  struct gpu_event *const *after, uint32_t count)
{
	(void)device, (void)external, (void)after, (void)count;
}

/* Pinned memory in the place of managed memory, whose pages do not move here. */
struct gpu_managed {
	struct gpu_device *home;
	void *pointer;
	uint64_t size_B;
};

cl_int gpu_managed_alloc(struct gpu_device *const *devices, uint32_t count, uint64_t size_B,
			 struct gpu_managed **managed_out)
{
	struct gpu_managed *managed = calloc(1, sizeof(*managed));
	(void)count;
	CHECK(managed);
	if (!managed)
		return CL_OUT_OF_HOST_MEMORY;
	*managed = (struct gpu_managed){devices[0], NULL, size_B};
	cl_int error = gpu_host_alloc(devices[0], size_B, &managed->pointer);
	if (error)
		free(managed);
	else
		*managed_out = managed;
	return error;
}

void *gpu_managed_pointer(const struct gpu_managed *managed)
{
	return managed->pointer;
}

void gpu_managed_free(struct gpu_managed *managed, struct gpu_event *const *after, uint32_t count)
{
	(void)after, (void)count;
	gpu_host_free(managed->home, managed->pointer, managed->size_B);
	free(managed);
}

cl_int gpu_managed_prefetch(struct gpu_stream *stream, struct gpu_managed *managed, uint64_t lo_B, uint64_t size_B,
			    bool to_host)
{
	(void)stream, (void)to_host;
	CHECK(lo_B <= managed->size_B && size_B <= managed->size_B - lo_B);
	return CL_SUCCESS;
}

cl_int gpu_managed_bring(struct gpu_stream *stream, struct gpu_managed *managed)
{
	return gpu_managed_prefetch(stream, managed, 0, managed->size_B, false);
}

void gpu_managed_note_use(struct gpu_managed *managed)
{
	(void)managed;
}

cl_int gpu_managed_advise(struct gpu_device *device, const struct gpu_managed *managed, uint64_t lo_B,
			  uint64_t size_B, enum gpu_advice advice)
{
	(void)device, (void)managed, (void)lo_B, (void)size_B, (void)advice;
	return CL_SUCCESS;
}

/* The fake devices' memory is never full: an allocation that fails has another reason. */
cl_int gpu_memory_left(struct gpu_device *device, uint64_t *left_B_out)
{
	(void)device;
	*left_B_out = UINT64_MAX;
	return CL_SUCCESS;
}

/* A box of rows, as residency copies it: each row by itself. */
cl_int gpu_copy_rect_peer(struct gpu_stream *stream, gpu_address to, struct gpu_device *to_device,
			  const struct gpu_rect *to_rect, gpu_address from,
			  struct gpu_device *from_device, const struct gpu_rect *from_rect,
			  const uint64_t region_B[3])
{
	cl_int error = CL_SUCCESS;
	(void)to_device, (void)from_device;
	for (uint64_t row = 0; row < region_B[1] && !error; row++)
		error = fake_copy(
			stream, fake_bytes(to + to_rect->origin_B + row * to_rect->row_pitch_B),
			fake_bytes(from + from_rect->origin_B + row * from_rect->row_pitch_B),
			region_B[0]);
	return error;
}

bool gpu_peer_is_open(const struct gpu_device *a, const struct gpu_device *b)
{
	return a != b;
}

#endif
