#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run host tests and add them up: run.sh NAME=COMMAND...
#
# Each COMMAND speaks KTAP, which is passed on as a nested result.  The last
# line is "N passed, N failed, N skipped" over all the innermost tests.
set -uo pipefail

passed=0 failed=0 skipped=0 n=0

# count OUTPUT STATUS: false unless all that was planned ran and passed.
count() {
	local output=$1 status=$2 line plan=-1 run=0 ok=1

	while IFS= read -r line; do
		case $line in
		1..*)
			plan=${line#1..}
			plan=${plan%% *} ;;
		"ok "*" # SKIP"*)
			run=$((run + 1)) skipped=$((skipped + 1)) ;;
		"ok "*)
			run=$((run + 1)) passed=$((passed + 1)) ;;
		"not ok "*)
			run=$((run + 1)) failed=$((failed + 1)) ok=0 ;;
		esac
	done <<< "$output"
	if ((ok)) && ((status || plan != run)); then
		echo "  # status $status, $run of $plan planned tests were run"
		failed=$((failed + 1)) ok=0
	fi
	((ok))
}

echo "KTAP version 1"
echo "1..$#"
for spec; do
	n=$((n + 1))
	# shellcheck disable=SC2086 # a command and its words
	output=$(${spec#*=} 2>&1)
	status=$?
	while IFS= read -r line; do
		echo "  $line"
	done <<< "$output"
	if count "$output" "$status"; then
		echo "ok $n ${spec%%=*}"
	else
		echo "not ok $n ${spec%%=*}"
	fi
done
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0 && passed > 0))
