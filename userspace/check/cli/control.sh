#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# --control of topdown stat and topdown record: words from a fifo say when to measure.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

export FAKE_FEATURES=1023 FAKE_TICK=40 FAKE_PERIOD=$TMP/period
echo 40 > "$TMP/period"
data=$TMP/data
mkfifo "$TMP/words" "$TMP/answers"
# So that neither end of a fifo waits for the other.
exec 7<> "$TMP/words" 8<> "$TMP/answers"

# start COMMAND ARG...: in the background, with the fifos
start() {
	local command=$1
	shift
	FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD "$TOPDOWN" "$command" --device "$NODE" \
		--control "fifo:$TMP/words,$TMP/answers" "$@" > "$TMP/out" 2> "$TMP/err" 7<&- 8<&- &
	pid=$!
}
# say WORD: and wait for the answer
answer=
say() {
	echo "$1" >&7
	answer=none
	read -r -t 20 answer <&8 || true
	[[ $answer == ack ]] || echo "# no answer to $1"
}
finished() {
	status=0
	wait $pid || status=$?
	out=$(< "$TMP/out") err=$(< "$TMP/err")
}
# seconds KEY: from the last output as CSV
column() { awk -F, -v key="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == key) at = i } NR > 1 { print $at }' "$TMP/csv"; }

# One measurement of what was between the words.
start stat -a -A -D -1 -x ,
say ping
result "$([[ $answer == ack && ! -s $TMP/out ]]; echo $?)" 'ping is answered'
sleep 0.5
say enable
sleep 0.3
say disable
result "$([[ ! -s $TMP/out ]]; echo $?)" 'nothing is printed between the parts'
sleep 0.5
say enable
sleep 0.2
say disable
sleep 0.4
say stop
finished
cp "$TMP/out" "$TMP/csv"
expect 'stat obeys enable, disable and stop' 0 '^time,interval,row' ''
result "$(holds "$(column interval | head -n 1) >= 0.5 && $(column interval | head -n 1) < 0.9"; echo $?)" \
	"the parts together ($(column interval | head -n 1) s)"
result "$(($(lines "$TMP/csv") != 6))" 'each CPU has a row'
result "$([[ $(column slots | tail -n +2 | sum) == "$(column slots | head -n 1 | sum)" && $(column slots | head -n 1) != 0 ]]; echo $?)" \
	'whose slots are those of the sum'
result "$([[ $(column tma_retiring | sort -u) == 0.400000000 ]]; echo $?)" 'rows have their ratios'
# Without a word it is the same as ever.
FAKE_STEP=1000 run fake stat -a --control "fd:7" --timeout 100
expect 'fd: changes nothing without a word' 0 'tma_retiring' ''
# A part counts once: slots of two parts are those of two measurements, and not of all readings.
run fake stat -a -x , --timeout 100
cp "$TMP/out" "$TMP/csv"
once=$(column slots)
start stat -a -D -1 -x ,
say enable
say disable
sleep 0.2
say enable
say disable
say stop
finished
cp "$TMP/out" "$TMP/csv"
result "$([[ $(column slots) == "$((2 * once))" ]]; echo $?)" "two parts have twice the slots of one ($(column slots), $once)"

# With -I each part has its intervals.
start stat -D -1 -I 100 -x , -- sleep 60
say enable
sleep 0.25
say disable
count=$(lines "$TMP/err")
sleep 0.4
result "$(($(lines "$TMP/err") != count))" '-I prints nothing while nothing is measured'
say enable
sleep 0.15
say stop
kill -0 $pid
result $? 'a command goes on after stop'
kill -TERM $pid
finished
cp "$TMP/err" "$TMP/csv"
result "$((status != 143))" 'it goes on until it ends'
result "$(holds "$(column interval | sum) > 0.3 && $(column interval | sum) < 0.75"; echo $?)" \
	"the intervals are those of the parts ($(column interval | sum) s)"
result "$(column interval | awk '$1 > 0.2 { bad = 1 } END { exit bad || NR < 4 }'; echo $?)" 'no interval is longer than the others'
start stat -a -D -1 -I 50 --count 3 -x ,
sleep 0.4
say enable
finished
cp "$TMP/out" "$TMP/csv"
result "$(($(column interval | wc -l) != 3))" '--count counts what is printed'
start stat -D -1 -- sleep 0.2
finished
expect 'a lack of enable is said' 0 '' "^topdown: nothing was measured: --control has got no 'enable'$"
start stat -a -D -1 -x , --timeout 600
sleep 0.2
say enable
finished
cp "$TMP/out" "$TMP/csv"
result "$(holds "$(column interval) > 0.2 && $(column interval) < 0.55"; echo $?)" '--timeout is from the begin'
start stat -a --timeout 300
printf 'disable\0' >&7
read -r -t 20 answer <&8
printf 'begin\n\n%099d\n\033[1m\n' 0 >&7
finished
expect 'unknown words do nothing' 0 'tma_retiring' "^topdown: --control: 'begin' does nothing \(allowed: enable, disable, stop, ping\)
topdown: --control: '0{31}' does nothing .*
topdown: --control: '\?\[1m' does nothing "
result "$(read -r -t 0.1 answer <&8; echo $((!$?)))" 'unknown words have no answer'

# Recordings of tasks.  A reading of the stand-in has 6e9 slots more than the one before.
start record -D -1 -I 20 -o "$data" -- sleep 60
sleep 0.2
say enable
sleep 0.3
say disable
sleep 0.3
say enable
sleep 0.1
say stop
kill -TERM $pid
finished
expect 'record obeys enable, disable and stop' 143 '' ' samples of 1 task in '
td report --steps -j "$data" > "$TMP/steps"
json slots "$TMP/steps" | awk '{ used = $1 > 0; n += used; if (used && !last) parts++; last = used }
	END { print "# " n " of " NR " steps in " parts " parts"; exit parts != 2 || n < 10 || n > NR - 15 }' && bad=0 || bad=1
result "$bad" 'its samples are those of the parts'
td report -j "$data" > "$TMP/sums"
result "$([[ $(json slots "$TMP/sums") == "$(($(json windows "$TMP/sums") * 6000000000))" ]]; echo $?)" 'the sums have no slots from between the parts'
start record -o "$data" --timeout 1m
echo disable >&7
say ping
say stop
finished
expect 'record of CPUs has no gap' 0 '' "^topdown: --control: 'disable' does nothing \(a recording of CPUs or of latencies has no gap; allowed: stop, ping\)
topdown: [0-9]+ windows of 4 CPUs"
run td report "$data"
expect 'record ends with stop as with Ctrl-C' 0 'none lost' ''

# Refusals.
for bad in '' x: fifo: 'fifo:,' 'fifo:a,' fifo:a,b,c fd:; do
	run fake stat -a --timeout 100 --control "$bad"
	expect "--control refuses '$bad'" 2 '' '^topdown: --control: .* names no fifo'
done
for bad in "fifo:$TMP/none" "fifo:$TMP/period" "fifo:$TMP/words,$TMP/none" fd:99 fd:x fd:7,99; do
	for command in stat record; do
		run fake $command -a --timeout 100 -o "$TMP/refused" --control "$bad"
		expect "$command refuses --control '$bad'" 2 '' '^topdown: --control: '
	done
done
result "$([[ ! -e $TMP/refused ]]; echo $?)" 'a wrong --control writes no file'
for bad in 'stat -D 1s' 'stat --by process' 'stat -r 2 true' 'record -D 1s -- true' 'record -D -1' 'record -D -1 --latency all -- true'; do
	# shellcheck disable=SC2086 # several words
	set -- $bad
	run fake "$1" --control fd:7 "${@:2}"
	expect "$bad is refused" 2 '' '^topdown: -'
done
finish
