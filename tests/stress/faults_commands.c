/* What is recorded and enqueued as one, and a barrier of a whole grid. */
#include "config.h"

#include "icd/include/cl_culvert.h"
#include "tests/api/command_buffer_entry.h"
#include "tests/stress/faults.h"

#include <stdlib.h>

enum { N = 256, SIZE_B = N * 4, LOCAL = 64 };

static const char source[] =
"kernel void add(global uint *a, uint n) { a[get_global_id(0)] += n; }\n";
static const char grid_source[] =
"kernel void turn(global uint *a)\n"
"{ uint i = get_global_id(0), next = a[(i + 1) % get_global_size(0)];\n"
"  culvert_grid_barrier(CLK_GLOBAL_MEM_FENCE); a[i] = next + 1; }\n";

static cl_kernel kernel_make(struct faults_run *run, const char *text, const char *name,
			     cl_mem mem)
{
	cl_int code = 12345;
	cl_kernel kernel = NULL;
	cl_program program = clCreateProgramWithSource(run->context, 1, &text, NULL, &code);
	if (NOTE(clCreateProgramWithSource, code))
		return NULL;
	if (!TRY(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL))) {
		kernel = clCreateKernel(program, name, &code);
		NOTE(clCreateKernel, code);
	}
	TRY(clReleaseProgram(program));
	if (kernel)
		TRY(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	return kernel;
}

static void check_words(struct faults_run *run, cl_command_queue queue, cl_mem mem, cl_uint value)
{
	static cl_uint words[N];
	const unsigned errors = run->errors;
	memset(words, 0, sizeof(words));
	if (TRY(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, SIZE_B, words, 0, NULL, NULL)) ||
	    errors)
		return;
	for (unsigned i = 0; i < N; i++)
		if (words[i] != value) {
			printf("word %u is %u, not %u\n", i, words[i], value);
			faults_wrong(run, "wrong data without an error", __LINE__);
			return;
		}
}

/* The launch adds two from now on. */
static void change(struct faults_run *run, cl_platform_id platform, cl_command_buffer_khr buffer,
		   cl_mutable_command_khr command)
{
	static const cl_uint two = 2;
	static const struct mutable_argument argument = {1, sizeof(two), &two};
	const struct mutable_config config = {.command = command, .num_args = 1, .args = &argument};
	mutable_update update = mutable_update_find(platform);
	if (update)
		NOTE(clUpdateMutableCommandsKHR, mutable_change(update, buffer, &config));
}

/* Fill, kernel, copy and barrier, played twice, with another argument the second time. */
static void play(struct faults_run *run, cl_platform_id platform,
		 const struct command_buffer_entry *entry, cl_command_queue queue,
		 cl_kernel kernel, cl_mem mem, cl_mem other)
{
	static const cl_command_buffer_properties_khr flags[] = {
		CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0
	};
	static const command_properties fields[] = {MUTABLE_FIELDS, MUTABLE_ARGUMENTS, 0};
	cl_mutable_command_khr command = NULL;
	const cl_uint zero = 0, one = 1;
	const size_t words = N;
	cl_sync_point_khr points[3] = {0};
	cl_int code = 12345;
	cl_command_buffer_khr buffer = entry->create(1, &queue, flags, &code);
	if (NOTE(clCreateCommandBufferKHR, code))
		return;
	TRY(clSetKernelArg(kernel, 1, sizeof(one), &one));
	bool recorded =
		!NOTE(clCommandFillBufferKHR,
		      entry->fill(buffer, NULL, NULL, mem, &zero, 4, 0, SIZE_B, 0, NULL,
				  &points[0], NULL)) &&
		!NOTE(clCommandNDRangeKernelKHR,
		      entry->launch(buffer, NULL, fields, kernel, 1, NULL, &words, NULL, 1,
				    points, &points[1], &command)) &&
		!NOTE(clCommandBarrierWithWaitListKHR,
		      entry->barrier(buffer, NULL, NULL, 1, &points[1], &points[2], NULL)) &&
		!NOTE(clCommandCopyBufferKHR,
		      entry->copy(buffer, NULL, NULL, mem, other, 0, 0, SIZE_B, 1, &points[2],
				  NULL, NULL)) &&
		!NOTE(clFinalizeCommandBufferKHR, entry->finalize(buffer));
	for (unsigned i = 0; recorded && i < 2; i++) {
		NOTE(clEnqueueCommandBufferKHR,
		     entry->enqueue(0, NULL, buffer, 0, NULL, NULL));
		TRY(clFinish(queue));
		if (!i)
			change(run, platform, buffer, command);
	}
	if (recorded)
		check_words(run, queue, other, 2);
	NOTE(clReleaseCommandBufferKHR, entry->release(buffer));
}

static cl_command_buffer_khr copy_make(struct faults_run *run, cl_platform_id platform, cl_command_buffer_khr buffer,
				       const cl_command_queue *queues)
{
	cl_command_buffer_khr(CL_API_CALL * remap)(cl_command_buffer_khr, cl_bool, cl_uint, const cl_command_queue *,
						   cl_uint, const cl_mutable_command_khr *, cl_mutable_command_khr *,
						   cl_int *);
	void *found = clGetExtensionFunctionAddressForPlatform(platform, "clRemapCommandBufferKHR");
	cl_int code = 12345;
	memcpy(&remap, &found, sizeof(found));
	if (!remap)
		return NULL;
	cl_command_buffer_khr copy = remap(buffer, CL_FALSE, 2, queues, 0, NULL, NULL, &code);
	NOTE(clRemapCommandBufferKHR, code);
	return copy;
}

/* A fill and a kernel of two queues, and the same commands the other way round. */
static void play_on_two(struct faults_run *run, cl_platform_id platform, const struct command_buffer_entry *entry,
			const cl_command_queue *queues, cl_kernel kernel, cl_mem mem)
{
	const cl_command_queue swapped[] = {queues[1], queues[0]};
	const cl_uint zero = 0, one = 1;
	const size_t words = N;
	cl_sync_point_khr point = 0;
	cl_event event = NULL;
	cl_int code = 12345;
	cl_command_buffer_khr copy = NULL, buffer = entry->create(2, queues, NULL, &code);
	if (NOTE(clCreateCommandBufferKHR, code))
		return;
	TRY(clSetKernelArg(kernel, 1, sizeof(one), &one));
	const bool recorded =
		!NOTE(clCommandFillBufferKHR, entry->fill(buffer, queues[0], NULL, mem, &zero, 4, 0, SIZE_B, 0, NULL,
							  &point, NULL)) &&
		!NOTE(clCommandNDRangeKernelKHR, entry->launch(buffer, queues[1], NULL, kernel, 1, NULL, &words, NULL,
							       1, &point, NULL, NULL)) &&
		!NOTE(clFinalizeCommandBufferKHR, entry->finalize(buffer));
	if (recorded)
		copy = copy_make(run, platform, buffer, swapped);
	if (recorded && !NOTE(clEnqueueCommandBufferKHR, entry->enqueue(0, NULL, buffer, 0, NULL, &event))) {
		TRY(clWaitForEvents(1, &event));
		TRY(clReleaseEvent(event));
		check_words(run, queues[0], mem, 1);
	}
	if (copy) {
		NOTE(clEnqueueCommandBufferKHR, entry->enqueue(0, NULL, copy, 0, NULL, NULL));
		TRY(clFinish(queues[1]));
		TRY(clFinish(queues[0]));
		check_words(run, queues[1], mem, 1);
		NOTE(clReleaseCommandBufferKHR, entry->release(copy));
	}
	TRY(clFinish(queues[0]));
	TRY(clFinish(queues[1]));
	NOTE(clReleaseCommandBufferKHR, entry->release(buffer));
}

static void two_queues(struct faults_run *run, cl_platform_id platform, const struct command_buffer_entry *entry,
		       cl_command_queue queue, cl_kernel kernel, cl_mem mem)
{
	cl_command_queue queues[2] = {queue, NULL};
	cl_int code = 12345;
	queues[1] = clCreateCommandQueueWithProperties(run->context, run->devices[FAULTS_DEVICES - 1], NULL, &code);
	if (NOTE(clCreateCommandQueueWithProperties, code))
		return;
	play_on_two(run, platform, entry, queues, kernel, mem);
	TRY(clReleaseCommandQueue(queues[1]));
}

/* The same kernel as a node of a graph. */
static void grid_play(struct faults_run *run, cl_command_queue queue, cl_kernel kernel)
{
	static const size_t local = LOCAL, two = 2 * LOCAL;
	cl_platform_id platform;
	struct command_buffer_entry entry;
	cl_int code = 12345;
	if (TRY(clGetDeviceInfo(run->devices[0], CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL)) ||
	    !command_buffer_entry_find(platform, &entry))
		return;
	cl_command_buffer_khr buffer = entry.create(1, &queue, NULL, &code);
	if (NOTE(clCreateCommandBufferKHR, code))
		return;
	if (!NOTE(clCommandNDRangeKernelKHR, entry.launch(buffer, NULL, NULL, kernel, 1, NULL, &two, &local, 0,
							  NULL, NULL, NULL)) &&
	    !NOTE(clFinalizeCommandBufferKHR, entry.finalize(buffer))) {
		NOTE(clEnqueueCommandBufferKHR, entry.enqueue(0, NULL, buffer, 0, NULL, NULL));
		TRY(clFinish(queue));
	}
	NOTE(clReleaseCommandBufferKHR, entry.release(buffer));
}

static void grid(struct faults_run *run, cl_command_queue queue, cl_device_id device)
{
	static const size_t local = LOCAL, two = 2 * LOCAL;
	static cl_uint words[N];
	size_t groups = 0;
	cl_int code = 12345;
	cl_mem mem = clCreateBuffer(run->context, CL_MEM_COPY_HOST_PTR, SIZE_B, words, &code);
	if (NOTE(clCreateBuffer, code))
		return;
	cl_kernel kernel = kernel_make(run, grid_source, "turn", mem);
	if (kernel) {
		TRY(clGetKernelSubGroupInfo(kernel, device,
					    CL_KERNEL_MAX_RESIDENT_WORK_GROUPS_CULVERT,
					    sizeof(local), &local, sizeof(groups), &groups, NULL));
		TRY(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &two, &local, 0, NULL, NULL));
		TRY(clFinish(queue));
		grid_play(run, queue, kernel);
		TRY(clReleaseKernel(kernel));
	}
	TRY(clReleaseMemObject(mem));
}

/* What works on half of the device, in a context of its own. */
static void part_work(struct faults_run *run, cl_device_id part)
{
	static cl_uint words[N];
	const size_t global = N;
	struct faults_run own = {0};
	cl_int code = 12345;
	own.context = clCreateContext(NULL, 1, &part, NULL, NULL, &code);
	if (NOTE(clCreateContext, code))
		return;
	cl_mem mem = clCreateBuffer(own.context, CL_MEM_COPY_HOST_PTR, SIZE_B, words, &code);
	cl_command_queue queue = NOTE(clCreateBuffer, code) ? NULL :
		clCreateCommandQueueWithProperties(own.context, part, NULL, &code);
	if (mem)
		NOTE(clCreateCommandQueueWithProperties, code);
	cl_kernel kernel = queue ? kernel_make(&own, source, "add", mem) : NULL;
	const cl_uint value = 3;
	if (kernel && !NOTE(clSetKernelArg, clSetKernelArg(kernel, 1, sizeof(value), &value)) &&
	    !TRY(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL)))
		check_words(&own, queue, mem, value);
	if (kernel)
		TRY(clReleaseKernel(kernel));
	if (queue)
		TRY(clReleaseCommandQueue(queue));
	if (mem)
		TRY(clReleaseMemObject(mem));
	TRY(clReleaseContext(own.context));
	run->errors += own.errors;
	run->wrong += own.wrong;
}

/* Whether the driver that softcuda acts as (12.4 or 12040) has green contexts, which came with CUDA 12.5. */
static bool driver_splits(void)
{
	const char *release = getenv("CULVERT_SOFT_DRIVER");
	const double number = release ? strtod(release, NULL) : 13;
	return number >= (number < 1000 ? 12.5 : 12050);
}

/* Devices that can be split in two parts at least, as those of the software driver. */
static void parts(struct faults_run *run, cl_device_id device)
{
	cl_uint units = 0, most = 0, count = 0;
	cl_device_id part[2];
	TRY(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL));
	TRY(clGetDeviceInfo(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof(most), &most, NULL));
	/* The driver did not say how; or not to us, as a call for that failed. */
	if (most < 2) {
		run->errors += driver_splits();
		return;
	}
	const cl_device_partition_property half[] = {CL_DEVICE_PARTITION_EQUALLY, units / 2, 0};
	if (TRY(clCreateSubDevices(device, half, 2, part, &count)))
		return;
	WRONG_UNLESS(count == 2);
	part_work(run, part[0]);
	for (cl_uint i = 0; i < count; i++)
		TRY(clReleaseDevice(part[i]));
}

void faults_commands(struct faults_run *run, cl_command_queue queue)
{
	cl_platform_id platform;
	struct command_buffer_entry entry;
	cl_int code = 12345;
	if (!queue || TRY(clGetDeviceInfo(run->devices[0], CL_DEVICE_PLATFORM, sizeof(platform),
					  &platform, NULL)))
		return;
	cl_mem mem = clCreateBuffer(run->context, 0, SIZE_B, NULL, &code);
	if (NOTE(clCreateBuffer, code))
		return;
	cl_mem other = clCreateBuffer(run->context, 0, SIZE_B, NULL, &code);
	cl_kernel kernel = NOTE(clCreateBuffer, code) ? NULL :
			   kernel_make(run, source, "add", mem);
	if (kernel && command_buffer_entry_find(platform, &entry)) {
		play(run, platform, &entry, queue, kernel, mem, other);
		two_queues(run, platform, &entry, queue, kernel, mem);
	}
	if (kernel)
		TRY(clReleaseKernel(kernel));
	if (other)
		TRY(clReleaseMemObject(other));
	TRY(clReleaseMemObject(mem));
	grid(run, queue, run->devices[0]);
	parts(run, run->devices[0]);
}
