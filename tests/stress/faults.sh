#!/bin/sh
# Protects: every error path behind a CUDA call.  The workload is run once to learn
# which calls the driver makes and how often; then each call fails in turn, in a
# process of its own: the first, the second, the last time.  Nothing may crash, hang,
# leak or end with a code that OpenCL does not allow, and what comes after the
# fault must work; after a fault that sticks the other device must.
#
#	faults.sh                what `make check` runs
#	FAULTS_ALL=1 faults.sh   more errors for each call, sticky at each count
#	faults.sh one MODE RULE...  some cases, with the output of those that fail: "" or lost, and a rule
FAULTS=${FAULTS:-tests/stress/faults}
[ "$CULVERT_CUDA" = soft ] || exit 77
[ -x "$FAULTS" ] || exit 77
CULVERT_SOFT_DEVICES=2
# Large copies are shared, however few cores there are.
CULVERT_COPY_THREADS=3
# Compiled once: what fails there is faults_nvvm.sh's.
CULVERT_CACHE=${FAULTS_CACHE:-on}
export CULVERT_CACHE CULVERT_CACHE_DIR CULVERT_SOFT_DEVICES CULVERT_COPY_THREADS FAULTS FAULTS_DIR FAULTS_BASE FAULTS_ROUNDS
# Two cases run at a time, each on a processor of its own, where threads need less time to wake each other.  The full walk,
# and where a call fails each time, have all processors.
stay=1
[ -z "$FAULTS_ALL" ] || stay=

# Prints what is wrong, in an output too, or that no fault was injected.
#
# How many objects of one kind may be left more than without a fault.  An object whose destruction failed is
# left.  Events are pooled, and how many are in use at once depends on time: 44 to 53 in runs without a fault.
# The maximum of four runs (learn) is 47 or more except in one of ten thousand, so 6 more are no leak.  With 90 runs
# at a time it is 57, and on 32 busy processors it was 60, so that a case with more runs again (one).  A leak
# of one event for each error is less than that where a call fails once: each_time() finds it.  Blocks of memory
# that a device keeps for later allocations are freed before the blocks are counted (faults_exhaust).  Streams are
# pooled, too: where an error leaves it unknown whether a copy has ended, each of its three threads may need another
# one.  Where all calls of a kind fail, other work finds its streams busy as well: in 160 runs at a time of four in
# which cuEventQuery fails, 22 to 34 streams are left after 255 to 2700 errors, as many after four times the work, and
# 11 at most after fewer errors.  So 16 more, and one more for each 16 errors, are no leak (each_time).
EVENTS_MORE=6
leaks() { # counts file, call; lost: they are not counted; an output
	awk -v call="$2" -v events="$EVENTS_MORE" -v streams="${STREAMS_MORE:-4}" -v lost="$3" '
		function slack(kind) {
			if (kind == "events")
				return events
			if (kind == "streams")
				return streams
			if (call ~ /^(cuMemFree|cuMemHostUnregister|cuModuleUnload|cuLinkDestroy|cuMemPoolDestroy)/ ||
			    call ~ /^(cuArrayDestroy|cuSurfObjectDestroy|cuTexObjectDestroy)/)
				return 2
			if (call ~ /^cuMipmappedArrayDestroy/)
				return kind == "arrays" ? 3 : 1     # the levels of one
			return call ~ /^(cuMemUnmap|cuMemRelease|cuDestroyExternal|cuIpcClose|cuDevicePrimaryCtxRelease|cuCtx)/
		}
		$1 == "WRONG:" || $1 == "faults" && $2 == "injected" && $3 == 0
		$1 != "live" || lost { next }
		NR == FNR { before[$2] = $3; next }
		$3 > before[$2] + slack($2) {
			print "WRONG: " $2 ": " $3 " are left, " before[$2] " without the fault"
		}
	' "$FAULTS_DIR/baseline" "$1" $4
}

# Where a call always fails, what each error leaks adds up: events, streams and blocks of memory.  Memory of a device
# that cannot be used any more is freed with its context, and is not counted.
# How many waits between streams are needed at all is a matter of time: 9 to 58 mostly, and so there
# are ten tries.
each_time() { # call
	count=$FAULTS_DIR/each.count
	for try in 1 2 3 4 5 6 7 8 9 10; do
		CULVERT_SOFT_FAULT="$1:*:UNKNOWN" CULVERT_SOFT_COUNT=$count timeout -s KILL 60 \
			"$FAULTS" > "$FAULTS_DIR/each.out" 2>&1
		ended=$?
		injected=$(sed -n 's/^faults injected //p' "$count")
		[ "$injected" -le "$EVENTS_MORE" ] || break
	done
	[ $ended -le 1 ] || echo "WRONG: it ends with $ended"
	[ "$injected" -gt "$EVENTS_MORE" ] || echo "WRONG: too few errors to tell ($try tries)"
	kinds='events|streams|device_allocations'
	! grep -q 'kept blocks could not be freed' "$FAULTS_DIR/each.out" || kinds='events|streams'
	STREAMS_MORE=$((16 + injected / 16))
	leaks "$count" "$1" | grep -E "$kinds"
	STREAMS_MORE=
}

# Only what a program starts with may leave it without a platform.
may_have_none() {
	case $1 in
	cuInit*|cuDriverGetVersion*|cuDeviceGet*|cuDeviceTotalMem*) return 0 ;;
	esac
	return 1
}

run_case() { # mode, rule; leaves status, $out, $count and found
	out=$FAULTS_DIR/$$.out count=$FAULTS_DIR/$$.count mode=${1:-$FAULTS_ROUNDS}
	: > "$count"
	FAULTS_STAY=$stay CULVERT_SOFT_FAULT=$FAULTS_BASE$2 CULVERT_SOFT_COUNT=$count timeout -s KILL 60 \
		"$FAULTS" $mode > "$out" 2>&1
	status=$?
	[ $status -eq 137 ] && echo "WRONG: it hangs" >> "$out"
	[ $status -gt 3 ] && echo "WRONG: it ends with $status" >> "$out"
	[ $status -eq 3 ] && ! may_have_none "$2" && echo "WRONG: no platform" >> "$out"
	found=$(leaks "$count" "$2" "$1" "$out")
}

# Six hundred cases run this: one that passes starts few processes.
one() { # mode, rule
	for try in 1 2 3 4; do
		run_case "$1" "$2"
		# Events that are left once are a matter of time, and a leak leaves them each time.
		[ $status -ne 1 ] && [ -n "$found" ] &&
			[ "$(echo "$found" | sed '/^faults/d; s/: [0-9].*//')" = 'WRONG: events' ] || break
	done
	case $found in *WRONG:*) status=1 ;; esac
	if [ $status -eq 1 ]; then
		echo "FAIL: FAULTS_STAY=$stay CULVERT_SOFT_FAULT='$FAULTS_BASE$2' $FAULTS $mode"
		sed 's/^/    /' "$out"
		echo "$found" | sed -n '/ are left, /s/^/    /p'
		return 1
	fi
	[ -z "$FAULTS_BASE" ] && [ -n "$found" ] && echo "not reached: $2"
	return 0
}

errors_of() {
	case $1 in
	*Alloc*|*Create*|*Retain*) echo OUT_OF_MEMORY ;;
	cuModuleLoad*|cuLink*) echo OUT_OF_MEMORY INVALID_IMAGE ;;
	cuLaunch*) echo LAUNCH_OUT_OF_RESOURCES ;;
	*) echo UNKNOWN ;;
	esac
	[ -z "$FAULTS_ALL" ] || echo OUT_OF_MEMORY INVALID_VALUE NOT_SUPPORTED
}

# Errors that have a meaning for few calls, and an OpenCL code that few doors may give:
# two of them in turn by the call's name, or all.
foreign() {
	set -- "${#1}" DEVICE_UNAVAILABLE NOT_FOUND INVALID_IMAGE JIT_COMPILER_NOT_FOUND
	[ -z "$FAULTS_ALL" ] || { shift; echo "$@" MAP_FAILED INVALID_PTX; return; }
	[ $(($1 % 2)) -eq 0 ] && echo "$2" "$4" || echo "$3" "$5"
}

# The first, the second and the last time; for the full walk, many in between.
counts_of() {
	n=3
	while [ "$2" -gt 2 ] && [ -n "$1" ] && [ $n -lt "$2" ]; do
		echo $n
		n=$((n + n / 2))
	done
	[ "$2" -lt 2 ] || echo 2
	printf '%s\n' 1 "$2"
}

cases() {
	sed -n 's/^call //p' "$FAULTS_DIR/learnt" | while read -r call last; do
		grep -qxF "$call" "$FAULTS_DIR/new" || continue
		counts=$(counts_of "$FAULTS_ALL" "$last" | sort -un)
		for error in $(errors_of "$call" | tr ' ' '\n' | sort -u); do
			for n in $counts; do echo "'' $call:$n:$error"; done
		done
		for error in $(foreign "$call"); do
			echo "'' $call:$last:$error"
		done
		[ -n "$FAULTS_ALL" ] || counts=$last
		for n in $counts; do
			echo "lost $call:$n:LAUNCH_FAILED:sticky"
			case $call in
			cuLaunch*|cuMemcpy*|cuMemset*|cuEventRecord*|cuStreamWaitEvent*)
				echo "lost $call:$n:ILLEGAL_ADDRESS:async" ;;
			esac
		done
	done
}

# How often events are created and asked is a matter of time: the least of some runs is what most cases reach.
least_of() { # counts files
	awk '
		$1 != "call" { next }
		!($2 in least) { name[++calls] = $2; least[$2] = $3 }
		$3 < least[$2] { least[$2] = $3 }
		END { for (i = 1; i <= calls; i++) print "call", name[i], least[name[i]] }
	' "$@"
}

# The workload with the rules of FAULTS_BASE alone, which it must bear: a single run of it
# to learn the calls, and as a case has it, to learn what is left: the most of some runs.
learn() {
	for run in 1 2 3; do
		FAULTS_STAY=$stay CULVERT_SOFT_FAULT=$FAULTS_BASE CULVERT_SOFT_COUNT=$FAULTS_DIR/once.$run \
			"$FAULTS" once || return
	done
	least_of "$FAULTS_DIR"/once.* > "$FAULTS_DIR/learnt"
	: > "$FAULTS_DIR/live"
	for run in 1 2 3 4; do
		CULVERT_SOFT_FAULT=$FAULTS_BASE CULVERT_SOFT_COUNT=$FAULTS_DIR/count "$FAULTS" $FAULTS_ROUNDS || return
		sed -n 's/^live //p' "$FAULTS_DIR/count" >> "$FAULTS_DIR/live"
	done
	sort -k1,1 -k2,2nr "$FAULTS_DIR/live" | sort -u -k1,1 -s | sed 's/^/live /' \
		> "$FAULTS_DIR/baseline"
}

# What the driver that softcuda acts as (CULVERT_SOFT_DRIVER) does not export, or nobody calls on its machine
# (CULVERT_SOFT_MACHINE).  Devices are split if it has all functions for
# that, which came with CUDA 12.4 and 12.5: without one of them, the others are not called either.
lacking() {
	awk -F '[(, )]+' -v release="${CULVERT_SOFT_DRIVER:-13.0}" '
		BEGIN { split(release, part, "."); version = release < 1000 ? 1000 * part[1] + 10 * part[2] : release + 0 }
		!/^SYMBOL/ { next }
		{ splits = $4 ~ /GreenCtx|DevResource|DevSmResource/ }
		splits { for_splits = for_splits $4 "\n"; incomplete = incomplete || ($4 == "cuGreenCtxStreamCreate" && $3 > version) }
		!splits && $3 > version { print $4 }
		END { if (incomplete) printf "%s", for_splits }
	' "${srcdir:-.}/softcuda/calls/symbol.def"
	# Under WSL 2 and with an integrated GPU, there is no managed memory that device and host use at once, and no dma-buf;
	# under WSL 2 there is no memory of other processes, either.
	case $machine in wsl | integrated)
		printf '%s\n' cuMemGetHandleForAddressRange cuMemAllocManaged cuMemAdvise_v2 cuMemPrefetchAsync_v2 ;;
	esac
	[ "$machine" != wsl ] || printf '%s\n' cuIpcOpenMemHandle_v2 cuIpcCloseMemHandle cuMemGetAddressRange_v2
}

# Rows of the table of what the driver calls that are not among what was walked over. An older
# version counts as the call that it comes down to.  What needs an OpenGL context is made to fail by
# tests/api/gl_faults and, for EGL's images, tests/api/egl_image.
unwalked() {
	lacking >"$FAULTS_DIR/lacking"
	sed -n 's/^CUDA_SYMBOL(\([A-Za-z0-9_]*\),.*/\1/p' "${srcdir:-.}/backend/cuda_symbols.def" |
		grep -vxFf "$FAULTS_DIR/lacking" |
		while read -r row; do
			grep -qE "^${row%_v2}(_v[0-9]+)?(WithFlags)?$" "$FAULTS_DIR/known" ||
				grep -q "\"$row[:\"]" "${srcdir:-.}/tests/api/gl_faults.c" \
					"${srcdir:-.}/tests/api/egl_image.c" || echo "$row"
		done
}

FAULTS_DIR=${FAULTS_DIR:-$(mktemp -d)} || exit 99
machine=$CULVERT_SOFT_MACHINE
# Memory of another process, for as long as this script runs.
if [ -z "$FAULTS_IPC" ] && [ "$machine" = wsl ]; then
	FAULTS_IPC=$FAULTS_DIR/none
	export FAULTS_IPC
elif [ -z "$FAULTS_IPC" ]; then
	FAULTS_IPC=$FAULTS_DIR/ipc
	export FAULTS_IPC
	mkfifo "$FAULTS_DIR/end"
	"${FAULTS%/*}/faults_exporter" "$PWD/libculvert-softcuda.so" "$FAULTS_IPC" <"$FAULTS_DIR/end" &
	exec 8>"$FAULTS_DIR/end"
	for tenth in $(seq 100); do
		[ ! -f "$FAULTS_IPC" ] || break
		sleep 0.1
	done
fi
if [ "$1" = one ]; then
	[ -s "$FAULTS_DIR/baseline" ] || learn > /dev/null || exit 1
	shift
	status_of_all=0
	while [ $# -gt 0 ]; do
		one "$1" "$2" || status_of_all=1
		shift 2
	done
	exit $status_of_all
fi
trap 'rm -rf "$FAULTS_DIR"' EXIT
CULVERT_CACHE_DIR=$FAULTS_DIR/cache
status=0 all=0 failed=0 missed=0
: > "$FAULTS_DIR/known"
# The workload as it is, with the rules of FAULTS_BASE: each call is walked over where it came up first.
walk() {
	learn > "$FAULTS_DIR/out" 2>&1 || { cat "$FAULTS_DIR/out"; exit 1; }
	sed -n 's/^call \([^ ]*\) .*/\1/p' "$FAULTS_DIR/learnt" > "$FAULTS_DIR/here"
	grep -vxFf "$FAULTS_DIR/known" "$FAULTS_DIR/here" > "$FAULTS_DIR/new"
	cases > "$FAULTS_DIR/cases"
	xargs -P 2 -L 8 "$0" one < "$FAULTS_DIR/cases" > "$FAULTS_DIR/result" || status=1
	cat "$FAULTS_DIR/here" >> "$FAULTS_DIR/known"
	cat "$FAULTS_DIR/result"
	all=$((all + $(wc -l < "$FAULTS_DIR/cases")))
	failed=$((failed + $(grep -c ^FAIL "$FAULTS_DIR/result")))
	missed=$((missed + $(grep -c '^not reached' "$FAULTS_DIR/result")))
}
# What a fault leaves behind is found by the next run of the workload; all three are for the full walk.
[ -n "$FAULTS_ALL" ] || FAULTS_ROUNDS=twice
# By itself; without pools, or with one that is given up; where memory is short for once;
# and where an allocation is not there at once.
for FAULTS_BASE in '' 'cuMemPoolCreate:*:NOT_SUPPORTED,' 'cuMemPoolSetAttribute:1:UNKNOWN,' \
	'cuMemAllocFromPoolAsync:4:OUT_OF_MEMORY,' 'cuStreamQuery:1:NOT_READY,'; do
	walk
done
# On a GPU that shares the host's memory, where buffers of the application's memory are registered.
FAULTS_BASE= CULVERT_SOFT_MACHINE=integrated
export CULVERT_SOFT_MACHINE
walk
CULVERT_SOFT_MACHINE=$machine
[ -n "$machine" ] || unset CULVERT_SOFT_MACHINE
FAULTS_ROUNDS=
# What is called where a context or a share of a device cannot be set up, which no run without errors does.
FAULTS_BASE=
learn > /dev/null || status=1
for call in cuLaunchKernel cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2 \
	cuMemcpy3DAsync_v2 cuMemsetD32Async cuStreamWaitEvent cuEventRecord cuEventQuery; do
	each_time $call > "$FAULTS_DIR/each"
	[ ! -s "$FAULTS_DIR/each" ] || { echo "FAIL: $call"; cat "$FAULTS_DIR/each"; status=1; }
done
given_up() { # the call that fails first, the one that gives up
	FAULTS_BASE=$1:1:UNKNOWN,
	CULVERT_SOFT_FAULT=$FAULTS_BASE CULVERT_SOFT_COUNT=$FAULTS_DIR/learnt "$FAULTS" > /dev/null || status=1
	sed -n 's/^call \([^ ]*\) .*/\1/p' "$FAULTS_DIR/learnt" >> "$FAULTS_DIR/known"
	"$0" one '' "$2:1:UNKNOWN" || status=1
}
given_up cuCtxGetStreamPriorityRange cuDevicePrimaryCtxRelease_v2
given_up cuCtxFromGreenCtx cuGreenCtxDestroy
# With a cache modules stay loaded for who builds the same again.
FAULTS_CACHE=off CULVERT_CACHE=off FAULTS_BASE=
export FAULTS_CACHE
learn > /dev/null || status=1
sed -n 's/^call \([^ ]*\) .*/\1/p' "$FAULTS_DIR/learnt" >> "$FAULTS_DIR/known"
for rule in "'' cuModuleUnload:1:UNKNOWN" "'' cuModuleUnload:2:OUT_OF_MEMORY" \
	'lost cuModuleUnload:1:LAUNCH_FAILED:sticky'; do
	echo "$rule" | xargs -L 1 "$0" one || status=1
done
# A mistake of ours, planted: what is never given back has to be seen.
"$0" one '' 'cuMemFreeHost:*:DROP' > "$FAULTS_DIR/planted" && status=1
grep -q '^ *WRONG: host_allocations' "$FAULTS_DIR/planted" ||
	{ echo "FAIL: a planted leak is not found"; cat "$FAULTS_DIR/planted"; status=1; }
unwalked > "$FAULTS_DIR/unwalked"
if [ -s "$FAULTS_DIR/unwalked" ]; then
	echo "FAIL: rows of backend/cuda_symbols.def that were never made to fail:"
	cat "$FAULTS_DIR/unwalked"
	status=1
fi
echo "$(sort -u "$FAULTS_DIR/known" | wc -l) calls, $all cases, $failed failed, $missed not reached"
exit $status
