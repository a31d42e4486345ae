/* Group kernels: what the device itself reaches: bandwidth of its memory, arithmetic, local
 * memory, atomics, image reads.  cuda_kernels.c is its twin. */
#include "config.h"

#include "tests/bench/kernels.h"
#include "tests/bench/opencl.h"

#include <stdlib.h>

/* A kernel of arithmetic: eight chains of X = OP(X). */
#define PEAK(name, type, first, op)                                              \
	"kernel void " name "(global " type " *out, uint seed, uint rounds)\n"   \
	"{\n"                                                                    \
	"	const " type " b = " first "(seed), a = " first "(seed + 1);\n"  \
	"	" type " x0 = " first "(get_local_id(0)), x1 = x0 + a, x2 = x1 + a,\n" \
	"		x3 = x2 + a, x4 = x3 + a, x5 = x4 + a, x6 = x5 + a, x7 = x6 + a;\n" \
	"	for (uint i = 0; i < rounds; i++) {\n"                           \
	"		x0 = " op "(x0); x1 = " op "(x1); x2 = " op "(x2); x3 = " op "(x3);\n" \
	"		x4 = " op "(x4); x5 = " op "(x5); x6 = " op "(x6); x7 = " op "(x7);\n" \
	"	}\n"                                                             \
	"	out[get_global_id(0)] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;\n" \
	"}\n"

#define STREAM(type, suffix)                                                     \
	"kernel void copy_" suffix "(global const " type " *b, global " type " *a)\n" \
	"{\n"                                                                    \
	"	a[get_global_id(0)] = b[get_global_id(0)];\n"                    \
	"}\n"                                                                    \
	"kernel void triad_" suffix "(global const " type " *b, global const " type " *c,\n" \
	"			      global " type " *a)\n"                     \
	"{\n"                                                                    \
	"	const size_t i = get_global_id(0);\n"                            \
	"	a[i] = b[i] + (" type ")0.5 * c[i];\n"                           \
	"}\n"

static const char source[] =
	STREAM("float", "f32")
	"#define MAD(x) fma(x, a, b)\n"
	"#define IMAD(x) ((x) * a + b)\n"
	"#define DOT(x) (dot_4x8packed_ss_int(as_uint(x), as_uint(a)) + (x))\n"
	"#define HALF2(n) ((half2)((half)(n)))\n"
	PEAK("peak_float", "float", "(float)", "MAD")
	PEAK("peak_int", "int", "(int)", "IMAD")
	"#ifdef cl_khr_fp64\n"
	"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
	STREAM("double", "f64")
	PEAK("peak_double", "double", "(double)", "MAD")
	"#endif\n"
	"#ifdef cl_khr_fp16\n"
	"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
	PEAK("peak_half", "half2", "HALF2", "MAD")
	"#endif\n"
	"#ifdef __opencl_c_integer_dot_product_input_4x8bit_packed\n"
	PEAK("peak_dot", "int", "(int)", "DOT")
	"#endif\n"
	"kernel void local_reads(global float4 *out, uint rounds)\n"
	"{\n"
	"	local float4 tile[256];\n"
	"	const uint lid = get_local_id(0);\n"
	"	float4 sum = 0;\n"
	"	tile[lid] = (float4)((float)lid);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (uint i = 0; i < rounds; i++)\n"
	"		sum += tile[(lid + i) & 255];\n"
	"	out[get_global_id(0)] = sum;\n"
	"}\n"
	"kernel void atomic_spread(volatile global uint *counters, uint mask, uint rounds)\n"
	"{\n"
	"	const uint gid = get_global_id(0);\n"
	"	for (uint i = 0; i < rounds; i++)\n"
	"		atomic_inc(&counters[(gid * 33 + i * 4099) & mask]);\n"
	"}\n"
	"kernel void atomic_local(volatile global uint *counters, uint rounds)\n"
	"{\n"
	"	local uint bins[256];\n"
	"	const uint lid = get_local_id(0);\n"
	"	bins[lid] = 0;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (uint i = 0; i < rounds; i++)\n"
	"		atomic_inc(&bins[(lid * 17 + i * 29) & 255]);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	atomic_add(&counters[lid], bins[lid]);\n"
	"}\n"
	"#ifdef __IMAGE_SUPPORT__\n"
	"kernel void texels(read_only image2d_t image, sampler_t sampler, global float4 *out,\n"
	"		   uint rounds)\n"
	"{\n"
	"	const float x = get_global_id(0) + 0.25f, y = get_global_id(1) + 0.25f;\n"
	"	float4 sum = 0;\n"
	"	for (uint i = 0; i < rounds; i++)\n"
	"		sum += read_imagef(image, sampler, (float2)(x + (i & 3), y + (i >> 2)));\n"
	"	out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;\n"
	"}\n"
	"#endif\n";

static cl_command_queue queue;

/* Launches for one figure, and what one of them does: bytes, operations, texels. */
struct job {
	cl_kernel kernel;
	cl_uint dimensions;
	size_t global[2], local[2];
	unsigned launches;
	double work;
};

/* Thousand millions a second: of a job's work. */
static double rate_sample(void *context)
{
	const struct job *job = context;
	const double start_us = bench_us();
	for (unsigned i = 0; i < job->launches; i++)
		CL_OK(clEnqueueNDRangeKernel(queue, job->kernel, job->dimensions, NULL,
					     job->global, job->local, 0, NULL, NULL));
	CL_OK(clFinish(queue));
	return job->work * job->launches / (bench_us() - start_us) * 1e-3;
}

static double tera_sample(void *context)
{
	return rate_sample(context) * 1e-3;
}

/* --- memory ------------------------------------------------------------------------------ */

static void check_last(cl_mem mem, size_t count, bool wide, double expected)
{
	double d = 0;
	float f = 0;
	CL_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, (count - 1) * (wide ? 8 : 4), wide ? 8 : 4,
				  wide ? (void *)&d : (void *)&f, 0, NULL, NULL));
	if ((wide ? d : f) != expected)
		bench_fail(__FILE__, __LINE__, "a wrong element", (int)d);
}

/* Written and not filled: there are platforms that end the process at a pattern of 8 bytes. */
static cl_mem filled(size_t count, bool wide, double value)
{
	const size_t size_B = count * (wide ? sizeof(double) : sizeof(float));
	cl_mem mem = opencl_buffer(CL_MEM_READ_WRITE, size_B);
	void *bytes = malloc(size_B);
	if (!bytes)
		bench_fail(__FILE__, __LINE__, "malloc", 0);
	for (size_t i = 0; i < count; i++) {
		if (wide)
			((double *)bytes)[i] = value;
		else
			((float *)bytes)[i] = (float)value;
	}
	CL_OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, size_B, bytes, 0, NULL, NULL));
	free(bytes);
	return mem;
}

static void measure_stream(bool wide, const char *copy_name, const char *triad_name)
{
	const size_t count = bench_pick(1 << 27, 1 << 27, 1 << 12);
	const double size_B = (double)count * (wide ? 8 : 4);
	cl_mem b = filled(count, wide, 3), c = filled(count, wide, 4), a = filled(count, wide, 0);
	struct job job = {opencl_kernel(wide ? "copy_f64" : "copy_f32", 2, (cl_mem[]){b, a}),
			  1, {count}, {256}, 4, 2 * size_B};
	bench_row("kernels", copy_name, "GB/s", HIGHER, rate_sample, &job);
	check_last(a, count, wide, 3);
	CL_OK(clReleaseKernel(job.kernel));
	job.kernel = opencl_kernel(wide ? "triad_f64" : "triad_f32", 3, (cl_mem[]){b, c, a});
	job.work = 3 * size_B;
	bench_row("kernels", triad_name, "GB/s", HIGHER, rate_sample, &job);
	check_last(a, count, wide, 5);
	CL_OK(clReleaseKernel(job.kernel));
	CL_OK(clReleaseMemObject(a));
	CL_OK(clReleaseMemObject(b));
	CL_OK(clReleaseMemObject(c));
}

/* --- arithmetic ------------------------------------------------------------------------------ */

static void measure_peak(const struct kernels_peak *peak)
{
	cl_int code;
	const size_t items = bench_pick(1 << 21, 1 << 21, 1 << 8);
	const cl_uint seed = 1, rounds = (cl_uint)bench_pick(peak->rounds, peak->rounds, 4);
	cl_kernel kernel = clCreateKernel(opencl.program, peak->kernel, &code);
	if (code == CL_INVALID_KERNEL_NAME) {
		rows_skip("kernels", peak->name, "the platform does not support it");
		return;
	}
	CL_OK(code);
	cl_mem out = opencl_buffer(CL_MEM_READ_WRITE, items * sizeof(double));
	struct job job = {kernel, 1, {items}, {256}, 1,
			  (double)items * rounds * 8 * peak->operations};
	CL_OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
	CL_OK(clSetKernelArg(kernel, 1, sizeof(seed), &seed));
	CL_OK(clSetKernelArg(kernel, 2, sizeof(rounds), &rounds));
	bench_row("kernels", peak->name, peak->unit, HIGHER, tera_sample, &job);
	CL_OK(clReleaseKernel(kernel));
	CL_OK(clReleaseMemObject(out));
}

static void measure_local(void)
{
	const size_t items = bench_pick(1 << 20, 1 << 20, 1 << 8);
	const cl_uint rounds = (cl_uint)bench_pick(1024, 1024, 4);
	cl_mem out = opencl_buffer(CL_MEM_READ_WRITE, items * 16);
	struct job job = {opencl_kernel("local_reads", 1, &out), 1, {items}, {256}, 1,
			  (double)items * rounds * 16};
	CL_OK(clSetKernelArg(job.kernel, 1, sizeof(rounds), &rounds));
	bench_row("kernels", "local memory, reads", "GB/s", HIGHER, rate_sample, &job);
	CL_OK(clReleaseKernel(job.kernel));
	CL_OK(clReleaseMemObject(out));
}

/* --- atomics --------------------------------------------------------------------------------- */

static void measure_spread(const char *name, cl_uint mask)
{
	const size_t items = bench_pick(1 << 20, 1 << 20, 1 << 8);
	const cl_uint rounds = (cl_uint)bench_pick(16, 16, 2), zero = 0;
	cl_mem counters = opencl_buffer(CL_MEM_READ_WRITE, ((size_t)mask + 1) * 4);
	struct job job = {opencl_kernel("atomic_spread", 1, &counters), 1, {items}, {256}, 1,
			  (double)items * rounds};
	CL_OK(clEnqueueFillBuffer(queue, counters, &zero, 4, 0, ((size_t)mask + 1) * 4, 0, NULL,
				  NULL));
	CL_OK(clSetKernelArg(job.kernel, 1, sizeof(mask), &mask));
	CL_OK(clSetKernelArg(job.kernel, 2, sizeof(rounds), &rounds));
	bench_row("kernels", name, "G/s", HIGHER, rate_sample, &job);
	CL_OK(clReleaseKernel(job.kernel));
	CL_OK(clReleaseMemObject(counters));
}

static void measure_atomics(void)
{
	const size_t items = bench_pick(1 << 20, 1 << 20, 1 << 8);
	const cl_uint rounds = (cl_uint)bench_pick(256, 256, 2), zero = 0;
	measure_spread("atomic increments, a million counters", (1 << 20) - 1);
	measure_spread("atomic increments, one counter", 0);
	cl_mem counters = opencl_buffer(CL_MEM_READ_WRITE, 1024);
	struct job job = {opencl_kernel("atomic_local", 1, &counters), 1, {items}, {256}, 1,
			  (double)items * rounds};
	CL_OK(clEnqueueFillBuffer(queue, counters, &zero, 4, 0, 1024, 0, NULL, NULL));
	CL_OK(clSetKernelArg(job.kernel, 1, sizeof(rounds), &rounds));
	bench_row("kernels", "atomic increments, local memory", "G/s", HIGHER, rate_sample, &job);
	CL_OK(clReleaseKernel(job.kernel));
	CL_OK(clReleaseMemObject(counters));
}

/* --- images ----------------------------------------------------------------------------------- */

static void measure_texels(const char *name, cl_mem image, size_t edge, cl_filter_mode filter)
{
	const cl_uint rounds = (cl_uint)bench_pick(16, 16, 2);
	cl_int code;
	cl_sampler sampler = clCreateSampler(opencl.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE,
					     filter, &code);
	CL_OK(code);
	cl_mem out = opencl_buffer(CL_MEM_READ_WRITE, edge * edge * 16);
	struct job job = {opencl_kernel("texels", 1, &image), 2, {edge, edge}, {16, 16}, 4,
			  (double)(edge * edge) * rounds};
	CL_OK(clSetKernelArg(job.kernel, 1, sizeof(sampler), &sampler));
	CL_OK(clSetKernelArg(job.kernel, 2, sizeof(out), &out));
	CL_OK(clSetKernelArg(job.kernel, 3, sizeof(rounds), &rounds));
	bench_row("kernels", name, "Gtexel/s", HIGHER, rate_sample, &job);
	CL_OK(clReleaseKernel(job.kernel));
	CL_OK(clReleaseSampler(sampler));
	CL_OK(clReleaseMemObject(out));
}

static void measure_images(void)
{
	const size_t edge = bench_pick(2048, 2048, 16);
	const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = edge,
				    .image_height = edge};
	const size_t origin[3] = {0, 0, 0}, region[3] = {edge, edge, 1};
	const cl_float4 colour = {{0.5f, 0.25f, 0, 1}};
	cl_bool images = CL_FALSE;
	cl_int code;
	CL_OK(clGetDeviceInfo(opencl.devices[0], CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images,
			      NULL));
	if (!images) {
		rows_skip("kernels", "image reads, nearest", "no images");
		rows_skip("kernels", "image reads, linear", "no images");
		return;
	}
	cl_mem image = clCreateImage(opencl.context, CL_MEM_READ_ONLY, &format, &desc, NULL, &code);
	CL_OK(code);
	CL_OK(clEnqueueFillImage(queue, image, &colour, origin, region, 0, NULL, NULL));
	measure_texels("image reads, nearest", image, edge, CL_FILTER_NEAREST);
	measure_texels("image reads, linear", image, edge, CL_FILTER_LINEAR);
	CL_OK(clReleaseMemObject(image));
}

int main(int argc, char **argv)
{
	bench_start(argc, argv);
	opencl_open("kernels", source, 1);
	queue = opencl_queue(0, 0);
	measure_stream(false, "copy, float", "triad, float");
	if (opencl_has("cl_khr_fp64"))
		measure_stream(true, "copy, double", "triad, double");
	for (unsigned i = 0; i < KERNELS_PEAKS; i++)
		measure_peak(&kernels_peaks[i]);
	measure_local();
	measure_atomics();
	measure_images();
	CL_OK(clReleaseCommandQueue(queue));
	return opencl_close();
}
