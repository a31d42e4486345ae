/* The CUDA driver library and its functions, which are found at run time.
 *
 * CULVERT_CUDA chooses the library: auto and driver mean libcuda.so.1, soft means the software driver beside Culvert's
 * own library, anything else is a path.  The library stays loaded as long as the process lives, because its threads
 * need its code.
 *
 * gpu_symbols_load is called once, before any other thread can use a device; after that the table is only read. */
#ifndef CULVERT_BACKEND_CUDA_SYMBOLS_H
#define CULVERT_BACKEND_CUDA_SYMBOLS_H

#include "base/bytes.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct cuda_egl_frame;

struct cuda_symbols {
#define CUDA_SYMBOL(name, need, parameters) CUresult (CUDAAPI *name) parameters;
#include "backend/cuda_symbols.def"
#undef CUDA_SYMBOL
};

extern struct cuda_symbols cuda;
/* softcuda's culvert_soft_note_memory (softcuda/control.h); NULL with other drivers. */
extern void (*cuda_note_memory)(uint64_t address, uint64_t size_B, unsigned what);
/* softcuda's culvert_soft_rest; NULL with other drivers, and with earlier versions of softcuda. */
extern int (*cuda_rest)(void *event, uint64_t most_ns);

/* Whether the driver is softcuda. */
static inline bool cuda_is_software(void)
{
	return cuda_note_memory;
}

struct gpu_library {
	bool software;            /* the library is softcuda */
	char version[64];         /* the driver's version, from the library's file name; "" if that has none */
};

/* Loads the library and finds its functions.  False if there is no usable library.  note: the reason, or on success the
 * library's file. */
bool gpu_symbols_load(struct gpu_library *library_out, struct bytes *note);

#endif
