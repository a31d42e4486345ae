# The road from source to code.
icd_compile_sources = \
	icd/compile/build.c icd/compile/build.h icd/compile/build_cache.c icd/compile/build_cache.h \
	icd/compile/build_dump.c icd/compile/build_dump.h icd/compile/build_key.c \
	icd/compile/builders.c icd/compile/builders.h icd/compile/choices.c icd/compile/choices.h \
	icd/compile/compile.c icd/compile/compile.h icd/compile/compile_process.c \
	icd/compile/compile_process.h icd/compile/compile_wire.c icd/compile/compile_wire.h \
	icd/compile/program_binary.c icd/compile/program_binary.h icd/compile/program_code.c \
	icd/compile/spawn.c icd/compile/spawn.h
EXTRA_DIST += icd/compile/README.md

# The compiler's process, which needs no other room of icd.
soft_PROGRAMS += culvert-compile
culvert_compile_SOURCES = icd/compile/compile_main.c icd/compile/compile_confine.c icd/compile/compile_confine.h
nodist_EXTRA_culvert_compile_SOURCES = force-cxx-link.cxx
culvert_compile_CFLAGS = $(AM_CFLAGS) $(PARSER_CFLAGS)
culvert_compile_LDFLAGS = $(AM_LDFLAGS) -Wl,--gc-sections
culvert_compile_LDADD = icd/libicd.a $(compiler_archive) backend/libbackend.a base/libbase.a \
	$(compiler_libs) $(STORAGE_LIBS) -lpthread -ldl -lm
if STATIC_LLVM
compiler_archive = frontend/libfrontend.a
compiler_libs = $(LLVM_LIBS)
else
compiler_archive = frontend/libdoor.a
endif
