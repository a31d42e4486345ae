#!/bin/sh
# Protects: reads outside of memory on the software device (CULVERT_SOFT_BOUNDS): close to a buffer or to private memory,
# they give zeros, by the interpreter and by machine code; farther away, or where memory is checked or the bounds are
# exact, they are faults, as are stores and atomics.  The last unit of a buffer, of 512 bytes, and of local memory, of
# 128 bytes, can be accessed to its end.
[ "$CULVERT_CUDA" = soft ] || exit 77
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
out=$folder/out status=0
export CULVERT_CACHE=on CULVERT_CACHE_DIR="$folder/cache"
cat >"$folder/k.cl" <<'END'
#define READ(type) \
	kernel void read_##type(global type *to, global const type *from, int distance) \
	{ \
		to[get_global_id(0)] = from[(int)get_global_id(0) + distance]; \
	}
READ(uchar)
READ(short)
READ(int)
READ(long)
READ(short2)
READ(int4)
READ(long4)
kernel void read_some(global int *to, global const int *from, int distance)
{
	int i = get_global_id(0);
	if (i % 3)
		to[i] = from[i + distance];
}
kernel void read_loop(global int *to, global const int *from, int distance)
{
	int sum = 0;
	for (int i = 0; i < distance; i++)
		sum += from[(int)get_global_id(0) + i];
	to[get_global_id(0)] = sum;
}
kernel void read_volatile(global int *to, volatile global const int *from, int distance)
{
	to[get_global_id(0)] = from[(int)get_global_id(0) + distance];
}
kernel void read_either(global int *to, global const int *from, int distance, local int *mine)
{
	int i = get_global_id(0);
	mine[i] = 100 + i;
	barrier(CLK_LOCAL_MEM_FENCE);
	const int *there = i & 1 ? (const int *)&mine[i] : (const int *)&from[i + distance];
	to[i] = *there;
}
kernel void read_constant(global int *to, constant int *from, int distance)
{
	to[get_global_id(0)] = from[(int)get_global_id(0) + distance];
}
kernel void read_local(global int *to, global const int *from, int distance, local int *mine)
{
	int i = get_global_id(0);
	mine[i] = from[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	to[i] = mine[i + distance];
}
kernel void read_private(global int *to, global const int *from, int distance)
{
	int mine[24], i = get_global_id(0);
	for (int k = 0; k < 24; k++)
		mine[k] = from[k & 3];
	to[i] = mine[i + distance];
}
kernel void write(global int *to, global const int *from, int distance)
{
	to[(int)get_global_id(0) + distance] = from[get_global_id(0)];
}
kernel void add(global int *to, global int *from, int distance)
{
	to[get_global_id(0)] = atomic_add(&from[(int)get_global_id(0) + distance], 1);
}
END
# run KERNEL FROM DISTANCE [ARGUMENT...]: of 4 work-items
run() {
	kernel=$1 from=$2 distance=$3
	shift 3
	./culvert run "$folder/k.cl" --kernel $kernel --global 4 --local 4 --arg fill:4:9 --arg $from --arg $distance "$@" \
		--out to >"$out" 2>&1 -- -cl-std=CL3.0
}
# gives VALUES KERNEL FROM DISTANCE [ARGUMENT...]
gives() {
	wanted=$1
	shift
	run "$@" && [ "$(sed 's/^[^ ]* //' "$out")" = "$wanted" ] && return
	echo "CULVERT_SOFT_JIT=$CULVERT_SOFT_JIT: $*: not $wanted:"
	cat "$out"
	status=1
}
# fails KERNEL FROM DISTANCE [ARGUMENT...]: the device is lost
fails() {
	! run "$@" && grep -Eq 'the kernel faulted|CL_OUT_OF_RESOURCES|CL_EXEC_STATUS_ERROR' "$out" && return
	echo "CULVERT_SOFT_JIT=$CULVERT_SOFT_JIT: $*: no fault:"
	cat "$out"
	status=1
}
for jit in off always; do
	export CULVERT_SOFT_JIT=$jit CULVERT_SOFT_BOUNDS=loose
	# Memory from the heap, and memory between pages that are not mapped.
	for type in uchar:1 short:2 int:4 long:8; do
		gives '7 7 0 0' read_${type%:*} fill:$((512 / ${type#*:})):7 $((512 / ${type#*:} - 2))
		gives '3 4 0 0' read_${type%:*} 1,2,3,4 2
		gives '0 0 1 2' read_${type%:*} 1,2,3,4 -2
	done
	gives '98304 0 0 0' read_int range:98304:1 98303
	gives '(128, 128) (0, 0) (0, 0) (0, 0)' read_short2 range:128:1 127
	gives '(31, 31, 31, 31) (32, 32, 32, 32) (0, 0, 0, 0) (0, 0, 0, 0)' read_int4 range:32:1 30
	gives '(15, 15, 15, 15) (16, 16, 16, 16) (0, 0, 0, 0) (0, 0, 0, 0)' read_long4 range:16:1 14
	gives '9 128 0 9' read_some range:128:1 126
	gives '8256 8255 8253 8250' read_loop range:128:1 128
	gives '127 128 0 0' read_volatile range:128:1 126
	gives '127 101 0 103' read_either range:128:1 126 --arg 16
	gives '127 128 0 0' read_constant range:128:1 126
	gives '3 4 0 0' read_local 1,2,3,4 2 --arg 16
	gives '0 0 0 0' read_local 1,2,3,4 28 --arg 16
	fails read_local 1,2,3,4 29 --arg 16
	gives '3 4 0 0' read_private 1,2,3,4 22
	gives '0 0 1 2' read_private 1,2,3,4 -2
	fails read_private 1,2,3,4 16500
	gives '0 0 0 0' read_int range:98304:1 114600
	fails read_int range:98304:1 114700
	fails read_int range:98304:1 -16500
	gives '9 9 9 9' write 1,2,3,4 4
	gives '0 0 0 0' add 1,2,3,4 124
	fails add 1,2,3,4 125
	fails write range:98304:1 98304
	fails add range:98304:1 98304
	CULVERT_SOFT_BOUNDS=exact
	fails read_int range:98304:1 98303
	fails write 1,2,3,4 4
	fails read_local 1,2,3,4 2 --arg 16
	fails read_private 1,2,3,4 22
	CULVERT_SOFT_BOUNDS=loose CULVERT_SOFT_CHECK=memory CULVERT_SOFT_REPORT=$folder/report
	export CULVERT_SOFT_CHECK CULVERT_SOFT_REPORT
	fails read_int 1,2,3,4 2
	unset CULVERT_SOFT_CHECK CULVERT_SOFT_REPORT
done
# The log says once for a launch where that is.
CULVERT_DEBUG=warn run read_int range:128:1 126
[ "$(grep -c "kernel 'read_int'.*work-item (2,0,0): a read of 4 bytes .*behind the end of the buffer.*gives zeros" "$out")" = 1 ] ||
	{ echo "not logged:"; cat "$out"; status=1; }
CULVERT_SOFT_BOUNDS=wide CULVERT_DEBUG=err ./culvert devices >"$out" 2>&1 && { echo "a value that is none"; status=1; }
grep -q 'CULVERT_SOFT_BOUNDS=wide is not one of loose, exact' "$out" || { cat "$out"; status=1; }
exit $status
