#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Print what programs depend on that were compiled with the headers, and linked with
# the library: one line a fact.
#
#   abi-dump.sh LIBRARY       LIBRARY: libtopdown.so
#
# That is the SONAME, the symbols with their versions, the functions with their types,
# the layout of the structures, the values of enumerations, and the macros.
# check/abi/abi.txt is the last output that was looked at; check/abi/abi.sh compares.
set -euo pipefail
export LC_ALL=C

(($# == 1)) || { echo "usage: ${0##*/} LIBRARY" >&2; exit 2; }
USERSPACE=$(cd "$(dirname "$0")/../.." && pwd)
CC=${CC:-gcc}
include=(-I"$USERSPACE/include" -I"$USERSPACE/../uapi")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Our own part of what the compiler sees, without comments.
own_declarations() {
	echo '#include <topdown.h>' | "$CC" -E "${include[@]}" - |
		awk -v own="$USERSPACE" '/^# [0-9]/ { ours = index($3, own) == 2; next } ours' |
		sed 's/__u64 __attribute__((aligned(8)))/__aligned_u64/g'
}

# One declaration a line.
split_declarations() {
	tr '\n\t' '  ' | awk '{
		for (i = 1; i <= length($0); i++) {
			c = substr($0, i, 1)
			depth += (c == "{") - (c == "}")
			if (c != ";" || depth) {
				line = line c
				continue
			}
			gsub(/ +/, " ", line)
			sub(/^ /, "", line)
			print line
			line = ""
		}
	}'
}

functions() {
	grep -E '^[^{]*\)$' "$work/declarations" | sed -E 's/\( /(/g; s/^/function /'
}

# A program that prints what only the compiler knows: sizes, offsets and values.
write_program() {
	printf '#include <stddef.h>\n#include <stdio.h>\n#include <topdown.h>\nint main(void)\n{\n'
	grep -E '^(struct [a-z_]+|enum( [a-z_]+)?) \{' "$work/declarations" |
		sed -E 's/ \{ ?/;/; s/ ?\} ?$//' |
		while IFS=';' read -ra part; do
			if [[ ${part[0]} == enum* ]]; then
				write_enum "${part[0]}" "${part[1]}"
			else
				write_struct "${part[@]}"
			fi
		done
	echo 'return 0; }'
}

# write_enum NAME VALUES
write_enum() {
	local values value

	IFS=, read -ra values <<< "$2"
	for value in "${values[@]}"; do
		value=${value%%=*}
		value=${value// /}
		[[ -n $value ]] || continue
		printf 'printf("%s.%s %%lld\\n", (long long)%s);\n' "$1" "$value" "$value"
	done
}

# write_struct NAME FIELD...
write_struct() {
	local name=$1 field type
	shift

	printf 'printf("%s %%zu\\n", sizeof(%s));\n' "$name" "$name"
	for field; do
		field=${field# }
		[[ -n ${field// /} ]] || continue
		type=${field% *} field=${field##* }
		field=${field%%[*}
		printf 'printf("%s.%s at %%zu, %%zu of %s\\n", ' "$name" "$field" "$type"
		printf 'offsetof(%s, %s), sizeof(((%s *)0)->%s));\n' "$name" "$field" "$name" "$field"
	done
}

macros() {
	echo '#include <topdown.h>' | "$CC" -E -dM "${include[@]}" - |
		sed -nE 's/^#define (TOPDOWN_[A-Z_0-9]+)(\([a-z]+\))? (.+)/define \1\2 \3/p' | tr -s ' '
}

symbols() {
	readelf -d "$1" | sed -nE 's/.*\(SONAME\).*\[(.*)\]/soname \1/p'
	nm -D --defined-only --with-symbol-versions "$1" | sed -nE 's/^[0-9a-f]+ T (.*)/symbol \1/p'
}

own_declarations | split_declarations > "$work/declarations"
write_program > "$work/program.c"
"$CC" -Wall -Werror "${include[@]}" -o "$work/program" "$work/program.c"
{
	symbols "$1"
	functions
	"$work/program"
	macros
} | sort > "$work/dump"
# One kind of fact that is missing altogether is a fault of this script.
for kind in soname symbol function struct enum define; do
	grep -q "^$kind " "$work/dump" || { echo "${0##*/}: no $kind was found" >&2; exit 1; }
done
cat "$work/dump"
