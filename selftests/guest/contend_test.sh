#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Beside another user of the SLOTS counter: perf.  Ours stand aside, or with aside=never the two
# take turns; both say for which share of the time they had the counter, and both are right.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

SPAN_MS=$(times 2000 5000)
EVENTS='{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}'

# perf_beside COMMAND...: runs it, and perf counts each CPU meanwhile.
perf_beside() { perf stat -a -A -x, -o "$tmp/perf" -e "$EVENTS" -- "$@"; }

# perf_share CPU: the percent of the time that perf says it had the counter.
perf_share() {
	awk -F, -v cpu="CPU$1" '$1 == cpu && $4 ~ /^slots/ { print $6 }' "$tmp/perf"
}

need_perf() {
	command -v perf > /dev/null || skip "there is no perf"
	perf stat -e "$EVENTS" true > /dev/null 2>&1 || skip "perf cannot count topdown events"
}

test_figures_are_right_beside_perf() {
	need_perf
	reload period_ms=200
	perf_beside "$here/measure" -t "$SPAN_MS" -p 1 -s -1
	reload aside=never period_ms=200
	perf_beside "$here/measure" -t "$SPAN_MS" -p 1 -s -1
}

# All the time that we say we lost, perf says it had, and the other way round.
test_shares_are_right_beside_perf() {
	need_perf
	shares_between 95 100
	shares_between 20 80 aside=never
}

# shares_between LEAST MOST [PARAMETER=VALUE]...: that share of the time is perf's.
shares_between() {
	local cpu enabled lost perfs share least=$1 most=$2
	shift 2

	reload period_ms=200 "$@"
	busy
	measure perf stat -a -A -x, -o "$tmp/perf" -e "$EVENTS" -- \
		sleep $((2 * SPAN_MS / 1000)) > "$tmp/ours"
	# shellcheck disable=SC2086
	kill $BUSY
	cat "$tmp/ours" "$tmp/perf"
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		read -r enabled lost < <(awk -v cpu="$cpu" \
			'$2 == cpu { print $4 / 1e6, ($4 - $6) / 1e6 }' "$tmp/ours")
		perfs=$(awk -F, -v cpu="CPU$cpu" \
			'$1 == cpu && $4 ~ /^slots/ { print $5 / 1e6 }' "$tmp/perf")
		echo "CPU $cpu: of $enabled ms we lost $lost, perf had $perfs"
		share=$(perf_share "$cpu")
		is "$share >= $least && $share <= $most"
		is "$lost - $perfs <= $enabled / 20 && $perfs - $lost <= $enabled / 20"
	done
}

# last_window_below FILE PERCENT: of it we had the counter for less.
last_window_below() { is "$(field "$1" running 2 | tr -d %) < $2" > /dev/null; }

# Everything that shows figures shows for how much of the time they are.
test_contention_is_shown() {
	need_perf
	reload aside=never period_ms=100
	busy
	perf stat -a -x, -o "$tmp/perf" -e "$EVENTS" -- sleep 100 &
	await 20 state_is cpu0 contended
	# That was a window in which perf began: the next are shared from the start.
	await 10 last_window_below cpu0 90
	cat "$SYSFS/cpu0"
	state_is total contended
	topdown stat -a -A -j -I 500 --count 1 > "$tmp/json"
	cat "$tmp/json"
	[[ $(grep -c '"state":"contended"' "$tmp/json") == $(($(nproc) + 1)) ]]
	fails 4 "" topdown stat -a -I 100 --count 1 --strict
	kill $!
	await 5 state_is cpu0 ok
	topdown stat -a -I 100 --count 1 --strict
	# shellcheck disable=SC2086
	kill $BUSY
}

# perf's count beside us is as right as ours: retiring of CPU 0.
test_perf_is_right_too() {
	local share

	need_perf
	reload
	"$here/workload" -c 0 -t 60 compute &
	sleep 1
	# Not on that CPU itself, where perf would count its own work.
	taskset 2 perf stat -C 0 -x, -o "$tmp/perf" -e "$EVENTS" -- sleep 2
	kill $!
	cat "$tmp/perf"
	share=$(awk -F, '$3 ~ /^slots/ { slots = $1 } $3 ~ /retiring/ { n = $1 }
		END { print 100 * n / slots }' "$tmp/perf")
	echo "retiring: $share%, should be 78"
	is "$share > 76 && $share < 80"
}

# All CPUs count instructions per cycle.
cycles_are_back() {
	local cpus

	cpus=$(topdown stat -A --timeout 500ms -j | grep -oE '"row":"cpu".*"ipc":[0-9]' | wc -l)
	((cpus == $(nproc)))
}

test_all_is_well_afterwards() {
	need_perf
	loaded || load
	perf_beside sleep 1
	# The window that perf was in ends when its CPU is busy again; then others have to.
	echo 100 > "$SYSFS/period_ms"
	# perf stops all groups of a CPU for a moment when that of cycles comes back.
	await 20 cycles_are_back
	measure -t 1000 > "$tmp/ours" || die "wrong: $(< "$tmp/ours")"
	cat "$tmp/ours"
	if grep -v 'running 1.0000 state 0' "$tmp/ours"; then
		die "the group did not run all of the time"
	fi
}

test_perf_is_well_without_us() {
	local cpu

	need_perf
	reload
	unload
	busy
	perf_beside sleep 1
	# shellcheck disable=SC2086
	kill $BUSY
	cat "$tmp/perf"
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		[[ $(perf_share "$cpu") == 100.00 ]]
	done
}

# With pinned=1 nobody else gets the counter, and perf says so.
test_pinned_keeps_others_out() {
	local status=0

	need_perf
	reload pinned=1
	topdown info | quiet_grep '^pinned: yes$'
	# Each turn that perf asks for in vain stops our counter for a moment.
	perf_beside "$here/measure" -t 1000 -s 2 > "$tmp/ours" || status=$?
	cat "$tmp/ours" "$tmp/perf"
	((status == 0)) || die "wrong figures"
	if grep -v 'running 1.0000 state 0' "$tmp/ours"; then
		die "the group did not run all of the time"
	fi
	grep -q '<not counted>' "$tmp/perf" || die "perf says that it counted"
	if grep -E '^CPU[0-9]+,[0-9]+,' "$tmp/perf"; then
		die "perf counted"
	fi
	reload
}

# said TEXT: how often the kernel log has it.
said() { dmesg | grep -c "$1" || true; }

# Somebody else's pinned group keeps ours out: an error that is seen, and ends.
test_a_pinned_group_keeps_ours_out() {
	local refused again

	need_perf
	refused=$(said 'CPU0: another pinned event')
	again=$(said 'CPU0: measured again')
	unload
	busy
	# shellcheck disable=SC2016 # for the inner shell
	perf stat -a -x, -o "$tmp/perf" -e "${EVENTS}:D" -- \
		bash -c 'touch "$1"; sleep 4' bash "$tmp/started" &
	await 10 test -e "$tmp/started"
	load pinned=1 period_ms=60000
	# Also before the first window has closed, as that of CPU 0 has soon.
	state_is cpu1 error
	echo 100 > "$SYSFS/period_ms"
	sleep 1
	cat "$SYSFS/cpu0"
	state_is cpu0 error
	[[ $(field cpu0 slots) == 0 ]]
	wait $! || true
	cat "$tmp/perf"
	# It is tried again after one second, two, four, ...
	await 15 state_is cpu0 ok
	# In the log is that it began and that it ended, and no try between.
	dmesg | grep 'topdown: CPU0' || true
	[[ $(said 'CPU0: another pinned event') == $((refused + 1)) ]]
	[[ $(said 'CPU0: measured again') == $((again + 1)) ]]
	# shellcheck disable=SC2086
	kill $BUSY
	measure -t 1000 || die "wrong after it was kept out"
	reload
}

need_module
run_tests test_figures_are_right_beside_perf test_shares_are_right_beside_perf \
	test_contention_is_shown test_perf_is_right_too test_all_is_well_afterwards \
	test_perf_is_well_without_us test_pinned_keeps_others_out \
	test_a_pinned_group_keeps_ours_out
