#!/bin/sh
# Protects: programs on machines whose memory is not that of a card under Linux: one memory for both (Jetson), two that
# either side reaches (Grace-Hopper), and WSL, where devices share nothing.
[ "$CULVERT_CUDA" = soft ] || exit 77
out=$(mktemp) || exit 99
trap 'rm -f "$out"' EXIT
status=0
for CULVERT_SOFT_MACHINE in integrated coherent wsl; do
	export CULVERT_SOFT_MACHINE
	for test in device devices buffers maps image_maps transfers svm usm command_buffer_memory pinned_buffers exported_memory exported_dma_buf; do
		tests/api/$test >"$out" 2>&1
		code=$?
		[ $code = 0 ] || [ $code = 77 ] || { echo "$CULVERT_SOFT_MACHINE: $test"; cat "$out"; status=1; }
	done
done
CULVERT_SOFT_MACHINE=tablet CULVERT_DEBUG=err ./culvert devices >"$out" 2>&1 && { echo "a machine that is none"; status=1; }
grep -q 'CULVERT_SOFT_MACHINE=tablet is not one of' "$out" || { cat "$out"; status=1; }
exit $status
