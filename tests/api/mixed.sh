#!/bin/sh
# Protects: programs for devices of different architectures in one context, each of which
# is compiled for once, at the same time as the others.
[ "$CULVERT_CUDA" = soft ] || exit 77
CULVERT_SOFT_DEVICES=4 CULVERT_SOFT_SM=90,75,120,75
export CULVERT_SOFT_DEVICES CULVERT_SOFT_SM
# Drivers before 12.8 do not know sm_120.
unset CULVERT_SOFT_DRIVER
out=$(mktemp) || exit 99
trap 'rm -f "$out"' EXIT
status=0
for test in program program_link program_binary devices; do
	tests/api/$test || status=1
done
# check_devices of `program` alone makes one program for all four.
CULVERT_DEBUG=info tests/api/program 2>"$out" >/dev/null || status=1
for sm in 75 90 120; do
	grep -q "for sm_$sm: 0" "$out" || { echo "nothing was built for sm_$sm"; status=1; }
done
exit $status
