#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown verify without a module: its lists and refusals, and that each of its programs executes
# what its bands are derived from.  That it finds faults, selftests/guest/verify_test.sh shows.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

programs='additions divisions chase branches code microcode clears taken'

run td verify --list
expect 'the list is printed' 0 'Checks:.*programs.*bytes.*perf.*Programs:.*additions.*taken' ''
for name in $programs; do
	result "$(grep -qE "^  $name " "$TMP/out"; echo $?)" "the list has $name"
done
run td verify --only width,nothing
expect 'an unknown check is refused' 2 '' "there is no check 'nothing'"
run td verify --execute nothing
expect 'an unknown program is refused' 2 '' "there is no program 'nothing'"
run td verify --memory 1
expect 'too little memory is refused' 2 '' 'out of range'
run td verify --cpu x
expect 'what is no CPU is refused' 2 '' 'not a whole number'
run td verify --device /nowhere -o "$TMP/report"
expect 'a missing module is said' 3 'The report has' 'cannot open /nowhere.*modprobe topdown'
result "$(python3 -m json.tool "$TMP/report" | grep '"refusal": "cannot open the device: No such file' > /dev/null; echo $?)" 'the report of it says so'
result "$(grep -q '"vendor":".*"' "$TMP/report"; echo $?)" 'the report says on which CPU'
FAKE_READ_ERRNO=13 run fake verify --quick --only width -o "$TMP/report"
expect 'missing rights are said' 3 'The report has' 'cannot read the CPUs'
result "$(grep -q '"refusal":"cannot read the CPUs' "$TMP/report"; echo $?)" 'the report of it says so, too'

# CPU 63 of the stand-in is none of this machine, so no program can run there.
if (($(nproc --all) > 63)); then
	skip 'a program that cannot run is said' 'this machine has a CPU 63'
else
	FAKE_CPUS=64 run fake verify --quick --cpu 63 --only windows,falls,still,programs
	expect 'a program that cannot run is said' 1 'unchecked falls +taken cannot be executed' 'nothing could be checked'
	result "$(grep -c '^right' "$TMP/out" || true)" 'nothing is right of it'
	FAKE_CPUS=64 run fake verify --quick --cpu 63 --only falls -o -
	result "$(python3 -m json.tool "$TMP/out" > /dev/null; echo $?)" 'standard output has the report alone'
fi
FAKE_CPUS=4 run fake verify --quick --only falls -o /nowhere/report
expect 'a report that cannot be written is said' 1 '' "cannot write the report to '/nowhere/report'"
result "$(grep -c falls "$TMP/out" || true)" 'nothing was measured for it'

# A signal ends it, also while a program is being made ready, and no program stays.
for after in 0.6 0.9 1.2 1.6 2; do
	status=0
	FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD timeout --preserve-status -k 10 "$after" "$TOPDOWN" \
		verify --device "$NODE" --quick --cpu 0 --only alive > "$TMP/out" 2>&1 || status=$?
	result "$((status != 143))" "a signal after $after s ends it"
done
result "$(pgrep -fc "^$TOPDOWN verify .*--only alive" || true)" 'no program stays'

# Each runs until it is killed; one that ends by itself or crashes has another status.
for name in $programs; do
	status=0
	timeout 0.5 "$TOPDOWN" verify --memory 256 --execute "$name" > /dev/null 2>&1 || status=$?
	result "$((status != 124))" "$name executes for ever"
done

# Stepped through and disassembled, each alone; what it does is printed.
for name in $programs; do
	if [[ $(uname -m) != x86_64 ]] || ! command -v objdump > /dev/null || ! command -v python3 > /dev/null; then
		skip "$name executes what its bands are derived from" 'objdump or python3 is not installed'
		continue
	fi
	run timeout 60 python3 "$(dirname "$0")/programs.py" "$TOPDOWN" "$name"
	sed "s/^/# $name: /" "$TMP/out" "$TMP/err"
	if ((status == 4)); then
		skip "$name executes what its bands are derived from" 'nothing may be traced here'
	else
		result "$status" "$name executes what its bands are derived from"
	fi
done
result "$(pgrep -fc "^$TOPDOWN verify .*--execute" || true)" 'none of them stays'
finish
