/* What the tests of gpu.h share: the kernels, the devices, and short ways to make
 * streams, memory and launches on the first one.  The software driver or, with
 * CULVERT_CUDA=driver, a GPU. */
#ifndef CULVERT_TESTS_GPU_SETUP_H
#define CULVERT_TESTS_GPU_SETUP_H

#include "backend/codegen.h"
#include "backend/cuda_symbols.h"
#include "backend/gpu.h"
#include "tests/unit/test.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char kernels[] =
	".version 6.4\n.target sm_75\n.address_size 64\n"
	".extern .shared .align 16 .b8 dynamic[];\n"
	/* c[i] = a[i] + b[i] */
	".visible .entry add(.param .u64 c, .param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
	" .reg .b32 %r<8>;\n .reg .b64 %d<8>;\n .reg .pred %p<2>;\n"
	" ld.param.u64 %d1, [c];\n ld.param.u64 %d2, [a];\n ld.param.u64 %d3, [b];\n"
	" ld.param.u32 %r1, [n];\n"
	" mov.u32 %r2, %ctaid.x;\n mov.u32 %r3, %ntid.x;\n mov.u32 %r4, %tid.x;\n"
	" mad.lo.s32 %r5, %r2, %r3, %r4;\n setp.ge.u32 %p1, %r5, %r1;\n @%p1 bra end;\n"
	" mul.wide.u32 %d4, %r5, 4;\n add.s64 %d1, %d1, %d4;\n add.s64 %d2, %d2, %d4;\n"
	" add.s64 %d3, %d3, %d4;\n ld.global.u32 %r6, [%d2];\n ld.global.u32 %r7, [%d3];\n"
	" add.s32 %r6, %r6, %r7;\n st.global.u32 [%d1], %r6;\nend:\n ret;\n}\n"
	/* out[i] = last word of the dynamic local memory, written by work-item 0 */
	".visible .entry last_word(.param .u64 out, .param .u32 at)\n{\n"
	" .reg .b32 %r<8>;\n .reg .b64 %d<8>;\n .reg .pred %p<2>;\n"
	" ld.param.u64 %d1, [out];\n ld.param.u32 %r1, [at];\n mov.u32 %r2, %tid.x;\n"
	" mov.u32 %r3, dynamic;\n add.s32 %r3, %r3, %r1;\n setp.ne.u32 %p1, %r2, 0;\n"
	" @%p1 bra wait;\n mov.u32 %r4, 777;\n st.shared.u32 [%r3], %r4;\nwait:\n bar.sync 0;\n"
	" ld.shared.u32 %r5, [%r3];\n mul.wide.u32 %d2, %r2, 4;\n add.s64 %d1, %d1, %d2;\n"
	" st.global.u32 [%d1], %r5;\n ret;\n}\n"
	/* spins rounds times, then out[0] += 1 */
	".visible .entry spin(.param .u64 out, .param .u32 rounds)\n{\n"
	" .reg .b32 %r<8>;\n .reg .b64 %d<4>;\n .reg .pred %p<2>;\n"
	" ld.param.u64 %d1, [out];\n ld.param.u32 %r1, [rounds];\n mov.u32 %r2, 0;\n"
	" mov.u32 %r3, 1;\nagain:\n setp.ge.u32 %p1, %r2, %r1;\n @%p1 bra end;\n"
	" mul.lo.u32 %r3, %r3, 1664525;\n add.u32 %r3, %r3, %r2;\n add.u32 %r2, %r2, 1;\n"
	" bra again;\nend:\n and.b32 %r3, %r3, 0;\n ld.global.u32 %r4, [%d1];\n"
	" add.u32 %r4, %r4, %r3;\n add.u32 %r4, %r4, 1;\n st.global.u32 [%d1], %r4;\n ret;\n}\n"
	/* writes where nothing is */
	".visible .entry fault()\n{\n .reg .b32 %r<2>;\n .reg .b64 %d<2>;\n"
	" mov.u64 %d1, 64;\n mov.u32 %r1, 1;\n st.global.u32 [%d1], %r1;\n ret;\n}\n";

/* A module of its own, whose kernel runs until the host says so. */
static const char until[] =
	".version 6.4\n.target sm_75\n.address_size 64\n"
	".visible .entry until(.param .u64 flag)\n{\n"
	" .reg .b32 %r<2>;\n .reg .b64 %d<2>;\n .reg .pred %p<2>;\n"
	" ld.param.u64 %d1, [flag];\nagain:\n ld.volatile.global.u32 %r1, [%d1];\n"
	" setp.eq.u32 %p1, %r1, 0;\n @%p1 bra again;\n ret;\n}\n";

static struct gpu_device *const *devices;
static uint32_t device_count;
static struct bytes binary;
static struct gpu_module *module;

static const struct be_codegen_options plain = {
	.sm = 75, .choice = {.precise_divide = true, .precise_sqrt = true, .optimization = 3}};

static inline struct gpu_device *first(void)
{
	return devices[0];
}

static inline bool none_here(void)
{
	return !device_count;
}

static inline struct gpu_stream *stream_new(void)
{
	struct gpu_stream *stream = NULL;
	CHECK_EQ(gpu_stream_acquire(first(), 0, &stream), CL_SUCCESS);
	return stream;
}

static inline void stream_wait(struct gpu_stream *stream)
{
	struct gpu_event *event = NULL;
	CHECK_EQ(gpu_event_record(stream, false, &event), CL_SUCCESS);
	CHECK_EQ(gpu_event_wait(event), CL_SUCCESS);
	gpu_event_unref(event);
}

static inline gpu_address memory_new(uint64_t size_B)
{
	gpu_address address = 0;
	CHECK_EQ(gpu_memory_alloc(first(), size_B, &address), CL_SUCCESS);
	CHECK(address && address % 256 == 0);
	return address;
}

static inline struct gpu_function *function_named(const char *name)
{
	struct gpu_function *function = NULL;
	CHECK_EQ(gpu_module_function(module, name, &function), CL_SUCCESS);
	return function;
}

static inline cl_int launch_spin(struct gpu_stream *stream, gpu_address out, uint32_t rounds)
{
	void *parameters[] = {&out, &rounds};
	struct gpu_launch launch = {function_named("spin"), {1, 1, 1}, {1, 1, 1}, 0, false,
				    parameters};
	return gpu_launch(stream, &launch);
}

/* The two tests that every program begins with: what follows needs what they find. */
static inline void devices_are_found(void)
{
	CHECK_EQ(gpu_devices(&devices, &device_count), CL_SUCCESS);
	CHECK(*gpu_driver_note());
	printf("%s\n", gpu_driver_note());
	if (none_here())
		SKIP("no CUDA driver");
}

static inline void code_is_assembled_and_loaded(void)
{
	struct bytes ptx = BYTES_INIT, log = BYTES_INIT;
	if (none_here())
		SKIP("no CUDA driver");
	bytes_append_string(&ptx, kernels);
	CHECK_EQ(be_ptx_load(first(), &ptx, &plain, &module, &log), CL_SUCCESS);
	if (log.size_B)
		printf("%s\n", bytes_string(&log));
	bytes_move(&binary, &ptx);
	REQUIRE(module);
	bytes_finish(&log);
}

/* Runs body in a child process, after prepare has changed what it likes of the driver.
 * Before this process starts the driver: a child of one that has cannot use it. */
static inline void run_in_child(void (*prepare)(void), void (*body)(void))
{
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (!child) {
		gpu_devices(&devices, &device_count);
		prepare();
		if (device_count) {
			code_is_assembled_and_loaded();
			body();
		}
		fflush(stdout);
		_exit(test_failures ? 1 : device_count ? 0 : 77);
	}
	int status = 0;
	REQUIRE(waitpid(child, &status, 0) == child);
	REQUIRE(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		SKIP("no CUDA driver");
	CHECK_EQ(WEXITSTATUS(status), 0);
}

static inline void drop_pools(void)
{
	cuda.cuMemPoolCreate = NULL;
}

static inline void run_without_pools(void (*body)(void))
{
	run_in_child(drop_pools, body);
}

/* Runs body in a thread that has a CUDA context of the host's current, which
 * must stay that. */
static inline void run_under_a_context(void (*body)(void))
{
	CUcontext cu_mine = NULL, cu_now = NULL;
	/* Everything up to here ran in this thread, which never had one. */
	CHECK_EQ(cuda.cuCtxGetCurrent(&cu_now), CUDA_SUCCESS);
	CHECK(!cu_now);
	uint32_t other = device_count - 1;
	REQUIRE(!cuda.cuDevicePrimaryCtxRetain(&cu_mine, (CUdevice)other));
	REQUIRE(!cuda.cuCtxSetCurrent(cu_mine));
	body();
	CHECK_EQ(cuda.cuCtxGetCurrent(&cu_now), CUDA_SUCCESS);
	CHECK(cu_now == cu_mine);
	REQUIRE(!cuda.cuCtxSetCurrent(NULL));
	CHECK_EQ(cuda.cuDevicePrimaryCtxRelease_v2((CUdevice)other), CUDA_SUCCESS);
}

static inline int run_gpu_tests(const struct test_case *cases, int count)
{
	/* This program lies elsewhere than the libraries of the build. */
	static const char built[] = "./libculvert-softcuda.so";
	const char *choice = getenv("CULVERT_CUDA");
	if (choice && !strcmp(choice, "soft") && !access(built, R_OK))
		setenv("CULVERT_CUDA", built, 1);
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	return test_run_all(cases, count);
}

#endif
