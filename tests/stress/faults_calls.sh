#!/bin/sh
# Protects: the driver where the system fails it.  One of the calls to the system that libculvert.so makes during the
# workload fails, in a process of its own: files, folders, sockets, mappings, threads.  It must not crash, hang, end
# with a code that OpenCL does not allow or keep a file open, and what comes afterwards must work.
#
#	faults_calls.sh               a sample of the calls
#	FAULTS_ALL=1 faults_calls.sh  each of them, in more ways: some minutes
FAULTS=${FAULTS:-tests/stress/faults}
SHIM=$PWD/tests/stress/libcall-fault.so
[ "$CULVERT_CUDA" = soft ] && [ -x "$FAULTS" ] && [ -e "$SHIM" ] || exit 77
SAMPLES=${SAMPLES:-80}
CULVERT_SOFT_DEVICES=2 CULVERT_CACHE=on
unset CULVERT_COMPILER
export CULVERT_SOFT_DEVICES CULVERT_CACHE FAULTS SHIM FAULTS_DIR

# The calls of the first run fail, and the second finds what that left behind.
rounds=twice
[ -z "$FAULTS_ALL" ] || rounds=

# Compilers' processes that wait for more, each with a socket.
FILES_MORE=4

one() { # n error
	out=$FAULTS_DIR/$1.$2
	CULVERT_CACHE_DIR=$out.cache
	export CULVERT_CACHE_DIR
	LD_PRELOAD=$SHIM FAULT_CALL=$1 FAULT_CALL_ERROR=$2 FAULT_CALL_COUNT=$out.count FAULT_CALL_NAME=$out.name \
		timeout -s KILL 100 "$FAULTS" $rounds > "$out" 2>&1
	status=$?
	# Whatever it left on disk, the next process lives with it.
	if [ $status -eq 0 ] || [ $status -eq 3 ]; then
		"$FAULTS" once >> "$out" 2>&1 || status="$? of the next process"
	fi
	open=$(sed 's/.* //' "$out.count" 2>/dev/null)
	[ "${open:-0}" -le $((FILES_OPEN + FILES_MORE)) ] || status="$open open files"
	# Without files there may be no platform.
	if [ "$status" != 0 ] && [ "$status" != 3 ]; then
		echo "FAIL: $(cat "$out.name"): LD_PRELOAD=$SHIM FAULT_CALL=$1 FAULT_CALL_ERROR=$2 $FAULTS $rounds ($status)"
		sed 's/^/    /' "$out"
		return 1
	fi
	rm -rf "$out" "$out".*
}

FAULTS_DIR=${FAULTS_DIR:-$(mktemp -d)} || exit 99
if [ "$1" = one ]; then
	one "${2%:*}" "${2#*:}"
	exit
fi
trap 'rm -rf "$FAULTS_DIR"' EXIT
CULVERT_CACHE_DIR=$FAULTS_DIR/cache LD_PRELOAD=$SHIM FAULT_CALL_COUNT=$FAULTS_DIR/count "$FAULTS" once || exit 1
count=$(sed 's/ .*//' "$FAULTS_DIR/count")
FILES_OPEN=$(sed 's/.* //' "$FAULTS_DIR/count")
export FILES_OPEN
[ "$count" -gt 100 ] || { echo "only $count calls were seen"; exit 1; }
# EIO, EINTR; then in part, EMFILE, ENOMEM, ENOSPC, EACCES
errors='5 4' step=$((2 * count / SAMPLES + 1))
[ -z "$FAULTS_ALL" ] || errors='5 4 0 24 12 28 13' step=1
start=1
for error in $errors; do
	seq $start $step "$count" | sed "s/\$/:$error/"
	# Other calls with other errors.
	[ $step -eq 1 ] || start=$((1 + step / 2))
done | xargs -P 2 -n 1 "$0" one > "$FAULTS_DIR/result"
status=$?
cat "$FAULTS_DIR/result"
echo "$count calls, each ${step}th failed with each of: $errors; $(grep -c ^FAIL "$FAULTS_DIR/result") badly"
exit $((status != 0))
