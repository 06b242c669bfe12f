#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown record --rotate: whole files, of which each goes on where the one before has ended.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

# The ring is long, so that a busy machine loses nothing.
export FAKE_FEATURES=1023 FAKE_EVENT=0 FAKE_PERIOD=$TMP/period FAKE_STEP=40 FAKE_HISTORY=64 FAKE_TICK=20 FAKE_MIX=1
echo 20 > "$TMP/period"
data=$TMP/data
export TZ=UTC

# numbers FILE...: of the windows of CPU 1, in the order of the files
numbers() {
	local file
	for file; do
		td report --windows -j "$file" | grep '"cpu":1,'
	done > "$TMP/windows"
	json window "$TMP/windows"
}
# without_gap: numbers on stdin follow each other
without_gap() { awk 'NR > 1 && $1 != last + 1 { bad = 1 } { last = $1 } END { exit bad || NR < 10 }'; }
# slots FILE...: of all files
slots() {
	local file
	for file; do td report -j "$file"; done > "$TMP/sums"
	json slots "$TMP/sums" | sum
}

run fake record --rotate 64K,9 --timeout 2s -o "$data"
expect 'a new file begins at a size' 0 '' '^topdown: [0-9]+ windows of 4 CPUs in 2\.[0-9] s, [0-9]+ bytes in [2-9] files, the last is [^;]*/data$'
mapfile -t files < <(find "$TMP" -name 'data*' | sort -rV)
result "$((${#files[@]} < 2))" "there are ${#files[@]} files"
result "$([[ ${files[-1]} == "$data" && ${files[-2]} == "$data.1" ]]; echo $?)" 'the latest has the name, and the one before a number'
whole=0
for file in "${files[@]}"; do
	run td report "$file"
	((status)) || [[ $out != *', none lost'* ]] || whole=$((whole + 1))
done
result "$((whole != ${#files[@]}))" 'each is whole and lacks nothing'
for file in "${files[@]::${#files[@]}-1}"; do
	(($(stat -c %s "$file") >= 65536 && $(stat -c %s "$file") < 131072)) || echo "# $file has another size"
done > "$TMP/sizes"
result "$((! $(lines "$TMP/sizes") == 0))" 'all but the last have that size'
result "$(numbers "${files[@]}" | without_gap; echo $?)" 'no window is missing between them'
result "$(numbers "${files[@]}" | sort | uniq -d | grep -q .; echo $((!$?)))" 'no window is there twice'
for file in "${files[@]}"; do td report --windows -j "$file"; done > "$TMP/windows"
result "$([[ $(slots "${files[@]}") == "$(json slots "$TMP/windows" | sum)" ]]; echo $?)" 'the sums of all files are those of all windows'
count=$(lines "$TMP/windows")

# Together they are one recording, in whatever order they are named.
json slots "$TMP/windows" | sum > "$TMP/slots"
td report -j "${files[@]}" > "$TMP/sums"
result "$([[ $(json slots "$TMP/sums" | sum) == "$(< "$TMP/slots")" && $(json windows "$TMP/sums") == "$count" && $(json lost "$TMP/sums") == 0 ]]; echo $?)" 'all files have all slots and windows'
td report --steps -j "${files[0]}" > "$TMP/one"
td report --steps -j "${files[@]}" > "$TMP/steps"
json time "$TMP/steps" > "$TMP/times"
# The windows of the stand-in are longer than their distance, so the first may begin too early.
result "$(sort -nc "$TMP/times" && holds "$(json slots "$TMP/steps" | sum) / $(< "$TMP/slots") > 0.99 && $(json slots "$TMP/steps" | sum) <= $(< "$TMP/slots")"; echo $?)" 'steps are in the order of time'
json time "$TMP/one" > "$TMP/other"
result "$([[ $(sed -n 1p "$TMP/times") == "$(sed -n 1p "$TMP/other")" ]]; echo $?)" 'from the begin of the oldest'
mapfile -t shuffled < <(printf '%s\n' "${files[@]}" | sort)
td report -A "${files[@]}" > "$TMP/one"
td report -A "${shuffled[@]}" > "$TMP/other"
result "$([[ ${shuffled[0]} == "$data" ]] && grep -q "^  tma_retiring" "$TMP/one" && cmp -s "$TMP/one" "$TMP/other"; echo $?)" 'the order of files makes no difference'
td report --windows -j "${shuffled[@]}" > "$TMP/other"
json time "$TMP/other" > "$TMP/times"
result "$(sort -nc "$TMP/times" && [[ $(lines "$TMP/other") == "$count" ]]; echo $?)" 'all windows are there'
mkdir "$TMP/all"
cp -p "${files[@]}" "$TMP/all"
echo other > "$TMP/all/notes"
td report -A "$TMP/all" > "$TMP/other"
result "$(cmp -s "$TMP/one" "$TMP/other"; echo $?)" 'as those of a directory'
td report -A --rotated "$data" > "$TMP/other"
result "$(cmp -s "$TMP/one" "$TMP/other"; echo $?)" '--rotated finds the files by the name of the latest'
half=$(awk '{ sum += $1 } END { printf "%.3f", sum / NR }' "$TMP/times")
td report -j --since "@$half" "${files[@]}" > "$TMP/sums"
result "$(holds "$(json windows "$TMP/sums") > $count / 4 && $(json windows "$TMP/sums") < $count * 3 / 4"; echo $?)" 'of which a time is taken'
run td report --html "$TMP/page" "${files[@]}"
expect 'a page can be made' 0 '' ''
run td report --trace "$TMP/trace" "${files[@]}"
expect 'a trace can be made' 0 '' ''
result "$([[ $(grep -o '"name":"tma_retiring"' "$TMP/trace" | wc -l) -ge $count ]]; echo $?)" 'has all windows'
run td report "$data" "$data.1" "$data"
expect 'a file twice is refused' 2 '' "^topdown: $data is named twice \(allowed: each file once\)$"
cp "$data" "$TMP/copy"
run td report "$data" "$TMP/copy"
expect 'a time twice is refused' 2 '' "^topdown: $TMP/(copy|data) begins at [-0-9]* [:0-9]*\.[0-9]{3}, before $TMP/(copy|data) ends at [-0-9]* [:0-9]*\.[0-9]{3} \(allowed: each time once\)$"
rm "$TMP/copy"
run td report --rotated "$data.1"
expect '--rotated refuses an older file' 2 '' "^topdown: --rotated: $data.1 is an older file of $data \(allowed: name the latest file\)$"
run td report --rotated "$TMP/all"
expect '--rotated refuses a directory' 2 '' '^topdown: --rotated: a directory has all of them: leave out --rotated$'
run td report "$data" -
expect 'standard input is refused beside files' 2 '' '^topdown: standard input is one recording \(allowed: - alone\)$'
run td report --rotated "$data" "$data.1"
expect '--rotated refuses two files' 2 '' '^topdown: --rotated finds the older files by the name of the latest \(allowed: one FILE\)$'
if ((${#files[@]} > 2)); then
	run td report "${files[0]}" "${files[2]}"
	expect 'a file that is left out is not recorded' 0 ', 0\.[0-9]{3} s not recorded, none lost' '^topdown: nothing was recorded from [-0-9: ]*\.[0-9]{3} to [-0-9: ]*\.[0-9]{3}, 0\.[0-9]{3} s$'
	td report -j "${files[0]}" "${files[2]}" > "$TMP/sums" 2> /dev/null
	result "$([[ $(json slots "$TMP/sums" | sum) == "$(slots "${files[0]}" "${files[2]}")" ]]; echo $?)" 'takes its slots with it'
	td report -j "${files[0]}" "${files[2]}" > "$TMP/sums" 2> /dev/null
	result "$(holds "$(json not_recorded "$TMP/sums") > 0.01"; echo $?)" 'programs see how long nothing was recorded'
	td report --steps -I 10 -j "${files[0]}" "${files[2]}" > "$TMP/steps" 2> /dev/null
	result "$(holds "$(json not_recorded "$TMP/steps" | sum) - $(json not_recorded "$TMP/sums") < 0.001 && $(json not_recorded "$TMP/steps" | sum) > 0.01"; echo $?)" 'in each step'
	grep '"state":"not_recorded"' "$TMP/steps" > "$TMP/unrecorded" || true
	result "$([[ -s $TMP/unrecorded && $(json busy "$TMP/unrecorded" | sort -u) == null && $(json slots "$TMP/unrecorded" | sort -u) == 0 ]]; echo $?)" 'no step of it is idle'
	run td report -I 10 "${files[0]}" "${files[2]}"
	result "$([[ $out =~ ' s  not recorded' && $out != *' no slots'* ]]; echo $?)" 'the table says what was not recorded'
	count_steps=$(sed -nE 's/.*over ([0-9]+) steps? of.*/\1/p' "$TMP/out")
# The last one is not counted if it is shorter than half of a step.
short=$(json interval "$TMP/steps" | tail -n 1 | awk '{ print ($1 < 0.005) }')
	result "$((count_steps + short + $(lines "$TMP/unrecorded") != $(lines "$TMP/steps")))" 'the table counts the steps that were recorded'
	td report --html "$TMP/page" "${files[0]}" "${files[2]}" 2> /dev/null
	result "$(grep -q ' lost, 0\.[0-9]* s not recorded\. ' "$TMP/page"; echo $?)" 'the page says how long nothing was recorded'
fi

fake record --timeout 100 -q -o "$TMP/plain"
run fake record --rotate 1G,9 --timeout 100 -o "$data"
expect 'a run that needs one file has one' 0 '' " bytes in 1 file, the last is "
result "$(cmp -s "$data.1" "$TMP/plain"; echo $((!$?)))" 'has it for itself'
for file in "$data".?; do td report --windows -j "$file"; done > "$TMP/windows"
result "$(($(lines "$TMP/windows") != count))" 'a second run keeps the windows of the run before'

# By the time, also on a machine that sleeps.
rm -f "$data"*
event=$FAKE_EVENT
unset FAKE_EVENT
FAKE_TICK=0 run fake record --rotate 1s,2 --timeout 3500 -o "$data"
export FAKE_EVENT=$event
expect 'a new file begins after a time, of idle CPUs' 0 '' '^topdown: 0 windows of 4 CPUs in 3\.[5-9] s, [0-9]+ bytes in 4 files, '
result "$([[ -e $data && -e $data.1 && ! -e $data.2 ]]; echo $?)" 'as many are kept as were asked for'
td report -j "$data.1" > "$TMP/sums"
result "$(holds "$(json interval "$TMP/sums") > 0.9 && $(json interval "$TMP/sums") < 1.6"; echo $?)" 'each is a second long'

# A signal ends the last file, and a command its recording.
rm -f "$data"*
FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD "$TOPDOWN" record --device "$NODE" --rotate 1s,3 --timeout 1m -o "$data" 2> "$TMP/err" &
pid=$!
await test -e "$data.1" || true
kill -TERM $pid
status=0
wait $pid || status=$?
result "$((status != 143))" 'SIGTERM ends it'
run td report "$data"
expect 'leaves a whole file' 0 'none lost' ''
run fake record --rotate 1s,3 -a -o "$data" -- sh -c 'sleep 1.3; exit 3'
expect 'two files are recorded while a command runs' 3 '' ' in 2 files, '
fake record -q --timeout 200 -o "$TMP/plain"
fake record -q --timeout 200 -o "$TMP/other"
for second in "$data" "$TMP/other"; do
	run td report "$TMP/plain" "$second"
	expect 'two recordings without --rotate are refused' 2 '' '^topdown: a report is of one recording \(--diff A B compares them\)$'
done
mkdir "$TMP/two"
cp "$TMP/plain" "$TMP/other" "$TMP/two"
run td report "$TMP/two"
expect 'two of them in a directory are refused' 2 '' '^topdown: a report is of one recording '

# After a restart, or with other options, the newest run is taken.
mkdir "$TMP/boot"
log=$TMP/boot/log
FAKE_INSTANCE=99 fake record -q --rotate 1s,9 --timeout 200 -o "$log"
fake record -q --rotate 1s,9 -C 0-1 --timeout 200 -o "$log"
fake record -q --rotate 1s,9 --timeout 200 -o "$log"
fake record -q --rotate 2s,9 --strict --timeout 200 -o "$log"
td report -j "$log" "$log.1" > "$TMP/one" 2> /dev/null
result "$((! $(lines "$TMP/one") == 1))" 'other options that do not matter'
for names in "--rotated $log" "$TMP/boot"; do
	# shellcheck disable=SC2086
	run td report -j $names
	expect 'the newest run is taken' 0 . "^topdown: $log.2 is of an earlier run and left out \('topdown report $log.2' reads it\)
topdown: $log.3 is of an earlier run and left out \('topdown report $log.3' reads it\)
topdown: nothing was recorded from [^
]*\$"
	result "$([[ $out == "$(< "$TMP/one")" ]]; echo $?)" 'is that of its files'
done
td report -j "$log.3" > "$TMP/one"
run td report -j --rotated --until "@$(json time "$TMP/one")" "$log"
expect 'an older time leaves out the later run' 0 . "topdown: left out are 2 files of a later run \('topdown report $log.1 $log' reads them\)"
result "$([[ $(json windows "$TMP/out") == "$(json windows "$TMP/one")" ]]; echo $?)" 'the older run has that time'
run td report "$log" "$log.2"
expect 'files with other options are refused' 2 '' "^topdown: $log.2 and $log differ in -C \(allowed: files of one 'topdown record --rotate'\)$"
run td report "$log" "$log.3"
expect 'files of two loads of the module are refused' 2 '' "^topdown: between $log.3 and $log the module was loaded again \("
rm "$log.2"
run td report --rotated "$log"
expect 'a number that is missing ends the files of a run' 0 . "^topdown: $log.3 is of an earlier run and left out "
run td report --since 2020-01-01 "$log"
expect 'a time before the file has a hint' 0 . "^topdown: $log begins at [^,]*, after --since 2020-01-01: --rotated with the latest file also reads the older ones$"
: > "$TMP/boot/log.2"
run td report --rotated "$log"
expect 'an empty file is said' 1 '' "^topdown: cannot read $log.2: it is empty \(--partial leaves it out\)$"
run td report --rotated --partial "$log"
expect 'is left out with --partial' 0 . "^topdown: nothing of $log.2 can be read, and it is left out: it is empty
"
fake record -q --timeout 200 -o "$TMP/task" -- true
run td report "$TMP/plain" "$TMP/task"
expect 'a file of tasks is refused beside others' 2 '' "^topdown: $TMP/task is of tasks, which is whole by itself "
run td report "$TMP/plain" "$TMP/none"
expect 'a file that is not there is refused' 1 '' "^topdown: cannot open $TMP/none: "
mkdir "$TMP/empty"
run td report "$TMP/empty"
expect 'a directory without a recording is refused' 1 '' "^topdown: $TMP/empty has no recording "
run td report --until 2020-01-01 "$data"
expect 'a time that an older file may have is refused' 2 '' "nothing of .* is in this time .*; --rotated also reads the older files of 'topdown record --rotate': .1, .2, and so on$"
oldest=$(find "$TMP" -name 'data.?' | sort | tail -n 1)
run td report --until 2020-01-01 "$oldest"
expect 'the oldest file has no advice about older ones' 2 '' 'nothing of .* is in this time \(it is from [-0-9: .]* to [-0-9: .]*\)$'

# The recorder may rename its files while they are read: all of before are read, or all of after.
mkdir "$TMP/live"
live=$TMP/live/log
fake record -q --rotate 64K,9 --timeout 3s -o "$live"
mv "$live" "$TMP/newest"
for older in 1 2 3; do mv "$live.$older" "$live.$((older - 1))"; done
mv "$live.0" "$live"
rm -f "$live".[4-9]
td report -j --rotated "$live" > "$TMP/sums"
before=$(json windows "$TMP/sums")
cp "$TMP/newest" "$TMP/live/new"
td report -j "$TMP/live" > "$TMP/sums"
after=$(json windows "$TMP/sums")
rm "$TMP/live/new"
(
	while [[ ! -e $TMP/enough ]]; do
		for older in 2 1; do mv "$live.$older" "$live.$((older + 1))"; done
		mv "$live" "$live.1"
		cp "$TMP/newest" "$TMP/new"
		mv "$TMP/new" "$live"
		sleep 0.02
		mv "$live.1" "$live"
		for older in 2 3; do mv "$live.$older" "$live.$((older - 1))"; done
		sleep 0.02
	done
) &
renamer=$!
wrong=0
for ((i = 0; i < 60; i++)); do
	td report -j --rotated "$live" > "$TMP/sums" 2> "$TMP/err" || wrong=$((wrong + 1))
	seen=$(json windows "$TMP/sums")
	[[ $seen == "$before" || $seen == "$after" ]] || wrong=$((wrong + 1))
	[[ ! -s $TMP/err ]] || wrong=$((wrong + 1))
done
touch "$TMP/enough"
wait "$renamer"
result "$wrong" 'files that are renamed meanwhile are read'

# A loss counts for all files.
FAKE_HISTORY=4 FAKE_TICK=-1 run fake record --strict --rotate 1s,3 --timeout 1300 -o "$data"
expect 'windows that were lost are said' 4 '' 'in 2 files, .*; [0-9]+ windows were lost$|in 2 files, .*; [0-9]+ windows were lost
'
td report -j "$data.1" > "$TMP/sums"
td report -j "$data" >> "$TMP/sums"
result "$([[ $(json lost "$TMP/sums" | sum) == "$(sed -nE 's/.*; ([0-9]+) windows were lost.*/\1.000/p' "$TMP/err")" ]]; echo $?)" 'each file has its own'

# Each has what is sampled.
rm -f "$data"*
FAKE_FEATURES=65535 run fake record --latency all --rotate 1s,3 -I 200 --timeout 1500 -o "$data"
expect 'latencies are recorded in two files' 0 '' ' in 2 files, '
td report --latency -j "$data.1" > "$TMP/one"
td report --latency -j "$data" > "$TMP/other"
result "$([[ -s $TMP/one && $(json event "$TMP/one") == "$(json event "$TMP/other")" ]]; echo $?)" 'each has all events'
head -c $(($(stat -c %s "$data") * 8 / 10)) "$data" > "$TMP/cut"
td report --partial --latency -j "$TMP/cut" > "$TMP/other" 2> "$TMP/err"
result "$([[ $(json event "$TMP/one") == "$(json event "$TMP/other")" ]]; echo $?)" 'a file that was cut has all events, named at its begin'
for bad in 100M 100M,1 100M,1001 100,5 M,5 1K,5 2000G,5 1x,5 ,5 1ms,5 600h,5 0s,2 '' '1h, 5' 1h,5x 1h,-5; do
	run fake record --rotate "$bad" --timeout 100 -o "$data"
	expect "--rotate refuses '$bad'" 2 '' '^topdown: --rotate: '
done
run fake record --rotate 1s,3 -o "$data" -- true
expect '--rotate refuses a command by itself' 2 '' '--rotate is about CPUs'
run fake record --rotate 1s,3 -o - --timeout 100
expect '--rotate refuses standard output' 2 '' '--rotate: a pipe has no other names'
mkfifo "$TMP/pipe"
sleep 9 5< "$TMP/pipe" &
reader=$!
run fake record --rotate 1s,3 -o "$TMP/pipe" --timeout 100
expect '--rotate refuses a pipe' 2 '' '--rotate: .*/pipe is no file'
kill $reader
finish
