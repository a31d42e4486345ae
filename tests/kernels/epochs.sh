#!/bin/sh
# Protects: when a launch has synchronized as often as the race checker can count, it says so and looks for no more races,
# and reports no wrong ones; races before that are reported.
test "${CULVERT_CUDA:-soft}" = soft || exit 77
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
cat >"$work/late.cl" <<'END'
kernel void late(global int *out, int early)
{
	local int x[64];
	const int l = get_local_id(0);
	x[l] = l;
	if (early)
		out[get_global_id(0)] = x[63 - l];
	for (int i = 0; i < 100; i++) {
		barrier(CLK_LOCAL_MEM_FENCE);
		x[l] += i;
	}
	out[get_global_id(0)] = x[63 - l];
}
END
# expect LIMIT EARLY LINES WARNINGS: in which lines races are reported, of both accesses
expect() {
	for how in off always; do
		CULVERT_CUDA=soft CULVERT_SOFT_JIT=$how CULVERT_SOFT_CHECK=race$1 CULVERT_DEBUG=warn \
			./culvert run "$work/late.cl" --global 128 --local 64 --arg zero:128 --arg "$2" \
			>"$work/out" 2>&1 || { echo "culvert run fails"; failed=1; }
		found=$(sed -n 's/.*race in a work-group: .*late\.cl:\([0-9]*\):[0-9]*), work-group.*/\1/p' "$work/out" |
			sort -un | tr '\n' ' ')
		warned=$(grep -c "kernel 'late' synchronized 50 times: races after that were not looked for" "$work/out")
		test "$found" = "$3" && test "$warned" = "$4" && continue
		echo "CULVERT_SOFT_JIT=$how, race$1, early $2: races in lines '$found' and $warned warnings, not '$3' and $4:"
		cat "$work/out"
		failed=1
	done
}
expect "" 0 "10 12 " 0
expect ,epochs:50 0 "" 1
expect "" 1 "5 7 10 12 " 0
expect ,epochs:50 1 "5 7 " 1
expect ,epochs:0 0 "10 12 " 0
exit $failed
