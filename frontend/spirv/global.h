/* Built-in variables (OpenCL SPIR-V environment 3.0, 2.9): the work-item functions of OpenCL C 3.0, 6.15.1, and the
 * masks of 6.15.19.4.
 *
 * A load of a built-in variable becomes calls of these functions.  If the variable's address is used otherwise, each
 * function that does so gets a private variable with the value; modules of SYCL have built-in variables in any storage
 * class and take their addresses.  Constant addresses inside of one (OpSpecConstantOp) are made in each function as
 * well.
 *
 * Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_GLOBAL_H
#define CULVERT_FRONTEND_SPIRV_GLOBAL_H

#include "frontend/spirv/value.h"

/* Whether an id is a built-in variable. */
bool spirv_is_input(const struct spirv_module *module, uint32_t id);
/* Whether an id is a built-in variable or a pointer into one. */
bool spirv_points_to_input(const struct spirv_module *module, uint32_t id);

/* The value of a built-in variable, or one element of it; NULL with a message. */
LLVMValueRef spirv_input_value(struct spirv_reader *reader, uint32_t id);
LLVMValueRef spirv_input_element(struct spirv_reader *reader, uint32_t id, uint32_t index);

/* Makes private variables in the entry block of the function that begins, for the built-in variables whose addresses
 * its instructions (the words from at up to end) use.  False with a message. */
bool spirv_inputs_begin(struct spirv_reader *reader, size_t at, size_t end);
/* Forgets these variables at the end of the function, and erases noted values that nothing uses. */
void spirv_inputs_end(struct spirv_reader *reader);
/* Notes the value of a whole built-in variable that was loaded, of which the function may use only some elements. */
bool spirv_input_note(struct spirv_reader *reader, LLVMValueRef value);

#endif
