#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Print the completion of topdown(1) for another shell than bash, from its help texts.
#
#   generate.sh zsh|fish TOPDOWN
#
# The results are in this directory, as a program that was built for another machine cannot be
# asked.  check/docs.sh says if they are not those of the program.
set -euo pipefail

[[ ${1-} == @(zsh|fish) && -n ${2-} ]] || { echo "usage: ${0##*/} zsh|fish TOPDOWN" >&2; exit 2; }
shell=$1 topdown=$2
# Where a command of the user's follows.
running='stat where latency record perf'

# commands: a line "NAME TAB HELP" for each
commands() {
	"$topdown" --help | sed -nE '/^Commands:/,/^Options:/s/^  ([a-z]+)( \[COMMAND\])?  +([a-z].*)$/\1\t\3/p'
}

# options COMMAND: a line "SHORT TAB LONG TAB ARGUMENT TAB HELP" for each.  A line may have
# several long options, and the help goes on in the lines after it.
options() {
	"$topdown" "$1" --help | awk '
	function flush(  i, n, names) {
		sub(/[;(].*/, "", help)
		sub(/ +$/, "", help)
		gsub(/["`$\\\047\[\]:]/, "", help)
		if (help == "")
			help = "as perf stat has it"
		n = split(long, names, " ")
		for (i = 1; i <= n; i++)
			print short "|" names[i] "|" arg "|" help
		long = ""
	}
	/^Examples:/ { exit }
	/^ +(-[A-Za-z], )?--[a-z]/ {
		flush()
		short = arg = help = ""
		line = $0
		sub(/^ +/, "", line)
		if (match(line, /^-[A-Za-z], /)) {
			short = substr(line, 2, 1)
			line = substr(line, RLENGTH + 1)
		}
		while (match(line, /^--[a-z-]+,?/)) {
			name = substr(line, 3, RLENGTH - 2)
			sub(/,$/, "", name)
			long = long " " name
			line = substr(line, RLENGTH + 1)
			sub(/^ --/, "--", line)
		}
		# An argument that may be left out.
		sub(/^\[=[A-Z]+\]/, "", line)
		if (match(line, /^ [A-Z]+/)) {
			arg = substr(line, 2, RLENGTH - 1)
			line = substr(line, RLENGTH + 1)
		}
		sub(/^ +/, "", line)
		help = line
		next
	}
	/^                       [^ ]/ { sub(/^ +/, ""); help = help " " $0; next }
	{ flush() }
	END { flush() }'
}

# Other names of perf stat take the argument of their own options.
argument() {
	case $1 in
	interval-print) echo TIME ;;
	interval-count | td-level) echo N ;;
	field-separator) echo SEP ;;
	*) echo "$2" ;;
	esac
}

nodes() { "$topdown" help nodes | sed -n 's/^tma_\([a-z_]*\) .*/\1/p' | paste -sd ' '; }

# values OPTION ARGUMENT NODES COMMAND: what the argument may be; empty if it is a file or free text
values() {
	# shellcheck disable=SC2086 # several words
	case $1:$2 in
	*level:N) echo '1 2' ;;
	node:* | folded:*) echo "$3" ;;
	by:WHAT) echo 'function line instruction' ;;
	by:KIND) [[ $4 == perf ]] && echo 'comm pid sym' || echo 'process cgroup' ;;
	sort:KEY) echo "share slots time ipc$(printf ' tma_%s' $3)" ;;
	statistic:*) echo 'mean min p50 p90 p99 max' ;;
	esac
}

is_file() { [[ $1 == @(FILE|PATH|PAGE|TRACE|BEFORE) ]]; }

put_fish() {
	local name help short long arg words nodes
	nodes=$(nodes)
	cat <<-'END'
	# SPDX-License-Identifier: GPL-2.0
	# fish completion of topdown(1); generate.sh has printed it.
	complete -c topdown -f
	complete -c topdown -n __fish_use_subcommand -s h -l help -d 'print the help'
	complete -c topdown -n __fish_use_subcommand -s V -l version -d 'print the versions'
	END
	while IFS=$'\t' read -r name help; do
		echo "complete -c topdown -n __fish_use_subcommand -a $name -d '${help//\'/}'"
	done < <(commands)
	while IFS=$'\t' read -r name help; do
		[[ $name != help ]] || continue
		while IFS='|' read -r short long arg help; do
			arg=$(argument "$long" "$arg")
			words=$(values "$long" "$arg" "$nodes" "$name")
			printf "complete -c topdown -n '__fish_seen_subcommand_from %s'" "$name"
			[[ -z $short ]] || printf ' -s %s' "$short"
			printf ' -l %s' "$long"
			if [[ -n $words ]]; then
				printf " -x -a '%s'" "$words"
			elif is_file "$arg"; then
				printf ' -r -F'
			elif [[ -n $arg ]]; then
				printf ' -x'
			fi
			printf " -d '%s'\n" "$help"
		done < <(options "$name")
	done < <(commands)
	# shellcheck disable=SC2086 # several words
	echo "complete -c topdown -n '__fish_seen_subcommand_from watch' -a '$(printf '"%s>" ' $nodes | sed 's/ $//')'"
	echo "complete -c topdown -n '__fish_seen_subcommand_from help' -a '$(commands | cut -f 1 | paste -sd ' ') nodes $nodes'"
	echo "complete -c topdown -n '__fish_seen_subcommand_from report' -F"
	echo "complete -c topdown -n '__fish_seen_subcommand_from $running' -a '(__fish_complete_subcommand)'"
}

put_zsh() {
	local name help short long arg words nodes spec
	nodes=$(nodes)
	cat <<'END'
#compdef topdown
# SPDX-License-Identifier: GPL-2.0
# zsh completion of topdown(1); generate.sh has printed it.
_topdown() {
	local context state line curcontext=$curcontext
	local -a commands
	commands=(
END
	while IFS=$'\t' read -r name help; do
		printf "\t\t'%s:%s'\n" "$name" "${help//\'/}"
	done < <(commands)
	cat <<'END'
	)
	_arguments -C '(-h --help)'{-h,--help}'[print the help]' \
		'(-V --version)'{-V,--version}'[print the versions]' \
		'1: :->command' '*:: :->arguments'
	case $state in
	command)
		_describe command commands
		;;
	arguments)
		case $words[1] in
END
	while IFS=$'\t' read -r name help; do
		[[ $name != help ]] || continue
		printf '\t\t%s)\n\t\t\t_arguments -s -S' "$name"
		while IFS='|' read -r short long arg help; do
			arg=$(argument "$long" "$arg")
			words=$(values "$long" "$arg" "$nodes" "$name")
			spec="[$help]"
			if [[ -n $words ]]; then
				spec+=":$arg:($words)"
			elif is_file "$arg"; then
				spec+=":$arg:_files"
			elif [[ -n $arg ]]; then
				spec+=":$arg: "
			fi
			if [[ -n $short ]]; then
				printf " \\\\\n\t\t\t\t'(-%s --%s)'{-%s,--%s}'%s'" "$short" "$long" "$short" \
					"$long" "$spec"
			else
				printf " \\\\\n\t\t\t\t'--%s%s'" "$long" "$spec"
			fi
		done < <(options "$name")
		# shellcheck disable=SC2086 # several words
		case $name in
		watch) printf " \\\\\n\t\t\t\t'*:threshold:(%s)'" "$(printf '%s\\> ' $nodes | sed 's/ $//')" ;;
		report) printf " \\\\\n\t\t\t\t'*:recording:_files'" ;;
		*) [[ " $running " != *" $name "* ]] || printf " \\\\\n\t\t\t\t'(-)1: :_command_names -e' '*:: :_normal'" ;;
		esac
		printf '\n\t\t\t;;\n'
	done < <(commands)
	printf '\t\thelp)\n\t\t\t_values word %s nodes %s\n\t\t\t;;\n' \
		"$(commands | cut -f 1 | paste -sd ' ')" "$nodes"
	printf '\t\tesac\n\t\t;;\n\tesac\n}\n_topdown "$@"\n'
}

"put_$shell"
