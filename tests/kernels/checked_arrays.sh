#!/bin/sh
# Protects: in a program that is built to be checked, private arrays whose indices are constants or counters of loops
# with a constant number of turns are registers, and those where an error could hide are in memory; so are variables
# that are counted up at the end; the checker is not told of indices that cannot be out of bounds.
test "${CULVERT_CUDA:-soft}" = soft || exit 77
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
# expect NAME COUNT: of the program on standard input, COUNT private variables are in memory
expect() {
	mkdir "$work/$1"
	cat >"$work/$1.cl"
	CULVERT_CUDA=soft CULVERT_CACHE=off CULVERT_SOFT_CHECK=memory CULVERT_DUMP="$work/$1" \
		./culvert run "$work/$1.cl" --global 4 --local 4 --arg zero:64 --arg 1 >"$work/out" 2>&1 ||
		{ echo "$1: culvert run fails"; cat "$work/out"; failed=1; }
	found=$(cat "$work/$1"/*.ptx | grep -c culvert_variable)
	test "$found" = "$2" && return
	echo "$1: $found private variables are in memory, not $2"
	failed=1
}
expect product 0 <<'END_OF_KERNEL'
kernel void product(global float *out, int n)
{
	float sum[4][4] = {{0}}, u[4], v[4];
	const int l = get_local_id(0);
	for (int k = 0; k < n; k++) {
		for (uint i = 0; i < 4; i++) {
			u[i] = out[k + i];
			v[3 - i] = out[k + 2 * i];
		}
		for (int i = 0; i < 4; i++)
			for (int j = 3; j >= 0; j--) {
				const int at = i * 4 + j;
				sum[at >> 2][at & 3] += u[i] * v[j];
			}
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			out[4 * i + j] = sum[i][j];
}
END_OF_KERNEL
expect table 0 <<'END_OF_KERNEL'
kernel void table(global float *out, int n)
{
	const float weight[5] = {1, 4, 6, 4, 1};
	float2 pair[2] = {{1, 2}, {3, 4}};
	for (int i = 0; i < 5; i++)
		out[i] = weight[i] * pair[i & 1].y;
	out[5] = pair[0].x + pair[1].x;
}
END_OF_KERNEL
expect varying 3 <<'END_OF_KERNEL'
kernel void varying(global float *out, int n)
{
	float a[4], b[4], c[4];
	for (int i = 0; i < 4; i++)
		a[i] = b[i] = c[i] = out[i];
	for (int i = 0; i < n; i++)
		out[i] += a[i];
	out[1] += b[n];
	float *p = c;
	out[2] += p[n];
}
END_OF_KERNEL
expect unread 1 <<'END_OF_KERNEL'
kernel void unread(global float *out, int n)
{
	float a[4];
	for (int i = 0; i < 4; i++)
		a[i] = out[i];
	out[0] = a[0] + a[1] + a[2];
}
END_OF_KERNEL
expect counted 1 <<'END_OF_KERNEL'
float rounded(float f)
{
	int n = (int)f;
	if (f - n < .5f)
		return n;
	return n++;
}
kernel void counted(global float *out, int n)
{
	float a[4];
	const int l = get_local_id(0);
	a[n] = out[l];
	out[l] = rounded(a[n]) + rounded(out[l]);
	out[l + 4] = l;
}
END_OF_KERNEL
grep -q 'call' "$work"/counted/*.ptx && { echo "counted: a short function is called"; failed=1; }
expect number 0 <<'END_OF_KERNEL'
kernel void number(global float *out, int n)
{
	int g = get_global_id(0), l = get_local_id(0);
	out[l] = n;
}
END_OF_KERNEL
grep -q '__local_depot' "$work"/number/*.ptx && { echo "number: a number that nobody reads is in memory"; failed=1; }
expect long 1 <<'END_OF_KERNEL'
kernel void long_loop(global float *out, int n)
{
	float a[8];
	for (int i = 0; i < 8; i++)
		a[i] = 0;
	for (int i = 0; i < 1000; i++)
		a[i & 7] += out[i & 15];
	for (int i = 0; i < 8; i++)
		out[i] = a[i];
}
END_OF_KERNEL
expect tile 0 <<'END_OF_KERNEL'
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void tile(global float *out, int n)
{
	local float p[4], q[2][2], r[3];
	const uint i = get_local_id(0);
	p[i] = out[i];
	q[i >> 1][i & 1] = p[i];
	r[i % 3] = 0;
	out[i] = q[i / 2][i % 2];
	p[n & 3] = 1;
	p[n] = 2;
}
END_OF_KERNEL
found=$(cat "$work"/tile/*.ptx | grep -c culvert.index)
test "$found" = 1 || { echo "the checker is told of $found indices, not 1"; failed=1; }
exit $failed
