/*
 * Where a work-item is: ids, sizes, offsets.
 *
 * The dimension is nearly always a literal, so each function is a switch that folds away once it
 * is inlined.  What the hardware's special registers do not hold comes from external functions
 * named __culvert_hidden_*; the frontend replaces them by the kernel's hidden parameters.
 */
#include "frontend/builtins/builtin.h"

EXTERN_PURE ulong __culvert_hidden_global_offset_x(void);
EXTERN_PURE ulong __culvert_hidden_global_offset_y(void);
EXTERN_PURE ulong __culvert_hidden_global_offset_z(void);
EXTERN_PURE uint __culvert_hidden_work_dim(void);

/* `outside` is what OpenCL C 3.0, 6.15.1 wants for a dimension that does not exist. */
#define BY_DIMENSION(name, x, y, z, outside) \
	PURE size_t name(uint dimension) \
	{ \
		switch (dimension) { \
		case 0: \
			return x; \
		case 1: \
			return y; \
		case 2: \
			return z; \
		default: \
			return outside; \
		} \
	}

#define SREG(name) ((uint)__nvvm_read_ptx_sreg_##name())
/* 32 x 32 -> 64 bits: one mul.wide.u32. */
#define LOCAL_START(d) ((ulong)SREG(ctaid_##d) * SREG(ntid_##d))
#define ID_NO_OFFSET(d) (LOCAL_START(d) + SREG(tid_##d))
#define GLOBAL_SIZE(d) ((ulong)SREG(nctaid_##d) * SREG(ntid_##d))
#define GLOBAL_ID(d) (ID_NO_OFFSET(d) + __culvert_hidden_global_offset_##d())

PURE uint get_work_dim(void)
{
	return __culvert_hidden_work_dim();
}

BY_DIMENSION(get_global_size, GLOBAL_SIZE(x), GLOBAL_SIZE(y), GLOBAL_SIZE(z), 1)
BY_DIMENSION(get_global_id, GLOBAL_ID(x), GLOBAL_ID(y), GLOBAL_ID(z), 0)
BY_DIMENSION(get_local_size, SREG(ntid_x), SREG(ntid_y), SREG(ntid_z), 1)
BY_DIMENSION(get_enqueued_local_size, SREG(ntid_x), SREG(ntid_y), SREG(ntid_z), 1)
BY_DIMENSION(get_local_id, SREG(tid_x), SREG(tid_y), SREG(tid_z), 0)
BY_DIMENSION(get_num_groups, SREG(nctaid_x), SREG(nctaid_y), SREG(nctaid_z), 1)
BY_DIMENSION(get_group_id, SREG(ctaid_x), SREG(ctaid_y), SREG(ctaid_z), 0)
BY_DIMENSION(get_global_offset, __culvert_hidden_global_offset_x(),
	     __culvert_hidden_global_offset_y(), __culvert_hidden_global_offset_z(), 0)

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
