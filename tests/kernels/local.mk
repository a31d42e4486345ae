# A test is one text file; the runner also runs them on any other platform:
#	tests/kernels/runner --platform "Portable Computing Language" FILES
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/kernels/runner
tests_kernels_runner_SOURCES = tests/kernels/runner.c tests/kernels/element.c \
	tests/kernels/expression.c tests/kernels/expression.h \
	tests/kernels/capture.c tests/kernels/capture.h \
	tests/kernels/prints.c tests/kernels/prints.h
tests_kernels_runner_LDADD = $(OPENCL_LIBS) -lm
CLT_LOG_COMPILER = tests/kernels/runner
TESTS += $(kernel_files)
endif
EXTRA_DIST += $(kernel_files)
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
	tests/kernels/local_above_48k.clt \
	tests/kernels/local_argument.clt \
	tests/kernels/local_arguments_several.clt \
	tests/kernels/local_size_null.clt \
	tests/kernels/local_static.clt \
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
	tests/kernels/transpose_tiled.clt \
	tests/kernels/vector_access.clt \
	tests/kernels/vector_add.clt \
	tests/kernels/vector_operators.clt \
	tests/kernels/vector_three.clt \
	tests/kernels/vload_vstore.clt
