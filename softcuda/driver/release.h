/* The release of the driver that softcuda acts as: CULVERT_SOFT_DRIVER, a number as cuDriverGetVersion
 * gives it.  An older release has fewer functions and attributes, reads older PTX and knows fewer GPUs. */
#ifndef CULVERT_SOFTCUDA_DRIVER_RELEASE_H
#define CULVERT_SOFTCUDA_DRIVER_RELEASE_H

#include <stdbool.h>

/* As cuDriverGetVersion: 1000 * major + 10 * minor; 0 where the variable names no release
 * that softcuda knows, which has been logged.  Any thread. */
int soft_release(void);
/* The newest PTX that it reads: 10 * major + minor. */
unsigned soft_release_ptx(void);
/* Whether it drives devices of this compute capability (10 * major + minor). */
bool soft_release_drives(unsigned sm);

#endif
