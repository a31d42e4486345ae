#!/bin/sh
# Protects: programs that run set-uid from who starts them.  They have no cache, whatever the environment says, for who
# owns the folder could plant code there; no option has another value than its default; and no library is loaded that a
# variable names.
[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || { echo 'skipped: needs root and setpriv'; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cp tests/unit/cache_place "$work/cache_place" && mkdir "$work/home" || exit 99
unset CUDA_CACHE_DISABLE CUDA_CACHE_PATH XDG_CACHE_HOME
options=$(sed -n 's/^OPTION(\([A-Z_]*\),.*/CULVERT_\1/p' "${srcdir:-.}/base/config.def")
for name in $options; do
	unset "$name"
done
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
# Every option has its default.
set --
for name in $options; do
	set -- "$@" "$name=7"
done
[ $# -gt 15 ] || { echo "FAIL: only $# options are known"; exit 1; }
found=$(as_user "$@" CULVERT_CACHE=on)
[ "$found" = 'secure off' ] || { echo "FAIL: options that the environment changed: $found"; exit 1; }
chown 65533 "$work/cache_place" && chmod 755 "$work/cache_place" || exit 99
case $(as_user "$@") in
	*" COMPILER_TIMEOUT=7"*) ;;
	*) echo "FAIL: options of an ordinary program: $(as_user "$@")"; exit 1 ;;
esac

# What loads libraries: a profiler's, the CUDA driver.  First as an ordinary program, which loads them.
[ -e tests/api/libranges-listener.so ] && [ -e libculvert.so ] || { echo 'skipped: no driver'; exit 77; }
mkdir -m 777 "$work/marks" && cp tests/api/libranges-listener.so "$work/evil.so" && cp tests/unit/set_uid_host "$work/host" &&
	cp libculvert.so libculvert-softcuda.so "$work" && chmod 755 "$work"/*.so "$work/host" || exit 99
host() {
	rm -f "$work/marks/loaded"
	setpriv --reuid 65533 --regid 65533 --clear-groups env RANGES_FILE="$work/marks/loaded" "$@" \
		"$work/host" "$work/libculvert.so" 2>"$work/words"
}
found=$(host CULVERT_CUDA=soft "NVTX_INJECTION64_PATH=$work/evil.so")
[ "$found" = 'a device' ] || { echo "FAIL: an ordinary host: $found"; exit 1; }
# Without NVTX's headers nobody looks for a profiler.
profiled=$([ -e "$work/marks/loaded" ] && echo yes)
chown 65534 "$work/host" && chmod 4755 "$work/host" || exit 99
found=$(host CULVERT_CUDA=soft "NVTX_INJECTION64_PATH=$work/evil.so")
case $found in
	'secure '*) ;;
	*) echo "FAIL: a set-uid host: $found"; exit 1 ;;
esac
[ ! -e "$work/marks/loaded" ] || { echo 'FAIL: a set-uid program loads the library that NVTX_INJECTION64_PATH names'; exit 1; }
echo "a profiler's library: ${profiled:-no} where it may be loaded, no where not"
