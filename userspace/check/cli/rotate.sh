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
expect 'a new file at a size' 0 '' '^topdown: [0-9]+ windows of 4 CPUs in 2\.[0-9] s, [0-9]+ bytes in [2-9] files, the last is [^;]*/data$'
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
result "$(numbers "${files[@]}" | sort | uniq -d | grep -q .; echo $((!$?)))" 'and none is there twice'
for file in "${files[@]}"; do td report --windows -j "$file"; done > "$TMP/windows"
result "$([[ $(slots "${files[@]}") == "$(json slots "$TMP/windows" | sum)" ]]; echo $?)" 'the sums of all files are those of all windows'
count=$(lines "$TMP/windows")
fake record --timeout 100 -q -o "$TMP/plain"
run fake record --rotate 1G,9 --timeout 100 -o "$data"
expect 'a run that needs one file' 0 '' " bytes in 1 file, the last is "
result "$(cmp -s "$data.1" "$TMP/plain"; echo $((!$?)))" 'has it for itself'
for file in "$data".?; do td report --windows -j "$file"; done > "$TMP/windows"
result "$(($(lines "$TMP/windows") != count))" 'and keeps those of the run before'

# By the time, also on a machine that sleeps.
rm -f "$data"*
event=$FAKE_EVENT
unset FAKE_EVENT
FAKE_TICK=0 run fake record --rotate 1s,2 --timeout 3500 -o "$data"
export FAKE_EVENT=$event
expect 'a new file after a time, of idle CPUs' 0 '' '^topdown: 0 windows of 4 CPUs in 3\.[5-9] s, [0-9]+ bytes in 4 files, '
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
result "$((status != 143))" 'SIGTERM'
run td report "$data"
expect 'leaves a whole file' 0 'none lost' ''
run fake record --rotate 1s,3 -a -o "$data" -- sh -c 'sleep 1.3; exit 3'
expect 'while a command runs' 3 '' ' in 2 files, '
run td report "$data" "$data.1"
expect 'several files' 2 '' "a report is of one recording \(allowed: --diff $data $data.1 to compare them; of the files of --rotate, one at a time\)$"
run td report --until 2020-01-01 "$data"
expect 'a time that an older file may have' 2 '' "nothing of .* is in this time .*; 'topdown record --rotate' has older files beside it: .1, .2, and so on$"
run td report --until 2020-01-01 "$data.1"
expect 'but not where there is none older' 2 '' 'nothing of .* is in this time \(it is from [-0-9: ]* to [-0-9: ]*\)$'

# A loss counts for all files.
FAKE_HISTORY=4 FAKE_TICK=-1 run fake record --strict --rotate 1s,3 --timeout 1300 -o "$data"
expect 'windows that were lost' 4 '' 'in 2 files, .*; [0-9]+ windows were lost$|in 2 files, .*; [0-9]+ windows were lost
'
td report -j "$data.1" > "$TMP/sums"
td report -j "$data" >> "$TMP/sums"
result "$([[ $(json lost "$TMP/sums" | sum) == "$(sed -nE 's/.*; ([0-9]+) windows were lost.*/\1.000/p' "$TMP/err")" ]]; echo $?)" 'each file has its own'

# Each has what is sampled.
rm -f "$data"*
FAKE_FEATURES=65535 run fake record --latency all --rotate 1s,3 -I 200 --timeout 1500 -o "$data"
expect 'with latencies' 0 '' ' in 2 files, '
td report --latency -j "$data.1" > "$TMP/one"
td report --latency -j "$data" > "$TMP/other"
result "$([[ -s $TMP/one && $(json event "$TMP/one") == "$(json event "$TMP/other")" ]]; echo $?)" 'each has all events'
head -c $(($(stat -c %s "$data") * 8 / 10)) "$data" > "$TMP/cut"
td report --partial --latency -j "$TMP/cut" > "$TMP/other" 2> "$TMP/err"
result "$([[ $(json event "$TMP/one") == "$(json event "$TMP/other")" ]]; echo $?)" 'and says so at its begin'
for bad in 100M 100M,1 100M,1001 100,5 M,5 1K,5 2000G,5 1x,5 ,5 1ms,5 600h,5 0s,2 '' '1h, 5' 1h,5x 1h,-5; do
	run fake record --rotate "$bad" --timeout 100 -o "$data"
	expect "--rotate '$bad'" 2 '' '^topdown: --rotate: '
done
run fake record --rotate 1s,3 -o "$data" -- true
expect 'a command by itself' 2 '' '--rotate is about CPUs'
run fake record --rotate 1s,3 -o - --timeout 100
expect 'standard output' 2 '' '--rotate: a pipe has no other names'
mkfifo "$TMP/pipe"
sleep 9 5< "$TMP/pipe" &
reader=$!
run fake record --rotate 1s,3 -o "$TMP/pipe" --timeout 100
expect 'a pipe' 2 '' '--rotate: .*/pipe is no file'
kill $reader
finish
