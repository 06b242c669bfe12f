#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Fuzz what the command and the library read from others: recordings, command lines, the output of
# perf, and the answers of a kernel that may be newer, or hostile.  "make fuzz".
#
#   fuzz.sh [-t SECONDS] [TARGET]...   so long each (60); the targets are fuzz/*.c
#
# clang's libFuzzer with the sanitizers for addresses, leaks and undefined behaviour.  Inputs that
# reach new code are kept in the cache and are where the next run begins.  KTAP; an input that
# does harm is kept, and its name is printed.
set -euo pipefail
shopt -s extglob

HERE=$(cd "$(dirname "$0")" && pwd)
USERSPACE=$(dirname "$HERE")
BUILD=${TOPDOWN_CACHE:-$HOME/.cache/topdown}/fuzz
CORPUS=$BUILD/corpus
seconds=60
[[ ${1-} != -t ]] || { seconds=${2:?-t lacks its value}; shift 2; }
[[ $seconds == [1-9]*([0-9]) ]] || { echo "fuzz.sh: -t takes seconds, 1 or more" >&2; exit 2; }
for target; do
	[[ -e $HERE/fuzz/$target.c ]] || { echo "fuzz.sh: there is no fuzz/$target.c" >&2; exit 2; }
done
targets=("$@")
(($#)) || mapfile -t targets < <(cd "$HERE/fuzz" && basename -s .c -- *.c)
CC=${CLANG:-clang}
echo 'int LLVMFuzzerTestOneInput(const char *at, unsigned long size) { return *at > (int)size; }' |
	"$CC" -fsanitize=fuzzer -x c -o /dev/null - 2> /dev/null || {
	echo "1..0 # SKIP there is no clang with libFuzzer (apt-get install clang libclang-rt-14-dev)"
	exit 4
}
sanitize=(-O1 -g -fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
export LC_ALL=C
unset "${!FAKE_@}"
# shellcheck source=userspace/check/inputs.sh
. "$HERE/inputs.sh"

build() {
	local target room command more libraries include=(-I"$USERSPACE/cli" -I"$USERSPACE/../kmod/common")

	for room in "$USERSPACE"/cli/*/; do
		include+=(-I"$room")
	done

	make -s -C "$USERSPACE" -j "$(nproc)" CC="$CC" O="$BUILD" PROGRAM="$BUILD/topdown" WARNINGS= \
		CFLAGS="${sanitize[*]} -fsanitize=fuzzer-no-link" "$BUILD/topdown" "$BUILD/topdown-export"
	make -s -C "$USERSPACE" -j "$(nproc)" O="$BUILD/plain" PROGRAM="$BUILD/plain/topdown" \
		"$BUILD/plain/topdown"
	read -ra libraries < <(make -s --no-print-directory -C "$USERSPACE" libraries)
	cc -O1 -g -shared -fPIC -D_GNU_SOURCE -I"$USERSPACE/include" -I"$USERSPACE/../uapi" "${include[@]}" \
		-o "$BUILD/fake.so" "$HERE"/fake/fake*.c "$USERSPACE"/../kmod/common/{metrics,sums}.c
	command=("$USERSPACE"/cli/*/!(main).c)
	command=("${command[@]/#"$USERSPACE"/"$BUILD"}")
	command=("${command[@]/%.c/.o}" "$BUILD"/common/*.o)
	for target in "${targets[@]}"; do
		# A kernel below the library, and the command's files for the others.
		more=("${command[@]}")
		[[ $target != device ]] ||
			mapfile -t more < <(printf -- '-Wl,--wrap=%s\n' ioctl open stat fstat readlink fcntl mmap poll preadv2)
		"$CC" -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE "${sanitize[@]}" -fsanitize=fuzzer \
			-I"$USERSPACE/include" -I"$USERSPACE/../uapi" "${include[@]}" -o "$BUILD/$target" \
			"$HERE/fuzz/$target.c" "${more[@]}" "$BUILD/libtopdown.a" "${libraries[@]}"
	done
}

# recorded ARG...: a recording of the stand-in for the kernel
recorded() {
	rm -f "$BUILD/data"
	FAKE_NODE=/dev/topdown-of-the-fuzzer LD_PRELOAD=$BUILD/fake.so FAKE_FEATURES=66559 FAKE_STEP=10 \
		timeout 20 "$BUILD/plain/topdown" record --device /dev/topdown-of-the-fuzzer -q -o "$BUILD/data" "$@"
	cat "$BUILD/data"
}

# fuzz TARGET: true if no input did harm
fuzz() {
	local log=$BUILD/$1.log status=0

	# Messages of the code under test are of no use.
	(cd "$BUILD" && "./$1" -max_total_time="$seconds" -max_len=65536 -timeout=20 -rss_limit_mb=2048 \
		-use_value_profile=1 -close_fd_mask=3 -artifact_prefix="$BUILD/found-$1-" "$corpus" < /dev/null) \
		> "$log" 2>&1 || status=$?
	sed -n 's/^#\([0-9]*\).*DONE.*cov: \([0-9]*\).*corp: \([0-9]*\).*/# \1 inputs, \2 places, \3 kept/p' "$log"
	((status)) || grep -q DONE "$log" || status=1
	((!status)) || tail -n 40 "$log" | sed 's/^/# /'
	return "$status"
}

mkdir -p "$BUILD"
exec 9> "$BUILD/lock"
flock -n 9 || { echo "fuzz.sh: another run uses $BUILD" >&2; exit 2; }
build
echo "KTAP version 1"
echo "1..${#targets[@]}"
number=0
failed=0
for target in "${targets[@]}"; do
	number=$((number + 1))
	corpus=$CORPUS/$target
	mkdir -p "$corpus"
	seeds "$target"
	if fuzz "$target"; then
		echo "ok $number fuzz $target"
	else
		echo "not ok $number fuzz $target"
		failed=$((failed + 1))
	fi
done
((!failed))
