#!/bin/sh
# Protects: programs find a driver that the dynamic linker does not find: NixOS keeps it below /run, WSL below
# /usr/lib/wsl.  In mount namespaces of their own, the software driver plays that driver.
unshare -rm true 2>/dev/null || exit 77
out=$(mktemp) || exit 99
trap 'rm -f "$out"' EXIT
build=$PWD
failed=0
# A machine with a driver has one that is found first.
CULVERT_CUDA=driver ./culvert devices >"$out" 2>&1 && exit 77
# finds FOLDER UNDER: the library is put in FOLDER, below UNDER, which is the only thing that is hidden
finds() {
	CULVERT_CUDA=driver unshare -rm sh -c '
		mount -t tmpfs none "$2" && mkdir -p "$1" && ln -s "$3/libculvert-softcuda.so" "$1/libcuda.so.1" || exit 77
		./culvert devices' sh "$1" "$2" "$build" >"$out" 2>&1
	code=$?
	[ $code = 77 ] || [ $code = 0 ] && return
	echo "$1: exit code $code"
	cat "$out"
	failed=1
}
finds /run/opengl-driver/lib /run
[ ! -d /usr/lib/wsl ] || finds /usr/lib/wsl/lib /usr/lib/wsl
exit $failed
