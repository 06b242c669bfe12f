#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fleet.sh runs this: latency-run.sh LOGS
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

VM=$TOP/selftests/vm
FLEET=$TOP/selftests/fleet
dir=$1/latency

rm -rf "$dir"
mkdir -p "$dir/fleet"
gcc -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -std=gnu11 -I"$TOP/selftests" -I"$TOP/selftests/guest/lib" \
	-I"$TOP/uapi" -o "$dir/fleet/workload" "$TOP/selftests/guest/workload.c" \
	"$TOP"/selftests/guest/lib/{backdoor,device,fact,profiles}.c
cp "$FLEET/latency-guest.sh" "$dir/fleet"
TOPDOWN_PMU_LATENCIES=$TOP/selftests/pmu/latencies "$VM/run.sh" -k 6.12 -m gnr -c 2 -q truncate -i -s 3 \
	-P -t 600 -o "$dir/vm" -x "$dir/fleet:/fleet" -x /usr/bin/script:/usr/bin/script \
	-x /usr/bin/curl:/usr/bin/curl -x /lib/terminfo/l/linux:/lib/terminfo/l/linux \
	'bash /fleet/latency-guest.sh' | tr -d '\r'
