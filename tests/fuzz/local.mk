# Fuzzers: each a program that makes numbered runs.  fuzz.c is in all of them.
fuzz_llvm = frontend/libfrontend.a backend/libbackend.a base/libbase.a $(HASH_LIBS) $(LLVM_LIBS) -ldl
check_PROGRAMS += tests/fuzz/fuzz_source tests/fuzz/fuzz_options tests/fuzz/fuzz_binary \
	tests/fuzz/fuzz_printer tests/fuzz/fuzz_spirv
tests_fuzz_fuzz_source_SOURCES = tests/fuzz/fuzz_source.c tests/fuzz/fuzz.c
tests_fuzz_fuzz_source_LDADD = $(fuzz_llvm)
nodist_EXTRA_tests_fuzz_fuzz_source_SOURCES = force-cxx-link.cxx
tests_fuzz_fuzz_options_SOURCES = tests/fuzz/fuzz_options.c tests/fuzz/fuzz.c
tests_fuzz_fuzz_options_LDADD = $(fuzz_llvm)
nodist_EXTRA_tests_fuzz_fuzz_options_SOURCES = force-cxx-link.cxx
tests_fuzz_fuzz_printer_SOURCES = tests/fuzz/fuzz_printer.c tests/fuzz/fuzz.c
tests_fuzz_fuzz_printer_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS)
tests_fuzz_fuzz_printer_LDADD = $(fuzz_llvm)
nodist_EXTRA_tests_fuzz_fuzz_printer_SOURCES = force-cxx-link.cxx
tests_fuzz_fuzz_binary_SOURCES = tests/fuzz/fuzz_binary.c tests/fuzz/fuzz.c
tests_fuzz_fuzz_binary_LDADD = $(unit_libs)
tests_fuzz_fuzz_spirv_SOURCES = tests/fuzz/fuzz_spirv.c tests/fuzz/fuzz.c
tests_fuzz_fuzz_spirv_LDADD = $(fuzz_llvm)
nodist_EXTRA_tests_fuzz_fuzz_spirv_SOURCES = force-cxx-link.cxx
TESTS += $(fuzz_scripts)
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/fuzz/fuzz_kernels
tests_fuzz_fuzz_kernels_SOURCES = tests/fuzz/fuzz_kernels.c tests/fuzz/fuzz.c $(fuzz_kernels_sources)
tests_fuzz_fuzz_kernels_LDADD = base/libbase.a $(OPENCL_LIBS) -lm
check_PROGRAMS += tests/fuzz/fuzz_api
tests_fuzz_fuzz_api_SOURCES = tests/fuzz/fuzz_api.c tests/fuzz/fuzz.c $(fuzz_api_sources)
tests_fuzz_fuzz_api_LDADD = base/libbase.a $(OPENCL_LIBS) -lpthread
endif
