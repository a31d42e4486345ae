#!/bin/sh
# Protects: a script or a program that a page names says with --help what it does, and does nothing else: it neither
# installs, builds nor measures, and writes no file.  scripts/try, scripts/check and their relatives refuse arguments
# that they do not know, instead of beginning.
srcdir=$(cd "${srcdir:-.}" && pwd)
build=$PWD
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0 count=0

wrong() {
	echo "FAIL: $1"
	failed=1
}

# Filters and wrappers, which other scripts run: every argument is part of what they process.
internal='tests/apps/foreign tests/list-tests tests/spirv/assemble tests/spirv/assemble_instruction tests/spirv/compile tests/tools/ended'

scripts() {
	cd "$srcdir" || exit 99
	find .ci scripts tests -type f -perm -u+x ! -name '*.*' -exec grep -lI '^#!' {} + | sort
}

# In a folder of its own, so that what is written is seen; JOBS, CULVERT_BUILD and IMAGE are for what begins work.
run() {
	mkdir -p "$work/here"
	(cd "$work/here" && CULVERT_BUILD=$work/build JOBS=1 IMAGE=whole timeout 60 "$@" >"$work/out" 2>"$work/err" </dev/null)
}

helps() { # name, program
	run "$2" --help || wrong "$1 --help: exit code $?: $(head -n 2 "$work/err")"
	[ "$(wc -c <"$work/out")" -ge 60 ] || wrong "$1 --help prints nothing on stdout: $(cat "$work/out")"
	[ -z "$(ls -A "$work/here")" ] && [ ! -e "$work/build" ] || wrong "$1 --help writes files"
	count=$((count + 1))
}

for script in $(scripts); do
	case " $internal " in *" $script "*) continue ;; esac
	helps "$script" "$srcdir/$script"
done
for program in tests/run-with-culvert tests/kernels/runner tests/ulp/ulp tests/stress/graphs tests/fuzz/fuzz_api \
	tests/fuzz/fuzz_kernels tests/gpu/stamps tests/gpu/texture-diff; do
	[ ! -x "$program" ] || helps "$program" "$build/$program"
done
[ $count -ge 30 ] || wrong "only $count programs were tried"
for script in setup try check sanitize dev package; do
	run "$srcdir/scripts/$script" --unknown
	[ $? -eq 2 ] || wrong "scripts/$script --unknown: the exit code is not 2"
	[ ! -e "$work/build" ] || wrong "scripts/$script --unknown begins work"
done
echo "$count programs"
exit $failed
