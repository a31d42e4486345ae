# fish completion for culvert(1): the tool tells its own words.
function __culvert_complete
	set -l words (commandline -opc)
	set -l word (commandline -ct)
	set -l count (count $words)
	if test $count -eq 1
		culvert --described
		printf '%s\n' help\t"prints a command's help" --help --json --version
	else if test $words[2] = help
		culvert --described
	else if string match -q -- '-*' $word
		culvert --described $words[2]
	else if string match -q -- '-*' $words[-1]
		set -l found (culvert --words $words[2] $words[-1])
		test -n "$found"; and printf '%s\n' $found; or __fish_complete_path $word
	else if contains $words[2] check trace
		# The program that is run, with the completion of its own.
		__fish_complete_subcommand --fcs-skip=2
	else
		set -l found (culvert --words $words[2] '')
		test -n "$found"; and printf '%s\n' $found; or __fish_complete_path $word
	end
end
complete -c culvert -f -a '(__culvert_complete)'
