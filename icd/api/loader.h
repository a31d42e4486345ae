/* What is known of the ICD loader that calls us. */
#ifndef CULVERT_ICD_LOADER_H
#define CULVERT_ICD_LOADER_H

#include <stdbool.h>

/* Whether the code at an address is that of ocl-icd 2.3.3.  It hands out the place of a platform's dispatch
 * data (cl_khr_icd 2.0) and sorts its platforms afterwards, so that the place is another
 * platform's from then on: a call through it ends the program where that platform is of cl_khr_icd 1.0
 * (OCL-dev/ocl-icd, issue 39; mended in 2.3.4).
 *
 * Debian 13 has that version.  The loader cannot be asked while it looks for platforms; its strings
 * are looked at where they lie in memory.  Thread-safe. */
bool ocl_loader_moves_dispatch_data(const void *code);

#endif
