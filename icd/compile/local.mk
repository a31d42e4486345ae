# From source to code: a library of its own, which culvert-compile and the tool have without the rest of icd.
noinst_LIBRARIES += icd/compile/libcompile.a
icd_compile_libcompile_a_SOURCES = \
	icd/compile/asked.c icd/compile/asked.h \
	icd/compile/builders.c icd/compile/builders.h \
	icd/compile/code.c icd/compile/code.h \
	icd/compile/compile.c icd/compile/compile.h \
	icd/compile/compile_process.c icd/compile/compile_process.h \
	icd/compile/compile_wire.c icd/compile/compile_wire.h \
	icd/compile/job.c icd/compile/job.h \
	icd/compile/job_cache.c icd/compile/job_cache.h \
	icd/compile/job_dump.c icd/compile/job_dump.h \
	icd/compile/job_key.c icd/compile/job_key.h \
	icd/compile/outcome.c \
	icd/compile/program_binary.c icd/compile/program_binary.h
EXTRA_DIST += icd/compile/README.md

# The compiler's process.
soft_PROGRAMS += culvert-compile
culvert_compile_SOURCES = icd/compile/compile_main.c icd/compile/compile_confine.c icd/compile/compile_confine.h
nodist_EXTRA_culvert_compile_SOURCES = force-cxx-link.cxx
culvert_compile_CFLAGS = $(AM_CFLAGS) $(PARSER_CFLAGS)
culvert_compile_LDFLAGS = $(AM_LDFLAGS) -Wl,--gc-sections
culvert_compile_LDADD = icd/compile/libcompile.a $(compiler_archive) backend/libbackend.a base/libbase.a \
	$(compiler_libs) $(STORAGE_LIBS) -lpthread -ldl -lm
if STATIC_LLVM
compiler_archive = frontend/libfrontend.a
compiler_libs = $(LLVM_LIBS)
else
compiler_archive = frontend/libdoor.a
endif
