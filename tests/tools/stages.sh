#!/bin/sh
# Protects: CULVERT_OVERRIDE takes a file in a stage's place, for source, NVVM IR and PTX,
# and leaves nothing of it in the cache; CULVERT_HELP prints the options and no more.
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
unset CUDA_CACHE_DISABLE
CULVERT_CACHE=on CULVERT_CACHE_DIR=$folder/cache
export CULVERT_CACHE CULVERT_CACHE_DIR
failed=0
fail() {
	echo "$@"
	failed=1
}
echo 'kernel void k(global int *out) { out[0] = 1111; }' >$folder/k.cl
# gives NUMBER: what the kernel writes
gives() {
	./culvert run $folder/k.cl -g 1 -a zero:1 >$folder/out 2>$folder/errors
	[ "$(sed 's/^[a-z]*\[1\] //' $folder/out)" = "$1" ] || { fail "expected $1, got:"; cat $folder/out $folder/errors; }
}
mkdir $folder/dump $folder/other
(CULVERT_DUMP=$folder/dump; export CULVERT_DUMP; gives 1111; exit $failed) || failed=1
# Machine code is made where a GPU is to run it, by NVIDIA's PTX compiler library.
cubins=$(ls $folder/dump | grep -c '\.cubin$')
if [ "${CULVERT_CUDA:-soft}" = soft ]; then
	[ "$cubins" = 0 ] || fail "machine code for the software device"
elif [ -f libculvert-ptxcompiler.so ]; then
	[ "$cubins" = 1 ] && [ "$(head -c 4 $folder/dump/*.cubin | tail -c 3)" = ELF ] || fail "no machine code in the dump"
fi
CULVERT_OVERRIDE=$folder/other
export CULVERT_OVERRIDE
gives 1111
for stage in ptx nvvm.ll cl; do
	file=$(cd $folder/dump && ls *.$stage | grep -v "[0-9a-f]\.ll$" | head -n 1)
	grep -q 1111 $folder/dump/$file || fail "$stage: the dump lacks what is to be changed"
	sed 's/1111/2222/' $folder/dump/$file >$folder/other/$file
	gives 2222
	rm $folder/other/$file
done
[ ! -e $folder/cache ] || fail "an overridden program is in the cache"
unset CULVERT_OVERRIDE
gives 1111

# Two sources of one FNV-1a, which named their files once: neither takes the other's files, or overwrites them.
mkdir $folder/pair
printf 'kernel void k(global int *p) { *p = 1; } //c9h59.K4MYL' >$folder/k.cl
(CULVERT_DUMP=$folder/pair; export CULVERT_DUMP; gives 1; exit $failed) || failed=1
printf 'kernel void k(global int *p) { *p = 2; } //TQ0NLTYulbE' >$folder/k.cl
(CULVERT_OVERRIDE=$folder/pair; export CULVERT_OVERRIDE; gives 2; exit $failed) || failed=1
(CULVERT_DUMP=$folder/pair; export CULVERT_DUMP; gives 2; exit $failed) || failed=1
[ "$(ls $folder/pair/*.cl | wc -l)" = 2 ] || fail "one source's files took the place of the other's"

CULVERT_HELP=1 ./culvert devices >$folder/out 2>$folder/errors || fail "CULVERT_HELP: exit code $?"
for name in $(sed -n 's/^OPTION(\([A-Z_]*\),.*/\1/p' "${srcdir:-.}/base/config.def"); do
	[ "$(grep -c "^  CULVERT_$name\(=.*\)\{0,1\}\$" $folder/errors)" = 1 ] || fail "CULVERT_$name is not printed once"
done
grep -qF "CULVERT_CACHE_DIR=$folder/cache" $folder/errors || fail "a value that was set is not told"
grep -q CULVERT_ $folder/out && fail "something of it is on stdout"
./culvert devices 2>$folder/errors >$folder/out
[ ! -s $folder/errors ] || fail "something is printed though nobody asked"
exit $failed
