# A test is one text file; the runner also runs them on any other platform:
#	tests/kernels/runner --platform "Portable Computing Language" FILES
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/kernels/runner
tests_kernels_runner_SOURCES = tests/kernels/runner.c tests/kernels/element.c \
	tests/kernels/facts.c tests/kernels/facts.h \
	tests/kernels/expression.c tests/kernels/expression.h \
	tests/kernels/capture.c tests/kernels/capture.h \
	tests/kernels/device.c tests/kernels/device.h \
	tests/kernels/prints.c tests/kernels/prints.h \
	tests/kernels/report.c tests/kernels/report.h
tests_kernels_runner_LDADD = $(OPENCL_LIBS) -lm
CLT_LOG_COMPILER = tests/kernels/runner
TESTS += $(kernel_files) $(broken_files) tests/kernels/right.sh tests/kernels/cached.sh
endif
EXTRA_DIST += $(kernel_files) $(broken_files) tests/kernels/right.sh tests/kernels/cached.sh
kernel_files = \
	tests/kernels/argument_null_buffer.clt \
	tests/kernels/arguments_double.clt \
	tests/kernels/arguments_many.clt \
	tests/kernels/arguments_scalar.clt \
	tests/kernels/arguments_struct.clt \
	tests/kernels/arguments_struct_indexed.clt \
	tests/kernels/arguments_vector.clt \
	tests/kernels/async_copy.clt \
	tests/kernels/atomics_64.clt \
	tests/kernels/atomics_c11.clt \
	tests/kernels/atomics_exchange.clt \
	tests/kernels/atomics_global.clt \
	tests/kernels/atomics_local.clt \
	tests/kernels/barrier_global.clt \
	tests/kernels/barrier_partial_ptx.clt \
	tests/kernels/barrier_reduction.clt \
	tests/kernels/bitonic_sort.clt \
	tests/kernels/common_functions.clt \
	tests/kernels/constant_argument.clt \
	tests/kernels/constant_mixed.clt \
	tests/kernels/constant_tables.clt \
	tests/kernels/control_divergence.clt \
	tests/kernels/control_goto.clt \
	tests/kernels/control_switch.clt \
	tests/kernels/convert_rounding.clt \
	tests/kernels/convert_saturate.clt \
	tests/kernels/convert_vectors.clt \
	tests/kernels/crc32.clt \
	tests/kernels/divide_default.clt \
	tests/kernels/errors_include.clt \
	tests/kernels/errors_kernel_argument.clt \
	tests/kernels/errors_printf_format.clt \
	tests/kernels/errors_syntax.clt \
	tests/kernels/errors_undeclared.clt \
	tests/kernels/errors_unresolved.clt \
	tests/kernels/errors_warning_as_error.clt \
	tests/kernels/fences.clt \
	tests/kernels/functions_address_spaces.clt \
	tests/kernels/functions_not_inlined.clt \
	tests/kernels/geometric.clt \
	tests/kernels/global_offset.clt \
	tests/kernels/group_size_errors.clt \
	tests/kernels/half_memory.clt \
	tests/kernels/handover_fence.clt \
	tests/kernels/handover_in_group.clt \
	tests/kernels/handover_release.clt \
	tests/kernels/histogram.clt \
	tests/kernels/ids_1d.clt \
	tests/kernels/ids_3d.clt \
	tests/kernels/ids_beyond_dimensions.clt \
	tests/kernels/inline_ptx.clt \
	tests/kernels/integer_24.clt \
	tests/kernels/integer_arithmetic.clt \
	tests/kernels/integer_bits.clt \
	tests/kernels/integer_long.clt \
	tests/kernels/integer_saturate.clt \
	tests/kernels/integer_saturate_wide.clt \
	tests/kernels/integer_vectors.clt \
	tests/kernels/kernel_calls_kernel.clt \
	tests/kernels/large_grid.clt \
	tests/kernels/last_group_sums.clt \
	tests/kernels/local_above_48k.clt \
	tests/kernels/local_argument.clt \
	tests/kernels/local_arguments_several.clt \
	tests/kernels/local_size_null.clt \
	tests/kernels/local_static.clt \
	tests/kernels/local_structures.clt \
	tests/kernels/local_two_kernels.clt \
	tests/kernels/mandelbrot_double.clt \
	tests/kernels/math_double.clt \
	tests/kernels/math_exponential.clt \
	tests/kernels/math_hyperbolic.clt \
	tests/kernels/math_native.clt \
	tests/kernels/math_pointers.clt \
	tests/kernels/math_power.clt \
	tests/kernels/math_rounding.clt \
	tests/kernels/math_special_values.clt \
	tests/kernels/math_trigonometry.clt \
	tests/kernels/math_vectors.clt \
	tests/kernels/matrix_tiled.clt \
	tests/kernels/names_of_kernels.clt \
	tests/kernels/nbody.clt \
	tests/kernels/options_defines.clt \
	tests/kernels/options_denormals.clt \
	tests/kernels/options_exact_divide.clt \
	tests/kernels/options_fast_math.clt \
	tests/kernels/options_no_optimization.clt \
	tests/kernels/pointer_arithmetic.clt \
	tests/kernels/pragma_unroll.clt \
	tests/kernels/printf_divergent.clt \
	tests/kernels/printf_functions.clt \
	tests/kernels/printf_integers.clt \
	tests/kernels/printf_many.clt \
	tests/kernels/printf_odd_formats.clt \
	tests/kernels/printf_order.clt \
	tests/kernels/printf_pointers.clt \
	tests/kernels/printf_reals.clt \
	tests/kernels/printf_result.clt \
	tests/kernels/printf_strings.clt \
	tests/kernels/printf_strings_chosen.clt \
	tests/kernels/printf_unoptimized.clt \
	tests/kernels/printf_vectors.clt \
	tests/kernels/printf_wide.clt \
	tests/kernels/private_arrays.clt \
	tests/kernels/qualifiers.clt \
	tests/kernels/reinterpret.clt \
	tests/kernels/relational.clt \
	tests/kernels/reqd_work_group_size.clt \
	tests/kernels/reqd_work_group_size_null.clt \
	tests/kernels/scan_local.clt \
	tests/kernels/several_kernels.clt \
	tests/kernels/shuffle.clt \
	tests/kernels/spinlock.clt \
	tests/kernels/transpose_tiled.clt \
	tests/kernels/vector_access.clt \
	tests/kernels/vector_add.clt \
	tests/kernels/vector_operators.clt \
	tests/kernels/vector_three.clt \
	tests/kernels/vload_vstore.clt \
	tests/kernels/warp_barrier_ptx.clt

# Kernels with a mistake each, and what the checker has to say of it.
broken_files = \
	tests/kernels/broken/barrier_ended.clt \
	tests/kernels/broken/barrier_members_ended.clt \
	tests/kernels/broken/barrier_members_own.clt \
	tests/kernels/broken/barrier_never.clt \
	tests/kernels/broken/barrier_one_side.clt \
	tests/kernels/broken/barrier_shuffle_source.clt \
	tests/kernels/broken/barrier_two_places.clt \
	tests/kernels/broken/benign_equal.clt \
	tests/kernels/broken/benign_unequal.clt \
	tests/kernels/broken/mbarrier_right.clt \
	tests/kernels/broken/memory_argument_behind.clt \
	tests/kernels/broken/memory_callee_private.clt \
	tests/kernels/broken/memory_constant_behind.clt \
	tests/kernels/broken/memory_global_atomic.clt \
	tests/kernels/broken/memory_global_before.clt \
	tests/kernels/broken/memory_global_behind.clt \
	tests/kernels/broken/memory_global_freed.clt \
	tests/kernels/broken/memory_global_function.clt \
	tests/kernels/broken/memory_global_group.clt \
	tests/kernels/broken/memory_global_large.clt \
	tests/kernels/broken/memory_global_misaligned.clt \
	tests/kernels/broken/memory_global_neighbour.clt \
	tests/kernels/broken/memory_global_null.clt \
	tests/kernels/broken/memory_global_vector.clt \
	tests/kernels/broken/memory_global_wild.clt \
	tests/kernels/broken/memory_local_argument.clt \
	tests/kernels/broken/memory_local_atomic.clt \
	tests/kernels/broken/memory_local_before.clt \
	tests/kernels/broken/memory_local_behind.clt \
	tests/kernels/broken/memory_local_neighbour.clt \
	tests/kernels/broken/memory_private_before.clt \
	tests/kernels/broken/memory_private_behind.clt \
	tests/kernels/broken/race_global_in_group.clt \
	tests/kernels/broken/race_groups_flag_half_fence.clt \
	tests/kernels/broken/race_groups_flag_no_fence.clt \
	tests/kernels/broken/race_groups_last_block.clt \
	tests/kernels/broken/race_groups_missing_barrier.clt \
	tests/kernels/broken/race_groups_narrow_atomic.clt \
	tests/kernels/broken/race_groups_narrow_scope.clt \
	tests/kernels/broken/race_groups_neighbour.clt \
	tests/kernels/broken/race_groups_write.clt \
	tests/kernels/broken/race_in_function.clt \
	tests/kernels/broken/race_local_atomic_plain.clt \
	tests/kernels/broken/race_local_bytes.clt \
	tests/kernels/broken/race_local_equal.clt \
	tests/kernels/broken/race_local_fence.clt \
	tests/kernels/broken/race_local_init.clt \
	tests/kernels/broken/race_local_loop.clt \
	tests/kernels/broken/race_local_no_barrier.clt \
	tests/kernels/broken/race_local_reduction.clt \
	tests/kernels/broken/race_local_write_after_read.clt \
	tests/kernels/broken/race_mbarrier.clt \
	tests/kernels/broken/race_partial_barrier.clt \
	tests/kernels/broken/race_three_dimensions.clt \
	tests/kernels/broken/race_warp_barrier.clt \
	tests/kernels/broken/reports_limited.clt \
	tests/kernels/broken/stop_at_race.clt \
	tests/kernels/broken/uninit_callee.clt \
	tests/kernels/broken/uninit_group.clt \
	tests/kernels/broken/uninit_local.clt \
	tests/kernels/broken/uninit_local_argument.clt \
	tests/kernels/broken/uninit_local_atomic.clt \
	tests/kernels/broken/uninit_local_bytes.clt \
	tests/kernels/broken/uninit_private.clt \
	tests/kernels/broken/words_alone.clt
