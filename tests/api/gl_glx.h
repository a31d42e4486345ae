/* An OpenGL context of a display of X11, as gl_context.h has one of EGL: most programs with a window use GLX.  X11 and
 * OpenGL are loaded at run time.  The display is $DISPLAY's; the window of 16 x 16 pixels is not shown. */
#ifndef CULVERT_TESTS_GL_GLX_H
#define CULVERT_TESTS_GL_GLX_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Handles and functions of X11 and GLX. */
struct gl_glx {
	void *library, *x11, *display, *config;
	unsigned long drawable;
	void (*(*find)(const char *))(void);
	int (*make_current)(void *, unsigned long, unsigned long, void *);
};

/* Sets *pointer, to a function; false: the library has none of that name. */
static inline bool gl_glx_set(void *pointer, void *library, const char *name)
{
	void *address = library ? dlsym(library, name) : NULL;
	memcpy(pointer, &address, sizeof(address));
	return address;
}

/* Another context that shares its objects with shared, or NULL.  An error of X11 ends the process. */
static inline void *gl_glx_context_create(const struct gl_glx *glx, void *shared, int profile)
{
	/* GLX_CONTEXT_MAJOR_VERSION_ARB, _MINOR_VERSION_, GLX_CONTEXT_PROFILE_MASK_ARB */
	const int attributes[] = {0x2091, 4, 0x2092, 5, 0x9126, profile, 0};
	void *(*create)(void *, void *, void *, int, const int *) =
		(void *(*)(void *, void *, void *, int, const int *))glx->find("glXCreateContextAttribsARB");
	return create ? create(glx->display, glx->config, shared, 1, attributes) : NULL;
}

static inline bool gl_glx_make_current(const struct gl_glx *glx, void *context)
{
	const unsigned long drawable = context ? glx->drawable : 0;
	return glx->make_current(glx->display, drawable, drawable, context);
}

static inline void gl_glx_context_destroy(const struct gl_glx *glx, void *context)
{
	void (*destroy)(void *, void *);
	if (gl_glx_set(&destroy, glx->library, "glXDestroyContext"))
		destroy(glx->display, context);
}

/* XVisualInfo as far as its depth, and XSetWindowAttributes, of Xlib's interface. */
struct gl_glx_visual {
	void *visual;
	unsigned long id;
	int screen, depth;
};
struct gl_glx_window_attributes {
	unsigned long background_pixmap, background_pixel, border_pixmap, border_pixel;
	int bit_gravity, win_gravity, backing_store;
	unsigned long backing_planes, backing_pixel;
	int save_under;
	long event_mask, do_not_propagate_mask;
	int override_redirect;
	unsigned long colormap, cursor;
};

/* A configuration that windows can have, and its visual, which is to be freed by XFree; NULL if there is none. */
static inline struct gl_glx_visual *gl_glx_config(struct gl_glx *glx, int (*x_free)(void *))
{
	/* GLX_X_RENDERABLE, GLX_DRAWABLE_TYPE: GLX_WINDOW_BIT; GLX_RENDER_TYPE: GLX_RGBA_BIT */
	const int wanted[] = {0x8012, 1, 0x8010, 1, 0x8011, 1, 0};
	void **(*choose)(void *, int, const int *, int *);
	struct gl_glx_visual *(*visual_of)(void *, void *), *visual = NULL;
	int count = 0;
	if (!gl_glx_set(&choose, glx->library, "glXChooseFBConfig") ||
	    !gl_glx_set(&visual_of, glx->library, "glXGetVisualFromFBConfig"))
		return NULL;
	void **configs = choose(glx->display, 0, wanted, &count);
	for (int i = 0; i < count && !visual; i++) {
		visual = visual_of(glx->display, configs[i]);
		glx->config = configs[i];
	}
	if (configs)
		x_free(configs);
	return visual;
}

/* NULL, or what the display lacks. */
static inline const char *gl_glx_window_make(struct gl_glx *glx)
{
	unsigned long (*root_of)(void *), (*colormap)(void *, unsigned long, void *, int),
		(*window)(void *, unsigned long, int, int, unsigned, unsigned, unsigned, int, unsigned, void *,
			  unsigned long, struct gl_glx_window_attributes *);
	int (*x_free)(void *);
	struct gl_glx_window_attributes attributes = {0};
	if (!gl_glx_set(&root_of, glx->x11, "XDefaultRootWindow") ||
	    !gl_glx_set(&colormap, glx->x11, "XCreateColormap") || !gl_glx_set(&window, glx->x11, "XCreateWindow") ||
	    !gl_glx_set(&x_free, glx->x11, "XFree"))
		return "functions of libX11.so.6";
	struct gl_glx_visual *visual = gl_glx_config(glx, x_free);
	if (!visual)
		return "a configuration for windows";
	const unsigned long root = root_of(glx->display);
	/* AllocNone; InputOutput; CWBorderPixel and CWColormap: the visual may be another than the root's. */
	attributes.colormap = colormap(glx->display, root, visual->visual, 0);
	glx->drawable = window(glx->display, root, 0, 0, 16, 16, 0, visual->depth, 1, visual->visual,
			       1 << 3 | 1 << 13, &attributes);
	x_free(visual);
	return NULL;
}

/* The context of OpenGL 4.5, which is current; NULL, with a message: there is none. */
static inline void *gl_glx_start(struct gl_glx *glx, int profile)
{
	int (*init_threads)(void);
	void *(*open_display)(const char *), *context = NULL;
	memset(glx, 0, sizeof(*glx));
	glx->x11 = dlopen("libX11.so.6", RTLD_NOW | RTLD_LOCAL);
	glx->library = dlopen("libGL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!gl_glx_set(&init_threads, glx->x11, "XInitThreads") ||
	    !gl_glx_set(&open_display, glx->x11, "XOpenDisplay") ||
	    !gl_glx_set(&glx->find, glx->library, "glXGetProcAddressARB") ||
	    !gl_glx_set(&glx->make_current, glx->library, "glXMakeContextCurrent")) {
		printf("skipped: libX11.so.6 or libGL.so.1 is not installed\n");
		return NULL;
	}
	init_threads();
	glx->display = open_display(NULL);
	const char *missing = glx->display ? gl_glx_window_make(glx) : "a server";
	if (!missing)
		context = gl_glx_context_create(glx, NULL, profile);
	if (context && gl_glx_make_current(glx, context))
		return context;
	if (!missing)
		missing = context ? "a context that can be made current" : "a context of OpenGL 4.5";
	printf("skipped: the display lacks %s\n", missing);
	return NULL;
}

static inline void gl_glx_end(const struct gl_glx *glx, void *context)
{
	int (*close_display)(void *);
	gl_glx_make_current(glx, NULL);
	gl_glx_context_destroy(glx, context);
	if (gl_glx_set(&close_display, glx->x11, "XCloseDisplay"))
		close_display(glx->display);
}

#endif
