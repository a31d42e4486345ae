/* Copies between OpenGL's objects and memory.
 *
 * Direct state access (OpenGL 4.5) is used, so that no binding changes; the state of pixel transfers is set for the
 * copy and restored. */
#include "config.h"

#include "softcuda/driver/graphics.h"

#include "base/log.h"
#include "softcuda/driver/array.h"

#include <string.h>

enum { NEEDS_VERSION = 45 };

#define COPY_FUNCTIONS(FUNCTION)                                                                   \
	FUNCTION(CreateBuffers, (int, unsigned *))                                                 \
	FUNCTION(DeleteBuffers, (int, const unsigned *))                                           \
	FUNCTION(NamedBufferData, (unsigned, ptrdiff_t, const void *, unsigned))                   \
	FUNCTION(CopyNamedBufferSubData, (unsigned, unsigned, ptrdiff_t, ptrdiff_t, ptrdiff_t))    \
	FUNCTION(GetNamedBufferSubData, (unsigned, ptrdiff_t, ptrdiff_t, void *))                  \
	FUNCTION(PixelStorei, (unsigned, int))                                                     \
	FUNCTION(GetTextureSubImage, (unsigned, int, int, int, int, int, int, int, unsigned,       \
				      unsigned, int, void *))                                      \
	FUNCTION(TextureSubImage2D, (unsigned, int, int, int, int, int, unsigned, unsigned,        \
				     const void *))                                                \
	FUNCTION(TextureSubImage3D, (unsigned, int, int, int, int, int, int, int, unsigned,        \
				     unsigned, const void *))                                      \
	FUNCTION(CreateTextures, (unsigned, int, unsigned *))                                      \
	FUNCTION(DeleteTextures, (int, const unsigned *))                                          \
	FUNCTION(TextureStorage2D, (unsigned, int, unsigned, int, int))                            \
	FUNCTION(CopyImageSubData, (unsigned, unsigned, int, int, int, int, unsigned, unsigned,    \
				    int, int, int, int, int, int, int))

struct copier {
	struct opengl gl;
#define FUNCTION(name, parameters) void (*name) parameters;
	COPY_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

CUresult soft_graphics_context(struct opengl *gl_out)
{
	if (!opengl_current(gl_out))
		return CUDA_ERROR_INVALID_GRAPHICS_CONTEXT;
	if (!gl_out->embedded && gl_out->version >= NEEDS_VERSION)
		return CUDA_SUCCESS;
	log_err("softcuda: sharing requires a context of OpenGL 4.5; the current one is of OpenGL%s %d.%d",
		gl_out->embedded ? " ES" : "", gl_out->version / 10, gl_out->version % 10);
	return CUDA_ERROR_INVALID_GRAPHICS_CONTEXT;
}

static CUresult copier_start(struct copier *copier)
{
	CUresult result = soft_graphics_context(&copier->gl);
	if (result != CUDA_SUCCESS)
		return result;
#define FUNCTION(name, parameters)                                              \
	copier->name = (void (*) parameters)copier->gl.find("gl" #name);        \
	if (!copier->name)                                                      \
		return CUDA_ERROR_INVALID_GRAPHICS_CONTEXT;
	COPY_FUNCTIONS(FUNCTION)
#undef FUNCTION
	return CUDA_SUCCESS;
}

/* --- buffers ---------- */

enum { STREAM_COPY = 0x88E2, STREAM_READ = 0x88E1 };

/* A temporary buffer is used, because the data store may be immutable, so that only copies change it. */
static CUresult buffer_copy(unsigned name, const void *from, void *to, uint64_t size_B)
{
	struct copier copier;
	unsigned other;
	CUresult result = copier_start(&copier);
	if (result != CUDA_SUCCESS)
		return result;
	if (opengl_buffer_B(&copier.gl, name) != size_B)
		return CUDA_ERROR_INVALID_HANDLE;
	copier.CreateBuffers(1, &other);
	copier.NamedBufferData(other, (ptrdiff_t)size_B, from, from ? STREAM_COPY : STREAM_READ);
	copier.CopyNamedBufferSubData(from ? other : name, from ? name : other, 0, 0, (ptrdiff_t)size_B);
	if (to)
		copier.GetNamedBufferSubData(other, 0, (ptrdiff_t)size_B, to);
	copier.DeleteBuffers(1, &other);
	return CUDA_SUCCESS;
}

CUresult soft_graphics_buffer_read(unsigned name, void *to, uint64_t size_B)
{
	return buffer_copy(name, NULL, to, size_B);
}

CUresult soft_graphics_buffer_write(unsigned name, const void *from, uint64_t size_B)
{
	return buffer_copy(name, from, NULL, size_B);
}

/* --- images ---------- */

/* The state that changes how texels are packed: pixel stores, and the buffer that may take the place of memory. */
enum {
	PIXEL_PACK_BUFFER = 0x88EB, PIXEL_PACK_BUFFER_BINDING = 0x88ED,
	PIXEL_UNPACK_BUFFER = 0x88EC, PIXEL_UNPACK_BUFFER_BINDING = 0x88EF,
	PACK_ROW_LENGTH = 0x0D02, PACK_ALIGNMENT = 0x0D05, PACK_IMAGE_HEIGHT = 0x806C,
	UNPACK_ROW_LENGTH = 0x0CF2, UNPACK_ALIGNMENT = 0x0CF5, UNPACK_IMAGE_HEIGHT = 0x806E
};
static const unsigned stores[2][8] = {
	/* row length, alignment, image height, swap bytes, first bit, skipped rows, pixels and images */
	{PACK_ROW_LENGTH, PACK_ALIGNMENT, PACK_IMAGE_HEIGHT, 0x0D00, 0x0D01, 0x0D03, 0x0D04, 0x806B},
	{UNPACK_ROW_LENGTH, UNPACK_ALIGNMENT, UNPACK_IMAGE_HEIGHT, 0x0CF0, 0x0CF1, 0x0CF3, 0x0CF4, 0x806D}
};

struct stored {
	int values[8], buffer;
};

static void stores_set(const struct copier *copier, bool write, int row_texels, int rows,
		       struct stored *before_out)
{
	const int values[8] = {row_texels, 1, rows};
	copier->gl.GetIntegerv(write ? PIXEL_UNPACK_BUFFER_BINDING : PIXEL_PACK_BUFFER_BINDING,
			       &before_out->buffer);
	copier->gl.BindBuffer(write ? PIXEL_UNPACK_BUFFER : PIXEL_PACK_BUFFER, 0);
	for (unsigned i = 0; i < 8; i++) {
		copier->gl.GetIntegerv(stores[write][i], &before_out->values[i]);
		copier->PixelStorei(stores[write][i], values[i]);
	}
}

static void stores_restore(const struct copier *copier, bool write, const struct stored *before)
{
	for (unsigned i = 0; i < 8; i++)
		copier->PixelStorei(stores[write][i], before->values[i]);
	copier->gl.BindBuffer(write ? PIXEL_UNPACK_BUFFER : PIXEL_PACK_BUFFER, (unsigned)before->buffer);
}

static unsigned transfer_format(const struct opengl_format *format)
{
	const bool whole = format->kind == OPENGL_UINT || format->kind == OPENGL_SINT;
	switch (format->channels) {
	case 1:
		return whole ? 0x8D94 : 0x1903;  /* GL_RED_INTEGER, GL_RED */
	case 2:
		return whole ? 0x8228 : 0x8227;  /* GL_RG_INTEGER, GL_RG */
	default:
		return whole ? 0x8D99 : 0x1908;  /* GL_RGBA_INTEGER, GL_RGBA */
	}
}

static unsigned transfer_type(const struct opengl_format *format)
{
	const bool is_signed = format->kind == OPENGL_SINT;
	if (format->kind == OPENGL_FLOAT)
		return format->channel_B == 2 ? 0x140B : 0x1406;  /* GL_HALF_FLOAT, GL_FLOAT */
	/* GL_BYTE, GL_UNSIGNED_BYTE; GL_SHORT, ...; GL_INT, ... */
	const unsigned first = format->channel_B == 1 ? 0x1400 : format->channel_B == 2 ? 0x1402 : 0x1404;
	return is_signed ? first : first + 1;
}

static CUarray_format array_format(const struct opengl_format *format)
{
	const bool is_signed = format->kind == OPENGL_SINT;
	if (format->kind == OPENGL_FLOAT)
		return format->channel_B == 2 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
	switch (format->channel_B) {
	case 1:
		return is_signed ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8;
	case 2:
		return is_signed ? CU_AD_FORMAT_SIGNED_INT16 : CU_AD_FORMAT_UNSIGNED_INT16;
	default:
		return is_signed ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_UNSIGNED_INT32;
	}
}

enum { CUBE_FACES = 6 };

CUresult soft_graphics_part_describe(unsigned target, unsigned name, unsigned index, unsigned level,
				     CUDA_ARRAY3D_DESCRIPTOR *descriptor_out,
				     struct opengl_image *image_out)
{
	struct opengl gl;
	CUresult result = soft_graphics_context(&gl);
	if (result != CUDA_SUCCESS)
		return result;
	const unsigned face = target == OPENGL_TEXTURE_CUBE_MAP ? OPENGL_TEXTURE_CUBE_MAP_POSITIVE_X : target;
	const bool found = target == OPENGL_RENDERBUFFER
		? !level && opengl_renderbuffer_describe(&gl, name, image_out)
		: opengl_texture_describe(&gl, face, name, (int)level, image_out);
	const unsigned layers = target == OPENGL_TEXTURE_CUBE_MAP ? CUBE_FACES :
				target == OPENGL_TEXTURE_2D_ARRAY ? (unsigned)image_out->depth : 1;
	if (!found || !image_out->format || image_out->samples > (target == OPENGL_RENDERBUFFER ? 0 : 1) ||
	    index >= layers)
		return CUDA_ERROR_INVALID_VALUE;
	memset(descriptor_out, 0, sizeof(*descriptor_out));
	descriptor_out->Width = (size_t)image_out->width;
	descriptor_out->Height = (size_t)image_out->height;
	descriptor_out->Depth = target == OPENGL_TEXTURE_3D ? (size_t)image_out->depth : 0;
	descriptor_out->Format = array_format(image_out->format);
	descriptor_out->NumChannels = image_out->format->channels;
	return CUDA_SUCCESS;
}

/* Whether the part still has the size and format with which its array was made. */
static bool is_as_before(const struct soft_graphics *resource, const struct soft_graphics_part *part)
{
	CUDA_ARRAY3D_DESCRIPTOR descriptor;
	struct opengl_image now;
	return soft_graphics_part_describe(resource->target, resource->name, part->index, part->level,
					   &descriptor, &now) == CUDA_SUCCESS &&
	       now.width == part->image.width && now.height == part->image.height &&
	       now.depth == part->image.depth && now.format == part->image.format;
}

/* Copies texels between a texture and memory; exactly one of to and from is set. */
static void texels_copy(const struct copier *copier, unsigned texture, const struct soft_graphics *resource,
			const struct soft_graphics_part *part, void *to, const void *from)
{
	const struct soft_array *array = part->array;
	const unsigned format = transfer_format(part->image.format), type = transfer_type(part->image.format);
	const int width = part->image.width, height = part->image.height, index = (int)part->index;
	const bool plane = resource->target == OPENGL_TEXTURE_2D ||
			   resource->target == OPENGL_TEXTURE_RECTANGLE || resource->target == OPENGL_RENDERBUFFER;
	const int depth = resource->target == OPENGL_TEXTURE_3D ? part->image.depth : 1;
	struct stored before;
	stores_set(copier, from, (int)(array->pitch_B / array->element_B), height, &before);
	if (to)
		copier->GetTextureSubImage(texture, (int)part->level, 0, 0, index, width, height, depth, format,
					   type, (int)(array->slice_B * array->depth), to);
	else if (plane)
		copier->TextureSubImage2D(texture, (int)part->level, 0, 0, width, height, format, type, from);
	else
		copier->TextureSubImage3D(texture, (int)part->level, 0, 0, index, width, height, depth, format,
					  type, from);
	stores_restore(copier, from, &before);
}

/* A renderbuffer is copied by way of a texture, because no framebuffer's state has to be changed for that. */
static void renderbuffer_copy(const struct copier *copier, const struct soft_graphics *resource,
			      const struct soft_graphics_part *part, void *to, const void *from)
{
	const int width = part->image.width, height = part->image.height;
	unsigned texture;
	copier->CreateTextures(OPENGL_TEXTURE_2D, 1, &texture);
	copier->TextureStorage2D(texture, 1, part->image.format->internal, width, height);
	if (to)
		copier->CopyImageSubData(resource->name, OPENGL_RENDERBUFFER, 0, 0, 0, 0, texture,
					 OPENGL_TEXTURE_2D, 0, 0, 0, 0, width, height, 1);
	texels_copy(copier, texture, resource, part, to, from);
	if (from)
		copier->CopyImageSubData(texture, OPENGL_TEXTURE_2D, 0, 0, 0, 0, resource->name,
					 OPENGL_RENDERBUFFER, 0, 0, 0, 0, width, height, 1);
	copier->DeleteTextures(1, &texture);
}

static CUresult part_copy(const struct soft_graphics *resource, const struct soft_graphics_part *part,
			  void *to, const void *from)
{
	struct copier copier;
	CUresult result = copier_start(&copier);
	if (result != CUDA_SUCCESS)
		return result;
	if (!is_as_before(resource, part))
		return CUDA_ERROR_INVALID_HANDLE;
	if (resource->target == OPENGL_RENDERBUFFER)
		renderbuffer_copy(&copier, resource, part, to, from);
	else
		texels_copy(&copier, resource->name, resource, part, to, from);
	return CUDA_SUCCESS;
}

CUresult soft_graphics_part_read(const struct soft_graphics *resource,
				 const struct soft_graphics_part *part, void *memory)
{
	return part_copy(resource, part, memory, NULL);
}

CUresult soft_graphics_part_write(const struct soft_graphics *resource,
				  const struct soft_graphics_part *part, const void *memory)
{
	return part_copy(resource, part, NULL, memory);
}
