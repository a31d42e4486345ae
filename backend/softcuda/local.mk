# The software CUDA driver: the cu* side (api) and the executor of PTX (exec).
softcuda_api_sources = \
	backend/softcuda/api_alloc.c \
	backend/softcuda/api_array.c \
	backend/softcuda/api_array.h \
	backend/softcuda/api_context.c \
	backend/softcuda/api_copy.c \
	backend/softcuda/api_device.c \
	backend/softcuda/api_driver.c \
	backend/softcuda/api_error.c \
	backend/softcuda/api_event.c \
	backend/softcuda/api_fault.c \
	backend/softcuda/api_fault.h \
	backend/softcuda/api_fill.c \
	backend/softcuda/api_function.c \
	backend/softcuda/api_graph.c \
	backend/softcuda/api_graph.h \
	backend/softcuda/api_handle.c \
	backend/softcuda/api_host.c \
	backend/softcuda/api_image.c \
	backend/softcuda/api_ipc.c \
	backend/softcuda/api_launch.c \
	backend/softcuda/api_library.c \
	backend/softcuda/api_link.c \
	backend/softcuda/api_memory.c \
	backend/softcuda/api_module.c \
	backend/softcuda/api_pointer.c \
	backend/softcuda/pageable.c \
	backend/softcuda/api_pool.c \
	backend/softcuda/api_virtual.c \
	backend/softcuda/api_schedule.c \
	backend/softcuda/api_semaphore.c \
	backend/softcuda/api_stream.c \
	backend/softcuda/api_symbol.c \
	backend/softcuda/api_texture.c \
	backend/softcuda/api_thread.c \
	backend/softcuda/api_thread.h \
	backend/softcuda/api_unsupported.c \
	backend/softcuda/control.c \
	backend/softcuda/control.h \
	backend/softcuda/device_attribute.def \
	backend/softcuda/oracle.c \
	backend/softcuda/oracle.h \
	backend/softcuda/oracle_clock.h \
	backend/softcuda/result.def \
	backend/softcuda/sched.c \
	backend/softcuda/sched.h \
	backend/softcuda/soft.h \
	backend/softcuda/symbol.def \
	backend/softcuda/unsupported.def

softcuda_exec_sources = \
	backend/softcuda/check.h \
	backend/softcuda/check_clock.c \
	backend/softcuda/check_clock.h \
	backend/softcuda/check_copy.c \
	backend/softcuda/check_job.h \
	backend/softcuda/check_option.h \
	backend/softcuda/check_place.c \
	backend/softcuda/check_race.c \
	backend/softcuda/check_report.c \
	backend/softcuda/check_shadow.c \
	backend/softcuda/check_shadow.h \
	backend/softcuda/check_sync.c \
	backend/softcuda/check_variable.c \
	backend/softcuda/check_written.c \
	backend/softcuda/exec.h \
	backend/softcuda/exec_access.h \
	backend/softcuda/exec_atomic.c \
	backend/softcuda/exec_barrier.h \
	backend/softcuda/exec_control.c \
	backend/softcuda/exec_convert.h \
	backend/softcuda/exec_copy.c \
	backend/softcuda/exec_filter.c \
	backend/softcuda/footprint.c \
	backend/softcuda/footprint.h \
	backend/softcuda/exec_filter.h \
	backend/softcuda/exec_group.c \
	backend/softcuda/exec_half.c \
	backend/softcuda/exec_half.h \
	backend/softcuda/exec_image.h \
	backend/softcuda/exec_launch.c \
	backend/softcuda/exec_level.c \
	backend/softcuda/exec_level.h \
	backend/softcuda/exec_mbarrier.c \
	backend/softcuda/exec_memory.h \
	backend/softcuda/exec_narrow.c \
	backend/softcuda/exec_note.c \
	backend/softcuda/exec_object.c \
	backend/softcuda/exec_object.h \
	backend/softcuda/exec_op.h \
	backend/softcuda/exec_program.h \
	backend/softcuda/exec_quad.c \
	backend/softcuda/exec_real.h \
	backend/softcuda/exec_row.h \
	backend/softcuda/exec_rounded.c \
	backend/softcuda/exec_stack.c \
	backend/softcuda/exec_surface.c \
	backend/softcuda/exec_table.c \
	backend/softcuda/exec_table.h \
	backend/softcuda/exec_texel.c \
	backend/softcuda/exec_texture.c \
	backend/softcuda/exec_video.c \
	backend/softcuda/exec_video.h \
	backend/softcuda/exec_warp.c \
	backend/softcuda/exec_warp.h \
	backend/softcuda/oracle_trace.c \
	backend/softcuda/oracle_trace.h \
	backend/softcuda/ptx_blocks.c \
	backend/softcuda/ptx_blocks.h \
	backend/softcuda/ptx_decode.c \
	backend/softcuda/ptx_decode.h \
	backend/softcuda/ptx_decode_async.c \
	backend/softcuda/ptx_decode_call.c \
	backend/softcuda/ptx_decode_control.c \
	backend/softcuda/ptx_decode_image.c \
	backend/softcuda/ptx_decode_mbarrier.c \
	backend/softcuda/ptx_decode_memory.c \
	backend/softcuda/ptx_decode_note.c \
	backend/softcuda/ptx_decode_value.c \
	backend/softcuda/ptx_decode_video.c \
	backend/softcuda/ptx_layout.c \
	backend/softcuda/ptx_lex.c \
	backend/softcuda/ptx_lex.h \
	backend/softcuda/ptx_parse.c \
	backend/softcuda/ptx_parse.h \
	backend/softcuda/ptx_program.c \
	backend/softcuda/ptx_program.h \
	backend/softcuda/ptx_registers.c \
	backend/softcuda/ptx_statement.c \
	backend/softcuda/ptx_symbol.c \
	backend/softcuda/report.c \
	backend/softcuda/report.h

# The hot files of the executor: for the baseline, and on x86-64 once more for each level (exec_level.h).
softcuda_hot_sources = \
	backend/softcuda/exec_access.c \
	backend/softcuda/exec_approx.c \
	backend/softcuda/exec_compare.c \
	backend/softcuda/exec_convert.c \
	backend/softcuda/exec_float.c \
	backend/softcuda/exec_integer.c \
	backend/softcuda/exec_memory.c \
	backend/softcuda/exec_move.c \
	backend/softcuda/exec_special.c \
	backend/softcuda/exec_together.c \
	backend/softcuda/exec_wide.c
softcuda_hot_cflags = $(AM_CFLAGS) $(EXEC_CFLAGS) -ffp-contract=off
softcuda_levels = backend/softcuda/libexec.a
noinst_LIBRARIES += backend/softcuda/libexec.a
backend_softcuda_libexec_a_SOURCES = $(softcuda_hot_sources)
backend_softcuda_libexec_a_CFLAGS = $(softcuda_hot_cflags)
if X86_LEVELS
softcuda_levels += backend/softcuda/libexec_v2.a backend/softcuda/libexec_v3.a backend/softcuda/libexec_v4.a
noinst_LIBRARIES += backend/softcuda/libexec_v2.a backend/softcuda/libexec_v3.a backend/softcuda/libexec_v4.a
backend_softcuda_libexec_v2_a_SOURCES = $(softcuda_hot_sources)
backend_softcuda_libexec_v2_a_CFLAGS = $(softcuda_hot_cflags) -march=x86-64-v2 -DEXEC_LEVEL=_v2
backend_softcuda_libexec_v3_a_SOURCES = $(softcuda_hot_sources)
backend_softcuda_libexec_v3_a_CFLAGS = $(softcuda_hot_cflags) -march=x86-64-v3 -DEXEC_LEVEL=_v3
backend_softcuda_libexec_v4_a_SOURCES = $(softcuda_hot_sources)
backend_softcuda_libexec_v4_a_CFLAGS = $(softcuda_hot_cflags) -march=x86-64-v4 -DEXEC_LEVEL=_v4
endif

# Calls within the library stay within it, whatever else in the process is named
# cu*; and it is never unmapped, for its threads may outlive a host's dlclose.
libculvert_softcuda_so_SOURCES = $(softcuda_api_sources) $(softcuda_exec_sources)
libculvert_softcuda_so_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
libculvert_softcuda_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-soname,libculvert-softcuda.so \
	-Wl,-Bsymbolic -Wl,--version-script=$(top_srcdir)/backend/softcuda/softcuda.map \
	-Wl,--exclude-libs,ALL -Wl,--build-id -Wl,-z,nodelete $(no_undefined)
libculvert_softcuda_so_LDADD = $(softcuda_levels) base/libbase.a -lpthread -lm
EXTRA_libculvert_softcuda_so_DEPENDENCIES = backend/softcuda/softcuda.map
EXTRA_DIST += backend/softcuda/softcuda.map

# The executor by itself: these bring the device memory that it asks for.
check_PROGRAMS += tests/unit/t_soft_exec
TESTS += tests/unit/t_soft_exec
tests_unit_t_soft_exec_SOURCES = tests/unit/t_soft_exec.c $(softcuda_exec_sources)
tests_unit_t_soft_exec_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
tests_unit_t_soft_exec_LDADD = $(softcuda_levels) base/libbase.a -lpthread -lm
# make tests/bench/bench_soft_exec
EXTRA_PROGRAMS += tests/bench/bench_soft_exec
tests_bench_bench_soft_exec_SOURCES = tests/bench/bench_soft_exec.c $(softcuda_exec_sources)
tests_bench_bench_soft_exec_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
tests_bench_bench_soft_exec_LDADD = $(softcuda_levels) base/libbase.a -lpthread -lm
