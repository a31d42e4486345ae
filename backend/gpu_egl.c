/* EGL images, which CUDA shares without OpenGL: a registered image always has an array, which is its memory, and any
 * thread may use it.  CUDA orders nothing: the application waits for what EGL's client APIs do with the image. */
#include "config.h"

#include "backend/gpu_graphics.h"

#include "backend/cuda_egl.h"
#include "backend/gpu_graphics_internal.h"
#include "base/log.h"

#include <CL/cl_egl.h>
#include <stdlib.h>
#include <string.h>

bool gpu_egl_is_available(void)
{
	return cuda.cuGraphicsEGLRegisterImage && cuda.cuGraphicsResourceGetMappedEglFrame &&
	       cuda.cuGraphicsUnregisterResource;
}

/* Driver 580 returns CUDA_ERROR_INVALID_VALUE or CUDA_ERROR_NOT_SUPPORTED for images of formats that it does not share,
 * and CUDA_ERROR_UNKNOWN for what is no image. */
static cl_int check(struct gpu_device *device, CUresult cu_result, const char *call)
{
	const bool other_format = cu_result == CUDA_ERROR_INVALID_VALUE || cu_result == CUDA_ERROR_NOT_SUPPORTED;
	return gpu_graphics_check(device, cu_result, call,
				  other_format ? CL_IMAGE_FORMAT_NOT_SUPPORTED : CL_INVALID_EGL_OBJECT_KHR);
}

static bool order_find(const struct cuda_egl_frame *frame, enum gpu_egl_order *order_out)
{
	*order_out = GPU_EGL_RGBA;
	switch (frame->color) {
	case CUDA_EGL_COLOR_ARGB:
		*order_out = GPU_EGL_BGRA;
		return true;
	case CUDA_EGL_COLOR_BGRA:
		*order_out = GPU_EGL_ARGB;
		return true;
	case CUDA_EGL_COLOR_RGBA:
		*order_out = GPU_EGL_ABGR;
		return true;
	case CUDA_EGL_COLOR_A:
		*order_out = GPU_EGL_A;
		return true;
	/* Other colors are only those of fewer channels. */
	default:
		return frame->channels < 3 || frame->color == CUDA_EGL_COLOR_ABGR;
	}
}

static bool texel_find(const struct cuda_egl_frame *frame, struct gpu_texel *texel_out)
{
	memset(texel_out, 0, sizeof(*texel_out));
	texel_out->channels = frame->channels;
	texel_out->normalized = true;
	switch (frame->format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
		texel_out->channel_B = 1;
		break;
	case CU_AD_FORMAT_UNSIGNED_INT16:
		texel_out->channel_B = 2;
		break;
	case CU_AD_FORMAT_HALF:
	case CU_AD_FORMAT_FLOAT:
		texel_out->channel = GPU_CHANNEL_FLOAT;
		texel_out->channel_B = frame->format == CU_AD_FORMAT_HALF ? 2 : 4;
		texel_out->normalized = false;
		break;
	default:
		return false;
	}
	return frame->channels == 1 || frame->channels == 2 || frame->channels == 4;
}

/* Images of several planes, which are videos, and those in linear memory are not shared. */
static cl_int frame_describe(const struct cuda_egl_frame *frame, struct gpu_egl_frame *frame_out)
{
	if (frame->plane_count == 1 && frame->depth <= 1 && frame->type == CUDA_EGL_FRAME_ARRAY &&
	    order_find(frame, &frame_out->order) && texel_find(frame, &frame_out->texel)) {
		frame_out->width = frame->width;
		frame_out->height = frame->height;
		return CL_SUCCESS;
	}
	log_err("an EGL image with %u planes, %u channels, color format %d and channel format %d cannot be shared",
		frame->plane_count, frame->channels, frame->color, (int)frame->format);
	return CL_IMAGE_FORMAT_NOT_SUPPORTED;
}

/* The device's context is current. */
static cl_int frame_get(const struct gpu_graphics *graphics, struct cuda_egl_frame *frame_out)
{
	memset(frame_out, 0, sizeof(*frame_out));
	return check(graphics->device,
		     cuda.cuGraphicsResourceGetMappedEglFrame(frame_out, graphics->cu_resource, 0, 0),
		     "cuGraphicsResourceGetMappedEglFrame");
}

cl_int gpu_egl_register(struct gpu_device *device, void *image, struct gpu_egl_frame *frame_out,
			struct gpu_graphics **graphics_out)
{
	struct gpu_scope scope;
	struct cuda_egl_frame frame;
	struct gpu_graphics *graphics = calloc(1, sizeof(*graphics));
	if (!graphics)
		return CL_OUT_OF_HOST_MEMORY;
	graphics->device = device;
	cl_int error = gpu_enter_new(device, &scope);
	if (error) {
		free(graphics);
		return error;
	}
	error = check(device, cuda.cuGraphicsEGLRegisterImage(&graphics->cu_resource, image, 0),
		      "cuGraphicsEGLRegisterImage");
	const bool registered = !error;
	if (!error)
		error = frame_get(graphics, &frame);
	gpu_leave(&scope);
	if (!error)
		error = frame_describe(&frame, frame_out);
	if (!error)
		*graphics_out = graphics;
	else if (registered)
		gpu_graphics_unregister(graphics);
	else
		free(graphics);
	return error;
}

/* The device's context is current. */
static cl_int image_copy(struct gpu_stream *stream, const struct gpu_graphics_side *side, bool to_egl)
{
	struct cuda_egl_frame frame;
	CUDA_MEMCPY3D copy;
	cl_int error = frame_get(side->graphics, &frame);
	if (error)
		return error == CL_IMAGE_FORMAT_NOT_SUPPORTED ? CL_INVALID_EGL_OBJECT_KHR : error;
	if (frame.width != side->region[0] || frame.height != side->region[1])
		return CL_INVALID_EGL_OBJECT_KHR;
	memset(&copy, 0, sizeof(copy));
	copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	copy.srcArray = to_egl ? side->array->level[0].cu_array : frame.planes.arrays[0];
	copy.dstArray = to_egl ? frame.planes.arrays[0] : side->array->level[0].cu_array;
	copy.WidthInBytes = side->region[0] * gpu_texel_B(&side->array->texel);
	copy.Height = side->region[1];
	copy.Depth = 1;
	return gpu_check(stream->device, cuda.cuMemcpy3DAsync_v2(&copy, stream->cu_stream));
}

cl_int gpu_egl_copy(struct gpu_stream *stream, const struct gpu_graphics_side *sides, uint32_t count, bool to_egl)
{
	struct gpu_scope scope;
	cl_int error = gpu_enter(stream->device, &scope);
	if (error)
		return error;
	for (uint32_t i = 0; i < count && !error; i++)
		error = image_copy(stream, &sides[i], to_egl);
	gpu_stream_count(stream);
	gpu_leave(&scope);
	return error;
}
