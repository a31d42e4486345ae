#!/bin/sh
# Protects: the tool's command line.  Every command and option of its table is in its
# help and its completion; the man page is well-formed; mistakes get exit code 2 and a message on stderr.
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
source=${srcdir:-.}
failed=0
fail() {
	echo "$@"
	failed=1
}
# expect CODE COMMAND...: exit code
expect() {
	wanted=$1
	shift
	"$@" >$folder/out 2>$folder/errors
	code=$?
	[ $code = $wanted ] || { fail "$*: exit code $code, not $wanted"; cat $folder/errors; }
}
# narrow WHAT: what was printed last fits into a terminal of 80 columns
narrow() {
	[ -z "$(awk 'length > 80' $folder/out)" ] || { fail "$1 is wider than a terminal:"; cat $folder/out; }
}
expect 0 ./culvert --help
narrow --help
expect 0 ./culvert --version
[ "$(cat $folder/out)" = "culvert $(sed -n 's/^#define PACKAGE_VERSION "\(.*\)"/\1/p' config.h)" ] ||
	fail "--version says $(cat $folder/out)"
expect 2 ./culvert
expect 2 ./culvert no-such-command
grep -q "no-such-command" $folder/errors || fail "the wrong command is not named"

commands=$(sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' "$source/tools/command.def")
[ "$(./culvert --words)" = "$commands" ] || fail "--words does not list the commands"
for command in $commands; do
	./culvert --help | grep -q "^  $command " || fail "--help lacks $command"
	expect 0 ./culvert $command --help
	cp $folder/out $folder/help
	narrow "$command --help"
	expect 2 ./culvert $command --no-such-option
	grep -q -e "--no-such-option" $folder/errors || fail "$command: the wrong option is not named"
	[ ! -s $folder/out ] || fail "$command: a mistake prints on stdout"
	for option in $(sed -n "s/^FLAG($command, '.', \"\([a-z-]*\)\".*/\1/p" "$source/tools/command.def"); do
		grep -q -e "--$option" $folder/help || fail "$command --help lacks --$option"
		./culvert --words $command | grep -qx -e "--$option" || fail "--words $command lacks --$option"
	done
done
# Help of a command in both ways, and an option that all commands have may stand before them.
for command in $commands; do
	expect 0 ./culvert $command --help
	cp $folder/out $folder/help
	expect 0 ./culvert help $command
	cmp -s $folder/help $folder/out || fail "help $command is not $command --help"
done
expect 0 ./culvert help
grep -q '^usage: culvert COMMAND' $folder/out || fail "help alone is not --help"
expect 2 ./culvert help compare
grep -q "unknown command 'compare'" $folder/errors || fail "help of what there is not: no message"
./culvert devices --json >$folder/behind
for json in --json -j; do
	expect 0 ./culvert $json devices
	cmp -s $folder/behind $folder/out || fail "$json before the command is not --json behind it"
done
# A full disk must not pass for success.
if [ -c /dev/full ]; then
	echo 'kernel void set(global int *p) { p[0] = 1; }' >$folder/k.cl
	for command in --version --help "devices --json" "compile $folder/k.cl" "compile $folder/k.cl --json" \
		"compile $folder/k.cl --emit ptx" "run $folder/k.cl --global 1 --arg zero:1"; do
		./culvert $command >/dev/full 2>$folder/errors && fail "$command to a full disk succeeds"
		[ "$(grep -c 'stdout: No space' $folder/errors)" = 1 ] || { fail "$command to a full disk: not one line:"; cat $folder/errors; }
	done
fi
# A source may come from a pipe.
echo 'kernel void set(global int *p) { p[0] = 1; }' | expect 0 ./culvert compile --emit nvvm -
grep -q '@set' $folder/out || fail "what is compiled is not what came from stdin"
echo 'kernel void set(global int *p) { p[0] = 7; }' | expect 0 ./culvert run --global 1 --arg zero:1 /dev/stdin
grep -qx 'p\[1\] 7' $folder/out || fail "what is run is not what came from a pipe"
# The page is one that man can show.
if command -v groff >/dev/null; then
	groff -man -ww -z "$source/docs/culvert.1" 2>$folder/errors
	[ ! -s $folder/errors ] || { fail "the man page:"; cat $folder/errors; }
fi
# Each kind of mistake: exit code 2, and a message that names what is wrong.
echo 'kernel void set(global int *p) { p[0] = 1; }' >$folder/k.cl
wrong() { # what the message has, arguments
	message=$1
	shift
	expect 2 ./culvert "$@"
	grep -qF -e "$message" $folder/errors || { fail "culvert $*: the message lacks '$message':"; cat $folder/errors; }
	[ ! -s $folder/out ] || fail "culvert $*: a mistake prints on stdout"
}
wrong 'unexpected argument: extra' devices extra
wrong 'unexpected argument: extra' bench extra
wrong "'x' is not a number" bench --device x
# The letter that is wrong, wherever it stands; before, the word ahead of it was named.
wrong 'unknown option -x' devices -xj
wrong 'unknown option -x' devices --json -jx
wrong 'unknown option -x' devices -j -xj
wrong 'unknown option -x' bench --device=0 -x
wrong 'unknown option --no=3' devices --no=3
wrong '--json does not take a value' devices --json=3
wrong '-d requires a value' bench -d
wrong '--device requires a value' bench --device
wrong '--root requires a value' doctor --root
# What was meant, where that is near; nothing where it is not.
wrong "unknown command 'comple' (did you mean 'compile'?)" comple
wrong "unknown command 'dcotor' (did you mean 'doctor'?)" dcotor
wrong "unknown command 'dev' (did you mean 'devices'?)" dev
wrong "unknown command 'chek' (did you mean 'check'?)" help chek
wrong "unknown option --arhc (did you mean '--arch'?)" compile --arhc sm_90
wrong "unknown option --globl=3 (did you mean '--global'?)" run --globl=3
wrong "unknown option --ouptut (did you mean '--output'?)" trace --ouptut x
# Options for the compiler have a place of their own.
wrong "unknown option -D; options for the OpenCL compiler follow --" compile -DN=4 $folder/k.cl
wrong "unknown option -I; options for the OpenCL compiler follow --" run -I. $folder/k.cl
wrong "unknown option --jsn before the command (did you mean '--json'?)" --jsn devices
wrong "unknown option --versoin before the command (did you mean '--version'?)" --versoin
for far in "no-such-command" "devices --no-such-option" "xy" "devices --x"; do
	expect 2 ./culvert $far
	grep -q 'did you mean' $folder/errors && { fail "$far: nothing is near, and something is offered:"; cat $folder/errors; }
done
wrong 'no such folder: /no/such' doctor --root /no/such
wrong 'no file given' compile
for arch in sm_1 sm_91 91 sm_ sm_90x hopper; do
	wrong "--arch: '$arch' is not a supported architecture; supported: sm_" compile --arch $arch $folder/k.cl
done
# Each one that is listed is one: kernels are compiled for it.
sed -n 's/.*supported: //p' $folder/errors | tr -d ',' | tr ' ' '\n' >$folder/archs
[ "$(wc -l <$folder/archs)" -ge 5 ] || fail "less than five architectures are listed"
for arch in $(cat $folder/archs); do
	expect 0 ./culvert compile --arch $arch --emit ptx $folder/k.cl
	grep -q "^.target $arch" $folder/out || fail "$arch: code of another architecture"
done
wrong "'obj' is not one of ll, nvvm" compile --emit obj $folder/k.cl
wrong "option '-no-such'" compile $folder/k.cl -- -no-such
wrong "unknown action 'forget'" cache forget
wrong "(did you mean 'verify'?)" cache verfy
wrong "(did you mean 'ptx'?)" compile --emit ptxx $folder/k.cl
wrong "unknown check 'rays'; expected memory, race" check --checks race,rays true
wrong 'expected one of stat' cache
wrong 'no program given' check
wrong 'no program given' trace
wrong 'no file given' run
wrong '--global is required' run $folder/k.cl --arg zero:1
wrong "'1x99999999999999999999' is not a valid size" run $folder/k.cl --global 1x99999999999999999999 --arg zero:1
wrong "'1x1x1x1' is not a valid size" run $folder/k.cl --global 1x1x1x1 --arg zero:1
wrong "'0' is not a valid number" run $folder/k.cl --global 1 --arg zero:1 --repeat 0
echo 'int twice(int x) { return 2 * x; }' >$folder/library.cl
wrong 'the program has no kernels' run $folder/library.cl --global 1
wrong "'0.5' is not a valid value; expected values such as 1,2,3" run $folder/k.cl --global 1 --arg 0.5
wrong 'has 1 argument, but --arg was given 2 times' run $folder/k.cl --global 1 --arg zero:1 --arg 1
wrong "no buffer, image or pipe 'q'" run $folder/k.cl --global 1 --arg zero:1 --out q
wrong "option '-no-such'" run $folder/k.cl --global 1 --arg zero:1 -- -no-such
# What is not there is another code than what fails, and than what cannot be started.
for command in compile "run --global 1"; do
	expect 1 ./culvert $command $folder/no-such.cl
	grep -qx "culvert .*: $folder/no-such.cl: No such file or directory" $folder/errors ||
		{ fail "a file that is not there is said to be something else:"; cat $folder/errors; }
	expect 1 ./culvert $command $folder
	grep -qx "culvert .*: $folder: Is a directory" $folder/errors || { fail "a folder as a source:"; cat $folder/errors; }
done
expect 1 ./culvert run $folder/k.cl --kernel none --global 1 --arg zero:1
expect 3 ./culvert bench --device 77
expect 3 env CULVERT_LIBNVVM=$folder/no-such ./culvert compile $folder/k.cl
expect 127 ./culvert check $folder/no-such
# Colours on a terminal that has them, where NO_COLOR does not forbid it; never in a pipe.
escape=$(printf '\033')
coloured() { # TERM, NO_COLOR
	TERM=$1 NO_COLOR=$2 "$PYTHON3" -c 'import pty; pty.spawn(["./culvert", "doctor"])' </dev/null >$folder/out 2>&1
	grep -q 'trial' $folder/out || { fail "doctor on a terminal:"; cat $folder/out; }
	grep -q "$escape" $folder/out
}
if [ -x "$PYTHON3" ]; then
	coloured xterm '' || fail "no colours on a terminal"
	coloured xterm 1 && fail "colours in spite of NO_COLOR"
	coloured dumb '' && fail "colours on a terminal that has none"
fi
./culvert doctor 2>&1 | grep -q "$escape" && fail "colours in a pipe"
exit $failed
