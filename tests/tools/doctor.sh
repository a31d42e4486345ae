#!/bin/sh
# Protects: `culvert doctor` finds what keeps a program from its GPU, one made-up machine
# each, and names how to fix it; a machine where all is well has no problems.
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
failed=0
fail() {
	echo "$@"
	failed=1
}
# examine CODE ARGUMENT...: exit code; what was printed is in out
examine() {
	wanted=$1
	shift
	./culvert doctor "$@" >$folder/out 2>$folder/errors
	code=$?
	[ $code = $wanted ] || { fail "doctor $*: exit code $code, not $wanted"; cat $folder/out; }
}
# says WHAT GRADE TEXT...: the last run has that finding, and the fix after it
says() {
	what=$1
	shift
	for text; do
		grep -qF -e "$text" $folder/out || { fail "$what: '$text' is not said:"; cat $folder/out; }
	done
}

# This machine, with the build tree as its installation.
unset OCL_ICD_FILENAMES CUDA_CACHE_DISABLE
CULVERT_CACHE=on CULVERT_CACHE_DIR=$folder/cache
export CULVERT_CACHE CULVERT_CACHE_DIR
examine 0
grep 'older than OpenCL 3.0' $folder/out && fail "this machine's loader knows OpenCL 3.0"
says "all is well" "No problems found" "compiled and ran a kernel correctly" "libnvvm" "Culvert, OpenCL 3.1"
examine 0 --json
if [ -x "$PYTHON3" ]; then
	"$PYTHON3" - $folder/out <<'END' || fail "that is not the JSON that was promised"
import json, sys
rows = json.load(open(sys.argv[1]))
assert rows and all(set(row) == {"about", "grade", "text", "fix"} for row in rows)
assert not any(row["grade"] == "bad" for row in rows)
END
fi

# A stack that is too small for libnvvm, which the doctor asks for which devices it compiles. The environment lies on it, too, and
# make may put the names of all tests into that.
(unset MAKEFLAGS MFLAGS; ulimit -s 64; examine 0; exit $failed) || failed=1
says "a small stack" "No problems found"

mkdir $folder/none
(OCL_ICD_VENDORS=$folder/none; export OCL_ICD_VENDORS; examine 1; exit $failed) || failed=1
says "no .icd file" "[ FAIL ] icd" "tee $folder/none/culvert.icd" "Culvert is not one of them"
(OCL_ICD_VENDORS=$folder/new/vendors; export OCL_ICD_VENDORS; examine 1; exit $failed) || failed=1
says "no folder for .icd files" "fix:       sudo mkdir -p $folder/new/vendors && echo "
# Programs of a conda environment have a loader of their own, which knows the environment's folder alone.
mkdir -p $folder/conda/lib $folder/conda/etc/OpenCL/vendors
touch $folder/conda/lib/libOpenCL.so.1
conda() {
	(CONDA_PREFIX=$folder/conda; export CONDA_PREFIX; unset OCL_ICD_VENDORS; ./culvert doctor >$folder/out 2>&1)
}
conda
says "a conda environment" "[ warn ] icd        $folder/conda/lib/libOpenCL.so.1, which programs of this conda environment use, searches only" \
	"conda install -c conda-forge ocl-icd-system"
ln -s $PWD/vendors $folder/conda/etc/OpenCL/vendors/system
conda
grep 'conda environment' $folder/out && fail "a link leads to Culvert's file"
rm $folder/conda/etc/OpenCL/vendors/system
(CONDA_PREFIX=$folder/conda; export CONDA_PREFIX; examine 0; exit $failed) || failed=1
grep 'conda environment' $folder/out && fail "OCL_ICD_VENDORS tells conda's loader"
(OPENCL_VENDOR_PATH=$PWD/vendors; export OPENCL_VENDOR_PATH; conda)
grep 'conda environment' $folder/out && fail "OPENCL_VENDOR_PATH tells conda's loader"
# A name and values that programs ignore without a word.
(CULVERT_DEBGU=info CULVERT_WAIT=spn CULVERT_CACHE=maybe CULVERT_COMPILER_TIMEOUT=1m CULVERT_SOFT_JIT=yes CULVERT_DEBUG=warn,sync,all CULVERT_ANOTHERS=x
export CULVERT_DEBGU CULVERT_WAIT CULVERT_CACHE CULVERT_COMPILER_TIMEOUT CULVERT_SOFT_JIT CULVERT_DEBUG CULVERT_ANOTHERS; examine 0; exit $failed) || failed=1
says "mistyped variables" "[ warn ] variable   CULVERT_DEBGU is not a variable of Culvert (did you mean 'CULVERT_DEBUG'?)" \
	"fix:       unset CULVERT_DEBGU" "CULVERT_WAIT has an invalid value, so the default is used; how threads wait for the GPU: spin" \
	"CULVERT_CACHE has an invalid value" "CULVERT_COMPILER_TIMEOUT has an invalid value" "CULVERT_DEBUG has an invalid value" \
	"CULVERT_SOFT_JIT has an invalid value"
grep CULVERT_ANOTHERS $folder/out && fail "another program's variable"
grep 'the cache is disabled' $folder/out && fail "an invalid value of CULVERT_CACHE is not its default"
(CULVERT_DEBUG=err,sync CULVERT_WAIT=block CULVERT_CACHE=YES; export CULVERT_DEBUG CULVERT_WAIT CULVERT_CACHE; examine 0; exit $failed) || failed=1
grep ' variable ' $folder/out && fail "right variables"
# The fix can be pasted into a shell, whatever the path is.
(OCL_ICD_VENDORS="$folder/it's new/a b"; export OCL_ICD_VENDORS; examine 1; exit $failed) || failed=1
says "a folder whose name needs quotation marks" "sudo mkdir -p '$folder/it'\\''s new/a b' && echo "
mkdir "$folder/a b"
echo libculvert.so >"$folder/a b/culvert.icd"
(OCL_ICD_VENDORS="$folder/a b"; export OCL_ICD_VENDORS; examine 1; exit $failed) || failed=1
says "a library that is not found by its name" "[ FAIL ] icd" "names libculvert.so, which cannot be loaded" \
	"echo $(cat vendors/culvert.icd) | sudo tee '$folder/a b/culvert.icd'"
echo /nonexistent/libother.so >$folder/none/other.icd
cp vendors/culvert.icd $folder/none
(OCL_ICD_VENDORS=$folder/none; export OCL_ICD_VENDORS; examine 0; exit $failed) || failed=1
says "a broken neighbour" "[ warn ] icd" /nonexistent/libother.so
(CULVERT_CUDA=/nonexistent/libcuda.so.1; export CULVERT_CUDA; examine 1; exit $failed) || failed=1
says "a driver that is elsewhere" "[ FAIL ] driver" "fix:       unset CULVERT_CUDA" "export CULVERT_CUDA=soft"
(CULVERT_CUDA=$(ldd ./culvert | sed -n 's/.*libc\.so\.6 => \([^ ]*\).*/\1/p'); export CULVERT_CUDA; examine 1; exit $failed) || failed=1
says "a library that is no driver" "[ FAIL ] driver" "a driver for CUDA 12.0 or newer is required" "fix:       unset CULVERT_CUDA"
# refuses WHAT CALL ERROR MEND: a driver whose CALL fails with ERROR.
refuses() {
	(CULVERT_CUDA=soft CULVERT_SOFT_FAULT=$2:1:$3; export CULVERT_CUDA CULVERT_SOFT_FAULT; examine 1; exit $failed) || failed=1
	says "$1" "[ FAIL ] driver" "fix:       $4"
}
refuses "a fabric that is not up" cuInit SYSTEM_NOT_READY "sudo systemctl restart nvidia-fabricmanager   # on the host"
# Batch systems limit what a process may map, and the driver reserves much.
(ulimit -v 4000000; refuses "no room for the driver" cuInit OUT_OF_MEMORY "ask the batch system for more virtual memory"
says "a limit of addresses" "[ note ] limits     this process may map 3.8 GiB in all (ulimit -v)"; exit $failed) || failed=1
(ulimit -S -v 4000000; refuses "no room for the driver" cuInit OUT_OF_MEMORY "ulimit -v unlimited"; exit $failed) || failed=1
grep -q ' limits .*ulimit' $folder/out || fail "a limit that the user set"
examine 0
grep ' limits .*ulimit' $folder/out && fail "no limit of addresses"
# What is found is printed before the driver answers, which a broken one may never do: here its library is a pipe that nobody has
# written to, until what has been printed is seen.
mkfifo $folder/libcuda.so.1
(exec 3>$folder/libcuda.so.1; cp $folder/out $folder/seen; rm $folder/libcuda.so.1) &
writer=$!
(CULVERT_CUDA=$folder/libcuda.so.1; export CULVERT_CUDA; examine 1; exit $failed) || failed=1
kill $writer 2>/dev/null
wait $writer
rm -f $folder/libcuda.so.1
grep -q ' icd ' $folder/seen || { fail "a driver that does not answer: nothing is printed before"; cat $folder/seen; }
grep ' driver ' $folder/seen && fail "the driver's answer comes first"
if [ -e /.dockerenv ] || [ -e /run/.containerenv ]; then reboot="apt purge 'libnvidia-compute-*'"; else reboot="sudo reboot"; fi
refuses "two versions of the driver" cuInit SYSTEM_DRIVER_MISMATCH "$reboot"
refuses "a libcuda for other GPUs" cuInit COMPAT_NOT_SUPPORTED_ON_DEVICE "sudo apt purge 'cuda-compat-*'"
(LD_LIBRARY_PATH=/usr/local/cuda/compat; export LD_LIBRARY_PATH; refuses "the same by a variable" cuInit COMPAT_NOT_SUPPORTED_ON_DEVICE \
	"unset LD_LIBRARY_PATH"; exit $failed) || failed=1
refuses "a toolkit's libcuda for linking" cuInit STUB_LIBRARY "unset LD_LIBRARY_PATH   # a toolkit's folder 'stubs'"
refuses "no MPS server" cuInit MPS_CONNECTION_FAILED "nvidia-cuda-mps-control -d"
refuses "a vGPU without a licence" cuInit DEVICE_NOT_LICENSED "nvidia-smi -q | grep -i license"
(unset CUDA_VISIBLE_DEVICES; refuses "a module that does not drive the GPU" cuInit NO_DEVICE "sudo dmesg | grep NVRM"; exit $failed) || failed=1
refuses "a driver that lost its memory manager" cuInit UNKNOWN "sudo modprobe -r nvidia_uvm"
(CUDA_VISIBLE_DEVICES=9; export CUDA_VISIBLE_DEVICES; refuses "a GPU that is not there" cuInit NO_DEVICE "unset CUDA_VISIBLE_DEVICES"; exit $failed) || failed=1
# A driver whose version cannot be asked for is told as one that is too old.
KUBERNETES_SERVICE_HOST=here
export KUBERNETES_SERVICE_HOST
refuses "an old driver under a container" cuDriverGetVersion NOT_SUPPORTED "update NVIDIA's driver on the container's host"
refuses "a driver of the image's own" cuInit SYSTEM_DRIVER_MISMATCH "apt purge 'libnvidia-compute-*' libcuda1   # in the image"
unset KUBERNETES_SERVICE_HOST
# What the build log says of a driver that cannot compile.
(CULVERT_CACHE=off CULVERT_SOFT_FAULT='cuModuleLoadData*:*:JIT_COMPILER_NOT_FOUND'; export CULVERT_CACHE CULVERT_SOFT_FAULT; examine 1; exit $failed) || failed=1
says "a driver without its compiler" "cannot run a kernel: CL_COMPILER_NOT_AVAILABLE" "the driver's compiler failed: CUDA_ERROR_JIT_COMPILER_NOT_FOUND" \
	"libnvidia-ptxjitcompiler.so.1, a part of NVIDIA's driver, is missing"
(CULVERT_CACHE=off CULVERT_SOFT_FAULT='cuModuleLoadData*:*:JIT_COMPILATION_DISABLED'; export CULVERT_CACHE CULVERT_SOFT_FAULT; examine 1; exit $failed) || failed=1
says "a compiler that is switched off" "fix:       unset CUDA_DISABLE_PTX_JIT"
(CULVERT_LIBNVVM=/nonexistent/libnvvm.so; export CULVERT_LIBNVVM; examine 1; exit $failed) || failed=1
awk 'NR > 1 && blank { after++ } { blank = $0 == "" } END { exit after > 1 }' $folder/out || { fail "a blank line amid the findings"; cat $folder/out; }
says "no libnvvm" "[ FAIL ] libnvvm" "fix:       unset CULVERT_LIBNVVM" /nonexistent/libnvvm.so "cannot run a kernel: CL_COMPILER_NOT_AVAILABLE"
# Apptainer's list of what it lets in lacked the driver's libnvvm.  Here, each libnvvm that is found is hidden.
if unshare -rm true 2>/dev/null; then
	SINGULARITY_CONTAINER=image unshare -rm sh -c '
		unset CULVERT_LIBNVVM
		for found in 1 2 3 4 5 6 7 8; do
			path=$(./culvert doctor | sed -n "s/.*libnvvm .*, at //p" | head -n 1)
			[ -n "$path" ] || exec ./culvert doctor
			mount --bind /dev/null "$path" || exit 77
		done' >$folder/out 2>&1
	case $? in
	1) says "Apptainer without libnvvm" "[ FAIL ] libnvvm" "fix:       echo libnvidia-nvvm.so | sudo tee -a" ;;
	77) ;;
	*) fail "Apptainer without libnvvm"; cat $folder/out ;;
	esac
fi
# Two files of one library: programs see two platforms.
cp vendors/culvert.icd $folder/none/other.icd
(OCL_ICD_VENDORS=$folder/none; export OCL_ICD_VENDORS; examine 0; exit $failed) || failed=1
says "two files of ours" "[ warn ] icd" "2 .icd files name Culvert" "fix:       sudo rm $folder/none/other.icd"
# Another version's library beside: its file is the one to go, whatever their order, and its platform is named.
version=$(sed -n 's/^#define PACKAGE_VERSION "\(.*\)"/\1/p' config.h)
other=$(echo $version | tr 0-8 1-9)
library=$(cat vendors/culvert.icd)
mkdir $folder/old
for part in $(dirname $library)/*; do
	[ -f $part ] && ln -s $part $folder/old
done
rm $folder/old/libculvert.so*
LC_ALL=C sed "s/culvert $version/culvert $other/g" $library >$folder/old/libculvert.so
echo $folder/old/libculvert.so >$folder/none/a.icd
rm $folder/none/other.icd
(OCL_ICD_VENDORS=$folder/none; export OCL_ICD_VENDORS; examine 0; exit $failed) || failed=1
says "an older library of ours" "fix:       sudo rm $folder/none/a.icd" "culvert $other" \
	"belongs to a different installation than this tool, which is Culvert $version"
# What else ocl-icd takes for a place, and what it does not look at.
if grep -q '(ocl-icd)' $folder/out; then
	for place in $PWD/vendors/culvert.icd $library; do
		(OCL_ICD_VENDORS=$place; export OCL_ICD_VENDORS; examine 0; exit $failed) || failed=1
		says "$place as a place" "names $library" "No problems found"
	done
	(OPENCL_VENDOR_PATH=$PWD/vendors; export OPENCL_VENDOR_PATH; unset OCL_ICD_VENDORS; examine 0; exit $failed) || failed=1
	says "ocl-icd's other variable" "culvert.icd names $library"
	(OPENCL_VENDOR_PATH=$PWD/vendors OCL_ICD_VENDORS=culvert.icd; export OPENCL_VENDOR_PATH OCL_ICD_VENDORS; examine 0; exit $failed) || failed=1
	says "a file of the folder" "$PWD/vendors/culvert.icd names $library" "No problems found"
	rm $folder/none/*
	(OCL_ICD_VENDORS=$folder/none OCL_ICD_FILENAMES=$library; export OCL_ICD_VENDORS OCL_ICD_FILENAMES; examine 1; exit $failed) || failed=1
	says "Khronos' variable" "[ note ] icd" "ocl-icd ignores it" "[ FAIL ] icd" "tee $folder/none/culvert.icd"
fi
# Khronos' loader answers ocl-icd's question, too.  For it, the variable names a folder, and a file is none.
mkdir $folder/khronos && ln -s $PWD/tests/api/libkhronos-loader.so $folder/khronos/libOpenCL.so.1
(OCL_ICD_VENDORS=$PWD/vendors/culvert.icd LD_LIBRARY_PATH=$folder/khronos; export OCL_ICD_VENDORS LD_LIBRARY_PATH; examine 1; exit $failed) || failed=1
says "a file for Khronos' loader" "[ FAIL ] icd        no .icd file in $PWD/vendors/culvert.icd names Culvert" \
	"fix:       unset OCL_ICD_VENDORS   # this loader takes no file" "libkhronos-loader.so" \
	"[ warn ] loader     this loader is older than OpenCL 3.0" "fix:       unset LD_LIBRARY_PATH   # if it names a folder"
grep -F '(ocl-icd)' $folder/out && fail "Khronos' loader is taken for ocl-icd"
(OCL_ICD_FILENAMES=$library LD_LIBRARY_PATH=$folder/khronos; export OCL_ICD_FILENAMES LD_LIBRARY_PATH; examine 1; exit $failed) || failed=1
says "Khronos' own variable" "[  ok  ] icd        OCL_ICD_FILENAMES names $library" "2 .icd files name Culvert"
# A loader that searches a folder of its own, and Culvert's file is where others look.
if unshare -rm true 2>/dev/null && [ -d /etc/OpenCL/vendors ]; then
	unshare -rm sh -c 'mount --bind vendors /etc/OpenCL/vendors && unset OCL_ICD_VENDORS OCL_ICD_FILENAMES &&
		LD_LIBRARY_PATH=$1 ./culvert doctor' sh $folder/khronos >$folder/out 2>&1
	says "a loader with another folder" "and Culvert is not one of them" \
		"fix:       export OCL_ICD_VENDORS=/etc/OpenCL/vendors   # this loader searches another folder"
fi
mkdir -p $folder/open && chmod a+w $folder/open
(CULVERT_CACHE_DIR=$folder/open; export CULVERT_CACHE_DIR; examine 0; exit $failed) || failed=1
says "an open cache" "[ warn ] cache" "fix:       chmod go-w $folder/open"
(CULVERT_CACHE=off; export CULVERT_CACHE; examine 0; exit $failed) || failed=1
says "no cache" "[ note ] cache" "the cache is disabled"

# The software device without its compiler, with one of another build, and with one that does not start.
if [ -x culvert-softcuda-compile ]; then
	mkdir $folder/parts
	for part in $PWD/*; do
		[ -f $part ] && ln -s $part $folder/parts
	done
	compiler=$folder/parts/culvert-softcuda-compile
	rm $compiler $folder/parts/culvert
	cp culvert $folder/parts
	parts() {
		$folder/parts/culvert doctor >$folder/out 2>&1
		says "$1" "[ warn ] parts      culvert-softcuda-compile $2" "the software device interprets all kernels" \
			"fix:       sudo make install"
	}
	parts "no compiler of kernels" "is missing: "
	printf '#!/bin/sh\necho 0.0.1 0123456789abcdef\n' >$compiler
	chmod +x $compiler
	build=$(sed -n 's/^#define CULVERT_BUILD "\(.*\)"$/\1/p' build_name.h)
	parts "a compiler of another build" "is of another build than this tool, $build"
	printf '#!/bin/sh\nexit 2\n' >$compiler
	parts "an older compiler" "is of another build than this tool"
	printf '#!/bin/sh\necho libLLVM.so.99 is missing >&2\nexit 127\n' >$compiler
	parts "a compiler without its libraries" "cannot be executed (libLLVM.so.99 is missing): "
	rm $compiler
	ln -s $PWD/culvert-softcuda-compile $compiler
	$folder/parts/culvert doctor >$folder/out 2>&1
	grep 'warn.*culvert-softcuda-compile' $folder/out && fail "the compiler of this build"
fi

# Other machines, by their files.
machine() {
	root=$folder/machine
	rm -rf $root
	mkdir -p $root/etc/OpenCL/vendors $root/dev $root/proc/driver/nvidia \
		$root/sys/bus/pci/devices/0000:01:00.0 $root/sys/module
	echo libculvert.so >$root/etc/OpenCL/vendors/culvert.icd
	echo 0x10de >$root/sys/bus/pci/devices/0000:01:00.0/vendor
	echo 0x030000 >$root/sys/bus/pci/devices/0000:01:00.0/class
}
driver() {
	mkdir -p $root/sys/module/nvidia
	echo 580.95.05 >$root/sys/module/nvidia/version
	echo "NVRM version: 580.95.05" >$root/proc/driver/nvidia/version
	mkdir -p $root/usr/lib/x86_64-linux-gnu
	library $root/usr/lib/x86_64-linux-gnu
}
# library FOLDER: libcuda as NVIDIA's packages install it
library() {
	mkdir -p $1
	echo a library >$1/libcuda.so.580.95.05
	ln -s libcuda.so.580.95.05 $1/libcuda.so.1
}
CULVERT_CUDA=auto
export CULVERT_CUDA
machine
driver
touch $root/dev/nvidia0 $root/dev/nvidiactl $root/dev/nvidia-uvm
examine 0 --root $root
says "a good machine" "1 NVIDIA GPU on the PCI bus" "module nvidia 580.95.05" "1 GPU can be opened" "names libculvert.so" \
	"[  ok  ] driver     /usr/lib/x86_64-linux-gnu/libcuda.so.1 is libcuda.so.580.95.05"
rm $root/dev/nvidia-uvm
examine 1 --root $root
says "no nvidia-uvm" "[ FAIL ] devices" "fix:       sudo nvidia-modprobe -u -c 0"
mkdir -p $root/run && touch $root/run/.containerenv
examine 1 --root $root
says "no nvidia-uvm in a container" "fix:       sudo nvidia-modprobe -u -c 0   # on the host; then start the container again"
rm -r $root/run
touch $root/dev/nvidia-uvm
if [ "$(id -u)" != 0 ]; then
	chmod 0 $root/dev/nvidiactl
	examine 1 --root $root
	says "a locked device" "/dev/nvidiactl cannot be opened" "fix:       sudo chmod a+rw /dev/nvidia*"
fi
# What a control group withholds (EPERM): another job's GPUs are no fault, the last one is.  A security module answers EACCES.
shim=$PWD/tests/stress/libdisk-fault.so
# denied PATH ERROR CODE: PATH of the machine cannot be opened for that reason
denied() {
	(FAULT_DISK=access FAULT_DISK_IN=$root$1 FAULT_DISK_ERROR=$2 LD_PRELOAD=$shim; export FAULT_DISK FAULT_DISK_IN FAULT_DISK_ERROR LD_PRELOAD
	examine $3 --root $root; exit $failed) || failed=1
}
if [ -e "$shim" ]; then
	touch $root/dev/nvidia1 $root/dev/nvidia2
	chmod a+rw $root/dev/nvidia*
	denied /dev/nvidia1 1 0
	says "a job with two GPUs of three" "[ note ] devices    the control group of this process allows 2 of 3 GPUs" "2 GPUs can be opened"
	denied /dev/nvidia 1 1
	says "a job without a GPU" "/dev/nvidia0 cannot be opened: the control group of this process does not allow it" \
		"/dev/nvidiactl cannot be opened: the control group" "fix:       sudo systemctl edit UNIT"
	touch $root/run/.containerenv 2>/dev/null || { mkdir $root/run && touch $root/run/.containerenv; }
	denied /dev/nvidia 1 1
	says "a container that lost its GPU" "fix:       start the container again   # 'systemctl daemon-reload'"
	denied /dev/nvidia0 13 1
	says "a container under SELinux" "/dev/nvidia0 cannot be opened: Permission denied" "fix:       podman run --security-opt label=disable"
fi
machine
examine 1 --root $root
says "no module" "[ FAIL ] kernel" "fix:       sudo modprobe nvidia   # or: install NVIDIA's driver"
printf 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n' >$root/etc/os-release
examine 1 --root $root
says "no module of Ubuntu's" "sudo modprobe nvidia   # or: sudo ubuntu-drivers install && sudo reboot"
echo ID=debian >$root/etc/os-release
mkdir $root/sys/module/nouveau
examine 1 --root $root
says "nouveau" "uses the nouveau driver" "fix:       sudo apt install nvidia-driver && sudo reboot"
machine
driver
touch $root/.dockerenv
examine 1 --root $root
says "a container without a GPU" "has no access to a GPU" "docker run --gpus all"
machine
echo 0x8086 >$root/sys/bus/pci/devices/0000:01:00.0/vendor
examine 0 --root $root
says "no GPU" "no NVIDIA GPU on the PCI bus"
rm $root/etc/OpenCL/vendors/culvert.icd
examine 1 --root $root
says "no .icd file there" "[ FAIL ] icd"
examine 2 --root $folder/nowhere
exit $failed
