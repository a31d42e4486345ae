#include "config.h"

#include "backend/gpu_internal.h"

#include <string.h>

/* Fills with long patterns run a kernel.  The driver's strided fills, the only alternative, reach a thousandth of
 * the memory's bandwidth (6 GB/s on an H200).
 *
 * count is in units of 8 bytes, mask is the number of units in the pattern minus one.  A thread writes every
 * stride-th unit; because the stride is a multiple of every pattern's length, it always writes the same bytes. */
static const char kernel[] =
	".address_size 64\n"
	".visible .entry fill(.param .u64 to, .param .u64 count, .param .u32 mask,\n"
	" .param .align 8 .b8 pattern[128])\n"
	"{\n"
	" .reg .pred %p<2>;\n"
	" .reg .b32 %r<9>;\n"
	" .reg .b64 %d<10>;\n"
	" ld.param.u64 %d1, [to];\n"
	" ld.param.u64 %d2, [count];\n"
	" ld.param.u32 %r1, [mask];\n"
	" mov.u32 %r2, %ctaid.x;\n"
	" mov.u32 %r3, %ntid.x;\n"
	" mov.u32 %r4, %tid.x;\n"
	" mul.wide.u32 %d3, %r2, %r3;\n"
	" cvt.u64.u32 %d4, %r4;\n"
	" add.s64 %d3, %d3, %d4;\n"
	" setp.ge.u64 %p1, %d3, %d2;\n"
	" @%p1 bra end;\n"
	" and.b32 %r5, %r4, %r1;\n"
	" mul.wide.u32 %d5, %r5, 8;\n"
	" mov.u64 %d6, pattern;\n"
	" add.s64 %d6, %d6, %d5;\n"
	" ld.param.u32 %r6, [%d6];\n"
	" ld.param.u32 %r7, [%d6+4];\n"
	" mov.u32 %r8, %nctaid.x;\n"
	" mul.wide.u32 %d7, %r8, %r3;\n"
	" shl.b64 %d8, %d3, 3;\n"
	" add.s64 %d1, %d1, %d8;\n"
	" shl.b64 %d9, %d7, 3;\n"
	"again:\n"
	" st.global.v2.u32 [%d1], {%r6, %r7};\n"
	" add.s64 %d1, %d1, %d9;\n"
	" add.s64 %d3, %d3, %d7;\n"
	" setp.lt.u64 %p1, %d3, %d2;\n"
	" @%p1 bra again;\n"
	"end:\n"
	" ret;\n"
	"}\n";

enum { UNIT_B = 8, THREADS = 256, PATTERN_MAX_B = 128, OLDEST_SM = 75 };

/* Two threads may both load it; the first to store it keeps it. */
static cl_int fill_function(struct gpu_device *device, struct gpu_function **function_out)
{
	struct gpu_module *module = atomic_load(&device->fill_module);
	struct gpu_module *made = NULL;
	unsigned sm = device->caps.sm < OLDEST_SM ? device->caps.sm : OLDEST_SM;
	if (!module) {
		struct bytes text = BYTES_INIT;
		bytes_printf(&text, ".version 6.4\n.target sm_%u\n%s", sm, kernel);
		cl_int error = CL_OUT_OF_HOST_MEMORY;
		if (!bytes_failed(&text))
			error = gpu_module_load(device, text.data, text.size_B, NULL, &made);
		bytes_finish(&text);
		if (error)
			return error == CL_INVALID_BINARY ? CL_OUT_OF_RESOURCES : error;
		if (atomic_compare_exchange_strong(&device->fill_module, &module, made))
			module = made;
		else
			gpu_module_unload(made, NULL, 0);
	}
	return gpu_module_function(module, "fill", function_out);
}

cl_int gpu_fill_long(struct gpu_sink sink, gpu_address to, const void *pattern, uint32_t pattern_B,
		     uint64_t size_B)
{
	struct gpu_device *device = gpu_sink_device(sink);
	unsigned char whole[PATTERN_MAX_B] = {0};
	uint64_t count = size_B / UNIT_B;
	uint32_t mask = pattern_B / UNIT_B - 1;
	struct gpu_function *function;
	cl_int error = fill_function(device, &function);
	if (error)
		return error;
	memcpy(whole, pattern, pattern_B);
	/* As many work-groups as can run concurrently; each fills until the end. */
	uint64_t groups = (count + THREADS - 1) / THREADS;
	uint64_t resident = (uint64_t)device->caps.multiprocessors *
			    (device->caps.max_threads_per_multiprocessor / THREADS);
	if (resident && groups > resident)
		groups = resident;
	void *parameters[] = {&to, &count, &mask, whole};
	const struct gpu_launch launch = {function, {(uint32_t)groups, 1, 1}, {THREADS, 1, 1}, 0,
					  false, parameters};
	return gpu_sink_launch(sink, &launch);
}
