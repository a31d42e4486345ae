# A test is one text file; the runner also runs them on any other platform:
#	tests/kernels/runner --platform "Portable Computing Language" FILES
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/kernels/runner
tests_kernels_runner_SOURCES = $(kernels_sources)
tests_kernels_runner_LDADD = $(OPENCL_LIBS) -lm
CLT_LOG_COMPILER = tests/kernels/runner
TESTS += $(kernels_clt) $(kernels_broken_clt) $(kernels_scripts)
endif
