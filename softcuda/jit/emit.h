/* A plan becomes LLVM IR: a function for each region, which runs parts of a work-group one after the other.
 *
 * A value that all lanes have alike, or that grows by a stride from lane to lane, is a scalar: the first lane's.  Any
 * other is a vector with an element for each lane of the part.  Registers are integers everywhere; who wants floats
 * casts bits.  Every web has a stack slot, which LLVM's own passes turn into values.
 *
 * One emitter, one thread; all of it belongs to one LLVM context. */
#ifndef CULVERT_SOFTCUDA_JIT_EMIT_H
#define CULVERT_SOFTCUDA_JIT_EMIT_H

#include "softcuda/exec/compiled.h"
#include "softcuda/jit/plan.h"

#include <llvm-c/Core.h>

typedef LLVMValueRef value;

/* How parts have ended so far, as the function's result: nothing yet. */
enum { EMIT_STATE_NONE = 0xffff };

/* The functions of struct compiled_host. */
enum emit_help { HELP_CALL, HELP_ACCESS, HELP_LEAVING, HELP_LEAVE, HELP_END, HELP_TIRED };

struct emitter {
	const struct plan *plan;
	const struct compiled_host *host;
	const struct plan_region *region;
	struct compiled *compiled;        /* what the module is made for: slots are added to it */
	uint32_t *slot_of;                /* op -> slot, plus one; 0: it has none yet */
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, pointer;
	/* Of the function. */
	value function;
	LLVMBasicBlockRef head;           /* before the loop over parts: what all parts share */
	LLVMBasicBlockRef first_block, next_part;  /* of the loop over parts */
	value group, launch, job;         /* arguments of the function, and what they point to */
	value shared, shared_B, parameters, constants;
	value part, warp, first_lane;     /* of the loop over parts: a number; a pointer; 0 but for parts of a warp */
	value registers, local, local_stride;
	value *slot_start, *slot_size;    /* by slot: what is known of memory when the function begins */
	value *webs;                      /* stack slots; NULL: not used in this region yet */
	value *masks;                     /* by node: stack slots of the lanes that wait there */
	value live, budget, state;        /* stack slots: lanes that have not ended; turns of loops; how parts ended */
	LLVMBasicBlockRef *starts;        /* by node */
	/* Of the node. */
	uint32_t node;
	value now;                        /* the lanes that run it */
	bool failed;                      /* memory ran out */
	uint64_t *set;                    /* room for a set of webs, and for a set of nodes */
	uint64_t *rest;
};

/* --- types and constants ---------- */

LLVMTypeRef emit_integer(const struct emitter *e, unsigned bits);
/* A vector of them, or the scalar itself. */
LLVMTypeRef emit_type(const struct emitter *e, LLVMTypeRef element, bool scalar);
/* The number as a constant like `like`, whose elements are integers. */
value emit_number(const struct emitter *e, value like, uint64_t number);
value emit_i32(const struct emitter *e, uint32_t number);
value emit_i64(const struct emitter *e, uint64_t number);
/* All elements alike. */
value emit_splat(const struct emitter *e, value scalar);
/* A vector of base + l * stride. */
value emit_row(const struct emitter *e, value base, int64_t stride);
bool emit_is_scalar(value v);
/* A call of an intrinsic function for the type of the first operand; returns its result. */
value emit_intrinsic(const struct emitter *e, const char *name, LLVMTypeRef *overloads, unsigned overload_count,
		     value *operands, unsigned count);
value emit_unary(const struct emitter *e, const char *name, value a);
value emit_binary(const struct emitter *e, const char *name, value a, value b);
/* The byte `offset_B` behind a pointer, and what lies there. */
value emit_at(const struct emitter *e, value pointer, value offset_B);
value emit_field(const struct emitter *e, LLVMTypeRef type, value pointer, size_t offset_B);
value emit_slot(const struct emitter *e, LLVMTypeRef type, const char *name);
/* A call of one of the host's functions; those that return something return 32 bits. */
value emit_help(const struct emitter *e, enum emit_help which, value *operands, unsigned count);

/* --- masks ---------- */

value emit_any(const struct emitter *e, value mask);
/* The lanes of a mask as bits of the warp's. */
value emit_lanes(const struct emitter *e, value mask);
/* The lanes of a part whose bits are set, the first lane's as bit 0 of 32. */
value emit_mask(const struct emitter *e, value bits);
value emit_no_lanes(const struct emitter *e);
/* The lowest lane of a mask, which is not empty: a scalar of 32 bits. */
value emit_lowest_lane(const struct emitter *e, value mask);

/* --- operands and results ---------- */

/* Whether all lanes have operand k alike; whether the op is done once for all of them. */
bool emit_is_uniform(const struct emitter *e, uint32_t op, unsigned k);
bool emit_is_linear(const struct emitter *e, uint32_t op, unsigned k, int64_t *stride_out);
bool emit_once(const struct emitter *e, uint32_t op);
/* Operand k: a scalar or a vector as `scalar` says; bits, as whoever looks at them finds them. */
value emit_operand(struct emitter *e, uint32_t op, unsigned k, bool scalar);
/* The same as a float, whose bits, if it is a NaN, may be any. */
value emit_float_operand(struct emitter *e, uint32_t op, unsigned k, bool scalar, LLVMTypeRef type);
/* Result k, of the lanes that run the op. */
void emit_result(struct emitter *e, uint32_t op, unsigned k, value v);
void emit_float_result(struct emitter *e, uint32_t op, value v);
/* A web's value as a vector, or as it is in its slot. */
value emit_web(struct emitter *e, uint32_t web, bool scalar);
void emit_web_set(struct emitter *e, uint32_t web, value v);
/* The lanes that run op: those of the node that its guard lets. */
value emit_guarded(struct emitter *e, uint32_t op);

/* --- the frame ---------- */

/* Into the frame's registers, where the interpreter finds them, and back. */
void emit_save(struct emitter *e, uint32_t web, bool for_interpreter);
/* The same for the interpreter, of the lanes of a mask alone. */
void emit_save_lanes(struct emitter *e, uint32_t web, value mask);
value emit_load_saved(struct emitter *e, uint32_t web, bool scalar);

/* --- ops ---------- */

void emit_op(struct emitter *e, uint32_t op);
bool emit_integer_op(struct emitter *e, uint32_t op);
bool emit_float_op(struct emitter *e, uint32_t op);
bool emit_move_op(struct emitter *e, uint32_t op);
bool emit_convert_op(struct emitter *e, uint32_t op);
bool emit_special_op(struct emitter *e, uint32_t op);
bool emit_memory_op(struct emitter *e, uint32_t op);
/* The interpreter's handler does it, for these lanes.  slot: of memory, looked up anew by the way; PLAN_NONE. */
void emit_call(struct emitter *e, uint32_t op, value mask, uint32_t slot);
/* Puts a float, but for lanes in doubt: if one of these runs the op, the handler does it for all that do.  The operands are
 * read before the result is put, which may have the web of one of them. */
void emit_float_unless(struct emitter *e, uint32_t op, value f, value doubt);
/* A float as the one NaN if it is one. */
value emit_one_nan(const struct emitter *e, value bits, LLVMTypeRef type);
/* If condition, a scalar, holds, the interpreter goes on with op, with all lanes of the part where they are. */
void emit_leave_if(struct emitter *e, value condition, uint32_t op);
/* A linear operand k of 32 bits is about to be one of 64: its stride holds only if no lane of it runs over. */
void emit_guard_extension(struct emitter *e, uint32_t op, unsigned k, bool is_signed);
/* An integer in more or fewer bits. */
value emit_resize(const struct emitter *e, value v, unsigned from, unsigned bits, bool is_signed);
/* The slot of what an access looks up. */
uint32_t emit_memory_slot(struct emitter *e, uint32_t op);

/* --- flow ---------- */

/* Makes the function of an entry; NULL when memory ran out. */
value emit_region(struct emitter *e, uint32_t entry, const char *name);
LLVMBasicBlockRef emit_block(const struct emitter *e, const char *name);
/* Branches: to `seldom` if condition holds, which it does seldom. */
void emit_unlikely(const struct emitter *e, value condition, LLVMBasicBlockRef seldom, LLVMBasicBlockRef usual);
/* Ends the part and goes on with the next one: how it stands (exec/compiled.h). */
void emit_part_end(struct emitter *e, value how);
/* Ends the function: the handler has noted a fault, or the launch is to stop. */
void emit_fault(struct emitter *e);

#endif
