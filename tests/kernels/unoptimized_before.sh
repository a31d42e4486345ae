#!/bin/sh
# Protects: a program is compiled as it would be alone where another one was compiled without optimization
# before, by the same process of ours or in a library that both use.  libnvvm 13.0 for compute_90 and before
# generates other code after that, and wrong code for private_copies_kept.clt.
kernels=${srcdir:-.}/tests/kernels
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
CULVERT_CACHE=off CULVERT_COMPILER=process
export CULVERT_CACHE CULVERT_COMPILER

# ptx FOLDER FILE...: the files in one process; their PTX in FOLDER.
ptx() {
	folder=$work/$1
	shift
	mkdir "$folder"
	CULVERT_DUMP=$folder tests/kernels/runner "$@" >"$folder.out" 2>&1 || {
		cat "$folder.out"
		echo "FAIL: $*"
		failed=1
	}
}

ptx alone "$kernels/private_copies_kept.clt"
ptx after "$kernels/options_no_optimization.clt" "$kernels/private_copies_kept.clt" \
	"$kernels/options_no_optimization.clt"
for file in "$work"/alone/*.ptx; do
	[ -s "$file" ] && cmp "$file" "$work/after/${file##*/}" || failed=1
done
exit $failed
