# The CUDA side and the code generator: the only rooms that include <cuda.h>.
backend_sources = \
	backend/codegen.h \
	backend/cubin.c \
	backend/cuda_error.c \
	backend/cuda_error.def \
	backend/cuda_error.h \
	backend/cuda_gl.h \
	backend/cuda_symbols.c \
	backend/cuda_symbols.def \
	backend/cuda_symbols.h \
	backend/driver_library.c backend/driver_library.h \
	backend/gpu.h \
	backend/gpu_array.c \
	backend/gpu_barrier.c \
	backend/gpu_clock.c \
	backend/gpu_copy.c \
	backend/gpu_defer.c \
	backend/gpu_device.c \
	backend/gpu_event.c \
	backend/gpu_extent.c \
	backend/gpu_event_wait.c \
	backend/gpu_fill.c \
	backend/gpu_function.c \
	backend/gpu_transfer.c backend/gpu_transfer.h backend/gpu_staging.c backend/gpu_pageable.c backend/gpu_relay.c backend/gpu_past_caches.c \
	backend/gpu_crew.c backend/gpu_crew.h \
	backend/gpu_peer.c \
	backend/gpu_registered.c backend/gpu_window.c \
	backend/gpu_pause.c \
	backend/gpu_image.h \
	backend/gpu_image_copy.c \
	backend/gpu_image_fill.c \
	backend/gpu_image_internal.h \
	backend/gpu_internal.h \
	backend/gpu_foreign.c backend/gpu_external.c backend/gpu_external.h backend/gpu_export.c backend/gpu_external_image.c \
	backend/gpu_graph.c \
	backend/gpu_graphics.c backend/gpu_graphics.h backend/gpu_graphics_internal.h backend/cuda_egl.h backend/gpu_egl.c \
	backend/gpu_launch.c \
	backend/gpu_left.c backend/gpu_left.h \
	backend/gpu_repeat.c \
	backend/gpu_managed.c \
	backend/gpu_managed.h \
	backend/gpu_tables.c \
	backend/gpu_tables.h \
	backend/gpu_mem.c \
	backend/gpu_module.c \
	backend/gpu_module.h \
	backend/gpu_repeat.h \
	backend/gpu_packed.c \
	backend/gpu_semaphore.c \
	backend/gpu_share.c \
	backend/gpu_stream.c \
	backend/gpu_stream_create.c \
	backend/gpu_way.c \
	backend/nvvm.c \
	backend/nvvm.h \
	backend/nvvm_find.c \
	backend/nvvm_module.c \
	backend/option_list.c backend/option_list.h \
	backend/ptx.c \
	backend/ptx_debug.c \
	backend/ptx_compiler.h \
	backend/ptx_join.c backend/ptx_join.h \
	backend/ptx_order.c backend/ptx_order.h \
	backend/ptx_target.c backend/ptx_target.h

noinst_LIBRARIES += backend/libbackend.a
backend_libbackend_a_SOURCES = $(backend_sources)
backend_libbackend_a_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) $(PTX_COMPILER_CPPFLAGS)

# NVIDIA's PTX compiler, loaded when machine code is to be made (see ptx_compiler.h).
EXTRA_DIST += backend/ptx_compiler.map backend/ptx_compiler.c
if HAVE_PTX_COMPILER
soft_PROGRAMS += libculvert-ptxcompiler.so
libculvert_ptxcompiler_so_SOURCES = backend/ptx_compiler.c backend/ptx_compiler.h
libculvert_ptxcompiler_so_CPPFLAGS = $(AM_CPPFLAGS) $(PTX_COMPILER_CPPFLAGS)
libculvert_ptxcompiler_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-soname,libculvert-ptxcompiler.so \
	-Wl,-Bsymbolic -Wl,--version-script=$(top_srcdir)/backend/ptx_compiler.map \
	-Wl,--build-id -Wl,--gc-sections -Wl,-z,nodelete $(no_undefined)
libculvert_ptxcompiler_so_LDADD = $(PTX_COMPILER_ARCHIVE) -lpthread -lm -ldl
EXTRA_libculvert_ptxcompiler_so_DEPENDENCIES = backend/ptx_compiler.map
endif
