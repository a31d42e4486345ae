# The CUDA side and the code generator: the only rooms that include <cuda.h>.
backend_sources = \
	backend/codegen.h \
	backend/cuda_error.c \
	backend/cuda_error.def \
	backend/cuda_error.h \
	backend/cuda_symbols.c \
	backend/cuda_symbols.def \
	backend/cuda_symbols.h \
	backend/gpu.h \
	backend/gpu_array.c \
	backend/gpu_clock.c \
	backend/gpu_copy.c \
	backend/gpu_defer.c \
	backend/gpu_device.c \
	backend/gpu_event.c \
	backend/gpu_fill.c \
	backend/gpu_staging.c \
	backend/gpu_peer.c \
	backend/gpu_window.c \
	backend/gpu_pause.c \
	backend/gpu_image.h \
	backend/gpu_image_copy.c \
	backend/gpu_image_fill.c \
	backend/gpu_image_internal.h \
	backend/gpu_internal.h \
	backend/gpu_launch.c \
	backend/gpu_mem.c \
	backend/gpu_module.c \
	backend/gpu_module.h \
	backend/gpu_stream.c \
	backend/nvvm.c \
	backend/nvvm.h \
	backend/nvvm_find.c \
	backend/ptx.c

noinst_LIBRARIES += backend/libbackend.a
backend_libbackend_a_SOURCES = $(backend_sources)
backend_libbackend_a_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)

backend_tests = tests/unit/t_cuda_error tests/unit/t_nvvm tests/unit/t_gpu \
	tests/unit/t_gpu_memory
check_PROGRAMS += $(backend_tests)
TESTS += $(backend_tests)
tests_unit_t_cuda_error_SOURCES = tests/unit/t_cuda_error.c tests/unit/test.h
tests_unit_t_cuda_error_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
tests_unit_t_cuda_error_LDADD = backend/libbackend.a base/libbase.a
tests_unit_t_nvvm_SOURCES = tests/unit/t_nvvm.c tests/unit/test.h
tests_unit_t_nvvm_CPPFLAGS = $(AM_CPPFLAGS) -DLIBDEVICE='"$(LIBDEVICE)"'
tests_unit_t_nvvm_LDADD = backend/libbackend.a base/libbase.a
tests_unit_t_gpu_SOURCES = tests/unit/t_gpu.c tests/unit/gpu_setup.h tests/unit/test.h
tests_unit_t_gpu_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
tests_unit_t_gpu_LDADD = backend/libbackend.a base/libbase.a
tests_unit_t_gpu_memory_SOURCES = tests/unit/t_gpu_memory.c tests/unit/gpu_setup.h tests/unit/test.h
tests_unit_t_gpu_memory_CPPFLAGS = $(tests_unit_t_gpu_CPPFLAGS)
tests_unit_t_gpu_memory_LDADD = $(tests_unit_t_gpu_LDADD)
