#ifndef CULVERT_TESTS_KERNELS_MEMORY_H
#define CULVERT_TESTS_KERNELS_MEMORY_H
/* The buffers, images and pipes of a kernel file: made, filled, read back, compared, saved.  Each
 * complains of what is wrong; at is what stands behind the directive's word.
 *
 * Thread-safety: none. */

#include "tests/kernels/test.h"

/* TYPE NAME[COUNT] = E */
void do_buffer(struct test *test, const char *at);
/* SHAPE NAME ORDER CHANNEL SIZES [of BUFFER [pitch BYTES]] [= E] */
void do_image(struct test *test, const char *at);
/* NAME[PACKETS] of BYTES */
void do_pipe(struct test *test, const char *at);
/* NAME = E [within N ulp | within R] */
void do_expect(struct test *test, const char *at);
/* NAME */
void do_release(struct test *test, const char *at);

/* Of all that are on the device. */
void read_back(struct test *test);
/* Every one's bytes, to folder/FILE.NAME. */
void save_buffers(struct test *test, const char *folder);
void free_buffers(struct test *test);

#endif
