# Every builtin function by its values.  One program; make check runs its families in a few
# groups, so that they run side by side.  All of it, with every width of vector:
#	tests/builtins/values
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/builtins/values
tests_builtins_values_SOURCES = $(builtins_sources)
tests_builtins_values_LDADD = base/libbase.a $(OPENCL_LIBS) -lm
TESTS += $(builtins_scripts)
endif
