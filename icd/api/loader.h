/* Recognises an ICD loader with a bug. */
#ifndef CULVERT_ICD_LOADER_H
#define CULVERT_ICD_LOADER_H

#include <stdbool.h>

/* Whether the code at an address is that of ocl-icd 2.3.3.  That version gives a platform the address of its dispatch
 * data (cl_khr_icd 2.0) and then sorts its platforms, so that another platform's data is at that address: a call
 * through it ends the program if that platform supports cl_khr_icd 1.0 alone (OCL-dev/ocl-icd, issue 39; fixed in
 * 2.3.4).
 *
 * Debian 13 has that version.  The loader's functions cannot be called while it looks for platforms; therefore its
 * strings are searched for in memory.  Thread-safe. */
bool ocl_loader_moves_dispatch_data(const void *code);

#endif
