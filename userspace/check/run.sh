#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the library and the command that need no module, "make check".
#
#   run.sh [SUITE]...      these suites; without any, all.  "run.sh -l" lists them.
#
# A suite is a script SUITE.sh or a program SUITE.c, in the directory of its subject: lib/,
# cli/, abi/, or here for the whole.  fake/ stands in for the module.
#
# All is run twice: as it is delivered, and with the sanitizers for addresses,
# leaks and undefined behaviour.  KTAP on stdout; the last line is
# "N passed, N failed, N skipped".
set -euo pipefail

# A shell that starts us in the background ignores signals that the tests send.
if [[ -z ${TOPDOWN_CHECK_SIGNALS-} ]]; then
	exec env --default-signal=INT,QUIT,HUP,TERM,PIPE TOPDOWN_CHECK_SIGNALS=default "$0" "$@"
fi

HERE=$(cd "$(dirname "$0")" && pwd)
USERSPACE=$(dirname "$HERE")
BUILD=$USERSPACE/build/check
library=(handle library readings maps watches sessions names sets regions)
suites=(abi growth units columns frames "${library[@]}" options device command tasks output
	history watch series noise record export perf schema running screen install examples docs
	monitoring python)
CC=${CC:-gcc}
warnings=(-std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE)
include=(-I"$USERSPACE/include" -I"$USERSPACE/../uapi")
# The C library's own output is compared.
export LC_ALL=C
export BUILD CC
# Nothing of the caller's settings decides what is printed.
unset NO_COLOR "${!FAKE_@}"
# script(1) and tmux run command lines with it.  bash becomes a single command;
# another shell may stay in front of it and take the terminal's signals too.
export SHELL=/bin/bash

# The libraries of the command, as its Makefile has them.
read -ra libraries < <(make -s --no-print-directory -C "$USERSPACE" libraries)
sanitize=(-O1 -g -fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
# The runtime goes into the program, as the library that is preloaded comes first.
sanitize_link=(-static-libasan -static-libubsan)
export ASAN_OPTIONS=detect_leaks=1:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1

build() {
	mkdir -p "$BUILD"
	"$CC" "${warnings[@]}" -O1 -g -shared -fPIC "${include[@]}" -o "$BUILD/fake.so" \
		"$HERE"/fake/fake{,-ioctl,-map,-perf,-poll,-session}.c "$USERSPACE/../kmod/metrics.c"
	make -C "$USERSPACE" -s CC="$CC" all
	make -C "$USERSPACE" -s CC="$CC" O="$BUILD/asan" PROGRAM="$BUILD/asan/topdown" \
		CFLAGS="${sanitize[*]}" LDFLAGS="${sanitize_link[*]}" \
		"$BUILD/asan/topdown" "$BUILD/asan/libtopdown.a"
	build_programs plain "$USERSPACE/build" -O2 -g
	build_programs asan "$BUILD/asan" "${sanitize[@]}" "${sanitize_link[@]}"
}

# build_programs NAME OBJECTS FLAG...
build_programs() {
	local name=$1 objects=$2 program command
	shift 2
	mkdir -p "$BUILD/$name"
	for program in "${library[@]}"; do
		"$CC" "${warnings[@]}" "${include[@]}" "$@" -o "$BUILD/$name/$program" \
			"$HERE/lib/$program.c" "$objects/libtopdown.a" -pthread
	done
	"$CC" "${warnings[@]}" "${include[@]}" "$@" -o "$BUILD/$name/units" "$HERE/cli/units.c" \
		"$objects"/cli/{cpulist,parse,report,rights,rows}.o "$objects"/pure/*.o \
		"$objects/libtopdown.a" -lcap
	# All of the command but its main().
	mapfile -t command < <(printf '%s\n' "$objects"/cli/*.o | grep -v '/main\.o$')
	for program in damage made series noise; do
		"$CC" "${warnings[@]}" "${include[@]}" "$@" -o "$BUILD/$name/$program" \
			"$HERE/cli/$program.c" "${command[@]}" \
			"$objects"/pure/*.o "$objects/libtopdown.a" "${libraries[@]}"
	done
	for program in columns frames; do
		"$CC" "${warnings[@]}" "${include[@]}" "$@" -o "$BUILD/$name/$program" \
			"$HERE/cli/$program.c" "$objects"/cli/top-{data,frame,view}.o \
			"$objects"/cli/{columns,cpulist,parse,repeat,report,rights,rows,text}.o \
			"$objects"/pure/*.o "$objects/libtopdown.a" -lcap -lm
	done
}

# is_in NAME NAMES...: whether it is one of them
is_in() { [[ " ${*:2} " == *" $1 "* ]]; }

# suite VARIANT NAME: one suite
suite() {
	local variant=$1 name=$2

	case $name in
	units) "$BUILD/$variant/units" "$HERE/cli/thresholds.csv" 2> /dev/null ;;
	columns | frames | series | noise) "$BUILD/$variant/$name" ;;
	*)
		if ! is_in "$name" "${library[@]}"; then
			bash "$(find "$HERE" -name "$name.sh")"
			return
		fi
		FAKE_NODE=/dev/topdown-of-the-test FAKE_PRESENT=$BUILD/$variant/present \
			LD_PRELOAD=$PRELOAD timeout 600 "$BUILD/$variant/$name"
		;;
	esac
}

passed=0 failed=0 skipped=0

# tally VARIANT NAME LOG STATUS: count, and notice what a plan does not say
tally() {
	local ok bad skip planned

	skip=$(grep -cE '^ok .*# SKIP' "$3" || true)
	ok=$(grep -cE '^ok ' "$3" || true)
	bad=$(grep -cE '^not ok ' "$3" || true)
	planned=$(sed -nE 's/^1\.\.([0-9]+)$/\1/p' "$3" | head -n 1)
	passed=$((passed + ok - skip)) failed=$((failed + bad)) skipped=$((skipped + skip))
	if [[ ${planned:-none} != "$((ok + bad))" ]] || (($4 && !bad)); then
		echo "not ok $1 $2: status $4, $((ok + bad)) results of ${planned:-no plan}"
		failed=$((failed + 1))
	fi
}

if [[ ${1-} == -l ]]; then
	printf '%s\n' "${suites[@]}"
	exit
fi
for name; do
	is_in "$name" "${suites[@]}" || { echo "${0##*/}: no suite is called $name (try -l)" >&2; exit 2; }
done
((!$#)) || suites=("$@")
build
echo 'KTAP version 1'
PRELOAD=$BUILD/fake.so
export PRELOAD
for variant in plain asan; do
	TOPDOWN=$USERSPACE/topdown
	[[ $variant == plain ]] || TOPDOWN=$BUILD/asan/topdown
	export TOPDOWN
	for name in "${suites[@]}"; do
		case $variant:$name in
		asan:abi | asan:growth | asan:install | asan:examples | asan:docs | asan:monitoring | \
			asan:python) continue ;;
		esac
		echo "# $variant: $name"
		status=0
		suite "$variant" "$name" > "$BUILD/$variant.$name.log" 2>&1 || status=$?
		cat "$BUILD/$variant.$name.log"
		tally "$variant" "$name" "$BUILD/$variant.$name.log" "$status"
	done
done
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0 && passed > 0))
