/* The emitter translates a plan (plan.h) to LLVM IR.  It makes a function for each region; the function runs parts
 * of a work-group one after the other.
 *
 * A uniform value, or a linear one, which grows by a stride from lane to lane, is represented by a scalar: the
 * value of the part's first lane.  Any other value is a vector with an element for each lane of the part.
 * Registers have integer types everywhere; code that needs floats bitcasts them.  Each web has a stack slot (an
 * alloca), which LLVM's passes promote to SSA values.
 *
 * An emitter is used by one thread.  Its module, builder, types and values belong to one LLVM context. */
#ifndef CULVERT_SOFTCUDA_JIT_EMIT_H
#define CULVERT_SOFTCUDA_JIT_EMIT_H

#include "softcuda/exec/compiled.h"
#include "softcuda/jit/plan.h"

#include <llvm-c/Core.h>

typedef LLVMValueRef value;

/* The value of emitter.state while no part has ended yet. */
enum { EMIT_STATE_NONE = 0xffff };

/* The lanes of 32 bits in vectors of processors that can move a part of a vector's elements of 4 or 8 bytes (AVX2), and
 * of those that also store to as many addresses (AVX-512). */
enum { EMIT_MOVES_SOME = 8, EMIT_SCATTERS = 16 };

/* What the executor's functions among COMPILED_FUNCTIONS are called in IR. */
#define EMIT_EXECUTOR(name) "softcuda_" #name

struct emitter {
	const struct plan *plan;
	uint32_t level;                   /* compile_order.level */
	uint32_t native;                  /* lanes of 32 bits in the processor's vectors */
	const struct plan_region *region;
	struct compiled *compiled;        /* the compiled kernel's description; the emitter adds slots */
	uint32_t *slot_of;                /* by op: its memory slot plus one; 0: none yet */
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, pointer;
	/* The function that is being emitted. */
	value function;
	LLVMBasicBlockRef head;           /* runs once, before the loops over groups and parts */
	LLVMBasicBlockRef each;           /* runs once for each group, before the loop over its parts */
	LLVMBasicBlockRef first_block, next_part;  /* the first and the last of the loop over parts */
	LLVMBasicBlockRef parts_over;     /* behind that loop */
	LLVMBasicBlockRef fault;          /* returns after a fault; NULL: none yet */
	value group, launch, job;         /* the group, and what its fields point to */
	value warps, thread_count, shared, shared_B, parameters, constants;
	value group_x;                    /* the group's place in the grid's row */
	value part, first_lane;           /* the part's index, and its first lane's index in the warp */
	value warp, registers;            /* the warp and its registers, as these blocks have computed them */
	LLVMBasicBlockRef warp_block, registers_block;
	value local, local_stride;
	value *slot_start, *slot_size;    /* by slot: its range of memory, loaded in `head`; NULL: not loaded */
	value *pointers;                  /* by slot: the parameter that points to it; NULL: not loaded */
	value divided, divisor;           /* stack slots of operands that the executor divides; NULL: none yet */
	value stored_at, stored;          /* stack slots of what the executor stores, and where; NULL: none yet */
	value shuffled;                   /* stack slot for the values that a shuffle reads; NULL: none yet */
	value nowhere;                    /* stack slot for accesses of lanes that are not to access; NULL: none yet */
	value places, firsts;             /* stack slots: the addresses of an access that a watcher is told of, and
					   * those of its rows; NULL: none yet */
	value *webs;                      /* by web: its stack slot; NULL: not used in this region yet */
	value *masks;                     /* by node: stack slot with the mask of lanes that wait there */
	value live, budget, state;        /* stack slots: lanes not ended; loop iterations left; result */
	LLVMBasicBlockRef *starts;        /* by node: its first basic block */
	/* Of ops that are emitted a second time (emit_twice.c). */
	LLVMBasicBlockRef again;          /* the second code, to which tests that fail branch; NULL: not in the first */
	uint32_t again_first, again_end;  /* these ops */
	bool *tested;                     /* by op: an access that another one's test is for as well */
	value *kept;                      /* by web: its value before the ops; NULL: it is not kept */
	/* Of a turn that its loop may not have (emit_few.c). */
	value counts;                     /* a scalar: whether the loop has it; NULL: it has */
	value *turned;                    /* by web: scratch space for its value before the turn */
	value *lists;                     /* by web: a list of its values after each turn; NULL: none yet */
	/* The node that is being emitted. */
	uint32_t node;
	value now;                        /* mask of the lanes that run the node */
	uint64_t *set;                    /* scratch space for a set of webs */
	uint64_t *saved;                  /* webs that are saved for all lanes where a part is left */
	uint32_t *first_saved;            /* by register, whose size is 4 bytes or more: which of its webs is */
	uint64_t *rest;                   /* scratch space for a set of nodes */
};

/* The part's warp.  It is computed where it is needed, which most often is on slow paths. */
value emit_warp(struct emitter *e);

/* --- types and constants ---------- */

LLVMTypeRef emit_integer(const struct emitter *e, unsigned bits);
/* Returns the element type itself if scalar is set, otherwise a vector of it with an element for each lane. */
LLVMTypeRef emit_type(const struct emitter *e, LLVMTypeRef element, bool scalar);
/* A constant of the type of `like`, an integer or a vector of integers, whose elements are all `number`. */
value emit_number(const struct emitter *e, value like, uint64_t number);
/* The same of floats. */
value emit_real(value like, double number);
value emit_i32(const struct emitter *e, uint32_t number);
value emit_i64(const struct emitter *e, uint64_t number);
/* A vector whose elements are all `scalar`. */
value emit_splat(const struct emitter *e, value scalar);
/* A vector whose element for lane l is base + l * stride. */
value emit_row(const struct emitter *e, value base, int64_t stride);
bool emit_is_scalar(value v);
/* Calls an LLVM intrinsic, overloaded for the types in `overloads`, and returns its result.  emit_unary and
 * emit_binary overload it for the type of a. */
value emit_intrinsic(const struct emitter *e, const char *name, LLVMTypeRef *overloads, unsigned overload_count,
		     value *operands, unsigned count);
value emit_unary(const struct emitter *e, const char *name, value a);
value emit_binary(const struct emitter *e, const char *name, value a, value b);
/* emit_at returns the pointer plus offset_B bytes; emit_field loads a value of a type from there.  emit_slot allocates
 * a stack slot. */
value emit_at(const struct emitter *e, value pointer, value offset_B);
value emit_field(const struct emitter *e, LLVMTypeRef type, value pointer, size_t offset_B);
value emit_slot(const struct emitter *e, LLVMTypeRef type, const char *name);
/* Calls a function of COMPILED_FUNCTIONS, of that name in IR, which has at most EMIT_HELP_OPERANDS parameters. */
enum { EMIT_HELP_OPERANDS = 6 };
value emit_help(const struct emitter *e, LLVMTypeRef result, const char *name, value *operands, unsigned count);

/* --- masks: vectors of i1 with an element for each lane of the part ---------- */

/* Whether any lane is in a mask: a scalar i1. */
value emit_any(const struct emitter *e, value mask);
/* A mask as an i32 with a bit for each lane of the warp, of which those of other parts are 0. */
value emit_lanes(const struct emitter *e, value mask);
/* The mask of the lanes whose bits are set in an i32; bit 0 is the part's first lane. */
value emit_mask(const struct emitter *e, value bits);
value emit_all_lanes(const struct emitter *e);
value emit_no_lanes(const struct emitter *e);
/* The index in the part of a mask's lowest lane: a scalar i32.  The mask must not be empty. */
value emit_lowest_lane(const struct emitter *e, value mask);

/* --- operands and results ---------- */

/* Whether operand k of op is uniform; whether it is linear, with its stride; whether the op is computed once, on
 * scalars, rather than for each lane. */
bool emit_is_uniform(const struct emitter *e, uint32_t op, unsigned k);
bool emit_is_linear(const struct emitter *e, uint32_t op, unsigned k, int64_t *stride_out);
bool emit_once(const struct emitter *e, uint32_t op);
/* Operand k of op as an integer: a scalar if `scalar` is set, otherwise a vector.  If the operand's web may hold an
 * f32 NaN with any bits (web.any_nan), such a NaN is replaced by NAN_32, unless op only copies it to another such
 * web. */
value emit_operand(struct emitter *e, uint32_t op, unsigned k, bool scalar);
/* Operand k of op as a float of `type`.  The bits of an f32 NaN are unspecified. */
value emit_float_operand(struct emitter *e, uint32_t op, unsigned k, bool scalar, LLVMTypeRef type);
/* Assigns v to result k of op in the lanes that run op.  Other lanes keep their old values where these are needed.
 * emit_float_result assigns a float to result 0. */
void emit_result(struct emitter *e, uint32_t op, unsigned k, value v);
void emit_float_result(struct emitter *e, uint32_t op, value v);
/* emit_web loads a web's value from its stack slot.  scalar: the first lane's value, of a linear web; otherwise a
 * vector.  emit_web_set assigns a value to a web in all lanes, emit_web_clear 0.  emit_offset loads the offset that a
 * web is (web.is_offset). */
value emit_web(struct emitter *e, uint32_t web, bool scalar);
void emit_web_set(struct emitter *e, uint32_t web, value v);
void emit_web_clear(struct emitter *e, uint32_t web);
value emit_offset(struct emitter *e, uint32_t web, bool scalar);
/* emit_stored loads what is stored for a web: its value as an integer; of an offset, the offset.  emit_store stores
 * it. */
value emit_stored(struct emitter *e, uint32_t web);
void emit_store(struct emitter *e, uint32_t web, value v);
/* Assigns the sum of operand k of op and `other`, or their difference, to result 0, if that is an offset in the memory
 * that operand k is an address in: it is computed without the address.  other: NULL: 0.  False if it is no such
 * offset. */
bool emit_offset_sum(struct emitter *e, uint32_t op, unsigned k, bool subtract, value other);
/* The mask of the lanes that run op: those of the node for which op's guard holds. */
value emit_guarded(struct emitter *e, uint32_t op);

/* --- the frame ---------- */

/* Stores a web's value in the register of the frame that the interpreter uses for it, for all lanes of the part.
 * Without for_interpreter only the first lane of a linear web is stored, unless it is a predicate. */
void emit_save(struct emitter *e, uint32_t web, bool for_interpreter);
/* As emit_save for the interpreter, but stores only the lanes of a mask. */
void emit_save_lanes(struct emitter *e, uint32_t web, value mask);
/* Loads a web's value from the frame: the first lane's if `scalar` is set, otherwise a vector. */
value emit_load_saved(struct emitter *e, uint32_t web, bool scalar);

/* --- ops ---------- */

/* Whether an op is a load or store of memory. */
bool emit_is_access(const struct emitter *e, uint32_t op);
/* Emits the ops of a block, and what its last op does. */
void emit_block_ops(struct emitter *e, uint32_t block);
/* Emits what the last op of a block does; that it sends its lanes to the next block. */
void emit_block_end(struct emitter *e, const struct plan_block *block);
void emit_go_on(struct emitter *e, const struct plan_block *block);
/* Whether a block is a loop whose turns emit_few_turns emits.  It emits them, and branches to `loop` if the loop has
 * turns left, and otherwise to `done`. */
bool emit_has_few_turns(struct emitter *e, uint32_t block);
void emit_few_turns(struct emitter *e, uint32_t block, LLVMBasicBlockRef loop, LLVMBasicBlockRef done);
/* The stack slot with the mask of the lanes that wait at a node. */
value emit_mask_slot(struct emitter *e, uint32_t node);
/* Branches to the first node, in the region's order, among the targets and the nodes where lanes may wait.  If there is
 * none, the part has ended. */
void emit_step(struct emitter *e, const uint32_t *targets, unsigned count);
/* emit_op emits any op.  The functions that return bool emit the ops of one family; they return false for an op
 * that they do not handle. */
void emit_op(struct emitter *e, uint32_t op);
bool emit_integer_op(struct emitter *e, uint32_t op);
bool emit_float_op(struct emitter *e, uint32_t op);
bool emit_move_op(struct emitter *e, uint32_t op);
bool emit_convert_op(struct emitter *e, uint32_t op);
bool emit_special_op(struct emitter *e, uint32_t op);
bool emit_memory_op(struct emitter *e, uint32_t op);
bool emit_together_op(struct emitter *e, uint32_t op);
bool emit_half_op(struct emitter *e, uint32_t op);
/* Emits a call of the interpreter's handler, which runs op for the lanes of a mask.  slot: the memory slot that the
 * host fills from this access; PLAN_NONE for other ops. */
void emit_call(struct emitter *e, uint32_t op, value mask, uint32_t slot);
/* Saves the operands of op in the frame, for all lanes of the part. */
void emit_save_operands(struct emitter *e, uint32_t op);
/* Loads the results of op, which the executor has written for the lanes of mask alone. */
void emit_load_results(struct emitter *e, uint32_t op, value mask);
/* Ends the function if a function of the executor has noted a fault. */
void emit_fault_if(struct emitter *e, value noted);
/* The index of the element that an access is of, which is in the memory of a parameter: the 32 bits of a web, signed
 * or not, and `more`.  definition: the op that has assigned the web; PLAN_NONE: none of those that are emitted. */
enum { EMIT_INDEX_MORE = 1024 };
struct emit_index {
	bool is_signed;
	uint32_t web, definition, more;
};
/* Finds the index of an access, if op.again is set; false if there is none that is known. */
bool emit_find_index(const struct emitter *e, uint32_t access, struct emit_index *index);
/* The op, from e->again_first on, that a web's value at op `before` comes from, if it is one of a verb, of so many
 * bits, and without a guard; otherwise PLAN_NONE. */
uint32_t emit_definition_by(const struct emitter *e, uint32_t web, uint32_t before, enum verb verb, unsigned bits);
/* An index or an offset, or 0 in a turn that does not count. */
value emit_if_counts(const struct emitter *e, value number);
/* Whether indices differ by `more` at most. */
bool emit_same_index(const struct emit_index *a, const struct emit_index *b);
/* The rows of a part whose lanes are in several rows of the work-group (plan.row), for one access (emit_rows.c). */
enum { EMIT_ROWS = 4 };
struct emit_rows {
	unsigned row, count;              /* lanes of a row, and the number of rows; 0: this is not known */
	value first[EMIT_ROWS];           /* the place of each row's first lane */
	value next, same;                 /* scalars: all lanes access, and the places of each row are consecutive; or
					   * equal */
	/* Which of these holds is known: they are constants, and not all lanes need access.  Each row has a place then,
	 * if only that of another one.  all: a scalar, whether they do. */
	bool known;
	value all;
};
/* Elements [first, first + count) of a vector. */
value emit_elements(const struct emitter *e, value v, unsigned first, unsigned count);
/* A vector of the places of all lanes. */
value emit_row_places(const struct emitter *e, const struct emit_rows *rows, unsigned step_B);
/* Finds the rows of places, a vector of i64, which are step_B apart if they are consecutive. */
void emit_find_rows(const struct emitter *e, value places, value mask, unsigned step_B, struct emit_rows *rows);
/* The same for the lanes of mask alone, of which one is set: whether those of each row are consecutive, as a scalar.
 * stored: a pointer to the places in memory; first_out: by row, where its first lane would be; of a row without such
 * lanes, as of another one. */
value emit_find_some_rows(const struct emitter *e, value places, value mask, unsigned step_B, unsigned row,
			  value stored, value *first_out);
/* Load `count` elements of a type, of size_B bytes, for each lane, where rows->next, or rows->same, holds; store the
 * elements of all lanes, in the order of their places, where rows->next holds. */
void emit_load_next_rows(const struct emitter *e, const struct emit_rows *rows, LLVMTypeRef type, unsigned size_B,
			 unsigned count, value *elements_out);
void emit_load_same_rows(const struct emitter *e, const struct emit_rows *rows, LLVMTypeRef type, unsigned size_B,
			 unsigned count, value *elements_out);
void emit_store_next_rows(const struct emitter *e, const struct emit_rows *rows, value all, unsigned size_B);
/* Has the watcher look at an access of total_B bytes in each lane of mask, whose places in the host's memory are valid.
 * places: a vector of i64, or a scalar, the part's first lane's, if they are step_B apart, which is total_B or 0. */
void emit_look(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B, unsigned step_B);
/* The same for places that are told one by one: a vector. */
void emit_look_all(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B);
/* The same of a compare-exchange, which is then made. */
void emit_compare(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B);
/* The same for places in rows. */
void emit_look_rows(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B,
		    const struct emit_rows *rows);
/* The same for shared memory, where rows is NULL for a scalar `places`, and for a vector if rows do not matter.  slot:
 * of a read, the one in which the watcher says where it need not be called for it; PLAN_NONE for a write. */
void emit_look_shared(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B, unsigned step_B,
		      const struct emit_rows *rows, uint32_t slot);
/* The same in private memory, for lanes that all access this offset, a scalar i64; places: a vector.  Where the watcher
 * need not be told, it is not. */
void emit_look_private(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B, value offset);
/* Loads an i32 for each lane from `pointers`, a vector, without a test. */
value emit_gather(const struct emitter *e, value pointers);
/* Assigns the float f to the result of op, unless `doubt` holds for a lane that runs op; then the handler runs op
 * for all of these lanes.  The result is not assigned before that decision: it may have the web of an operand,
 * which the handler reads. */
void emit_float_unless(struct emitter *e, uint32_t op, value f, value doubt);
/* Functions of an f32, computed in f64 and rounded once, as the interpreter does with the C library's functions
 * (emit_function.c).  *doubt_out holds for lanes where the C library's value, which is not exactly the same, may be
 * rounded to another f32, and for arguments of sin and cos of 2^16 and more: the handler has to compute those. */
value emit_circular(struct emitter *e, value single, bool cosine, value *doubt_out);
value emit_ex2(struct emitter *e, value single, value *doubt_out);
value emit_lg2(struct emitter *e, value single, value *doubt_out);
/* x + y, x * y or x * y + z of f32 with the verb's rounding and .ftz, which its operands have been flushed for
 * (emit_rounded.c).  Of VERB_FADD and VERB_FMUL, z is NULL. */
value emit_rounded(struct emitter *e, const struct jit_verb *verb, value x, value y, value z);
/* x / y, of vectors of integers (emit_divide.c).  In the lanes of mask, y is not 0, nor is x the least signed number
 * where y is -1. */
value emit_quotient(struct emitter *e, value mask, value x, value y, bool is_signed);
/* The lesser of two floats, or the greater one: -0 is less than +0; of a NaN and a number, the number. */
value emit_extreme(const struct emitter *e, value x, value y, bool most);
/* An f16, an integer of 16 bits, as an f32; a NaN may have any bits.  An f32, an integer of 32 bits, as an f16, rounded
 * to nearest even. */
value emit_float_of_half(const struct emitter *e, value half);
value emit_half_of_float(const struct emitter *e, value bits);
/* An f16 of which a subnormal number becomes a zero with its sign. */
value emit_flushed_half(const struct emitter *e, value half);
/* A float clamped to [0, 1]; a NaN becomes 0. */
value emit_saturated(const struct emitter *e, value f);
/* The bits of a float of `type`, with any NaN replaced by NAN_32. */
value emit_one_nan(const struct emitter *e, value bits, LLVMTypeRef type);
/* Leaves the part to the interpreter if condition, a scalar, holds.  The interpreter continues the node's lanes at op,
 * and lanes that wait at other nodes at the beginning of those. */
void emit_leave_if(struct emitter *e, value condition, uint32_t op);
/* The extension of operand k of op from 32 to 64 bits, as a scalar, if the operand and the result are linear; otherwise
 * NULL.  The stride is preserved only if no lane's 32-bit value wraps around; the part is left to the interpreter if
 * one does.  In watched kernels, in which more values are linear, only lanes that run op count, and the value is what
 * the first lane would have without wrapping around. */
value emit_extended_line(struct emitter *e, uint32_t op, unsigned k, bool is_signed);
/* Truncates an integer of `from` bits, or a vector of them, to `bits`, or extends it with its sign or with zeros. */
value emit_resize(const struct emitter *e, value v, unsigned from, unsigned bits, bool is_signed);
/* The memory slot of a load or store: the index in group.slots of the range of memory that it accesses. */
uint32_t emit_memory_slot(struct emitter *e, uint32_t op);
/* The slot of the memory that a kernel parameter points to; of COMPILED_NO_PARAMETER or COMPILED_SHARED, a new slot. */
uint32_t emit_parameter_slot(struct compiled *compiled, uint32_t parameter);
/* The kernel parameter of 64 bits at an offset, loaded in `head`. */
value emit_pointer_parameter(struct emitter *e, uint32_t offset_B);

/* --- flow ---------- */

/* Emits the function of an entry's region; NULL when out of memory. */
value emit_region(struct emitter *e, uint32_t entry, const char *name);
/* Appends an empty basic block to the function. */
LLVMBasicBlockRef emit_block(const struct emitter *e, const char *name);
/* Branches to `seldom` if condition holds, otherwise to `usual`.  Branch weights tell LLVM that it rarely holds. */
void emit_unlikely(const struct emitter *e, value condition, LLVMBasicBlockRef seldom, LLVMBasicBlockRef usual);
/* Stores `how`, the state of the part at its end (COMPILED_DONE and so on), and branches to the next part. */
void emit_part_end(struct emitter *e, value how);
/* Returns COMPILED_FAULT from the function, after a handler noted a fault, or when the launch is to stop. */
void emit_fault(struct emitter *e);

#endif
