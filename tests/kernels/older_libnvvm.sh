#!/bin/sh
# Protects: builds with older versions of libnvvm, which know no type half, no copysign and no local
# pointers of 32 bits.  The libnvvm that is there stands for them, behind a layer that refuses programs
# with those words; and builds for newer GPUs with the driver's, which has the dialect of the older ones for them.
#
#	older_libnvvm.sh                          kernel files with halves, as CUDA 12.9, 12.4 and 12.0
#	OLDER_LIBNVVM='FILE...' older_libnvvm.sh  all kernel files, with each of these libraries
kernels=${srcdir:-.}/tests/kernels
layer=$PWD/tests/stress/libnvvm-fault.so
[ "$CULVERT_CUDA" = soft ] && [ -e "$layer" ] && [ -e "$CULVERT_LIBNVVM" ] || exit 77
out=$(mktemp) || exit 99
trap 'rm -f "$out"' EXIT
CULVERT_CACHE=off
export CULVERT_CACHE
status=0

fail() {
	echo "FAIL: $*"
	status=1
}

# run NAME FILE...
run() {
	name=$1
	shift
	tests/kernels/runner "$@" >"$out" 2>&1 && return
	cat "$out"
	fail "$name"
}

if [ -n "$OLDER_LIBNVVM" ]; then
	# Files with checks need a process each.
	files=$(grep -L '^//! check' "$kernels"/*.clt)
	for library in $OLDER_LIBNVVM; do
		for sm in 75 90; do
			export CULVERT_LIBNVVM=$library CULVERT_SOFT_SM=$sm
			run "$library, sm_$sm" $files
			tail -n 1 "$out"
		done
	done
	exit $status
fi

FAULT_NVVM_REAL=$CULVERT_LIBNVVM CULVERT_LIBNVVM=$layer
export FAULT_NVVM_REAL CULVERT_LIBNVVM
# The layer refuses.
FAULT_NVVM_LACKS=define tests/kernels/runner "$kernels/arguments_scalar.clt" >"$out" 2>&1 &&
	fail "the layer does not refuse a program"
for lacks in llvm.copysign llvm.copysign,half llvm.copysign,half,p3; do
	export FAULT_NVVM_LACKS=$lacks
	run "without $lacks" "$kernels"/*half*.clt "$kernels/math_special_values.clt" "$kernels/local_two_kernels.clt" \
		"$kernels/local_one_store.clt"
	tail -n 1 "$out"
done
unset FAULT_NVVM_LACKS
# A driver of that GPU.
unset CULVERT_SOFT_DRIVER
export FAULT_NVVM_DRIVER=1 CULVERT_SOFT_SM=120
run "the driver's dialect" "$kernels"/arguments_struct*.clt "$kernels"/bits_*.clt "$kernels/functions_not_inlined.clt" \
	"$kernels/half_local_parts.clt" "$kernels/memory_bytes_and_shorts.clt"
tail -n 1 "$out"
exit $status
