#!/bin/sh
# Protects: GPUs before Turing, for which libnvvm of CUDA 13 does not compile.  Beside it, a libnvvm of CUDA 12 is found and used
# for them; without one, the build says what to install.  The libnvvm that is there stands for both: behind a layer, it also
# compiles for compute_70.  VOLTA_LIBNVVM=FILE: one of CUDA 12, with which all kernel files run as sm_70 and sm_72.
kernels=${srcdir:-.}/tests/kernels
layer=$PWD/tests/stress/libnvvm-fault.so
[ "$CULVERT_CUDA" = soft ] && [ -e "$layer" ] && [ -e "$CULVERT_LIBNVVM" ] || exit 77
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
status=0
CULVERT_CACHE=off CULVERT_SOFT_SM=70
export CULVERT_CACHE CULVERT_SOFT_SM

fail() {
	cat "$folder/out"
	echo "FAIL: $*"
	status=1
}

if [ -n "$VOLTA_LIBNVVM" ]; then
	export CULVERT_LIBNVVM="$VOLTA_LIBNVVM"
	for CULVERT_SOFT_SM in 70 72; do
		# The checker is on or off for a whole process, so files that need it run alone.
		for file in $(grep -l '^//! check' "$kernels"/*.clt); do
			tests/kernels/runner "$file" >"$folder/out" 2>&1 || [ $? = 77 ] || fail "sm_$CULVERT_SOFT_SM: $file"
		done
		tests/kernels/runner $(grep -L '^//! check' "$kernels"/*.clt) >"$folder/out" 2>&1 || fail "sm_$CULVERT_SOFT_SM"
		tail -n 1 "$folder/out"
	done
	exit $status
fi

./culvert compile --arch sm_70 --emit ptx "$kernels/vector_add.clt" >"$folder/out" 2>&1 && {
	echo "skipped: this libnvvm compiles for sm_70 by itself"
	exit 77
}
grep -q 'pip install nvidia-cuda-nvcc-cu12' "$folder/out" || fail "the log does not say what to install"

# CUDA 13's is found first, in CUDA_HOME, and one of CUDA 12 in CUDA_PATH.
FAULT_NVVM_REAL=$CULVERT_LIBNVVM FAULT_NVVM_OLDER=1
export FAULT_NVVM_REAL FAULT_NVVM_OLDER
unset CULVERT_LIBNVVM
for version in 12 13; do
	mkdir -p "$folder/$version/nvvm/lib64" || exit 99
done
ln -s "$FAULT_NVVM_REAL" "$folder/13/nvvm/lib64/libnvvm.so.4" && ln -s "$layer" "$folder/12/nvvm/lib64/libnvvm.so.4" || exit 99
export CUDA_HOME="$folder/13" CUDA_PATH="$folder/12"

CULVERT_SOFT_DEVICES=2 CULVERT_SOFT_SM=90,70 ./culvert doctor >"$folder/out" 2>&1 || fail "doctor"
grep -q 'device 1 compiled and ran a kernel correctly' "$folder/out" || fail "doctor: no kernel ran on sm_70"
[ "$(grep -c 'ok  ] libnvvm' "$folder/out")" = 2 ] || fail "doctor: not two libraries"
tests/kernels/runner "$kernels/vector_add.clt" "$kernels/half_relaxed.clt" "$kernels/atomics_c11.clt" "$kernels/matrix_products.clt" \
	>"$folder/out" 2>&1 || fail "kernels as sm_70"
tail -n 1 "$folder/out"
for test in matrix device kernel sub_groups program_binary program_ptx many_groups il; do
	tests/api/$test >"$folder/out" 2>&1 || [ $? = 77 ] || fail "$test as sm_70"
done

# The instruction came with sm_75.
echo 'kernel void k(global float *a) { *a = tanh(*a); }' >"$folder/tanh.cl"
for sm in 70 75; do
	./culvert compile --arch sm_$sm --emit ptx "$folder/tanh.cl" -- -cl-fast-relaxed-math >"$folder/out" 2>&1 || fail "tanh for sm_$sm"
	[ "$(grep -c 'tanh.approx' "$folder/out")" = $((sm / 75)) ] || fail "tanh.approx for sm_$sm"
done

# What is built is found again, with the library that built it in the key.
doubled='kernel void doubled(global int *numbers) { numbers[get_global_id(0)] *= 2; }'
echo "$doubled" >"$folder/doubled.cl"
for found in "0 hits" "0 misses"; do
	CULVERT_CACHE=on CULVERT_CACHE_DIR=$folder/cache CULVERT_DEBUG=info ./culvert run "$folder/doubled.cl" --kernel doubled \
		--global 8 --arg range:8 >"$folder/out" 2>&1 || fail "a stored program"
	grep -q "$found" "$folder/out" || fail "the cache has not $found"
done
exit $status
