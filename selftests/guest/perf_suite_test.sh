#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perf's own tests of counting, of Top-Down and of metrics ("perf test"), without the module and
# with it: none may end in another way.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

# Entries by a part of their names; an entry of several has names of its own.  Not the number
# of exit events: that one gives up after 1000 polls, with the module and without it.
ENTRIES=('Read samples using' 'User space counter reading' 'Test event parsing'
	'PMU events from sysfs' 'aliased events' 'Parse perf pmu format' 'PMU event table sanity'
	'Roundtrip evsel' 'Software clock events' 'Track with sched_switch' 'Event times'
	'Parse and process metrics' 'Event expansion for cgroups' 'perf stat')
# These have to be among those that pass.
NEEDED=('User space counter reading of instructions' 'Parsing of all PMU events from sysfs'
	'Event times' 'PMU event table sanity' 'perf stat tests')

need_perf() {
	command -v perf > /dev/null || skip "there is no perf"
	[[ -d /usr/lib/perf-core/tests ]] || skip "perf's tests are not installed"
}

# verdicts: "NAME: VERDICT" of each entry.
verdicts() {
	perf test "${ENTRIES[@]}" 2>&1 | sed -n 's/^ *[0-9.:]*: *\(.*[^ ]\) *: \([A-Z].*\)$/\1: \2/p'
}

test_perf_passes_as_without_us() {
	local name

	need_perf
	unload
	verdicts > "$tmp/without"
	load
	verdicts > "$tmp/with"
	cat "$tmp/with"
	diff "$tmp/without" "$tmp/with" || die "with the module they end in another way"
	for name in "${NEEDED[@]}"; do
		grep -qF "$name: Ok" "$tmp/with" || die "\"$name\" does not pass"
	done
}

need_module
run_tests test_perf_passes_as_without_us
