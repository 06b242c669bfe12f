#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# On the build machine: what a switch between tasks of two cgroups takes, with the owners that are
# cgroups and with perf stat --for-each-cgroup.  Prints a table.
#
#   owners.sh [KERNEL]
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

need gcc=gcc
dir=$TOP/selftests
guest=$(mktemp -d)
trap 'rm -rf "$guest"' EXIT
rounds=${BENCH_ROUNDS:-4000}
# Turns of some 10 us, as in task.sh
switch="$rounds 300"
events='{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}'

gcc -O2 -Wall -std=gnu11 -D_GNU_SOURCE -static -I"$dir" -I"$dir/guest/lib" -I"$TOP/uapi" -o "$guest/switch" \
	"$dir"/bench/{switch,count,group,map,phase}.c "$dir"/guest/lib/{backdoor,device,perf}.c -lm -lpthread

# first N: the names of the first N cgroups, with commas between
first() { seq -s, 0 $(($1 - 1)); }

commands="export CGROUPS=/tmp/cgroups; mkdir \$CGROUPS; mount -t cgroup -o perf_event none \$CGROUPS"
commands+="; for i in \$(seq 0 19); do mkdir \$CGROUPS/\$i; done"
# The kernel still does things of its own after the boot.
commands+="; perf --version; sleep 5; echo row nobody; /bench/switch cgroups $switch"
for bpf in "" --bpf-counters; do
	for count in 1 5 20; do
		commands+="; echo row perf stat $bpf --for-each-cgroup, $count"
		commands+="; perf stat -a $bpf -x, -o /tmp/perf -e '$events' --for-each-cgroup $(first "$count")"
		commands+=" -- /bench/switch cgroups $switch 2>&1 | head -n 2"
	done
done
# perf stays hooked in some seconds.  No window ends meanwhile.
commands+="; sleep 8; insmod /topdown.ko period_ms=60000; sleep 3"
commands+="; echo row the module, no owners; /bench/switch cgroups $switch"
commands+="; echo row owners, 20; /bench/switch owners $switch"
"$dir/vm/run.sh" -k "${1:-6.12}" -c 2 -i -s 0 -t 3000 -P -x "$guest:/bench" "$commands" | awk '
	function mean(key) {
		if (!match($0, " " key "=[0-9]+"))
			return 0
		return substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) / switches
	}
	/^row / { title = substr($0, 5); next }
	/^switches=/ {
		switches = substr($1, 10)
		if (title == "nobody") {
			alone = mean("instructions")
			rdpmc = mean("rdpmc")
			wrmsr = mean("wrmsr")
		}
		printf "%-48s %7.0f instructions, %+7.0f, %6.2f RDPMC, %6.2f WRMSR\n", title,
			mean("instructions"), mean("instructions") - alone,
			mean("rdpmc") - rdpmc, mean("wrmsr") - wrmsr
		next
	}
	{ print (title ? title ": " : "") $0 }'
