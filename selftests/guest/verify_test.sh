#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown verify on a machine that is right, and on machines with one fault each, which it has
# to find and to name.
#
# The back door sets what its programs execute (lib/verify_profile.c), so their code and the
# memory behind it may be small.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

quickly() { LD_PRELOAD=$here/verify_profile.so topdown verify --quick --memory 256 "$@"; }

# verify OPTION...: the lines are in $tmp/lines; the exit status is that of the command.
verify() {
	local status=0

	quickly "$@" > "$tmp/lines" 2> "$tmp/errors" || status=$?
	cat "$tmp/lines" "$tmp/errors"
	return "$status"
}

need_metrics() {
	topdown info | quiet_grep "perf_metrics" || skip "this machine has no PERF_METRICS"
}

# need_exact: where time passes with the host's, it goes on while the host runs something else than
# this CPU, and counters that are read one after the other have counted for different times.
need_exact() {
	"$here/fault" slow || return 0
	"$here/fault" none
	skip "time passes with the host's"
}

# homes: a CPU of each kind, one with PERF_METRICS last.
homes() {
	local last=$(($(nproc) - 1))

	echo "$last"
	[[ $(field cpu0 source) == "$(field "cpu$last" source)" ]] || echo 0
}

# named STATUS TEXT: verify ended with this status after it found a fault, and a line has this text.
named() {
	[[ $1 == 4 ]] || die "exit status $1"
	grep -q "^off .*$2" "$tmp/lines" || die "no line is off and says '$2'"
}

# off FAULT CHECKS TEXT: with this fault these checks are off, and a line has this text.
off() {
	local fault=$1 checks=$2 text=$3 status=0

	reload period_ms=100
	"$here/fault" "$fault"
	verify --cpu "$(homes | tail -n 1)" --only "$checks" || status=$?
	"$here/fault" none
	named "$status" "$text"
}

# bytes_off: the same where PERF_METRICS say how many slots there are, and of what kind.
bytes_off() {
	need_metrics
	need_exact
	off "$@"
}

# something_of_each CPU: each check has looked at something; those of PERF_METRICS where there are
# some.  A CPU may be busy with something else when "idle" looks.
something_of_each() {
	local check checks='programs alive windows tasks falls costs'

	[[ $(field "cpu$1" source) != perf_metrics ]] ||
		checks=$(topdown verify --list | sed -n '/^Checks/,/^Programs/s/^  \([a-z]*\).*/\1/p')
	for check in ${checks/idle/}; do
		grep -qE "^(right|seen) +$check " "$tmp/lines" || die "CPU $1: nothing of $check"
	done
}

test_a_right_machine_passes() {
	local cpu

	need_exact
	reload period_ms=100
	for cpu in $(homes); do
		verify --cpu "$cpu" -o "$tmp/report" || die "CPU $cpu: exit status $?"
		! grep -q "^off" "$tmp/lines" || die "something is off"
		grep -q '"off":0' "$tmp/report"
		grep -q '"microcode":"' "$tmp/report"
		something_of_each "$cpu"
		! grep -q "$(hostname)" "$tmp/report" || die "the report names the host"
	done
}

# A check needs no other before it, also where perf has had the counters in between.
test_a_check_needs_no_other() {
	local check home

	need_metrics
	need_exact
	home=$(homes | tail -n 1)
	for check in restore ${FULL:+perf}; do
		reload period_ms=100
		verify --cpu "$home" --only "$check" || die "$check: exit status $?"
	done
}

# All CPUs are seen only by those who may, and the node is for its group.
test_verify_needs_rights() {
	local as=(setpriv --reuid 65534 --regid 65534 --clear-groups)

	reload
	fails 3 "Permission denied.*group 'topdown'" "${as[@]}" topdown verify --quick
	chmod 666 /dev/topdown
	fails 3 "CAP_PERFMON" "${as[@]}" topdown verify --quick
}

test_bytes_are_named() {
	local home way

	need_metrics
	need_exact
	home=$(homes | tail -n 1)
	for way in truncate:cut$ round:rounded "rest:bad speculation is the rest"; do
		reload period_ms=100
		"$here/fault" "${way%%:*}"
		verify --cpu "$home" --only bytes || die "${way%%:*}: exit status $?"
		grep -q "^right .*${way#*:}" "$tmp/lines" || die "${way%%:*} is not named"
	done
}

test_a_wrong_width_is_found() { bytes_off width width "slots a cycle, and the width is [56]"; }
test_a_dead_byte_is_found() { bytes_off dead alive "tma_frontend_bound .* dead"; }
test_a_stuck_byte_is_found() { bytes_off stuck alive "tma_frontend_bound .* stuck"; }
test_a_wrong_sum_is_found() { bytes_off sum bytes "sums to 0.[89][0-9]* of all slots"; }
test_stale_bytes_are_found() { bytes_off stale restore "switches: level 1 sums to "; }
test_late_bytes_are_found() { bytes_off late late "bytes are late"; }

# The event itself where most slots are its own, and what the formula makes of it elsewhere.
test_a_wrong_event_is_found() {
	bytes_off event paired "chase: TOPDOWN.BACKEND_BOUND_SLOTS counts 10[0-9]"
	grep -q "^off .*microcode: .* points apart" "$tmp/lines"
}

test_a_filtered_event_is_found() { bytes_off filtered paired "counts nothing: it is filtered"; }

test_counters_that_stand_still_are_found() {
	need_exact
	off guest still "stand still"
}

# The module measures such a CPU no more after some windows, so the fault comes while verify runs.
test_lost_metrics_are_found() {
	local home

	need_metrics
	need_exact
	home=$(homes | tail -n 1)
	reload period_ms=100
	{ quickly --cpu "$home" --only programs || echo "$?" > "$tmp/status"; } |
		{ read -r _ && "$here/fault" filter && cat; } > "$tmp/lines"
	"$here/fault" none
	cat "$tmp/lines"
	named "$(< "$tmp/status")" "counted no slot"
}

# Where it does so already, verify says where the reason is.
test_an_unmeasured_cpu_names_its_reason() {
	local home status=0

	need_metrics
	home=$(homes | tail -n 1)
	reload period_ms=100
	"$here/workload" -c "$home" -t 60 compute &
	"$here/fault" filter
	until [[ $(field "cpu$home" state) == unsupported ]] || ! kill -0 $! 2> /dev/null; do
		sleep 0.1
	done
	verify --cpu "$home" -o "$tmp/report" || status=$?
	"$here/fault" none
	[[ $status == 3 ]] || die "exit status $status"
	grep -q "\"refusal\":\"CPU $home is not measured" "$tmp/report"
	grep -q "CPU $home is not measured ('topdown info' says why)" "$tmp/errors"
}

test_a_fault_of_siblings_is_found() {
	[[ $(< /sys/devices/system/cpu/smt/active) == 1 ]] || skip "one thread a core"
	bytes_off sibling width "both threads of a core busy"
}

test_a_slow_rdpmc_is_found() {
	"$here/fault" slow || skip "time passes with instructions"
	off slow costs "RDPMC is slow"
}

need_module
run_tests test_a_right_machine_passes test_a_check_needs_no_other test_verify_needs_rights \
	test_bytes_are_named test_a_wrong_width_is_found test_a_dead_byte_is_found \
	test_a_stuck_byte_is_found test_a_wrong_sum_is_found test_stale_bytes_are_found \
	test_late_bytes_are_found test_a_wrong_event_is_found test_a_filtered_event_is_found \
	test_lost_metrics_are_found test_an_unmeasured_cpu_names_its_reason \
	test_counters_that_stand_still_are_found test_a_fault_of_siblings_is_found \
	test_a_slow_rdpmc_is_found
