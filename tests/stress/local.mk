# Found as in tests/api, but for what sanitizers cannot do.
stress_libs = $(opencl_test_libs)
if HAVE_OPENCL_LOADER
check_PROGRAMS += $(stress_tests) $(stress_programs)
TESTS += $(stress_tests) $(stress_scripts)

# Layers below and above the driver, which fail or cancel calls.
check_PROGRAMS += tests/stress/libnvvm-fault.so tests/stress/libcancel-layer.so
check_PROGRAMS += tests/stress/faults_exporter
tests_stress_faults_exporter_LDADD = -ldl
tests_stress_libnvvm_fault_so_SOURCES = tests/stress/nvvm_fault.c
tests_stress_libnvvm_fault_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-z,nodelete
tests_stress_libnvvm_fault_so_LDADD = -ldl
tests_stress_libcancel_layer_so_SOURCES = tests/stress/cancel_layer.c
tests_stress_libcancel_layer_so_LDFLAGS = $(AM_LDFLAGS) -shared
tests_stress_libcancel_layer_so_LDADD = -lpthread

# A sanitizer has its own malloc and clock_gettime, and its shadow knows no limit of memory.
if !SANITIZERS
check_PROGRAMS += tests/stress/hostile_sources tests/stress/hours tests/stress/no_memory \
	tests/stress/libmalloc-fault.so tests/stress/libcall-fault.so tests/stress/libdisk-fault.so
TESTS += tests/stress/hostile_sources tests/stress/hours
tests_stress_hostile_sources_LDADD = $(stress_libs)
tests_stress_hours_LDADD = $(stress_libs)
tests_stress_no_memory_LDADD = $(stress_libs)
tests_stress_libmalloc_fault_so_SOURCES = tests/stress/malloc_fault.c
tests_stress_libmalloc_fault_so_LDFLAGS = $(AM_LDFLAGS) -shared
tests_stress_libmalloc_fault_so_LDADD = -ldl
tests_stress_libcall_fault_so_SOURCES = tests/stress/call_fault.c
tests_stress_libcall_fault_so_LDFLAGS = $(AM_LDFLAGS) -shared
tests_stress_libcall_fault_so_LDADD = -ldl
tests_stress_libdisk_fault_so_SOURCES = tests/stress/disk_fault.c
tests_stress_libdisk_fault_so_LDFLAGS = $(AM_LDFLAGS) -shared
tests_stress_libdisk_fault_so_LDADD = -ldl
endif
endif

# Each call that touches the disk fails once; a sanitizer has these calls itself.
if !SANITIZERS
check_PROGRAMS += tests/stress/cache_faults
TESTS += tests/stress/cache_faults
tests_stress_cache_faults_LDADD = cache/libcache.a base/libbase.a $(HASH_LIBS) -lpthread -ldl
endif
