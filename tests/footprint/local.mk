# Footprints: which bytes each work-item reads and writes, beside those of unoptimised code.
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/footprint/libreference.so
tests_footprint_libreference_so_SOURCES = tests/footprint/reference_api.c \
	tests/footprint/reference_marks.c tests/footprint/reference_names.c \
	tests/footprint/reference_note.c tests/footprint/reference_program.c \
	tests/footprint/reference_run.c tests/footprint/reference.h
tests_footprint_libreference_so_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS) \
	-DCLANG_PROGRAM='"$(CLANG)"'
tests_footprint_libreference_so_CFLAGS = $(AM_CFLAGS) -fPIC
tests_footprint_libreference_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-Bsymbolic
tests_footprint_libreference_so_LDADD = base/libbase.a $(LLVM_LIBS)
nodist_EXTRA_tests_footprint_libreference_so_SOURCES = force-cxx-link.cxx
TESTS += tests/footprint/footprint.sh
EXTRA_DIST += tests/footprint/footprint.sh tests/footprint/compare tests/footprint/known.cl \
	tests/footprint/known.txt
endif
