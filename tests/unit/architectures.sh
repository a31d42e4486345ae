#!/bin/sh
# Protects: every overload of the functions of sub-groups, work-groups, images and extensions, and those of pipes,
# compile for each generation of GPUs, optimised or not, and ptxas and softcuda take the result.
# ARCHITECTURES_ALL=1: every generation both ways, and ptxas optimises (minutes).
"$PYTHON3" -c '' 2>/dev/null || { echo "skipped: no $PYTHON3"; exit 77; }
[ -x "$PTXAS" ] || { echo "skipped: no ptxas"; exit 77; }
folder=`mktemp -d` || exit 1
trap 'rm -rf "$folder"' EXIT
# The newest driver reads the PTX for all of them.
unset CULVERT_SOFT_DRIVER
file=$folder/calls.cl
"$PYTHON3" "${srcdir:-.}/tests/unit/builtins_coverage.py" --clang "$CLANG" \
	--kernels "$file" || exit 1
# Clang calls these by names of its own.
cat "${srcdir:-.}"/tests/kernels/pipe_groups.clt "${srcdir:-.}"/tests/kernels/pipe_reservations.clt >>"$file"
# Whether ptxas takes the code does not depend on how well it is optimised.
level=-O0
[ -z "$ARCHITECTURES_ALL" ] || level=-O1
try()
{
	option=$1
	shift
	tests/unit/compile_for "$file" $option "$@" || exit
	for sm; do
		"$PTXAS" $level -arch=sm_$sm -o "$file.cubin" "$file.$sm" || exit 1
		tests/unit/soft_load $sm "$file.$sm" || exit 1
		echo "sm_$sm $option: `grep -c '\.entry' "$file.$sm"` kernels"
	done
}
if [ -n "$ARCHITECTURES_ALL" ]; then
	try -cl-opt-disable 75 80 90 120
	try -cl-mad-enable 75 80 90 120
else
	try -cl-opt-disable 75
	try -cl-mad-enable 120
fi
# redux.sync came with sm_80.
! grep -q redux.sync "$file.75" && grep -q redux.sync "$file.120" || exit 1
# A read of a read_only image is one texture instruction.
reads=`grep -c 'read_only.* read_image' "$file"`
[ "$reads" -gt 60 ] || { echo "only $reads kernels read images"; exit 1; }
for made in "$file".[0-9]*; do
	[ "`grep -c 'tex\.' "$made"`" -eq "$reads" ] || { echo "$made: not $reads of tex"; exit 1; }
done
