#!/bin/sh
# Protects: a release (make dist) contains every file of the source.  Files are compared with those that git knows.
source=$(cd "${srcdir:-.}" && pwd)
command -v git >/dev/null && git -C "$source" rev-parse --show-prefix 2>/dev/null | grep -qx '' ||
	{ echo "skipped: the source is not a git repository"; exit 77; }
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
MAKEFLAGS='' ${MAKE:-make} -s list-dist >"$folder/lines" || exit 99
sed "s|^${srcdir:-.}/||" "$folder/lines" >"$folder/names"
[ "$(wc -l <"$folder/names")" -gt 500 ] || { echo "the names of a release cannot be read"; exit 1; }
# A folder stands for all that it contains.
(cd "$source" && while read -r name; do
	[ ! -d "$name" ] || find "$name" -type f
	echo "$name"
done) <"$folder/names" | sed 's|^\./||' | LC_ALL=C sort -u >"$folder/released"
git -C "$source" ls-files | LC_ALL=C sort | LC_ALL=C comm -23 - "$folder/released" >"$folder/missing"
[ ! -s "$folder/missing" ] || { echo "make dist leaves these out:"; cat "$folder/missing"; exit 1; }
