#!/bin/sh
# The corpus of textures and surfaces: softcuda takes all of it and gives the same on
# one thread and on several; a changed result is found; a compiler takes the kernels.
set -u
# The PTX, of version 8.1, is that of CUDA 12.1.
unset CULVERT_SOFT_DRIVER
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
diff=tests/gpu/texture-diff
for threads in 1 3; do
	CULVERT_SOFT_THREADS=$threads $diff --driver ./libculvert-softcuda.so \
		--save "$work/$threads" 2>"$work/log" || { cat "$work/log"; exit 1; }
done
if grep -q 'not prepared' "$work/log"; then
	cat "$work/log"
	exit 1
fi
$diff --compare "$work/1" "$work/3" || exit 1

# Halfway through, in the values or coordinates of some case.
half=$(($(wc -c <"$work/1") / 2))
found=0
for byte in '\125' '\252'; do
	for at in 0 2048 4096 6144; do
		# shellcheck disable=SC2059 # the byte is written as a format
		printf "$byte" | dd of="$work/3" bs=1 seek=$((half + at)) conv=notrunc \
			2>"$work/log" || exit 1
	done
	$diff --compare "$work/1" "$work/3" >"$work/out" || found=1
done
if [ $found -eq 0 ]; then
	echo "a changed result was not found"
	exit 1
fi
[ -x "${PTXAS:-}" ] || exit 0
for sm in 75 80 90; do
	$diff --print | sed "s/sm_75/sm_$sm/" >"$work/kernels.ptx"
	"$PTXAS" -arch=sm_$sm "$work/kernels.ptx" -o "$work/cubin" || exit 1
done
