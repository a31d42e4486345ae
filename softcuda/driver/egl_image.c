/* EGL images: their texels are copied in a context of OpenGL 4.5 of the driver's own, because threads that execute copies
 * have none, and NVIDIA's driver needs none. */
#include "config.h"

#include "softcuda/driver/egl_image.h"

#include "base/log.h"

#include <pthread.h>
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

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  /* one thread at a time has the context */
static void *own_display, *own_context;

static void *context_make(const struct visit *visit, void *display)
{
	/* EGL_CONTEXT_MAJOR_VERSION, _MINOR_VERSION, _OPENGL_PROFILE_MASK: core */
	static const int attributes[] = {0x3098, 4, 0x30FB, 5, 0x30FD, 1, 0x3038};
	return visit->CreateContext(display, NULL, NULL, attributes);
}

/* A context that was made before is gone if the application has terminated the display meanwhile. */
static bool context_enter(const struct visit *visit, void *display)
{
	if (own_context && own_display == display && visit->MakeCurrent(display, NULL, NULL, own_context))
		return true;
	own_display = display;
	own_context = context_make(visit, display);
	return own_context && visit->MakeCurrent(display, NULL, NULL, own_context);
}

static void visit_end(const struct visit *visit, void *display)
{
	if (visit->before_context) {
		visit->BindAPI(visit->before_api);
		visit->MakeCurrent(visit->before_display, visit->before_draw, visit->before_read, visit->before_context);
	} else {
		visit->MakeCurrent(display, NULL, NULL, NULL);
		visit->BindAPI(visit->before_api);
	}
	pthread_mutex_unlock(&mutex);
}

static bool visit_begin(struct visit *visit, void *display)
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
	if (context_enter(visit, display))
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

static CUresult visit_and_act(enum action action, struct soft_graphics_part *part,
			      CUDA_ARRAY3D_DESCRIPTOR *descriptor, void *memory)
{
	struct visit visit;
	if (!visit_begin(&visit, part->egl_display))
		return CUDA_ERROR_UNKNOWN;
	const CUresult result = act(action, part, descriptor, memory);
	visit_end(&visit, part->egl_display);
	return result;
}

CUresult soft_egl_begin(struct soft_graphics_part *part, CUDA_ARRAY3D_DESCRIPTOR *descriptor_out)
{
	const CUresult result = visit_and_act(BEGIN, part, descriptor_out, NULL);
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
