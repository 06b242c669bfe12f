#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown record --latency, and what topdown report says of it: the file has what was sampled.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

export FAKE_FEATURES=1023 FAKE_TICK=40 FAKE_EVENT=0 FAKE_PERIOD=$TMP/period FAKE_STEP=40 TZ=UTC
echo 40 > "$TMP/period"
data=$TMP/data
two=MEM_INST_RETIRED.SPLIT_LOADS,mem_load_l3_miss_retired.local_dram

# sampled ARG...: what the report says of latencies, as JSON
sampled() { td report --latency -j "$@" "$data" > "$TMP/rows"; }

# CPUs. The stand-in samples CPU 0 and 1 only, and L2_HIT never.
run fake record --timeout 450 -I 100 --latency all -o "$data"
expect 'all events of all CPUs are recorded' 0 '' '^topdown: [0-9]+ windows of 4 CPUs in 0\.[45].*
topdown: latencies of 3 events, 0\.0% lost, 1 without a sample
topdown: too short for .*$'
run td report "$data"
expect 'the table is printed' 0 'retire latency of instructions
elapsed 0\.[45][0-9]* s, interval .*; cycles
event +CPU +samples +mean +dev +min +p50 +p90 +p99 +max +run%
MEM_INST_RETIRED\.SPLIT_LOADS +all +[0-9]+ +7\.00 +0\.00 +7 +7\.0 +7\.0 +7\.0 +7 +50\.0
MEM_LOAD_L3_MISS_RETIRED\.LOCAL_DRAM +all +[0-9]+ +190\.0 +137 +100 +99\.5 +400 +400 +400 +50\.0
MEM_LOAD_RETIRED\.L2_HIT +all +0 +- +- +- +- +- +- +- +0\.0$' ''
sampled
reads=$(($(json samples "$TMP/rows" | head -n 1) / 30))
result "$((reads < 4 || reads > 6))" "an interval of 100 ms each ($reads)"
result "$([[ $(json samples "$TMP/rows" | paste -sd' ') == "$((reads * 30)) $((reads * 30)) 0" ]]; echo $?)" \
	'each event has samples'
result "$([[ $(json events "$TMP/rows" | paste -sd' ') == "$((reads * 30000)) $((reads * 30000)) 0" ]]; echo $?)" \
	'the report has the events of the samples'
sampled --steps
result "$([[ $(json samples "$TMP/rows" | sum) == "$((reads * 60)).000" ]]; echo $?)" 'the steps have all of them'
result "$([[ $(json p90 "$TMP/rows" | sort -u | paste -sd' ') == '399.5 7.0' ]]; echo $?)" 'the steps have the quantiles'
result "$(($(json time "$TMP/rows" | sort -u | wc -l) < 4))" 'there are several steps'
sampled -I 10s --steps
result "$(($(lines "$TMP/rows") != 2))" 'there is one long step'
sampled -A
result "$([[ $(json cpu "$TMP/rows" | paste -sd' ') == 'null 0 1 null 0 1 null 0 1' ]]; echo $?)" 'each CPU has rows'
result "$([[ $(json samples "$TMP/rows" | sed -n '2p;3p' | paste -sd' ') == "$((reads * 10)) $((reads * 20))" ]]; echo $?)" \
	'has its own'
sampled -A -C 1
result "$([[ $(json cpu "$TMP/rows" | paste -sd' ') == 'null 1 null 1 null 1' &&
	$(json samples "$TMP/rows" | head -n 1) == $((reads * 20)) ]]; echo $?)" 'report -C leaves out the others'
run td report --latency -x ';' "$data"
expect 'CSV has the figures' 0 '^time;interval;row;cpu;event;samples;events;.*mean;.*
[0-9.]+;0\.[0-9]+;all;;MEM_INST_RETIRED\.SPLIT_LOADS;[0-9]+;' ''
run fake record --timeout 250 -I 100 -C 1 --latency $two -q -o "$data"
sampled -A
result "$([[ $(json cpu "$TMP/rows" | paste -sd' ') == 'null 1 null 1' ]]; echo $?)" 'record takes -C and some events'
run fake record -a -I 100 --latency $two -q -o "$data" -- sh -c 'sleep 0.3; exit 4'
expect 'the machine is sampled while a command runs' 4 '' ''
sampled
result "$(($(json samples "$TMP/rows" | head -n 1) < 60))" 'has its latencies'
result "$([[ $(td report "$data" | sed -n 2p) == *"--latency $two -q"* ]]; echo $?)" 'the report has the whole command line'
FAKE_AWAY=1 fake record --timeout 100 --latency $two -q -o "$data"
sampled
result "$([[ $(json aside "$TMP/rows" | paste -sd' ') == 'true true' ]]; echo $?)" 'perf users had the counter'
run td report "$data"
expect 'the counter was left all the time' 0 'SPLIT_LOADS +all .* 50\.0 aside 100\.0%$' ''
FAKE_PAUSE_FROM=2 FAKE_PAUSE_TO=5 fake record --timeout 950 -I 100 --latency $two -q -o "$data"
run td report -A "$data"
expect 'the counter was left for some of the time' 0 'SPLIT_LOADS +1 .* 50\.0 aside [23][0-9]\.[0-9]%' ''
result "$([[ $(grep -c ' aside [23][0-9]\.[0-9]%$' "$TMP/out") == 6 ]]; echo $?)" 'for the sum and for each CPU'
sampled --steps
result "$([[ $(json aside "$TMP/rows" | sort | uniq -c | awk '{ print $2 }' | paste -sd' ') == 'false' ]]; echo $?)" \
	'a step with samples had the counter'
FAKE_PAUSE_FROM=9 FAKE_PAUSE_TO=20 fake record --timeout 450 -I 100 --latency $two -q -o "$data"
run td report "$data"
result "$((status || $(grep -c aside "$TMP/out") != 0))" 'not at all'

FAKE_LATENCY_BEFORE=1000 fake record --timeout 250 -I 100 --latency $two -q -o "$data"
sampled
result "$(($(json samples "$TMP/rows" | head -n 1) > 300))" 'what another session has sampled before is no part of it'
FAKE_TICK=0 fake record --timeout 450 -I 100 --latency $two -q -o "$data"
sampled --steps
result "$(($(lines "$TMP/rows") < 8))" 'an idle machine has intervals too'
echo 2000 > "$TMP/period"
fake record --timeout 450 -I 100 --latency $two -q -o "$data"
echo 40 > "$TMP/period"
sampled --steps
result "$(($(lines "$TMP/rows") < 8))" 'a recording with long windows has all steps of latencies'

# Events that were counted, and events that were lost.
FAKE_LOST=1 fake record --timeout 250 -I 100 --latency $two -q -o "$data"
sampled
result "$([[ $(json counted_events "$TMP/rows" | head -n 1) == $(($(json samples "$TMP/rows" | head -n 1) * 1100)) &&
	$(json lost_events "$TMP/rows" | head -n 1) == $(($(json samples "$TMP/rows" | head -n 1) * 50)) ]]; echo $?)" \
	'what was counted, and what was lost'
run td report "$data"
expect 'the table shows a loss' 0 'SPLIT_LOADS +all .* 50\.0 lost 4\.8%' ''

# A burst of which no sample is left is in the interval in which it was.
FAKE_MISSED_STEP=3 fake record --timeout 650 -I 100 --latency $two -q -o "$data"
sampled --steps
result "$([[ $(json samples "$TMP/rows" | grep -cx 0) == 2 && $(json lost_events "$TMP/rows" | grep -vx 0 | paste -sd' ') == '30000 30000' ]]; echo $?)" \
	'what was lost is in its own interval'
result "$([[ $(json samples "$TMP/rows" | paste -sd' ') == '30 30 30 30 0 0 30 '* ]]; echo $?)" 'without samples of others'
td report --html "$TMP/page" "$data"
result "$(grep -qE '<td>-?nan' "$TMP/page"; echo $((!$?)))" 'the page has steps with samples only'

# Tasks have what was sampled from their begin on.
FAKE_LATENCY_BEFORE=1000 fake record -I 100 --timeout 150 --latency $two -q -o "$data" -p $$
sampled
result "$(($(json samples "$TMP/rows" | head -n 1) < 20000))" 'tasks have what was sampled before the first look'
run fake record -I 100 --latency $two -q -o "$data" -- sh -c 'sleep 0.25; exit 3'
expect 'a command is recorded' 3 '' ''
sampled
result "$([[ $(json counted_events "$TMP/rows" | paste -sd' ') == 'null null' ]]; echo $?)" 'of which nobody knows what was counted'
result "$([[ $(json row "$TMP/rows" | paste -sd' ') == 'process process' ]] && (($(json pid "$TMP/rows" | head -n 1) > 1))
	echo $?)" 'its rows have its process'
run td report -A "$data"
expect 'the table of latencies has processes' 0 '
event +pid +samples .*
MEM_INST_RETIRED\.SPLIT_LOADS +[0-9]+ +[0-9]+ +7\.00 [^a-z]*
MEM_' ''
result "$((status || $(grep -c '^MEM_' "$TMP/out") != 2))" 'the table has one row for a single task'
run fake record -I 100 --timeout 150 --latency $two -q -o "$data" -p $$
expect 'a process is recorded' 0 '' ''
sampled
result "$([[ $(json pid "$TMP/rows" | paste -sd' ') == "$$ $$" && $(json samples "$TMP/rows" | head -n 1) == [1-9]* ]]; echo $?)" \
	'has its latencies'

FAKE_LATENCY_GONE=2 run fake record -I 100 --timeout 150 --latency $two -q -o "$data" -p "$$,$PPID"
expect 'a process that has ended ends nothing' 0 '' ''
sampled -A
result "$([[ $(json pid "$TMP/rows" | sort -u | paste -sd' ') == *"$$"* && $(json pid "$TMP/rows" | grep -c "$PPID") == 0 ]]; echo $?)" \
	'has no latencies, and the other has'

# A refusal comes before there is a file, and before a command runs.
refused() {
	local name=$1 code=$2 why=$3
	shift 3
	rm -f "$TMP/fresh" "$TMP/ran"
	run fake record -o "$TMP/fresh" "$@"
	expect "$name" "$code" '' "$why"
	result "$([[ ! -e $TMP/fresh && ! -e $TMP/ran ]]; echo $?)" 'leaves no file'
}
touch_it=(-- touch "$TMP/ran")
FAKE_REFUSAL=1 refused 'a CPU without timed PEBS' 3 'samples no latency: no CPU has timed PEBS' --latency all
FAKE_REFUSAL=2 refused 'an old kernel' 125 'samples no latency: the kernel does not read' --latency all "${touch_it[@]}"
FAKE_LATENCY_UNLOADED=1 refused 'the module is not loaded' 3 "'modprobe topdown_latency'" --latency all
refused 'an event that the machine lacks' 3 'this CPU model has no event MEM_LOAD_RETIRED\.L3_HIT' \
	--latency MEM_LOAD_RETIRED.L3_HIT
refused 'an event that nobody has' 2 "^topdown: --latency: there is no event 'no\.such'" --latency all,no.such
refused 'an empty list' 2 "^topdown: --latency: there is no event ''" --latency ''
FAKE_LATENCY_ERRNO=16 refused 'tasks that another session samples' 1 'sampled by another latency session' \
	--latency all -p $$
FAKE_LATENCY_ERRNO=16 refused 'a command that another session samples is refused' 125 'sampled by another latency session' --latency all "${touch_it[@]}"
FAKE_LATENCY_ERRNO=3 refused 'tasks that have all ended' 1 'the tasks have ended' --latency all -p "$$,$PPID"
FAKE_LATENCY_ERRNO=13 refused 'no right' 3 '^topdown: cannot sample through .*_latency: Permission denied' --latency all
FAKE_LATENCY_ERRNO=95 refused 'CPUs of which none can be sampled' 3 'none of these CPUs is a measured P-core' --latency all -C 3
refused 'a short interval' 2 '^topdown: -I: with --latency at least 100 ms' --latency all -I 99
refused 'too many processes' 2 '^topdown: -p: with --latency at most 16 processes' --latency all -p "$(seq -s, 1 17)"
FAKE_LATENCY_READS=3 run fake record --timeout 2s -I 100 --latency all -q -o "$data"
expect 'a read that fails is said' 1 '' 'cannot read latencies through .*_latency: Input/output error'
run td report --partial --latency -j "$data"
expect 'leaves what there was' 0 '"samples":60,' 'is not whole'

# The report.
fake record --timeout 80 -q -o "$TMP/without"
run td report --latency "$TMP/without"
expect 'a recording without latencies is said' 2 '' 'without has no latencies \(topdown record --latency records them\)$'
run td report "$TMP/without"
result "$([[ $status == 0 && $out != *latenc*instr* ]]; echo $?)" 'has no table of them'
for bad in '--latency --windows' '--latency --html x' '--latency --trace x' '--latency --steps -A'; do
	# shellcheck disable=SC2086 # several options
	run td report $bad "$TMP/without"
	expect "report refuses $bad" 2 '' '^topdown: --latency '
done

# Before and after a change. Event 63, of a later release, is left out.
for name in latency100 latency101 latency130; do "$BUILD/$variant/made" $name "$TMP/$name"; done
run td report --latency "$TMP/latency100"
expect 'an event of a later release is reported' 0 '^elapsed 300.*
event .*
MEM_INST_RETIRED\.SPLIT_LOADS +all +2400 +40\.00 .* 25\.0
MEM_LOAD_RETIRED\.L2_HIT +all +2400 +[0-9.]+ .* 25\.0$' ''
run td report --latency --steps -I 1m -j "$TMP/latency100"
result "$([[ $(json samples "$TMP/out" | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd' ') == '8 600' ]]; echo $?)" \
	'four minutes have samples'
run td report --latency --steps -I 10ms -x , "$TMP/latency100"
result "$(($(grep -c L2_HIT "$TMP/out") != 240))" 'steps are as long as intervals at least'
run td report --diff "$TMP/latency100" "$TMP/latency101"
expect 'latencies that are alike do not differ' 0 '
mean latency, cycles +before +after +change +\+-
  MEM_INST_RETIRED\.SPLIT_LOADS +40\.00 +40\.00 +0\.00 +[-0.]+ +noise
  MEM_LOAD_RETIRED\.L2_HIT +(9[89]|10[012])\.[0-9]+ +(9[89]|10[0123])\.[0-9]+ +[-+][0-9.]+ +[0-9.]+ +noise

no difference that can be judged is more than noise
faster or slower: nothing can be said, a recording of CPUs has no end of work .*$' ''
run td report --latency --diff "$TMP/latency100" "$TMP/latency130"
expect 'latencies that are not alike differ' 0 '
mean latency, cycles .*
.*
  MEM_LOAD_RETIRED\.L2_HIT +[0-9.]+ +[0-9.]+ +\+(2[89]|3[012])\.[0-9]+ +[0-9.]+ +changed

1 of 2 differences are more than noise$' ''
result "$([[ $out != *tma_* ]]; echo $?)" 'latencies are compared without nodes'
run td report --latency -j --diff "$TMP/latency130" "$TMP/latency100"
expect '-j compares the other way round' 0 '"event":"MEM_LOAD_RETIRED\.L2_HIT","unit":"cycles","verdict":"changed","before":1[23][0-9]\.[0-9]+,"after":(9|10)[0-9]\.[0-9]+,"difference":-' ''
run td report -x , --latency --diff "$TMP/latency100" "$TMP/latency130"
expect '-x compares latencies' 0 '^event,unit,verdict,before,.*
MEM_INST_RETIRED\.SPLIT_LOADS,cycles,noise,40\.' ''
run td report -j --diff "$TMP/latency130" "$TMP/latency100"
result "$([[ $out != *MEM_* && $out == *tma_retiring* ]]; echo $?)" 'without --latency nodes only'
FAKE_LOST=1 fake record --timeout 250 -I 100 --latency $two -q -o "$TMP/one"
fake record --timeout 250 -I 100 --latency $two -q -o "$TMP/other"
run td report --diff "$TMP/one" "$TMP/other"
expect 'a recording that lost samples is compared with a note' 0 'SPLIT_LOADS' 'latencies of 2 of 2 events: in a recording more than 1% '
run td report --diff "$TMP/other" "$TMP/latency100"
expect 'a recording that was sampled for longer has a note' 0 'SPLIT_LOADS' 'latencies of 1 of 1 events: one recording has sampled them '
run td report --diff "$TMP/without" "$TMP/latency100"
expect 'a recording without latencies has none to compare' 0 'MEM_LOAD_RETIRED\.L2_HIT +- +[0-9.]+ +- +- +none.*2 of 2 lines have no sample in one of the recordings' ''
run td report --latency --diff "$TMP/without" "$TMP/without"
expect 'a difference of two recordings without latencies is refused' 2 '' '^topdown: --latency: neither recording has latencies'

# The page: the lines are the values of the steps.
cat > "$TMP/lines.py" << 'END'
import json, re, sys

text, steps = open(sys.argv[1]).read(), [json.loads(line) for line in open(sys.argv[2])]
picture = re.search(r'aria-label="cycles of MEM_LOAD_RETIRED.L2_HIT over time">.*?</svg>', text, re.S)[0]
top = float(re.search(r'<text class="y"[^>]*>([0-9.e+]+)<', picture)[1])
steps = [step for step in steps if step["event"] == "MEM_LOAD_RETIRED.L2_HIT"]
for number, key in enumerate(("mean", "p50", "p90", "p99")):
    path = re.search(r'class="line l%d" d="([^"]*)"' % number, picture)[1]
    places = [(float(x), float(y), float(to)) for x, y, to in
              re.findall(r"[ML]([0-9.]+) ([0-9.]+)H([0-9.]+)", path)]
    assert path.count("M") == 2 and len(places) == len(steps) > 50, (path, len(steps))
    for (x, y, to), step in zip(places, steps):
        assert abs(top * (1 - y / 160) - step[key]) < top / 1e5, (key, y, step)
        assert abs(to - x - 1000 * step["interval"] / 300) < 0.02, (x, to)
titles = re.findall(r"<title>[0-9:.]+: mean ([0-9.]+), p50 [0-9.]+, p90 [0-9.]+, p99 ([0-9.]+) cycles", picture)
assert [float(mean) for mean, p99 in titles] == [round(step["mean"], 1) for step in steps]
END
run td report --html "$TMP/page" "$TMP/latency100"
expect 'the page is written' 0 '' ''
if command -v python3 > /dev/null; then
	td report --latency --steps -I 4s -j "$TMP/latency100" > "$TMP/steps"
	run python3 "$TMP/lines.py" "$TMP/page" "$TMP/steps"
	expect 'has the values of the steps as lines' 0 '' ''
else
	skip 'has the values of the steps as lines' 'python3 is not installed'
fi
result "$(grep -q '<p>2,400 samples, mean 40.0, p50 41.5, p90 41.5, p99 41.5, max 40 cycles; sampled in 25.0% of the time; 240,000 events counted, 0.0% lost</p>' "$TMP/page"; echo $?)" \
	'the page has the latencies in all'
result "$(($(grep -c '<summary>Values of MEM_' "$TMP/page") != 2 || $(grep -cE '<td>40</td>(<td>[0-9.]+</td>){4}</tr>' "$TMP/page") != 120))" \
	'the page has the latencies as a table'
td report --html - "$TMP/without" > "$TMP/page"
result "$(grep -qE 'Retire latenc|class="latency' "$TMP/page"; echo $((!$?)))" 'a page without latencies has none'
fake record --timeout 150 -I 100 --latency all -q -o "$data"
td report --html - "$data" > "$TMP/page"
result "$(grep -q '<p>Had no turn: MEM_LOAD_RETIRED.L2_HIT.</p>' "$TMP/page"; echo $?)" 'an event that had no turn is said'

# The trace: a value at the begin of an interval, and 0 where nothing was sampled.
td report --trace "$TMP/trace" "$TMP/latency100"
grep '"name":"MEM_LOAD_RETIRED.L2_HIT mean"' "$TMP/trace" > "$TMP/counters"
td report --latency --steps -j "$TMP/latency100" | grep L2_HIT > "$TMP/steps"
json mean "$TMP/steps" | awk '{ printf "%.3f\n", $1 }' > "$TMP/one"
sed -nE 's/.*"args":\{"cycles":([0-9.]+)\}\},?$/\1/p' "$TMP/counters" > "$TMP/cycles"
awk '$1 > 0' "$TMP/cycles" > "$TMP/other"
result "$(cmp -s "$TMP/one" "$TMP/other" && [[ $(lines "$TMP/one") == 240 ]]; echo $?)" 'the trace has the means'
result "$([[ $(sed -nE '/"cycles":0.000/s/.*"ts":([0-9.]+),.*/\1/p' "$TMP/counters" | paste -sd' ') == '1120000000.000 1300000000.000' ]]; echo $?)" \
	'the trace has zeros where latencies begin to lack'
result "$(sed -nE 's/.*"ts":([0-9.]+),.*/\1/p' "$TMP/counters" | sort -nc; echo $?)" 'slices are in the order of time'
result "$(($(grep -c '"ph":"C","pid":2,"name":"MEM_LOAD_RETIRED.L2_HIT p99"' "$TMP/trace") != 242))" 'of its CPU, with p99'
if command -v python3 > /dev/null; then
	run python3 -m json.tool "$TMP/trace" /dev/null
	expect 'the trace of latencies is JSON' 0 '' ''
else
	skip 'the trace of latencies is JSON' 'python3 is not installed'
fi

# The file is as topdown-record(5) says: a reader of our own, which knows no more than that.
cat > "$TMP/read.py" << 'END'
import collections, struct, sys

data = open(sys.argv[1], "rb").read()
sums = collections.defaultdict(lambda: [0, 0, 0, 0, 0, collections.Counter()])
at, sizes = 16, []
while at < len(data):
    kind, size = struct.unpack_from("<II", data, at)
    if kind == 12:
        head, entry_size, nr, nr_bins, begin, end = struct.unpack_from("<IIIIQQ", data, at + 16)
        assert end >= begin and head + nr * entry_size + 8 * nr_bins == size
        sizes.append(size)
        bins = at + 16 + head + nr * entry_size
        for i in range(nr):
            event, subject, flags, mine, *counts, least, most, counted, lost = struct.unpack_from(
                "<IIIIQQQQQIIQQ", data, at + 16 + head + i * entry_size)
            for j, count in enumerate(counts):
                sums[event][j] += count
            for (number,) in struct.iter_unpack("<Q", data[bins:bins + 8 * mine]):
                sums[event][5][number >> 56] += number & (1 << 56) - 1
            bins += 8 * mine
        assert bins == at + 16 + size
    at += 16 + size
for event, (samples, events, total, running, elapsed, bins) in sorted(sums.items()):
    assert sum(bins.values()) == events
    print(samples, events, "%.6f" % (total / events) if events else "null",
          "%.6f" % (running / elapsed) if elapsed else "null")
print("# bytes of blocks", *sizes, file=sys.stderr)
END
fake record --timeout 450 -I 100 --latency all -q -o "$data"
if command -v python3 > /dev/null; then
	sampled
	paste -d' ' <(json samples "$TMP/rows") <(json events "$TMP/rows") <(json mean "$TMP/rows") \
		<(json covered "$TMP/rows") > "$TMP/one"
	python3 "$TMP/read.py" "$data" > "$TMP/other" 2> "$TMP/bytes" && bad=0 || bad=1
	cmp -s "$TMP/one" "$TMP/other" && [[ -s $TMP/one ]] || bad=1
	cat "$TMP/bytes"
	result "$bad" 'the file is as it is described'
	# Six entries; four that have samples, in six bins; and all of them with these bins.
	read -ra bytes < <(sed 's/.*blocks //' "$TMP/bytes")
	result "$([[ ${bytes[0]} == $((32 + 6 * 80)) && ${bytes[1]} == $((32 + 4 * 80 + 6 * 8)) &&
		${bytes[-1]} == $((32 + 6 * 80 + 6 * 8)) ]]; echo $?)" 'blocks of latencies are as large as the format says'
else
	skip 'the file is as it is described' 'python3 is not installed'
fi

# More than a block has room for.
"$BUILD/$variant/made" big "$data"
sampled
result "$([[ $(json samples "$TMP/rows" | paste -sd' ') == '67200 67200' ]]; echo $?)" 'an interval may have two blocks'

# Mistakes that a checksum does not know.
made() { "$BUILD/$variant/made" "wrong-$1" "$data" && run td report "$data"; }
made none
expect 'a block that is right is read' 0 'BR_MISP_RETIRED\.COND_TAKEN_BWD_COST +all +2 +2\.50 ' ''
while read -r wrong why; do
	made "$wrong"
	expect "$wrong is seen as wrong" 1 '' "^topdown: cannot read .*/data: its block [0-9]+ makes no sense: $why$"
done << 'END'
event there is no such event
subject there is no such CPU
bin there is no such bin
more a bin is missing
fewer a bin belongs to nothing
clock its clock goes back
long its parts are not as long as it is
size its parts are not as long as it is
END

# Every byte of a small file.
FAKE_CPUS=1 FAKE_LATENCY_CPUS=1 fake record --timeout 80 -I 100 --latency $two -q -o "$data"
"$BUILD/$variant/damage" "$data" > "$TMP/damage" 2>&1 || true
damaged 12
finish
