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
grep -q '^culvert check: 0 reports; programs built from source were compiled without optimization$' $folder/errors || fail "a right program: no '0 reports'"
check 7 sh -c 'exit 7'
check 143 sh -c 'kill -TERM $$'
check 127 $folder/no-such-program
[ "$(wc -l <$folder/errors)" = 1 ] && grep -q "no-such-program: No such file" $folder/errors ||
	{ fail "a program that is not there: not just that:"; cat $folder/errors; }
# One that ran, whose exit code is the same.
check 127 sh -c 'exit 127'
grep -q '^culvert check: nothing was checked: the program launched no kernels' $folder/errors ||
	{ fail "a program that launches nothing seems to be right:"; cat $folder/errors; }
check 127 --json $folder/no-such-program
[ "$(tr -d ' \n' <$folder/out)" = '{"exit":127,"optimized":false,"launched":false,"reports":[]}' ] || { fail "not the JSON of what did not run:"; cat $folder/out; }

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
grep -q '^culvert check: 1 report; programs built from source were compiled without optimization$' $folder/errors || fail "not one report"
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
assert told["exit"] == 1 and told["launched"] and len(told["reports"]) == 1, told
report = told["reports"][0]
assert report["text"].startswith("softcuda: ") and "'behind'" in report["text"], told
assert not report["text"].endswith("\n")
END
fi
# The fields of a report, each kind of object once.
cat >$folder/f.cl <<'END'
kernel void add(global const float *a, global float *sum, int n)
{
	int i = get_global_id(0);
	if (i <= n)
		sum[i] += a[i];
}
kernel void before(global int *a, global int *b) { b[-(int)get_global_id(1) - 2] = a[0]; }
kernel void mirror(global int *out)
{
	local int x[64];
	int l = get_local_id(0);
	x[l] = l;
	out[l] = x[63 - l];
}
kernel void same(int first, global int *out) { out[1] = get_global_id(0); }
kernel void inside(global int *out) { int own[4]; own[out[0] + 4] = 1; out[0] = own[out[1]]; }
kernel void far(global int *out) { out[1L << 40] = 1; }
END
fields() { # what is asserted of the reports r, arguments of culvert run
	says=$1
	shift
	./culvert check --json ./culvert run $folder/f.cl "$@" >$folder/out 2>$folder/errors
	[ ! -x "$PYTHON3" ] || "$PYTHON3" -c 'import json, sys
r = json.load(open(sys.argv[1]))["reports"]
name = sys.argv[2]
for one in r:
    assert one["file"] == name and one["text"].startswith("softcuda: " + one["kind"]) and one["message"] in one["text"], one
def buffer(size, offset, *arguments):
    return lambda m: (m["kind"], m["size_B"], m["offset_B"], m["arguments"], m["number"] > 0) == ("buffer", size, offset, list(arguments), True)
'"$says" $folder/out $folder/f.cl || { fail "check --json of run $*:"; cat $folder/out; }
}
fields 'assert len(r) == 1 and r[0]["kind"] == "fault" and r[0]["kernel"] == "add" and r[0]["line"] == 5, r
assert r[0]["work_group"] == [15, 0, 0] and r[0]["work_item"] == [63, 0, 0] and r[0]["other"] is None
assert buffer(4092, 4092, 1)(r[0]["memory"])' -k add -g 1024 -l 64 -a zero:1024 -a zero:1023 -a 1023
fields 'assert r[0]["line"] == 7 and r[0]["work_item"] == [0, 0, 0] and r[0]["work_group"] == [0, 0, 0]
assert buffer(16, -8, 1)(r[0]["memory"])' -k before -g 1x2 -l 1x1 -a zero:4 -a zero:4
fields 'both = {one["kind"]: one for one in r}
race, unread = both["race in a work-group"], both["uninitialised read"]
assert race["line"] == 12 or race["line"] == 13
assert {race["line"], race["other"]["line"]} == {12, 13} and race["other"]["file"] == name
assert race["other"]["work_group"] == [0, 0, 0] and race["other"]["work_item"] != race["work_item"]
m = race["memory"]
assert m["kind"] == "local variable" and "x" in m["name"] and m["size_B"] == 256 and m["offset_B"] == 4 * (race["work_item"][0] if race["line"] == 12 else 63 - race["work_item"][0])
assert unread["other"] is None and unread["memory"]["size_B"] == 256' -k mirror -g 64 -l 64 -a zero:64
fields 'assert r[0]["kind"] == "race between work-groups" and r[0]["line"] == 15 and r[0]["column"] > 0
assert buffer(256, 4, 1)(r[0]["memory"]), r[0]
assert r[0]["work_group"] == [1, 0, 0] and r[0]["other"]["work_group"] == [0, 0, 0] and r[0]["other"]["line"] == 15' -k same -g 2 -l 1 -a 7 -a zero:64
fields 'm = r[-1]["memory"]
assert r[-1]["kind"] == "fault" and r[0]["line"] == 16 and m["kind"] == "private variable" and m["name"] == "own" and m["size_B"] == 16 and m["offset_B"] == 16 and m["arguments"] == []' -k inside -g 1 -a zero:4
fields 'assert r[0]["memory"] is None and r[0]["line"] == 17 and "far from every buffer" in r[0]["message"]' -k far -g 1 -a zero:4
# What the oracle of --order writes (docs/softcuda.md), and what has no fields at all.
cat >$folder/ordering <<'END'
softcuda: ordering: two operations touch the same bytes and nothing orders them
  ran first: kernel put (stream 6, operation 1) writes
  ran then: copy DtoH (stream 7, operation 1) reads
  bytes 16 to 255 of buffer 9 at 0x5581a2c3d700 (device memory of device 0, 1024 bytes)
  schedule: CULVERT_SOFT_ORACLE=1 CULVERT_SOFT_SCHED=seed:1
softcuda: odd
END
check 1 --json sh -c "cat $folder/ordering >>\$CULVERT_SOFT_REPORT"
[ ! -x "$PYTHON3" ] || "$PYTHON3" - $folder/out <<'END' || { fail "a report of the oracle's:"; cat $folder/out; }
import json, sys
order, odd = json.load(open(sys.argv[1]))["reports"]
assert order["kind"] == "ordering" and order["kernel"] is None and order["file"] is None and order["other"] is None, order
assert order["memory"] == {"kind": "buffer", "number": 9, "size_B": 1024, "offset_B": 16, "arguments": []}, order
assert order["text"].count("\n") == 4 and odd["text"] == "softcuda: odd", odd
assert [odd[key] for key in ("kind", "kernel", "file", "line", "work_group", "work_item", "memory")] == 7 * [None], odd
END
check 7 --json sh -c 'exit 7'
[ "$(tr -d ' \n' <$folder/out)" = '{"exit":7,"optimized":false,"launched":false,"reports":[]}' ] || { fail "a right program's JSON:"; cat $folder/out; }
# That is so: an array of which not all is read is in memory.
echo 'kernel void k(global int *p) { int a[2] = {p[0], p[1]}; p[0] = a[0]; }' >$folder/k.cl
mkdir $folder/dump
(CULVERT_DUMP=$folder/dump; export CULVERT_DUMP; check 0 ./culvert run $folder/k.cl -g 1 -a 1,2; exit $failed) || failed=1
grep -q '__local_depot\|\.local' $folder/dump/*.ptx || fail "checked code is optimised"
# Only what was asked for is looked for.
check 0 --checks race tests/kernels/runner $kernels/vector_add.clt
check 2 --checks rays true
check 2
check 0 --devices 3 ./culvert devices --json
[ "$(grep -c '"index"' $folder/out)" = 3 ] || fail "not 3 devices"
# A program that does not end is ended with the command, which tells what it has found until then, and leaves no files.
mkdir $folder/temporary
TMPDIR=$folder/temporary "${srcdir:-.}/tests/tools/ended" $folder $folder/behind.clt ./culvert check
code=$?
[ $code = 1 ] && grep -q '^culvert check: 1 report;' $folder/errors ||
	{ fail "what was found is not told when the command is ended: exit code $code"; cat $folder/errors; }
[ -z "$(ls $folder/temporary)" ] || fail "files are left: $(ls $folder/temporary)"
# Reports name the file, the line and the column, also of what was inlined.
printf '%s\n' 'int twice(global int *p, int i)' '{' '	return p[i] * 2;' '}' \
	'kernel void far(global int *p)' '{' '	p[0] = twice(p, 4096);' '}' >$folder/far.cl
./culvert check ./culvert run $folder/far.cl -g 1 -a zero:1 >$folder/out 2>&1
grep -q "kernel 'far', ptx line [0-9]* ($folder/far.cl:3:9)" $folder/out ||
	{ fail "the place in the source is not told:"; cat $folder/out; }
exit $failed
