/* From an object file of LLVM to machine code that works wherever it is put.
 *
 * LLVM's own linkers (ORC) put code into the memory of the process that calls them, but the code is for another
 * process.  An image has the sections of the object, its references resolved, and behind them a stub for each function
 * of the C library that the code calls: a jump to the function's address. */
#ifndef CULVERT_SOFTCUDA_JIT_IMAGE_H
#define CULVERT_SOFTCUDA_JIT_IMAGE_H

#include "base/bytes.h"

#include <elf.h>
#include <stdint.h>

/* The architecture that this is compiled for: EM_NONE if there are no images for it. */
#if defined(__x86_64__)
enum { IMAGE_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { IMAGE_MACHINE = EM_AARCH64 };
#else
enum { IMAGE_MACHINE = EM_NONE };
#endif

/* A function in the image, at offset value. */
struct image_symbol {
	const char *name;
	uint64_t value;
};

/* Appends the image of an object file to `image`, which is empty.  machine: the architecture that the object has to be
 * for, EM_X86_64 or EM_AARCH64.  Sets the values of the `count` functions, which the object defines.  outside: the
 * names of the functions that the object may call; for each that it calls, a struct compiled_link with the index of its
 * name is appended to `links`.  False, with the reason in why, if the object needs more, or without memory. */
bool image_make(unsigned machine, const char *object, size_t size_B, struct image_symbol *functions, uint32_t count,
		const char *const *outside, uint32_t outside_count, struct bytes *image, struct bytes *links,
		struct bytes *why);

#endif
