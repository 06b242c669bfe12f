#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown history: the windows that the map has, in every form.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

export FAKE_FEATURES=63 FAKE_TICK=0
# The map of the test has had one window of each CPU when it is opened: number 10.
run fake history -j
expect 'each CPU has a line' 0 '"row":"window","cpu":0,.*"window":10}' ''
result "$([[ $(json cpu "$TMP/out" | paste -sd' ') == '0 1 2 3' ]]; echo $?)" 'lines are in the order of CPUs'
result "$([[ $(json slots "$TMP/out" | paste -sd' ') == '6000000000 5940000000 5880000000 5820000000' ]]; echo $?)" \
	'lines have their slots'
age=$(awk "BEGIN { print $(date +%s.%N) - $(json time "$TMP/out" | head -n 1) }")
result "$(holds "$age > -0.1 && $age < 5"; echo $?)" "a window says when it closed ($age s ago)"
run fake history -C 1,3 -x ,
expect '-C and -x are kept' 0 '^time,interval,row,cpu,.*,clamped,window
[0-9.]+,1\.000000000,window,1,perf_metrics,2,.*,0,10
[0-9.]+,1\.000000000,window,3,.*,0,10$' ''
run fake history -C 1 -x , --no-header
result "$(($(lines "$TMP/out") != 1))" '--no-header leaves the headings out'
run fake history -C 1
expect 'the table has level 1' 0 '^closed +length s +CPU +retiring +bad spec +frontend +backend +slots
[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3} +1\.000 +1 +40\.0 +5\.0 +10\.0 +45\.0\* 5,940,000,000$' ''
run fake history -C 1 -l 2
expect '-l 2 marks the bottleneck and its child, and marks touch nothing' 0 'RETIR heavy .*
.* 40\.0  10\.0   5\.0   4\.0   1\.0 .* 45\.0\* 30\.0\* 15\.0  5\.9G$' ''
result "$(("$(wc -L < "$TMP/out")" > 100))" 'lines fit 100 columns'
FAKE_HISTORY=8 FAKE_FILL=4 FAKE_FEATURES=1023 FAKE_BUSY=1 run fake history -C 0 -n 2
expect 'a window of a CPU that was nearly idle has no mark' 0 ' 45\.0  6,000,000,000
.* 45\.0  6,000,000,000$' ''
FAKE_HISTORY=8 FAKE_FILL=4 FAKE_FEATURES=511 FAKE_BUSY=1 run fake history -C 0 -n 2
expect 'a window has its mark where the module does not say who was busy' 0 ' 45\.0\* 6,000,000,000
.* 45\.0\* 6,000,000,000$' ''
FAKE_SHARE=40 run fake history -C 1
expect 'where too little was measured there is no mark' 0 ' 45\.0  5,940,000,000$' ''
run fake history -C 1 -l 1 -j
expect '-l 1 leaves level 2 out' 0 '"level":1,.*"tma_memory_bound":null' ''
FAKE_LEVEL=1 run fake history -C 1 -l 2 -j
expect 'a machine without level 2 has level 1' 0 '"level":1,.*"tma_memory_bound":null' ''

# While it goes on: the last of each CPU, the oldest first.
FAKE_TICK=-1 run fake history -n 3 -j
result "$(($(lines "$TMP/out") < 4 || $(lines "$TMP/out") > 12))" '-n 3 has three of each at most'
result "$([[ $(json time "$TMP/out") == "$(json time "$TMP/out" | sort -n)" ]]; echo $?)" 'lines are in the order of times'
run fake history --since 1m
result "$(($(lines "$TMP/out") != 5))" '--since that all are within'
export FAKE_HISTORY=32 FAKE_FILL=20 FAKE_STEPS=40 FAKE_STEP=1000
run fake history -j
result "$(($(lines "$TMP/out") != 40))" 'each has ten'
run fake history --since 1m -j
result "$(($(lines "$TMP/out") != 80))" 'with --since all that are kept'
run fake history --since 1m -n 3 -j
result "$(($(lines "$TMP/out") != 12))" 'unless -n says how many'
run fake history --since 10500ms -j
result "$(($(lines "$TMP/out") != 44))" '--since leaves those of the last 10 s'
since=$(lines "$TMP/out")
run fake history --until 10500ms -j
result "$((since + $(lines "$TMP/out") != 80))" '--until has the windows before'
run fake history --until 10500ms -n 3 -j
result "$([[ $(lines "$TMP/out") == 12 && $(json window "$TMP/out" | tail -n 1) == 29 ]]; echo $?)" 'the last three of them are printed'
unset FAKE_HISTORY FAKE_FILL FAKE_STEPS FAKE_STEP
FAKE_TICK=40 run fake history --until 1h
result "$(($(lines "$TMP/out") != 1))" '--until before all leaves nothing'
run fake history --since "$(date -d '-30 sec' '+%F %T')" --until "$(date -d '+30 sec' '+%F %T')" -j
result "$(($(lines "$TMP/out") != 4))" 'dates that all are within'
run fake history --since "$(date -d '-30 sec' '+@%s')" --until "$(date -d '-20 sec' '+@%s')" -j
result "$(($(lines "$TMP/out") != 0))" 'dates without a window have none'
# At midnight the minute before is yesterday's.
run fake history --since "$(date -d '-1 min' +%H:%M)" -j
result "$(($(lines "$TMP/out") != 4))" 'a time of day is the last that has been'
run fake history --since "$(date -d '-1 min' +%H:%M)" --until "$(date -d '+2 min' +%H:%M)" -j
result "$(($(lines "$TMP/out") == 0))" 'until a time of day that is to come'
run fake history --since 5s --until 9s
expect 'an end before the begin is refused' 2 '' '--since 5s is not before --until 9s'
FAKE_OLD=1 run fake history --since 1m
result "$(($(lines "$TMP/out") != 1))" '--since that none is within'
expect 'says when the last window closed' 0 '^closed' 'no window has closed in this time \(the last one closed at [0-9: -]+\)'
run fake history --until "$(date -d '-3 hours' '+@%s')"
expect 'says when the oldest window closed' 0 '^closed' 'no window has closed in this time \(the oldest one that the module has closed at '
run fake history --since 1m -j
since=$(lines "$TMP/out")
run fake history --since '1m ago' -j
result "$((since < 2 || $(lines "$TMP/out") != since))" '"1m ago" is 1m'
for text in now 2pm '5 min ago'; do
	run fake history --since "$text"
	expect "'$text' is refused with the forms of a moment" 2 '' "--since: '$text' is no moment \\(allowed: 14:03, "
done
run fake history --since "$(date -d '-2 min' +%H:%M:%S)" --until "$(date -d '-3 min' +%H:%M:%S)"
expect 'the end of the day before is a mistake' 2 '' 'is not before --until'

run fake history -C 7
expect 'a CPU that there cannot be is refused' 2 '' '^topdown: -C: CPU 7 is not in this machine \(allowed: 0-3\)$'
FAKE_HOLE=2 run fake history -C 2
expect 'a number that no CPU has is refused' 2 '' '^topdown: -C: CPU 2 is not in this machine \(allowed: 0-1,3\)$'
FAKE_HOLE=2 run fake history
result "$((status != 0 || $(lines "$TMP/out") != 4))" 'a number that no CPU has is left out of all'
FAKE_HISTORY=0 run fake history
expect 'a module that keeps none says so' 3 '' '^topdown: the module keeps no windows \(its parameter history is 0\)$'
FAKE_FEATURES=7 run fake history
expect 'a module without a map is said' 3 '' 'the loaded module is older than this command'
FAKE_MAP_ERRNO=13 run fake history
expect 'a missing right to CPUs is said' 3 '' 'cannot read the CPUs'
FAKE_STUCK=1 run fake history
expect 'a writer that does not go on is said' 1 '' 'Resource temporarily unavailable'
status=0
fake history > /dev/full 2> "$TMP/err" || status=$?
result "$((status != 1))" 'no room for figures is an error'
run fake history -j -x ,
expect '-j with -x is refused' 2 '' '-j and -x exclude each other'
run fake history now
expect 'an argument is refused' 2 '' "history: unexpected argument 'now'"
for bad in '-n 0' '-n 4097' '--since 0' '--since x' '--until 99:99' '-l 3' '-x ab' '-C 3-1' "--device ''" --sin; do
	# shellcheck disable=SC2086
	eval "run fake history $bad"
	expect "$bad is refused" 2 '' '^topdown: '
done
finish
