# The error of the math functions in units in the last place.  make check takes few points; all of
# them, and the page about it:
#	tests/ulp/ulp --exhaustive --write docs/math-accuracy.md
if HAVE_OPENCL_LOADER
if HAVE_MPFR
check_PROGRAMS += tests/ulp/ulp
tests_ulp_ulp_SOURCES = $(ulp_sources) tests/builtins/device.c tests/builtins/number.c tests/builtins/points.c
tests_ulp_ulp_CPPFLAGS = $(AM_CPPFLAGS) $(MPFR_CFLAGS)
tests_ulp_ulp_LDADD = base/libbase.a $(OPENCL_LIBS) $(MPFR_LIBS) -lm
TESTS += tests/ulp/quick.sh
endif
endif
