#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The structure of kmod/: which file uses which, from the top down.  X.c and X.h are one
# file here.  Fails if there is a circle.
#
#   graph.sh [OBJECTS]
#
# OBJECTS  a directory with the objects of a built module: also fails where one calls a
#          function, or has data, of a file that it does not include, by itself or by what
#          its headers include.  Files without a header are declared in that of another.
set -euo pipefail

cd "$(dirname "$0")/../../kmod"
export LC_ALL=C

# includes FILE...: a line "USER USED" for each pair.
includes() {
	local file used

	for file; do
		file=${file#./}
		sed -n 's/^#include "\([a-z-]*\)\.h"$/\1/p' "$file" | while read -r used; do
			[[ $used == "${file%.*}" ]] || echo "${file%.*} $used"
		done
	done | sort -u
}

# calls OBJECTS: the same by the symbols.
calls() {
	local object

	for object in "$1"/*.o; do
		[[ ${object##*/} == topdown*.o ]] || nm -A "$object"
	done | awk '
		{
			file = $1
			sub(/:.*/, "", file)
			sub(/.*\//, "", file)
			sub(/\.o$/, "", file)
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
		}' | sort -u
}

# missing OBJECTS: the calls of files that are not included, by the file or by its headers.  Needs
# $pairs.
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
		}' kind=any <(echo "$pairs") kind=header <(includes ./*.h) \
		kind=call <(calls "$1") | while read -r user used; do
		[[ ! -e $used.h ]] || echo "$user $used"
	done
}

pairs=$(includes ./*.[ch])
if ! order=$(tsort <<< "$pairs" 2>&1); then
	echo "graph.sh: a circle: $(grep -A9 'contains a loop' <<< "$order" |
		sed -n 's/^tsort: \([a-z-]*\)$/\1/p' | xargs)" >&2
	exit 1
fi
if (($#)); then
	more=$(missing "$1")
	if [[ $more ]]; then
		printf 'graph.sh: used, but not included: %s\n' "${more//$'\n'/, }" >&2
		exit 1
	fi
fi
for file in $order; do
	printf '%-20s %s\n' "$file" \
		"$(awk -v f="$file" '$1 == f { printf " %s", $2 }' <<< "$pairs")"
done
