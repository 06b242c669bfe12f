#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The ABI can grow: programs and libraries of this release get right figures from a module
# of a release in which every structure is longer, and theirs from ours.  The module's own
# kmod/sums/map.c and kmod/sums/share.c make the maps, and the stand-in answers the ioctls.
# Other tests refuse structures that are shorter than any release had: ../lib/readings.c,
# ../lib/maps.c and others, and in a guest abi_test.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
CC=${CC:-gcc}
WORK=$BUILD/growth
releases=(now longer)
warnings=(-std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -O1 -g)
sanitize=(-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all)

# The kernel's headers that the program is not to see are empty: kernel.h has it all.
stubs() {
	local name
	mkdir -p "$WORK/stubs/linux" "$WORK/stubs/asm"
	for name in align cache cpumask gfp kcsan-checks lockdep mm module random smp string \
		timekeeping vmalloc compiler; do
		: > "$WORK/stubs/linux/$name.h"
	done
	: > "$WORK/stubs/asm/barrier.h"
}

# build RELEASE
build() {
	local tree=$WORK/$1 include

	"$HERE/grow.sh" "$1" "$tree"
	include=(-I"$tree/userspace/include" -I"$tree/uapi" -I"$tree/kmod/common")
	"$CC" "${warnings[@]}" "${sanitize[@]}" -DTOPDOWN_VERSION='"0"' "${include[@]}" \
		-o "$tree/growth" "$tree"/userspace/check/abi/growth.c "$tree"/userspace/lib/*.c \
		"$tree"/kmod/common/*.c -static-libasan -static-libubsan -pthread
	"$CC" "${warnings[@]}" "${sanitize[@]}" -Wno-unused-parameter -I"$WORK/stubs" -I"$tree" \
		-I"$tree/kmod" -I"$tree/kmod/sums" "${include[@]}" -include "$tree/userspace/check/abi/kernel.h" -o "$tree/maps" \
		"$tree"/userspace/check/abi/growth-maps.c "$tree"/kmod/{common/*,sums/{map,share}}.c
	"$CC" "${warnings[@]}" -shared -fPIC "${include[@]}" -o "$tree/fake.so" \
		"$tree"/userspace/check/fake/fake{,-ioctl,-latency,-map,-owner,-perf,-poll,-session}.c "$tree"/kmod/common/{metrics,sums}.c
	"$tree/maps" "$tree/cpus.map" "$tree/session.map"
}

# read_as READER OTHER NAME PROGRAM-ARGUMENT...
read_as() {
	local reader=$1 other=$2 name=$3 status=0 line
	shift 3
	"$@" > "$TMP/log" 2>&1 || status=$?
	while IFS= read -r line; do
		case $line in
		'ok '* | 'not ok '*)
			result "$([[ $line == ok* ]]; echo $?)" \
				"$reader reads $other, $name: ${line#* [0-9]* }"
			;;
		'1..'* | KTAP*) ;;
		*) echo "# $line" ;;
		esac
	done < "$TMP/log"
	# A program that dies has no line for it.
	result "$((status != 0 && status != 1))" "$reader reads $other, $name: to the end"
}

rm -rf "$WORK"
mkdir -p "$WORK"
stubs
for release in "${releases[@]}"; do
	build "$release"
done
for reader in "${releases[@]}"; do
	for other in "${releases[@]}"; do
		read_as "$reader" "$other" maps "$WORK/$reader/growth" maps "$WORK/$other/cpus.map" \
			"$WORK/$other/session.map" "$other"
		read_as "$reader" "$other" device env LD_PRELOAD="$WORK/$other/fake.so" \
			FAKE_NODE=/dev/topdown-of-the-test "$WORK/$reader/growth" device "$other"
	done
done
finish
