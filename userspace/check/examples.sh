#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The examples build without a warning, and say what the stand-in for the kernel counts.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/suite.sh"

USERSPACE=$(cd "$(dirname "$0")/.." && pwd)
EXAMPLES=$USERSPACE/examples

# example COMMAND...: sets $status, $out and $err; the node has the usual name
example() {
	run env FAKE_NODE=/dev/topdown FAKE_FEATURES=63 LD_PRELOAD="$PRELOAD" \
		LD_LIBRARY_PATH="$USERSPACE/build" PYTHONPATH="$USERSPACE/python" \
		PYTHONDONTWRITEBYTECODE=1 timeout 60 "$@"
}

# The nodes of the stand-in, as the programs print them.
shares='tma_retiring +40\.0%
tma_bad_speculation +5\.0%
tma_frontend_bound +10\.0%
tma_backend_bound +45\.0%
tma_heavy_operations +10\.0%
tma_light_operations +30\.0%
tma_branch_mispredicts +4\.0%
tma_machine_clears +1\.0%
tma_fetch_latency +6\.0%
tma_fetch_bandwidth +4\.0%
tma_memory_bound +30\.0%
tma_core_bound +15\.0%$'

status=0
make -C "$USERSPACE" O="$TMP" examples > "$TMP/log" 2>&1 || status=$?
((!status)) || sed 's/^/# /' "$TMP/log"
result "$status" 'make examples, without a warning'

example "$TMP/examples/machine"
expect 'C: the machine' 0 "^23640000000 slots
$shares" ''
# Those of level 1, with smt_contention.
example env FAKE_NODES=8207 "$TMP/examples/machine"
expect 'C: a machine without level 2' 0 'tma_backend_bound +45\.0%
tma_smt_contention +5\.0%$' ''
example env FAKE_READ_ERRNO=13 "$TMP/examples/machine"
expect 'C: no rights' 1 '' '^machine: Permission denied$'
example "$TMP/examples/myself"
expect 'C++: a part of a program' 0 "^6000000000 slots
$shares" ''
example env FAKE_OPEN_ERRNO=13 "$TMP/examples/myself"
expect 'C++: no rights' 1 '' '^myself: /dev/topdown: Permission denied$'

# from_manual PAGE N: the program N of a page, built as a reader would
from_manual() {
	awk -v n="$2" '/^\.Bd -literal/ { at++; next } /^\.Ed/ { here = at == n; next }
		at == n && !here' "$USERSPACE/man/$1" | sed 's/\\e/\\/g' > "$TMP/manual-$2.c"
	gcc -Wall -Wextra -Werror -O1 -I"$USERSPACE/../uapi" -o "$TMP/manual-$2" "$TMP/manual-$2.c"
}

status=0
{ from_manual topdown.4 1 && from_manual topdown.4 2; } > "$TMP/log" 2>&1 || status=$?
((!status)) || sed 's/^/# /' "$TMP/log"
result "$status" 'the programs of topdown(4) build without a warning'
example "$TMP/manual-1"
expect 'topdown(4): each CPU' 0 '^CPU 0: retiring 40\.0% bad speculation 5\.0% frontend bound 10\.0% backend bound 45\.0%
CPU 1: ' ''
example env FAKE_READ_ERRNO=13 "$TMP/manual-1"
expect 'topdown(4): no rights' 1 '' '^/dev/topdown: Permission denied$'
example "$TMP/manual-2"
expect 'topdown(4): a part of a thread' 0 '^tma_memory_bound 30\.0% of 6000000000 slots$' ''
example env FAKE_OPEN_ERRNO=2 "$TMP/manual-2"
expect 'topdown(4): no module' 1 '' '^/dev/topdown: No such file or directory$'

if command -v python3 > /dev/null; then
	example python3 "$EXAMPLES/percpu.py"
	expect 'Python: each CPU' 0 '^cpu tma_retiring tma_bad_speculation tma_frontend_bound tma_backend_bound tma_smt_contention lost
0 0\.400 0\.050 0\.100 0\.450 nan tma_backend_bound
1 0\.400 0\.050 0\.100 0\.450 nan tma_backend_bound
2 0\.400 0\.050 0\.100 0\.450 nan tma_backend_bound
3 0\.400 0\.050 0\.100 0\.450 nan tma_backend_bound$' ''
	example env FAKE_READ_ERRNO=13 python3 "$EXAMPLES/percpu.py"
	expect 'Python: no rights' 1 '' '^percpu: .*Permission denied: this process may not see whole CPUs$'
else
	for name in 'each CPU' 'no rights'; do
		skip "Python: $name" 'python3 is not installed'
	done
fi
finish
