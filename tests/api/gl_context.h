/* An OpenGL context without a window, for tests: EGL is loaded at run time, so that tests build and are skipped on
 * machines without it.  On softcuda the context is Mesa's software renderer, also where another EGL is installed; with
 * CULVERT_TEST_CUDA=driver it is of NVIDIA's first EGL device.  With CULVERT_TEST_GL=glx it is one of GLX instead
 * (gl_glx.h). */
#ifndef CULVERT_TESTS_GL_CONTEXT_H
#define CULVERT_TESTS_GL_CONTEXT_H

#include "tests/api/gl_glx.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __SANITIZE_THREAD__
/* Mesa's renderer is not built with ThreadSanitizer, which does not see how its threads wait for each other.  A
 * program includes this file once. */
__attribute__((visibility("default"))) const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
	return "race:swrast_dri.so\nrace:libgallium\nmutex:swrast_dri.so\nmutex:libgallium\n";
}
#endif

typedef void (*gl_function)(void);

/* Pointers of EGL, which are handles. */
struct gl_window {
	void *library, *display, *config, *context;
	gl_function (*find)(const char *);
	unsigned (*make_current)(void *, void *, void *, void *);
	bool is_glx;                     /* then glx has the rest, and make_current is not set */
	struct gl_glx glx;
};

static inline gl_function gl_egl(const struct gl_window *window, const char *name)
{
	void *address = dlsym(window->library, name);
	gl_function found;
	memcpy(&found, &address, sizeof(found));
	return found;
}

/* The name of EGL's function as a pointer of the given type. */
#define GL_EGL(window, type, parameters, name) ((type(*) parameters)gl_egl((window), (name)))

static inline void *gl_nvidia_display(struct gl_window *window)
{
	unsigned (*devices)(int, void **, int *) =
		(unsigned (*)(int, void **, int *))window->find("eglQueryDevicesEXT");
	void *(*display)(unsigned, void *, const intptr_t *) =
		(void *(*)(unsigned, void *, const intptr_t *))window->find("eglGetPlatformDisplay");
	const char *(*query)(void *, int) = GL_EGL(window, const char *, (void *, int), "eglQueryString");
	unsigned (*initialize)(void *, int *, int *) =
		GL_EGL(window, unsigned, (void *, int *, int *), "eglInitialize");
	void *all[16];
	int count = 0;
	if (!devices || !display || !devices(16, all, &count))
		return NULL;
	for (int i = 0; i < count; i++) {
		void *one = display(0x313F, all[i], NULL);  /* EGL_PLATFORM_DEVICE_EXT */
		/* EGL_VENDOR */
		if (one && initialize(one, NULL, NULL) && strstr(query(one, 0x3053), "NVIDIA"))
			return one;
	}
	return NULL;
}

/* Where several vendors' EGLs are installed, libglvnd asks them in the order of their files' names, and NVIDIA's has
 * displays without a window, too.  A choice of the user's own is kept. */
static inline void gl_choose_mesa(void)
{
	static const char *const files[] = {"/etc/glvnd/egl_vendor.d/50_mesa.json",
					    "/usr/share/glvnd/egl_vendor.d/50_mesa.json"};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!access(files[i], R_OK))
			setenv("__EGL_VENDOR_LIBRARY_FILENAMES", files[i], 0);
}

static inline void *gl_mesa_display(struct gl_window *window)
{
	void *(*display)(unsigned, void *, const intptr_t *) =
		(void *(*)(unsigned, void *, const intptr_t *))window->find("eglGetPlatformDisplay");
	unsigned (*initialize)(void *, int *, int *) =
		GL_EGL(window, unsigned, (void *, int *, int *), "eglInitialize");
	/* EGL_PLATFORM_SURFACELESS_MESA */
	void *one = display ? display(0x31DD, NULL, NULL) : NULL;
	const char *(*query)(void *, int) = GL_EGL(window, const char *, (void *, int), "eglQueryString");
	/* EGL_VENDOR.  softcuda shares with any OpenGL driver; but not all that NVIDIA's does is what tests expect. */
	return one && initialize(one, NULL, NULL) && !strstr(query(one, 0x3053), "NVIDIA") ? one : NULL;
}

enum { GL_CORE = 1, GL_COMPATIBLE = 2 };

/* Another context that shares its objects with shared, or NULL. */
static inline void *gl_context_create(struct gl_window *window, void *shared, int profile)
{
	if (window->is_glx)
		return gl_glx_context_create(&window->glx, shared, profile);
	/* EGL_CONTEXT_MAJOR_VERSION, _MINOR_VERSION, _OPENGL_PROFILE_MASK */
	const int attributes[] = {0x3098, 4, 0x30FB, 5, 0x30FD, profile, 0x3038};
	return GL_EGL(window, void *, (void *, void *, void *, const int *), "eglCreateContext")(
		window->display, window->config, shared, attributes);
}

static inline void gl_context_destroy(struct gl_window *window, void *context)
{
	if (window->is_glx)
		gl_glx_context_destroy(&window->glx, context);
	else
		GL_EGL(window, unsigned, (void *, void *), "eglDestroyContext")(window->display, context);
}

static inline bool gl_start_glx(struct gl_window *window)
{
	window->is_glx = true;
	window->context = gl_glx_start(&window->glx, GL_CORE);
	window->library = window->glx.library;
	window->display = window->glx.display;
	window->config = window->glx.config;
	window->find = window->glx.find;
	return window->context;
}

/* Makes a context of OpenGL 4.5 current; false, with a message, if there is none. */
static inline bool gl_start(struct gl_window *window)
{
	const char *system = getenv("CULVERT_TEST_GL");
	const char *cuda = getenv("CULVERT_TEST_CUDA");
	/* EGL_SURFACE_TYPE: EGL_PBUFFER_BIT; EGL_RENDERABLE_TYPE: EGL_OPENGL_BIT */
	const int wanted[] = {0x3033, 1, 0x3040, 8, 0x3038};
	int count = 0;
	memset(window, 0, sizeof(*window));
	if (system && !strcmp(system, "glx"))
		return gl_start_glx(window);
	const bool nvidia = cuda && !strcmp(cuda, "driver");
	setenv("EGL_LOG_LEVEL", "fatal", 0);
	if (!nvidia)
		gl_choose_mesa();
	window->library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!window->library) {
		printf("skipped: libEGL.so.1 is not installed\n");
		return false;
	}
	window->find = GL_EGL(window, gl_function, (const char *), "eglGetProcAddress");
	window->make_current = GL_EGL(window, unsigned, (void *, void *, void *, void *), "eglMakeCurrent");
	window->display = nvidia ? gl_nvidia_display(window) : gl_mesa_display(window);
	/* EGL_OPENGL_API */
	if (window->display &&
	    GL_EGL(window, unsigned, (unsigned), "eglBindAPI")(0x30A2) &&
	    GL_EGL(window, unsigned, (void *, const int *, void **, int, int *), "eglChooseConfig")(
		    window->display, wanted, &window->config, 1, &count) && count)
		window->context = gl_context_create(window, NULL, GL_CORE);
	if (window->context && window->make_current(window->display, NULL, NULL, window->context))
		return true;
	printf("skipped: %s EGL has no context of OpenGL 4.5 without a window\n", nvidia ? "NVIDIA's" : "Mesa's");
	return false;
}

static inline bool gl_make_current(struct gl_window *window, void *context)
{
	if (window->is_glx)
		return gl_glx_make_current(&window->glx, context);
	return window->make_current(window->display, NULL, NULL, context);
}

/* A thread makes contexts of OpenGL, not of OpenGL ES, current; and ends. */
static inline void gl_thread_begin(struct gl_window *window)
{
	if (!window->is_glx)
		GL_EGL(window, unsigned, (unsigned), "eglBindAPI")(0x30A2);
}
static inline void gl_thread_end(struct gl_window *window)
{
	if (!window->is_glx)
		GL_EGL(window, unsigned, (void), "eglReleaseThread")();
}

static inline void gl_end(struct gl_window *window)
{
	if (window->is_glx) {
		gl_glx_end(&window->glx, window->context);
		return;
	}
	if (window->display) {
		window->make_current(window->display, NULL, NULL, NULL);
#ifndef __SANITIZE_ADDRESS__
		/* It unmaps Mesa's driver; what the driver's variables point to would count as leaked. */
		GL_EGL(window, unsigned, (void *), "eglTerminate")(window->display);
#endif
	}
	/* The library stays: Mesa's threads may still run its code. */
	gl_thread_end(window);
}

/* The functions of OpenGL that the tests use. */
#define GL_FUNCTIONS(FUNCTION)                                                                     \
	FUNCTION(unsigned, GetError, (void))                                                       \
	FUNCTION(void, Finish, (void))                                                             \
	FUNCTION(void, CreateBuffers, (int, unsigned *))                                           \
	FUNCTION(void, DeleteBuffers, (int, const unsigned *))                                     \
	FUNCTION(void, NamedBufferData, (unsigned, ptrdiff_t, const void *, unsigned))             \
	FUNCTION(void, NamedBufferStorage, (unsigned, ptrdiff_t, const void *, unsigned))          \
	FUNCTION(void, NamedBufferSubData, (unsigned, ptrdiff_t, ptrdiff_t, const void *))         \
	FUNCTION(void, GetNamedBufferSubData, (unsigned, ptrdiff_t, ptrdiff_t, void *))            \
	FUNCTION(void, CreateTextures, (unsigned, int, unsigned *))                                \
	FUNCTION(void, DeleteTextures, (int, const unsigned *))                                    \
	FUNCTION(void, TextureStorage2D, (unsigned, int, unsigned, int, int))                      \
	FUNCTION(void, TexImage2D, (unsigned, int, int, int, int, int, unsigned, unsigned, const void *)) \
	FUNCTION(void, TextureStorage3D, (unsigned, int, unsigned, int, int, int))                 \
	FUNCTION(void, TextureStorage2DMultisample, (unsigned, int, unsigned, int, int, unsigned char)) \
	FUNCTION(void, TextureBuffer, (unsigned, unsigned, unsigned))                              \
	FUNCTION(void, TextureSubImage2D, (unsigned, int, int, int, int, int, unsigned, unsigned, const void *)) \
	FUNCTION(void, TextureSubImage3D,                                                          \
		 (unsigned, int, int, int, int, int, int, int, unsigned, unsigned, const void *))  \
	FUNCTION(void, GetTextureSubImage,                                                         \
		 (unsigned, int, int, int, int, int, int, int, unsigned, unsigned, int, void *))   \
	FUNCTION(void, ClearTexImage, (unsigned, int, unsigned, unsigned, const void *))           \
	FUNCTION(void, CreateRenderbuffers, (int, unsigned *))                                     \
	FUNCTION(void, DeleteRenderbuffers, (int, const unsigned *))                               \
	FUNCTION(void, NamedRenderbufferStorage, (unsigned, unsigned, int, int))                   \
	FUNCTION(void, NamedRenderbufferStorageMultisample, (unsigned, int, unsigned, int, int))   \
	FUNCTION(void, CreateFramebuffers, (int, unsigned *))                                      \
	FUNCTION(void, DeleteFramebuffers, (int, const unsigned *))                                \
	FUNCTION(void, NamedFramebufferTexture, (unsigned, unsigned, unsigned, int))               \
	FUNCTION(void, NamedFramebufferRenderbuffer, (unsigned, unsigned, unsigned, unsigned))     \
	FUNCTION(void, BindFramebuffer, (unsigned, unsigned))                                      \
	FUNCTION(void, Viewport, (int, int, int, int))                                             \
	FUNCTION(void, ClearColor, (float, float, float, float))                                   \
	FUNCTION(void, Clear, (unsigned))                                                          \
	FUNCTION(void, ReadPixels, (int, int, int, int, unsigned, unsigned, void *))               \
	FUNCTION(unsigned, CreateShader, (unsigned))                                               \
	FUNCTION(void, ShaderSource, (unsigned, int, const char *const *, const int *))            \
	FUNCTION(void, CompileShader, (unsigned))                                                  \
	FUNCTION(unsigned, CreateProgram, (void))                                                  \
	FUNCTION(void, AttachShader, (unsigned, unsigned))                                         \
	FUNCTION(void, LinkProgram, (unsigned))                                                    \
	FUNCTION(void, GetProgramiv, (unsigned, unsigned, int *))                                  \
	FUNCTION(void, UseProgram, (unsigned))                                                     \
	FUNCTION(void, CreateVertexArrays, (int, unsigned *))                                      \
	FUNCTION(void, BindVertexArray, (unsigned))                                                \
	FUNCTION(void, VertexArrayVertexBuffer, (unsigned, unsigned, unsigned, ptrdiff_t, int))    \
	FUNCTION(void, VertexArrayAttribFormat, (unsigned, unsigned, int, unsigned, unsigned char, unsigned)) \
	FUNCTION(void, VertexArrayAttribBinding, (unsigned, unsigned, unsigned))                   \
	FUNCTION(void, EnableVertexArrayAttrib, (unsigned, unsigned))                              \
	FUNCTION(void, DrawArrays, (unsigned, int, int))                                           \
	FUNCTION(void, BindTextureUnit, (unsigned, unsigned))                                      \
	FUNCTION(void, BindTexture, (unsigned, unsigned))                                          \
	FUNCTION(void *, FenceSync, (unsigned, unsigned))                                          \
	FUNCTION(void, DeleteSync, (void *))                                                       \
	FUNCTION(void, Flush, (void))                                                              \
	FUNCTION(void, ProgramUniform1i, (unsigned, int, int))                                     \
	FUNCTION(void, GetIntegerv, (unsigned, int *))                                             \
	FUNCTION(void, PixelStorei, (unsigned, int))                                               \
	FUNCTION(void, BindBuffer, (unsigned, unsigned))

struct gl {
#define FUNCTION(type, name, parameters) type (*name) parameters;
	GL_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

static inline void gl_find(const struct gl_window *window, struct gl *gl)
{
#define FUNCTION(type, name, parameters) gl->name = (type(*) parameters)window->find("gl" #name);
	GL_FUNCTIONS(FUNCTION)
#undef FUNCTION
}

/* OpenGL's values that the tests use. */
enum {
	GL_RGBA = 0x1908, GL_RED = 0x1903, GL_RG = 0x8227, GL_RGBA_INTEGER = 0x8D99, GL_RED_INTEGER = 0x8D94,
	GL_UNSIGNED_BYTE = 0x1401, GL_FLOAT = 0x1406, GL_INT = 0x1404,
	GL_RGBA8 = 0x8058, GL_RGB8 = 0x8051, GL_RGBA32F = 0x8814, GL_R32F = 0x822E, GL_RGBA32UI = 0x8D70,
	GL_TEXTURE_1D = 0x0DE0, GL_TEXTURE_2D = 0x0DE1, GL_TEXTURE_3D = 0x806F, GL_TEXTURE_RECTANGLE = 0x84F5,
	GL_TEXTURE_CUBE_MAP = 0x8513, GL_TEXTURE_CUBE_MAP_POSITIVE_X = 0x8515, GL_TEXTURE_2D_ARRAY = 0x8C1A,
	GL_TEXTURE_BUFFER = 0x8C2A, GL_TEXTURE_2D_MULTISAMPLE = 0x9100,
	GL_RENDERBUFFER = 0x8D41, GL_FRAMEBUFFER = 0x8D40, GL_COLOR_ATTACHMENT0 = 0x8CE0,
	GL_COLOR_BUFFER_BIT = 0x4000, GL_DYNAMIC_DRAW = 0x88E8, GL_POINTS = 0, GL_TRIANGLES = 4,
	GL_VERTEX_SHADER = 0x8B31, GL_FRAGMENT_SHADER = 0x8B30, GL_LINK_STATUS = 0x8B82,
	GL_PACK_ALIGNMENT = 0x0D05, GL_UNPACK_ROW_LENGTH = 0x0CF2, GL_PACK_ROW_LENGTH = 0x0D02,
	GL_PIXEL_PACK_BUFFER = 0x88EB, GL_PIXEL_PACK_BUFFER_BINDING = 0x88ED, GL_TEXTURE_BINDING_2D = 0x8069,
	GL_COPY_READ_BUFFER = 0x8F36, GL_SYNC_GPU_COMMANDS_COMPLETE = 0x9117
};

/* A program of a vertex and a fragment shader; 0: it does not link. */
static inline unsigned gl_program(const struct gl *gl, const char *vertex, const char *fragment)
{
	const char *const sources[] = {vertex, fragment};
	const unsigned kinds[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
	const unsigned program = gl->CreateProgram();
	int linked = 0;
	for (unsigned i = 0; i < 2; i++) {
		const unsigned shader = gl->CreateShader(kinds[i]);
		gl->ShaderSource(shader, 1, &sources[i], NULL);
		gl->CompileShader(shader);
		gl->AttachShader(program, shader);
	}
	gl->LinkProgram(program);
	gl->GetProgramiv(program, GL_LINK_STATUS, &linked);
	return linked ? program : 0;
}

#endif
