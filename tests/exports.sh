#!/bin/sh
# Protects: the host's symbols.  Exactly the loader's entry points are visible in
# libculvert.so, and nothing but cu* and the few calls of control.h in the software
# driver; no LLVM symbol leaks.
driver=./libculvert.so
soft=./libculvert-softcuda.so
failed=0
visible() {
	nm -D --defined-only "$1" | awk '{print $3}' | sed 's/@.*//' | sort -u
}
for name in clGetExtensionFunctionAddress clIcdGetPlatformIDsKHR; do
	visible $driver | grep -qx $name || { echo "$driver does not export $name"; failed=1; }
done
extra=$(visible $driver | grep -vxE 'cl[A-Z][A-Za-z]*')
[ -z "$extra" ] || { echo "$driver also exports:"; echo "$extra" | head; failed=1; }
[ "$(visible $driver | wc -l)" -le 8 ] || { echo "$driver exports more than a loader needs"; visible $driver; failed=1; }
extra=$(visible $soft | grep -vxE 'cu[A-Z][A-Za-z0-9_]*|culvert_soft_(schedule|let_go|reports|faults?|calls|clock|copied|migrated|lacks|note_memory|rest)')
[ -z "$extra" ] || { echo "$soft also exports:"; echo "$extra" | head; failed=1; }
if readelf -d $soft | grep NEEDED | grep -iE 'llvm|stdc'; then
	echo "$soft loads LLVM, which its compiler's process alone should"
	failed=1
fi
# The compiler is loaded at the first build, not by everyone who looks at platforms.
frontend=
if [ -f ./libculvert-frontend.so ]; then
	frontend=./libculvert-frontend.so
	[ "$(visible $frontend)" = culvert_compiler ] || { echo "$frontend exports:"; visible $frontend | head; failed=1; }
	if readelf -d $driver | grep NEEDED | grep -iE 'llvm|clang|stdc'; then
		echo "$driver loads the compiler at once"
		failed=1
	fi
fi
ptx=
if [ -f ./libculvert-ptxcompiler.so ]; then
	ptx=./libculvert-ptxcompiler.so
	[ "$(visible $ptx)" = culvert_ptx_compiler ] || { echo "$ptx exports:"; visible $ptx | head; failed=1; }
fi
# What LLVM's build is known by, without which nothing is cached, is what the compiler loads: not a link that
# only the packages for developers have.
for file in $(echo "$LLVM_FILES" | tr -d '",'); do
	[ -z "$frontend" ] || ldd $frontend | sed -n 's/.* => \([^ ]*\) .*/\1/p' | xargs readlink -f | grep -qxF "$file" ||
		{ echo "$file is not what $frontend loads"; failed=1; }
done
# libcuda and libnvvm are found at run time, never linked.
for library in $driver $soft $frontend $ptx; do
	if readelf -d $library | grep NEEDED | grep -E 'libcuda|libnvvm|libOpenCL'; then
		echo "$library is linked to what must be found at run time"
		failed=1
	fi
done
exit $failed
