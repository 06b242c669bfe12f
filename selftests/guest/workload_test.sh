#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The kernel's own perf sees the rates that a workload was given.  The module is not
# needed.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

CPU=$(($(nproc) - 1))
# No fixed counter has them, and every counter will do.
EVENTS=(20c4 20020c4)

[[ $MACHINE != nopmu && $MACHINE != amd ]] || {
	ktap_skip_all "no PMU"
	exit "$KSFT_SKIP"
}
[[ ! -e /sys/devices/cpu_core ]] || {
	ktap_skip_all "perf makes two events of one on a hybrid machine"
	exit "$KSFT_SKIP"
}
command -v perf > /dev/null || {
	ktap_skip_all "no perf"
	exit "$KSFT_SKIP"
}

# per_cycle EVENT: how often it happened in a cycle, of what perf says in $tmp/perf.
per_cycle() {
	awk -F, -v event="$1" '$3 == "cycles" { cycles = $1 } $3 == event { n = $1 }
		END { printf "%.4f\n", n / cycles }' "$tmp/perf"
}

# counted ARG...: a workload with these arguments, and what perf counts of it.
counted() {
	local work

	"$here/workload" -c "$CPU" -t 60 "$@" compute &
	work=$!
	sleep 0.2
	perf stat -x, -o "$tmp/perf" -p "$work" \
		-e "{cycles,r${EVENTS[0]},r${EVENTS[1]}}" sleep 0.5
	kill "$work"
	cat "$tmp/perf"
}

test_rates_are_kept() {
	counted -r "${EVENTS[0]}=250000" -r "${EVENTS[1]}=1500000"
	is "$(per_cycle "r${EVENTS[0]}") > 0.249 && $(per_cycle "r${EVENTS[0]}") < 0.251"
	is "$(per_cycle "r${EVENTS[1]}") > 1.498 && $(per_cycle "r${EVENTS[1]}") < 1.502"
}

test_no_event_comes_without_rates() {
	counted
	is "$(per_cycle "r${EVENTS[0]}") == 0 && $(per_cycle "r${EVENTS[1]}") == 0"
}

test_bad_rates_are_refused() {
	local rate

	for rate in x=1 20c4 20c4= 20c4=x 20c4=1x 4000c4=1 20c4=1000000001; do
		"$here/workload" -t 0 -r "$rate" compute 2> "$tmp/error" && die "$rate is taken"
		grep -q "$rate" "$tmp/error" || die "$rate: $(< "$tmp/error")"
	done
	"$here/workload" -t 0 -r 20c4=1000000000 compute
}

run_tests test_rates_are_kept test_no_event_comes_without_rates test_bad_rates_are_refused
