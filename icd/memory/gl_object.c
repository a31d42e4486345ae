#include "config.h"

#include "icd/memory/gl_object.h"

#include "base/log.h"
#include "base/opengl.h"
#include "icd/memory/image_check.h"
#include "icd/memory/mem_flags.h"
#include "icd/memory/mem_properties.h"

#include <stdlib.h>

/* --- the object of OpenGL ------------------------------------------------------------------- */

/* The OpenGL context of the calling thread.  CUDA cannot use an object without one. */
static cl_int context_find(struct opengl *gl_out)
{
	if (opengl_current(gl_out))
		return CL_SUCCESS;
	log_err("the calling thread has no current context of OpenGL 3.2 or OpenGL ES 3.1, or a newer one");
	return CL_INVALID_GL_OBJECT;
}

static void object_destroy(struct ocl_gl_object *object)
{
	for (uint32_t i = 0; i < object->count; i++)
		gpu_graphics_unregister(object->graphics[i]);
	free(object);
}

struct ocl_gl_object *ocl_gl_object_new(const struct _cl_context *context)
{
	struct ocl_gl_object *object = calloc(1, sizeof(*object) +
						      context->gpu_count * sizeof(object->graphics[0]));
	if (object)
		object->destroy = object_destroy;
	return object;
}

/* cuda_target, cuda_name: what CUDA is told; of a buffer texture, its buffer. */
static cl_int object_make(cl_context context, const struct ocl_gl_object *like, unsigned cuda_target,
			  unsigned cuda_name, struct ocl_gl_object **object_out)
{
	struct ocl_gl_object *object = ocl_gl_object_new(context);
	cl_int error = CL_SUCCESS;
	if (!object)
		return CL_OUT_OF_HOST_MEMORY;
	object->type = like->type;
	object->name = like->name;
	object->target = like->target;
	object->level = like->level;
	for (; object->count < context->gpu_count && !error; object->count += !error)
		error = gpu_graphics_register(context->gpus[object->count], cuda_name, cuda_target,
					      &object->graphics[object->count]);
	if (error)
		object_destroy(object);
	else
		*object_out = object;
	return error;
}

/* OpenCL 3.1 API, 5.2.2: "Only the CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY and CL_MEM_READ_WRITE flags ... can be used." */
static cl_int flags_take(cl_mem_flags *flags)
{
	if (*flags & ~(cl_mem_flags)OCL_MEM_ACCESS_FLAGS || ocl_mem_flags_check(*flags))
		return CL_INVALID_VALUE;
	*flags = ocl_mem_flags_whole(*flags);
	return CL_SUCCESS;
}

/* The functions that create objects from OpenGL's list no other errors for what their memory needs. */
static cl_int memory_error(cl_int error)
{
	return !error || error == CL_OUT_OF_HOST_MEMORY ? error : CL_OUT_OF_RESOURCES;
}

static cl_int memory_create(cl_context context, cl_mem_flags flags, uint64_t size_B, cl_mem *mem_out)
{
	const struct ocl_mem_properties none = {0};
	return memory_error(ocl_mem_create(context, &none, flags, size_B, NULL, mem_out));
}

/* --- buffers -------------------------------------------------------------------------------- */

cl_int ocl_gl_create_buffer(cl_context context, cl_mem_flags flags, cl_GLuint name, cl_mem *mem_out)
{
	const struct ocl_gl_object like = {.type = CL_GL_OBJECT_BUFFER, .name = name};
	struct ocl_gl_object *object = NULL;
	struct opengl gl;
	cl_int error = flags_take(&flags);
	if (!error)
		error = context_find(&gl);
	if (error)
		return error;
	/* 5.2.2: CL_INVALID_GL_OBJECT if it "is not an OpenGL buffer object or ... does not have an existing data store
	 * or the size of the buffer is 0". */
	const uint64_t size_B = opengl_buffer_B(&gl, name);
	if (!size_B)
		return CL_INVALID_GL_OBJECT;
	error = object_make(context, &like, 0, name, &object);
	if (!error)
		error = memory_create(context, flags, size_B, mem_out);
	if (!error)
		(*mem_out)->gl = object;
	else if (object)
		object_destroy(object);
	return error;
}

/* --- images --------------------------------------------------------------------------------- */

/* OpenCL 3.1 API, 5.3.1.6, "OpenGL Internal Formats and Corresponding OpenCL Internal Formats", but for those of
 * normalized signed numbers, which NVIDIA's driver refuses. */
static cl_image_format format_of(const struct opengl_format *format)
{
	static const cl_channel_type types[][3] = {
		[OPENGL_UNORM] = {CL_UNORM_INT8, CL_UNORM_INT16},
		[OPENGL_SRGB] = {CL_UNORM_INT8},
		[OPENGL_UINT] = {CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32},
		[OPENGL_SINT] = {CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32},
		[OPENGL_FLOAT] = {0, CL_HALF_FLOAT, CL_FLOAT},
	};
	const cl_channel_order order = format->channels == 1 ? CL_R : format->channels == 2 ? CL_RG : CL_RGBA;
	return (cl_image_format){
		format->kind == OPENGL_SRGB ? CL_sRGBA : order,
		types[format->kind][format->channel_B / 2],
	};
}

struct target_row {
	cl_GLenum target;
	cl_gl_object_type type;
	cl_mem_object_type image;
};

/* CUDA has no 1D textures: cuGraphicsGLRegisterImage lists the targets. */
static const struct target_row targets[] = {
	{OPENGL_TEXTURE_2D, CL_GL_OBJECT_TEXTURE2D, CL_MEM_OBJECT_IMAGE2D},
	{OPENGL_TEXTURE_RECTANGLE, CL_GL_OBJECT_TEXTURE2D, CL_MEM_OBJECT_IMAGE2D},
	{OPENGL_TEXTURE_CUBE_MAP, CL_GL_OBJECT_TEXTURE2D, CL_MEM_OBJECT_IMAGE2D},
	{OPENGL_TEXTURE_2D_ARRAY, CL_GL_OBJECT_TEXTURE2D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY},
	{OPENGL_TEXTURE_3D, CL_GL_OBJECT_TEXTURE3D, CL_MEM_OBJECT_IMAGE3D},
	{OPENGL_TEXTURE_BUFFER, CL_GL_OBJECT_TEXTURE_BUFFER, CL_MEM_OBJECT_IMAGE1D_BUFFER},
	{OPENGL_TEXTURE_1D, CL_GL_OBJECT_TEXTURE1D, 0},
	{OPENGL_TEXTURE_1D_ARRAY, CL_GL_OBJECT_TEXTURE1D_ARRAY, 0},
};

/* NULL: not among the targets of the specification.  A cube map is given by its faces. */
static const struct target_row *target_find(cl_GLenum target)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		if (targets[i].target == opengl_bound_target(target) && target != OPENGL_TEXTURE_CUBE_MAP)
			return &targets[i];
	return NULL;
}

static cl_image_desc desc_of(cl_mem_object_type type, const struct opengl_image *image)
{
	cl_image_desc desc = {.image_type = type, .image_width = (size_t)image->width};
	if (type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
		desc.image_height = (size_t)image->height;
	if (type == CL_MEM_OBJECT_IMAGE3D)
		desc.image_depth = (size_t)image->depth;
	if (type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
		desc.image_array_size = (size_t)image->depth;
	return desc;
}

/* Makes the OpenCL image, with memory of its own. */
static cl_int image_make(cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint levels,
			 const struct opengl_image *image, cl_mem *mem_out)
{
	struct ocl_image_request request = {
		.context = context, .flags = flags, .format = format_of(image->format),
		.desc = desc_of(type, image),
	};
	cl_mem buffer = NULL;
	cl_int error = CL_SUCCESS;
	request.desc.num_mip_levels = levels;
	if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
		error = memory_create(context, flags, (uint64_t)image->width * image->format->channels *
							      image->format->channel_B, &buffer);
	request.desc.mem_object = buffer;
	if (!error)
		error = memory_error(ocl_image_check(&request));
	if (!error)
		error = memory_error(ocl_image_create(&request, mem_out));
	object_unref(buffer);
	return error;
}

/* Makes the image and registers OpenGL's object, which was checked. */
static cl_int image_share(cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint levels,
			  const struct opengl_image *image, const struct ocl_gl_object *like, cl_mem *mem_out)
{
	struct ocl_gl_object *object = NULL;
	const bool in_buffer = type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
	const unsigned target = in_buffer ? 0 : like->target ? opengl_bound_target(like->target)
							     : OPENGL_RENDERBUFFER;
	/* 5.3.1: CL_INVALID_IMAGE_FORMAT_DESCRIPTOR for an internal format that does "not map to a supported OpenCL
	 * image format". */
	if (!image->format)
		return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	if (in_buffer && !image->buffer)
		return CL_INVALID_GL_OBJECT;
	cl_int error = object_make(context, like, target, in_buffer ? image->buffer : like->name, &object);
	if (error)
		return error;
	error = image_make(context, flags, type, levels, image, mem_out);
	if (error)
		object_destroy(object);
	else
		(*mem_out)->gl = object;
	return error;
}

/* Whether an image is this level of a texture whose level 0 is base: half the size of the one before, which had more
 * than one texel. */
static bool is_level_of(const struct opengl_image *base, bool layered, cl_uint level, const struct opengl_image *image)
{
	const struct gpu_extent whole = {
		.width = (uint64_t)base->width, .height = (uint64_t)base->height, .depth = (uint64_t)base->depth,
		.layered = layered,
	};
	const struct gpu_extent size = gpu_extent_of_level(&whole, level);
	const uint64_t bits = whole.width | whole.height | (layered ? 0 : whole.depth);
	return bits >> level && (uint64_t)image->width == size.width && (uint64_t)image->height == size.height &&
	       (uint64_t)image->depth == size.depth && image->format == base->format;
}

/* The number of levels that a mipmapped image of the texture has: those from level 0 on that fit to each other. */
static cl_uint levels_count(const struct opengl *gl, const struct ocl_gl_object *like, const struct opengl_image *base)
{
	const bool layered = like->target == OPENGL_TEXTURE_2D_ARRAY;
	cl_uint levels = 1;
	struct opengl_image next;
	while (levels < ABI_IMAGE_LEVELS && opengl_texture_has_level(gl, like->target, like->name, (int)levels) &&
	       opengl_texture_describe(gl, like->target, like->name, (int)levels, &next) &&
	       is_level_of(base, layered, levels, &next))
		levels++;
	return levels;
}

static cl_int texture_check(const struct opengl *gl, const struct target_row *row, const struct ocl_gl_object *like,
			    struct opengl_image *image_out)
{
	/* 5.3.1: CL_INVALID_MIP_LEVEL outside of the texture's levels; CL_INVALID_GL_OBJECT for a texture of another
	 * type, a level that is not defined, or one whose width or height is zero; CL_INVALID_OPERATION for a
	 * border. */
	const int level = like->level < 0 ? 0 : like->level;
	if (like->level < 0 && (like->target == OPENGL_TEXTURE_BUFFER || like->target == OPENGL_TEXTURE_RECTANGLE))
		return CL_INVALID_MIP_LEVEL;
	if (!opengl_texture_describe(gl, like->target, like->name, 0, image_out) && !level)
		return CL_INVALID_GL_OBJECT;
	if (!opengl_texture_has_level(gl, like->target, like->name, level))
		return image_out->width ? CL_INVALID_MIP_LEVEL : CL_INVALID_GL_OBJECT;
	if (!opengl_texture_describe(gl, like->target, like->name, level, image_out))
		return CL_INVALID_GL_OBJECT;
	if (image_out->border)
		return CL_INVALID_OPERATION;
	if (row->image)
		return CL_SUCCESS;
	log_err("CUDA does not share one-dimensional textures of OpenGL");
	return CL_INVALID_OPERATION;
}

cl_int ocl_gl_create_texture(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint level,
			     cl_GLuint name, cl_mem *mem_out)
{
	const struct target_row *row = target_find(target);
	struct opengl_image image;
	struct opengl gl;
	cl_int error = row ? flags_take(&flags) : CL_INVALID_VALUE;
	if (!error)
		error = context_find(&gl);
	if (error)
		return error;
	const struct ocl_gl_object like = {.type = row->type, .name = name, .target = target, .level = level};
	error = texture_check(&gl, row, &like, &image);
	if (error)
		return error;
	/* 5.3.1: a negative miplevel creates "a mipmapped OpenCL image from a mipmapped OpenGL texture". */
	const cl_uint levels = level < 0 ? levels_count(&gl, &like, &image) : 0;
	return image_share(context, flags, row->image, levels, &image, &like, mem_out);
}

cl_int ocl_gl_create_renderbuffer(cl_context context, cl_mem_flags flags, cl_GLuint name, cl_mem *mem_out)
{
	const struct ocl_gl_object like = {.type = CL_GL_OBJECT_RENDERBUFFER, .name = name};
	struct opengl_image image;
	struct opengl gl;
	cl_int error = flags_take(&flags);
	if (!error)
		error = context_find(&gl);
	/* 5.3.1: CL_INVALID_GL_OBJECT if it is no renderbuffer "or if the width or height of renderbuffer is zero". */
	if (!error && !opengl_renderbuffer_describe(&gl, name, &image))
		error = CL_INVALID_GL_OBJECT;
	/* CL_INVALID_OPERATION "if renderbuffer is a multi-sample OpenGL renderbuffer object". */
	if (!error && image.samples > 0)
		error = CL_INVALID_OPERATION;
	return error ? error : image_share(context, flags, CL_MEM_OBJECT_IMAGE2D, 0, &image, &like, mem_out);
}

/* --- copies --------------------------------------------------------------------------------- */

static uint64_t at_least_one(uint64_t size)
{
	return size ? size : 1;
}

struct gpu_graphics_side ocl_gl_side(const struct _cl_mem *mem, const struct ocl_acquired *at)
{
	const struct ocl_gl_object *object = mem->gl;
	const struct ocl_image *image = mem->image;
	struct gpu_graphics_side side = {.graphics = object->graphics[at->device], .array = at->array};
	if (!side.array) {
		side.address = at->address;
		side.size_B = mem->size_B;
		return side;
	}
	side.region[0] = image->width;
	side.region[1] = at_least_one(image->height);
	side.region[2] = at_least_one(image->array_size ? image->array_size : image->depth);
	side.layered = image->array_size;
	side.level = object->level < 0 ? 0 : (uint32_t)object->level;
	if (opengl_bound_target(object->target) == OPENGL_TEXTURE_CUBE_MAP)
		side.index = object->target - OPENGL_TEXTURE_CUBE_MAP_POSITIVE_X;
	return side;
}
