#!/bin/sh
# Protects: what reads foreign bytes, what kernels compute, and every call of the API.  Each fuzzer makes the runs that
# it makes every time, half a minute for all; a crash is named by the number that repeats it.
#
#	FUZZ_SECONDS=600 fuzz.sh    each for so long, FUZZ_FROM=N: from another number on
FUZZ_LAST=$(mktemp) || exit 99
export FUZZ_LAST
trap 'rm -rf "$FUZZ_LAST" "$FUZZ_LAST.reports" "$FUZZ_CACHE"' EXIT
here=${srcdir:-.}
status=0
# What ThreadSanitizer is not to tell of is still called so.
for name in $(grep -o 'race:[a-z_/]*\(\.c\)\{0,1\}' "$here/tests/fuzz/fuzz_api.c" | sed 's/^race://'); do
	case $name in
	dl_*) ;; # the C library's
	*/*) [ -e "$here/$name" ] || { echo "FAIL: fuzz_api.c names $name, which is not there"; status=1; } ;;
	*) grep -rqw "$name" "$here/icd" || { echo "FAIL: fuzz_api.c names $name, which is not there"; status=1; } ;;
	esac
done
fuzz() { # name, runs, files
	name=$1 runs=$2
	shift 2
	[ -x tests/fuzz/fuzz_$name ] || return
	limit="--runs $runs"
	[ -z "$FUZZ_SECONDS" ] || limit="--seconds $FUZZ_SECONDS"
	echo "$name:"
	tests/fuzz/fuzz_$name $limit --from "${FUZZ_FROM:-1}" "$@"
	code=$?
	[ $code -le 1 ] || [ $code -eq 77 ] ||
		echo "ended with $code: fuzz_$name --from $(cat "$FUZZ_LAST") --runs 1"
	[ $code -eq 0 ] || [ $code -eq 77 ] || status=1
}
fuzz options 20000
fuzz binary 20000
fuzz printer 120
fuzz spirv 20000 "$here"/tests/spirv/*.spv
# Programs that are compiled each time, and for most runs those that a cache may have: the fuzzer builds few different
# ones, and what takes long is Clang.
fuzz api 30
FUZZ_CACHE=$(mktemp -d) || exit 99
cached=$CULVERT_CACHE folder=$CULVERT_CACHE_DIR
CULVERT_CACHE=on CULVERT_CACHE_DIR=$FUZZ_CACHE
export CULVERT_CACHE CULVERT_CACHE_DIR
fuzz api 200
CULVERT_SOFT_DEVICES=2
export CULVERT_SOFT_DEVICES
fuzz api 200
unset CULVERT_SOFT_DEVICES
CULVERT_CACHE=$cached CULVERT_CACHE_DIR=$folder
fuzz source 500 "$here"/tests/bench/codegen/*.cl
fuzz kernels 8 "$here"/tests/fuzz/kernels_prelude.cl expected "$here"/tests/fuzz/kernels_expected
# The checker has nothing to say of them, and their values are the same, interpreted and as machine code, of the same PTX.
CULVERT_CACHE=on CULVERT_CACHE_DIR=$FUZZ_CACHE
CULVERT_SOFT_CHECK=all CULVERT_SOFT_REPORT=$FUZZ_LAST.reports
export CULVERT_SOFT_CHECK CULVERT_SOFT_REPORT CULVERT_SOFT_JIT
for CULVERT_SOFT_JIT in off always; do
	[ "${CULVERT_CUDA:-soft}" = soft ] && [ -x tests/fuzz/fuzz_kernels ] || break
	rm -f "$CULVERT_SOFT_REPORT"
	fuzz kernels 4 "$here"/tests/fuzz/kernels_prelude.cl expected "$here"/tests/fuzz/kernels_expected
	[ -e "$CULVERT_SOFT_REPORT" ] || { echo "with CULVERT_SOFT_JIT=$CULVERT_SOFT_JIT, nothing was checked"; status=1; }
	[ ! -s "$CULVERT_SOFT_REPORT" ] ||
		{ echo "reports with CULVERT_SOFT_JIT=$CULVERT_SOFT_JIT:"; cat "$CULVERT_SOFT_REPORT"; status=1; }
done
exit $status
