#!/bin/sh
# Protects: programs on machines that lack something: system calls that a sandbox forbids, a home, a folder for temporary
# files, room on the stack or among open files, /proc, /sys, /dev/shm.  Each time a kernel is compiled and run, and the
# doctor finds no problem.
[ "$CULVERT_CUDA" = soft ] || { echo "skipped: for the software device"; exit 77; }
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
failed=0
# The environment lies on the stack, and make may put the names of all tests into it.
unset MAKEFLAGS MFLAGS
# CULVERT_CACHE=on: also what stores programs has to do without.
unset CULVERT_CACHE_DIR XDG_CACHE_HOME
CULVERT_CACHE=on HOME=$folder/home
export CULVERT_CACHE HOME
mkdir "$folder/home"

# good WHAT COMMAND...: the command runs the doctor, which finds no problem.
good() {
	what=$1
	shift
	"$@" ./culvert doctor >"$folder/out" 2>&1 </dev/null
	code=$?
	[ $code = 0 ] && grep -q 'compiled and ran a kernel correctly' "$folder/out" && return
	echo "$what: exit code $code"
	grep -v '^\[  ok  \]' "$folder/out"
	failed=1
}
good "this machine" env

# --- system calls: EPERM as of a sandbox, ENOSYS as of an older kernel
tests/api/sandboxes uname 1 /bin/true
case $? in
0)
	for call in $(tests/api/sandboxes); do
		# What glibc itself cannot do without.
		[ "$call" = clone3 ] || good "$call is forbidden" tests/api/sandboxes "$call" 1
		good "$call is missing" tests/api/sandboxes "$call" 38
	done
	tests/api/sandboxes clone3 1 ./culvert doctor >"$folder/out" 2>&1 && { echo "threads without clone3"; failed=1; }
	for text in '[ FAIL ] threads    threads cannot be started: Operation not permitted' 'Docker: 20.10.10'; do
		grep -qF -e "$text" "$folder/out" || { echo "no threads: '$text' is not said:"; cat "$folder/out"; failed=1; }
	done
	;;
77) ;;
*) echo "sandboxes: failed" && failed=1 ;;
esac

# --- the environment and limits
part=$(printf '%0250d' 0)
long=/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part
good "no HOME" env -u HOME
good "an empty HOME" env HOME=
good "a relative HOME" env HOME=relative/home
good "a HOME that is a file" env HOME=/etc/passwd
good "a long HOME" env HOME="$long"
good "a long HOME, nearly too long" env HOME="$(echo "$long" | cut -c 1-4000)"
good "no TMPDIR" env TMPDIR=/nonexistent
good "a long TMPDIR" env TMPDIR="$long"
good "no PATH" env -u PATH
good "17 devices" env CULVERT_SOFT_DEVICES=17
good "files that nobody may read" sh -c 'umask 0777; exec "$@"' sh
good "24 open files" sh -c 'ulimit -n 24; exec "$@"' sh
good "a small stack" sh -c 'ulimit -s 64; exec "$@"' sh
good "a stack without limit" sh -c 'ulimit -s unlimited 2>/dev/null; exec "$@"' sh
good "no locked memory" sh -c 'ulimit -l 0; exec "$@"' sh
good "one processor" taskset -c "$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')"

# --- the file system, in a namespace
# without TEXT COMMAND: the command changes the file system first
without() {
	good "$1" unshare -rm sh -c "$2"' && exec "$@"' sh
}
if unshare -rm mount -t tmpfs none /sys 2>/dev/null; then
	without "no /proc" 'mount -t tmpfs none /proc'
	without "no /sys" 'mount -t tmpfs none /sys'
	without "no /dev/shm" 'mount -t tmpfs -o ro none /dev/shm'
	without "a full home" 'mount -t tmpfs -o size=4k none "$HOME" && head -c 4096 /dev/zero >"$HOME/zero"'
	without "a home without programs" 'mount -t tmpfs -o noexec none "$HOME"'
fi
exit $failed
