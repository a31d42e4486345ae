/* Libraries of NVIDIA's driver: libcuda.so.1, libnvidia-nvvm.so.4.  Thread-safe. */
#ifndef CULVERT_BACKEND_DRIVER_LIBRARY_H
#define CULVERT_BACKEND_DRIVER_LIBRARY_H

#include "base/bytes.h"

/* Folders in which systems keep these libraries and which their dynamic linker may not search: absolute paths that
 * may be patterns of glob, each with what it is of.  The last has no path. */
struct driver_folder {
	const char *path, *system;
};
extern const struct driver_folder driver_folders[];

/* Opens the library of this name where the dynamic linker finds it, else in driver_folders below root, which is ""
 * but in tests.  A handle of dlopen; NULL with the linker's reason, and that of each file that was there, in note. */
void *driver_library_open(const char *name, const char *root, struct bytes *note);

#endif
