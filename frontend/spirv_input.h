/* Inside the SPIR-V reader: built-in variables (OpenCL SPIR-V environment 3.0, 2.9), which are the work-item
 * functions of OpenCL C 3.0, 6.15.1, and the masks of 6.15.19.4.
 *
 * A variable that is only loaded becomes calls of these functions.  One whose address is used becomes, in each
 * function that does so, a private variable with the value; modules of SYCL have such variables in any storage
 * class, and take their addresses.  Constant addresses in one (OpSpecConstantOp) are made in each function, too.
 *
 * Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_INPUT_H
#define CULVERT_FRONTEND_SPIRV_INPUT_H

#include "frontend/spirv_reader.h"

/* Whether an id is a built-in variable, and whether it is one or a pointer into one. */
bool spirv_is_input(const struct spirv_module *module, uint32_t id);
bool spirv_points_to_input(const struct spirv_module *module, uint32_t id);
/* Whether an id is an OpSpecConstantOp that gives a pointer into a built-in variable. */
bool spirv_is_input_constant(const struct spirv_module *module, uint32_t id);

/* The variable's value, or one element of it; NULL with a message. */
LLVMValueRef spirv_input_value(struct spirv_reader *reader, uint32_t id);
LLVMValueRef spirv_input_element(struct spirv_reader *reader, uint32_t id, uint32_t index);

/* Makes private variables, in the entry of the function that begins, for those whose addresses its
 * instructions from word at to word end use; and forgets them again. */
bool spirv_inputs_begin(struct spirv_reader *reader, size_t at, size_t end);
void spirv_inputs_end(struct spirv_reader *reader);

/* Notes a whole value that was loaded, of which maybe only elements are used; what nobody uses is taken away
 * when the function ends. */
bool spirv_input_note(struct spirv_reader *reader, LLVMValueRef value);

#endif
