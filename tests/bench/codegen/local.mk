# Twin kernels, for us and for nvcc.  Not part of `make check`: tests/bench/codegen/compare
# needs nvcc, and the times a GPU.
#	make tests/bench/codegen/twins
if HAVE_OPENCL_LOADER
EXTRA_PROGRAMS += tests/bench/codegen/twins
tests_bench_codegen_twins_SOURCES = tests/bench/codegen/twins.c tests/bench/codegen/twins.h \
	tests/bench/codegen/twins.def tests/bench/codegen/side_cuda.c \
	tests/bench/codegen/side_opencl.c
tests_bench_codegen_twins_CPPFLAGS = $(AM_CPPFLAGS) \
	-DTWIN_SOURCES='"$(abs_top_srcdir)/tests/bench/codegen"'
tests_bench_codegen_twins_LDADD = $(OPENCL_LIBS) -ldl -lm
endif
EXTRA_DIST += tests/bench/codegen/compare tests/bench/codegen/bitonic.cl \
	tests/bench/codegen/bitonic.cu tests/bench/codegen/black_scholes.cl \
	tests/bench/codegen/black_scholes.cu tests/bench/codegen/blur.cl \
	tests/bench/codegen/blur.cu tests/bench/codegen/copy.cl tests/bench/codegen/copy.cu \
	tests/bench/codegen/dot_int8.cl tests/bench/codegen/dot_int8.cu \
	tests/bench/codegen/dot_sum.cl tests/bench/codegen/dot_sum.cu \
	tests/bench/codegen/fft.cl tests/bench/codegen/fft.cu tests/bench/codegen/histogram.cl \
	tests/bench/codegen/histogram.cu tests/bench/codegen/life.cl tests/bench/codegen/life.cu \
	tests/bench/codegen/mandelbrot.cl tests/bench/codegen/mandelbrot.cu \
	tests/bench/codegen/matrix.cl tests/bench/codegen/matrix.cu \
	tests/bench/codegen/matrix_f16.cl tests/bench/codegen/matrix_f16.cu \
	tests/bench/codegen/matrix_f64.cl tests/bench/codegen/matrix_f64.cu \
	tests/bench/codegen/median.cl tests/bench/codegen/median.cu \
	tests/bench/codegen/monte_carlo.cl tests/bench/codegen/monte_carlo.cu \
	tests/bench/codegen/nbody.cl tests/bench/codegen/nbody.cu tests/bench/codegen/nearest.cl \
	tests/bench/codegen/nearest.cu tests/bench/codegen/reduction.cl \
	tests/bench/codegen/reduction.cu tests/bench/codegen/saxpy.cl \
	tests/bench/codegen/saxpy.cu tests/bench/codegen/scan.cl tests/bench/codegen/scan.cu \
	tests/bench/codegen/sha256.cl tests/bench/codegen/sha256.cu tests/bench/codegen/spmv.cl \
	tests/bench/codegen/spmv.cu tests/bench/codegen/stencil.cl \
	tests/bench/codegen/stencil.cu tests/bench/codegen/stencil_3d.cl \
	tests/bench/codegen/stencil_3d.cu tests/bench/codegen/substitution.cl \
	tests/bench/codegen/substitution.cu tests/bench/codegen/transpose.cl \
	tests/bench/codegen/transpose.cu tests/bench/codegen/triad.cl \
	tests/bench/codegen/triad.cu tests/bench/codegen/vector.cl tests/bench/codegen/vector.cu
