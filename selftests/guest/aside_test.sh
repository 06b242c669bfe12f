#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Perf users do not notice the module: each of their events runs for as much of the time as
# without it, and the module says that it stood aside.
#
# shellcheck disable=SC2154 # here and tmp are of lib.bash

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
# shellcheck source=perf.bash
. "$here/perf.bash"

SPANS=(0.1 1)
# As many as there are general counters.
MANY=branches,branch-misses,cache-references,cache-misses,bus-cycles,r01a4,r02a4,r04a4

# ipc_of CPU: instructions per cycle of half a second; 0 if they are not counted.
ipc_of() {
	topdown stat -C "$1" --timeout 500ms -j | grep -oE '"ipc":[0-9.]+' | cut -d: -f2 | grep . ||
		echo 0
}

cycles_back() { is "$(ipc_of "$1") > 0"; }

# Fails if nothing leaves the counters, or if that takes more than some milliseconds.
test_perf_counts_a_command() {
	local span

	need_perf
	reload
	for span in "${SPANS[@]}"; do
		stat_beside -- "$here/workload" -t "$span" compute
		stat_beside -e "$(events)" -- "$here/workload" -t "$span" compute
	done
}

test_perf_counts_topdown_events() {
	local span

	need_metrics
	for span in "${SPANS[@]}"; do
		perf_stat --topdown --no-metric-only -- "$here/workload" -t "$span" compute
		all_ran "$tmp/perf"
		grep -q topdown-retiring "$tmp/perf"
	done
}

# Fails if only those who start or switch are noticed, not those who run already.
test_perf_counts_a_running_task() {
	local span

	need_perf
	reload
	hog 1
	sleep 0.2
	for span in "${SPANS[@]}"; do
		stat_beside -e "$(events)" -p "$HOG" -- sleep "$span"
	done
	stat_beside -e "$(events)" --per-thread -p "$HOG" -- sleep 0.2
	kill "$HOG"
}

# Fails if a real-time task keeps the work from its CPU.
test_perf_counts_a_realtime_task() {
	need_perf
	reload
	"$here/workload" -f -c 1 -t 600 compute &
	sleep 0.2
	stat_beside -e "$(events)" -p $! -- sleep 1
	kill $!
}

# Fails if the children's CPUs do not follow: each is a context of its own.
test_perf_counts_children() {
	need_perf
	reload
	# shellcheck disable=SC2016 # for the inner shell
	stat_beside -e "$(events)" -- bash -c 'for ((i = 0; i < 40; i++)); do
		"$1" -c $((i % 2)) -t 0.03 compute & "$1" -t 0.02 compute; wait; done' bash \
		"$here/workload"
}

cgroup_is_gone() { awk '$1 == "perf_event" { exit $3 != 1 }' /proc/cgroups; }

# Events of a cgroup are the CPU's, but somebody counts tasks.
test_perf_counts_a_cgroup() {
	local root=$tmp/cgroup bad=

	need_perf
	mkdir "$root"
	mount -t cgroup -o perf_event none "$root" || skip "there are no cgroups of perf"
	mkdir -p "$root/$CGROUP"
	reload
	hog 1
	echo "$HOG" > "$root/$CGROUP/cgroup.procs"
	sleep 0.2
	stat_beside -a -C 1 -e "$(events)" -G "$CGROUP" -- sleep 1 || bad=perf
	state_is cpu1 aside || bad+=state
	kill "$HOG"
	wait "$HOG" || true
	rmdir "$root/$CGROUP"
	# Otherwise perf's controller stays where it is, and version 2 never has it again.
	await 5 cgroup_is_gone
	umount "$root"
	[[ -z $bad ]] || die "wrong: $bad, $(< "$tmp/perf")"
}

# samples: how many perf record takes of a second.
samples() {
	perf record -q -e cycles -c 10000000 -o "$tmp/data" -- "$here/workload" -t 1 compute > /dev/null
	perf script -i "$tmp/data" -F event 2> /dev/null | wc -l
}

test_perf_record_keeps_its_samples() {
	local without with

	need_perf
	unload
	without=$(samples)
	load
	with=$(samples)
	echo "samples: $without without the module, $with with it"
	is "$without > 100 && $with >= $without * $LEAST / 100"
}

# Fails if ours is not said to be aside, or not to run as before afterwards.
test_it_is_said() {
	local before share

	need_perf
	reload period_ms=100
	hog 1
	# All of several groups have to have had a turn.
	await 3 state_is cpu1 ok
	# Groups of ordinary counters that do not fit beside each other take turns.
	before=$(share_of 1 sleep 1)
	perf_stat -e "$(events)" -p "$HOG" -- sleep 4 &
	await 2 state_is cpu1 aside
	state_is total aside
	# The other CPUs keep their counters.
	state_is cpu0 ok
	sleep 0.3
	topdown stat -a -A -j -I 300 --count 1 > "$tmp/json"
	grep '"cpu":1,' "$tmp/json" | quiet_grep '"state":"aside"'
	fails 4 "" topdown stat -a -I 300 --count 1 --strict
	share=$(share_of 1 sleep 1)
	echo "in a second beside perf ours had $share%, before $before%"
	is "$share < 5"
	wait $!
	# Without the module they ran all of the time, or took turns as here.
	! has_metrics || all_ran "$tmp/perf"
	sleep 1
	share=$(share_of 1 sleep 1)
	echo "after perf: $share%"
	is "$share >= $before - 1"
	state_is cpu1 ok
	kill "$HOG"
	if has_metrics; then
		is "$share >= 99"
		measure -t 1000
	fi
}

# Ours come back, find that they are still in the way, and leave.  Fails if what little
# they counted in between is taken for what no CPU can have done.
test_ours_leave_again_if_in_the_way() {
	local i j state said

	need_perf
	reload
	for ((i = 0; i < 3; i++)); do
		# An idle CPU counts so little that the next bit makes other bytes of it.
		sleep 2
		perf_stat -e "$(events)" -- "$here/workload" -c 1 -t 3 compute &
		said=0
		# Until perf begins it says what was at the end of the last window.
		for ((j = 0; j < 20; j++)); do
			state=$(field cpu1 state)
			[[ $state == @(ok|aside) ]] || die "it says $state"
			[[ $state != aside ]] || said=$((said + 1))
			sleep 0.2
		done
		wait $!
		# Most of three seconds.
		is "$said >= 10"
	done
	topdown info | grep '^odd_windows:'
	if has_metrics; then
		topdown info | quiet_grep '^odd_windows: [0-9-]*: 0$'
	fi
}

# A fresh reading while aside brings the time up to date, and no slots.
test_a_fresh_reading_brings_no_slots() {
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

# Users of whole CPUs: first as well, or fairly by rotation.
test_perf_counts_whole_cpus() {
	local share

	need_perf
	reload
	hog 1
	stat_beside -C 1 -e "$(events)" -- sleep 1
	state_is cpu1 aside
	PARAMETERS=(aside=tasks)
	reload "${PARAMETERS[@]}"
	perf_stat -C 1 -e "$(events)" -- sleep 1
	fails 1 "" state_is cpu1 aside
	if has_metrics; then
		perf_stat -C 1 -e "$GROUP" -- sleep 1
		share=$(awk -F, '$3 == "slots" { print $5 }' "$tmp/perf")
		echo "aside=tasks: perf had $share%"
		is "$share > 35 && $share < 65"
		fails 1 "" state_is cpu1 aside
	fi
	kill "$HOG"
}

# mean_share FILE: the share of the time for which perf counted, of all events on average.
mean_share() { awk -F, '$3 != "" { share += $5; n++ } END { print n ? share / n : 0 }' "$1"; }

# as_without FILE: events had no smaller share than those of the FILE, on average: which of
# the events that do not fit gets more turns is luck.
as_without() {
	local had want

	had=$(mean_share "$tmp/perf")
	want=$(mean_share "$1")
	echo "on average $had%, without the module $want%"
	is "$had >= $want * $LEAST / 100" && return
	cat "$1" "$tmp/perf"
	return 1
}

# Ten events need all general counters and those of cycles and instructions, so our group of
# these gives way to users of tasks and of whole CPUs; later it counts again.  Beside the
# watchdog's event they do not fit without the module either.
test_perf_counts_cycles() {
	local ten=cycles,instructions,$MANY watchdog

	need_metrics
	PARAMETERS=()
	for watchdog in 0 1; do
		echo $watchdog > /proc/sys/kernel/nmi_watchdog
		unload
		hog 1
		perf_stat -C 1 -e "$ten" -- sleep 1
		mv "$tmp/perf" "$tmp/cpu"
		perf_stat -e "$ten" -- "$here/workload" -c 1 -t 1 compute
		mv "$tmp/perf" "$tmp/task"
		load
		sleep 0.5
		is "$(ipc_of 1) > 0"
		perf_stat -e "$ten" -- "$here/workload" -c 1 -t 1 compute
		as_without "$tmp/task"
		perf_stat -C 1 -e "$ten" -- sleep 1
		as_without "$tmp/cpu"
		await 20 cycles_back 1
		kill "$HOG"
	done
	echo 0 > /proc/sys/kernel/nmi_watchdog
}

# Beside a user of the whole CPU who is not served a task gets nothing, whatever we do: so we
# stay.
test_ours_stay_where_leaving_helps_nobody() {
	local share cpu

	need_metrics
	reload aside=tasks period_ms=100
	hog 1
	perf stat -C 1 -x, -o "$tmp/cpu" -e "$GROUP" -- sleep 9 &
	cpu=$!
	# Until it is there, ours have all of the time: perf takes a second and more to begin.
	await 4 state_is cpu1 contended
	perf stat -x, -o "$tmp/task" -e "$GROUP" -p "$HOG" -- sleep 6 &
	sleep 2
	share=$(share_of 1 sleep 3)
	wait "$cpu" $!
	kill "$HOG"
	cat "$tmp/cpu" "$tmp/task"
	echo "ours had $share%"
	is "$share > 45 && $share < 55"
}

# two_groups EVENTS: of a task, with other events, have the counter together all the time.
two_groups() {
	local shares

	need_metrics
	reload
	hog 1
	# perf cuts percentages, and there are two of them.
	perf_stat -e task-clock -e "$GROUP" -e "$GROUP$1" -p "$HOG" -- sleep 4
	kill "$HOG"
	shares=$(awk -F, '
		$3 == "task-clock" { all = $1 * 1e6 }
		$3 == "slots" { ran += $4 }
		END { printf "%.2f", all ? ran / all * 100 : 0 }' "$tmp/perf")
	echo "both together: $shares%"
	is "$shares >= $LEAST"
}

# Two groups of a task take turns, so one of them lacks the counter while it helps them that
# ours are away.  Fails if that is taken for no help, as ours would then stay.
test_ours_leave_for_two_groups() { two_groups ""; }

# So, too, if the task has many newer events that need no counter of ours.
test_ours_leave_for_one_of_many_events() { two_groups "$(printf ',dummy%.0s' {1..300})"; }

# runs_for PERCENT: of half a second the group of CPU 1 runs for more.
runs_for() { is "$(share_of 1 sleep 0.5) > $1"; }

# A perf user who keeps the only counter that an event of a task can have: ours are not in the
# way, but that shows only when they are away.  Fails if they leave again and again.
test_ours_leave_rarely_in_vain() {
	local only='cpu/event=0xc0,umask=0x1/' before share holder

	need_perf
	[[ $(topdown info) == *Skylake* ]] || skip "the driver knows no event that can have one counter only"
	unload
	hog 1
	perf stat -C 1 -x, -o "$tmp/cpu" -e "${only}D" &
	holder=$!
	sleep 2
	load period_ms=100
	# Our groups are made as small as they have to be beside it.
	await 15 runs_for 8
	sleep 1
	before=$(share_of 1 sleep 2)
	perf stat -x, -o "$tmp/task" -e "$only" -p "$HOG" -- sleep 11 &
	# They stand aside three times meanwhile, and wait longer each time.
	sleep 6
	share=$(share_of 1 sleep 4)
	wait $!
	kill -INT "$holder"
	wait "$holder" || true
	kill "$HOG"
	cat "$tmp/cpu" "$tmp/task"
	quiet_grep 'not counted' "$tmp/task"
	echo "ours had $share%, before $before%"
	is "$share >= $before * 0.6"
}

# With aside=never perf gets too little, so the tests above can fail.  Also the words of the
# parameter.
test_aside_never_keeps_perf_out() {
	need_perf
	fails "$ERROR" "" load aside=perhaps
	PARAMETERS=(aside=never)
	reload "${PARAMETERS[@]}"
	topdown info | quiet_grep '^aside: never$'
	fails 1 "too little|not counted" stat_beside -e "$(events)" -- "$here/workload" -t 0.5 compute
	reload aside=tasks
	topdown info | quiet_grep '^aside: tasks$'
	reload
	topdown info | quiet_grep '^aside: all$'
}

# Offline, and unloaded, while it stands aside: nothing is left that points there.
test_ours_may_go_while_aside() {
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
	sleep 1.5
	if has_metrics; then measure -t 500; else state_is cpu1 ok; fi
	if log_since | grep -E 'BUG|WARNING|Call Trace'; then
		return 1
	fi
}

need_module
SOURCE=$(field cpu0 source)
run_tests test_perf_counts_a_command test_perf_counts_topdown_events \
	test_perf_counts_a_running_task test_perf_counts_a_realtime_task \
	test_perf_counts_children test_perf_counts_a_cgroup test_perf_record_keeps_its_samples \
	test_it_is_said test_ours_leave_again_if_in_the_way test_a_fresh_reading_brings_no_slots \
	test_perf_counts_whole_cpus test_perf_counts_cycles \
	test_ours_stay_where_leaving_helps_nobody test_ours_leave_for_two_groups \
	test_ours_leave_for_one_of_many_events test_ours_leave_rarely_in_vain \
	test_aside_never_keeps_perf_out test_ours_may_go_while_aside
