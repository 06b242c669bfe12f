#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown latency: what it prints of the stand-in's latencies, and why it refuses.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

export FAKE_FEATURES=1024
two=MEM_INST_RETIRED.SPLIT_LOADS,mem_load_l3_miss_retired.local_dram

run fake latency --list
expect 'the list' 0 '^MEM_INST_RETIRED\.SPLIT_LOADS
MEM_LOAD_L3_MISS_RETIRED\.LOCAL_DRAM
MEM_LOAD_RETIRED\.L2_HIT$' ''
FAKE_REFUSAL=1 run fake latency --list
expect 'a list of nothing' 3 '^$' 'samples no latency: no CPU has timed PEBS'
FAKE_REFUSAL=2 run fake latency -I 100 --count 1
expect 'a refusal' 3 '^$' 'samples no latency: the kernel does not read'
FAKE_FEATURES=7 run fake latency --timeout 100
expect 'an old module' 3 '^$' 'the loaded module is older'
run fake latency --timeout 100 -e MEM_LOAD_RETIRED.L3_HIT
expect 'an event that the machine lacks' 3 '^$' 'this CPU model has no event MEM_LOAD_RETIRED\.L3_HIT'
run fake latency -e no.such
expect 'an event that nobody has' 2 '^$' "-e: there is no event 'no\.such'"
run fake latency --count 1
expect 'a count without intervals' 2 '^$' '--count needs intervals'
FAKE_LATENCY_ERRNO=95 run fake latency --timeout 100
expect 'the driver refuses' 3 '^$' "the kernel's driver refuses the event"
FAKE_LATENCY_ERRNO=22 run fake latency --timeout 100 -C 900
expect 'a CPU that cannot be' 2 '^$' 'does -C name a CPU'

run fake latency --timeout 100 -e $two
expect 'the table' 0 '^elapsed 0\.1[0-9]+ s, interval 0\.1[0-9]+ s; cycles
event +CPU +samples +mean +dev +min +p50 +p90 +p99 +max +run%
MEM_INST_RETIRED\.SPLIT_LOADS +all +30 +7\.00 +0\.00 +7 +7\.0 +7\.0 +7\.0 +7 +50\.0
MEM_LOAD_L3_MISS_RETIRED\.LOCAL_DRAM +all +30 +190\.00 +137\.48 +100 +99\.5 +399\.5 +399\.5 +400 +50\.0$' ''
FAKE_AWAY=1 run fake latency -A -I 100 --count 2 --no-header -e mem_load_retired.l2_hit,${two%,*}
expect 'each CPU, perf users, and no sample' 0 '^MEM_INST.* all +30 .*aside
MEM_INST[^ ]* +0 +10 .*
MEM_INST[^ ]* +1 +20 .*
MEM_LOAD_RETIRED\.L2_HIT +all +0 +- +- +- +- +- +- +- +0\.0 aside
(.*
){4}MEM_INST[^ ]* +1 +20 (.*
?){4}$' ''
run fake latency -j --timeout 100 -e ${two#*,}
expect 'JSON' 0 '^\{"schema":1,"time":[0-9.]+,"interval":0\.1[0-9]*,"row":"all","cpu":null,"pid":null,"event":"MEM_LOAD_L3_MISS_RETIRED\.LOCAL_DRAM","samples":30,"events":30000,"mean":190\.000000,"deviation":137\.47[0-9]+,"min":100,"p50":99\.5,"p90":399\.5,"p99":399\.5,"max":400,"covered":0\.500000,"aside":false\}$' ''
run fake latency -x , -A --timeout 100 -e MEM_LOAD_RETIRED.L2_HIT
expect 'CSV' 0 '^time,interval,row,cpu,pid,event,samples,events,mean,deviation,min,p50,p90,p99,max,covered,aside
[0-9.]+,0\.1[0-9]*,all,,,MEM_LOAD_RETIRED\.L2_HIT,0,0,,,,,,,,0\.000000,(0|false)
[0-9.]+,0\.1[0-9]*,cpu,0,,MEM_LOAD.*
.*,cpu,1,,.*$' ''

export FAKE_FEATURES=1087
# Tasks: the records of one session, and the exit code of the command.
run fake latency -p $$ --timeout 100 -e ${two%,*}
expect 'a process' 0 '^elapsed .*
event +pid +samples .*
MEM_INST_RETIRED\.SPLIT_LOADS +'$$' +20 +7\.00 .*50\.0$' ''
run fake latency -j -e ${two%,*} -- sh -c 'exit 7'
expect 'a command' 7 '^\{"schema":1,.*"row":"process","cpu":null,"pid":[0-9]+,"event":"MEM_INST_RETIRED\.SPLIT_LOADS","samples":20,.*\}$' ''
FAKE_REFUSAL=1 run fake latency -- sh -c 'echo ran'
expect 'no command where nothing is sampled' 125 '^$' 'samples no latency'
FAKE_LATENCY_ERRNO=95 run fake latency -- sh -c 'echo ran'
expect 'a command that is not sampled' 125 '^ran$' "the kernel's driver refuses the event"
run fake latency -p $$ true
expect 'a process and a command' 2 '^$' '-p and a command cannot be combined'
run fake latency -C 0 true
expect 'a command on CPUs' 2 '^$' '-C is for CPUs, and not for tasks'
finish
