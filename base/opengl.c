#include "config.h"

#include "base/opengl.h"

#include <dlfcn.h>
#include <string.h>

/* Values of the registries of OpenGL and EGL, by their names without prefix. */
enum {
	COPY_READ_BUFFER = 0x8F36, COPY_READ_BUFFER_BINDING = 0x8F36, BUFFER_SIZE = 0x8764,
	TEXTURE_BASE_LEVEL = 0x813C, TEXTURE_MAX_LEVEL = 0x813D,
	TEXTURE_WIDTH = 0x1000, TEXTURE_HEIGHT = 0x1001, TEXTURE_DEPTH = 0x8071, TEXTURE_BORDER = 0x1005,
	TEXTURE_INTERNAL_FORMAT = 0x1003, TEXTURE_RED_SIZE = 0x805C, TEXTURE_SAMPLES = 0x9106,
	TEXTURE_BUFFER_DATA_STORE_BINDING = 0x8C2D,
	RENDERBUFFER_BINDING = 0x8CA7, RENDERBUFFER_WIDTH = 0x8D42, RENDERBUFFER_HEIGHT = 0x8D43,
	RENDERBUFFER_INTERNAL_FORMAT = 0x8D44, RENDERBUFFER_SAMPLES = 0x8CAB, RENDERBUFFER_RED_SIZE = 0x8D50,
	TEXTURE_TARGET = 0x1006, MAX_TEXTURE_SIZE = 0x0D33, MAX_3D_TEXTURE_SIZE = 0x8073,
	MAX_CUBE_MAP_TEXTURE_SIZE = 0x851C, MAJOR_VERSION = 0x821B, MINOR_VERSION = 0x821C,
	CONTEXT_PROFILE_MASK = 0x9126, CONTEXT_COMPATIBILITY_PROFILE_BIT = 2,
	RGBA = 0x1908, BGRA = 0x80E1, RGBA8 = 0x8058, RGBA16 = 0x805B,
	EGL_CONTEXT_CLIENT_TYPE = 0x3097, EGL_OPENGL_API = 0x30A2, EGL_VENDOR = 0x3053
};

typedef void (*function)(void);
typedef function (*finder)(const char *);

/* --- the libraries that the process has loaded --------------------------------------------- */

/* A symbol of a library that is loaded already, also if its symbols are not global. */
static void *loaded_symbol(const char *const *libraries, const char *name)
{
	void *address = dlsym(RTLD_DEFAULT, name);
	for (; !address && *libraries; libraries++) {
		void *handle = dlopen(*libraries, RTLD_LAZY | RTLD_NOLOAD);
		if (!handle)
			continue;
		address = dlsym(handle, name);
		/* The application's reference keeps it loaded. */
		dlclose(handle);
	}
	return address;
}

static void *egl_symbol(const char *name)
{
	static const char *const libraries[] = {"libEGL.so.1", "libEGL.so", NULL};
	return loaded_symbol(libraries, name);
}

static void *glx_symbol(const char *name)
{
	static const char *const libraries[] = {"libGLX.so.0", "libGL.so.1", "libGL.so", NULL};
	return loaded_symbol(libraries, name);
}

bool opengl_has_egl(void)
{
	return egl_symbol("eglGetCurrentContext");
}

bool opengl_has_glx(void)
{
	return glx_symbol("glXGetCurrentContext");
}

/* Sets a pointer to a function from an address, as POSIX allows. */
#define SET(pointer, address) do { void *found_ = (address); memcpy(&(pointer), &found_, sizeof(found_)); } while (0)

static bool egl_query(void *display, void *context, int attribute, int *value_out)
{
	unsigned (*query)(void *, void *, int, int *);
	SET(query, egl_symbol("eglQueryContext"));
	return query && query(display, context, attribute, value_out);
}

bool opengl_egl_knows(void *display, void *context)
{
	int api;
	return egl_query(display, context, EGL_CONTEXT_CLIENT_TYPE, &api);
}

bool opengl_egl_is_display(void *display)
{
	const char *(*query)(void *, int);
	SET(query, egl_symbol("eglQueryString"));
	return display && query && query(display, EGL_VENDOR);
}

bool opengl_egl_current(void **display_out, void **context_out)
{
	void *(*context)(void), *(*display)(void);
	SET(context, egl_symbol("eglGetCurrentContext"));
	SET(display, egl_symbol("eglGetCurrentDisplay"));
	*context_out = context && display ? context() : NULL;
	*display_out = *context_out ? display() : NULL;
	return *context_out;
}

function opengl_egl_find(const char *name)
{
	finder find;
	SET(find, egl_symbol("eglGetProcAddress"));
	return find ? find(name) : NULL;
}

void *opengl_egl_hold(void)
{
	return dlopen("libEGL.so.1", RTLD_LAZY | RTLD_NOLOAD);
}

/* What finds the functions of the current context; NULL: there is none. */
static finder current_finder(bool *embedded_out)
{
	void *egl_display, *egl_context, *(*context)(void);
	finder find = NULL;
	int api = EGL_OPENGL_API;
	*embedded_out = false;
	if (opengl_egl_current(&egl_display, &egl_context)) {
		SET(find, egl_symbol("eglGetProcAddress"));
		*embedded_out = egl_query(egl_display, egl_context, EGL_CONTEXT_CLIENT_TYPE, &api) &&
				api != EGL_OPENGL_API;
		return find;
	}
	SET(context, glx_symbol("glXGetCurrentContext"));
	if (context && context())
		SET(find, glx_symbol("glXGetProcAddressARB"));
	return find;
}

static void version_read(struct opengl *gl)
{
	int major = 0, minor = 0, profile = 0;
	gl->GetIntegerv(MAJOR_VERSION, &major);
	gl->GetIntegerv(MINOR_VERSION, &minor);
	gl->version = 10 * major + minor;
	if (!gl->embedded && gl->version >= 32)
		gl->GetIntegerv(CONTEXT_PROFILE_MASK, &profile);
	gl->compatible = profile & CONTEXT_COMPATIBILITY_PROFILE_BIT;
}

bool opengl_current(struct opengl *gl_out)
{
	memset(gl_out, 0, sizeof(*gl_out));
	gl_out->find = current_finder(&gl_out->embedded);
	if (!gl_out->find)
		return false;
	bool complete = true;
	function found;
#define FUNCTION(type, name, parameters)                                          \
	found = gl_out->find("gl" #name);                                         \
	complete = complete && found;                                             \
	gl_out->name = (type (*) parameters)found;
	OPENGL_FUNCTIONS(FUNCTION)
#undef FUNCTION
	if (complete)
		version_read(gl_out);
	return complete && gl_out->version >= (gl_out->embedded ? 31 : 32);
}

/* --- formats -------------------------------------------------------------------------------- */

static const struct opengl_format formats[] = {
	{0x8229, OPENGL_UNORM, 1, 1}, {0x822B, OPENGL_UNORM, 2, 1}, {RGBA8, OPENGL_UNORM, 4, 1},
	{0x822A, OPENGL_UNORM, 1, 2}, {0x822C, OPENGL_UNORM, 2, 2}, {RGBA16, OPENGL_UNORM, 4, 2},
	{0x822D, OPENGL_FLOAT, 1, 2}, {0x822F, OPENGL_FLOAT, 2, 2}, {0x881A, OPENGL_FLOAT, 4, 2},
	{0x822E, OPENGL_FLOAT, 1, 4}, {0x8230, OPENGL_FLOAT, 2, 4}, {0x8814, OPENGL_FLOAT, 4, 4},
	{0x8231, OPENGL_SINT, 1, 1}, {0x8237, OPENGL_SINT, 2, 1}, {0x8D8E, OPENGL_SINT, 4, 1},
	{0x8233, OPENGL_SINT, 1, 2}, {0x8239, OPENGL_SINT, 2, 2}, {0x8D88, OPENGL_SINT, 4, 2},
	{0x8235, OPENGL_SINT, 1, 4}, {0x823B, OPENGL_SINT, 2, 4}, {0x8D82, OPENGL_SINT, 4, 4},
	{0x8232, OPENGL_UINT, 1, 1}, {0x8238, OPENGL_UINT, 2, 1}, {0x8D7C, OPENGL_UINT, 4, 1},
	{0x8234, OPENGL_UINT, 1, 2}, {0x823A, OPENGL_UINT, 2, 2}, {0x8D76, OPENGL_UINT, 4, 2},
	{0x8236, OPENGL_UINT, 1, 4}, {0x823C, OPENGL_UINT, 2, 4}, {0x8D70, OPENGL_UINT, 4, 4},
	{0x8C43, OPENGL_SRGB, 4, 1},
};

const struct opengl_format *opengl_format_find(unsigned internal)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i].internal == internal)
			return &formats[i];
	return NULL;
}

/* An unsized format, which some implementations return as it was given, has the size that was chosen for it. */
static const struct opengl_format *format_of(int internal, int red_bits)
{
	if (internal == RGBA || internal == BGRA || internal == 4)
		internal = red_bits == 8 ? RGBA8 : red_bits == 16 ? RGBA16 : 0;
	return opengl_format_find((unsigned)internal);
}

/* --- objects -------------------------------------------------------------------------------- */

uint64_t opengl_buffer_B(const struct opengl *gl, unsigned name)
{
	int64_t size_B = 0;
	int before = 0;
	if (!name || !gl->IsBuffer(name))
		return 0;
	gl->GetIntegerv(COPY_READ_BUFFER_BINDING, &before);
	gl->BindBuffer(COPY_READ_BUFFER, name);
	gl->GetBufferParameteri64v(COPY_READ_BUFFER, BUFFER_SIZE, &size_B);
	gl->BindBuffer(COPY_READ_BUFFER, (unsigned)before);
	return size_B > 0 ? (uint64_t)size_B : 0;
}

/* The query for the texture that is bound to target; 0: no such target. */
static unsigned binding_of(unsigned target)
{
	switch (target) {
	case OPENGL_TEXTURE_1D:
		return 0x8068;
	case OPENGL_TEXTURE_2D:
		return 0x8069;
	case OPENGL_TEXTURE_3D:
		return 0x806A;
	case OPENGL_TEXTURE_RECTANGLE:
		return 0x84F6;
	case OPENGL_TEXTURE_CUBE_MAP:
		return 0x8514;
	case OPENGL_TEXTURE_1D_ARRAY:
		return 0x8C1C;
	case OPENGL_TEXTURE_2D_ARRAY:
		return 0x8C1D;
	case OPENGL_TEXTURE_BUFFER:
		return 0x8C2C;
	default:
		return 0;
	}
}

/* Whether the texture was made for bound.  Older contexts can only try, and so can Mesa's of the compatibility profile,
 * and all for a buffer texture, which has no parameters: then OpenGL notes an error. */
static bool target_fits(const struct opengl *gl, unsigned bound, unsigned name)
{
	void (*query)(unsigned, unsigned, int *) =
		(void (*)(unsigned, unsigned, int *))gl->find("glGetTextureParameteriv");
	int target = 0;
	if (gl->embedded || gl->compatible || gl->version < 45 || !query || bound == OPENGL_TEXTURE_BUFFER)
		return true;
	query(name, TEXTURE_TARGET, &target);
	return (unsigned)target == bound;
}

/* False if there is no such texture, or it was made for another target. */
static bool texture_bind(const struct opengl *gl, unsigned target, unsigned name, int *before_out)
{
	const unsigned bound = opengl_bound_target(target);
	int now = 0;
	if (!name || !binding_of(bound) || !gl->IsTexture(name) || !target_fits(gl, bound, name))
		return false;
	gl->GetIntegerv(binding_of(bound), before_out);
	gl->BindTexture(bound, name);
	gl->GetIntegerv(binding_of(bound), &now);
	return (unsigned)now == name;
}

static void texture_unbind(const struct opengl *gl, unsigned target, int before)
{
	gl->BindTexture(opengl_bound_target(target), (unsigned)before);
}

/* Whether textures of that target can have such a level at all. */
static bool level_can_be(const struct opengl *gl, unsigned target, int level)
{
	const unsigned bound = opengl_bound_target(target);
	const unsigned limit = bound == OPENGL_TEXTURE_3D ? MAX_3D_TEXTURE_SIZE :
			       bound == OPENGL_TEXTURE_CUBE_MAP ? MAX_CUBE_MAP_TEXTURE_SIZE : MAX_TEXTURE_SIZE;
	int size = 1;
	if (level <= 0 || bound == OPENGL_TEXTURE_BUFFER || bound == OPENGL_TEXTURE_RECTANGLE)
		return !level;
	gl->GetIntegerv(limit, &size);
	return level < 31 && size >> level;
}

bool opengl_texture_describe(const struct opengl *gl, unsigned target, unsigned name, int level,
			     struct opengl_image *image_out)
{
	int before, internal = 0, red_bits = 0, buffer = 0;
	memset(image_out, 0, sizeof(*image_out));
	if (!level_can_be(gl, target, level) || !texture_bind(gl, target, name, &before))
		return false;
	gl->GetTexLevelParameteriv(target, level, TEXTURE_WIDTH, &image_out->width);
	gl->GetTexLevelParameteriv(target, level, TEXTURE_HEIGHT, &image_out->height);
	gl->GetTexLevelParameteriv(target, level, TEXTURE_DEPTH, &image_out->depth);
	gl->GetTexLevelParameteriv(target, level, TEXTURE_INTERNAL_FORMAT, &internal);
	gl->GetTexLevelParameteriv(target, level, TEXTURE_RED_SIZE, &red_bits);
	gl->GetTexLevelParameteriv(target, level, TEXTURE_SAMPLES, &image_out->samples);
	/* OpenGL ES and core profiles have no borders. */
	if (gl->compatible)
		gl->GetTexLevelParameteriv(target, level, TEXTURE_BORDER, &image_out->border);
	if (target == OPENGL_TEXTURE_BUFFER)
		gl->GetTexLevelParameteriv(target, level, TEXTURE_BUFFER_DATA_STORE_BINDING, &buffer);
	texture_unbind(gl, target, before);
	image_out->format = format_of(internal, red_bits);
	image_out->buffer = (unsigned)buffer;
	return image_out->width > 0;
}

bool opengl_texture_has_level(const struct opengl *gl, unsigned target, unsigned name, int level)
{
	const unsigned bound = opengl_bound_target(target);
	int before, base = 0, last = 0;
	/* Buffer and rectangle textures have one level. */
	if (level < 0 || target == OPENGL_TEXTURE_BUFFER || target == OPENGL_TEXTURE_RECTANGLE)
		return !level;
	if (!texture_bind(gl, target, name, &before))
		return false;
	gl->GetTexParameteriv(bound, TEXTURE_BASE_LEVEL, &base);
	gl->GetTexParameteriv(bound, TEXTURE_MAX_LEVEL, &last);
	texture_unbind(gl, target, before);
	return level >= base && level <= last;
}

bool opengl_renderbuffer_describe(const struct opengl *gl, unsigned name, struct opengl_image *image_out)
{
	int before = 0, internal = 0, red_bits = 0;
	memset(image_out, 0, sizeof(*image_out));
	if (!name || !gl->IsRenderbuffer(name))
		return false;
	gl->GetIntegerv(RENDERBUFFER_BINDING, &before);
	gl->BindRenderbuffer(OPENGL_RENDERBUFFER, name);
	gl->GetRenderbufferParameteriv(OPENGL_RENDERBUFFER, RENDERBUFFER_WIDTH, &image_out->width);
	gl->GetRenderbufferParameteriv(OPENGL_RENDERBUFFER, RENDERBUFFER_HEIGHT, &image_out->height);
	gl->GetRenderbufferParameteriv(OPENGL_RENDERBUFFER, RENDERBUFFER_INTERNAL_FORMAT, &internal);
	gl->GetRenderbufferParameteriv(OPENGL_RENDERBUFFER, RENDERBUFFER_SAMPLES, &image_out->samples);
	gl->GetRenderbufferParameteriv(OPENGL_RENDERBUFFER, RENDERBUFFER_RED_SIZE, &red_bits);
	gl->BindRenderbuffer(OPENGL_RENDERBUFFER, (unsigned)before);
	image_out->format = format_of(internal, red_bits);
	image_out->depth = 1;
	return image_out->width > 0 && image_out->height > 0;
}
