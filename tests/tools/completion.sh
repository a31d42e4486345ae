#!/bin/bash
# Protects: what bash, fish and zsh offer behind "culvert", by the completions that are installed.
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
offers culvert compile --emit c -- 'cubin'
offers culvert compile -a sm_12 -- sm_120 sm_121
offers culvert check --checks m -- memory
offers culvert check -c un -- uninit
offers culvert help dev -- devices
offers culvert cache v -- verify
offers culvert compile "$source/HACK" -- "$source/HACKING.md"
# The tool's words are those of its help: every choice that is offered is one that is taken.
for arch in $(culvert --words compile --arch); do
	echo 'kernel void k(void) {}' | culvert compile --arch $arch --emit nvvm - >/dev/null || { echo "--arch $arch is offered and refused"; failed=1; }
done
for stage in $(culvert --words compile --emit); do
	culvert help compile | grep -qw -e "$stage" || { echo "--emit $stage is offered and not in the help"; failed=1; }
done
for check in $(culvert --words check -c); do
	culvert check --checks $check true 2>/dev/null || { echo "--checks $check is offered and refused"; failed=1; }
done
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
export HOME=$folder XDG_CONFIG_HOME=$folder XDG_DATA_HOME=$folder XDG_CACHE_HOME=$folder TERM=dumb

# What fish offers for a line, without what it says of each.
fish_offers() { # line, expected words
	got=$(fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$source/tools/completion/culvert.fish" "$1" |
		cut -f 1 | sort | tr '\n' ' ')
	[ "$got" = "$2 " ] || { echo "fish: $1: '$got' is offered, not '$2'"; failed=1; }
}
if command -v fish >/dev/null; then
	fish_offers 'culvert do' doctor
	fish_offers 'culvert com' compile
	fish_offers 'culvert --ver' --version
	fish_offers 'culvert run --gl' --global
	fish_offers 'culvert compile --emit c' cubin
	fish_offers 'culvert compile -a sm_12' 'sm_120 sm_121'
	fish_offers 'culvert cache v' verify
	fish_offers 'culvert help dev' devices
	fish_offers "culvert compile $source/HACK" "$source/HACKING.md"
	fish_offers "culvert compile -o $source/HACK" "$source/HACKING.md"
	fish --no-config -c 'source $argv[1]; complete -C "culvert dev"' "$source/tools/completion/culvert.fish" |
		grep -q "devices.lists the devices" || { echo "fish: a command is not described"; failed=1; }
else
	echo "no fish here"
fi

# What becomes of a line in zsh when the tabulator key is pressed.
cat >$folder/complete.zsh <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D"
zpty -w shell 'show() { print -r -- "<$BUFFER>" >>'$2'; BUFFER= }; zle -N show; bindkey "^T" show; bindkey "^I" complete-word; setopt no_list_beep no_auto_list'
shift 2
for line; do
	zpty -w -n shell "$line"$'\t'$'\x14'
done
zpty -w shell exit
while zpty -r shell output; do :; done
END
zsh_makes() { # line, expected line, ...
	local lines=() wanted=()
	while [ $# -gt 0 ]; do
		lines+=("$1")
		wanted+=("<$2>")
		shift 2
	done
	: >$folder/lines
	timeout 60 zsh -f $folder/complete.zsh "$(cd "$source/tools/completion" && pwd)" $folder/lines "${lines[@]}"
	printf '%s\n' "${wanted[@]}" | diff - $folder/lines || { echo "zsh: not the lines that were expected"; failed=1; }
}
printf '#!/bin/sh\n' >$folder/zsh-program
chmod +x $folder/zsh-program
if command -v zsh >/dev/null; then
	zsh_makes 'culvert do' 'culvert doctor ' 'culvert com' 'culvert compile ' 'culvert --ver' 'culvert --version ' \
		'culvert run --gl' 'culvert run --global ' 'culvert compile --emit cu' 'culvert compile --emit cubin ' \
		'culvert compile -a sm_8' 'culvert compile -a sm_8' 'culvert compile -a sm_75' 'culvert compile -a sm_75 ' \
		'culvert cache v' 'culvert cache verify ' 'culvert help dev' 'culvert help devices ' \
		"culvert compile $source/HACK" "culvert compile $source/HACKING.md " \
		"culvert check --json culver" "culvert check --json culvert" "culvert check $folder/zsh-pr" "culvert check $folder/zsh-program "
else
	echo "no zsh here"
fi
exit $failed
