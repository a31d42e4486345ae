#!/bin/sh
# Protects: the checker is silent about right kernels.  All kernel files run under
# CULVERT_SOFT_CHECK=all, and no report may come of them.  Files with checks of their own run elsewhere.  The kernels of
# warp_exchange.clt and warp_synchronous.clt are not right, although they work: their races have to be reported.
test "${CULVERT_CUDA:-soft}" = soft || exit 77
folder=${srcdir:-.}/tests/kernels
report=$(mktemp) || exit 99
trap 'rm -f "$report"' EXIT
CULVERT_SOFT_CHECK=all CULVERT_SOFT_REPORT=$report
export CULVERT_SOFT_CHECK CULVERT_SOFT_REPORT
tests/kernels/runner $(grep -L '^//! check' "$folder"/*.clt | grep -v -e /warp_exchange.clt -e /warp_synchronous.clt) || exit 1
if test -s "$report"; then
	echo "right kernels were reported:"
	cat "$report"
	exit 1
fi
tests/kernels/runner "$folder/warp_exchange.clt" "$folder/warp_synchronous.clt" >/dev/null
for kernel in sum_of_rows sum_of_warps sum_by_halves scan_of_warps place_of_largest rows; do
	grep -q "race.*$kernel" "$report" || { echo "$kernel: its races were not reported"; exit 1; }
done
