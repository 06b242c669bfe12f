#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# On the build machine: what is measured of tasks that switch faster than the module
# folds, at regular and at random times, and of two that execute the same.
#
#   fair.sh [KERNEL [MACHINE]]
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

need gcc=gcc
dir=$TOP/selftests
guest=$(mktemp -d)
trap 'rm -rf "$guest"' EXIT

gcc -O2 -Wall -std=gnu11 -D_GNU_SOURCE -static -I"$dir" -I"$dir/guest/lib" -I"$TOP/uapi" -o "$guest/fair" \
	"$dir"/bench/{fair,count,group,map,phase}.c "$dir"/guest/lib/{backdoor,device,perf,profiles}.c -lm -lpthread
commands="insmod /topdown.ko period_ms=10000"
# Real-time tasks may have all of the CPU: the two are never held up.
commands+="; echo -1 > /proc/sys/kernel/sched_rt_runtime_us"
for rate in 10000 50000 100000 200000; do
	for how in regular equal random; do
		# Half a second of each.
		commands+="; /bench/fair $rate $how $((rate / 2))"
	done
done
"$dir/vm/run.sh" -k "${1:-6.12}" -m "${2:-spr}" -c 1 -i -t 3000 -x "$guest:/bench" "$commands"
