#!/bin/sh
# Protects: hosts that have an LLVM and a Clang of their own, of any version: shared or static, with their names
# visible to libraries or not, whether programs are compiled in a process apart or within the host.
#
#	another_llvm.sh                    what takes no more than a minute
#	ANOTHER_LLVM=all another_llvm.sh   every LLVM that is installed, and static Clang
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc} cxx=${CXX:-c++}
# Where it is installed, LLVM's linker takes a third of the time for a static LLVM.
linker=
! echo 'int main(void) { return 0; }' | $cc -fuse-ld=lld -x c - -o /dev/null 2>/dev/null || linker=-fuse-ld=lld
case " $CFLAGS $SANITIZER_RUNTIME" in *san*) echo 'skipped: a sanitizer has opinions on every LLVM'; exit 77 ;; esac
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
status=0 hosts=0
unset CULVERT_COMPILER

# Of installed ones: that of the build, and another one.
configs=
for number in 19 14 15 16 17 18 20 21 22; do
	config=$(command -v llvm-config-$number) || continue
	[ -f "$($config --includedir)/llvm-c/Transforms/PassBuilder.h" ] || continue
	configs="$configs $config"
	[ "$ANOTHER_LLVM" = all ] || [ "$(echo $configs | wc -w)" -lt 2 ] || break
done
[ -n "$configs" ] || { echo 'skipped: no llvm-config'; exit 77; }

run() { # what it is, where programs are compiled, program, arguments
	what="$1, compilers: $2"
	CULVERT_COMPILER=$2
	export CULVERT_COMPILER
	shift 2
	timeout -s KILL 300 "$@" >"$folder/out" 2>&1
	code=$?
	hosts=$((hosts + 1))
	[ $code -ne 77 ] || { cat "$folder/out"; exit 77; }
	[ $code -ne 0 ] || { echo "$what: well"; return; }
	echo "FAIL: $what: $code"
	head -n 8 "$folder/out"
	status=1
}

# libclang's own headers, or those of another version: its C interface is stable.
libclang_include() { # LLVM's libdir
	for include in "$1/../include" /usr/lib/llvm-*/include; do
		[ -f "$include/clang-c/Index.h" ] && { echo "-idirafter $include"; return; }
	done
}

build_c() { # output, config, linkage
	libdir=$($2 --libdir) libclang='' include=''
	libraries=$($2 --link-$3 --libs core native passes analysis 2>/dev/null | sed 's/-lPolly[A-Z]*//g') || return 1
	if [ $3 = static ]; then
		# A shared libclang would bring its own LLVM into the host.
		libraries="$libraries $($2 --link-static --system-libs) -lstdc++ -lm"
	else
		libclang=$(ls "$libdir"/libclang-*.so.1 "$libdir"/libclang.so.1 2>/dev/null | head -n 1)
		include=$(libclang_include "$libdir")
		[ -z "$libclang" ] || [ -z "$include" ] || include="$include -DHAVE_LIBCLANG"
	fi
	$cc -std=gnu11 -w -O1 -rdynamic $linker -DCL_TARGET_OPENCL_VERSION=300 -I"$here/../.." \
		-isystem "$($2 --includedir)" $include "$here/another_llvm.c" -o "$1" -L"$libdir" $libraries $libclang \
		-Wl,-rpath,"$libdir" -lOpenCL -lpthread >"$folder/log" 2>&1
}

for config in $configs; do
	version=$($config --version)
	for linkage in shared static; do
		build_c "$folder/host" $config $linkage && "$folder/host" alone >"$folder/log" 2>&1 ||
			{ echo "$linkage LLVM $version: left out: $(tail -n 1 "$folder/log")"; continue; }
		run "$linkage LLVM $version" process "$folder/host"
		run "$linkage LLVM $version, and LLVMShutdown" process "$folder/host" shutdown
		if [ $linkage = static ] && readelf -d libculvert-frontend.so 2>/dev/null | grep -q 'NEEDED.*LLVM'; then
			# Its symbols come before those of ours.
			run "$linkage LLVM $version" inside "$folder/host" refused
		else
			run "$linkage LLVM $version" inside "$folder/host"
			run "$linkage LLVM $version, and LLVMShutdown" inside "$folder/host" shutdown
		fi
	done
	[ "$ANOTHER_LLVM" = all ] && [ -f "$($config --libdir)/libclangCodeGen.a" ] || continue
	$cxx -std=c++17 -w -O0 -rdynamic -isystem "$($config --includedir)" "$here/another_clang.cpp" -o "$folder/clang" \
		-Wl,--start-group $($config --libdir)/libclang[A-Z]*.a -Wl,--end-group \
		$($config --link-static --ldflags --libs | sed 's/-lPolly[A-Z]*//g') $($config --link-static --system-libs) \
		-lOpenCL -lpthread >"$folder/log" 2>&1 ||
		{ echo "static Clang $version: left out: $(tail -n 1 "$folder/log")"; continue; }
	run "static Clang $version" process "$folder/clang"
done
echo "$hosts hosts"
[ $hosts -gt 0 ] || exit 77
exit $status
