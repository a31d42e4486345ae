# Every builtin function by its values.  One program; make check runs its families in a few
# groups, so that they run side by side.  All of it, with every width of vector:
#	tests/builtins/values
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/builtins/values
tests_builtins_values_SOURCES = tests/builtins/values.c tests/builtins/family.h \
	tests/builtins/device.c tests/builtins/device.h \
	tests/builtins/number.c tests/builtins/number.h \
	tests/builtins/points.c tests/builtins/points.h \
	tests/builtins/call.c tests/builtins/call.h \
	tests/builtins/probe.c tests/builtins/probe.h \
	tests/builtins/math.c tests/builtins/math.def \
	tests/builtins/native.c tests/builtins/native.def \
	tests/builtins/common.c tests/builtins/common.def \
	tests/builtins/integer.c tests/builtins/integer.def \
	tests/builtins/relational.c tests/builtins/relational.def \
	tests/builtins/geometric.c tests/builtins/convert.c tests/builtins/memory.c \
	tests/builtins/half.c tests/builtins/shuffle.c tests/builtins/async.c \
	tests/builtins/atomic.c tests/builtins/atomic.def tests/builtins/workitem.c \
	tests/builtins/sub_group.c tests/builtins/extended.c
tests_builtins_values_LDADD = base/libbase.a $(OPENCL_LIBS) -lm
TESTS += tests/builtins/math.sh tests/builtins/numbers.sh tests/builtins/memory.sh \
	tests/builtins/groups.sh
endif
EXTRA_DIST += tests/builtins/math.sh tests/builtins/numbers.sh tests/builtins/memory.sh \
	tests/builtins/groups.sh
