#include "config.h"

#include "icd/memory/egl_object.h"

#include "base/opengl.h"
#include "icd/memory/gl_object.h"
#include "icd/memory/image_check.h"
#include "icd/memory/mem_flags.h"

/* Registers the image with each GPU of the context. */
static cl_int object_make(cl_context context, void *image, struct gpu_egl_frame *frame_out,
			  struct ocl_gl_object **object_out)
{
	struct ocl_gl_object *object = ocl_gl_object_new(context);
	cl_int error = CL_SUCCESS;
	if (!object)
		return CL_OUT_OF_HOST_MEMORY;
	object->egl = true;
	for (; object->count < context->gpu_count && !error; object->count += !error)
		error = gpu_egl_register(context->gpus[object->count], image, frame_out,
					 &object->graphics[object->count]);
	if (error)
		object->destroy(object);
	else
		*object_out = object;
	return error;
}

static cl_image_format format_of(const struct gpu_egl_frame *frame)
{
	static const cl_channel_order orders[] = {
		[GPU_EGL_RGBA] = CL_RGBA, [GPU_EGL_BGRA] = CL_BGRA, [GPU_EGL_ARGB] = CL_ARGB, [GPU_EGL_ABGR] = CL_ABGR,
		[GPU_EGL_A] = CL_A,
	};
	const struct gpu_texel *texel = &frame->texel;
	const bool floating = texel->channel == GPU_CHANNEL_FLOAT;
	const cl_channel_order first = orders[frame->order];
	return (cl_image_format){
		texel->channels == 4 ? first : texel->channels == 2 ? CL_RG : first == CL_A ? CL_A : CL_R,
		floating ? (texel->channel_B == 2 ? CL_HALF_FLOAT : CL_FLOAT)
			 : (texel->channel_B == 1 ? CL_UNORM_INT8 : CL_UNORM_INT16),
	};
}

/* OpenCL 3.1 API, 5.3.1: which flags are accepted.  Not CL_MEM_IMMUTABLE_EXT: an acquire changes the contents. */
static cl_int flags_take(cl_mem_flags *flags)
{
	const cl_mem_flags host = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
	if (*flags & ~(cl_mem_flags)(OCL_MEM_ACCESS_FLAGS | host) || ocl_mem_flags_check(*flags))
		return CL_INVALID_VALUE;
	*flags = ocl_mem_flags_whole(*flags);
	return CL_SUCCESS;
}

static cl_int image_make(cl_context context, cl_mem_flags flags, const struct gpu_egl_frame *frame, cl_mem *mem_out)
{
	struct ocl_image_request request = {
		.context = context, .flags = flags, .format = format_of(frame),
		.desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = (size_t)frame->width,
			 .image_height = (size_t)frame->height},
	};
	cl_int error = ocl_image_check(&request);
	if (error == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR || error == CL_INVALID_IMAGE_SIZE)
		error = CL_IMAGE_FORMAT_NOT_SUPPORTED;
	if (!error)
		error = ocl_image_create(&request, mem_out);
	return error == CL_MEM_OBJECT_ALLOCATION_FAILURE ? CL_OUT_OF_RESOURCES : error;
}

cl_int ocl_egl_create_image(cl_context context, cl_mem_flags flags, void *display, void *image, cl_mem *mem_out)
{
	struct ocl_gl_object *object;
	struct gpu_egl_frame frame;
	cl_int error = flags_take(&flags);
	/* CL_INVALID_VALUE "if display is not a valid display object". */
	if (!error && !opengl_egl_is_display(display))
		error = CL_INVALID_VALUE;
	if (!error && !image)
		error = CL_INVALID_EGL_OBJECT_KHR;
	if (!error)
		error = object_make(context, image, &frame, &object);
	if (error)
		return error;
	error = image_make(context, flags, &frame, mem_out);
	if (error)
		object->destroy(object);
	else
		(*mem_out)->gl = object;
	return error;
}
