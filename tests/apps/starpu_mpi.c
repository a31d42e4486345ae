/* StarPU's tasks over several processes, by its MPI layer: a running sum over blocks of a vector, each of
 * which belongs to a process in turn.  A task adds the block before, on an OpenCL device of the process
 * that has the block; StarPU sends that block there. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <starpu.h>
#include <starpu_mpi.h>
#include <starpu_opencl.h>

enum { BLOCKS = 12, LENGTH = 1000, ROUNDS = 3 };

static const char source[] =
	"kernel void add(global int *to, global const int *from, uint n) {\n"
	"	uint i = get_global_id(0);\n"
	"	if (i < n) to[i] += from[i];\n"
	"}\n";

static struct starpu_opencl_program program;
static unsigned launches;

static void check(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "%s failed with %d\n", what, error);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* In a thread of StarPU's for the device. */
static void add(void *buffers[], void *argument)
{
	const unsigned n = STARPU_VECTOR_GET_NX(buffers[0]);
	cl_mem to = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
	cl_mem from = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[1]);
	const size_t global = n;
	cl_kernel kernel;
	cl_command_queue queue;
	(void)argument;
	check(starpu_opencl_load_kernel(&kernel, &queue, &program, "add", starpu_worker_get_devid(
					starpu_worker_get_id())), "starpu_opencl_load_kernel");
	check(clSetKernelArg(kernel, 0, sizeof(to), &to), "clSetKernelArg");
	check(clSetKernelArg(kernel, 1, sizeof(from), &from), "clSetKernelArg");
	check(clSetKernelArg(kernel, 2, sizeof(n), &n), "clSetKernelArg");
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
	      "clEnqueueNDRangeKernel");
	check(clFinish(queue), "clFinish");
	check(starpu_opencl_release_kernel(kernel), "starpu_opencl_release_kernel");
	__atomic_fetch_add(&launches, 1, __ATOMIC_RELAXED);
}

static struct starpu_codelet codelet = {
	.opencl_funcs = {add}, .where = STARPU_OPENCL, .nbuffers = 2,
	.modes = {STARPU_RW, STARPU_R}, .name = "add",
};

static int value_at(int block, int i)
{
	return block * 31 + i % 17;
}

/* The same for one process. */
static int expected(int block, int i)
{
	static int sums[BLOCKS];
	for (int b = 0; b < BLOCKS; b++)
		sums[b] = value_at(b, i);
	for (int round = 0; round < ROUNDS; round++)
		for (int b = 1; b < BLOCKS; b++)
			sums[b] += sums[b - 1];
	return sums[block];
}

static void run(int rank, int size, int *own)
{
	starpu_data_handle_t handles[BLOCKS];
	for (int b = 0; b < BLOCKS; b++) {
		const int mine = b % size == rank;
		starpu_vector_data_register(&handles[b], mine ? STARPU_MAIN_RAM : -1,
					    mine ? (uintptr_t)(own + b * LENGTH) : 0, LENGTH,
					    sizeof(int));
		starpu_mpi_data_register(handles[b], b, b % size);
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int b = 1; b < BLOCKS; b++)
			check(starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet, STARPU_RW, handles[b],
						     STARPU_R, handles[b - 1], 0),
			      "starpu_mpi_task_insert");
	check(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
	starpu_mpi_barrier(MPI_COMM_WORLD);
	for (int b = 0; b < BLOCKS; b++)
		starpu_data_unregister(handles[b]);
}

int main(int argc, char **argv)
{
	static int own[BLOCKS * LENGTH];
	int rank, size, wrong = 0, all_wrong = 0;
	unsigned all_launches = 0;
	check(starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL), "starpu_mpi_init_conf");
	starpu_mpi_comm_rank(MPI_COMM_WORLD, &rank);
	starpu_mpi_comm_size(MPI_COMM_WORLD, &size);
	if (!starpu_opencl_worker_get_count())
		check(1, "finding an OpenCL device");
	check(starpu_opencl_load_opencl_from_string(source, &program, NULL), "building the kernel");
	for (int i = 0; i < BLOCKS * LENGTH; i++)
		own[i] = value_at(i / LENGTH, i % LENGTH);
	run(rank, size, own);
	for (int i = 0; i < BLOCKS * LENGTH; i++)
		if (i / LENGTH % size == rank)
			wrong += own[i] != expected(i / LENGTH, i % LENGTH);
	check(starpu_opencl_unload_opencl(&program), "starpu_opencl_unload_opencl");
	MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Reduce(&launches, &all_launches, 1, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("StarPU over MPI: %d processes, %u kernels, %d wrong values\n", size, all_launches,
		       all_wrong);
	wrong = all_wrong || all_launches != ROUNDS * (BLOCKS - 1);
	starpu_mpi_shutdown();
	return rank ? 0 : wrong;
}
