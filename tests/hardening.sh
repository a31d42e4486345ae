#!/bin/sh
# Protects: what configure --help calls hardening is in the files that are installed.
grep -q '^enable_hardening=.no' config.log && exit 77
command -v readelf >/dev/null || exit 77
failed=0
fail() {
	echo "$@"
	failed=1
}
flags=$(sed -n 's/^CULVERT_C\(PP\)\{0,1\}FLAGS = //p' Makefile | tr '\n' ' ')
asked() {
	case " $flags " in *" $1 "*) ;; *) return 1 ;; esac
}
files=$(ls libculvert.so libculvert-softcuda.so libculvert-trace.so libculvert-frontend.so \
	libculvert-ptxcompiler.so culvert culvert-compile culvert-softcuda-compile 2>/dev/null)
for file in $files; do
	program=$file
	# libtool has none here, but a wrapper would be a script.
	readelf -h "$program" >/dev/null 2>&1 || { fail "$program is no ELF file"; continue; }
	readelf -lW "$program" | grep -q GNU_RELRO || fail "$file: no RELRO"
	readelf -dW "$program" | grep -E '\(FLAGS(_1)?\)' | grep -qE 'BIND_NOW|NOW' || fail "$file: no BIND_NOW"
	readelf -dW "$program" | grep -q TEXTREL && fail "$file: its code is written to when it is loaded"
	readelf -lW "$program" | grep GNU_STACK | grep -q 'RWE' && fail "$file: a stack that is code"
	readelf -lW "$program" | awk '$1 == "LOAD" && /RWE/ { found = 1 } END { exit !found }' &&
		fail "$file: memory that is written to and run"
done
for program in culvert culvert-compile culvert-softcuda-compile; do
	readelf -hW $program | grep -q 'DYN' || fail "$program: no position-independent executable"
done
if asked -fstack-protector; then
	for file in libculvert.so culvert-compile cache/libcache.a frontend/libfrontend.a; do
		{ nm -D --undefined-only $file; nm --undefined-only $file; } 2>/dev/null |
			grep -q '__stack_chk_fail' || fail "$file: stacks are not guarded"
	done
fi
if asked -D_FORTIFY_SOURCE=2; then
	nm -D --undefined-only libculvert.so | grep -q '_chk\(@.*\)\{0,1\}$' || fail "libculvert.so: no string function knows sizes"
fi
# A whole library is marked only where the C library's own files are.
feature=
asked -fcf-protection && feature='IBT, SHSTK'
asked -mbranch-protection=standard && feature='BTI, PAC'
if [ -n "$feature" ]; then
	for file in icd/libicd.a icd/compile/libcompile.a backend/libbackend.a base/libbase.a frontend/libfrontend.a; do
		# BLAKE3's objects are as LLVM was built: with or without it.
		readelf -nW $file 2>/dev/null | awk -v feature="$feature" '
			/^File: / { own = $2 !~ /\(blake3/; own_count += own }
			own && index($0, feature) { marked++ }
			END { exit !(own_count && own_count == marked) }' ||
			fail "$file: not all of it is made for $feature"
	done
fi
exit $failed
