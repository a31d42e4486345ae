/* What all commands have in common: their queue and their wait list. */
#include "config.h"

#include "tests/api/errors.h"

/* How a call is told to fail, or not. */
struct list {
	cl_command_queue queue;
	cl_uint count;
	const cl_event *events;
};

static const size_t zero[3], one[3] = {1, 1, 1};
static void *svm;

/* --- the calls, right but for their list ------------------------------------------------- */

#define LIST list->count, list->events, NULL

static cl_int read_buffer(const struct list *list)
{
	return clEnqueueReadBuffer(list->queue, world.buffer, CL_TRUE, 0, 4, error_bytes, LIST);
}

static cl_int write_buffer(const struct list *list)
{
	return clEnqueueWriteBuffer(list->queue, world.buffer, CL_TRUE, 0, 4, error_bytes, LIST);
}

static cl_int read_rect(const struct list *list)
{
	return clEnqueueReadBufferRect(list->queue, world.buffer, CL_TRUE, zero, zero, one, 0, 0,
				       0, 0, error_bytes, LIST);
}

static cl_int write_rect(const struct list *list)
{
	return clEnqueueWriteBufferRect(list->queue, world.buffer, CL_TRUE, zero, zero, one, 0, 0,
					0, 0, error_bytes, LIST);
}

static cl_int copy_buffer(const struct list *list)
{
	return clEnqueueCopyBuffer(list->queue, world.buffer, world.buffer2, 0, 0, 4, LIST);
}

static cl_int copy_rect(const struct list *list)
{
	return clEnqueueCopyBufferRect(list->queue, world.buffer, world.buffer2, zero, zero, one,
				       0, 0, 0, 0, LIST);
}

static cl_int fill_buffer(const struct list *list)
{
	return clEnqueueFillBuffer(list->queue, world.buffer, error_bytes, 4, 0, 4, LIST);
}

static cl_int map_buffer(const struct list *list)
{
	void *pointer = clEnqueueMapBuffer(list->queue, world.buffer, CL_TRUE, CL_MAP_READ, 0, 4,
					   LIST, &error_code);
	if (pointer)
		REQUIRE(!clEnqueueUnmapMemObject(world.queue, world.buffer, pointer, 0, NULL,
						 NULL));
	return error_code;
}

static cl_int unmap(const struct list *list)
{
	void *pointer = clEnqueueMapBuffer(world.queue, world.buffer, CL_TRUE, CL_MAP_READ, 0, 4,
					   0, NULL, NULL, &error_code);
	REQUIRE(pointer);
	cl_int code = clEnqueueUnmapMemObject(list->queue, world.buffer, pointer, LIST);
	if (code)
		REQUIRE(!clEnqueueUnmapMemObject(world.queue, world.buffer, pointer, 0, NULL,
						 NULL));
	return code;
}

static cl_int migrate(const struct list *list)
{
	return clEnqueueMigrateMemObjects(list->queue, 1, &world.buffer, 0, LIST);
}

static cl_int read_image(const struct list *list)
{
	return clEnqueueReadImage(list->queue, world.image, CL_TRUE, zero, one, 0, 0, error_bytes,
				  LIST);
}

static cl_int write_image(const struct list *list)
{
	return clEnqueueWriteImage(list->queue, world.image, CL_TRUE, zero, one, 0, 0, error_bytes,
				   LIST);
}

static cl_int copy_image(const struct list *list)
{
	return clEnqueueCopyImage(list->queue, world.image, world.image2, zero, zero, one, LIST);
}

static cl_int fill_image(const struct list *list)
{
	return clEnqueueFillImage(list->queue, world.image, error_bytes, zero, one, LIST);
}

static cl_int image_to_buffer(const struct list *list)
{
	return clEnqueueCopyImageToBuffer(list->queue, world.image, world.buffer, zero, one, 0,
					  LIST);
}

static cl_int buffer_to_image(const struct list *list)
{
	return clEnqueueCopyBufferToImage(list->queue, world.buffer, world.image, 0, zero, one,
					  LIST);
}

static cl_int map_image(const struct list *list)
{
	size_t pitch;
	void *pointer = clEnqueueMapImage(list->queue, world.image, CL_TRUE, CL_MAP_READ, zero,
					  one, &pitch, NULL, LIST, &error_code);
	if (pointer)
		REQUIRE(!clEnqueueUnmapMemObject(world.queue, world.image, pointer, 0, NULL,
						 NULL));
	return error_code;
}

static cl_int launch(const struct list *list)
{
	return clEnqueueNDRangeKernel(list->queue, world.kernel, 1, NULL, one, NULL, LIST);
}

static cl_int task(const struct list *list)
{
	return clEnqueueTask(list->queue, world.kernel, LIST);
}

static void CL_CALLBACK nothing(void *arguments)
{
	(void)arguments;
}

static cl_int native(const struct list *list)
{
	return clEnqueueNativeKernel(list->queue, nothing, NULL, 0, 0, NULL, NULL, LIST);
}

static cl_int marker(const struct list *list)
{
	return clEnqueueMarkerWithWaitList(list->queue, LIST);
}

static cl_int barrier(const struct list *list)
{
	return clEnqueueBarrierWithWaitList(list->queue, LIST);
}

static cl_int svm_free(const struct list *list)
{
	return clEnqueueSVMFree(list->queue, 0, NULL, NULL, NULL, LIST);
}

static cl_int svm_copy(const struct list *list)
{
	return clEnqueueSVMMemcpy(list->queue, CL_TRUE, svm, error_bytes, 4, LIST);
}

static cl_int svm_fill(const struct list *list)
{
	return clEnqueueSVMMemFill(list->queue, svm, error_bytes, 4, 4, LIST);
}

static cl_int svm_map(const struct list *list)
{
	return clEnqueueSVMMap(list->queue, CL_TRUE, CL_MAP_READ, svm, 4, LIST);
}

static cl_int svm_unmap(const struct list *list)
{
	return clEnqueueSVMUnmap(list->queue, svm, LIST);
}

static cl_int svm_migrate(const struct list *list)
{
	const void *pointers[] = {svm};
	return clEnqueueSVMMigrateMem(list->queue, 1, pointers, NULL, 0, LIST);
}

static cl_int usm_copy(const struct list *list)
{
	clEnqueueMemcpyINTEL_fn function;
	*(void **)&function = error_function("clEnqueueMemcpyINTEL");
	return function(list->queue, CL_TRUE, svm, error_bytes, 4, LIST);
}

static cl_int usm_fill(const struct list *list)
{
	clEnqueueMemFillINTEL_fn function;
	*(void **)&function = error_function("clEnqueueMemFillINTEL");
	return function(list->queue, svm, error_bytes, 4, 4, LIST);
}

static cl_int usm_migrate(const struct list *list)
{
	clEnqueueMigrateMemINTEL_fn function;
	*(void **)&function = error_function("clEnqueueMigrateMemINTEL");
	return function(list->queue, svm, 4, 0, LIST);
}

static cl_int usm_advise(const struct list *list)
{
	clEnqueueMemAdviseINTEL_fn function;
	*(void **)&function = error_function("clEnqueueMemAdviseINTEL");
	return function(list->queue, svm, 4, 0, LIST);
}

/* --- and their rows -------------------------------------------------------------------- */

static const struct command {
	const char *name;
	cl_int (*call)(const struct list *);
	unsigned context;       /* number of the condition for events of another context; 0: none */
	bool split;             /* three conditions for the list; else all are one */
	bool blocks;            /* has to say when an event that it waited for has failed */
} commands[] = {
	{"clEnqueueReadBuffer", read_buffer, 2, true, true},
	{"clEnqueueWriteBuffer", write_buffer, 2, true, true},
	{"clEnqueueReadBufferRect", read_rect, 2, true, true},
	{"clEnqueueWriteBufferRect", write_rect, 2, true, true},
	{"clEnqueueCopyBuffer", copy_buffer, 3, true, false},
	{"clEnqueueCopyBufferRect", copy_rect, 3, true, false},
	{"clEnqueueFillBuffer", fill_buffer, 2, true, false},
	{"clEnqueueMapBuffer", map_buffer, 2, true, true},
	{"clEnqueueUnmapMemObject", unmap, 1, false, false},
	{"clEnqueueMigrateMemObjects", migrate, 1, false, false},
	{"clEnqueueReadImage", read_image, 2, true, true},
	{"clEnqueueWriteImage", write_image, 2, true, true},
	{"clEnqueueCopyImage", copy_image, 3, true, false},
	{"clEnqueueFillImage", fill_image, 2, true, false},
	{"clEnqueueCopyImageToBuffer", image_to_buffer, 3, true, false},
	{"clEnqueueCopyBufferToImage", buffer_to_image, 3, true, false},
	{"clEnqueueMapImage", map_image, 2, true, true},
	{"clEnqueueNDRangeKernel", launch, 2, true, false},
	{"clEnqueueTask", task, 1, false, false},
	{"clEnqueueNativeKernel", native, 1, false, false},
	{"clEnqueueMarkerWithWaitList", marker, 1, false, false},
	{"clEnqueueBarrierWithWaitList", barrier, 1, false, false},
	{"clEnqueueSVMFree", svm_free, 0, false, false},
	{"clEnqueueSVMMemcpy", svm_copy, 1, true, true},
	{"clEnqueueSVMMemFill", svm_fill, 1, true, false},
	{"clEnqueueSVMMap", svm_map, 1, true, true},
	{"clEnqueueSVMUnmap", svm_unmap, 1, true, false},
	{"clEnqueueSVMMigrateMem", svm_migrate, 1, true, false},
	{"clEnqueueMemcpyINTEL", usm_copy, 1, false, true},
	{"clEnqueueMemFillINTEL", usm_fill, 1, false, false},
	{"clEnqueueMigrateMemINTEL", usm_migrate, 1, false, false},
	{"clEnqueueMemAdviseINTEL", usm_advise, 1, false, false},
};

static void check(const struct command *command, cl_int code, unsigned condition,
		  const struct list list)
{
	error_case(command->name, code, condition, command->call(&list), __FILE__, __LINE__);
}

#define CHECK_LIST(code, condition, ...)                                                          \
	check(command, code, condition, (struct list){__VA_ARGS__})

static void command_check(const struct command *command)
{
	const cl_event wrong[] = {world.done, world.wrong_event};
	const cl_event foreign[] = {world.done, world.foreign_event};
	const cl_event failed[] = {world.done, world.failed};
	const struct list right = {world.queue, 1, &world.done};
	error_require(!command->call(&right), command->name, __FILE__, __LINE__);
	CHECK_LIST(CL_INVALID_COMMAND_QUEUE, 1, world.wrong_queue, 0, NULL);
	if (command->context)
		CHECK_LIST(CL_INVALID_CONTEXT, command->context, world.queue, 2, foreign);
	CHECK_LIST(CL_INVALID_EVENT_WAIT_LIST, 1, world.queue, 1, NULL);
	CHECK_LIST(CL_INVALID_EVENT_WAIT_LIST, command->split ? 2 : 1, world.queue, 0, wrong);
	CHECK_LIST(CL_INVALID_EVENT_WAIT_LIST, command->split ? 3 : 1, world.queue, 2, wrong);
	if (command->blocks)
		CHECK_LIST(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, 1, world.queue, 2,
			   failed);
}

void errors_wait_lists(void)
{
	svm = clSVMAlloc(world.context, CL_MEM_READ_WRITE, 4096, 0);
	REQUIRE(svm);
	for (unsigned i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		command_check(&commands[i]);
	REQUIRE(!clFinish(world.queue));
	clSVMFree(world.context, svm);
}
