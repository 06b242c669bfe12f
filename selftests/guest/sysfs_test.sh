#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# /sys/kernel/topdown: names, format, owner and mode, and the period.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

NODES=(tma_retiring tma_bad_speculation tma_frontend_bound tma_backend_bound
	tma_heavy_operations tma_light_operations tma_branch_mispredicts
	tma_machine_clears tma_fetch_latency tma_fetch_bandwidth
	tma_memory_bound tma_core_bound)

# The whole file, line by line, as a regular expression.
format() {
	local level node i=0 percent='[0-9]+\.[0-9][0-9]%'

	level=$(field cpu0 level)
	echo "source: perf_metrics"
	echo "level: $level"
	echo "state: (ok|contended)"
	echo "running: $percent $percent"
	echo "windows: [1-9][0-9]*"
	echo "window_us: [0-9]+"
	echo "slots [0-9]+ 100\.00% 100\.00%"
	for node in "${NODES[@]}"; do
		if ((level > 1 || i < 4)); then
			echo "$node [0-9]+ $percent $percent"
		else
			echo "$node - - -"
		fi
		i=$((i + 1))
	done
}

test_files_have_their_format() {
	local file want line

	reload period_ms=100
	sleep 0.5
	format > "$tmp/format"
	for file in total $(cpu_files); do
		cat "$SYSFS/$file" > "$tmp/file"
		[[ $(wc -l < "$tmp/file") == "$(wc -l < "$tmp/format")" ]] ||
			die "$file: $(wc -l < "$tmp/file") lines"
		while IFS= read -r want <&3 && IFS= read -r line <&4; do
			[[ $line =~ ^$want$ ]] || die "$file: '$line' is not like '$want'"
		done 3< "$tmp/format" 4< "$tmp/file"
	done
}

test_all_files_are_there() {
	local seen want

	want=$( (echo events; echo odd_windows; echo period_ms; echo sources; echo total; cpu_files) | sort)
	seen=$(cd "$SYSFS" && printf '%s\n' * | sort)
	[[ $seen == "$want" ]] || die "there are: $seen"
}

# The counts that the figures are made of, as perf names them: at least those of the figures.
test_events_are_what_figures_are_made_of() {
	local before after slots metrics=4

	(($(field cpu0 level) < 2)) || metrics=8
	[[ $(ls "$SYSFS/events") == "$(cpu_files | sort)" ]]
	before=$(field cpu0 slots)
	cat "$SYSFS/events/cpu0" > "$tmp/events"
	slots=$(sed -n 's/^slots 0x400 //p' "$tmp/events")
	sleep 1.5
	after=$(field cpu0 slots)
	cat "$tmp/events"
	is "$before > 0 && $slots >= $before * 0.99 && $slots <= $after * 1.01"
	[[ $(grep -cE '^topdown-[a-z-]+ 0x8[0-7]00 [0-9]+$' "$tmp/events") == "$metrics" ]]
	# The four of level 1 are all of the slots, but for what bytes lose.
	awk -v slots="$slots" '/ 0x8[0-3]00 / { sum += $3 }
		END { exit !(sum <= slots * 1.01 && sum >= slots * 0.98) }' "$tmp/events"
}

mode_of() { stat -c '%a %u %g' "$1"; }

test_files_are_private_by_default() {
	local file

	reload
	for file in "$SYSFS"/cpu* "$SYSFS/total"; do
		[[ $(mode_of "$file") == "440 0 0" ]] || die "$file: $(mode_of "$file")"
		setpriv --reuid 65534 --regid 65534 --clear-groups cat "$file" > /dev/null 2>&1 &&
			die "nobody can read $file"
	done
	[[ $(mode_of "$SYSFS/period_ms") == "644 0 0" ]]
}

test_owner_and_mode_can_be_set() {
	local file events=$SYSFS/events/cpu0

	reload sysfs_mode=0444 sysfs_uid=1000 sysfs_gid=990
	for file in "$SYSFS"/cpu* "$SYSFS/total"; do
		[[ $(mode_of "$file") == "444 1000 990" ]] || die "$file: $(mode_of "$file")"
		setpriv --reuid 65534 --regid 65534 --clear-groups cat "$file" > /dev/null
	done
	# Each reading of these interrupts a CPU.
	[[ $(mode_of "$events") == "400 1000 990" ]] || die "$events: $(mode_of "$events")"
	fails 1 "Permission denied" setpriv --reuid 1000 --regid 990 --clear-groups cat "$events"
	cat "$events" > /dev/null
	reload sysfs_mode=0440 sysfs_gid=990
	setpriv --reuid 65534 --regid 990 --clear-groups cat "$SYSFS/total" > /dev/null
	fails 1 "Permission denied" setpriv --reuid 65534 --regid 65534 --clear-groups \
		cat "$SYSFS/total"
	# An owner without capabilities, uid 0 of a container for one, may change the mode himself.
	# So the parameters let users in, and the mode of the file does not.
	chmod 444 "$SYSFS/total"
	fails 1 "Permission denied" setpriv --reuid 65534 --regid 65534 --clear-groups \
		cat "$SYSFS/total"
	chown 1001 "$SYSFS/total"
	fails 1 "Permission denied" setpriv --reuid 1001 --regid 65534 --clear-groups \
		cat "$SYSFS/total"
	cat "$SYSFS/total" > /dev/null
}

# Nothing of the module is there.
nothing_left() {
	local path

	for path in /dev/topdown "$SYSFS" /sys/module/topdown \
		/sys/bus/event_source/devices/topdown; do
		[[ ! -e $path ]] || die "$path is left behind"
	done
}

test_a_bad_owner_or_mode_is_refused() {
	local param

	unload
	for param in sysfs_mode=0644 sysfs_mode=0222 sysfs_mode=07777 sysfs_uid=4294967295 \
		sysfs_gid=4294967295; do
		log_mark
		fails "$ERROR" "nvalid" load "$param"
		log_since | quiet_grep "topdown: .*${param%=*}" || die "$param: nothing in the log"
		nothing_left
	done
	for param in sysfs_mode=x sysfs_uid=-1 pinned=perhaps refined=2x drilldown=2x trust_device=2x; do
		fails "$ERROR" "nvalid" load "$param"
		nothing_left
	done
	load
}

# These are no periods: 0, negative, text, too large, just outside, mixtures.
BAD_PERIODS=(0 -1 -1000 9 60001 4294967296 18446744073709551616 99999999999999999999
	abc 100x "1 000" 100.5 1e3 "" " ")

bad_periods() {
	local file=$1 value

	echo 500 > "$file"
	for value in "${BAD_PERIODS[@]}"; do
		log_mark
		# shellcheck disable=SC2016 # They are the inner shell's.
		fails 1 "Invalid argument" bash -c 'echo "$1" > "$2"' bash "$value" "$file"
		[[ $(< "$SYSFS/period_ms") == 500 ]] || die "'$value' made it $(< "$SYSFS/period_ms")"
		[[ $(< "$PARAMS/period_ms") == 500 ]] || die "'$value': the parameter changed"
		log_since | quiet_grep "topdown: .*10\.\.60000" ||
			die "'$value': the log does not say what is allowed"
		log_since | quiet_grep -F "topdown: period_ms" || die "'$value': what is it about?"
		log_since | quiet_grep -F -- "'$value'" || die "'$value': the log does not name it: $(log_since)"
	done
}

test_sysfs_refuses_bad_periods() { bad_periods "$SYSFS/period_ms"; }
test_the_parameter_refuses_bad_periods() { bad_periods "$PARAMS/period_ms"; }

# Whoever may write the period cannot fill the log.
test_bad_periods_do_not_fill_the_log() {
	local begin=$SECONDS i lines

	reload
	log_mark
	for ((i = 0; i < 300; i++)); do
		echo "x$i" > "$SYSFS/period_ms" || true
	done 2> "$tmp/refused"
	[[ $(grep -c "Invalid argument" "$tmp/refused") == 300 ]]
	lines=$(log_since | grep -c "topdown: period_ms")
	# 50 in each half minute
	((lines >= 50 && lines <= 50 * (1 + (SECONDS - begin) / 30) && lines < 300)) ||
		die "300 wrong periods have $lines lines in the log"
	reload
}

test_a_load_refuses_bad_periods() {
	local value

	unload
	for value in 0 -1 9 60001 4294967296 abc 100x; do
		log_mark
		fails "$ERROR" "nvalid" load "period_ms=$value"
		log_since | quiet_grep "topdown: .*10\.\.60000" ||
			die "'$value': the log does not say what is allowed"
		nothing_left
	done
	load
}

test_good_periods_are_taken() {
	local file value

	for file in "$SYSFS/period_ms" "$PARAMS/period_ms"; do
		for value in 10 11 999 59999 60000 1000; do
			echo "$value" > "$file"
			[[ $(< "$SYSFS/period_ms") == "$value" ]]
			[[ $(< "$PARAMS/period_ms") == "$value" ]]
		done
		# Without a line's end, as programs write.
		printf 250 > "$file"
		[[ $(< "$SYSFS/period_ms") == 250 ]]
	done
	reload period_ms=60000
	[[ $(< "$SYSFS/period_ms") == 60000 ]]
	reload
	[[ $(< "$SYSFS/period_ms") == 1000 ]]
}

# A busy CPU closes about as many windows as the period says, at once.
test_period_takes_effect() {
	local before after

	reload period_ms=60000
	"$here/workload" -c 0 -t 60 compute &
	sleep 0.5
	echo 50 > "$SYSFS/period_ms"
	sleep 0.3
	before=$(field cpu0 windows)
	sleep 2
	after=$(field cpu0 windows)
	kill $!
	echo "windows in 2 s with a period of 50 ms: $((after - before))"
	is "$((after - before)) >= 30 && $((after - before)) <= 120"
}

# Somebody who writes the period again and again does not keep windows open.
test_a_repeated_period_keeps_no_window_open() {
	local before after _

	reload period_ms=400
	"$here/workload" -c 0 -t 60 compute &
	sleep 0.5
	before=$(field cpu0 windows)
	for _ in {1..20}; do
		echo 400 > "$SYSFS/period_ms"
		sleep 0.1
	done
	after=$(field cpu0 windows)
	kill $!
	echo "windows in 2 s with a period of 400 ms: $((after - before))"
	is "$((after - before)) >= 4"
}

test_figures_are_read_only() {
	local file

	for file in "$SYSFS/cpu0" "$SYSFS/total"; do
		! echo 1 2> /dev/null > "$file" || die "$file can be written"
	done
}

need_module
run_tests test_files_have_their_format test_all_files_are_there \
	test_events_are_what_figures_are_made_of test_files_are_private_by_default \
	test_owner_and_mode_can_be_set test_a_bad_owner_or_mode_is_refused \
	test_sysfs_refuses_bad_periods test_the_parameter_refuses_bad_periods \
	test_bad_periods_do_not_fill_the_log test_a_load_refuses_bad_periods \
	test_good_periods_are_taken test_period_takes_effect \
	test_a_repeated_period_keeps_no_window_open test_figures_are_read_only
