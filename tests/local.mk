# Everything `make check` runs.  Without a GPU the tests use the software driver;
# CULVERT_TEST_CUDA=driver runs them on the GPU.

AM_TESTS_ENVIRONMENT = \
	unset OCL_ICD_FILENAMES CULVERT_DEBUG CULVERT_DUMP; \
	OCL_ICD_VENDORS='$(abs_builddir)/vendors'; export OCL_ICD_VENDORS; \
	CULVERT_CUDA="$${CULVERT_TEST_CUDA:-soft}"; export CULVERT_CUDA; \
	CULVERT_LIBNVVM="$${CULVERT_LIBNVVM:-$(NVVM_LIBRARY)}"; export CULVERT_LIBNVVM; \
	PTXAS='$(PTXAS)'; export PTXAS; \
	CLT_PLATFORM=Culvert; export CLT_PLATFORM; \
	APP_PLATFORM=Culvert; export APP_PLATFORM;

EXTRA_DIST += tests/run-with-culvert.in tests/layering.sh tests/exports.sh tests/docs.sh \
	scripts/option-table tests/gpu/run
TEST_EXTENSIONS = .sh .clt .py
PY_LOG_COMPILER = $(PYTHON3)
PYTHON3 = /usr/bin/python3
TESTS += tests/layering.sh tests/exports.sh tests/docs.sh

include tests/unit/local.mk
include tests/kernels/local.mk
include tests/api/local.mk
include tests/apps/local.mk
include tests/stress/local.mk
