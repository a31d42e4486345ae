/* The CUDA side of the bench programs: the driver API by dlopen (BENCH_CUDA names the
 * library, libcuda.so.1 by default), one primary context per device, and the kernels of
 * kernels.cu as nvcc compiled them: FOLDER/kernels.cubin, or kernels.ptx where that is for
 * another GPU.  Any failure ends the process with a line on stderr. */
#ifndef CULVERT_TESTS_BENCH_CUDA_H
#define CULVERT_TESTS_BENCH_CUDA_H

#include "tests/bench/bench.h"

#include <cuda.h>

enum { CUDA_DEVICES = 8 };

#define CU_OK(call) cuda_check((call), #call, __FILE__, __LINE__)

struct cuda_calls {
#define CALL(name, parameters) CUresult (*name) parameters;
#include "tests/bench/cuda_calls.def"
#undef CALL
};
extern struct cuda_calls cu;

extern struct cuda {
	unsigned device_count;
	CUcontext contexts[CUDA_DEVICES];
	CUmodule modules[CUDA_DEVICES];
} cuda;

static inline void cuda_check(CUresult result, const char *what, const char *file, int line)
{
	if (result)
		bench_fail(file, line, what, (int)result);
}

/* Takes at most so many devices and begins the rows; the first device is current then, for
 * this thread.  cuda_close ends the rows: what main returns. */
void cuda_open(const char *bench_name, unsigned devices_limit);
int cuda_close(void);
/* Makes the device current; threads other than the first begin with this. */
void cuda_use(unsigned device);

CUfunction cuda_function(unsigned device, const char *name);
/* Of the current device, as the next two. */
CUstream cuda_stream(void);
CUevent cuda_event(void);
CUdeviceptr cuda_memory(size_t size_B);

/* One launch of one dimension. */
void cuda_launch(CUstream stream, CUfunction function, size_t global, size_t local,
		 void **arguments);

/* Memory of the host, set to 1. */
unsigned char *cuda_host(size_t size_B, bool pinned);
void cuda_host_end(unsigned char *bytes, bool pinned);

#endif
