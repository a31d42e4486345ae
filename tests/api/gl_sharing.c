/* Protects: objects shared with OpenGL (cl_khr_gl_sharing).  What a kernel writes into a buffer, a texture or a
 * renderbuffer is what OpenGL draws, samples and reads, and the reverse, for all formats, kinds of textures, levels,
 * layers and faces; objects that several devices use, and parts of them; what queries answer.  OpenGL itself is the
 * reference. */
#include "config.h"

#include "tests/api/gl_sharing.h"

enum { SIDE = 8, TEXELS = SIDE * SIDE };

static struct api_test test;
static struct gl_sharing sharing;
static struct gl *const gl = &sharing.gl;
static cl_command_queue queue;
static cl_program program;

static const char source[] =
	"kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }\n"
	"kernel void add(global uint *a, uint n) { a[get_global_id(0)] += n; }\n"
	/* The points of a square that move one pixel to the right. */
	"kernel void place(global float2 *points, int side) {\n"
	"	const int i = get_global_id(0);\n"
	"	points[i] = (float2)((2 * (i % side) + 1.0f) / side - 1, (2 * (i / side) + 1.0f) / side - 1);\n"
	"}\n"
	"kernel void paint(write_only image2d_t image) {\n"
	"	const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"	write_imagef(image, at, (float4)(at.x / 255.0f, at.y / 255.0f, 1, 1));\n"
	"}\n"
	"kernel void look(read_only image2d_t image, global float4 *seen) {\n"
	"	const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"	seen[at.y * get_global_size(0) + at.x] = read_imagef(image, at);\n"
	"}\n"
	"kernel void look_at_buffer(read_only image1d_buffer_t image, global float4 *seen) {\n"
	"	seen[get_global_id(0)] = read_imagef(image, (int)get_global_id(0));\n"
	"}\n";

static bool launch_2d(cl_kernel kernel)
{
	const size_t global[2] = {SIDE, SIDE};
	return CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
}

static void kernel_set(cl_kernel kernel, cl_uint index, cl_mem mem)
{
	CHECK_OK(clSetKernelArg(kernel, index, sizeof(mem), &mem));
}

static cl_mem from_buffer(unsigned name, cl_mem_flags flags)
{
	cl_int code;
	cl_mem mem = clCreateFromGLBuffer(sharing.context, flags, name, &code);
	CHECK_OK(code);
	return mem;
}

static cl_mem from_texture(unsigned target, int level, unsigned name)
{
	cl_int code;
	cl_mem mem = clCreateFromGLTexture(sharing.context, CL_MEM_READ_WRITE, target, level, name, &code);
	CHECK_OK(code);
	return mem;
}

/* --- buffers -------------------------------------------------------------------------------- */

static void buffer_both_ways(void)
{
	float values[TEXELS], seen[TEXELS];
	unsigned name;
	cl_gl_object_type type = 0;
	cl_GLuint found = 0;
	size_t size_B = 0;
	for (unsigned i = 0; i < TEXELS; i++)
		values[i] = (float)i + 0.5f;
	gl->CreateBuffers(1, &name);
	gl->NamedBufferData(name, sizeof(values), values, GL_DYNAMIC_DRAW);
	cl_mem mem = from_buffer(name, CL_MEM_READ_WRITE);
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof(size_B), &size_B, NULL));
	CHECK(size_B == sizeof(values));
	CHECK_OK(clGetGLObjectInfo(mem, &type, &found));
	CHECK(type == CL_GL_OBJECT_BUFFER && found == name);
	CHECK_OK(clGetGLObjectInfo(mem, NULL, NULL));
	cl_kernel kernel = kernel_make(program, "twice");
	kernel_set(kernel, 0, mem);
	for (unsigned turn = 0; turn < 3; turn++) {
		gl_acquire(queue, mem);
		launch_1d(queue, kernel, TEXELS);
		gl_release(queue, mem);
		CHECK_OK(clFinish(queue));
		gl->GetNamedBufferSubData(name, 0, sizeof(seen), seen);
		for (unsigned i = 0; i < TEXELS; i++)
			CHECK(seen[i] == 2 * values[i]);
		/* OpenGL writes again, and the next acquire sees it. */
		for (unsigned i = 0; i < TEXELS; i++)
			values[i] = (float)(i * turn);
		gl->NamedBufferSubData(name, 0, sizeof(values), values);
	}
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseMemObject(mem));
	gl->DeleteBuffers(1, &name);
}

/* A kernel writes to a buffer that only kernels and the host may read: what the host writes to it counts, too. */
static void host_writes_count(void)
{
	const cl_uint values[4] = {5, 6, 7, 8};
	cl_uint seen[4] = {0};
	unsigned name;
	gl->CreateBuffers(1, &name);
	gl->NamedBufferData(name, sizeof(seen), seen, GL_DYNAMIC_DRAW);
	cl_mem mem = from_buffer(name, CL_MEM_READ_ONLY);
	gl_acquire(queue, mem);
	CHECK_OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 4, 8, values, 0, NULL, NULL));
	gl_release(queue, mem);
	CHECK_OK(clFinish(queue));
	gl->GetNamedBufferSubData(name, 0, sizeof(seen), seen);
	CHECK(seen[0] == 0 && seen[1] == 5 && seen[2] == 6 && seen[3] == 0);
	CHECK_OK(clReleaseMemObject(mem));
	gl->DeleteBuffers(1, &name);
}

/* What was not acquired has no contents of its own: a release leaves OpenGL's alone. */
static void release_alone(void)
{
	const cl_uint values[4] = {5, 6, 7, 8};
	cl_uint seen[4] = {0};
	unsigned name;
	gl->CreateBuffers(1, &name);
	gl->NamedBufferData(name, sizeof(values), values, GL_DYNAMIC_DRAW);
	cl_mem mem = from_buffer(name, CL_MEM_READ_WRITE);
	gl_release(queue, mem);
	gl_acquire(queue, mem);
	gl_release(queue, mem);
	CHECK_OK(clFinish(queue));
	gl->NamedBufferSubData(name, 0, 4, &values[3]);
	gl_release(queue, mem);
	CHECK_OK(clFinish(queue));
	gl->GetNamedBufferSubData(name, 0, sizeof(seen), seen);
	CHECK(seen[0] == 8 && seen[1] == 6 && seen[3] == 8);
	CHECK_OK(clEnqueueAcquireGLObjects(queue, 0, NULL, 0, NULL, NULL));
	CHECK_OK(clEnqueueReleaseGLObjects(queue, 0, NULL, 0, NULL, NULL));
	CHECK_OK(clReleaseMemObject(mem));
	gl->DeleteBuffers(1, &name);
}

/* Sub-buffers and an image of a shared buffer are acquired with it. */
static void parts_of_a_buffer(void)
{
	const cl_buffer_region region = {1024, 1024};
	const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 16};
	cl_uint seen[512], n = 3;
	cl_float colors[16][4];
	unsigned name;
	for (unsigned i = 0; i < 512; i++)
		seen[i] = 0xFF000033;
	gl->CreateBuffers(1, &name);
	gl->NamedBufferData(name, sizeof(seen), seen, GL_DYNAMIC_DRAW);
	cl_mem mem = from_buffer(name, CL_MEM_READ_WRITE), sub = sub_buffer_make(mem, 0, &region);
	cl_mem colors_mem = buffer_make(sharing.context, 0, sizeof(colors), NULL);
	desc.mem_object = mem;
	cl_mem image = image_make(sharing.context, CL_MEM_READ_ONLY, &format, &desc, NULL);
	CHECK_CODE(clEnqueueAcquireGLObjects(queue, 1, &sub, 0, NULL, NULL), CL_INVALID_GL_OBJECT);
	cl_kernel add = kernel_make(program, "add"), look = kernel_make(program, "look_at_buffer");
	kernel_set(add, 0, sub);
	CHECK_OK(clSetKernelArg(add, 1, sizeof(n), &n));
	kernel_set(look, 0, image);
	kernel_set(look, 1, colors_mem);
	gl_acquire(queue, mem);
	launch_1d(queue, look, 16);
	launch_1d(queue, add, 256);
	gl_release(queue, mem);
	buffer_read(queue, colors_mem, colors, sizeof(colors));
	CHECK(colors[9][0] == 0.2f && colors[9][3] == 1.0f && colors[9][1] == 0.0f);
	gl->GetNamedBufferSubData(name, 0, sizeof(seen), seen);
	CHECK(seen[255] == 0xFF000033 && seen[256] == 0xFF000036 && seen[511] == 0xFF000036);
	CHECK_OK(clReleaseKernel(add));
	CHECK_OK(clReleaseKernel(look));
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseMemObject(sub));
	CHECK_OK(clReleaseMemObject(colors_mem));
	CHECK_OK(clReleaseMemObject(mem));
	gl->DeleteBuffers(1, &name);
}

/* One device acquires, another computes, and that one releases. */
static void two_devices(void)
{
	cl_uint seen[64] = {0}, n = 1000;
	unsigned name;
	if (sharing.device_count < 2)
		return;
	cl_command_queue other = queue_make(sharing.context, sharing.devices[1], 0);
	gl->CreateBuffers(1, &name);
	gl->NamedBufferData(name, sizeof(seen), seen, GL_DYNAMIC_DRAW);
	cl_mem mem = from_buffer(name, CL_MEM_READ_WRITE);
	cl_kernel add = kernel_make(program, "add");
	kernel_set(add, 0, mem);
	CHECK_OK(clSetKernelArg(add, 1, sizeof(n), &n));
	gl_acquire(queue, mem);
	launch_1d(queue, add, 64);
	CHECK_OK(clFinish(queue));
	launch_1d(other, add, 64);
	CHECK_OK(clFinish(other));
	launch_1d(queue, add, 64);
	CHECK_OK(clFinish(queue));
	gl_release(other, mem);
	CHECK_OK(clFinish(other));
	gl->GetNamedBufferSubData(name, 0, sizeof(seen), seen);
	CHECK(seen[0] == 3000 && seen[63] == 3000);
	CHECK_OK(clReleaseKernel(add));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(other));
	gl->DeleteBuffers(1, &name);
}

/* --- drawing -------------------------------------------------------------------------------- */

/* A texture to draw into, in a frame that is bound. */
static unsigned canvas_make(unsigned *frame_out)
{
	unsigned texture;
	gl->CreateTextures(GL_TEXTURE_2D, 1, &texture);
	gl->TextureStorage2D(texture, 1, GL_RGBA8, SIDE, SIDE);
	gl->CreateFramebuffers(1, frame_out);
	gl->NamedFramebufferTexture(*frame_out, GL_COLOR_ATTACHMENT0, texture, 0);
	gl->BindFramebuffer(GL_FRAMEBUFFER, *frame_out);
	gl->Viewport(0, 0, SIDE, SIDE);
	gl->ClearColor(0, 0, 0, 0);
	gl->Clear(GL_COLOR_BUFFER_BIT);
	return texture;
}

/* A kernel places the points that OpenGL draws: each covers one pixel. */
static void vertices_are_drawn(void)
{
	enum { POINTS = TEXELS / 2 };
	const cl_int side = SIDE;
	unsigned name, frame, vertices, seen[TEXELS];
	const unsigned canvas = canvas_make(&frame);
	const unsigned drawing =
		gl_program(gl, "#version 450\nlayout(location = 0) in vec2 at;\n"
			       "void main() { gl_Position = vec4(at, 0, 1); }\n",
			   "#version 450\nout vec4 color;\nvoid main() { color = vec4(0, 1, 0, 1); }\n");
	CHECK(drawing);
	gl->CreateBuffers(1, &name);
	gl->NamedBufferStorage(name, POINTS * 8, NULL, 0);
	cl_mem mem = from_buffer(name, CL_MEM_WRITE_ONLY);
	cl_kernel place = kernel_make(program, "place");
	kernel_set(place, 0, mem);
	CHECK_OK(clSetKernelArg(place, 1, sizeof(side), &side));
	gl_acquire(queue, mem);
	launch_1d(queue, place, POINTS);
	gl_release(queue, mem);
	CHECK_OK(clFinish(queue));
	gl->CreateVertexArrays(1, &vertices);
	gl->VertexArrayVertexBuffer(vertices, 0, name, 0, 8);
	gl->VertexArrayAttribFormat(vertices, 0, 2, GL_FLOAT, 0, 0);
	gl->VertexArrayAttribBinding(vertices, 0, 0);
	gl->EnableVertexArrayAttrib(vertices, 0);
	gl->BindVertexArray(vertices);
	gl->UseProgram(drawing);
	gl->DrawArrays(GL_POINTS, 0, POINTS);
	gl->ReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, seen);
	for (unsigned i = 0; i < TEXELS; i++)
		CHECK(seen[i] == (i < POINTS ? 0xFF00FF00 : 0));
	CHECK_OK(clReleaseKernel(place));
	CHECK_OK(clReleaseMemObject(mem));
	gl->DeleteTextures(1, &canvas);
	gl->DeleteFramebuffers(1, &frame);
	gl->DeleteBuffers(1, &name);
}

/* OpenGL samples a texture that a kernel wrote, with its coordinates exchanged. */
static void texture_is_sampled(void)
{
	unsigned name, frame, vertices, seen[TEXELS];
	const unsigned canvas = canvas_make(&frame);
	const unsigned drawing = gl_program(
		gl,
		"#version 450\n"
		"void main() { gl_Position = vec4(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1, 0, 1); }\n",
		"#version 450\nlayout(binding = 0) uniform sampler2D image;\nout vec4 color;\n"
		"void main() { color = texelFetch(image, ivec2(gl_FragCoord.yx), 0); }\n");
	CHECK(drawing);
	gl->CreateTextures(GL_TEXTURE_2D, 1, &name);
	gl->TextureStorage2D(name, 1, GL_RGBA8, SIDE, SIDE);
	cl_mem mem = from_texture(GL_TEXTURE_2D, 0, name);
	cl_kernel paint = kernel_make(program, "paint");
	kernel_set(paint, 0, mem);
	gl_acquire(queue, mem);
	launch_2d(paint);
	gl_release(queue, mem);
	CHECK_OK(clFinish(queue));
	gl->CreateVertexArrays(1, &vertices);
	gl->BindVertexArray(vertices);
	gl->UseProgram(drawing);
	gl->BindTextureUnit(0, name);
	gl->DrawArrays(GL_TRIANGLES, 0, 3);
	gl->ReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, seen);
	for (unsigned i = 0; i < TEXELS; i++)
		CHECK(seen[i] == (0xFFFF0000 | (i % SIDE) << 8 | i / SIDE));
	CHECK_OK(clReleaseKernel(paint));
	CHECK_OK(clReleaseMemObject(mem));
	gl->DeleteTextures(1, &name);
	gl->DeleteTextures(1, &canvas);
	gl->DeleteFramebuffers(1, &frame);
}

/* A kernel reads what OpenGL has cleared, in a texture or a renderbuffer, and paints over it. */
static void drawn_is_read(bool in_texture)
{
	static float colors[TEXELS][4];
	unsigned name, frame, seen[TEXELS];
	cl_gl_object_type type = 0;
	cl_int code;
	cl_mem mem;
	gl->CreateFramebuffers(1, &frame);
	if (in_texture) {
		gl->CreateTextures(GL_TEXTURE_2D, 1, &name);
		gl->TextureStorage2D(name, 1, GL_RGBA8, SIDE, SIDE);
		gl->NamedFramebufferTexture(frame, GL_COLOR_ATTACHMENT0, name, 0);
		mem = from_texture(GL_TEXTURE_2D, 0, name);
	} else {
		gl->CreateRenderbuffers(1, &name);
		gl->NamedRenderbufferStorage(name, GL_RGBA8, SIDE, SIDE);
		gl->NamedFramebufferRenderbuffer(frame, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, name);
		mem = clCreateFromGLRenderbuffer(sharing.context, 0, name, &code);
		CHECK_OK(code);
	}
	CHECK_OK(clGetGLObjectInfo(mem, &type, NULL));
	CHECK(type == (cl_gl_object_type)(in_texture ? CL_GL_OBJECT_TEXTURE2D : CL_GL_OBJECT_RENDERBUFFER));
	gl->BindFramebuffer(GL_FRAMEBUFFER, frame);
	gl->ClearColor(0.2f, 0.4f, 0.6f, 1);
	gl->Clear(GL_COLOR_BUFFER_BIT);
	cl_mem colors_mem = buffer_make(sharing.context, 0, sizeof(colors), NULL);
	cl_kernel look = kernel_make(program, "look"), paint = kernel_make(program, "paint");
	kernel_set(look, 0, mem);
	kernel_set(look, 1, colors_mem);
	kernel_set(paint, 0, mem);
	gl_acquire(queue, mem);
	launch_2d(look);
	launch_2d(paint);
	gl_release(queue, mem);
	buffer_read(queue, colors_mem, colors, sizeof(colors));
	for (unsigned i = 0; i < TEXELS; i++)
		CHECK(colors[i][0] == 51 / 255.0f && colors[i][1] == 102 / 255.0f && colors[i][2] == 153 / 255.0f &&
		      colors[i][3] == 1);
	gl->ReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, seen);
	for (unsigned i = 0; i < TEXELS; i++)
		CHECK(seen[i] == (0xFFFF0000 | i / SIDE << 8 | i % SIDE));
	CHECK_OK(clReleaseKernel(look));
	CHECK_OK(clReleaseKernel(paint));
	CHECK_OK(clReleaseMemObject(colors_mem));
	CHECK_OK(clReleaseMemObject(mem));
	gl->DeleteFramebuffers(1, &frame);
	if (in_texture)
		gl->DeleteTextures(1, &name);
	else
		gl->DeleteRenderbuffers(1, &name);
}

static void rendered(void)
{
	drawn_is_read(true);
	drawn_is_read(false);
}

/* --- formats -------------------------------------------------------------------------------- */

/* The table of the specification (OpenCL 3.1 API, 5.3.1.6), with OpenGL's format and type of its texels.  NVIDIA's
 * driver does not share the formats of normalized signed numbers. */
static const struct format_row {
	unsigned internal, format, type, texel_B;
	cl_image_format image;
} formats[] = {
	{0x8058, 0x1908, 0x1401, 4, {CL_RGBA, CL_UNORM_INT8}}, {0x8C43, 0x1908, 0x1401, 4, {CL_sRGBA, CL_UNORM_INT8}},
	{0x8D8E, 0x8D99, 0x1400, 4, {CL_RGBA, CL_SIGNED_INT8}}, {0x8D88, 0x8D99, 0x1402, 8, {CL_RGBA, CL_SIGNED_INT16}},
	{0x8D82, 0x8D99, 0x1404, 16, {CL_RGBA, CL_SIGNED_INT32}},
	{0x8D7C, 0x8D99, 0x1401, 4, {CL_RGBA, CL_UNSIGNED_INT8}},
	{0x8D76, 0x8D99, 0x1403, 8, {CL_RGBA, CL_UNSIGNED_INT16}},
	{0x8D70, 0x8D99, 0x1405, 16, {CL_RGBA, CL_UNSIGNED_INT32}},
	{0x8F97, 0x1908, 0x1400, 4, {CL_RGBA, CL_SNORM_INT8}}, {0x805B, 0x1908, 0x1403, 8, {CL_RGBA, CL_UNORM_INT16}},
	{0x8F9B, 0x1908, 0x1402, 8, {CL_RGBA, CL_SNORM_INT16}}, {0x881A, 0x1908, 0x140B, 8, {CL_RGBA, CL_HALF_FLOAT}},
	{0x8814, 0x1908, 0x1406, 16, {CL_RGBA, CL_FLOAT}}, {0x8229, 0x1903, 0x1401, 1, {CL_R, CL_UNORM_INT8}},
	{0x8F94, 0x1903, 0x1400, 1, {CL_R, CL_SNORM_INT8}}, {0x822A, 0x1903, 0x1403, 2, {CL_R, CL_UNORM_INT16}},
	{0x8F98, 0x1903, 0x1402, 2, {CL_R, CL_SNORM_INT16}}, {0x822D, 0x1903, 0x140B, 2, {CL_R, CL_HALF_FLOAT}},
	{0x822E, 0x1903, 0x1406, 4, {CL_R, CL_FLOAT}}, {0x8231, 0x8D94, 0x1400, 1, {CL_R, CL_SIGNED_INT8}},
	{0x8233, 0x8D94, 0x1402, 2, {CL_R, CL_SIGNED_INT16}}, {0x8235, 0x8D94, 0x1404, 4, {CL_R, CL_SIGNED_INT32}},
	{0x8232, 0x8D94, 0x1401, 1, {CL_R, CL_UNSIGNED_INT8}}, {0x8234, 0x8D94, 0x1403, 2, {CL_R, CL_UNSIGNED_INT16}},
	{0x8236, 0x8D94, 0x1405, 4, {CL_R, CL_UNSIGNED_INT32}}, {0x822B, 0x8227, 0x1401, 2, {CL_RG, CL_UNORM_INT8}},
	{0x8F95, 0x8227, 0x1400, 2, {CL_RG, CL_SNORM_INT8}}, {0x822C, 0x8227, 0x1403, 4, {CL_RG, CL_UNORM_INT16}},
	{0x8F99, 0x8227, 0x1402, 4, {CL_RG, CL_SNORM_INT16}}, {0x822F, 0x8227, 0x140B, 4, {CL_RG, CL_HALF_FLOAT}},
	{0x8230, 0x8227, 0x1406, 8, {CL_RG, CL_FLOAT}}, {0x8237, 0x8228, 0x1400, 2, {CL_RG, CL_SIGNED_INT8}},
	{0x8239, 0x8228, 0x1402, 4, {CL_RG, CL_SIGNED_INT16}}, {0x823B, 0x8228, 0x1404, 8, {CL_RG, CL_SIGNED_INT32}},
	{0x8238, 0x8228, 0x1401, 2, {CL_RG, CL_UNSIGNED_INT8}}, {0x823A, 0x8228, 0x1403, 4, {CL_RG, CL_UNSIGNED_INT16}},
	{0x823C, 0x8228, 0x1405, 8, {CL_RG, CL_UNSIGNED_INT32}},
};

/* A width that leaves rows with padding. */
enum { WIDE = 5, HIGH = 3, DEEP = 2 };

/* Bytes that are the same after any conversion: small positive numbers, which are finite as floats, too. */
static void pattern_fill(unsigned char *bytes, size_t count, unsigned seed)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = (unsigned char)((i * 7 + seed) % 50);
}

/* All texels of a part of a texture, from OpenGL to OpenCL, and others back. */
static void texels_both_ways(const struct format_row *row, cl_mem mem, unsigned name, int level, int layer, int layers)
{
	unsigned char put[WIDE * HIGH * DEEP * 16], seen[sizeof(put)];
	const size_t size_B = (size_t)WIDE * HIGH * (unsigned)layers * row->texel_B;
	const size_t origin[3] = {0}, region[3] = {WIDE, HIGH, (size_t)layers};
	pattern_fill(put, size_B, row->internal % 13);
	gl->PixelStorei(GL_PACK_ALIGNMENT, 1);
	gl->PixelStorei(0x0CF5, 1);
	if (layers > 1 || layer)
		gl->TextureSubImage3D(name, level, 0, 0, layer, WIDE, HIGH, layers, row->format, row->type, put);
	else
		gl->TextureSubImage2D(name, level, 0, 0, WIDE, HIGH, row->format, row->type, put);
	gl_acquire(queue, mem);
	memset(seen, 255, sizeof(seen));
	CHECK_OK(clEnqueueReadImage(queue, mem, CL_TRUE, origin, region, 0, 0, seen, 0, NULL, NULL));
	if (!CHECK(!memcmp(put, seen, size_B)))
		printf("  format 0x%x, from OpenGL\n", row->internal);
	pattern_fill(put, size_B, 29);
	CHECK_OK(clEnqueueWriteImage(queue, mem, CL_TRUE, origin, region, 0, 0, put, 0, NULL, NULL));
	gl_release(queue, mem);
	CHECK_OK(clFinish(queue));
	memset(seen, 255, sizeof(seen));
	gl->GetTextureSubImage(name, level, 0, 0, layer, WIDE, HIGH, layers, row->format, row->type, sizeof(seen),
			       seen);
	if (!CHECK(!memcmp(put, seen, size_B)))
		printf("  format 0x%x, from OpenCL\n", row->internal);
	CHECK(gl->GetError() == 0);
}

static void all_formats(void)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		const struct format_row *row = &formats[i];
		cl_image_format format = {0};
		size_t element_B = 0;
		unsigned name;
		cl_int code;
		gl->CreateTextures(GL_TEXTURE_2D, 1, &name);
		gl->TextureStorage2D(name, 1, row->internal, WIDE, HIGH);
		cl_mem mem = clCreateFromGLTexture(sharing.context, CL_MEM_READ_WRITE, GL_TEXTURE_2D, 0, name, &code);
		const cl_channel_type type = row->image.image_channel_data_type;
		if (type == CL_SNORM_INT8 || type == CL_SNORM_INT16) {
			CHECK_CODE(code, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
			CHECK(!mem);
		} else if (CHECK_OK(code)) {
			CHECK_OK(clGetImageInfo(mem, CL_IMAGE_FORMAT, sizeof(format), &format, NULL));
			CHECK_OK(clGetImageInfo(mem, CL_IMAGE_ELEMENT_SIZE, sizeof(element_B), &element_B, NULL));
			CHECK(!memcmp(&format, &row->image, sizeof(format)));
			CHECK(element_B == row->texel_B);
			texels_both_ways(row, mem, name, 0, 0, 1);
			CHECK_OK(clReleaseMemObject(mem));
		}
		gl->DeleteTextures(1, &name);
	}
}

/* --- kinds of textures ---------------------------------------------------------------------- */

static void size_check(cl_mem mem, cl_image_info what, size_t expected)
{
	size_t size = 0;
	CHECK_OK(clGetImageInfo(mem, what, sizeof(size), &size, NULL));
	CHECK(size == expected);
}

static void texture_of_kind(unsigned target, unsigned storage, int level, cl_gl_object_type expected)
{
	const bool deep = target == GL_TEXTURE_3D || target == GL_TEXTURE_2D_ARRAY;
	const bool face = storage == GL_TEXTURE_CUBE_MAP;
	const int width = WIDE << level, height = face ? WIDE : HIGH << level;
	cl_gl_object_type type = 0;
	cl_GLenum asked = 0;
	cl_GLint asked_level = -1;
	unsigned name;
	gl->CreateTextures(storage, 1, &name);
	if (deep)
		gl->TextureStorage3D(name, 1, GL_RGBA8, WIDE, HIGH, DEEP);
	else
		gl->TextureStorage2D(name, storage == GL_TEXTURE_2D ? 2 : 1, GL_RGBA8, width, height);
	cl_mem mem = from_texture(target, level, name);
	CHECK_OK(clGetGLObjectInfo(mem, &type, NULL));
	CHECK(type == expected);
	CHECK_OK(clGetGLTextureInfo(mem, CL_GL_TEXTURE_TARGET, sizeof(asked), &asked, NULL));
	CHECK_OK(clGetGLTextureInfo(mem, CL_GL_MIPMAP_LEVEL, sizeof(asked_level), &asked_level, NULL));
	CHECK(asked == target && asked_level == level);
	size_check(mem, CL_IMAGE_WIDTH, WIDE);
	size_check(mem, CL_IMAGE_HEIGHT, face ? WIDE : HIGH);
	size_check(mem, CL_IMAGE_DEPTH, target == GL_TEXTURE_3D ? DEEP : 0);
	size_check(mem, CL_IMAGE_ARRAY_SIZE, target == GL_TEXTURE_2D_ARRAY ? DEEP : 0);
	texels_both_ways(&formats[0], mem, name, level, face ? (int)(target - GL_TEXTURE_CUBE_MAP_POSITIVE_X) : 0,
			 deep ? DEEP : 1);
	CHECK_OK(clReleaseMemObject(mem));
	gl->DeleteTextures(1, &name);
}

static void kinds_of_textures(void)
{
	texture_of_kind(GL_TEXTURE_2D, GL_TEXTURE_2D, 0, CL_GL_OBJECT_TEXTURE2D);
	texture_of_kind(GL_TEXTURE_2D, GL_TEXTURE_2D, 1, CL_GL_OBJECT_TEXTURE2D);
	texture_of_kind(GL_TEXTURE_RECTANGLE, GL_TEXTURE_RECTANGLE, 0, CL_GL_OBJECT_TEXTURE2D);
	texture_of_kind(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_2D_ARRAY, 0, CL_GL_OBJECT_TEXTURE2D_ARRAY);
	texture_of_kind(GL_TEXTURE_3D, GL_TEXTURE_3D, 0, CL_GL_OBJECT_TEXTURE3D);
	for (unsigned face = 1; face < 6; face++)
		texture_of_kind(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, GL_TEXTURE_CUBE_MAP, 0, CL_GL_OBJECT_TEXTURE2D);
}

/* A negative level stands for all levels of a texture (cl_khr_mipmap_image with cl_khr_gl_sharing). */
static void all_levels(void)
{
	enum { LEVELS = 3, SIZE = 8 };
	static unsigned char put[LEVELS][SIZE * SIZE * 4], seen[SIZE * SIZE * 4];
	const size_t origin[3] = {0, 0, 1}, region[3] = {SIZE / 2, SIZE / 2, 1};
	const cl_uint color[4] = {11, 12, 13, 14};
	cl_uint levels = 0;
	cl_GLint level = 0;
	unsigned name;
	gl->CreateTextures(GL_TEXTURE_2D, 1, &name);
	gl->TextureStorage2D(name, LEVELS, 0x8D7C /* GL_RGBA8UI */, SIZE, SIZE);
	for (unsigned i = 0; i < LEVELS; i++) {
		pattern_fill(put[i], sizeof(put[i]), i * 11);
		gl->TextureSubImage2D(name, (int)i, 0, 0, SIZE >> i, SIZE >> i, 0x8D99 /* GL_RGBA_INTEGER */,
				      GL_UNSIGNED_BYTE, put[i]);
	}
	cl_mem mem = from_texture(GL_TEXTURE_2D, -1, name);
	CHECK_OK(clGetImageInfo(mem, CL_IMAGE_NUM_MIP_LEVELS, sizeof(levels), &levels, NULL));
	CHECK_OK(clGetGLTextureInfo(mem, CL_GL_MIPMAP_LEVEL, sizeof(level), &level, NULL));
	CHECK(levels == LEVELS && level == -1);
	gl_acquire(queue, mem);
	for (unsigned i = 0; i < LEVELS; i++) {
		const size_t at[3] = {0, 0, i}, size[3] = {SIZE >> i, SIZE >> i, 1};
		CHECK_OK(clEnqueueReadImage(queue, mem, CL_TRUE, at, size, 0, 0, seen, 0, NULL, NULL));
		CHECK(!memcmp(put[i], seen, 4 * size[0] * size[1]));
	}
	CHECK_OK(clEnqueueFillImage(queue, mem, color, origin, region, 0, NULL, NULL));
	gl_release(queue, mem);
	CHECK_OK(clFinish(queue));
	gl->GetTextureSubImage(name, 1, 0, 0, 0, SIZE / 2, SIZE / 2, 1, 0x8D99, GL_UNSIGNED_BYTE, sizeof(seen), seen);
	CHECK(seen[0] == 11 && seen[3] == 14 && seen[SIZE * SIZE - 1] == 14);
	gl->GetTextureSubImage(name, 2, 0, 0, 0, SIZE / 4, SIZE / 4, 1, 0x8D99, GL_UNSIGNED_BYTE, sizeof(seen), seen);
	CHECK(!memcmp(put[2], seen, SIZE * SIZE / 4));
	CHECK(gl->GetError() == 0);
	CHECK_OK(clReleaseMemObject(mem));
	gl->DeleteTextures(1, &name);
}

/* OpenGL lets levels be defined that do not fit to the others: they do not belong to the image of all levels. */
static void levels_that_do_not_fit(void)
{
	static const struct {
		int size[2], next[2];
		cl_uint levels;
	} rows[] = {
		{{8, 8}, {4, 4}, 2}, {{8, 8}, {4, 2}, 1}, {{8, 8}, {2, 4}, 1}, {{8, 1}, {4, 1}, 2}, {{1, 1}, {1, 1}, 1},
	};
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cl_uint levels = 0;
		unsigned name;
		gl->CreateTextures(GL_TEXTURE_2D, 1, &name);
		gl->BindTexture(GL_TEXTURE_2D, name);
		gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, rows[i].size[0], rows[i].size[1], 0, GL_RGBA,
			       GL_UNSIGNED_BYTE, NULL);
		gl->TexImage2D(GL_TEXTURE_2D, 1, GL_RGBA8, rows[i].next[0], rows[i].next[1], 0, GL_RGBA,
			       GL_UNSIGNED_BYTE, NULL);
		gl->BindTexture(GL_TEXTURE_2D, 0);
		cl_mem mem = from_texture(GL_TEXTURE_2D, -1, name);
		if (mem) {
			CHECK_OK(clGetImageInfo(mem, CL_IMAGE_NUM_MIP_LEVELS, sizeof(levels), &levels, NULL));
			CHECK(levels == rows[i].levels);
			gl_acquire(queue, mem);
			gl_release(queue, mem);
			CHECK_OK(clFinish(queue));
			CHECK_OK(clReleaseMemObject(mem));
		}
		gl->DeleteTextures(1, &name);
	}
	CHECK(gl->GetError() == 0);
}

static void buffer_texture(void)
{
	static float colors[TEXELS][4];
	unsigned buffer, name;
	cl_uint texels[TEXELS];
	cl_gl_object_type type = 0;
	for (unsigned i = 0; i < TEXELS; i++)
		texels[i] = i;
	gl->CreateBuffers(1, &buffer);
	gl->NamedBufferData(buffer, sizeof(texels), texels, GL_DYNAMIC_DRAW);
	gl->CreateTextures(GL_TEXTURE_BUFFER, 1, &name);
	gl->TextureBuffer(name, GL_RGBA8, buffer);
	cl_mem mem = from_texture(GL_TEXTURE_BUFFER, 0, name);
	CHECK_OK(clGetGLObjectInfo(mem, &type, NULL));
	CHECK(type == CL_GL_OBJECT_TEXTURE_BUFFER);
	cl_mem seen = buffer_make(sharing.context, 0, sizeof(colors), NULL);
	cl_kernel look = kernel_make(program, "look_at_buffer");
	kernel_set(look, 0, mem);
	kernel_set(look, 1, seen);
	gl_acquire(queue, mem);
	launch_1d(queue, look, TEXELS);
	gl_release(queue, mem);
	buffer_read(queue, seen, colors, sizeof(colors));
	for (unsigned i = 0; i < TEXELS; i++)
		CHECK(colors[i][0] == (float)i / 255 && colors[i][3] == 0);
	CHECK_OK(clReleaseKernel(look));
	CHECK_OK(clReleaseMemObject(seen));
	CHECK_OK(clReleaseMemObject(mem));
	gl->DeleteTextures(1, &name);
	gl->DeleteBuffers(1, &buffer);
}

/* Programs with a context of the compatibility profile, as GLUT's are. */
static void compatibility_profile(void)
{
	void *compatible = gl_context_create(&sharing.window, sharing.window.context, GL_COMPATIBLE);
	if (!compatible || !gl_make_current(&sharing.window, compatible))
		return;
	buffer_both_ways();
	drawn_is_read(true);
	drawn_is_read(false);
	kinds_of_textures();
	buffer_texture();
	CHECK(gl->GetError() == 0);
	CHECK(gl_make_current(&sharing.window, sharing.window.context));
}

/* The functions that OpenCL 1.2 has deprecated. */
static void deprecated(void)
{
	unsigned flat, deep;
	cl_int code;
	gl->CreateTextures(GL_TEXTURE_2D, 1, &flat);
	gl->TextureStorage2D(flat, 1, GL_RGBA8, SIDE, SIDE);
	gl->CreateTextures(GL_TEXTURE_3D, 1, &deep);
	gl->TextureStorage3D(deep, 1, GL_RGBA8, SIDE, SIDE, SIDE);
	cl_mem mem = clCreateFromGLTexture2D(sharing.context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, flat, &code);
	CHECK_OK(code);
	CHECK_OK(clReleaseMemObject(mem));
	mem = clCreateFromGLTexture3D(sharing.context, CL_MEM_READ_ONLY, GL_TEXTURE_3D, 0, deep, &code);
	CHECK_OK(code);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_NO_OBJECT(clCreateFromGLTexture3D(sharing.context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, flat, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateFromGLTexture2D(sharing.context, CL_MEM_READ_ONLY, GL_TEXTURE_3D, 0, deep, &code), code,
			CL_INVALID_VALUE);
	gl->DeleteTextures(1, &flat);
	gl->DeleteTextures(1, &deep);
}

int main(void)
{
	/* On softcuda; a real driver has the devices that it has. */
	setenv("CULVERT_SOFT_DEVICES", "2", 1);
	if (!api_test_start(&test, "gl_sharing"))
		return API_TEST_SKIP;
	if (!gl_sharing_start(&sharing, &test))
		return api_test_skip(&test);
	queue = queue_make(sharing.context, sharing.devices[0], 0);
	program = api_test_build(sharing.context, sharing.devices[0], source, "");
	buffer_both_ways();
	host_writes_count();
	release_alone();
	parts_of_a_buffer();
	two_devices();
	vertices_are_drawn();
	texture_is_sampled();
	rendered();
	all_formats();
	kinds_of_textures();
	all_levels();
	levels_that_do_not_fit();
	buffer_texture();
	compatibility_profile();
	deprecated();
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
	gl_sharing_end(&sharing);
	return api_test_end(&test);
}
