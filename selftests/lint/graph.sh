#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The structure of the sources: which file uses which.  X.c and X.h of a folder are one file
# here, and no header's name is in two folders of a directory.  Fails if there is a circle, or
# if a file uses one of a folder that it may not use.
#
#   graph.sh [-C TREE] [-s] [-o OBJECTS] [DIRECTORY]...
#
# DIRECTORY  kmod, userspace/cli, ...: default are those that have an order below.
# -C TREE    another copy of the sources
# -s         no files: figures of each directory, also if there is a fault
# -o OBJECTS a directory with the objects that were made of the one DIRECTORY: calls, and
#            uses of data, count like an include.  Also fails where they need a file that is
#            not included, by the file itself or by what its headers include.  Files without
#            a header are declared in that of another.
set -euo pipefail

export LC_ALL=C

# The folders of a directory, from those that use nothing to those that may use all.  A file
# uses files of its own folder, and of folders further left; folders that a comma joins do not
# use each other.  A file that is in no folder is ./NAME.
declare -A order=(
	[kmod]="./compat common meter,sums window tasks,sharing,owners interface latency ./main"
	[userspace/cli]="base recording rows latency,owners,windows,info,perf,verify report record,stat,top,where ./main,export"
)
directories=(kmod userspace/cli userspace/lib)

# units: a line "FOLDER/NAME FOLDER LINES" for each file of the current directory; a file in no
# folder is ./NAME, in a place of its own.
units() {
	find . -name '*.[ch]' ! -name '*.mod.c' -exec wc -l {} + | awk '
		$2 != "total" {
			unit = place = $2
			sub(/\.[ch]$/, "", unit)
			if (place ~ /^\.\/.*\//) {
				sub(/^\.\//, "", unit)
				sub(/^\.\//, "", place)
				sub(/\/.*/, "", place)
			} else {
				place = unit
			}
			print unit, place, $1
		}'
}

# includes GLOB: a line "USER USED" for each pair, of the files that the glob fits.  A file
# finds the header of its own folder first.
includes() {
	find . -name "$1" ! -name '*.mod.c' -exec grep -HoE '^#include "[^"]+\.h"' {} + |
		sed -E 's/^(.*)\.[ch]:#include "(.*\/)?([^/]+)\.h"$/\1 \3/; s/^\.\/(.*\/)/\1/' |
		awk '
			NR == FNR {
				unit = key = $0
				home[unit]
				sub(/.*\//, "", key)
				of[key] = unit
				next
			}
			{
				own = $1
				sub(/[^\/]*$/, "", own)
				used = ((own $2) in home) ? own $2 : of[$2]
			}
			used && used != $1 { print $1, used }
		' <(find . -name '*.h' | sed -E 's/\.h$//; s/^\.\/(.*\/)/\1/') - | sort -u
}

# calls OBJECTS: the same by the symbols.
calls() {
	find "$1" -name '*.o' ! -name 'topdown*.o' -exec nm -A {} + | awk '
		NR == FNR { known[$1]; next }
		{
			file = $1
			sub(/\.o:.*/, "", file)
			n = split(file, part, "/")
			file = part[n - 1] "/" part[n]
			if (!(file in known))
				file = "./" part[n]
			name = $NF
			if (/ U /)
				uses[file, name] = 1
			else if ($(NF - 1) ~ /[TDRB]/)
				home[name] = file
		}
		END {
			for (key in uses) {
				split(key, part, SUBSEP)
				if (part[2] in home && home[part[2]] != part[1])
					print part[1], home[part[2]]
			}
		}' <(echo "$files") - | sort -u
}

# missing OBJECTS: the calls of files that are not included, by the file or by its headers.
missing() {
	awk '
		# A .c file includes for itself only.
		function reaches(list, to, seen,	n, i, used) {
			n = split(list, used, " ")
			for (i = 1; i <= n; i++) {
				if (used[i] == to)
					return 1
				if (used[i] in seen)
					continue
				seen[used[i]] = 1
				if (reaches(header[used[i]], to, seen))
					return 1
			}
			return 0
		}
		kind == "any" { any[$1] = any[$1] " " $2 }
		kind == "header" { header[$1] = header[$1] " " $2 }
		kind == "call" {
			split("", seen)
			if (!reaches(any[$1], $2, seen))
				print
		}' kind=any <(echo "$uses") kind=header <(includes '*.h') \
		kind=call <(calls "$1") | while read -r user used; do
		[[ ! -e $used.h ]] || echo "$user $used"
	done
}

# with_calls OBJECTS: the includes, and the calls.  A file without a header that includes the
# header of its caller is a part of that: the call is not counted.
with_calls() {
	{
		echo "$uses"
		awk 'NR == FNR { pair[$1, $2]; next } !(($2, $1) in pair)' \
			<(echo "$uses") <(calls "$1")
	} | sort -u
}

# misplaced: files in no folder that the order has, and uses of a file of a folder that is
# not further left.
misplaced() {
	awk -v order="$1" '
		BEGIN {
			n = split(order, floor, " ")
			for (i = 1; i <= n; i++) {
				m = split(floor[i], name, ",")
				for (j = 1; j <= m; j++)
					rank[name[j]] = i
			}
		}
		function base(unit) {
			sub(/.*\//, "", unit)
			return unit
		}
		NR == FNR {
			if (!($1 in place) && n && !($2 in rank))
				print base($1) " is in " $2 ", which is not in the order"
			place[$1] = $2
			next
		}
		n && place[$1] != place[$2] && rank[place[$1]] <= rank[place[$2]] {
			print place[$1] " (" base($1) ") uses " place[$2] " (" base($2) ")"
		}' <(echo "$files") <(echo "$uses")
}

# circles: the files of each, one a line.
circles() {
	awk '
		{ next_of[$1] = next_of[$1] " " $2; all[$1]; all[$2] }
		function walk(from, at,		n, i, used) {
			n = split(next_of[at], used, " ")
			for (i = 1; i <= n; i++) {
				if ((from, used[i]) in reach)
					continue
				reach[from, used[i]]
				walk(from, used[i])
			}
		}
		END {
			for (file in all)
				walk(file, file)
			for (file in all) {
				if (!((file, file) in reach) || (file in told))
					continue
				line = ""
				for (other in all)
					if (((file, other) in reach) && ((other, file) in reach)) {
						told[other]
						line = line " " other
					}
				print substr(line, 2)
			}
		}' <<< "$uses"
}

# figures DIRECTORY: its line of the table.
figures() {
	awk -v name="$1" -v circles="$(circles | wc -l)" '
		NR == FNR {
			files++
			lines += $3
			place[$1] = $2
			if ($2 !~ /^\./ && !seen[$2]++)
				folders++
			next
		}
		{ pairs++ }
		place[$1] != place[$2] && (place[$1] place[$2]) !~ /\./ {
			across++
			if (!arrow[place[$1], place[$2]]++)
				arrows++
		}
		END {
			printf "%-16s %7d %7d %7d %7d %7d %7d %7d\n", name, files, lines, folders,
				pairs, across, arrows, circles
		}' <(echo "$files") <(echo "$uses")
}

# list: each file, and what it uses; those that nothing uses come first.
list() {
	awk '
		NR == FNR { used[$1] = used[$1] " " $2; next }
		{ printf "%-28s %s\n", $1, used[$1] }
	' <(echo "$uses") <(tsort <<< "$uses")
}

# look DIRECTORY: print its files, or say what is wrong.
look() {
	local found files uses lacking bad=0

	cd "$tree/$1"
	files=$(units)
	uses=$(includes '*.[ch]')
	lacking=''
	if [[ $objects ]]; then
		lacking=$(missing "$objects")
		uses=$(with_calls "$objects")
	fi
	if [[ $show == figures ]]; then
		figures "$1"
		return
	fi
	found=$(circles)
	[[ -z $found ]] || fault "$1: a circle: ${found//$'\n'/; }"
	found=$(misplaced "${order[$1]-}")
	[[ -z $found ]] || fault "$1: against the order: ${found//$'\n'/, }"
	[[ -z $lacking ]] || fault "$1: used, but not included: ${lacking//$'\n'/, }"
	((!bad)) || return 1
	list
}

fault() {
	echo "graph.sh: $1" >&2
	bad=1
}

tree=$(cd "$(dirname "$0")/../.." && pwd) show=files objects=
while getopts C:so: option; do
	case $option in
	C) tree=$(cd "$OPTARG" && pwd) ;;
	s) show=figures ;;
	o) objects=$(cd "$OPTARG" && pwd) ;;
	*) echo "usage: ${0##*/} [-C TREE] [-s] [-o OBJECTS] [DIRECTORY]..." >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
(($#)) || set -- "${directories[@]}"
if [[ $objects && $# != 1 ]]; then
	echo "graph.sh: -o is for one directory" >&2
	exit 2
fi
[[ $show == files ]] || printf '%-16s %7s %7s %7s %7s %7s %7s %7s\n' \
	directory files lines folders uses across arrows circles
status=0
for directory; do
	look "$directory" || status=1
done
exit "$status"
