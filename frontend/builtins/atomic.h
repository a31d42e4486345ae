/*
 * What the files of C11 atomics share: PTX with an order and a scope.
 *
 * libnvvm drops the order and the scope of LLVM's atomics, so each pair is an instruction of its
 * own, chosen by switches that fold because orders and scopes are nearly always literals.
 *
 * A sequentially consistent operation is fence.sc followed by the acquiring form (by the relaxed
 * form for a store): the mapping that PTX's memory model was proven with.
 */
#ifndef CULVERT_BUILTIN_ATOMIC_H
#define CULVERT_BUILTIN_ATOMIC_H

#include "frontend/builtins/builtin.h"

HELPER __attribute__((unused)) memory_order ordered(memory_order order, memory_scope scope,
						    memory_order rest)
{
	if (order != memory_order_seq_cst)
		return order;
	if (scope == memory_scope_device)
		__asm__ __volatile__("fence.sc.gpu;" : : : "memory");
	else if (scope == memory_scope_all_svm_devices)
		__asm__ __volatile__("fence.sc.sys;" : : : "memory");
	else
		__asm__ __volatile__("fence.sc.cta;" : : : "memory");
	return rest;
}

/* What is done for the value of the variable `scope`; for the device that is for_device. */
#define SWITCH_SCOPE(for_device, ORDERS, ...) \
	switch (scope) { \
	case memory_scope_device: \
		for_device \
		break; \
	case memory_scope_all_svm_devices: \
		ORDERS("sys", __VA_ARGS__) \
		break; \
	default: \
		ORDERS("cta", __VA_ARGS__) \
		break; \
	}
/* INSTRUCTION("order.scope", ...) for the values of the variables `order` and `scope`. */
#define BY_SCOPE(ORDERS, ...) SWITCH_SCOPE(ORDERS("gpu", __VA_ARGS__), ORDERS, __VA_ARGS__)
#define READ_WRITE_ORDERS(width, INSTRUCTION, ...) \
	switch (order) { \
	case memory_order_relaxed: \
		INSTRUCTION("relaxed." width, __VA_ARGS__); \
		break; \
	case memory_order_acquire: \
		INSTRUCTION("acquire." width, __VA_ARGS__); \
		break; \
	case memory_order_release: \
		INSTRUCTION("release." width, __VA_ARGS__); \
		break; \
	default: \
		INSTRUCTION("acq_rel." width, __VA_ARGS__); \
		break; \
	}
/*
 * As BY_SCOPE, for an instruction that reads and writes.  For the device, it is one for the system, and only its order
 * is one for the device: a GPU may hold pages of the host's memory that the host accesses at the same time (SVM), and
 * an instruction for the device is not atomic there.  For the memory that a GPU has for itself they take the same time.
 */
#define MODIFY_BY_SCOPE(space, ...) \
	SWITCH_SCOPE(FOR_DEVICE_##space(__VA_ARGS__), READ_WRITE_ORDERS, __VA_ARGS__)
#define FOR_DEVICE___local(...) READ_WRITE_ORDERS("gpu", __VA_ARGS__)
#define FOR_DEVICE___private(...) FOR_DEVICE___global(__VA_ARGS__)
#define FOR_DEVICE___global(INSTRUCTION, ...) \
	if (order == memory_order_release || order == memory_order_acq_rel) \
		__asm__ __volatile__("fence.acq_rel.gpu;" : : : "memory"); \
	if (order == memory_order_relaxed || order == memory_order_release) \
		INSTRUCTION("relaxed.sys", __VA_ARGS__); \
	else \
		INSTRUCTION("acquire.sys", __VA_ARGS__);
#define READ_ORDERS(width, INSTRUCTION, ...) \
	if (order == memory_order_relaxed) \
		INSTRUCTION("relaxed." width, __VA_ARGS__); \
	else \
		INSTRUCTION("acquire." width, __VA_ARGS__);
#define WRITE_ORDERS(width, INSTRUCTION, ...) \
	if (order == memory_order_relaxed) \
		INSTRUCTION("relaxed." width, __VA_ARGS__); \
	else \
		INSTRUCTION("release." width, __VA_ARGS__);

/* M(space, ...) for each space; generic pointers have __private's mangled name. */
#define FOR_SPACES(M, ...) \
	M(__global, ".global", __VA_ARGS__) \
	M(__local, ".shared", __VA_ARGS__) \
	M(__private, "", __VA_ARGS__)

/*
 * The shorter forms of name##_explicit(p, [operand,] order, scope): without scope for the device,
 * without order sequentially consistent.
 */
#define DEFAULTS_0(R, name, P) \
	BUILTIN R name##_explicit(P p, memory_order order) \
	{ \
		return name##_explicit(p, order, memory_scope_device); \
	} \
	BUILTIN R name(P p) \
	{ \
		return name##_explicit(p, memory_order_seq_cst, memory_scope_device); \
	}
#define DEFAULTS_1(R, name, P, V) \
	BUILTIN R name##_explicit(P p, V value, memory_order order) \
	{ \
		return name##_explicit(p, value, order, memory_scope_device); \
	} \
	BUILTIN R name(P p, V value) \
	{ \
		return name##_explicit(p, value, memory_order_seq_cst, memory_scope_device); \
	}

#endif
