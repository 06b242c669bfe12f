#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown stat --strict on CPUs whose groups of ordinary counters take turns.  If nobody else had
# the counters, nothing is missing, and each has the share that is to be expected.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

# json KEY: its value in each line of a file of JSON lines.
json() { sed -n "s/.*\"$1\":\"\\{0,1\\}\\([^,\"}]*\\).*/\\1/p"; }

EVENTS='{cycles,instructions,branches,branch-misses}'

# shares: of each CPU and interval in the file $tmp/out the shares "running" and "expected".
shares() { paste <(json running < "$tmp/out") <(json expected < "$tmp/out"); }

# load_all_cpus: jobs of this shell.
load_all_cpus() {
	local cpu

	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		"$here/workload" -c "$cpu" -t 600 stream &
	done
}

test_turns_are_no_reason() {
	local groups

	load_all_cpus
	# The first turns and the first window are over, and the groups are those that fit.
	sleep 3
	topdown stat -v -a -I 100 --count 1 > /dev/null 2> "$tmp/verbose"
	cat "$tmp/verbose"
	groups=$(sed -nE 's/.*[^0-9]([0-9]+) groups.*/\1/p' "$tmp/verbose" | head -n 1)
	if [[ ! $groups ]]; then
		echo "# all events fit"
		groups=1
	fi
	# A status of 4 would be a skip.
	topdown stat -a -A -j -I 2s --count 3 --strict > "$tmp/out" || die "status $?"
	cat "$tmp/out"
	[[ $(json state < "$tmp/out" | sort -u) == ok ]]
	[[ $(json scaled < "$tmp/out" | sort -u) == "$( ((groups > 1)) && echo true || echo false)" ]]
	# An interval may begin and end within a turn, of up to 12 ms each: 6% of a fifth of two seconds.
	shares | awk -v groups="$groups" '{
		off = $2 == 1 ? 0 : $2 - 1 / groups
		if (off < -0.00001 || off > 0.00001 || $1 / $2 < 0.9 || $1 / $2 > 1.1)
			wrong = 1
	} END { exit wrong || !NR }' || die "not the share that is to be expected"
	# shellcheck disable=SC2046 # numbers
	kill $(jobs -p)
}

# level_1_has_turns: skip the test if all of level 1 is counted all the time.
level_1_has_turns() {
	local expected

	expected=$(topdown stat -a -j -I 100 --count 1 | json expected)
	[[ $expected != 1.000000 ]] || skip "level 1 has no turns"
}

# perf needs the counters, and our groups stand aside.
test_a_perf_user_is_a_reason() {
	local status=0

	command -v perf > /dev/null || skip "there is no perf"
	level_1_has_turns
	load_all_cpus
	# The groups are those that fit.
	sleep 2
	await 20 state_is cpu0 ok
	perf stat -a -x, -o "$tmp/perf" -e "$EVENTS" -- sleep 60 &
	await 20 state_is cpu0 aside
	await 20 state_is cpu1 aside
	topdown stat -a -A -j -I 1s --count 3 --strict -o "$tmp/out" || status=$?
	cat "$tmp/out"
	((status == 4)) || die "status $status"
	[[ $(json state < "$tmp/out" | sort -u) == aside ]]
	kill $!
	await 5 state_is cpu0 ok
	# shellcheck disable=SC2046 # numbers
	kill $(jobs -p)
}

need_module
reload period_ms=200
run_tests test_turns_are_no_reason test_a_perf_user_is_a_reason
