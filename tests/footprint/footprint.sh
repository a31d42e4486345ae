#!/bin/sh
# Protects: that each work-item writes no byte that its source does not write, and reads none that it
# does not read, by comparing softcuda's footprints with those of unoptimised code on the processor
# (reference.h).  Kernel files that are about single components and members, and random kernels, by
# value as well.
#
#	FOOTPRINT=all footprint.sh               all kernel files, minutes
#	FOOTPRINT_RUNS=1000 FOOTPRINT_FROM=9000  that many random kernels, from that number on
#	FOOTPRINT_SECONDS=3600 FOOTPRINT_FROM=9000  random kernels from that number on, for an hour
#	KERNEL_SECONDS=60 CULVERT_SOFT_SM=100    the time for the compilation of one, by default 600 s, and their GPU
#
# Needs clang and llvm-link of one version, in REFERENCE_LLVM
# (by default that of the build), and PoCL's library for this processor,
# REFERENCE_LIBRARY.  Without them only the footprint that is known is looked at.
here=${srcdir:-.}/tests/footprint
PYTHON3=${PYTHON3:-python3}
build=$(pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
CULVERT_CUDA=soft CULVERT_CACHE=off
export CULVERT_CUDA CULVERT_CACHE
# Older drivers do not know the newest of its GPUs.
unset CULVERT_SOFT_DRIVER
status=0

fail() {
	echo "FAIL: $*"
	status=1
}

# --- one that is known ---
CULVERT_SOFT_FOOTPRINT=$work/known tests/run-with-culvert ./culvert run "$here/known.cl" -k known -g 2 -l 2 \
	-a zero:2 -a range:2 -a zero:8 >"$work/out" 2>&1 || { cat "$work/out"; fail "known.cl"; }
sed 's/\$\$[0-9]*//' "$work/known" | sort >"$work/sorted"
sort "$here/known.txt" | diff - "$work/sorted" || fail "the footprint of known.cl"

# --- what compare allows of joined reads: not a unit whose first byte is not read, or of which less than half is ---
# joined STATUS START END [OPTION]: ours reads bytes START to END - 1; the source reads bytes 8 and 10 to 13
joined() {
	for run in '8 9' '10 14'; do echo "r 0 0 local few $run"; done | sed '1i launch few 1 1 1 1 1 1' >"$work/right"
	printf 'launch few 1 1 1 1 1 1\nr 0 0 local few %s %s\n' "$2" "$3" >"$work/joined"
	"$PYTHON3" "$here/compare" $4 "$work/right" "$work/joined" >"$work/out"
	[ $? = "$1" ] || fail "compare $4 of a read of bytes $2 to $3"
}
if command -v "$PYTHON3" >/dev/null; then
	joined 1 8 14
	joined 0 8 14 --joined-reads
	joined 0 8 16 --joined-reads
	joined 1 8 17 --joined-reads
	joined 1 7 14 --joined-reads
	joined 1 0 16 --joined-reads
fi

# --- what compare allows of early reads: of a variable, at an address that is a constant in the PTX ---
mkdir "$work/loads"
printf '\t%s\n' 'ld.shared.u32 %r1, [table$$3+4];' 'ld.shared.v2.u16 {%rs1, %rs2}, [pair];' 'ld.shared.u8 %rs3, [%r2+24];' \
	'st.shared.u32 [table$$3+12], %r1;' >"$work/loads/few.ptx"
# early STATUS RUN OPTION: work-item 0 reads these bytes, and in the source none of them
early() {
	printf 'launch few 1 1 1 1 1 1\nr 0 0 argument 1 0 1\n' >"$work/right"
	printf 'launch few 1 1 1 1 1 1\nr 0 0 argument 1 0 1\nr 0 0 %s\n' "$2" >"$work/early"
	"$PYTHON3" "$here/compare" $3 "$work/right" "$work/early" >"$work/out"
	[ $? = "$1" ] || fail "compare $3 of reads of bytes of $2"
}
if command -v "$PYTHON3" >/dev/null; then
	early 0 'local table 4 8' "--code $work"
	grep -qx '1 early reads' "$work/out" || fail "the number of early reads"
	early 0 'variable table 4 8' "--code $work/loads"
	early 0 'local pair 0 4' "--code $work/loads"
	early 1 'local table 4 8'
	early 1 'local table 4 9' "--code $work/loads"
	early 1 'local table 3 8' "--code $work/loads"
	early 1 'local table 12 16' "--code $work/loads"
	early 1 'local table 24 25' "--code $work/loads"
	early 1 'local arguments 4 8' "--code $work/loads"
	early 1 'argument 0 4 8' "--code $work/loads"
	# Reads of what the work-item itself writes, and no byte more.
	for end in 8 9; do
		printf 'launch few 1 1 1 1 1 1\nw 0 0 argument 0 4 8\n' >"$work/right"
		printf 'launch few 1 1 1 1 1 1\nr 0 0 argument 0 4 %s\nw 0 0 argument 0 4 8\n' $end >"$work/own"
		"$PYTHON3" "$here/compare" "$work/right" "$work/own" >"$work/out"
		[ $? = $((end - 8)) ] || fail "compare of a read of bytes 4 to $end, of which 4 to 7 are written"
	done
fi

# --- the reference, where there is one ---
[ -n "$REFERENCE_LLVM" ] || REFERENCE_LLVM=$(dirname "$(sed -n 's/^CLANG = //p' Makefile)")
[ -n "$REFERENCE_LIBRARY" ] || REFERENCE_LIBRARY=/usr/share/pocl/kernel-x86_64-pc-linux-gnu-GENERIC.bc
export REFERENCE_LLVM REFERENCE_LIBRARY
if ! [ -x "$REFERENCE_LLVM/clang" ] || ! [ -x "$REFERENCE_LLVM/llvm-link" ] || ! [ -f "$REFERENCE_LIBRARY" ] ||
		! [ -f tests/footprint/libreference.so ] || ! command -v "$PYTHON3" >/dev/null; then
	echo "no reference: clang, llvm-link, PoCL's library or python3 is missing"
	exit $status
fi
mkdir "$work/vendors" "$work/both"
echo "$build/tests/footprint/libreference.so" >"$work/vendors/reference.icd"
cp "$work/vendors/reference.icd" vendors/culvert.icd "$work/both"

# Ends the test where a platform was not there: its library cannot be loaded, or the build was changed meanwhile.
platforms_are_there() {
	grep -qE 'no such (platform|OpenCL device)' "$work/out" || return
	for library in $(cat "$work"/both/*.icd); do
		"$PYTHON3" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$library" 2>&1 | tail -n 1
	done
	fail "$1: a platform cannot be loaded (was the build changed while the test ran?)"
	exit 1
}

# What the files differ in for a reason that compare cannot see.
excused() {
	case $1 in
	atomics_local) echo "which element is changed depends on the order of work-items" ;;
	language_layouts | language_swizzles_assigned) echo "stores of what was just loaded there are left out" ;;
	vload_half_alignment) echo "PoCL 3.1's vstorea_half3 writes a fourth one" ;;
	offset_and_none) echo "a launch is split otherwise" ;;
	*) return 1 ;;
	esac
}

# Files whose local variables lie elsewhere, as lower_local.c places them: their global memory is compared.
moves_local() {
	case $1 in
	kernels_in_parts | local_above_48k | local_in_scopes | local_null | local_null_constant | \
		local_pointers_as_values | local_pointers_in_memory | local_pointers_kept) return 0 ;;
	*) return 1 ;;
	esac
}

start_anew() {
	rm -rf "$work/reference" "$work/ours" "$work/code"
	mkdir "$work/code"
}

# Runs a file on Culvert as each of the architectures, with and without optimisation; one footprint of all.
ours() {
	for sm in $2; do
		mkdir "$work/code/$sm"
		for options in "" $3; do
			CULVERT_SOFT_SM=$sm CULVERT_BUILD_OPTIONS=$options CULVERT_SOFT_FOOTPRINT=$work/ours \
				CULVERT_DUMP=$work/code/$sm \
				tests/run-with-culvert tests/kernels/runner --platform Culvert "$1" >"$work/out" 2>&1 || return 1
		done
	done
}

# kernel_file FILE [ARCHITECTURES [OPTION]]
kernel_file() {
	name=$(basename "$1" .clt)
	start_anew
	OCL_ICD_VENDORS=$work/vendors REFERENCE_FOOTPRINT=$work/reference \
		timeout 300 tests/kernels/runner --platform Reference "$1" >"$work/out" 2>&1 &&
		[ -s "$work/reference" ] && ours "$1" "${2:-90}" $3 || {
		platforms_are_there "$name"
		left="$left $name"
		return
	}
	local=
	! moves_local "$name" || local=--without-local
	"$PYTHON3" "$here/compare" $local --code "$work/code" "$work/reference" "$work/ours" >"$work/out"
	case $? in
	0)
		compared=$((compared + 1))
		count_early ;;
	77) left="$left $name" ;;
	*)
		reason=$(excused "$name") && { echo "$name: $reason"; return; }
		cat "$work/out"
		fail "$name" ;;
	esac
}

count_early() {
	number_here=$(sed -n 's/ early reads$//p' "$work/out")
	early=$((early + ${number_here:-0}))
}

# A compilation ends after KERNEL_SECONDS: libnvvm does not come to an end with a few kernels (docs/limits.md).
random_kernel() {
	start_anew
	OCL_ICD_VENDORS=$work/both REFERENCE_FOOTPRINT=$work/reference CULVERT_SOFT_FOOTPRINT=$work/ours \
		CULVERT_DUMP=$work/code CULVERT_LIBNVVM=$(tests/run-with-culvert printenv CULVERT_LIBNVVM) \
		CULVERT_COMPILER=process CULVERT_COMPILER_TIMEOUT=$KERNEL_SECONDS \
		timeout 900 tests/fuzz/fuzz_kernels --from "$1" --runs 1 "$here/../fuzz/kernels_prelude.cl" \
		against Reference >"$work/out" 2>&1
	value=$?
	tried=$((tried + 1))
	# The reference runs first, and writes its footprint at the end of the launch.
	if ! [ -s "$work/reference" ]; then
		platforms_are_there "kernel $1"
		# PoCL's library lacks functions in some versions: 6.0 atomics of private memory.
		if grep -q 'Symbols not found: \[ _Z[0-9]*_cl_' "$work/out"; then
			lacking="$lacking $1"
		else
			echo "kernel $1: the reference does not compile or end it (exit status $value): $(tail -n 1 "$work/out")"
			without_reference="$without_reference $1"
		fi
		return
	fi
	if grep -q '(CULVERT_COMPILER_TIMEOUT)' "$work/out"; then
		late="$late $1"
		return
	fi
	if [ $value -ne 0 ]; then
		platforms_are_there "kernel $1"
		cat "$work/out"
		fail "kernel $1, by value"
		return
	fi
	joined=
	[ "${CULVERT_SOFT_SM:-90}" -lt 100 ] || joined=--joined-reads
	"$PYTHON3" "$here/compare" $joined --code "$work/code" "$work/reference" "$work/ours" >"$work/out" || {
		cat "$work/out"
		fail "kernel $1"
		return
	}
	compared=$((compared + 1))
	count_early
}

# not_compared WHY NUMBER...: prints how many random kernels were left out for one reason
not_compared() {
	why=$1
	shift
	[ $# = 0 ] || echo "not compared: $# of $tried random kernels, $why: $*"
}

# few WHY NUMBER...: fails if these are more than one in 50 of the random kernels
few() {
	not_compared "$@"
	[ $((50 * ($# - 1))) -le "$tried" ] || fail "more than one in 50 random kernels, $1"
}

KERNEL_SECONDS=${KERNEL_SECONDS:-600}
compared=0 tried=0 left= late= without_reference= lacking= early=0
if [ "$FOOTPRINT" = all ]; then
	files=$(ls "$here"/../kernels/*.clt)
else
	files=$(cd "$here/../kernels" && ls -d "$PWD"/component_bounds.clt "$PWD"/component_*_unoptimized.clt "$PWD"/language_swizzles*.clt "$PWD"/vload_vstore*.clt \
		"$PWD"/language_unions.clt "$PWD"/async_copy.clt "$PWD"/arguments_packed.clt)
fi
for file in $files; do
	kernel_file "$file"
done
# What is about memory locations alone, on architectures of both kinds that libnvvm knows, and not optimised as well.  Of these
# files, the PTX for sm_90 and sm_100 is that for sm_75 and sm_120.
architectures="75 120"
[ "$FOOTPRINT" != all ] || architectures="75 90 100 120"
for file in memory_locations component_stores component_reads known_elements; do
	kernel_file "$here/../kernels/$file.clt" "$architectures" -cl-opt-disable
done
[ -z "$left" ] || echo "left out, not for the reference or the same sizes:$left"
number=${FOOTPRINT_FROM:-1}
last=$((number + ${FOOTPRINT_RUNS:-6}))
[ -z "$FOOTPRINT_SECONDS" ] || last=$((number + 1000000000))
until=$(($(date +%s) + ${FOOTPRINT_SECONDS:-1000000000}))
while [ -x tests/fuzz/fuzz_kernels ] && [ $number -lt $last ] && [ "$(date +%s)" -lt $until ]; do
	random_kernel $number
	number=$((number + 1))
done
not_compared "because PoCL's library lacks a function that they call" $lacking
few "because the reference does not compile or end them" $without_reference
few "because they were not compiled in $KERNEL_SECONDS s" $late
[ $early = 0 ] || echo "$early early reads, which docs/limits.md describes"
echo "$compared compared; the next random kernel is number $number"
[ $compared -gt 0 ] || fail "nothing was compared"
exit $status
