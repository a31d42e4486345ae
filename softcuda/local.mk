# The software CUDA driver, folder by folder: ptx reads programs, exec runs them, check looks on at what they do,
# driver is what calls
# work on, calls are the exported cu* functions.  README.md beside this says more.
softcuda_ptx_sources = \
	softcuda/ptx/blocks.c softcuda/ptx/blocks.h softcuda/ptx/code.c softcuda/ptx/decode.c \
	softcuda/ptx/decode.h softcuda/ptx/decode_async.c softcuda/ptx/decode_bulk.c softcuda/ptx/decode_call.c \
	softcuda/ptx/decode_control.c softcuda/ptx/decode_image.c softcuda/ptx/decode_matrix.c softcuda/ptx/decode_matrix.h \
	softcuda/ptx/decode_mbarrier.c \
	softcuda/ptx/decode_memory.c softcuda/ptx/decode_note.c softcuda/ptx/decode_value.c \
	softcuda/ptx/decode_video.c softcuda/ptx/decode_wgmma.c softcuda/ptx/emit.c softcuda/ptx/flat.c softcuda/ptx/layout.c softcuda/ptx/lex.c \
	softcuda/ptx/lex.h softcuda/ptx/module.c softcuda/ptx/parse.h softcuda/ptx/polls.c \
	softcuda/ptx/program.c \
	softcuda/ptx/program.h softcuda/ptx/ptx.h softcuda/ptx/registers.c softcuda/ptx/statement.c \
	softcuda/ptx/symbol.c softcuda/ptx/token.c softcuda/ptx/variable.c
softcuda_exec_sources = $(softcuda_hot_sources) \
	softcuda/exec/access.h softcuda/exec/approx.h softcuda/exec/arena.c softcuda/exec/arena.h softcuda/exec/atomic.c \
	softcuda/exec/barrier.h softcuda/exec/code_cache.c softcuda/exec/code_cache.h softcuda/exec/compile_wire.c softcuda/exec/compile_wire.h \
	softcuda/exec/compiled.c softcuda/exec/compiled.h softcuda/exec/compiler.c softcuda/exec/compiler.h \
	softcuda/exec/control.c softcuda/exec/convert.h softcuda/exec/copy.c softcuda/exec/copy.h \
	softcuda/exec/cuda.h softcuda/exec/exec.h softcuda/exec/fault.c softcuda/exec/fault.h \
	softcuda/exec/filter.c softcuda/exec/filter.h softcuda/exec/flow.c softcuda/exec/flow.h \
	softcuda/exec/group.c softcuda/exec/half.c softcuda/exec/half.h softcuda/exec/image.h \
	softcuda/exec/launch.c softcuda/exec/level.c softcuda/exec/level.h softcuda/exec/matrix.c \
	softcuda/exec/matrix.h softcuda/exec/mbarrier.c \
	softcuda/exec/memory.h softcuda/exec/narrow.c softcuda/exec/note.c softcuda/exec/object.c \
	softcuda/exec/object.h softcuda/exec/op.h softcuda/exec/place.c softcuda/exec/place.h \
	softcuda/exec/program.c softcuda/exec/program.h softcuda/exec/quad.c softcuda/exec/real.h \
	softcuda/exec/rounded.c softcuda/exec/row.h softcuda/exec/shuffle.h softcuda/exec/stack.c softcuda/exec/surface.c \
	softcuda/exec/table.c softcuda/exec/table.h softcuda/exec/tier.c softcuda/exec/tier.h softcuda/exec/texel.c softcuda/exec/texture.c \
	softcuda/exec/video.c softcuda/exec/video.h softcuda/exec/warp.c softcuda/exec/warp.h \
	softcuda/exec/watch.h softcuda/exec/wgmma.c softcuda/exec/wgmma.h
# The hot files of the interpreter, which are compiled once more for each level of x86-64 (exec/level.h).
softcuda_hot_sources = \
	softcuda/exec/access.c softcuda/exec/approx.c softcuda/exec/compare.c softcuda/exec/convert.c \
	softcuda/exec/float.c softcuda/exec/integer.c softcuda/exec/memory.c softcuda/exec/move.c \
	softcuda/exec/special.c softcuda/exec/together.c softcuda/exec/wide.c
softcuda_check_sources = \
	$(softcuda_check_hot_sources) softcuda/check/access.c softcuda/check/again.c softcuda/check/again.h softcuda/check/between.c softcuda/check/bounds.c softcuda/check/cells.h \
	softcuda/check/check.h softcuda/check/clock.c \
	softcuda/check/clock.h softcuda/check/copy.c softcuda/check/footprint.c \
	softcuda/check/footprint.h softcuda/check/job.h softcuda/check/notes.h softcuda/check/option.h softcuda/check/race.c \
	softcuda/check/quiet.c softcuda/check/report.c softcuda/check/report_file.c softcuda/check/report_file.h \
	softcuda/check/runs.c softcuda/check/shadow.c softcuda/check/shadow.h softcuda/check/spare.c softcuda/check/spare.h \
	softcuda/check/sync.c softcuda/check/threads.c softcuda/check/trace.c \
	softcuda/check/trace.h softcuda/check/variable.c softcuda/check/watch.c softcuda/check/watch.h \
	softcuda/check/whole.h softcuda/check/whole_lanes.h softcuda/check/whole_level.c softcuda/check/written.c
# The same of the checker.
softcuda_check_hot_sources = softcuda/check/cells.c softcuda/check/whole.c \
	softcuda/check/whole_again.c softcuda/check/whole_atomic.c softcuda/check/whole_few.c \
	softcuda/check/whole_lanes.c softcuda/check/whole_later.c softcuda/check/whole_noted.c \
	softcuda/check/whole_narrow.c softcuda/check/whole_ones.c softcuda/check/whole_own.c \
	softcuda/check/whole_private.c softcuda/check/whole_race.c softcuda/check/whole_runs.c \
	softcuda/check/whole_scatter.c
softcuda_driver_sources = \
	softcuda/driver/array.c softcuda/driver/array.h softcuda/driver/context.c \
	softcuda/driver/context.h softcuda/driver/context_life.c softcuda/driver/device.c \
	softcuda/driver/device.h softcuda/driver/device_attribute.def softcuda/driver/entry.c \
	softcuda/driver/entry.h softcuda/driver/event.c softcuda/driver/event.h softcuda/driver/fault.c \
	softcuda/driver/fault.h softcuda/driver/egl_image.c softcuda/driver/egl_image.h softcuda/driver/graphics.c softcuda/driver/graphics.h softcuda/driver/green.c softcuda/driver/green.h \
	softcuda/driver/graphics_copy.c softcuda/driver/handle.c softcuda/driver/handle.h \
	softcuda/driver/image.c softcuda/driver/image.h softcuda/driver/library.c \
	softcuda/driver/library.h softcuda/driver/memory.c softcuda/driver/memory.h \
	softcuda/driver/memory_end.c softcuda/driver/module.c softcuda/driver/module.h \
	softcuda/driver/object.c softcuda/driver/object.h softcuda/driver/oracle.c \
	softcuda/driver/oracle.h softcuda/driver/oracle_clock.h softcuda/driver/pageable.c \
	softcuda/driver/machine.c softcuda/driver/machine.h softcuda/driver/managed.c softcuda/driver/managed.h \
	softcuda/driver/pool.c softcuda/driver/pool.h softcuda/driver/release.c softcuda/driver/release.h \
	softcuda/driver/result.def \
	softcuda/driver/sched.c softcuda/driver/sched.h softcuda/driver/schedule.c \
	softcuda/driver/schedule.h softcuda/driver/state.c softcuda/driver/state.h \
	softcuda/driver/stream.c softcuda/driver/stream.h softcuda/driver/thread.c \
	softcuda/driver/thread.h
softcuda_calls_sources = \
	softcuda/calls/alloc.c softcuda/calls/array.c softcuda/calls/array.h softcuda/calls/context.c softcuda/calls/control.c \
	softcuda/calls/copy.c softcuda/calls/device.c softcuda/calls/door.c softcuda/calls/door.h \
	softcuda/calls/error.c softcuda/calls/event.c softcuda/calls/external.c softcuda/calls/fill.c softcuda/calls/function.c \
	softcuda/calls/graph.c softcuda/calls/graph.h softcuda/calls/graphics.c softcuda/calls/graphics.h softcuda/calls/green.c softcuda/calls/host.c softcuda/calls/init.c \
	softcuda/calls/ipc.c softcuda/calls/launch.c softcuda/calls/library.c softcuda/calls/link.c \
	softcuda/calls/managed.c softcuda/calls/mipmap.c \
	softcuda/calls/module.c softcuda/calls/pointer.c softcuda/calls/pool.c \
	softcuda/calls/sealed.h softcuda/calls/semaphore.c softcuda/calls/stream.c softcuda/calls/symbol.c \
	softcuda/calls/symbol.def softcuda/calls/texture.c softcuda/calls/unsupported.c \
	softcuda/calls/unsupported.def softcuda/calls/virtual.c

softcuda_jit_sources = \
	softcuda/jit/address.c softcuda/jit/compile.c softcuda/jit/compile.h softcuda/jit/emit.c softcuda/jit/emit.h softcuda/jit/emit_access.c \
	softcuda/jit/emit_access.h softcuda/jit/emit_call.c \
	softcuda/jit/emit_convert.c softcuda/jit/emit_divide.c softcuda/jit/emit_few.c softcuda/jit/emit_float.c \
	softcuda/jit/emit_flow.c softcuda/jit/emit_function.c softcuda/jit/emit_index.c \
	softcuda/jit/emit_integer.c softcuda/jit/emit_op.c \
	softcuda/jit/emit_memory.c softcuda/jit/emit_move.c softcuda/jit/emit_special.c \
	softcuda/jit/emit_together.c softcuda/jit/emit_atomic.c softcuda/jit/emit_half.c softcuda/jit/emit_step.c \
	softcuda/jit/emit_value.c softcuda/jit/image.c softcuda/jit/image.h softcuda/jit/option.cpp softcuda/jit/option.h \
	softcuda/jit/plan.c softcuda/jit/plan.h softcuda/jit/region.c \
	softcuda/jit/single.c softcuda/jit/spread.c softcuda/jit/target.c softcuda/jit/target.h softcuda/jit/verb.c \
	softcuda/jit/emit_rounded.c softcuda/jit/emit_rows.c softcuda/jit/emit_twice.c softcuda/jit/emit_watch.c softcuda/jit/verb.h softcuda/jit/web.c softcuda/jit/written.c

softcuda_cflags = $(AM_CFLAGS) -ffp-contract=off
softcuda_hot_cflags = $(softcuda_cflags) $(EXEC_CFLAGS)
softcuda_archives = softcuda/driver/libdriver.a softcuda/check/libcheck.a softcuda/ptx/libptx.a softcuda/exec/libexec.a
noinst_LIBRARIES += softcuda/ptx/libptx.a softcuda/exec/libexec.a softcuda/check/libcheck.a softcuda/driver/libdriver.a
softcuda_driver_libdriver_a_SOURCES = $(softcuda_driver_sources)
softcuda_driver_libdriver_a_CFLAGS = $(softcuda_cflags)
softcuda_ptx_libptx_a_SOURCES = $(softcuda_ptx_sources)
softcuda_ptx_libptx_a_CFLAGS = $(softcuda_cflags)
softcuda_exec_libexec_a_SOURCES = $(softcuda_exec_sources)
softcuda_exec_libexec_a_CPPFLAGS = $(AM_CPPFLAGS) -DCULVERT_LLVM_FILES='$(LLVM_FILES)'
softcuda_exec_libexec_a_CFLAGS = $(softcuda_hot_cflags)
softcuda_check_libcheck_a_SOURCES = $(softcuda_check_sources)
softcuda_check_libcheck_a_CFLAGS = $(softcuda_hot_cflags)
if X86_LEVELS
softcuda_levels = softcuda/exec/libexec_v2.a softcuda/exec/libexec_v3.a softcuda/exec/libexec_v4.a
noinst_LIBRARIES += $(softcuda_levels)
softcuda_exec_libexec_v2_a_SOURCES = $(softcuda_hot_sources) $(softcuda_check_hot_sources)
softcuda_exec_libexec_v2_a_CFLAGS = $(softcuda_hot_cflags) -march=x86-64-v2 -DEXEC_LEVEL=_v2
softcuda_exec_libexec_v3_a_SOURCES = $(softcuda_hot_sources) $(softcuda_check_hot_sources)
softcuda_exec_libexec_v3_a_CFLAGS = $(softcuda_hot_cflags) -march=x86-64-v3 -DEXEC_LEVEL=_v3
softcuda_exec_libexec_v4_a_SOURCES = $(softcuda_hot_sources) $(softcuda_check_hot_sources)
softcuda_exec_libexec_v4_a_CFLAGS = $(softcuda_hot_cflags) -march=x86-64-v4 -DEXEC_LEVEL=_v4
endif
# An archive and its levels need each other, so it is named twice.
softcuda_libs = $(softcuda_archives) $(softcuda_levels) softcuda/exec/libexec.a cache/libcache.a base/libbase.a $(HASH_LIBS) \
	-lpthread -lm

# Calls within the library stay within it, whatever else in the process is named
# cu*; and it is never unmapped, for its threads may outlive a host's dlclose.
libculvert_softcuda_so_SOURCES = $(softcuda_calls_sources)
libculvert_softcuda_so_CFLAGS = $(softcuda_cflags)
libculvert_softcuda_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-soname,libculvert-softcuda.so \
	-Wl,-Bsymbolic -Wl,--version-script=$(top_srcdir)/softcuda/softcuda.map \
	-Wl,--exclude-libs,ALL -Wl,--build-id -Wl,-z,nodelete $(no_undefined)
libculvert_softcuda_so_LDADD = $(softcuda_libs)
EXTRA_libculvert_softcuda_so_DEPENDENCIES = softcuda/softcuda.map
# The compiler of kernels, in processes of its own (exec/compiler.h).
noinst_LIBRARIES += softcuda/jit/libjit.a
softcuda_jit_libjit_a_SOURCES = $(softcuda_jit_sources)
softcuda_jit_libjit_a_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS)
softcuda_jit_libjit_a_CFLAGS = $(softcuda_cflags)
softcuda_jit_libjit_a_CXXFLAGS = $(AM_CXXFLAGS) -fno-exceptions
soft_PROGRAMS += culvert-softcuda-compile
culvert_softcuda_compile_SOURCES = softcuda/jit/main.c
nodist_EXTRA_culvert_softcuda_compile_SOURCES = force-cxx-link.cxx
culvert_softcuda_compile_CFLAGS = $(softcuda_cflags)
culvert_softcuda_compile_LDFLAGS = $(AM_LDFLAGS) -Wl,--gc-sections
culvert_softcuda_compile_LDADD = softcuda/jit/libjit.a softcuda/exec/libexec.a $(softcuda_levels) softcuda/exec/libexec.a \
	cache/libcache.a base/libbase.a $(HASH_LIBS) $(CODE_COMPILER_LIBS) -ldl -lpthread -lm
EXTRA_DIST += softcuda/README.md softcuda/control.h softcuda/softcuda.map

# The executor by itself: these bring the device memory that it asks for.
check_PROGRAMS += tests/unit/t_soft_exec
TESTS += tests/unit/t_soft_exec
tests_unit_t_soft_exec_SOURCES = tests/unit/t_soft_exec.c
tests_unit_t_soft_exec_LDADD = $(softcuda_libs)
check_PROGRAMS += tests/unit/t_soft_flat
TESTS += tests/unit/t_soft_flat
tests_unit_t_soft_flat_SOURCES = tests/unit/t_soft_flat.c
tests_unit_t_soft_flat_LDADD = $(softcuda_libs)
check_PROGRAMS += tests/unit/t_soft_polls
TESTS += tests/unit/t_soft_polls
tests_unit_t_soft_polls_SOURCES = tests/unit/t_soft_polls.c
tests_unit_t_soft_polls_LDADD = $(softcuda_libs)
check_PROGRAMS += tests/unit/t_soft_matrix
TESTS += tests/unit/t_soft_matrix
tests_unit_t_soft_matrix_SOURCES = tests/unit/t_soft_matrix.c
tests_unit_t_soft_matrix_LDADD = $(softcuda_libs)
check_PROGRAMS += tests/unit/t_soft_wgmma
TESTS += tests/unit/t_soft_wgmma
tests_unit_t_soft_wgmma_SOURCES = tests/unit/t_soft_wgmma.c
tests_unit_t_soft_wgmma_LDADD = $(softcuda_libs)
# It makes the link, for the compiler is looked for where the program lies.
check_PROGRAMS += tests/unit/t_soft_jit
TESTS += tests/unit/t_soft_jit
tests_unit_t_soft_jit_SOURCES = tests/unit/t_soft_jit.c
tests_unit_t_soft_jit_LDADD = $(softcuda_libs)
CLEANFILES += tests/unit/culvert-softcuda-compile
# Two that run t_soft_jit.
check_PROGRAMS += tests/unit/t_soft_jit_levels
TESTS += tests/unit/t_soft_jit_levels
tests_unit_t_soft_jit_levels_SOURCES = tests/unit/t_soft_jit_levels.c
tests_unit_t_soft_jit_levels_LDADD = $(softcuda_libs)
check_PROGRAMS += tests/unit/t_soft_jit_trace
TESTS += tests/unit/t_soft_jit_trace
tests_unit_t_soft_jit_trace_SOURCES = tests/unit/t_soft_jit_trace.c
tests_unit_t_soft_jit_trace_LDADD = $(softcuda_libs)
check_PROGRAMS += tests/unit/t_soft_jit_late
TESTS += tests/unit/t_soft_jit_late
tests_unit_t_soft_jit_late_SOURCES = tests/unit/t_soft_jit_late.c
tests_unit_t_soft_jit_late_LDADD = $(softcuda_libs)
check_PROGRAMS += tests/unit/t_soft_jit_single
TESTS += tests/unit/t_soft_jit_single
tests_unit_t_soft_jit_single_SOURCES = tests/unit/t_soft_jit_single.c
tests_unit_t_soft_jit_single_LDADD = $(softcuda_libs)
check_PROGRAMS += tests/unit/t_soft_jit_some
TESTS += tests/unit/t_soft_jit_some
tests_unit_t_soft_jit_some_SOURCES = tests/unit/t_soft_jit_some.c
tests_unit_t_soft_jit_some_LDADD = $(softcuda_libs)
check_PROGRAMS += tests/unit/t_soft_jit_together
TESTS += tests/unit/t_soft_jit_together
tests_unit_t_soft_jit_together_SOURCES = tests/unit/t_soft_jit_together.c
tests_unit_t_soft_jit_together_LDADD = $(softcuda_libs)
check_PROGRAMS += tests/unit/t_soft_jit_atomic
TESTS += tests/unit/t_soft_jit_atomic
tests_unit_t_soft_jit_atomic_SOURCES = tests/unit/t_soft_jit_atomic.c
tests_unit_t_soft_jit_atomic_LDADD = $(softcuda_libs)
check_PROGRAMS += tests/unit/t_soft_jit_half
TESTS += tests/unit/t_soft_jit_half
tests_unit_t_soft_jit_half_SOURCES = tests/unit/t_soft_jit_half.c
tests_unit_t_soft_jit_half_LDADD = $(softcuda_libs)
check_PROGRAMS += tests/unit/t_soft_place
TESTS += tests/unit/t_soft_place
tests_unit_t_soft_place_SOURCES = tests/unit/t_soft_place.c
tests_unit_t_soft_place_LDADD = $(softcuda_libs)
check_PROGRAMS += tests/unit/t_soft_check_threads
TESTS += tests/unit/t_soft_check_threads
tests_unit_t_soft_check_threads_SOURCES = tests/unit/t_soft_check_threads.c
tests_unit_t_soft_check_threads_LDADD = $(softcuda_libs)
check_PROGRAMS += tests/unit/t_soft_shares
TESTS += tests/unit/t_soft_shares
tests_unit_t_soft_shares_SOURCES = tests/unit/t_soft_shares.c
tests_unit_t_soft_shares_LDADD = $(softcuda_libs)
check_PROGRAMS += tests/unit/t_soft_jit_functions
TESTS += tests/unit/t_soft_jit_functions
tests_unit_t_soft_jit_functions_SOURCES = tests/unit/t_soft_jit_functions.c
tests_unit_t_soft_jit_functions_LDADD = $(softcuda_libs)
# Its calls that may fail go through functions of its own.
check_PROGRAMS += tests/unit/t_soft_jit_fault
TESTS += tests/unit/t_soft_jit_fault
tests_unit_t_soft_jit_fault_SOURCES = tests/unit/t_soft_jit_fault.c
tests_unit_t_soft_jit_fault_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc \
	-Wl,--wrap=aligned_alloc,--wrap=spare_take,--wrap=realpath,--wrap=mmap,--wrap=mprotect,--wrap=socketpair,--wrap=send \
	-Wl,--wrap=recv,--wrap=clone
tests_unit_t_soft_jit_fault_LDADD = $(softcuda_libs)
tests/unit/t_soft_jit_fault.$(OBJEXT): build_name.h

check_PROGRAMS += tests/unit/t_soft_check_fault
TESTS += tests/unit/t_soft_check_fault
tests_unit_t_soft_check_fault_SOURCES = tests/unit/t_soft_check_fault.c
tests_unit_t_soft_check_fault_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc \
	-Wl,--wrap=aligned_alloc,--wrap=spare_take
tests_unit_t_soft_check_fault_LDADD = $(softcuda_libs)
# Its processors and compilers are what the environment says.
check_PROGRAMS += tests/unit/t_soft_jit_cache
TESTS += tests/unit/t_soft_jit_cache
tests_unit_t_soft_jit_cache_SOURCES = tests/unit/t_soft_jit_cache.c
tests_unit_t_soft_jit_cache_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=processors_describe,--wrap=build_id_append_own
tests_unit_t_soft_jit_cache_LDADD = $(softcuda_libs)
# make tests/bench/bench_soft_exec
EXTRA_PROGRAMS += tests/bench/bench_soft_exec
tests_bench_bench_soft_exec_SOURCES = tests/bench/bench_soft_exec.c
tests_bench_bench_soft_exec_LDADD = $(softcuda_libs)
