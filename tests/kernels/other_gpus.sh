#!/bin/sh
# Protects: the newest and the oldest GPUs that are supported, with the oldest drivers that know them.  All kernel files run
# as on sm_120: for compute_100 and on, libnvvm has another compiler.  On sm_75 run those that are not the same there as
# on sm_90, for which all tests compile: whose NVVM IR differs, or whose code for sm_120 the device refuses as code for sm_75.
#
#	ALL=1 other_gpus.sh    all of them on sm_75, too
test "${CULVERT_CUDA:-soft}" = soft || exit 77
kernels=${srcdir:-.}/tests/kernels
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/newest" "$folder/oldest" || exit 99
export CULVERT_SOFT_SM CULVERT_SOFT_DRIVER
# The checker is on or off for a whole process, so files that need it run alone.
checked=$(grep -l '^//! check' "$kernels"/*.clt)
others=$(grep -L '^//! check' "$kernels"/*.clt)
# run SM DRIVER FOLDER FILES: what is made is in the folder
run() {
	CULVERT_SOFT_SM=$1 CULVERT_SOFT_DRIVER=$2
	unset CULVERT_DUMP
	for file in $checked; do
		tests/kernels/runner "$file" || test $? = 77 || exit 1
	done
	export CULVERT_DUMP="$3"
	shift 3
	tests/kernels/runner "$@" || exit 1
}
run 120 12.8 "$folder/newest" $others

# LLVM IR is the same for all GPUs until it is lowered, but for the features of which Clang is told that the GPU has them.
tests/unit/differs_for 75 90 $(ls "$folder/newest"/*.ll | grep -v nvvm) >"$folder/differ" || exit 1
count=$(wc -l <"$folder/differ")
mkdir "$folder/as" && cp $(ls "$folder/newest"/*.ptx | grep -v plain) "$folder/as" || exit 1
sed -i 's/^\.target sm_120/.target sm_75/' "$folder/as"/*
CULVERT_SOFT_DRIVER='' tests/unit/soft_load 75 "$folder/as"/* | sed -n 's,^.*/as/\(.*\)ptx: .*,newest/\1ll,p' >"$folder/refused"
features=$(sed -n 's/^LEAST_SM(\([a-z_]*\),.*/-e \1/p' "${srcdir:-.}/frontend/features.def")
[ -n "$features" ] || { echo "features.def has no LEAST_SM"; exit 1; }
# Of math_hyperbolic.clt, libnvvm makes other PTX, although the IR is the same.
ls $(grep -l $features $others) "$kernels/math_hyperbolic.clt" >"$folder/files"
# The source of what was made is the kernel file.  What does not run on sm_120 is not there.
sums() {
	cksum "$@" | sort
}
sums $others >"$folder/all.sums"
sums "$folder/newest"/*.cl >"$folder/made.sums"
sums $(sed 's/ll$/cl/' "$folder/differ") $(sed "s,^,$folder/,; s/ll\$/cl/" "$folder/refused") >"$folder/other.sums"
awk 'FILENAME ~ /other/ { other[$1, $2]; next } FILENAME ~ /made/ { made[$1, $2]; next }
	($1, $2) in other || !(($1, $2) in made) { print $3 }' \
	"$folder/other.sums" "$folder/made.sums" "$folder/all.sums" >>"$folder/files"
files=$(sort -u "$folder/files")
[ -z "$ALL" ] || files=$others
echo "$count programs differ, $(wc -l <"$folder/refused") are refused; on sm_75 run $(echo "$files" | wc -l) files"
[ "$count" -ge 20 ] && [ -s "$folder/refused" ] || { echo "FAIL: too few"; exit 1; }
run 75 12.0 "$folder/oldest" $files

# Their code for other processors than this one is made, but not run.
newest=$(ls "$folder/newest"/*.ptx | grep -v plain) oldest=$(ls "$folder/oldest"/*.ptx | grep -v plain)
tests/unit/soft_jit_for +neon $newest || [ $? = 77 ] || exit 1
tests/unit/soft_jit_for +neon,+sve $newest $oldest || [ $? = 77 ]
