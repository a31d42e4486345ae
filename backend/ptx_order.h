/* Looks for registers in PTX that are read before they are computed, which libnvvm generates for a few programs.
 *
 * Thread-safe: a pure function. */
#ifndef CULVERT_BACKEND_PTX_ORDER_H
#define CULVERT_BACKEND_PTX_ORDER_H

#include "base/bytes.h"

#include <stddef.h>

enum be_ptx_order {
	BE_PTX_ORDER_RIGHT,
	BE_PTX_ORDER_WRONG,
	BE_PTX_ORDER_NO_MEMORY
};

/* Whether some function reads a register that has one definition in the function, which is behind the read, with
 * no label between them.  Nothing can have computed what is read there.  In a loop, it can be the value of the
 * former iteration, so there the definition also has to be arithmetic with values that stay the same in the
 * loop.  The first such register and its function are appended to wrong, as in "%r12 of kernel".  Only registers
 * that a function declares by number, as in ".reg .b32 %r<13>;", are looked at.  Of text that is no PTX, any
 * answer may be given.  It takes time and memory in proportion to the size of the text. */
enum be_ptx_order be_ptx_order(const char *text, size_t size_B, struct bytes *wrong);

#endif
