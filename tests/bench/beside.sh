#!/bin/sh
# Protects: tests/bench/codegen/beside: a kernel file becomes CUDA C that nvcc takes, with its lines where they
# were, and loops of machine code are counted and compared by the work that they do.  Needs python3; what nvcc
# and nvdisasm do is looked at where they are.
here=${srcdir:-.}/tests/bench/codegen
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
[ -x "$PYTHON3" ] || { echo "no python3"; exit 77; }
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
cat >"$folder/kernels.cl" <<'END'
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#include "scale.h"
typedef struct { float4 a; uint b[2]; } record;
constant float table[4] = {1, 2, 3, 4};

static inline float4 turned(float4 v, global const record *restrict r) { return v.wzyx * r->a.x + (float4)(v.xy, 0, 1); }

kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void all(global record *out, global const record *restrict in, constant float *more,
	local float *own,
	local uint2 *pairs, int n)
{
	local float shared[64];
	size_t i = get_global_id(0);
	int l = get_local_id(0);
	shared[l] = own[l] = more[l] + table[l & 3];
	barrier(CLK_LOCAL_MEM_FENCE);
	float sum = 0;
	for (int k = 0; k < n; k++)
		sum += shared[k & 63] * own[(k + l) & 63];
	pairs[l] = (uint2)(l, convert_uint(sum));
	out[i].a = turned(in[i].a, in) + mad(sum, SCALE, native_rsqrt(sum));
	out[i].a.xz *= dot(in[i].a, (float4)(1));
	out[i].b[0] = as_uint(sum) + rotate(pairs[l].y, 7u) + select(1, 2, sum > 3);
	atomic_inc((volatile global uint *)&out[0].b[1]);
	vstore4(select(in[i].a, out[i].a, in[i].a < out[i].a), i, more == 0 ? (global float *)out : (global float *)out + 4);
}
END
echo '#define SCALE 3.0f' >"$folder/scale.h"

"$PYTHON3" - "$here" "$folder" <<'END' || exit 1
import sys
sys.path.insert(0, sys.argv[1])
import opencl_as_cuda
import sass

text = opencl_as_cuda.translate(sys.argv[2] + '/kernels.cl', [])
assert '#include "opencl.cuh"' in text and 'extern "C" __global__' in text, text
assert '__shared__ float shared[64]' in text and '__constant__ float table[4]' in text, text
assert 'unsigned own_at' in text and 'opencl_dynamic + pairs_at' in text, text
assert 'SWIZZLE(wzyx, 3, 2, 1, 0)' in text and '#define convert_uint cl_convert<uint>' in text, text
# Each line is where it was, but for what stands before the file's first line marker.
source = open(sys.argv[2] + '/kernels.cl').read().splitlines()
number, lines = 0, {}
for line in text.splitlines():
    if line.startswith('# '):
        number = int(line.split()[1]) - 1 if 'kernels.cl' in line else -10000
    else:
        number += 1
        lines[number] = line
for word in ('typedef struct', 'float shared[64]', 'sum +=', 'vstore4'):
    at = next(n for n, line in enumerate(source, 1) if word in line)
    assert word in lines[at], (word, at, lines[at])

# Ours does one turn of the source's loop, theirs four.
def code(rows, label):
    place = iter(range(0, 0x10000, 16))
    body = ''.join(('%s:\n' % row) if row.startswith('.L') else
                   '        /*%04x*/                   %s ;\n' % (next(place), row) for row in rows)
    return '\t.section\t.text.k,"ax",@progbits\nk:\n.text.k:\n\t//## File "k.cl", line 7\n' + body

turn = ['LDS R1, [R2]', 'FFMA R0, R1, R1, R0', 'IADD3 R2, R2, 0x4, RZ']
ours = sass.kernels(code(['.L_x_0'] + turn + ['BRA `(.L_x_0)', 'EXIT', '.L_x_1', 'BRA `(.L_x_1)', 'NOP'], 0))['k']
theirs = sass.kernels(code(['.L_x_0'] + turn[:2] * 4 + turn[2:] + ['@P0 BRA `(.L_x_0)', 'EXIT'], 0))['k']
assert ours.count() == 6 and theirs.count() == 11, (ours.count(), theirs.count())
assert [loop.count for loop in ours.loops()] == [4], [loop.count for loop in ours.loops()]
(mine, other, ratio), = sass.pairs(ours, theirs)
assert (mine.floats, other.floats, mine.memory_B, other.memory_B) == (2, 8, 4, 16)
assert abs(ratio - 4 * 4 / 10) < 1e-9, ratio
END

[ -x "$PTXAS" ] || { echo "no toolkit: nothing was compiled"; exit 0; }
CUDA=$(dirname "$(dirname "$PTXAS")")
export CUDA
[ -x "$CUDA/bin/nvcc" ] || { echo "no nvcc: nothing was compiled"; exit 0; }
"$PYTHON3" -c 'import sys; sys.path.insert(0, sys.argv[1]); import opencl_as_cuda
print(opencl_as_cuda.translate(sys.argv[2], []))' "$here" "$folder/kernels.cl" >"$folder/kernels.cu" &&
	"$CUDA/bin/nvcc" -std=c++17 -w -ptx -arch=sm_90 -I "$here" -o "$folder/kernels.ptx" "$folder/kernels.cu" ||
	{ echo "nvcc does not take what kernels.cl became"; exit 1; }
grep -q 'ld\.shared' "$folder/kernels.ptx" || { echo "local memory is none"; exit 1; }
[ -x "${NVDISASM:=$CUDA/bin/nvdisasm}" ] || { echo "no nvdisasm: nothing was compared"; exit 0; }
export NVDISASM
"$PYTHON3" "$here/beside" . "$folder/kernels.cl" >"$folder/out" && grep -q '^1 kernels' "$folder/out" &&
	grep -q '^all ' "$folder/out" || { cat "$folder/out"; exit 1; }
