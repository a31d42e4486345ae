# One program per module, t_MODULE.c, is found and linked with the product's libraries; t_soft_NAME.c
# with the software driver, as a plain driver-API program would be with libcuda.  Other programs here
# are run by scripts.  What needs more says so below.
unit_libs = icd/libicd.a icd/compile/libcompile.a $(frontend_archive) backend/libbackend.a cache/libcache.a base/libbase.a \
	$(STORAGE_LIBS) $(frontend_libs) -lpthread -ldl -lm
soft_libs = libculvert-softcuda.so base/libbase.a -lpthread -lm
soft_flags = $(AM_LDFLAGS) -Wl,-rpath,$(abs_builddir)
check_PROGRAMS += $(unit_tests) $(unit_programs)
TESTS += $(unit_tests) $(unit_scripts)

# Those that look into the compiler.
compiler_libs_of_tests = frontend/libfrontend.a backend/libbackend.a base/libbase.a $(HASH_LIBS) $(LLVM_LIBS) -ldl
tests_unit_t_options_LDADD = $(compiler_libs_of_tests)
nodist_EXTRA_tests_unit_t_options_SOURCES = force-cxx-link.cxx
tests_unit_t_frontend_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS)
tests_unit_t_frontend_LDADD = $(compiler_libs_of_tests)
nodist_EXTRA_tests_unit_t_frontend_SOURCES = force-cxx-link.cxx
tests_unit_t_nvvm_ir_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS)
tests_unit_t_nvvm_ir_LDADD = $(compiler_libs_of_tests)
nodist_EXTRA_tests_unit_t_nvvm_ir_SOURCES = force-cxx-link.cxx
tests_unit_t_nvvm_loops_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS)
tests_unit_t_nvvm_loops_LDADD = $(compiler_libs_of_tests)
nodist_EXTRA_tests_unit_t_nvvm_loops_SOURCES = force-cxx-link.cxx
tests_unit_compile_for_LDADD = $(compiler_libs_of_tests)
nodist_EXTRA_tests_unit_compile_for_SOURCES = force-cxx-link.cxx
tests_unit_differs_for_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS)
tests_unit_differs_for_LDADD = $(compiler_libs_of_tests)
nodist_EXTRA_tests_unit_differs_for_SOURCES = force-cxx-link.cxx
tests_unit_t_set_LDADD = frontend/libfrontend.a base/libbase.a
tests_unit_t_nvvm_CPPFLAGS = $(AM_CPPFLAGS) -DLIBDEVICE='"$(LIBDEVICE)"'

tests_unit_soft_load_LDADD = $(soft_libs)
tests_unit_soft_load_LDFLAGS = $(soft_flags)

# The compiler of softcuda's kernels, for another processor.
tests_unit_soft_jit_for_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS)
tests_unit_soft_jit_for_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=LLVMGetDefaultTargetTriple,--wrap=LLVMGetHostCPUName \
	-Wl,--wrap=LLVMGetHostCPUFeatures,--wrap=target_compile,--wrap=image_make
tests_unit_soft_jit_for_LDADD = softcuda/ptx/libptx.a softcuda/jit/libjit.a $(softcuda_libs) $(LLVM_CODE_LIBS) -ldl
nodist_EXTRA_tests_unit_soft_jit_for_SOURCES = force-cxx-link.cxx

# Its processes are also made as an emulator makes them.
tests_unit_t_spawn_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clone

# Its memory runs out.
tests_unit_t_ptx_order_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=realloc
