#!/bin/sh
# Protects: what threads share without a lock holds under C11's memory model, and so on every processor.  The model checker
# GenMC, which is not part of Culvert, tries all executions of each model of this folder.
#	CULVERT_GENMC=FILE make check TESTS=tests/litmus/litmus.sh
#	LITMUS_WEAKEN=1      also makes each memory order of the product's files relaxed, one at a time, and lists which of them a
#	                     model notices; each model has to notice one
#	LITMUS='NAME...'     only these models
[ -n "${CULVERT_GENMC:-}" ] || { echo "CULVERT_GENMC names no model checker"; exit 77; }
source=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
models=${LITMUS:-$(cd "$source" && grep -lE '^LITMUS_[0-9]' tests/litmus/*.c | sed 's,.*/,,; s,\.c$,,')}

# What the compiler is told.  FOLDER: its files come before those of the product.
flags() {
	echo "-DLITMUS_GENMC -fmerge-all-constants -I$1 -I$source -I$PWD $CUDA_CPPFLAGS -DCL_TARGET_OPENCL_VERSION=300"
}

# check FOLDER MODEL [OPTION]: the verdict is in output.
check() {
	timeout "${LITMUS_SECONDS:-300}" "$CULVERT_GENMC" ${3:-} $(sed -n "s,^ \* GenMC: ,,p" "$source/tests/litmus/$2.c") -- $(flags "$1") \
		"$source/tests/litmus/$2.c" >"$work/output" 2>&1
}

# tell MODEL OPTION: a line for the model.
tell() {
	if check "$source" "$1" "$2"; then
		printf '%-16s %-6s %s\n' "$1" "$2" \
			"$(sed -n -E 's/^Number of (.*) executions.*: *([0-9]+).*/\2 \1/p' "$work/output" | tr '\n' ' ')"
	else
		failed=1
		echo "FAIL: $1 $2"
		tail -n 40 "$work/output"
	fi
}

# weaken FILE NUMBER: prints the file with the order of its atomic operation of that number relaxed; nothing if it has no such
# operation.  What has no order by name is sequentially consistent.
weaken() {
	awk -v number="$2" '
		function closing(text, from,    depth, i, c) {
			for (i = from; i <= length(text); i++) {
				c = substr(text, i, 1)
				depth += (c == "(") - (c == ")")
				if (!depth)
					return i
			}
			return 0
		}
		{
			line = $0
			start = 1
			while (match(substr(line, start), /memory_order_(acquire|release|acq_rel)|atomic_(load|store|exchange|fetch_[a-z]+|compare_exchange_(strong|weak))\(/)) {
				at = start + RSTART - 1
				size = RLENGTH
				start = at + size
				if (++count != number)
					continue
				if (substr(line, at, 6) == "memory") {
					line = substr(line, 1, at - 1) "memory_order_relaxed" substr(line, at + size)
				} else if ((end = closing(line, at + size - 1))) {
					orders = ", memory_order_relaxed"
					if (substr(line, at, size) ~ /compare/)
						orders = orders orders
					line = substr(line, 1, at + size - 2) "_explicit" substr(line, at + size - 1, end - at - size + 1) \
						orders substr(line, end)
				} else {
					continue
				}
				found = NR
				break
			}
			text = text line "\n"
		}
		END {
			if (found)
				printf "%s", text
			exit !found
		}' "$1"
}

# The files of the product that a model is made of, and that have atomic operations.
parts() {
	"${CLANG:-cc}" -MM $(flags "$source" | sed 's/-DLITMUS_GENMC//') "$source/tests/litmus/$1.c" | tr ' \\' '\n\n' |
		sed -n "s,^$source/\(.*\.[ch]\)\$,\1,p" | grep -vE '^tests/' |
		(cd "$source" && xargs grep -lE 'memory_order_(ac|re[^l])|atomic_(load|store|exchange|fetch_|compare)')
}

weaken_all() {
	noticed=0 tried=0
	for part in $(parts "$1"); do
		number=1
		mkdir -p "$work/weak/${part%/*}"
		while [ $number -le 60 ]; do
			if weaken "$source/$part" $number >"$work/weak/$part"; then
				line=$(diff "$source/$part" "$work/weak/$part" | sed -n 's/^\([0-9]*\).*/\1/p' | head -n 1)
				tried=$((tried + 1))
				if ! check "$work/weak" "$1"; then
					noticed=$((noticed + 1))
					echo "    notices $part:$line  $(grep -m 1 -oE 'Error: .*' "$work/output")"
				fi
			fi
			number=$((number + 1))
		done
		rm -rf "$work/weak"
	done
	echo "    $noticed of $tried weaker orders noticed"
	[ $noticed -gt 0 ] || { failed=1; echo "FAIL: $1 notices nothing"; }
}

for model in $models; do
	# GenMC 0.11 does not take the addresses that these compare.
	case $model in crew) echo "$model: not by GenMC"; continue ;; esac
	tell "$model" --rc11
	tell "$model" --imm
	[ -z "${LITMUS_WEAKEN:-}" ] || weaken_all "$model"
done
exit $failed
