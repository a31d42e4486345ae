/* Much arithmetic and little memory: bodies, a fractal, a hash, docking. */
#include "config.h"

#include "tests/bench/processor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t size;

/* --- bodies that attract each other; tiles of positions in local memory ------------------------------ */

static const char bodies[] =
	"kernel __attribute__((reqd_work_group_size(128, 1, 1)))\n"
	"void attract(global const float4 *position, global float4 *force, uint n)\n"
	"{\n"
	"	local float4 tile[128];\n"
	"	const uint l = get_local_id(0);\n"
	"	const float4 own = position[get_global_id(0)];\n"
	"	float4 sum = 0;\n"
	"	for (uint t = 0; t < n; t += 128) {\n"
	"		tile[l] = position[t + l];\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		for (uint k = 0; k < 128; k++) {\n"
	"			const float4 other = tile[k];\n"
	"			const float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;\n"
	"			const float r = native_rsqrt(x * x + y * y + z * z + 0.01f);\n"
	"			const float w = other.w * r * r * r;\n"
	"			sum.x += x * w;\n"
	"			sum.y += y * w;\n"
	"			sum.z += z * w;\n"
	"		}\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	}\n"
	"	force[get_global_id(0)] = sum;\n"
	"}\n";

static void bodies_start(void)
{
	size = bench_pick(2048, 1024, 256);
	float *position = processor_units(4 * size, 0);
	processor_buffer(0, 4 * size * sizeof(float), position);
	processor_buffer(1, 4 * size * sizeof(float), NULL);
	processor_kernel(0, "attract", "01");
	processor_uint(0, 2, (cl_uint)size);
	free(position);
}

static void bodies_run(void)
{
	processor_line(0, size, 128);
}

static void bodies_check(void)
{
	float *force = processor_read(1, 4 * size * sizeof(float));
	for (size_t i = 0; i < size; i += 61) {
		double sum[3] = {0, 0, 0};
		for (size_t k = 0; k < size; k++) {
			double d[3], r = 0.01f;
			for (unsigned a = 0; a < 3; a++) {
				d[a] = (double)processor_unit((uint32_t)(4 * k + a)) -
				       processor_unit((uint32_t)(4 * i + a));
				r += d[a] * d[a];
			}
			for (unsigned a = 0; a < 3; a++)
				sum[a] += d[a] * processor_unit((uint32_t)(4 * k + 3)) /
					  (r * sqrt(r));
		}
		for (unsigned a = 0; a < 3; a++)
			processor_expect("bodies", 4 * i + a, force[4 * i + a], sum[a], 1e-3);
	}
	free(force);
}

/* --- Mandelbrot's set: work-items that leave their loop one by one ---------------------------------------- */

static const char fractal[] =
	"kernel void mandelbrot(global uint *steps, uint n, uint most)\n"
	"{\n"
	"	const uint i = get_global_id(0), j = get_global_id(1);\n"
	"	const float x0 = -2.0f + 2.5f * (float)i / (float)n;\n"
	"	const float y0 = -1.25f + 2.5f * (float)j / (float)n;\n"
	"	float x = 0, y = 0;\n"
	"	uint k = 0;\n"
	"	while (k < most && x * x + y * y <= 4.0f) {\n"
	"		const float t = x * x - y * y + x0;\n"
	"		y = 2.0f * x * y + y0;\n"
	"		x = t;\n"
	"		k++;\n"
	"	}\n"
	"	steps[j * n + i] = k;\n"
	"}\n";

enum { FRACTAL_MOST = 256 };

static void fractal_start(void)
{
	size = bench_pick(512, 256, 64);
	processor_buffer(0, size * size * sizeof(uint32_t), NULL);
	processor_kernel(0, "mandelbrot", "0");
	processor_uint(0, 1, (cl_uint)size);
	processor_uint(0, 2, FRACTAL_MOST);
}

static void fractal_run(void)
{
	processor_launch(0, 2, (size_t[]){size, size}, (size_t[]){16, 8});
}

static uint32_t fractal_steps(float x0, float y0)
{
	float x = 0, y = 0;
	uint32_t k = 0;
	while (k < FRACTAL_MOST && x * x + y * y <= 4.0f) {
		const float t = x * x - y * y + x0;
		y = 2.0f * x * y + y0;
		x = t;
		k++;
	}
	return k;
}

/* Rounding may differ, and with it a count near the border: of all points two in a hundred. */
static void fractal_check(void)
{
	uint32_t *steps = processor_read(0, size * size * sizeof(*steps));
	size_t others = 0;
	for (size_t place = 0; place < size * size; place++) {
		const float x = -2.0f + 2.5f * (float)(place % size) / (float)size;
		const float y = -1.25f + 2.5f * (float)(place / size) / (float)size;
		others += steps[place] != fractal_steps(x, y);
	}
	processor_expect("Mandelbrot's set: points of another count", 0, (double)others, 0,
			 0.02 * (double)(size * size));
	free(steps);
}

/* --- SHA-256 of one block each (FIPS 180-4) ------------------------------------------------------------------ */

static const char hash[] =
	"constant uint K[64] = {\n"
	"	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,\n"
	"	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,\n"
	"	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,\n"
	"	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,\n"
	"	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,\n"
	"	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,\n"
	"	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,\n"
	"	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,\n"
	"	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,\n"
	"	0xc67178f2};\n"
	"#define R(x, n) rotate((uint)(x), (uint)(32 - (n)))\n"
	"kernel void sha256(global uint *digest, uint seed)\n"
	"{\n"
	"	const uint id = get_global_id(0);\n"
	"	uint w[16], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,\n"
	"			    0x9b05688c, 0x1f83d9ab, 0x5be0cd19};\n"
	"	w[0] = id;\n"
	"	w[1] = seed;\n"
	"	w[2] = 0x80000000;\n"
	"	for (uint i = 3; i < 15; i++)\n"
	"		w[i] = 0;\n"
	"	w[15] = 64;\n"
	"	uint a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];\n"
	"#pragma unroll\n"
	"	for (uint i = 0; i < 64; i++) {\n"
	"		if (i >= 16) {\n"
	"			const uint x = w[(i + 1) & 15], y = w[(i + 14) & 15];\n"
	"			w[i & 15] += (R(x, 7) ^ R(x, 18) ^ x >> 3) + w[(i + 9) & 15] +\n"
	"				     (R(y, 17) ^ R(y, 19) ^ y >> 10);\n"
	"		}\n"
	"		const uint t = h + (R(e, 6) ^ R(e, 11) ^ R(e, 25)) + bitselect(g, f, e) + K[i] +\n"
	"			       w[i & 15];\n"
	"		const uint u = (R(a, 2) ^ R(a, 13) ^ R(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));\n"
	"		h = g; g = f; f = e; e = d + t; d = c; c = b; b = a; a = t + u;\n"
	"	}\n"
	"	digest[id] = s[0] + a;\n"
	"	digest[id] ^= s[7] + h;\n"
	"}\n";

static uint32_t rotated(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

/* The first 32 bits of the fractional parts of the roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3). */
static void hash_constants(uint32_t *k, uint32_t *start)
{
	unsigned count = 0;
	for (unsigned p = 2; count < 64; p++) {
		bool prime = true;
		for (unsigned d = 2; d * d <= p; d++)
			prime &= p % d != 0;
		if (!prime)
			continue;
		const long double cube = cbrtl(p), square = sqrtl(p);
		k[count] = (uint32_t)((cube - floorl(cube)) * 0x1p32L);
		if (count < 8)
			start[count] = (uint32_t)((square - floorl(square)) * 0x1p32L);
		count++;
	}
}

static uint32_t hash_of(uint32_t id, uint32_t seed)
{
	uint32_t k[64], start[8], w[64] = {id, seed, 0x80000000u}, v[8];
	hash_constants(k, start);
	w[15] = 64;
	memcpy(v, start, sizeof(v));
	for (unsigned i = 16; i < 64; i++) {
		const uint32_t x = w[i - 15], y = w[i - 2];
		w[i] = w[i - 16] + (rotated(x, 7) ^ rotated(x, 18) ^ x >> 3) + w[i - 7] +
		       (rotated(y, 17) ^ rotated(y, 19) ^ y >> 10);
	}
	for (unsigned i = 0; i < 64; i++) {
		const uint32_t t = v[7] + (rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)) +
				   ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
		const uint32_t u = (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) +
				   ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += t;
		v[0] = t + u;
	}
	return (start[0] + v[0]) ^ (start[7] + v[7]);
}

static void hash_start(void)
{
	size = bench_pick(1 << 16, 1 << 14, 1 << 10);
	processor_buffer(0, size * sizeof(uint32_t), NULL);
	processor_kernel(0, "sha256", "0");
	processor_uint(0, 1, 0x12345678);
}

static void hash_run(void)
{
	processor_line(0, size, 128);
}

static void hash_check(void)
{
	uint32_t *digest = processor_read(0, size * sizeof(*digest));
	for (size_t i = 0; i < size; i += 331)
		processor_expect("SHA-256", i, digest[i], hash_of((uint32_t)i, 0x12345678), 0);
	free(digest);
}

/* --- docking: the energy of a ligand in many poses beside a protein, as miniBUDE's kernel has it: a pose
 * for each work-item, and branches on how far two atoms are from each other ------------------------------------ */

enum { LIGAND = 26, PROTEIN = 256 };

static const char docking[] =
	"kernel void dock(global const float4 *protein, global const float4 *ligand,\n"
	"		  global const float *pose, global float *energy, uint atoms, uint n, uint poses)\n"
	"{\n"
	"	const uint id = get_global_id(0);\n"
	"	const float sx = native_sin(pose[id]), cx = native_cos(pose[id]);\n"
	"	const float sy = native_sin(pose[poses + id]), cy = native_cos(pose[poses + id]);\n"
	"	const float px = pose[2 * poses + id], py = pose[3 * poses + id];\n"
	"	float sum = 0;\n"
	"	for (uint l = 0; l < atoms; l++) {\n"
	"		const float4 a = ligand[l];\n"
	"		const float u = cx * a.x - sx * a.y, v = sx * a.x + cx * a.y;\n"
	"		const float x = cy * u + sy * a.z + px, y = v + py, z = cy * a.z - sy * u;\n"
	"		for (uint p = 0; p < n; p++) {\n"
	"			const float4 b = protein[p];\n"
	"			const float dx = x - b.x, dy = y - b.y, dz = z - b.z;\n"
	"			const float d = native_sqrt(dx * dx + dy * dy + dz * dz);\n"
	"			const float radii = a.w + b.w;\n"
	"			if (d < radii)\n"
	"				sum += 38.0f * (1.0f - d / radii);\n"
	"			else if (d < 4.0f * radii)\n"
	"				sum -= 0.25f * (1.0f - (d - radii) / (3.0f * radii));\n"
	"		}\n"
	"	}\n"
	"	energy[id] = 0.5f * sum;\n"
	"}\n";

static float docking_protein(uint32_t i)
{
	return i % 4 == 3 ? 0.5f + processor_unit(i) : 20 * processor_unit(i) - 10;
}

static float docking_ligand(uint32_t i)
{
	return i % 4 == 3 ? 0.5f : 4 * processor_unit(i + 77777) - 2;
}

static float docking_pose(uint32_t i)
{
	return 6 * processor_unit(i + 99999) - 3;
}

static void docking_start(void)
{
	size = bench_pick(4096, 2048, 256);
	float *protein = processor_allocate(4 * PROTEIN * sizeof(float));
	float *ligand = processor_allocate(4 * LIGAND * sizeof(float));
	float *pose = processor_allocate(4 * size * sizeof(float));
	for (uint32_t i = 0; i < 4 * PROTEIN; i++)
		protein[i] = docking_protein(i);
	for (uint32_t i = 0; i < 4 * LIGAND; i++)
		ligand[i] = docking_ligand(i);
	for (uint32_t i = 0; i < 4 * size; i++)
		pose[i] = docking_pose(i);
	processor_buffer(0, 4 * PROTEIN * sizeof(float), protein);
	processor_buffer(1, 4 * LIGAND * sizeof(float), ligand);
	processor_buffer(2, 4 * size * sizeof(float), pose);
	processor_buffer(3, size * sizeof(float), NULL);
	processor_kernel(0, "dock", "0123");
	processor_uint(0, 4, LIGAND);
	processor_uint(0, 5, PROTEIN);
	processor_uint(0, 6, (cl_uint)size);
	free(protein);
	free(ligand);
	free(pose);
}

static void docking_run(void)
{
	processor_line(0, size, 64);
}

static double docking_pair(const double *at, double own, uint32_t p)
{
	double d = 0;
	for (unsigned a = 0; a < 3; a++)
		d += pow(at[a] - docking_protein(4 * p + a), 2);
	d = sqrt(d);
	const double radii = own + docking_protein(4 * p + 3);
	return d < radii ? 38 * (1 - d / radii) :
	       d < 4 * radii ? -0.25 * (1 - (d - radii) / (3 * radii)) : 0;
}

static double docking_energy(uint32_t id)
{
	const double sx = sin(docking_pose(id)), cx = cos(docking_pose(id));
	const double sy = sin(docking_pose((uint32_t)size + id));
	const double cy = cos(docking_pose((uint32_t)size + id));
	double sum = 0;
	for (uint32_t l = 0; l < LIGAND; l++) {
		const double a[4] = {docking_ligand(4 * l), docking_ligand(4 * l + 1),
				     docking_ligand(4 * l + 2), docking_ligand(4 * l + 3)};
		const double u = cx * a[0] - sx * a[1], v = sx * a[0] + cx * a[1];
		const double at[3] = {cy * u + sy * a[2] + docking_pose(2 * (uint32_t)size + id),
				      v + docking_pose(3 * (uint32_t)size + id),
				      cy * a[2] - sy * u};
		for (uint32_t p = 0; p < PROTEIN; p++)
			sum += docking_pair(at, a[3], p);
	}
	return 0.5 * sum;
}

static void docking_check(void)
{
	float *energy = processor_read(3, size * sizeof(float));
	for (uint32_t id = 0; id < size; id += 101)
		processor_expect("docking", id, energy[id], docking_energy(id), 1e-3);
	free(energy);
}

const struct processor_case processor_arithmetic[] = {
	{"bodies", bodies, bodies_start, bodies_run, bodies_check},
	{"Mandelbrot set", fractal, fractal_start, fractal_run, fractal_check},
	{"SHA-256", hash, hash_start, hash_run, hash_check},
	{"docking", docking, docking_start, docking_run, docking_check},
	{NULL, NULL, NULL, NULL, NULL}
};
