#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown export: the text in both formats, the file, and the daemon.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"
# shellcheck source=userspace/check/cli/daemon.sh
. "$(dirname "$0")/daemon.sh"

export FAKE_FEATURES=1023 FAKE_TICK=0

run fake export
same_text export.txt
run fake export --openmetrics
same_text export-openmetrics.txt
# E-cores with nodes that P-cores lack, some of which have no width.
FAKE_ATOMS=2 FAKE_NODES=16383 run fake export
same_text export-hybrid.txt
FAKE_CPUS=2 run fake export -A
same_text export-per-cpu.txt
FAKE_LEVEL=1 FAKE_FEATURES=63 FAKE_TURNS=3 run fake export
same_text export-level1-turns.txt
# One CPU of four has three turns: (1 + 1 + 1 + 1/3) / 4.
FAKE_TURNS=3 FAKE_FLAGS_OF=2 run fake export
result "$(grep -qx 'topdown_expected_ratio{core_type="only"} 0.833333333' "$TMP/out" &&
	grep -qx 'topdown_turns{core_type="only"} 3' "$TMP/out"; echo $?)" 'one CPU that takes turns is a part of the mean'
# Children that were counted in four of ten steps have fewer slots to be compared with.
FAKE_SINCE=6 run fake export
counted=$(sed -n 's/^topdown_level2_counted_slots_total.*"frontend_bound"} //p' "$TMP/out")
result "$((counted != 94560000000))" "drilldown has its own denominator ($counted)"

# 24 * 10^18 slots do not fit 64 bits, and a counter must not fall.
FAKE_STEPS=1000000000 run fake export
result "$(grep -qx 'topdown_slots_total{core_type="only"} 23640000000000000000' "$TMP/out"; echo $?)" \
	'a sum goes beyond 64 bits'
FAKE_STEPS=1000000000 FAKE_CPUS=256 run fake export
slots=$(sed -n 's/^topdown_slots_total.* //p' "$TMP/out")
result "$([[ $slots == 849600000000000000000 ]]; echo $?)" "a larger one has three digits more ($slots)"

# CPUs that are offline stay in the sum, and go from the series of CPUs.
FAKE_OFFLINE=1 run fake export
result "$(grep -qx 'topdown_slots_total{core_type="only"} 236400000000' "$TMP/out" &&
	grep -qx 'topdown_cpus{state="offline"} 1' "$TMP/out"; echo $?)" 'an offline CPU stays in the sum'
FAKE_OFFLINE=1 run fake export -A
result "$(grep -q 'cpu="2"' "$TMP/out" && ! grep -q 'cpu="1"' "$TMP/out"; echo $?)" \
	'an offline CPU has no series'
FAKE_ABSENT=3 run fake export -A
result "$(! grep -q 'cpu="3"' "$TMP/out"; echo $?)" 'a CPU that was never there has no series'
FAKE_STATE=77 run fake export
result "$(grep -qx 'topdown_cpus{state="unknown"} 4' "$TMP/out"; echo $?)" 'a state of a newer module is unknown'
FAKE_STATE=2 FAKE_LEVEL=0 run fake export
result "$(grep -qx 'topdown_cpus{state="unsupported"} 4' "$TMP/out" &&
	! grep -q '_total{' "$TMP/out"; echo $?)" 'a machine that cannot be measured has no counters'

# No module is no error.
for why in FAKE_OPEN_ERRNO=2:'load the module' FAKE_OPEN_ERRNO=13:'group' \
	FAKE_MAP_ERRNO=13:'cannot read the CPUs' FAKE_FEATURES=7:'older than this command' \
	FAKE_STUCK=1:'Resource temporarily unavailable'; do
	run env "${why%%:*}" FAKE_NODE="$NODE" LD_PRELOAD="$PRELOAD" "$TOPDOWN" export --device "$NODE"
	expect "${why%%:*}" 0 '^# HELP.*topdown_up 0' "${why#*:}"
	result "$(! grep -q 'topdown_cpus' "$TMP/out"; echo $?)" "${why%%:*}: nothing else is claimed"
done

# The file.
mkdir "$TMP/dir"
echo old > "$TMP/dir/topdown.prom"
run eval '(umask 077; fake export --textfile "$TMP/dir/topdown.prom")'
expect '--textfile prints nothing' 0 '' ''
cp "$TMP/dir/topdown.prom" "$TMP/out"
same_text export.txt
result "$([[ $(cd "$TMP/dir" && echo *) == topdown.prom ]]; echo $?)" 'no other file is left'
result "$([[ $(stat -c %a "$TMP/dir/topdown.prom") == 644 ]]; echo $?)" 'others may read it, whatever the umask'
# A reader that has the old file open goes on with it.
exec 5< "$TMP/dir/topdown.prom"
FAKE_OPEN_ERRNO=2 run fake export --textfile "$TMP/dir/topdown.prom"
result "$(settled <&5 | cmp -s - "$golden/export.txt"; echo $?)" 'it is replaced, not overwritten'
exec 5<&-
run fake export --textfile "$TMP/none/topdown.prom"
expect 'a directory that there is not is said' 1 '' "^topdown: cannot write to $TMP/none/topdown.prom: No such file"
mkdir "$TMP/dir/taken.prom"
run fake export --textfile "$TMP/dir/taken.prom"
expect 'a name that a directory has is refused' 1 '' 'is no regular file'
mkfifo "$TMP/dir/pipe.prom"
run fake export --textfile "$TMP/dir/pipe.prom"
expect 'a name that a pipe has is refused' 1 '' 'is no regular file'
result "$([[ -p $TMP/dir/pipe.prom ]]; echo $?)" 'the pipe stays'
ln -s topdown.prom "$TMP/dir/link.prom"
run fake export --textfile "$TMP/dir/link.prom"
expect 'a name that a link has is refused' 1 '' 'is no regular file'
for signal in 1 2 15; do
	: > "$TMP/dir/topdown.prom"
	FAKE_RENAME_SIGNAL=$signal run eval '(fake export --textfile "$TMP/dir/topdown.prom")'
	expect "signal $signal ends it in the middle" "$((128 + signal))" '' '^'
	result "$([[ -s $TMP/dir/topdown.prom ]]; echo $?)" 'a signal ends the exporter when the file is whole'
done
result "$([[ $(cd "$TMP/dir" && echo *) == 'link.prom pipe.prom taken.prom topdown.prom' ]]; echo $?)" \
	'nothing is left of them'
status=0
fake export > /dev/full 2> "$TMP/err" || status=$?
result "$((status != 1))" 'no room for the text is an error'

# The exporter is a program of its own.
status=0
FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD timeout 20 "$TOPDOWN-export" --device "$NODE" >&- 2> "$TMP/err" || status=$?
out='' err=$(< "$TMP/err")
expect 'a closed standard output is an error' 1 '' 'cannot write to standard output'
mkdir "$TMP/alone"
cp "$TOPDOWN" "$TMP/alone/topdown"
run env PATH=/nowhere "$TMP/alone/topdown" export
expect 'a missing exporter is said' 127 '' 'cannot execute topdown-export: No such file.*install the package topdown-export'
run env PATH="${TOPDOWN%/*}" "$TMP/alone/topdown" help export
expect 'one in PATH is found' 0 '^Usage: topdown export' ''
: > "$TMP/alone/topdown-export"
run timeout 20 env PATH="${TOPDOWN%/*}" "$TMP/alone/topdown" export --listen -A
expect 'one that is not executable is said' 126 '' 'cannot execute topdown-export: Permission denied'
ln -sf "$(type -P echo)" "$TMP/alone/topdown-export"
run timeout 20 env PATH="${TOPDOWN%/*}" "$TMP/alone/topdown" export --listen -A
expect 'one beside the command comes first' 0 '^--listen -A$' ''

classic='Content-Type: text/plain; version=0\.0\.4; charset=utf-8'
modern='Content-Type: application/openmetrics-text; version=1\.0\.0; charset=utf-8'

serve
ask 'GET /metrics'
answers 'a scrape' 200 "$classic"
result "$(settled < "$TMP/body" | cmp -s - "$golden/export.txt"; echo $?)" 'they are those of one run'
ask 'GET /metrics' "$prometheus"
answers 'Prometheus, which asks for OpenMetrics,' 200 "$modern"
result "$(settled < "$TMP/body" | cmp -s - "$golden/export-openmetrics.txt"; echo $?)" 'they are those of one run'
# NAME ; HEADER ; the format that it gets
while IFS='|' read -r accept format; do
	ask 'GET /metrics' "Accept: $accept"
	answers "Accept: $accept" 200 "${!format}"
done << 'END'
application/openmetrics-text|modern
application/openmetrics-text; version=1.0.0; q=0.3 , text/plain;q=0.2|modern
application/openmetrics-text; version=1.0.0; q=0.2, text/plain; q=0.3|classic
application/openmetrics-text; q=0|classic
application/openmetrics-text; version=0.0.1|classic
application/openmetrics-text; version=2.0.0, text/plain; version=0.0.4|classic
application/openmetrics-text;q=1.5|classic
application/openmetrics-text;q=|classic
*/*|classic
text/html|classic
APPLICATION/OPENMETRICS-TEXT|modern
, ;;=,application/openmetrics-text,;q|modern
END
ask 'GET /metrics' 'Accept-Encoding: deflate, gzip;q=0.5'
answers 'a scraper that takes gzip' 200 'Content-Encoding: gzip'
result "$(gzip -dc < "$TMP/body" | settled | cmp -s - "$golden/export.txt"; echo $?)" 'it decompresses to the same text'
ask 'GET /metrics' 'Accept-Encoding: gzip;q=0'
result "$(! grep -qi '^Content-Encoding' "$TMP/head"; echo $?)" 'it is not compressed against a wish'
length=$(sed -nE 's/^Content-Length: //pi' "$TMP/head")
ask 'HEAD /metrics'
answers 'HEAD' 200 "Content-Length: $length"
result "$([[ ! -s $TMP/body ]]; echo $?)" 'HEAD has no body'
ask 'GET /'
answers 'the page /' 200 'Content-Type: text/html; charset=utf-8'
result "$(grep -q '<a href="/metrics">' "$TMP/body"; echo $?)" 'the page leads to the metrics'
ask 'GET /metrics/'
answers 'a page that there is not' 404 'Content-Type: text/plain.*'
ask 'DELETE /metrics'
answers 'another method' 405 'Allow: GET, HEAD'
# A page of a stranger, whose name was made to stand for our address.
for host in evil.example "evil.example:$port" "localhost.evil.example" 127.0.0.1.evil.example '[evil]' "$(printf 'h%.0s' {1..300})" "$(hostname).evil.example"; do
	ask 'GET /metrics'
	answers "Host: ${host:0:40}" 421 'Content-Type: text/plain.*'
done
for host in "localhost:$port" LOCALHOST 127.0.0.1 "192.0.2.7:$port" "[::1]:$port" "$(hostname)"; do
	ask 'GET /metrics'
	answers "Host: $host" 200 "$classic"
done
host=
content=hello
ask 'POST /metrics' 'Content-Length: 5'
content=
result "$(! grep -q ' 200 ' "$TMP/head"; echo $?)" 'a body is not taken'
stop
result "$status" 'SIGTERM is a good end'
result "$(($(lines "$TMP/daemon.err") != 1))" 'nothing was said but where it listens'
[[ ! -s $TMP/daemon.err ]] || sed 's/^/# /' "$TMP/daemon.err"

# The module comes later, and its counters go on.
export FAKE_LOADED=$TMP/loaded
FAKE_TICK=20 serve
ask 'GET /metrics'
ask 'GET /metrics'
result "$(grep -qx 'topdown_up 0' "$TMP/body"; echo $?)" 'no module is there yet'
: > "$FAKE_LOADED"
sleep 0.02
ask 'GET /metrics'
cp "$TMP/body" "$TMP/first"
result "$(grep -qx 'topdown_up 1' "$TMP/first"; echo $?)" 'the module is there now'
sleep 0.1
ask 'GET /metrics'
slots() { sed -n 's/^topdown_slots_total.* //p' "$1"; }
result "$(($(slots "$TMP/body") <= $(slots "$TMP/first")))" 'a later answer has later figures'
stop INT
result "$status" 'SIGINT is a good end'
result "$(($(grep -c 'cannot open' "$TMP/daemon.err") != 1))" 'the reason was said once'
unset FAKE_LOADED

# Latencies: the daemon has a session, so each answer has one step of the stand-in more.
two=MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM,mem_inst_retired.split_loads
latencies() {
	sleep 0.02
	ask 'GET /metrics' "$@"
	grep 'topdown_retire' "$TMP/body" > "$TMP/out" || true
}
# has SERIES VALUE...: each of them, in the last answer
has() {
	local bad=0
	while (($#)); do
		grep -qxF "topdown_retire_latency_$1 $2" "$TMP/out" || { echo "# no $1 $2"; bad=1; }
		shift 2
	done
	return "$bad"
}
status=0
serve --latency "$two"
latencies
same_text export-latency.txt
result "$(grep -v topdown_retire "$TMP/body" | settled | cmp -s - "$golden/export.txt"; echo $?)" \
	'latencies: the rest is as without them'
latencies "$prometheus"
same_text export-latency-openmetrics.txt
result "$(tail -n 1 "$TMP/body" | grep -qx '# EOF'; echo $?)" 'latencies: OpenMetrics has its end'
# bin n < 16 begins at n, others at (8 + n % 8) << (n / 8 - 1)
result "$(sed -nE 's/.*LOCAL_DRAM",le="([0-9]+)\.0".*/\1/p' "$TMP/out" | awk '
	BEGIN { for (n = 1; n < 112; n++) begins[n < 16 ? n : (8 + n % 8) * 2 ^ (int(n / 8) - 1)] }
	{ wrong += !($1 + 1 in begins) || $1 <= last; last = $1 }
	END { exit wrong || NR != 22 }'; echo $?)" 'latencies: a bucket ends where a bin of the module does'
if command -v promtool > /dev/null; then
	ask 'GET /metrics'
	promtool check metrics < "$TMP/body" > "$TMP/lint" 2>&1 || true
	sed 's/^/# /' "$TMP/lint"
	result "$([[ ! -s $TMP/lint ]]; echo $?)" 'promtool has nothing to say of the latencies'
else
	skip 'promtool has nothing to say of the latencies' 'promtool is not installed'
fi
stop
result "$status" 'the exporter with latencies ends well'
FAKE_AWAY=1 FAKE_OFFLINE=1 FAKE_LATENCY_CPUS=3 serve --latency all -A
latencies
result "$(has 'cpus{state="ok"}' 0 'cpus{state="aside"}' 2 'cpus{state="offline"}' 1 \
	'samples_total{cpu="2",event="MEM_INST_RETIRED.SPLIT_LOADS"}' 30 \
	'cycles_bucket{cpu="2",event="MEM_INST_RETIRED.SPLIT_LOADS",le="7.0"}' 0 \
	'cycles_bucket{cpu="2",event="MEM_INST_RETIRED.SPLIT_LOADS",le="11.0"}' 30000 \
	'cycles_count{cpu="0",event="MEM_LOAD_RETIRED.L2_HIT"}' 0 >&2; echo $?)" 'each CPU has its latencies' 2>&1
result "$(! grep -q 'cpu="1"' "$TMP/out"; echo $?)" 'a CPU that is offline has no latencies'
stop
FAKE_LOST=1 serve --latency "$two"
latencies
result "$(has 'counted_events_total{event="MEM_INST_RETIRED.SPLIT_LOADS"}' 33000 \
	'lost_events_total{event="MEM_INST_RETIRED.SPLIT_LOADS"}' 1500 >&2; echo $?)" 'lost events are counted' 2>&1
stop
FAKE_UNCOUNTED=1 serve --latency "$two"
latencies
result "$(has up 1 'samples_total{event="MEM_INST_RETIRED.SPLIT_LOADS"}' 30 >&2 &&
	! grep -q '_events' "$TMP/out"; echo $?)" 'a module that does not know what was lost has no such events' 2>&1
stop
FAKE_OFFLINE=1 serve --latency "$two"
latencies
result "$(has 'samples_total{event="MEM_INST_RETIRED.SPLIT_LOADS"}' 30 >&2; echo $?)" \
	'a CPU that is offline stays in the sum' 2>&1
stop
# The third read of the second session fails, and a third session begins.
FAKE_LATENCY_READS=3 serve --latency "$two"
ups=
for _ in {1..9}; do
	latencies
	ups+=$(sed -n 's/^topdown_retire_latency_up //p' "$TMP/out")
	[[ $ups != *0 ]] || last=$(< "$TMP/out")
done
result "$([[ $ups == 110111011 ]]; echo $?)" "a session that has gone is started again ($ups)"
result "$([[ $last == *_up\ 0 ]]; echo $?)" 'without it no latency is claimed'
result "$(($(grep -c 'cannot read' "$TMP/daemon.err") != 2))" 'it is said each time that it goes'
result "$(grep -qx 'topdown_up 1' "$TMP/body"; echo $?)" 'the slots go on'
stop
export FAKE_LOADED=$TMP/loaded
rm -f "$FAKE_LOADED"
FAKE_REFUSAL=2 serve --latency all
: > "$FAKE_LOADED"
for _ in 1 2 3; do latencies; done
result "$(has up 0 >&2 && grep -qx 'topdown_up 1' "$TMP/body"; echo $?)" \
	'a module that comes later is read on a machine that samples nothing' 2>&1
result "$(($(grep -c 'samples no latency: the kernel does not read' "$TMP/daemon.err") != 1))" 'it is said once'
stop
rm -f "$FAKE_LOADED"
FAKE_LATENCY_READS=0 serve --latency "$two"
: > "$FAKE_LOADED"
for _ in 1 2 3; do latencies; done
result "$(($(grep -c 'cannot read' "$TMP/daemon.err") != 1))" 'an unreadable session is reported once'
stop
rm -f "$FAKE_LOADED"
serve --latency "$two"
latencies
result "$(has up 0 >&2; echo $?)" 'latencies: no module is there yet' 2>&1
: > "$FAKE_LOADED"
latencies
result "$(has up 1 'samples_total{event="MEM_INST_RETIRED.SPLIT_LOADS"}' 0 >&2; echo $?)" \
	'latencies: the module is there now' 2>&1
stop
unset FAKE_LOADED
# A machine without latencies, or without an event, still has slots: a fleet has one command line.
for why in FAKE_REFUSAL=1:'this machine samples no latency: no CPU has timed PEBS' \
	FAKE_LATENCY_ERRNO=95:"the kernel's driver refuses the event" FAKE_LATENCY_ERRNO=16:'Device or resource busy' \
	FAKE_LATENCY_ERRNO=13:'CAP_PERFMON' FAKE_LATENCY_ERRNO=12:'Cannot allocate memory' \
	FAKE_LATENCY_UNLOADED=1:"'modprobe topdown_latency'" lacks=1:'has no event MEM_LOAD_RETIRED\.L3_HIT'; do
	events=all
	[[ $why != lacks* ]] || events=$two,MEM_LOAD_RETIRED.L3_HIT
	serve_with "${why%%:*}" --latency "$events"
	for _ in 1 2 3; do latencies; done
	result "$(has up 0 >&2; echo $?)" "${why%%:*}: no latencies are there" 2>&1
	result "$(($(lines "$TMP/out") != 3))" "${why%%:*}: none is claimed"
	result "$(grep -v topdown_retire "$TMP/body" | settled | cmp -s - "$golden/export.txt"; echo $?)" \
		"${why%%:*}: the rest is as without them"
	result "$(($(grep -c '^topdown: --latency: ' "$TMP/daemon.err") != 1 ||
		$(grep -c "^topdown: --latency: .*${why#*:}" "$TMP/daemon.err") != 1))" "${why%%:*}: it is said once"
	stop
	result "$status" "${why%%:*}: the daemon ends well"
done
echo 12 > "$TMP/barred"
serve_with FAKE_LATENCY_BARRED="$TMP/barred" --latency "$two"
latencies
result "$(has up 0 >&2; echo $?)" 'no session starts without memory' 2>&1
echo 16 > "$TMP/barred"
for _ in 1 2; do latencies; done
result "$(($(grep -c 'Cannot allocate' "$TMP/daemon.err") != 1 || $(grep -c 'busy' "$TMP/daemon.err") != 1))" \
	'another reason is said'
rm "$TMP/barred"
latencies
result "$(has up 1 'samples_total{event="MEM_INST_RETIRED.SPLIT_LOADS"}' 0 >&2; echo $?)" \
	'a session starts as soon as that is possible' 2>&1
stop
run fake export --listen --latency no.such
expect 'latencies: an event that nobody has is refused' 2 '' "^topdown: --latency: there is no event 'no\.such'"
run fake export --latency all
expect 'latencies of one run are refused' 2 '' '^topdown: --latency needs --listen'

# peak_kb CPUS ARG...: the most memory of a daemon that was asked in each format, with all events
# and large numbers
peak_kb() {
	local accept encoding

	FAKE_LATENCY_MORE=2 FAKE_LATENCY_BEFORE=100000000 FAKE_LATENCY_CPUS=$1 FAKE_CPUS=$1 \
		serve --latency all "${@:2}" >&2 || return
	for accept in 'Accept: text/plain' "$prometheus"; do
		for encoding in identity gzip; do
			ask 'GET /metrics' "$accept" "Accept-Encoding: $encoding"
			sleep 0.02
		done
	done
	sed -nE 's/^VmHWM:[[:space:]]*([0-9]+) kB$/\1/p' "/proc/$daemon/status"
	kill "$daemon"
	wait "$daemon" || true
}
events=$(FAKE_LATENCY_MORE=2 fake latency --list | wc -l)
# each_bytes ARG...: by how much that grows with a CPU and event
each_bytes() {
	local few many
	few=$(peak_kb 1 "$@")
	many=$(peak_kb 129 "$@")
	echo $(((many - few) * 1024 / (128 * events)))
}
# The module has a sampler of 2 KiB of each, which counts as the daemon's memory.  The unit's limit
# is for 512 CPUs with 32 events, more than any model has, and for some scrapes at the same time.  A sanitizer takes more.
if [[ $TOPDOWN != */asan/* ]]; then
	limit=$(sed -n 's/^MemoryMax=\([0-9]*\)M$/\1/p' "$(dirname "$0")/../../systemd/topdown-export.service")
	each=$(each_bytes)
	result "$((each < 984 || each > 1280))" "the sum: a CPU and event take 1 KiB ($each)"
	each=$(each_bytes -A)
	result "$((each < 984 || each > 5632))" "-A: a CPU and event take 5 KiB ($each)"
	need=$((8 + (each + 2048) * 512 * 32 / 1024 / 1024))
	result "$((2 * need > limit))" "the unit's limit of memory suffices ($need MB of $limit MB)"
fi

# One CPU that does not end its write, while the others go on.
FAKE_TICK=20 FAKE_STUCK=$TMP/stuck serve
ask 'GET /metrics'
: > "$TMP/stuck"
sleep 0.1
ask 'GET /metrics'
cp "$TMP/body" "$TMP/first"
result "$(grep -qx 'topdown_up 1' "$TMP/body" && grep -qx 'topdown_cpus{state="ok"} 4' "$TMP/body"; echo $?)" \
	'a CPU that is stuck costs no other'
sleep 0.1
ask 'GET /metrics'
result "$(($(slots "$TMP/body") <= $(slots "$TMP/first")))" 'the others go on'
rm "$TMP/stuck"
sleep 0.1
ask 'GET /metrics'
result "$(grep -qx 'topdown_up 1' "$TMP/body"; echo $?)" 'a CPU that was stuck comes back'
stop
result "$(($(lines "$TMP/daemon.err") != 1))" 'the exporter says nothing of a stuck CPU'

# Users, and their file read once more.
printf '# who may read\n\nprom:s3cret:x\nother:pw\n' > "$TMP/users"
chmod 600 "$TMP/users"
basic() { echo "Authorization: ${2-Basic} $(printf %s "$1" | base64)"; }
serve --auth "$TMP/users"
ask 'GET /metrics'
answers 'nobody in particular' 401 'WWW-Authenticate: Basic realm="topdown"'
for user in prom:wrong prom: '' other:pwx 'other:p' '# who may read'; do
	ask 'GET /metrics' "$(basic "$user")"
	answers "user '$user'" 401 'WWW-Authenticate: .*'
done
ask 'GET /' "$(basic prom:wrong)"
answers 'nobody who asks for the page /' 401 'WWW-Authenticate: .*'
ask 'GET /metrics' "$(basic prom:s3cret:x)"
answers 'a user' 200 "$classic"
host=name.example ask 'GET /metrics' "$(basic prom:s3cret:x)"
answers 'a user who takes any name of the machine' 200 "$classic"
ask 'GET /metrics' "$(basic other:pw bAsIc)"
answers 'another user' 200 "$classic"
echo 'prom:new' > "$TMP/users"
kill -HUP "$daemon"
renewed() { ask 'GET /metrics' "$(basic prom:new)"; grep -q ' 200 ' "$TMP/head"; }
result "$(await renewed; echo $?)" 'SIGHUP: the new password'
ask 'GET /metrics' "$(basic other:pw)"
answers 'a user who was gone at SIGHUP' 401 'WWW-Authenticate: .*'
: > "$TMP/users"
kill -HUP "$daemon"
result "$(await grep -q 'stay in use' "$TMP/daemon.err"; echo $?)" 'SIGHUP: a file that is no good'
result "$(renewed; echo $?)" 'SIGHUP: the users as they were'
stop
result "$status" 'the exporter with users ends well'

if command -v openssl > /dev/null; then
	# new_certificate KEY CERTIFICATE
	new_certificate() {
		openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
			-subj /CN=localhost -keyout "$1" -out "$2" 2> /dev/null
		chmod 600 "$1"
	}
	new_certificate "$TMP/key.pem" "$TMP/cert.pem"
	serve --tls-cert "$TMP/cert.pem" --tls-key "$TMP/key.pem"
	tls() {
		printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' |
			timeout 10 openssl s_client -connect "127.0.0.1:$port" -quiet \
				-verify_return_error -CAfile "${served-$TMP/cert.pem}" \
				-cipher 'DEFAULT:@SECLEVEL=0' "$@" 2> "$TMP/tls.err"
	}
	served_by() { served=$1 tls | grep '^topdown_up 1' > /dev/null; }
	result "$(grep -q '^topdown_up 1' <<< "$(tls)"; echo $?)" 'TLS'
	result "$(! grep -q topdown_up <<< "$(tls -tls1_1)"; echo $?)" 'no old TLS'
	ask 'GET /metrics'
	result "$(! grep -q topdown_up "$TMP/answer"; echo $?)" 'no plain text there'
	# A renewal that is only half done, and then the other half.
	new_certificate "$TMP/new-key.pem" "$TMP/new-cert.pem"
	cp "$TMP/cert.pem" "$TMP/served.pem"
	cp "$TMP/new-cert.pem" "$TMP/cert.pem"
	for try in 1 2 3; do
		kill -HUP "$daemon"
		stays() { (($(grep -c 'stay in use' "$TMP/daemon.err") == try)); }
		result "$(await stays; echo $?)" "SIGHUP: a certificate of another key ($try)"
	done
	result "$(served_by "$TMP/served.pem"; echo $?)" 'SIGHUP keeps the certificate as it was'
	result "$(($(find "/proc/$daemon/fd" -lname 'socket:*' | wc -l) != 2))" \
		'SIGHUP: no socket is left over'
	cp "$TMP/new-key.pem" "$TMP/key.pem"
	kill -HUP "$daemon"
	result "$(await served_by "$TMP/new-cert.pem"; echo $?)" 'SIGHUP takes the new certificate'
	stop
	result "$status" 'the exporter with TLS ends well'
	run fake export --listen --port 1 --tls-cert "$TMP/key.pem" --tls-key "$TMP/cert.pem"
	expect 'a key that is none is refused' 1 '' '^topdown: '
	chmod 644 "$TMP/key.pem"
	run fake export --listen --tls-cert "$TMP/cert.pem" --tls-key "$TMP/key.pem"
	expect 'a key that all may read is refused' 1 '' 'everybody may use it'
else
	skip 'the exporter speaks TLS' 'openssl is not installed'
fi

# A socket from outside, as systemd passes it.
cat > "$TMP/pass.py" << 'END'
import os, socket, sys
s = socket.socket()
s.bind(("127.0.0.1", 0))
if sys.argv[1] == "listen":
    s.listen()
print(s.getsockname()[1], flush=True)
os.dup2(s.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=sys.argv[2])
os.execv(sys.argv[3], sys.argv[3:])
END
given() {
	FAKE_NODE=$NODE exec python3 "$TMP/pass.py" "$@" "$(command -v env)" \
		LD_PRELOAD="$PRELOAD" "$TOPDOWN" export --listen --device "$NODE" --port 1
}
given listen 1 > "$TMP/out" 2> "$TMP/daemon.err" &
daemon=$!
await test -s "$TMP/out" || true
port=$(< "$TMP/out")
sed 's/^/# /' "$TMP/daemon.err"
ask 'GET /metrics'
answers 'a scrape of a socket that was passed' 200 "$classic"
host=evil.example ask 'GET /metrics'
answers 'another name at that socket' 421 '.*'
stop
result "$(($(lines "$TMP/daemon.err")))" 'it needs no other'
run eval '(given listen 2)'
expect 'two sockets are refused' 1 '^[0-9]+$' "systemd's socket is not one that listens"
run eval '(given bind 1)'
expect 'a socket that does not listen is refused' 1 '^[0-9]+$' "systemd's socket is not one that listens"

run fake export --listen --address 192.0.2.1
expect 'an address that this machine has not is refused' 1 '' 'cannot listen at 192\.0\.2\.1, port 18673: '
run fake export --listen --address localhost
expect 'an address that is a name is refused' 2 '' "^topdown: --address: 'localhost' is no address"
echo prom > "$TMP/users"
run fake export --listen --auth "$TMP/users"
expect 'a user without a password is refused' 1 '' 'a line is not USER:PASSWORD'
chmod 644 "$TMP/users"
run fake export --listen --auth "$TMP/users"
expect 'a file of users that all may read is refused' 1 '' 'everybody may use it'
run fake export --listen --auth "$TMP/none"
expect 'a file that there is not is refused' 1 '' 'No such file'
for bad in '--port 80' '--address ::1' '--connections 9' '--auth x' '--tls-key x' '--tls-cert x' \
	'--listen --openmetrics' '--listen --textfile x' '--listen --tls-cert x' '--listen --tls-key x' \
	'--listen --port 0' '--listen --port 65536' '--listen --connections 1' \
	'--listen --connections 1001' "--textfile ''" "--device ''" --text more; do
	eval "run fake export $bad"
	expect "$bad" 2 '' '^topdown: '
done
finish
