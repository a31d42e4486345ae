#!/bin/sh
# Protects: `culvert doctor --root` on systems whose files lie elsewhere: WSL, Jetsons, Fedora, Arch, openSUSE, NixOS, Flatpak,
# Steam's runtime, snaps, LXC, Google's Kubernetes Engine.  It finds the driver where programs do, and what is wrong with it, and names what mends it there.
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
failed=0
CULVERT_CUDA=auto
export CULVERT_CUDA
unset OCL_ICD_VENDORS OCL_ICD_FILENAMES OPENCL_VENDOR_PATH
# system NAME: a root with Culvert's .icd file
system() {
	root=$folder/$1
	what=$1
	mkdir -p "$root/etc/OpenCL/vendors" "$root/dev" "$root/sys/module" "$root/proc/sys/kernel" "$root/usr/lib"
	echo libculvert.so >"$root/etc/OpenCL/vendors/culvert.icd"
	[ $# = 1 ] || printf '%b' "$2" >"$root/etc/os-release"
}
# driver FOLDER: libcuda as NVIDIA's packages install it
driver() {
	mkdir -p "$root$1"
	echo a library >"$root$1/libcuda.so.580.95.05"
	ln -s libcuda.so.580.95.05 "$root$1/libcuda.so.1"
}
gpu() {
	mkdir -p "$root/sys/bus/pci/devices/0000:01:00.0" "$root/sys/module/nvidia"
	echo 0x10de >"$root/sys/bus/pci/devices/0000:01:00.0/vendor"
	echo 0x030000 >"$root/sys/bus/pci/devices/0000:01:00.0/class"
	echo 580.95.05 >"$root/sys/module/nvidia/version"
	touch "$root/dev/nvidia0" "$root/dev/nvidiactl" "$root/dev/nvidia-uvm"
}
# says CODE TEXT...: doctor ends with that code, and prints each text
says() {
	wanted=$1
	shift
	./culvert doctor --root "$root" >"$folder/out" 2>&1
	code=$?
	[ $code = "$wanted" ] || { echo "$what: exit code $code, not $wanted"; cat "$folder/out"; failed=1; }
	for text; do
		grep -qF -e "$text" "$folder/out" || { echo "$what: '$text' is not said:"; cat "$folder/out"; failed=1; }
	done
}
says_not() {
	grep -qF -e "$1" "$folder/out" && { echo "$what: '$1' is said:"; cat "$folder/out"; failed=1; }
}

# WSL 2: Windows mounts its own libcuda, a file that is no link, and there is neither a module nor /dev/nvidia*.
system wsl 'ID=ubuntu\n'
echo 5.15.167.4-microsoft-standard-WSL2 >"$root/proc/sys/kernel/osrelease"
says 1 "[ FAIL ] hardware" "wsl --update" "[ FAIL ] driver" "install NVIDIA's driver in Windows, not in WSL"
touch "$root/dev/dxg"
mkdir -p "$root/usr/lib/wsl/lib" "$root/etc/ld.so.conf.d"
echo a library >"$root/usr/lib/wsl/lib/libcuda.so.1"
says 0 "[  ok  ] hardware   WSL: /dev/dxg can be opened" "/usr/lib/wsl/lib/libcuda.so.1, which Culvert finds without"
says_not /dev/nvidia
echo 'include /etc/ld.so.conf.d/*.conf' >"$root/etc/ld.so.conf"
echo /usr/lib/wsl/lib >"$root/etc/ld.so.conf.d/ld.wsl.conf"
says 0 "[  ok  ] driver     /usr/lib/wsl/lib/libcuda.so.1"
says_not "without the dynamic linker"
# The package of a driver for Linux, whose library comes first.
echo /lib/x86_64-linux-gnu >"$root/etc/ld.so.conf.d/a.conf"
driver /lib/x86_64-linux-gnu
says 1 "[ FAIL ] driver" "/lib/x86_64-linux-gnu/libcuda.so.1 is libcuda.so.580.95.05; a driver for Linux does not work" \
	"fix:       sudo apt purge 'libnvidia-compute-*'"
# Switched off in a file of its own; another section has a key of that name.
system wsl-off
echo 5.15.167.4-microsoft-standard-WSL2 >"$root/proc/sys/kernel/osrelease"
printf '[boot]\nsystemd=true\n[gpu]\n# the GPU\nenabled = false\n[interop]\nenabled=false\n' >"$root/etc/wsl.conf"
says 1 "[ FAIL ] hardware   WSL: /etc/wsl.conf switches the GPU off" "/etc/wsl.conf   # then, in Windows: wsl --shutdown"
mend=$(sed -n 's/.*fix: *sudo \(sed.*wsl.conf\) .*#.*/\1/p' "$folder/out")
(cd "$root/etc" && eval "$(echo "$mend" | sed 's, /etc/wsl.conf, wsl.conf,')")
says 1 "WSL without /dev/dxg"
[ "$(grep '^enabled' "$root/etc/wsl.conf" | tr '\n' ' ')" = "enabled=true enabled=false " ] || { echo "the fix does not switch the GPU on: $mend"; failed=1; }
printf '[interop]\nenabled=false\n' >"$root/etc/wsl.conf"
says 1 "WSL without /dev/dxg"
system wsl-container
touch "$root/.dockerenv"
echo 5.15.167.4-microsoft-standard-WSL2 >"$root/proc/sys/kernel/osrelease"
says 1 "this container (Docker) has no access to a GPU: /dev/dxg does not exist" "docker run --gpus all"
system wsl-1
echo 4.4.0-19041-Microsoft >"$root/proc/sys/kernel/osrelease"
says 1 "[ FAIL ] hardware" "--set-version DISTRIBUTION 2"

# A Jetson with JetPack 6 (L4T 36), and a container there into which nothing was mounted.
system jetson 'ID=ubuntu\n'
mkdir -p "$root/sys/module/nvgpu" "$root/etc/ld.so.conf.d"
touch "$root/dev/nvmap"
echo 'include ld.so.conf.d/*.conf' >"$root/etc/ld.so.conf"
printf '# the driver\n/usr/lib/aarch64-linux-gnu/nvidia\n' >"$root/etc/ld.so.conf.d/nvidia-tegra.conf"
driver /usr/lib/aarch64-linux-gnu/nvidia
says 0 "the integrated GPU of a Jetson" "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1 is libcuda.so.580.95.05"
# Its files belong to groups, and one of them is only read.  Seen to fail where all are opened for writing, and where the others are
# not looked at.
if [ "$(id -u)" = 0 ] && chmod 755 "$folder" && setpriv --reuid=4711 --regid=4711 --clear-groups ./culvert --version >/dev/null 2>&1; then
	# as GROUP CODE TEXT...: what an ordinary user of that group is told
	as() {
		wanted=$2
		setpriv --reuid=4711 --regid=4711 --groups="$1" ./culvert doctor --root "$root" >"$folder/out" 2>&1
		code=$?
		[ $code = "$wanted" ] || { echo "$what: exit code $code, not $wanted"; cat "$folder/out"; failed=1; }
		shift 2
		for text; do
			grep -qF -e "$text" "$folder/out" || { echo "$what: '$text' is not said:"; cat "$folder/out"; failed=1; }
		done
	}
	mkdir -p "$root/dev/nvgpu/igpu0" "$root/dev/dri"
	touch "$root/dev/nvgpu/igpu0/ctrl" "$root/dev/dri/renderD128"
	chgrp 4744 "$root/dev/nvmap" "$root/dev/nvgpu/igpu0/ctrl"
	chgrp 4795 "$root/dev/dri/renderD128"
	chmod 440 "$root/dev/nvmap"
	chmod 660 "$root/dev/nvgpu/igpu0/ctrl" "$root/dev/dri/renderD128"
	as 4744,4795 0 "[  ok  ] hardware   the integrated GPU of a Jetson"
	says_not "cannot be opened"
	as 4744 0 "[  ok  ] hardware   the integrated GPU of a Jetson" "[ warn ] devices    /dev/dri/renderD128 cannot be opened" \
		'fix:       sudo usermod -aG "$(stat -c %G /dev/dri/renderD128)" "$USER"'
	as 4795 1 "[ FAIL ] devices    /dev/nvmap cannot be opened: Permission denied" "/dev/nvgpu/igpu0/ctrl cannot be opened" \
		'fix:       sudo usermod -aG "$(stat -c %G /dev/nvmap)" "$USER"'
	touch "$root/.dockerenv"
	as 4795 1 "fix:       docker run --group-add 4744 ...   # podman: --group-add keep-groups"
	rm "$root/.dockerenv"
fi
rm "$root/dev/nvmap"
: >"$root/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.580.95.05"
touch "$root/.dockerenv"
says 1 "docker run --runtime nvidia" "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1 is an empty file"

# Fedora's and Arch's folders.
system fedora 'NAME=x\nID=fedora\n'
gpu
says 1 "[ FAIL ] driver" "libcuda.so.1, which comes with NVIDIA's driver, was not found" "akmod-nvidia"
driver /usr/lib64
says 0 "[  ok  ] driver     /usr/lib64/libcuda.so.1 is libcuda.so.580.95.05"
system arch 'ID=arch\n'
gpu
says 1 "[ FAIL ] driver" "sudo pacman -S nvidia-open nvidia-utils"
driver /usr/lib
says 0 "[  ok  ] driver     /usr/lib/libcuda.so.1 is libcuda.so.580.95.05"
system opensuse 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\n'
gpu
says 1 "[ FAIL ] driver" "sudo zypper install nvidia-open-driver-G06-signed-kmp-meta nvidia-compute-utils-G06"
# What descends from a distribution is told the same.
system mint 'ID=linuxmint\nID_LIKE="ubuntu debian"\n'
gpu
says 1 "sudo ubuntu-drivers install"

# NixOS: links into its store, and vendors where its loader looks.
system nixos 'ID=nixos\n'
gpu
says 1 "[ FAIL ] icd" "no .icd file in $root/run/opengl-driver/etc/OpenCL/vendors" "hardware.graphics.extraPackages" \
	"[ FAIL ] driver" "sudo nixos-rebuild switch   # with services.xserver.videoDrivers"
mkdir -p "$root/run/opengl-driver/lib" "$root/run/opengl-driver/etc/OpenCL"
mv "$root/etc/OpenCL/vendors" "$root/run/opengl-driver/etc/OpenCL/"
ln -s /nix/store/a-nvidia-x11/lib/libcuda.so.580.95.05 "$root/run/opengl-driver/lib/libcuda.so.1"
says 0 "/run/opengl-driver/lib/libcuda.so.1 is libcuda.so.580.95.05, which Culvert finds without the dynamic linker (NixOS)"

# Flatpak: its extension for NVIDIA's driver, or none of that version.
system flatpak
gpu
touch "$root/.flatpak-info"
says 1 "running inside Flatpak" "[ FAIL ] driver" "org.freedesktop.Platform.GL.nvidia-VERSION"
driver "/usr/lib/$(uname -m)-linux-gnu/GL/nvidia-580-95-05/lib"
says 0 "/GL/nvidia-580-95-05/lib/libcuda.so.1 is libcuda.so.580.95.05"
rm "$root/etc/OpenCL/vendors/culvert.icd"
says 1 "[ FAIL ] icd" "flatpak override --user --env=OCL_ICD_VENDORS="

# Steam's runtime: the host's libraries as links of their own folder, its /etc below /run/host.
system steam
gpu
mkdir -p "$root/run/pressure-vessel" "$root/run/host/etc/OpenCL"
mv "$root/etc/OpenCL/vendors" "$root/run/host/etc/OpenCL/"
driver "/usr/lib/pressure-vessel/overrides/lib/$(uname -m)-linux-gnu"
says 1 "running inside Steam's runtime" "/usr/lib/pressure-vessel/overrides/lib/" \
	"export OCL_ICD_VENDORS=/run/host/etc/OpenCL/vendors"

# A snap, which has the driver's libraries in a folder of snapd, and the host's files below another.
system snap
gpu
mkdir -p "$root/var/lib/snapd/hostfs/etc"
says 1 "running inside a snap" "[ FAIL ] driver" "fix:       sudo snap connect NAME:opengl"
driver /var/lib/snapd/lib/gl
says 0 "/var/lib/snapd/lib/gl/libcuda.so.1 is libcuda.so.580.95.05, which Culvert finds without the dynamic linker (snap)"

# Containers of which systemd says what they are.
for kind in lxc systemd-nspawn docker; do
	system "$kind"
	gpu
	mkdir -p "$root/run/systemd"
	echo $kind >"$root/run/systemd/container"
	rm "$root/dev/nvidiactl"
	says 1 "[ FAIL ] devices"
	case $kind in
	lxc) says 1 "running inside LXC" "fix:       incus config device add NAME gpu gpu && incus config set NAME nvidia.runtime=true" ;;
	systemd-nspawn) says 1 "running inside systemd-nspawn" "fix:       systemd-nspawn --bind=/dev/nvidia0" ;;
	docker) says_not "running inside" ;;
	esac
done
system apptainer
gpu
mkdir "$root/.singularity.d"
says 1 "running inside Apptainer" "fix:       apptainer exec --nv"

# Kubernetes of Google: the host's folder is mounted, and only LD_LIBRARY_PATH of NVIDIA's older images tells of it.
system gke
gpu
driver /usr/local/nvidia/lib64
says 0 "/usr/local/nvidia/lib64/libcuda.so.1 is libcuda.so.580.95.05, which Culvert finds without the dynamic linker"

# libcuda and the kernel module are of different versions: after an update, in an image with a driver of its own, in Flatpak after
# an update of the host.  A newer libcuda for an older module is NVIDIA's cuda-compat, and a Jetson's has another number.
system updated 'ID=debian\n'
gpu
driver /usr/lib/x86_64-linux-gnu
says 0 "[  ok  ] driver"
echo 575.57.08 >"$root/sys/module/nvidia/version"
says 1 "[ FAIL ] driver     /usr/lib/x86_64-linux-gnu/libcuda.so.1 is libcuda.so.580.95.05, but the kernel module has version 575.57.08" \
	"fix:       sudo reboot"
touch "$root/.dockerenv"
says 1 "but the kernel module has version 575.57.08" "fix:       apt purge 'libnvidia-compute-*' libcuda1   # in the image"
rm "$root/.dockerenv"
touch "$root/.flatpak-info"
says 1 "but the kernel module has version 575.57.08" "fix:       flatpak update"
rm "$root/.flatpak-info" "$root/usr/lib/x86_64-linux-gnu/libcuda.so.1"
ln -s libcuda.so.1.1 "$root/usr/lib/x86_64-linux-gnu/libcuda.so.1"
echo a library >"$root/usr/lib/x86_64-linux-gnu/libcuda.so.1.1"
says 0 "is libcuda.so.1.1"
rm "$root/usr/lib/x86_64-linux-gnu/libcuda.so.1"
driver /usr/local/cuda-13.0/compat
echo /usr/local/cuda-13.0/compat >"$root/etc/ld.so.conf"
says 0 "[  ok  ] driver     /usr/local/cuda-13.0/compat/libcuda.so.1 is libcuda.so.580.95.05"
exit $failed
