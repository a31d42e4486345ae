/* Inside the road from SPIR-V to OpenCL C: functions and kernels (spirv_module.h).
 *
 * A module's variables of the work-group belong to a kernel in OpenCL C: each kernel declares what
 * it and its callees use, and functions get pointers to them behind their parameters.
 * Built-in variables are variables of each function that reads them.
 *
 * Thread-safety: none; one owner. */
#ifndef CULVERT_FRONTEND_SPIRV_FUNCTION_H
#define CULVERT_FRONTEND_SPIRV_FUNCTION_H

#include "frontend/spirv_module.h"

/* Of a work-group: numbers, or ids of constants (LocalSizeId). */
struct spirv_sizes {
	uint32_t size[3];           /* the first is 0: not said */
	bool by_id;
};

struct spirv_function {
	uint32_t id;
	size_t at, end;             /* words of the module: OpFunction, and behind OpFunctionEnd */
	bool has_body;
	uint32_t *locals;           /* owned; ids of variables of the module, see above */
	size_t local_count;
	/* What OpExecutionMode asks for; 0: nothing. */
	struct spirv_sizes local_size;
	struct spirv_sizes local_size_hint;
	uint32_t sub_group_size;
};

/* NULL when there is none. */
struct spirv_function *spirv_function_find(struct spirv_function *functions, size_t count,
					   uint32_t id);

/* Finds the variables that a function names itself, then, until nothing changes, those of the
 * functions that it calls.  False when out of memory. */
bool spirv_function_scan(struct spirv_writer *writer, struct spirv_function *function);
bool spirv_function_inherit(struct spirv_writer *writer, struct spirv_function *functions,
			    size_t count, struct spirv_function *function, bool *changed);

enum spirv_written spirv_function_declare(struct spirv_writer *writer,
					  const struct spirv_function *function);
/* entry: the kernel that it is then; NULL: a function. */
enum spirv_written spirv_function_define(struct spirv_writer *writer,
					 struct spirv_function *functions, size_t function_count,
					 const struct spirv_function *function,
					 const struct spirv_entry *entry);

#endif
