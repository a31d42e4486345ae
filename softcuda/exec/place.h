/* Where addresses of kernels lie, and how to say so.  For reports, not for speed.
 * Thread-safety: by whoever owns the warp. */
#ifndef CULVERT_SOFTCUDA_EXEC_PLACE_H
#define CULVERT_SOFTCUDA_EXEC_PLACE_H

#include "softcuda/exec/warp.h"

enum place_space { PLACE_GLOBAL, PLACE_SHARED, PLACE_LOCAL, PLACE_PARAM };

/* What a place in host memory is to lane l; *offset_B_out from the start of that space, or of PLACE_GLOBAL the
 * place itself. */
enum place_space exec_place(const struct warp *warp, unsigned l, uint64_t place, uint64_t *offset_B_out);

/* Where shared variable i of the program lies in the launch's shared memory; false when the kernel does not use
 * it. */
bool exec_shared_extent(const struct job *job, uint32_t i, struct range *range_out);
/* The shared variable at an offset of a work-group's local memory, and where it starts and ends; NULL:
 * there is none. */
const struct shared_variable *exec_shared_at(const struct job *job, uint64_t offset_B,
					     uint64_t *start_B_out, uint64_t *end_B_out);
/* Where variable i of a frame's function lies in private memory; false when it has no bytes. */
bool exec_frame_extent(const struct frame *frame, uint32_t i, struct range *range_out);

/* Appends ", 12 bytes into WHAT NAME of 64 bytes", or before, or behind it. */
void exec_describe_in(struct bytes *text, const struct range *range, uint64_t address, const char *what,
		      const char *name);
/* Appends "global address 0x7f0000000040, 8 bytes into the buffer #2 of 64 bytes (argument 0)" and the like. */
void exec_describe_global(const struct job *job, uint64_t address, struct bytes *text);
/* Appends "local address 0x40, 8 bytes into the local variable x of 64 bytes" and the like. */
void exec_describe_memory(const struct warp *warp, unsigned l, uint64_t place, struct bytes *text);
/* Appends the part behind the address for one as the program has it: an offset, or generic. */
void exec_describe_address(const struct warp *warp, const struct op *op, uint64_t address, uint32_t size_B,
			   struct bytes *text);

#endif
