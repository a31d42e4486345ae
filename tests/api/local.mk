# Programs that go through the loader, as every application does.  NAME.c is found and becomes a test,
# NAME_part.c a part of it; what NAME.sh is there for is run by that script.
# All of them have the makers of fixture.h, and Vulkan if they want it.
opencl_test_libs = tests/api/libfixture.a $(OPENCL_LIBS) -lpthread -ldl -lm
check_LIBRARIES += tests/api/libfixture.a
tests_api_libfixture_a_SOURCES = tests/api/fixture.c tests/api/vulkan.c
api_libs = $(opencl_test_libs)
if HAVE_OPENCL_LOADER
check_PROGRAMS += $(api_tests) $(api_programs)
TESTS += $(api_tests) $(api_scripts)

# tests/stress/seeds.sh runs most of these programs, and compiles what they build, from nothing; where it is among the tests
# of this run, they find that in its cache.  Those that are about compilers, and those that it leaves out, do not.
api_compile = collisions complaints cxx diagnostics errors extension_pragmas float_options forks il il_names \
	included_folder limited_process locked_folder lost matrix_il no_compiler no_handles old_device program \
	program_binary program_link program_ptx small_stacks unloads unsupported
$(api_after_seeds): $(seeds_log)
LOG_COMPILER = $(seeds_programs)
endif

EXTRA_tests_api_dispatch_DEPENDENCIES = tests/api/libmoving-loader.so
check_PROGRAMS += tests/api/libmoving-loader.so
tests_api_libmoving_loader_so_SOURCES = tests/api/moving_loader.c
tests_api_libmoving_loader_so_LDFLAGS = $(AM_LDFLAGS) -shared

# For tests/tools/doctor.sh.
check_PROGRAMS += tests/api/libkhronos-loader.so
tests_api_libkhronos_loader_so_SOURCES = tests/api/khronos_loader.c
tests_api_libkhronos_loader_so_LDFLAGS = $(AM_LDFLAGS) -shared

# Its own eglGetProcAddress is found by Culvert.
tests_api_gl_event_LDFLAGS = $(AM_LDFLAGS) -Wl,--export-dynamic

# What a profiler sees of the calls.
if HAVE_NVTX
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/api/libranges-listener.so
tests_api_libranges_listener_so_SOURCES = tests/api/ranges_listener.c
tests_api_libranges_listener_so_LDFLAGS = $(AM_LDFLAGS) -shared
tests_api_libranges_listener_so_LDADD = -ldl -lpthread
TESTS += tests/api/ranges.sh
endif
endif
