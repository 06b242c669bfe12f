#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Do perf users who count tasks notice the module?  For how much of the time each of
# their events runs without the module, with rotation alone (aside=never) and as the
# module is by default; and for how much of it the CPU's own group ran meanwhile.
set -euo pipefail

group='{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}'
general=cycles,instructions,branches,branch-misses
dir=$(cd "$(dirname "$0")" && pwd)

usage() {
	cat << END
Usage: aside.sh [OPTION]...

  -k LIST      kernels (default "6.1 6.12")
  -m LIST      emulated machines (default "spr icl skx zen4")
  -s LIST      seconds that a command runs (default "0.1 1")
  -o FILE      keep what was measured (default: in the cache); it is added to
  -t FILE      make the table of such a file, and measure nothing
  -h           this text

A share is that of the time in which the event was to run, in percent; a dash is
<not counted>.  Events in the order of the command line; those of a group count as one.
END
}

# --- in the guest ---

# in_order FILE: the shares that perf printed, those of one group once.
in_order() {
	awk -F, '/^#/ || $3 == "" || $3 ~ /^(task-clock|context-sw|cpu-mig|page-f|duration)/ { next }
		{ share = $1 ~ /^[0-9.]+$/ ? int($5) : "-" }
		$3 ~ /^(topdown|TOPDOWN)/ && named { next }
		{ named = $3 ~ /^(slots|TOPDOWN)/ || named }
		{ out = out (n++ ? "/" : "") share }
		END { print n ? out : "none" }' "$1"
}

# beside CPU COMMAND...: runs it; the share of the CPU's group is in OURS.
beside() {
	local cpu=$1
	shift

	if [[ $policy == without ]]; then
		"$@" > /dev/null 2>> /tmp/errors
		OURS=-
		return
	fi
	OURS=$("$dir/measure" "$@" 2>> /tmp/errors | awk -v cpu="$cpu" \
		'$2 == cpu && $4 { print int(100 * $6 / $4) }')
}

# line COMMAND SHARES
line() { echo "aside $kernel $machine $span $policy $1 $2 $OURS"; }

command_lines() {
	local work=("$dir/workload" -c 1 -t "$span" compute)

	beside 1 perf stat -x, -o /tmp/perf -- "${work[@]}"
	line stat "$(in_order /tmp/perf)"
	if [[ $events == *slots* ]]; then
		beside 1 perf stat -x, -o /tmp/perf --topdown --no-metric-only -- "${work[@]}"
		line topdown "$(in_order /tmp/perf)"
	fi
	beside 1 perf stat -x, -o /tmp/perf -e "$events" -- "${work[@]}"
	line five "$(in_order /tmp/perf)"
	rm -f /tmp/data
	beside 1 perf record -q -e cycles -c 3000000 -o /tmp/data -- "${work[@]}"
	line record "$(perf script -i /tmp/data -F event 2> /dev/null | wc -l)"
}

# Of tasks that run already.
running_lines() {

	"$dir/workload" -c 1 -t 1000 compute &
	echo $! > /tmp/cgroup/topdown/cgroup.procs
	beside 1 perf stat -x, -o /tmp/perf -e "$events" -p $! -- sleep "$span"
	line p "$(in_order /tmp/perf)"
	beside 1 perf stat -x, -o /tmp/perf -a -C 1 -e "$events" --for-each-cgroup topdown -- sleep "$span"
	line G "$(in_order /tmp/perf)"
	kill $!
	wait || true
}

measure_here() {
	local kernel machine=$1 span policy events

	kernel=$(uname -r | grep -oE '^[0-9]+(\.[0-9]+)?')
	mkdir -p /tmp/cgroup
	mount -t cgroup -o perf_event none /tmp/cgroup
	mkdir /tmp/cgroup/topdown
	events=$general,cache-references,cache-misses
	perf stat -e "$group" true > /dev/null 2>&1 && events=$general,$group
	for policy in without never tasks; do
		[[ $policy == without ]] || insmod /topdown.ko aside="$policy"
		for span in $2; do
			command_lines
			running_lines
		done
		[[ $policy == without ]] || rmmod topdown
	done
}

if [[ ${1:-} == --guest ]]; then
	measure_here "$2" "$3"
	exit
fi

# --- on the host ---

# shellcheck source=selftests/vm/common.sh
. "$dir/../vm/common.sh"

kernels="6.1 6.12"
machines="spr icl skx zen4"
spans="0.1 1"
raw=
table=
while getopts :hk:m:s:o:t: opt; do
	case $opt in
	k) kernels=$OPTARG ;;
	m) machines=$OPTARG ;;
	s) spans=$OPTARG ;;
	o) raw=$OPTARG ;;
	t) table=$OPTARG ;;
	h) usage; exit 0 ;;
	*) note "option -$OPTARG is unknown or lacks its value; try aside.sh -h"; exit 2 ;;
	esac
done

# The samples of perf record as a percentage of those without the module.
show() {
	awk '
	function place(i) { return $2 " " $3 " " $4 " " $6 }
	$1 != "aside" { next }
	{
		key = place()
		if (!(key in seen)) {
			seen[key] = 1
			order[n++] = key
		}
		if ($6 == "record") {
			if ($5 == "without")
				base[key] = $7
			$7 = base[key] ? int(100 * $7 / base[key]) : "?"
		}
		share[key, $5] = $7
		ours[key, $5] = $8
	}
	END {
		form = "%-7s%-8s%5s  %-8s %-28s %-28s %-28s %5s %5s\n"
		printf form, "kernel", "machine", "s", "command", "without", "rotation alone", \
			"aside=tasks", "ours,", "ours,"
		printf form, "", "", "", "", "", "", "", "rot.", "aside"
		for (i = 0; i < n; i++) {
			split(order[i], p, " ")
			printf form, p[1], p[2], p[3], p[4], share[order[i], "without"], \
				share[order[i], "never"], share[order[i], "tasks"], \
				ours[order[i], "never"], ours[order[i], "tasks"]
		}
	}' "$1"
}

if [[ -n $table ]]; then
	show "$table"
	exit
fi

raw=${raw:-$CACHE/aside.raw}
tests=$("$TOP/selftests/vm/kselftest.sh")/topdown
guest=$(mktemp -d)
trap 'rm -rf "$guest"' EXIT
cp "$tests/workload" "$tests/measure" "$dir/aside.sh" "$guest/"
for kernel in $kernels; do
	for machine in $machines; do
		"$TOP/selftests/vm/run.sh" -k "$kernel" -m "$machine" -c 2 -i -s 3 -t 3000 -P \
			-x "$guest:/bench" "bash /bench/aside.sh --guest $machine '$spans'" |
			tee -a "$raw"
	done
done
show "$raw"
