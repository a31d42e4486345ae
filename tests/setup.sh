#!/bin/sh
# Protects: scripts/try says what is wrong where it cannot work, before it downloads or makes anything.
source=$(cd "${srcdir:-.}" && pwd)
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
failed=0
# refused WHAT TEXT COMMAND...: it fails and says so, and no build folder is made.
refused() {
	what=$1 text=$2
	shift 2
	"$@" >"$folder/out" 2>&1 </dev/null && { echo "$what: it succeeds"; failed=1; }
	grep -qF "$text" "$folder/out" || { echo "$what: '$text' is not said:"; cat "$folder/out"; failed=1; }
	[ ! -e "$folder/build" ] && [ ! -e "$folder/two words/build" ] || { echo "$what: a build folder is made"; failed=1; }
}
mkdir -p "$folder/two words" "$folder/bin"
cp -r "$source/scripts" "$folder/two words"
refused "a folder with a blank" "must not contain blanks" "$folder/two words/scripts/try"
refused "a build folder with a blank" "must not contain blanks" env "CULVERT_BUILD=$folder/two words/build" "$source/scripts/try"
# A system without apt has the other commands.
for command in sh env dirname nproc mkdir date cat; do
	ln -s "$(command -v $command)" "$folder/bin"
done
refused "a system without apt" "which this system does not have" env "PATH=$folder/bin" "CULVERT_BUILD=$folder/build" "$source/scripts/try"
exit $failed
