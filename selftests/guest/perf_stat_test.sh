#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perf itself as a user of the PMU topdown and of the tracepoints: perf stat of a command, a
# process, CPUs at intervals and a cgroup, eight at once, perf record, and the lines that
# "topdown perf" prints.  The workload is of a known profile; perf_test.c has the exact truth.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

NODES='tma_retiring tma_bad_speculation tma_frontend_bound tma_backend_bound'
NODES+=' tma_heavy_operations tma_light_operations tma_branch_mispredicts tma_machine_clears'
NODES+=' tma_fetch_latency tma_fetch_bandwidth tma_memory_bound tma_core_bound'
EVENTS=topdown/slots/
for node in $NODES; do
	EVENTS+=,topdown/$node/
done
# The ratios of the workload "branchy", in the order of NODES.
TRUTH='27 43 18 12 3 24 40 3 9 9 4 8'
# perf reads "topdown" before a colon as the begin of another event, in 6.1.
WINDOW='topdown*:topdown_window'

need_perf() { command -v perf > /dev/null || skip "there is no perf"; }

# branchy SECONDS: on CPU 1; sets pid.
branchy() {
	"$here/workload" -c 1 -t "$1" branchy &
	pid=$!
	sleep 0.5
}

# right FILE [REGEX]: the lines of perf stat -x, that match have the nodes of the workload, and
# were counted all the time.  With -I: each interval.
right() {
	grep -E -- "${2:-.}" "$1" | awk -F, -v truth="$TRUTH" -v nodes="$NODES" '
		BEGIN {
			split(truth, want, " ")
			n = split(nodes, name, " ")
		}
		{
			for (i = 1; i < NF && $i !~ /^topdown\//; i++)
				;
			count = $(i - 2)
			event = $i
			gsub(/^topdown\/|\/.*$/, "", event)
			time = i > 3 ? $1 : 0
			if (event == "slots")
				all[time] = count
			seen[time, event] = count
			# The name of a cgroup comes before the time.
			share = $(i + 1) ~ /^[0-9]+$/ ? $(i + 2) : $(i + 3)
			# perf cuts percents, and its clock begins before the events of a task do.
			if (share < 97) {
				print "not all the time: " $0
				bad = 1
			}
		}
		END {
			for (time in all) {
				intervals++
				for (i = 1; i <= n; i++) {
					off = 100 * seen[time, name[i]] / all[time] - want[i]
					if (off > 0.5 || off < -0.5) {
						print time, name[i] " is off by " off
						bad = 1
					}
				}
			}
			print intervals + 0 " intervals"
			exit bad || !intervals
		}'
}

# near_the_truth FILE: a block of topdown perf --ratios has all nodes of the workload; the first, or
# any, as the workload has a function or a CPU of its own.
near_the_truth() {
	cat "$1"
	awk -v truth="$TRUTH" -v nodes="$NODES" '
		BEGIN {
			split(truth, want, " ")
			n = split(nodes, name, " ")
		}
		/slots/ { blocks++ }
		{ ratio[blocks, $1] = $2 + 0 }
		END {
			for (b = 1; b <= blocks && !found; b++) {
				found = 1
				for (i = 1; i <= n; i++) {
					off = ratio[b, name[i]] - want[i]
					if (!((b, name[i]) in ratio) || off > 0.5 || off < -0.5)
						found = 0
				}
			}
			exit !found
		}' "$1"
}

# run_lines FIRST SECOND: what is printed as a shell runs it, in two blocks, but for the time.
run_lines() {
	sed 's/sleep 10/sleep 1/' > "$tmp/lines"
	cat "$tmp/lines"
	sed '/^$/q' "$tmp/lines" > "$tmp/lines1"
	sed '1,/^$/d' "$tmp/lines" > "$tmp/lines2"
	(cd "$tmp" && sh lines1 > "$1" 2> errors && sh lines2 > "$2")
}

test_lines_for_a_process_work() {
	need_perf
	branchy 600
	topdown perf -p "$pid" | run_lines stat functions
	# Ratios of the process, and of its functions.
	near_the_truth "$tmp/stat"
	near_the_truth "$tmp/functions"
	quiet_grep '^spin: .* of all$' "$tmp/functions"
}

test_lines_for_a_command_work() {
	need_perf
	topdown perf -- sh -c "echo written; exec $here/workload -c 1 -t 5 branchy" |
		run_lines stat functions
	# It has a standard output, which the figures are not in.
	quiet_grep -x written "$tmp/errors"
	near_the_truth "$tmp/stat"
	near_the_truth "$tmp/functions"
}

test_lines_for_all_cpus_work() {
	need_perf
	echo 100 > "$SYSFS/period_ms"
	branchy 600
	topdown perf -a | sed 's/sleep 10/sleep 3/' | run_lines stat windows
	(($(grep -c 's CPU1: .*slots' "$tmp/stat") >= 3))
	near_the_truth "$tmp/stat"
	quiet_grep 'topdown_window: cpu=1 ' "$tmp/windows"
	echo 1000 > "$SYSFS/period_ms"
}

# For programs that only take events that are listed, and these are what this machine counts;
# perf takes one named slots for the CPU's.
test_slots_are_listed() {
	local events=/sys/bus/event_source/devices/topdown/events

	need_perf
	(cd $events && printf '%s\n' [a-z]*) | grep -v '\.' | sort > "$tmp/listed"
	tr ' ' '\n' <<< "tma_info_thread_slots $NODES" | sort | diff - "$tmp/listed"
	[[ -e $events/tma_info_thread_slots && ! -e $events/slots ]]
	perf stat -x, -o "$tmp/perf" -e '{topdown/slots/,topdown/tma_info_thread_slots/}' -- \
		"$here/workload" -c 1 -t 0.5 branchy
	awk -F, '/topdown/ { n[++i] = $1 } END { print n[1], n[2]; exit !(n[1] > 0 && n[1] == n[2]) }' \
		"$tmp/perf"
}

test_a_process_is_counted() {
	need_perf
	branchy 600
	perf stat -x, -o "$tmp/perf" -e "$EVENTS" -p "$pid" -- sleep 1
	cat "$tmp/perf"
	right "$tmp/perf" topdown/
}

# Its start is of another kind, but short beside the rest.
test_a_command_is_counted() {
	need_perf
	perf stat -x, -o "$tmp/perf" -e "{$EVENTS}" -- "$here/workload" -c 1 -t 8 branchy
	right "$tmp/perf" topdown/
}

test_cpus_are_counted_at_intervals() {
	need_perf
	branchy 600
	perf stat -x, -o "$tmp/perf" -a -A -I 100 -e "{$EVENTS}" -- sleep 1
	# The workload has nearly all of CPU 1: perf runs elsewhere.
	grep ',CPU1,' "$tmp/perf" | sed 1,13d > "$tmp/cpu1"
	right "$tmp/cpu1" || { cat "$tmp/cpu1"; false; }
}

# cgroup_of VERSION: where its root is.  Without a controller in use, perf does not know a cgroup
# of version 2; and while version 1 has perf's controller, none.
cgroup_of() {
	if (($1 == 2)); then
		root=/sys/fs/cgroup
		echo +pids > "$root/cgroup.subtree_control"
	else
		root=$tmp/cgroup
		mkdir -p "$root"
		await 5 mount -t cgroup -o perf_event none "$root"
	fi
}

# The processes that the group had a moment ago may still be there.
cgroup_remove() { await 5 rmdir "$1"; }

# a_cgroup VERSION: with the others of the machine running, too, by either option of perf.
a_cgroup() {
	local root group

	need_perf
	cgroup_of "$1" || skip "there are no cgroups"
	group=$root/topdown-perf-stat
	mkdir "$group"
	"$here/workload" -c 0 -t 600 stream &
	branchy 600
	echo "$pid" > "$group/cgroup.procs"
	perf stat -x, -o "$tmp/each" -a -e "$EVENTS" --for-each-cgroup topdown-perf-stat -- sleep 1
	perf stat -x, -o "$tmp/named" -a -e "$EVENTS" \
		-G "$(printf 'topdown-perf-stat,%.0s' {1..13})" -- sleep 1
	cat "$tmp/each" "$tmp/named"
	topdown perf -G topdown-perf-stat | sed 's/sleep 10/sleep 1/' > "$tmp/lines"
	sh "$tmp/lines" > "$tmp/ratios"
	kill "$pid"
	wait "$pid" || true
	cgroup_remove "$group"
	(($1 == 2)) || umount "$root"
	right "$tmp/each" topdown/
	right "$tmp/named" topdown/
	near_the_truth "$tmp/ratios"
}

test_a_cgroup_of_version_2_is_counted() { a_cgroup 2; }
test_a_cgroup_of_version_1_is_counted() { a_cgroup 1; }

# All of them are right, and have all of the time.
test_eight_are_right_at_once() {
	local i perfs=()

	need_perf
	branchy 600
	for i in 1 2 3 4 5 6 7 8; do
		perf stat -x, -o "$tmp/perf$i" -e "$EVENTS" -p "$pid" -- sleep 3 &
		perfs+=($!)
	done
	wait "${perfs[@]}"
	for i in 1 2 3 4 5 6 7 8; do
		right "$tmp/perf$i" topdown/
	done
}

# A sample has the slots since the one before; perf.data tells without the module.
test_samples_have_the_slots_in_between() {
	need_perf
	branchy 600
	perf record -o "$tmp/data" -c 10000000 -p "$pid" \
		-e '{cycles:u,topdown/slots/,topdown/tma_bad_speculation/}:S' -- sleep 1
	kill "$pid"
	wait "$pid" || true
	unload
	perf script -i "$tmp/data" -F comm,event,period > "$tmp/script"
	load
	awk '$3 ~ /slots/ { slots += $2 } $3 ~ /bad_spec/ { bad += $2; n++ }
		END { print n " samples, " 100 * bad / slots "%"
		      exit !(n > 20 && bad / slots > .425 && bad / slots < .435) }' "$tmp/script"
}

test_sampling_is_refused() {
	need_perf
	fails '[1-9]*' "doesn't support sampling" perf record -o "$tmp/data" -e topdown/slots/ -- true
	perf stat -e topdown/slots/u -- true 2>&1 | quiet_grep 'not supported'
}

# A perf user who counts keeps the module loaded.  Afterwards the module can be unloaded and
# loaded again.
test_the_module_stays_while_perf_counts() {
	local perf

	need_perf
	perf stat -x, -o "$tmp/perf" -a -e "{$EVENTS}" &
	perf=$!
	await 10 grep -q '[1-9]' /sys/module/topdown/refcnt
	fails "$ERROR" 'in use|busy|unavailable' rmmod topdown
	kill "$perf"
	wait "$perf" || true
	await 5 grep -qx 0 /sys/module/topdown/refcnt
	rmmod topdown
	[[ ! -e /sys/bus/event_source/devices/topdown ]]
	fails "$ERROR" 'topdown' perf stat -e topdown/slots/ -- true
	load
	perf stat -x, -o "$tmp/perf" -e "{$EVENTS}" -- "$here/workload" -c 1 -t 8 branchy
	right "$tmp/perf" topdown/
}

# Unprivileged users hear of perf_event_paranoid.
test_rights_are_those_of_perf() {
	need_perf
	[[ $(< /proc/sys/kernel/perf_event_paranoid) -ge 2 ]] || skip "perf_event_paranoid allows it"
	fails '[1-9]*' 'perf_event_paranoid' setpriv --reuid 65534 --clear-groups \
		perf stat -e topdown/slots/ true
}

# same_windows SCRIPT HISTORY: each window of CPU 1 that perf has is in the history, with the same
# times, slots and nodes.  The ratios have six digits.  trace_test.c compares all fields with the
# map.
same_windows() {
	awk -v nodes="$NODES" '
		function value(line, key,   at) {
			if (!match(line, key))
				return "none"
			at = RSTART + RLENGTH
			return substr(line, at) + 0
		}
		function differ(a, b) { return a == "none" || a - b > 2e-6 || b - a > 2e-6 }
		BEGIN { nr = split(nodes, name, " ") }
		NR == FNR {
			n = value($0, "\"window\":")
			slots[n] = value($0, "\"slots\":")
			enabled[n] = value($0, "\"enabled_ns\":")
			running[n] = value($0, "\"running_ns\":")
			for (i = 1; i <= nr; i++)
				ratio[n, i] = value($0, "\"" name[i] "\":")
			next
		}
		/topdown_window: cpu=1 / {
			n = value($0, " number=")
			split(substr($0, index($0, " node=") + 6), node, " ")
			found = n in slots && slots[n] > 0
			bad = !found || value($0, " slots=") != slots[n] ||
				value($0, " enabled_ns=") != enabled[n] ||
				value($0, " running_ns=") != running[n] ||
				value($0, " end_ns=") - value($0, " begin_ns=") != enabled[n]
			for (i = 1; i <= nr && !bad; i++)
				bad = differ(ratio[n, i], node[i] / slots[n])
			if (bad) {
				print "differs: " $0
				wrong = 1
			}
			seen++
		}
		END { print seen " windows of " nr " nodes"; exit wrong || seen < 10 }' "$2" "$1"
}

test_windows_are_recorded() {
	need_perf
	# A long history, as perf takes its time to write the file.
	reload period_ms=100 history=1024
	branchy 600
	perf record -a -o "$tmp/data" -e "$WINDOW" -- sleep 2
	topdown history -C 1 -n 1024 -j > "$tmp/history"
	# The file has the format of the event, so it is read without the module.
	unload
	perf script -i "$tmp/data" > "$tmp/script"
	load
	head -n 3 "$tmp/script"
	same_windows "$tmp/script" "$tmp/history" || { head -n 3 "$tmp/history"; false; }
}

# samples_at FUNCTION COMMAND...: sample each call of a function of the kernel while the command
# runs, and print how many there were.
samples_at() {
	local tracing=/sys/kernel/tracing function=$1

	shift
	[[ -e $tracing/kprobe_events ]] || mount -t tracefs none $tracing
	echo "p:probe/topdown_here $function" > $tracing/kprobe_events
	perf record -q -a -o "$tmp/data" -e '{probe:topdown_here,topdown/slots/}:S' -- "$@"
	perf script -i "$tmp/data" | grep -c topdown_here
	echo > $tracing/kprobe_events
}

# Samples where a CPU becomes idle or wakes up, inside the kernel's writer of the idle time.  A
# fold that waits for the writer hangs the CPU.
test_a_probe_in_the_idle_account_is_safe() {
	local samples

	need_perf
	reload
	samples=$(samples_at ktime_get sleep 0.2)
	echo "$samples samples"
	((samples > 20))
}

# The same inside the writer of the time, at each tick.
test_a_probe_in_the_clock_is_safe() {
	local samples

	need_perf
	reload
	samples=$(samples_at update_vsyscall "$here/workload" -c 1 -t 0.3 branchy)
	echo "$samples samples"
	((samples > 20))
}

need_module
run_tests test_slots_are_listed test_a_process_is_counted test_a_command_is_counted \
	test_cpus_are_counted_at_intervals test_a_cgroup_of_version_2_is_counted \
	test_a_cgroup_of_version_1_is_counted test_eight_are_right_at_once \
	test_lines_for_a_process_work test_lines_for_a_command_work test_lines_for_all_cpus_work \
	test_samples_have_the_slots_in_between test_sampling_is_refused \
	test_the_module_stays_while_perf_counts test_rights_are_those_of_perf \
	test_windows_are_recorded test_a_probe_in_the_idle_account_is_safe \
	test_a_probe_in_the_clock_is_safe
