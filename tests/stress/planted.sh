#!/bin/sh
# Protects: the tests of order and the checks of kernels.  A test of tests: each mistake
# is planted once, and has to be found by what is there to find it.  A call of the driver
# is left undone (CULVERT_SOFT_FAULT's DROP), in a scenario that is silent without it; a
# line of a kernel is taken out.  (faults.sh has a leak of its own planted.)
[ "${CULVERT_CUDA:-soft}" = soft ] || { echo 'skipped: not the software driver'; exit 77; }
[ -x tests/stress/scenarios_host ] || { echo 'skipped: nothing is built to run'; exit 77; }
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
# The programs of a scenario are the same with a mistake and without.
export CULVERT_CUDA=soft CULVERT_CACHE=on CULVERT_CACHE_DIR="$folder/cache"
unset CULVERT_SOFT_FAULT CULVERT_SOFT_SCHED CULVERT_SOFT_CHECK
# ThreadSanitizer sees some of what is planted as well, and would end the program its own way.
TSAN_OPTIONS=${TSAN_OPTIONS:-}:exitcode=1:halt_on_error=0
export TSAN_OPTIONS
planted=0 failures=0

fail() {
	failures=$((failures + 1))
	echo "FAIL: $*"
	tail -n 20 "$folder/output"
}

# Leaves the first, the second, ... call of that name undone; each has to be reported by
# the oracle in words that match.
#	each GROUP NUMBER CALL MATCH [MOST [data]]
# data: wrong data is enough, for a lost record makes a kernel look done that never began.
each() {
	n=1 found=0
	while [ $n -le "${5:-40}" ]; do
		timeout 100 "tests/stress/scenarios_$1" --schedules 2 --fault "$3:$n:DROP" "$2" \
			>"$folder/output" 2>&1
		status=$?
		grep -q '^faults: 0$' "$folder/output" && break
		planted=$((planted + 1))
		if [ $status -eq 1 ] && grep -q '^softcuda: ordering' "$folder/output" &&
			grep -q "$4" "$folder/output"; then
			found=$((found + 1))
		elif [ "${6:-}" = data ] && [ $status -eq 1 ] &&
			grep -q '^word .* is .*, not ' "$folder/output"; then
			echo "scenario $2: $3 $n left undone and seen by its data"
		else
			fail "not found: scenarios_$1 --schedules 2 --fault $3:$n:DROP $2 ($status)"
		fi
		n=$((n + 1))
	done
	[ $found -gt 0 ] || fail "scenario $2 of scenarios_$1 makes no call of $3"
	echo "scenario $2: $found times $3 left undone and found: $4"
}

# The kernel file on stdin is silent; without the lines that say "planted" it is not.
#	kernel WHAT REPORT [DIRECTIVE]
# DIRECTIVE: what its run has to be told then.
kernel() {
	cat >"$folder/all.clt"
	{ echo "//! protects $1"; cat "$folder/all.clt"; } >"$folder/right.clt"
	{ echo "//! protects $1"; sed -e '/planted/d' -e "s/^\/\/! silent/\/\/! report $2/" \
		-e "s/^\/\/! run/${3:+\/\/! $3\\n}&/" "$folder/all.clt"; } >"$folder/broken.clt"
	planted=$((planted + 1))
	cmp -s "$folder/right.clt" "$folder/broken.clt" && fail "$1: nothing is planted"
	for file in right broken; do
		tests/kernels/runner "$folder/$file.clt" >"$folder/output" 2>&1 ||
			fail "$1: the $file kernel"
	done
	echo "kernel: $1: found: $2"
}

each streams 6 cuStreamWaitEvent 'kernel held'
each streams 10 cuStreamWaitEvent kernel
each devices 28 cuStreamWaitEvent kernel
# Which of the later waits come, and when, is up to the completion thread, and to leave out one
# may be harmless: memory is given back behind its writer and its reader, who waits for the writer.
each devices 31 cuStreamWaitEvent copy 1
each streams 6 cuEventRecord 'kernel held' 3 data
each stories 46 cuEventRecord . 2
each host 2 cuStreamWaitEvent '\(kernel sum\|cuMemFreeAsync\)' 1
# Memory that is given back before its last user has ended, or has gone to the next by then.
tests/stress/scenarios_host --schedules 2 --fault cuStreamWaitEvent:2:DROP 2 \
	>"$folder/output" 2>&1
planted=$((planted + 1))
grep -q 'ran first: cuMem\(Free\|Alloc\)Async' "$folder/output" || fail 'a free that waits for nobody'

# The same in random graphs, of which some need the call that is left undone.
#	graphs RULE: found in one of the first 40, with room: the first to find one was never behind the 12th
graphs() {
	timeout 100 tests/stress/graphs --graphs 40 --fault "$1" >"$folder/output" 2>&1
	status=$?
	planted=$((planted + 1))
	if [ $status -eq 1 ] && grep -q '^\(graph .* FAILS\|a graph hangs\); again: ' "$folder/output"; then
		echo "graphs: $1 found: $(grep -m 1 -o '^graph .* FAILS\|^a graph hangs' "$folder/output")" \
			"$(grep -m 1 'also fails' "$folder/output")"
	else
		fail "not found: tests/stress/graphs --graphs 40 --fault $1 ($status)"
	fi
}
graphs cuStreamWaitEvent:3:DROP
graphs cuStreamWaitEvent:20:DROP
graphs cuEventRecord:30:DROP
graphs cuMemcpyPeerAsync:2:DROP

kernel 'a barrier' 'race in a work-group' <<'EOF'
//! check race
//! buffer int out[64] = 0
//! run use(out) global 64 local 64
//! silent
kernel void use(global int *out)
{
	local int x[64];
	int l = get_local_id(0);
	x[l] = l;
	barrier(CLK_LOCAL_MEM_FENCE); /* planted */
	out[l] = x[63 - l];
}
EOF

kernel 'a bounds check' 'behind the end of the buffer' 'enqueue-fails -5 -14' <<'EOF'
//! check memory
//! buffer int out[60] = 0
//! run use(out) global 64 local 64
//! silent
kernel void use(global int *out)
{
	if (get_global_id(0) < 60) /* planted */
		out[get_global_id(0)] = 1;
}
EOF

kernel 'a fence' 'race between work-groups' <<'EOF'
//! check race
//! buffer int part[8] = 0
//! buffer int count[2] = 0
//! run use(part, count) global 8 local 1
//! silent
kernel void use(global int *part, global int *count)
{
	part[get_group_id(0)] = get_group_id(0);
	mem_fence(CLK_GLOBAL_MEM_FENCE); /* planted */
	if (atomic_inc(&count[0]) == 7) {
		int sum = 0;
		mem_fence(CLK_GLOBAL_MEM_FENCE);
		for (int i = 0; i < 8; i++)
			sum += part[i];
		count[1] = sum;
	}
}
EOF

kernel 'an initialisation' 'local memory that nobody has written' <<'EOF'
//! check uninit
//! buffer int out[64] = 0
//! run use(out) global 64 local 64
//! silent
kernel void use(global int *out)
{
	local int sum;
	if (!get_local_id(0))
		sum = 0; /* planted */
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&sum, 1);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_local_id(0)] = sum;
}
EOF

# Without what the condition was for, it is the barrier's.
kernel 'a condition' 'divergent barrier' <<'EOF'
//! check barrier
//! buffer int out[64] = 0
//! run use(out) global 64 local 64
//! silent
kernel void use(global int *out)
{
	local int x[64];
	int l = get_local_id(0);
	x[l] = l;
	if (l >= 40)
		x[l] = 0; /* planted */
	barrier(CLK_LOCAL_MEM_FENCE);
	out[l] = x[63 - l];
}
EOF

echo "$planted mistakes planted, $failures not found"
[ $failures -eq 0 ]
