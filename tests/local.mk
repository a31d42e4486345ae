# Everything `make check` runs.  Without a GPU the tests use the software driver;
# CULVERT_TEST_CUDA=driver runs them on the GPU.  What a test builds is compiled in each of
# them, but for kernel files and most of tests/api (see there); the tests of the cache turn it on, in folders of their own.

AM_TESTS_ENVIRONMENT = \
	unset OCL_ICD_FILENAMES CULVERT_DEBUG CULVERT_DUMP CULVERT_SOFT_FAULT CULVERT_SOFT_COUNT; \
	OCL_ICD_VENDORS='$(abs_builddir)/vendors'; export OCL_ICD_VENDORS; \
	CULVERT_CUDA="$${CULVERT_TEST_CUDA:-soft}"; export CULVERT_CUDA; \
	CULVERT_CACHE="$${CULVERT_TEST_CACHE:-off}"; export CULVERT_CACHE; \
	CULVERT_SOFT_BOUNDS=exact; export CULVERT_SOFT_BOUNDS; \
	CULVERT_LIBNVVM="$${CULVERT_LIBNVVM:-$(NVVM_LIBRARY)}"; export CULVERT_LIBNVVM; \
	PTXAS='$(PTXAS)'; export PTXAS; \
	CUDA_CPPFLAGS='$(CUDA_CPPFLAGS)'; export CUDA_CPPFLAGS; \
	CLANG='$(CLANG)'; LLVM_CONFIG='$(LLVM_CONFIG)'; export CLANG LLVM_CONFIG; \
	LLVM_FILES='$(LLVM_FILES)'; export LLVM_FILES; \
	LLVM_MAJOR='$(LLVM_MAJOR)'; export LLVM_MAJOR; \
	LIBDEVICE='$(LIBDEVICE)'; PYTHON3='$(PYTHON3)'; export LIBDEVICE PYTHON3; \
	SANITIZER_RUNTIME='$(SANITIZER_RUNTIME)'; export SANITIZER_RUNTIME; \
	CLT_PLATFORM=Culvert; export CLT_PLATFORM; \
	APP_PLATFORM=Culvert; export APP_PLATFORM;

# configure writes it; here, so that make writes it anew when its source changed.
check_SCRIPTS += tests/run-with-culvert

# tests.mk, which list-tests makes, names what is found.  A script that is no test is in not_tests.
EXTRA_DIST += $(tests_dist) tests/run-with-culvert.in scripts/picture scripts/option-table scripts/soft-api-table \
	scripts/comparison-table scripts/application-table
not_tests = tests/installed.sh
TEST_EXTENSIONS = .sh .clt .py
PY_LOG_COMPILER = $(srcdir)/tests/apps/foreign $(PYTHON3)
PYTHON3 = /usr/bin/python3
# The tests that take longest come first, so that no processor waits for one of them at the end.
TESTS += tests/stress/seeds.sh tests/kernels/cached.sh tests/stress/faults_nvvm.sh tests/stress/faults.sh \
	tests/apps/piglit_cl.py
# Not where a sanitizer has its own malloc (tests/stress/local.mk).
if !SANITIZERS
TESTS += tests/stress/faults_calls.sh tests/stress/faults_malloc.sh
endif
if !STATIC_LLVM
TESTS += tests/printer/printer_matrix
endif
TESTS += $(top_scripts) $(tools_scripts)

clean-local:
	rm -rf cache-of-programs tests/*/*.programs

include tests/unit/local.mk
include tests/litmus/local.mk
include tests/kernels/local.mk
include tests/spirv/local.mk
include tests/builtins/local.mk
include tests/ulp/local.mk
include tests/api/local.mk
include tests/apps/local.mk
include tests/conformance/local.mk
include tests/gpu/local.mk
include tests/footprint/local.mk
include tests/fuzz/local.mk
include tests/printer/local.mk
include tests/stress/local.mk
include tests/bench/codegen/local.mk
include tests/bench/local.mk
