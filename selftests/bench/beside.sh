#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Is the module true beside perf users, and do they keep their counters?
set -euo pipefail

dir=$(cd "$(dirname "$0")" && pwd)
cases="nobody interval default topdown command both record cgroup watchdog watchdog-default"

usage() {
	cat << END
Usage: beside.sh [OPTION]...

  -k LIST      kernels (default "6.1 6.12 7")
  -m LIST      emulated machines (default "spr icl skx zen4")
  -p LIST      lengths of the phases in ms (default "5-50 50-500 2000-2000")
  -q LIST      how the bytes of PERF_METRICS are made (default "truncate round rest")
  -r LIST      cases (default "$cases")
  -o FILE      keep what was measured (default: in the cache); it is added to
  -t FILE      make the table of such a file, and measure nothing; exit with 1 if it has a
               figure that is off by more than 0.5 points, 0.6 with "rest", or "unsupported"
  -h           this text

All of it is 3 * 4 * 3 * 3 machines, each for some ten minutes.
END
}

kernels="6.1 6.12 7"
machines="spr icl skx zen4"
ranges="5-50 50-500 2000-2000"
bytes="truncate round rest"
raw=
table=
while getopts :hk:m:p:q:r:o:t: opt; do
	case $opt in
	k) kernels=$OPTARG ;;
	m) machines=$OPTARG ;;
	p) ranges=$OPTARG ;;
	q) bytes=$OPTARG ;;
	r) cases=$OPTARG ;;
	o) raw=$OPTARG ;;
	t) table=$OPTARG ;;
	h) usage; exit 0 ;;
	*) echo "beside.sh: option -$OPTARG is unknown or lacks its value; try -h" >&2; exit 2 ;;
	esac
done

# show FILE: a row for each case, and whether all is as it shall be
show() {
	awk '
	# The worst event as a percentage of its share without the module.
	function kept(with, without,    x, y, n, i, out) {
		n = split(with, x, "/")
		if (with == "-" || n != split(without, y, "/"))
			return "-"
		out = 100
		for (i = 1; i <= n; i++)
			if (y[i] > 0 && 100 * x[i] / y[i] < out)
				out = 100 * x[i] / y[i]
		return int(out + 0.5)
	}
	function wrong(place, what) {
		bad++
		text = text "\n  " place ": " what
	}
	$1 != "beside" { next }
	{
		place = $2 " " $3 " " $4 " " $5 " " $6
		if (!(place in seen)) {
			seen[place] = 1
			order[n++] = place
		}
		# worst and share while it moves, the same of one profile, states, shares, sum,
		# worst, samples
		for (i = 8; i <= 16; i++)
			has[place, $7, i] = $i
	}
	END {
		form = "%-6s %-5s %-8s %-9s %-16s | %6s %6s %6s %6s  %-14s | %-20s %-20s %4s | %6s %6s %6s %6s\n"
		printf form, "kernel", "mach", "bytes", "phases", "beside", "moving", "share", "held", \
			"share", "states", "theirs without", "with the module", "kept", "sum", "off", \
			"sum", "off"
		for (i = 0; i < n; i++) {
			place = order[i]
			split(place, p, " ")
			a = has[place, "without", 13]
			b = has[place, "with", 13]
			keeps = kept(b, a)
			if (has[place, "without", 16] + 0) {
				a = has[place, "without", 16] " samples"
				b = has[place, "with", 16] " samples"
				keeps = int(100 * b / a + 0.5)
			}
			printf form, p[1], p[2], p[3], p[4], p[5], has[place, "with", 8], \
				has[place, "with", 9], has[place, "with", 10], \
				has[place, "with", 11], has[place, "with", 12], a == "" ? "-" : a, \
				b, keeps, has[place, "without", 14], has[place, "without", 15], \
				has[place, "with", 14], has[place, "with", 15]
			limit = p[3] == "rest" ? 0.6 : 0.5
			if (has[place, "with", 10] + 0 > limit)
				wrong(place, "held is " has[place, "with", 10] " points off, above " limit)
			else if (has[place, "with", 11] == "-" || has[place, "with", 11] <= 0)
				wrong(place, "no share of a held second was counted")
			else if (has[place, "with", 12] ~ /unsupported/)
				wrong(place, "a CPU was unsupported")
			# The counted time is a fair sample only where it was most of all time.
			if (has[place, "with", 9] > 40 && has[place, "with", 8] + 0 > limit)
				wrong(place, "moving is " has[place, "with", 8] " points off, above " limit)
		}
		print (bad + 0) " figures are wrong" (bad ? ":" : "") text
		exit bad || !n
	}' "$1"
}

if [[ -n $table ]]; then
	show "$table"
	exit
fi

# shellcheck source=selftests/vm/common.sh
. "$dir/../vm/common.sh"

raw=${raw:-$CACHE/beside.raw}
tests=$("$TOP/selftests/vm/kselftest.sh")/topdown
guest=$(mktemp -d)
trap 'rm -rf "$guest"' EXIT
cp "$tests/workload" "$tests/measure" "$dir/beside-run.sh" "$guest/"
for kernel in $kernels; do
	for machine in $machines; do
		for quant in $bytes; do
			for range in $ranges; do
				"$TOP/selftests/vm/run.sh" -k "$kernel" -m "$machine" -q "$quant" -c 2 \
					-i -s 3 -t 3000 -P -x "$guest:/bench" \
					"bash /bench/beside-run.sh $range $cases" |
					sed -u "s/^\(beside [^ ]* [^ ]*\)/\1 $quant/" | tee -a "$raw"
			done
		done
	done
done
show "$raw"
