/* Protects: sharing with OpenGL where the CUDA driver fails: each of its graphics calls, and each copy and allocation
 * around them, fails once in turn.  The call of OpenCL returns an error that the specification allows, OpenGL's object
 * keeps its contents or has the new ones, nothing stays mapped, and what comes afterwards works. */
#include "config.h"

#include "tests/api/gl_sharing.h"
#include "tests/api/soft_fault.h"

enum { SIDE = 8, WORDS = SIDE * SIDE };

static struct api_test test;
static struct gl_sharing sharing;
static struct gl *const gl = &sharing.gl;
static cl_command_queue queue;
static struct soft_fault fault;

static bool is_allowed(cl_int code)
{
	return code == CL_SUCCESS || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY ||
	       code == CL_INVALID_GL_OBJECT;
}

static void objects_make(unsigned names[2], cl_uint value)
{
	cl_uint words[WORDS];
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = value;
	gl->CreateBuffers(1, &names[0]);
	gl->NamedBufferData(names[0], sizeof(words), words, GL_DYNAMIC_DRAW);
	gl->CreateTextures(GL_TEXTURE_2D, 1, &names[1]);
	gl->TextureStorage2D(names[1], 1, GL_RGBA8, SIDE, SIDE);
	gl->TextureSubImage2D(names[1], 0, 0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, words);
}

/* Whether all words of both objects are before or after. */
static bool objects_check(const unsigned names[2], cl_uint before, cl_uint after)
{
	cl_uint words[2][WORDS];
	bool good = true;
	gl->GetNamedBufferSubData(names[0], 0, sizeof(words[0]), words[0]);
	gl->GetTextureSubImage(names[1], 0, 0, 0, 0, SIDE, SIDE, 1, GL_RGBA, GL_UNSIGNED_BYTE, sizeof(words[1]),
			       words[1]);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned j = 0; j < WORDS; j++)
			good = good && words[i][j] == words[i][0] && (words[i][j] == before || words[i][j] == after);
	return good;
}

static cl_mem from_opengl(const unsigned names[2], unsigned which, cl_int *code)
{
	return which ? clCreateFromGLTexture(sharing.context, CL_MEM_READ_WRITE, GL_TEXTURE_2D, 0, names[1], code)
		     : clCreateFromGLBuffer(sharing.context, CL_MEM_READ_WRITE, names[0], code);
}

/* Makes both objects' contents after; the number of errors. */
static unsigned round_trip(const unsigned names[2], cl_uint after)
{
	const cl_uint pixel[4] = {after & 255, after >> 8 & 255, after >> 16 & 255, after >> 24};
	const float color[4] = {(float)pixel[0] / 255, (float)pixel[1] / 255, (float)pixel[2] / 255,
				(float)pixel[3] / 255};
	const size_t origin[3] = {0}, region[3] = {SIDE, SIDE, 1};
	cl_mem mems[2] = {NULL};
	unsigned errors = 0;
	cl_int code;
	for (unsigned i = 0; i < 2; i++) {
		mems[i] = from_opengl(names, i, &code);
		CHECK(is_allowed(code) && !mems[i] == (code != CL_SUCCESS));
		errors += code != CL_SUCCESS;
	}
	if (!errors) {
		code = clEnqueueAcquireGLObjects(queue, 2, mems, 0, NULL, NULL);
		CHECK(is_allowed(code));
		errors += code != CL_SUCCESS;
	}
	if (!errors) {
		CHECK(is_allowed(clEnqueueFillBuffer(queue, mems[0], &after, 4, 0, WORDS * 4, 0, NULL, NULL)));
		CHECK(is_allowed(clEnqueueFillImage(queue, mems[1], color, origin, region, 0, NULL, NULL)));
		code = clEnqueueReleaseGLObjects(queue, 2, mems, 0, NULL, NULL);
		CHECK(is_allowed(code));
		errors += code != CL_SUCCESS;
	}
	CHECK_OK(clFinish(queue));
	for (unsigned i = 0; i < 2; i++)
		if (mems[i])
			CHECK_OK(clReleaseMemObject(mems[i]));
	return errors;
}

/* The count-th call fails; false: there is no such call any more. */
static bool fail_once(const char *call, unsigned count)
{
	const cl_uint before = 0xFF112233, after = 0xFF665544, later = 0xFF010203;
	unsigned names[2];
	char rule[128];
	snprintf(rule, sizeof(rule), "%s:%u:UNKNOWN", call, count);
	objects_make(names, before);
	CHECK(!fault.set(rule));
	const unsigned errors = round_trip(names, after);
	const bool happened = fault.fired();
	CHECK(!fault.set(""));
	/* What fails while an object is released, and what is tried again, need not be an error. */
	CHECK(happened || !errors);
	if (!CHECK(objects_check(names, before, after)))
		printf("  %s\n", rule);
	CHECK(!round_trip(names, later));
	if (!CHECK(objects_check(names, later, later)))
		printf("  after %s\n", rule);
	gl->DeleteBuffers(1, &names[0]);
	gl->DeleteTextures(1, &names[1]);
	return happened;
}

int main(void)
{
	static const char *const calls[] = {
		"cuGraphicsGLRegisterBuffer", "cuGraphicsGLRegisterImage", "cuGraphicsMapResources",
		"cuGraphicsUnmapResources", "cuGraphicsResourceGetMappedPointer_v2",
		"cuGraphicsSubResourceGetMappedArray", "cuGraphicsUnregisterResource", "cuMemcpyDtoDAsync_v2",
		"cuMemcpy3DAsync_v2", "cuArray3DCreate_v2",
	};
	const char *cuda = getenv("CULVERT_CUDA");
	if (!cuda || strcmp(cuda, "soft"))
		return API_TEST_SKIP;
	if (!api_test_start(&test, "gl_faults"))
		return API_TEST_SKIP;
	if (!gl_sharing_start(&sharing, &test))
		return api_test_skip(&test);
	CHECK(soft_fault_find(&fault));
	queue = queue_make(sharing.context, sharing.devices[0], 0);
	for (unsigned i = 0; fault.set && i < sizeof(calls) / sizeof(calls[0]); i++) {
		unsigned count = 1;
		while (count < 20 && fail_once(calls[i], count))
			count++;
		/* Each was made, and failed, at least once. */
		if (!CHECK(count > 1 && count < 20))
			printf("  %s\n", calls[i]);
	}
	/* Without the call there is no context: which device may share cannot be found out. */
	const struct gl_properties properties = gl_properties_of(&test, &sharing.window);
	cl_int code;
	if (fault.set) {
		CHECK(!fault.set("cuGLGetDevices_v2:*:UNKNOWN"));
		CHECK_NO_OBJECT(clCreateContext(properties.list, 1, sharing.devices, NULL, NULL, &code), code,
				CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
		CHECK(!fault.set("cuGLGetDevices_v2:*:NO_DEVICE"));
		CHECK_NO_OBJECT(clCreateContext(properties.list, 1, sharing.devices, NULL, NULL, &code), code,
				CL_INVALID_OPERATION);
		CHECK(!fault.set(""));
	}
	CHECK_OK(clReleaseCommandQueue(queue));
	gl_sharing_end(&sharing);
	return api_test_end(&test);
}
