/* What the PTX of a kernel has and has not (code.sh).  Before a kernel:
 *	//has EXPRESSION       a line of its PTX matches
 *	//lacks EXPRESSION     none does
 *	//from N EXPRESSION    a line matches for sm_N and newer, and none does before
 *	//loop N EXPRESSION    N lines of its last loop do
 *	//parameters N         it takes N, ours included
 * Expressions are grep -E's; a line's own `;` is part of it. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define I get_global_id(0)

//has ld\.global\.nc\.f32
//lacks ld\.global\.f32
kernel void never_written(global const float *restrict a, global float *restrict b)
{
	b[I] = a[I];
}

//has ld\.global\.f32
//lacks ld\.global\.nc
kernel void may_be_the_same(global const float *a, global float *b)
{
	b[I] = a[I + 1];
}

//has ld\.global\.nc\.f32
kernel void constant_argument(constant float *a, global float *b)
{
	b[I] = a[I];
}

//has ld\.global\.nc\.v4\.(f32|u32)
//has st\.global\.v4\.(f32|u32)
//lacks (ld|st)\.global[a-z.]*\.(f32|u32|b32)
kernel void four_floats(global const float4 *restrict a, global float4 *restrict b)
{
	b[I] = a[I] * 2;
}

//has ld\.global\.nc\.v2\.(f64|u64)
//has st\.global\.v2\.(f64|u64)
kernel void two_doubles(global const double2 *restrict a, global double2 *restrict b)
{
	b[I] = a[I] * 2;
}

//has ld\.shared\.v4\.f32
//lacks \.local
kernel void four_floats_local(global float4 *a)
{
	local float4 tile[64];
	tile[get_local_id(0)] = a[I];
	barrier(CLK_LOCAL_MEM_FENCE);
	a[I] = tile[63 - get_local_id(0)];
}

// The two elements have one address, and an offset.
//has ld\.shared\.u32 .*\[%rd?[0-9]+\+32\]
//lacks add\.s32 .*, 8;
kernel void sums_as_local_indices(global uint *a, uint i)
{
	local uint tile[64];
	tile[get_local_id(0)] = a[I];
	barrier(CLK_LOCAL_MEM_FENCE);
	a[I] = tile[i] + tile[i + 8];
}

// Such a pointer is aligned to its elements alone.
//lacks \.v[24]\.
kernel void vload_of_bytes(global const float *restrict a, global float *restrict b)
{
	vstore4(vload4(I, a), I, b);
}

//has \.reqntid 8, 4, 2
//lacks %ntid
kernel __attribute__((reqd_work_group_size(8, 4, 2))) void required_size(global int *a)
{
	a[I] = get_local_size(0) + get_local_size(1) * get_local_size(2);
}

//has ^\.extern \.shared
//lacks ^\.shared|\.local
kernel void local_of_64_KiB(global int *a, int n)
{
	local int tile[16384];
	for (int i = get_local_id(0); i < 16384; i += 256)
		tile[i] = a[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	a[I] = tile[a[n] & 16383];
}

//parameters 2
//lacks %(ctaid|ntid|nctaid)
kernel void nothing_hidden(global int *a, int n)
{
	a[get_local_id(0)] = n;
}

// The start of the launch is ours.
//parameters 2
//lacks mul\.wide\.u32
//has mad\.lo\.s32
kernel void narrow_id(global int *a)
{
	int i = get_global_id(0);
	a[i] = i;
}

// Ids fit 32 bits but in launches that have code of their own: an address is one instruction each.
//parameters 3
//has mad\.lo\.s32
//has mul\.wide\.u32 .*%r[0-9]+, 4;
//lacks shl\.b64|cvt|mul\.wide\.u32 .*%r[0-9]+, %r
kernel void id_of_64_bits(global const float *restrict a, global float *restrict b)
{
	size_t i = get_global_id(0);
	b[i] = a[i] * 2;
}

//has setp\.[a-z]+\.u32
//lacks setp\.[a-z]+\.[us]64
kernel void id_below_unsigned(global float *a, uint n)
{
	size_t i = get_global_id(0);
	if (i < n)
		a[i] = 1;
}

//has mul\.hi\.u32|mul\.wide\.u32
//lacks (div|rem)\.u64|mul\.hi\.u64
kernel void id_divided(global uint *a)
{
	size_t i = get_global_id(0);
	a[i % 24] = i / 24;
}

//parameters 1
//lacks cvt
kernel void of_a_group(global int *a)
{
	int l = get_local_id(0);
	a[l] = l;
}

//has dp4a\.s32\.s32 .*, %r[0-9]+;
//lacks add\.s32
kernel void dot_of_bytes(global int *a, char4 x, char4 y)
{
	a[0] += dot(x, y);
}

//has add\.sat\.s32
//has sub\.sat\.s32
kernel void saturated(global int *a, int x)
{
	a[0] = sub_sat(add_sat(a[0], x), a[1]);
}

//has dp4a\.u32\.u32 .*, %r[0-9]+;
//lacks dp4a.*, 0;|min|add\.(u|s)32
kernel void saturated_dot_of_bytes(global uint *a, uchar4 x, uchar4 y)
{
	a[0] = dot_acc_sat(x, y, a[0]);
}

//has fma\.rn\.f16x2
//lacks fma\.rn\.f16 |cvt
kernel void two_halves(global half2 *a, half2 x, half2 y)
{
	a[0] = fma(a[0], x, y);
}

//has popc\.b32
//has clz\.b32
//has mul\.hi\.u32
//has shf\.l
//has max\.s32
//has brev\.b32
//lacks \.local|call|bra
kernel void one_instruction(global int *a, uint x, uint y)
{
	a[0] = popcount(x);
	a[1] = clz(x);
	a[2] = mul_hi(x, y);
	a[3] = rotate(x, y);
	a[4] = max((int)x, (int)y);
	a[5] = bit_reverse(x);
}

//has fma\.rn\.f32
//has sqrt\.(rn|approx)
//has rsqrt\.approx\.ftz\.f32|rsqrt\.approx\.f32
//has sin\.approx
//has min\.f32
//lacks \.local|call
kernel void float_instructions(global float *a, float x, float y)
{
	a[0] = fma(x, y, a[0]);
	a[1] = sqrt(x);
	a[2] = native_rsqrt(x);
	a[3] = native_sin(x);
	a[4] = fmin(x, y);
}

//has fence\.|membar\.
//lacks bar\.sync|barrier\.sync
kernel void fence_is_no_barrier(global int *a)
{
	a[I] = 1;
	mem_fence(CLK_GLOBAL_MEM_FENCE);
	a[I + 1] = 2;
}

//lacks \.local|call
kernel void arrays_in_registers(global int *a)
{
	int v[4] = {a[0], a[1], a[2], a[3]};
	for (int i = 0; i < 4; i++)
		v[i] += v[(i + 1) % 4];
	a[4] = v[0] + v[1] * v[2] - v[3];
}

int twice(int x)
{
	return 2 * x;
}

struct pair {
	int first, second;
};

struct pair swapped(struct pair p)
{
	return (struct pair){twice(p.second), twice(p.first)};
}

//parameters 2
//lacks \.local|call
kernel void helpers_are_gone(global int *a, struct pair p)
{
	struct pair q = swapped(swapped(p));
	a[0] = q.first + q.second;
}

//lacks ld\.param\.[a-z0-9]* .*dead_1\]
kernel void dead(global int *a, int unused)
{
	a[0] = 1 + 0 * unused;
}

//lacks ld\.(f32|u32)|st\.(f32|u32)
kernel void spaces_are_known(global int *a, constant int *b, local int *c)
{
	global int *p = a[0] ? a : a + 1;
	c[0] = b[0] + *p;
	a[1] = c[1];
}

constant sampler_t nearest = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// A texture of the usual orders is read as it is: the others' choices are behind a branch.
//has bra
//lacks \.local|call
kernel void read_of_an_image(read_only image2d_t image, global float *a)
{
	float sum = 0;
	for (int i = 0; i < 4; i++)
		sum += read_imagef(image, nearest, (int2)(i, i)).x;
	a[0] = sum;
}

/* libnvvm crashed where it gets what is 32 bytes wide as a whole (private_parts.clt). */
ulong add2(ulong sum, char2 x) { return sum + (uchar)x.x + (uchar)x.y; }
ulong add4(ulong sum, char4 x) { return add2(add2(sum, x.lo), x.hi); }
ulong add8(ulong sum, char8 x) { return add4(add4(sum, x.lo), x.hi); }
ulong add16(ulong sum, char16 x) { return add8(add8(sum, x.lo), x.hi); }
//lacks (ld|st)\.local
kernel void parts_of_private(global ulong *a)
{
	union { ulong4 whole; uchar bytes[32]; char16 parts[2]; } u;
	ulong sum = 0;
	u.whole = (ulong4)(1, 0, 0, a[I]);
	for (int i = 0; i < 32; i++)
		sum += u.bytes[i];
	for (int i = 0; i < 2; i++)
		sum = add16(sum, u.parts[i]);
	a[I] = sum;
}

/* And where comparisons of chars become constants late (vector_comparison.clt). */
//lacks \.local
kernel void compared_chars(global char16 *a)
{
	char16 v = a[I];
	for (int i = 0; i < 7; i++)
		v = popcount(v.s9ebae51818789278) != (char16)(0);
	a[I] = v;
}

// A component's store is of that component, and reads nothing.
//has st\.global\.(u32|b32)
//lacks ld\.global
//lacks st\.global\.v
kernel void one_component(global int4 *p, int v)
{
	p[I].y = v;
}

//has st\.volatile\.global\.(u32|b32)
//lacks ld\.volatile
//lacks \.v[24]
kernel void one_component_volatile(volatile global int4 *p, int v)
{
	p[I].y = v;
}

//has st\.global\.v2\.(u32|b32)
//lacks ld\.global
kernel void upper_half(global int4 *p, int2 v)
{
	p[I].hi = v;
}

//has ld\.global\.(f32|u32|b32)
//lacks ld\.global\.v
kernel void one_component_read(global float4 *p, global float *q)
{
	q[I] = p[I].z;
}

// Reads of all components stay one.
//has ld\.global\.v4\.(f32|u32|b32)
//lacks ld\.global\.(f32|u32|b32)
kernel void all_components_read(global float4 *p, global float *q)
{
	q[I] = p[I].x * p[I].y + p[I].z * p[I].w;
}

//has ld\.global\.v2\.(u32|b32)
//lacks ld\.global\.(b16|u16)
kernel void all_halves_read(global half4 *p, global half *q)
{
	int i = I;
	q[i] = p[i].x + p[i].y * 3 + p[i].z * 5 + p[i].w * 7;
}

// What is asked of x and y is the same each time round, and computed before the loop.
//loop 2 setp
kernel void conditions_that_stay(global float *a, int4 from, int4 to, int n)
{
	int x = get_global_id(0), y = get_global_id(1);
#pragma nounroll
	for (int i = 0; i < n; i++)
		if (x > i && x >= from.x && x < to.x && y >= from.y && y < to.y)
			a[i] += a[x];
}

// Which element a turn uses is known, although it depends on a remainder of itself.
//lacks \.local
kernel void stages(global uint *a, uint k)
{
	uint sums[3] = {0, k, 7}, stage = 0;
	for (int i = 0; i < 8; i++) {
		sums[stage] += a[i];
		stage = (stage + 1) % 3;
	}
	a[I] = sums[0] ^ sums[1] * 3 ^ sums[2] * 5;
}

// Bytes that depend on themselves are moved, or libnvvm takes twice as long for each turn, also from sm_100 on.
//has begin inline asm
kernel void bytes_of_bytes(global uchar *a, int n)
{
	uchar byte = a[I];
	for (int i = 0; i < n; i++)
		for (int j = 0; j < 4; j++)
			byte = mul_hi((uchar)(byte * (uchar)0xd1 >> 7), (uchar)0x91);
	a[I] = byte;
}

// Products of matrices in local memory are loads of whole tiles and tensor cores, with the sums in registers.
//has ldmatrix\.sync\.aligned\.m8n8\.x4\.shared
//has ldmatrix\.sync\.aligned\.m8n8\.x4\.trans\.shared
//from 80 mma\.sync\.aligned\.m16n8k16
//lacks \.local
kernel void matrix_product(global half *a, global float *c, int n)
{
	local half tile[512] __attribute__((aligned(16)));
	culvert_matrix_c_float sums = 0;
	for (int i = 0; i < n; i++) {
		barrier(CLK_LOCAL_MEM_FENCE);
		vstore16(vload16(I, a + i * 512), I, tile);
		barrier(CLK_LOCAL_MEM_FENCE);
		sums = culvert_matrix_muladd(culvert_matrix_load_a_half(tile, CULVERT_MATRIX_ROW_MAJOR, 16),
					     culvert_matrix_load_b_half(tile + 256, CULVERT_MATRIX_ROW_MAJOR, 16), sums);
	}
	culvert_matrix_store(c, sums * 2.0f, CULVERT_MATRIX_ROW_MAJOR, 16);
}

constant int either_table[16] __attribute__((aligned(64))) = {1, 2, 3, 4, 5, 6, 7, 8};

__attribute__((noinline)) int either_sum(int8 v)
{
	return v.s0 + 2 * v.s1 + 3 * v.s2 + 4 * v.s3 + 5 * v.s4 + 6 * v.s5 + 7 * v.s6 + 8 * v.s7;
}

__attribute__((noinline)) int either_both(int a, int b)
{
	return 3 * a + b;
}

/* Of two loads in two branches, that from memory which may be written stays one. */
//has ld\.global\.u32.*\+72\]
kernel void either(global int *out, global const int *in, global const int *signs)
{
	uint lid = get_local_id(0);
	int first = either_both(in[lid & 15], in[lid & 15]);
	int8 v = 0;
	switch (rotate((short)(signs[lid] < 0), (short)119)) {
	case 0:
		v = vload8(lid & 3, in + 11);
		break;
	case 2:
		break;
	default:
		v = vload8(get_group_id(0) & 1, either_table);
	}
	out[get_global_id(0)] = either_sum(v) + first;
}

#define STEP(k) v = v * (v ^ k) + (v >> (k & 31));
#define FIVE_STEPS(k) STEP((k)) STEP((k + 1)) STEP((k + 2)) STEP((k + 3)) STEP((k + 4))
#define LONG_TURN(a, i) \
	v += popcount(v) + a[i & 7]; \
	a[i & 7] = v; \
	FIVE_STEPS(0) FIVE_STEPS(5) FIVE_STEPS(10) FIVE_STEPS(15) FIVE_STEPS(20) FIVE_STEPS(25) FIVE_STEPS(30) \
	FIVE_STEPS(35) FIVE_STEPS(40) FIVE_STEPS(45) FIVE_STEPS(50) FIVE_STEPS(55) FIVE_STEPS(60) FIVE_STEPS(65) \
	FIVE_STEPS(70) FIVE_STEPS(75) FIVE_STEPS(80) FIVE_STEPS(85) FIVE_STEPS(90) FIVE_STEPS(95) FIVE_STEPS(100) \
	FIVE_STEPS(105) FIVE_STEPS(110) FIVE_STEPS(115) FIVE_STEPS(120) FIVE_STEPS(125) FIVE_STEPS(130)

/* A long loop of at most seven turns stays a loop. */
//loop 1 popc\.b32
kernel void long_turns(global uint *out, int n)
{
	uint v = out[I], a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	for (int i = 0; i < (n & 7); i++) {
		LONG_TURN(a, i)
	}
	out[I] = v;
}

/* So does one whose turns are long because of what they call. */
void long_turn(uint *at, uint *a, int i)
{
	uint v = *at;
	LONG_TURN(a, i)
	*at = v;
}

//loop 1 popc\.b32
kernel void long_calls(global uint *out, int n)
{
	uint v = out[I], a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	for (int i = 0; i < (n & 7); i++)
		long_turn(&v, a, i);
	out[I] = v;
}

/* A short one is unrolled, so that the array needs no memory. */
//lacks \.local
kernel void short_turns(global uint *out, int n)
{
	uint v = out[I], a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	for (int i = 0; i < (n & 7); i++) {
		v += a[i & 7];
		a[i & 7] = v * (v ^ 3);
	}
	out[I] = v + a[3];
}
