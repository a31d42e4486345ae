#!/bin/sh
# Protects: the cache of built programs in the world: files that change, switches, folders
# that cannot be used, disks that fail, many at once, and one that is killed.
test "${CULVERT_CUDA:-soft}" = soft || exit 77
program=tests/stress/cache
shim=$PWD/tests/stress/libdisk-fault.so
[ -x $program ] || exit 77
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
unset CUDA_CACHE_DISABLE CUDA_CACHE_PATH XDG_CACHE_HOME CULVERT_CACHE_SIZE
CULVERT_CACHE=on CULVERT_DEBUG=info
export CULVERT_CACHE CULVERT_DEBUG
program=$PWD/$program

fail() {
	echo "FAIL: $*"
	sed 's/^/    /' "$work/log"
	failed=1
}
# builds VALUE BUILDS ARGUMENTS...: the program prints VALUE and compiles BUILDS times.
builds() {
	value=$1 count=$2
	shift 2
	got=$("$program" "$@" 2>"$work/log") || fail "$*: status $?"
	[ "$got" = "$value" ] || fail "$*: '$got' in place of $value"
	made=$(grep -c 'info: build:' "$work/log")
	[ "$made" = "$count" ] || fail "$*: $made builds in place of $count"
}
fresh() {
	CULVERT_CACHE_DIR=$work/cache.$1
	export CULVERT_CACHE_DIR
}
kernel() { # FILE EXPRESSION [LINES]
	printf '%s\nkernel void k(global int *p) { p[0] = %s; }\n' "$3" "$2" >"$work/$1"
}

# --- files that change -------------------------------------------------------------
fresh files
mkdir "$work/first" "$work/second"
kernel plain.cl 1
builds 1 1 run "$work/plain.cl"
builds 1 0 run "$work/plain.cl"
kernel include.cl VALUE '#include "value.h"'
echo '#define VALUE 10' >"$work/second/value.h"
include="-I $work/first -I $work/second"
builds 10 1 run "$work/include.cl" "$include"
builds 10 0 run "$work/include.cl" "$include"
# As many bytes, and as old: only the content tells.
touch -r "$work/second/value.h" "$work/stamp"
echo '#define VALUE 11' >"$work/second/value.h"
touch -r "$work/stamp" "$work/second/value.h"
builds 11 1 run "$work/include.cl" "$include"
builds 11 0 run "$work/include.cl" "$include"
# One that goes before it, where there was none.
echo '#define VALUE 12' >"$work/first/value.h"
builds 12 1 run "$work/include.cl" "$include"
builds 12 0 run "$work/include.cl" "$include"
# As it was before: that is still known.
rm "$work/first/value.h"
builds 11 0 run "$work/include.cl" "$include"
echo '#define VALUE 10' >"$work/second/value.h"
builds 10 0 run "$work/include.cl" "$include"
# One that was only asked for.
kernel has.cl HAS '#if __has_include("value.h")
#define HAS 1
#else
#define HAS 2
#endif'
builds 2 1 run "$work/has.cl" "-I $work/first"
builds 2 0 run "$work/has.cl" "-I $work/first"
echo >"$work/first/value.h"
builds 1 1 run "$work/has.cl" "-I $work/first"
builds 1 0 run "$work/has.cl" "-I $work/first"
# Found from where the process is.
cd "$work/second" || exit 99
builds 10 1 run "$work/include.cl" "-I ."
cd ../first || exit 99
echo '#define VALUE 13' >value.h
builds 13 1 run "$work/include.cl" "-I ."
cd ../second || exit 99
builds 10 0 run "$work/include.cl" "-I ."
cd "$work" || exit 99
# The time is another one each time; an embedded header counts by its content.
kernel time.cl '__TIME__[0] != 0'
builds 1 1 run "$work/time.cl"
builds 1 1 run "$work/time.cl"
builds 5 2 headers '#define H 5'
builds 5 0 headers '#define H 5'
builds 6 2 headers '#define H 6'
# One meaning, two ways to write it; another meaning.
kernel option.cl X
builds 3 1 run "$work/option.cl" '-DX=3 -w'
builds 3 0 run "$work/option.cl" '  -D  X=3   -w'
builds 4 1 run "$work/option.cl" '-DX=4 -w'
builds 4 1 run "$work/option.cl" '-DX=4 -w -cl-opt-disable'

# --- switches --------------------------------------------------------------------------
fresh off
CULVERT_CACHE=off builds 1 1 run "$work/plain.cl"
CUDA_CACHE_DISABLE=1 builds 1 1 run "$work/plain.cl"
[ ! -e "$CULVERT_CACHE_DIR" ] || fail "a cache that is off made its folder"
CUDA_CACHE_DISABLE=0 builds 1 1 run "$work/plain.cl"
[ "$(stat -c %a "$CULVERT_CACHE_DIR")" = 700 ] || fail "the folder is open to others"
unset CULVERT_CACHE_DIR
home=$HOME
HOME=$work/home
export HOME
builds 1 1 run "$work/plain.cl"
[ ! -e "$work/home" ] || fail "a user's home was made"
[ "$(grep -c 'warn: cache: no folder' "$work/log")" = 1 ] || fail "a home that is not there: not one line in the log"
mkdir "$work/home"
builds 1 1 run "$work/plain.cl"
[ -d "$work/home/.cache/culvert" ] || fail "HOME is not used"
XDG_CACHE_HOME=$work/xdg builds 1 1 run "$work/plain.cl"
[ -d "$work/xdg/culvert" ] || fail "XDG_CACHE_HOME is not used"
CUDA_CACHE_PATH=$work/nv XDG_CACHE_HOME=$work/xdg builds 1 1 run "$work/plain.cl"
[ -d "$work/nv/culvert" ] || fail "CUDA_CACHE_PATH is not used"
unset HOME
builds 1 1 run "$work/plain.cl"
[ "$(grep -c 'warn: cache' "$work/log")" = 1 ] || fail "no home: not one line in the log"
HOME=$home
export HOME
# A relative folder would be another one in each place.
CULVERT_CACHE_DIR=relative builds 1 1 run "$work/plain.cl"
[ ! -e relative ] || fail "a relative folder was made"

# --- folders and disks that fail --------------------------------------------------------
for folder in /dev/null /dev/null/x /proc/x; do
	CULVERT_CACHE_DIR=$folder builds 1 1 run "$work/plain.cl"
	[ "$(grep -c 'warn: cache' "$work/log")" = 1 ] || fail "$folder: not one line in the log"
done
# EIO, EACCES, EXDEV, ENOSPC, EROFS, ENOLCK, ESTALE, EDQUOT
if [ -e "$shim" ]; then
	FAULT_DISK_IN=$work/cache.
	export FAULT_DISK_IN
	for call in open read write rename unlink lock stat mkdir all; do
		for error in 5 13 18 28 30 37 116 122; do
			fresh "fault.$call.$error"
			FAULT_DISK=$call FAULT_DISK_ERROR=$error LD_PRELOAD=$shim \
				builds 1 1 run "$work/plain.cl"
			[ "$(grep -c 'warn: cache' "$work/log")" -le 1 ] || fail "$call $error: more than a line"
			# Whatever it left, the next one lives with it.
			"$program" run "$work/plain.cl" >"$work/out" 2>"$work/log" || fail "after $call $error"
			builds 1 0 run "$work/plain.cl"
			FAULT_DISK=$call FAULT_DISK_ERROR=$error LD_PRELOAD=$shim \
				"$program" run "$work/plain.cl" >"$work/out" 2>"$work/log"
			[ "$(cat "$work/out")" = 1 ] || fail "warm, $call $error"
			rm -rf "$CULVERT_CACHE_DIR"
		done
	done
fi
# Every entry damaged: found out, built again, and whole again.
fresh damage
rm "$work/first/value.h"
builds 10 1 run "$work/include.cl" "$include"
for entry in "$CULVERT_CACHE_DIR"/*; do
	printf x | dd of="$entry" bs=1 seek=70 conv=notrunc 2>"$work/dd"
done
builds 10 1 run "$work/include.cl" "$include"
builds 10 0 run "$work/include.cl" "$include"

# --- what stays loaded ---------------------------------------------------------------------
# loads COUNT ARGUMENTS...: how often the driver was given a program's code
loads() {
	count=$1
	shift
	CULVERT_SOFT_COUNT=$work/count "$program" "$@" >"$work/out" 2>"$work/log" || fail "$*: status $?"
	made=$(sed -n 's/^call cuModuleLoadDataEx //p' "$work/count")
	[ "$made" = "$count" ] || fail "$*: $made loads in place of $count"
}
fresh loads
kernel variable.cl '++count' 'global int count = 6;'
loads 1 again 5 "$work/plain.cl"
loads 3 forget 3 "$work/plain.cl"
# A program object's variables are its own, and fresh.
loads 5 again 5 "$work/variable.cl" -cl-std=CL3.0
loads 2 forget 2 "$work/variable.cl" -cl-std=CL3.0
[ "$(cat "$work/out")" = 77 ] || fail "variables: $(cat "$work/out")"
CULVERT_CACHE=off
loads 2 again 2 "$work/plain.cl"
CULVERT_CACHE=on

# --- many at once, and one that is killed ------------------------------------------------
# all COMMANDS' logs in many.*: how often was compiled in all of them
many() {
	cat "$work"/many.* | grep -c 'info: build:'
}
fresh many
kernel many.cl 'SUM' "$(awk 'BEGIN { printf "#define SUM 0"; for (i = 0; i < 2000; i++) printf "+(p[%d]!=p[%d])", i, i }')"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
	"$program" threads 8 "$work/many.cl" >"$work/value.$i" 2>"$work/many.$i" &
done
wait
[ "$(cat "$work"/value.* | sort -u)" = 0 ] || fail "many: wrong values"
[ "$(many)" = 1 ] || fail "many: $(many) builds in place of 1"

# A source that fails does so once in a process, with the same words each time, and what it
# includes is looked at; on disk there is nothing of it.
fresh fails
kernel bad.cl NOTHING '#include "bad.h"'
echo '/* NOTHING */' >"$work/bad.h"
"$program" fails "$work/bad.cl" "$work/bad.h" "-I $work" >"$work/out" 2>"$work/log" || fail "fails: $(cat "$work/out")"
[ "$(grep -c 'info: build:' "$work/log")" = 2 ] || fail "fails: $(grep -c 'info: build:' "$work/log") builds in place of 2"
mkdir "$work/elsewhere" # the process' folder is searched for headers too
(cd "$work/elsewhere" && "$program" run "$work/bad.cl" "-I $work/none") >"$work/out" 2>"$work/log" && fail "a failing build succeeded"
[ "$(grep -c 'info: build:' "$work/log")" = 1 ] || fail "a failure came from the disk"
exit $failed
