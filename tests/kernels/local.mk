# A test is one text file; the runner also runs them on any other platform:
#	tests/kernels/runner --platform "Portable Computing Language" FILES
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/kernels/runner
tests_kernels_runner_SOURCES = $(kernels_sources)
tests_kernels_runner_LDADD = $(OPENCL_LIBS) -lm
CLT_LOG_COMPILER = tests/kernels/runner
TESTS += $(kernels_clt) $(kernels_broken_clt) $(kernels_scripts)

# Scripts that compile all files, from nothing, leave the programs in a cache, NAME.programs; where such a script is among
# the tests of this run, the files are run after it, and do not compile again.
$(kernels_clt:.clt=.log): $(cached_log)
$(kernels_broken_clt:.clt=.log): $(checked_compiled_log)
AM_CLT_LOG_FLAGS = $(clt_programs)
endif
