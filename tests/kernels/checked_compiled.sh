#!/bin/sh
# Protects: the checker reports the same of machine code as of interpreted kernels.  All kernel files with errors run both
# ways, and the whole text of the reports is compared, but for addresses, in which runs differ.
test "${CULVERT_CUDA:-soft}" = soft || exit 77
folder=${srcdir:-.}/tests/kernels/broken
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
# libnvvm compiles each file once, so that both ways have the same PTX.  In `make check`, the files' own tests run it, too.
cache=$PWD/tests/kernels/checked_compiled.programs
rm -rf "$cache" || exit 99
export CULVERT_CACHE=on CULVERT_CACHE_DIR="$cache"
# The log says that a kernel has become machine code, in a line of its own.
run() { # how, file
	RUNNER_REPORTS=$work/$1 CULVERT_SOFT_JIT=$1 CULVERT_DEBUG=info tests/kernels/runner "$2" >"$work/out" 2>&1
	code=$?
	grep -q "is compiled: \|is in the cache: " "$work/out" && echo "$2" >>"$work/compiled.$1"
	test $code = 0 && return
	echo "$2: the runner ends with $code under CULVERT_SOFT_JIT=$1"
	failed=1
}
# One process compiles all, where a checker is; the runs find it in the cache.
CULVERT_SOFT_CHECK=all tests/kernels/runner --build "$folder"/*.clt >"$work/out" || { tail -n 5 "$work/out"; failed=1; }
for file in "$folder"/*.clt; do
	for how in off always; do
		echo "== ${file##*/}" >>"$work/$how"
		run $how "$file"
	done
done
for how in off always; do
	sed 's/address 0x[0-9a-f]*/address/g' "$work/$how" >"$work/reports.$how"
done
diff "$work/reports.off" "$work/reports.always" || { echo "the reports differ"; failed=1; }
test -e "$work/compiled.off" && { echo "kernels were compiled with CULVERT_SOFT_JIT=off"; failed=1; }
# Kernels that call functions are interpreted, and so are copies by the group, which the library has as functions, but not
# those that only call functions which libnvvm adds.
grep -q internal_functions_right "$work/compiled.always" || { echo "calls of libnvvm's own are not compiled"; failed=1; }
count=$(wc -l <"$work/compiled.always")
test "$count" -ge 70 || { echo "only the kernels of $count files were compiled"; failed=1; }
test "$(grep -c '^softcuda: ' "$work/reports.off")" -ge 100 || { echo "there are too few reports to compare"; failed=1; }
exit $failed
