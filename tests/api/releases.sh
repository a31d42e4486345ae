#!/bin/sh
# Protects: programs with older drivers, from CUDA 12.0 on: what those lack is not used, and PTX of a newer
# libnvvm is given to them as theirs.  A driver before 12.0 is refused, and doctor says why.
[ "$CULVERT_CUDA" = soft ] || exit 77
out=$(mktemp) || exit 99
trap 'rm -f "$out"' EXIT
status=0
for CULVERT_SOFT_DRIVER in 12.0 12.1 12.4; do
	export CULVERT_SOFT_DRIVER
	for test in device program program_ptx svm usm command_buffers image_transfers; do
		tests/api/$test >"$out" 2>&1 || { echo "CUDA $CULVERT_SOFT_DRIVER: $test"; cat "$out"; status=1; }
	done
done
# PTX ISA 8.1, of CUDA 12.1, raised the most that parameters of a kernel may have from 4352 bytes.
kernel=$(mktemp --suffix=.cl) || exit 99
trap 'rm -f "$out" "$kernel"' EXIT
cat >"$kernel" <<'END'
struct large { int a[2000]; };
kernel void last(struct large s, global int *out) { *out = s.a[1999] + 1; }
END
large()
{
	CULVERT_SOFT_DRIVER=$1 ./culvert run "$kernel" -k last -g 1 -a zero:8000 -a zero:1 >"$out" 2>&1
}
large 12.1 && grep -q '^out.* 1$' "$out" || { cat "$out"; status=1; }
large 12.0 && { echo "parameters of 8000 bytes on a driver for CUDA 12.0"; status=1; }
grep -q 'parameters are too large' "$out" || { cat "$out"; status=1; }
CULVERT_SOFT_DRIVER=11.8 ./culvert doctor >"$out" 2>&1 && { echo "a driver for CUDA 11.8 is used"; status=1; }
grep -q 'driver .*a driver for CUDA 12.0 or newer is required' "$out" || { cat "$out"; status=1; }
exit $status
