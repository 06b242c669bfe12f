#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Perf users who count tasks do not notice the module: each of their events runs for
# as much of the time as without it, and the module says that it stood aside.
#
# shellcheck disable=SC2154 # here and tmp are of lib.bash

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

LEAST=95
SPANS=(0.1 1)
GENERAL=cycles,instructions,branches,branch-misses
GROUP='{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}'

need_perf() { command -v perf > /dev/null || skip "there is no perf"; }

has_metrics() { [[ $(field cpu0 source) == perf_metrics ]]; }

# What a user asks for who wants as much as there is.
events() {
	if has_metrics; then
		echo "$GENERAL,$GROUP"
	else
		# As many as fit beside the NMI watchdog on four counters; ours leave no room.
		echo "$GENERAL"
	fi
}

need_metrics() {
	need_perf
	has_metrics || skip "this CPU has no PERF_METRICS"
}

# hog CPU [SECONDS]: in the background; HOG is its number.
hog() {
	"$here/workload" -c "$1" -t "${2:-600}" compute &
	HOG=$!
}

# perf_stat OPTION...: what perf counted is in $tmp/perf, a line an event.
perf_stat() {
	rm -f "$tmp/perf"
	perf stat -x, -o "$tmp/perf" "$@"
}

# all_ran FILE [PERCENT]: every event was counted, and for so much of the time.
all_ran() {
	grep -v '^#' "$1" | awk -F, -v least="${2:-$LEAST}" '
		$1 == "" || $3 == "" { next }
		{ n++ }
		$1 !~ /^[0-9.]+$/ || $5 < least { bad++; print "too little: " $0 }
		END { if (!n) print "no event"; exit !n || bad }' && return
	cat "$1"
	return 1
}

# share_of CPU COMMAND...: the percent of its time in which the CPU's group ran.
share_of() {
	local cpu=$1
	shift

	measure "$@" | awk -v cpu="$cpu" '$2 == cpu && $4 > 0 { print 100 * $6 / $4 }'
}

# Fails if nothing leaves the counters, or if that takes more than some milliseconds.
test_command() {
	local span

	need_perf
	reload
	for span in "${SPANS[@]}"; do
		perf_stat -- "$here/workload" -t "$span" compute
		all_ran "$tmp/perf"
		perf_stat -e "$(events)" -- "$here/workload" -t "$span" compute
		all_ran "$tmp/perf"
	done
}

test_topdown() {
	local span

	need_metrics
	for span in "${SPANS[@]}"; do
		perf_stat --topdown --no-metric-only -- "$here/workload" -t "$span" compute
		all_ran "$tmp/perf"
		grep -q topdown-retiring "$tmp/perf"
	done
}

# Fails if only those who start or switch are noticed, not those who run already.
test_running_task() {
	local span

	need_perf
	reload
	hog 1
	sleep 0.2
	for span in "${SPANS[@]}"; do
		perf_stat -e "$(events)" -p "$HOG" -- sleep "$span"
		all_ran "$tmp/perf"
	done
	perf_stat -e "$(events)" --per-thread -p "$HOG" -- sleep 0.2
	sed -i 's/^[^,]*-[0-9]*,//' "$tmp/perf"
	all_ran "$tmp/perf"
	kill "$HOG"
}

# Fails if a real-time task keeps the work from its CPU.
test_realtime_task() {
	need_perf
	reload
	"$here/workload" -f -c 1 -t 600 compute &
	sleep 0.2
	perf_stat -e "$(events)" -p $! -- sleep 1
	kill $!
	all_ran "$tmp/perf"
}

# Fails if the children's CPUs do not follow: each is a context of its own.
test_children() {
	need_perf
	reload
	# shellcheck disable=SC2016 # for the inner shell
	perf_stat -e "$(events)" -- bash -c 'for ((i = 0; i < 40; i++)); do
		"$1" -c $((i % 2)) -t 0.03 compute & "$1" -t 0.02 compute; wait; done' bash \
		"$here/workload"
	all_ran "$tmp/perf"
}

# Events of a cgroup are the CPU's, but somebody counts tasks.
test_cgroup() {
	local root=$tmp/cgroup cpu

	need_perf
	mkdir "$root"
	mount -t cgroup -o perf_event none "$root" || skip "there are no cgroups of perf"
	mkdir -p "$root/topdown"
	reload
	hog 1
	echo "$HOG" > "$root/topdown/cgroup.procs"
	sleep 0.2
	cpu=0
	perf_stat -a -C 1 -e "$(events)" -G topdown -- sleep 1 || cpu=$?
	state_is cpu1 aside || cpu=aside
	kill "$HOG"
	wait "$HOG" || true
	rmdir "$root/topdown"
	umount "$root"
	[[ $cpu == 0 ]] || die "perf: $cpu, $(< "$tmp/perf")"
	all_ran "$tmp/perf"
}

# samples: how many perf record takes of a second.
samples() {
	perf record -q -e cycles -c 10000000 -o "$tmp/data" -- "$here/workload" -t 1 compute > /dev/null
	perf script -i "$tmp/data" -F event 2> /dev/null | wc -l
}

test_record() {
	local without with

	need_perf
	unload
	without=$(samples)
	load
	with=$(samples)
	echo "samples: $without without the module, $with with it"
	is "$without > 100 && $with >= $without * $LEAST / 100"
}

# Fails if ours is not said to be aside, or not to run all of the time afterwards.
test_it_is_said() {
	local share

	need_perf
	reload period_ms=100
	hog 1
	sleep 0.5
	state_is cpu1 ok
	perf_stat -e "$(events)" -p "$HOG" -- sleep 4 &
	await 2 state_is cpu1 aside
	state_is total aside
	# Of others nothing is taken.
	state_is cpu0 ok
	sleep 0.3
	topdown stat -a -A -j -I 300 --count 1 > "$tmp/json"
	grep '"cpu":1,' "$tmp/json" | quiet_grep '"state":"aside"'
	fails 4 "" topdown stat -a -I 300 --count 1 --strict
	share=$(share_of 1 sleep 1)
	echo "in a second beside perf ours had $share%"
	is "$share < 5"
	wait $!
	all_ran "$tmp/perf"
	sleep 1
	share=$(share_of 1 sleep 1)
	echo "after perf: $share%"
	is "$share >= 99"
	state_is cpu1 ok
	kill "$HOG"
	measure -t 1000
}

# A fresh reading while aside brings the time up to date, and no slots.
test_fresh() {
	local slots

	need_perf
	reload period_ms=10000
	hog 1
	sleep 0.2
	perf_stat -e "$(events)" -p "$HOG" -- sleep 3 &
	await 2 state_is cpu1 aside
	topdown stat -a -A -j -I 500 --count 1 > "$tmp/json"
	grep '"cpu":1,' "$tmp/json"
	slots=$(grep '"cpu":1,' "$tmp/json" | sed 's/.*"running":\([0-9.]*\).*/\1/')
	is "$slots < 0.05"
	wait $!
	kill "$HOG"
}

# Users of whole CPUs: fairly by rotation, or first as well.
test_whole_cpus() {
	local share

	need_metrics
	reload
	hog 1
	perf_stat -C 1 -e "$GROUP" -- sleep 1
	share=$(awk -F, '$3 == "slots" { print $5 }' "$tmp/perf")
	echo "aside=tasks: perf had $share%"
	is "$share > 35 && $share < 65"
	reload aside=all
	perf_stat -C 1 -e "$GROUP" -- sleep 1
	state_is cpu1 aside
	kill "$HOG"
	all_ran "$tmp/perf"
}

# Beside a user of the whole CPU a task gets nothing, whatever we do: so we stay.
test_no_use() {
	local share cpu

	need_metrics
	reload
	hog 1
	perf stat -C 1 -x, -o "$tmp/cpu" -e "$GROUP" -- sleep 5 &
	cpu=$!
	perf stat -x, -o "$tmp/task" -e "$GROUP" -p "$HOG" -- sleep 5 &
	sleep 1
	share=$(share_of 1 sleep 3)
	wait "$cpu" $!
	kill "$HOG"
	cat "$tmp/cpu" "$tmp/task"
	echo "ours had $share%"
	is "$share > 35 && $share < 65"
}

# What the tests above would say if it did nothing; and what the parameter says.
test_never() {
	need_metrics
	fails "$ERROR" "" load aside=perhaps
	reload aside=never
	topdown info | quiet_grep '^aside: never$'
	perf_stat -e "$GROUP" -- "$here/workload" -t 0.5 compute
	grep -q 'not counted' "$tmp/perf"
	reload aside=all
	topdown info | quiet_grep '^aside: all$'
	reload
	topdown info | quiet_grep '^aside: tasks$'
}

# Offline, and unloaded, while it stands aside: nothing is left that points there.
test_gone_meanwhile() {
	local i

	need_perf
	fair_server_off
	log_mark
	for ((i = 0; i < $(times 3 10); i++)); do
		reload
		hog 1
		perf_stat -e "$(events)" -p "$HOG" -- sleep 2 &
		await 2 state_is cpu1 aside
		echo 0 > /sys/devices/system/cpu/cpu1/online
		state_is cpu1 offline
		echo 1 > /sys/devices/system/cpu/cpu1/online
		taskset -p 2 "$HOG"
		await 2 state_is cpu1 aside
		unload
		kill "$HOG"
		wait || true
	done
	load
	measure -t 500
	if log_since | grep -E 'BUG|WARNING|Call Trace'; then
		return 1
	fi
}

need_module
run_tests test_command test_topdown test_running_task test_realtime_task test_children \
	test_cgroup test_record test_it_is_said test_fresh test_whole_cpus test_no_use \
	test_never test_gone_meanwhile
