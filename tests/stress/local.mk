# Every CUDA call, every call of libnvvm and many allocations fail once.
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/stress/faults
tests_stress_faults_SOURCES = tests/stress/faults.c tests/stress/faults.h \
	tests/stress/faults_work.c tests/stress/codes.def
tests_stress_faults_LDADD = $(OPENCL_LIBS)
TESTS += tests/stress/faults.sh
endif
EXTRA_DIST += tests/stress/faults.sh
