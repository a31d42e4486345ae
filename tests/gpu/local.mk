# The differential test needs a GPU (tests/gpu/softcuda-diff); its generator is
# tested here on the software driver against itself.
check_PROGRAMS += tests/gpu/diff
tests_gpu_diff_SOURCES = $(gpu_diff_sources)
tests_gpu_diff_LDADD = base/libbase.a -ldl -lpthread -lm
check_PROGRAMS += tests/gpu/texture-diff
tests_gpu_texture_diff_SOURCES = $(gpu_texture_sources)
tests_gpu_texture_diff_LDADD = -ldl -lm
TESTS += $(gpu_scripts)

# Profiling stamps beside the GPU's own clock and the host's (tests/gpu/run).
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/gpu/stamps
tests_gpu_stamps_SOURCES = tests/gpu/stamps.c
tests_gpu_stamps_LDADD = $(OPENCL_LIBS) -ldl -lm
endif
