# Every CUDA call, every call of libnvvm and many allocations fail once.
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/stress/faults tests/stress/libnvvm-fault.so
tests_stress_faults_SOURCES = tests/stress/faults.c tests/stress/faults.h \
	tests/stress/faults_work.c tests/stress/faults_images.c \
	tests/stress/faults_commands.c tests/stress/faults_external.c tests/stress/faults_il.c \
	tests/api/command_buffer_entry.h \
	tests/api/fifo.h tests/stress/codes.def
tests_stress_faults_LDADD = $(OPENCL_LIBS)
tests_stress_libnvvm_fault_so_SOURCES = tests/stress/nvvm_fault.c
tests_stress_libnvvm_fault_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-z,nodelete
tests_stress_libnvvm_fault_so_LDADD = -ldl
check_PROGRAMS += tests/stress/crash
tests_stress_crash_SOURCES = tests/stress/crash.c tests/api/api_test.h
tests_stress_crash_LDADD = $(OPENCL_LIBS) -lpthread
TESTS += tests/stress/faults.sh tests/stress/faults_nvvm.sh tests/stress/crash.sh
check_PROGRAMS += tests/stress/environments
tests_stress_environments_SOURCES = tests/stress/environments.c tests/api/api_test.h
tests_stress_environments_LDADD = $(OPENCL_LIBS)
TESTS += tests/stress/environments
# A sanitizer's shadow knows no limit of memory.
if !SANITIZERS
check_PROGRAMS += tests/stress/hostile_sources
tests_stress_hostile_sources_SOURCES = tests/stress/hostile_sources.c tests/api/api_test.h
tests_stress_hostile_sources_LDADD = $(OPENCL_LIBS) -lpthread
TESTS += tests/stress/hostile_sources
endif

# Threads of the host's that are cancelled.
check_PROGRAMS += tests/stress/cancel tests/stress/libcancel-layer.so
tests_stress_cancel_SOURCES = tests/stress/cancel.c tests/api/api_test.h
tests_stress_cancel_LDADD = $(OPENCL_LIBS) -lpthread
tests_stress_libcancel_layer_so_SOURCES = tests/stress/cancel_layer.c
tests_stress_libcancel_layer_so_LDFLAGS = $(AM_LDFLAGS) -shared
tests_stress_libcancel_layer_so_LDADD = -lpthread
TESTS += tests/stress/cancel.sh

# A sanitizer has its own malloc.
if !SANITIZERS
check_PROGRAMS += tests/stress/libmalloc-fault.so
tests_stress_libmalloc_fault_so_SOURCES = tests/stress/malloc_fault.c
tests_stress_libmalloc_fault_so_LDFLAGS = $(AM_LDFLAGS) -shared
tests_stress_libmalloc_fault_so_LDADD = -ldl
check_PROGRAMS += tests/stress/no_memory
tests_stress_no_memory_SOURCES = tests/stress/no_memory.c tests/api/api_test.h
tests_stress_no_memory_LDADD = $(OPENCL_LIBS) -ldl
TESTS += tests/stress/faults_malloc.sh
endif
endif
EXTRA_DIST += tests/stress/cancel.sh tests/stress/crash.sh tests/stress/faults.sh tests/stress/faults_nvvm.sh tests/stress/faults_malloc.sh

# Programs on hostile schedules.
TESTS += tests/stress/seeds.sh
EXTRA_DIST += tests/stress/seeds.sh

# The cache of built programs.
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/stress/cache
tests_stress_cache_SOURCES = tests/stress/cache.c
tests_stress_cache_LDADD = $(OPENCL_LIBS) -lpthread
TESTS += tests/stress/cache.sh
if !SANITIZERS
check_PROGRAMS += tests/stress/libdisk-fault.so
tests_stress_libdisk_fault_so_SOURCES = tests/stress/disk_fault.c
tests_stress_libdisk_fault_so_LDFLAGS = $(AM_LDFLAGS) -shared
tests_stress_libdisk_fault_so_LDADD = -ldl
endif
endif
EXTRA_DIST += tests/stress/cache.sh tests/stress/cache_long

# Each call that touches the disk fails once; a sanitizer has these calls itself.
if !SANITIZERS
check_PROGRAMS += tests/stress/cache_faults
TESTS += tests/stress/cache_faults
tests_stress_cache_faults_SOURCES = tests/stress/cache_faults.c tests/unit/test.h
tests_stress_cache_faults_LDADD = cache/libcache.a base/libbase.a $(HASH_LIBS) -lpthread -ldl
endif

# The scenarios of the ordering design, each on many schedules.
if HAVE_OPENCL_LOADER
scenario_tests = tests/stress/scenarios_host \
	tests/stress/scenarios_streams \
	tests/stress/scenarios_events \
	tests/stress/scenarios_devices \
	tests/stress/scenarios_programs tests/stress/scenarios_stories \
	tests/stress/scenarios_counts
check_PROGRAMS += $(scenario_tests)
TESTS += $(scenario_tests)
tests_stress_scenarios_host_SOURCES = tests/stress/scenarios_host.c \
	tests/stress/scenario.h tests/api/api_test.h
tests_stress_scenarios_host_LDADD = $(OPENCL_LIBS) -lpthread -ldl
tests_stress_scenarios_streams_SOURCES = tests/stress/scenarios_streams.c \
	tests/stress/scenario.h tests/api/api_test.h
tests_stress_scenarios_streams_LDADD = $(OPENCL_LIBS) -lpthread -ldl
tests_stress_scenarios_events_SOURCES = tests/stress/scenarios_events.c \
	tests/stress/scenario.h tests/api/api_test.h
tests_stress_scenarios_events_LDADD = $(OPENCL_LIBS) -lpthread -ldl
tests_stress_scenarios_devices_SOURCES = tests/stress/scenarios_devices.c \
	tests/stress/scenario.h tests/api/api_test.h
tests_stress_scenarios_devices_LDADD = $(OPENCL_LIBS) -lpthread -ldl
tests_stress_scenarios_programs_SOURCES = tests/stress/scenarios_programs.c \
	tests/stress/scenario.h tests/api/api_test.h
tests_stress_scenarios_programs_LDADD = $(OPENCL_LIBS) -lpthread -ldl
tests_stress_scenarios_stories_SOURCES = tests/stress/scenarios_stories.c \
	tests/stress/scenario.h tests/api/api_test.h
tests_stress_scenarios_stories_LDADD = $(OPENCL_LIBS) -lpthread -ldl
tests_stress_scenarios_counts_SOURCES = tests/stress/scenarios_counts.c \
	tests/stress/scenario.h tests/api/api_test.h
tests_stress_scenarios_counts_LDADD = $(OPENCL_LIBS) -lpthread -ldl
endif

# Random graphs of commands, with a result that is known.
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/stress/graphs
TESTS += tests/stress/graphs
tests_stress_graphs_SOURCES = tests/stress/graphs.c tests/stress/graphs.h \
	tests/stress/graphs_make.c tests/stress/graphs_reference.c \
	tests/stress/graphs_run.c tests/stress/graphs_run.h tests/stress/graphs_commands.c \
	tests/api/command_buffer_entry.h tests/api/api_test.h
tests_stress_graphs_LDADD = $(OPENCL_LIBS) -lpthread -ldl
endif

# Profiling stamps on a clock that the test moves: a sanitizer has its own clock_gettime.
if HAVE_OPENCL_LOADER
if !SANITIZERS
check_PROGRAMS += tests/stress/hours
TESTS += tests/stress/hours
tests_stress_hours_SOURCES = tests/stress/hours.c tests/api/api_test.h
tests_stress_hours_LDADD = $(OPENCL_LIBS) -ldl
endif
endif

# A test of tests: mistakes planted, and found.
TESTS += tests/stress/planted.sh
EXTRA_DIST += tests/stress/planted.sh
