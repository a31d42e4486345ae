/* Group kernels as CUDA's driver API does it: bench_kernels.c says what the rows mean. */
#include "config.h"

#include "tests/bench/cuda.h"
#include "tests/bench/kernels.h"

enum { MOST_ARGUMENTS = 4 };

static CUstream stream;

struct job {
	CUfunction function;
	size_t grid[2], block[2];
	unsigned launches;
	double work;
	void *arguments[MOST_ARGUMENTS];
};

static double rate_sample(void *context)
{
	struct job *job = context;
	const double start_us = bench_us();
	for (unsigned i = 0; i < job->launches; i++)
		CU_OK(cu.cuLaunchKernel(job->function, (unsigned)job->grid[0],
					(unsigned)job->grid[1], 1, (unsigned)job->block[0],
					(unsigned)job->block[1], 1, 0, stream, job->arguments,
					NULL));
	CU_OK(cu.cuStreamSynchronize(stream));
	return job->work * job->launches / (bench_us() - start_us) * 1e-3;
}

static double tera_sample(void *context)
{
	return rate_sample(context) * 1e-3;
}

/* --- memory ------------------------------------------------------------------------------ */

static void measure_stream(bool wide, const char *copy_name, const char *triad_name)
{
	const size_t count = bench_pick(1 << 27, 1 << 27, 1 << 12), size_B = count * (wide ? 8 : 4);
	CUdeviceptr a = cuda_memory(size_B), b = cuda_memory(size_B), c = cuda_memory(size_B);
	struct job job = {cuda_function(0, wide ? "copy_f64" : "copy_f32"), {count / 256, 1},
			  {256, 1}, 4, 2 * (double)size_B, {&b, &a}};
	CU_OK(cu.cuMemsetD8Async(b, 0, size_B, stream));
	CU_OK(cu.cuMemsetD8Async(c, 0, size_B, stream));
	bench_row("kernels", copy_name, "GB/s", HIGHER, rate_sample, &job);
	job.function = cuda_function(0, wide ? "triad_f64" : "triad_f32");
	job.work = 3 * (double)size_B;
	job.arguments[1] = &c;
	job.arguments[2] = &a;
	bench_row("kernels", triad_name, "GB/s", HIGHER, rate_sample, &job);
	CU_OK(cu.cuMemFree_v2(a));
	CU_OK(cu.cuMemFree_v2(b));
	CU_OK(cu.cuMemFree_v2(c));
}

/* --- arithmetic ------------------------------------------------------------------------------ */

static void measure_peak(const struct kernels_peak *peak)
{
	const size_t items = bench_pick(1 << 21, 1 << 21, 1 << 8);
	unsigned seed = 1, rounds = (unsigned)bench_pick(peak->rounds, peak->rounds, 4);
	CUdeviceptr out = cuda_memory(items * sizeof(double));
	struct job job = {cuda_function(0, peak->kernel), {items / 256, 1}, {256, 1}, 1,
			  (double)items * rounds * 8 * peak->operations, {&out, &seed, &rounds}};
	bench_row("kernels", peak->name, peak->unit, HIGHER, tera_sample, &job);
	CU_OK(cu.cuMemFree_v2(out));
}

static void measure_local(void)
{
	const size_t items = bench_pick(1 << 20, 1 << 20, 1 << 8);
	unsigned rounds = (unsigned)bench_pick(1024, 1024, 4);
	CUdeviceptr out = cuda_memory(items * 16);
	struct job job = {cuda_function(0, "local_reads"), {items / 256, 1}, {256, 1}, 1,
			  (double)items * rounds * 16, {&out, &rounds}};
	bench_row("kernels", "local memory, reads", "GB/s", HIGHER, rate_sample, &job);
	CU_OK(cu.cuMemFree_v2(out));
}

/* --- atomics --------------------------------------------------------------------------------- */

static void measure_spread(const char *name, unsigned mask)
{
	const size_t items = bench_pick(1 << 20, 1 << 20, 1 << 8);
	unsigned rounds = (unsigned)bench_pick(16, 16, 2);
	CUdeviceptr counters = cuda_memory(((size_t)mask + 1) * 4);
	struct job job = {cuda_function(0, "atomic_spread"), {items / 256, 1}, {256, 1}, 1,
			  (double)items * rounds, {&counters, &mask, &rounds}};
	CU_OK(cu.cuMemsetD32Async(counters, 0, (size_t)mask + 1, stream));
	bench_row("kernels", name, "G/s", HIGHER, rate_sample, &job);
	CU_OK(cu.cuMemFree_v2(counters));
}

static void measure_atomics(void)
{
	const size_t items = bench_pick(1 << 20, 1 << 20, 1 << 8);
	unsigned rounds = (unsigned)bench_pick(256, 256, 2);
	measure_spread("atomic increments, a million counters", (1 << 20) - 1);
	measure_spread("atomic increments, one counter", 0);
	CUdeviceptr counters = cuda_memory(1024);
	struct job job = {cuda_function(0, "atomic_local"), {items / 256, 1}, {256, 1}, 1,
			  (double)items * rounds, {&counters, &rounds}};
	CU_OK(cu.cuMemsetD32Async(counters, 0, 256, stream));
	bench_row("kernels", "atomic increments, local memory", "G/s", HIGHER, rate_sample, &job);
	CU_OK(cu.cuMemFree_v2(counters));
}

/* --- images ----------------------------------------------------------------------------------- */

static void measure_texels(const char *name, CUarray image, size_t edge, CUfilter_mode filter)
{
	const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
					     .res.array.hArray = image};
	const CUDA_TEXTURE_DESC desc = {
		.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP,
				CU_TR_ADDRESS_MODE_CLAMP},
		.filterMode = filter,
	};
	unsigned rounds = (unsigned)bench_pick(16, 16, 2);
	CUtexObject texture;
	CU_OK(cu.cuTexObjectCreate(&texture, &resource, &desc, NULL));
	CUdeviceptr out = cuda_memory(edge * edge * 16);
	struct job job = {cuda_function(0, "texels"), {edge / 16, edge / 16}, {16, 16}, 4,
			  (double)(edge * edge) * rounds, {&texture, &out, &rounds}};
	bench_row("kernels", name, "Gtexel/s", HIGHER, rate_sample, &job);
	CU_OK(cu.cuTexObjectDestroy(texture));
	CU_OK(cu.cuMemFree_v2(out));
}

static void measure_images(void)
{
	const size_t edge = bench_pick(2048, 2048, 16);
	const CUDA_ARRAY3D_DESCRIPTOR desc = {.Width = edge, .Height = edge, .NumChannels = 4,
					      .Format = CU_AD_FORMAT_UNSIGNED_INT8};
	CUarray image;
	CU_OK(cu.cuArray3DCreate_v2(&image, &desc));
	measure_texels("image reads, nearest", image, edge, CU_TR_FILTER_MODE_POINT);
	measure_texels("image reads, linear", image, edge, CU_TR_FILTER_MODE_LINEAR);
	CU_OK(cu.cuArrayDestroy(image));
}

int main(int argc, char **argv)
{
	bench_start(argc, argv);
	cuda_open("kernels", 1);
	stream = cuda_stream();
	measure_stream(false, "copy, float", "triad, float");
	measure_stream(true, "copy, double", "triad, double");
	for (unsigned i = 0; i < KERNELS_PEAKS; i++)
		measure_peak(&kernels_peaks[i]);
	measure_local();
	measure_atomics();
	measure_images();
	CU_OK(cu.cuStreamDestroy_v2(stream));
	return cuda_close();
}
