#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# On the build machine: what samples of topdown where cost, beside perf record, on the emulated
# Granite Rapids.
#
#   where-run.sh [KERNEL]
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

need gcc=gcc
dir=$TOP/selftests
guest=$(mktemp -d)
trap 'rm -rf "$guest"' EXIT

gcc -O2 -Wall -std=gnu11 -D_GNU_SOURCE -static -I"$dir" -I"$dir/guest/lib" -I"$TOP/uapi" -o "$guest/standing" \
	"$dir"/bench/{standing,count,group,map,phase}.c "$dir"/guest/lib/{backdoor,device,perf}.c -lm -lpthread
cp "$dir/bench/where.sh" "$guest"
"$dir/vm/run.sh" -k "${1:-6.12}" -m gnr -c 2 -i -s 1 -t 3000 -P -x "$guest:/bench" \
	"BENCH_ROUNDS=${BENCH_ROUNDS:-4} BENCH_SECONDS=${BENCH_SECONDS:-5} BENCH_RATES='${BENCH_RATES:-}' bash /bench/where.sh"
