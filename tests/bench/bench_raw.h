/* What CUDA itself does, for bench_queues to compare with: the driver API by dlopen,
 * BENCH_CUDA names the library (default: libcuda.so.1).  One thread.
 *
 * Every function returns a negative number when it cannot be measured. */
#ifndef CULVERT_TESTS_BENCH_RAW_H
#define CULVERT_TESTS_BENCH_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False: there is no CUDA. */
bool raw_start(void);
void raw_end(void);

double raw_launch_ns(unsigned count, bool with_record);
/* GB/s of copies of size_B between host and device; host memory pinned or not. */
double raw_copy_GBps(size_t size_B, bool to_device, bool pinned, unsigned count);
/* One cuMemAllocAsync and its cuMemFreeAsync, as a mean. */
double raw_alloc_ns(size_t size_B, unsigned count);
/* GB/s of cuMemcpyPeerAsync with peer access, there and back in turn. */
double raw_peer_GBps(size_t size_B, unsigned count);

#endif
