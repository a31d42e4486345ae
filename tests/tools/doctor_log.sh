#!/bin/sh
# Protects: `culvert doctor` names the errors of GPUs that NVIDIA's kernel module has logged, of each kind and GPU the last one, with
# the program if it is known, and what to do; faults of kernels are notes.  Without a log, or with one that must not be read, it is silent.
root=$(mktemp -d) || exit 99
trap 'rm -rf "$root" "$root.out"' EXIT
failed=0
CULVERT_CUDA=auto
export CULVERT_CUDA
mkdir "$root/dev"
doctor() { ./culvert doctor --root "$root" | grep -A1 '] log ' >"$root.out"; }
# says N TEXT...: N lines of the log, and each text
says() {
	doctor
	[ "$(grep -c '] log ' "$root.out")" = "$1" ] || { echo "not $1 lines of the log:"; cat "$root.out"; failed=1; }
	shift
	for text; do
		grep -qF -e "$text" "$root.out" || { echo "'$text' is not said:"; cat "$root.out"; failed=1; }
	done
}
# log LINE...: as /dev/kmsg has it, with other records around
log() {
	printf '6,%d,235493587,-;NVRM: GPU at PCI:0000:00:07: GPU-c9770d01-35e8-72e0-bffe-b38366e3409d\n SUBSYSTEM=pci\n' 899
	number=900
	for line; do
		printf '6,%d,235493600,-;%s\n DEVICE=+pci:0000:00:07.0\n' $number "$line"
		number=$((number + 1))
	done
} >"$root/dev/kmsg"

says 0
log "usb 1-1: Xid (that is another driver's)"
says 0
# A line of driver 580, on an H200 whose kernel wrote to an invalid address.
log "NVRM: Xid (PCI:0000:00:07): 31, pid=2976, name=cufault, channel 0x0000000a, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC1 \
GPCCLIENT_T1_8 faulted @ 0x0_00000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE" \
	"NVRM: Xid (PCI:0000:00:07): 31, pid=3054, name=lost, channel 0x0000000a, intr 00000000. MMU Fault"
says 1 '[ note ] log        GPU 0000:00:07: a kernel has faulted: an access to an invalid address (Xid 31, program lost, the last of 2 times)'
# Older drivers leave out the bus, or do not know the program.  Another GPU is another line.
log "NVRM: Xid (0000:01:00): 13, 0005 00000000 0000502d 00000104 00000000 00000100" \
	"NVRM: Xid (PCI:0000:44:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus." \
	"NVRM: Xid (PCI:0000:45:00): 79, GPU has fallen off the bus."
says 3 '[ note ] log        GPU 0000:01:00: a kernel has faulted: an invalid access or instruction (Xid 13)' \
	'[ warn ] log        GPU 0000:44:00: the GPU has fallen off the bus (Xid 79)' \
	'[ warn ] log        GPU 0000:45:00: the GPU has fallen off the bus (Xid 79)' 'fix:       sudo reboot'
# What is not in the table is told in the driver's own words.
log "NVRM: Xid (PCI:0000:01:00): 69, Class Error: ChId 0005, Class 0000a097, Offset 00000d9c"
says 1 '[ warn ] log        GPU 0000:01:00: Class Error: ChId 0005, Class 0000a097, Offset 00000d9c (Xid 69)'
# Lines that are cut off, and more kinds than are told.
log "NVRM: Xid (" "NVRM: Xid (PCI:0000:01:00" "NVRM: Xid (PCI:0000:01:00):" "NVRM: Xid (PCI:0000:01:00): none"
says 0
log "NVRM: Xid (PCI:0000:01:00): 48"
says 1 '[ warn ] log        GPU 0000:01:00: memory error that could not be corrected (Xid 48)'
set --
for number in 200 201 202 203 204 205 206 207 208 209 200; do
	set -- "$@" "NVRM: Xid (PCI:0000:01:00): $number, error $number"
done
log "$@"
says 8 'error 200 (Xid 200, the last of 2 times)' 'error 207 (Xid 207)'
# A folder cannot be read, and an empty log has nothing.
rm "$root/dev/kmsg" && mkdir "$root/dev/kmsg"
says 0
rmdir "$root/dev/kmsg" && : >"$root/dev/kmsg"
says 0
exit $failed
