#!/bin/bash
# Protects: what bash offers behind "culvert", by the completion that is installed.
source=${srcdir:-.}
PATH=$PWD:$PATH
failed=0
. "$source/tools/completion/culvert" || exit 1
# offers WORD... -- EXPECTED...: what is offered for the last word
offers() {
	COMP_WORDS=()
	while [ "$1" != -- ]; do
		COMP_WORDS+=("$1")
		shift
	done
	shift
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_culvert
	local got="${COMPREPLY[*]}"
	[ "$got" = "$*" ] || { echo "${COMP_WORDS[*]}: '$got' is offered, not '$*'"; failed=1; }
}
offers culvert do -- doctor
offers culvert c -- compile cache check
offers culvert --ver -- --version
offers culvert run --gl -- --global
offers culvert compile --emit c -- 'cl cubin'
offers culvert compile -a sm_12 -- sm_120
offers culvert cache v -- verify
offers culvert compile "$source/HACK" -- "$source/HACKING.md"
exit $failed
