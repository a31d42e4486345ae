/* cl_khr_gl_sharing.  Without EGL, or where OpenGL's context is not of a device, its rows are left out. */
#include "config.h"

#include "tests/api/errors.h"
#include "tests/api/gl_context.h"
#include "tests/api/gl_extension.h"

static struct gl_window window;
static struct gl gl;
static cl_context context;
static cl_command_queue queue;

/* A list of properties, after the platform. */
static const cl_context_properties *properties_of(const cl_context_properties *rest, size_t count)
{
	static cl_context_properties list[16];
	memset(list, 0, sizeof(list));
	list[0] = CL_CONTEXT_PLATFORM;
	list[1] = (cl_context_properties)world.platform;
	memcpy(list + 2, rest, count * sizeof(*rest));
	return list;
}
#define PROPERTIES(...)                                                                            \
	properties_of((const cl_context_properties[]){__VA_ARGS__},                                \
		      sizeof((const cl_context_properties[]){__VA_ARGS__}) / sizeof(cl_context_properties))

#define CONTEXT CL_GL_CONTEXT_KHR, (cl_context_properties)window.context
#define DISPLAY CL_EGL_DISPLAY_KHR, (cl_context_properties)window.display

static cl_context create(const cl_context_properties *properties)
{
	return clCreateContext(properties, 1, &world.device, NULL, NULL, &error_code);
}

static cl_context create_by_type(const cl_context_properties *properties)
{
	return clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL, NULL, NULL, &error_code);
}

static cl_int ask(const cl_context_properties *properties, cl_gl_context_info what)
{
	cl_device_id devices[64];
	return clGetGLContextInfoKHR(properties, what, sizeof(devices), devices, NULL);
}

/* Each list for the three functions that take it. */
static void properties_refused(cl_int code, const cl_context_properties *list)
{
	error_code = 12345;
	(void)create(list);
	error_case("clCreateContext", code, 1, error_code, __FILE__, __LINE__);
	(void)create_by_type(list);
	error_case("clCreateContextFromType", code, 1, error_code, __FILE__, __LINE__);
	error_case("clGetGLContextInfoKHR", code, 1, ask(list, CL_DEVICES_FOR_GL_CONTEXT_KHR), __FILE__, __LINE__);
}

static void contexts(void)
{
	properties_refused(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR, PROPERTIES(CONTEXT));
	properties_refused(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR, PROPERTIES(DISPLAY));
	properties_refused(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR,
			   PROPERTIES(CL_GL_CONTEXT_KHR, (cl_context_properties)&gl, DISPLAY));
	properties_refused(CL_INVALID_OPERATION, PROPERTIES(CONTEXT, DISPLAY, CL_GLX_DISPLAY_KHR, 1));
	properties_refused(CL_INVALID_OPERATION, PROPERTIES(CONTEXT, CL_WGL_HDC_KHR, 1));
	properties_refused(CL_INVALID_OPERATION, PROPERTIES(CONTEXT, CL_CGL_SHAREGROUP_KHR, 1));
	const cl_context_properties *both = PROPERTIES(CONTEXT, DISPLAY, CL_CONTEXT_INTEROP_USER_SYNC, CL_FALSE);
	ERROR_OBJECT(clCreateContext, CL_INVALID_PROPERTY, 4, create(both));
	ERROR_OBJECT(clCreateContextFromType, CL_INVALID_PROPERTY, 4, create_by_type(both));
	ERROR_CODE(clGetGLContextInfoKHR, CL_INVALID_VALUE, 1,
		   ask(PROPERTIES(CONTEXT, DISPLAY, 0x7777, 1), CL_DEVICES_FOR_GL_CONTEXT_KHR));
	const cl_context_properties *good = PROPERTIES(CONTEXT, DISPLAY);
	ERROR_CODE(clGetGLContextInfoKHR, CL_INVALID_VALUE, 2, ask(good, 0x7777));
	ERROR_CODE(clGetGLContextInfoKHR, CL_INVALID_VALUE, 2,
		   clGetGLContextInfoKHR(good, CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, 1, error_bytes, NULL));
	gl_make_current(&window, NULL);
	ERROR_CODE(clGetGLContextInfoKHR, CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR, 1,
		   ask(good, CL_DEVICES_FOR_GL_CONTEXT_KHR));
	gl_make_current(&window, window.context);
}

static void buffers(unsigned buffer)
{
	unsigned empty;
	gl.CreateBuffers(1, &empty);
#define FROM_BUFFER(context, flags, name) clCreateFromGLBuffer(context, flags, name, &error_code)
	ERROR_OBJECT(clCreateFromGLBuffer, CL_INVALID_CONTEXT, 1, FROM_BUFFER(world.wrong_context, 0, buffer));
	ERROR_OBJECT(clCreateFromGLBuffer, CL_INVALID_CONTEXT, 1, FROM_BUFFER(world.context, 0, buffer));
	ERROR_OBJECT(clCreateFromGLBuffer, CL_INVALID_VALUE, 1,
		     FROM_BUFFER(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, buffer));
	ERROR_OBJECT(clCreateFromGLBuffer, CL_INVALID_VALUE, 1,
		     FROM_BUFFER(context, CL_MEM_ALLOC_HOST_PTR, buffer));
	ERROR_OBJECT(clCreateFromGLBuffer, CL_INVALID_GL_OBJECT, 1, FROM_BUFFER(context, 0, 0));
	ERROR_OBJECT(clCreateFromGLBuffer, CL_INVALID_GL_OBJECT, 1, FROM_BUFFER(context, 0, 12345));
	ERROR_OBJECT(clCreateFromGLBuffer, CL_INVALID_GL_OBJECT, 1, FROM_BUFFER(context, 0, empty));
	gl_make_current(&window, NULL);
	ERROR_OBJECT(clCreateFromGLBuffer, CL_INVALID_GL_OBJECT, 1, FROM_BUFFER(context, 0, buffer));
	gl_make_current(&window, window.context);
	gl.DeleteBuffers(1, &empty);
}

static void textures(unsigned texture)
{
	unsigned three, undefined;
	gl.CreateTextures(GL_TEXTURE_2D, 1, &three);
	gl.TextureStorage2D(three, 1, GL_RGB8, 4, 4);
	gl.CreateTextures(GL_TEXTURE_2D, 1, &undefined);
#define FROM_TEXTURE(context, flags, target, level, name)                                          \
	clCreateFromGLTexture(context, flags, target, level, name, &error_code)
	ERROR_OBJECT(clCreateFromGLTexture, CL_INVALID_CONTEXT, 1,
		     FROM_TEXTURE(world.wrong_context, 0, GL_TEXTURE_2D, 0, texture));
	ERROR_OBJECT(clCreateFromGLTexture, CL_INVALID_CONTEXT, 1,
		     FROM_TEXTURE(world.context, 0, GL_TEXTURE_2D, 0, texture));
	ERROR_OBJECT(clCreateFromGLTexture, CL_INVALID_VALUE, 1,
		     FROM_TEXTURE(context, CL_MEM_USE_HOST_PTR, GL_TEXTURE_2D, 0, texture));
	ERROR_OBJECT(clCreateFromGLTexture, CL_INVALID_VALUE, 1, FROM_TEXTURE(context, 0, 0x7777, 0, texture));
	/* The whole cube map is not among the targets. */
	ERROR_OBJECT(clCreateFromGLTexture, CL_INVALID_VALUE, 1,
		     FROM_TEXTURE(context, 0, GL_TEXTURE_CUBE_MAP, 0, texture));
	ERROR_OBJECT(clCreateFromGLTexture, CL_INVALID_MIP_LEVEL, 1,
		     FROM_TEXTURE(context, 0, GL_TEXTURE_2D, 2000, texture));
	ERROR_OBJECT(clCreateFromGLTexture, CL_INVALID_GL_OBJECT, 1,
		     FROM_TEXTURE(context, 0, GL_TEXTURE_2D, 1, texture));
	ERROR_OBJECT(clCreateFromGLTexture, CL_INVALID_GL_OBJECT, 1,
		     FROM_TEXTURE(context, 0, GL_TEXTURE_2D, 0, 12345));
	ERROR_OBJECT(clCreateFromGLTexture, CL_INVALID_GL_OBJECT, 1, FROM_TEXTURE(context, 0, GL_TEXTURE_2D, 0, 0));
	ERROR_OBJECT(clCreateFromGLTexture, CL_INVALID_GL_OBJECT, 1,
		     FROM_TEXTURE(context, 0, GL_TEXTURE_3D, 0, texture));
	ERROR_OBJECT(clCreateFromGLTexture, CL_INVALID_GL_OBJECT, 1,
		     FROM_TEXTURE(context, 0, GL_TEXTURE_2D, 0, undefined));
	ERROR_OBJECT(clCreateFromGLTexture, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 1,
		     FROM_TEXTURE(context, 0, GL_TEXTURE_2D, 0, three));
	gl.DeleteTextures(1, &three);
	gl.DeleteTextures(1, &undefined);
}

static void renderbuffers(void)
{
	unsigned names[4];
	gl.CreateRenderbuffers(4, names);
	gl.NamedRenderbufferStorage(names[0], GL_RGBA8, 4, 4);
	gl.NamedRenderbufferStorageMultisample(names[1], 4, GL_RGBA8, 4, 4);
	gl.NamedRenderbufferStorage(names[2], GL_RGB8, 4, 4);
#define FROM_RENDERBUFFER(context, flags, name) clCreateFromGLRenderbuffer(context, flags, name, &error_code)
	ERROR_OBJECT(clCreateFromGLRenderbuffer, CL_INVALID_CONTEXT, 1,
		     FROM_RENDERBUFFER(world.wrong_context, 0, names[0]));
	ERROR_OBJECT(clCreateFromGLRenderbuffer, CL_INVALID_CONTEXT, 1,
		     FROM_RENDERBUFFER(world.context, 0, names[0]));
	ERROR_OBJECT(clCreateFromGLRenderbuffer, CL_INVALID_VALUE, 1,
		     FROM_RENDERBUFFER(context, CL_MEM_COPY_HOST_PTR, names[0]));
	ERROR_OBJECT(clCreateFromGLRenderbuffer, CL_INVALID_GL_OBJECT, 1, FROM_RENDERBUFFER(context, 0, 0));
	ERROR_OBJECT(clCreateFromGLRenderbuffer, CL_INVALID_GL_OBJECT, 1, FROM_RENDERBUFFER(context, 0, names[3]));
	ERROR_OBJECT(clCreateFromGLRenderbuffer, CL_INVALID_OPERATION, 1, FROM_RENDERBUFFER(context, 0, names[1]));
	ERROR_OBJECT(clCreateFromGLRenderbuffer, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 1,
		     FROM_RENDERBUFFER(context, 0, names[2]));
	gl.DeleteRenderbuffers(4, names);
}

static void queries(cl_mem buffer, cl_mem image)
{
	cl_gl_object_type type;
	ERROR_CODE(clGetGLObjectInfo, CL_INVALID_MEM_OBJECT, 1, clGetGLObjectInfo(world.wrong_mem, &type, NULL));
	ERROR_CODE(clGetGLObjectInfo, CL_INVALID_GL_OBJECT, 1, clGetGLObjectInfo(world.buffer, &type, NULL));
#define TEXTURE_INFO(mem, what, size_B, value, size_out) clGetGLTextureInfo(mem, what, size_B, value, size_out)
	ERROR_CODE(clGetGLTextureInfo, CL_INVALID_MEM_OBJECT, 1,
		   TEXTURE_INFO(world.wrong_mem, CL_GL_TEXTURE_TARGET, 4, error_bytes, NULL));
	ERROR_CODE(clGetGLTextureInfo, CL_INVALID_GL_OBJECT, 1,
		   TEXTURE_INFO(world.image, CL_GL_TEXTURE_TARGET, 4, error_bytes, NULL));
	ERROR_CODE(clGetGLTextureInfo, CL_INVALID_GL_OBJECT, 1,
		   TEXTURE_INFO(buffer, CL_GL_TEXTURE_TARGET, 4, error_bytes, NULL));
	ERROR_CODE(clGetGLTextureInfo, CL_INVALID_VALUE, 1, TEXTURE_INFO(image, 0x7777, 4, error_bytes, NULL));
	ERROR_CODE(clGetGLTextureInfo, CL_INVALID_VALUE, 1,
		   TEXTURE_INFO(image, CL_GL_MIPMAP_LEVEL, 3, error_bytes, NULL));
	ERROR_CODE(clGetGLTextureInfo, CL_INVALID_VALUE, 2, TEXTURE_INFO(image, CL_GL_MIPMAP_LEVEL, 0, NULL, NULL));
}

typedef cl_int (CL_API_CALL *command_call)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *,
					  cl_event *);
#define COMMAND_CASE(code, ...) error_case(name, code, 1, call(__VA_ARGS__), __FILE__, __LINE__)

/* The errors of all commands that acquire and release.  not_shared: the code for an object that was created
 * otherwise. */
static void any_command(const char *name, command_call call, cl_mem shared, cl_int not_shared)
{
	const cl_mem wrong = world.wrong_mem, plain = world.buffer;
	const cl_event event = world.done, wrong_event = world.wrong_event;
	COMMAND_CASE(CL_INVALID_COMMAND_QUEUE, world.wrong_queue, 1, &shared, 0, NULL, NULL);
	COMMAND_CASE(CL_INVALID_VALUE, queue, 0, &shared, 0, NULL, NULL);
	COMMAND_CASE(CL_INVALID_VALUE, queue, 1, NULL, 0, NULL, NULL);
	COMMAND_CASE(CL_INVALID_MEM_OBJECT, queue, 1, &wrong, 0, NULL, NULL);
	COMMAND_CASE(CL_INVALID_MEM_OBJECT, queue, 1, &plain, 0, NULL, NULL);
	COMMAND_CASE(CL_INVALID_EVENT_WAIT_LIST, queue, 1, &shared, 1, NULL, NULL);
	COMMAND_CASE(CL_INVALID_EVENT_WAIT_LIST, queue, 1, &shared, 0, &event, NULL);
	COMMAND_CASE(CL_INVALID_EVENT_WAIT_LIST, queue, 1, &shared, 1, &wrong_event, NULL);
	cl_mem other = clCreateBuffer(context, 0, 64, NULL, &error_code);
	REQUIRE(!error_code);
	COMMAND_CASE(not_shared, queue, 1, &other, 0, NULL, NULL);
	REQUIRE(!clReleaseMemObject(other));
}

static void command(const char *name, command_call call, cl_mem buffer)
{
	any_command(name, call, buffer, CL_INVALID_GL_OBJECT);
	COMMAND_CASE(CL_INVALID_CONTEXT, world.queue, 1, &buffer, 0, NULL, NULL);
	gl_make_current(&window, NULL);
	if (call == clEnqueueAcquireGLObjects)
		COMMAND_CASE(CL_INVALID_GL_OBJECT, queue, 1, &buffer, 0, NULL, NULL);
	gl_make_current(&window, window.context);
}

static void events(void)
{
	void *sync = gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
#define FROM_SYNC(context, sync) clCreateEventFromGLsyncKHR(context, sync, &error_code)
	ERROR_OBJECT(clCreateEventFromGLsyncKHR, CL_INVALID_CONTEXT, 1, FROM_SYNC(world.wrong_context, sync));
	ERROR_OBJECT(clCreateEventFromGLsyncKHR, CL_INVALID_CONTEXT, 1, FROM_SYNC(world.context, sync));
	ERROR_OBJECT(clCreateEventFromGLsyncKHR, CL_INVALID_GL_OBJECT, 1, FROM_SYNC(context, NULL));
	ERROR_OBJECT(clCreateEventFromGLsyncKHR, CL_INVALID_GL_OBJECT, 1, FROM_SYNC(context, (cl_GLsync)&gl));
	gl_make_current(&window, NULL);
	ERROR_OBJECT(clCreateEventFromGLsyncKHR, CL_INVALID_GL_OBJECT, 1, FROM_SYNC(context, sync));
	gl_make_current(&window, window.context);
	gl.DeleteSync(sync);
	void *(*create)(void *, unsigned, const int *) =
		(void *(*)(void *, unsigned, const int *))window.find("eglCreateSyncKHR");
	unsigned (*destroy)(void *, void *) = (unsigned (*)(void *, void *))window.find("eglDestroySyncKHR");
	void *fence = create(window.display, 0x30F9, NULL); /* EGL_SYNC_FENCE_KHR */
#define FROM_EGL_SYNC(context, sync, display) clCreateEventFromEGLSyncKHR(context, sync, display, &error_code)
	ERROR_OBJECT(clCreateEventFromEGLSyncKHR, CL_INVALID_CONTEXT, 1,
		     FROM_EGL_SYNC(world.wrong_context, fence, window.display));
	ERROR_OBJECT(clCreateEventFromEGLSyncKHR, CL_INVALID_CONTEXT, 1,
		     FROM_EGL_SYNC(world.context, fence, window.display));
	ERROR_OBJECT(clCreateEventFromEGLSyncKHR, CL_INVALID_EGL_OBJECT_KHR, 1,
		     FROM_EGL_SYNC(context, NULL, window.display));
	ERROR_OBJECT(clCreateEventFromEGLSyncKHR, CL_INVALID_EGL_OBJECT_KHR, 1, FROM_EGL_SYNC(context, fence, NULL));
	/* EGL_SYNC_REUSABLE_KHR */
	void *reusable = create(window.display, 0x30FA, NULL);
	ERROR_OBJECT(clCreateEventFromEGLSyncKHR, CL_INVALID_EGL_OBJECT_KHR, 1,
		     FROM_EGL_SYNC(context, reusable, window.display));
	REQUIRE(destroy(window.display, reusable) && destroy(window.display, fence));
}

static void egl_images(void)
{
	void *(*create)(void *, void *, unsigned, void *, const intptr_t *) =
		(void *(*)(void *, void *, unsigned, void *, const intptr_t *))window.find("eglCreateImage");
	unsigned (*destroy)(void *, void *) = (unsigned (*)(void *, void *))window.find("eglDestroyImage");
	const cl_egl_image_properties_khr wrong[] = {1, 2, 0};
	unsigned textures[2];
	gl.CreateTextures(GL_TEXTURE_2D, 2, textures);
	gl.TextureStorage2D(textures[0], 1, GL_RGBA8, 4, 4);
	gl.TextureStorage2D(textures[1], 1, 0x8C43, 4, 4); /* GL_SRGB8_ALPHA8 */
	/* EGL_GL_TEXTURE_2D */
	void *image = create(window.display, window.context, 0x30B1, (void *)(uintptr_t)textures[0], NULL);
	void *other = create(window.display, window.context, 0x30B1, (void *)(uintptr_t)textures[1], NULL);
	REQUIRE(image && other);
#define FROM_IMAGE(context, display, image, flags, properties)                                     \
	clCreateFromEGLImageKHR(context, display, image, flags, properties, &error_code)
	ERROR_OBJECT(clCreateFromEGLImageKHR, CL_INVALID_CONTEXT, 1,
		     FROM_IMAGE(world.wrong_context, window.display, image, 0, NULL));
	ERROR_OBJECT(clCreateFromEGLImageKHR, CL_INVALID_VALUE, 1,
		     FROM_IMAGE(context, window.display, image, 0, wrong));
	ERROR_OBJECT(clCreateFromEGLImageKHR, CL_INVALID_VALUE, 1, FROM_IMAGE(context, NULL, image, 0, NULL));
	ERROR_OBJECT(clCreateFromEGLImageKHR, CL_INVALID_VALUE, 1,
		     FROM_IMAGE(context, window.display, image, CL_MEM_USE_HOST_PTR, NULL));
	ERROR_OBJECT(clCreateFromEGLImageKHR, CL_INVALID_VALUE, 2,
		     FROM_IMAGE(context, window.display, image, ((cl_mem_flags)1 << 6) | CL_MEM_READ_WRITE, NULL));
	ERROR_OBJECT(clCreateFromEGLImageKHR, CL_INVALID_EGL_OBJECT_KHR, 1,
		     FROM_IMAGE(context, window.display, NULL, 0, NULL));
	ERROR_OBJECT(clCreateFromEGLImageKHR, CL_IMAGE_FORMAT_NOT_SUPPORTED, 1,
		     FROM_IMAGE(context, window.display, other, 0, NULL));
	cl_mem mem = FROM_IMAGE(context, window.display, image, 0, NULL);
	REQUIRE(!error_code);
	REQUIRE(destroy(window.display, image) && destroy(window.display, other));
	any_command("clEnqueueAcquireEGLObjectsKHR", clEnqueueAcquireEGLObjectsKHR, mem, CL_INVALID_EGL_OBJECT_KHR);
	any_command("clEnqueueReleaseEGLObjectsKHR", clEnqueueReleaseEGLObjectsKHR, mem, CL_INVALID_EGL_OBJECT_KHR);
	REQUIRE(!clReleaseMemObject(mem));
	gl.DeleteTextures(2, textures);
}

static void objects(void)
{
	unsigned buffer, texture;
	gl.CreateBuffers(1, &buffer);
	gl.NamedBufferData(buffer, 64, NULL, GL_DYNAMIC_DRAW);
	gl.CreateTextures(GL_TEXTURE_2D, 1, &texture);
	gl.TextureStorage2D(texture, 1, GL_RGBA8, 4, 4);
	buffers(buffer);
	textures(texture);
	renderbuffers();
	cl_mem buffer_mem = FROM_BUFFER(context, 0, buffer);
	REQUIRE(!error_code);
	cl_mem image = FROM_TEXTURE(context, 0, GL_TEXTURE_2D, 0, texture);
	REQUIRE(!error_code);
	queries(buffer_mem, image);
	command("clEnqueueAcquireGLObjects", clEnqueueAcquireGLObjects, buffer_mem);
	command("clEnqueueReleaseGLObjects", clEnqueueReleaseGLObjects, buffer_mem);
	REQUIRE(!clReleaseMemObject(buffer_mem));
	REQUIRE(!clReleaseMemObject(image));
	gl.DeleteBuffers(1, &buffer);
	gl.DeleteTextures(1, &texture);
	/* What is wrong is found without an error of OpenGL. */
	REQUIRE(!gl.GetError());
}

static bool start(void)
{
	char text[4096] = "";
	cl_device_id device;
	size_t size_B = 0;
	clGetDeviceInfo(world.device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL);
	if (!strstr(text, "cl_khr_gl_sharing") || !gl_start(&window))
		return false;
	gl_find(&window, &gl);
	const cl_context_properties *good = PROPERTIES(CONTEXT, DISPLAY);
	if (clGetGLContextInfoKHR(good, CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, sizeof(device), &device, &size_B) ||
	    !size_B || device != world.device)
		return false;
	context = create(good);
	queue = context ? clCreateCommandQueue(context, world.device, 0, &error_code) : NULL;
	REQUIRE(queue);
	return queue;
}

/* The rows of these functions. */
static void all_absent(void)
{
	static const struct { const char *function; cl_int code; unsigned condition; } rows[] = {
#define ERROR(function, code, condition) {#function, code, condition},
#include "tests/api/errors.def"
#undef ERROR
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strstr(rows[i].function, "GL") || rows[i].code == CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR ||
		    (!strncmp(rows[i].function, "clCreateContext", 15) &&
		     (rows[i].code == CL_INVALID_OPERATION ||
		      (rows[i].code == CL_INVALID_PROPERTY && rows[i].condition == 4))))
			error_absent(rows[i].function, rows[i].code, rows[i].condition);
}

void errors_gl(void)
{
	if (!start()) {
		all_absent();
		return;
	}
	contexts();
	objects();
	events();
	egl_images();
	REQUIRE(!clReleaseCommandQueue(queue));
	REQUIRE(!clReleaseContext(context));
	gl_end(&window);
}
