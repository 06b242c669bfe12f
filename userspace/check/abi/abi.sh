#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The public header needs nothing but itself, whoever compiles it, and what programs
# depend on is what it was.  The layout with 32 bits is looked at by selftests/host.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

USERSPACE=$(cd "$(dirname "$0")/../.." && pwd)
include=(-I"$USERSPACE/include" -I"$USERSPACE/../uapi")
# Headers of another word size are there for the syntax at least.
multi=(-idirafter "/usr/include/$(gcc -print-multiarch)")

compiles() {
	local name=$1 bad=0
	shift
	"$@" > "$TMP/log" 2>&1 || bad=1
	((!bad)) || sed 's/^/# /' "$TMP/log"
	result "$bad" "$name"
}

echo '#include <topdown.h>' > "$TMP/header.c"
cp "$TMP/header.c" "$TMP/header.cc"
strict=(-Wall -Wextra -Wpedantic -Wpadded -Werror -fsyntax-only "${include[@]}")
for dialect in c99 c11 c17 gnu17; do
	compiles "header alone, $dialect" gcc "-std=$dialect" "${strict[@]}" "$TMP/header.c"
done
for dialect in c++11 c++20; do
	compiles "header alone, $dialect" g++ "-std=$dialect" "${strict[@]}" "$TMP/header.cc"
done
for bits in -m32 -mx32; do
	compiles "header alone, $bits" gcc "$bits" -ffreestanding -std=c11 "${strict[@]}" \
		"${multi[@]}" "$TMP/header.c"
done

# In C++ a function of the same name would hide a structure.
{
	echo '#include <topdown.h>'
	cat "$USERSPACE"/include/*.h "$USERSPACE"/../uapi/linux/*.h |
		sed -nE 's/^struct (topdown_[a-z_]+) \{$/\1 *the_\1;/p'
} > "$TMP/structs.cc"
result "$(($(lines "$TMP/structs.cc") < 15))" 'the headers have structures'
compiles 'C++, structures without struct' g++ -std=c++11 "${strict[@]}" "$TMP/structs.cc"

# Each number of 64 bits that a program can be given is printed in the same way.
{
	printf '#include <stdio.h>\n#include <topdown.h>\n'
	echo 'void print(const struct topdown_reading *reading);'
	echo 'void print(const struct topdown_reading *reading) {'
	echo 'printf("%llu", topdown_reading_time(reading));'
	cat "$USERSPACE"/include/*.h "$USERSPACE"/../uapi/linux/*.h |
		sed -nE '/^struct topdown_[a-z_]+ \{$/{s/ \{$//;h}
			/^\t[a-z_]*(u|uint)64(_t)? ([a-z_]+)(\[.*\])?;$/{
				s//\3 \4/;s/\[.*\]/[0]/;s/ //;G
				s/(.*)\n(.*)/printf("%llu", ((\2 *)0)->\1);/p}'
	echo '}'
} > "$TMP/print.c"
cp "$TMP/print.c" "$TMP/print.cc"
result "$(($(grep -c '%llu' "$TMP/print.c") < 25))" 'the headers have numbers of 64 bits'
compiles 'numbers of 64 bits are %llu, C' gcc -std=c11 "${strict[@]}" -Wformat=2 "$TMP/print.c"
compiles 'numbers of 64 bits are %llu, C++' g++ -std=c++11 "${strict[@]}" -Wformat=2 "$TMP/print.cc"

# Rust has no headers: bindgen makes its declarations, with a test of each layout.
if command -v bindgen > /dev/null && command -v rustc > /dev/null; then
	compiles 'Rust: bindgen reads the header' bindgen --allowlist-function 'topdown_.*' \
		--allowlist-type 'topdown_.*' --allowlist-var 'TOPDOWN_.*' -o "$TMP/topdown.rs" \
		"$USERSPACE/include/topdown.h" -- "${include[@]}"
	compiles 'Rust: they compile' rustc --edition 2021 --test -A nonstandard-style -D warnings \
		-o "$TMP/rust" "$TMP/topdown.rs"
	run "$TMP/rust"
	expect 'Rust: structures have their layout' 0 '[1-9][0-9] passed; 0 failed' ''
	result "$(($(grep -c 'pub fn topdown_' "$TMP/topdown.rs") !=
		$(grep -c '^symbol ' "$USERSPACE/check/abi/abi.txt")))" 'Rust: all functions'
else
	for name in 'bindgen reads the header' 'they compile' 'structures have their layout' \
		'all functions'; do
		skip "Rust: $name" 'bindgen or rustc is not installed'
	done
fi

# Against check/abi/abi.txt: what is gone breaks programs, what is new has to be looked at.
# same NAME COMM-OPTION
same() {
	local found
	found=$(comm "$2" "$USERSPACE/check/abi/abi.txt" "$TMP/dump")
	if [[ -n $found ]]; then
		echo "# ${found//$'\n'/$'\n# '}"
		echo '# If it is meant: check/abi/abi-dump.sh build/libtopdown.so > check/abi/abi.txt'
	fi
	result "$([[ -z $found ]]; echo $?)" "$1"
}
run "$USERSPACE/check/abi/abi-dump.sh" "$USERSPACE/build/libtopdown.so"
cp "$TMP/out" "$TMP/dump"
expect 'the ABI can be dumped' 0 'symbol topdown_open@@' ''
same 'nothing of the ABI is gone or different' -23
same 'nothing of the ABI is new' -13
finish
