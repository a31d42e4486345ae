#!/bin/sh
# Protects: the order of everything that the driver does: the API's tests and the
# matrix product on schedules that put off what may be put off, with the ordering
# oracle on.  Left out are `collisions` and `matrix_il`, which are about the cache's keys and the code of matrices: they
# build many programs, and each has one launch and one read in one queue, as in many others; and programs that build
# for long, and put nothing into a queue.  `beyond_memory` has the first schedule only: its kernels write more than all
# others, and each access is recorded.  By hand, in the build folder and with more schedules:
#	tests/run-with-culvert SRCDIR/tests/stress/seeds.sh seed:1 seed:7 pct:8:4
# Why these three: with four, one call was left undone in each program in turn (CULVERT_SOFT_FAULT's DROP), the first,
# second, fourth or ninth cuStreamWaitEvent or cuEventRecord.  docs/decisions.md has what each schedule found.
# A failure prints the command that repeats it.
[ "${CULVERT_CUDA:-soft}" = soft ] || { echo 'skipped: not the software driver'; exit 77; }
export CULVERT_CUDA=soft CULVERT_SOFT_ORACLE=1 CULVERT_SOFT_SCHED CULVERT_SOFT_REPORT
[ $# -gt 0 ] || set -- seed:2,late,sync:none pct:3:3,sync:all,peer:corrupt hold:HtoD,peer:off
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
CULVERT_SOFT_REPORT=$folder/report
# What one run has compiled, the next ones find: they differ in the order of commands alone.
# In `make check`, so do the programs' own tests (tests/api/local.mk).
export CULVERT_CACHE=on CULVERT_CACHE_DIR="$PWD/tests/stress/seeds.programs"
rm -rf "$CULVERT_CACHE_DIR" || exit 99
failures=0 runs=0

run() {
	rm -f "$CULVERT_SOFT_REPORT"
	"$@" >"$folder/output" 2>&1
	status=$?
	runs=$((runs + 1))
	if { [ $status -eq 0 ] || [ $status -eq 77 ]; } && [ ! -s "$CULVERT_SOFT_REPORT" ]; then
		return
	fi
	failures=$((failures + 1))
	echo "FAIL ($status): CULVERT_CUDA=soft CULVERT_SOFT_ORACLE=1" \
		"CULVERT_SOFT_SCHED=$CULVERT_SOFT_SCHED $*"
	tail -n 20 "$folder/output"
	[ ! -s "$CULVERT_SOFT_REPORT" ] || head -n 40 "$CULVERT_SOFT_REPORT"
}

for CULVERT_SOFT_SCHED in "$@"; do
	for program in tests/api/*; do
		case ${program##*/} in
		beyond_memory) [ "$CULVERT_SOFT_SCHED" = "$1" ] || continue ;;
		*.so | collisions | matrix_il) continue ;;
		extension_pragmas | float_options | locked_folder | small_stacks | unloads) continue ;;
		esac
		[ -f "$program" ] && [ -x "$program" ] && run "$program"
	done
	[ ! -x tests/apps/matrix ] || run tests/apps/matrix 96
done
[ $runs -gt 0 ] || { echo 'skipped: nothing is built to run'; exit 77; }
echo "$runs runs, $failures failures"
[ $failures -eq 0 ]
