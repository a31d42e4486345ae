# Measurements.  tests/bench/run runs them; `make bench` only builds what it needs.
bench_common = tests/bench/bench.c tests/bench/bench.h tests/bench/rows.c tests/bench/rows.h
bench_opencl = tests/bench/opencl.c tests/bench/opencl.h $(bench_common)
bench_cuda = tests/bench/cuda.c tests/bench/cuda.h tests/bench/cuda_calls.def $(bench_common)
bench_programs =
bench_twins =

bench_programs += tests/bench/bench_cache
tests_bench_bench_cache_SOURCES = tests/bench/bench_cache.c $(bench_common)
tests_bench_bench_cache_LDADD = $(unit_libs)

if HAVE_OPENCL_LOADER
bench_twins += tests/bench/codegen/twins
bench_programs += tests/bench/bench_launch tests/bench/bench_transfer tests/bench/bench_overlap tests/bench/bench_matrix \
	tests/bench/bench_kernels tests/bench/bench_alloc tests/bench/bench_devices
bench_programs += tests/bench/cuda_launch tests/bench/cuda_transfer tests/bench/cuda_overlap tests/bench/cuda_matrix \
	tests/bench/cuda_kernels tests/bench/cuda_alloc tests/bench/cuda_devices
tests_bench_bench_launch_SOURCES = tests/bench/bench_launch.c $(bench_opencl)
tests_bench_bench_launch_LDADD = $(OPENCL_LIBS) -lpthread
tests_bench_cuda_launch_SOURCES = tests/bench/cuda_launch.c $(bench_cuda)
tests_bench_cuda_launch_LDADD = -ldl -lpthread
tests_bench_bench_transfer_SOURCES = tests/bench/bench_transfer.c $(bench_opencl)
tests_bench_bench_transfer_LDADD = $(OPENCL_LIBS) -lpthread
tests_bench_cuda_transfer_SOURCES = tests/bench/cuda_transfer.c $(bench_cuda)
tests_bench_cuda_transfer_LDADD = -ldl -lpthread
tests_bench_bench_overlap_SOURCES = tests/bench/bench_overlap.c $(bench_opencl)
tests_bench_bench_overlap_LDADD = $(OPENCL_LIBS) -lpthread
tests_bench_cuda_overlap_SOURCES = tests/bench/cuda_overlap.c $(bench_cuda)
tests_bench_cuda_overlap_LDADD = -ldl -lpthread
tests_bench_bench_matrix_SOURCES = tests/bench/bench_matrix.c tests/bench/matrix_check.h $(bench_opencl)
tests_bench_bench_matrix_LDADD = $(OPENCL_LIBS) -lpthread
tests_bench_cuda_matrix_SOURCES = tests/bench/cuda_matrix.c tests/bench/matrix_check.h $(bench_cuda)
tests_bench_cuda_matrix_LDADD = -ldl -lpthread
bench_programs += tests/bench/bench_half tests/bench/cuda_half
tests_bench_bench_half_SOURCES = tests/bench/bench_half.c tests/bench/half_check.h $(bench_opencl)
tests_bench_bench_half_LDADD = $(OPENCL_LIBS) -lpthread -lm
tests_bench_cuda_half_SOURCES = tests/bench/cuda_half.c tests/bench/half_check.h $(bench_cuda)
tests_bench_cuda_half_LDADD = -ldl -lpthread -lm
tests_bench_bench_kernels_SOURCES = tests/bench/bench_kernels.c tests/bench/kernels.h $(bench_opencl)
tests_bench_bench_kernels_LDADD = $(OPENCL_LIBS) -lpthread
tests_bench_cuda_kernels_SOURCES = tests/bench/cuda_kernels.c tests/bench/kernels.h $(bench_cuda)
tests_bench_cuda_kernels_LDADD = -ldl -lpthread
tests_bench_bench_alloc_SOURCES = tests/bench/bench_alloc.c $(bench_opencl)
tests_bench_bench_alloc_LDADD = $(OPENCL_LIBS) -lpthread
tests_bench_cuda_alloc_SOURCES = tests/bench/cuda_alloc.c $(bench_cuda)
tests_bench_cuda_alloc_LDADD = -ldl -lpthread
tests_bench_bench_devices_SOURCES = tests/bench/bench_devices.c $(bench_opencl)
tests_bench_bench_devices_LDADD = $(OPENCL_LIBS) -lpthread
tests_bench_cuda_devices_SOURCES = tests/bench/cuda_devices.c $(bench_cuda)
tests_bench_cuda_devices_LDADD = -ldl -lpthread
bench_programs += tests/bench/bench_processor
tests_bench_bench_processor_SOURCES = tests/bench/bench_processor.c tests/bench/processor.h \
	tests/bench/processor_arithmetic.c tests/bench/processor_data.c tests/bench/processor_linear.c \
	tests/bench/processor_memory.c $(bench_opencl)
tests_bench_bench_processor_LDADD = $(OPENCL_LIBS) -lpthread -lm
bench_programs += tests/bench/bench_copies
tests_bench_bench_copies_SOURCES = tests/bench/bench_copies.c $(bench_opencl)
tests_bench_bench_copies_LDADD = $(OPENCL_LIBS) -lpthread
bench_programs += tests/bench/bench_scale tests/bench/cuda_scale
tests_bench_bench_scale_SOURCES = tests/bench/bench_scale.c tests/bench/scale.h $(bench_opencl)
tests_bench_bench_scale_LDADD = $(OPENCL_LIBS) -lpthread
tests_bench_cuda_scale_SOURCES = tests/bench/cuda_scale.c tests/bench/scale.h $(bench_cuda)
tests_bench_cuda_scale_LDADD = -ldl -lpthread

EXTRA_PROGRAMS += tests/bench/bench_queues
tests_bench_bench_queues_SOURCES = tests/bench/bench_queues.c tests/bench/bench_raw.c $(bench_opencl)
tests_bench_bench_queues_LDADD = $(OPENCL_LIBS) -ldl -lpthread
EXTRA_PROGRAMS += tests/bench/bench_graphs
tests_bench_bench_graphs_SOURCES = tests/bench/bench_graphs.c tests/api/command_buffer_entry.h \
	tests/api/api_test.h
tests_bench_bench_graphs_LDADD = $(OPENCL_LIBS) -ldl
bench_programs += tests/bench/bench_build tests/bench/cuda_build
bench_build_common = tests/bench/build/bench_build.c tests/bench/build/builder.h \
	tests/bench/build/children.c tests/bench/build/children.h tests/bench/build/sources.c \
	tests/bench/build/sources.h
tests_bench_bench_build_SOURCES = $(bench_build_common) tests/bench/build/builder_opencl.c \
	tests/bench/build/clblast.c tests/bench/build/clblast.h \
	$(bench_opencl)
tests_bench_bench_build_LDADD = $(OPENCL_LIBS) -ldl -lpthread
tests_bench_cuda_build_SOURCES = $(bench_build_common) tests/bench/build/builder_nvrtc.c \
	$(bench_common)
tests_bench_cuda_build_LDADD = -ldl -lpthread
TESTS += $(bench_scripts)
check_PROGRAMS += tests/bench/bench_calls
tests_bench_bench_calls_SOURCES = tests/bench/bench_calls.c $(bench_opencl)
tests_bench_bench_calls_LDADD = $(OPENCL_LIBS) -lpthread
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
if HAVE_NVCC
check_DATA = tests/bench/kernels.ptx
bench_code = $(bench_kernels) bench-twins
else
bench_code =
endif
# nvcc's side of the twin kernels, as tests/bench/codegen/compare makes it.
bench-twins: $(bench_twins)
	@$(MKDIR_P) twins && for source in $(srcdir)/tests/bench/codegen/*.cu; do \
		name=`basename $$source .cu`; \
		test -z "`find twins/$$name.cubin -newer $$source 2>/dev/null`" || continue; \
		'$(NVCC)' -O3 -arch=$(BENCH_ARCH) -ptx -o twins/$$name.ptx $$source && \
		'$(PTXAS)' -O3 -v -arch=$(BENCH_ARCH) -o twins/$$name.cubin twins/$$name.ptx \
			>twins/$$name.cubin.log 2>&1 || exit 1; \
	done
.PHONY: bench bench-twins
bench: $(bench_programs) $(bench_code)
CLEANFILES += $(bench_kernels)
