#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown watch: what it asks the device for, and what it prints of events.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

export FAKE_FEATURES=63 FAKE_EVENT=2 FAKE_LOG=$TMP/log
# asked ARG...: how the device was asked, a line for each watch
asked() {
	rm -f "$TMP/log"
	run fake watch --count 1 "$@"
	[[ -s $TMP/log ]] || : > "$TMP/log"
}
# asks NAME LINES ARG...
asks() {
	local name=$1 want=$2
	shift 2
	asked "$@"
	[[ $(grep '^watch' "$TMP/log") == "$want" ]] || sed 's/^/# /' "$TMP/log"
	result "$([[ $status == 0 && $(grep '^watch' "$TMP/log") == "$want" ]]; echo $?)" "$name"
}

asks 'a threshold' 'watch 0 600000000 0x0 0 0' 'tma_retiring>60'
asks 'without tma_, below, and digits after the point' 'watch 10 12500000 0x1 0 0' 'memory_bound<1.25'
asks 'the least and the most' $'watch 0 0 0x0 0 0\nwatch 0 1000000000 0x1 0 0' 'retiring>0' 'retiring<100.0'
asks 'all options' 'watch 3 300000000 0x6 10000 500' -s -b --hold 10s --min-slots 500 'backend_bound>30'
asks 'any window' 'watch 4294967295 0 0x0 0 0'
# The stand-in always has an event, and the end comes nevertheless.
run fake watch --timeout 100ms 'retiring>1'
result "$((status || $(lines "$TMP/out") < 10))" "events that come faster than they are printed do not hide the end"
began=$SECONDS
run fake watch --timeout 100ms --count 1000000000 'retiring>1'
# timeout(1), which ends the command after 20 s, has this status too.
result "$((status != 124 || SECONDS - began > 15))" 'events that come fast do not hide that there were too few'
asks 'any window of a size' 'watch 4294967295 0 0x0 0 7' --min-slots 7

run fake watch --count 2 'retiring>12.5' 'memory_bound<1'
expect 'the table is printed' 0 '^time +CPU event +times +% of
[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3} +2 beyond +3 +25\.0 tma_memory_bound<1
[0-9:.]+ +2 beyond +3 +25\.0 tma_memory_bound<1$' ''
FAKE_EVENT_FLAGS=1 FAKE_EVENT=4294967295 run fake watch --count 1 --no-header -s -b 'retiring>12.5'
expect 'an event of the sum is back, without headings' 0 '^[0-9:.]+ +all back +3 +25\.0 tma_retiring>12\.5$' ''
FAKE_EVENT_NONE=1 run fake watch --count 1 --no-header
expect 'a window is printed' 0 '^[0-9:.]+ +2 closed +3 +- window$' ''
FAKE_EVENT_FLAGS=1 run fake watch --count 1 -j -b 'retiring<12.5'
expect '-j prints JSON' 0 '^\{"schema":1,"time":[0-9.]+,"row":"event","cpu":2,"watch":1,"watched":"tma_retiring","threshold":0\.125000000,"below":true,"back":true,"value":0\.250000000,"count":3\}$' ''
FAKE_EVENT=4294967295 run fake watch --count 1 -x , -s 'retiring>12.5'
expect '-x prints CSV' 0 '^time,row,cpu,watch,watched,threshold,below,back,value,count
[0-9.]+,event,,1,tma_retiring,0\.125000000,0,0,0\.250000000,3$' ''
FAKE_EVENT_NONE=1 run fake watch --count 2 -x ';' --no-header
expect '-x prints CSV of windows' 0 '^[0-9.]+;event;2;1;window;;0;0;;3
[0-9.]+;event;2;1;window;;0;0;;3$' ''

# How it ends.
unset FAKE_EVENT
run fake watch --timeout 30 'retiring>60'
expect '--timeout ends it' 0 '^$' ''
run fake watch --timeout 30 --count 1 'retiring>60'
expect '--timeout comes before --count' 124 '^$' ''
# signalled SIGNAL ARG...: sent while it waits
signalled() {
	local signal=$1
	shift
	rm -f "$TMP/log"
	FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD env --default-signal=INT "$TOPDOWN" watch \
		--device "$NODE" "$@" > "$TMP/out" 2> "$TMP/err" &
	pid=$!
	await test -s "$TMP/log" || true
	kill "-$signal" "$pid"
	status=0
	wait "$pid" || status=$?
	out=$(< "$TMP/out") err=$(< "$TMP/err")
}
signalled INT 'retiring>60'
expect 'Ctrl-C ends it' 0 '^$' ''
signalled INT --count 3 'retiring>60'
expect 'Ctrl-C ends --count' 130 '^$' ''
signalled TERM 'retiring>60'
expect 'SIGTERM ends it' 143 '^$' ''
export FAKE_EVENT=2
status=0
fake watch 'retiring>60' > /dev/full 2> "$TMP/err" || status=$?
result "$((status != 1))" 'no room for events is an error'
status=$(set +o pipefail; { fake watch -j 'retiring>60'; echo $? >&3; } 3> "$TMP/status" | head -n 1 > /dev/null; cat "$TMP/status")
result "$((status != 141))" "a reader that leaves ($status)"

# Conditions and options that are refused.
for bad in retiring 'retiring=3' 'retiring>' 'retiring>101' 'retiring>100.1' 'retiring>-1' 'retiring>1.' \
	'retiring>1.2x' 'retiring>0x1' '>3' 'retiring>0.12345678'; do
	run fake watch "$bad"
	expect "threshold '$bad' is refused" 2 '' "^topdown: '$bad'"
done
run fake watch 'nonsense>3'
expect 'a node that there is not is refused' 2 '' "there is no node 'nonsense'"
# word:node, what people type and what they mean.
for pair in mem:tma_memory_bound tma_memmory_bound:tma_memory_bound backend:tma_backend_bound \
	retirring:tma_retiring fetch_lat:tma_fetch_latency; do
	run fake watch "${pair%:*}>50"
	expect "watch ${pair%:*} has a hint" 2 '' "there is no node '${pair%:*}'; did you mean ${pair#*:}\?$"
done
run fake watch 'xyz>50'
expect 'a word that no node is like is refused' 2 '' "there is no node 'xyz' \(allowed: 'topdown help nodes' lists them\)$"
run td help memory
expect 'help for part of a name has a hint' 2 '' "there is no command 'memory'; for the node: topdown help tma_memory_bound$"
for bad in -s -b '--hold 1s'; do
	# shellcheck disable=SC2086
	run fake watch $bad
	expect "$bad needs a threshold" 2 '' '--sum, --back and --hold need a threshold'
done
run fake watch -j -x , 'retiring>3'
expect '-j with -x is refused' 2 '' '-j and -x exclude each other'
for bad in '--hold 3600001' '--min-slots 0' '--count 0' '--timeout 9' '-x ab' '-C 3-1' "--device ''" --hol; do
	eval "run fake watch $bad 'retiring\>3'"
	expect "$bad" 2 '' '^topdown: '
done
readarray -t many < <(seq -f 'retiring>%g' 1 0.25 65.5)
run fake watch "${many[@]}"
expect 'too many are refused' 2 '' 'is one threshold too many \(allowed: 256\)'
for error in 95:3:'no CPU of this machine has it' 22:2:'does -C name a CPU' 28:1:'at most 64 watches' \
	13:3:'cannot read the CPUs'; do
	IFS=: read -r errno code text <<< "$error"
	FAKE_WATCH_ERRNO=$errno run fake watch --count 1 'retiring>3'
	expect "error $errno is explained" "$code" '' "$text"
done
run fake watch -C 500 'retiring>3'
expect 'a CPU that does not exist is refused' 2 '' '-C: CPU 500 .*\(allowed: 0-'
FAKE_FEATURES=7 run fake watch 'retiring>3'
expect 'a module without watches is said' 3 '' 'the loaded module is too old'
finish
