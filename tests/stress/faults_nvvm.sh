#!/bin/sh
# Protects: every error path behind a call of libnvvm.  The workload is run once to
# learn which calls a build makes; then each fails in turn, in a process of its own:
# the build fails with a code that OpenCL allows and says why, the next one works.
#
#	faults_nvvm.sh                all calls, two results
#	FAULTS_ALL=1 faults_nvvm.sh   four
FAULTS=${FAULTS:-tests/stress/faults}
SHIM=$PWD/tests/stress/libnvvm-fault.so
[ "$CULVERT_CUDA" = soft ] && [ -x "$FAULTS" ] && [ -e "$SHIM" ] || exit 77
[ -e "$CULVERT_LIBNVVM" ] || exit 77
# What fails is counted in the process that the faults are planted in.
CULVERT_COMPILER=inside
export CULVERT_COMPILER
CULVERT_SOFT_DEVICES=2 FAULT_NVVM_REAL=$CULVERT_LIBNVVM CULVERT_LIBNVVM=$SHIM
export CULVERT_SOFT_DEVICES FAULT_NVVM_REAL CULVERT_LIBNVVM
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
# What the first run has compiled, the others find: only the failing call differs, which libnvvm does not see.
FAULT_NVVM_KEPT=$folder/kept
export FAULT_NVVM_KEPT
mkdir "$FAULT_NVVM_KEPT" || exit 99
FAULT_NVVM_COUNT=$folder/learnt "$FAULTS" once || exit 1
compiled=$(ls "$FAULT_NVVM_KEPT" | wc -l)
[ "$compiled" -gt 1 ] || { echo "only $compiled programs were compiled"; exit 1; }
# 1 is a lack of memory, 2 a program that cannot be made, 5 a wrong one, 9 a failed one.
results="1 9${FAULTS_ALL:+ 2 5}"
sed -n 's/^call //p' "$folder/learnt" | while read -r call last; do
	for n in $(seq 1 "$last"); do
		for result in $results; do
			FAULT_NVVM=$call:$n:$result timeout -s KILL 60 "$FAULTS" twice \
				> "$folder/out" 2>&1 && echo good >> "$folder/all" && continue
			echo bad >> "$folder/all"
			echo "FAIL: FAULT_NVVM=$call:$n:$result ($?)"
			sed 's/^/    /' "$folder/out"
		done
	done
done
echo "$(wc -l < "$folder/all") cases, $(grep -c bad "$folder/all") failed"
! grep -q bad "$folder/all"
