/* The OpenGL context that the application has made current in the calling thread with EGL or GLX, and its functions.
 *
 * Neither OpenGL nor EGL is linked or loaded: only libraries that the process has loaded already are used, so that a
 * program without OpenGL pays nothing.  OpenGL's headers are not needed either: what is used of them is declared here,
 * with the values of the registry (https://registry.khronos.org/OpenGL/xml/gl.xml).
 *
 * Thread-safe.  A struct opengl is valid in the thread that has filled it in, while its context stays current. */
#ifndef CULVERT_BASE_OPENGL_H
#define CULVERT_BASE_OPENGL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	OPENGL_TEXTURE_1D = 0x0DE0,
	OPENGL_TEXTURE_2D = 0x0DE1,
	OPENGL_TEXTURE_3D = 0x806F,
	OPENGL_TEXTURE_RECTANGLE = 0x84F5,
	OPENGL_TEXTURE_CUBE_MAP = 0x8513,
	OPENGL_TEXTURE_CUBE_MAP_POSITIVE_X = 0x8515,
	OPENGL_TEXTURE_CUBE_MAP_NEGATIVE_Z = 0x851A,
	OPENGL_TEXTURE_1D_ARRAY = 0x8C18,
	OPENGL_TEXTURE_2D_ARRAY = 0x8C1A,
	OPENGL_TEXTURE_BUFFER = 0x8C2A,
	OPENGL_RENDERBUFFER = 0x8D41
};

/* The functions that are used, by their names without "gl". */
#define OPENGL_FUNCTIONS(FUNCTION)                                                                 \
	FUNCTION(unsigned char, IsBuffer, (unsigned))                                              \
	FUNCTION(unsigned char, IsTexture, (unsigned))                                             \
	FUNCTION(unsigned char, IsRenderbuffer, (unsigned))                                        \
	FUNCTION(unsigned char, IsSync, (void *))                                                  \
	FUNCTION(unsigned, ClientWaitSync, (void *, unsigned, uint64_t))                           \
	FUNCTION(void, WaitSync, (void *, unsigned, uint64_t))                                     \
	FUNCTION(void, Flush, (void))                                                              \
	FUNCTION(void, GetIntegerv, (unsigned, int *))                                             \
	FUNCTION(void, BindBuffer, (unsigned, unsigned))                                           \
	FUNCTION(void, GetBufferParameteri64v, (unsigned, unsigned, int64_t *))                    \
	FUNCTION(void, BindTexture, (unsigned, unsigned))                                          \
	FUNCTION(void, GetTexParameteriv, (unsigned, unsigned, int *))                             \
	FUNCTION(void, GetTexLevelParameteriv, (unsigned, int, unsigned, int *))                   \
	FUNCTION(void, BindRenderbuffer, (unsigned, unsigned))                                     \
	FUNCTION(void, GetRenderbufferParameteriv, (unsigned, unsigned, int *))

struct opengl {
	bool embedded;                   /* the context is of OpenGL ES */
	bool compatible;                 /* it has the compatibility profile */
	int version;                     /* 10 * major + minor */
	/* The function of that name, or NULL. */
	void (*(*find)(const char *name))(void);
#define FUNCTION(type, name, parameters) type (*name) parameters;
	OPENGL_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

/* False if no context is current in the calling thread, or if it lacks one of the functions: it has to be of OpenGL
 * 3.2 or OpenGL ES 3.1 at least. */
bool opengl_current(struct opengl *gl_out);

/* Whether the process has loaded EGL, or GLX. */
bool opengl_has_egl(void);
bool opengl_has_glx(void);
/* Whether display and context are known to EGL.  GLX has no such check. */
bool opengl_egl_knows(void *display, void *context);
/* Whether EGL has that display, initialized. */
bool opengl_egl_is_display(void *display);
/* EGL's display and context that are current in the calling thread; false: there are none. */
bool opengl_egl_current(void **display_out, void **context_out);
/* The function of EGL or OpenGL of that name, by EGL; NULL: EGL is not loaded, or has none. */
void (*opengl_egl_find(const char *name))(void);
/* A handle for dlclose that keeps EGL's library loaded; NULL: the library is not loaded by its usual name. */
void *opengl_egl_hold(void);

/* --- formats of texels --------------------------------------------------------------------- */

enum opengl_kind {
	OPENGL_UNORM, OPENGL_SRGB, OPENGL_UINT, OPENGL_SINT, OPENGL_FLOAT
};

struct opengl_format {
	unsigned internal;               /* the sized internal format */
	enum opengl_kind kind;
	uint32_t channels;               /* 1: red, 2: red and green, 4: RGBA */
	uint32_t channel_B;
};

/* The formats that OpenCL has an image format for (cl_khr_gl_sharing) and that CUDA shares, which refuses those of
 * normalized signed numbers; NULL: not among them. */
const struct opengl_format *opengl_format_find(unsigned internal);

/* --- objects: what is asked for leaves the context's state as it was ----------------------- */

/* The size of a buffer's data store; 0: there is no such buffer, or it has none. */
uint64_t opengl_buffer_B(const struct opengl *gl, unsigned name);

/* One level of a texture, or a renderbuffer. */
struct opengl_image {
	const struct opengl_format *format;  /* NULL: of another format */
	int width, height, depth;        /* depth: or layers */
	int border, samples;
	unsigned buffer;                 /* of a buffer texture: the buffer */
};

/* target: of the texture as it was bound, or a face of a cube map.  False: there is no such texture or level. */
bool opengl_texture_describe(const struct opengl *gl, unsigned target, unsigned name, int level,
			     struct opengl_image *image_out);
/* Whether level is in the range from GL_TEXTURE_BASE_LEVEL to GL_TEXTURE_MAX_LEVEL of the texture, which exists. */
bool opengl_texture_has_level(const struct opengl *gl, unsigned target, unsigned name, int level);
bool opengl_renderbuffer_describe(const struct opengl *gl, unsigned name, struct opengl_image *image_out);

/* GL_TEXTURE_CUBE_MAP for one of its faces, else target. */
static inline unsigned opengl_bound_target(unsigned target)
{
	return target >= OPENGL_TEXTURE_CUBE_MAP_POSITIVE_X && target <= OPENGL_TEXTURE_CUBE_MAP_NEGATIVE_Z
		       ? OPENGL_TEXTURE_CUBE_MAP : target;
}

#endif
