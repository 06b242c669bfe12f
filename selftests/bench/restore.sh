#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How true is perf's own level 1, where the driver takes its group off the counters and puts it
# back?  The module is not loaded.  docs/upstream has a patch for Linux, with this table.
set -euo pipefail

dir=$(cd "$(dirname "$0")" && pwd)

usage() {
	cat << END
Usage: restore.sh [-k LIST] [-m LIST] [-q LIST] [-s SECONDS]

  -k LIST      kernels, as run.sh has them (default "7"); a file of assignments for another one
  -m LIST      emulated machines (default "spr icl")
  -q LIST      how bytes are made (default "truncate round rest")
  -s SECONDS   time of each program (default 8)

A line for each: sum is level 1 over the slots, off is perf's worst node in points.
  alone     perf stat -- program, on a CPU of its own
  shared    the same, and another program has the CPU for half of the time
  woken     the same, and another program takes the CPU 300 times a second, for a moment
  turns     perf stat -a, and another perf stat -a of slots, with which it takes turns
  mapped    a program that reads its own mapped group by RDPMC, as "shared": off, and seen, the
            slots that it sees of those that it had
END
}

# --- in the guest ---

phases() { "$dir/workload" -c 1 -t "$seconds" "$@"; }

# perf_off: "SUM OFF", by the output of perf and the truth
perf_off() {
	awk -F, 'NR == FNR { split($0, truth, " "); next }
		/^CPU/ { if ($1 != "CPU1") next; sub(/^[^,]*,/, "") }
		/slots|topdown-/ { value[n++] = $1 }
		END {
			sum = value[1] + value[2] + value[3] + value[4]
			for (i = 1; i <= 4; i++) {
				off = 100 * value[i] / sum - truth[i]
				off = off < 0 ? -off : off
				worst = off > worst ? off : worst
			}
			printf "sum %.3f off %.2f\n", sum / value[0], worst
		}' /tmp/truth /tmp/perf
}

one() {
	local group='{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}'
	local work=("$dir/workload" -c 1 -t "$seconds" -T -P 50-500 compute stream branchy bigcode)
	local other=

	rm -f /tmp/perf
	case $1 in
	shared | mapped) phases -P 30-300 bigcode branchy stream compute & other=$! ;;
	woken) phases -f -w 300 & other=$! ;;
	turns) perf stat -a -x, -o /tmp/other -e "$group" -- sleep 1000 & other=$! ;;
	esac
	case $1 in
	mapped)
		taskset 2 "$dir/task" rdpmc "$seconds" 1 /tmp/truth > /tmp/rdpmc
		# shellcheck disable=SC2046 # one word a figure
		"$dir/task" compare /tmp/truth $(cat /tmp/rdpmc) |
			sed -E 's/.*l1_max=([0-9.]+).* slots=([0-9.]+)/off \1 seen \2/' ;;
	turns)
		perf stat -a -A -x, -o /tmp/perf -e "$group" -- "${work[@]}" > /tmp/truth
		perf_off ;;
	*)
		perf stat -x, -o /tmp/perf -e "$group" -- "${work[@]}" > /tmp/truth
		perf_off ;;
	esac
	[[ -z $other ]] || kill "$other" 2> /dev/null || true
	wait
}

if [[ ${1:-} == --guest ]]; then
	seconds=$2
	taskset -p 1 $$ > /dev/null
	for way in bytes exact; do
		"$dir/fault" "restore-$way"
		for quant in $3; do
			"$dir/fault" "$quant"
			for name in alone shared woken turns mapped; do
				echo "restore $(uname -r) $TOPDOWN_MACHINE $way $quant $name: $(one "$name")"
			done
		done
	done
	exit
fi

# --- on the host ---

# shellcheck source=selftests/vm/common.sh
. "$dir/../vm/common.sh"

kernels=7
machines="spr icl"
bytes="truncate round rest"
seconds=8
while getopts :hk:m:q:s: opt; do
	case $opt in
	k) kernels=$OPTARG ;;
	m) machines=$OPTARG ;;
	q) bytes=$OPTARG ;;
	s) seconds=$OPTARG ;;
	h) usage; exit 0 ;;
	*) note "option -$OPTARG is unknown or lacks its value; try restore.sh -h"; exit 2 ;;
	esac
done
need gcc=gcc
guest=$(mktemp -d)
trap 'rm -rf "$guest"' EXIT
tests=$("$TOP/selftests/vm/kselftest.sh")/topdown
cp "$tests/workload" "$tests/fault" "$0" "$guest/"
gcc -O2 -Wall -std=gnu11 -D_GNU_SOURCE -static -I"$TOP/selftests" -I"$TOP/selftests/guest/lib" \
	-I"$TOP/uapi" -o "$guest/task" "$dir/task.c" "$dir"/{count,group,map,phase}.c \
	"$TOP"/selftests/guest/lib/{backdoor,device,perf}.c -lm -lpthread
for kernel in $kernels; do
	for machine in $machines; do
		"$TOP/selftests/vm/run.sh" -N -P -k "$kernel" -m "$machine" -c 2 -i -s 3 -t 3000 \
			-x "$guest:/bench" "bash /bench/restore.sh --guest $seconds '$bytes'"
	done
done
