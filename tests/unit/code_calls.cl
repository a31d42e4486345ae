/* Functions in loops, as code.cl has them. */
#define I get_global_id(0)

/* A call whose operands do not change is made before the loop. */
//loop 0 div
//loop 1 bra
kernel void same_angle(global float *out, float a, float b, int n)
{
	float sum = 0;
	for (int i = 0; i < n; i++)
		sum += out[I + i * n] * atan2(a, b + I);
	out[I] = sum;
}

/* Before both loops, too. */
//loop 0 div
kernel void same_angles(global float *out, float a, float b, int n, int m)
{
	float sum = 0;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
			sum += out[I + i * n + j] * atan2(a, b + I) + j;
	out[I] = sum;
}

/* Nor does a vector's length change. */
//loop 1 bra
kernel void same_length(global float *out, float4 a, int n)
{
	float sum = 0;
	for (int i = 0; i < n; i++)
		sum += out[I + i * n] * length(a);
	out[I] = sum;
}

/* Reads of images in a loop overlap: the order of the channels is branched on before it. */
//together 4 tex
kernel void image_product(global double *out, global const int *columns, read_only image2d_t in, sampler_t near, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++) {
		const int at = i * n + I, c = columns[at];
		sum += out[at] * as_double(read_imagei(in, near, (int2)(c % 1024, c / 1024)).xy);
	}
	out[I] = sum;
}

/* A loop over a small private array that chooses by what is the same in each turn is unrolled before libnvvm writes it
 * once for each outcome. */
//loop 2 sqrt\.
kernel void choices_of_a_turn(global float *out, global const int *kinds, global const float *in, int n)
{
	float sums[2] = {0, 0};
	__attribute__((opencl_unroll_hint(1)))
	for (int i = 0; i < n; i++) {
		const bool is_near = kinds[i] == 3 || kinds[0] == 5, is_far = in[i] != 0;
		for (int k = 0; k < 2; k++) {
			const float d = native_sqrt(in[i] * in[i + k] + out[k]), e = d * in[n + i];
			sums[k] += is_near ? -fabs(e) : e;
			sums[k] += d < in[k] && is_far ? d : 0;
		}
	}
	out[2 * I] = sums[0];
	out[2 * I + 1] = sums[1];
}
