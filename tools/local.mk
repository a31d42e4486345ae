# The command-line tool.
bin_PROGRAMS = culvert
culvert_SOURCES = \
	tools/command.def \
	tools/cache.c \
	tools/check.c \
	tools/compile.c \
	tools/compile_info.c tools/compile_info.h \
	tools/culvert.c tools/tool.h \
	tools/devices.c \
	tools/doctor.c tools/finding.h \
	tools/doctor_hardware.c \
	tools/doctor_icd.c \
	tools/doctor_parts.c \
	tools/element.c tools/element.h \
	tools/json.c tools/json.h \
	tools/machine_code.c tools/machine_code.h \
	tools/opencl.c tools/opencl.h \
	tools/process.c tools/process.h \
	tools/program.c tools/program.h \
	tools/run.c \
	tools/run_argument.c tools/run_argument.h
nodist_EXTRA_culvert_SOURCES = force-cxx-link.cxx
culvert_LDFLAGS = $(AM_LDFLAGS) -Wl,--as-needed -Wl,--gc-sections
culvert_LDADD = $(frontend_archive) backend/libbackend.a cache/libcache.a base/libbase.a \
	$(ZSTD_LIBS) $(frontend_libs) -ldl -lpthread -lm

dist_man_MANS = docs/culvert.1
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = tools/completion/culvert
EXTRA_DIST += scripts/command-table

tool_tests = tests/tools/command.sh tests/tools/devices.sh tests/tools/compile.sh tests/tools/doctor.sh \
	tests/tools/cache.sh tests/tools/check.sh tests/tools/run.sh tests/tools/stages.sh \
	tests/tools/completion.sh
EXTRA_DIST += $(tool_tests)
TESTS += $(tool_tests)
