/* Protects: images that OpenCL shares with EGL (cl_khr_egl_image): their formats and sizes; what OpenGL has drawn is
 * what an acquire reads, and what a kernel wrote is what OpenGL draws with, reads from a framebuffer, and sees in
 * another texture of the image after a release, also by threads without an OpenGL context, and after eglDestroyImage;
 * fences of EGL; what happens where the CUDA driver fails. */
#include "config.h"

#include "tests/api/gl_sharing.h"
#include "tests/api/soft_fault.h"

#include <pthread.h>

enum { WIDTH = 12, HEIGHT = 5, TEXELS = WIDTH * HEIGHT };

static struct api_test test;
static struct gl_window window;
static struct gl gl;
static cl_context context;               /* without any property of OpenGL: none is needed */
static cl_command_queue queue;
static cl_kernel add;
static unsigned sampler, vertices;       /* OpenGL's program and vertex array for drawing a texture */
static void *(*image_create)(void *, void *, unsigned, void *, const intptr_t *);
static unsigned (*image_destroy)(void *, void *);

/* An EGL image of a texture with that format; NULL: EGL has none. */
static void *egl_image_make(unsigned format, unsigned *texture_out)
{
	gl.CreateTextures(GL_TEXTURE_2D, 1, texture_out);
	gl.TextureStorage2D(*texture_out, 1, format, WIDTH, HEIGHT);
	gl.Finish();
	/* EGL_GL_TEXTURE_2D */
	return image_create(window.display, window.context, 0x30B1, (void *)(uintptr_t)*texture_out, NULL);
}

static cl_mem mem_make(void *image, cl_mem_flags flags)
{
	cl_int code = 12345;
	cl_mem mem = clCreateFromEGLImageKHR(context, window.display, image, flags, NULL, &code);
	CHECK_OK(code);
	return mem;
}

static void texture_fill(unsigned texture, cl_uint start)
{
	cl_uint texels[TEXELS];
	for (unsigned i = 0; i < TEXELS; i++)
		texels[i] = start + i;
	gl.TextureSubImage2D(texture, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	gl.Finish();
}

/* A framebuffer with the texture, which is current. */
static unsigned framebuffer_make(unsigned texture)
{
	unsigned framebuffer;
	gl.CreateFramebuffers(1, &framebuffer);
	gl.NamedFramebufferTexture(framebuffer, GL_COLOR_ATTACHMENT0, texture, 0);
	gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	return framebuffer;
}

/* Not glGetTextureSubImage: NVIDIA's driver 580 keeps a copy of a texture in host memory once the application has
 * written or read it by such functions, and then answers from that. */
static bool texture_is(unsigned texture, cl_uint start)
{
	cl_uint texels[TEXELS] = {0};
	bool good = true;
	const unsigned framebuffer = framebuffer_make(texture);
	gl.ReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	gl.DeleteFramebuffers(1, &framebuffer);
	for (unsigned i = 0; i < TEXELS; i++)
		good = good && texels[i] == start + i;
	return good;
}

/* Draws into another texture what the shader finds in this one. */
static bool draws(unsigned texture, cl_uint start)
{
	unsigned target;
	gl.CreateTextures(GL_TEXTURE_2D, 1, &target);
	gl.TextureStorage2D(target, 1, GL_RGBA8, WIDTH, HEIGHT);
	const unsigned framebuffer = framebuffer_make(target);
	gl.Viewport(0, 0, WIDTH, HEIGHT);
	gl.UseProgram(sampler);
	gl.BindVertexArray(vertices);
	gl.BindTextureUnit(0, texture);
	gl.DrawArrays(GL_TRIANGLES, 0, 3);
	gl.BindTextureUnit(0, 0);
	gl.DeleteFramebuffers(1, &framebuffer);
	const bool good = texture_is(target, start);
	gl.DeleteTextures(1, &target);
	return good;
}

/* Another texture of the image. */
static unsigned sibling_make(void *image)
{
	void (*set)(unsigned, void *) = (void (*)(unsigned, void *))window.find("glEGLImageTargetTexture2DOES");
	unsigned texture;
	gl.CreateTextures(GL_TEXTURE_2D, 1, &texture);
	gl.BindTexture(GL_TEXTURE_2D, texture);
	if (CHECK(set))
		set(GL_TEXTURE_2D, image);
	gl.BindTexture(GL_TEXTURE_2D, 0);
	return texture;
}

/* Adds 1 to the red channel of each texel; each call returns what the specification allows.  The number of errors. */
static unsigned add_one(cl_mem mem)
{
	const size_t size[2] = {WIDTH, HEIGHT};
	cl_int codes[4];
	codes[0] = clEnqueueAcquireEGLObjectsKHR(queue, 1, &mem, 0, NULL, NULL);
	CHECK_OK(clSetKernelArg(add, 0, sizeof(mem), &mem));
	codes[1] = codes[0] ? codes[0] : clEnqueueNDRangeKernel(queue, add, 2, NULL, size, NULL, 0, NULL, NULL);
	codes[2] = codes[1] ? codes[1] : clEnqueueReleaseEGLObjectsKHR(queue, 1, &mem, 0, NULL, NULL);
	codes[3] = clFinish(queue);
	unsigned errors = 0;
	for (unsigned i = 0; i < 4; i++) {
		CHECK(codes[i] == CL_SUCCESS || codes[i] == CL_OUT_OF_RESOURCES || codes[i] == CL_OUT_OF_HOST_MEMORY ||
		      codes[i] == CL_INVALID_EGL_OBJECT_KHR || codes[i] == CL_MEM_OBJECT_ALLOCATION_FAILURE);
		errors += codes[i] != CL_SUCCESS;
	}
	return errors;
}

/* --- the tests --- */

/* Those that NVIDIA's driver 580 shares. */
static void formats(void)
{
	static const struct { unsigned opengl; cl_image_format opencl; } rows[] = {
		{0x8058, {CL_RGBA, CL_UNORM_INT8}}, {0x8229, {CL_R, CL_UNORM_INT8}}, {0x822C, {CL_RG, CL_UNORM_INT16}},
		{0x805B, {CL_RGBA, CL_UNORM_INT16}}, {0x881A, {CL_RGBA, CL_HALF_FLOAT}},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned texture;
		cl_image_format format = {0};
		cl_mem_object_type type = 0;
		size_t width = 0, height = 0;
		void *image = egl_image_make(rows[i].opengl, &texture);
		if (!CHECK(image))
			continue;
		cl_mem mem = mem_make(image, CL_MEM_READ_WRITE);
		CHECK_OK(clGetImageInfo(mem, CL_IMAGE_FORMAT, sizeof(format), &format, NULL));
		CHECK(!memcmp(&format, &rows[i].opencl, sizeof(format)));
		CHECK_OK(clGetImageInfo(mem, CL_IMAGE_WIDTH, sizeof(width), &width, NULL));
		CHECK_OK(clGetImageInfo(mem, CL_IMAGE_HEIGHT, sizeof(height), &height, NULL));
		CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_TYPE, sizeof(type), &type, NULL));
		CHECK(width == WIDTH && height == HEIGHT && type == CL_MEM_OBJECT_IMAGE2D);
		CHECK_OK(clReleaseMemObject(mem));
		CHECK(image_destroy(window.display, image));
		gl.DeleteTextures(1, &texture);
	}
}

static void other_format(void)
{
	unsigned texture;
	cl_int code;
	void *image = egl_image_make(0x8C43, &texture);  /* GL_SRGB8_ALPHA8 */
	if (image) {
		CHECK_NO_OBJECT(clCreateFromEGLImageKHR(context, window.display, image, 0, NULL, &code), code,
				CL_IMAGE_FORMAT_NOT_SUPPORTED);
		CHECK(image_destroy(window.display, image));
	}
	gl.DeleteTextures(1, &texture);
}

static void both_ways(void)
{
	unsigned texture;
	cl_uint texels[TEXELS];
	const size_t origin[3] = {0}, region[3] = {WIDTH, HEIGHT, 1};
	cl_command_type type = 0;
	cl_event event;
	void *image = egl_image_make(GL_RGBA8, &texture);
	cl_mem mem = mem_make(image, CL_MEM_READ_WRITE);
	const unsigned sibling = sibling_make(image);
	/* The EGL image is kept by the memory object. */
	CHECK(image_destroy(window.display, image));
	for (cl_uint start = 0x1000; start < 0x3000; start += 0x1000) {
		texture_fill(texture, start);
		CHECK_OK(clEnqueueAcquireEGLObjectsKHR(queue, 1, &mem, 0, NULL, &event));
		CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
		CHECK(type == CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR);
		CHECK_OK(clReleaseEvent(event));
		CHECK_OK(clEnqueueReadImage(queue, mem, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
		CHECK(texels[0] == start && texels[TEXELS - 1] == start + TEXELS - 1);
		CHECK_OK(clEnqueueReleaseEGLObjectsKHR(queue, 1, &mem, 0, NULL, &event));
		CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
		CHECK(type == CL_COMMAND_RELEASE_EGL_OBJECTS_KHR);
		CHECK_OK(clReleaseEvent(event));
		CHECK_OK(clFinish(queue));
		for (cl_uint i = 1; i <= 3; i++) {
			CHECK(!add_one(mem));
			CHECK(texture_is(texture, start + i));
			CHECK(texture_is(sibling, start + i));
			CHECK(draws(texture, start + i));
		}
	}
	/* It is no object of OpenGL. */
	cl_gl_object_type gl_type;
	CHECK(clGetGLObjectInfo(mem, &gl_type, NULL) == CL_INVALID_GL_OBJECT);
	CHECK_OK(clReleaseMemObject(mem));
	gl.DeleteTextures(1, &sibling);
	gl.DeleteTextures(1, &texture);
}

static void *add_thread(void *mem)
{
	CHECK(!add_one(mem));
	return NULL;
}

static void without_a_context(void)
{
	unsigned texture;
	pthread_t thread;
	void *image = egl_image_make(GL_RGBA8, &texture);
	cl_mem mem = mem_make(image, CL_MEM_READ_WRITE);
	texture_fill(texture, 7);
	CHECK(!pthread_create(&thread, NULL, add_thread, mem));
	CHECK(!pthread_join(thread, NULL));
	CHECK(texture_is(texture, 8));
	/* The OpenGL context is the one that was current before. */
	CHECK(GL_EGL(&window, void *, (void), "eglGetCurrentContext")() == window.context);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK(image_destroy(window.display, image));
	gl.DeleteTextures(1, &texture);
}

/* Behind a fence and a user event. */
static void fences(void)
{
	const struct gl_properties properties = gl_properties_of(&test, &window);
	void *(*create)(void *, unsigned, const int *) =
		(void *(*)(void *, unsigned, const int *))window.find("eglCreateSyncKHR");
	unsigned (*destroy)(void *, void *) = (unsigned (*)(void *, void *))window.find("eglDestroySyncKHR");
	unsigned texture;
	cl_int code;
	cl_context sharing = clCreateContext(properties.list, 1, &test.device, NULL, NULL, &code);
	CHECK_OK(code);
	cl_command_queue in_sharing = queue_make(sharing, test.device, 0);
	void *image = egl_image_make(GL_RGBA8, &texture);
	cl_mem mem = clCreateFromEGLImageKHR(sharing, window.display, image, CL_MEM_READ_WRITE, NULL, &code);
	CHECK_OK(code);
	cl_uint first = 0;
	const size_t origin[3] = {0}, region[3] = {1, 1, 1};
	cl_uint texels[TEXELS] = {77};
	gl.TextureSubImage2D(texture, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	void *sync = create(window.display, 0x30F9, NULL); /* EGL_SYNC_FENCE_KHR */
	gl.Flush();
	cl_event events[2] = {clCreateEventFromEGLSyncKHR(sharing, sync, window.display, &code),
			      user_event_make(sharing)};
	CHECK_OK(code);
	CHECK_OK(clEnqueueAcquireEGLObjectsKHR(in_sharing, 1, &mem, 2, events, NULL));
	CHECK_OK(clSetUserEventStatus(events[1], CL_COMPLETE));
	CHECK_OK(clEnqueueReadImage(in_sharing, mem, CL_TRUE, origin, region, 0, 0, &first, 0, NULL, NULL));
	CHECK(first == 77);
	CHECK_OK(clEnqueueReleaseEGLObjectsKHR(in_sharing, 1, &mem, 1, events, NULL));
	CHECK_OK(clFinish(in_sharing));
	CHECK(destroy(window.display, sync));
	CHECK_OK(clReleaseEvent(events[0]));
	CHECK_OK(clReleaseEvent(events[1]));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(in_sharing));
	CHECK_OK(clReleaseContext(sharing));
	CHECK(image_destroy(window.display, image));
	gl.DeleteTextures(1, &texture);
}

/* --- where the driver fails --- */

static struct soft_fault fault;

/* The count-th call fails; false: there is no such call any more. */
static bool fail_once(const char *call, unsigned count, void *image, unsigned texture)
{
	char rule[128];
	cl_int code = 12345;
	unsigned errors = 0;
	snprintf(rule, sizeof(rule), "%s:%u:UNKNOWN", call, count);
	texture_fill(texture, 100);
	CHECK(!fault.set(rule));
	cl_mem mem = clCreateFromEGLImageKHR(context, window.display, image, CL_MEM_READ_WRITE, NULL, &code);
	CHECK(!mem == (code != CL_SUCCESS));
	CHECK(mem || code == CL_INVALID_EGL_OBJECT_KHR || code == CL_OUT_OF_RESOURCES);
	errors = mem ? add_one(mem) : 1;
	const bool happened = fault.fired();
	CHECK(!fault.set(""));
	CHECK(happened || !errors);
	CHECK(texture_is(texture, 100) || texture_is(texture, 101));
	if (mem)
		CHECK_OK(clReleaseMemObject(mem));
	texture_fill(texture, 0x4064);
	mem = mem_make(image, CL_MEM_READ_WRITE);
	CHECK(!add_one(mem));
	CHECK(texture_is(texture, 0x4065));
	CHECK_OK(clReleaseMemObject(mem));
	return happened;
}

static void faults(void)
{
	static const char *const calls[] = {
		"cuGraphicsEGLRegisterImage", "cuGraphicsResourceGetMappedEglFrame", "cuMemcpy3DAsync_v2",
		"cuArray3DCreate_v2",
	};
	unsigned texture;
	if (!soft_fault_find(&fault))
		return;
	void *image = egl_image_make(GL_RGBA8, &texture);
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		unsigned count = 1;
		while (count < 20 && fail_once(calls[i], count, image, texture))
			count++;
		/* Each was made, and failed, at least once. */
		if (!CHECK(count > 1 && count < 20))
			printf("  %s\n", calls[i]);
	}
	CHECK(image_destroy(window.display, image));
	gl.DeleteTextures(1, &texture);
}

static bool is_listed(cl_device_id device)
{
	char text[4096] = "";
	clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL);
	return strstr(text, "cl_khr_egl_image");
}

int main(void)
{
	if (!api_test_start(&test, "egl_image"))
		return API_TEST_SKIP;
	if (!is_listed(test.device) || !gl_start(&window))
		return api_test_skip(&test);
	gl_find(&window, &gl);
	image_create = (void *(*)(void *, void *, unsigned, void *, const intptr_t *))window.find("eglCreateImage");
	image_destroy = (unsigned (*)(void *, void *))window.find("eglDestroyImage");
	context = context_make(1, &test.device);
	queue = queue_make(context, test.device, 0);
	cl_program program = api_test_build(
		context, test.device,
		"kernel void add(read_write image2d_t image) {\n"
		"	const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
		"	write_imagef(image, at, read_imagef(image, at) + (float4)(1 / 255.0f, 0, 0, 0));\n"
		"}\n", "-cl-std=CL3.0");
	add = kernel_make(program, "add");
	sampler = gl_program(&gl,
			     "#version 450\n"
			     "void main() {\n"
			     "	gl_Position = vec4(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1, 0, 1);\n"
			     "}\n",
			     "#version 450\n"
			     "layout(binding = 0) uniform sampler2D image; out vec4 color;\n"
			     "void main() { color = texelFetch(image, ivec2(gl_FragCoord.xy), 0); }\n");
	CHECK(sampler);
	gl.CreateVertexArrays(1, &vertices);
	formats();
	other_format();
	both_ways();
	without_a_context();
	fences();
	faults();
	CHECK_OK(clReleaseKernel(add));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseContext(context));
	CHECK(gl.GetError() == 0);
	gl_end(&window);
	return api_test_end(&test);
}
