# Footprints: which bytes each work-item reads and writes, beside those of unoptimised code.
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/footprint/libreference.so
tests_footprint_libreference_so_SOURCES = $(footprint_sources)
tests_footprint_libreference_so_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS) \
	-DCLANG_PROGRAM='"$(CLANG)"'
tests_footprint_libreference_so_CFLAGS = $(AM_CFLAGS) -fPIC
tests_footprint_libreference_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-Bsymbolic
tests_footprint_libreference_so_LDADD = base/libbase.a $(LLVM_JIT_LIBS) $(LLVM_LIBS)
nodist_EXTRA_tests_footprint_libreference_so_SOURCES = force-cxx-link.cxx
TESTS += $(footprint_scripts)
endif
