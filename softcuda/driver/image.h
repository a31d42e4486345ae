/* The images from which modules are loaded: PTX, or a container of the linker with PTX in it; and the options of
 * CUDA's JIT calls. */
#ifndef CULVERT_SOFTCUDA_DRIVER_IMAGE_H
#define CULVERT_SOFTCUDA_DRIVER_IMAGE_H

#include "base/bytes.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"
#include "softcuda/exec/exec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How much of text to print in a log's line: all but the line ends behind it. */
static inline int soft_line_length(const struct bytes *text)
{
	size_t length_B = text->size_B;
	while (length_B && text->data[length_B - 1] == '\n')
		length_B--;
	return length_B < INT32_MAX ? (int)length_B : INT32_MAX;
}

/* Puts PTX into a container, which stands for a cubin. */
void soft_image_wrap(struct bytes *image, const char *ptx, size_t size_B);
/* Returns the PTX in an image. size_B 0: the size is unknown, and the image is trusted.  CUDA_ERROR_INVALID_IMAGE,
 * CUDA_ERROR_NO_BINARY_FOR_GPU with a reason in log. */
CUresult soft_image_open(const void *image, size_t size_B, struct bytes *log,
			 const char **ptx_out, size_t *ptx_size_B_out);

/* ptx_parse, with the gaps that CULVERT_SOFT_CHECK asks for. */
CUresult soft_image_parse(const char *ptx, size_t size_B, struct bytes *log,
			  struct soft_program **program_out);

/* The CU_JIT_* options that have an effect here. */
struct soft_jit {
	char *info_log, *error_log;          /* the caller's buffers */
	size_t info_size_B, error_size_B;
	void **info_size_out, **error_size_out, **wall_time_out;
	uint64_t start_ns;
	bool verbose;
};

/* CUDA_ERROR_INVALID_VALUE for an option that CUDA does not define. */
CUresult soft_jit_read(struct soft_jit *jit, unsigned count, const CUjit_option *options,
		       void **values);
/* Writes both logs and the times where the caller wants them. */
void soft_jit_report(struct soft_jit *jit, const char *info, const char *error);

#endif
