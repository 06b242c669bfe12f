#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest, a machine with timed PEBS: what a latency session takes from a busy CPU, and from
# the CPU of the program, beside "perf record -W" of the same event with as many samples.
# Prints a table.
set -euo pipefail

dir=$(cd "$(dirname "$0")" && pwd)
ko=${TOPDOWN_KO:-/topdown.ko}
seconds=${BENCH_SECONDS:-5}
rounds=${BENCH_ROUNDS:-3}
# It happens three million times a second: see standing.c
event=0x41d0
name=MEM_INST_RETIRED.SPLIT_LOADS
busy=1
out=/tmp/latency.out
declare -A figures tick
samples=0 events=0

# measure NAME COMMAND...: what the busy CPU and the other one do meanwhile
measure() {
	local name=$1 word
	shift

	for word in $("$dir/standing" -e "$event" "$@" | tail -n 1); do
		figures[${word%%=*}]=${word#*=}
	done
	tick[$name]=$((figures[kernel] / figures[ticks]))
}

# row NAME BASE SAMPLES BYTES: less what the timer interrupts of the busy CPU take in BASE
row() {
	local more=$((figures[kernel] - figures[ticks] * tick[$2]))

	printf '%-24s %8d samples %8d a sample %10d on the busy CPU %12d on the other %8d bytes %6d wrmsr\n' \
		"$1" "$3" $((more / $3)) "$more" "${figures[home]}" "$4" "${figures[wrmsr]}"
}

# sum KEY: over the rows of a session
sum() {
	sed -nE "s/.*\"$1\": ?([0-9]+).*/\1/p" "$out" | awk '{ sum += $1 } END { print sum + 0 }'
}

ours() {
	measure session bash -c \
		"topdown latency -C $busy -e $name -j --timeout ${seconds}s > $out"
	samples=$(sum samples) events=$(sum events)
	row 'topdown latency' module "$samples" "$(wc -c < "$out")"
}

# perfs TITLE OPTION...
perfs() {
	local title=$1 got
	shift

	measure perf perf record -q -W -C "$busy" "$@" -e cpu/event=0xd0,umask=0x41/pp -o "$out" \
		sleep "$seconds"
	got=$(perf script -i "$out" -F cpu 2> /dev/null | wc -l)
	row "$title" without "$got" "$(wc -c < "$out")"
}

# The first round warms up
for ((round = 0; round <= rounds; round++)); do
	insmod "$ko"
	insmod "${ko%.ko}_latency.ko"
	measure module $((seconds * 1000))
	ours
	rmmod topdown_latency topdown
	measure without $((seconds * 1000))
	perfs "perf record -W -c" -c $((events / samples))
	perfs "perf record -W -F" -F $((samples / seconds))
	echo "a tick: ${tick[without]} instructions, ${tick[module]} with the module and no session"
done
