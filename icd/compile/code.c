#include "config.h"

#include "icd/compile/code.h"

#include "frontend/ptx_start.h"

#include <stdlib.h>

struct ocl_code *ocl_code_create(void)
{
	struct ocl_code *code = calloc(1, sizeof(*code));
	if (code)
		atomic_init(&code->refs, 1);
	return code;
}

struct ocl_code *ocl_code_ref(struct ocl_code *code)
{
	atomic_fetch_add_explicit(&code->refs, 1, memory_order_relaxed);
	return code;
}

void ocl_code_unref(struct ocl_code *code)
{
	if (!code || atomic_fetch_sub_explicit(&code->refs, 1, memory_order_acq_rel) != 1)
		return;
	abi_program_destroy(code->abi);
	packed_bytes_finish(&code->object);
	packed_bytes_finish(&code->ptx);
	bytes_finish(&code->cubin);
	bytes_finish(&code->log);
	free(code);
}

bool ocl_code_fits(const struct ocl_code *code, unsigned sm)
{
	return !packed_bytes_empty(&code->ptx) && code->sm == sm && code->ptx_sm <= code->sm;
}

bool ocl_code_is_split(const struct ocl_code *code)
{
	return code->abi && code->choice.optimization && fe_ptx_is_split(code->abi);
}

const struct bytes *ocl_code_plain_ptx(struct ocl_code *code, struct bytes *made)
{
	const struct bytes *ptx = packed_bytes_open(&code->ptx);
	bool changed = ptx && ocl_code_is_split(code) && fe_ptx_without_start(code->abi, ptx, made);
	if (bytes_failed(made))
		return NULL;
	return changed ? made : ptx;
}
