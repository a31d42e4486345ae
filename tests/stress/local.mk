# Every CUDA call, every call of libnvvm and many allocations fail once.
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/stress/faults tests/stress/libnvvm-fault.so
tests_stress_faults_SOURCES = tests/stress/faults.c tests/stress/faults.h \
	tests/stress/faults_work.c tests/stress/codes.def
tests_stress_faults_LDADD = $(OPENCL_LIBS)
tests_stress_libnvvm_fault_so_SOURCES = tests/stress/nvvm_fault.c
tests_stress_libnvvm_fault_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-z,nodelete
tests_stress_libnvvm_fault_so_LDADD = -ldl
TESTS += tests/stress/faults.sh tests/stress/faults_nvvm.sh

# A sanitizer has its own malloc.
if !SANITIZERS
check_PROGRAMS += tests/stress/libmalloc-fault.so
tests_stress_libmalloc_fault_so_SOURCES = tests/stress/malloc_fault.c
tests_stress_libmalloc_fault_so_LDFLAGS = $(AM_LDFLAGS) -shared
tests_stress_libmalloc_fault_so_LDADD = -ldl
TESTS += tests/stress/faults_malloc.sh
endif
endif
EXTRA_DIST += tests/stress/faults.sh tests/stress/faults_nvvm.sh tests/stress/faults_malloc.sh

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
EXTRA_DIST += tests/stress/cache.sh
