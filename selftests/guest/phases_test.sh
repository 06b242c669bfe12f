#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Beside perf users of whole CPUs the figures stay right while the load has phases.  A load with
# one constant profile would hide mistakes: what a part says that was counted is then true of the
# rest.  Where an instruction takes 8 ns, another task of some milliseconds in one turn is a point.
#
# shellcheck disable=SC2154 # here and tmp are of lib.bash

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
# shellcheck source=perf.bash
. "$here/perf.bash"

PROFILES=(compute stream branchy bigcode)

# right FILE: each line of what measure printed is within half a point of the truth, and some of
# the time was counted.  "unsupported" is state 2.
right() {
	awk '{ n++ } $4 > 0.5 || $10 <= 0 || $12 == 2 { print "wrong: " $0; bad = 1 }
		END { exit bad || !n }' "$1"
}

# Others have half of the time, in turns of some milliseconds.  Fails if PERF_METRICS that perf
# restores go on meaning all that was before.
test_phases_are_right_beside_rotation() {
	need_metrics
	reload aside=never period_ms=200
	load_all -P 50-500 "${PROFILES[@]}"
	users contended
	measure -n 6 -t 1000 > "$tmp/ours" || die "cannot measure"
	kill "$USERS"
	end_load
	cat "$tmp/ours"
	right "$tmp/ours"
}

# Ours have short turns now and then, and what they counted in earlier phases is over.
test_phases_are_right_in_turns() {
	local profile

	need_metrics
	# Many turns, so that a task that runs for a moment in one of them does not matter.
	reload period_ms=200 share=8
	load_all branchy
	users aside
	end_load
	for profile in "${PROFILES[@]}" "${PROFILES[0]}"; do
		load_all "$profile"
		sleep 0.4
		measure -n 1 -t 3000 || die "cannot measure"
		end_load
	done > "$tmp/ours"
	kill "$USERS"
	cat "$tmp/ours"
	right "$tmp/ours"
	# As share says, for whatever it is.
	awk '$10 > 0.16 { print "too much: " $0; bad = 1 } END { exit bad }' "$tmp/ours"
	topdown info | grep '^odd_windows:'
	topdown info | quiet_grep '^odd_windows: [0-9-]*: 0$'
}

need_module
SOURCE=$(field cpu0 source)
run_tests test_phases_are_right_beside_rotation test_phases_are_right_in_turns
