/* Kernels of modules: what CUfunction and CUkernel stand for, their attributes and how many fit on a
 * multiprocessor. */
#ifndef CULVERT_SOFTCUDA_DRIVER_ENTRY_H
#define CULVERT_SOFTCUDA_DRIVER_ENTRY_H

#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"

#include <stddef.h>
#include <stdint.h>

struct soft_context;
struct soft_entry;

/* A CUfunction, or a CUkernel as loaded in context. */
CUresult soft_entry_find_locked(struct soft_context *context, CUfunction cu_function,
				struct soft_entry **entry_out);
uint32_t soft_entry_max_threads(const struct soft_entry *entry);
/* CU_FUNC_ATTRIBUTE_*. */
CUresult soft_entry_attribute(const struct soft_entry *entry, CUfunction_attribute attribute,
			      int *value_out);
CUresult soft_entry_set_attribute(struct soft_entry *entry, CUfunction_attribute attribute,
				  int value);
CUresult soft_entry_parameter(const struct soft_entry *entry, size_t index, size_t *offset_out,
			      size_t *size_B_out);
/* Work-groups of that shape that fit on a multiprocessor at once. */
uint32_t soft_entry_occupancy(const struct soft_entry *entry, uint32_t threads,
			      uint64_t dynamic_shared_B);

#endif
