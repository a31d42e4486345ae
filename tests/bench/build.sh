#!/bin/sh
# Protects: what measures builds measures them: a figure for everything that it names, on
# the software device, and no stage of a build without its time.
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
unset CULVERT_CACHE
fail() {
	echo "$@"
	cat $folder/*
	exit 1
}
rows() {
	[ "$(grep -c '"value": [0-9]' $folder/$1)" -ge $2 ] || fail "$1: fewer than $2 rows"
	! grep skipped $folder/$1 | grep -qv CLBlast || fail "$1: rows are skipped"
}
mkdir $folder/kernels
for name in copy triad; do
	cp ${srcdir:-.}/tests/bench/codegen/$name.cl $folder/kernels
done
tests/bench/bench_build --platform Culvert --tiny --kernels $folder/kernels >$folder/rows ||
	fail "bench_build failed"
rm -r $folder/kernels
# The kernels of a real program, where it is: a second process has them built.
if ldconfig -p 2>/dev/null | grep -q libclblast.so.1; then
	$PYTHON3 - $folder/rows <<'END' || fail "CLBlast: a warm start is no quicker than a cold one"
import json, sys
found = {row["name"]: row.get("value") for row in json.load(open(sys.argv[1]))["rows"]}
assert found["CLBlast, warm start"] < found["CLBlast, cold start"] / 2, found
END
fi
rows rows 11
tests/bench/bench_build --platform Culvert --tiny --stages >$folder/stages ||
	fail "bench_build --stages failed"
rows stages 10
for stage in key "start of a compiler's process" Clang bitcode "builtin library" lowering \
	"NVVM IR as text" libnvvm loading; do
	grep -q "\"trivial: $stage\"" $folder/stages || fail "no time for $stage"
done
