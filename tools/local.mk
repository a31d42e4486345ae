# The command-line tool.
bin_PROGRAMS = culvert
culvert_SOURCES = \
	tools/command.def \
	tools/bench.c \
	tools/build_log.c tools/build_log.h \
	tools/cache.c \
	tools/cache_entry.c tools/cache_entry.h \
	tools/check.c \
	tools/check_fields.c tools/check_fields.h \
	tools/closest.c tools/closest.h \
	tools/compile.c \
	tools/compile_info.c tools/compile_info.h \
	tools/culvert.c tools/tool.h \
	tools/devices.c \
	tools/doctor.c tools/finding.h \
	tools/doctor_files.c \
	tools/doctor_hardware.c \
	tools/doctor_icd.c \
	tools/doctor_log.c \
	tools/doctor_module.c \
	tools/doctor_parts.c \
	tools/doctor_shares.c \
	tools/doctor_variables.c \
	tools/doctor_system.c \
	tools/element.c tools/element.h \
	tools/json.c tools/json.h \
	tools/machine_code.c tools/machine_code.h \
	tools/opencl.c tools/opencl.h \
	tools/process.c tools/process.h \
	tools/program.c tools/program.h \
	tools/quoted.c tools/quoted.h \
	tools/run.c \
	tools/run_argument.c tools/run_argument.h \
	tools/run_image.c tools/run_image.h \
	tools/run_pipe.c tools/run_pipe.h \
	tools/trace.c \
	tools/words.c tools/words.h
nodist_EXTRA_culvert_SOURCES = force-cxx-link.cxx
culvert_LDFLAGS = $(AM_LDFLAGS) -Wl,--as-needed -Wl,--gc-sections
culvert_LDADD = icd/compile/libcompile.a $(frontend_archive) backend/libbackend.a cache/libcache.a base/libbase.a \
	$(STORAGE_LIBS) $(frontend_libs) -ldl -lpthread -lm

# The layer of `culvert trace`: see trace.h.
soft_PROGRAMS += libculvert-trace.so
libculvert_trace_so_SOURCES = \
	tools/quoted.c tools/quoted.h \
	tools/trace/command.c \
	tools/trace/extension.c \
	tools/trace/layer.c \
	tools/trace/record.c tools/trace/trace.h \
	tools/trace/wrappers.h
libculvert_trace_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-soname,libculvert-trace.so \
	-Wl,-Bsymbolic -Wl,--version-script=$(top_srcdir)/tools/trace/layer.map \
	-Wl,--gc-sections -Wl,-z,nodelete $(no_undefined)
libculvert_trace_so_LDADD = base/libbase.a -lpthread
EXTRA_libculvert_trace_so_DEPENDENCIES = tools/trace/layer.map
EXTRA_DIST += tools/trace/layer.map

dist_man_MANS = docs/culvert.1
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = tools/completion/culvert
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = tools/completion/_culvert
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = tools/completion/culvert.fish
EXTRA_DIST += scripts/command-table
