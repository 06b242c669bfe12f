#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Suspend: the counters' registers are lost, the module begins again, and the
# figures are right afterwards.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

POWER=/sys/power

# A command that runs the writer of the state, as setpriv.
AS=

# suspend STATE LEVEL: as far as LEVEL of pm_test; none: for real, until the alarm of the clock.
suspend() {
	local status=0

	grep -qw "$1" "$POWER/state" || skip "this machine has no state $1"
	if [[ -e $POWER/pm_test ]]; then
		grep -qw "$2" "$POWER/pm_test" || skip "pm_test has no level $2"
		echo "$2" > "$POWER/pm_test"
	else
		[[ $2 == none ]] || skip "this kernel has no pm_test"
	fi
	# The alarm must come after the machine sleeps, and a busy host needs seconds for that.
	[[ $2 != none ]] || wake_in 10
	# One that comes too early ends the suspend with an error; else nothing ends the sleep.
	[[ $2 != none ]] || echo "$(< "$POWER/wakeup_count")" > "$POWER/wakeup_count"
	# Five seconds each is the default.
	[[ ! -e /sys/module/suspend/parameters/pm_test_delay ]] ||
		echo 1 > /sys/module/suspend/parameters/pm_test_delay
	# shellcheck disable=SC2016,SC2086 # for the inner shell; several words
	$AS bash -c 'echo "$1" > "$2"' bash "$1" "$POWER/state" || status=$?
	# Else the next suspend of this machine is a test, too.
	[[ ! -e $POWER/pm_test ]] || echo none > "$POWER/pm_test"
	return "$status"
}

# wake_in SECONDS: set the alarm that ends a suspend to memory.
wake_in() {
	local alarm=/sys/class/rtc/rtc0/wakealarm

	[[ -e $alarm ]] || skip "this machine has no clock that wakes it up"
	grep -qF '[deep]' "$POWER/mem_sleep" || skip "this machine has no suspend to memory"
	echo 0 > "$alarm"
	echo "+$1" > "$alarm"
}

# The sums before a suspend are still there, and grow.
suspend_and_check() {
	local before

	fair_server_off
	reload period_ms=100
	busy
	await 20 grown cpu0 0
	before=$(field cpu0 slots)
	suspend "$@"
	await 20 grown cpu0 "$before"
	# shellcheck disable=SC2086
	kill $BUSY
	echo "slots before $before, after $(field cpu0 slots), $(field cpu0 state), total $(field total state)"
	state_is cpu0 ok
	state_is total ok
	measure -t 1000
}

test_figures_survive_a_stop_of_devices() { suspend_and_check freeze devices; }
test_figures_survive_a_stop_of_processors() { suspend_and_check mem processors; }
test_figures_survive_a_stop_of_the_core() { suspend_and_check mem core; }

# The registers of all CPUs are lost, and the boot CPU was never offline.
test_figures_survive_a_suspend_to_memory() {
	# Whether another one wakes up again is not ours to try.
	[[ -n $MACHINE ]] || skip "this is not the emulated machine"
	suspend_and_check mem none
}

# One whom perf would not let count a CPU may suspend the machine all the same.
test_suspending_needs_no_right() {
	command -v setpriv > /dev/null || skip "there is no setpriv"
	(($(< /proc/sys/kernel/perf_event_paranoid) > 0)) || skip "perf would let everybody"
	AS="setpriv --bounding-set -perfmon,-sys_admin"
	suspend_and_check freeze devices
}

# The least of all suspends, and a module that is loaded again after it.
test_the_module_reloads_after_a_suspend() {
	suspend_and_check freeze freezer
	reload period_ms=100
	measure -t 1000
}

need_module
run_tests test_figures_survive_a_stop_of_devices test_figures_survive_a_stop_of_processors \
	test_figures_survive_a_stop_of_the_core test_figures_survive_a_suspend_to_memory \
	test_suspending_needs_no_right test_the_module_reloads_after_a_suspend
