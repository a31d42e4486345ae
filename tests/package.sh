#!/bin/sh
# Protects: the packages.  The archive runs from any folder, and leaves nothing when it is removed.  The Debian package is the
# project's, and lintian finds no error in it.
command -v "${MAKE:-make}" >/dev/null || { echo "skipped: no make"; exit 77; }
folder=$(mktemp -d -p "$PWD") || exit 99
# An archive that was made before is put back.
mkdir "$folder/kept" "$folder/bin" && mv culvert-*.tar.xz "$folder/kept" 2>/dev/null
trap 'mv "$folder"/kept/* . 2>/dev/null; rm -rf "$folder"' EXIT
fail() {
	echo "$@"
	exit 1
}

archive() {
	# Compressing takes most of the time, at any level.  What is called for it here compresses nothing.
	printf '#!/bin/sh\n: >"%s"\nexec cat\n' "$folder/compressed" >"$folder/bin/xz"
	chmod +x "$folder/bin/xz"
	tar=$(PATH=$folder/bin:$PATH MAKEFLAGS=r ${MAKE:-make} -s tar 2>"$folder/errors" | tail -n 1)
	[ -f "$tar" ] || { cat "$folder/errors"; fail "make tar: $tar"; }
	[ -e "$folder/compressed" ] || fail "the archive is not compressed by xz"
	mv "$tar" "$folder/culvert.tar" || exit 99
	mkdir "$folder/it's here" && tar -C "$folder/it's here" -xf "$folder/culvert.tar" || fail "the archive cannot be unpacked"
	archive=$(echo "$folder/it's here"/culvert-*)
	find "$archive" | sort >"$folder/before"
	"$archive/install" >"$folder/said" || exit 1
	[ "$(cat "$archive/vendors/culvert.icd")" = "$archive/lib/libculvert.so" ] || fail "culvert.icd names another library"
	# The command that it prints is what a user pastes.
	sed -n 's/^ *\(.* doctor\)$/\1/p' "$folder/said" >"$folder/paste"
	CULVERT_CUDA=soft sh "$folder/paste" >"$folder/out" 2>&1
	grep -q "device 0 compiled and ran a kernel" "$folder/out" && grep -qF "names $archive/lib/libculvert.so" "$folder/out" ||
		{ cat "$folder/said" "$folder/out"; fail "the archive does not run where it is"; }
	if command -v pkg-config >/dev/null; then
		include=$(PKG_CONFIG_PATH=$archive/share/pkgconfig pkg-config --variable=includedir culvert | sed 's/\\//g')
		[ -f "$include/CL/cl_culvert.h" ] || fail "pkg-config does not find the header of the archive"
	fi
	"$archive/install" --remove
	find "$archive" | sort | diff "$folder/before" - || fail "install --remove left something"
}
# Without xz there is no archive, and a sanitizer's runtime is not part of it.
if command -v xz >/dev/null && [ -z "$SANITIZER_RUNTIME" ]; then
	archive
fi
command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || { echo "skipped: no dpkg-dev"; exit 77; }
unset DEBFULLNAME DEBEMAIL
DEB_LEVEL=0
export DEB_LEVEL
deb=$(MAKEFLAGS=r ${MAKE:-make} -s deb 2>&1 | tail -n 1)
[ -f "$deb" ] || fail "make deb: $deb"
dpkg-deb -f "$deb" Depends | grep -q libc6 || fail "the package depends on nothing"
maintainer=$(dpkg-deb -f "$deb" Maintainer)
echo "$maintainer"
[ "${maintainer%% <*}" = "The Culvert authors" ] || fail "the maintainer is not the project"
command -v lintian >/dev/null || { echo "no lintian: the package was not examined by it"; exit 0; }
lintian --allow-root --fail-on error "$deb"
