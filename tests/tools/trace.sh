#!/bin/sh
# Protects: `culvert trace` sees each call and each command of a foreign program, whose
# results and exit code stay what they are; the timeline is JSON, and its times make sense.
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
failed=0
fail() {
	echo "$@"
	failed=1
}
kernels=${srcdir:-.}/tests/kernels
trace() {
	wanted=$1
	shift
	"${srcdir:-.}/tests/apps/foreign" ./culvert trace "$@" >$folder/out 2>$folder/errors
	code=$?
	[ $code = $wanted ] || { fail "trace $*: exit code $code, not $wanted"; cat $folder/out $folder/errors; }
}
if [ -n "$SANITIZER_RUNTIME" ]; then
	echo "a layer without its sanitizer's runtime is not loaded"
	exit 77
fi
trace 0 -o $folder/trace.json tests/kernels/runner $kernels/vector_add.clt $kernels/printf_order.clt
grep -q '^clBuildProgram  *2 ' $folder/errors || { fail "not two clBuildProgram:"; cat $folder/errors; }
grep -q '^vector_add\|^add' $folder/errors || { fail "no kernel in the summary:"; cat $folder/errors; }
# The summary says how many calls it does not show.
names=$(grep -o '^{"name":"[A-Za-z]*","cat":"call"' $folder/trace.json | sort -u | wc -l)
[ $names -gt 15 ] && grep -qx "$((names - 15)) more; culvert trace --json lists all" $folder/errors ||
	{ fail "$names calls, of which 15 are shown:"; cat $folder/errors; }
if [ -x "$PYTHON3" ]; then
	"$PYTHON3" - $folder/trace.json <<'END' || fail "that is not the timeline that was promised"
import json, sys
events = json.load(open(sys.argv[1]))
calls = [e for e in events if e.get("cat") == "call"]
commands = [e for e in events if e.get("cat") == "command"]
launches = [e for e in calls if e["name"] == "clEnqueueNDRangeKernel" and e["args"]["result"] == 0]
kernels = [e for e in commands if not e["name"][0].isupper()]
assert launches and len(kernels) == len(launches), (len(launches), len(kernels))
reads = [e for e in calls if e["name"] == "clEnqueueReadBuffer"]
assert len([e for e in commands if e["name"] == "ReadBuffer"]) == len(reads)
begin = min(e["ts"] for e in calls)
end = max(e["ts"] + e["dur"] for e in calls)
for e in commands:
    assert begin <= e["args"]["queued"] <= e["args"]["submitted"] <= e["ts"] <= e["ts"] + e["dur"] <= end, e
# One track shows one thing at a time.
for track in {(e["pid"], e["tid"]) for e in commands}:
    last = 0
    for e in sorted((e for e in commands if (e["pid"], e["tid"]) == track), key=lambda e: e["ts"]):
        assert e["ts"] >= last - 0.002, e
        last = e["ts"] + e["dur"]
named = {e["tid"] for e in events if e.get("ph") == "M"}
assert {e["tid"] for e in commands} <= named
END
fi
# A program that ends right after its command: its times are read before the driver ends.  A thread of the driver's may
# have read them before, in every other run.
for run in 1 2 3 4 5; do
	trace 5 -o $folder/last.json tests/api/at_exit last
	grep -q '"add"' $folder/last.json || { fail "the last command is not in the timeline:"; cat $folder/errors; }
done
# The tool's own programs, which no loader stands before.
echo 'kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }' >$folder/k.cl
trace 0 --json -o $folder/own.json ./culvert run $folder/k.cl -g 4 -a range:4 --repeat 3
grep -qx 'p\[4\] 0 8 16 24' $folder/errors || { fail "a traced run has another result:"; cat $folder/errors; }
if [ -x "$PYTHON3" ]; then
	"$PYTHON3" - $folder/out <<'END' || { fail "a run is not traced"; cat $folder/out; }
import json, sys
told = json.load(open(sys.argv[1]))
counts = {row["name"]: row["count"] for row in told["commands"] + told["calls"]}
assert counts["twice"] == 3 and counts["clEnqueueNDRangeKernel"] == 3 and counts["clBuildProgram"] == 1, counts
assert counts["ReadBuffer"] == 1 and counts["clReleaseContext"] == 1, counts
END
fi
# Functions that programs find by name: memory of USM and unified SVM, and command buffers.
for program in usm unified_svm command_buffers; do
	trace 0 --silent -o $folder/found-$program.json tests/api/$program
done
if [ -x "$PYTHON3" ]; then
	"$PYTHON3" - $folder/found-usm.json $folder/found-unified_svm.json $folder/found-command_buffers.json <<'END' ||
import json, sys
wanted = (("clEnqueueMemcpyINTEL", "clEnqueueMemFillINTEL", "clDeviceMemAllocINTEL"),
          ("clSVMAllocWithPropertiesKHR", "clSVMFreeWithPropertiesKHR", "clSVMAlloc", "clSVMFree"),
          ("clEnqueueCommandBufferKHR", "clCommandNDRangeKernelKHR", "clCreateCommandBufferKHR"))
for path, names in zip(sys.argv[1:], wanted):
    events = json.load(open(path))
    calls = [e for e in events if e.get("cat") == "call"]
    commands = [e["name"] for e in events if e.get("cat") == "command"]
    for name in names:
        good = [e for e in calls if e["name"] == name and e["args"]["result"] == 0]
        assert good, name
        # Commands that fail after the call have no times.
        if name.startswith("clEnqueue"):
            assert len(good) / 2 < commands.count(name[9:]) <= len(good), (name, len(good), commands)
    # The tests ask for errors as well.
    assert any(e["args"]["result"] for e in calls if e["name"] in names), path
END
		fail "calls of functions that are found by name are not in the timeline"
fi
OPENCL_LAYERS=$folder/none.so:$folder/k.cl ./culvert devices >$folder/devices || fail "a layer that is none stops the tool"
# Several processes share one file; the program's exit code is passed on.
trace 5 -o $folder/two.json sh -c "tests/kernels/runner $kernels/vector_add.clt && tests/kernels/runner $kernels/vector_add.clt && exit 5"
[ "$(grep -o '"pid":[0-9]*' $folder/two.json | sort -u | wc -l)" = 2 ] || fail "not two processes"
trace 0 --silent -o $folder/silent.json tests/kernels/runner $kernels/vector_add.clt
grep -q culvert $folder/errors && fail "--silent prints"
trace 0 --json -o $folder/told.json tests/kernels/runner $kernels/vector_add.clt $kernels/printf_order.clt
grep -q culvert $folder/errors && fail "--json prints a summary for people"
if [ -x "$PYTHON3" ]; then
	"$PYTHON3" - $folder/out $folder/told.json <<'END' || { fail "that is not the summary that was promised"; cat $folder/out; }
import json, sys
told, events = (json.load(open(name)) for name in sys.argv[1:])
assert told["exit"] == 0 and told["timeline"] == sys.argv[2] and told["events"] == len(events), told
for key, kind in ("calls", "call"), ("commands", "command"):
    assert told[key], key
    assert [r["total_us"] for r in told[key]] == sorted((r["total_us"] for r in told[key]), reverse=True)
    for row in told[key]:
        of_name = [e["dur"] for e in events if e.get("cat") == kind and e["name"] == row["name"]]
        assert row["count"] == len(of_name) and abs(row["total_us"] - sum(of_name)) < 1, row
        assert row["longest_us"] == max(of_name), row
END
fi
# A limit on the size of files ends the timeline, not the program: what was written is whole.
trace 0 -o $folder/limited.json sh -c "ulimit -f 2; tests/kernels/runner $kernels/vector_add.clt"
[ "$(wc -c <$folder/limited.json)" -gt 512 ] || fail "nothing was written up to the limit"
[ ! -x "$PYTHON3" ] || "$PYTHON3" -m json.tool $folder/limited.json >$folder/out || fail "a line was cut in two"
# A program that does not end is ended with the command, which tells what it has recorded until then.
"${srcdir:-.}/tests/tools/ended" $folder $kernels/vector_add.clt ./culvert trace -o $folder/ended.json
code=$?
[ $code = 143 ] && cat $folder/out $folder/errors | grep -q '^clEnqueueNDRangeKernel ' ||
	{ fail "what was recorded is not told when the command is ended: exit code $code"; cat $folder/errors; }
trace 1 -o $folder/none.json true
grep -q 'no OpenCL calls were recorded' $folder/errors || fail "nothing was seen, and that is not told"
trace 127 -o $folder/unmade.json $folder/no-such-program
[ "$(wc -l <$folder/errors)" = 1 ] && grep -q "no-such-program: No such file" $folder/errors ||
	{ fail "a program that is not there: not just that:"; cat $folder/errors; }
[ ! -e $folder/unmade.json ] || fail "a timeline of what did not run"
trace 1 -o $folder/no/where.json true
trace 2
exit $failed
