#!/bin/sh
# Protects: the Debian package: it is the project's, and lintian finds no error in it.
command -v dpkg-deb >/dev/null && command -v "${MAKE:-make}" >/dev/null || { echo "skipped: no dpkg-deb"; exit 77; }
unset DEBFULLNAME DEBEMAIL
deb=$(MAKEFLAGS='' ${MAKE:-make} -s deb 2>&1 | tail -n 1)
[ -f "$deb" ] || { echo "make deb: $deb"; exit 1; }
maintainer=$(dpkg-deb -f "$deb" Maintainer)
echo "$maintainer"
[ "${maintainer%% <*}" = "The Culvert authors" ] || { echo "the maintainer is not the project"; exit 1; }
command -v lintian >/dev/null || { echo "no lintian: not looked at by it"; exit 0; }
lintian --allow-root --fail-on error "$deb"
