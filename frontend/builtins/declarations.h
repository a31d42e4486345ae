/*
 * Builtin functions that Clang's own table does not declare.  Appended to its opencl-c-base.h,
 * which every program sees.
 */
#ifndef CULVERT_DECLARATIONS_H
#define CULVERT_DECLARATIONS_H

#define __culvert_collective __attribute__((overloadable, convergent))

#ifdef cl_culvert_grid_barrier
void __culvert_collective culvert_grid_barrier(cl_mem_fence_flags flags);
#endif

#ifdef cl_khr_async_work_group_copy_fence
void __culvert_collective async_work_group_copy_fence(cl_mem_fence_flags flags);
#endif

#ifdef cl_khr_extended_async_copies
event_t __culvert_collective async_work_group_copy_2D2D(
	__local void *dst, size_t dst_offset, const __global void *src, size_t src_offset,
	size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines,
	size_t src_total_line_length, size_t dst_total_line_length, event_t event);
event_t __culvert_collective async_work_group_copy_2D2D(
	__global void *dst, size_t dst_offset, const __local void *src, size_t src_offset,
	size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines,
	size_t src_total_line_length, size_t dst_total_line_length, event_t event);
event_t __culvert_collective async_work_group_copy_3D3D(
	__local void *dst, size_t dst_offset, const __global void *src, size_t src_offset,
	size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines,
	size_t num_planes, size_t src_total_line_length, size_t src_total_plane_area,
	size_t dst_total_line_length, size_t dst_total_plane_area, event_t event);
event_t __culvert_collective async_work_group_copy_3D3D(
	__global void *dst, size_t dst_offset, const __local void *src, size_t src_offset,
	size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines,
	size_t num_planes, size_t src_total_line_length, size_t src_total_plane_area,
	size_t dst_total_line_length, size_t dst_total_plane_area, event_t event);
#endif

#ifdef cl_khr_work_group_uniform_arithmetic
#define __culvert_group_functions(T, name) \
	T __culvert_collective work_group_reduce_##name(T); \
	T __culvert_collective work_group_scan_inclusive_##name(T); \
	T __culvert_collective work_group_scan_exclusive_##name(T);
#define __culvert_group_integers(T) \
	__culvert_group_functions(T, mul) \
	__culvert_group_functions(T, and) \
	__culvert_group_functions(T, or) \
	__culvert_group_functions(T, xor)
__culvert_group_integers(int)
__culvert_group_integers(uint)
__culvert_group_integers(long)
__culvert_group_integers(ulong)
__culvert_group_functions(float, mul)
#ifdef cl_khr_fp64
__culvert_group_functions(double, mul)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__culvert_group_functions(half, mul)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
__culvert_group_functions(int, logical_and)
__culvert_group_functions(int, logical_or)
__culvert_group_functions(int, logical_xor)
#undef __culvert_group_functions
#undef __culvert_group_integers
#endif

/* Clang 16 and older lack them, and newer versions define them for OpenCL C 3.0. */
#if defined(cl_ext_image_raw10_raw12) && !defined(CLK_UNSIGNED_INT_RAW10_EXT)
#define CLK_UNSIGNED_INT_RAW10_EXT 0x10E3
#define CLK_UNSIGNED_INT_RAW12_EXT 0x10E4
#endif

#ifdef cl_intel_split_work_group_barrier
void __culvert_collective intel_work_group_barrier_arrive(cl_mem_fence_flags flags);
void __culvert_collective intel_work_group_barrier_wait(cl_mem_fence_flags flags);
#if __OPENCL_C_VERSION__ >= 200 || defined(__OPENCL_CPP_VERSION__)
void __culvert_collective intel_work_group_barrier_arrive(cl_mem_fence_flags flags, memory_scope scope);
void __culvert_collective intel_work_group_barrier_wait(cl_mem_fence_flags flags, memory_scope scope);
#endif
#endif

#ifdef cl_intel_bfloat16_conversions
#define __culvert_bfloat16(N) \
	ushort##N __attribute__((overloadable, const)) intel_convert_bfloat16##N##_as_ushort##N(float##N source); \
	float##N __attribute__((overloadable, const)) intel_convert_as_bfloat16##N##_float##N(ushort##N source);
__culvert_bfloat16()
__culvert_bfloat16(2)
__culvert_bfloat16(3)
__culvert_bfloat16(4)
__culvert_bfloat16(8)
__culvert_bfloat16(16)
#undef __culvert_bfloat16
#endif

#ifdef cl_intel_subgroups
#define __culvert_shuffles(T) \
	T __culvert_collective intel_sub_group_shuffle(T data, uint c); \
	T __culvert_collective intel_sub_group_shuffle_xor(T data, uint value); \
	T __culvert_collective intel_sub_group_shuffle_down(T current, T next, uint delta); \
	T __culvert_collective intel_sub_group_shuffle_up(T previous, T current, uint delta);
#define __culvert_vector_shuffles(T) \
	__culvert_shuffles(T) \
	__culvert_shuffles(T##2) \
	__culvert_shuffles(T##3) \
	__culvert_shuffles(T##4) \
	__culvert_shuffles(T##8) \
	__culvert_shuffles(T##16)
__culvert_vector_shuffles(int)
__culvert_vector_shuffles(uint)
__culvert_vector_shuffles(float)
__culvert_shuffles(long)
__culvert_shuffles(ulong)
#ifdef cl_khr_fp64
__culvert_shuffles(double)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__culvert_shuffles(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
#if defined(__opencl_c_read_write_images) || (__OPENCL_C_VERSION__ >= 200 && __OPENCL_C_VERSION__ < 300)
#define __culvert_read_write_blocks(T, N, suffix) \
	T##N __culvert_collective intel_sub_group_block_read##suffix(read_write image2d_t image, int2 byte_coord); \
	void __culvert_collective intel_sub_group_block_write##suffix(read_write image2d_t image, int2 byte_coord, \
								      T##N data);
#else
#define __culvert_read_write_blocks(T, N, suffix)
#endif
#define __culvert_block(T, N, suffix) \
	T##N __culvert_collective intel_sub_group_block_read##suffix(const __global T *p); \
	void __culvert_collective intel_sub_group_block_write##suffix(__global T *p, T##N data); \
	T##N __culvert_collective intel_sub_group_block_read##suffix(read_only image2d_t image, int2 byte_coord); \
	void __culvert_collective intel_sub_group_block_write##suffix(write_only image2d_t image, int2 byte_coord, \
								      T##N data); \
	__culvert_read_write_blocks(T, N, suffix)
#define __culvert_blocks(T, letters) \
	__culvert_block(T, , letters) \
	__culvert_block(T, 2, letters##2) \
	__culvert_block(T, 4, letters##4) \
	__culvert_block(T, 8, letters##8)
__culvert_blocks(uint, )
__culvert_blocks(uint, _ui)
#define __culvert_narrow_function(T, name) T __culvert_collective intel_sub_group_##name(T x);
#define __culvert_narrow_functions(T, operation) \
	__culvert_narrow_function(T, reduce_##operation) \
	__culvert_narrow_function(T, scan_exclusive_##operation) \
	__culvert_narrow_function(T, scan_inclusive_##operation)
#define __culvert_narrow(T) \
	T __culvert_collective intel_sub_group_broadcast(T x, uint sub_group_local_id); \
	__culvert_narrow_functions(T, add) \
	__culvert_narrow_functions(T, min) \
	__culvert_narrow_functions(T, max) \
	__culvert_vector_shuffles(T)
#ifdef cl_intel_subgroups_char
__culvert_narrow(char)
__culvert_narrow(uchar)
__culvert_blocks(uchar, _uc)
__culvert_block(uchar, 16, _uc16)
#endif
#ifdef cl_intel_subgroups_short
__culvert_narrow(short)
__culvert_narrow(ushort)
__culvert_blocks(ushort, _us)
__culvert_block(ushort, 16, _us16)
#endif
#ifdef cl_intel_subgroups_long
__culvert_blocks(ulong, _ul)
#endif
#undef __culvert_shuffles
#undef __culvert_vector_shuffles
#undef __culvert_read_write_blocks
#undef __culvert_block
#undef __culvert_blocks
#undef __culvert_narrow_function
#undef __culvert_narrow_functions
#undef __culvert_narrow
#endif

#ifdef cl_culvert_matrix
void __attribute__((overloadable)) culvert_copy_async(__local uint4 *target, const __global uint4 *source);
void __culvert_collective culvert_commit_group_copies(void);
void __culvert_collective culvert_wait_group_events(int num_events, event_t *event_list, uint stages);
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define CULVERT_MATRIX_ROW_MAJOR 0
#define CULVERT_MATRIX_COLUMN_MAJOR 1
#define __culvert_matrix(name, T) typedef T culvert_matrix_##name;
#define __culvert_input_load(space, role, T, name) \
	culvert_matrix_##role##_##name __culvert_collective culvert_matrix_load_##role##_##name( \
		const space T *p, uint layout, size_t stride);
#define __culvert_sum_moves(space, T) \
	__culvert_input_load(space, c, T, T) \
	void __culvert_collective culvert_matrix_store(space T *p, culvert_matrix_c_##T c, uint layout, size_t stride);
#ifdef __opencl_c_generic_address_space
#define __culvert_spaces(M, ...) M(__global, __VA_ARGS__) M(__local, __VA_ARGS__) M(__generic, __VA_ARGS__)
#else
#define __culvert_spaces(M, ...) M(__global, __VA_ARGS__) M(__local, __VA_ARGS__)
#endif
#define __culvert_input(T, name, E) \
	__culvert_matrix(a_##name, E) \
	__culvert_matrix(b_##name, E) \
	__culvert_spaces(__culvert_input_load, a, T, name) \
	__culvert_spaces(__culvert_input_load, b, T, name)
#define __culvert_sum(T, E) \
	__culvert_matrix(c_##T, E) \
	__culvert_spaces(__culvert_sum_moves, T)
#define __culvert_muladd(a_name, b_name, c_name) \
	culvert_matrix_c_##c_name __culvert_collective culvert_matrix_muladd( \
		culvert_matrix_a_##a_name a, culvert_matrix_b_##b_name b, culvert_matrix_c_##c_name c);
__culvert_input(half, half, half8)
__culvert_input(ushort, bfloat16, ushort8)
__culvert_input(float, tf32, float4)
__culvert_input(char, char, char8)
__culvert_input(uchar, uchar, uchar8)
__culvert_input(double, double, double)
__culvert_sum(half, half8)
__culvert_sum(float, float8)
__culvert_sum(int, int8)
__culvert_sum(double, double2)
__culvert_muladd(half, half, float)
__culvert_muladd(half, half, half)
__culvert_muladd(bfloat16, bfloat16, float)
__culvert_muladd(tf32, tf32, float)
__culvert_muladd(char, char, int)
__culvert_muladd(char, uchar, int)
__culvert_muladd(uchar, char, int)
__culvert_muladd(uchar, uchar, int)
__culvert_muladd(double, double, double)
#define __culvert_wide_muladd(columns, T) \
	void __culvert_collective culvert_matrix_wide_muladd_##columns( \
		__private culvert_matrix_c_float *c, const __local T *a, uint layout_a, const __local T *b, \
		uint layout_b);
#define __culvert_wide(columns) \
	__culvert_wide_muladd(columns, half) \
	__culvert_wide_muladd(columns, ushort) \
	void __culvert_collective culvert_matrix_wide_wait_##columns(__private culvert_matrix_c_float *c, \
								      uint products);
__culvert_wide(64)
__culvert_wide(128)
__culvert_wide(256)
uint __attribute__((overloadable, const)) culvert_matrix_wide_place(uint line, uint column);
void __culvert_collective culvert_matrix_wide_barrier(uint stages);
#undef __culvert_wide
#undef __culvert_wide_muladd
#undef __culvert_matrix
#undef __culvert_input_load
#undef __culvert_sum_moves
#undef __culvert_spaces
#undef __culvert_input
#undef __culvert_sum
#undef __culvert_muladd
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif

/* Clang knows the clocks from 19 on. */
#if defined(cl_khr_kernel_clock) && __clang_major__ < 19
#define __culvert_clock __attribute__((overloadable))
ulong __culvert_clock clock_read_device(void);
ulong __culvert_clock clock_read_work_group(void);
ulong __culvert_clock clock_read_sub_group(void);

uint2 __culvert_clock clock_read_hilo_device(void);
uint2 __culvert_clock clock_read_hilo_work_group(void);
uint2 __culvert_clock clock_read_hilo_sub_group(void);
#undef __culvert_clock
#endif

#undef __culvert_collective

/*
 * The atomic functions of OpenCL 1.x, for integers of 64 bits as well: the cl_khr_int64 extensions
 * call those atom_*, but NVIDIA's compiler takes either name, and programs written for it use both.
 * A name that is declared is not looked up in Clang's table any more, so that all of it is here.
 */
#define __culvert_atomic __attribute__((overloadable))
#define __culvert_atomics(T, space) \
	T __culvert_atomic atomic_add(volatile space T *p, T value); \
	T __culvert_atomic atomic_sub(volatile space T *p, T value); \
	T __culvert_atomic atomic_inc(volatile space T *p); \
	T __culvert_atomic atomic_dec(volatile space T *p); \
	T __culvert_atomic atomic_xchg(volatile space T *p, T value); \
	T __culvert_atomic atomic_cmpxchg(volatile space T *p, T expected, T desired); \
	T __culvert_atomic atomic_min(volatile space T *p, T value); \
	T __culvert_atomic atomic_max(volatile space T *p, T value); \
	T __culvert_atomic atomic_and(volatile space T *p, T value); \
	T __culvert_atomic atomic_or(volatile space T *p, T value); \
	T __culvert_atomic atomic_xor(volatile space T *p, T value);
__culvert_atomics(int, __global)
__culvert_atomics(int, __local)
__culvert_atomics(uint, __global)
__culvert_atomics(uint, __local)
#ifdef cl_khr_int64_extended_atomics
__culvert_atomics(long, __global)
__culvert_atomics(long, __local)
__culvert_atomics(ulong, __global)
__culvert_atomics(ulong, __local)
#endif
float __culvert_atomic atomic_xchg(volatile __global float *p, float value);
float __culvert_atomic atomic_xchg(volatile __local float *p, float value);
#undef __culvert_atomics
#undef __culvert_atomic

/*
 * Of the aligned loads and stores of halves Clang's table has the vectors.  OpenCL C 1.2 has scalars
 * as well (6.12.7: "For n = 1, 2, 4, 8 and 16").
 */
#define __culvert_half __attribute__((overloadable))
#define __culvert_half_load(space) float __culvert_half vloada_half(size_t offset, const space half *p);
#define __culvert_half_stores(T, space) \
	void __culvert_half vstorea_half(T data, size_t offset, space half *p); \
	void __culvert_half vstorea_half_rte(T data, size_t offset, space half *p); \
	void __culvert_half vstorea_half_rtz(T data, size_t offset, space half *p); \
	void __culvert_half vstorea_half_rtp(T data, size_t offset, space half *p); \
	void __culvert_half vstorea_half_rtn(T data, size_t offset, space half *p);
#ifdef cl_khr_fp64
#define __culvert_halves(space) \
	__culvert_half_load(space) \
	__culvert_half_stores(float, space) \
	__culvert_half_stores(double, space)
#else
#define __culvert_halves(space) __culvert_half_load(space) __culvert_half_stores(float, space)
#endif
__culvert_half_load(__constant)
__culvert_halves(__global)
__culvert_halves(__local)
__culvert_halves(__private)
#ifdef __opencl_c_generic_address_space
__culvert_halves(__generic)
#endif
#undef __culvert_halves
#undef __culvert_half_stores
#undef __culvert_half_load
#undef __culvert_half

#endif
