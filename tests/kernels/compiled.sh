#!/bin/sh
# Protects: kernels as machine code (CULVERT_SOFT_JIT) give what the kernel files expect: each kernel that the compiler
# takes becomes machine code before its first work-group, which may be in the cache.  t_soft_jit compares the bits of random kernels with the interpreter's.
kernels=${srcdir:-.}/tests/kernels
log=$(mktemp) || exit 99
trap 'rm -f "$log"' EXIT
failed=0
CULVERT_SOFT_JIT=always CULVERT_DEBUG=info
export CULVERT_SOFT_JIT CULVERT_DEBUG
# checked_compiled.sh does the same for launches that are checked, whose tests take what is logged for a report.
files=$(grep -L '^//! check' "$kernels"/*.clt)
tests/kernels/runner $files >"$log" 2>&1 || { echo "FAIL: $?"; grep -v 'culvert: info' "$log" | tail -n 40; failed=1; }
compiled=$(grep -c "softcuda: kernel '.*' is \(compiled\|in the cache\)" "$log")
interpreted=$(grep -c "softcuda: kernel '.*' is interpreted" "$log")
echo "$compiled kernels became machine code, $interpreted were interpreted"
[ "$compiled" -gt 300 ] || { grep "softcuda: kernels\{0,1\} .*interpreted" "$log" | head -n 20; failed=1; }
# Its own code is right: LLVM checks it before it compiles it.
grep 'LLVM refuses' "$log" && failed=1
exit $failed
