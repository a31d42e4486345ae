/* The CUDA driver library and its entries, found at run time.
 *
 * CULVERT_CUDA chooses the library: auto and driver mean libcuda.so.1, soft the
 * software driver that lies beside our own library, anything else is a path.
 * The library stays loaded as long as the process lives: its threads may not
 * lose their code.
 *
 * gpu_symbols_load is called once, before any other thread can see a device;
 * afterwards the table is only read. */
#ifndef CULVERT_BACKEND_CUDA_SYMBOLS_H
#define CULVERT_BACKEND_CUDA_SYMBOLS_H

#include "base/bytes.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct cuda_symbols {
#define CUDA_SYMBOL(name, need, parameters) CUresult (CUDAAPI *name) parameters;
#include "backend/cuda_symbols.def"
#undef CUDA_SYMBOL
};

extern struct cuda_symbols cuda;
/* The software driver's culvert_soft_note_memory (softcuda/control.h); NULL: it is another driver. */
extern void (*cuda_note_memory)(uint64_t address, uint64_t size_B, unsigned what);

struct gpu_library {
	bool software;            /* our own software driver */
	char version[64];         /* the driver's version by its file name; "" when not told */
};

/* False when there is no usable library; note gets the reason, or on success
 * the file that serves. */
bool gpu_symbols_load(struct gpu_library *library_out, struct bytes *note);

#endif
