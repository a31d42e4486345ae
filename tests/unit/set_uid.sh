#!/bin/sh
# Protects: others' users from our cache.  A program that runs set-uid has none, whatever the
# environment of who started it says: who owns the folder could plant code for it.
[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || { echo 'skipped: needs root and setpriv'; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cp tests/unit/cache_place "$work/cache_place" && mkdir "$work/home" || exit 99
unset CULVERT_CACHE CULVERT_CACHE_DIR CUDA_CACHE_DISABLE CUDA_CACHE_PATH XDG_CACHE_HOME
HOME=$work/home
export HOME

# as_user ENVIRONMENT...: what it prints when an ordinary user starts it
as_user() {
	setpriv --reuid 65533 --regid 65533 --clear-groups env "$@" "$work/cache_place"
}
place=$work/home/.cache/culvert
[ "$(as_user)" = "$place" ] || { echo "FAIL: an ordinary program: $(as_user)"; exit 1; }
chown 65534 "$work/cache_place" && chmod 4755 "$work/cache_place" || exit 99
case $(as_user) in
	secure*) ;;
	*) echo 'skipped: set-uid does nothing here'; exit 77 ;;
esac
for set in A=B "CULVERT_CACHE_DIR=$work/home" CULVERT_CACHE=on "CUDA_CACHE_PATH=$work/home"; do
	found=$(as_user "$set")
	[ "$found" = 'secure off' ] || { echo "FAIL: $set: $found"; exit 1; }
done
