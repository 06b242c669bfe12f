# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Functions of the shell tests; to be sourced.  A test is a function: it passes
# if all its commands succeed, and is skipped if it calls skip.

set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
. "$here/../kselftest/ktap_helpers.sh"

SYSFS=/sys/kernel/topdown
# shellcheck disable=SC2034 # the tests use it
PARAMS=/sys/module/topdown/parameters
FULL=${TOPDOWN_FULL:-}
MACHINE=${TOPDOWN_MACHINE:-}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Jobs that a failed test has left running must not spoil the next test.
kill_jobs() {
	local pids

	pids=$(jobs -p)
	# shellcheck disable=SC2086 # several numbers
	[[ -z $pids ]] || kill -9 $pids 2> /dev/null || true
}

# times N M: N, or M in a full run.
times() { if [[ -n $FULL ]]; then echo "$2"; else echo "$1"; fi; }

# skip WHY: ends this test.
skip() {
	echo "SKIP: $*"
	exit "$KSFT_SKIP"
}

# die WHAT: fails this test.
die() {
	echo "$*"
	exit 1
}

# run_tests FUNCTION...: everything between plan and totals; TOPDOWN_ONLY are the names of
# those that are wanted, with commas between.  TOPDOWN_PARTS has words SCRIPT:NAME,NAME.
run_tests() {
	local name status began wanted=() only=${TOPDOWN_ONLY:-} part

	for part in ${TOPDOWN_PARTS:-}; do
		[[ ${part%%:*} != "${0##*/}" ]] || only=${part#*:}
	done
	for name in ${only//,/ }; do
		# Or else a test that has another name now would be left out, and nobody would notice.
		[[ \ $*\  == *\ test_$name\ * ]] || die "${0##*/} has no test '$name'"
		wanted+=("test_$name")
	done
	((!${#wanted[@]})) || set -- "${wanted[@]}"
	ktap_print_header
	ktap_set_plan $#
	for name; do
		began=$SECONDS
		(
			trap kill_jobs EXIT
			set -e
			"$name"
		) > "$tmp/log" 2>&1
		status=$?
		sed 's/^/# /' "$tmp/log"
		echo "# $((SECONDS - began)) s"
		case $status in
		0) ktap_test_pass "${name#test_}" ;;
		"$KSFT_SKIP") ktap_test_skip "${name#test_}" ;;
		*) ktap_test_fail "${name#test_}" ;;
		esac
	done
	ktap_finished
}

loaded() { [[ -e $SYSFS/total ]]; }

# load [PARAMETER=VALUE]...: as modprobe or insmod exits, with their message.
load() {
	local file=${TOPDOWN_KO:-/topdown.ko}

	if [[ -e $file ]]; then
		insmod "$file" "$@"
	else
		modprobe topdown "$@"
	fi
}

# load_latency: topdown_latency, beside topdown, which is loaded.
load_latency() {
	local file=${TOPDOWN_KO:-/topdown.ko}

	if [[ -e $file ]]; then
		insmod "${file%.ko}_latency.ko"
	else
		modprobe topdown_latency
	fi
}

# unload: both modules, also right after somebody closed a device.
unload() {
	local i

	loaded || return 0
	for i in 1 2 3 4 5; do
		[[ ! -e /sys/module/topdown_latency ]] || rmmod topdown_latency &&
			rmmod topdown && return
		sleep 0.2
	done
	return 1
}

reload() { unload && load "$@"; }

measurable() { [[ -z $MACHINE || $MACHINE != @(nopmu|amd) ]]; }

# need_module: for a whole program that can do nothing without.
need_module() {
	loaded && return
	load > "$tmp/log" 2>&1 && return
	if ! measurable || [[ -z $MACHINE ]]; then
		ktap_skip_all "the module does not load here: $(< "$tmp/log")"
		exit "$KSFT_SKIP"
	fi
	ktap_print_header
	echo "Bail out! cannot load the module: $(< "$tmp/log")"
	exit 1
}

# The figures are right now; prints them.
measure() { "$here/measure" "$@"; }

# insmod's own exit status differs: any but 0.
# shellcheck disable=SC2034 # the tests use it
ERROR='[1-9]*'

# cpu_files: the names in /sys/kernel/topdown of all CPUs.
cpu_files() {
	local cpu

	for ((cpu = 0; cpu < $(grep -c ^processor /proc/cpuinfo); cpu++)); do
		echo "cpu$cpu"
	done
}

# Linux 6.12 warns (kernel/sched/deadline.c, task_non_contending) when a CPU under
# load goes offline while the scheduler's fair server is on.  The module is not in
# the trace, but it has not been tried without the module.
fair_server_off() {
	local runtime

	for runtime in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do
		[[ ! -e $runtime ]] || echo 0 > "$runtime"
	done
}

# busy: load on every CPU; kill $BUSY to end it.
busy() {
	local cpu names=(compute stream branchy bigcode)

	BUSY=
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		# Longer than a test may take, also in the full tier on the debug kernel.
		"$here/workload" -c "$cpu" -t 3600 "${names[cpu % 4]}" &
		BUSY+=" $!"
	done
}

# field FILE NAME [N]: word N (1) after NAME in a file of /sys/kernel/topdown.
field() {
	awk -v name="$2" -v n="$((${3:-1} + 1))" \
		'$1 == name || $1 == name ":" { print $n }' "$SYSFS/$1"
}

# is EXPRESSION: of numbers, also fractions; false with a message.
is() {
	awk "BEGIN { exit !($*) }" && return
	echo "not true: $*"
	return 1
}

# await SECONDS COMMAND...: until it succeeds.
await() {
	local i

	for ((i = $1 * 10; i > 0; i--)); do
		"${@:2}" && return
		sleep 0.1
	done
	echo "waited $1 s in vain for: ${*:2}"
	return 1
}

# grown FILE SLOTS: it has more by now.
grown() { (($(field "$1" slots) > $2)); }

state_is() { [[ $(field "$1" state) == "$2" ]]; }

# grep -q ends at the first match, and with pipefail what writes into it then fails.
quiet_grep() { grep "$@" > /dev/null; }

# log_mark; log_since: the kernel's messages since then, without time stamps.
log_mark() { LOG_LINES=$(dmesg | wc -l); }
log_since() { dmesg | tail -n "+$((LOG_LINES + 1))" | sed 's/^\[[^]]*\] //'; }

# fails STATUS REGEX COMMAND...: with that status (a glob), and such a message.
fails() {
	local want=$1 regex=$2 status=0 output
	shift 2

	output=$("$@" 2>&1) || status=$?
	# shellcheck disable=SC2053
	if [[ $status != $want ]]; then
		die "'$*': status $status, not $want: $output"
	fi
	if [[ ! $output =~ $regex ]]; then
		die "'$*': no message like '$regex': $output"
	fi
}
