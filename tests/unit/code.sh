#!/bin/sh
# Protects: what kernels are made of.  Reads of constant data go by the read-only cache, vectors stay
# whole, required sizes are the launch's, functions and private arrays are gone, nothing is computed in
# 64 bits or passed that is not needed: tests/unit/code.cl, code_calls.cl, code_local.cl and
# code_size.cl, a kernel each.
folder=`mktemp -d` || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0
wrong()
{
	echo "sm_$sm, $kernel: $*"
	failed=1
}
# check WHAT REST...: one line before a kernel, against $folder/body.
check()
{
	what=$1
	shift
	case $what in
	has) grep -qE -e "$*" "$folder/body" || wrong "no $*" ;;
	lacks) ! grep -E -e "$*" "$folder/body" || wrong "has $*" ;;
	from)
		if [ "$sm" -ge "${1%% *}" ]; then
			grep -qE -e "${1#* }" "$folder/body" || wrong "no ${1#* }"
		else
			! grep -E -e "${1#* }" "$folder/body" || wrong "has ${1#* }"
		fi ;;
	loop)
		# From the label of the last branch back to that branch.
		count=$(awk '/^\$L/ { sub(":", ""); at[$1] = NR }
			{ line[NR] = $0; sub(";", "") }
			/bra/ && $NF in at { first = at[$NF]; last = NR }
			END { for (i = first; i <= last; i++) print line[i] }' "$folder/body" |
			grep -cE -e "${1#* }")
		[ "$count" -eq "${1%% *}" ] || wrong "in its loop $count times ${1#* }, not ${1%% *}" ;;
	together)
		# Most of what matches has so many of its kind with no branch between them.  Newer libnvvm, that of
		# sm_100 on, does not unroll such loops.
		[ "$sm" -ge 100 ] || awk -v least="${1%% *}" -v what="${1#* }" '
			function over() { if (run >= least) many += run; else few += run; run = 0 }
			/bra|^\$L/ { over() } $0 ~ what { run++ } END { over(); exit !(many > 2 * few) }
		' "$folder/body" || wrong "not ${1%% *} of ${1#* } with no branch between them" ;;
	copies)
		count=$(grep -c 'cp\.async\.c[ag]' "$folder/body")
		[ "$sm" -lt 80 ] || [ "$count" -eq "$1" ] || wrong "$count asynchronous copies, not $1"
		[ "$sm" -lt 80 ] || ! grep -E '%ntid|div\.' "$folder/body" || wrong "computes with the size" ;;
	parameters)
		count=`sed '/^)/q' "$folder/body" | grep -c '\.param'`
		[ "$count" -eq "$1" ] || wrong "$count parameters, not $1" ;;
	*) wrong "what is $what?" ;;
	esac
}
# all_of NAME: the kernels of tests/unit/NAME.
checks=0
all_of()
{
	source=${srcdir:-.}/tests/unit/$1
	cp "$source" "$folder/code.cl" || exit 1
	tests/unit/compile_for "$folder/code.cl" -cl-uniform-work-group-size 75 90 120 || exit
	for sm in 75 90 120; do
		# "KERNEL WHAT REST", a line for each line before a kernel.
		sed -n 's,^//\(has\|lacks\|from\|loop\|together\|copies\|parameters\) ,\1 ,p
			s/^kernel .*void \([a-z0-9A-Z_]*\)(.*/kernel \1/p' "$source" >"$folder/lines"
		: >"$folder/pending"
		while read -r what rest; do
			[ "$what" = kernel ] || { echo "$what $rest" >>"$folder/pending"; continue; }
			kernel=$rest
			# What a kernel has outside: variables of its own name, and dynamic local memory.
			sed -n "/^\.extern \.shared/p
				/^\.shared.*$kernel/p
				/\.entry $kernel(/,/^}/p" "$folder/code.cl.$sm" >"$folder/body"
			grep -q '\.entry' "$folder/body" || wrong "no such kernel"
			while read -r what rest; do
				check "$what" "$rest"
				checks=$((checks + 1))
			done <"$folder/pending"
			: >"$folder/pending"
		done <"$folder/lines"
	done
}
all_of code.cl
all_of code_calls.cl
all_of code_local.cl
all_of code_size.cl
[ "$checks" -gt 100 ] || { echo "only $checks checks"; failed=1; }
echo "$checks checks"
exit $failed
