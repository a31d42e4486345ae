#!/bin/sh
# Protects: `culvert doctor` names what limits a program: instances of MIG, MPS, limits of a control group, compute modes
# and other processes; and nothing of it where there is none.
root=$(mktemp -d) || exit 2
trap 'rm -rf "$root" "$root.out"' EXIT
failed=0
CULVERT_CUDA=auto
export CULVERT_CUDA
mkdir -p "$root/etc/OpenCL/vendors"
echo libculvert.so >"$root/etc/OpenCL/vendors/culvert.icd"
says() {
	./culvert doctor --root "$root" >"$root.out" 2>&1 || { echo "exit code $?"; failed=1; }
	for text; do
		grep -qF -e "$text" "$root.out" || { echo "'$text' is not said:"; cat "$root.out"; failed=1; }
	done
}
says "No problems found"
grep -E ' (mig|mps|limits) ' "$root.out" && failed=1
for instance in gi1/ci0 gi2/ci0 gi2/ci1; do
	mkdir -p "$root/proc/driver/nvidia/capabilities/gpu0/mig/$instance"
	echo "DeviceFileMinor: 30" >"$root/proc/driver/nvidia/capabilities/gpu0/mig/$instance/access"
done
says "[ note ] mig        3 MIG instances" "export CUDA_VISIBLE_DEVICES=MIG-"
mkdir -p "$root/tmp/nvidia-mps"
touch "$root/tmp/nvidia-mps/control"
says "[ note ] mps        MPS is running (/tmp/nvidia-mps)"
mkdir -p "$root/sys/fs/cgroup"
echo "150000 100000" >"$root/sys/fs/cgroup/cpu.max"
echo 4294967296 >"$root/sys/fs/cgroup/memory.max"
says "allows 2 processors" "4.0 GiB of memory; a compiler may use half"
echo "max 100000" >"$root/sys/fs/cgroup/cpu.max"
echo max >"$root/sys/fs/cgroup/memory.max"
says
grep -F ' limits ' "$root.out" && failed=1
# A job of a batch system: its group is below others, and has a limit of its own.
mkdir -p "$root/proc/self" "$root/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7"
echo 0::/system.slice/slurmstepd.scope/job_7 >"$root/proc/self/cgroup"
echo 800000 100000 >"$root/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/cpu.max"
echo 8589934592 >"$root/sys/fs/cgroup/system.slice/slurmstepd.scope/memory.max"
says "allows 8 processors" "8.0 GiB of memory; a compiler may use half"
# Version 1 of control groups.
rm -r "$root/proc/self" "$root/sys/fs/cgroup"
mkdir -p "$root/sys/fs/cgroup/cpu" "$root/sys/fs/cgroup/memory"
echo 100000 >"$root/sys/fs/cgroup/cpu/cpu.cfs_period_us"
echo 100000 >"$root/sys/fs/cgroup/cpu/cpu.cfs_quota_us"
echo 2147483648 >"$root/sys/fs/cgroup/memory/memory.limit_in_bytes"
says "allows 1 processor;" "2.0 GiB of memory; a compiler may use half"

# The driver itself says how many processes may use a device, and what others leave of its memory.
unset CULVERT_SOFT_FAULT
shared() {
	wanted=$1
	shift
	OCL_ICD_VENDORS=$PWD/vendors CULVERT_CUDA=soft ./culvert doctor >"$root.out" 2>&1
	code=$?
	[ $code = $wanted ] || { echo "$CULVERT_SOFT_SHARING: exit code $code"; failed=1; }
	for text; do
		grep -qF -e "$text" "$root.out" || { echo "'$text' is not said:"; cat "$root.out"; failed=1; }
	done
}
[ -n "$OCL_ICD_VENDORS" ] || exit $failed
CULVERT_SOFT_SHARING=alone
export CULVERT_SOFT_SHARING
shared 0
grep -E 'compute mode|are left' "$root.out" && failed=1
CULVERT_SOFT_SHARING=busy
shared 0 "[ note ] device     0: " "of its memory are left: other processes hold the rest" "compiled and ran a kernel correctly"
# Where the memory is the host's, the driver does not count what Linux keeps files in as free, and no process holds it.
CULVERT_SOFT_SHARING=cached
shared 0 "of its memory are left: other processes hold the rest"
(CULVERT_SOFT_MACHINE=integrated CULVERT_SOFT_MEMORY=64M; export CULVERT_SOFT_MACHINE CULVERT_SOFT_MEMORY
shared 0 "compiled and ran a kernel correctly"; exit $failed) || failed=1
grep -E 'are left' "$root.out" && failed=1
(CULVERT_SOFT_MACHINE=integrated CULVERT_SOFT_MEMORY=65536G; export CULVERT_SOFT_MACHINE CULVERT_SOFT_MEMORY
shared 0 "of the memory that it shares with the host are left"; exit $failed) || failed=1
CULVERT_SOFT_SHARING=exclusive
shared 0 "[ note ] device     0: its compute mode is exclusive" "sudo nvidia-smi --compute-mode DEFAULT" \
	"compiled and ran a kernel correctly"
CULVERT_SOFT_FAULT=cuDevicePrimaryCtxRetain:*:DEVICE_UNAVAILABLE
export CULVERT_SOFT_FAULT
shared 1 "[ FAIL ] device     0: its compute mode is exclusive: one process at a time may use it. This one cannot, perhaps"
# Another reason, which the driver's answer to doctor does not tell apart.
CULVERT_SOFT_FAULT=cuDevicePrimaryCtxRetain:*:OUT_OF_MEMORY
shared 1 "one process at a time may use it. This one cannot, perhaps"
unset CULVERT_SOFT_FAULT
CULVERT_SOFT_SHARING=prohibited
shared 1 "[ FAIL ] device     0: its compute mode is prohibited" "CL_DEVICE_NOT_AVAILABLE"
exit $failed
