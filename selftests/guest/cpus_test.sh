#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The parameter cpus: those that it names are measured; the others are left alone, say
# so, and are no trouble.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

# Also those where no task runs unless it is put there.
LAST=$(($(grep -c ^processor /proc/cpuinfo) - 1))

online() { echo "$2" > "/sys/devices/system/cpu/cpu$1/online"; }

need_two() { ((LAST > 0)) || skip "there is one CPU"; }

test_the_default_excludes_quiet_cpus() {
	local want=excluded

	reload
	quiet_grep '[0-9]' /sys/devices/system/cpu/nohz_full || want=ok
	echo "measured: $(< "$PARAMS/cpus")"
	state_is "cpu$LAST" "$want"
	state_is cpu0 ok
	state_is total ok
}

test_an_excluded_cpu_is_left_alone() {
	need_two
	reload period_ms=100 "cpus=0-$((LAST - 1))"
	busy
	await 20 grown cpu0 0
	sleep 1
	cat "$SYSFS/sources" "$SYSFS/cpu$LAST"
	state_is "cpu$LAST" excluded
	state_is total ok
	grep -q "^$LAST: excluded: cpus= does not name it$" "$SYSFS/sources"
	[[ $(< "$PARAMS/cpus") == "$(seq -s - 0 $((LAST - 1)) | sed 's/-.*-/-/')" ]]
	[[ $(field "cpu$LAST" source) == none && $(field "cpu$LAST" windows) == 0 ]]
	[[ $(field "cpu$LAST" slots) == 0 && -z $(< "$SYSFS/events/cpu$LAST") ]]
	# Also one that a period is set for, and that is asked for fresh figures.
	echo 200 > "$SYSFS/period_ms"
	topdown stat -a -A -j -I 200 --count 1 > "$tmp/json"
	cat "$tmp/json"
	quiet_grep '"row":"all","cpu":null,"state":"ok"' "$tmp/json"
	! quiet_grep "\"cpu\":$LAST," "$tmp/json" || die "it has a row"
	topdown stat -C "0,$LAST" -A -j -I 200 --count 1 > "$tmp/json"
	quiet_grep "\"cpu\":$LAST,\"state\":\"excluded\"" "$tmp/json" || die "$(< "$tmp/json")"
	fails 3 "none of the CPUs asked for can be measured" topdown stat -C "$LAST" --count 1
	topdown info > "$tmp/info"
	cat "$tmp/info"
	quiet_grep "^cpus $LAST: excluded, source none" "$tmp/info"
	quiet_grep "^chosen: $LAST: excluded: cpus= does not name it$" "$tmp/info"
	[[ $(field "cpu$LAST" windows) == 0 ]]
}

# It comes and goes, and nothing of ours with it.
test_an_excluded_cpu_stays_excluded() {
	need_two
	[[ -e /sys/devices/system/cpu/cpu$LAST/online ]] || skip "no CPU can go offline"
	fair_server_off
	reload period_ms=100 "cpus=0-$((LAST - 1))"
	online "$LAST" 0
	state_is "cpu$LAST" excluded
	state_is total ok
	online "$LAST" 1
	sleep 0.5
	state_is "cpu$LAST" excluded
	[[ $(field "cpu$LAST" windows) == 0 ]]
	# With the one that is measured offline.
	unload
	online "$LAST" 0
	log_mark
	fails "$ERROR" "No such device" load "cpus=$LAST"
	log_since | quiet_grep "topdown: not loaded: all CPUs to measure are offline"
	online "$LAST" 1
	load "cpus=$LAST"
	[[ $(< "$PARAMS/cpus") == "$LAST" ]]
	state_is cpu0 excluded
	state_is "cpu$LAST" ok
	state_is total ok
}

test_all_measures_every_cpu() {
	local file

	reload cpus=all
	for file in $(cpu_files); do state_is "$file" ok; done
	reload "cpus=N"
	[[ $(< "$PARAMS/cpus") == "$LAST" ]]
}

# refused LIST REGEX: with a line in the log that says why.
refused() {
	log_mark
	fails "$ERROR" "nvalid" load "cpus=$1"
	log_since | grep topdown | tee "$tmp/seen"
	quiet_grep "topdown: cpus '.*' $2.*; this machine has 0-$LAST" "$tmp/seen" ||
		die "cpus=$1: no such line in the log"
	loaded && die "cpus=$1: it is loaded"
	return 0
}

test_bad_lists_are_refused() {
	local list

	unload
	for list in x 0-x 1-0 -1 0,x 0- ^0 0x1 0:1; do
		refused "$list" "is not a list of CPUs"
	done
	for list in "0-$((LAST + 1))" "$((LAST + 1))" 99999; do
		refused "$list" "names a CPU that this machine cannot have"
	done
	for list in "" ','; do
		refused "$list" "names no CPU"
	done
	load
}

test_the_list_is_read_only() {
	reload
	[[ $(stat -c %a "$PARAMS/cpus") == 444 ]]
}

need_module
run_tests test_the_default_excludes_quiet_cpus test_an_excluded_cpu_is_left_alone \
	test_an_excluded_cpu_stays_excluded test_all_measures_every_cpu \
	test_bad_lists_are_refused test_the_list_is_read_only
