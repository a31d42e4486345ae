#!/bin/sh
# Protects: the host, from the compilers.  libnvvm stands behind a shim that crashes,
# ends or hangs for kernels of certain names.
REAL=$CULVERT_LIBNVVM
[ -x tests/stress/crash ] && [ -f "$REAL" ] || exit 77
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
FAULT_NVVM_REAL=$REAL FAULT_NVVM_PLANTED=1
CULVERT_LIBNVVM=$PWD/tests/stress/libnvvm-fault.so
CULVERT_COMPILER=process
# A sanitizer would make an ordinary end of what a signal ends.
for list in ASAN TSAN UBSAN; do
	eval "export ${list}_OPTIONS=\"\${${list}_OPTIONS:-}:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0\""
done
export FAULT_NVVM_REAL FAULT_NVVM_PLANTED CULVERT_LIBNVVM CULVERT_COMPILER
crash=$PWD/tests/stress/crash
# From a folder of its own: no core file may be left in it.
(cd "$folder" && "$crash") || exit 1
# Seconds that a build may take whose compiler is stopped; a new one needs a fraction of one.
stopped=5
[ -z "$SANITIZER_RUNTIME" ] || stopped=15
(cd "$folder" && "$crash" stopped $stopped) || exit 1
# Within the host, where nothing is confined, the same attempts succeed.
if [ -z "$SANITIZER_RUNTIME" ] && grep -q ^Seccomp: /proc/self/status; then
	FAULT_NVVM_FOLDER=$folder/attacked
	export FAULT_NVVM_FOLDER
	mkdir "$FAULT_NVVM_FOLDER"
	echo content >"$FAULT_NVVM_FOLDER/there"
	(cd "$folder" && "$crash" confined 0) || exit 1
	[ "$(cat "$FAULT_NVVM_FOLDER"/*)" = content ] || { ls -l "$FAULT_NVVM_FOLDER"; exit 1; }
	(cd "$folder" && CULVERT_COMPILER=inside "$crash" confined -11 2>"$FAULT_NVVM_FOLDER/words") || exit 1
	grep -q 'open("made".* is allowed' "$FAULT_NVVM_FOLDER/words" || exit 1
	rm -r "$FAULT_NVVM_FOLDER"
fi
# What hangs takes all the time that there is; the small kernels beside it must get by with that.
CULVERT_COMPILER_TIMEOUT=2
[ -z "$SANITIZER_RUNTIME" ] || CULVERT_COMPILER_TIMEOUT=15
export CULVERT_COMPILER_TIMEOUT
(cd "$folder" && "$crash" slow) || exit 1
[ -z "$(ls "$folder")" ] || { echo "left behind: $(ls "$folder")"; exit 1; }
