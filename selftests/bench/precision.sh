#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: how true the figures are, and whether a read can be torn.
# Prints lines as cost.sh does.
set -euo pipefail

dir=$(cd "$(dirname "$0")" && pwd)
cpus=$(nproc)
ko=${TOPDOWN_KO:-/topdown.ko}
seconds=${BENCH_SECONDS:-10}
seed=${BENCH_SEED:-1}
reads=${BENCH_READS:-1000000}

say() {
	local name=$1
	shift
	echo "$name $cpus $*"
}

precision() {
	local quant period

	for quant in truncate round rest; do
		for period in 1000 100 10; do
			insmod "$ko" period_ms=$period
			say "precision.ours-$period.$quant" "seconds=$seconds" \
				"$("$dir/precision" ours "$seconds" "$quant" "$seed")"
			rmmod topdown
		done
		say "precision.perf-1000.$quant" "seconds=$seconds" \
			"$("$dir/precision" perf "$seconds" "$quant" "$seed")"
		say "precision.once.$quant" "seconds=$seconds" \
			"$("$dir/precision" once "$seconds" "$quant" "$seed")"
	done
}

torn() {
	insmod "$ko" period_ms=10
	say torn.careful "$("$dir/torn" "$reads")"
	# The same without the reader's half of the protocol must be noticed
	say torn.careless "$("$dir/torn" -b "$reads")"
	rmmod topdown
}

for part; do
	"$part"
done
