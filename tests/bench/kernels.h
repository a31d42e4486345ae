/* The arithmetic that group kernels measures, for both of its sides. */
#ifndef CULVERT_TESTS_BENCH_KERNELS_H
#define CULVERT_TESTS_BENCH_KERNELS_H

/* One step of a chain is so many operations; rounds: steps of each chain. */
struct kernels_peak {
	const char *name, *kernel, *unit;
	unsigned operations, rounds;
};

static const struct kernels_peak kernels_peaks[] = {
	{"arithmetic, half", "peak_half", "TFLOP/s", 4, 2048},
	{"arithmetic, float", "peak_float", "TFLOP/s", 2, 2048},
	{"arithmetic, double", "peak_double", "TFLOP/s", 2, 1024},
	{"arithmetic, int", "peak_int", "TOP/s", 2, 1024},
	{"dot products of int8", "peak_dot", "TOP/s", 8, 1024},
};

enum { KERNELS_PEAKS = sizeof(kernels_peaks) / sizeof(kernels_peaks[0]) };

#endif
