# The error of the math functions in units in the last place.  make check takes few points; all of
# them, and the page about it:
#	tests/ulp/ulp --exhaustive --write docs/math-accuracy.md
if HAVE_OPENCL_LOADER
if HAVE_MPFR
check_PROGRAMS += tests/ulp/ulp
tests_ulp_ulp_SOURCES = tests/ulp/ulp.c tests/ulp/measure.c tests/ulp/measure.h \
	tests/ulp/exhaust.c tests/ulp/exhaust.h tests/ulp/sample.c tests/ulp/sample.h tests/ulp/function.c tests/ulp/function.h \
	tests/ulp/functions.def tests/ulp/relaxed.c tests/ulp/relaxed.h tests/ulp/relaxed.def \
	tests/builtins/device.c tests/builtins/device.h tests/builtins/family.h \
	tests/builtins/number.c tests/builtins/number.h \
	tests/builtins/points.c tests/builtins/points.h
tests_ulp_ulp_CPPFLAGS = $(AM_CPPFLAGS) $(MPFR_CFLAGS)
tests_ulp_ulp_LDADD = base/libbase.a $(OPENCL_LIBS) $(MPFR_LIBS) -lm
TESTS += tests/ulp/quick.sh
endif
endif
EXTRA_DIST += tests/ulp/quick.sh
