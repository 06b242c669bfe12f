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
# leaks and undefined behaviour.  As many suites as there are processors run beside each
# other, four at most; TOPDOWN_CHECK_JOBS is another number.  KTAP on stdout, a suite when it
# has ended; the last line is "N passed, N failed, N skipped".
set -euo pipefail
shopt -s extglob

# A shell that starts us in the background ignores signals that the tests send.
if [[ -z ${TOPDOWN_CHECK_SIGNALS-} ]]; then
	exec env --default-signal=INT,QUIT,HUP,TERM,PIPE TOPDOWN_CHECK_SIGNALS=default "$0" "$@"
fi

HERE=$(cd "$(dirname "$0")" && pwd)
USERSPACE=$(dirname "$HERE")
BUILD=$USERSPACE/build/check
library=(handle library readings maps watches sessions latencies names sets regions)
# The longest first, so that none is left alone at the end.
suites=(python record record-latency record-owners owner-diff screen growth install export export-cgroups export-clients command tasks runs rotate control running noise options output
	device monitoring manifests schema docs examples fuzzers verify maps sets watch abi history perf units unsampled mapped frames
	columns series containers latency owners handle library readings watches sessions latencies names regions)
processors=$(nproc)
jobs=${TOPDOWN_CHECK_JOBS:-$((processors < 4 ? processors : 4))}
CC=${CC:-cc}
warnings=(-std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE)
include=(-I"$USERSPACE/include" -I"$USERSPACE/../uapi" -I"$USERSPACE/cli"
	 -I"$USERSPACE/../kmod/common")
for room in "$USERSPACE"/cli/*/; do
	include+=(-I"$room")
done
# The C library's own output is compared.
export LC_ALL=C
export BUILD CC
# Nothing of the caller's settings decides what is printed.
unset NO_COLOR "${!FAKE_@}"
# script(1) and tmux run command lines with it.  bash becomes a single command;
# another shell may stay in front of it and take the terminal's signals too.
export SHELL=/bin/bash

# The libraries of both programs, as their Makefile has them.
read -ra libraries < <(make -s --no-print-directory -C "$USERSPACE" libraries)
sanitize=(-O1 -g -fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
# The runtime goes into the program, as the library that is preloaded comes first.
sanitize_link=(-static-libasan -static-libubsan)
export ASAN_OPTIONS=detect_leaks=1:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1

# beside COMMAND...: begin it as soon as fewer than $jobs run.  One that failed ends us.
begun=0
beside() {
	if ((begun >= jobs)); then
		wait -n
		begun=$((begun - 1))
	fi
	"$@" &
	begun=$((begun + 1))
}

all_ended() {
	for (( ; begun; begun--)); do
		wait -n
	done
}

build() {
	mkdir -p "$BUILD"
	make -C "$USERSPACE" -s -j "$jobs" CC="$CC" all
	make -C "$USERSPACE" -s -j "$jobs" CC="$CC" O="$BUILD/asan" PROGRAM="$BUILD/asan/topdown" \
		CFLAGS="${sanitize[*]}" LDFLAGS="${sanitize_link[*]}" \
		"$BUILD/asan/topdown" "$BUILD/asan/topdown-export" "$BUILD/asan/libtopdown.a"
	beside "$CC" "${warnings[@]}" -O1 -g -shared -fPIC "${include[@]}" -o "$BUILD/fake.so" \
		"$HERE"/fake/fake{,-ioctl,-latency,-map,-owner,-perf,-poll,-session}.c "$USERSPACE"/../kmod/common/{metrics,sums}.c
	build_programs plain "$USERSPACE/build" -O2 -g
	build_programs asan "$BUILD/asan" "${sanitize[@]}" "${sanitize_link[@]}"
	build_fuzzers
	all_ended
}

# build_programs NAME OBJECTS FLAG...
build_programs() {
	local name=$1 objects=$2 program command compile wrap
	shift 2
	mkdir -p "$BUILD/$name"
	compile=("$CC" "${warnings[@]}" "${include[@]}" "$@")
	for program in "${library[@]}"; do
		beside "${compile[@]}" -o "$BUILD/$name/$program" \
			"$HERE/lib/$program.c" "$objects/libtopdown.a" -pthread
	done
	# All of the command and the exporter but main().
	command=("$USERSPACE"/cli/*/!(main).c)
	command=("${command[@]/#"$USERSPACE"/"$objects"}")
	for program in units unsampled mapped damage made pairs shares series noise columns frames containers; do
		wrap=()
		[[ $program != @(unsampled|mapped) ]] ||
			mapfile -t wrap < <(printf -- '-Wl,--wrap=%s\n' topdown_stalls_{event_get,lost})
		[[ $program != unsampled ]] || wrap+=('-Wl,--wrap=where_symbols_object')
		beside "${compile[@]}" "${wrap[@]}" -o "$BUILD/$name/$program" \
			"$HERE/cli/$program.c" "${command[@]/%.c/.o}" \
			"$objects"/common/*.o "$objects/libtopdown.a" "${libraries[@]}"
	done
}

# build_fuzzers: the targets of fuzz/, without a fuzzer
build_fuzzers() {
	local target command=("$USERSPACE"/cli/*/!(main).c) more

	command=("${command[@]/#"$USERSPACE"/"$BUILD/asan"}")
	for target in "$HERE"/fuzz/*.c; do
		target=$(basename "$target" .c)
		more=("${command[@]/%.c/.o}" "$BUILD"/asan/common/*.o)
		[[ $target != device ]] ||
			mapfile -t more < <(printf -- '-Wl,--wrap=%s\n' ioctl open stat fstat readlink fcntl mmap poll preadv2)
		beside "$CC" "${warnings[@]}" "${include[@]}" -I"$HERE/fuzz" "${sanitize[@]}" \
			"${sanitize_link[@]}" -o "$BUILD/asan/fuzz-$target" "$HERE/replay.c" \
			"$HERE/fuzz/$target.c" "${more[@]}" "$BUILD/asan/libtopdown.a" "${libraries[@]}"
	done
}

# is_in NAME NAMES...: whether it is one of them
is_in() { [[ " ${*:2} " == *" $1 "* ]]; }

# suite VARIANT NAME: one suite.  The shell lets what it starts beside itself ignore Ctrl-C.
suite() {
	local variant=$1 name=$2 clean=(env "--default-signal=INT,QUIT")

	TOPDOWN=$USERSPACE/topdown
	[[ $variant == plain ]] || TOPDOWN=$BUILD/asan/topdown
	export TOPDOWN
	case $name in
	units) "${clean[@]}" "$BUILD/$variant/units" "$HERE/cli/thresholds.csv" 2> /dev/null ;;
	columns | frames | series | noise | containers | unsampled | mapped) "${clean[@]}" "$BUILD/$variant/$name" ;;
	*)
		if ! is_in "$name" "${library[@]}"; then
			"${clean[@]}" bash "$(find "$HERE" -name "$name.sh")"
			return
		fi
		FAKE_NODE=/dev/topdown-of-the-test FAKE_PRESENT=$BUILD/$variant/present \
			LD_PRELOAD=$PRELOAD timeout 600 "${clean[@]}" "$BUILD/$variant/$name"
		;;
	esac
}

# has_variant VARIANT NAME: whether the suite is about what the sanitizers see
has_variant() {
	case $1:$2 in
	plain:fuzzers | asan:abi | asan:growth | asan:install | asan:examples | asan:docs | asan:monitoring | \
		asan:python) return 1 ;;
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

# await_suite: until one of those that run ends, and show it
await_suite() {
	local pid variant name since status=0

	wait -n -p pid "${!running[@]}" || status=$?
	read -r variant name since <<< "${running[$pid]}"
	unset "running[$pid]"
	echo "# $variant: $name, $((SECONDS - since)) s"
	cat "$BUILD/$variant.$name.log"
	tally "$variant" "$name" "$BUILD/$variant.$name.log" "$status"
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
declare -A running=()
for name in "${suites[@]}"; do
	for variant in asan plain; do
		has_variant "$variant" "$name" || continue
		((${#running[@]} < jobs)) || await_suite
		suite "$variant" "$name" > "$BUILD/$variant.$name.log" 2>&1 &
		running[$!]="$variant $name $SECONDS"
	done
done
while ((${#running[@]})); do
	await_suite
done
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0 && passed > 0))
