#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown stat -p and -t: who is followed, until when, and what is said of it.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

export FAKE_FEATURES=63
pids=()
trap 'kill "${pids[@]}" 2> /dev/null; rm -rf "$TMP"' EXIT

# sleeper SECONDS [NAME]: $pid of a process that sleeps so long
sleeper() {
	sleep "$1" &
	pid=$!
	pids+=("$pid")
	# Until it is the program that is meant.
	until [[ $(< "/proc/$pid/comm") == sleep ]]; do sleep 0.01; done
}

# end_when_followed PID...: end the processes one after the other, once all of them
# are followed
end_when_followed() {
	local id

	for id; do
		await grep -qs "^attach $id " "$TMP/log"
	done
	for id; do
		sleep 0.2
		echo "$id" >> "$TMP/killed"
		kill "$id"
	done
}

# waited LENGTH PID...: it was until all of these had been ended, and not much longer
waited() {
	local length=$1
	shift

	[[ $(< "$TMP/killed") == "$(printf '%s\n' "$@")" ]] && holds "$length < 10"
}

# A process with threads, one of them with a name that hurts.
cat > "$TMP/threads.c" <<- 'END'
	#define _GNU_SOURCE
	#include <pthread.h>
	#include <stdio.h>
	#include <unistd.h>

	static void *nap(void *name)
	{
		pthread_setname_np(pthread_self(), name);
		pause();
		return NULL;
	}

	int main(void)
	{
		pthread_t thread;

		pthread_create(&thread, NULL, nap, "a,\"b\"\n\033");
		pthread_create(&thread, NULL, nap, "second");
		usleep(100000);
		puts("ready");
		fflush(stdout);
		pause();
		return 0;
	}
END
${CC:-gcc} -o "$TMP/threads" "$TMP/threads.c" -lpthread
"$TMP/threads" > "$TMP/ready" &
threads=$!
pids+=("$threads")
until [[ -s $TMP/ready ]]; do sleep 0.02; done
mapfile -t tids < <(ls "/proc/$threads/task")

# Until they exit, quietly.
for rights in 0 13; do
	export FAKE_WATCH_ERRNO=$rights
	sleeper 60
	rm -f "$TMP/log" "$TMP/killed"
	end_when_followed "$pid" &
	FAKE_LOG=$TMP/log run fake stat -j -p "$pid"
	expect "-p ends with the process, poll error $rights" 0 \
		"\"pid\":$pid,\"tid\":null,\"comm\":\"sleep\",\"state\":\"exited\"" ''
	result "$(($(lines "$TMP/out") != 1))" 'it prints one line'
	length=$(json interval "$TMP/out")
	result "$(waited "$length" "$pid"; echo $?)" "then ($length s)"
	sleeper 60; short=$pid
	sleeper 60; long=$pid
	rm -f "$TMP/log" "$TMP/killed"
	end_when_followed "$short" "$long" &
	FAKE_LOG=$TMP/log run fake stat -j -p "$short,$long" -I 60000
	expect "-p ends with the last of them, poll error $rights" 0 "\"pid\":$short,.*\"pid\":$long," ''
	length=$(json interval "$TMP/out" | head -n 1)
	result "$(waited "$length" "$short" "$long"; echo $?)" "then ($length s)"
done
# The device is always ready with an error for who has no rights.
sleeper 20
FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD "$TOPDOWN" stat --device "$NODE" -v -p "$pid" \
	> "$TMP/out" 2> "$TMP/err" &
ours=$!
measures "$ours"
sleep 1.5
ticks=$(awk '{ print $14 + $15 }' "/proc/$ours/stat")
kill -TERM "$ours"
status=0
wait "$ours" || status=$?
result "$((ticks > 50))" "an error of poll() is no reason to spin ($ticks ticks)"
result "$((status != 143))" 'SIGTERM ends -p'
unset FAKE_WATCH_ERRNO

# The device reports the end of a session once.  The reading of an interval may take that report.
sleeper 60
FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD "$TOPDOWN" stat --device "$NODE" -v -j -p "$pid" -I 500 \
	> "$TMP/out" 2> "$TMP/err" &
ours=$!
measures "$ours"
kill -STOP "$ours"
kill "$pid"
sleep 0.8
kill -CONT "$ours"
(sleep 20; kill -KILL "$ours" 2> /dev/null) &
status=0
wait "$ours" || status=$?
result "$((status != 0))" 'an end that an interval was told of ends -p'
result "$(grep -q '"state":"exited"' <<< "$(tail -n 1 "$TMP/out")"; echo $?)" 'with a line that says so'

sleeper 20
run fake stat -j -p "$pid" --timeout 100
expect '--timeout ends it' 0 '"state":"running"' ''
run fake stat -j -p "$pid" --count 3 -I 20
result "$(($(lines "$TMP/out") != 3))" '--count'
result "$(grep -vqx 1000000000 <<< "$(json enabled_ns "$TMP/out")"; echo $((!$?)))" 'each line has its interval only'
sleeper 60; short=$pid
sleeper 60; long=$pid
FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD "$TOPDOWN" stat --device "$NODE" -j -p "$short,$long" \
	-I 100 > "$TMP/out" &
ours=$!
await has_lines "$TMP/out" 4 || true
kill "$short"
await grep -q exited "$TMP/out" || true
await has_lines "$TMP/out" $(($(lines "$TMP/out") + 3)) || true
kill "$ours"
wait "$ours" || true
count=$(grep -c "\"pid\":$short," "$TMP/out")
result "$([[ $(grep "\"pid\":$short," "$TMP/out" | tail -n 1) == *exited* ]]; echo $?)" \
	"one that has ended has no more lines ($count)"
result "$(($(grep -c exited "$TMP/out") != 1))" 'the end of a task is said once'
# A machine that is late makes fewer intervals of them.
intervals=$(json time "$TMP/out" | sort -u | wc -l)
count=$(grep -c "\"pid\":$long," "$TMP/out")
result "$((count != intervals || count < 4))" "the other has all ($count of $intervals)"
for signal in INT:0 TERM:143; do
	FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD env --default-signal=INT "$TOPDOWN" stat \
		--device "$NODE" -v -j -p "$long" > "$TMP/out" 2> "$TMP/err" &
	ours=$!
	measures "$ours"
	kill "-${signal%:*}" "$ours"
	status=0
	wait "$ours" || status=$?
	out=$(< "$TMP/out") err=
	expect "SIG${signal%:*} prints" "${signal#*:}" '"state":"running".*tma_retiring' ''
	result "$(kill -0 "$long"; echo $?)" 'a signal to us does not reach the process'
done

# The tasks that are followed.
followed() {
	rm -f "$TMP/log"
	FAKE_LOG=$TMP/log run fake stat -j --timeout 20 "$@"
	grep ^attach "$TMP/log" > "$TMP/attached"
}
followed -p "$threads,$long"
result "$([[ $(< "$TMP/attached") == "attach $threads 0x2
attach $long 0x2" ]]; echo $?)" '-p follows processes with their children'
followed -p "$threads" --no-inherit
result "$([[ $(< "$TMP/attached") == "attach $threads 0" ]]; echo $?)" '--no-inherit attaches no children'
followed -t "${tids[1]},${tids[0]}"
result "$([[ $(< "$TMP/attached") == "attach ${tids[1]} 0x1
attach ${tids[0]} 0x1" ]]; echo $?)" '-t follows threads'
expect '-t knows their process' 0 "\"pid\":$threads,\"tid\":${tids[1]},.*\"pid\":$threads,\"tid\":${tids[0]}" ''
followed -p "$threads" --per-thread
result "$([[ $(sort "$TMP/attached") == $(printf 'attach %s 0x1\n' "${tids[@]}" | sort) ]]; echo $?)" \
	'--per-thread follows each of them'
result "$([[ $(json tid "$TMP/out" | sort) == $(printf '%s\n' "${tids[@]}" | sort) ]]; echo $?)" \
	'each has a line'
run fake stat -p "$threads" --per-thread --timeout 20 -x ,
expect 'CSV quotes a name that hurts' 0 ',"a,""b""\?\?",' ''
run fake stat -p "$threads" --per-thread --timeout 20 -j
expect 'JSON escapes a name that hurts' 0 '"comm":"a,\\"b\\"\?\?"' ''
run fake stat -p "$threads" --per-thread --timeout 20
expect 'a table prints a name that hurts' 0 "${tids[1]} a,\"b\"\?\? +40\.0" ''
result "$(! grep -q tma_ "$TMP/out"; echo $?)" 'each thread has a line'

# Errors.
sleeper 20
kill "$pid"
wait "$pid" 2> /dev/null || true
for option in -p -t '--per-thread -p'; do
	# shellcheck disable=SC2086
	run fake stat $option "$pid"
	expect "$option of what has ended" 1 '' \
		"^topdown: cannot follow (process|thread) $pid through $NODE: No such process \(it has ended; or"
done
for option in '' --per-thread; do
	# shellcheck disable=SC2086
	run fake stat $option -p "${tids[1]}"
	expect "-p $option refuses a thread" 1 '' "process ${tids[1]} .*or it is a thread, which 'topdown stat -t' follows\)$"
done
FAKE_OTHERS_ERRNO=28 run fake stat -p "$long"
expect 'too many sessions are said' 1 '' "cannot follow process $long .*: No space left on device \(at most 64 sessions of a thread and 4096 in all"
FAKE_OTHERS_ERRNO=13 run fake stat -t "$long"
expect 'missing rights are said' 3 '' "^topdown: cannot follow thread $long through $NODE: Permission denied
topdown: (this process has CAP_PERFMON|group 'topdown' is enough)"
if [[ $(id -u) == 0 ]] && command -v setpriv > /dev/null; then
	chmod 777 "$TMP"
	FAKE_OTHERS_ERRNO=13 run setpriv --bounding-set=-all --inh-caps=-all \
		env "FAKE_NODE=$NODE" "LD_PRELOAD=$PRELOAD" "$TOPDOWN" stat --device "$NODE" -p "$long"
	expect 'missing rights are said without the capability' 3 '' \
		"group 'topdown' is enough for 'topdown stat -- COMMAND'; following other tasks needs CAP_PERFMON \(this process lacks it\), whatever kernel.perf_event_paranoid and the module's parameter trust_device are"
else
	skip 'missing rights are said without the capability' 'needs root'
fi
FAKE_FEATURES=31 run fake stat -p "$long"
expect 'a module without sessions is said' 3 '' 'cannot follow tasks .*the loaded module is older than this command'
FAKE_SESSION_ERRNO=5 run fake stat -p "$long" --timeout 20
expect 'no figures are an error' 1 '' 'cannot read the followed tasks'
# Somebody gave a counter back: four groups with turns, where there were five.
FAKE_FLAGS=2 FAKE_TURNS=5 FAKE_TURNS_LATER=4 \
	run fake stat -j -p "$long" --count 3 -I 20
result "$([[ $(json expected "$TMP/out" | paste -sd' ') == '0.200000 0.250000 0.250000' ]]; echo $?)" \
	'the expected share is that of the turns of each interval'
FAKE_SHARE=51 run fake stat -p "$long" --timeout 20 --strict
expect '--strict fails' 4 'running 51\.0%' ''
# A service whose children do the work.
# shellcheck disable=SC2016 # for the inner shell
sh -c 'sleep 1000 & one=$!; sleep 1000 & echo $one $! > "$0"; wait' "$TMP/child" &
parent=$!
await test -s "$TMP/child"
run fake stat -p $parent --timeout 20
expect 'children that exist are found' 0 'tma_retiring' '^topdown: 2 children that exist already are not followed \(--tree follows them too\)$'
run fake stat -p $parent --timeout 20 --tree -j
result "$(($(lines "$TMP/out") != 3))" '--tree has a row for each'
run fake stat -p $parent -- sh -c 'echo done'
expect 'a command says how long' 0 '^done' "process $parent "
read -r one two < "$TMP/child"
kill "$one" "$two" $parent
finish
