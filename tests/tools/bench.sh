#!/bin/sh
# Protects: `culvert bench` measures each thing that it lists, leaves nothing in the cache, and
# says so when there is nothing to measure.
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
unset CUDA_CACHE_DISABLE
CULVERT_CACHE=on CULVERT_CACHE_DIR=$folder/cache
export CULVERT_CACHE CULVERT_CACHE_DIR
failed=0
fail() {
	echo "$@"
	failed=1
}
# bench CODE ARGUMENT...
bench() {
	wanted=$1
	shift
	./culvert bench "$@" >$folder/out 2>$folder/errors
	code=$?
	[ $code = $wanted ] || { fail "bench $*: exit code $code, not $wanted"; cat $folder/out $folder/errors; }
}
bench 0
[ ! -s $folder/errors ] || fail "something is on stderr, which is no terminal"
[ "$(grep -cE '^[a-z].* +[0-9][0-9.e+]* (us|ms|k/s|GB/s|GFLOP/s)$' $folder/out)" = 7 ] || { fail "not 7 rows"; cat $folder/out; }
[ ! -e $folder/cache ] || fail "a build that was measured is in the cache"
bench 0 --json --device 0
if [ -x "$PYTHON3" ]; then
	"$PYTHON3" - $folder/out <<'END' || { fail "that is not the JSON that was promised"; cat $folder/out; }
import json, sys
told = json.load(open(sys.argv[1]))
value = {row["name"]: row["value"] for row in told["rows"]}
assert told["device"] and len(value) == 7 and min(value.values()) > 0, told
# A launch that is waited for takes longer than one of many.
assert value["launch and finish"] > 1000 / value["launches"], value
END
fi
bench 3 --device 99
grep -q 'no device 99; there is one device, number 0' $folder/errors || fail "a device that is not there is not told"
bench 2 --device x
bench 2 more
CULVERT_CUDA=/nonexistent/libcuda.so.1 bench 3
exit $failed
