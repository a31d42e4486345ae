#!/bin/sh
# Protects: what the API says and refuses on GPUs of other generations: sizes of sub-devices, limits and features that follow the
# compute capability.  Kernels as each architecture are those of tests/kernels/other_gpus.sh.
[ "$CULVERT_CUDA" = soft ] || exit 77
out=$(mktemp) || exit 99
trap 'rm -f "$out"' EXIT
status=0
for CULVERT_SOFT_SM in 75 80 120; do
	export CULVERT_SOFT_SM
	for test in device errors sub_devices kernel sub_groups program_binary; do
		tests/api/$test >"$out" 2>&1
		code=$?
		[ $code = 0 ] || [ $code = 77 ] || { echo "sm_$CULVERT_SOFT_SM: $test"; tail -n 20 "$out"; status=1; }
	done
done
exit $status
