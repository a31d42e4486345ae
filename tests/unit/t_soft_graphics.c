/* Protects: softcuda's sharing with OpenGL.  What CUDA writes into a mapped buffer, texture or renderbuffer is what
 * OpenGL reads after the unmap, and the reverse, also with OpenGL's state of pixel transfers set to something else,
 * which stays as it was; the errors of cudaGL.h and of the graphics calls in the driver API's manual. */
#include "config.h"

#include "tests/api/gl_context.h"
#include "tests/unit/soft_setup.h"

#include <string.h>

/* <cudaGL.h> needs OpenGL's headers. */
CUresult cuGLGetDevices_v2(unsigned *, CUdevice *, unsigned, unsigned);
CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource *, unsigned, unsigned);
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource *, unsigned, unsigned, unsigned);
/* <cudaEGL.h>, whose CUeglFrame this is. */
struct frame {
	CUarray arrays[3];
	unsigned width, height, depth, pitch_B, planes, channels;
	int type, color;
	CUarray_format format;
};
CUresult cuGraphicsEGLRegisterImage(CUgraphicsResource *, void *, unsigned);
CUresult cuGraphicsResourceGetMappedEglFrame(struct frame *, CUgraphicsResource, unsigned, unsigned);

#define OK(call) CHECK_EQ(call, CUDA_SUCCESS)

enum { SIDE = 6, TEXELS = SIDE * SIDE };

static struct gl_window window;
static struct gl gl;

static CUstream stream_make(void)
{
	CUstream stream;
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	return stream;
}

static void devices(void)
{
	CUdevice found[4];
	unsigned count = 0;
	OK(cuGLGetDevices_v2(&count, found, 4, 1));
	CHECK_EQ(count, 2);
	CHECK_EQ(found[1], 1);
	OK(cuGLGetDevices_v2(&count, found, 1, 2));
	CHECK_EQ(count, 1);
	CHECK_EQ(cuGLGetDevices_v2(&count, found, 1, 4), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuGLGetDevices_v2(NULL, found, 1, 1), CUDA_ERROR_INVALID_VALUE);
	gl_make_current(&window, NULL);
	CHECK_EQ(cuGLGetDevices_v2(&count, found, 4, 1), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
	gl_make_current(&window, window.context);
}

/* An immutable data store, which the application itself cannot write. */
static void buffer(void)
{
	static const unsigned first[4] = {1, 2, 3, 4};
	unsigned name, seen[4] = {0};
	CUgraphicsResource resource;
	CUdeviceptr address;
	CUarray array;
	size_t size_B;
	CUstream stream = stream_make();
	gl.CreateBuffers(1, &name);
	gl.NamedBufferStorage(name, sizeof(first), first, 0);
	OK(cuGraphicsGLRegisterBuffer(&resource, name, 0));
	CHECK_EQ(cuGraphicsResourceGetMappedPointer(&address, &size_B, resource), CUDA_ERROR_NOT_MAPPED);
	CHECK_EQ(cuGraphicsUnmapResources(1, &resource, stream), CUDA_ERROR_NOT_MAPPED);
	OK(cuGraphicsMapResources(1, &resource, stream));
	CHECK_EQ(cuGraphicsMapResources(1, &resource, stream), CUDA_ERROR_ALREADY_MAPPED);
	OK(cuGraphicsResourceGetMappedPointer(&address, &size_B, resource));
	CHECK_EQ(size_B, sizeof(first));
	CHECK_EQ(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0), CUDA_ERROR_NOT_MAPPED_AS_ARRAY);
	OK(cuMemcpyDtoHAsync(seen, address, sizeof(seen), stream));
	OK(cuStreamSynchronize(stream));
	CHECK(!memcmp(seen, first, sizeof(first)));
	/* The unmap waits for the stream. */
	OK(cuMemsetD32Async(address + 4, 77, 2, stream));
	OK(cuGraphicsUnmapResources(1, &resource, stream));
	gl.GetNamedBufferSubData(name, 0, sizeof(seen), seen);
	CHECK_EQ(seen[0], 1);
	CHECK_EQ(seen[1], 77);
	CHECK_EQ(seen[2], 77);
	CHECK_EQ(seen[3], 4);
	OK(cuGraphicsResourceSetMapFlags(resource, CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY));
	OK(cuGraphicsMapResources(1, &resource, stream));
	OK(cuGraphicsResourceGetMappedPointer(&address, &size_B, resource));
	OK(cuMemsetD32Async(address, 5, 4, stream));
	OK(cuGraphicsUnmapResources(1, &resource, stream));
	gl.GetNamedBufferSubData(name, 0, sizeof(seen), seen);
	CHECK_EQ(seen[0], 1);
	gl.DeleteBuffers(1, &name);
	CHECK_EQ(cuGraphicsMapResources(1, &resource, stream), CUDA_ERROR_INVALID_HANDLE);
	OK(cuGraphicsUnregisterResource(resource));
	CHECK_EQ(cuGraphicsUnregisterResource(resource), CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(cuGraphicsGLRegisterBuffer(&resource, name, 0), CUDA_ERROR_INVALID_HANDLE);
	OK(cuStreamDestroy(stream));
}

/* Copies a plane of texels between an array and memory. */
static void plane_copy(CUarray array, unsigned *texels, bool to_array, unsigned slices)
{
	CUDA_MEMCPY3D copy = {.WidthInBytes = SIDE * 4, .Height = SIDE, .Depth = slices};
	if (to_array) {
		copy.srcMemoryType = CU_MEMORYTYPE_HOST;
		copy.srcHost = texels;
		copy.srcPitch = SIDE * 4;
		copy.srcHeight = SIDE;
		copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
		copy.dstArray = array;
	} else {
		copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
		copy.srcArray = array;
		copy.dstMemoryType = CU_MEMORYTYPE_HOST;
		copy.dstHost = texels;
		copy.dstPitch = SIDE * 4;
		copy.dstHeight = SIDE;
	}
	OK(cuMemcpy3D(&copy));
}

/* Sets what changes pixel transfers, and checks that it stays. */
static void state_disturb(unsigned pack)
{
	gl.PixelStorei(GL_PACK_ALIGNMENT, 8);
	gl.PixelStorei(GL_UNPACK_ROW_LENGTH, 50);
	gl.BindBuffer(GL_PIXEL_PACK_BUFFER, pack);
}

static void state_restore(unsigned pack)
{
	int value = 0;
	gl.GetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &value);
	CHECK_EQ((unsigned)value, pack);
	gl.GetIntegerv(GL_PACK_ALIGNMENT, &value);
	CHECK_EQ(value, 8);
	gl.GetIntegerv(GL_UNPACK_ROW_LENGTH, &value);
	CHECK_EQ(value, 50);
	gl.BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
	gl.PixelStorei(GL_PACK_ALIGNMENT, 4);
	gl.PixelStorei(GL_UNPACK_ROW_LENGTH, 0);
}

/* One part of a texture of RGBA8: read, inverted and written back. */
static void part_invert(unsigned name, unsigned target, unsigned index, unsigned level, unsigned slices)
{
	unsigned before[TEXELS * 3], seen[TEXELS * 3], pack;
	CUgraphicsResource resource;
	CUdeviceptr address;
	CUarray array, again;
	size_t size_B;
	for (unsigned i = 0; i < TEXELS * slices; i++)
		before[i] = 0x01020300 + i;
	gl.CreateBuffers(1, &pack);
	gl.NamedBufferData(pack, 4096, NULL, GL_DYNAMIC_DRAW);
	if (target == GL_TEXTURE_2D || target == GL_TEXTURE_RECTANGLE)
		gl.TextureSubImage2D(name, (int)level, 0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, before);
	else
		gl.TextureSubImage3D(name, (int)level, 0, 0, (int)index, SIDE, SIDE, (int)slices, GL_RGBA,
				     GL_UNSIGNED_BYTE, before);
	state_disturb(pack);
	OK(cuGraphicsGLRegisterImage(&resource, name, target, 0));
	OK(cuGraphicsMapResources(1, &resource, NULL));
	CHECK_EQ(cuGraphicsResourceGetMappedPointer(&address, &size_B, resource), CUDA_ERROR_NOT_MAPPED_AS_POINTER);
	OK(cuGraphicsSubResourceGetMappedArray(&array, resource, index, level));
	OK(cuGraphicsSubResourceGetMappedArray(&again, resource, index, level));
	CHECK(array == again);
	CHECK_EQ(cuGraphicsSubResourceGetMappedArray(&again, resource, 6, level), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuGraphicsSubResourceGetMappedArray(&again, resource, index, 9), CUDA_ERROR_INVALID_VALUE);
	plane_copy(array, seen, false, slices);
	CHECK(!memcmp(seen, before, TEXELS * slices * 4));
	for (unsigned i = 0; i < TEXELS * slices; i++)
		seen[i] = ~seen[i];
	plane_copy(array, seen, true, slices);
	OK(cuGraphicsUnmapResources(1, &resource, NULL));
	OK(cuGraphicsUnregisterResource(resource));
	state_restore(pack);
	gl.GetTextureSubImage(name, (int)level, 0, 0, (int)index, SIDE, SIDE, (int)slices, GL_RGBA, GL_UNSIGNED_BYTE,
			      sizeof(seen), seen);
	for (unsigned i = 0; i < TEXELS * slices; i++)
		CHECK_EQ(seen[i], ~before[i]);
	gl.DeleteBuffers(1, &pack);
	CHECK_EQ(gl.GetError(), 0);
}

static void textures(void)
{
	static const struct { unsigned target, index, level, slices; } rows[] = {
		{GL_TEXTURE_2D, 0, 0, 1}, {GL_TEXTURE_2D, 0, 1, 1}, {GL_TEXTURE_RECTANGLE, 0, 0, 1},
		{GL_TEXTURE_CUBE_MAP, 4, 0, 1}, {GL_TEXTURE_2D_ARRAY, 2, 0, 1}, {GL_TEXTURE_3D, 0, 0, 3},
	};
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const unsigned target = rows[i].target;
		const int side = SIDE << rows[i].level;
		unsigned name;
		gl.CreateTextures(target, 1, &name);
		if (target == GL_TEXTURE_3D || target == GL_TEXTURE_2D_ARRAY)
			gl.TextureStorage3D(name, 1, GL_RGBA8, side, side, 3);
		else
			gl.TextureStorage2D(name, target == GL_TEXTURE_2D ? 2 : 1, GL_RGBA8, side, side);
		part_invert(name, target, rows[i].index, rows[i].level, rows[i].slices);
		gl.DeleteTextures(1, &name);
	}
}

static void renderbuffer(void)
{
	unsigned name, frame, seen[TEXELS];
	CUgraphicsResource resource;
	CUarray array;
	gl.CreateRenderbuffers(1, &name);
	gl.NamedRenderbufferStorage(name, GL_RGBA8, SIDE, SIDE);
	gl.CreateFramebuffers(1, &frame);
	gl.NamedFramebufferRenderbuffer(frame, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, name);
	gl.BindFramebuffer(GL_FRAMEBUFFER, frame);
	gl.ClearColor(1, 0, 0, 1);
	gl.Clear(GL_COLOR_BUFFER_BIT);
	OK(cuGraphicsGLRegisterImage(&resource, name, GL_RENDERBUFFER, 0));
	OK(cuGraphicsMapResources(1, &resource, NULL));
	OK(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
	plane_copy(array, seen, false, 1);
	for (unsigned i = 0; i < TEXELS; i++) {
		CHECK_EQ(seen[i], 0xFF0000FFu);
		seen[i] = i;
	}
	plane_copy(array, seen, true, 1);
	OK(cuGraphicsUnmapResources(1, &resource, NULL));
	memset(seen, 0, sizeof(seen));
	gl.ReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, seen);
	for (unsigned i = 0; i < TEXELS; i++)
		CHECK_EQ(seen[i], i);
	OK(cuGraphicsUnregisterResource(resource));
	gl.DeleteFramebuffers(1, &frame);
	gl.DeleteRenderbuffers(1, &name);
	CHECK_EQ(gl.GetError(), 0);
}

/* All of a list are mapped or none; another thread's context does not count; a resource ends with its context. */
static void wrong_uses(void)
{
	unsigned names[2];
	CUgraphicsResource resources[2];
	CUdeviceptr address;
	size_t size_B;
	CUcontext context;
	gl.CreateBuffers(2, names);
	for (unsigned i = 0; i < 2; i++)
		gl.NamedBufferData(names[i], 64, NULL, GL_DYNAMIC_DRAW);
	CHECK_EQ(cuGraphicsGLRegisterBuffer(&resources[0], names[0], 3), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuGraphicsGLRegisterImage(&resources[0], names[0], GL_TEXTURE_1D, 0), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuGraphicsGLRegisterImage(&resources[0], 999, GL_TEXTURE_2D, 0), CUDA_ERROR_INVALID_VALUE);
	OK(cuGraphicsGLRegisterBuffer(&resources[0], names[0], 0));
	OK(cuGraphicsGLRegisterBuffer(&resources[1], names[1], 0));
	OK(cuGraphicsMapResources(1, &resources[1], NULL));
	CHECK_EQ(cuGraphicsMapResources(2, resources, NULL), CUDA_ERROR_ALREADY_MAPPED);
	CHECK_EQ(cuGraphicsResourceGetMappedPointer(&address, &size_B, resources[0]), CUDA_ERROR_NOT_MAPPED);
	gl_make_current(&window, NULL);
	CHECK_EQ(cuGraphicsMapResources(1, &resources[0], NULL), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
	CHECK_EQ(cuGraphicsUnmapResources(1, &resources[1], NULL), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
	gl_make_current(&window, window.context);
	OK(cuGraphicsUnmapResources(1, &resources[1], NULL));
	OK(cuGraphicsUnregisterResource(resources[0]));
	OK(cuGraphicsUnregisterResource(resources[1]));
#if CUDA_VERSION >= 13000
	OK(cuCtxCreate(&context, NULL, 0, 1));
#else
	OK(cuCtxCreate(&context, 0, 1));
#endif
	OK(cuGraphicsGLRegisterBuffer(&resources[0], names[0], 0));
	OK(cuGraphicsMapResources(1, &resources[0], NULL));
	OK(cuCtxDestroy(context));
	OK(cuCtxSetCurrent(contexts[0]));
	CHECK_EQ(cuGraphicsUnregisterResource(resources[0]), CUDA_ERROR_INVALID_HANDLE);
	gl.DeleteBuffers(2, names);
	CHECK_EQ(gl.GetError(), 0);
}

static void *egl_image_of(const struct gl_window *on, unsigned texture)
{
	void *(*create)(void *, void *, unsigned, void *, const intptr_t *) =
		(void *(*)(void *, void *, unsigned, void *, const intptr_t *))on->find("eglCreateImage");
	/* EGL_GL_TEXTURE_2D */
	return create(on->display, on->context, 0x30B1, (void *)(uintptr_t)texture, NULL);
}

static unsigned egl_image_destroy(const struct gl_window *on, void *image)
{
	return ((unsigned (*)(void *, void *))on->find("eglDestroyImage"))(on->display, image);
}

/* The errors and the frame are what NVIDIA's driver 580 returns on an H200. */
static void *egl_image_make(unsigned texture, CUgraphicsResource *resource_out, struct frame *frame_out)
{
	void *image = egl_image_of(&window, texture);
	CUgraphicsResource resource;
	CHECK_EQ(cuGraphicsEGLRegisterImage(NULL, image, 0), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuGraphicsEGLRegisterImage(&resource, image, 3), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuGraphicsEGLRegisterImage(&resource, NULL, 0), CUDA_ERROR_UNKNOWN);
	OK(cuGraphicsEGLRegisterImage(&resource, image, 0));
	CHECK_EQ(cuGraphicsMapResources(1, &resource, NULL), CUDA_ERROR_UNKNOWN);
	CHECK_EQ(cuGraphicsUnmapResources(1, &resource, NULL), CUDA_ERROR_UNKNOWN);
	CHECK_EQ(cuGraphicsResourceGetMappedEglFrame(NULL, resource, 0, 0), CUDA_ERROR_INVALID_VALUE);
	OK(cuGraphicsResourceGetMappedEglFrame(frame_out, resource, 0, 0));
	CHECK_EQ(frame_out->width, SIDE);
	CHECK_EQ(frame_out->height, SIDE);
	CHECK_EQ(frame_out->depth, 0);
	CHECK_EQ(frame_out->planes, 1);
	CHECK_EQ(frame_out->channels, 4);
	CHECK_EQ(frame_out->type, 0);
	CHECK_EQ(frame_out->color, 0x0E);
	CHECK_EQ(frame_out->format, CU_AD_FORMAT_UNSIGNED_INT8);
	*resource_out = resource;
	return image;
}

/* Copies rows of the frame's array to texels, or from there. */
static CUresult frame_copy(const struct frame *frame, unsigned *texels, unsigned rows, bool to_frame)
{
	CUDA_MEMCPY3D copy;
	memset(&copy, 0, sizeof(copy));
	copy.srcMemoryType = to_frame ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
	copy.dstMemoryType = to_frame ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
	copy.srcHost = copy.dstHost = texels;
	copy.srcArray = copy.dstArray = frame->arrays[0];
	copy.srcPitch = copy.dstPitch = SIDE * 4;
	copy.WidthInBytes = SIDE * 4;
	copy.Height = rows;
	copy.Depth = 1;
	return cuMemcpy3D(&copy);
}

static unsigned texture_make(void)
{
	unsigned texture;
	gl.CreateTextures(GL_TEXTURE_2D, 1, &texture);
	gl.TextureStorage2D(texture, 1, GL_RGBA8, SIDE, SIDE);
	return texture;
}

static void texture_read(unsigned texture, unsigned *texels)
{
	gl.GetTextureSubImage(texture, 0, 0, 0, 0, SIDE, SIDE, 1, GL_RGBA, GL_UNSIGNED_BYTE, TEXELS * 4, texels);
}

/* The array is the image's memory, also after the image was destroyed. */
static void egl_image(void)
{
	unsigned texels[TEXELS], seen[TEXELS] = {0};
	struct frame frame;
	CUgraphicsResource resource;
	unsigned texture = texture_make();
	void *image = egl_image_make(texture, &resource, &frame);
	CHECK(egl_image_destroy(&window, image));
	for (unsigned i = 0; i < TEXELS; i++)
		texels[i] = i * 0x01020304;
	OK(frame_copy(&frame, texels, SIDE - 1, true));
	texture_read(texture, seen);
	CHECK(!memcmp(seen, texels, SIDE * (SIDE - 1) * 4));
	gl.ClearTexImage(texture, 0, GL_RGBA, GL_UNSIGNED_BYTE, "abcd");
	gl.Finish();
	OK(frame_copy(&frame, seen, SIDE, false));
	CHECK(!memcmp(seen, "abcdabcd", 8) && !memcmp(&seen[TEXELS - 1], "abcd", 4));
	OK(cuGraphicsUnregisterResource(resource));
	CHECK_EQ(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0), CUDA_ERROR_INVALID_HANDLE);
	gl.DeleteTextures(1, &texture);
	CHECK_EQ(gl.GetError(), 0);
}

/* --- two displays --- */

/* Another display of EGL's first device; its context is not current.  False: EGL has none. */
static bool second_start(struct gl_window *second)
{
	unsigned (*devices_of)(int, void **, int *) =
		(unsigned (*)(int, void **, int *))window.find("eglQueryDevicesEXT");
	void *(*display)(unsigned, void *, const intptr_t *) =
		(void *(*)(unsigned, void *, const intptr_t *))window.find("eglGetPlatformDisplay");
	/* EGL_SURFACE_TYPE: EGL_PBUFFER_BIT; EGL_RENDERABLE_TYPE: EGL_OPENGL_BIT */
	const int wanted[] = {0x3033, 1, 0x3040, 8, 0x3038};
	void *device;
	int count = 0;
	*second = window;
	second->context = NULL;
	if (!devices_of || !display || !devices_of(1, &device, &count) || !count)
		return false;
	second->display = display(0x313F, device, NULL);  /* EGL_PLATFORM_DEVICE_EXT */
	if (second->display && second->display != window.display &&
	    GL_EGL(second, unsigned, (void *, int *, int *), "eglInitialize")(second->display, NULL, NULL) &&
	    GL_EGL(second, unsigned, (void *, const int *, void **, int, int *), "eglChooseConfig")(
		    second->display, wanted, &second->config, 1, &count) && count)
		second->context = gl_context_create(second, NULL, GL_CORE);
	return second->context;
}

/* An image of a new texture of the display whose context is current. */
struct shown {
	unsigned texture;
	void *image;
	CUgraphicsResource resource;
	struct frame frame;
};

static void shown_make(struct shown *shown, const struct gl_window *on)
{
	shown->texture = texture_make();
	gl.Finish();
	shown->image = egl_image_of(on, shown->texture);
}

static void shown_register(struct shown *shown)
{
	OK(cuGraphicsEGLRegisterImage(&shown->resource, shown->image, 0));
	OK(cuGraphicsResourceGetMappedEglFrame(&shown->frame, shown->resource, 0, 0));
}

static void shown_fill(const struct shown *shown, unsigned value)
{
	unsigned texels[TEXELS];
	for (unsigned i = 0; i < TEXELS; i++)
		texels[i] = value + i;
	OK(frame_copy(&shown->frame, texels, SIDE, true));
}

/* The context of the image's display is current. */
static bool shown_is(const struct shown *shown, unsigned value)
{
	unsigned seen[TEXELS] = {0};
	texture_read(shown->texture, seen);
	return seen[0] == value && seen[TEXELS - 1] == value + TEXELS - 1;
}

static void shown_end(struct shown *shown, const struct gl_window *on)
{
	OK(cuGraphicsUnregisterResource(shown->resource));
	CHECK(egl_image_destroy(on, shown->image));
	gl.DeleteTextures(1, &shown->texture);
}

/* Images of either display, registered while a context of theirs, of the other one or none is current. */
static void two_displays(void)
{
	struct gl_window second;
	struct shown first[3], other[2];
	if (!second_start(&second))
		SKIP("EGL has no second display");
	for (unsigned i = 0; i < 3; i++)
		shown_make(&first[i], &window);
	shown_register(&first[0]);
	gl_make_current(&second, second.context);
	for (unsigned i = 0; i < 2; i++)
		shown_make(&other[i], &second);
	shown_register(&other[0]);
	shown_register(&first[1]);
	gl_make_current(&second, NULL);
	shown_register(&other[1]);
	shown_register(&first[2]);
	for (unsigned i = 0; i < 3; i++)
		shown_fill(&first[i], 100 * i);
	for (unsigned i = 0; i < 2; i++)
		shown_fill(&other[i], 1000 + 100 * i);
	gl_make_current(&second, second.context);
	for (unsigned i = 0; i < 2; i++) {
		CHECK(shown_is(&other[i], 1000 + 100 * i));
		shown_end(&other[i], &second);
	}
	CHECK_EQ(gl.GetError(), 0);
	gl_make_current(&window, window.context);
	for (unsigned i = 0; i < 3; i++) {
		CHECK(shown_is(&first[i], 100 * i));
		shown_end(&first[i], &window);
	}
	CHECK_EQ(gl.GetError(), 0);
}

/* The images of a display end with it: a copy to one of them fails, and writes to no image of the display's next life.
 * The copy's failure is the CUDA context's last result, so this is the last test. */
static void display_ends(void)
{
	struct gl_window second;
	struct shown before, after;
	unsigned texels[TEXELS] = {0};
	if (!second_start(&second))
		SKIP("EGL has no second display");
	gl_make_current(&second, second.context);
	shown_make(&before, &second);
	shown_register(&before);
	gl_make_current(&second, NULL);
	CHECK(GL_EGL(&second, unsigned, (void *), "eglTerminate")(second.display));
	const bool again = second_start(&second);
	CHECK(again);
	if (!again)
		return;
	gl_make_current(&second, second.context);
	shown_make(&after, &second);
	shown_register(&after);
	shown_fill(&after, 77);
	CHECK_EQ(frame_copy(&before.frame, texels, SIDE, true), CUDA_ERROR_UNKNOWN);
	CHECK(shown_is(&after, 77));
	gl_make_current(&window, window.context);
}

static void nothing(void)
{
	SKIP("EGL has no context of OpenGL 4.5 without a window");
}

int main(void)
{
	static const struct test_case cases[] = {TEST(devices), TEST(buffer), TEST(textures), TEST(renderbuffer),
						 TEST(wrong_uses), TEST(egl_image), TEST(two_displays),
						 TEST(display_ends)};
	static const struct test_case skipped[] = {TEST(nothing)};
	if (!gl_start(&window))
		return test_run_all(skipped, 1);
	gl_find(&window, &gl);
	CHECK(set_up());
	const int result = test_run_all(cases, sizeof(cases) / sizeof(cases[0]));
	gl_end(&window);
	return result;
}
