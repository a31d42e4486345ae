#!/bin/sh
# Protects: the driver without memory.  One of the allocations that libculvert.so and its front end make
# during the workload fails, in a process of its own: it must not crash, hang or end
# with a code that OpenCL does not allow, and what comes afterwards must work.
#
#	faults_malloc.sh               a sample of the allocations
#	FAULTS_ALL=1 faults_malloc.sh  each of them: some minutes
FAULTS=${FAULTS:-tests/stress/faults}
SHIM=$PWD/tests/stress/libmalloc-fault.so KEEPER=$PWD/tests/stress/libnvvm-fault.so
[ "$CULVERT_CUDA" = soft ] && [ -x "$FAULTS" ] && [ -e "$SHIM" ] && [ -e "$KEEPER" ] || exit 77
SAMPLES=${SAMPLES:-60}
CULVERT_SOFT_DEVICES=2
# The allocations of the first run fail, and the second finds what that left behind.
rounds=twice
[ -z "$FAULTS_ALL" ] || rounds=
export CULVERT_SOFT_DEVICES FAULTS SHIM FAULTS_DIR

one() { # n
	out=$FAULTS_DIR/$1
	LD_PRELOAD=$SHIM FAULT_MALLOC=$1 timeout -s KILL 60 "$FAULTS" $rounds > "$out" 2>&1
	status=$?
	# Without memory there may be no platform.
	if [ $status -ne 0 ] && [ $status -ne 3 ]; then
		echo "FAIL: LD_PRELOAD=$SHIM FAULT_MALLOC=$1 $FAULTS $rounds ($status)"
		sed 's/^/    /' "$out"
		return 1
	fi
	rm -f "$out"
}

FAULTS_DIR=${FAULTS_DIR:-$(mktemp -d)} || exit 99
if [ "$1" = one ]; then
	one "$2"
	exit
fi
trap 'rm -rf "$FAULTS_DIR"' EXIT
LD_PRELOAD=$SHIM tests/stress/no_memory || exit 1
# What fails is counted in the process that the faults are planted in, by the library that asks for memory.  With LLVM
# linked into it that would be Clang's allocations too, and Clang ends without memory as it likes, by a null
# pointer among others.  In libculvert-frontend.so, the linker puts our code before Clang's, from the first function of our archives
# to the last; --enable-static-llvm compiles in a process of its own, as is done for programs.
CULVERT_COMPILER=process
if [ -e libculvert-frontend.so ]; then
	CULVERT_COMPILER=inside
	FAULT_MALLOC_CODE=$(nm frontend/libfrontend.a base/libbase.a 2>/dev/null | awk '$2 == "T" { print "own", $3 }' |
		{ cat && nm -n libculvert-frontend.so; } |
		awk '$1 == "own" { own[$2]; next } last { end = $1; last = 0 } $3 in own { if (!start) start = $1; last = 1 }
			END { print start, end }')
	echo "our code in libculvert-frontend.so: $FAULT_MALLOC_CODE"
	echo "$FAULT_MALLOC_CODE" | grep -qE '^[0-9a-f]+ [0-9a-f]+$' || { echo "FAIL: it was not found"; exit 1; }
	export FAULT_MALLOC_CODE
fi
export CULVERT_COMPILER
# What libnvvm has compiled in the first run, the others find: its own allocations are not among those that fail.
if [ -e "$CULVERT_LIBNVVM" ]; then
	FAULT_NVVM_REAL=$CULVERT_LIBNVVM CULVERT_LIBNVVM=$KEEPER FAULT_NVVM_KEPT=$FAULTS_DIR/kept
	export FAULT_NVVM_REAL CULVERT_LIBNVVM FAULT_NVVM_KEPT
	mkdir "$FAULT_NVVM_KEPT" || exit 99
fi
LD_PRELOAD=$SHIM FAULT_MALLOC_COUNT=$FAULTS_DIR/count "$FAULTS" once || exit 1
count=$(cat "$FAULTS_DIR/count")
[ "$count" -gt 100 ] || { echo "only $count allocations were seen"; exit 1; }
step=$((count / SAMPLES + 1))
[ -z "$FAULTS_ALL" ] || step=1
seq 1 $step "$count" | xargs -P 2 -n 1 "$0" one > "$FAULTS_DIR/result"
status=$?
cat "$FAULTS_DIR/result"
echo "$count allocations, each ${step}th failed, $(grep -c ^FAIL "$FAULTS_DIR/result") badly"
exit $((status != 0))
