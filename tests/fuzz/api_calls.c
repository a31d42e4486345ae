#include "config.h"

#include "tests/fuzz/api.h"

#include "icd/include/cl_culvert.h"
#include "icd/include/khr_command_buffer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define STATUS(name, parameters, arguments) ROW(cl_int, name, parameters)
#define MAKE(type, name, parameters, arguments) ROW(type, name, parameters)
#define ENQUEUE(name, parameters, arguments) ROW(cl_int, name, parameters)
#define LAUNCH(name, parameters, arguments) ROW(cl_int, name, parameters)
#define MAP(name, parameters, arguments) ROW(void *, name, parameters)
#define CALL(type, name, function, parameters, arguments) ROW(type, name, parameters)
#define LAUNCH_CALL(name, function, parameters, arguments) ROW(cl_int, name, parameters)
#define VOID_CALL(name, function, parameters, arguments) ROW(void, name, parameters)
#define MAKE_CALL(type, name, function, parameters, arguments) ROW(type, name, parameters)
#define ENQUEUE_CALL(name, function, parameters, arguments) ROW(cl_int, name, parameters)
#define ROW(result_, name_, parameters) {.name = #name_, .result = #result_, .text = #parameters},

static struct api_call calls[] = {
#include "base/calls.def"
#include "base/extension_calls.def"
/* What is in the dispatch table alone: extensions that we do not have, and another name. */
ROW(cl_mem, clCreateFromGLBuffer, (cl_context a, cl_mem_flags b, cl_GLuint c, cl_int *d))
ROW(cl_mem, clCreateFromGLTexture, (cl_context a, cl_mem_flags b, cl_GLenum c, cl_GLint d, cl_GLuint e,
    cl_int *f))
ROW(cl_mem, clCreateFromGLTexture2D, (cl_context a, cl_mem_flags b, cl_GLenum c, cl_GLint d, cl_GLuint e,
    cl_int *f))
ROW(cl_mem, clCreateFromGLTexture3D, (cl_context a, cl_mem_flags b, cl_GLenum c, cl_GLint d, cl_GLuint e,
    cl_int *f))
ROW(cl_mem, clCreateFromGLRenderbuffer, (cl_context a, cl_mem_flags b, cl_GLuint c, cl_int *d))
ROW(cl_int, clGetGLObjectInfo, (cl_mem a, cl_gl_object_type *b, cl_GLuint *c))
ROW(cl_int, clGetGLTextureInfo, (cl_mem a, cl_gl_texture_info b, size_t c, void *d, size_t *e))
ROW(cl_int, clEnqueueAcquireGLObjects, (cl_command_queue a, cl_uint b, const cl_mem *c, cl_uint d,
    const cl_event *e, cl_event *f))
ROW(cl_int, clEnqueueReleaseGLObjects, (cl_command_queue a, cl_uint b, const cl_mem *c, cl_uint d,
    const cl_event *e, cl_event *f))
ROW(cl_int, clGetGLContextInfoKHR, (const cl_context_properties *a, cl_gl_context_info b, size_t c, void *d,
    size_t *e))
ROW(cl_event, clCreateEventFromGLsyncKHR, (cl_context a, cl_GLsync b, cl_int *c))
ROW(cl_int, clCreateSubDevicesEXT, (cl_device_id a, const cl_device_partition_property_ext *b, cl_uint c,
    cl_device_id *d, cl_uint *e))
ROW(cl_int, clRetainDeviceEXT, (cl_device_id a))
ROW(cl_int, clReleaseDeviceEXT, (cl_device_id a))
ROW(cl_mem, clCreateFromEGLImageKHR, (cl_context a, CLeglDisplayKHR b, CLeglImageKHR c, cl_mem_flags d,
    const cl_egl_image_properties_khr *e, cl_int *f))
ROW(cl_int, clEnqueueAcquireEGLObjectsKHR, (cl_command_queue a, cl_uint b, const cl_mem *c, cl_uint d,
    const cl_event *e, cl_event *f))
ROW(cl_int, clEnqueueReleaseEGLObjectsKHR, (cl_command_queue a, cl_uint b, const cl_mem *c, cl_uint d,
    const cl_event *e, cl_event *f))
ROW(cl_event, clCreateEventFromEGLSyncKHR, (cl_context a, CLeglSyncKHR b, CLeglDisplayKHR c, cl_int *d))
ROW(cl_int, clGetKernelSubGroupInfoKHR, (cl_kernel a, cl_device_id b, cl_kernel_sub_group_info c, size_t d,
    const void *e, size_t f, void *g, size_t *h))
ROW(cl_int, clUnloadCompiler, (void))
ROW(cl_int, clGetPlatformIDs, (cl_uint a, cl_platform_id *b, cl_uint *c))
ROW(void *, clGetExtensionFunctionAddress, (const char *a))
ROW(void *, clGetExtensionFunctionAddressForPlatform, (cl_platform_id a, const char *b))
ROW(cl_int, clIcdGetPlatformIDsKHR, (cl_uint a, cl_platform_id *b, cl_uint *c))
ROW(void *, clIcdGetFunctionAddressForPlatformKHR, (cl_platform_id a, const char *b))
};
enum { CALLS = sizeof(calls) / sizeof(calls[0]) };

enum api_kind api_kind_of(const char *type)
{
	static const char *const names[API_KINDS] = {
		"cl_platform_id", "cl_device_id", "cl_context", "cl_command_queue", "cl_mem",
		"cl_program", "cl_kernel", "cl_event", "cl_sampler", "cl_semaphore_khr",
		"cl_command_buffer_khr", "cl_mutable_command_khr",
	};
	int kind = 0;
	while (kind < API_KINDS && strcmp(names[kind], type))
		kind++;
	return (enum api_kind)kind;
}

static bool ends_with(const char *text, const char *ending)
{
	const size_t size_B = strlen(text), ending_B = strlen(ending);
	return size_B >= ending_B && !strcmp(text + size_B - ending_B, ending);
}

/* A pointer: type is without its last star. */
static enum api_class pointer_class(const char *type, enum api_kind *kind_out)
{
	static const struct {
		const char *type;
		enum api_class is;
	} known[] = {
		{"const char", API_STRING}, {"const char *", API_STRINGS},
		{"const unsigned char *", API_BYTES}, {"const size_t", API_SIZES},
		{"const void", API_MEMORY}, {"void", API_MEMORY}, {"const void *", API_POINTERS},
		{"void *", API_POINTERS}, {"const cl_image_format", API_FORMAT},
		{"const cl_image_desc", API_SHAPE},
	};
	const bool constant = !strncmp(type, "const ", 6);
	*kind_out = api_kind_of(constant ? type + 6 : type);
	/* clEnqueueCommandBufferKHR's queues are read, though it does not say so. */
	if (*kind_out != API_KINDS)
		return constant || *kind_out == API_QUEUE ? API_HANDLES : API_MADE;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].type, type))
			return known[i].is;
	if (constant)
		return strstr(type, "propert") ? API_PROPERTIES : API_NUMBERS;
	return API_OUT;
}

static void parameter_read(struct api_parameter *parameter, char *text)
{
	if (strchr(text, '(')) {
		parameter->is = API_CALLBACK;
		return;
	}
	/* Without its name, then without its star. */
	size_t size_B = strlen(text);
	while (size_B && (isalnum((unsigned char)text[size_B - 1]) || text[size_B - 1] == '_'))
		size_B--;
	const bool pointer = size_B && text[size_B - 1] == '*';
	if (pointer)
		size_B--;
	while (size_B && text[size_B - 1] == ' ')
		size_B--;
	text[size_B] = '\0';
	snprintf(parameter->type, sizeof(parameter->type), "%s", text);
	parameter->kind = API_KINDS;
	if (pointer) {
		parameter->is = pointer_class(parameter->type, &parameter->kind);
		return;
	}
	parameter->kind = api_kind_of(parameter->type);
	parameter->is = parameter->kind != API_KINDS           ? API_HANDLE
			: !strcmp(parameter->type, "size_t")   ? API_SIZE
			: !strcmp(parameter->type, "cl_uint")  ? API_COUNT
			: ends_with(parameter->type, "_culvert") ? API_CALLBACK
							       : API_NUMBER;
}

/* "(cl_context a, void (CL_CALLBACK *b)(cl_context, void *), void *c)" */
static void parameters_read(struct api_call *call)
{
	char text[256];
	unsigned depth = 0;
	size_t size_B = 0;
	if (!strcmp(call->text, "(void)"))
		return;
	for (const char *c = call->text + 1; *c && call->count < API_PARAMETERS; c++) {
		const bool last = *c == ')' && !depth;
		if (last || (*c == ',' && !depth)) {
			text[size_B] = '\0';
			parameter_read(&call->parameters[call->count++], text);
			size_B = 0;
			if (last)
				return;
			continue;
		}
		depth += *c == '(';
		depth -= *c == ')';
		if (size_B + 1 < sizeof(text) && (size_B || *c != ' '))
			text[size_B++] = *c;
	}
}

struct api_call *api_calls(cl_platform_id platform, unsigned *count_out)
{
	void *(CL_API_CALL *find)(cl_platform_id, const char *);
	void *found = clGetExtensionFunctionAddressForPlatform(
		platform, "clIcdGetFunctionAddressForPlatformKHR");
	memcpy(&find, &found, sizeof(find));
	for (unsigned i = 0; found && i < CALLS; i++) {
		void *function = find(platform, calls[i].name);
		memcpy(&calls[i].function, &function, sizeof(function));
		calls[i].count = 0;
		parameters_read(&calls[i]);
	}
	*count_out = found ? CALLS : 0;
	return calls;
}

const struct api_call *api_call_find(const char *name)
{
	for (unsigned i = 0; i < CALLS; i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	return NULL;
}

unsigned api_place(const struct api_call *call, enum api_class is, unsigned which)
{
	for (unsigned i = 0; i < call->count; i++)
		if (call->parameters[i].is == is && !which--)
			return i;
	return API_PARAMETERS;
}

/* OpenCL's parameters are integers and pointers, and every calling convention that we are built for
 * passes each of them as a word. */
uint64_t api_call_make(const struct api_call *call, const uint64_t words[API_PARAMETERS])
{
	return call->function(words[0], words[1], words[2], words[3], words[4], words[5], words[6],
			      words[7], words[8], words[9], words[10], words[11], words[12],
			      words[13], words[14], words[15]);
}
