/* An example of OpenCL with MPI: heat spreads over a plate whose rows are divided among processes, each of
 * which has a device of its own.  In each step a process sends its outermost rows to its neighbours and
 * receives theirs (the halo).
 *
 *	mpicc $(pkg-config --cflags culvert) halo.c -o halo -lOpenCL -lm
 *	mpirun -n 4 ./halo host      rows travel through pinned host memory: with any MPI
 *	mpirun -n 4 ./halo device    MPI gets device pointers: with a CUDA-aware MPI, or on softcuda
 *	mpirun -n 4 ./halo ipc       processes of one machine copy into each other's buffers (CUDA IPC)
 *
 * docs/clusters.md compares the three.  Process 0 computes the plate alone, too, and compares. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_culvert.h>
#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 256, HEIGHT = 192, STEPS = 100, ROW_B = WIDTH * sizeof(float) };
enum { UP, DOWN, SIDES };

static const char source[] =
	"kernel void step(global const float *from, global float *to) {\n"
	"	size_t x = get_global_id(0), y = get_global_id(1) + 1, w = get_global_size(0);\n"
	"	size_t i = y * w + x;\n"
	"	float left = x > 0 ? from[i - 1] : 0, right = x + 1 < w ? from[i + 1] : 0;\n"
	"	to[i] = 0.25f * ((from[i - w] + from[i + w]) + (left + right));\n"
	"}\n";

struct process {
	int rank, count, neighbours[SIDES];  /* MPI_PROC_NULL beyond the plate */
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;              /* in order */
	cl_program program;
	cl_kernel step;
	int rows, first;                     /* its part of the plate */
	cl_mem now, next;                    /* row 0 and row rows + 1 are the halo */
};

/* How rows travel. */
struct way {
	const char *name;
	void (*start)(struct process *process);
	void (*exchange)(struct process *process);
	void (*end)(struct process *process);
	cl_mem_properties shared_as;         /* a type of handle, or 0 */
};

static void check(cl_int error, const char *what, int line)
{
	if (!error)
		return;
	fprintf(stderr, "halo.c:%d: %s failed with %d\n", line, what, (int)error);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

#define CHECK(call) check((call), #call, __LINE__)

static size_t row_at(int row)
{
	return (size_t)row * ROW_B;
}

/* The first row that is the process's own on a side, and the halo beyond it. */
static size_t edge_at(const struct process *process, int side)
{
	return row_at(side == UP ? 1 : process->rows);
}

static size_t halo_at(const struct process *process, int side)
{
	return row_at(side == UP ? 0 : process->rows + 1);
}

/* Whether the device's memory has handles of CUDA IPC: under WSL 2, it has none. */
static int has_ipc(const struct process *process)
{
	cl_uint types[16];
	size_t size_B = 0;
	int found = 0;
	CHECK(clGetDeviceInfo(process->device, CL_DEVICE_EXTERNAL_MEMORY_EXPORT_HANDLE_TYPES_CULVERT, sizeof(types),
			      types, &size_B));
	for (size_t i = 0; i < size_B / sizeof(types[0]); i++)
		found |= types[i] == CL_EXTERNAL_MEMORY_HANDLE_CUDA_IPC_CULVERT;
	return found;
}

static cl_mem make_buffer(const struct process *process, size_t size_B, cl_mem_properties shared_as)
{
	const cl_mem_properties list[] = {CL_MEM_EXPORT_HANDLE_TYPES_CULVERT, shared_as, 0, 0};
	cl_int error;
	cl_mem mem = clCreateBufferWithProperties(process->context, shared_as ? list : NULL,
						  CL_MEM_READ_WRITE, size_B, NULL, &error);
	CHECK(error);
	return mem;
}

/* --- through pinned memory of the host ------------------------------------------------------------------ */

static cl_mem pinned;
static float *outgoing[SIDES], *incoming[SIDES];

static void host_start(struct process *process)
{
	cl_int error;
	pinned = clCreateBuffer(process->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
				2 * SIDES * ROW_B, NULL, &error);
	CHECK(error);
	float *rows = clEnqueueMapBuffer(process->queue, pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
					 0, 2 * SIDES * ROW_B, 0, NULL, NULL, &error);
	CHECK(error);
	for (int side = 0; side < SIDES; side++) {
		outgoing[side] = rows + side * WIDTH;
		incoming[side] = rows + (SIDES + side) * WIDTH;
		memset(incoming[side], 0, ROW_B);
	}
}

static void host_exchange(struct process *process)
{
	for (int side = 0; side < SIDES; side++)
		CHECK(clEnqueueReadBuffer(process->queue, process->now, CL_FALSE,
					  edge_at(process, side), ROW_B, outgoing[side], 0, NULL,
					  NULL));
	CHECK(clFinish(process->queue));
	for (int side = 0; side < SIDES; side++)
		MPI_Sendrecv(outgoing[side], WIDTH, MPI_FLOAT, process->neighbours[side], side,
			     incoming[!side], WIDTH, MPI_FLOAT, process->neighbours[!side], side,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int side = 0; side < SIDES; side++)
		CHECK(clEnqueueWriteBuffer(process->queue, process->now, CL_FALSE,
					   halo_at(process, side), ROW_B, incoming[side], 0, NULL,
					   NULL));
}

static void host_end(struct process *process)
{
	CHECK(clEnqueueUnmapMemObject(process->queue, pinned, outgoing[UP], 0, NULL, NULL));
	CHECK(clReleaseMemObject(pinned));
}

/* --- by device pointers (cl_culvert_cuda_interop) ------------------------------------------------------- */

static clGetCudaPointerCULVERT_fn pointer_of;

/* A CUDA-aware MPI looks for the thread's current context, and Culvert leaves none. */
static void make_current(const struct process *process)
{
	clGetCudaContextCULVERT_fn context_of;
	int (*set_current)(void *);
	void *context, *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	*(void **)&context_of = clGetExtensionFunctionAddressForPlatform(process->platform,
									 "clGetCudaContextCULVERT");
	/* The software device has no such library. */
	if (!driver || !context_of)
		return;
	*(void **)&set_current = dlsym(driver, "cuCtxSetCurrent");
	CHECK(context_of(process->context, process->device, &context, NULL));
	if (set_current(context))
		check(CL_INVALID_OPERATION, "cuCtxSetCurrent", __LINE__);
}

static void device_start(struct process *process)
{
	make_current(process);
	*(void **)&pointer_of = clGetExtensionFunctionAddressForPlatform(process->platform,
									 "clGetCudaPointerCULVERT");
	if (!pointer_of)
		check(CL_INVALID_OPERATION, "cl_culvert_cuda_interop", __LINE__);
}

/* MPI does not know the queue: the kernel has to end before, and MPI has to end before the next one. */
static void device_exchange(struct process *process)
{
	cl_ulong pointer;
	CHECK(pointer_of(process->now, process->device, &pointer));
	CHECK(clFinish(process->queue));
	char *plate = (char *)(uintptr_t)pointer;
	for (int side = 0; side < SIDES; side++)
		MPI_Sendrecv(plate + edge_at(process, side), WIDTH, MPI_FLOAT,
			     process->neighbours[side], side, plate + halo_at(process, !side), WIDTH,
			     MPI_FLOAT, process->neighbours[!side], side, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
}

static void device_end(struct process *process)
{
	(void)process;
}

/* --- into each other's buffers (cl_culvert_external_memory_export) --------------------------------------- */

static cl_mem inboxes[SIDES], theirs[SIDES];
static cl_int(CL_API_CALL *acquire)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *,
				    cl_event *);
static cl_int(CL_API_CALL *release)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *,
				    cl_event *);

static void ipc_find(struct process *process, clGetMemObjectHandleForTypeCULVERT_fn *handle_of)
{
	*(void **)handle_of = clGetExtensionFunctionAddressForPlatform(
		process->platform, "clGetMemObjectHandleForTypeCULVERT");
	*(void **)&acquire = clGetExtensionFunctionAddressForPlatform(
		process->platform, "clEnqueueAcquireExternalMemObjectsKHR");
	*(void **)&release = clGetExtensionFunctionAddressForPlatform(
		process->platform, "clEnqueueReleaseExternalMemObjectsKHR");
	if (!*handle_of || !acquire || !release)
		check(CL_INVALID_OPERATION, "cl_culvert_external_memory_export", __LINE__);
}

/* An inbox for each neighbour, whose handle it gets. */
static void ipc_start(struct process *process)
{
	const cl_mem_properties type = CL_EXTERNAL_MEMORY_HANDLE_CUDA_IPC_CULVERT;
	clGetMemObjectHandleForTypeCULVERT_fn handle_of;
	ipc_find(process, &handle_of);
	for (int side = 0; side < SIDES; side++) {
		unsigned char mine[CL_CUDA_IPC_HANDLE_SIZE_CULVERT], other[sizeof(mine)];
		const int to = process->neighbours[side];
		cl_int error;
		inboxes[side] = make_buffer(process, ROW_B, type);
		CHECK(handle_of(inboxes[side], process->device, (cl_uint)type, sizeof(mine), mine,
				NULL));
		MPI_Sendrecv(mine, sizeof(mine), MPI_BYTE, to, side, other, sizeof(other), MPI_BYTE, to,
			     !side, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (to == MPI_PROC_NULL)
			continue;
		const cl_mem_properties list[] = {type, (cl_mem_properties)(uintptr_t)other, 0};
		theirs[side] = clCreateBufferWithProperties(process->context, list, 0, ROW_B, NULL,
							    &error);
		CHECK(error);
	}
}

static void ipc_exchange(struct process *process)
{
	for (int side = 0; side < SIDES; side++) {
		if (!theirs[side])
			continue;
		CHECK(clEnqueueCopyBuffer(process->queue, process->now, theirs[side],
					  edge_at(process, side), 0, ROW_B, 0, NULL, NULL));
		CHECK(release(process->queue, 1, &theirs[side], 0, NULL, NULL));
	}
	CHECK(clFinish(process->queue));
	MPI_Barrier(MPI_COMM_WORLD);
	for (int side = 0; side < SIDES; side++) {
		if (!theirs[side])
			continue;
		CHECK(acquire(process->queue, 1, &inboxes[side], 0, NULL, NULL));
		CHECK(clEnqueueCopyBuffer(process->queue, inboxes[side], process->now, 0,
					  halo_at(process, side), ROW_B, 0, NULL, NULL));
	}
	/* The neighbours may write again. */
	CHECK(clFinish(process->queue));
	MPI_Barrier(MPI_COMM_WORLD);
}

static void ipc_end(struct process *process)
{
	(void)process;
	for (int side = 0; side < SIDES; side++)
		if (theirs[side])
			CHECK(clReleaseMemObject(theirs[side]));
	/* What is exported stays until nobody has it any more. */
	MPI_Barrier(MPI_COMM_WORLD);
	for (int side = 0; side < SIDES; side++)
		CHECK(clReleaseMemObject(inboxes[side]));
}

static const struct way ways[] = {
	{"host", host_start, host_exchange, host_end, 0},
	/* So that MPI can use CUDA IPC for it. */
	{"device", device_start, device_exchange, device_end,
	 CL_EXTERNAL_MEMORY_HANDLE_CUDA_IPC_CULVERT},
	{"ipc", ipc_start, ipc_exchange, ipc_end, 0},
};

/* --- the plate ------------------------------------------------------------------------------------------ */

static float heat_at(int row, int column)
{
	return row == HEIGHT / 2 && column > WIDTH / 4 ? 100.0f : (float)((row * 7 + column) % 10);
}

/* One process a device: the processes of a machine take its devices in turn. */
static void device_choose(struct process *process)
{
	cl_device_id devices[64];
	cl_uint count = 0;
	MPI_Comm machine;
	int local = 0;
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
	MPI_Comm_rank(machine, &local);
	MPI_Comm_free(&machine);
	CHECK(clGetPlatformIDs(1, &process->platform, NULL));
	CHECK(clGetDeviceIDs(process->platform, CL_DEVICE_TYPE_ALL, 64, devices, &count));
	process->device = devices[(cl_uint)local % (count < 64 ? count : 64)];
}

static void process_start(struct process *process, const struct way *way)
{
	const char *text = source;
	cl_int error;
	MPI_Comm_rank(MPI_COMM_WORLD, &process->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &process->count);
	process->neighbours[UP] = process->rank ? process->rank - 1 : MPI_PROC_NULL;
	process->neighbours[DOWN] = process->rank + 1 < process->count ? process->rank + 1
								       : MPI_PROC_NULL;
	process->first = HEIGHT * process->rank / process->count;
	process->rows = HEIGHT * (process->rank + 1) / process->count - process->first;
	device_choose(process);
	process->context = clCreateContext(NULL, 1, &process->device, NULL, NULL, &error);
	CHECK(error);
	process->queue = clCreateCommandQueueWithProperties(process->context, process->device, NULL,
							    &error);
	CHECK(error);
	process->program = clCreateProgramWithSource(process->context, 1, &text, NULL, &error);
	CHECK(error);
	CHECK(clBuildProgram(process->program, 1, &process->device, NULL, NULL, NULL));
	process->step = clCreateKernel(process->program, "step", &error);
	CHECK(error);
	const cl_mem_properties shared_as = has_ipc(process) ? way->shared_as : 0;
	process->now = make_buffer(process, row_at(process->rows + 2), shared_as);
	process->next = make_buffer(process, row_at(process->rows + 2), shared_as);
}

static void process_end(struct process *process)
{
	CHECK(clReleaseMemObject(process->now));
	CHECK(clReleaseMemObject(process->next));
	CHECK(clReleaseKernel(process->step));
	CHECK(clReleaseProgram(process->program));
	CHECK(clReleaseCommandQueue(process->queue));
	CHECK(clReleaseContext(process->context));
}

static void plate_fill(struct process *process)
{
	const size_t size_B = row_at(process->rows + 2);
	float *rows = calloc(1, size_B);
	if (!rows)
		check(CL_OUT_OF_HOST_MEMORY, "calloc", __LINE__);
	for (int row = 0; row < process->rows; row++)
		for (int column = 0; column < WIDTH; column++)
			rows[(row + 1) * WIDTH + column] = heat_at(process->first + row, column);
	for (int i = 0; i < 2; i++)
		CHECK(clEnqueueWriteBuffer(process->queue, i ? process->next : process->now, CL_TRUE, 0,
					   size_B, rows, 0, NULL, NULL));
	free(rows);
}

static void plate_step(struct process *process)
{
	const size_t global[2] = {WIDTH, (size_t)process->rows};
	cl_mem old = process->now;
	CHECK(clSetKernelArg(process->step, 0, sizeof(cl_mem), &process->now));
	CHECK(clSetKernelArg(process->step, 1, sizeof(cl_mem), &process->next));
	CHECK(clEnqueueNDRangeKernel(process->queue, process->step, 2, NULL, global, NULL, 0, NULL, NULL));
	process->now = process->next;
	process->next = old;
}

/* The whole plate, in process 0. */
static void plate_gather(struct process *process, float *plate)
{
	const int values = process->rows * WIDTH;
	float *own = malloc(row_at(process->rows));
	int *counts = calloc((size_t)process->count, sizeof(int));
	int *offsets = calloc((size_t)process->count, sizeof(int));
	if (!own || !counts || !offsets)
		check(CL_OUT_OF_HOST_MEMORY, "malloc", __LINE__);
	CHECK(clEnqueueReadBuffer(process->queue, process->now, CL_TRUE, ROW_B, row_at(process->rows),
				  own, 0, NULL, NULL));
	MPI_Gather(&values, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 1; i < process->count; i++)
		offsets[i] = offsets[i - 1] + counts[i - 1];
	MPI_Gatherv(own, values, MPI_FLOAT, plate, counts, offsets, MPI_FLOAT, 0, MPI_COMM_WORLD);
	free(own);
	free(counts);
	free(offsets);
}

static void reference_step(const double *from, double *to)
{
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++) {
			const int i = y * WIDTH + x;
			to[i] = 0.25 * ((y ? from[i - WIDTH] : 0) + (y + 1 < HEIGHT ? from[i + WIDTH] : 0) +
					(x ? from[i - 1] : 0) + (x + 1 < WIDTH ? from[i + 1] : 0));
		}
}

/* How many values are not what one process computes in double. */
static int plate_wrong(const float *plate)
{
	double *now = calloc(HEIGHT * WIDTH, sizeof(double));
	double *next = calloc(HEIGHT * WIDTH, sizeof(double));
	int wrong = 0;
	if (!now || !next)
		check(CL_OUT_OF_HOST_MEMORY, "calloc", __LINE__);
	for (int i = 0; i < HEIGHT * WIDTH; i++)
		now[i] = heat_at(i / WIDTH, i % WIDTH);
	for (int step = 0; step < STEPS; step++) {
		reference_step(now, next);
		double *old = now;
		now = next;
		next = old;
	}
	for (int i = 0; i < HEIGHT * WIDTH; i++)
		wrong += fabs(plate[i] - now[i]) > 1e-4;
	free(now);
	free(next);
	return wrong;
}

static int run(const struct way *way)
{
	struct process process = {0};
	float *plate = calloc(HEIGHT, ROW_B);
	int wrong = 0;
	if (!plate)
		check(CL_OUT_OF_HOST_MEMORY, "calloc", __LINE__);
	process_start(&process, way);
	plate_fill(&process);
	way->start(&process);
	for (int step = 0; step < STEPS; step++) {
		way->exchange(&process);
		plate_step(&process);
	}
	plate_gather(&process, plate);
	way->end(&process);
	if (!process.rank) {
		wrong = plate_wrong(plate);
		printf("%d processes, %s: %d steps of %d x %d: %d wrong values\n", process.count,
		       way->name, STEPS, WIDTH, HEIGHT, wrong);
	}
	process_end(&process);
	free(plate);
	return wrong;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "host";
	int wrong = -1;
	MPI_Init(&argc, &argv);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(ways[i].name, name))
			wrong = run(&ways[i]);
	MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (wrong < 0)
		fprintf(stderr, "usage: halo host|device|ipc\n");
	MPI_Finalize();
	return wrong < 0 ? 2 : wrong > 0;
}
