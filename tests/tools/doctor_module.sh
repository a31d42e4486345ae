#!/bin/sh
# Protects: `culvert doctor --root` says why NVIDIA's kernel module is not loaded: the kernel was updated, the module was not made
# for it, a file forbids it, Secure Boot; and where files do not tell, it says no more than that it is not loaded.
root=$(mktemp -d) || exit 99
trap 'rm -rf "$root" "$root.out"' EXIT
failed=0
CULVERT_CUDA=auto
export CULVERT_CUDA
mkdir -p "$root/etc/OpenCL/vendors" "$root/proc/sys/kernel" "$root/sys/bus/pci/devices/0000:01:00.0" "$root/usr/lib" \
	"$root/etc/modprobe.d" "$root/sys/firmware/efi/efivars"
echo libculvert.so >"$root/etc/OpenCL/vendors/culvert.icd"
echo 0x10de >"$root/sys/bus/pci/devices/0000:01:00.0/vendor"
echo 0x030000 >"$root/sys/bus/pci/devices/0000:01:00.0/class"
echo ID=debian >"$root/etc/os-release"
echo 6.1.0-31-amd64 >"$root/proc/sys/kernel/osrelease"
echo a library >"$root/usr/lib/libcuda.so.1"
# says TEXT...
says() {
	./culvert doctor --root "$root" >"$root.out" 2>&1
	code=$?
	[ $code = 1 ] || { echo "exit code $code"; failed=1; }
	[ "$(grep -c '] kernel ' "$root.out")" = 1 ] || { echo "not one line of the kernel:"; cat "$root.out"; failed=1; }
	for text; do
		grep -qF -e "$text" "$root.out" || { echo "'$text' is not said:"; cat "$root.out"; failed=1; }
	done
}
# modules RELEASE FILE...: that kernel has these modules
modules() {
	folder=$root/lib/modules/$1
	shift
	mkdir -p "$folder"
	for file in kernel/fs/ext4/ext4.ko.xz "$@"; do
		echo "$file: kernel/lib/crc16.ko.xz kernel/drivers/nvidia.ko"
	done >"$folder/modules.dep"
}
plain="[ FAIL ] kernel     NVIDIA's kernel module is not loaded"
not_more() {
	says "$plain" "fix:       sudo modprobe nvidia   # or: sudo apt install nvidia-driver"
	grep -qxF -e "$plain" "$root.out" || { echo "more is said:"; cat "$root.out"; failed=1; }
}
not_more

# The driver was never installed; or it was, and is only to be loaded.
modules 6.1.0-31-amd64
not_more
modules 6.1.0-31-amd64 updates/dkms/nvidia-current.ko.xz
not_more
# The kernel was updated and started, without headers for it.
modules 6.1.0-31-amd64
modules 6.1.0-30-amd64 updates/dkms/nvidia-current.ko.xz
says "NVIDIA's kernel module is installed for another kernel than the one that runs (6.1.0-31-amd64)" \
	'fix:       sudo apt install "linux-headers-$(uname -r)" && sudo dkms autoinstall && sudo modprobe nvidia'
echo ID=fedora >"$root/etc/os-release"
says "fix:       sudo akmods --force"
# The name of one kernel is the beginning of another's.
modules 6.1.0-31-amd64-rt kernel/drivers/video/nvidia.ko
rm -r "$root/lib/modules/6.1.0-30-amd64"
says "for another kernel than the one that runs (6.1.0-31-amd64)"
# The kernel was updated and not started: the folder of the old one is gone.
rm -r "$root/lib/modules/6.1.0-31-amd64"
says "the modules of the kernel that runs (6.1.0-31-amd64) are no longer installed" "fix:       sudo reboot"

# A laptop on which the processor's GPU was chosen.  A line that only keeps the module from being loaded by itself is none.
modules 6.1.0-31-amd64 kernel/drivers/video/nvidia.ko
echo ID=debian >"$root/etc/os-release"
printf 'blacklist nvidia\n#alias nvidia off\nalias nvidia-drm off\n' >"$root/etc/modprobe.d/nvidia.conf"
not_more
mkdir -p "$root/lib/modprobe.d"
printf 'blacklist nvidia\nalias nvidia off\n' >"$root/lib/modprobe.d/blacklist-nvidia.conf"
says "NVIDIA's kernel module is not loaded: /lib/modprobe.d/blacklist-nvidia.conf forbids it" "fix:       sudo prime-select nvidia"
echo 'install nvidia /bin/false' >"$root/lib/modprobe.d/blacklist-nvidia.conf"
says "/lib/modprobe.d/blacklist-nvidia.conf forbids it"
rm "$root/lib/modprobe.d/blacklist-nvidia.conf"

# Secure Boot, on and off.
variable=$root/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
printf '\006\000\000\000\001' >"$variable"
says "with Secure Boot, the kernel takes only modules whose key it knows" "sudo mokutil --import KEY"
printf '\006\000\000\000\000' >"$variable"
not_more
exit $failed
