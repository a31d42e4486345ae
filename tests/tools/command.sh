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
expect 0 ./culvert --help
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
	expect 2 ./culvert $command --no-such-option
	grep -q -e "--no-such-option" $folder/errors || fail "$command: the wrong option is not named"
	[ ! -s $folder/out ] || fail "$command: a mistake prints on stdout"
	for option in $(sed -n "s/^FLAG($command, '.', \"\([a-z-]*\)\".*/\1/p" "$source/tools/command.def"); do
		grep -q -e "--$option" $folder/help || fail "$command --help lacks --$option"
		./culvert --words $command | grep -qx -e "--$option" || fail "--words $command lacks --$option"
	done
done
# A full disk must not pass for success.
if [ -c /dev/full ]; then
	./culvert --version >/dev/full 2>$folder/errors && fail "--version to a full disk succeeds"
fi
# The page is one that man can show.
if command -v groff >/dev/null; then
	groff -man -ww -z "$source/docs/culvert.1" 2>$folder/errors
	[ ! -s $folder/errors ] || { fail "the man page:"; cat $folder/errors; }
fi
# No colours but on a terminal.
if ./culvert no-such-command 2>&1 | grep -q "$(printf '\033')"; then
	fail "colours in a pipe"
fi
exit $failed
