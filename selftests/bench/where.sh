#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest, a machine that samples loads: how many samples topdown where takes in a second, and
# what a sample takes from a busy CPU, beside perf record of the same event at the same rate: the
# same threshold, the same fields, precise, and user and kernel mode. Both choose their periods by
# the kernel's control loop. Prints a table of all rounds, which alternate, and then the median of
# what a sample more takes: what is no sample's, as ticks that take longer in one run than in another,
# is the same at both rates and goes away.
set -euo pipefail

dir=$(cd "$(dirname "$0")" && pwd)
ko=${TOPDOWN_KO:-/topdown.ko}
seconds=${BENCH_SECONDS:-5}
rounds=${BENCH_ROUNDS:-4}
# MEM_TRANS_RETIRED.LOAD_LATENCY, three million times a second: see standing.c
event=0x1cd
busy=1
out=/tmp/where.out
rows=/tmp/where.rows
read -ra rates <<< "${BENCH_RATES:-100 1000 4000}"
declare -A figures tick

# Else the kernel lowers the highest rate for good whenever an interrupt was slow, as all are here,
# and the next round gets fewer samples than it asks for.
same_limits() {
	echo 25 > /proc/sys/kernel/perf_cpu_time_max_percent
	echo 100000 > /proc/sys/kernel/perf_event_max_sample_rate
	echo 0 > /proc/sys/kernel/perf_cpu_time_max_percent
}

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

	echo "${1%% *} $2 $4 $more" >> "$rows"
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

	measure perf perf record -q -W -d -C "$busy" -F "$1" --clockid CLOCK_MONOTONIC \
		-e cpu/mem-loads,ldlat=16/pp -o "$out" sleep "$seconds"
	samples=$(perf script -i "$out" -F cpu 2> /dev/null | wc -l)
	row "perf record -W -d" "$1" without "$samples"
}

# It is the slope of each round between the lowest and the highest rate, and then the median, or the
# larger of two in the middle.
of_one_more() {
	awk -v who="$1" -v low="${rates[0]}" -v high="${rates[-1]}" '
		$1 == who && $2 == low { samples = $3; taken = $4 }
		$1 == who && $2 == high { print int(($4 - taken) / ($3 - samples)) }' "$rows" |
		sort -n | awk '{ value[NR] = $1 } END { print value[int(NR / 2) + 1] }'
}

same_limits
: > "$rows"
for ((round = 0; round < rounds; round++)); do
	for rate in "${rates[@]}"; do
		insmod "$ko"
		measure module $((seconds * 1000))
		ours "$rate"
		rmmod topdown
		measure without $((seconds * 1000))
		perfs "$rate"
	done
done
for who in topdown perf; do
	echo "$who: $(of_one_more $who) instructions for each sample more"
done
