#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Machines that cannot be measured: the module says why in one line and leaves
# nothing.  On machines where it was loaded, unloading leaves nothing either.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

leftovers() {
	local path

	for path in /dev/topdown "$SYSFS" /sys/module/topdown /sys/class/topdown \
		/sys/bus/event_source/devices/topdown; do
		[[ ! -e $path ]] || echo "$path"
	done
	grep '^topdown ' /proc/modules
	grep -h topdown /sys/devices/system/cpu/hotplug/states /proc/devices
	true
}

# The log has to say this on each machine.
reason() {
	case $MACHINE in
	nopmu) echo "no PMU" ;;
	amd) echo "AuthenticAMD" ;;
	esac
}

test_a_load_is_refused() {
	local log

	! measurable || skip "this machine can be measured"
	log_mark
	fails "$ERROR" "No such device" load
	# Busybox tries a second way to load it, and is refused a second time.
	log=$(log_since | grep topdown | grep -v "taints kernel\|verification failed" | sort -u)
	echo "$log"
	[[ $(wc -l <<< "$log") == 1 ]]
	[[ $log == "topdown: "*"$(reason)"* ]]
	[[ -z $(leftovers) ]] || die "left behind: $(leftovers)"
}

# The reason is found again, and not a kernel that is in a bad way.
test_a_second_load_finds_the_reason_again() {
	local i

	! measurable || skip "this machine can be measured"
	for i in 1 2 3 4 5; do
		fails "$ERROR" "No such device" load "period_ms=${i}00"
	done
	[[ -z $(leftovers) ]] || die "left behind: $(leftovers)"
}

test_the_command_asks_for_the_module() {
	unload
	fails 3 "modprobe topdown" topdown stat -a --count 1
	fails 3 "modprobe topdown" topdown info
	fails 3 "modprobe topdown" topdown verify
}

test_an_unload_leaves_nothing() {
	measurable || skip "this machine cannot be measured"
	unload
	[[ -z $(leftovers) ]] || die "before: $(leftovers)"
	load
	[[ -n $(leftovers) ]]
	cat "$SYSFS/total" > /dev/null
	topdown stat -a --count 1 -I 100 > /dev/null
	unload
	[[ -z $(leftovers) ]] || die "after: $(leftovers)"
}

test_a_load_beside_another_is_refused() {
	measurable || skip "this machine cannot be measured"
	load
	fails "$ERROR" "File exists" load
	cat "$SYSFS/total" > /dev/null
}

run_tests test_a_load_is_refused test_a_second_load_finds_the_reason_again \
	test_the_command_asks_for_the_module test_an_unload_leaves_nothing \
	test_a_load_beside_another_is_refused
