#!/bin/sh
# Protects: `culvert devices` tells what clinfo tells, for people and as JSON; without a
# device it says so with exit code 3.
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
failed=0
fail() {
	echo "$@"
	failed=1
}
./culvert devices >$folder/text || fail "devices: exit code $?"
./culvert devices --json >$folder/json || fail "devices --json: exit code $?"
if command -v clinfo >/dev/null; then
	"${srcdir:-.}/tests/apps/foreign" clinfo --raw >$folder/clinfo
	sed -n 's/.*CL_DEVICE_NAME *//p' $folder/clinfo | while read -r name; do
		grep -qF "$name" $folder/text || { echo "the text lacks '$name'"; exit 1; }
		grep -qF "\"name\": \"$name\"" $folder/json || { echo "the JSON lacks '$name'"; exit 1; }
	done || failed=1
	memory=$(sed -n 's/.*CL_DEVICE_GLOBAL_MEM_SIZE *//p' $folder/clinfo | head -n 1)
	grep -qF "\"memory_B\": $memory" $folder/json || fail "the JSON's memory is not $memory"
fi
if [ -x "$PYTHON3" ]; then
	"$PYTHON3" -c 'import json, sys; devices = json.load(open(sys.argv[1])); assert devices[0]["sm"] >= 50' \
		$folder/json || fail "that is not the JSON that was promised"
fi
if [ "$CULVERT_CUDA" = soft ]; then
	[ "$(CULVERT_SOFT_DEVICES=3 ./culvert devices --json | grep -c '"index"')" = 3 ] || fail "not 3 devices"
fi
CULVERT_CUDA=/nonexistent/libcuda.so.1 ./culvert devices >$folder/none 2>$folder/errors
[ $? = 3 ] || fail "no driver: not exit code 3"
[ ! -s $folder/none ] || fail "no driver: something on stdout"
grep -q 'no device' $folder/errors || fail "no driver: nothing said"
CULVERT_DEBUG=warn CULVERT_CUDA=/nonexistent/libcuda.so.1 ./culvert devices >$folder/none 2>$folder/errors
grep -q 'warn: CULVERT_CUDA=/nonexistent/libcuda.so.1: no device: ' $folder/errors || fail "a driver that was asked for is not there: no warning"
CULVERT_DEBUG=warn CULVERT_CUDA=auto ./culvert devices >$folder/none 2>$folder/errors
grep -q 'warn: CULVERT_CUDA' $folder/errors && fail "nobody asked for a driver, and a warning says that it is not there"
exit $failed
