# The differential test needs a GPU (tests/gpu/softcuda-diff); its generator is
# tested here on the software driver against itself.
check_PROGRAMS += tests/gpu/diff
tests_gpu_diff_SOURCES = tests/gpu/diff.c tests/gpu/diff_build.h tests/gpu/diff_compare.c \
	tests/gpu/diff_compare.h tests/gpu/diff_excuse.c tests/gpu/diff_excuse.h \
	tests/gpu/diff_item.c tests/gpu/diff_program.c \
	tests/gpu/diff_program.h tests/gpu/diff_run.c tests/gpu/diff_run.h \
	tests/gpu/diff_template.c tests/gpu/diff_template.def
tests_gpu_diff_LDADD = base/libbase.a -ldl -lpthread -lm
TESTS += tests/gpu/diff-soft.sh
EXTRA_DIST += tests/gpu/diff-soft.sh tests/gpu/softcuda-diff tests/gpu/softcuda-diff.approximate
check_PROGRAMS += tests/gpu/texture-diff
tests_gpu_texture_diff_SOURCES = tests/gpu/texture_call.c tests/gpu/texture_case.h \
	tests/gpu/texture_diff.c tests/gpu/texture_driver.h tests/gpu/texture_fetch.c \
	tests/gpu/texture_kernel.h tests/gpu/texture_resource.c tests/gpu/texture_run.c \
	tests/gpu/texture_run.h tests/gpu/texture_surface.c
tests_gpu_texture_diff_LDADD = -ldl -lm
TESTS += tests/gpu/texture-soft.sh
EXTRA_DIST += tests/gpu/texture-soft.sh

# Profiling stamps beside the GPU's own clock and the host's (tests/gpu/run).
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/gpu/stamps
tests_gpu_stamps_SOURCES = tests/gpu/stamps.c tests/api/api_test.h
tests_gpu_stamps_LDADD = $(OPENCL_LIBS) -ldl -lm
endif
