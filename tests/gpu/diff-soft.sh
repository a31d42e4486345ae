#!/bin/sh
# The programs of the differential test: softcuda takes all and gives the same twice;
# a compiler, where there is one, takes some; and a changed result is found.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
diff=tests/gpu/diff
for side in a b; do
	$diff --driver ./libculvert-softcuda.so --save "$work/$side" --count 200 || exit 1
done
$diff --compare "$work/a" "$work/b" || exit 1

# The last result of the last lane: one of two bytes is not what was there.
$diff --driver ./libculvert-softcuda.so --save "$work/one" --first 1 --count 1 || exit 1
size=$(wc -c <"$work/one")
found=0
for byte in '\125' '\252'; do
	cp "$work/one" "$work/other"
	# shellcheck disable=SC2059 # the byte is written as a format
	printf "$byte" | dd of="$work/other" bs=1 seek=$((size - 8)) conv=notrunc 2>"$work/log" ||
		exit 1
	$diff --compare "$work/one" "$work/other" >"$work/out" || found=1
done
if [ $found -eq 0 ]; then
	echo "a changed result was not found"
	exit 1
fi
[ -x "${PTXAS:-}" ] || exit 0
for program in 0 1 2 3 8 9; do
	for sm in 75 90; do
		$diff --print $program --sm $sm >"$work/program.ptx" || exit 1
		"$PTXAS" -O0 -arch=sm_$sm "$work/program.ptx" -o "$work/program.cubin" || exit 1
	done
done
