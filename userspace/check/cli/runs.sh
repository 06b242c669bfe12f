#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown record -r: several runs of a command in a recording, and topdown report --diff of them.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

export FAKE_FEATURES=1023 FAKE_TICK=0 FAKE_EVENT=0 FAKE_STEP=40
data=$TMP/data

run fake record -r 4 -I 20 -o "$data" -- sh -c "echo \$\$ >> '$TMP/pids'; sleep 0.1"
expect 'four runs are recorded' 0 '' '^topdown: [0-9]+ samples of 4 runs in 0\.[0-9] s, [0-9]+ bytes in [^ ]*$'
td report -j -A "$data" > "$TMP/sums"
result "$([[ $(json pid "$TMP/sums" | paste -sd' ') == "null $(paste -sd' ' "$TMP/pids")" ]]; echo $?)" 'each is a task with its process'
result "$([[ $(json slots "$TMP/sums" | tail -n 4 | sum) == "$(json slots "$TMP/sums" | head -n 1 | sum)" ]]; echo $?)" \
	'the slots of all are those of the runs'
run td report "$data"
expect 'the report says how many' 0 ' samples of 4 runs' ''
td report -j --diff "$data" "$data" > "$TMP/file"
result "$(holds "$(sed -nE 's/.*"elapsed".*"before":([0-9.]+),.*/\1/p' "$TMP/file") < 0.2"; echo $?)" 'the elapsed time is that of a run'
result "$(grep -q '"node":"elapsed","unit":"s","verdict":"noise".*"blocks_before":4,"steps_before":null' "$TMP/file"; echo $?)" 'with the number of runs'
result "$([[ $(grep -c '"verdict":"noise"' "$TMP/file") == 17 ]]; echo $?)" 'all lines of equal recordings are noise'
if command -v python3 > /dev/null; then
	run env LD_LIBRARY_PATH="$BUILD/.." PYTHONPATH="$(dirname "$0")/../../python" python3 -c "
import topdown
recording = topdown.Recording('$data')
print(len(recording.tasks), sorted({piece.task for piece in recording}))"
	expect 'Python reads it' 0 '^4 \[0, 1, 2, 3\]$' ''
else
	skip 'Python reads it' 'python3 is not installed'
fi

# The status of runs that fail, and the end of those that are ended.
run fake record -r 3 -q -o "$data" -- sh -c "echo x >> '$TMP/times'; exit \$((\$(wc -l < '$TMP/times') - 1))"
expect 'the first run that fails decides the status' 1 '' ''
result "$(($(lines "$TMP/times") != 3))" 'runs go on after one that fails'
run fake record -r 3 -o "$data" -- sh -c 'kill -9 $$'
expect 'a run that is killed is the last' 137 '' ' of 1 run in .*
topdown: too few runs for .topdown report --diff., which needs 3: -r 5$'
FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD "$TOPDOWN" record --device "$NODE" -r 9 -o "$data" -- \
	sh -c "echo x >> '$TMP/begun'; sleep 0.2 & wait" 2> "$TMP/err" &
pid=$!
touch "$TMP/begun"
await has_lines "$TMP/begun" 4 || true
kill -TERM $pid
status=0
wait $pid || status=$?
out='' err=$(< "$TMP/err")
expect 'a run that a signal is handed on to is the last' 143 '' ' of [45] runs in '
ended=$(sed -nE 's/.* of ([0-9]+) runs .*/\1/p' <<< "$err")
run td report --diff "$data" "$data"
expect 'a run that was interrupted is left out' 0 "before .*, $((ended - 1)) runs" ''

# A program that crashes has not done its work.
run fake record -r 9 -I 20 -q -o "$data" -- sh -c "echo x >> '$TMP/crashes'; sleep 0.05; [ \$(wc -l < '$TMP/crashes') -lt 4 ] || kill -SEGV \$\$"
expect 'a run that crashes is the last' 139 '' ''
run td report --diff "$data" "$data"
expect 'a run that crashed is left out' 0 'before .*, 3 runs' ''
run fake record -r 2 -q -o "$TMP/two" -- true
run td report --fail-on-change --diff "$TMP/two" "$TMP/two"
expect 'two runs are too few' 4 'nothing can be said of 17 of 17 lines: a recording has fewer than 3 whole runs' ''
expect 'two runs are too few to say which is faster' 4 'faster or slower: nothing can be said, a recording has fewer whole runs ' ''
fake record -q -I 20 -o "$TMP/single" -- sleep 0.1
run td report --diff "$data" "$TMP/single"
slots=$(sed -n 's/^before .* steps* of [0-9.]* s, \(.*\) slots, .*/\1/p' <<< "$out")
result "$([[ -n $slots && $out == *$'\n'"slots "*" $slots "* ]]; echo $?)" 'the amount is that of the heading, to the last digit'
result "$([[ ${out##*$'\n'} == 'faster or slower: nothing can be said, one run does not show '* ]]; echo $?)" 'there is no faster without runs'
expect 'a recording without runs is compared with a note' 0 'in all .*elapsed' "only one recording is of runs"
run fake record -r 3 -o "$data" -- /nonexistent
expect 'a command that there is not gives 127' 127 '' "cannot run '/nonexistent'"
for bad in '-r 3' '-r 0 -- true' '-r 1001 -- true' '-r 3 -p 1' '-r 3 -a -- true' '-r 3 --timeout 9s -- true' \
	'-r 3 --latency all -- true' '-r 3 --control fd:0 -- true'; do
	eval "run fake record $bad"
	expect "record refuses $bad" 2 '' '^topdown: -r'
done

# found NAME POINTS WORK: pairs with a change, and pairs in which retiring has one, of all pairs.
# Chance is the subject of the program as it is delivered, and not of the sanitizers.
pairs=200
[[ $variant == plain ]] || pairs=10
found() {
	local i status
	changed=0 retiring=0
	mkdir "$TMP/$1"
	"$BUILD/$variant/pairs" "$TMP/$1" 1 $pairs 5 "$2" "$3"
	for ((i = 0; i < pairs; i++)); do
		status=0
		"$TOPDOWN" report -j --fail-on-change --diff "$TMP/$1/before.$i" "$TMP/$1/after.$i" > "$TMP/file" ||
			status=$?
		((status == 0 || status == 5)) || echo "# pair $i: status $status"
		((status != 5)) || changed=$((changed + 1))
		! grep -q '"tma_retiring","verdict":"changed"' "$TMP/file" || retiring=$((retiring + 1))
	done
	rm -r "${TMP:?}/$1"
	echo "# $1: $changed of $pairs pairs have a change, $retiring in retiring"
}
found equal 0 1
result "$((changed > pairs * 2 / 100))" 'equal runs of 6 s: at most 2% of the pairs have a change'
found points 2 1
result "$((changed < pairs * 95 / 100 || retiring < pairs * 95 / 100))" '2 points are found in 95% of the pairs'
found half 0 0.5
result "$((changed != pairs || retiring > pairs * 2 / 100))" 'half of the work with the same shares is a change'
mkdir "$TMP/half"
"$BUILD/$variant/pairs" "$TMP/half" 1 1 5 0 0.5
run td report --diff "$TMP/half/before.0" "$TMP/half/after.0"
expect 'a difference is said where it is' 0 'elapsed, s +[56]\.[0-9]+ +[23]\.[0-9]+ +-[45][0-9.]+% .*changed
slots .*changed
instructions .*changed
cycles .*changed
.*tma_retiring .* noise' ''
expect 'the last line says that it is faster, and why' 0 'after is faster: a run takes (49|50)\.[0-9]% less time \(\+-[0-9]\.[0-9]%\), with 50\.[0-9]% fewer instructions$' ''
result "$([[ ${out##*$'\n'} == 'after is faster: '* ]]; echo $?)" 'the line that says which is faster is the last'
expect 'amounts have groups of digits' 0 'instructions +(5,99|6,00)[0-9],[0-9]{3},[0-9]{3} +(2,99|3,00)[0-9],[0-9]{3},[0-9]{3} ' ''
run td report --diff "$TMP/half/after.0" "$TMP/half/before.0"
expect 'the other way round it is slower' 0 'after is slower: a run takes (9|10)[0-9]\.[0-9]% more time \(.*\), with (9|10)[0-9]\.[0-9]% more instructions$' ''
run td report --diff "$TMP/half/before.0" "$TMP/half/before.0"
expect 'equal runs are neither' 0 'after is neither faster nor slower: the time of a run differs by 0\.0%, and from [0-9]\.[0-9]% on ' ''
finish
