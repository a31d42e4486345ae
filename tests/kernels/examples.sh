#!/bin/sh
# Protects: docs/softcuda.md's examples of checked kernels.  They are read from the page and run, and
# the checker says of them what the page says, on the lines that it says.
test "${CULVERT_CUDA:-soft}" = soft || exit 77
page=${srcdir:-.}/docs/softcuda.md
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT

# The kernel of that name, from the page; directives before it.
kernel() {
	awk -v name="$1" '
		$0 ~ "^    kernel void " name "\\(" { inside = 1 }
		inside { print substr($0, 5) }
		inside && /^    }$/ { exit }' "$page" > "$folder/$1.cl"
	[ -s "$folder/$1.cl" ] || { echo "no kernel $1 in $page"; exit 1; }
	{ printf '//! protects an example\n%b\n' "$2"; cat "$folder/$1.cl"; } > "$folder/$1.clt"
}

# The lines of the source that a text names, each once: "5 6"
lines() {
	sed 's/(<[a-z]*>:/\
@/g' "$1" | sed -n 's/^@\([0-9]*\)).*/\1/p' | sort -un | tr '\n' ' '
}

# What the page shows as the report about the kernel.
shown() {
	sed -n "s/^    //p" "$page" | awk -v name="kernel '$1'" '
		/^softcuda: / { on = index($0, name) } on' | sed '/^kernel void/,$d' > "$folder/$1.shown"
}

example() { # name, directives, what the report says
	kernel "$1" "$2"
	shown "$1"
	head=$(($(printf '%b\n' "$2" | wc -l) + 1))
	CULVERT_SOFT_CHECK=all CULVERT_SOFT_REPORT=$folder/$1.report \
		tests/kernels/runner "$folder/$1.clt" > "$folder/$1.out" 2>&1
	grep -q "$3" "$folder/$1.report" || { echo "$1: not reported: $3"; cat "$folder/$1".*; exit 1; }
	tr '\n' ' ' < "$folder/$1.shown" | grep -q "$3" || { echo "$1: the page does not say: $3"; exit 1; }
	# The page counts from the kernel's first line, the runner from the directives' first.
	got=$(for line in $(lines "$folder/$1.report"); do echo $((line - head)); done | tr '\n' ' ')
	[ "$got" = "$(lines "$folder/$1.shown")" ] ||
		{ echo "$1: lines $got, on the page $(lines "$folder/$1.shown")"; exit 1; }
	echo "$1: $3, lines $got"
}

example mirror '//! buffer int out[64] = 0\n//! run mirror(out) global 64 local 64' 'race in a work-group'
example add '//! buffer float a[1023] = 1\n//! buffer float sum[1023] = 0\n//! run add(a, sum, int 1023) global 1024 local 64' \
	'0 bytes behind the end of the buffer'
