#!/bin/sh
# Protects: no call is a place where a thread can be cancelled.  Programs that make every kind of call run
# with a cancellation pending within each of them (cancel_layer.c); then threads are cancelled at
# any time (cancel.c).  CANCEL_COUNT: how many.
[ -x tests/stress/cancel ] || exit 77
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
status=0
fail() {
	echo "$@"
	status=1
}
# What was built before is asked for in the cache, and waited for there as well.
CULVERT_CACHE=on CULVERT_CACHE_DIR=$folder/cache
export CULVERT_CACHE CULVERT_CACHE_DIR
# A sanitizer's runtime has waits of its own, and is not loaded before the layer.
if [ -z "$SANITIZER_RUNTIME" ]; then
	for test in platform context program program_link program_binary kernel buffers transfers maps \
		large_copies events waits queues sync svm usm images image_transfers command_buffers printf \
		semaphores external_memory native shared_semaphores threads il unloads diagnostics; do
		[ -x tests/api/$test ] || continue
		rm -f "$folder/count"
		OPENCL_LAYERS=$PWD/tests/stress/libcancel-layer.so CANCEL_COUNT=$folder/count \
			CULVERT_DEBUG=info tests/api/$test >"$folder/out" 2>&1
		code=$?
		[ $code -eq 0 ] || [ $code -eq 77 ] ||
			fail "$test ends with $code: $(grep -a 'cancelled within' "$folder/out" || tail -n 5 "$folder/out")"
		[ $code -eq 0 ] || continue
		calls=$(cat "$folder/count" || echo 0)
		[ "$calls" -gt 10 ] || fail "$test: the layer saw no calls"
		echo "$test: $calls calls"
	done
fi
tests/stress/cancel ${CANCEL_COUNT:-2000} || fail "threads that are cancelled: $?"
exit $status
