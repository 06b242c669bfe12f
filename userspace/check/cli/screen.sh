#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown top on a terminal of 80x24: what is to be seen, keys, a resize, and
# that the terminal is given back however it ends.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

FAKE_FEATURES=31 run fake top
expect 'top needs a terminal' 2 '' '^topdown: top: standard input and output must be a terminal \('
FAKE_FEATURES=31 FAKE_REFUSAL=2 run fake top --latency all
expect 'top says that the machine samples no latency' 3 '' '^topdown: this machine samples no latency: the kernel does not read'
FAKE_FEATURES=31 run fake top --latency MEM_LOAD_RETIRED.L3_HIT
expect 'top says that it has no event of a table' 3 '' 'has no event MEM_LOAD_RETIRED\.L3_HIT'
FAKE_FEATURES=31 FAKE_LATENCY_UNLOADED=1 run fake top --latency all
expect 'top says that the module is not loaded' 3 '' "'modprobe topdown_latency'"
run fake top --latency no.such
expect 'top says that no event has such a name' 2 '' "^topdown: --latency: there is no event 'no\.such'"
FAKE_FEATURES=31 run fake top --latency all
expect 'latencies need a terminal' 2 '' 'must be a terminal \('

if ! command -v tmux > /dev/null; then
	skip 'top runs on a terminal' 'tmux is not installed'
	finish
	exit
fi

# Servers of our own, which nobody else's settings reach; one that is about to
# exit would take the next session with it.
servers=0
mux() { tmux -S "$TMP/socket$servers" -f /dev/null "$@"; }

# stop: end what runs by itself, as the leak check of the sanitizers hangs when a
# terminal that goes away wakes up what it has stopped
stop() {
	((servers)) || return 0
	mux send-keys Escape q 2> /dev/null || true
	for _ in {1..600}; do
		[[ ! -e $TMP/status ]] || break
		sleep 0.1
	done
	mux kill-server 2> /dev/null || true
}
trap 'stop; rm -rf "$TMP"' EXIT

# start SETTINGS... -- ARG...: topdown top in a new terminal
start() {
	local settings=()

	while [[ $1 != -- ]]; do
		settings+=("$1")
		shift
	done
	shift
	stop
	servers=$((servers + 1))
	rm -f "$TMP/status" "$TMP/before" "$TMP/after" "$TMP/err"
	cat > "$TMP/session" << END
stty -a > $TMP/before
env ASAN_OPTIONS=${ASAN_OPTIONS@Q} FAKE_NODE=$NODE FAKE_FEATURES=31 FAKE_MIX=1 \
	LD_PRELOAD=$PRELOAD ${settings[*]@Q} $TOPDOWN top --device $NODE $* 2> $TMP/err
echo \$? > $TMP/status.new
stty -a > $TMP/after
mv $TMP/status.new $TMP/status
sleep 60
END
	mux new-session -d -x 80 -y 24 "bash $TMP/session"
}

# seen REGEX: wait until the screen has it, 10 s at most; the screen is in $screen
seen() {
	for _ in {1..600}; do
		screen=$(mux capture-pane -p)
		[[ ! $screen =~ $1 ]] || return 0
		sleep 0.1
	done
	printf '# not seen: %s\n' "$1"
	printf '%s\n' "$screen" | sed 's/^/# /'
	return 1
}

shows() {
	local bad=0
	seen "$2" || bad=1
	result "$bad" "the screen shows $1"
}

# ended NAME STATUS: it has ended, and the terminal is as it was
ended() {
	local bad=0

	for _ in {1..600}; do
		[[ ! -e $TMP/status ]] || break
		sleep 0.1
	done
	[[ $(cat "$TMP/status" 2>&1) == "$2" ]] || bad=1
	# The first line is the size, which may have changed.
	cmp -s <(tail -n +2 "$TMP/before") <(tail -n +2 "$TMP/after") || bad=1
	# The other screen is left, and the cursor is to be seen.
	[[ $(mux display-message -p '#{alternate_on} #{cursor_flag}') == '0 1' ]] || bad=1
	((!bad)) || {
		echo "# status $(cat "$TMP/status" 2>&1), $(cat "$TMP/err")"
		mux display-message -p '# alternate #{alternate_on}, cursor #{cursor_flag}'
		diff "$TMP/before" "$TMP/after" | sed 's/^/# /' || true
	}
	result "$bad" "$1"
}

program() { pgrep -P "$(mux display-message -p '#{pane_pid}')" -f "^$TOPDOWN top"; }

start FAKE_CPUS=256 -- -d 100
shows 'the machine' 'R retiring 5[0-9]\.[0-9]  S bad spec 5\.0  F frontend 10\.0'
shows 'the rows' '   0  40\.0   5\.0  10\.0  45\.0\* [0-9.]+G 100\.0 +- +- R+S+F+B+'
shows '256 CPUs' '256 CPUs.*rows 1-18 of 256'
mux send-keys l
shows 'level 2 after l' 'RETIR light heavy.*   0  40\.0  30\.0  10\.0'
mux send-keys l s s s s
shows 'rows by retiring after s' 'sorted by tma_retiring;.*RUN[^0-9]*29  69\.0 '
mux send-keys c f 3-5 Enter
shows 'a list of CPUs after f' 'rows 1-3 of 3; CPUs 3-5.*   5  45\.0'
mux send-keys Space
shows 'that it is frozen after space' 'FROZEN'
frozen=$(mux capture-pane -p)
sleep 1.2
result "$([[ $(mux capture-pane -p) == "$frozen" ]]; echo $?)" 'nothing moves'
mux send-keys Space f Enter Down Down
shows 'rows from 3 on after arrows' 'rows 3-20 of 256'
mux send-keys h
shows 'the help after h' 'space +freeze'
mux resize-window -x 130 -y 40
shows 'the help in a larger window' 'space +freeze'
# A change of size is no key: this one ends the help, and does not go to the end.
mux send-keys End
shows 'more rows in a larger window' 'rows 3-36 of 256'
mux send-keys q
ended 'q gives the terminal back' 0

start -- -d 50 -n 3
ended '-n ends it' 0
for signal in TERM HUP QUIT; do
	start -- -d 100
	seen 'RETIR' || true
	kill "-$signal" "$(program)"
	ended "SIG$signal gives the terminal back" $((128 + $(kill -l "$signal")))
done
start -- -d 100
seen 'RETIR' || true
mux send-keys C-c
ended 'Ctrl-C ends it' 0

start NO_COLOR=1 -- -d 100
seen '100\.0 +- +- RRR' || true
result "$(grep -qE $'\e\\[3[0-7]' <<< "$(mux capture-pane -pe)"; echo $((!$?)))" 'NO_COLOR leaves colour out'
start -- -d 100
seen '100\.0 +- +- RRR' || true
result "$(grep -qE $'\e\\[3[0-7]' <<< "$(mux capture-pane -pe)"; echo $?)" 'colour is there without it'

start TERM=bogus -- -d 100
ended 'an unknown terminal is refused' 2
result "$(grep -q "no description of the terminal 'bogus'" "$TMP/err"; echo $?)" 'it says so'
start TERM=dumb -- -d 100
ended 'a terminal without a cursor is refused' 2
result "$(grep -q "'dumb' cannot place the cursor" "$TMP/err"; echo $?)" 'it says so, too'
start FAKE_IDLE=1 -- -d 100
shows 'idle CPUs' '   0     -     -     -     -       0 100\.0 +- +- idle'
# The record of a busy CPU stands still for as long as the period, which may have been
# raised since the start.
echo 1000 > "$TMP/period"
start FAKE_PERIOD="$TMP/period" FAKE_TICK=2500 -- -d 100
shows 'the period' 'period 1000 ms'
shows 'no record for two periods' '   0     - '
echo 20000 > "$TMP/period"
shows 'another period' 'period 20000 ms'
shows 'a record' '   0  40\.0 '
idle=0
for _ in {1..30}; do
	screen=$(mux capture-pane -p)
	[[ ! $screen =~ '   0     - ' ]] || idle=$((idle + 1))
	sleep 0.1
done
result "$idle" 'is not idle until two of those are over'
start FAKE_FEATURES=31 FAKE_LATENCY_ENDED="$TMP/ended" -- -d 100 --latency all
shows 'latencies' 'latencies in cycles; rows 1-3 of 3.*
~?[^ ]*SPLIT_LOADS +30 +7\.0 +7\.0 +7\.0 +7\.0 +7 +50\.0 *
~?[^ ]*LOCAL_DRAM +30 +190\.0 +99\.5 +399\.5 +399\.5 +400 +50\.0'
mux send-keys l
shows 'latencies of each CPU after l' 'rows 1-6 of 6.*LOCAL_DRAM +1 +20 +190\.0'
mux send-keys L
shows 'slots after L' 'sorted by CPU.*   0  40\.0 '
result "$([[ -e $TMP/ended ]]; echo $?)" 'nothing is sampled after L'
mux send-keys L f 0 Enter l
shows 'latencies again after L' 'rows 1-3 of 3; CPUs 0.*SPLIT_LOADS +10 +7\.0'
# stopped NAME: the latency session ends
stopped() {
	await test -e "$TMP/ended" && bad=0 || bad=1
	result "$bad" "$1"
	rm -f "$TMP/ended"
}
rm -f "$TMP/ended"
mux send-keys Space
shows 'frozen latencies after space' 'FROZEN.*SPLIT_LOADS +10 +7\.0'
stopped 'nothing is sampled for a frozen screen'
mux send-keys Space
seen 'q quit' || true
mux send-keys h
shows 'the help of latencies after h' 'RUN is the share of it in which the event'
stopped 'nothing is sampled for the help'
mux send-keys x
shows 'latencies again after the help' 'rows 1-3 of 3; CPUs 0.*SPLIT_LOADS +10 +7\.0'
pid=$(program)
kill -TSTP "$pid"
stopped 'nothing is sampled for a stopped process'
await grep -q '^State:.T' "/proc/$pid/status"
kill -CONT "$pid"
shows 'latencies that go on' 'rows 1-3 of 3; CPUs 0.*SPLIT_LOADS +10 +7\.0'
mux send-keys q
ended 'q gives the terminal back, and ends the sampling' 0
stopped 'latencies are sampled until q'
start FAKE_FEATURES=31 FAKE_REFUSAL=1 -- -d 100
seen 'RETIR' || true
mux send-keys L
shows 'why a machine samples nothing' '   0  40\.0 .*this machine samples no latency: no CPU has timed PEBS .*
.*hypervisor hides it'
mux send-keys c
shows 'no reason after the next key' 'q quit  h help'
start FAKE_FEATURES=31 FAKE_LATENCY_READS=3 -- -d 100 --latency all
shows 'why latencies cannot be read any more' 'sorted by CPU.*cannot read the CPUs'
# With owners, cycles and the busy time.
OWNERS=FAKE_FEATURES=$((1 << 16 | 1 << 8 | 1 << 9 | 63))
# holds NAME NUMBER: it has so many descriptors of /dev/null, as owners are here
holds() {
	local pid has

	pid=$(program)
	for _ in {1..100}; do
		has=$(find "/proc/$pid/fd" -lname /dev/null | wc -l)
		((has != held + $2)) || break
		sleep 0.1
	done
	result "$((has != held + $2))" "$1"
}
start "$OWNERS" -- -d 100
seen 'RETIR' || true
held=$(find "/proc/$(program)/fd" -lname /dev/null | wc -l)
mux send-keys v
shows 'processes after v' 'processes sorted by slots; rows 1-[34] of [34].*
 +42 serv\?er +[0-9].*
        idle '
holds 'owners are held on' 1
mux send-keys f n i t Enter
shows 'processes of a name after f' "rows 1-1 of 1; names with 'nit'.*
 +1 init +[0-9]"
mux send-keys f Enter Space
shows 'frozen processes after space' 'FROZEN.* 42 serv'
holds 'a frozen screen costs nobody a switch' 0
mux send-keys v
shows 'cgroups after v' 'cgroups sorted by slots; rows 1-5 of 5.*
/ +[0-9].*
  a +[0-9].*
    b +[0-9].*
  c +[0-9].*
idle '
mux send-keys t
shows 'cgroups by themselves after t' 'cgroups by themselves sorted by slots.*
/a/b +[0-9].*
/c +[0-9].*
/a +[0-9].*
/ +[0-9].*
idle '
mux send-keys h
shows 'the help of owners after h' 'A row is a process or cgroup'
holds 'owners are let go for the help' 0
mux send-keys x
shows 'cgroups again after the help' '/a/b +[0-9]'
holds 'owners are held on again after the help' 1
kill -TSTP "$(program)"
await grep -q '^State:.T' "/proc/$(program)/status"
holds 'a stopped process lets go' 0
kill -CONT "$(program)"
shows 'cgroups that go on' '/a/b +[0-9]'
mux send-keys v
shows 'CPUs after v' 'sorted by CPU.*   0  40\.0 '
holds 'owners are let go for CPUs' 0
mux send-keys q
ended 'q gives the terminal back after owners' 0
start "$OWNERS" -- -d 100 --by cgroup --depth 3 --sort tma_memory_bound
shows 'a tree by memory' 'cgroups sorted by tma_memory_bound.*mem.*
/ +[0-9].*
  a '
start "$OWNERS" -- -d 60000 --by process
shows 'that there is no interval yet' 'the first interval has begun'
start "$OWNERS" FAKE_NO_CGROUPS=1 -- -d 100 --by process
seen 'serv' || true
mux send-keys v
shows 'why there are no cgroups' 'sorted by CPU.*this kernel has no owners of this kind'
start "$OWNERS" FAKE_OWNERS_READS=4 -- -d 100 --by process
shows 'why owners cannot be read any more' 'sorted by CPU.*cannot read owners'
start -- -d 100
seen 'RETIR' || true
mux send-keys v
shows 'why an older module has none' 'sorted by CPU.*has no owners'
start FAKE_OFFLINE=2 -- -d 100
shows 'an offline CPU' '   2 .* offline'
finish
