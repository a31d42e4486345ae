#!/bin/sh
# Protects: a program from the cache, of this process or of another, and one made from its
# binary are what the compiled one was: all kernel files run in each way, and everything
# that can be asked of them is compared, and every byte of their buffers.  One of the ways is with kernels
# as machine code (CULVERT_SOFT_JIT), whose bits are those of the interpreter.
kernels=${srcdir:-.}/tests/kernels
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
# Which values meet in atomics_exchange.clt, and which is left in atomics_exchange_half.clt, is up to the
# order of their work-groups.
compare='diff -r -x atomics_exchange.clt.* -x atomics_exchange_half.clt.d'
unset CUDA_CACHE_DISABLE CULVERT_CACHE_SIZE
# In `make check`, the kernel files' own tests run what is compiled here.
cache=$PWD/tests/kernels/cached.programs
rm -rf "$cache" || exit 99
CULVERT_CACHE=on CULVERT_CACHE_DIR=$cache CULVERT_DEBUG=info
export CULVERT_CACHE CULVERT_CACHE_DIR CULVERT_DEBUG

fail() {
	echo "FAIL: $*"
	failed=1
}

# way NAME ARGUMENTS: facts in NAME.facts, buffers in NAME.save/, and in NAME.again/ of a second time, what was said in
# NAME.log
way() {
	name=$1
	shift
	mkdir "$work/$name.save" "$work/$name.again"
	tests/kernels/runner --facts "$work/$name.facts" --save "$work/$name.save" --again "$work/$name.again" "$@" \
		>"$work/$name.out" 2>"$work/$name.log" || fail "$name: $(tail -n 3 "$work/$name.out")"
}
builds() {
	grep -c 'info: build:' "$work/$1.log"
}
same() {
	cmp "$work/cold.facts" "$work/$1.facts" || fail "$1: other facts"
	$compare "$work/cold.save" "$work/$1.save" >/dev/null || fail "$1: other results"
}

# A build that failed is tried again by the next process.  Files with checks need a process each.
good=$(grep -L -e '^//! build-fails' -e '^//! check' "$kernels"/*.clt)
count=$(echo "$good" | wc -l)
[ "$count" -gt 90 ] || fail "only $count kernel files"
# Launches of ids_beyond_32_bits.clt have code of their own, made when the first of them comes.
built=$((count + 1))

[ "${CULVERT_CUDA:-soft}" != soft ] || export CULVERT_SOFT_JIT=off
# In one process: each file twice, so that the second time is from memory: nothing is found in the folder.
twice=$(echo "$good" | sed 'p')
# halves NAME: NAME.first and NAME.second, the facts of each file's first and second time
halves() {
	awk '/^== / { half = seen[$2]++ } { print > (half ? second : first) }' \
		first="$work/$1.first" second="$work/$1.second" "$work/$1.facts"
}
way cold $twice
[ "$(builds cold)" = "$built" ] || fail "cold: $(builds cold) builds of $built"
grep 'info: cache: ' "$work/cold.log" | tail -n 1 | grep -q 'cache: 0 hits' ||
	fail "cold: not all from memory: $(grep 'info: cache: ' "$work/cold.log" | tail -n 1)"
halves cold
cmp "$work/cold.first" "$work/cold.second" || fail "cold: other facts the second time"
$compare "$work/cold.save" "$work/cold.again" >/dev/null || fail "cold: other results the second time"
mv "$work/cold.first" "$work/cold.facts"
# Each kernel that the compiler takes becomes machine code before its first work-group.
[ "${CULVERT_CUDA:-soft}" != soft ] || CULVERT_SOFT_JIT=always
way warm $good
same warm
if [ "${CULVERT_CUDA:-soft}" = soft ]; then
	compiled=$(grep -c "softcuda: kernel '.*' is \(compiled\|in the cache\)" "$work/warm.log")
	interpreted=$(grep -c "softcuda: kernel '.*' is interpreted" "$work/warm.log")
	echo "$compiled kernels became machine code, $interpreted were interpreted"
	[ "$compiled" -gt 300 ] || fail "$(grep 'softcuda: kernels\{0,1\} .*interpreted' "$work/warm.log" | head -n 20)"
	# Its own code is right: LLVM checks it before it compiles it.
	grep 'LLVM refuses' "$work/warm.log" && failed=1
	CULVERT_SOFT_JIT=off
fi
[ "$(builds warm)" = 0 ] || fail "warm: $(builds warm) builds"
# What a hit is for: neither the compiler nor libnvvm is loaded.
grep -E 'info: (compiler|libnvvm)' "$work/warm.log" && fail "warm: a compiler was loaded"

# The same where the first time is from the folder, and puts into memory what is there the second time.
way memory $twice
[ "$(builds memory)" = 0 ] || fail "memory: $(builds memory) builds"
halves memory
for time in first second; do
	cmp "$work/cold.facts" "$work/memory.$time" || fail "memory: other facts the $time time"
done
for time in save again; do
	$compare "$work/cold.save" "$work/memory.$time" >/dev/null || fail "memory: other results, in $time"
done

# Where there can be no folder, memory helps all the same.  These are compiled a second time: what can be asked of them is the same,
# but for libnvvm's bytes.  ids_beyond_32_bits.clt, which is built twice, is not among them, whichever files there are.
few=$(echo "$good" | grep -v ids_beyond_32_bits | awk 'NR % 28 == 1')
count=$(echo "$few" | wc -l)
CULVERT_CACHE_DIR=/dev/null
way nowhere $(echo "$few" | sed 'p')
[ "$(builds nowhere)" = "$count" ] || fail "nowhere: $(builds nowhere) builds of $count"
halves nowhere
cmp "$work/nowhere.first" "$work/nowhere.second" || fail "nowhere: other facts the second time"
echo "$few" | awk 'NR == FNR { sub(/.*\//, ""); few[$1]; next } /^== / { wanted = $2 in few } wanted' - \
	"$work/cold.facts" >"$work/few.facts"
for name in nowhere.first few.facts; do
	grep -v CL_PROGRAM_BINARIES "$work/$name" >"$work/$name.asked"
done
cmp "$work/nowhere.first.asked" "$work/few.facts.asked" || fail "nowhere: other facts"
mkdir "$work/few.save"
for file in $(ls "$work/nowhere.save"); do
	cp "$work/cold.save/$file" "$work/few.save" || fail "nowhere: another buffer, $file"
done
for time in save again; do
	$compare "$work/few.save" "$work/nowhere.$time" >/dev/null || fail "nowhere: other results, in $time"
done
CULVERT_CACHE_DIR=$cache

# From the binary, in a process that has compiled nothing.  It has no source, and no log.
way binary --binary $good
for name in cold binary; do
	grep -v -e CL_PROGRAM_SOURCE -e CL_PROGRAM_BUILD_LOG "$work/$name.facts" >"$work/$name.kept"
done
cmp "$work/cold.kept" "$work/binary.kept" || fail "binary: other facts"
$compare "$work/cold.save" "$work/binary.save" >/dev/null || fail "binary: other results"

# The launch of a whole grid at once, with nothing done in the process before it.
alone=$(ls "$kernels"/grid_barrier*.clt)
for file in $alone; do
	name=alone-$(basename "$file" .clt)
	way "$name" "$file"
	[ "$(builds "$name")" = 0 ] || fail "$name: compiled"
	grep -q '^SKIP' "$work/$name.out" && fail "$name: skipped"
done
exit $failed
