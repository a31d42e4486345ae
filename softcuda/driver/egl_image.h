/* EGL images that CUDA uses (cudaEGL.h).
 *
 * A registered image has one part, whose array lasts as long as the registration.  With NVIDIA's driver that is the
 * image's own memory; here, a copy reads the image before it reads the array, and writes the image after it has written
 * the array.  Other operations do not see the image.
 *
 * Thread-safe; called without the driver's lock.  CUDA_ERROR_UNKNOWN for what is no image, as NVIDIA's driver. */
#ifndef CULVERT_SOFTCUDA_DRIVER_EGL_IMAGE_H
#define CULVERT_SOFTCUDA_DRIVER_EGL_IMAGE_H

#include "softcuda/driver/graphics.h"

/* Finds the display of the image that the part names, and gives the part a texture that keeps the image alive; its size
 * and format, also in part->image.
 * CUDA_ERROR_INVALID_VALUE for a format that is not shared. */
CUresult soft_egl_begin(struct soft_graphics_part *part, CUDA_ARRAY3D_DESCRIPTOR *descriptor_out);
/* The texture goes. */
void soft_egl_end(struct soft_graphics_part *part);
/* Copy all texels between the image and memory, which has the pitch of the part's array.  CUDA_ERROR_UNKNOWN: the
 * application has terminated the display. */
CUresult soft_egl_read(struct soft_graphics_part *part, void *memory);
CUresult soft_egl_write(struct soft_graphics_part *part, void *memory);

#endif
