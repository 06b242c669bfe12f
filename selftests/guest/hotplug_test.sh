#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# CPUs that go and come back, and the module that does, under load and while
# others read.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
# shellcheck source=perf.bash
. "$here/perf.bash"

CYCLES=$(times 12 200)
LOADS=$(times 4 100)
ROTATED_LOADS=$(times 4 1000)
LAST=$(($(nproc) - 1))

online() { echo "$2" > "/sys/devices/system/cpu/cpu$1/online"; }

need_hotplug() {
	if [[ ! -e /sys/devices/system/cpu/cpu$LAST/online ]] || ((LAST == 0)); then
		skip "no CPU can go offline"
	fi
	fair_server_off
}

# Readers of all kinds until they are killed; load on all CPUs.
readers_start() {
	busy
	(while :; do topdown stat -a -A -j -I 50 --count 20; done > /dev/null 2>&1) &
	READERS=$!
	(while :; do cat "$SYSFS"/*; done > /dev/null 2>&1) &
	READERS+=" $!"
}

readers_stop() {
	# shellcheck disable=SC2086
	kill $READERS $BUSY
	# shellcheck disable=SC2086
	wait $READERS $BUSY || true
	# The commands they were running.
	while pidof topdown > /dev/null; do sleep 0.1; done
}

# An offline CPU shows that it is offline, and sums that stand still.
test_an_offline_cpu_says_so() {
	local before

	need_hotplug
	reload period_ms=100
	busy
	await 20 grown "cpu$LAST" 0
	online "$LAST" 0
	before=$(field "cpu$LAST" slots)
	state_is "cpu$LAST" offline
	grep -q "^$LAST: offline$" "$SYSFS/sources" || die "$(< "$SYSFS/sources")"
	state_is total ok
	sleep 0.5
	[[ $(field "cpu$LAST" slots) == "$before" ]]
	topdown stat -a -A -j -I 100 --count 1 > "$tmp/json"
	grep -q "\"cpu\":$LAST,\"state\":\"offline\"" "$tmp/json" ||
		! grep -q "\"cpu\":$LAST," "$tmp/json" || die "$(grep "\"cpu\":$LAST," "$tmp/json")"
	online "$LAST" 1
	"$here/workload" -c "$LAST" -t 30 compute &
	await 20 grown "cpu$LAST" "$before"
	state_is "cpu$LAST" ok
	echo "slots before $before, after $(field "cpu$LAST" slots)"
	# shellcheck disable=SC2086
	kill $! $BUSY
	measure -t 1000
}

test_a_cpu_that_was_offline_is_measured() {
	need_hotplug
	unload
	online "$LAST" 0
	load period_ms=100
	state_is "cpu$LAST" offline
	[[ $(field "cpu$LAST" windows) == 0 ]]
	grep -q '^tma_retiring 0 - -$\|^tma_retiring - - -$' "$SYSFS/cpu$LAST" ||
		die "figures of a CPU that never was: $(cat "$SYSFS/cpu$LAST")"
	online "$LAST" 1
	measure -t 1000
	online "$LAST" 0
	unload
	online "$LAST" 1
	load
	measure -t 1000
}

test_cpus_go_and_come_under_load() {
	local i cpu

	need_hotplug
	reload period_ms=20
	readers_start
	for ((i = 0; i < CYCLES; i++)); do
		cpu=$((1 + i % LAST))
		online "$cpu" 0
		# Now and then two at once.
		((i % 4 || LAST < 2)) || online $((1 + (i + 1) % LAST)) 0
		online "$cpu" 1
		((i % 4 || LAST < 2)) || online $((1 + (i + 1) % LAST)) 1
	done
	readers_stop
	echo "$CYCLES cycles"
	for ((cpu = 0; cpu <= LAST; cpu++)); do
		state_is "cpu$cpu" ok
	done
	echo 200 > "$SYSFS/period_ms"
	measure -t 1500
}

test_the_module_reloads_under_load() {
	local i

	unload
	busy
	for ((i = 0; i < LOADS; i++)); do
		load period_ms=$((10 + i))
		((i % 2)) || cat "$SYSFS/total" > /dev/null
		((i % 3)) || topdown stat -a -A -j -I 10 --count 2 > /dev/null
		unload
	done
	# shellcheck disable=SC2086
	kill $BUSY
	echo "$LOADS cycles"
	load period_ms=200
	measure -t 1500
}

test_the_module_reloads_during_hotplug() {
	local i hotplug

	need_hotplug
	(while :; do online "$LAST" 0; online "$LAST" 1; done) &
	hotplug=$!
	for ((i = 0; i < LOADS; i++)); do
		reload period_ms=10
	done
	kill "$hotplug"
	wait "$hotplug" || true
	online "$LAST" 1 2> /dev/null || true
	reload period_ms=200
	measure -t 1000
}

has_child() { [[ -n $(children_of "$1") ]]; }

# perf rotates on all CPUs, as no CPU has counters for all of these.
rotation_start() {
	perf stat -a -x, -o "$tmp/perf" -e "$(events),$ORDINARY,$ORDINARY" -- sleep 3600 &
	ROTATES=$!
	ROTATES_SINCE=$SECONDS
	# Until then it reads which PMUs there are, and perf 6.1 crashes if one comes or goes.
	await 10 has_child "$ROTATES"
}

# rotation_stop: the user did rotate, and counted all the time.
rotation_stop() {
	local ms=$(((SECONDS - ROTATES_SINCE) * 1000)) turn

	turn=$(cat /sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms)

	end_user "$ROTATES"
	awk -F, '$5 ~ /^[0-9.]+$/ && $5 > 0 { events++; shared += $5 < 90 }
		END { exit !(events && shared) }' "$tmp/perf" || die "$(< "$tmp/perf")"
	echo "$((ms * (LAST + 1) / turn)) rotations at most"
}

test_figures_survive_rotation_and_hotplug() {
	local i cpu

	need_perf
	need_hotplug
	reload period_ms=20 share=8
	busy
	rotation_start
	await 10 state_is cpu0 aside
	for ((i = 0; i < CYCLES; i++)); do
		cpu=$((1 + i % LAST))
		online "$cpu" 0
		sleep 0.1
		online "$cpu" 1
		sleep 0.1
	done
	rotation_stop
	# shellcheck disable=SC2086
	kill $BUSY
	reload period_ms=200
	measure -t 1500
}

test_the_module_reloads_during_rotation() {
	local i

	need_perf
	unload
	busy
	rotation_start
	for ((i = 0; i < ROTATED_LOADS; i++)); do
		load period_ms=20 share=8
		# Some are unloaded within a turn, some between two.
		sleep "0.0$((i % 10))"
		unload
	done
	rotation_stop
	# shellcheck disable=SC2086
	kill $BUSY
	echo "$ROTATED_LOADS loads"
	load period_ms=200
	measure -t 1500
}

test_the_kernel_does_not_complain() {
	if dmesg | grep -E 'WARNING: |BUG: |Oops|Call Trace|possible (circular|recursive)|suspicious RCU'; then
		die "the kernel complained"
	fi
	if [[ -e /sys/kernel/debug/kmemleak ]]; then
		sleep 6
		echo scan > /sys/kernel/debug/kmemleak
		sleep 1
		echo scan > /sys/kernel/debug/kmemleak
		! grep -q . /sys/kernel/debug/kmemleak || die "$(head -n 40 /sys/kernel/debug/kmemleak)"
	fi
}

need_module
SOURCE=$(field cpu0 source)
run_tests test_an_offline_cpu_says_so test_a_cpu_that_was_offline_is_measured \
	test_cpus_go_and_come_under_load test_the_module_reloads_under_load \
	test_the_module_reloads_during_hotplug test_figures_survive_rotation_and_hotplug \
	test_the_module_reloads_during_rotation test_the_kernel_does_not_complain
