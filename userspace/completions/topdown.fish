# SPDX-License-Identifier: GPL-2.0
# fish completion of topdown(1), which prints its options itself: a line
# "LETTER|NAME|ARGUMENT|WORDS|HELP" for each.
command -q topdown
or exit
set -l nodes (topdown help nodes 2> /dev/null | string replace -rf '^tma_([a-z_]+) .*' '$1')
set -l commands
complete -c topdown -f
complete -c topdown -n __fish_use_subcommand -s h -l help -d 'print the help'
complete -c topdown -n __fish_use_subcommand -s V -l version -d 'print the versions'
for line in (topdown --help 2> /dev/null | sed -nE '/^Commands:/,/^Options:/s/^  ([a-z]+)( \[COMMAND\])?  +([a-z].*)$/\1|\3/p')
	set -l command (string split '|' -- $line)
	complete -c topdown -n __fish_use_subcommand -a $command[1] -d $command[2]
	test $command[1] != help
	and set -a commands $command[1]
end
for command in $commands
	for line in (topdown $command --completion 2> /dev/null)
		set -l part (string split '|' -- $line)
		set -l words (string replace -a , '' -- $part[4] | string replace -a tma_ '')
		set -l about -n "__fish_seen_subcommand_from $command" -l $part[2] -d $part[5]
		test -n $part[1]
		and set -a about -s $part[1]
		if test -n "$words"
			set -a about -x -a "$words"
		else if string match -qr '^(FILE|PATH|PAGE|TRACE|BEFORE)$' -- $part[3]
			set -a about -r -F
		else if string match -qr '^[A-Z]' -- $part[3]
			set -a about -x
		end
		complete -c topdown $about
	end
end
complete -c topdown -n '__fish_seen_subcommand_from watch' -a (string join ' ' -- \"$nodes'>"')
complete -c topdown -n '__fish_seen_subcommand_from help' -a "$commands nodes $nodes"
complete -c topdown -n '__fish_seen_subcommand_from report' -F
complete -c topdown -n '__fish_seen_subcommand_from stat where latency record perf' -a '(__fish_complete_subcommand)'
