/* A load or store that is being emitted: emit_memory.c finds out where it goes, and emit_access.c emits it. */
#ifndef CULVERT_SOFTCUDA_JIT_EMIT_ACCESS_H
#define CULVERT_SOFTCUDA_JIT_EMIT_ACCESS_H

#include "softcuda/jit/emit.h"

enum shape {
	SHAPE_SAME,               /* all lanes have the same address */
	SHAPE_NEXT,               /* the lanes' addresses are consecutive */
	SHAPE_ANY                 /* the lanes' addresses vary */
};

/* A load or store that is being emitted. */
struct access {
	struct emitter *e;
	const struct op *op;
	const struct jit_verb *verb;
	uint32_t number;          /* index of the op */
	unsigned count, total_B;  /* elements of a lane, and the size of all of them */
	bool is_private;          /* in private memory, or probably: by a generic address */
	enum shape shape;
	bool may_be_next;         /* of SHAPE_ANY: they may be consecutive nonetheless, which a test finds out */
	uint32_t span_B;          /* bytes accessed from `address` on: of all lanes for SHAPE_NEXT, else of one */
	bool is_offset;           /* `address` counts from the parameter that it is computed from */
	value address;            /* scalar or vector, with op->imm: i32 for shared memory, otherwise i64 */
	value mask;               /* the lanes that access */
	struct emit_rows rows;    /* of places that may be in rows */
};

/* Emit a load or store of the lanes of access->mask, whose bytes are at `place` in the host's memory: an i64, or a
 * vector of them. */
void access_load(const struct access *access, value place);
void access_store(const struct access *access, value place);
/* The same of an atomic. */
void access_atomic(const struct access *access, value place);
/* The same where access->rows.known. */
void access_load_rows(const struct access *access);
void access_store_rows(const struct access *access);
/* Whether the addresses may be consecutive, or equal, in each row of the part. */
bool access_may_be_in_rows(const struct access *access);

#endif
