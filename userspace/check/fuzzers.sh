#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The targets of fuzz/ build, and do no harm with the inputs that fuzz.sh begins with.  This needs
# no libFuzzer, so nobody breaks a target without noticing.
set -euo pipefail
. "$(dirname "$0")/suite.sh"
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/inputs.sh"

# recorded ARG...: a recording of the stand-in for the kernel
recorded() {
	rm -f "$TMP/data"
	FAKE_FEATURES=66559 FAKE_STEP=10 fake record -q -o "$TMP/data" "$@"
	cat "$TMP/data"
}

for target in "$HERE"/fuzz/*.c; do
	target=$(basename "$target" .c)
	corpus=$TMP/$target
	mkdir "$corpus"
	seeds "$target"
	run timeout 100 "$BUILD/asan/fuzz-$target" "$corpus"/*
	[[ $err == *"$(find "$corpus" -type f | wc -l) inputs" ]] || status="$status, and not all inputs"
	result "$([[ $status == 0 ]]; echo $?)" "fuzz/$target.c takes what the fuzzer begins with"
	[[ $status == 0 ]] || sed 's/^/# /' "$TMP/err" | tail -n 40
done
finish
