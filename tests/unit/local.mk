# One program per module.
unit_tests = tests/unit/t_bytes tests/unit/t_base tests/unit/t_object tests/unit/t_info \
	tests/unit/t_options tests/unit/t_frontend tests/unit/t_kernel_abi tests/unit/t_ptx_start tests/unit/t_ptx_join tests/unit/t_nvvm_ir \
	tests/unit/t_builders tests/unit/t_printf tests/unit/t_cache tests/unit/t_compile_wire tests/unit/t_fuzz_stored \
	tests/unit/t_program_code tests/unit/t_stamps tests/unit/t_own_program tests/unit/t_own_library
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
tests_unit_t_bytes_SOURCES = tests/unit/t_bytes.c tests/unit/test.h
tests_unit_t_bytes_LDADD = base/libbase.a $(STORAGE_LIBS)
tests_unit_t_own_library_SOURCES = tests/unit/t_own_library.c tests/unit/test.h
tests_unit_t_own_library_LDADD = base/libbase.a
tests_unit_t_own_program_SOURCES = tests/unit/t_own_program.c tests/unit/test.h
tests_unit_t_own_program_LDADD = base/libbase.a
tests_unit_t_base_SOURCES = tests/unit/t_base.c tests/unit/test.h
tests_unit_t_base_LDADD = base/libbase.a $(HASH_LIBS)
tests_unit_t_builders_SOURCES = tests/unit/t_builders.c tests/unit/test.h
tests_unit_t_builders_LDADD = icd/libicd.a backend/libbackend.a base/libbase.a $(HASH_LIBS) -lpthread
tests_unit_t_stamps_SOURCES = tests/unit/t_stamps.c tests/unit/test.h
tests_unit_t_stamps_LDADD = icd/libicd.a backend/libbackend.a base/libbase.a $(HASH_LIBS) -lpthread -ldl
tests_unit_t_cache_SOURCES = tests/unit/t_cache.c tests/unit/test.h
tests_unit_t_cache_LDADD = cache/libcache.a base/libbase.a $(HASH_LIBS) -lpthread
tests_unit_t_compile_wire_SOURCES = tests/unit/t_compile_wire.c tests/unit/test.h \
	frontend/inputs.c frontend/kernel_abi.c frontend/ptx_facts.c frontend/ptx_start.c icd/choices.c icd/compile_wire.c icd/program_binary.c icd/program_code.c
tests_unit_t_compile_wire_LDADD = backend/libbackend.a base/libbase.a $(STORAGE_LIBS) -lpthread -ldl
tests_unit_t_fuzz_stored_SOURCES = tests/unit/t_fuzz_stored.c tests/unit/test.h \
	frontend/inputs.c frontend/kernel_abi.c frontend/ptx_facts.c frontend/ptx_start.c icd/choices.c icd/compile_wire.c icd/program_binary.c icd/program_code.c
tests_unit_t_fuzz_stored_LDADD = cache/libcache.a backend/libbackend.a base/libbase.a $(STORAGE_LIBS) -lpthread -ldl
tests_unit_t_program_code_SOURCES = tests/unit/t_program_code.c tests/unit/test.h \
	frontend/kernel_abi.c frontend/ptx_facts.c frontend/ptx_start.c icd/program_binary.c icd/program_code.c
tests_unit_t_program_code_LDADD = base/libbase.a $(STORAGE_LIBS) -lpthread
tests_unit_t_object_SOURCES = tests/unit/t_object.c icd/object.c
tests_unit_t_info_SOURCES = tests/unit/t_info.c icd/info.c
tests_unit_t_options_SOURCES = tests/unit/t_options.c
tests_unit_t_options_LDADD = frontend/libfrontend.a base/libbase.a $(HASH_LIBS) $(LLVM_LIBS)
nodist_EXTRA_tests_unit_t_options_SOURCES = force-cxx-link.cxx
tests_unit_t_frontend_SOURCES = tests/unit/t_frontend.c
tests_unit_t_frontend_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS)
tests_unit_t_frontend_LDADD = frontend/libfrontend.a base/libbase.a $(HASH_LIBS) $(LLVM_LIBS)
nodist_EXTRA_tests_unit_t_frontend_SOURCES = force-cxx-link.cxx
tests_unit_t_kernel_abi_SOURCES = tests/unit/t_kernel_abi.c frontend/kernel_abi.c
tests_unit_t_kernel_abi_LDADD = base/libbase.a
tests_unit_t_ptx_start_SOURCES = tests/unit/t_ptx_start.c tests/unit/test.h frontend/ptx_start.c
tests_unit_t_ptx_start_LDADD = base/libbase.a
tests_unit_t_ptx_join_SOURCES = tests/unit/t_ptx_join.c tests/unit/test.h backend/ptx_join.c
tests_unit_t_ptx_join_LDADD = base/libbase.a
tests_unit_t_printf_SOURCES = tests/unit/t_printf.c icd/printf_format.c \
	frontend/kernel_abi.c frontend/print_conversion.c
tests_unit_t_printf_LDADD = base/libbase.a -lm
tests_unit_t_nvvm_ir_SOURCES = tests/unit/t_nvvm_ir.c
tests_unit_t_nvvm_ir_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS)
tests_unit_t_nvvm_ir_LDADD = frontend/libfrontend.a base/libbase.a $(HASH_LIBS) $(LLVM_LIBS) -ldl
nodist_EXTRA_tests_unit_t_nvvm_ir_SOURCES = force-cxx-link.cxx

TESTS += tests/unit/builtins.sh tests/unit/architectures.sh tests/unit/code.sh
EXTRA_DIST += tests/unit/builtins.sh tests/unit/builtins_coverage.py tests/unit/architectures.sh \
	tests/unit/code.cl tests/unit/code.sh

check_PROGRAMS += tests/unit/cache_place
tests_unit_cache_place_SOURCES = tests/unit/cache_place.c
tests_unit_cache_place_LDADD = cache/libcache.a base/libbase.a $(HASH_LIBS) -lpthread
TESTS += tests/unit/set_uid.sh
EXTRA_DIST += tests/unit/set_uid.sh

check_PROGRAMS += tests/unit/compile_for
tests_unit_compile_for_SOURCES = tests/unit/compile_for.c
tests_unit_compile_for_LDADD = frontend/libfrontend.a backend/libbackend.a base/libbase.a $(HASH_LIBS) \
	$(LLVM_LIBS) -ldl
nodist_EXTRA_tests_unit_compile_for_SOURCES = force-cxx-link.cxx
check_PROGRAMS += tests/unit/soft_load
tests_unit_soft_load_SOURCES = tests/unit/soft_load.c
tests_unit_soft_load_LDADD = libculvert-softcuda.so base/libbase.a -lpthread
tests_unit_soft_load_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,$(abs_builddir)
