#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every form of output, to the character.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

# Times differ from run to run, and nothing else does.
mask() {
	sed -E -e 's/^elapsed [0-9]+\.[0-9]{3} s, interval [0-9]+\.[0-9]{3} s/elapsed E s, interval I s/' \
		-e 's/"time":[0-9]+\.[0-9]{6},"interval":[0-9]+\.[0-9]{9}/"time":T,"interval":I/' \
		-e 's/^[0-9]{10}\.[0-9]{6}(.)[0-9]+\.[0-9]{9}/T\1I/'
}

# golden NAME: the last run against check/cli/golden/NAME
golden() {
	local file=$HERE/golden/$1

	mask < "$TMP/out" > "$TMP/masked"
	if [[ -n ${GOLDEN_UPDATE:-} ]]; then
		cp "$TMP/masked" "$file"
	fi
	if [[ $status == 0 && -z $err ]] && diff -u "$file" "$TMP/masked" > "$TMP/diff"; then
		result 0 "$1 is printed"
	else
		echo "# status $status"
		sed 's/^/# /' "$TMP/err" "$TMP/diff"
		result 1 "$1 is printed"
	fi
}

HERE=$(cd "$(dirname "$0")" && pwd)
interval=(--count 1 -I 10)

run fake stat "${interval[@]}"; golden tree-level2.txt
run fake stat "${interval[@]}" -l 1; golden tree-level1.txt
run fake stat "${interval[@]}" -A; golden lines-level2.txt
run fake stat "${interval[@]}" -A -l 1; golden lines-level1.txt
FAKE_LEVEL=1 run fake stat "${interval[@]}" -A; golden lines-only-level1.txt
# The nodes of an E-core, and of AMD.
FAKE_NODES=7119 FAKE_SOURCE=4 run fake stat "${interval[@]}" -A -C 0-1; golden lines-atom.txt
FAKE_NODES=7119 FAKE_SOURCE=4 run fake stat "${interval[@]}"; golden tree-atom.txt
FAKE_NODES=12287 FAKE_SOURCE=5 run fake stat "${interval[@]}" -A -l 1; golden lines-amd.txt
FAKE_NODES=12287 FAKE_SOURCE=5 run fake stat "${interval[@]}" -j; golden json-amd.json
# Children of frontend bound that are counted from the first interval on.
FAKE_SINCE=13 run fake stat --count 2 -I 10; golden tree-since.txt
FAKE_SINCE=13 run fake stat --count 2 -I 10 -A -C 1; golden lines-since.txt
FAKE_SINCE=13 run fake stat --count 2 -I 10 -j; golden json-since.json
run fake stat --count 2 -I 10 -A -l 1 -C 1-2; golden lines-cpus-two-intervals.txt
run fake stat "${interval[@]}" -A -l 1 --no-header; golden lines-no-header.txt
FAKE_SHARE=51 run fake stat "${interval[@]}" -A -l 1; golden lines-contended.txt
FAKE_SHARE=51 run fake stat "${interval[@]}"; golden tree-contended.txt
FAKE_CONTENDED=1 run fake stat "${interval[@]}" -A -l 1; golden lines-one-contended.txt
FAKE_CONTENDED=1 run fake stat "${interval[@]}" -A -x ,; golden csv-one-contended.txt
FAKE_SHARE=0 FAKE_IDLE=1 run fake stat "${interval[@]}" -A; golden lines-kept-out.txt
FAKE_IDLE=1 run fake stat "${interval[@]}"; golden tree-idle.txt
FAKE_STATE=4 run fake stat "${interval[@]}" -A -l 1; golden lines-error.txt
FAKE_OFFLINE=1 run fake stat "${interval[@]}" -A -l 1; golden lines-offline.txt
FAKE_LOST=2 run fake stat "${interval[@]}" -A -l 1 -C 1-3; golden lines-lost.txt
# Remarks stand below the rows.
FAKE_FEATURES=1023 FAKE_BUSY=0 run fake stat "${interval[@]}" -A; golden lines-idle.txt
FAKE_SHARE=30 FAKE_OFFLINE=2 run fake stat "${interval[@]}" -A; golden lines-little.txt
FAKE_STATE=6 FAKE_CONTENDED=1 run fake stat "${interval[@]}" -A; golden lines-aside.txt
FAKE_NODES=12287 FAKE_SOURCE=5 run fake stat "${interval[@]}" -A; golden lines-amd-level2.txt
FAKE_CPUS=60 FAKE_SHARE=51 FAKE_CONTENDED=7 run fake stat "${interval[@]}" -A -l 1 \
	-C "$(seq -s , 1 2 59)"; golden lines-many.txt
run fake stat "${interval[@]}" --per-core; golden lines-cores.txt
run fake stat "${interval[@]}" -A -j; golden json.json
# Counted in turns half of the time: nobody else had the counter.
FAKE_FLAGS=2 FAKE_SHARE=48 FAKE_SOURCE=2 run fake stat "${interval[@]}"; golden tree-turns.txt
FAKE_FLAGS=2 FAKE_SHARE=48 FAKE_SOURCE=2 run fake stat "${interval[@]}" -A -l 1; golden lines-turns.txt
FAKE_FLAGS=2 FAKE_SHARE=48 FAKE_SOURCE=2 run fake stat "${interval[@]}" -j; golden json-turns.json
FAKE_FLAGS=2 FAKE_SHARE=20 FAKE_STATE=3 run fake stat "${interval[@]}"; golden tree-turns-contended.txt
# Level 1 has one turn of four.
quarter() { FAKE_FLAGS=2 FAKE_TURNS=4 FAKE_SHARE=24 FAKE_SOURCE=2 run fake stat "${interval[@]}" "$@"; }
quarter; golden tree-quarter.txt
quarter -A -l 1; golden lines-quarter.txt
quarter -A -j; golden json-quarter.json
quarter -C 0-1 --per-node -x ,; golden csv-quarter.csv
FAKE_FLAGS=15 run fake stat "${interval[@]}"; golden tree-flags.txt
FAKE_FLAGS=15 run fake stat "${interval[@]}" -x ,; golden csv-flags.csv
FAKE_LEVEL=1 run fake stat "${interval[@]}" -j; golden json-level1.json
FAKE_LOST=2 FAKE_SHARE=51 run fake stat "${interval[@]}" -A -C 2 -j; golden json-lost.json
run fake stat "${interval[@]}" -A -x ,; golden csv.csv
run fake stat "${interval[@]}" -A -x '\t' --no-header; golden csv-tab-no-header.csv
FAKE_LEVEL=1 run fake stat "${interval[@]}" -x ';'; golden csv-level1.csv
FAKE_LOST=2 run fake stat "${interval[@]}" -A -C 2 -x '|'; golden csv-lost.csv
# CPUs that sleep all the interval are as many as before, in the same state.
FAKE_FEATURES=63 FAKE_TICK=0 run fake stat -a -I 20 --count 3 --windows
result "$(($(grep -c ', 4 CPUs;' "$TMP/out") != 3))" "sleeping CPUs"
for state in 0 3; do
	FAKE_FEATURES=63 FAKE_TICK=0 FAKE_STATE=$state run fake stat -a -I 20 --count 3 --windows -j
	json state "$TMP/out" | sort -u > "$TMP/tree"
	FAKE_FEATURES=63 FAKE_TICK=0 FAKE_STATE=$state run fake stat -a -A -I 20 --count 3 --windows -j
	result "$(grep '"all"' "$TMP/out" > "$TMP/all"; cmp -s "$TMP/tree" <(json state "$TMP/all" | sort -u); echo $?)" \
		"their state $state is that of the rows"
done
# Figures of tasks: this shell is there for sure, but for its number and name.
task() {
	FAKE_FEATURES=$FEATURES run fake stat --timeout 20 "$@"
	sed -i -E -e "s/^ *$$ [^ ]+ {1,14}/    PID NAME            /; s/^ID $$:/ID PID:/" \
		-e "s/(process|thread) $$ \($COMM\)/\1 PID (NAME)/" \
		-e "s/\"([pt]id)\":$$,/\"\1\":PID,/g; s/\"comm\":\"$COMM\"/\"comm\":\"NAME\"/" \
		-e "s/^([0-9.]+[,;][0-9.]+[,;](process|thread)[,;])$$([,;])/\1PID\3/; s/([,;]PID[,;])$$([,;])/\1PID\2/" \
		-e "s/([,;]PID[,;](PID)?[,;])$COMM([,;])/\1NAME\3/" "$TMP/out"
}
COMM=$(< "/proc/$$/comm")
FEATURES=63
task -p $$; golden task-tree.txt
task -p $$ -l 1; golden task-tree-level1.txt
# With cycles; how busy CPUs are depends on the time that this takes.
FEATURES=831
task -p $$; golden task-tree-cycles.txt
task -p $$ --per-thread; golden task-lines-cycles.txt
task -p $$ -x ,; golden task-cycles.csv
FEATURES=63
FAKE_SHARE=97 FAKE_MERGED=2 task -t $$; golden task-tree-thread.txt
FAKE_ASLEEP=1 task -p $$; golden task-tree-asleep.txt
FAKE_SESSION_STATE=3 FAKE_INCOMPLETE=1 task -p $$; golden task-tree-ended.txt
FAKE_HYBRID=1 task -p $$; golden task-tree-hybrid.txt
FAKE_HYBRID=1 task -p $$ -j; golden task-hybrid.json
task -p $$ --per-thread; golden task-lines.txt
task -p $$ --per-thread -l 2; golden task-lines-level2.txt
FAKE_SHARE=51 FAKE_INCOMPLETE=1 task -p $$ --per-thread --no-header; golden task-lines-incomplete.txt
task -p $$ -j; golden task.json
FAKE_FLAGS=2 FAKE_TURNS=4 FAKE_SHARE=24 FAKE_SOURCE=2 task -p $$ -j; golden task-quarter.json
FAKE_ASLEEP=1 task -t $$ -j -l 1; golden task-asleep.json
FAKE_FLAGS=2 FAKE_SHARE=48 task -p $$; golden task-tree-turns.txt
FAKE_FLAGS=2 FAKE_READ_ERRNO=13 FAKE_SOURCE=2 FAKE_SHARE=48 task -p $$ -j; golden task-unknown.json
task -p $$ -x ,; golden task.csv
FAKE_ASLEEP=1 FAKE_INCOMPLETE=1 task -t $$ -x ';' --no-header; golden task-asleep.csv
# The elapsed time of runs differs each time, and its deviation too.
runs() {
	FAKE_FEATURES=63 FAKE_MIX=1 run fake stat -o "$TMP/figures" -r 3 "$@" true
	sed -E 's/elapsed [0-9.]+ s \+- [0-9.]+%/elapsed E s +- D%/; s/("interval_rse":)[0-9.]+/\1D/; s/(,3,)[0-9.]+(,0\.0058)/\1D\2/' \
		"$TMP/figures" > "$TMP/out"
}
runs; golden runs-tree.txt
runs -j; golden runs.json
runs -x ,; golden runs.csv

run fake info
grep -vE '^(kernel|cap_perfmon|perf_event_paranoid|nmi_watchdog|chosen|odd_windows|command|library|perf_users|perf_users_hidden):' "$TMP/out" \
	> "$TMP/some" && mv "$TMP/some" "$TMP/out"
golden info.txt
# latency_says NAME REFUSAL SETTING: what info says of latencies
latency_says() {
	run env "$3" FAKE_NODE="$NODE" LD_PRELOAD="$PRELOAD" "$TOPDOWN" info --device "$NODE"
	expect "info says that latencies are $1" 0 $'\nlatency_events: -\nlatency_refusal: '"$2" ''
}
latency_says 'not loaded' "not loaded: 'modprobe topdown_latency' loads the module"$'\n' FAKE_LATENCY_UNLOADED=1
latency_says 'not to be opened' $'Permission denied\n' FAKE_LATENCY_OPEN_ERRNO=13
latency_says 'refused' 'no CPU has timed PEBS' FAKE_REFUSAL=1
latency_says 'none that are known' 'libtopdown knows no events' FAKE_CPU_MODEL=143
FAKE_LATENCY_MORE=1 run fake info -j
expect 'info -j counts latencies' 0 '"latency_events":6,"latency_refusal":null,' ''

# Cores, sockets and nodes have the slots of their CPUs, each CPU once.
for by in core socket node; do
	run fake stat "${interval[@]}" -C 0-1 "--per-$by" -j
	all=$(json slots "$TMP/out" | head -n 1)
	parts=$(json slots "$TMP/out" | tail -n +2 | sum)
	kinds=$(json row "$TMP/out" | tail -n +2 | sort -u)
	result "$([[ $parts == "$all.000" && $kinds == "$by" ]]; echo $?)" \
		"--per-$by: $parts slots of $all"
done
# One node has all CPUs: its row says the same as the row of the sum, in every column.
same_as_sum() {
	sed -E 's/"(row|kind|node|cpu)":[^,}]*,?//g' "$TMP/out" | sort -u | wc -l
}
run fake stat "${interval[@]}" -C 0-1 --per-node -j
if (($(lines "$TMP/out") == 2)); then
	result "$(($(same_as_sum) != 1))" "--per-node: every column of the one node is the sum's"
else
	skip "--per-node: every column of the one node is the sum's" 'this machine has several'
fi
run fake stat "${interval[@]}" -C 0-1 --per-core -j
cores=$(paste -d- /sys/devices/system/cpu/cpu[01]/topology/{physical_package,core}_id |
	awk -F- '{ print $1, $3; print $2, $4 }' | sort -u | wc -l)
if [[ -e /sys/devices/system/cpu/cpu1/topology ]]; then
	result "$(($(lines "$TMP/out") != cores + 1))" "a row for each of $cores cores"
else
	skip 'a row is there for each core' 'this machine has one CPU'
fi

# Widths: tables of level 1 stay below 80 columns whatever is to be said.
FAKE_SHARE=51 run fake stat "${interval[@]}" -A -l 1
width=$(wc -L < "$TMP/out")
result "$((width >= 80))" "level 1 lines are below 80 columns ($width)"

task -p $$ --per-thread
width=$(wc -L < "$TMP/out")
result "$((width >= 80))" "lines of tasks are below 80 columns ($width)"

# A terminal has bars and colour; NO_COLOR and a dumb one have no colour.
terminal() {
	script -qec "FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD $* $TOPDOWN stat --device $NODE --count ${count:-1} -I 10" \
		/dev/null < /dev/null > "$TMP/terminal"
}
if command -v script > /dev/null; then
	terminal TERM=xterm
	result "$(grep -q '#####' "$TMP/terminal"; echo $?)" 'a terminal has bars'
	result "$(grep -q $'\033' "$TMP/terminal"; echo $?)" 'a terminal has colour'
	tr -d '\r' < "$TMP/terminal" | sed 's/\x1b\[[0-9;]*m//g' > "$TMP/plain"
	width=$(wc -L < "$TMP/plain")
	result "$((width >= 80))" "bars are below 80 columns ($width)"
	result "$(grep -A1 '^tma_memory_bound:$' "$TMP/plain" | grep -q '^  slots in which .* loads or stores'; echo $?)" \
		'a terminal has the meaning of the marked node'
	count=3 terminal TERM=xterm
	result "$(($(grep -c 'topdown help tma_memory_bound' "$TMP/terminal") != 1))" 'the meaning of a node is said once'
	for setting in 'TERM=xterm NO_COLOR=1' TERM=dumb TERM=; do
		terminal env "$setting"
		status=0
		grep -q '#####' "$TMP/terminal" || status=1
		! grep -q $'\033' "$TMP/terminal" || status=1
		result "$status" "$setting leaves colour out"
	done
else
	skip 'a terminal has bars' 'there is no script(1)'
fi

# Rows of another kind are not written below a heading that is not theirs.
run fake stat "${interval[@]}" -x , -o "$TMP/kinds"
cp "$TMP/kinds" "$TMP/before"
FAKE_FEATURES=63 run fake stat --timeout 20 -p $$ -x , -o "$TMP/kinds" --append
expect '--append of tasks after CPUs is refused' 2 '' "^topdown: --append: $TMP/kinds has other columns than these rows \\(allowed: "
FAKE_FEATURES=63 run fake stat -x , -o "$TMP/kinds" --append -r 1 true
expect '--append of runs after CPUs is refused' 2 '' 'has other columns'
run fake stat "${interval[@]}" -x ';' -o "$TMP/kinds" --append
expect '--append with another separator is refused' 2 '' 'has other columns'
result "$(cmp -s "$TMP/kinds" "$TMP/before"; echo $?)" 'nothing is written then'
run fake stat "${interval[@]}" -x ';' -o "$TMP/kinds" --append --no-header
expect 'unless there are to be no headings' 0 '' ''

# -o and --append
for format in "-x ," -j ''; do
	rm -f "$TMP/file"
	for _ in 1 2; do
		# shellcheck disable=SC2086
		run fake stat "${interval[@]}" $format -o "$TMP/file" --append
	done
	case $format in
	-x*) want=3 ;;
	-j) want=2 ;;
	*) want=27 ;;
	esac
	result "$(($(lines "$TMP/file") != want))" "--append ${format:-of the table}: headings once"
	# shellcheck disable=SC2086
	run fake stat "${interval[@]}" $format -o "$TMP/file"
	expect "-o ${format:-of the table} leaves standard output empty" 0 '' ''
	result "$(($(lines "$TMP/file") >= want))" "-o ${format:-of the table}: the old is gone"
done
run fake stat "${interval[@]}" -o "$TMP/none/file"
expect '-o refuses a directory that is not there' 1 '' "cannot open $TMP/none/file for writing"
run fake stat "${interval[@]}" -o "$TMP"
expect '-o to a directory is refused' 1 '' "cannot open $TMP for writing: Is a directory"

# Tables of CPUs are no wider than a terminal, and nothing in them touches.
wide=$(awk 'length > 80 { print FILENAME ": " $0 }' "$HERE"/golden/lines-*.txt "$HERE"/golden/tree-*.txt)
result "$([[ -z $wide ]]; echo $?)" "no line of CPUs is wider than 80 columns $wide"
touching=$(grep -HE '[0-9*][*][0-9]' "$HERE"/golden/*lines-*.txt || true)
result "$([[ -z $touching ]]; echo $?)" "a mark touches nothing $touching"

# --strict
for setting in FAKE_SHARE=98 FAKE_STATE=4 FAKE_STATE=2; do
	export "${setting?}"
	run fake stat "${interval[@]}" --strict
	expect "--strict fails with $setting" 4 'tma_retiring' ''
	run fake stat "${interval[@]}"
	expect "without --strict it succeeds, $setting" 0 'tma_retiring' ''
	unset "${setting%%=*}"
done
for setting in FAKE_STATE=3 FAKE_SHARE=48; do
	want=4
	[[ $setting != FAKE_SHARE* ]] || want=0
	export "${setting?}" FAKE_FLAGS=2
	run fake stat "${interval[@]}" --strict
	expect "--strict judges $setting in turns" "$want" 'tma_retiring' ''
	unset "${setting%%=*}" FAKE_FLAGS
done
run fake stat "${interval[@]}" --strict
expect '--strict succeeds when all is well' 0 'tma_retiring' ''
FAKE_OFFLINE=3 run fake stat "${interval[@]}" --strict
expect '--strict allows a CPU that was never online' 0 'tma_retiring' ''
FAKE_LOST=3 run fake stat "${interval[@]}" --strict -C 3
expect '--strict fails for a CPU that went away' 4 'tma_retiring' ''

run fake stat "${interval[@]}" -v
expect '-v describes module and machine' 0 'tma_retiring' 'module 9\.8\.7; A CPU of the test \(test-lake\), source perf_metrics, level 2'
finish
