#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perf itself as a user of the PMU topdown and of the tracepoints: perf stat of a command, a
# process, CPUs at intervals and a cgroup, eight at once, and perf record.  The workload is of
# a known profile; perf_test.c has the exact truth.

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
			if (share != "100.00") {
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

test_a_process() {
	need_perf
	branchy 600
	perf stat -x, -o "$tmp/perf" -e "$EVENTS" -p "$pid" -- sleep 1
	cat "$tmp/perf"
	right "$tmp/perf" topdown/
}

# Its start is of another kind, but short beside the rest.
test_a_command() {
	need_perf
	perf stat -x, -o "$tmp/perf" -e "{$EVENTS}" -- "$here/workload" -c 1 -t 20 branchy
	right "$tmp/perf" topdown/
}

test_cpus_at_intervals() {
	need_perf
	branchy 600
	perf stat -x, -o "$tmp/perf" -a -A -I 100 -e "{$EVENTS}" -- sleep 1
	# The workload has nearly all of CPU 1: perf runs elsewhere.
	grep ',CPU1,' "$tmp/perf" | sed 1,13d > "$tmp/cpu1"
	right "$tmp/cpu1" || { cat "$tmp/cpu1"; false; }
}

test_a_cgroup() {
	local root=$tmp/cgroup group=$tmp/cgroup/topdown-perf-stat

	need_perf
	mkdir -p "$root"
	mount -t cgroup -o perf_event none "$root" || skip "there are no cgroups"
	mkdir "$group"
	branchy 600
	echo "$pid" > "$group/cgroup.procs"
	perf stat -x, -o "$tmp/perf" -a -e "$EVENTS" --for-each-cgroup topdown-perf-stat -- sleep 1
	cat "$tmp/perf"
	kill "$pid"
	wait "$pid" || true
	rmdir "$group"
	umount "$root"
	right "$tmp/perf" topdown/
}

# All of them are right, and have all of the time.
test_eight_at_once() {
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
test_record_with_a_leader() {
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

# Unprivileged users hear of perf_event_paranoid.
test_rights_are_those_of_perf() {
	need_perf
	[[ $(< /proc/sys/kernel/perf_event_paranoid) -ge 2 ]] || skip "perf_event_paranoid allows it"
	fails '[1-9]*' 'perf_event_paranoid' setpriv --reuid 65534 --clear-groups \
		perf stat -e topdown/slots/ true
}

test_windows_are_recorded() {
	need_perf
	echo 100 > "$SYSFS/period_ms"
	branchy 600
	perf record -a -o "$tmp/data" -e "$WINDOW" -- sleep 2
	perf script -i "$tmp/data" > "$tmp/script"
	head -n 3 "$tmp/script"
	(($(grep -c 'topdown_window: cpu=1 ' "$tmp/script") >= 10))
	echo 1000 > "$SYSFS/period_ms"
}

need_module
run_tests test_a_process test_a_command test_cpus_at_intervals test_a_cgroup \
	test_eight_at_once test_record_with_a_leader test_sampling_is_refused \
	test_rights_are_those_of_perf test_windows_are_recorded
