#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Beside perf users of whole CPUs: they keep what they count without the module, and ours have
# the share of the time that the parameter says.
#
# shellcheck disable=SC2154 # here and tmp are of lib.bash

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
# shellcheck source=perf.bash
. "$here/perf.bash"

# Ours have their turns as share says; without them nothing would be measured here.
test_turns_are_as_share_says() {
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

test_perf_counts_general_events() {
	need_perf
	PARAMETERS=()
	reload
	load_all compute
	stat_beside -a -e "$GENERAL" -- sleep 2
	end_load
}

test_perf_counts_its_default_events() {
	need_perf
	reload
	load_all compute
	stat_beside -a -- sleep 2
	end_load
}

# Fails if groups of ours that come back find others before them in perf's queue, and wait.
test_own_turns_come_beside_perf() {
	local share

	need_perf
	has_metrics && skip "all its events are in one group"
	PARAMETERS=()
	reload
	load_all compute
	perf stat -a -x, -o "$tmp/user" -- sleep 600 &
	USERS=$!
	await 10 state_is cpu1 aside
	sleep 1
	share=$(share_of 1 sleep 10)
	kill "$USERS"
	end_load
	echo "beside perf stat -a level 1 has $share%"
	is "$share > 0.4"
}

# One event, which leaves room for some groups of ours and not for others.  Fails if a group that
# begins after one of the former has to leave at once, and the next one has the next turn.
test_own_turns_come_to_each_group() {
	local share watchdog=/proc/sys/kernel/nmi_watchdog before

	need_perf
	has_metrics && skip "all its events are in one group"
	PARAMETERS=()
	before=$(cat "$watchdog")
	echo 0 > "$watchdog"
	reload
	load_all compute
	perf stat -a -x, -o "$tmp/user" -e branches -- sleep 600 &
	USERS=$!
	await 10 state_is cpu1 aside
	sleep 1
	share=$(share_of 1 sleep 5)
	kill "$USERS"
	end_load
	echo "$before" > "$watchdog"
	echo "beside perf stat -a -e branches level 1 has $share%"
	is "$share > 0.4"
}

# A group that needs all counters that are left gets them at once, too.  Fails if the event by which
# ours leave takes one of them: then nobody has any at perf's rotation, and ours lose their place.
test_own_turns_come_with_all_counters() {
	local share watchdog=/proc/sys/kernel/nmi_watchdog before

	need_perf
	has_metrics && skip "all its events are in one group"
	before=$(cat "$watchdog")
	echo 0 > "$watchdog"
	PARAMETERS=()
	unload
	load_all compute
	perf_stat -a -e "{$ORDINARY}" -- sleep 1
	if ! awk -F, 'NF > 4 && $5 < 99 { bad++ } END { exit bad }' "$tmp/perf"; then
		echo "$before" > "$watchdog"
		end_load
		skip "the group does not fit"
	fi
	reload
	perf stat -a -x, -o "$tmp/user" -e "{$ORDINARY}" -- sleep 600 &
	USERS=$!
	await 10 state_is cpu1 aside
	sleep 1
	share=$(share_of 1 sleep 10)
	end_user "$USERS"
	end_load
	echo "$before" > "$watchdog"
	cat "$tmp/user"
	echo "beside a group of $ORDINARY level 1 has $share%"
	is "$share > 0.4"
	is "$(awk -F, '/cycles/ { print $5; exit }' "$tmp/user") >= $LEAST"
}

test_perf_counts_topdown_events() {
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
test_perf_record_keeps_its_samples() {
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
test_ours_leave_again_after_no_help() {
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
run_tests test_turns_are_as_share_says test_perf_counts_general_events \
	test_perf_counts_its_default_events test_own_turns_come_beside_perf \
	test_own_turns_come_to_each_group test_own_turns_come_with_all_counters \
	test_perf_counts_topdown_events test_perf_record_keeps_its_samples \
	test_ours_leave_again_after_no_help
