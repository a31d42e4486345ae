#ifndef CULVERT_TESTS_BENCH_BUILD_CLBLAST_H
#define CULVERT_TESTS_BENCH_BUILD_CLBLAST_H

/* From CLBlast's first call to its results, in ms, on opencl's context; negative, with a line
 * on stderr, when it is not there or failed. */
double clblast_ms(void);

#endif
