/* The address of an element as a sum, inside the frontend: a base, what depends on the work-item or on other values,
 * and a number of bytes, as in "table + 4 * get_local_id(0) + 64".
 *
 * Addresses of local memory have 32 bits, so sums are those of 32 bits, whatever the width of the indices.
 *
 * Thread-safety: as the module's, one thread at a time.  The values belong to the module. */
#ifndef CULVERT_FRONTEND_ELEMENT_ADDRESS_H
#define CULVERT_FRONTEND_ELEMENT_ADDRESS_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include <stdbool.h>
#include <stdint.h>

enum {
	ADDRESS_TERMS_MAX = 6,
	/* An index may be one of two values ("i < n ? i : i + 32"); an address has so many forms at most. */
	ADDRESS_FORMS_MAX = 4
};

struct address_term {
	LLVMValueRef value;
	uint32_t scale_B;
};

struct element_address {
	LLVMValueRef base;
	struct address_term terms[ADDRESS_TERMS_MAX];
	unsigned count;
	uint32_t offset_B;
};

/* Returns the number of forms of a pointer's address, at least 1; 0 if the address has too many terms. */
unsigned fe_element_address(LLVMTargetDataRef layout, LLVMValueRef pointer,
			    struct element_address forms_out[ADDRESS_FORMS_MAX]);

/* Whether both have the same base; then difference_out is what has to be added to one to get other: its terms and
 * offset_B. */
bool fe_element_distance(const struct element_address *one, const struct element_address *other,
			 struct element_address *difference_out);

/* Whether a term is one more for the next work-item of a warp, or for most of them ("get_local_id(0) % 64").  For a
 * parameter, the calls of the function decide. */
bool fe_counts_work_items(LLVMValueRef term);

/* Whether a term is what loops and functions that put together the values of a warp add to an index: a value that
 * each turn halves or doubles, or a parameter for which some call has a constant below 32. */
bool fe_is_step_of_exchange(LLVMValueRef term);

#endif
