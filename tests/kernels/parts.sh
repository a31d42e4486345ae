#!/bin/sh
# Protects: the checker's notes of several threads, each of a part of the work-groups, tell of the same errors as those of
# one thread.  All files with a check run as if three threads took the work-groups in turn.  How many races are found,
# and between which work-items first, may differ, so lines about that are left out.
test "${CULVERT_CUDA:-soft}" = soft || exit 77
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
for file in "${srcdir:-.}"/tests/kernels/broken/*.clt; do
	copy=$work/$(basename "$file")
	# The numbers of lines stay as they are.
	sed -e "s/^\/\/! check .*/&,parts:3/" -e '/reports in total/s/^\/\/! report/\/\/ report/' "$file" >"$copy"
	case $copy in */atomics_buffer.clt | */atomics_compared.clt) sed -i '/work-item/s/^\/\/! report/\/\/ report/' "$copy" ;; esac
	tests/kernels/runner "$copy" >"$work/out" 2>&1 && continue
	cat "$work/out"
	failed=1
done
exit $failed
