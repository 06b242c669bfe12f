#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The comparison, "make bench": what monitoring costs and how true it is, by
# the module and by perf, counted on the emulated machine.
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

usage() {
	cat << END
Usage: run.sh [OPTION]...

  -c LIST      numbers of CPUs to count costs on (default "4 16"; "" for none)
  -k KERNEL    kernel under test (default 6.12)
  -s SECONDS   how long the profiles change for each figure of precision
               (default 10; 0 for none)
  -p SECONDS   how long a task with phases runs that is read at its end (default
               10; 0 for no tasks)
  -n READS     reads of the mapped page that must not be torn (default 1000000;
               0 for none)
  -f           all of it, as in the README: -c "4 16 64" -s 120 -p 60
               -n 10000000
  -o FILE      keep what was counted (default: in the cache)
  -t FILE      make the table of such a file, and measure nothing
  -h           this text

The last line is "N passed, N failed, N skipped": bounds that are kept or not.
Exit status: 0 if all are, 1 if not, 2 for wrong usage, 3 if a machine failed.
END
}

sizes="4 16"
kernel=6.12
seconds=10
phases=10
reads=1000000
raw=
table=

while getopts :fhc:k:s:p:n:o:t: opt; do
	case $opt in
	c) sizes=$OPTARG ;;
	k) kernel=$OPTARG ;;
	s) seconds=$OPTARG ;;
	p) phases=$OPTARG ;;
	n) reads=$OPTARG ;;
	f) sizes="4 16 64" seconds=120 phases=60 reads=10000000 ;;
	o) raw=$OPTARG ;;
	t) table=$OPTARG ;;
	h) usage; exit 0 ;;
	*) note "option -$OPTARG is unknown or lacks its value; try run.sh -h"; exit 2 ;;
	esac
done
if [[ ! $seconds =~ ^[0-9]+$ || ! $phases =~ ^[0-9]+$ || ! $reads =~ ^[0-9]+$ || ! $sizes =~ ^[0-9\ ]*$ ]]; then
	note "SECONDS, READS and the CPUs are whole numbers; try run.sh -h"
	exit 2
fi

show() { awk -f "$TOP/selftests/bench/table.awk" "$1"; }

if [[ -n $table ]]; then
	show "$table"
	exit
fi

need gcc=gcc
guest=$(mktemp -d)
trap 'rm -rf "$guest"' EXIT
raw=${raw:-$CACHE/bench.raw}
: > "$raw"

build() {
	local dir=$TOP/selftests program

	for program in agent counted standing precision switch task torn; do
		gcc -O2 -Wall -std=gnu11 -D_GNU_SOURCE -static -I"$dir" -I"$dir/guest/lib" -I"$TOP/uapi" \
			-o "$guest/$program" "$dir/bench/$program.c" \
			"$dir"/bench/{count,group,map,phase}.c "$dir"/guest/lib/{backdoor,device,perf}.c -lm -lpthread
	done
	cp "$dir"/bench/{cost,precision,task}.sh "$guest"
}

# machine CPUS COMMAND [OPTION]...: one boot; its lines to the file and to us
machine() {
	local cpus=$1 command=$2
	shift 2

	note "$cpus CPUs: $command"
	"$TOP/selftests/vm/run.sh" -k "$kernel" -c "$cpus" -P \
		-x "$guest:/bench" "$@" "$command" | tee -a "$raw" >&2 || exit 3
}

build
for cpus in $sizes; do
	# Ticks at different times: or busy CPUs that share a thread lose most
	parts="standing agents stats setup idle"
	# Eight perf stat at once on many CPUs would take hours
	[[ $cpus != "${sizes%% *}" ]] || ((cpus > 16)) || parts+=" busy many"
	machine "$cpus" "bash /bench/cost.sh $parts" -i -a skew_tick=1 -t 7200
done
((reads == 0)) ||
	machine 4 "BENCH_READS=$reads bash /bench/precision.sh torn" -t 7200
# Where time is instructions a busy host loses no slots.
((seconds == 0)) ||
	machine 4 "BENCH_SECONDS=$seconds bash /bench/precision.sh precision" -i -s 3 -t 7200
if ((phases != 0)); then
	# An instruction takes 1 ns there: a switch is a few microseconds, as on a real CPU
	machine 2 "bash /bench/task.sh switch" -i -s 0 -t 7200
	machine 2 "BENCH_SECONDS=$phases bash /bench/task.sh users truth" -i -s 3 -t 7200
fi
show "$raw"
