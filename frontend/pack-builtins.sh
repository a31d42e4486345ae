#!/bin/sh
# Packs the builtin library for embedding (frontend/embedded.h says what is where).
# usage: pack-builtins.sh LLVM-NM BLOB INDEX LIBDEVICE BITCODE...
set -eu
LC_ALL=C
export LC_ALL
nm=$1 blob=$2 index=$3 libdevice=$4
shift 4
trap 'rm -f "$blob.new" "$index.new"' EXIT

: >"$blob.new"
: >"$index.new"
offset=0
for file in "$@"; do
	size=$(($(wc -c <"$file")))
	"$nm" --defined-only --extern-only --format=posix "$file" |
		awk -v place="$offset $size" '{ print $1, place }' >>"$index.new"
	cat "$file" >>"$blob.new"
	pad=$(((16 - size % 16) % 16))
	head -c "$pad" /dev/zero >>"$blob.new"
	offset=$((offset + size + pad))
done
"$nm" --defined-only --extern-only --format=posix "$libdevice" |
	awk '{ print $1, "-" }' >>"$index.new"

twice=$(awk '{ print $1 }' "$index.new" | sort | uniq -d | head -n 5)
if [ -n "$twice" ]; then
	echo "pack-builtins: defined in more than one file:" $twice >&2
	exit 1
fi

id=$(cat "$blob.new" "$libdevice" | cksum | tr ' ' '-')
{
	echo "builtins $id"
	sort -k1,1 "$index.new"
} >"$index"
mv "$blob.new" "$blob"
