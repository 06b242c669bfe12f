#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown stat of commands and tasks against the real module: the figures are those
# of the profile that the task executes, whoever else is on the CPU.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

NODES=(tma_retiring tma_bad_speculation tma_frontend_bound tma_backend_bound
	tma_heavy_operations tma_branch_mispredicts tma_fetch_latency tma_memory_bound)
# In the order of NODES: what a task executes, and what the others do.
PROFILE=.31,.06,.51,.12,.04,.05,.39,.05
OTHER=.14,.01,.03,.82,.02,.005,.01,.76
SECONDS_EACH=$(times 2 10)

level() { field cpu0 level; }

# json KEY: its value in each line of a file of JSON lines.
json() { sed -n "s/.*\"$1\":\"\\{0,1\\}\\([^,\"}]*\\).*/\\1/p"; }

# right FILE PROFILE POINTS: the figures of each line are those of the profile.
right() {
	local i want have nr=4 parts

	IFS=, read -ra parts <<< "$2"
	(($(level) < 2)) || nr=8
	[[ -s $1 ]] || die "no figures"
	for ((i = 0; i < nr; i++)); do
		want=${parts[i]}
		while read -r have; do
			[[ $have != null ]] || die "${NODES[i]} is not there"
			is "($have - $want) * 100 <= $3 && ($want - $have) * 100 <= $3" ||
				die "${NODES[i]} is $have, not $want"
		done < <(json "${NODES[i]}" < "$1")
	done
}

# measured FILE: most of the time on CPUs was, and no more than there is.
measured() {
	local running oncpu

	running=$(json running < "$1")
	oncpu=$(json oncpu_ns < "$1")
	is "$running >= 0.9 && $running <= 1"
	is "$oncpu > 0 && $(json running_ns < "$1") <= $oncpu && $(json slots < "$1") > 0"
}

command_stat() { topdown stat -j -o "$tmp/out" "$@"; }

test_a_command_is_right() {
	command_stat -- "$here/workload" -c 0 -t "$SECONDS_EACH" "$PROFILE"
	cat "$tmp/out"
	right "$tmp/out" "$PROFILE" 0.5
	measured "$tmp/out"
	[[ $(json comm < "$tmp/out") == workload && $(json state < "$tmp/out") == exited ]]
	# It had the CPU to itself, so nearly all of the time.
	is "$(json oncpu_ns < "$tmp/out") >= 0.8e9 * $SECONDS_EACH"
}

# Others on the CPU change neither the figures nor the slots a second.
test_a_command_is_right_beside_others() {
	local alone beside

	alone=$(awk -v slots="$(json slots < "$tmp/alone")" \
		-v ns="$(json running_ns < "$tmp/alone")" 'BEGIN { print slots / ns }')
	"$here/workload" -c 0 -t 600 "$OTHER" &
	"$here/workload" -c 0 -t 600 "$OTHER" &
	command_stat -- "$here/workload" -c 0 -t "$((2 * SECONDS_EACH))" "$PROFILE"
	cat "$tmp/out"
	# Its start, of another character, is more of its time here.
	right "$tmp/out" "$PROFILE" 1
	is "$(json running < "$tmp/out") >= 0.9"
	is "$(json oncpu_ns < "$tmp/out") <= 1.2e9 * $SECONDS_EACH"
	is "$(json switches < "$tmp/out") > 2"
	beside=$(awk -v slots="$(json slots < "$tmp/out")" \
		-v ns="$(json running_ns < "$tmp/out")" 'BEGIN { print slots / ns }')
	is "$beside / $alone > 0.99 && $beside / $alone < 1.01"
}

test_children_are_right() {
	local both="'$here/workload' -t $SECONDS_EACH $PROFILE & '$here/workload' -t $SECONDS_EACH $PROFILE & wait"
	local all

	command_stat -- sh -c "$both"
	cat "$tmp/out"
	right "$tmp/out" "$PROFILE" 1
	all=$(json slots < "$tmp/out")
	command_stat --no-inherit -- sh -c "$both"
	cat "$tmp/out"
	is "$(json slots < "$tmp/out") < $all / 10"
}

# The lines of intervals are the whole, and each is right.
test_intervals_add_up() {
	local oncpu

	command_stat -I 500 -- "$here/workload" -c 0 -t "$((2 * SECONDS_EACH))" "$PROFILE"
	cat "$tmp/out"
	(($(wc -l < "$tmp/out") >= 3 * SECONDS_EACH))
	sed '1d;$d' "$tmp/out" > "$tmp/inner"
	right "$tmp/inner" "$PROFILE" 1
	oncpu=$(json oncpu_ns < "$tmp/out" | awk '{ sum += $1 } END { print sum }')
	is "$oncpu >= 1.6e9 * $SECONDS_EACH"
}

test_repeated_runs_are_right() {
	command_stat -r 3 -- "$here/workload" -c 0 -t 1 "$PROFILE"
	cat "$tmp/out"
	right "$tmp/out" "$PROFILE" 1
	[[ $(json runs < "$tmp/out") == 3 ]]
	is "$(json tma_frontend_bound_rse < "$tmp/out") < 0.02"
}

# Until it ends, quietly, with what it had.
test_a_process_is_right_until_its_end() {
	local pid

	"$here/workload" -c 0 -t 600 "$OTHER" &
	"$here/workload" -c 0 -t "$((2 * SECONDS_EACH))" "$PROFILE" &
	pid=$!
	sleep 0.2
	timeout 60 topdown stat -j -p "$pid" > "$tmp/out" 2> "$tmp/err"
	cat "$tmp/out" "$tmp/err"
	[[ ! -s $tmp/err && $(json state < "$tmp/out") == exited ]]
	[[ $(json pid < "$tmp/out") == "$pid" ]]
	right "$tmp/out" "$PROFILE" 0.5
	fails 1 "cannot follow process $pid .*No such process" topdown stat -p "$pid"
}

test_threads_are_right_by_themselves() {
	local one two

	"$here/workload" -c 0 -t 600 "$PROFILE" &
	one=$!
	"$here/workload" -c 0 -t 600 "$OTHER" &
	two=$!
	sleep 0.2
	topdown stat -j -t "$one,$two" --timeout "$((1000 * SECONDS_EACH))" > "$tmp/out"
	cat "$tmp/out"
	sed -n 1p "$tmp/out" > "$tmp/first"
	sed -n 2p "$tmp/out" > "$tmp/second"
	right "$tmp/first" "$PROFILE" 0.5
	right "$tmp/second" "$OTHER" 0.5
	topdown stat -j -p "$one" --per-thread --timeout 500 > "$tmp/out"
	[[ $(json tid < "$tmp/out") == "$one" ]]
	right "$tmp/out" "$PROFILE" 1
}

# Children are looked for between the attach and the interval; nothing is of that time.
test_the_whole_interval_is_measured() {
	local pid

	"$here/workload" -c 0 -t 600 "$PROFILE" &
	pid=$!
	sleep 0.2
	topdown stat -j -p "$pid" --timeout 500 > "$tmp/out"
	cat "$tmp/out"
	is "$(json oncpu_ns < "$tmp/out") <= 1.01e9 * $(json interval < "$tmp/out")"
	topdown record -q -p "$pid" -I 50 --timeout 500 -o "$tmp/data"
	topdown report -j --steps -I 50 "$tmp/data" > "$tmp/out"
	sed -n 1p "$tmp/out"
	is "$(json oncpu_ns < <(sed -n 1p "$tmp/out")) <= 1.02e9 * $(json interval < <(sed -n 1p "$tmp/out"))"
}

test_the_exit_status_is_passed_on() {
	local status

	for status in 0 1 3 42; do
		fails "$status" tma_retiring topdown stat -- sh -c "exit $status"
		fails "$status" "[0-9] samples" topdown where -- sh -c "exit $status"
	done
	fails 137 tma_retiring topdown stat -- sh -c 'kill -9 $$'
	fails 127 "cannot run" topdown stat -- /no/such/command
	fails 126 "cannot run" topdown stat -- /etc/passwd
	[[ $(topdown stat -- echo mine 2> /dev/null) == mine ]]
}

as_nobody() { setpriv --reuid 65534 --regid 990 --clear-groups "$@"; }

# One's own commands need no right but the node; others do.
test_own_commands_need_no_right() {
	# shellcheck disable=SC2016 # another shell's
	local paranoid spin='i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'

	paranoid=$(< /proc/sys/kernel/perf_event_paranoid)
	chown 0:990 /dev/topdown
	echo 2 > /proc/sys/kernel/perf_event_paranoid
	as_nobody topdown stat -j -- sh -c "$spin" 2> "$tmp/out"
	cat "$tmp/out"
	measured "$tmp/out"
	as_nobody topdown stat -j -r 2 -- sh -c "$spin & $spin; wait" 2> "$tmp/out"
	measured "$tmp/out"
	fails 3 "cannot follow process 1 .*Permission denied.*group 'topdown'.*CAP_PERFMON" \
		as_nobody topdown stat -p 1 --timeout 100
	fails 125 "is this user in group 'topdown'" \
		setpriv --reuid 65534 --regid 65534 --clear-groups topdown stat -- true
	echo "$paranoid" > /proc/sys/kernel/perf_event_paranoid
	chown 0:0 /dev/topdown
}

# Nothing is followed any more when all commands have ended.
test_nothing_stays_followed() {
	local i

	for ((i = 0; i < $(times 20 500); i++)); do
		topdown stat -o /dev/null -- true
	done
	topdown stat -r "$(times 60 1500)" -o /dev/null -- true
	unload
	load
}

need_module
topdown info | quiet_grep '^features:.* session' || {
	ktap_skip_all "this module has no sessions"
	exit "$KSFT_SKIP"
}
reload period_ms=1000
# Measure a task that has the CPU alone, for the tests in which tasks share it.
topdown stat -j -o "$tmp/alone" -- "$here/workload" -c 0 -t 1 "$PROFILE" 2> /dev/null
run_tests test_a_command_is_right test_a_command_is_right_beside_others test_children_are_right \
	test_intervals_add_up test_repeated_runs_are_right test_a_process_is_right_until_its_end \
	test_threads_are_right_by_themselves test_the_whole_interval_is_measured \
	test_the_exit_status_is_passed_on test_own_commands_need_no_right \
	test_nothing_stays_followed
