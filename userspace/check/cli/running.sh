#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Time, signals, and readers that leave.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

# started ARG...: in the background, $pid; returns when it measures
started() {
	FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD "$TOPDOWN" stat --device "$NODE" -v "$@" \
		> "$TMP/out" 2> "$TMP/err" &
	pid=$!
	measures "$pid"
}

# ended SIGNAL: sends it and waits; sets $status, $out, $err
ended() {
	kill "-$1" "$pid"
	status=0
	wait "$pid" || status=$?
	out=$(< "$TMP/out")
	err=
}

# A background job of a shell that has no job control ignores SIGINT, so let
# env(1) give it back its default.
interrupted() {
	FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD env --default-signal=INT "$TOPDOWN" stat \
		--device "$NODE" -v "$@" > "$TMP/out" 2> "$TMP/err" &
	pid=$!
	measures "$pid"
}

interrupted -j
ended INT
expect 'SIGINT ends one measurement, with its figures' 0 '"row":"all".*"tma_retiring":0\.4' ''
interrupted -j -I 60000
ended INT
expect 'SIGINT ends intervals, the last is printed' 0 '"tma_retiring":0\.4' ''
interrupted -j --timeout 60000
ended INT
expect 'SIGINT comes before the end that was asked for' 130 '"tma_retiring":0\.4' ''
started -j
ended TERM
expect 'SIGTERM ends it' 143 '"tma_retiring":0\.4' ''
started -j -I 60000 --count 3
ended HUP
expect 'SIGHUP ends it' 129 '"tma_retiring":0\.4' ''

interrupted -j -D 60000
ended INT
expect 'SIGINT before the delay is over' 0 '"row":"all"' ''
started -j -D 60000
ended TERM
expect 'SIGTERM before the delay is over' 143 '"row":"all"' ''

# A signal that the parent ignores stays ignored: a job of this shell ignores SIGINT.
started -j
kill -INT "$pid"
sleep 0.2
ended TERM
expect 'SIGINT that the parent ignores does not end it' 143 '"tma_retiring":0\.4' ''

run fake stat --timeout 200 -j
result "$(($(lines "$TMP/out") != 1))" '--timeout alone makes one measurement'
length=$(sed -E 's/.*"interval":([0-9]+)\.([0-9]{3}).*/\1\2/' "$TMP/out")
result "$((10#$length < 200 || 10#$length > 2000))" "--timeout 200 took $length ms"
# A machine that is late makes an interval longer, but must not make it a whole one.
run fake stat --timeout 1200 -I 1000 -j
length=$(json interval "$TMP/out" | sum)
result "$(($(lines "$TMP/out") != 2))" '--timeout: the interval before its end, and the rest'
result "$(holds "$length >= 1.2 && $length < 2"; echo $?)" \
	"--timeout ends in the middle of an interval ($length s)"
run fake stat --count 3 -I 20 -j
result "$(($(lines "$TMP/out") != 3))" '--count'
run fake stat --count 2 -j
length=$(sed -nE '1s/.*"interval":([0-9]+)\.([0-9]{3}).*/\1\2/p' "$TMP/out")
result "$((10#$length < 990 || 10#$length > 2000))" "--count alone has intervals of 1 s ($length ms)"

# An end that is late, as each is by the 10 ms that reading takes and some are by
# more on a loaded machine, makes the next interval shorter.  If ends were counted from
# the last end, no interval would be shorter than 60 ms.
FAKE_DELAY=10 run fake stat --count 40 -I 50 -x , --no-header
short=$(awk -F, '$2 < 0.055 { n++ } END { print n + 0 }' "$TMP/out")
result "$((short < 10))" "intervals do not drift ($short of 40 are not longer than asked for)"

# The reader gets each interval when it ends, long before a buffer is full.  Lines of the run
# before must not count: the job would be killed before it is our program, and as a shell
# it would remove $TMP.
: > "$TMP/out"
FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD "$TOPDOWN" stat --device "$NODE" -I 100 -x , > "$TMP/out" &
pid=$!
await has_lines "$TMP/out" 3 && status=0 || status=$?
kill "$pid"
wait "$pid" || true
result "$status" 'output is flushed at each interval'

status=0
fake stat -I 20 -j 2> "$TMP/err" | head -n 2 > "$TMP/out" || status=${PIPESTATUS[0]}
err=$(< "$TMP/err") out=$(< "$TMP/out")
result "$(($(lines "$TMP/out") != 2))" 'a reader that leaves had its lines'
expect 'a reader that leaves is no error' 141 'tma_retiring' ''

for format in -j "-x ," ''; do
	# shellcheck disable=SC2086
	run fake stat --count 1 -I 10 $format -o /dev/full
	expect "a full disk is an error, ${format:-table}" 1 '' \
		'^topdown: cannot write to /dev/full: No space left on device$'
done
status=0
fake stat --count 1 -I 10 > /dev/full 2> "$TMP/err" || status=$?
: > "$TMP/out"
out='' err=$(< "$TMP/err")
expect 'a full standard output is an error' 1 '' 'cannot write to standard output: No space left'
status=0
fake info > /dev/full 2> "$TMP/err" || status=$?
err=$(< "$TMP/err")
expect 'a full standard output is an error for info' 1 '' 'cannot write to standard output: No space left'
status=0
fake stat --count 1 -I 10 >&- 2> "$TMP/err" || status=$?
err=$(< "$TMP/err")
expect 'a closed standard output is an error' 1 '' 'cannot write to standard output'
finish
