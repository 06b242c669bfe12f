# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the tests use these; here and tmp are of lib.bash
#
# Functions of the shell tests that run perf beside the module; to be sourced after lib.bash.

LEAST=95
GENERAL=cycles,instructions,branches,branch-misses
# Ours leave no room for them, and on some CPUs they do not even fit without us.
ORDINARY=$GENERAL,cache-references,cache-misses
CGROUP=counted
PARAMETERS=()
GROUP='{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}'

need_perf() { command -v perf > /dev/null || skip "there is no perf"; }

# Also while the module is not loaded.
has_metrics() { [[ $SOURCE == perf_metrics ]]; }

# events: a perf user who wants as much as there is asks for these.
events() {
	if has_metrics; then
		echo "$GENERAL,$GROUP"
	else
		echo "$ORDINARY"
	fi
}

need_metrics() {
	need_perf
	has_metrics || skip "this CPU has no PERF_METRICS"
}

# hog CPU [SECONDS]: in the background; HOG is its number.
hog() {
	"$here/workload" -c "$1" -t "${2:-600}" compute &
	HOG=$!
}

# perf_stat OPTION...: what perf counted is in $tmp/perf, a line an event, without the
# columns that threads and cgroups have.
perf_stat() {
	local status=0

	rm -f "$tmp/perf"
	perf stat -x, -o "$tmp/perf" "$@" || status=$?
	sed -i "s/^[^,]*-[0-9]*,//; s/,$CGROUP,/,/" "$tmp/perf"
	return $status
}

# all_ran FILE: every event was counted, and for so much of the time as without the
# module, if $tmp/base has that, or else of all the time.  Events that do not fit take
# turns then, and which of them has one more than the others is luck, but not how many
# turns there are.
all_ran() {
	local turn

	turn=$(cat /sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms)
	[[ -e $tmp/base ]] || : > "$tmp/base"
	awk -F, -v least="$LEAST" -v turn="$((turn * 1000000))" '
		/^#/ || $1 == "" || $3 == "" { next }
		FILENAME ~ /base$/ { base[$3] = $5; based++; next }
		{ n++ }
		$1 !~ /^[0-9.]+$/ { bad++; print "not counted: " $0; next }
		{
			want = based ? base[$3] : 100
			share += $5
			wanted += want
			# Nanoseconds that ran are $4, and those that it might have $4 * 100 / $5.
			luck = want < 99 && $5 ? turn * $5 / $4 : 0
		}
		$5 < want * least / 100 - luck { bad++; print "too little: " $0 }
		END {
			if (!n || based && n != based)
				print "events: " n ", without the module: " based
			if (share < wanted * least / 100)
				print "too little on average: " share / n
			exit !n || based && n != based || bad || share < wanted * least / 100
		}' "$tmp/base" "$1" && return
	cat "$tmp/base" "$1"
	return 1
}

# stat_beside OPTION...: what perf stat counts with the module, of these PARAMETERS, is what
# it counts without.  Where there are PERF_METRICS all events fit without it.
stat_beside() {
	if ! has_metrics; then
		unload
		perf_stat "$@"
		mv "$tmp/perf" "$tmp/base"
		load "${PARAMETERS[@]}"
		sleep 0.3
	fi
	perf_stat "$@"
	all_ran "$tmp/perf"
}

# share_of CPU COMMAND...: the percent of its time in which the CPU's group ran.
share_of() {
	local cpu=$1
	shift

	measure "$@" | awk -v cpu="$cpu" '$2 == cpu && $4 > 0 { print 100 * $6 / $4 }'
}

# children_of PID: not by /proc/PID/task/TID/children, which the debug kernel does not have.
children_of() {
	cat /proc/[0-9]*/stat 2> /dev/null | sed 's/ (.*) . / /' | awk -v parent="$1" '$2 == parent { print $1 }'
}

# end_user PID: perf stat prints what it counted when its command ends.
end_user() {
	# shellcheck disable=SC2046 # one word a child
	kill $(children_of "$1")
	wait "$1" || true
}

# load_all COMMAND...: on each CPU, in the background; LOAD are their numbers.
load_all() {
	local cpu

	LOAD=
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		"$here/workload" -c "$cpu" -t 600 "$@" &
		LOAD+=" $!"
	done
}

end_load() {
	# shellcheck disable=SC2086 # several numbers
	kill $LOAD
	# shellcheck disable=SC2086
	wait $LOAD || true
}

# wanted: the events of a perf user of whole CPUs.
wanted() { if has_metrics; then echo "$GROUP"; else echo "$GENERAL"; fi; }

# users STATE: those users, until somebody kills USERS.  perf takes a second and more to begin,
# and does nothing then that would be in one of few turns of ours.
users() {
	perf stat -a -x, -I 1000000 -o "$tmp/user" -e "$(wanted)" -- sleep 600 &
	USERS=$!
	await 10 state_is cpu0 "$1"
	await 10 state_is cpu1 "$1"
	sleep 1
}
