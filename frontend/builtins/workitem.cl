/*
 * Where a work-item is: ids, sizes, offsets.
 *
 * The dimension is nearly always a literal, and the frontend then writes the value itself
 * (frontend/lower_work_item.c); these functions serve the rest.  A launch may be several grids
 * (docs/kernel-abi.md), so where one starts is a value of the launch.  What the hardware's special
 * registers do not hold comes from external functions named __culvert_hidden_*; the frontend
 * replaces them by the kernel's hidden parameters.
 */
#include "frontend/builtins/builtin.h"

EXTERN_PURE uint __culvert_hidden_work_dim(void);

#define EXTERN_BY_DIMENSION(T, name) \
	EXTERN_PURE T __culvert_hidden_##name##_x(void); \
	EXTERN_PURE T __culvert_hidden_##name##_y(void); \
	EXTERN_PURE T __culvert_hidden_##name##_z(void);
EXTERN_BY_DIMENSION(ulong, id_start)
EXTERN_BY_DIMENSION(ulong, global_offset)
EXTERN_BY_DIMENSION(ulong, global_size)
EXTERN_BY_DIMENSION(uint, group_start)
EXTERN_BY_DIMENSION(uint, group_count)
EXTERN_BY_DIMENSION(uint, enqueued_local)
#define HIDDEN(name, d) __culvert_hidden_##name##_##d()

/* `outside` is what OpenCL C 3.0, 6.15.1 wants for a dimension that does not exist. */
#define BY_DIMENSION(name, VALUE, outside) \
	PURE size_t name(uint dimension) \
	{ \
		switch (dimension) { \
		case 0: \
			return VALUE(x); \
		case 1: \
			return VALUE(y); \
		case 2: \
			return VALUE(z); \
		default: \
			return outside; \
		} \
	}

#define SREG(name) ((uint)__nvvm_read_ptx_sreg_##name())
/* 32 x 32 -> 64 bits: one mul.wide.u32. */
#define GLOBAL_ID(d) \
	((ulong)SREG(ctaid_##d) * SREG(ntid_##d) + SREG(tid_##d) + HIDDEN(id_start, d))
#define ID_NO_OFFSET(d) (GLOBAL_ID(d) - HIDDEN(global_offset, d))
#define GLOBAL_SIZE(d) HIDDEN(global_size, d)
#define GLOBAL_OFFSET(d) HIDDEN(global_offset, d)
#define LOCAL_ID(d) SREG(tid_##d)
#define LOCAL_SIZE(d) SREG(ntid_##d)
#define ENQUEUED_LOCAL_SIZE(d) HIDDEN(enqueued_local, d)
#define GROUP_ID(d) (SREG(ctaid_##d) + HIDDEN(group_start, d))
#define GROUP_COUNT(d) HIDDEN(group_count, d)

PURE uint get_work_dim(void)
{
	return __culvert_hidden_work_dim();
}

BY_DIMENSION(get_global_size, GLOBAL_SIZE, 1)
BY_DIMENSION(get_global_id, GLOBAL_ID, 0)
BY_DIMENSION(get_local_size, LOCAL_SIZE, 1)
BY_DIMENSION(get_enqueued_local_size, ENQUEUED_LOCAL_SIZE, 1)
BY_DIMENSION(get_local_id, LOCAL_ID, 0)
BY_DIMENSION(get_num_groups, GROUP_COUNT, 1)
BY_DIMENSION(get_group_id, GROUP_ID, 0)
BY_DIMENSION(get_global_offset, GLOBAL_OFFSET, 0)

/*
 * OpenCL C 3.0, 6.15.1 gives a formula for each number of dimensions; unused dimensions have size
 * 1 and id 0, so the three-dimensional one covers all.
 */
PURE size_t get_global_linear_id(void)
{
	return (ID_NO_OFFSET(z) * GLOBAL_SIZE(y) + ID_NO_OFFSET(y)) * GLOBAL_SIZE(x) +
	       ID_NO_OFFSET(x);
}

/* A work-group has at most 1024 work-items: 32 bits are enough. */
PURE size_t get_local_linear_id(void)
{
	return (SREG(tid_z) * SREG(ntid_y) + SREG(tid_y)) * SREG(ntid_x) + SREG(tid_x);
}
