#!/bin/sh
# Protects: `culvert check` runs a foreign program on the software device, whatever the
# machine has, counts what its kernels do wrong, and passes the program's own exit code on.
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
CULVERT_CUDA=/nonexistent/libcuda.so.1 OCL_ICD_VENDORS=/nonexistent
export CULVERT_CUDA OCL_ICD_VENDORS
failed=0
fail() {
	echo "$@"
	failed=1
}
kernels=${srcdir:-.}/tests/kernels
check() {
	wanted=$1
	shift
	./culvert check "$@" >$folder/out 2>$folder/errors
	code=$?
	[ $code = $wanted ] || { fail "check $*: exit code $code, not $wanted"; cat $folder/out $folder/errors; }
}
check 0 tests/kernels/runner $kernels/vector_add.clt
grep -q '^culvert check: 0 reports$' $folder/errors || fail "a right program: no '0 reports'"
check 7 sh -c 'exit 7'
check 143 sh -c 'kill -TERM $$'
check 127 $folder/no-such-program
[ "$(wc -l <$folder/errors)" = 1 ] && grep -q "no-such-program: No such file" $folder/errors ||
	{ fail "a program that is not there: not just that:"; cat $folder/errors; }
# One that ran, whose exit code is the same.
check 127 sh -c 'exit 127'
grep -q '^culvert check: 0 reports$' $folder/errors || fail "a program that ran: no '0 reports'"
check 127 --json $folder/no-such-program
[ "$(tr -d ' \n' <$folder/out)" = '{"exit":127,"reports":[]}' ] || { fail "not the JSON of what did not run:"; cat $folder/out; }

# A kernel that writes behind its buffer, in a file without the runner's own "check".
cat >$folder/behind.clt <<'END'
//! protects nothing: it is wrong
//! buffer int data[64] = 0
//! buffer int other[64] = 0
//! run behind(data) global 64 local 64
kernel void behind(global int *data) { data[get_global_id(0) + 1] = 1; }
END
check 1 tests/kernels/runner $folder/behind.clt
grep -q "^softcuda: .*behind" $folder/errors || { fail "the kernel's mistake is not told"; cat $folder/errors; }
grep -q '^culvert check: 1 report$' $folder/errors || fail "not one report"
check 1 --report $folder/report tests/kernels/runner $folder/behind.clt
grep -q "^softcuda: .*behind" $folder/report || fail "the report is not in its file"
grep -q "^softcuda: .*behind" $folder/errors && fail "the report is on stderr as well"
# As JSON, alone on stdout.
check 1 --json sh -c "echo from the program; exec tests/kernels/runner $folder/behind.clt"
grep -q '^from the program$' $folder/errors || fail "what the program prints is not on stderr"
if [ -x "$PYTHON3" ]; then
	"$PYTHON3" - $folder/out <<'END' || { fail "that is not the JSON that was promised"; cat $folder/out; }
import json, sys
told = json.load(open(sys.argv[1]))
assert told["exit"] == 1 and len(told["reports"]) == 1, told
assert told["reports"][0].startswith("softcuda: ") and "'behind'" in told["reports"][0], told
assert not told["reports"][0].endswith("\n")
END
fi
check 7 --json sh -c 'exit 7'
[ "$(tr -d ' \n' <$folder/out)" = '{"exit":7,"reports":[]}' ] || { fail "a right program's JSON:"; cat $folder/out; }
# Only what was asked for is looked for.
check 0 --checks race tests/kernels/runner $kernels/vector_add.clt
check 2 --checks rays true
check 2
check 0 --devices 3 ./culvert devices --json
[ "$(grep -c '"index"' $folder/out)" = 3 ] || fail "not 3 devices"
# Reports name the file, the line and the column, also of what was inlined.
printf '%s\n' 'int twice(global int *p, int i)' '{' '	return p[i] * 2;' '}' \
	'kernel void far(global int *p)' '{' '	p[0] = twice(p, 4096);' '}' >$folder/far.cl
./culvert check ./culvert run $folder/far.cl -g 1 -a zero:1 >$folder/out 2>&1
grep -q "kernel 'far', ptx line [0-9]* ($folder/far.cl:3:9)" $folder/out ||
	{ fail "the place in the source is not told:"; cat $folder/out; }
exit $failed
