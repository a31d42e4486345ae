/* EGL images: their texels are copied in contexts of OpenGL 4.5 of the driver's own, one for each display, because
 * threads that execute copies have none, and NVIDIA's driver needs none. */
#include "config.h"

#include "softcuda/driver/egl_image.h"

#include "base/log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { EGL_OPENGL_API = 0x30A2, EGL_DRAW = 0x3059, EGL_READ = 0x305A };

#define EGL_FUNCTIONS(FUNCTION)                                                                    \
	FUNCTION(unsigned, BindAPI, (unsigned))                                                    \
	FUNCTION(unsigned, QueryAPI, (void))                                                       \
	FUNCTION(void *, GetCurrentSurface, (int))                                                 \
	FUNCTION(void *, CreateContext, (void *, void *, void *, const int *))                     \
	FUNCTION(unsigned, MakeCurrent, (void *, void *, void *, void *))

/* A thread that works with the context, and what was current in it before. */
struct visit {
#define FUNCTION(type, name, parameters) type (*name) parameters;
	EGL_FUNCTIONS(FUNCTION)
#undef FUNCTION
	void *before_display, *before_context, *before_draw, *before_read;
	unsigned before_api;
};

/* The driver's own context of one of the application's displays; it stays until the process ends. */
struct own_context {
	struct own_context *next;
	void *display;
	void *context;                       /* NULL: the last attempt to make it failed */
	uint64_t number;                     /* of the context, which is made again after eglTerminate */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  /* one thread at a time has one of the contexts */
static struct own_context *own_contexts;
static uint64_t contexts_made;

/* NULL: out of memory. */
static struct own_context *own_find(void *display)
{
	struct own_context *own = own_contexts;
	while (own && own->display != display)
		own = own->next;
	if (own)
		return own;
	own = calloc(1, sizeof(*own));
	if (!own)
		return NULL;
	own->display = display;
	own->next = own_contexts;
	own_contexts = own;
	return own;
}

/* A display of which the driver has a context, by its place in the list; NULL: there are no more. */
static void *known_display(unsigned index)
{
	pthread_mutex_lock(&mutex);
	const struct own_context *own = own_contexts;
	for (; own; own = own->next)
		if (own->context && !index--)
			break;
	void *display = own ? own->display : NULL;
	pthread_mutex_unlock(&mutex);
	return display;
}

/* A context that was made before is gone if the application has terminated the display meanwhile. */
static bool context_enter(const struct visit *visit, struct own_context *own)
{
	/* EGL_CONTEXT_MAJOR_VERSION, _MINOR_VERSION, _OPENGL_PROFILE_MASK: core */
	static const int attributes[] = {0x3098, 4, 0x30FB, 5, 0x30FD, 1, 0x3038};
	if (own->context && visit->MakeCurrent(own->display, NULL, NULL, own->context))
		return true;
	own->context = visit->CreateContext(own->display, NULL, NULL, attributes);
	own->number = ++contexts_made;
	return own->context && visit->MakeCurrent(own->display, NULL, NULL, own->context);
}

static void visit_end(const struct visit *visit, void *display)
{
	if (visit->before_context) {
		visit->BindAPI(visit->before_api);
		visit->MakeCurrent(visit->before_display, visit->before_draw, visit->before_read,
				   visit->before_context);
	} else {
		visit->MakeCurrent(display, NULL, NULL, NULL);
		visit->BindAPI(visit->before_api);
	}
	pthread_mutex_unlock(&mutex);
}

/* *number_out: of the context that is current now. */
static bool visit_begin(struct visit *visit, void *display, uint64_t *number_out)
{
	bool complete = true;
#define FUNCTION(type, name, parameters)                                        \
	visit->name = (type (*) parameters)opengl_egl_find("egl" #name);        \
	complete = complete && visit->name;
	EGL_FUNCTIONS(FUNCTION)
#undef FUNCTION
	if (!complete)
		return false;
	pthread_mutex_lock(&mutex);
	visit->before_api = visit->QueryAPI();
	(void)opengl_egl_current(&visit->before_display, &visit->before_context);
	visit->before_draw = visit->GetCurrentSurface(EGL_DRAW);
	visit->before_read = visit->GetCurrentSurface(EGL_READ);
	visit->BindAPI(EGL_OPENGL_API);
	struct own_context *own = own_find(display);
	const bool entered = own && context_enter(visit, own);
	*number_out = own ? own->number : 0;
	if (entered)
		return true;
	log_err("softcuda: EGL has no context of OpenGL 4.5 for its images");
	visit_end(visit, display);
	return false;
}

/* A texture whose texels are those of the image; 0: it is no image. */
static unsigned texture_make(const struct opengl *gl, void *image)
{
	void (*generate)(int, unsigned *) = (void (*)(int, unsigned *))gl->find("glGenTextures");
	void (*target)(unsigned, void *) = (void (*)(unsigned, void *))gl->find("glEGLImageTargetTexture2DOES");
	unsigned (*error)(void) = (unsigned (*)(void))gl->find("glGetError");
	void (*destroy)(int, const unsigned *) = (void (*)(int, const unsigned *))gl->find("glDeleteTextures");
	unsigned texture = 0;
	if (!generate || !target || !error || !destroy)
		return 0;
	generate(1, &texture);
	gl->BindTexture(OPENGL_TEXTURE_2D, texture);
	target(OPENGL_TEXTURE_2D, image);
	if (error()) {
		destroy(1, &texture);
		return 0;
	}
	return texture;
}

/* What is done in a visit: the part gets its texture and is described, its texels are copied, or the texture goes. */
enum action { BEGIN, READ, WRITE, END };

static CUresult act(enum action action, struct soft_graphics_part *part, CUDA_ARRAY3D_DESCRIPTOR *descriptor,
		    void *memory)
{
	struct opengl gl;
	if (!opengl_current(&gl))
		return CUDA_ERROR_UNKNOWN;
	void (*destroy)(int, const unsigned *) = (void (*)(int, const unsigned *))gl.find("glDeleteTextures");
	void (*finish)(void) = gl.find("glFinish");
	if (action == BEGIN)
		part->egl_texture = texture_make(&gl, part->egl_image);
	const struct soft_graphics as = {.target = OPENGL_TEXTURE_2D, .name = part->egl_texture};
	CUresult result = as.name ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
	if (action == BEGIN && as.name)
		result = soft_graphics_part_describe(as.target, as.name, 0, 0, descriptor, &part->image);
	else if (action == READ)
		result = soft_graphics_part_read(&as, part, memory);
	else if (action == WRITE)
		result = soft_graphics_part_write(&as, part, memory);
	if (action == END || (action == BEGIN && result != CUDA_SUCCESS)) {
		destroy(1, &as.name);
		part->egl_texture = 0;
	}
	finish();
	return result;
}

/* A texture is gone with its context, and another context may have one of the same name. */
static CUresult visit_and_act(enum action action, struct soft_graphics_part *part,
			      CUDA_ARRAY3D_DESCRIPTOR *descriptor, void *memory)
{
	struct visit visit;
	uint64_t number;
	CUresult result = CUDA_ERROR_UNKNOWN;
	if (!visit_begin(&visit, part->egl_display, &number))
		return result;
	if (action == BEGIN)
		part->egl_context = number;
	if (part->egl_context == number)
		result = act(action, part, descriptor, memory);
	visit_end(&visit, part->egl_display);
	return result;
}

/* CUDA is not told of which display an image is: perhaps of the one that is current in the thread, or else of one that
 * was when another image was registered. */
static CUresult begin_anywhere(struct soft_graphics_part *part, CUDA_ARRAY3D_DESCRIPTOR *descriptor_out)
{
	void *display, *context;
	CUresult result = CUDA_ERROR_UNKNOWN;
	if (opengl_egl_current(&display, &context)) {
		part->egl_display = display;
		result = visit_and_act(BEGIN, part, descriptor_out, NULL);
	}
	for (unsigned i = 0; result == CUDA_ERROR_UNKNOWN && (display = known_display(i)); i++) {
		part->egl_display = display;
		result = visit_and_act(BEGIN, part, descriptor_out, NULL);
	}
	return result;
}

CUresult soft_egl_begin(struct soft_graphics_part *part, CUDA_ARRAY3D_DESCRIPTOR *descriptor_out)
{
	const CUresult result = begin_anywhere(part, descriptor_out);
	if (result != CUDA_SUCCESS)
		return result;
	/* As NVIDIA's driver. */
	if (part->image.format->kind == OPENGL_UNORM || part->image.format->kind == OPENGL_FLOAT)
		return CUDA_SUCCESS;
	soft_egl_end(part);
	return CUDA_ERROR_INVALID_VALUE;
}

void soft_egl_end(struct soft_graphics_part *part)
{
	(void)visit_and_act(END, part, NULL, NULL);
}

CUresult soft_egl_read(struct soft_graphics_part *part, void *memory)
{
	return visit_and_act(READ, part, NULL, memory);
}

CUresult soft_egl_write(struct soft_graphics_part *part, void *memory)
{
	return visit_and_act(WRITE, part, NULL, memory);
}
