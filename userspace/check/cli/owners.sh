#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown stat --by: all processes and all cgroups, in which order, and what is left out.  Why
# neither it nor topdown top has any.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

# With owners, cycles and the busy time.
export FAKE_FEATURES=$((1 << 16 | 1 << 8 | 1 << 9 | 63))

# rows JSON [KEY]...: the values of the keys of each line, one row a line
rows() {
	python3 -c '
import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    print(*(row[key] for key in sys.argv[2:]))' "$@"
}

run fake stat --by process --count 1 -I 10 -j
is "processes, the busiest first, idle last" \
	$'process 42 serv?er\nprocess 77 short\nprocess 1 init\nidle None idle' \
	"$(rows "$TMP/out" row pid comm)"

run fake stat --by process --count 4 -I 10 -j
is "what has ended is counted once" process \
	"$(rows "$TMP/out" row pid | awk '$2 == 77 || $1 == "ended" { print $1 }')"

# Slots before that, of other nodes, were in the row of the process.
FAKE_LATE=1000 run fake stat --by process --count 4 -I 10 -j
is "an end that no reading saw is counted" 'ended 1000 1.0 0.0' \
	"$(rows "$TMP/out" row slots tma_retiring tma_backend_bound | grep ended)"

run fake stat --by process --top 1 --count 1 -I 10 -j
is "--top 1 leaves the first row" $'42' "$(rows "$TMP/out" pid)"

run fake stat --by process --sort IPC --count 1 -I 10 -j
is "owners of the same IPC are sorted by slots" $'42\n77\n1\nNone' "$(rows "$TMP/out" pid)"
run fake stat --by process --sort share --count 1 -I 10 -j
is "--sort share sorts by slots" $'42\n77\n1\nNone' "$(rows "$TMP/out" pid)"

# The sixth reading and those after it have two processes of one name.
FAKE_RENAMED=init run fake stat --by comm --count 8 -I 10 -j
is "processes of a name have one row" $'process init None 2 6000000000 200\nidle idle None 0 300000000 100' \
	"$(rows "$TMP/out" row comm pid processes slots switches | tail -n 2)"
is "the row has ratios of both" '0.4 0.45' "$(rows "$TMP/out" tma_retiring tma_backend_bound | tail -n 2 | head -n 1)"
is "processes of other names have rows of their own" $'serv?er 1\nshort 1\ninit 1\nidle 0' \
	"$(rows "$TMP/out" comm processes | head -n 4)"
FAKE_RENAMED=init run fake stat --by comm --count 8 -I 10
expect "a table counts processes of a name" 0 '  processes and name
.*  2 init
.*  - idle$' ''
run fake stat --by comm -G a
expect "names of cgroups are no names" 2 '' 'allowed: with --by cgroup'

run fake stat --by cgroup --count 1 -I 10 -j
is "cgroups have those below them" \
	$'cgroup / 1\ncgroup /a 100\ncgroup /a/b 200\ncgroup /c 300\nidle None None' \
	"$(rows "$TMP/out" row path cgroup)"

# Names of cgroups are longer than those of processes, and the ends tell units apart.
long=$(printf 'n%.0s' {1..122}).unit
FAKE_CGROUP_NAME=$long run fake stat --by cgroup --count 1 -I 10 -j
is "a long name of a cgroup is whole" $'/\na\nb\n'"$long"$'\nidle' "$(rows "$TMP/out" comm)"

run fake stat --by cgroup --self --count 1 -I 10 -j
is "--self leaves out those below cgroups" $'/a/b\n/c\n/a\n/\nNone' "$(rows "$TMP/out" path)"

run fake stat --for-each-cgroup a/b,/c --count 1 -I 10 -j
is "--for-each-cgroup chooses cgroups, as in perf" $'/a/b\n/c' "$(rows "$TMP/out" path)"
run fake stat -G a --count 1 -I 10 -j
is "-G chooses one cgroup, and not those below it" $'/a' "$(rows "$TMP/out" path)"
run fake stat -G nosuch --count 1 -I 10
expect "a cgroup that has not run is said" 0 '' '-G: none of these cgroups has run'
run fake stat --by process --sort tma_memory_bound --count 1 -I 10
expect "a table sorted by a node of level 2 has level 2" 0 'mem' ''

run fake stat --by process --count 1 -I 10
expect "a table has the names" 0 'serv\?er.*idle' ''
result "$(grep -c 'SMT cont' "$TMP/out" || true)" 'it has no node that only CPUs of another vendor have'
result "$(grep -c 'nearly idle' "$TMP/out" || true)" 'idle time has no remark about its bottleneck'

# names FILE: the number and the name at the end of each line of a table
names() { sed -nE 's/.*[0-9]  ([0-9]+|-) ([^ ]+)$/\1 \2/p' "$1"; }
run fake stat --by cgroup --count 1 -I 10
is "a table names cgroups by their paths" $'1 /\n100 /a\n200 /a/b\n300 /c\n- idle' "$(names "$TMP/out")"
fake record -q --by cgroup -I 100 --timeout 150 -o "$TMP/data"
td report --owners "$TMP/data" > "$TMP/report"
is "names are those of a report" "$(names "$TMP/out")" "$(names "$TMP/report")"
FAKE_CGROUP_NAME=$long run fake stat --by cgroup --count 1 -I 10
is "a name is whole in a file" "300 /$long" "$(names "$TMP/out" | grep ^300)"
FAKE_CGROUP_NAME=$long script -qec "FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD '$TOPDOWN' stat --device $NODE --by cgroup --count 1 -I 10 -l 2" \
	/dev/null > "$TMP/terminal"
is "a long name loses its middle on a terminal" 1 "$(grep -cE '300 /n+\.\.\.n*\.unit' "$TMP/terminal")"
is "lines on a terminal have at most 100 characters" 100 \
	"$(sed -E 's/\x1b\[[0-9;]*m//g' "$TMP/terminal" | tr -d '\r' | awk 'length > most { most = length } END { print most }')"
run fake stat --by cgroup --count 1 -I 10 -x ,
expect "CSV has paths" 0 'path.*/a/b' ''

run fake stat --by thread
expect "an unknown kind is refused" 2 '' "--by: 'thread' .*allowed: process, cgroup"
run fake stat --by process --sort names
expect "an unknown key is refused" 2 '' "--sort: there is no node 'names' .allowed: share, slots, time, ipc"
run fake stat --sort ipc
expect "--sort needs owners" 2 '' 'add --by'
run fake stat --by process -a
expect "CPUs are refused beside them" 2 '' 'allowed: without -a'
run fake stat --by process -G a
expect "cgroups are no processes" 2 '' 'allowed: with --by cgroup'
FAKE_FEATURES=63 run fake stat --by process --count 1 -I 10
expect "an older module is said" 3 '' 'has no owners'
FAKE_READ_ERRNO=13 run fake stat --by process --count 1 -I 10
expect "a missing right is said" 3 '' 'perf_event_paranoid|CAP_PERFMON'

FAKE_NO_CGROUPS=1 run fake stat --by cgroup --count 1 -I 10
expect "a kernel without cgroups is said" 3 '' 'CONFIG_CGROUP_PERF; --by process does not'

# The same of top, which has not got its terminal yet; and its map.
export FAKE_FEATURES=$((FAKE_FEATURES | 31))
run fake top --by process
expect "top needs a terminal" 2 '' 'must be a terminal'
FAKE_FEATURES=63 run fake top --by process
expect "top says that the module is older" 3 '' 'has no owners.*load the module of this version'
FAKE_NO_CGROUPS=1 run fake top --by cgroup
expect "top says that the kernel has no cgroups" 3 '' 'CONFIG_CGROUP_PERF; --by process does not'
FAKE_READ_ERRNO=13 run fake top --by cgroup
expect "top says that a right is missing" 3 '' 'perf_event_paranoid|CAP_PERFMON'
run fake top --by thread
expect "top refuses threads" 2 '' "--by: 'thread' .*allowed: process, cgroup"
run fake top --by process -C 0
expect "top refuses processes on a CPU" 2 '' 'allowed: without -a and -C'
run fake top --by process --latency all
expect "top refuses processes and latencies" 2 '' 'allowed: without --by and --sort'
run fake top --by process --self
expect "top refuses processes alone" 2 '' 'allowed: with --by cgroup'
run fake top --self
expect "top refuses --self of CPUs" 2 '' 'add --by cgroup'
run fake top --sort names
expect "top refuses an unknown key" 2 '' "--sort: there is no node 'names' .allowed: share, slots, time, ipc"
run fake top --by process --sort memory
expect 'top refuses part of a name as key' 2 '' "--sort: there is no node 'memory'; did you mean tma_memory_bound\?$"
run fake top -l 1 --sort tma_memory_bound
expect "top refuses a key that is not shown" 2 '' 'allowed: without -l, or with -l 2'
FAKE_LEVEL=1 run fake top --by process --sort tma_memory_bound
expect "top sorted by what the machine lacks" 3 '' 'no level 2, which tma_memory_bound is of'

finish
