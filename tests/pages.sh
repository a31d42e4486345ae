#!/bin/sh
# Protects: what the pages tell people to type.  Every fenced block of a page in docs is looked at:
#	sh [needs=WORD...]     is run by a shell, in a folder of the page's own; its exit code is 0
#	output                 what the block before printed has these lines, in this order; "..." is anything
#	LANGUAGE file=NAME     is written to that file first
# Another word is a mistake of the page.  What is indented is not run.
test "${CULVERT_CUDA:-soft}" = soft || exit 77
if [ -n "$SANITIZER_RUNTIME" ]; then
	echo "the pages' programs are built without a sanitizer's runtime"
	exit 77
fi
source=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
unset CUDA_CACHE_DISABLE CUDA_CACHE_PATH XDG_CACHE_HOME CULVERT_CACHE_SIZE OCL_ICD_FILENAMES
HOME=$work CULVERT_CACHE=on CULVERT_CACHE_DIR=$work/cache NO_COLOR=1
PATH=$PWD:$PWD/tests/kernels:$PATH
# Tests may run as root, which OpenMPI wants to be told twice.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export HOME CULVERT_CACHE CULVERT_CACHE_DIR NO_COLOR PATH OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
failed=0
ran=0
fail() {
	echo "$@"
	failed=1
}

# A page's blocks: NUMBER.sh, NUMBER.needs, NUMBER.output; and files.
take_apart() { # page, folder
	awk -v folder="$2" '
		/^```./ && !inside {
			inside = 1
			word = substr($1, 4)
			file = ""
			if (word == "sh") {
				number = sprintf("%03d", ++count)
				file = folder "/" number ".sh"
				for (i = 2; i <= NF; i++)
					if (sub(/^needs=/, "", $i))
						print $i > (folder "/" number ".needs")
			} else if (word == "output" && count && !(number in answered)) {
				answered[number] = 1
				file = folder "/" number ".output"
			} else if (NF == 2 && sub(/^file=/, "", $2))
				file = folder "/here/" $2
			else {
				print FILENAME ":" FNR ": what is this block? " $0
				exit 1
			}
			next
		}
		/^```$/ && inside { inside = 0; close(file); next }
		inside { print > file }
		END { if (inside) { print FILENAME ": a block has no end"; exit 1 } }' "$1"
}

# Whether a text has the lines of another in their order.  Says which one is missing.
has_lines() { # wanted, got
	awk '
		function fits(line, wanted,    parts, n, i, at) {
			n = split(wanted, parts, /\.\.\./)
			if (substr(line, 1, length(parts[1])) != parts[1])
				return 0
			if (n == 1)
				return line == wanted
			line = substr(line, length(parts[1]) + 1)
			for (i = 2; i <= n; i++) {
				if (i == n && parts[i] != "")
					return length(line) >= length(parts[i]) &&
						substr(line, length(line) - length(parts[i]) + 1) == parts[i]
				at = index(line, parts[i])
				if (parts[i] != "" && !at)
					return 0
				if (parts[i] != "")
					line = substr(line, at + length(parts[i]))
			}
			return 1
		}
		NR == FNR { if ($0 != "") wanted[++count] = $0; next }
		next_one < count && fits($0, wanted[next_one + 1]) { next_one++ }
		END {
			if (next_one < count)
				print "not there, or not in this order: " wanted[next_one + 1]
			exit next_one < count
		}' "$1" "$2"
}

is_there() {
	case $1 in
	openmpi) mpirun --version 2>/dev/null | grep -q 'Open MPI' && command -v mpicc >/dev/null ;;
	opengl) printf '#include <EGL/egl.h>\n#include <GL/glext.h>\n' | cc -E - >/dev/null 2>&1 ;;
	cc) command -v cc >/dev/null && echo '#include <CL/cl.h>' | cc -E - >/dev/null 2>&1 ;;
	ptxas) [ -x "$PTXAS" ] || [ -f libculvert-ptxcompiler.so ] ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

# Examples with OpenGL use Mesa's, as the tests do (tests/api/gl_context.h).
mesa=/usr/share/glvnd/egl_vendor.d/50_mesa.json
[ ! -r "$mesa" ] || export __EGL_VENDOR_LIBRARY_FILENAMES="${__EGL_VENDOR_LIBRARY_FILENAMES-$mesa}"

run_block() { # page, folder, number
	for need in $(cat "$2/$3.needs" 2>/dev/null); do
		is_there "$need" || { echo "$1: block $3 not run: no $need here"; return; }
	done
	ran=$((ran + 1))
	if ! (cd "$2/here" && timeout 120 sh -e "$2/$3.sh") >"$2/$3.got" 2>&1 </dev/null; then
		fail "$1: this failed:"
	elif [ ! -f "$2/$3.output" ] || has_lines "$2/$3.output" "$2/$3.got"; then
		return
	else
		fail "$1: the answer of this is not what the page shows:"
	fi
	cat "$2/$3.sh" "$2/$3.got"
}

# The comparison itself: it must be able to fail.
printf 'one\ntwo 2 three\nfour\n' >"$work/got"
printf 'one\ntwo ... three\n...our\n' >"$work/right"
printf 'four\none\n' >"$work/order"
printf 'two ... four\n' >"$work/other"
has_lines "$work/right" "$work/got" || fail "right lines are not found"
has_lines "$work/order" "$work/got" >/dev/null && fail "lines in another order are taken"
has_lines "$work/other" "$work/got" >/dev/null && fail "another line is taken"

# Every page of the book is in its index, and what the index and the pages name is there.
for page in "$source"/docs/*.md; do
	name=${page##*/}
	[ "$name" = README.md ] || grep -qF "($name)" "$source/docs/README.md" || fail "docs/README.md lacks $name"
	for link in $(grep -o '](\([^)#:]*\))' "$page" | sed 's/^](//; s/)$//'); do
		[ -e "$source/docs/$link" ] || fail "docs/$name: there is no $link"
	done
done
for link in $(grep -o '](\([^)#:]*\))' "$source/README.md" | sed 's/^](//; s/)$//'); do
	[ -e "$source/$link" ] || fail "README.md: there is no $link"
done
# The tests that a page names are there.
for test in $(grep -oh '`tests/[a-z_/]*\(\.sh\)\{0,1\}`' "$source"/docs/security.md | tr -d '`'); do
	[ -e "$source/$test" ] || [ -e "$source/$test.c" ] || fail "docs/security.md: there is no $test"
done

# Tables are read in narrow windows, too: no cell has more than 200 characters.
for page in "$source/README.md" "$source/HACKING.md" "$source"/docs/*.md; do
	long=$(awk -F '[|]' '/^[|]/ { for (i = 2; i < NF; i++) { gsub(/^ +| +$/, "", $i); if (length($i) > 200) print FNR } }' "$page" | head -n 1)
	[ -z "$long" ] || fail "${page##*/}:$long: a table's cell has more than 200 characters"
done

"$source/scripts/comparison-table" --check || failed=1
"$source/scripts/application-table" --check || failed=1

# What is shown and not run, for it needs root or a GPU or would take long, names the tool's own words.
grep -h '^    culvert [a-z]' "$source/README.md" "$source"/docs/*.md >"$work/shown"
while read -r tool command rest; do
	"$tool" --words | grep -qx "$command" || fail "there is no $tool $command"
	for word in ${rest%% -- *}; do
		case $word in
		--*) "$tool" --words "$command" | grep -qx -e "$word" || fail "$tool $command has no $word" ;;
		esac
	done
done <"$work/shown"

# Pages about what people type have to have something that is run.
for page in install use opengl clusters tuning debugging softcuda contributing cache security kernel-abi limits; do
	grep -q '^```sh' "$source/docs/$page.md" || fail "docs/$page.md: nothing of it is run"
done
for page in "$source"/docs/*.md; do
	grep -q '^```sh' "$page" || continue
	name=$(basename "$page" .md)
	folder=$work/$name
	mkdir -p "$folder/here"
	take_apart "$page" "$folder" || { fail "docs/$name.md is not run"; continue; }
	for block in "$folder"/*.sh; do
		[ -f "$block" ] && run_block "docs/$name.md" "$folder" "$(basename "$block" .sh)"
	done
done
echo "$ran blocks were run"
exit $failed
