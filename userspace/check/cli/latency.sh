#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown latency: what it prints of the stand-in's latencies, and why it refuses.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

two=MEM_INST_RETIRED.SPLIT_LOADS,mem_load_l3_miss_retired.local_dram

run fake latency --list
expect 'the list is printed' 0 '^MEM_INST_RETIRED\.SPLIT_LOADS
MEM_LOAD_L3_MISS_RETIRED\.LOCAL_DRAM
MEM_LOAD_RETIRED\.L2_HIT$' ''
FAKE_REFUSAL=1 run fake latency --list
expect 'a list of nothing says why' 3 '^$' 'samples no latency: no CPU has timed PEBS'
FAKE_REFUSAL=2 run fake latency -I 100 --count 1
expect 'a refusal is explained' 3 '^$' 'samples no latency: the kernel does not read'
FAKE_LATENCY_UNLOADED=1 run fake latency --timeout 100
expect 'the module is not loaded' 3 '^$' "^topdown: cannot open ${NODE}_latency: No such file .*'modprobe topdown_latency'.*/etc/modules-load\.d"
FAKE_LATENCY_UNLOADED=1 run fake latency --list
expect '--list fails without the module' 3 '^$' "'modprobe topdown_latency'"
FAKE_LATENCY_UNLOADED=1 run fake latency -- sh -c 'echo ran'
expect 'a command does not run without the module' 125 '^$' "'modprobe topdown_latency'"
FAKE_LATENCY_OPEN_ERRNO=13 run fake latency --timeout 100
expect 'a missing right to the device is said' 3 '^$' "^topdown: cannot open ${NODE}_latency: Permission denied .*in group 'topdown'"
FAKE_LATENCY_MINOR_OF=other run fake latency --timeout 100
expect 'a device of another driver is refused' 3 '^$' 'No such device .it is not the node of a loaded module topdown_latency'
for error in 1 13; do
	FAKE_LATENCY_READ_ONLY=$error run fake latency --list
	expect "a device for reading only has a list (errno $error)" 0 'L2_HIT' ''
	FAKE_LATENCY_READ_ONLY=$error run fake latency --timeout 100
	expect "a device for reading only has no samples (errno $error)" 1 '^$' 'this user may open the node for reading only'
done
FAKE_CPU_MODEL=143 run fake latency --timeout 100
expect 'a CPU model without known events is said' 3 '^$' 'samples no latency: libtopdown knows no events of this CPU model'
run fake latency --timeout 100 --no-header -e MEM_LOAD_RETIRED.L2_HIT,mem_load_l3_miss_retired.local_dram
expect 'events are found that are not the first of the machine' 0 '^MEM_LOAD_L3_MISS_RETIRED\.LOCAL_DRAM +all +30 +190\.0 .*
MEM_LOAD_RETIRED\.L2_HIT +all +0 ' ''
run fake latency --timeout 100 -e MEM_LOAD_RETIRED.L3_HIT
expect 'an event that the machine lacks is refused' 3 '^$' 'this CPU model has no event MEM_LOAD_RETIRED\.L3_HIT'
run fake latency --timeout 100 --no-header -e all
result "$((status || $(lines "$TMP/out") != 3))" 'all events of the machine are sampled'
run fake latency -e no.such
expect 'an event that nobody has is refused' 2 '^$' "-e: there is no event 'no\.such'"
run fake latency --timeout 100 -j -e raw-0x41d0,0x1d3,0x41d0
expect 'encodings are each sampled once' 0 '^[^}]*"event":"raw-0x41d0","samples":30,.*,"mean":7\.0[^}]*\}
[^}]*"event":"raw-0x1d3","samples":30,.*,"mean":190\.0[^}]*\}$' ''
run fake latency --timeout 100 -j -e RAW-0X41D0,raw-0x1D3,0X41d0
expect 'capital letters are taken, too' 0 '^[^}]*"event":"raw-0x41d0",[^}]*\}
[^}]*"event":"raw-0x1d3",[^}]*\}$' ''
for raw in 0x41d0 RAW-0x41d0; do
	run td record --latency "$raw" --timeout 100 -o "$TMP/none"
	expect "recordings have names: $raw" 2 '^$' "^topdown: --latency: '$raw' is an encoding \(only 'topdown latency -e' takes encodings\)$"
done
FAKE_LATENCY_MORE=1 run fake latency --timeout 100 -A -e "0x3c6:0x12,${two%,*}"
expect 'an encoding with config1 has a row beside a name' 0 '
MEM_INST_RETIRED\.SPLIT_LOADS +all +30 .*
raw-0x3c6:0x12 +all +30 +190\.0 .*
raw-0x3c6:0x12 +1 +20 ' ''
FAKE_CPU_MODEL=143 run fake latency --timeout 100 --no-header -e 0x41d0
expect 'an encoding works on a CPU model without known events' 0 '^raw-0x41d0 +all +30 ' ''
run fake latency --timeout 100 -e 0xee
expect 'an encoding that the driver refuses is said' 3 '^$' "the kernel's driver refuses the event or a part of its encoding"
FAKE_FEATURES=63 run fake latency -e 0x41d0 -j -p $$ --timeout 100
expect 'an encoding works in a process' 0 '"event":"raw-0x41d0","samples":20,' ''
FAKE_FEATURES=63 run fake latency -e "0x41d0,${two%,*}" -p $$ --timeout 100
expect 'encodings of tasks are refused' 2 '^$' '-e: tasks have one latency session, of names or of encodings'
for raw in 0x 0xg1 0x1: 0x1:12 0x1:0x 0x1:0x2:0x3 0x10000000000000000 raw-12 '0x 1' 0x-1; do
	run fake latency -e "$raw" --timeout 100
	expect "$raw is no encoding" 2 '^$' "-e: '$raw' is no encoding .allowed: config or config:config1"
done
run fake latency --timeout 100 -e "$(seq -s, -f '0x%g01' 10 42)"
expect 'too many encodings are refused' 2 '^$' '-e: at most 32 encodings at once'
run fake latency --timeout 100 -e 0x41d0 --save "$TMP/raw"
expect 'a table of encodings is refused' 2 '^$' '--save writes events that have names'
run fake latency --count 1
expect 'a count needs intervals' 2 '^$' '--count needs intervals'
FAKE_LATENCY_ERRNO=95 run fake latency --timeout 100
expect 'a refusal of the driver is said' 3 '^$' "the kernel's driver refuses the event, or none of these CPUs"
FAKE_LATENCY_ERRNO=22 run fake latency --timeout 100 -C 900
expect 'a CPU that cannot be is refused' 2 '^$' '^topdown: -C: CPU 900 is not in this machine .allowed: 0-3.$'
FAKE_LATENCY_ERRNO=22 run fake latency --timeout 100 -C 0
expect 'a CPU that the device refuses is said' 2 '^$' "^topdown: cannot sample through ${NODE}_latency: .*does -C name a CPU"
FAKE_LATENCY_ERRNO=13 run fake latency --timeout 100
expect 'a missing right to sample is said' 3 '^$' "^topdown: cannot sample through ${NODE}_latency: Permission denied
.*CAP_PERFMON"
FAKE_LATENCY_READS=1 run fake latency --timeout 100
expect 'a read that fails names its device' 1 '^$' "^topdown: cannot read latencies through ${NODE}_latency: Input/output error"
run td latency --device "$TMP/none" --timeout 100
expect 'neither module is loaded' 3 '^$' "^topdown: cannot open $TMP/none: No such file .*'modprobe topdown_latency'"

run fake latency --timeout 100 -e $two
expect 'the table is printed' 0 '^elapsed [0-9.]+ s, interval [0-9.]+ s; cycles
event +CPU +samples +mean +dev +min +p50 +p90 +p99 +max +run%
MEM_INST_RETIRED\.SPLIT_LOADS +all +30 +7\.00 +0\.00 +7 +7\.0 +7\.0 +7\.0 +7 +50\.0
MEM_LOAD_L3_MISS_RETIRED\.LOCAL_DRAM +all +30 +190\.0 +137 +100 +99\.5 +400 +400 +400 +50\.0$' ''
FAKE_AWAY=1 run fake latency -A -I 100 --count 2 --no-header -e mem_load_retired.l2_hit,${two%,*}
expect 'each CPU has rows, and says who has the counter' 0 '^MEM_INST.* all +30 .*aside
MEM_INST[^ ]* +0 +10 .*
MEM_INST[^ ]* +1 +20 .*
MEM_LOAD_RETIRED\.L2_HIT +all +0 +- +- +- +- +- +- +- +0\.0 aside
(.*
){4}MEM_INST[^ ]* +1 +20 (.*
?){4}$' ''
# Many events that did not happen have a line together, and a few a row each.
FAKE_LATENCY_MORE=2 FAKE_SAMPLED=4 FAKE_TURNS=9 run fake latency -A --timeout 100 -e all
expect 'events are named that had no sample, or no turn' 0 $'\nwithout a sample: BR_[A-Z_.0-9 \n]*FRONTEND_RETIRED\.L2_MISS\nhad no turn yet: FRONTEND[A-Z_.0-9 \n]*MEM_LOAD_RETIRED\.L2_HIT\n? *MEM_LOAD_RETIRED\.L3_HIT$' ''
result "$((! $(grep -c ' [0-9]*[1-9][0-9]* .* 50\.0$' "$TMP/out") || $(grep -cE ' (all|0|1) +0 ' "$TMP/out")))" \
	'have no row'
result "$(($(sed -n '/^without/,$p' "$TMP/out" | wc -L) > 80))" 'the list of events without a turn has 80 columns'
result "$(($(sed '/^without/,$d' "$TMP/out" | wc -L) > 89))" 'below a table of 89 columns'
FAKE_LATENCY_MORE=2 FAKE_SAMPLED=4 FAKE_TURNS=9 run fake latency -I 100 --count 2 --no-header -e all
result "$((status || $(grep -c '^had no turn yet:' "$TMP/out") != 1 || $(grep -c '^had no turn:' "$TMP/out") != 1))" \
	'a later interval does not know whether there was a turn'
FAKE_LATENCY_MORE=2 FAKE_SAMPLED=4 FAKE_AWAY=1 run fake latency --timeout 100 -e all
result "$(($(grep -c ' all .* aside$' "$TMP/out") < 20))" 'events that were left to perf users have rows'
run fake latency -j --timeout 100 -e ${two#*,}
expect 'JSON has the figures' 0 '^\{"schema":1,"time":[0-9.]+,"interval":[0-9.]+,"row":"all","cpu":null,"event":"MEM_LOAD_L3_MISS_RETIRED\.LOCAL_DRAM","samples":30,"events":30000,"counted_events":33000,"lost_events":0,"mean":190\.000000,"deviation":137\.47[0-9]+,"min":100,"p50":99\.5,"p90":399\.5,"p99":399\.5,"max":400,"covered":0\.500000,"aside":false,"pid":null,"origin":"samples","estimate":null,"cost":null,"over":null\}$' ''
FAKE_LOST=1 run fake latency -A --timeout 100 --no-header -e ${two%,*}
expect 'what was lost' 0 '^MEM_INST[^ ]* +all +30 .* 50\.0 lost 4\.8%
(MEM_INST[^ ]* +[01] .* lost 4\.8%
?){2}$' ''
FAKE_LOST=1 FAKE_AWAY=1 run fake latency -x , --timeout 100 --no-header -e ${two%,*}
expect 'what was lost, in CSV' 0 ',30,30000,33000,1500,7\.0' ''
FAKE_COUNTED=200000000 run fake latency -x , --timeout 100 --no-header -e ${two%,*}
expect 'more events are counted than 32 bits have' 0 ',30,30000,6000000000,0,7\.0' ''
run fake latency -x , -A --timeout 100 -e MEM_LOAD_RETIRED.L2_HIT
expect 'CSV has the figures' 0 '^time,interval,row,cpu,event,samples,events,counted_events,lost_events,mean,deviation,min,p50,p90,p99,max,covered,aside,pid,origin,estimate,cost,over
[0-9.]+,[0-9.]+,all,,MEM_LOAD_RETIRED\.L2_HIT,0,0,0,0,,,,,,,,0\.000000,(0|false),,none,,,
[0-9.]+,[0-9.]+,cpu,0,MEM_LOAD.*
.*,cpu,1,.*$' ''

# Latencies without a sample: published ones, and those of a file.
export FAKE_CPU_MODEL=173
run fake latency --timeout 100 -e mem_load_retired.l2_hit,${two%,*} --default
expect 'published latencies are printed where there is no sample' 0 '^elapsed .*
event .*
MEM_INST_RETIRED\.SPLIT_LOADS +all +30 +7\.00 [^a-z]*
MEM_LOAD_RETIRED\.L2_HIT +all +0 +5\.71 +- +0 +- +- +- +7140 +0\.0 from perfmon$' ''
FAKE_REFUSAL=2 run fake latency --default -x , -e MEM_INST_RETIRED.STLB_MISS_LOADS
expect 'published latencies are printed where nothing is sampled' 0 '
[0-9.]+,0\.0*,all,,MEM_INST_RETIRED\.STLB_MISS_LOADS,0,0,,,136\.370000,,0,,,,65535,,(0|false),,pmu-tools,,,$' \
	'^topdown: this machine samples no latency: the kernel does not read.*CPU model$'
FAKE_REFUSAL=2 run fake latency --default -e MEM_INST_RETIRED.STLB_MISS_LOADS
expect 'the greatest latency fits its column' 0 ' 65k +- from pmu-tools$' 'samples no latency'
FAKE_LATENCY_UNLOADED=1 run fake latency --default -x , -e MEM_INST_RETIRED.STLB_MISS_LOADS
expect 'published latencies are printed where the module is not loaded' 0 'STLB_MISS_LOADS,.*,pmu-tools,,,$' \
	"^topdown: cannot open ${NODE}_latency: .*'modprobe topdown_latency' loads the module, which samples.$"
FAKE_LATENCY_OPEN_ERRNO=13 run fake latency --default
expect '--default says why it cannot ask the module' 3 '^$' "in group 'topdown'"
for option in --cost "--save $TMP/nothing"; do
	# shellcheck disable=SC2086 # an option and its argument
	FAKE_FEATURES=319 FAKE_REFUSAL=2 run fake latency --default $option
	expect "a machine without samples refuses ${option%% *}" 3 '^$' 'samples no latency: .*--default without -p, a command, --cost'
done
FAKE_REFUSAL=1 FAKE_CPU_MODEL=143 run fake latency --default
expect 'nothing is published for Sapphire Rapids' 3 '^$' 'no CPU has timed PEBS.*
topdown: nobody has published latencies of these events for this CPU model$'
printf '# mine\n\nmem_load_retired.l2_hit 14.5 3 - 20\n' > "$TMP/table"
FAKE_REFUSAL=1 run fake latency --table "$TMP/table" --default -e MEM_LOAD_RETIRED.L2_HIT -j
expect 'a table comes first' 0 '"samples":0,"events":0,"counted_events":null,"lost_events":null,"mean":14\.500000,"deviation":null,"min":3,"p50":null,"p90":20\.0,"p99":null,"max":null,"covered":null,"aside":false,"pid":null,"origin":"table","estimate":null,"cost":null,"over":null\}$' 'samples no latency'
FAKE_REFUSAL=1 run fake latency --table "$TMP/table" -e MEM_LOAD_RETIRED.L3_HIT
expect 'a table without the event is refused' 3 '^$' 'no CPU has timed PEBS.*
topdown: the table has no latencies of these events$'
FAKE_REFUSAL=1 run fake latency --table "$TMP/table" --default -e MEM_LOAD_RETIRED.L1_HIT_L1
expect 'a table and --default lack an event that nobody published' 3 '^$' 'the table has no latencies of these events, and nobody has published any'
run fake latency --timeout 100 -e "$two,MEM_LOAD_RETIRED.L2_HIT" --save "$TMP/saved"
expect 'a run that is saved is printed too' 0 'L2_HIT +all +0 +-' ''
result "$(printf '%s\n' '# Retire latencies in cycles, for topdown latency --table.' '# topdown: CPU family 6 model 173 *' \
	'# date 20??-??-?? ??:??:?? UTC' '# event mean min p50 p90 p99 max' '# 30 samples' \
	'MEM_INST_RETIRED.SPLIT_LOADS 7.000000 7 7.0 7.0 7.0 7' '# 30 samples' \
	'MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM 190.000000 100 99.5 399.5 399.5 400' > "$TMP/pattern"
	[[ $(< "$TMP/saved") == $(< "$TMP/pattern") ]]; echo $?)" 'what is saved'
FAKE_REFUSAL=1 run fake latency --table "$TMP/saved"
expect 'what was saved is a table' 0 'LOCAL_DRAM +all +0 +190\.0 +- +100 +99\.5 +400 +400 +400 +- from table$' 'samples no latency'
# table WHY LINE: what is wrong with the second line of a table
table() {
	printf '#\n%b\n' "$2" > "$TMP/wrong"
	run fake latency --table "$TMP/wrong"
	expect "a wrong table is refused: $1: ${2:0:40}" 2 '^$' "--table: .*wrong, line 2: .*$1"
}
hit=MEM_LOAD_RETIRED.L2_HIT
table "no event 'NO.SUCH' \('topdown latency --list'" 'NO.SUCH 1'
table 'mean is missing' "$hit"
for figures in 65536 0x10 1x -1 '1 2 3 4 5 6 7' "1$(printf '%600s' '') x"; do
	table 'not mean min p50 p90' "$hit $figures"
done
for figures in '1 0.5' '1 0 - - - 1.5'; do
	table 'whole numbers' "$hit $figures"
done
for figures in '5 6' '5 - - - - 4' '5 6 - - - 4' '9 - 8 7' '9 - 8 - 7' '9 - - 8 7' '9 8 7' '9 8 - - 7' \
	'9 - - 11 - 10'; do
	table 'not in order' "$hit $figures"
done
table 'a byte is 0' "$hit 1\\00002"
table 'too long' "$hit 1$(printf '%4100s' '')"
run fake latency --table /dev/zero
expect 'a table without an end is refused' 2 '^$' '--table: /dev/zero, line 1: a byte is 0'
run fake latency --table "$TMP"
expect 'a directory is no table' 2 '^$' '--table: .*: Is a directory$'
printf '%s 1\n%s 2' "$hit" "$hit" > "$TMP/wrong"
run fake latency --table "$TMP/wrong"
expect 'two lines of an event are refused' 2 '^$' 'wrong, line 2: there was a line of this event before$'
printf '%s 100 96 90.5 99.5 106 100' "$hit" > "$TMP/bins"
FAKE_REFUSAL=1 run fake latency --table "$TMP/bins"
expect 'a table may have middles of bins, and no end of the line' 0 ' 100\.0 +- +96 +90\.5 +99\.5 +106 +100 ' 'samples no latency'
run fake latency --table "$TMP/bins" --table "$TMP/bins"
expect 'two tables are refused' 2 '^$' '--table: there is one table'
FAKE_CPU_MODEL=174 run fake latency --table "$TMP/saved" --timeout 100
expect 'a table of another model is said' 0 'L2_HIT' '^topdown: --table: .*saved was saved on another CPU model: family 6, model 173; this is family 6, model 174$'
run fake latency --table "$TMP/saved" --timeout 100
expect 'a table of this model is taken' 0 'L2_HIT' ''
printf '# mine\r\n\r\nMEM_LOAD_RETIRED.L2_HIT 14.5 3\r\n' > "$TMP/crlf"
FAKE_REFUSAL=1 run fake latency --table "$TMP/crlf" -j
expect 'a table may have other ends of lines' 0 '"mean":14\.500000,"deviation":null,"min":3,"p50":null' 'samples no latency'
run fake latency --table "$TMP/none"
expect 'a table that is not there is refused' 2 '^$' '--table: cannot open'
result "$([[ $(stat -c %a "$TMP/saved") == 6?? && ! -e $(echo "$TMP"/saved.*) ]]; echo $?)" \
	'a file of the usual rights, and no other'
# save FILE [OPTION]...: a run that is saved to it
save() { run fake latency --timeout 100 --no-header -e "${two%,*}" --save "$@"; }
# No real device: with a mistake, root would replace it.
mkfifo "$TMP/fifo"
for path in /dev/stderr /dev/stdout "$TMP/fifo" "$TMP"; do
	save "$path"
	expect "--save refuses $path" 2 '^$' '--save: .* is no regular file, or output goes there .allowed: '
done
save ''
expect '--save needs a name' 2 '^$' '--save: the file name is empty'
for path in "$TMP/no/file" "$TMP/saved/file"; do
	save "$path"
	expect "a file that cannot be written is refused before the run: '$path'" 1 '^$' '--save: cannot write'
done
save "$TMP/no/file" -- sh -c 'echo ran >&2'
expect '--save to a bad file runs no command' 125 '^$' '--save: cannot write .*no/file: No such file or directory$'
ln -s nothing "$TMP/dangling"
save "$TMP/dangling"
expect '--save does not follow a link to nothing' 1 '^$' '--save: cannot write .*: No such file'
ln -s saved "$TMP/link"
chmod 640 "$TMP/saved"
((EUID)) || chown 65533:65534 "$TMP/saved"
owner=$(stat -c %u:%g "$TMP/saved")
save "$TMP/link"
result "$([[ -L $TMP/link && $(stat -c %a:%u:%g "$TMP/saved") == 640:$owner && $(grep -vc '^#' "$TMP/saved") == 1 &&
	! -e $(echo "$TMP"/saved.*) && ! -e $(echo "$TMP"/link.*) ]]; echo $?)" \
	'the file that a link names is replaced, and keeps its owner and its rights'
cp "$TMP/saved" "$TMP/before"
save "$TMP/saved" -e MEM_LOAD_RETIRED.L2_HIT -C 0
result "$((status != 0))" 'some event had samples'
run fake latency --timeout 100 --no-header -e MEM_LOAD_RETIRED.L2_HIT --save "$TMP/saved"
expect 'no event had a sample' 1 'L2_HIT' '--save: no event had a sample, so nothing is written to .*saved$'
result "$(grep -q SPLIT_LOADS "$TMP/saved"; echo $?)" 'an empty table replaces none'
cp "$TMP/before" "$TMP/saved"
FAKE_LATENCY_READS=1 save "$TMP/saved"
expect 'a read that fails is said' 1 '^$' 'cannot read latencies through .*
.*--save: no event had a sample'
result "$(cmp -s "$TMP/before" "$TMP/saved"; echo $?)" 'leaves the table as it was'
FAKE_LATENCY_READS=2 save "$TMP/saved" -I 100 --timeout 1000
result "$([[ $status == 1 ]] && grep -q 'SPLIT_LOADS 7' "$TMP/saved"; echo $?)" \
	'what was measured before is saved'
unset FAKE_CPU_MODEL

export FAKE_FEATURES=63
# Tasks: the records of one session, and the exit code of the command.
run fake latency -p $$ --timeout 100 -e ${two%,*}
expect 'a process has its rows' 0 '^elapsed [^;]*; cycles
event +pid +samples .*
MEM_INST_RETIRED\.SPLIT_LOADS +'$$' +20 +7\.00 .*50\.0
' ''
run fake latency -p $$ --timeout 100 --no-header -e ${two%,*}
expect 'nobody knows what it lost' 0 '^MEM[^;]* 50\.0
lost samples are not counted$' ''
FAKE_LATENCY_MORE=2 FAKE_SAMPLED=1 FAKE_TURNS=2 run fake latency -p $$ --timeout 100 -e all
result "$((status || $(grep -cE ' +0 +- ' "$TMP/out")))" 'events of tasks without a sample have no rows'
FAKE_LATENCY_MORE=2 FAKE_SAMPLED=1 FAKE_TURNS=2 run fake latency -p $PPID,$$ --timeout 100 -e all
expect 'events without a sample are named for each task' 0 $'\n'"$PPID"$' without a sample: [A-Z_.]*\n'"$PPID"$' had no turn yet: [^:]*\n'"$$"$' without a sample: [A-Z_.]*\n'"$$"' had no turn yet: ' ''
run fake latency -p $$ -j -e ${two%,*} -- sh -c 'sleep 0.2; exit 7'
expect 'a process is sampled while a command runs' 7 '^$' '^\{[^}]*"interval":0\.[2-9][^}]*"row":"process",[^}]*"samples":20,[^}]*"pid":'$$',[^}]*\}$'
FAKE_ATTACH_ERRNO=3 run fake latency -p $$ --timeout 100
expect 'a thread or no process is refused' 1 '^$' "process $$ .*: No such process \(it has ended; or it is a thread, which 'topdown stat -t' follows\)$"
run fake latency -j -e ${two%,*} -- sh -c 'exit 7'
expect 'a command has its rows' 7 '^$' '^\{"schema":1,.*"row":"process","cpu":null,"event":"MEM_INST_RETIRED\.SPLIT_LOADS","samples":20,.*"pid":[0-9]+,.*\}$'
FAKE_REFUSAL=1 run fake latency -- sh -c 'echo ran'
expect 'no command runs where nothing is sampled' 125 '^$' 'samples no latency'
FAKE_LATENCY_ERRNO=95 run fake latency -- sh -c 'echo ran'
expect 'a command that is not sampled is not executed' 125 '^$' "the kernel's driver refuses the event"
for error in 12 22; do
	FAKE_LATENCY_ERRNO=$error run fake latency -- sh -c 'echo ran'
	expect "a command does not run after error $error, which has no advice about CPUs" 125 '^$' '^[^(]*\(the kernel log may say more\)$'
done
FAKE_SESSION_ERRNO=5 FAKE_FEATURES=319 run fake latency --cost -- sh -c 'echo ran'
expect 'a command does not run without its figures' 125 '^$' 'cannot read the followed tasks'
run fake latency "$TMP/none"
expect 'a command that is not there gives 127' 127 '^$' "^topdown: cannot run '$TMP/none': No such file"
run fake latency "$TMP"
expect 'a command that cannot be executed gives 126' 126 '^$' "^topdown: cannot run '$TMP': Permission denied$"
# Costs: 100 ms of CPU 0 and 1 are 30000 events that have samples and 33000 that were counted, in half of the time.
export FAKE_FEATURES=319
# timeout sends it to the process group, as a terminal does for Ctrl-C
FAKE_DELAY=800 FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD run timeout --preserve-status -s INT 0.5 \
	"$TOPDOWN" latency --device "$NODE" -a --cost -e "${two%,*}" -- sleep 3
expect 'a signal before the program is executed is for the program' 130 '^$' 'SPLIT_LOADS'
run fake latency --cost -e "${two%,*}" -j --timeout 100
expect 'an event has its cost' 0 '"samples":30,"events":30000,"counted_events":33000,.*"estimate":66000,"cost":0\.[0-9]+,"over":null\}$' ''
mean=$(sed -nE 's/.*"cost":([0-9.]+).*/\1/p' <<< "$out")
FAKE_LATENCY_MORE=1 run fake latency --cost -e "FRONTEND_RETIRED.L1I_MISS,FRONTEND_RETIRED.L2_MISS,MEM_INST_RETIRED.SPLIT_STORES" -A -j --timeout 100
# costs: EVENT CPU COST OVER of each line
costs() {
	sed -nE 's/.*"cpu":([^,]*),.*"event":"([^"]*)","samples":([0-9]+),.*"origin":"([a-z]+)".*"cost":([0-9.]+),"over":([a-z]+)\}$/\2 \1 \5 \3 \4 \6/p'
}
result "$(costs <<< "$out" | awk '
	function near(a, b) { return a - b < 2e-6 && b - a < 2e-6 }
	{ cost[$1, $2] = $3 }
	/^tma_/ { nodes += $4 == 0 && $5 == "cost" && $6 ~ /^(true|false)$/ }
	END {
		first = cost["FRONTEND_RETIRED.L1I_MISS", 0]
		second = cost["FRONTEND_RETIRED.L2_MISS", 0]
		exit !(nodes == 9 && first > second && second > 0 &&
			near(cost["tma_code_l2_miss", "null"], cost["FRONTEND_RETIRED.L2_MISS", "null"]) &&
			near(cost["tma_code_l2_hit", 0], first - second) &&
			near(cost["tma_split_stores", 0] * 190, cost["MEM_INST_RETIRED.SPLIT_STORES", 0]))
	}'; echo $?)" 'nodes: less another event, and with a cap'
result "$(grep '"event":"tma_' <<< "$out" | grep -vc '"covered":null,"aside":null,"pid":null,"origin":"cost"')" \
	'nodes have no samples'
code=FRONTEND_RETIRED.L1I_MISS,FRONTEND_RETIRED.L2_MISS
export FAKE_LATENCY_MORE=1
run fake latency --cost -e "$code" --timeout 100
result "$(sed 1d "$TMP/out" | awk '
	NR == 1 { end = length(); cost = index($0, "cost%") }
	NR > 1 { sub(/\*$/, ""); wrong += length() != end - 1 || substr($0, cost - 1) !~ /^ +[0-9.]+$/ }
	/^tma_/ { nodes++; wrong += NF != 13 || $3 $4 $12 != "---" }
	END { exit !(nodes == 2 && !wrong) }'; echo $?)" 'nodes are in the columns of events'
FAKE_LATENCY_MORE=2 FAKE_SAMPLED=12 FAKE_TURNS=14 run fake latency -A --cost --timeout 100 -e all
result "$((status || $(sed '/^without/,$d' "$TMP/out" | wc -L) > 100))" 'costs have 100 columns'
result "$((status || $(grep -cE '^([A-Z].* (all|0|1) +0 +-|tma_split_stores )' "$TMP/out")))" 'events without a sample and their nodes have no rows'
expect 'events without a sample are named, and nodes by themselves' 0 $'\nwithout a sample: [A-Z_.0-9 \n]*\nhad no turn yet: [A-Z_.0-9 \n]*\nno value: tma_[a-z_0-9 \n]*$' ''
FAKE_LATENCY_MORE=2 run fake latency -A --cost --timeout 100 -e "MEM_LOAD_L3_MISS_RETIRED.REMOTE_HITM,${two%,*}"
result "$(awk '
	/^event/ { heading = index($0, "CPU"); end = length() }
	/^MEM/ { longest += length($1) == 36; wrong += substr($0, heading, 3) !~ /^(all|  [01])$/ || length() != end - 1 }
	END { exit !(longest == 3 && !wrong) }' "$TMP/out"; echo $?)" 'the longest names leave the columns whole'
for statistic in mean max; do
	FAKE_FEATURES=319 run fake latency --cost -e "$code" -j --timeout 100 --statistic "$statistic"
	result "$([[ $(sed -nE 's/.*"tma_.*"over":([a-z]+)\}$/\1/p' <<< "$out" | sort -u) == \
		$([[ $statistic == mean ]] && echo false || echo null) ]]; echo $?)" "nodes are judged by the $statistic"
done
unset FAKE_LATENCY_MORE
FAKE_LATENCY_CPUS=3 FAKE_NO_TURN=1 run fake latency --cost --statistic max -e "${two%,*}" -A -j --timeout 100
result "$(sed -nE 's/.*"cpu":([^,]*),.*"estimate":([^,]*),"cost":([^,]*),.*/\1 \2 \3/p' <<< "$out" | awk '
	{ estimate[$1] = $2; cost[$1] = $3 }
	END {
		first = 7 * estimate[0]
		last = 9 * estimate[2]
		all = (first + last) / (first / cost[0] + last / cost[2])
		exit !(NR == 4 && estimate[1] == "null" && cost[1] == "null" &&
			estimate["null"] == estimate[0] + estimate[2] && estimate[0] == 22000 &&
			cost["null"] / all < 1.005 && cost["null"] / all > 0.995)
	}'; echo $?)" 'a CPU without an estimate is left out of the sum'
# CPU 1 had 22000 events and no sample, so they cost as much as the 11000 and 33000 of the others.
FAKE_LATENCY_CPUS=3 FAKE_NO_SAMPLE=1 run fake latency --cost -e "${two%,*}" -A -j --timeout 100
result "$(sed -nE 's/.*"cpu":([^,]*),.*"estimate":([^,]*),"cost":([^,]*),.*/\1 \2 \3/p' <<< "$out" | awk '
	{ estimate[$1] = $2; cost[$1] = $3 }
	END {
		cycles = 7 * estimate[0] / cost[0] + 9 * estimate[2] / cost[2]
		mean = (7 * estimate[0] + 9 * estimate[2]) / (estimate[0] + estimate[2])
		# CPU 1 has 99% of the cycles of CPU 0, and CPU 2 98%.
		all = mean * estimate["null"] / (cycles * 1.5)
		exit !(NR == 4 && estimate[1] == 44000 && cost[1] == "null" &&
			estimate["null"] == 132000 && cost["null"] / all < 1.01 && cost["null"] / all > 0.99)
	}'; echo $?)" 'events without a sample cost as much as others'
FAKE_CPUS=1 run fake latency --cost -e "${two%,*}" -A -j --timeout 100
result "$([[ $(sed -nE 's/.*"estimate":([^,]*),.*/\1/p' <<< "$out" | xargs) == '22000 22000 44000' ]]
	echo $?)" 'a CPU whose cycles are not known has its estimate'
run fake latency --cost --statistic p90 -e "${two#*,}" -x , --no-header --timeout 100
expect 'another statistic decides the cost' 0 ',66000,0\.[0-9]+,$' ''
result "$(awk -F, -v mean="$mean" '{ ratio = $(NF - 1) / mean; exit !(ratio > 50 && ratio < 64) }' \
	<<< "$out"; echo $?)" 'its cost'
run fake latency --cost -e "${two%,*}" -- sleep 0.1
expect 'an event has its cost in a command' 0 '^$' 'run% count cost%
.* +20 +7\.00 .* +40000 +[0-9.]+
lost samples are not counted$'
# tasks_cost: ESTIMATE COST of a process, with what the environment says of it
tasks_cost() {
	run fake latency --cost -e "${two%,*}" -j -p $$ --timeout 100
	sed -nE 's/.*"estimate":([^,]*),"cost":([^,]*),.*/\1 \2/p' <<< "$out"
}
read -r estimate cost < <(tasks_cost)
result "$(FAKE_MERGED=50 tasks_cost | awk -v e="$estimate" -v c="$cost" '
	{ exit !($1 == e && $2 / c > 0.49 && $2 / c < 0.51) }'; echo $?)" 'cycles of merged time'
result "$([[ $(FAKE_MERGED=96 tasks_cost) == '40000 null' ]]; echo $?)" 'little was measured'
result "$(FAKE_HYBRID=1 FAKE_SESSION_STEPS=4 tasks_cost | awk -v e="$estimate" -v c="$cost" '
	{ exit !($1 == e / 2 && $2 / c > 0.24 && $2 / c < 0.26) }'; echo $?)" 'the time on E-cores is left out'
result "$([[ $(FAKE_LATENCY_MISSED=1 tasks_cost) == 'null null' ]]; echo $?)" \
	'tasks that ended before they were sampled'
FAKE_UNTOUCHED=1 run fake latency --cost -C 0 -e "${two%,*}" --timeout 100
expect 'costs of some CPUs read no other' 0 ' all +10 .* 22000 +[0-9.]+$' ''
FAKE_FEATURES=63 run fake latency --cost --timeout 100
expect '--cost needs cycles' 3 '^$' 'the module counts no cycles'
run fake latency --statistic p50 --timeout 100
expect '--statistic needs --cost' 2 '^$' '--statistic is for --cost'
run fake latency --cost --statistic mode
expect 'an unknown statistic is refused' 2 '^$' "'mode' is no statistic"

# CPUs while a command runs, as of topdown stat.
for cpus in -a '-C 0,1'; do
	# shellcheck disable=SC2086 # an option and its argument
	run fake latency $cpus -A -j -e "${two%,*}" -- sh -c 'exit 7'
	expect "$cpus samples while a command runs" 7 '^$' '^\{[^}]*"row":"all","cpu":null,[^}]*"samples":30,[^}]*"pid":null,[^}]*\}
\{[^}]*"row":"cpu","cpu":0,[^}]*\}
\{[^}]*"row":"cpu","cpu":1,[^}]*\}$'
done
run fake latency -a -I 100 -j -e "${two%,*}" -- sleep 0.25
expect 'CPUs have intervals until the command ends' 0 '^$' '("row":"all".*){3}'
FAKE_FEATURES=319 run fake latency -a --cost -e "${two%,*}" true
expect 'CPUs have costs while a command runs' 0 '^$' ' all +30 .* 66000 +[0-9.]+$'
FAKE_LATENCY_ERRNO=95 run fake latency -a -- sh -c 'echo ran'
expect 'no command runs if the CPUs are not sampled' 125 '^$' "the kernel's driver refuses the event"
run fake latency -a "$TMP/none"
expect '-a gives 127 for a command that is not there' 127 '^$' "cannot run '$TMP/none'"
for signal in INT TERM; do
	: > "$TMP/err"
	FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD env --default-signal=INT "$TOPDOWN" latency \
		--device "$NODE" -a -e "${two%,*}" -j -o "$TMP/rows" -- sh -c 'echo up >&2; exec sleep 20' \
		> "$TMP/out" 2> "$TMP/err" &
	ours=$!
	await grep -q up "$TMP/err"
	kill "-$signal" "$ours"
	status=0
	wait "$ours" || status=$?
	result "$([[ $status == $((128 + $(kill -l $signal))) && $(lines "$TMP/rows") == 1 ]]; echo $?)" \
		"SIG$signal is handed on to a command beside CPUs"
done

# The output, as of topdown stat.
run fake latency -e "${two%,*}" -x , -o "$TMP/rows" -- echo mine
expect 'standard output is that of the command' 0 '^mine$' ''
run fake latency -e "${two%,*}" -x , -o "$TMP/rows" --append --timeout 100
result "$((status || $(lines "$TMP/rows") != 3 || $(grep -c ^time "$TMP/rows") != 1))" \
	'rows after those of an earlier run, with one heading'
FAKE_LATENCY_ERRNO=95 run fake latency -o "$TMP/rows" --timeout 100
result "$((status != 3 || $(lines "$TMP/rows") != 3))" 'a run that cannot sample keeps the file'
run fake latency -e "${two%,*}" -x , -o "$TMP/rows" --timeout 100
result "$((status || $(lines "$TMP/rows") != 2))" 'another run replaces them'
FAKE_REFUSAL=1 FAKE_CPU_MODEL=173 run fake latency --default -o "$TMP/rows" -e MEM_LOAD_RETIRED.L2_HIT
result "$(grep -q 'from perfmon' "$TMP/rows"; echo $?)" 'known latencies in a file'
run fake latency -e "${two%,*}" -o "$TMP/rows" --save "$TMP/rows" --timeout 100
expect 'rows and a table are refused in one file' 2 '^$' '--save: .*/rows is no regular file, or output goes there'
run fake latency -o "$TMP/no/file" -- echo ran
expect 'a file that cannot be opened is refused' 125 '^$' 'cannot open .*no/file for writing'
run fake latency -o ''
expect '-o needs a name' 2 '^$' '-o: the file name is empty'
run fake latency --append
expect '--append needs a file' 2 '^$' '--append needs the file to write after'

run fake latency --list -j
expect 'the list is refused in another form' 2 '^$' '--list prints the events and nothing else'
run fake latency -e "${two%,*}" --list -- true
expect 'the list is refused with a command' 2 '^$' '--list prints the events and nothing else'
run fake latency --statistic mean --timeout 100
expect 'the mean of nothing is refused' 2 '^$' '--statistic is for --cost'
for error in '3 the tasks have ended' '16 sampled by another latency session' '28 at most 4096 latency sessions'; do
	FAKE_LATENCY_ERRNO=${error%% *} run fake latency -p $$ --timeout 100
	expect "error ${error%% *} is explained" 1 '^$' "cannot sample through .*${error#* }"
done

run fake latency -a -C 0
expect 'all CPUs and some are refused' 2 '^$' '-a and -C exclude each other \(allowed: one of them\)'
for cpus in -a '-C 0' -A; do
	# shellcheck disable=SC2086 # an option and its argument
	run fake latency $cpus -p $$
	expect "$cpus and a process are refused" 2 '^$' '-a, -C and -A are about CPUs and exclude -p'
done
run fake latency -A true
expect 'each CPU of a command is refused' 2 '^$' '-A is about CPUs \(with a command add -a or -C'
run fake latency -a --
expect 'no command after -- is refused' 2 '^$' "'--' without a command"
finish
