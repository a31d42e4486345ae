# The printer's constructs, one by one: a table of rows, and LLVM for the host as reference.
# The reference needs all of LLVM, not only what is linked into the library.
if !STATIC_LLVM
check_PROGRAMS += tests/printer/printer_matrix
endif
tests_printer_printer_matrix_SOURCES = $(printer_sources)
tests_printer_printer_matrix_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) $(LLVM_CPPFLAGS)
tests_printer_printer_matrix_LDADD = frontend/libfrontend.a backend/libbackend.a base/libbase.a $(HASH_LIBS) \
	libculvert-softcuda.so $(LLVM_LIBS) -ldl -lm
tests_printer_printer_matrix_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,$(abs_builddir)
nodist_EXTRA_tests_printer_printer_matrix_SOURCES = force-cxx-link.cxx
