# Measurements.  tests/bench/run runs them; `make bench` only builds what it needs.
bench_common = tests/bench/bench.c tests/bench/bench.h tests/bench/rows.c tests/bench/rows.h
bench_opencl = tests/bench/opencl.c tests/bench/opencl.h $(bench_common)
bench_cuda = tests/bench/cuda.c tests/bench/cuda.h tests/bench/cuda_calls.def $(bench_common)
bench_programs =

if HAVE_OPENCL_LOADER
bench_programs += tests/bench/bench_launch
tests_bench_bench_launch_SOURCES = tests/bench/bench_launch.c $(bench_opencl)
tests_bench_bench_launch_LDADD = $(OPENCL_LIBS) -lpthread
bench_programs += tests/bench/cuda_launch
tests_bench_cuda_launch_SOURCES = tests/bench/cuda_launch.c $(bench_cuda)
tests_bench_cuda_launch_LDADD = -ldl -lpthread

EXTRA_PROGRAMS += tests/bench/bench_queues
tests_bench_bench_queues_SOURCES = tests/bench/bench_queues.c tests/bench/bench_raw.c \
	tests/bench/bench_raw.h
tests_bench_bench_queues_LDADD = $(OPENCL_LIBS) -ldl
EXTRA_PROGRAMS += tests/bench/bench_graphs
tests_bench_bench_graphs_SOURCES = tests/bench/bench_graphs.c tests/api/command_buffer_entry.h \
	tests/api/api_test.h
tests_bench_bench_graphs_LDADD = $(OPENCL_LIBS) -ldl
endif
check_PROGRAMS += $(bench_programs)

# The twins' kernels, where there is an nvcc; BENCH_ARCH is the GPU that they are for.
BENCH_ARCH = sm_90
bench_kernels = tests/bench/kernels.ptx tests/bench/kernels.cubin
tests/bench/kernels.ptx: tests/bench/kernels.cu
	$(AM_V_GEN)$(MKDIR_P) tests/bench && '$(NVCC)' -O3 -arch=$(BENCH_ARCH) -ptx -o $@ \
		$(srcdir)/tests/bench/kernels.cu
tests/bench/kernels.cubin: tests/bench/kernels.ptx
	$(AM_V_GEN)'$(PTXAS)' -O3 -arch=$(BENCH_ARCH) -o $@ tests/bench/kernels.ptx
.PHONY: bench bench-kernels
bench-kernels:
	@if test -n '$(NVCC)'; then $(MAKE) $(AM_MAKEFLAGS) $(bench_kernels); \
	else echo 'no nvcc: the twins of CUDA are left out'; fi
bench: $(bench_programs) bench-kernels
CLEANFILES += $(bench_kernels)
EXTRA_DIST += tests/bench/README.md tests/bench/kernels.cu tests/bench/run tests/bench/figures.py \
	tests/bench/picture.py
