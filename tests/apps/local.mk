# Real programs on the platform under test.
if HAVE_OPENCL_LOADER
noinst_PROGRAMS += tests/apps/matrix
tests_apps_matrix_SOURCES = tests/apps/matrix.c tests/apps/app.c tests/apps/app.h
tests_apps_matrix_LDADD = $(OPENCL_LIBS) -lm
if HAVE_LIBPNG
noinst_PROGRAMS += tests/apps/picture
tests_apps_picture_SOURCES = tests/apps/picture.c tests/apps/app.c tests/apps/app.h
tests_apps_picture_CPPFLAGS = $(AM_CPPFLAGS) $(LIBPNG_CFLAGS)
tests_apps_picture_LDADD = $(OPENCL_LIBS) $(LIBPNG_LIBS) -lm
TESTS += tests/apps/picture.sh
endif
TESTS += tests/apps/matrix.sh tests/apps/clinfo.sh tests/apps/missing_parts.sh \
	tests/apps/deep_source.sh \
	tests/apps/pyopencl_arrays.py tests/apps/beside.py tests/apps/clinfo_beside.py \
	tests/apps/clblast.py tests/apps/opencv.py tests/apps/ffmpeg.py \
	tests/apps/hashcat.py tests/apps/tinygrad_tensors.py tests/apps/pyopencl_suite.py \
	tests/apps/clpeak.py tests/apps/viennacl.sh tests/apps/darktable.py \
	tests/apps/babelstream.py tests/apps/boost_compute.sh \
	tests/apps/clfft.py tests/apps/vkfft.py tests/apps/openmm_forces.py tests/apps/x264.py \
	tests/apps/john.py tests/apps/lightgbm_trees.py tests/apps/pyclesperanto_filters.py tests/apps/lammps.py \
	tests/apps/leelaz.py tests/apps/katago.py tests/apps/pygpu_suite.py \
	tests/apps/piglit_cl.py tests/apps/ufo.py tests/apps/starpu.py tests/apps/gegl_operations.py \
	tests/apps/qgis_rasters.py tests/apps/mandelbulber.py tests/apps/dpnp_arrays.py \
	tests/apps/oclgrind_kernels.py tests/apps/adaptivecpp.py
endif
EXTRA_DIST += tests/apps/clinfo_beside.py tests/apps/clinfo_nvidia.facts
EXTRA_DIST += tests/apps/foreign tests/apps/foreign.supp \
	tests/apps/matrix.sh tests/apps/picture.sh tests/apps/clinfo.sh \
	tests/apps/missing_parts.sh tests/apps/deep_source.sh tests/apps/beside.py \
	tests/apps/pyopencl_arrays.py tests/apps/clblast.py tests/apps/opencv.py tests/apps/ffmpeg.py \
	tests/apps/hashcat.py tests/apps/tinygrad_tensors.py tests/apps/pyopencl_suite.py \
	tests/apps/pyopencl_suite.results tests/apps/clpeak.py tests/apps/viennacl.sh \
	tests/apps/viennacl.cpp tests/apps/survey tests/apps/darktable.py tests/apps/babelstream.py \
	tests/apps/boost_compute.sh tests/apps/boost_compute.cpp \
	tests/apps/clfft.py tests/apps/vkfft.py tests/apps/openmm_forces.py tests/apps/x264.py \
	tests/apps/john.py tests/apps/lightgbm_trees.py tests/apps/pyclesperanto_filters.py tests/apps/lammps.py \
	tests/apps/leelaz.py tests/apps/katago.py tests/apps/pygpu_suite.py \
	tests/apps/piglit_cl.py tests/apps/ufo.py tests/apps/starpu.py tests/apps/gegl_operations.py \
	tests/apps/qgis_rasters.py tests/apps/mandelbulber.py tests/apps/dpnp_arrays.py tests/apps/platforms.py \
	tests/apps/oclgrind_kernels.py tests/apps/adaptivecpp.py
