#!/bin/bash
# Test the completion of command lines in bash and zsh: it offers what the tables of options have.
. "$SOURCE/test/cli/tap.sh"

commands="goal llamp schedgen llamp-trace critpath critpath-mpi eventflow eventflow-mpi llamp-measure llamp-usage $(command -v llamp-inject | sed 's|.*/||')"
for command in $commands; do
	"$command" --help=bash >$command.bash && "$command" --help=zsh >$command.zsh || exit 1
done

offers() { # WORD...: print what bash offers for the last word
	words=("$@")
	(
		. "./$1.bash"
		COMP_WORDS=("${words[@]}") COMP_CWORD=$(($# - 1)) COMPREPLY=()
		"$(complete -p "$1" | sed 's/.*-F \([^ ]*\) .*/\1/')"
		echo "${COMPREPLY[@]}"
	)
}
check "bash: the commands of a tool are offered" test "$(offers goal '')" = "info check convert stats balance merge move help --help --version"
check "... those that begin with the word" test "$(offers llamp to)" = topology
check "... and options of a command" eval 'offers llamp analyze --o | grep -qx -- "--overhead --output"'
check "... of a tool without commands, too" test "$(offers llamp-trace --no)" = --no-archive
check "words of an option are offered" eval 'offers llamp place --mapping-format "" | grep -qx "llamp mpich openmpi slurm"'
check "... after =, too" test "$(offers llamp place --mapping-format = op)" = openmpi
check "other words are left to bash, which knows files" test -z "$(offers llamp analyze run)"
check "what follows the traced program is left to bash" test -z "$(offers llamp-trace ls --no)"

# Every option of the help is one of the completion.
lacks_nothing() { # SHELL
	for command in $commands; do
		for option in $("$command" --help | grep -o '^  *\(-., \)\?--[a-z-]*' | grep -o -- '--[a-z-]*'); do
			grep -q -- "$option\b" "$command.$1" || { echo "$command $option"; return 1; }
		done
	done
	for option in $(llamp analyze --help | grep -o '^  *\(-., \)\?--[a-z-]*' | grep -o -- '--[a-z-]*'); do
		grep -q -- "$option\b" "llamp.$1" || { echo "llamp analyze $option"; return 1; }
	done
}
check "bash: every option of the help is known" lacks_nothing bash
check "zsh: every option of the help is known" lacks_nothing zsh

sentence="zsh reads the completion of all commands without a complaint"
if command -v zsh >/dev/null; then
	parses() {
		for command in $commands; do
			zsh -n "$command.zsh" 2>&1 | grep . && return 1
			zsh -f -c '_arguments() { print -rl -- "$@" }; _describe() { print -rl -- $commands }
				CURRENT=3 words=("$1" "$2" --) && . "./$1.zsh"' zsh "$command" "$(first_command "$command")" >said 2>&1 || return 1
			grep -q '^\*--help\[print this help' said || { cat said; return 1; }
		done
	}
	first_command() { "$1" --help | sed -n '/^usage: [a-z-]* COMMAND/,$s/^  \([a-z]\{2,\}\) .*/\1/p' | head -n 1; }
	check "$sentence" parses
else
	skip "$sentence" "there is no zsh"
fi
