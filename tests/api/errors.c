/* Runs the cases and compares with the list (errors.h). */
#include "config.h"

#include "tests/api/errors_record.h"

#include "tests/api/fixture.h"

struct world world;
cl_int error_code;
char error_bytes[WORLD_BUFFER_B];

/* --- the list ------------------------------------------------------------------------- */

struct row {
	const char *function, *name;
	cl_int code;
	unsigned condition;
	unsigned cases;
	bool absent, excused;
};

static struct row rows[] = {
#define ERROR(function, name, condition) {#function, #name, name, condition, 0, false, false},
#include "tests/api/errors.def"
#undef ERROR
};

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

/* "*" is any function, condition 0 any condition. */
struct reason {
	const char *function, *name;
	unsigned condition;
	unsigned rows;
};

static struct reason reasons[] = {
#define REASON(function, name, condition, why) {function, #name, condition, 0},
#include "tests/api/errors_reasons.def"
#undef REASON
};

enum { REASON_COUNT = sizeof(reasons) / sizeof(reasons[0]) };

static struct row *row_find(const char *function, cl_int code, unsigned condition)
{
	for (unsigned i = 0; i < ROW_COUNT; i++)
		if (!strcmp(rows[i].function, function) && rows[i].code == code &&
		    rows[i].condition == condition)
			return &rows[i];
	return NULL;
}

void error_case(const char *function, cl_int code, unsigned condition, cl_int got,
		const char *file, int line)
{
	char text[256];
	struct row *row = row_find(function, code, condition);
	snprintf(text, sizeof(text), "%s, %s %u", function, row ? row->name : "?", condition);
	api_test_check_code(got, code, text, file, line);
	if (row)
		row->cases++;
	else
		api_test_check(false, "a case of no row", file, line);
}

void error_absent(const char *function, cl_int code, unsigned condition)
{
	struct row *row = row_find(function, code, condition);
	if (CHECK(row))
		row->absent = true;
}

void error_require(bool good, const char *text, const char *file, int line)
{
	api_test_check(good, text, file, line);
}

void *error_function(const char *name)
{
	void *function = clGetExtensionFunctionAddressForPlatform(world.platform, name);
	CHECK(function);
	return function;
}

static bool reason_fits(const struct reason *reason, const struct row *row)
{
	return (!strcmp(reason->function, "*") || !strcmp(reason->function, row->function)) &&
	       !strcmp(reason->name, row->name) &&
	       (!reason->condition || reason->condition == row->condition);
}

/* A reason for one function is wrong where there is a case; one for all functions speaks of
 * those that have none. */
static void reasons_apply(void)
{
	for (unsigned i = 0; i < REASON_COUNT; i++) {
		for (unsigned j = 0; j < ROW_COUNT; j++) {
			const bool own = strcmp(reasons[i].function, "*");
			if (!reason_fits(&reasons[i], &rows[j]) || (!own && rows[j].cases))
				continue;
			reasons[i].rows++;
			rows[j].excused = true;
			if (!api_test_check(!rows[j].cases, "a reason, and a case", __FILE__,
					    __LINE__))
				printf("%s, %s %u\n", rows[j].function, rows[j].name,
				       rows[j].condition);
		}
		if (!api_test_check(reasons[i].rows, "a reason for nothing", __FILE__, __LINE__))
			printf("%s, %s %u\n", reasons[i].function, reasons[i].name,
			       reasons[i].condition);
	}
}

static void rows_check(void)
{
	unsigned covered = 0, excused = 0, absent = 0;
	reasons_apply();
	for (unsigned i = 0; i < ROW_COUNT; i++) {
		covered += rows[i].cases != 0;
		excused += rows[i].excused;
		absent += !rows[i].cases && rows[i].absent;
		if (!api_test_check(rows[i].cases || rows[i].excused || rows[i].absent,
				    "neither a case nor a reason", __FILE__, __LINE__))
			printf("%s, %s %u\n", rows[i].function, rows[i].name, rows[i].condition);
	}
	printf("errors: %u rows: %u provoked, %u with a reason, %u without a second device\n",
	       (unsigned)ROW_COUNT, covered, excused, absent);
}

/* --- the world ------------------------------------------------------------------------ */

static const char source[] =
	"kernel void axpy(global int *a, int b) { a[get_global_id(0)] += b; }\n"
	"kernel void image(read_only image2d_t from, write_only image2d_t to, sampler_t s)\n"
	"{ int2 at = (int2)(get_global_id(0), 0); write_imagef(to, at, read_imagef(from, s, at)); }\n"
	"kernel void locals(local int *a, global int *b) { b[0] = a[0]; }\n"
	"kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(global int *a)\n"
	"{ a[get_global_id(0)] = 8; }\n";

static cl_mem world_image(cl_context context, cl_mem_object_type type, cl_uint levels)
{
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc desc = {
		.image_type = type, .image_width = WORLD_IMAGE_WIDTH,
		.image_height = WORLD_IMAGE_HEIGHT,
		.image_depth = type == CL_MEM_OBJECT_IMAGE3D ? 4 : 0, .num_mip_levels = levels,
	};
	return image_make(context, CL_MEM_READ_WRITE, &format, &desc, NULL);
}

static cl_kernel axpy_make(cl_program program, cl_mem buffer)
{
	const cl_int one = 1;
	cl_kernel kernel = kernel_make(program, "axpy");
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(one), &one));
	return kernel;
}

static cl_event user_event(cl_context context, cl_int status)
{
	cl_event event = user_event_make(context);
	if (status <= 0)
		CHECK_OK(clSetUserEventStatus(event, status));
	return event;
}

static void contexts_make(void)
{
	world.foreign_context = context_make(1, &world.device);
	world.queue = queue_make(world.context, world.device, 0);
	world.foreign_queue = queue_make(world.foreign_context, world.device, 0);
	world.done = user_event(world.context, CL_COMPLETE);
	world.failed = user_event(world.context, -7);
	world.user = user_event(world.context, CL_SUBMITTED);
	world.foreign_event = user_event(world.foreign_context, CL_COMPLETE);
}

static void memory_make(void)
{
	const cl_buffer_region half = {0, WORLD_BUFFER_B / 2};
	cl_int code;
	world.buffer = buffer_make(world.context, CL_MEM_READ_WRITE, WORLD_BUFFER_B, NULL);
	world.buffer2 = buffer_make(world.context, CL_MEM_READ_WRITE, WORLD_BUFFER_B, NULL);
	world.foreign_buffer = buffer_make(world.foreign_context, CL_MEM_READ_WRITE, WORLD_BUFFER_B,
					   NULL);
	world.sub_buffer = sub_buffer_make(world.buffer, 0, &half);
	world.image = world_image(world.context, CL_MEM_OBJECT_IMAGE2D, 0);
	world.image2 = world_image(world.context, CL_MEM_OBJECT_IMAGE2D, 0);
	world.image3d = world_image(world.context, CL_MEM_OBJECT_IMAGE3D, 0);
	world.mipmapped = world_image(world.context, CL_MEM_OBJECT_IMAGE2D, WORLD_IMAGE_LEVELS);
	world.foreign_image = world_image(world.foreign_context, CL_MEM_OBJECT_IMAGE2D, 0);
	world.sampler = clCreateSampler(world.context, CL_FALSE, CL_ADDRESS_CLAMP,
					CL_FILTER_NEAREST, &code);
	CHECK_OK(code);
	world.foreign_sampler = clCreateSampler(world.foreign_context, CL_FALSE, CL_ADDRESS_CLAMP,
						CL_FILTER_NEAREST, &code);
	CHECK_OK(code);
}

static void programs_make(void)
{
	const char *text = source;
	world.program = api_test_build(world.context, world.device, source, "-cl-kernel-arg-info");
	world.foreign_program = api_test_build(world.foreign_context, world.device, source, "");
	world.unbuilt = api_test_program(world.context, text);
	world.kernel = axpy_make(world.program, world.buffer);
	world.foreign_kernel = axpy_make(world.foreign_program, world.foreign_buffer);
}

static void wrong_handles_take(void)
{
	world.wrong_context = (cl_context)world.queue;
	world.wrong_queue = (cl_command_queue)world.context;
	world.wrong_mem = (cl_mem)world.queue;
	world.wrong_event = (cl_event)world.queue;
	world.wrong_program = (cl_program)world.queue;
	world.wrong_kernel = (cl_kernel)world.queue;
	world.wrong_sampler = (cl_sampler)world.queue;
	world.wrong_device = (cl_device_id)world.queue;
	world.wrong_platform = (cl_platform_id)world.queue;
}

static void world_release(void)
{
	const cl_mem mems[] = {
		world.sub_buffer, world.buffer, world.buffer2, world.foreign_buffer,
		world.image, world.image2, world.image3d, world.mipmapped, world.foreign_image,
	};
	const cl_event events[] = {world.done, world.failed, world.user, world.foreign_event};
	CHECK_OK(clSetUserEventStatus(world.user, CL_COMPLETE));
	for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		CHECK_OK(clReleaseEvent(events[i]));
	CHECK_OK(clReleaseKernel(world.kernel));
	CHECK_OK(clReleaseKernel(world.foreign_kernel));
	CHECK_OK(clReleaseProgram(world.program));
	CHECK_OK(clReleaseProgram(world.foreign_program));
	CHECK_OK(clReleaseProgram(world.unbuilt));
	CHECK_OK(clReleaseSampler(world.sampler));
	CHECK_OK(clReleaseSampler(world.foreign_sampler));
	for (unsigned i = 0; i < sizeof(mems) / sizeof(mems[0]); i++)
		CHECK_OK(clReleaseMemObject(mems[i]));
	CHECK_OK(clFinish(world.queue));
	CHECK_OK(clReleaseCommandQueue(world.queue));
	CHECK_OK(clReleaseCommandQueue(world.foreign_queue));
	CHECK_OK(clReleaseContext(world.foreign_context));
}

int main(void)
{
	static void (*const cases[])(void) = {
		errors_platform, errors_context, errors_queue, errors_event, errors_buffer,
		errors_rect, errors_image, errors_image_commands, errors_immutable, errors_sampler,
		errors_program, errors_kernel, errors_launch, errors_svm, errors_usm, errors_info,
		errors_command_buffer, errors_semaphore, errors_gl, errors_handles, errors_wait_lists,
	};
	struct api_test test;
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "errors"))
		return API_TEST_SKIP;
	world.platform = test.platform;
	world.device = test.device;
	world.other = test.device_count > 1 ? test.devices[1] : NULL;
	world.context = test.context;
	contexts_make();
	memory_make();
	programs_make();
	wrong_handles_take();
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cases[i]();
	rows_check();
	world_release();
	return api_test_end(&test);
}
