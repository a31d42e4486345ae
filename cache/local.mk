# Bytes by key in a folder: knows nothing of what they are.
noinst_LIBRARIES += cache/libcache.a
cache_libcache_a_SOURCES = \
	cache/cache.h cache/internal.h \
	cache/entry.c \
	cache/evict.c \
	cache/flight.c \
	cache/folder.c \
	cache/list.c \
	cache/store.c

# make tests/bench/bench_cache
EXTRA_PROGRAMS += tests/bench/bench_cache
tests_bench_bench_cache_SOURCES = tests/bench/bench_cache.c
tests_bench_bench_cache_LDADD = cache/libcache.a base/libbase.a $(ZSTD_LIBS) -lpthread
