#!/bin/sh
# Protects: an installation needs nothing of the build folder, and leaves nothing behind.
command -v "${MAKE:-make}" >/dev/null && [ -n "$CULVERT_LIBNVVM" ] && [ -f "$CULVERT_LIBNVVM" ] || exit 77
folder=$(mktemp -d -p "$PWD") || exit 99
trap 'rm -rf "$folder"' EXIT
failed=0
fail() {
	echo "$@"
	failed=1
}
# As if scripts/setup had fetched it into the build folder.
cp "$CULVERT_LIBNVVM" "$folder/libnvvm.so.4"
root=$folder/root
# r: no built-in rules, which take a third of the time in which make finds nothing to do.
install() { # target, words for make
	target=$1
	shift
	MAKEFLAGS=r ${MAKE:-make} -s "$target" "NVVM_LIBRARY=$folder/libnvvm.so.4" "$@" >"$folder/out" 2>&1 ||
		{ cat "$folder/out"; fail "make $target"; }
}
# A folder whose name has blanks.
own="$root/two words"
install install "prefix=$own" "sysconfdir=$own/etc"
[ "$(cat "$own/etc/OpenCL/vendors/culvert.icd")" = "$own/lib/libculvert.so" ] ||
	fail "culvert.icd does not name the library that was installed"
parts=$own/lib/culvert
# What the installed pages link to is installed.
for page in "$own"/share/doc/culvert/README.md "$own"/share/doc/culvert/docs/*.md; do
	for link in $(grep -o '](\([^)#:]*\))' "$page" | sed 's/^](//; s/)$//'); do
		[ -e "${page%/*}/$link" ] || fail "${page#"$own/"}: $link is not installed"
	done
done
[ -f "$parts/libnvvm.so.4" ] || fail "libnvvm was left in the build folder"
unset CULVERT_LIBNVVM CULVERT_CACHE_DIR
# The folder that libnvvm came from is gone, as far as this process can see.
kept=$(sed -n 's/^NVVM_LIBRARY = //p' Makefile)
hidden=$(dirname "$(readlink -f "$kept")")
if unshare -rm mount -t tmpfs none "$hidden" 2>/dev/null; then
	CULVERT_CUDA=soft CULVERT_CACHE=off OCL_ICD_VENDORS=$own/etc/OpenCL/vendors \
		unshare -rm sh -c 'mount -t tmpfs none "$1" && "$2" doctor' sh "$hidden" "$own/bin/culvert" >"$folder/out" 2>&1
	grep -q "libnvvm .* at $parts/libnvvm.so.4" "$folder/out" || { cat "$folder/out"; fail "libnvvm was not found beside the parts"; }
	grep -q 'device 0 compiled and ran a kernel' "$folder/out" || { cat "$folder/out"; fail "an installation that cannot build"; }
fi
if command -v pkg-config >/dev/null; then
	flags=$(PKG_CONFIG_PATH="$own/share/pkgconfig" pkg-config --cflags culvert)
	[ "$flags" = "-I$root/two\\ words/include" ] || [ "$flags" = "-I$root/two\\ words/include " ] ||
		fail "a folder with a blank: pkg-config says $flags"
fi
install uninstall "prefix=$own" "sysconfdir=$own/etc"
[ ! -e "$own" ] || { find "$root"; fail "make uninstall left something"; }
# Folders of the system stay, with what others have there.
mkdir -p "$root/usr/local/lib" "$root/etc/OpenCL/vendors"
echo other >"$root/etc/OpenCL/vendors/other.icd"
find "$root/usr" "$root/etc" | sort >"$folder/before"
install install "DESTDIR=$root" prefix=/usr/local sysconfdir=/etc
install uninstall "DESTDIR=$root" prefix=/usr/local sysconfdir=/etc
find "$root/usr" "$root/etc" | sort | diff "$folder/before" - | grep '^>' | grep -vE '/usr/local/(bin|include|share|share/(doc|man|man/man1|pkgconfig))$' &&
	fail "make uninstall left these"
[ -f "$root/etc/OpenCL/vendors/other.icd" ] || fail "make uninstall took what is not ours"
# Where there is none, the installation says what to do.
MAKEFLAGS=r ${MAKE:-make} -s install NVVM_LIBRARY= "DESTDIR=$root" 2>/dev/null | grep -q CULVERT_LIBNVVM ||
	fail "nothing is said of a libnvvm that is not there"
exit $failed
