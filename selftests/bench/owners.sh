#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# On the build machine: what a switch between tasks of two cgroups takes, with the owners that are
# cgroups and with perf stat --for-each-cgroup.  Prints a table: a switch with tasks of 1, 50 and
# 1000 cgroups that take turns, on one of four CPUs, also beside tasks that never sleep on the
# others, and on all of them, and a reading of 1000.
#
#   owners.sh [KERNEL]
#
# BENCH_PERF= leaves perf out, BENCH_PERF="1 5" has other numbers of cgroups.
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
commands+="; for i in \$(seq 0 1000); do mkdir \$CGROUPS/\$i; done"
# The kernel still does things of its own after the boot.
commands+="; perf --version; sleep 5"

# bench KEY TITLE WAY [SETTING]...: a row, to be compared with "nobody" of the same key
bench() { commands+="; echo 'row $1 $2'; ${*:4} /bench/switch $3 $switch"; }

bench 1 nobody cgroups
bench 50 nobody cgroups CHILDREN=50
bench 1000 nobody cgroups CHILDREN=1000
bench spin nobody cgroups BESIDE=spin
bench all nobody cgroups BESIDE=1
for bpf in "" --bpf-counters; do
	for count in ${BENCH_PERF-1 5 20}; do
		commands+="; echo row 1 perf stat $bpf --for-each-cgroup, $count"
		commands+="; perf stat -a $bpf -x, -o /tmp/perf -e '$events' --for-each-cgroup $(first "$count")"
		commands+=" -- /bench/switch cgroups $switch 2>&1 | head -n 2"
	done
done
# perf stays hooked in some seconds.  No window ends meanwhile.
commands+="; sleep 8; insmod /topdown.ko period_ms=60000; sleep 3"
bench 1 'the module, no owners' cgroups
bench 1 'owners, the same' owners-same
bench 1 'owners, another one' owners
bench 50 'owners, another one of 50' owners CHILDREN=50
bench 1000 'owners, another one of 1000' owners CHILDREN=1000
bench spin 'owners, another one, other CPUs busy' owners BESIDE=spin
bench all 'owners, another one, all CPUs switch' owners BESIDE=1
bench read 'a reading of owners' owners-read CHILDREN=1000
"$dir/vm/run.sh" -k "${1:-6.12}" -c 4 -i -s 0 -t 3000 -P -x "$guest:/bench" "$commands" | awk '
	function mean(key) {
		if (!match($0, " " key "=[0-9]+"))
			return 0
		return substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) / switches
	}
	/^row / {
		key = $2
		title = substr($0, length(key) + 6)
		next
	}
	/^switches=/ {
		switches = substr($1, 10)
		if (title == "nobody") {
			alone[key] = mean("instructions")
			rdpmc[key] = mean("rdpmc")
			wrmsr[key] = mean("wrmsr")
		}
		printf "%-48s %7.0f instructions, %+7.0f, %6.2f RDPMC, %6.2f WRMSR\n", title,
			mean("instructions"), mean("instructions") - alone[key],
			mean("rdpmc") - rdpmc[key], mean("wrmsr") - wrmsr[key]
		fflush()
		next
	}
	{ print (title ? title ": " : "") $0 }'
