#!/bin/sh
# Protects: the cache, from what another build of Culvert has put there.  Files of an installation get
# another build id, and nothing else, before a program starts and while it runs: what one build made
# must never be found by the other.  And files of two builds never work together, which their version
# does not tell.
[ "$CULVERT_CUDA" = soft ] || exit 77
test=$PWD/tests/api/replaced
command -v objcopy >/dev/null || { echo 'skipped: no objcopy'; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
unset CUDA_CACHE_DISABLE CULVERT_CACHE_SIZE
CULVERT_CACHE=on OCL_ICD_VENDORS=$work/vendors
export CULVERT_CACHE CULVERT_CACHE_DIR OCL_ICD_VENDORS
libraries=$(ls libculvert*.so)
status=0

# installation: as it was built, with an empty cache.
installation() {
	rm -rf "$work/at" "$work/new" "$work/cache"
	mkdir -p "$work/at" "$work/new" "$work/cache" "$work/vendors"
	cp $libraries culvert-compile "$work/at"
	echo "$work/at/libculvert.so" >"$work/vendors/culvert.icd"
	CULVERT_CACHE_DIR=$work/cache
}
# other FILE: one of another build in new/; false where there is only one file.
other() {
	[ -e "$work/at/$1" ] || return 1
	printf '\004\0\0\0\024\0\0\0\003\0\0\0GNU\0another build of it' >"$work/note"
	objcopy --update-section .note.gnu.build-id="$work/note" "$work/at/$1" "$work/new/$1" || exit 99
	cmp -s "$work/at/$1" "$work/new/$1" && { echo "FAIL: $1 is the same"; exit 1; }
	return 0
}
kept() {
	./culvert cache stat | sed -n 's/^entries *//p'
}
# entries NUMBER WHAT: how many things have been kept.
entries() {
	found=$(kept)
	[ "$found" = "$1" ] || { echo "FAIL: $2: '$found' entries, not $1"; status=1; }
}
run() {
	"$test" "$@" >"$work/out" 2>&1 || { cat "$work/out"; status=1; }
}
# refused WHAT: no program can be built, CL_COMPILER_NOT_AVAILABLE.
refused() {
	! "$test" early true >"$work/out" 2>&1 || { echo "FAIL: $1 of another build was taken"; status=1; }
	grep -q -- ': -3, not 0' "$work/out" || { cat "$work/out"; status=1; }
}

for file in libculvert.so libculvert-frontend.so; do
	installation
	other $file || continue
	run early true
	run early true
	entries 1 "$file: the same build"
	mv "$work/new/$file" "$work/at/$file"
	run early true
	entries 2 "$file: another build"

	# What is loaded is the old one, and what will be loaded the new one.
	installation
	other $file
	run early "mv $work/new/$file $work/at/$file"
	entries 1 "$file: replaced before the first build"
	run early true
	[ $file = libculvert.so ] && expected=2 || expected=1
	entries $expected "$file: replaced before the first build, and built by the new one"

	# The key says the old one of both.
	installation
	other $file
	run late "mv $work/new/$file $work/at/$file"
	[ $file = libculvert.so ] && expected=2 || expected=1
	entries $expected "$file: replaced between two builds"
	run early true
	entries $((expected + 1)) "$file: replaced between two builds, and built by the new one"
done

name=$(sed -n 's/^#define CULVERT_BUILD "\(.*\)"$/\1/p' build_name.h)
# strange FILE: an installation with this file of another build.
strange() {
	installation
	LC_ALL=C sed "s/$name/$(echo "$name" | tr 0-9a-f 1-9a-f0)/g" "$1" >"$work/at/$1"
	cmp -s "$1" "$work/at/$1" && { echo "FAIL: $1 does not say its build"; status=1; }
}
export CULVERT_COMPILER=process
for file in culvert-compile libculvert-frontend.so; do
	[ -e $file ] || continue
	strange $file
	refused $file
done
# Without the process the library compiles itself.
export CULVERT_COMPILER=auto CULVERT_DEBUG=warn
strange culvert-compile
run early true
grep -q "culvert-compile is not from the same build as this library" "$work/out" || { cat "$work/out"; status=1; }
exit $status
