#!/bin/sh
# Protects: a user whose folder of built programs others got at, or whose disk is full or read-only.  Whatever lies there,
# the program is built and computes, no file of anybody changes but the cache's own, and the log has one line at most.
[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && command -v unshare >/dev/null ||
	{ echo 'skipped: needs root, setpriv and unshare'; exit 77; }
[ "${CULVERT_CUDA:-soft}" = soft ] && [ -x tests/stress/cache ] || exit 77
[ -z "$SANITIZER_RUNTIME" ] || { echo 'skipped: sanitizers write where they like'; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
# Others may not look into the build folder.
mkdir "$work/vendors" && cp tests/stress/cache "$work/program" &&
	cp libculvert.so libculvert-softcuda.so culvert-compile "$work" || exit 99
[ ! -e libculvert-frontend.so ] || cp libculvert-frontend.so "$work"
echo "$work/libculvert.so" >"$work/vendors/culvert.icd"
echo 'kernel void k(global int *p) { p[0] = 7; }' >"$work/k.cl"
chmod -R a+rX "$work"
OCL_ICD_VENDORS=$work/vendors CULVERT_CACHE=on CULVERT_DEBUG=info
export OCL_ICD_VENDORS CULVERT_CACHE CULVERT_DEBUG
unset CULVERT_CACHE_DIR CUDA_CACHE_DISABLE CUDA_CACHE_PATH XDG_CACHE_HOME
user=65533 other=65534 failed=0
fail() {
	echo "FAIL: $*"
	sed 's/^/    /' "$work/log"
	failed=1
}
as() { # USER COMMAND...
	who=$1
	shift
	setpriv --reuid "$who" --regid "$who" --clear-groups "$@"
}
# builds WHAT MOST-BUILDS ENVIRONMENT...: the user's program computes.
builds() {
	what=$1 most=$2
	shift 2
	got=$(as $user env ${home:--u HOME} "$@" "$work/program" run "$work/k.cl" 2>"$work/log") || fail "$what: status $?"
	[ "$got" = 7 ] || fail "$what: '$got' in place of 7"
	[ "$(grep -c 'info: build:' "$work/log")" -le "$most" ] || fail "$what: it was not found again"
	[ "$(grep -c 'warn: cache' "$work/log")" -le 1 ] || fail "$what: more than a line"
}
fresh() {
	rm -rf "$work/home"
	mkdir -p "$work/home/kept" && chmod 700 "$work/home" "$work/home/kept" && chown -R $user:$user "$work/home" || exit 99
	cache=$work/home/kept home=HOME=$work/home
}
secret() { # a file of the other user's, in $work/secret
	rm -f "$work/secret"
	echo precious >"$work/secret"
	chmod 600 "$work/secret"
	chown $other:$other "$work/secret"
}
unharmed() {
	[ "$(cat "$work/secret")" = precious ] && [ "$(stat -c %u:%a "$work/secret")" = $other:600 ] ||
		fail "$1: the other user's file is not what it was"
}

# --- names that lead to files of another user's ------------------------------------------
fresh
builds 'a folder of his own' 1 CULVERT_CACHE_DIR="$cache"
builds 'a folder of his own, again' 0 CULVERT_CACHE_DIR="$cache"
names=$(ls "$cache")
[ -n "$names" ] || fail "nothing was kept"
for kind in hard symbolic; do
	flag=; [ $kind = hard ] || flag=-s
	fresh
	secret
	for name in $names tally; do
		ln $flag -f "$work/secret" "$cache/$name" && ln $flag -f "$work/secret" "$cache/$name.lock"
	done
	builds "$kind links of another user's" 1 CULVERT_CACHE_DIR="$cache"
	unharmed "$kind links"
	builds "$kind links, and then" 0 CULVERT_CACHE_DIR="$cache"
	unharmed "$kind links, and then"
done
# His own entries, given to another user and back in the folder: code that the other could have written.
fresh
builds 'before' 1 CULVERT_CACHE_DIR="$cache"
chown $other "$cache"/*
builds "entries that belong to another user" 1 CULVERT_CACHE_DIR="$cache"
builds "entries that belong to another user, and then" 0 CULVERT_CACHE_DIR="$cache"

# --- folders that others can write to, or own -------------------------------------------------
for mode in 777 1777 770 702 3775; do
	fresh
	chmod $mode "$cache"
	builds "a folder of mode $mode" 1 CULVERT_CACHE_DIR="$cache"
	[ -z "$(ls -A "$cache")" ] || fail "something was put into a folder of mode $mode"
done
fresh
chown $other "$cache" && chmod 755 "$work/home"
builds "another user's folder" 1 CULVERT_CACHE_DIR="$cache"
# In a sticky folder for everybody, where somebody else was first.
for kind in folder file link fifo socket-like; do
	fresh
	secret
	rm -rf "$work/everybody" "$work/trap"
	mkdir -m 1777 "$work/everybody" && mkdir -m 777 "$work/trap" || exit 99
	case $kind in
	folder) as $other mkdir -m 777 "$work/everybody/cache" ;;
	file) as $other touch "$work/everybody/cache" ;;
	link) as $other ln -s "$work/trap" "$work/everybody/cache" ;;
	fifo) as $other mkfifo -m 666 "$work/everybody/cache" ;;
	socket-like) as $other ln -s "$work/secret" "$work/everybody/cache" ;;
	esac || exit 99
	builds "somebody's $kind in a sticky folder" 1 CULVERT_CACHE_DIR="$work/everybody/cache"
	[ -z "$(ls -A "$work/trap")" ] || fail "somebody's $kind: the cache went to where it leads"
	[ $kind != folder ] || [ -z "$(ls -A "$work/everybody/cache")" ] || fail "somebody's folder was used"
	unharmed "somebody's $kind"
	rm -rf "$work/everybody/cache"
	builds "nobody was first" 1 CULVERT_CACHE_DIR="$work/everybody/cache"
	builds "nobody was first, and then" 0 CULVERT_CACHE_DIR="$work/everybody/cache"
done

# --- homes -------------------------------------------------------------------------------------
fresh
chmod 500 "$work/home"
builds 'a home that cannot be written to' 1
fresh
chmod 000 "$work/home"
builds 'a home that cannot be entered' 1
fresh
builds 'a home that is a file' 1 HOME="$work/k.cl"
builds 'a home that is not there' 1 HOME="$work/nowhere"
builds 'an empty home' 1 HOME=
home=
builds 'no home' 1
[ ! -e "$work/nowhere" ] || fail "a home was made"

# --- disks --------------------------------------------------------------------------------------
# In a namespace of mounts of its own, so that nothing is left mounted.
unshare -m true 2>/dev/null || { echo 'file systems: SKIP: may not be mounted here'; exit $failed; }
on_disk() { # OPTIONS FILL: a build on a small file system, filled before; prints what the program printed and what is left
	fresh
	unshare -m sh -c '
		mount -t tmpfs -o "$3,uid='$user',mode=700" none "$1" || exit 99
		if [ -n "$4" ]; then
			dd if=/dev/zero of="$1/fill" bs=512 2>/dev/null
			[ "$4" = all ] || rm "$1/fill"
		fi
		[ "$5" = rw ] || mount -o remount,ro "$1" || exit 99
		setpriv --reuid '$user' --regid '$user' --clear-groups env CULVERT_CACHE_DIR="$1" HOME=/ "$2/program" run "$2/k.cl"
		echo "status $?"
		rm -f "$1/fill"
		echo "left $(ls -A "$1" | grep -c new-)"
	' sh "$cache" "$work" "$1" "$2" "$3" >"$work/out" 2>"$work/log"
	[ "$(tr '\n' ' ' <"$work/out")" = '7status 0 left 0 ' ] || [ "$(tr '\n' ' ' <"$work/out")" = '7 status 0 left 0 ' ] ||
		fail "a disk with $1 $2 $3: $(tr '\n' ' ' <"$work/out")"
	[ "$(grep -c 'warn: cache' "$work/log")" -le 1 ] || fail "a disk with $1 $2 $3: more than a line"
}
on_disk size=1m '' rw
on_disk size=16k all rw
grep -q 'warn: cache.*No space left' "$work/log" || fail 'nobody was told of the full disk'
on_disk size=8k '' rw
on_disk nr_inodes=2 '' rw
on_disk size=1m '' ro
exit $failed
