#include "config.h"

#include "backend/gpu_graphics.h"

#include "backend/cuda_gl.h"
#include "backend/gpu_graphics_internal.h"
#include "base/log.h"

#include <CL/cl_gl.h>
#include <stdlib.h>
#include <string.h>

bool gpu_graphics_is_available(void)
{
	return cuda.cuGLGetDevices_v2 && cuda.cuGraphicsGLRegisterBuffer && cuda.cuGraphicsGLRegisterImage &&
	       cuda.cuGraphicsMapResources && cuda.cuGraphicsUnmapResources &&
	       cuda.cuGraphicsResourceGetMappedPointer_v2 && cuda.cuGraphicsSubResourceGetMappedArray &&
	       cuda.cuGraphicsUnregisterResource;
}

cl_int gpu_graphics_check(struct gpu_device *device, CUresult cu_result, const char *call, cl_int refusal)
{
	if (cu_result == CUDA_SUCCESS)
		return CL_SUCCESS;
	const struct gpu_error *error = gpu_error_find(cu_result);
	if (error->fate == GPU_FATE_RETRY || error->fate == GPU_FATE_LOST)
		return gpu_check_result(device, cu_result, call, __FILE__, __LINE__);
	if (cu_result == CUDA_ERROR_INVALID_GRAPHICS_CONTEXT)
		log_err("%s: the calling thread has no current OpenGL context that CUDA can use", call);
	else
		log_err("%s: the driver refuses the object of OpenGL or EGL: %s (%d)", call, error->name,
			(int)cu_result);
	return refusal;
}

static cl_int check(struct gpu_device *device, CUresult cu_result, const char *call)
{
	return gpu_graphics_check(device, cu_result, call, CL_INVALID_GL_OBJECT);
}

cl_int gpu_graphics_fits(const struct gpu_device *device, bool drawing, bool *fits_out)
{
	CUdevice devices[64];
	unsigned count = 0;
	const CUresult cu_result = cuda.cuGLGetDevices_v2(&count, devices, 64,
							  drawing ? CUDA_GL_DEVICES_CURRENT : CUDA_GL_DEVICES_ALL);
	*fits_out = false;
	/* No CUDA device draws for this context. */
	if (cu_result == CUDA_ERROR_NO_DEVICE)
		return CL_SUCCESS;
	if (cu_result != CUDA_SUCCESS) {
		log_err("cuGLGetDevices: CUDA cannot share with the current OpenGL context: %s (%d)",
			gpu_error_find(cu_result)->name, (int)cu_result);
		return CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
	}
	for (unsigned i = 0; i < count && i < 64; i++)
		*fits_out = *fits_out || devices[i] == device->cu_device;
	return CL_SUCCESS;
}

cl_int gpu_graphics_register(struct gpu_device *device, unsigned name, unsigned target,
			     struct gpu_graphics **graphics_out)
{
	struct gpu_scope scope;
	struct gpu_graphics *graphics = calloc(1, sizeof(*graphics));
	if (!graphics)
		return CL_OUT_OF_HOST_MEMORY;
	graphics->device = device;
	cl_int error = gpu_enter_new(device, &scope);
	if (!error) {
		error = target ? check(device, cuda.cuGraphicsGLRegisterImage(&graphics->cu_resource, name, target, 0),
				       "cuGraphicsGLRegisterImage")
			       : check(device, cuda.cuGraphicsGLRegisterBuffer(&graphics->cu_resource, name, 0),
				       "cuGraphicsGLRegisterBuffer");
		gpu_leave(&scope);
	}
	if (error)
		free(graphics);
	else
		*graphics_out = graphics;
	return error;
}

void gpu_graphics_unregister(struct gpu_graphics *graphics)
{
	struct gpu_scope scope;
	if (!graphics)
		return;
	if (!gpu_enter(graphics->device, &scope)) {
		(void)check(graphics->device, cuda.cuGraphicsUnregisterResource(graphics->cu_resource),
			    "cuGraphicsUnregisterResource");
		gpu_leave(&scope);
	}
	free(graphics);
}

/* --- copies --- */

static cl_int buffer_copy(struct gpu_stream *stream, const struct gpu_graphics_side *side, bool to_opengl)
{
	struct gpu_device *device = stream->device;
	CUdeviceptr mapped;
	size_t mapped_B = 0;
	cl_int error = check(device, cuda.cuGraphicsResourceGetMappedPointer_v2(&mapped, &mapped_B,
										side->graphics->cu_resource),
			     "cuGraphicsResourceGetMappedPointer");
	if (error)
		return error;
	/* The application has given the buffer another data store. */
	if (mapped_B < side->size_B)
		return CL_INVALID_GL_OBJECT;
	return gpu_check(device, cuda.cuMemcpyDtoDAsync_v2(to_opengl ? mapped : side->address,
							   to_opengl ? side->address : mapped, side->size_B,
							   stream->cu_stream));
}

/* Copies depth planes between a part of the object and a level of the image, which has the size, from plane z on. */
static cl_int part_copy(struct gpu_stream *stream, const struct gpu_graphics_side *side, uint32_t level,
			const struct gpu_extent *size, uint32_t index, uint64_t z, uint64_t depth, bool to_opengl)
{
	struct gpu_device *device = stream->device;
	CUDA_MEMCPY3D copy;
	CUarray mapped;
	cl_int error = check(device, cuda.cuGraphicsSubResourceGetMappedArray(
				     &mapped, side->graphics->cu_resource, index, side->level + level),
			     "cuGraphicsSubResourceGetMappedArray");
	if (error)
		return error;
	memset(&copy, 0, sizeof(copy));
	copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	copy.srcArray = to_opengl ? side->array->level[level].cu_array : mapped;
	copy.dstArray = to_opengl ? mapped : side->array->level[level].cu_array;
	copy.srcZ = to_opengl ? z : 0;
	copy.dstZ = to_opengl ? 0 : z;
	copy.WidthInBytes = size->width * gpu_texel_B(&side->array->texel);
	copy.Height = size->height;
	copy.Depth = depth;
	return gpu_check(device, cuda.cuMemcpy3DAsync_v2(&copy, stream->cu_stream));
}

static cl_int level_copy(struct gpu_stream *stream, const struct gpu_graphics_side *side, uint32_t level,
			 bool to_opengl)
{
	const struct gpu_extent whole = {side->region[0], side->region[1], side->region[2], side->layered, 0};
	const struct gpu_extent size = gpu_extent_of_level(&whole, level);
	cl_int error = CL_SUCCESS;
	if (!side->layered)
		return part_copy(stream, side, level, &size, side->index, 0, size.depth, to_opengl);
	for (uint32_t layer = 0; layer < size.depth && !error; layer++)
		error = part_copy(stream, side, level, &size, layer, layer, 1, to_opengl);
	return error;
}

static cl_int image_copy(struct gpu_stream *stream, const struct gpu_graphics_side *side, bool to_opengl)
{
	cl_int error = CL_SUCCESS;
	for (uint32_t level = 0; level < gpu_extent_levels(&side->array->extent) && !error; level++)
		error = level_copy(stream, side, level, to_opengl);
	return error;
}

/* The device's context is current. */
static cl_int copy_mapped(struct gpu_stream *stream, const struct gpu_graphics_side *sides, uint32_t count,
			  CUgraphicsResource *cu_resources, bool to_opengl)
{
	struct gpu_device *device = stream->device;
	for (uint32_t i = 0; i < count; i++)
		cu_resources[i] = sides[i].graphics->cu_resource;
	cl_int error = check(device, cuda.cuGraphicsMapResources(count, cu_resources, stream->cu_stream),
			     "cuGraphicsMapResources");
	if (error)
		return error;
	for (uint32_t i = 0; i < count && !error; i++)
		error = sides[i].array ? image_copy(stream, &sides[i], to_opengl)
				       : buffer_copy(stream, &sides[i], to_opengl);
	const cl_int unmapped = check(device, cuda.cuGraphicsUnmapResources(count, cu_resources, stream->cu_stream),
				      "cuGraphicsUnmapResources");
	gpu_stream_count(stream);
	return error ? error : unmapped;
}

enum { FEW = 16 };

cl_int gpu_graphics_copy(struct gpu_stream *stream, const struct gpu_graphics_side *sides, uint32_t count,
			 bool to_opengl)
{
	CUgraphicsResource few[FEW], *cu_resources = few;
	struct gpu_scope scope;
	if (count > FEW)
		cu_resources = calloc(count, sizeof(*cu_resources));
	if (!cu_resources)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = gpu_enter(stream->device, &scope);
	if (!error) {
		error = copy_mapped(stream, sides, count, cu_resources, to_opengl);
		gpu_leave(&scope);
	}
	if (cu_resources != few)
		free(cu_resources);
	return error;
}
