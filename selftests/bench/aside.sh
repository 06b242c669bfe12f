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
  -l           one row in it for all kernels that count the same events, with the least
               of each figure
  -h           this text

A share is that of the time in which the event was to run, in percent; a dash is
<not counted>.  Events in the order of the command line; those of a group count as one.
Of perf record it is the number of samples as a percentage of that without the module.
"worst" is the event whose share is the smallest part of that without the module, in
percent.  "ours" is for how much of the time of the command, perf's own start included,
the CPU's own group ran, and the state that the module said at its end.
END
}

# --- in the guest ---

# in_order FILE: the shares that perf printed, those of one group once.
in_order() {
	# With a cgroup there is one column more.
	sed "s/,$cgroup,/,/" "$1" | awk -F, '/^#/ || $3 == "" || $3 ~ /^(task-clock|context-sw|cpu-mig|page-f|duration)/ { next }
		{ share = $1 ~ /^[0-9.]+$/ ? int($5) : "-" }
		$3 ~ /^(topdown|TOPDOWN)/ && named { next }
		{ named = $3 ~ /^(slots|TOPDOWN)/ || named }
		{ out = out (n++ ? "/" : "") share }
		END { print n ? out : "none" }'
}

# beside CPU COMMAND...: runs it; the share of the CPU's group is in OURS, and its state
# at the end in STATE.
beside() {
	local cpu=$1
	shift

	if [[ $policy == without ]]; then
		"$@" > /dev/null 2>> /tmp/errors
		OURS=- STATE=-
		return
	fi
	# Nothing is left of who was there before.
	sleep 2
	OURS=$("$dir/measure" "$@" 2>> /tmp/errors | awk -v cpu="$cpu" \
		'$2 == cpu { print $4 ? int(100 * $6 / $4) : "none" }')
	STATE=$(awk '$1 ~ /^state:?$/ { print $2 }' "/sys/kernel/topdown/cpu$cpu")
}

# line COMMAND SHARES
line() { echo "aside $kernel $machine $span $policy $1 $2 $OURS $STATE"; }

command_lines() {
	local work=("$dir/workload" -c 1 -t "$span" compute) every

	beside 1 perf stat -x, -o /tmp/perf -- "${work[@]}"
	line stat "$(in_order /tmp/perf)"
	if [[ $events == *slots* ]]; then
		beside 1 perf stat -x, -o /tmp/perf --topdown --no-metric-only -- "${work[@]}"
		line topdown "$(in_order /tmp/perf)"
	fi
	beside 1 perf stat -x, -o /tmp/perf -e "$events" -- "${work[@]}"
	line five "$(in_order /tmp/perf)"
	rm -f /tmp/data
	# Enough samples to compare, and not so many that perf throttles them.
	every=$(awk -v s="$span" 'BEGIN { print s < 1 ? 1000000 : 3000000 * s }')
	beside 1 perf record -q -e cycles -c "$every" -o /tmp/data -- "${work[@]}"
	line record "$(perf script -i /tmp/data -F event 2> /dev/null | wc -l)"
}

# running_lines: events of tasks that run already.
running_lines() {
	"$dir/workload" -c 1 -t 1000 compute &
	echo $! > "/tmp/cgroup/$cgroup/cgroup.procs"
	beside 1 perf stat -x, -o /tmp/perf -e "$events" -p $! -- sleep "$span"
	line p "$(in_order /tmp/perf)"
	beside 1 perf stat -x, -o /tmp/perf -a -C 1 -e "$events" -G "$cgroup" -- sleep "$span"
	line G "$(in_order /tmp/perf)"
	kill $!
	wait || true
}

measure_here() {
	local kernel machine=$1 span policy events cgroup=counted

	kernel=$(uname -r | grep -oE '^[0-9]+(\.[0-9]+)?')
	mkdir -p /tmp/cgroup
	mount -t cgroup -o perf_event none /tmp/cgroup
	mkdir "/tmp/cgroup/$cgroup"
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
least=
while getopts :hk:m:s:o:t:l opt; do
	case $opt in
	k) kernels=$OPTARG ;;
	m) machines=$OPTARG ;;
	s) spans=$OPTARG ;;
	o) raw=$OPTARG ;;
	t) table=$OPTARG ;;
	l) least=1 ;;
	h) usage; exit 0 ;;
	*) note "option -$OPTARG is unknown or lacks its value; try aside.sh -h"; exit 2 ;;
	esac
done

# show FILE: one row for each kernel, or with $least one for all, with the least of each.
show() {
	awk -v merge="$least" '
	# Is share a less than share b?  A dash is less than any.
	function less(a, b) { return b != "-" && (a == "-" || a + 0 < b + 0) }
	# The lesser of each event.
	function lesser(a, b,    x, y, n, i, out) {
		n = split(a, x, "/")
		split(b, y, "/")
		for (i = 1; i <= n; i++)
			out = out (i > 1 ? "/" : "") (less(x[i], y[i]) ? x[i] : y[i])
		return out
	}
	# The worst event as a percentage of its share without the module.
	function worst(with, without,    x, y, n, i, part, out) {
		n = split(with, x, "/")
		if (n != split(without, y, "/"))
			return "?"
		out = 100
		for (i = 1; i <= n; i++) {
			part = y[i] > 0 ? 100 * x[i] / y[i] : 0
			if (part < out)
				out = part
		}
		return int(out)
	}
	function unite(what, row, new) {
		if (row in what)
			new = lesser(what[row], new)
		what[row] = new
	}
	$1 != "aside" { next }
	{
		place = $2 " " $3 " " $4 " " $6
		# Samples of perf record.
		if ($6 == "record") {
			if ($5 == "without")
				samples[place] = $7
			$7 = samples[place] ? int(100 * $7 / samples[place]) : "?"
		}
		count = gsub("/", "/", $7)
		# Kernels that count other events have a row of their own.
		row = merge ? "all " $3 " " $4 " " $6 " " count : place
		if (!(row in seen)) {
			seen[row] = 1
			order[n++] = row
		}
		if ($5 == "without") {
			baseline[place] = $7
			unite(without, row, $7)
			next
		}
		unite(ours, row SUBSEP $5, $8)
		if (index(state[row, $5], $9) == 0)
			state[row, $5] = state[row, $5] (state[row, $5] ? "," : "") $9
		unite(share, row SUBSEP $5, $7)
		if ($5 == "tasks")
			unite(part, row, worst($7, baseline[place]))
	}
	END {
		form = "%-7s%-8s%4s  %-8s %-24s %-24s %-24s %5s  %-14s %s\n"
		printf form, "kernel", "machine", "s", "command", "without", "rotation alone", \
			"aside=tasks", "worst", "ours, rotation", "ours, aside"
		for (i = 0; i < n; i++) {
			row = order[i]
			split(row, p, " ")
			printf form, p[1], p[2], p[3], p[4], without[row], share[row, "never"], \
				share[row, "tasks"], part[row], \
				ours[row, "never"] " " state[row, "never"], \
				ours[row, "tasks"] " " state[row, "tasks"]
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
