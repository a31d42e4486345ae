#!/bin/sh
# Protects: `culvert cache` counts, lists, verifies and clears the folder that programs
# fill: what a hand-made mistake damages is found, and left to them.
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
unset CUDA_CACHE_DISABLE CULVERT_CACHE_SIZE
CULVERT_CACHE=on CULVERT_CACHE_DIR=$folder/cache
export CULVERT_CACHE CULVERT_CACHE_DIR
failed=0
fail() {
	echo "$@"
	failed=1
}
# expect CODE ARGUMENT...: exit code; what was printed is in out
expect() {
	wanted=$1
	shift
	./culvert cache "$@" >$folder/out 2>$folder/errors
	code=$?
	[ $code = $wanted ] || { fail "cache $*: exit code $code, not $wanted"; cat $folder/out $folder/errors; }
}
expect 0 stat
grep -q '^entries *0$' $folder/out || fail "a folder that is not there has entries"
[ ! -e $folder/cache ] || fail "looking made the folder"
expect 0 clear

for test in vector_add barrier_reduction; do
	tests/kernels/runner "${srcdir:-.}/tests/kernels/$test.clt" >$folder/log || { cat $folder/log; exit 1; }
done
files=$(ls $folder/cache | grep -cx '[0-9a-f]\{64\}')
size=$(find $folder/cache -type f -regex '.*/[0-9a-f]*' -printf '%s\n' | awk '{n += $1} END {print n}')
[ "$files" -ge 2 ] || fail "two programs left $files files"
expect 0 stat --json
grep -qF "\"entries\": $files," $folder/out && grep -qF "\"size_B\": $size," $folder/out ||
	{ fail "not $files entries of $size bytes:"; cat $folder/out; }
expect 0 list
sed 1d $folder/out | cut -d ' ' -f 1 | sort >$folder/short
ls $folder/cache | grep -x '[0-9a-f]\{64\}' | sort >$folder/listed
cut -c 1-12 $folder/listed | cmp -s - $folder/short || { fail "the list is another one:"; cat $folder/out; }
# Programs by their kernels.
for kernel in $(sed -n 's/^kernel void \([a-z_]*\).*/\1/p' "${srcdir:-.}/tests/kernels/vector_add.clt" "${srcdir:-.}/tests/kernels/barrier_reduction.clt"); do
	grep -q "^[0-9a-f]\{12\}  $(date +%Y)-[-0-9]* [0-9:]* .* \(KiB\|B\)  sm_[0-9]* .*[ ,]$kernel\(,\|$\)" $folder/out ||
		{ fail "the list does not name $kernel:"; cat $folder/out; }
done
expect 0 list --json
[ "$(grep -c '"key"' $folder/out)" = "$files" ] || fail "the JSON list is of another length"
[ "$(sed -n 's/.*"key": "\(.*\)",/\1/p' $folder/out | sort)" = "$(cat $folder/listed)" ] || fail "the JSON list has other keys"
# What includes files has an index beside each build; objects and libraries have no kernels.
echo '#define VALUE 1' >$folder/value.h
echo '#include "value.h"
kernel void with_header(global int *p) { p[0] = VALUE; } kernel void the_second(global int *p) { p[1] = VALUE; }' >$folder/k.cl
for value in 1 2; do
	echo "#define VALUE $value" >$folder/value.h
	./culvert run $folder/k.cl -k with_header -g 1 -a zero:2 >$folder/log || { cat $folder/log; fail "a program with a header"; }
done
expect 0 list
[ "$(grep -c 'with_header, the_second$' $folder/out)" = 2 ] || { fail "not two builds:"; cat $folder/out; }
grep -q '(index of 2 builds by included files)$' $folder/out || { fail "no index:"; cat $folder/out; }
# Looking is no use, in either sense.
before=$(cd $folder/cache && stat -c '%n %Y %Z' *)
expect 0 list
[ "$before" = "$(cd $folder/cache && stat -c '%n %Y %Z' *)" ] || fail "looking changes the folder"
ls $folder/cache | grep -x '[0-9a-f]\{64\}' | sort >$folder/listed
files=$(wc -l <$folder/listed)
expect 0 verify

victim=$(head -n 1 $folder/listed)
printf X | dd of=$folder/cache/$victim bs=1 seek=90 conv=notrunc 2>/dev/null
expect 1 verify
grep -q "^$victim *damaged" $folder/out || fail "the damaged entry is not named"
expect 1 verify --json
grep -qF "\"$victim\"" $folder/out || fail "the damaged entry is not in the JSON"
expect 0 list
grep -q "^$(echo $victim | cut -c 1-12) .* damaged$" $folder/out || { fail "the list does not say what is damaged:"; cat $folder/out; }
[ -e $folder/cache/$victim ] || fail "looking took the damaged entry away"

# Machine code of the software device.
CULVERT_CUDA=soft CULVERT_SOFT_JIT=always tests/kernels/runner "${srcdir:-.}/tests/kernels/vector_add.clt" >$folder/log ||
	{ cat $folder/log; fail "no machine code"; }
expect 0 list
grep -q ' -       vector_add (machine code of the software device)$' $folder/out || { fail "no machine code in the list:"; cat $folder/out; }
expect 0 list --json
grep -q '"kind": "machine code"' $folder/out || { fail "no machine code in the JSON list:"; cat $folder/out; }
files=$(ls $folder/cache | grep -cx '[0-9a-f]\{64\}')

touch $folder/cache/mine
expect 0 clear
grep -q "^$files entries" $folder/out || { fail "not $files entries cleared"; cat $folder/out; }
ls $folder/cache | grep -qx '[0-9a-f]\{64\}' && fail "entries are left"
[ -e $folder/cache/mine ] || fail "a foreign file was taken away"
expect 0 stat

expect 2
expect 2 polish
expect 2 stat list
chmod g+w $folder/cache
expect 3 stat
CULVERT_CACHE=off
expect 3 stat
exit $failed
