#!/bin/sh
# Protects: launches that come again, made as graphs of one node (CULVERT_LAUNCH=graph): what holds of
# launches holds of them, and where the driver refuses one the launch is made without.
[ "$CULVERT_CUDA" = soft ] || exit 77
count=$(mktemp) || exit 99
trap 'rm -f "$count"' EXIT
export CULVERT_LAUNCH=graph
calls() { # name
	sed -n "s/^call $1 //p" "$count" | grep . || echo 0
}
status=0
for test in repeats launches orders out_of_order printf program threads; do
	tests/api/$test >/dev/null || { echo "FAIL: $test"; status=1; }
done
CULVERT_SOFT_COUNT=$count tests/api/repeats || status=1
[ "$(calls cuGraphLaunch)" -gt 1000 ] || { echo "few graphs: $(calls cuGraphLaunch)"; status=1; }
for rule in cuGraphCreate:1 cuGraphAddKernelNode_v2:1 cuGraphInstantiateWithFlags:2 \
	cuGraphExecKernelNodeSetParams_v2:1 cuGraphExecKernelNodeSetParams_v2:700 cuGraphLaunch:1 \
	cuGraphLaunch:500; do
	CULVERT_SOFT_COUNT=$count CULVERT_SOFT_FAULT=$rule:OUT_OF_MEMORY tests/api/repeats ||
		{ echo "FAIL: $rule"; status=1; }
	grep -qx 'faults injected 1' "$count" || { echo "FAIL: $rule was not reached"; status=1; }
done
exit $status
