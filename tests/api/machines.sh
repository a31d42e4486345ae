#!/bin/sh
# Protects: programs on machines whose memory is not that of a card under Linux: one memory for both (Jetson), also with
# one table of pages (DGX Spark), two that either side reaches (Grace-Hopper), and WSL, where devices share nothing.
[ "$CULVERT_CUDA" = soft ] || exit 77
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
out=$folder/out status=0
# The code is the same for all machines, and is compiled for the first.
export CULVERT_CACHE=on CULVERT_CACHE_DIR="$folder/cache"
for machine in integrated integrated-1 coherent wsl; do
	CULVERT_SOFT_MACHINE=${machine%-1} CULVERT_SOFT_PAGEABLE=0
	[ $machine = ${machine%-1} ] || CULVERT_SOFT_PAGEABLE=1
	export CULVERT_SOFT_MACHINE CULVERT_SOFT_PAGEABLE
	for test in device devices buffers maps image_maps transfers svm svm_system usm images_of_buffers \
		command_buffer_memory pinned_buffers exported_memory exported_dma_buf \
		../unit/t_gpu_memory ../unit/t_soft_ipc; do
		tests/api/$test >"$out" 2>&1
		code=$?
		[ $code = 0 ] || [ $code = 77 ] || { echo "$machine: $test"; cat "$out"; status=1; }
	done
done
CULVERT_SOFT_PAGEABLE=0
# without FAULT TEST...: these programs pass, also where the driver refuses that.
without() {
	fault=$1
	shift
	for test; do
		CULVERT_SOFT_FAULT=$fault tests/api/$test >"$out" 2>&1 || { echo "$CULVERT_SOFT_MACHINE, $fault: $test"; cat "$out"; status=1; }
	done
}
# Under WSL pinned memory is scarce: what does not map anything needs none.  Jetsons of before Xavier register no memory.
CULVERT_SOFT_MACHINE=wsl
without 'cuMemHostAlloc*:*:OUT_OF_MEMORY' buffers large_copies launches kernel events
CULVERT_SOFT_MACHINE=integrated
without 'cuMemHostRegister*:*:NOT_SUPPORTED' maps image_maps usm
# Virtual GPUs have no memory pools, for want of virtual memory, and no managed memory.
CULVERT_SOFT_MACHINE=desktop
without 'cuMemPool*:*:NOT_SUPPORTED' buffers launches events transfers maps svm usm
without 'cuMemAllocManaged:*:NOT_SUPPORTED' repeats
# Where kernels can access all of the host's memory, the memory beside a buffer and a freed buffer are not the host's.
for jit in off always; do
	for kernel in global_behind global_before global_large global_freed constant_behind; do
		CULVERT_SOFT_MACHINE=coherent CULVERT_SOFT_JIT=$jit tests/kernels/runner \
			"${srcdir:-.}/tests/kernels/broken/memory_$kernel.clt" >"$out" 2>&1 ||
			{ echo "coherent, CULVERT_SOFT_JIT=$jit: $kernel"; cat "$out"; status=1; }
	done
done
CULVERT_SOFT_MACHINE=tablet CULVERT_DEBUG=err ./culvert devices >"$out" 2>&1 && { echo "a machine that is none"; status=1; }
grep -q 'CULVERT_SOFT_MACHINE=tablet is not one of' "$out" || { cat "$out"; status=1; }
exit $status
