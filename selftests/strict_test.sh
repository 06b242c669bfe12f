#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown stat --strict on CPUs whose groups of ordinary counters take turns: nobody else had
# the counters, so nothing is missing.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

# json KEY: its value in each line of a file of JSON lines.
json() { sed -n "s/.*\"$1\":\"\\{0,1\\}\\([^,\"}]*\\).*/\\1/p"; }

test_turns_are_no_reason() {
	local cpu groups

	topdown stat -v -a -I 100 --count 1 > /dev/null 2> "$tmp/verbose"
	cat "$tmp/verbose"
	groups=$(sed -nE 's/.*[^0-9]([0-9]+) groups.*/\1/p' "$tmp/verbose" | head -n 1)
	if [[ ! $groups ]]; then
		echo "# all events fit"
		groups=1
	fi
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		"$here/workload" -c "$cpu" -t 600 stream &
	done
	# The first turns and the first window are over.
	sleep 3
	# A status of 4 would be a skip.
	topdown stat -a -A -j -I 1s --count 5 --strict > "$tmp/out" || die "status $?"
	cat "$tmp/out"
	[[ $(json state < "$tmp/out" | sort -u) == ok ]]
	[[ $(json scaled < "$tmp/out" | sort -u) == "$( ((groups > 1)) && echo true || echo false)" ]]
	# shellcheck disable=SC2046 # numbers
	kill $(jobs -p)
}

need_module
reload period_ms=200
run_tests test_turns_are_no_reason
