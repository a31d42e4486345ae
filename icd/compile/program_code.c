#include "config.h"

#include "icd/program/program.h"

#include "base/pack.h"
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

static void unpacked_destroy(struct bytes *bytes)
{
	if (bytes)
		bytes_finish(bytes);
	free(bytes);
}

const struct bytes *ocl_part_bytes(struct ocl_part *part)
{
	struct bytes *none = NULL;
	struct bytes *open = atomic_load_explicit(&part->unpacked, memory_order_acquire);
	if (!part->packed || open)
		return open ? open : &part->bytes;
	open = calloc(1, sizeof(*open));
	const bool whole = open && unpack(part->bytes.data, part->bytes.size_B, open);
	if (whole && atomic_compare_exchange_strong(&part->unpacked, &none, open))
		return open;
	/* It cannot be had, or another thread was quicker. */
	unpacked_destroy(open);
	return none;
}

static void part_finish(struct ocl_part *part)
{
	unpacked_destroy(atomic_load_explicit(&part->unpacked, memory_order_relaxed));
	bytes_finish(&part->bytes);
}

void ocl_code_unref(struct ocl_code *code)
{
	if (!code || atomic_fetch_sub_explicit(&code->refs, 1, memory_order_acq_rel) != 1)
		return;
	abi_program_destroy(code->abi);
	part_finish(&code->object);
	part_finish(&code->ptx);
	bytes_finish(&code->cubin);
	bytes_finish(&code->log);
	free(code);
}

bool ocl_code_is_split(const struct ocl_code *code)
{
	return code->abi && code->optimization && fe_ptx_is_split(code->abi);
}

const struct bytes *ocl_code_plain_ptx(struct ocl_code *code, struct bytes *made)
{
	const struct bytes *ptx = ocl_part_bytes(&code->ptx);
	bool changed = ptx && ocl_code_is_split(code) && fe_ptx_without_start(code->abi, ptx, made);
	if (bytes_failed(made))
		return NULL;
	return changed ? made : ptx;
}
