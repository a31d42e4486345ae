# Fuzzers: each a program that makes numbered runs.
fuzz_llvm = frontend/libfrontend.a backend/libbackend.a base/libbase.a $(HASH_LIBS) $(LLVM_LIBS) -ldl
check_PROGRAMS += tests/fuzz/fuzz_source tests/fuzz/fuzz_options tests/fuzz/fuzz_binary \
	tests/fuzz/fuzz_printer
tests_fuzz_fuzz_source_SOURCES = tests/fuzz/fuzz_source.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_source_LDADD = $(fuzz_llvm)
nodist_EXTRA_tests_fuzz_fuzz_source_SOURCES = force-cxx-link.cxx
tests_fuzz_fuzz_options_SOURCES = tests/fuzz/fuzz_options.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_options_LDADD = $(fuzz_llvm)
nodist_EXTRA_tests_fuzz_fuzz_options_SOURCES = force-cxx-link.cxx
tests_fuzz_fuzz_printer_SOURCES = tests/fuzz/fuzz_printer.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_printer_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS)
tests_fuzz_fuzz_printer_LDADD = $(fuzz_llvm)
nodist_EXTRA_tests_fuzz_fuzz_printer_SOURCES = force-cxx-link.cxx
tests_fuzz_fuzz_binary_SOURCES = tests/fuzz/fuzz_binary.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h \
	frontend/kernel_abi.c frontend/ptx_facts.c frontend/ptx_start.c
tests_fuzz_fuzz_binary_LDADD = icd/libicd.a base/libbase.a $(STORAGE_LIBS)
check_PROGRAMS += tests/fuzz/fuzz_spirv
tests_fuzz_fuzz_spirv_SOURCES = tests/fuzz/fuzz_spirv.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_spirv_LDADD = $(fuzz_llvm)
nodist_EXTRA_tests_fuzz_fuzz_spirv_SOURCES = force-cxx-link.cxx
TESTS += tests/fuzz/fuzz.sh
EXTRA_DIST += tests/fuzz/fuzz.sh
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/fuzz/fuzz_kernels
tests_fuzz_fuzz_kernels_SOURCES = tests/fuzz/fuzz_kernels.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h \
	tests/fuzz/kernels_expression.c tests/fuzz/kernels_expression.h tests/fuzz/kernels_make.c \
	tests/fuzz/kernels_make.h tests/fuzz/kernels_object.c tests/fuzz/kernels_parts.c tests/fuzz/kernels_region.c \
	tests/fuzz/kernels_rows.def tests/fuzz/kernels_run.c tests/fuzz/kernels_run.h tests/fuzz/kernels_shared.c \
	tests/fuzz/kernels_statement.c tests/fuzz/kernels_statement.h
tests_fuzz_fuzz_kernels_LDADD = base/libbase.a $(OPENCL_LIBS) -lm
EXTRA_DIST += tests/fuzz/kernels_prelude.cl tests/fuzz/kernels_expected
check_PROGRAMS += tests/fuzz/fuzz_api
tests_fuzz_fuzz_api_SOURCES = tests/fuzz/fuzz_api.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h tests/fuzz/api.h \
	tests/fuzz/api_calls.c tests/fuzz/api_values.c tests/fuzz/api_rules.c tests/fuzz/api_results.c \
	tests/api/errors.def
tests_fuzz_fuzz_api_LDADD = base/libbase.a $(OPENCL_LIBS) -lpthread
endif
