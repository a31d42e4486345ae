/* The kernels of the CUDA twins: each does what the kernel of its name in bench_*.c does. */

extern "C" __global__ void empty()
{
}

extern "C" __global__ void four(unsigned *a, unsigned *b, unsigned c, unsigned d)
{
	if (c == d)
		a[0] = b[0];
}

extern "C" __global__ void sixteen(unsigned *a, unsigned *b, unsigned *c, unsigned *d, unsigned *e,
				   unsigned *f, unsigned *g, unsigned *h, unsigned i, unsigned j,
				   unsigned k, unsigned l, unsigned m, unsigned n, unsigned o,
				   unsigned p)
{
	if (i + j + k + l + m + n + o == p)
		a[0] = b[0] + c[0] + d[0] + e[0] + f[0] + g[0] + h[0];
}

extern "C" __global__ void work(unsigned *out, unsigned rounds)
{
	unsigned v = out[0];
	for (unsigned i = 0; i < rounds; i++)
		v = v * 3 + (v >> 2);
	out[0] = v;
}
