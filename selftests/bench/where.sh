#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest, a machine that samples loads: how many samples topdown where takes in a second, and
# what a sample takes from a busy CPU, beside perf record of the same event at the same rate.
# Prints a table.
set -euo pipefail

dir=$(cd "$(dirname "$0")" && pwd)
ko=${TOPDOWN_KO:-/topdown.ko}
seconds=${BENCH_SECONDS:-5}
rounds=${BENCH_ROUNDS:-2}
# MEM_TRANS_RETIRED.LOAD_LATENCY, three million times a second: see standing.c
event=0x1cd
busy=1
out=/tmp/where.out
declare -A figures tick

# measure NAME COMMAND...: what the busy CPU and the other one do meanwhile
measure() {
	local name=$1 word
	shift

	for word in $("$dir/standing" -e "$event" "$@" | tail -n 1); do
		figures[${word%%=*}]=${word#*=}
	done
	tick[$name]=$((figures[kernel] / figures[ticks]))
}

# row NAME RATE BASE SAMPLES: less what the timer interrupts of the busy CPU take in BASE
row() {
	local more=$((figures[kernel] - figures[ticks] * tick[$3]))

	printf '%-16s rate %6d: %6d samples a second %6d instructions a sample %12d on the other %8d bytes\n' \
		"$1" "$2" $(($4 / seconds)) $((more / ($4 ? $4 : 1))) "${figures[home]}" "$(wc -c < "$out")"
}

ours() {
	local samples

	measure where bash -c \
		"topdown where -C $busy --node memory_bound --rate $1 -n 1000 -j --timeout ${seconds}s > $out 2> /tmp/where.err"
	samples=$(sed -nE 's/.*"samples":([0-9]+).*/\1/p' "$out" | awk '{ n += $1 } END { print n + 0 }')
	row "topdown where" "$1" module "$samples"
	grep lost /tmp/where.err || true
}

perfs() {
	local samples

	measure perf perf record -q -W -d -C "$busy" -F "$1" \
		-e cpu/mem-loads,ldlat=16/pp -o "$out" sleep "$seconds"
	samples=$(perf script -i "$out" -F cpu 2> /dev/null | wc -l)
	row "perf record -W -d" "$1" without "$samples"
}

# The first round warms up
for ((round = 0; round < rounds; round++)); do
	for rate in ${BENCH_RATES:-100 1000 4000}; do
		insmod "$ko"
		measure module $((seconds * 1000))
		ours "$rate"
		rmmod topdown
		measure without $((seconds * 1000))
		perfs "$rate"
	done
done
