/* The size of the host's pages: 4 KiB on x86-64; 4, 16 or 64 KiB on aarch64, as its kernel was built.  Thread-safe. */
#ifndef CULVERT_BASE_PAGE_H
#define CULVERT_BASE_PAGE_H

#include <stdint.h>
#include <unistd.h>

static inline uint64_t host_page_B(void)
{
	const long size_B = sysconf(_SC_PAGESIZE);
	return size_B > 0 ? (uint64_t)size_B : 4096;
}

/* The size, rounded up to whole pages; less than size_B if that overflows. */
static inline uint64_t host_pages_B(uint64_t size_B)
{
	const uint64_t page_B = host_page_B();
	return (size_B + page_B - 1) / page_B * page_B;
}

#endif
