# Real programs on the platform under test: every script here is a test.  device.py, dpcpp.py, platforms.py, pytests.py, results.py and sycl.py are read by others.
if HAVE_OPENCL_LOADER
noinst_PROGRAMS += tests/apps/matrix
tests_apps_matrix_SOURCES = tests/apps/matrix.c tests/apps/app.c
tests_apps_matrix_LDADD = $(OPENCL_LIBS) -lm
if HAVE_LIBPNG
noinst_PROGRAMS += tests/apps/picture
tests_apps_picture_SOURCES = tests/apps/picture.c tests/apps/app.c
tests_apps_picture_CPPFLAGS = $(AM_CPPFLAGS) $(LIBPNG_CFLAGS)
tests_apps_picture_LDADD = $(OPENCL_LIBS) $(LIBPNG_LIBS) -lm
TESTS += tests/apps/picture.sh
endif
TESTS += $(apps_scripts)
endif
not_tests += tests/apps/device.py tests/apps/dpcpp.py tests/apps/llama_cpp_edit.py tests/apps/platforms.py tests/apps/pytests.py tests/apps/results.py tests/apps/sycl.py
