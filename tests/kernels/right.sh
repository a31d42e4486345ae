#!/bin/sh
# Protects: the checker is silent about right kernels.  All kernel files run under
# CULVERT_SOFT_CHECK=all, and no report may come of them.  Files with checks of their own run elsewhere.
test "${CULVERT_CUDA:-soft}" = soft || exit 77
folder=${srcdir:-.}/tests/kernels
report=$(mktemp) || exit 99
trap 'rm -f "$report"' EXIT
CULVERT_SOFT_CHECK=all CULVERT_SOFT_REPORT=$report
export CULVERT_SOFT_CHECK CULVERT_SOFT_REPORT
tests/kernels/runner $(grep -L '^//! check' "$folder"/*.clt) || exit 1
if test -s "$report"; then
	echo "right kernels were reported:"
	cat "$report"
	exit 1
fi
