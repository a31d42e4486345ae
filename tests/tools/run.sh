#!/bin/sh
# Protects: `culvert run`: every form of an argument reaches the kernel as it was meant,
# and its results come out as text, as JSON and as files that NumPy reads.
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
failed=0
# What one command has compiled, the next ones find: most run the same kernels with other arguments.
export CULVERT_CACHE=on CULVERT_CACHE_DIR="$folder/programs"
fail() {
	echo "$@"
	failed=1
}
# run CODE ARGUMENT...: exit code; what was printed is in out
run() {
	wanted=$1
	shift
	./culvert run "$@" >$folder/out 2>$folder/errors
	code=$?
	[ $code = $wanted ] || { fail "run $*: exit code $code, not $wanted"; cat $folder/out $folder/errors; }
}
# prints LINE...: and nothing else
prints() {
	printf '%s\n' "$@" >$folder/wanted
	cmp -s $folder/wanted $folder/out || { fail "expected:"; cat $folder/wanted; echo "got:"; cat $folder/out; }
}
cat >$folder/k.cl <<'END'
kernel void axpy(global float *y, global const float *x, float a)
{
	y[get_global_id(0)] += a * x[get_global_id(0)];
}
kernel void pairs(global int2 *out, constant short *in, uchar add, int3 vector)
{
	size_t i = get_global_id(0);
	out[i] = (int2)(in[i] + add, i == 0 ? vector.x : i == 1 ? vector.y : vector.z);
}
kernel void sums(global uint *out, local uint *part, global const uint *in)
{
	size_t l = get_local_id(0);
	part[l] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0) {
		uint sum = 0;
		for (size_t i = 0; i < get_local_size(0); i++)
			sum += part[i];
		out[get_group_id(0)] = sum;
	}
}
kernel void ids(global ulong *out) 
{
	out[(get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0)] =
		get_global_id(1) * 1000 + get_global_id(0);
}
kernel void keep(global ulong *u, global long4 *v, global char *c, global float *f) {}
kernel void copy(global double *out, global const double *in) { out[get_global_id(0)] = in[get_global_id(0)]; }
END
run 0 $folder/k.cl -k axpy -g 4 -a 1,2,3,4 -a range:4 -a 0.5
prints 'y[4] 1 2.5 4 5.5'
run 0 $folder/k.cl -k axpy -g 3 -a zero:3 -a fill:3:-2 -a 1e2 --out 0 --out x
prints 'y[3] -200 -200 -200' 'x[3] -2 -2 -2'
run 0 $folder/k.cl -k axpy -g 20 -a zero:20 -a range:20:1:0.25 -a 1
prints 'y[20] 1 1.25 1.5 1.75 2 2.25 2.5 2.75 3 3.25 3.5 3.75 4 4.25 4.5 4.75 ...'
run 0 $folder/k.cl -k pairs -g 3 -a zero:3 -a -1,-2,-32768 -a 255 -a 7,-8,9
prints 'out[3] (254, 7) (253, -8) (-32513, 9)'
run 0 $folder/k.cl -k sums -g 12 -l 4 -a zero:3 -a local:16 -a range:12:1
prints 'out[3] 10 26 42'
run 0 $folder/k.cl -k ids -g 2x3 -f 5,7 -a zero:6
prints 'out[6] 7005 7006 8005 8006 9005 9006'
# All bits of 64, which a double has no room for; a step may go down in a type that has no sign.
run 0 $folder/k.cl -k keep -g 1 -a fill:2:18446744073709551615 -a fill:1:-9223372036854775807 -a fill:2:-128 \
	-a range:3:1:-0.25 -o u -o v -o c -o f
prints 'u[2] 18446744073709551615 18446744073709551615' \
	'v[1] (-9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807)' \
	'c[2] -128 -128' 'f[3] 1 0.75 0.5'
run 0 $folder/k.cl -k keep -g 1 -a range:3:9007199254740993:-2 -a range:2:0x7ffffffffffffffe -a range:3:126 -a fill:1:inf \
	-o u -o v -o c -o f
prints 'u[3] 9007199254740993 9007199254740991 9007199254740989' \
	'v[2] (9223372036854775806, 9223372036854775806, 9223372036854775806, 9223372036854775806) (9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807)' \
	'c[3] 126 127 -128' 'f[1] inf'
run 0 $folder/k.cl -k copy -g 3 -a zero:3 -a 0x1.8p1,nan,-inf --json
grep -qF '"median_ns": ' $folder/out || fail "no time in the JSON"
[ "$(tr -d ' \n' <$folder/out | cut -d, -f1-3)" = '{"results":{"out":[3,null,null]}' ] || { fail "other JSON:"; cat $folder/out; }
run 0 $folder/k.cl -k axpy -g 4 -a zero:4 -a random:4:1 -a 1
cp $folder/out $folder/first
run 0 $folder/k.cl -k axpy -g 4 -a zero:4 -a random:4:1 -a 1
cmp -s $folder/first $folder/out || fail "random numbers of one seed differ"
run 0 $folder/k.cl -k axpy -g 4 -a zero:4 -a range:4 -a 1 --repeat 5
grep -q '^5 launches: minimum [0-9.]* us, median [0-9.]* us$' $folder/out || fail "no times"

# Files: bytes, and NumPy's.
printf 'abcd' >$folder/bytes
echo 'kernel void upper(global uchar *text) { text[get_global_id(0)] -= 32; }' >$folder/upper.cl
run 0 $folder/upper.cl -g 4 -a @$folder/bytes --out text=$folder/bytes.out
[ "$(cat $folder/bytes.out)" = ABCD ] || fail "the saved bytes are $(cat $folder/bytes.out)"
if [ -x "$PYTHON3" ] && "$PYTHON3" -c 'import numpy' 2>/dev/null; then
	"$PYTHON3" - $folder <<'END'
import numpy, sys
numpy.save(sys.argv[1] + "/x.npy", numpy.arange(6, dtype=numpy.float32).reshape(2, 3) / 4)
numpy.save(sys.argv[1] + "/wrong.npy", numpy.arange(6))
END
	run 0 $folder/k.cl -k axpy -g 6 -a zero:6 -a @$folder/x.npy -a 2 --out y=$folder/y.npy
	run 0 $folder/k.cl -k pairs -g 2 -a zero:2 -a 1,2 -a 0 -a 5,6,7 --out out=$folder/pairs.npy
	"$PYTHON3" - $folder <<'END' || fail "NumPy reads something else"
import numpy, sys
y = numpy.load(sys.argv[1] + "/y.npy")
assert y.dtype == numpy.float32 and (y == numpy.arange(6) / 2).all(), y
pairs = numpy.load(sys.argv[1] + "/pairs.npy")
assert pairs.dtype == numpy.int32 and (pairs == [[1, 5], [2, 6]]).all(), pairs
END
	run 2 $folder/k.cl -k axpy -g 6 -a zero:6 -a @$folder/wrong.npy -a 2
	grep -q 'type i8, the argument has type f4' $folder/errors || fail "the wrong type is not named"
	"$PYTHON3" - $folder <<'END'
import numpy, sys
values = numpy.array([0, -0.0, 1, -2.5, 65504, 65519, 1e-9, 6e-8, 2.9e-8, 1/3, 6.1e-5, 0.99999, 5.96e-8 * 1.5])
print("h=" + ",".join(repr(float(v)) for v in values), file=open(sys.argv[1] + "/halves", "w"))
numpy.save(sys.argv[1] + "/halves.npy", values.astype(numpy.float16))
END
	echo 'kernel void h(global half *h) {}' >$folder/h.cl
	run 0 $folder/h.cl -g 1 -a "$(sed 's/h=//' $folder/halves)" --out h=$folder/h.npy
	"$PYTHON3" - $folder <<'END' || fail "halves are rounded otherwise"
import numpy, sys
a, b = (numpy.load(sys.argv[1] + "/" + f).view(numpy.uint16) for f in ("halves.npy", "h.npy"))
assert (a == b).all(), (a, b)
END
fi

# A kernel of SPIR-V whose parameters have no names: they are called by their numbers.
run 0 "${srcdir:-.}/tests/spirv/arguments.spv" -k silent -g 1 -a zero:1 -a 7 -o 0
prints "0[1] 7"

# Images: every kind, read and written; what is given and printed is what is stored.
cat >$folder/i.cl <<'END'
kernel void flip(read_only image2d_t in, write_only image2d_t out)
{
	int2 p = (int2)(get_global_id(0), get_global_id(1));
	write_imageui(out, p, read_imageui(in, (int2)(get_global_size(0) - 1 - p.x, p.y)));
}
kernel void line(write_only image1d_t o) { write_imagei(o, (int)get_global_id(0), -(int)get_global_id(0)); }
kernel void lines(write_only image1d_array_t o)
{
	int2 p = (int2)(get_global_id(0), get_global_id(1));
	write_imagef(o, p, p.x + 10 * p.y);
}
kernel void sheets(write_only image2d_array_t o)
{
	int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
	write_imageui(o, p, p.x + 10 * p.y + 100 * p.z);
}
kernel void depth(write_only image2d_depth_t o) { write_imagef(o, (int2)(get_global_id(0), 0), get_global_id(0) / 4.0f); }
kernel void box(read_write image3d_t v)
{
	int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
	write_imagef(v, p, 2 * read_imagef(v, p));
}
kernel void linear(read_only image1d_buffer_t in, global float4 *o) { o[get_global_id(0)] = read_imagef(in, (int)get_global_id(0)); }
kernel void sample(read_only image2d_t in, sampler_t s, global float4 *o, float scale)
{
	o[get_global_id(0)] = read_imagef(in, s, (float2)((get_global_id(0) + 0.5f) * scale, 0.5f));
}
END
image() {
	code=$1
	shift
	run $code $folder/i.cl "$@" -- -cl-std=CL3.0
}
image 0 -k flip -g 4x2 -a image:rgba-uint8:4x2:range -a image:rgba-uint8:4x2:fill:9
prints 'out[4x2] (3, 3, 3, 3) (2, 2, 2, 2) (1, 1, 1, 1) (0, 0, 0, 0) (7, 7, 7, 7) (6, 6, 6, 6) (5, 5, 5, 5) (4, 4, 4, 4)'
image 0 -k flip -g 2x1 -a image:rg-uint32:2x1:1,2,3,4294967295 -a image:rg-uint32:2x2:fill:9 -o 1 -o in
prints 'out[2x2] (3, 4294967295) (1, 2) (9, 9) (9, 9)' 'in[2x1] (1, 2) (3, 4294967295)'
image 0 -k line -g 3 -a image:r-int8:3
prints 'o[3] 0 -1 -2'
image 0 -k lines -g 3x2 -a image:r-float:3x2
prints 'o[3x2] 0 1 2 10 11 12'
image 0 -k sheets -g 3x2x2 -a image:r-uint16:3x2x2
prints 'o[3x2x2] 0 1 2 10 11 12 100 101 102 110 111 112'
image 0 -k depth -g 3 -a image:depth-float:3x1
prints 'o[3x1] 0 0.25 0.5'
image 0 -k box -g 2x1x2 -a image:rgba-half:2x1x2:range:0.5
prints 'v[2x1x2] (1, 1, 1, 1) (3, 3, 3, 3) (5, 5, 5, 5) (7, 7, 7, 7)'
image 0 -k linear -g 2 -a image:rgba-unorm8:2:255,0,51,102,0,255,0,0 -a zero:2
grep -qx 'o\[2\] (1, 0, 0.2[0-9]*, 0.4[0-9]*) (0, 1, 0, 0)' $folder/out || { fail "unorm8:"; cat $folder/out; }
image 0 -k sample -g 4 -a image:r-float:2x1:1,3 -a linear,normalized -a zero:4 -a 0.25 --json
[ "$(tr -d ' \n' <$folder/out | cut -d '"' -f 1-5)" = '{"results":{"o":[[1,0,0,1],[1.5,0,0,1],[2.5,0,0,1],[3,0,0,1]]},' ] ||
	{ fail "a linear sampler:"; cat $folder/out; }
image 0 -k sample -g 4 -a image:r-float:2x1:1,3 -a sampler:normalized,repeat -a zero:4 -a 0.5
prints 'o[4] (1, 0, 0, 1) (3, 0, 0, 1) (1, 0, 0, 1) (3, 0, 0, 1)'
image 0 -k sample -g 3 -a image:rgba-float:2x1:fill:3 -a clamp -a zero:3 -a 1
prints 'o[3] (3, 3, 3, 3) (3, 3, 3, 3) (0, 0, 0, 0)'
image 0 -k sample -g 3 -a image:rgba-float:2x1:fill:3 -a sampler -a zero:3 -a 1
prints 'o[3] (3, 3, 3, 3) (3, 3, 3, 3) (3, 3, 3, 3)'
# As bytes, and as an array of NumPy's with the rows outside.
printf 'abcdefgh' >$folder/texels
image 0 -k flip -g 2x1 -a image:rgba-uint8:2x1:@$folder/texels -a image:rgba-uint8:2x1 -o out=$folder/texels.out -o out=$folder/texels.npy
[ "$(cat $folder/texels.out)" = efghabcd ] || fail "the saved texels are $(cat $folder/texels.out)"
grep -qa "'descr': '|u1', 'fortran_order': False, 'shape': (1, 2,  *4), }" $folder/texels.npy || { fail "an image's .npy:"; cat $folder/texels.npy; }
image 0 -k flip -g 2x1 -a image:rgba-uint8:2x1:@$folder/texels.npy -a image:rgba-uint8:2x1 -o out=$folder/texels.out
[ "$(cat $folder/texels.out)" = abcdefgh ] || fail "an image from its .npy is another"
image 2 -k flip -g 2x1 -a image:rg-uint8:2x1:@$folder/none -a image:rgba-uint8:2x1
grep -q "$folder/none: No such file or directory" $folder/errors || { fail "texels of no file:"; cat $folder/errors; }

# Pipes: filled before the launch, emptied behind it.
cat >$folder/p.cl <<'END'
struct pair { int a; char b; };
kernel void square(read_only pipe int from, write_only pipe int to)
{
	int x;
	if (!read_pipe(from, &x)) {
		x *= x;
		write_pipe(to, &x);
	}
}
kernel void pairs(write_only pipe struct pair to) { struct pair x = {258, 7}; write_pipe(to, &x); }
kernel void sum(read_only pipe float4 from, global float4 *o) { float4 x; while (!read_pipe(from, &x)) o[0] += x; }
END
pipe() {
	code=$1
	shift
	run $code $folder/p.cl "$@" -- -cl-std=CL3.0
}
# Work-groups write in any order.
pipe 0 -k square -g 4 -l 1 -a range:6:-1 -a pipe:8
sort $folder/out | while read -r name values; do
	# shellcheck disable=SC2046,SC2086
	echo "$name" $(printf '%s\n' $values | sort -n)
done >$folder/sorted
mv $folder/sorted $folder/out
prints 'from[2] 3 4' 'to[4] 0 1 1 4'
pipe 0 -k square -g 4 -a pipe:5 -a pipe:3 -o to
prints 'to[0]'
pipe 0 -k square -g 5 -l 1 -a fill:5:3 -a pipe:2 -o to --json
[ "$(tr -d ' \n' <$folder/out | cut -d '"' -f 1-5)" = '{"results":{"to":[9,9]},' ] || { fail "a full pipe:"; cat $folder/out; }
pipe 0 -k sum -g 1 -a 1,2,3,4,10,20,30,40 -a zero:1 -o o
prints 'o[1] (11, 22, 33, 44)'
pipe 0 -k pairs -g 1 -a pipe:2:8
grep -qx 'to\[1\] (2, 1, 0, 0, 7, [0-9]*, [0-9]*, [0-9]*)' $folder/out || { fail "a pipe of structures:"; cat $folder/out; }

# Mistakes.
for word in rgba-uint8:4x2 image: image:rgba-uint8 image:rgba-uint8:4 image:rgba-uint8:4x2x1 image:rgba-uint8:0x2 image:rgb-uint8:4x2 \
	image:rgba-uint9:4x2 image:rgba:4x2 image:rgba-uint8:4x2: image:rgba-uint8:4x2:1,2,3 image:rgba-uint8:4x2:range:1:2:3 \
	image:rgba-uint8:4x2:fill image:rgba-uint8:4x2:fill:256 image:rgba-uint8:4x2:zero:8 zero:8; do
	image 2 -k flip -g 4x2 -a $word -a image:rgba-uint8:4x2
	grep -qF "(image2d_t in): '$word' is not a valid value; expected something like image:" $folder/errors || { fail "$word is not named:"; cat $folder/errors; }
done
image 2 -k flip -g 2x1 -a image:rg-uint8:2x1:@$folder/texels -a image:rgba-uint8:2x1
grep -q "texels: has 8 bytes, but 4 are required" $folder/errors || { fail "a file that is too long:"; cat $folder/errors; }
image 1 -k flip -g 4x2 -a image:luminance-uint8:4x2 -a image:rgba-uint8:4x2
grep -q 'argument 0 (image2d_t in): CL_INVALID_IMAGE_FORMAT_DESCRIPTOR' $folder/errors || { fail "a format that there is not:"; cat $folder/errors; }
for word in nearset linear,,clamp sampler: linear:clamp zero:1; do
	image 2 -k sample -g 4 -a image:r-float:2x1 -a $word -a zero:4 -a 1
	grep -qF "(sampler_t s): '$word' is not a valid value; expected something like linear" $folder/errors || { fail "$word is not named:"; cat $folder/errors; }
done
for word in 5 pipe: pipe:0 pipe:x pipe:4:4 pipe:4:4:4 1,2; do
	pipe 2 -k square -g 4 -a range:4 -a $word
	grep -qF "(int to): '$word' is not a valid value; expected pipe:PACKETS, or the packets" $folder/errors || { fail "$word is not named:"; cat $folder/errors; }
done
pipe 2 -k pairs -g 1 -a pipe:2
grep -q 'expected pipe:PACKETS:BYTES, since its packets are structures' $folder/errors || { fail "a pipe of structures, no size:"; cat $folder/errors; }
run 2 $folder/k.cl -k axpy -a zero:4 -a zero:4 -a 1
run 2 $folder/k.cl -g 4 -a 1
grep -q 'axpy;pairs' $folder/errors || fail "the kernels are not named"
run 1 $folder/k.cl -k none -g 4
run 2 $folder/k.cl -k axpy -g 4 -a zero:4
run 2 $folder/k.cl -k axpy -g 4 -a zero:4 -a range -a 1
run 2 $folder/k.cl -k axpy -g 4 -a zero:4 -a 1,x,3 -a 1
for word in fill:1:18446744073709551616 fill:1:-1 fill:1:1.5 fill:1 fill::1 fill:1:1:1 zero zero:0 zero:-1 zero:1.5 range:2:0:x \
	range:1:1:1:1 random:1:x zero:2199023255552; do
	run 2 $folder/k.cl -k ids -g 1 -a $word
	grep -qF "'$word' is not a valid value" $folder/errors || fail "$word is not named"
done
run 2 $folder/k.cl -k pairs -g 1 -a zero:1 -a 1 -a 256 -a 1,2,3
run 2 $folder/k.cl -k pairs -g 1 -a zero:1 -a 32768 -a 1 -a 1,2,3
run 2 $folder/k.cl -k pairs -g 1 -a zero:1 -a 1 -a 1 -a 1,2
run 2 $folder/k.cl -k ids -g 4 -a zero:4 -o none
run 2 $folder/k.cl -k ids -g 4x -a zero:4
run 1 $folder/k.cl -k ids -g 4 -l 3 -a zero:4 -- -cl-std=CL1.2
grep -q CL_INVALID_WORK_GROUP_SIZE $folder/errors || fail "the error is not named"
# Why a launch is refused: the limit and the size.
grep -q "kernel ids: work-groups of 3 do not divide 4 work-items" $folder/errors || { fail "why not is not told:"; cat $folder/errors; }
echo 'kernel __attribute__((reqd_work_group_size(64, 1, 1))) void r(global int *p, local int *l) { p[0] = l[0]; }' >$folder/r.cl
run 1 $folder/r.cl -g 128 -l 32 -a zero:1 -a 4
grep -q "kernel r: its reqd_work_group_size is 64 x 1 x 1, not 32 (CL_INVALID_WORK_GROUP_SIZE)" $folder/errors ||
	{ fail "the size that is wanted is not told:"; cat $folder/errors; }
[ "$(wc -l <$folder/errors)" = 1 ] || { fail "not one line:"; cat $folder/errors; }
run 1 $folder/r.cl -g 128 -l 64 -a zero:1 -a 100000000
grep -q "needs 100000000 bytes of local memory" $folder/errors && grep -q CL_OUT_OF_RESOURCES $folder/errors ||
	{ fail "local memory: not why and the error:"; cat $folder/errors; }
grep -q 'culvert check' $folder/errors && fail "local memory: no fault, and one is spoken of"
# A fault: who finds its place.
if [ "${CULVERT_CUDA:-soft}" = soft ]; then
	echo 'kernel void far(global int *p) { p[1 << 28] = 1; }' >$folder/far.cl
	run 1 $folder/far.cl -g 1 -a zero:1
	grep -q "the kernel faulted.*culvert check culvert run" $folder/errors || { fail "a fault: culvert check is not named:"; cat $folder/errors; }
	./culvert check ./culvert run $folder/far.cl -g 1 -a zero:1 >$folder/out 2>$folder/errors
	grep -q "far.cl:1:" $folder/errors || { fail "a fault: culvert check does not tell its place:"; cat $folder/errors; }
	grep -q "culvert check culvert run" $folder/errors && fail "culvert check is named where it runs"
fi
run 3 $folder/k.cl -k ids -g 4 -a zero:4 --device 99
grep -q 'no device 99; there is one device, number 0' $folder/errors || { fail "a device that does not exist:"; cat $folder/errors; }
# A header is found beside the file, and in the process' folder without -I; a change of it is seen,
# also where the program is kept, and in another folder another header is meant.
mkdir $folder/one $folder/two $folder/cache || exit 2
echo '#define VALUE 7' >$folder/one/value.h
echo '#define VALUE 9' >$folder/two/value.h
printf '%s\n' '#include "value.h"' 'kernel void v(global int *o) { o[0] = VALUE; }' >$folder/one/v.cl
tool=$PWD/culvert
value()
{
	(cd "$1" && CULVERT_CACHE=on CULVERT_CACHE_DIR=$folder/cache "$tool" run $2 -g 1 -a zero:1 | grep -qx "o\[1\] $3") ||
		fail "run $2 in $1: not $3"
}
value . $folder/one/v.cl 7
value $folder/one - 7 <$folder/one/v.cl
value $folder/two - 9 <$folder/one/v.cl
value $folder/one - 7 <$folder/one/v.cl
echo '#define VALUE 8' >$folder/one/value.h
value $folder/one - 8 <$folder/one/v.cl
value $folder/one v.cl 8
value . $folder/one/v.cl 8
# Of two, the folder that is named comes first.
value "$folder/one" "- -O -I../two" 9 <$folder/one/v.cl
# What the user adds is compiled with, wins, and is a reason to build again; what is wrong in it is told.
echo 'kernel void b(global int *o) { o[0] = BY; }' >$folder/b.cl
for by in 3 4; do
	CULVERT_BUILD_OPTIONS="-DBY=$by" CULVERT_CACHE=on CULVERT_CACHE_DIR=$folder/cache "$tool" run $folder/b.cl -g 1 -a zero:1 \
		-O -DBY=1 2>/dev/null | grep -qx "o\[1\] $by" || fail "CULVERT_BUILD_OPTIONS: not $by"
done
CULVERT_BUILD_OPTIONS=-nonsense "$tool" run $folder/b.cl -g 1 -a zero:1 -O -DBY=1 >$folder/out 2>&1 && fail "-nonsense is taken"
grep -q -e -nonsense $folder/out || fail "what CULVERT_BUILD_OPTIONS has wrong is not named"
rm $folder/one/value.h
(cd $folder/one && CULVERT_CACHE=on CULVERT_CACHE_DIR=$folder/cache "$tool" run v.cl -g 1 -a zero:1) >$folder/out 2>&1 &&
	fail "a header that is gone is still used"
grep -q "^v.cl:1:10: .*value.h" $folder/out || fail "the message does not name the file and the place"
exit $failed
