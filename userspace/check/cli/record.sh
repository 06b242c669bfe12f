#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown record and topdown report: the file has what the ring had, and says what it lacks.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

export FAKE_FEATURES=1023 FAKE_TICK=0 FAKE_EVENT=0 FAKE_PERIOD=$TMP/period FAKE_STEP=40
echo 40 > "$TMP/period"
data=$TMP/data

export TZ=UTC

# signalled SIGNAL ARG...: record, and send the signal after some windows
signalled() {
	local signal=$1
	shift
	rm -f "$data"
	FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD env --default-signal=INT,TERM,HUP "$TOPDOWN" record \
		--device "$NODE" -o "$data" "$@" > "$TMP/out" 2> "$TMP/err" &
	pid=$!
	await recorded 20000 || true
	kill "-$signal" "$pid"
	status=0
	wait "$pid" || status=$?
	out=$(< "$TMP/out") err=$(< "$TMP/err")
}

# starts PID: it is our program, and takes its signals by itself
starts() { [[ /proc/$1/exe -ef $TOPDOWN ]] && ((0x$(sed -n 's/^SigBlk:[[:space:]]*//p' "/proc/$1/status") & 1 << 1)); }
# over PID: no process, or one that waits to be waited for
over() { [[ ! -e /proc/$1/stat || $(sed 's/.*) //' "/proc/$1/stat") == Z* ]]; }

recorded() { [[ -s $data ]] && (($(stat -c %s "$data") > $1)); }
without_time() { sed 's/"time":[0-9.]*,//' "$1"; }

# The windows that the ring has, and only these.
FAKE_MIX=1 run fake record --past --timeout 10 -o "$data"
expect 'what is in the ring' 0 '' '^topdown: 4 windows of 4 CPUs in 0\.[0-9] s, [0-9]+ bytes in '
FAKE_MIX=1 fake history -j -n 4096 > "$TMP/ring"
td report --windows -j "$data" > "$TMP/file"
without_time "$TMP/ring" > "$TMP/one"
without_time "$TMP/file" > "$TMP/other"
result "$(cmp -s "$TMP/one" "$TMP/other" && [[ -s $TMP/one ]]; echo $?)" 'is in the file to the last digit'
FAKE_MIX=1 fake history -n 4096 | sed 's/^[0-9:.]*//' > "$TMP/one"
td report --windows "$data" | sed 's/^[0-9:.]*//' > "$TMP/other"
result "$(cmp -s "$TMP/one" "$TMP/other"; echo $?)" 'the table of windows is that of history'
age=$(awk "BEGIN { print $(json time "$TMP/ring" | head -n 1) - $(json time "$TMP/file" | head -n 1) }")
result "$(holds "$age > -0.1 && $age < 5"; echo $?)" "with the time of day ($age s before)"
# The windows are older than the recorder.
FAKE_CPUS=1 FAKE_STEP=3000 run fake record --past --timeout 10 -o "$TMP/one"
expect 'a note has one CPU, and how long its windows are' 0 '' '^topdown: [0-9]+ windows? of 1 CPU in 3\.[0-9] s'
FAKE_LEVEL=1 fake record --past --timeout 10 -q -o "$data"
run td report "$data"
expect 'a machine without level 2 is recorded' 0 'tma_backend_bound +45\.0 +45\.0 +45\.0 +45\.0' ''
result "$([[ $out != *memory_bound* ]]; echo $?)" 'has no level 2 in the report'

# A recording that goes on.
FAKE_TICK=40 run fake record --timeout 600 -o "$data"
expect '--timeout ends it' 0 '' ' windows of 4 CPUs in 0\.[67] s'
result "$(($(td report --windows -j "$data" | wc -l) < 40))" 'has the windows of that time'
td report --windows -j "$data" > "$TMP/file"
td report -j -A "$data" > "$TMP/sums"
result "$([[ $(json slots "$TMP/file" | sum) == "$(json slots "$TMP/sums" | head -n 1 | sum)" ]]; echo $?)" \
	'the slots of all windows are those of the report'
result "$([[ $(json slots "$TMP/sums" | tail -n 4 | sum) == "$(json slots "$TMP/sums" | head -n 1 | sum)" ]]; echo $?)" \
	'the slots of all are those of all CPUs'
td report --steps -j "$data" > "$TMP/steps"
result "$([[ $(json slots "$TMP/steps" | sum) == "$(json slots "$TMP/sums" | head -n 1 | sum)" ]]; echo $?)" \
	'the slots of all are those of all steps'
# The CPUs are looked at one after the other, and windows close meanwhile.
paste <(json cpu "$TMP/file") <(json window "$TMP/file") > "$TMP/one"
result "$(awk '{ if (!($1 in n) || $2 < first[$1]) first[$1] = $2; if ($2 > last[$1]) last[$1] = $2; n[$1]++ }
	END { for (cpu in n) {
		begin += first[cpu] - first[0] > 1 || first[0] - first[cpu] > 1
		end += last[cpu] - last[0] > 1 || last[0] - last[cpu] > 1
		gap += n[cpu] != last[cpu] - first[cpu] + 1; cpus++ }
		exit cpus != 4 || begin || end || gap }' "$TMP/one"; echo $?)" \
	'no CPU lacks a window, and all begin and end with the same one, or the next'
FAKE_TICK=40 fake record --timeout 300 -o - -q -C 1,2 > "$data"
run td report -j -A - < "$data"
expect '-C records CPUs through a pipe' 0 '"cpu":1,.*"cpu":2,' ''
result "$(($(lines "$TMP/out") != 3))" 'two CPUs and their sum are there'

# Some of the CPUs of a recording.
FAKE_TICK=40 FAKE_MIX=1 fake record --timeout 300 -q -o "$data"
td report --windows -j "$data" | grep -E '"cpu":[13],' > "$TMP/some"
td report --windows -j -C 1,3 "$data" | cmp -s - "$TMP/some" && [[ -s $TMP/some ]] && bad=0 || bad=1
result "$bad" 'report -C has the windows of these CPUs'
td report -A -j "$data" | grep -E '"cpu":[13],' > "$TMP/some"
td report -A -j -C 1,3 "$data" > "$TMP/sums"
result "$(tail -n 2 "$TMP/sums" | cmp -s - "$TMP/some"; echo $?)" 'the totals of each CPU are the same'
result "$([[ $(lines "$TMP/sums") == 3 && $(json slots "$TMP/some" | sum) == "$(json slots "$TMP/sums" | head -n 1 | sum)" ]]; echo $?)" \
	'the sum of some CPUs is theirs'
td report --steps -j -C 1,3 "$data" > "$TMP/steps"
result "$([[ $(json slots "$TMP/steps" | sum) == "$(json slots "$TMP/some" | sum)" ]]; echo $?)" 'their steps have the same slots'
run td report -C 3 "$data"
expect 'the table is of one CPU' 0 'windows? of 1 CPU, none lost' ''
td report --trace - -C 3 "$data" > "$TMP/trace"
result "$([[ $(grep -oE '"pid":[0-9]+' "$TMP/trace" | sort -u) == '"pid":4' ]]; echo $?)" 'the trace of one CPU has no other'
run td report -C 3,9 --trace "$TMP/trace" "$data"
expect 'a CPU that the recording does not have is refused' 2 '' '^topdown: -C: CPU 9 is not in .*data \(allowed: 0-3\)$'
result "$([[ -s $TMP/trace ]]; echo $?)" 'leaves an earlier trace'

# A recorder that cannot keep up says so.
FAKE_TICK=-1 run fake record --timeout 400 --strict -q -o "$data"
expect 'a ring that is too short loses windows' 4 '' '; [0-9]+ windows were lost$'
lost=$(sed -E 's/.*; ([0-9]+) windows were lost/\1/' <<< "$err")
run td report "$data"
expect 'is in the report' 0 "windows of 4 CPUs, $lost LOST \(CPU 0: [0-9]+, 1: [0-9]+, 2: [0-9]+, 3: [0-9]+\)" ''
FAKE_TICK=-1 run fake record --timeout 100 -o "$data"
expect 'lost windows are no error without --strict' 0 '' $'; [0-9]+ windows were lost\n'
FAKE_TICK=-1 run fake record -a --strict -q -o "$data" -- sleep 0.4
expect 'a run that loses windows fails with --strict' 4 '' '; [0-9]+ windows were lost$'
FAKE_TICK=-1 run fake record -a --strict -q -o "$data" -- sh -c 'sleep 0.4; exit 3'
expect 'a command that loses windows and fails decides the status' 3 '' '; [0-9]+ windows were lost$'
FAKE_TICK=40 FAKE_HOLE=2 run fake record --timeout 100 -o "$data"
expect 'a number that no CPU has is left out' 0 '' 'windows of 3 CPUs'
FAKE_STUCK=1 run fake record --timeout 100 -o "$data"
expect 'a writer that does not go on fails' 1 '' 'Resource temporarily unavailable'

# Each end leaves a whole file.
export FAKE_TICK=40
signalled INT
expect 'Ctrl-C ends a recording' 0 '' 'windows of 4 CPUs'
run td report "$data"
expect 'leaves a whole file' 0 'none lost' ''
signalled TERM
expect 'SIGTERM ends a recording' 143 '' 'windows of 4 CPUs'
run td report "$data"
expect 'a recording that SIGTERM ends is whole' 0 'none lost' ''
signalled KILL
run td report "$data"
expect 'SIGKILL does not' 1 '' '^topdown: cannot read .*: it has no end: .* \(--partial reads what is there\)$|it was cut off after'
run td report --partial "$data"
expect '--partial reads a file without an end' 0 'windows of 4 CPUs, none lost' '^topdown: .* is not whole: '
status=0
fake record --timeout 300 -o /dev/full 2> "$TMP/err" || status=$?
out='' err=$(< "$TMP/err")
expect 'no room for the file is an error' 1 '' '^topdown: cannot write to /dev/full: No space left on device'
status=$(set +o pipefail; { fake record --timeout 300 -o - 2> "$TMP/err"; echo $? >&3; } 3> "$TMP/status" | true; cat "$TMP/status")
result "$((status != 141))" "a reader that has gone ($status)"
cp "$TMP/period" "$TMP/kept"
FAKE_HISTORY=0 run fake record -o "$TMP/kept"
expect 'a module that keeps none says so' 3 '' 'the module keeps no windows'
result "$(cmp -s "$TMP/period" "$TMP/kept"; echo $?)" 'leaves the file of an earlier run'
FAKE_READ_ERRNO=13 FAKE_MAP_ERRNO=13 run fake record -o "$data"
expect 'a missing right to CPUs is said' 3 '' 'cannot read the CPUs'
FAKE_READ_ERRNO=13 FAKE_MAP_ERRNO=13 run fake record -o "$TMP/fresh"
result "$([[ $status == 3 && ! -e $TMP/fresh ]]; echo $?)" 'leaves no empty file'
for state in 2 5; do
	FAKE_STATE=$state run fake record -C 1 -o "$TMP/fresh"
	expect "a CPU in state $state is refused" 3 '' '^topdown: -C: CPU 1 is not measured: it is (unsupported|excluded) '
	result "$([[ ! -e $TMP/fresh ]]; echo $?)" 'leaves no empty file'
done
FAKE_OFFLINE=1 run fake record -C 1 --timeout 50 -o "$TMP/fresh"
expect 'a CPU that is offline may come' 0 '' ' windows? of 1 CPU in '
run fake record -C 7 -o "$data"
expect 'a CPU that there cannot be is refused' 2 '' '^topdown: -C: CPU 7 is not in this machine \(allowed: 0-3\)$'

# A pipe that nobody reads is full at once.
mkfifo "$TMP/pipe"
for signal in INT TERM; do
	sleep 60 5< "$TMP/pipe" &
	reader=$!
	FAKE_CPUS=64 FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD env --default-signal=INT,TERM,HUP \
		"$TOPDOWN" record --device "$NODE" -o - > "$TMP/pipe" 2> "$TMP/err" &
	pid=$!
	await starts $pid || true
	kill -$signal $pid
	await over $pid || kill -KILL $pid
	status=0
	wait $pid || status=$?
	out='' err=$(< "$TMP/err")
	expect "a reader that reads nothing does not stop SIG$signal" $((128 + $(kill -l $signal))) '' \
		'^topdown: nobody reads standard output: the recording has no end$'
	# The pipe is empty when nobody has it open.
	kill $reader
	wait $reader || true
done
# One that is slow has the whole of it.
FAKE_CPUS=64 FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD env --default-signal=INT "$TOPDOWN" record \
	--device "$NODE" -o - 2> "$TMP/err" > "$TMP/pipe" &
pid=$!
(sleep 0.5; cat) < "$TMP/pipe" > "$data" &
reader=$!
await starts $pid || true
kill -INT $pid
wait $pid && status=0 || status=$?
wait $reader
result "$((status))" 'a reader that is slow gets everything'
run td report "$data"
expect 'has the whole file' 0 ' of 64 CPUs, ' ''
(FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD exec env --default-signal=INT "$TOPDOWN" record --device "$NODE" \
	-o "$TMP/pipe" 2> "$TMP/err") &
pid=$!
await grep -q wait_for_partner "/proc/$pid/wchan" || true
kill -INT $pid
await over $pid || kill -KILL $pid
wait $pid && status=0 || status=$?
result "$((status != 130))" "a named pipe that nobody opens ($status)"

# Two that would write to one file.
rm -f "$data"
FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD env --default-signal=INT "$TOPDOWN" record --device "$NODE" \
	-o "$data" -q &
pid=$!
await recorded 1 || true
run fake record --timeout 50 -o "$data"
expect 'a file that another records to is refused' 2 '' "data: another topdown record writes to it"
kill -INT $pid
wait $pid
run td report "$data"
expect 'has that recording' 0 'windows of 4 CPUs, ' ''

# The machine was suspended for an hour, or its time was set.
rm -f "$data"
FAKE_JUMP=$TMP/jump FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD env --default-signal=INT "$TOPDOWN" record \
	--device "$NODE" -o "$data" -q &
pid=$!
await recorded 15000 || true
: > "$TMP/jump"
size=$(stat -c %s "$data")
await recorded $((size + 10000)) || true
kill -INT $pid
wait $pid
run td report --windows -j "$data"
grep '"cpu":1,' "$TMP/out" > "$TMP/file"
json time "$TMP/file" | awk 'NR > 1 { print int($1 - last + 0.5) } { last = $1 }' | sort -n |
	uniq -c > "$TMP/steps"
result "$([[ $(awk '{ print $2 }' "$TMP/steps" | paste -sd' ') == '0 3600' && $(awk 'END { print $1 }' "$TMP/steps") == 1 ]]; echo $?)" \
	'the time of day jumps once, with the clock'
td report -j "$data" > "$TMP/sums"
result "$(holds "$(json interval "$TMP/sums") < 60"; echo $?)" 'a jump of the time of day makes the recording no longer'

# What is left for the last step is as long as the recording.
fake record --timeout 250 -q -o "$TMP/steps"
td report --steps -j -I 100 "$TMP/steps" | grep '"all"' > "$TMP/file"
td report -j "$TMP/steps" > "$TMP/sums"
result "$(holds "$(json time "$TMP/file" | tail -n 1) <= $(json time "$TMP/sums") && $(json interval "$TMP/file" | tail -n 1) < 0.1"; echo $?)" \
	'no step ends after the recording'

# made NAME: a recording that the stand-in cannot give
made() { "$BUILD/$variant/made" "$1" "$TMP/$1"; }

# Totals and facts.
for name in odd drilldown sleepy lost lostcut past pastlost asleep contended; do made "$name"; done
run td report "$TMP/odd"
expect 'one window of which nothing is known has no part' 0 'tma_retiring +40\.0 +40\.0 ' ''
run td report "$TMP/drilldown"
expect 'children that were counted at times have their ranks' 0 'tma_light_operations +- +- +- +-
.*tma_memory_bound +60\.0~ +60\.0 +60\.0 +60\.0  ~ counted in 80\.0% of the slots' ''
td report --html - "$TMP/drilldown" > "$TMP/page"
result "$(grep -q 'memory_bound</th><td>60.0 (counted in 80.0% of the slots)' "$TMP/page"; echo $?)" 'the page says in which slots a node was counted'
result "$(grep -q 'class="area n10' "$TMP/page"; echo $?)" 'the page has a picture of these slots'
run td report -j "$TMP/sleepy"
expect 'a task that slept at first has its source' 0 '"source":"perf_metrics",.*"slots":54000000000,' ''
run td report "$TMP/lost"
expect 'a CPU of which all was lost keeps its totals' 0 '10 LOST \(CPU 1: 10\); the totals have their slots, .*
120,000,000,000 slots.*
.*tma_retiring +25\.0 ' ''
run td report --partial "$TMP/lostcut"
expect 'a recording with a loss is read without its end' 0 '; neither the totals nor the steps have their slots
60,000,000,000 slots' 'is not whole'
run td report "$TMP/past"
expect '--past takes a window that was open' 0 ', 14\.000 s: 11 windows .*
84,000,000,000 slots.*
22:13:07\.000 +14\.000 s ' ''
run td report -j "$TMP/pastlost"
expect 'JSON has the slots of a recording with a loss' 0 '"slots":102000000000,.*"lost":3' ''
run td report -j -A "$TMP/asleep"
expect 'CPUs that slept are idle' 0 '"cpu":null.*"busy":0\.250000,.*"cpu":0,.*"busy":1\.000000,.*"cpu":1,.*"busy":0\.000000,' ''
result "$([[ $(td report --steps -j "$TMP/asleep" | grep -c '"busy":0.250000') == 10 ]]; echo $?)" 'each step knows how busy CPUs were'
run td report -j "$TMP/contended"
expect 'the state is that of the whole time' 0 '"state":"contended"' ''

# A part of a recording of five minutes from 22:13:20 on, by the time of day.
made noise400
td report --windows -j "$TMP/noise400" > "$TMP/file"
# part OPTION...: the windows of that time are those of the whole, and so are the sums
part() {
	td report --windows -j "$@" "$TMP/noise400" > "$TMP/one"
	td report -j "$@" "$TMP/noise400" > "$TMP/sums"
	td report --steps -j "$@" "$TMP/noise400" > "$TMP/steps"
	awk -F'[:,]' -v from="$from" -v to="$to" '{ for (i = 1; i < NF; i++) if ($i ~ /"time"/) t = $(i + 1) }
		t > from && t <= to' "$TMP/file" | cmp -s - "$TMP/one" && [[ -s $TMP/one ]] &&
		[[ $(json slots "$TMP/one" | sum) == "$(json slots "$TMP/sums" | sum)" ]] &&
		[[ $(json slots "$TMP/one" | sum) == "$(json slots "$TMP/steps" | sum)" ]] &&
		holds "$(json elapsed "$TMP/steps" | tail -n 1) - $(json interval "$TMP/sums") < 0.001"
}
day=1699920000
while IFS='|' read -r from to options; do
	from=$((day + $(date -u -d "1970-01-01 $from" +%s))) to=$((day + $(date -u -d "1970-01-01 $to" +%s)))
	eval "part $options" && bad=0 || bad=1
	result "$bad" "report takes $options"
done <<'END'
22:15:00|22:16:00|--since 22:15 --until 22:16
22:17:50|22:18:20|--since 30s
22:13:20|22:13:30|--until 2023-11-14T22:13:30.9
22:13:20|22:18:20|--since 22:00
22:13:20|22:18:20|--since 2023-11-14 --until 2023-11-15
22:17:00|22:18:20|--since "2023-11-14 22:17:00"
22:15:00|22:18:20|--since @1700000100.5
END
run td report --since 22:15 "$TMP/noise400"
expect 'the table says from when' 0 '2023-11-14 22:15:00\.000, 200\.000 s: 200 windows' ''
run td report --since 60s - < "$TMP/noise400"
expect '--since reads the end of standard input' 0 ' 60\.000 s: 60 windows' ''
TZ=EST5 run td report --since 17:15 --until 17:16 "$TMP/noise400"
expect 'the time is that of here' 0 '2023-11-14 17:15:00\.000, 60\.000 s: 60 windows' ''
run td report --since 23:00 "$TMP/noise400"
expect 'a time after the end is refused' 2 '' '^topdown: --since 23:00: nothing of .* is in this time \(it is from 2023-11-14 22:13:20\.000 to 2023-11-14 22:18:20\.000\)$'
run td report --until 22:13:20 "$TMP/noise400"
expect 'a time before the begin is refused' 2 '' '^topdown: --until 22:13:20: nothing of '
run td report --since 22:15 --until 22:14 "$TMP/noise400"
expect 'the end before the begin is refused' 2 '' '--since 22:15 is not before --until 22:14'
for bad in 14 1:2 24:00 14:60 14:03: 14:03:10. 2023-02-30 2023-13-01 2023-11-14T '2023-11-14 7' @ @x -1s 14:03Z ''; do
	run td report --until "$bad" "$TMP/noise400"
	[[ $bad == 14 ]] || expect "--until refuses '$bad'" 2 '' '^topdown: --until: .*allowed: '
done
for steps in '7s 43 steps of 7' '9s 33 steps of 9'; do
	run td report -I "${steps%% *}" "$TMP/noise400"
	expect "a last step that ranks leave out is not counted: ${steps#* }" 0 "over ${steps#* }\\.000 s" ''
done
# A loss in another time is none of this one, and totals of all the time are not those of a part.
td report -j --since 22:13:25 "$TMP/lost" > "$TMP/sums"
result "$([[ $(json lost "$TMP/sums") == 0 && $(json slots "$TMP/sums") == 30000000000 ]]; echo $?)" 'a part after a loss has no loss'
run td report --until 22:13:25 "$TMP/lost"
expect 'a part with a loss says so' 0 '10 LOST \(CPU 1: 10\); neither the totals nor the steps have their slots
30,000,000,000 slots' ''
td report -j --since 22:13:20.5 "$TMP/pastlost" > "$TMP/sums"
result "$([[ $(json lost "$TMP/sums") == 3 ]]; echo $?)" 'a loss is of the time after the window before it'

# Before and after a change.
fake record --timeout 300 -q -o "$TMP/short"
for name in noise400 noise401 noise430; do made $name; done
run td report --diff "$TMP/noise400" "$TMP/noise400"
expect 'a recording does not differ from itself' 0 'no difference that can be judged is more than noise
1 of 13 lines are not in both recordings' ''
run td report --diff "$TMP/noise400" "$TMP/noise401"
expect 'recordings that are alike do not differ' 0 'tma_retiring +40\.00 +40\.[0-9]* .* noise
.*no difference that can be judged is more than noise' ''
run td report --diff "$TMP/noise400" "$TMP/noise430"
expect 'recordings that are not alike differ' 0 'tma_retiring +40\.00 +42\.[0-9]* +\+[23]\.[0-9]* +0\.[0-9]* +changed
.*differences are more than noise' ''
run td report -j --diff "$TMP/noise430" "$TMP/noise400"
expect '-j compares the other way round' 0 '"node":"tma_retiring","verdict":"changed","before":0\.4[0-9]*,"after":0\.[34][0-9]*,"difference":-0\.0[23]' ''
expect 'a node that is in neither has no values' 0 '"node":"ipc","verdict":"none","before":null,"after":null' ''
run td report -x ';' --diff "$TMP/noise400" "$TMP/noise430"
expect '-x compares nodes' 0 '^node;verdict;before;after;difference;error;t;freedom;p;blocks_before;steps_before;blocks_after;steps_after;margin
tma_retiring;changed;0\.' ''
run td report --diff "$TMP/short" "$TMP/short"
expect 'a recording that is too short is not judged' 0 'tma_retiring .* unknown
.*nothing can be said of 13 of 13 lines: a recording has fewer than 160 steps' ''
result "$([[ $out != *'no difference'* ]]; echo $?)" 'nothing is said of it'

run td report --fail-on-change --diff "$TMP/noise400" "$TMP/noise430"
expect '--fail-on-change fails with a change' 5 'elapsed, s .* 0\.00%.*slots .* 0\.00%.*changed' ''
run td report --fail-on-change --diff "$TMP/noise400" "$TMP/noise401"
expect '--fail-on-change succeeds without a change' 0 'no difference' ''
run td report --fail-on-change "$TMP/noise400"
expect '--fail-on-change needs --diff' 2 '' 'add --diff'
# The interval is that of the verdict: a change is larger, and noise is not.
td report -j --diff "$TMP/noise400" "$TMP/noise430" > "$TMP/file"
result "$(awk -F'[:,]' '/"(noise|changed)"/ { for (i = 1; i < NF; i++) { if ($i == "\"difference\"") d = $(i + 1); if ($i ~ /margin/) { m = $(i + 1); sub(/}/, "", m) } }
	if (d < 0) d = -d; n++; if ((/"changed"/ && d < m) || (/"noise"/ && d > m)) bad = 1 } END { exit !n || bad }' "$TMP/file"; echo $?)" 'the margin belongs to the verdict'
run fake record --timeout 100 -o "$TMP/short"
expect 'a recording is too short to compare' 0 '' "too short for 'topdown report --diff', which needs 160 steps: record [0-9.]+ s, or with a shorter period"

# A trace: one argument an event, and the values of the windows.
FAKE_MIX=1 fake record --timeout 500 -q -o "$TMP/a<b>&\"c"
run td report --trace "$TMP/trace" "$TMP/a<b>&\"c"
expect '--trace writes a trace' 0 '' ''
td report --windows -j "$TMP/a<b>&\"c" | grep '"cpu":2,' > "$TMP/file"
grep '"ph":"C","pid":3,"name":"tma_retiring"' "$TMP/trace" > "$TMP/counters"
json tma_retiring "$TMP/file" | tail -n +2 | awk '{ printf "%.5f\n", $1 * 100 }' > "$TMP/one"
sed -nE 's/.*"args":\{"percent":([0-9.]+)\}\},?$/\1/p' "$TMP/counters" |
	awk '$1 > 0 { printf "%.5f\n", $1 }' > "$TMP/other"
result "$(head -n "$(lines "$TMP/one")" "$TMP/other" | cmp -s - "$TMP/one" && [[ -s $TMP/one ]]; echo $?)" \
	'has the ratios of the windows of a CPU'
result "$(sed -nE 's/.*"ts":([0-9.]+),.*/\1/p' "$TMP/counters" | sort -nc; echo $?)" 'events are in the order of time'
result "$(($(grep -c '"ph":"C"' "$TMP/trace") != $(grep -cE '"ph":"C",.*"args":\{"percent":[0-9.]+\}\},?$' "$TMP/trace")))" \
	'each event has one argument'
# The fields that Chrome's Trace Event Format asks for, which Perfetto reads.
cat > "$TMP/trace.py" << 'END'
import json, sys

trace = json.load(open(sys.argv[1]))
ends, named = {}, set()
for event in trace["traceEvents"]:
    phase, process, args = event["ph"], event["pid"], event.get("args", {})
    assert isinstance(process, int) and process and event["name"], event
    if phase == "M":
        assert event["name"] in ("process_name", "thread_name") and args["name"], event
        named.add((process, event.get("tid")))
        continue
    assert isinstance(event["ts"], float) and event["ts"] >= 0, event
    # Names come before what has them.
    assert (process, event.get("tid")) in named, event
    if phase == "C":
        assert [type(value) for value in args.values()] == [float], event
        assert 0 <= args["percent"] <= 100, event
        continue
    # Slices of a track that overlap would be drawn as children of each other.
    assert phase == "X" and event["dur"] > 0, event
    track = process, event["tid"]
    assert event["ts"] > ends.get(track, 0) - 0.0005, event
    ends[track] = event["ts"] + event["dur"]
assert len(ends) == int(sys.argv[2]) and trace["displayTimeUnit"] in ("ms", "ns")
END
if command -v python3 > /dev/null; then
	run python3 "$TMP/trace.py" "$TMP/trace" 4
	expect 'the trace is as the format asks for it' 0 '' ''
	sed 's/"dur":[0-9]*/&9/' "$TMP/trace" > "$TMP/broken"
	result "$(! python3 "$TMP/trace.py" "$TMP/broken" 4 2> /dev/null; echo $?)" 'slices that overlap are seen'
else
	skip 'the trace is as the format asks for it' 'python3 is not installed'
fi
td report -l 1 --trace - "$TMP/asleep" > "$TMP/trace"
result "$(grep -q '"tma_backend_bound"' "$TMP/trace" && ! grep -q 'memory_bound' "$TMP/trace"; echo $?)" '-l 1 names no level 2'
td report --trace - "$TMP/asleep" > "$TMP/trace"
result "$(grep -q 'memory_bound' "$TMP/trace"; echo $?)" 'a trace without -l has level 2'
td report --trace - "$TMP/asleep" > /dev/full 2> "$TMP/err" && status=0 || status=$?
result "$((status != 1))" 'no room for the trace is an error'

cp "$TMP/asleep" "$TMP/kept"
for form in trace html; do
	run td report --$form "$TMP/kept" "$TMP/kept"
	expect "--$form refuses the recording itself" 2 '' "--$form: .*/kept is a recording \\(allowed: "
	ln "$TMP/kept" "$TMP/link"
	run td report --$form "$TMP/link" "$TMP/asleep"
	expect "--$form refuses another recording" 2 '' ' is a recording '
	rm "$TMP/link"
	echo text > "$TMP/text"
	run td report --$form "$TMP/text" "$TMP/text"
	expect "--$form of what is none" 1 '' 'was not written by topdown record'
	result "$([[ $(< "$TMP/text") == text ]] && cmp -s "$TMP/asleep" "$TMP/kept"; echo $?)" 'leaves the file as it was'
done

# A page that needs nothing from elsewhere, and no script.
run td report -A --html "$TMP/page" "$TMP/a<b>&\"c"
expect '--html writes a page' 0 '' ''
result "$(grep -qiE '<script|javascript:|https?:|src=|url\(|@import|<link|<iframe| on[a-z]+=' "$TMP/page"; echo $((!$?)))" \
	'has no script, and nothing from elsewhere'
result "$(grep -q "default-src 'none'" "$TMP/page"; echo $?)" 'the page forbids all else to the browser'
result "$(grep -q 'a&lt;b&gt;&amp;&quot;c' "$TMP/page"; echo $?)" 'texts cannot become elements'
result "$(($(grep -c '<g class="step" tabindex="0" role="img"><title>[0-9:.]*: retiring 4[0-9.]*%, ' "$TMP/page") < 8))" \
	'steps can be reached by keys, and say what they have'
result "$(($(grep -c '<path class="area n' "$TMP/page") != 4 + 8 + 4 * 4))" 'each node has its area'
result "$(grep -q '^<p class="verdict">bottleneck: <b>tma_backend_bound</b> 4[0-9.]*% of the slots, of them <b>tma_memory_bound</b> [23][0-9.]*% of the slots: slots in which ' "$TMP/page"; echo $?)" \
	'the page says the bottleneck that the table marks'
FAKE_FEATURES=1023 fake record -q -o "$TMP/active" --timeout 400ms
td report --html - "$TMP/active" > "$TMP/page"
result "$(grep -q '^<p>busy [0-9.]*%, IPC 1\.50</p>$' "$TMP/page"; echo $?)" 'the page has IPC and busy of all'
result "$(grep -q '<th scope="col">IPC</th><th scope="col">busy %</th></tr>' "$TMP/page" && (($(grep -cE '<td>1\.50</td><td>[0-9.]+</td></tr>' "$TMP/page") > 3)); echo $?)" \
	'the page has IPC and busy of each step'
FAKE_FEATURES=1023 FAKE_BUSY=1 fake record -q -o "$TMP/active" --timeout 400ms
td report --html - "$TMP/active" > "$TMP/page"
result "$(grep -q '^<p class="verdict">nearly idle: no bottleneck is named</p>$' "$TMP/page"; echo $?)" 'the page names no bottleneck where the table names none'
td report --html - "$TMP/asleep" > /dev/full 2> "$TMP/err" && status=0 || status=$?
result "$((status != 1))" 'no room for the page is an error'

# Commands and processes.
run fake record -o "$data" -I 20 -- sh -c 'sleep 0.1; exit 3'
expect 'a command is recorded' 3 '' '^topdown: [0-9]+ samples of 1 task in '
td report --steps -j "$data" > "$TMP/steps"
td report -j "$data" > "$TMP/sums"
result "$([[ $(json slots "$TMP/steps" | sum) == "$(json slots "$TMP/sums" | sum)" && $(json row "$TMP/sums") == process ]]; echo $?)" \
	'its steps have all of its slots'
result "$([[ $(json comm "$TMP/sums") == sh ]]; echo $?)" "it has the name of its program ($(json comm "$TMP/sums"))"
run td report "$data"
expect 'the report describes a command' 0 $' samples? of 1 task\n' ''
# The default file of before is kept.
mkdir "$TMP/home"
cd "$TMP/home"
FAKE_STEPS=11 fake record -q --past --timeout 10
cp topdown.data ../first
fake record -q --past --timeout 10
result "$(cmp -s topdown.data.old ../first && ! cmp -s topdown.data ../first; echo $?)" 'topdown.data becomes topdown.data.old'
fake record -q --past --timeout 10 -o other.data
cp topdown.data ../first
fake record -q --past --timeout 10 -o other.data
result "$(cmp -s topdown.data ../first && [[ ! -e other.data.old ]]; echo $?)" 'a file with another name is not kept'
cd - > /dev/null
run fake record -a -o "$data" -- sh -c 'sleep 0.2; exit 4'
expect 'the machine is recorded while a command runs' 4 '' 'windows of 4 CPUs'
sleep 60 & one=$!
sleep 60 & two=$!
run fake record -p $one,$two -I 20 --timeout 100 -o "$data"
expect '-p records processes' 0 '' 'samples of 2 tasks'
td report -j -A "$data" > "$TMP/sums"
result "$([[ $(json pid "$TMP/sums" | paste -sd' ') == "null $one $two" ]]; echo $?)" 'each has a row'
run fake record -p $one -I 20 -o "$data" -- sh -c 'sleep 0.2; exit 5'
expect '-p records while a command runs' 5 '' 'samples of 1 task in 0\.[2-9]'
td report -j -A "$data" > "$TMP/sums"
result "$([[ $(json pid "$TMP/sums") == "$one" ]]; echo $?)" 'of which nothing is recorded'
kill $one $two
run td report -C 1 "$data"
expect 'tasks have no CPUs' 2 '' '^topdown: -C: .* is of tasks'
run td report --windows "$data"
expect 'tasks have no windows' 2 '' 'is of tasks, which have no windows'
run fake record -o "$data" -- /nonexistent
expect 'a command that there is not gives 127' 127 '' "cannot run '/nonexistent'"
FAKE_FEATURES=7 run fake record -o "$data" -- true
expect 'a module without sessions is said' 125 '' 'cannot follow tasks'

# These command lines are refused.
for bad in '-a -C 1' '-p 1 -a' '-p ""' '--past -p 1' '-I 20' '-I 20 -a' '-o ""' '-o - -- true' \
	'--timeout 1' '--' '--tim 5' '-C 3-1'; do
	eval "run fake record $bad"
	expect "record refuses $bad" 2 '' '^topdown: '
done
for bad in '--steps --windows' '--windows -A' '--diff a -A' '--diff - -' '--html a --trace b' '--html ""' '--trace a -A' '--html a -j' '-j -x ,' '-l 3' '-I 1' 'a -' --part; do
	eval "run td report $bad"
	expect "report refuses $bad" 2 '' '^topdown: '
done
run td report "$TMP/nothing"
expect 'a file that there is not is refused' 1 '' 'cannot open .*/nothing: No such file'
run td report /dev/null
expect 'an empty file is refused' 1 '' 'cannot read /dev/null: it is empty'
run td report "$0"
expect 'another file is refused' 1 '' 'it was not written by topdown record'
td report --steps "$data" > /dev/full 2> "$TMP/err" && status=0 || status=$?
result "$((status != 1))" 'no room for the report is an error'

# Every byte of small files, of CPUs and of a task.
FAKE_CPUS=1 fake record --past --timeout 80 -q -o "$data"
"$BUILD/$variant/damage" "$data" > "$TMP/damage" 2>&1 || true
fake record -I 50 --timeout 60 -q -o "$data" -p $$
"$BUILD/$variant/damage" "$data" >> "$TMP/damage" 2>&1 || true
damaged 24
finish
