# Twin kernels, for us and for nvcc.  Not part of `make check`: tests/bench/codegen/compare
# needs nvcc, and the times a GPU.
#	make tests/bench/codegen/twins
if HAVE_OPENCL_LOADER
EXTRA_PROGRAMS += tests/bench/codegen/twins
tests_bench_codegen_twins_SOURCES = $(bench_codegen_sources)
tests_bench_codegen_twins_CPPFLAGS = $(AM_CPPFLAGS) \
	-DTWIN_SOURCES='"$(abs_top_srcdir)/tests/bench/codegen"'
tests_bench_codegen_twins_LDADD = $(OPENCL_LIBS) -ldl -lm
endif
