/* Cache lines of the host, whose size programs cannot ask for everywhere: 64 bytes on x86-64 and on the aarch64
 * machines with NVIDIA's GPUs, 128 on some others. */
#ifndef CULVERT_BASE_CACHE_LINE_H
#define CULVERT_BASE_CACHE_LINE_H

/* What is used together is in one such piece of memory, and so in one line of either size. */
enum { CACHE_LINE_B = 64 };
/* What one thread writes while others use what is beside it begins at a multiple of this: then it is in another line,
 * of either size, and x86-64 fetches lines of 64 bytes in pairs. */
enum { CACHE_LINE_APART_B = 128 };

#endif
