#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Beside perf users of whole CPUs: they keep what they count without the module, and the figures
# stay right while the load has phases.  A load with one constant profile would hide mistakes:
# what a part says that was counted is then true of the rest.
#
# shellcheck disable=SC2154 # here and tmp are of lib.bash

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
# shellcheck source=perf.bash
. "$here/perf.bash"

PROFILES=(compute stream branchy bigcode)

# load_all COMMAND...: on each CPU, in the background; LOAD are their numbers.
load_all() {
	local cpu

	LOAD=
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		"$here/workload" -c "$cpu" -t 600 "$@" &
		LOAD+=" $!"
	done
}

end_load() {
	# shellcheck disable=SC2086 # several numbers
	kill $LOAD
	# shellcheck disable=SC2086
	wait $LOAD || true
}

# wanted: the events of a perf user of whole CPUs.
wanted() { if has_metrics; then echo "$GROUP"; else echo "$GENERAL"; fi; }

# users STATE: those users, until somebody kills USERS.  perf takes a second and more to begin,
# and does nothing then that would be in one of few turns of ours.
users() {
	perf stat -a -x, -I 1000000 -o "$tmp/user" -e "$(wanted)" -- sleep 600 &
	USERS=$!
	await 10 state_is cpu0 "$1"
	await 10 state_is cpu1 "$1"
	sleep 1
}

# right FILE POINTS: each line of what measure printed is near the truth, and some of the time
# was counted.  "unsupported" is state 2.
right() {
	awk -v points="$2" '{ n++ } $4 > points || $10 <= 0 || $12 == 2 { print "wrong: " $0; bad = 1 }
		END { exit bad || !n }' "$1"
}

# Others have half of the time, in turns of some milliseconds.  Fails if PERF_METRICS that perf
# restores go on meaning all that was before.
test_phases_by_rotation() {
	need_metrics
	reload aside=never period_ms=200
	load_all -P 50-500 "${PROFILES[@]}"
	users contended
	measure -n 6 -t 1000 > "$tmp/ours" || die "cannot measure"
	kill "$USERS"
	end_load
	cat "$tmp/ours"
	right "$tmp/ours" 1
}

# Ours have short turns now and then, and what they counted in earlier phases is over.
test_phases_in_turns() {
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
	right "$tmp/ours" 0.5
	# As share says, for whatever it is.
	awk '$10 > 0.16 { print "too much: " $0; bad = 1 } END { exit bad }' "$tmp/ours"
	topdown info | grep '^odd_windows:'
	topdown info | quiet_grep '^odd_windows: [0-9-]*: 0$'
}

# Ours have their turns as share says; without them nothing would be measured here.
test_share() {
	local share

	need_perf
	for share in 8 64; do
		reload period_ms=200 share=$share
		load_all compute
		users aside
		measure sleep 3 > "$tmp/share-$share"
		kill "$USERS"
		end_load
		cat "$tmp/share-$share"
	done
	fails "$ERROR" "" load share=7
	is "$(awk '{ n += $6 } END { print n }' "$tmp/share-8") > 3 * $(awk '
		{ n += $6 } END { print n }' "$tmp/share-64")"
	is "$(awk '{ n += $6 } END { print n }' "$tmp/share-64") > 0"
}

test_general() {
	need_perf
	PARAMETERS=()
	reload
	load_all compute
	stat_beside -a -e "$GENERAL" -- sleep 2
	end_load
}

test_default() {
	need_perf
	reload
	load_all compute
	stat_beside -a -- sleep 2
	end_load
}

test_topdown() {
	need_metrics
	reload
	load_all compute
	perf_stat -a --topdown --no-metric-only -- sleep 2
	all_ran "$tmp/perf"
	end_load
}

# samples: how many perf record takes of all CPUs in two seconds.
samples() {
	perf record -q -a -e cycles -c 5000000 -o "$tmp/data" -- sleep 2 > /dev/null
	perf script -i "$tmp/data" -F event 2> /dev/null | wc -l
}

# Nobody tells perf record of samples that it lost to others.
test_record() {
	local without with

	need_perf
	load_all compute
	unload
	without=$(samples)
	load
	sleep 0.5
	with=$(samples)
	end_load
	echo "samples: $without without the module, $with with it"
	is "$without > 100 && $with >= $without * $LEAST / 100"
}

# pinned_events: somebody keeps so many general counters of CPU 1 that a group of five has none.
pinned_events() {
	perf stat -C 1 -x, -o "$tmp/holder" -e branches:D -e branch-misses:D -e cache-references:D \
		-e cache-misses:D -- sleep 600 &
	HOLDER=$!
}

# A perf user whom it does not help that ours leave, and after him those whom it helps.  Fails if
# they are taken for him.
test_after_no_help() {
	local i many='{slots,topdown-retiring,r01a4,r02a4,r04a4,r08a4,r10a4}'

	need_metrics
	reload
	pinned_events
	sleep 1
	perf_stat -e "$many" -- "$here/workload" -c 1 -t 2 compute
	cat "$tmp/perf"
	quiet_grep 'not counted' "$tmp/perf"
	for ((i = 0; i < 16; i++)); do
		perf_stat -e '{slots,topdown-retiring}' -- "$here/workload" -c 1 -t 0.2 compute
		all_ran "$tmp/perf"
	done
	kill "$HOLDER"
}

need_module
SOURCE=$(field cpu0 source)
run_tests test_phases_by_rotation test_phases_in_turns test_share test_general test_default test_topdown \
	test_record test_after_no_help
