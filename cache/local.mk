# Bytes by key in a folder: knows nothing of what they are.
noinst_LIBRARIES += cache/libcache.a
cache_libcache_a_CFLAGS = $(AM_CFLAGS) $(PARSER_CFLAGS)
cache_libcache_a_SOURCES = \
	cache/cache.h cache/internal.h \
	cache/entry.c \
	cache/evict.c \
	cache/flight.c \
	cache/folder.c \
	cache/list.c \
	cache/name.c \
	cache/store.c
