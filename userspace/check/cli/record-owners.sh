#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown record --by, and what topdown report says of processes and cgroups: the file has what
# each had in each interval, under its last name, and nothing twice.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

# With owners, cycles and the busy time.
export FAKE_FEATURES=$((1 << 16 | 1023)) FAKE_TICK=40 TZ=UTC
data=$TMP/data

# owners ARG...: what the report says of owners, as JSON
owners() { td report --owners -j "$@" "$data" > "$TMP/rows"; }

# rows KEY...: the values of the keys of each line, one row a line
rows() {
	python3 -c '
import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    print(*(row[key] for key in sys.argv[2:]))' "$TMP/rows" "$@"
}

# slots_of PATTERN: of the rows whose pid, path or kind it is, added up
slots_of() { rows row pid path slots | awk -v who="$1" '$1 == who || $2 == who || $3 == who { sum += $4 } END { printf "%.0f\n", sum }'; }

# Each reading is a step later: 42 has 5.4e9 slots of 6.3e9 in each, 1 and idle time the rest.
run fake record --by process -I 100 --timeout 480 -o "$data"
expect 'processes are reported' 0 '' '^topdown: [0-9]+ windows of 4 CPUs in 0\.[45]'
owners
is 'the busiest comes first, idle time last' \
	$'process 42 serv?er 0.857143\nprocess 1 init 0.095238\nidle None idle 0.047619' \
	"$(rows row pid comm share)"
is 'rows have their ratios' $'0.4 0.05 0.1 0.45 1.5\n0.4 0.05 0.1 0.45 1.5\n0.4 0.05 0.1 0.45 1.5' \
	"$(rows tma_retiring tma_bad_speculation tma_frontend_bound tma_backend_bound ipc)"
is 'owners have a bottleneck, which idle time is none of' \
	$'tma_backend_bound tma_memory_bound\ntma_backend_bound tma_memory_bound\nNone None' \
	"$(rows bottleneck child)"
total=$(slots_of 42)
owners --steps
steps=$(rows time | sort -u | wc -l)
result "$((steps < 3 || steps > 5))" "steps have an interval of 100 ms each ($steps)"
is 'each has the slots of a step' 5400000000 "$(rows pid slots | awk '$1 == 42 { print $2 }' | sort -u)"
is 'the steps together have the slots of all' "$total" "$(slots_of 42)"
is 'there is one an interval' "$((steps * 5400000000))" "$total"
is 'a switch is counted once' "$((steps * 100))" "$(rows pid switches | awk '$1 == 42 { sum += $2 } END { print sum }')"
owners --steps -I 10s
is 'there is one long step' "$total" "$(slots_of 42)"
is 'each has one row' 3 "$(lines "$TMP/rows")"
owners --top 1
is '--top 1 leaves the first row' 42 "$(rows pid)"
owners -p 1,77
is 'a process is found by its number' '1 0.095238' "$(rows pid share)"
run td report --owners -p 77 "$data"
expect 'a process that did not run is said' 0 'processes; ' 'has no owner that -p or -G names'
run td report --owners -G a "$data"
expect '-G is refused for processes' 2 '' '-G names cgroups, and .* has processes .allowed: -p'
run td report -j "$data"
expect 'a report of CPUs has a note about owners' 0 '"row":"all"' 'owners are left out .--owners prints them'

fake record -q --by process -I 100 --timeout 420 -o "$data"
owners --steps
is 'a last step that is short joins the one before' '4 10800000000' \
	"$(rows time | sort -u | wc -l) $(rows pid slots | awk '$1 == 42 { print $2 }' | tail -n 1)"
is 'the last step ends with the recording' 1 "$(rows interval | tail -n 1 | awk '{ print ($1 > 0.105 && $1 < 0.18) }')"

run fake record --by process -I 2s --timeout 50 -o "$data"
expect 'owners are too short to compare' 0 '' "needs 160 steps: record 320\.0 s, or with a shorter interval, such as -I 100ms$"

# The module shows its sums for some time, and then they are in "ended".
FAKE_SHORT=4 fake record -q --by process -I 50 --timeout 550 -o "$data"
owners
is 'a process that has ended keeps its row' '77 exited 6000000000' "$(rows pid state slots | grep ^77)"
is 'is not in ended, too' '' "$(rows row | grep ended || true)"
FAKE_SHORT=4 FAKE_LATE=1000 fake record -q --by process -I 50 --timeout 550 -o "$data"
owners
is 'an end that no interval has is counted' 'ended 1000 1.0' "$(rows row slots tma_retiring | grep ended)"
# A busy machine may take a while until the first reading.
FAKE_SHORT=3 fake record -q --by process -I 400 --timeout 1000 -o "$data"
owners
is 'owners are sorted by slots' $'42\n77\n1\nNone' "$(rows pid)"
owners --sort time
is '--sort time sorts by time, and by slots where it is equal' $'42\n1\n77\nNone' "$(rows pid)"
owners --steps
is 'an owner that has not run has no row' 1 "$(rows pid | grep -c '^77$')"
owners --until 200ms
is '--until leaves a part of the time' "$(slots_of 77)" 3000000000
owners --since 200ms
is '--since leaves the end of it' 0 "$(slots_of 77)"

owners --sort IPC
is '--sort IPC sorts in any case, and by slots where it is equal' $'42\n77\n1\nNone' "$(rows pid)"
owners --sort share
is '--sort takes share, as the column is called' $'42\n77\n1\nNone' "$(rows pid)"

# An execve() gives another name.
FAKE_RENAMED=other fake record -q --by process -I 50 --timeout 540 -o "$data"
owners
is 'an owner has its new name' other "$(rows pid comm | awk '$1 == 42 { print $2 }')"
total=$(slots_of 42)
owners --steps
is 'a new name belongs to the same process' "$total $((total / 5400000000))" "$(slots_of 42) $(rows pid | grep -c '^42$')"

# Cgroups.
run fake record -q --by cgroup -I 100 --timeout 350 -o "$data"
expect 'cgroups are reported' 0 '' ''
owners
is 'cgroups have those below them' \
	$'/ 1 0.97561\n/a 100 0.585366\n/a/b 200 0.390244\n/c 300 0.341463\nNone None 0.02439' \
	"$(rows path cgroup share)"
owners --self
is '--self leaves out those below cgroups' $'/a/b 0.390244\n/c 0.341463\n/a 0.195122\n/ 0.04878\nNone 0.02439' \
	"$(rows path share)"
owners -G /a/b,c
is '-G chooses cgroups by their names' $'/a/b 0.390244\n/c 0.341463' "$(rows path share)"
run td report -p 42 "$data"
expect '-p is refused for cgroups' 2 '' '-p names processes, and .* has cgroups .allowed: -G'
owners --steps
is 'each step has the same cgroups' "$(($(rows time | sort -u | wc -l) * 12300000000))" \
	"$(($(slots_of /) + $(slots_of idle)))"
fake record -q --by cgroup --depth 1 -I 100 --timeout 150 -o "$data"
owners
is '--depth keeps cgroups down to a level' $'/\n/a\n/c\nNone' "$(rows path)"
run td report "$data"
expect 'the table says that cgroups end at a level' 0 'cgroups down to level 1, each with all' ''

# One that is removed leaves its sums to its parent, which has them once.
cgroups() {
	printf '%s\n' "1 0 0 10 " "$@" > "$TMP/cgroups.new"
	mv "$TMP/cgroups.new" "$TMP/cgroups"
}
cgroups '100 1 1 10 a' '200 100 2 10 b' '300 200 3 10 c'
{
	sleep 0.5
	cgroups '100 1 1 10 a' '200 100 2 15 b' '300 200 3 30 c'
	sleep 0.5
	# b and c are gone: a has what they had, and 1 more of b.
	cgroups '100 1 1 56 a' '400 1 1 7 new'
} &
FAKE_CGROUPS=$TMP/cgroups fake record -q --by cgroup -I 50 --timeout 1500 -o "$data"
wait
owners --self
is 'what was removed is counted once' \
	$'/a/b/c 48000000000\n/new 16800000000\n/a/b 12000000000\n/a 2400000000' \
	"$(rows path slots | grep ^/)"
owners
is 'slots of a cgroup that ended are in all trees above it' \
	$'/ 79200000000\n/a 62400000000\n/a/b 60000000000\n/a/b/c 48000000000\n/new 16800000000' \
	"$(rows path slots | grep ^/)"

# Tables.
for ((i = 0; i < 24; i++)); do
	names+=("$((500 + i)) 1 1 10 <u$i>")
done
cgroups "${names[@]}"
{ sleep 0.3; cgroups "${names[@]/ 10 / 20 }"; } &
FAKE_CGROUPS=$TMP/cgroups fake record -q --by cgroup -I 50 --timeout 700 -o "$data"
wait
run td report "$data"
expect 'the table of owners is below that of all' 0 'bottleneck over time
.*
cgroups, each with all below it; .*
sorted by slots
share% +on CPU s retiring bad spec frontend +backend +IPC +ID and name
 +[0-9.]+ +240\.000 +40\.0 +5\.0 +10\.0 +45\.0\* +1\.50  1 /
 +[0-9.]+ +10\.000 .*  500 /<u0>
.*
6 more \(--top\)$' ''
run td report --top 3 "$data"
result "$((status || $(grep -c '/<u' "$TMP/out") != 2))" 'fewer of them'
run td report --owners "$data"
result "$((status || $(grep -c '/<u' "$TMP/out") != 24))" 'all of them'
run td report --owners -l 2 --steps "$data"
expect 'steps have level 2' 0 '^[^,]+: test-lake, .*windows of 4 CPUs, none lost

cgroups, .*RETIRing: light, .*
until [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]{12}, 0\.050 s
share% +on CPU s RETIR light heavy .* mem  core +IPC +ID and name
.*45\.0\* 30\.0\* 15\.0 ' ''
is 'headings are explained once' 1 "$(grep -c RETIRing "$TMP/out")"
run td report --owners --no-header "$data"
expect '--no-header leaves out the lines about the recording' 0 '^cgroups, ' ''
run td report --owners -x ';' "$data"
expect 'CSV has paths and shares' 0 '^time;interval;row;.*;path;share
.*;/<u0>;0\.' ''
run td report --owners --sort tma_memory_bound "$data"
expect 'a node of level 2 sorts, is shown, and has its part of all slots' 0 '
sorted by tma_memory_bound; sort%: its slots, of the slots of all
.*
share%  sort% .* mem  core .*
  [0-9.]+   29\.[0-9] .*30\.0\* .* 1 /
' ''
run td report --owners -l 1 --sort tma_memory_bound "$data"
expect '--sort takes a node of a level that is not shown' 0 'share%  sort%  on CPU s retiring .*   29\.[0-9] ' ''
run td report --owners --self --top 20 "$data"
expect 'the others have a share' 0 '
[0-9] more, ([0-9]+\.[0-9])% \(--top\)$' ''
rest=$(sed -nE 's/^[0-9]+ more, ([0-9.]+)% .*/\1/p' "$TMP/out")
owners --self
is 'the share of the rest is what they have' "$rest" "$(rows share | tail -n +21 | awk '{ sum += $1 } END { printf "%.1f\n", sum * 100 }')"

# Lines on a terminal have 100 characters at most.
pod=kubepods-burstable-pod01234567_89ab_cdef_0123_456789abcdef.slice-cri-containerd-0123456789abcdef0123456789abcdef.scope
FAKE_CGROUP_NAME=$pod fake record -q --by cgroup -I 100 --timeout 150 -o "$TMP/pods"
for args in '--owners' '--owners -l 2' '--owners --sort tma_memory_bound' '--owners --steps' ''; do
	script -qec "$TOPDOWN report $args $TMP/pods" /dev/null < /dev/null | tr -d '\r' > "$TMP/out"
	# The command line of the recording is as long as it is.
	is "report $args fits a terminal" '' "$(grep -v '^topdown record' "$TMP/out" | grep '.\{101\}' || true)"
	result "$(grep -q '300 /k.*\.\.\..*\.scope' "$TMP/out"; echo $?)" 'has both ends of a long name'
done
run td report --owners -l 2 "$TMP/pods"
expect 'a file has the whole name' 0 "IPC .*300 /$pod" ''

td report --html "$TMP/page" --top 5 "$data"
result "$([[ $(grep -c '<tr><th scope="row">/' "$TMP/page") == 5 && $(grep -c '<figcaption>/' "$TMP/page") == 5 ]]; echo $?)" \
	'the page has a table and pictures'
result "$(grep -q '5 of [0-9]*, sorted by slots; .*<th scope="col">bottleneck</th>' "$TMP/page" && grep -q '<td>backend_bound</td></tr>' "$TMP/page"; echo $?)" \
	'the page says by what it is sorted, and has a word for the bottleneck'
result "$(grep -q '/&lt;u' "$TMP/page" && ! grep -q '/<u' "$TMP/page"; echo $?)" 'a name in a page is only a name'
run td report -C 0 "$data"
expect 'a CPU alone has no owners' 0 'tma_retiring' 'owners are of all CPUs, and left out with -C'
result "$(grep -q '/<u' "$TMP/out"; echo $((!$?)))" 'has no owners'
run td report --diff "$data" "$data"
result "$([[ $err == *'owners are left out (--owners compares them)'* ]]; echo $?)" 'a comparison is of CPUs'
run td report --trace "$TMP/trace" "$data"
expect 'a trace is of CPUs' 0 '' 'owners are not in the trace'

# Each file of several knows the names of its owners.
fake record -q --by cgroup -I 200 --rotate 1s,4 --timeout 2500 -o "$TMP/log" 2> /dev/null
bad=0
for file in "$TMP/log" "$TMP/log.1" "$TMP/log.2"; do
	data=$file owners
	[[ $(rows path) == $'/\n/a\n/a/b\n/c\nNone' ]] || bad=1
done
result "$bad" 'each file has all owners by itself'
for file in "$TMP/log" "$TMP/log.1" "$TMP/log.2"; do
	td report --owners -j "$file"
done > "$TMP/rows"
alone=$(rows path slots | sort | awk '{ sum[$1] += $2 } END { for (i in sum) printf "%s %.0f\n", i, sum[i] }' | sort)
td report --owners -j "$TMP/log" "$TMP/log.1" "$TMP/log.2" > "$TMP/rows"
is 'each cgroup is there once in all files' "$alone" "$(rows path slots | sort)"
head -c "$(($(stat -c %s "$TMP/log.1") - 100))" "$TMP/log.1" > "$data"
owners --partial 2> /dev/null
is 'a file that was cut off has its cgroups' $'/\n/a\n/a/b\n/c\nNone' "$(rows path)"

# As damage.c says: every byte that was changed is noticed.
# Numbers begin again in each file, and a process may have another one there.
mkdir "$TMP/numbers"
"$BUILD/$variant/made" owners-first "$TMP/numbers/log.1"
"$BUILD/$variant/made" owners-second "$TMP/numbers/log"
td report --owners -j --rotated "$TMP/numbers/log" > "$TMP/rows"
is 'a number is another owner in another file' $'20 12000000000\n30 6000000000' "$(rows pid slots | sort)"
echo 2000 > "$TMP/period"
FAKE_TICK=0 FAKE_CPUS=1 FAKE_PERIOD=$TMP/period fake record -q --by cgroup -I 50 --timeout 70 -o "$data"
"$BUILD/$variant/damage" "$data" > "$TMP/damage" 2>&1 || true
damaged 12

# A command is run, and the machine is measured.
run fake record -q --by process -I 100 -o "$data" -- sh -c 'sleep 0.25; exit 4'
expect 'owners are recorded while a command runs' 4 '' ''
owners
is 'all processes are recorded beside a command' $'42\n1\nNone' "$(rows pid)"
run fake record -q --by process --latency all -I 100 --timeout 250 -o "$data"
expect 'owners are recorded with latencies' 0 '' ''
run td report "$data"
expect 'a report has both tables' 0 'processes; .*42 serv\?er.*retire latency of instructions' ''

# Options and files that are refused.
fake record -q --timeout 100 -o "$TMP/cpus"
run td report --owners "$TMP/cpus"
expect 'a recording without owners is said' 2 '' 'has no owners .topdown record --by process, or --by cgroup'
run td report --top 3 "$TMP/cpus"
expect '--top needs owners' 2 '' 'has no owners'
run td report --owners --self "$data"
expect 'processes have none below them' 2 '' 'self is about cgroups'
run td report --steps --sort ipc "$data"
expect 'CPUs are not sorted' 2 '' 'are about owners \(add --owners\)'
while read -r args; do
	# shellcheck disable=SC2086 # several words
	run td report --owners $args "$data"
	expect "owners are refused with ${args%% *}" 2 '' "--owners excludes ${args%% *}: .*allowed: one of them"
done <<-END
	-A
	-C 0
	--latency
	--windows
	--html $TMP/none
	--trace $TMP/none
END
run td report --owners --html "$TMP/none" "$data"
expect 'a page has them' 2 '' 'the page has them without --owners'
while read -r args hint; do
	run td report "$args" "$data"
	expect "an option of perf has a hint: $args" 2 '' "unknown option '${args%%=*}.*': $hint"
done <<-END
	--depth 'topdown record --depth'
	-s --sort
	-n --top
	--percent-limit=5 --top
	--no-children --self
	--stdio leave it out
END
run td report --owners --sort names "$data"
expect 'an unknown key is refused' 2 '' "--sort: there is no node 'names' .allowed: share, slots, time, ipc"
FAKE_LEVEL=1 fake record -q --by process --timeout 1100 -o "$TMP/cpus"
for args in --owners '--owners -j' '' "--html $TMP/none"; do
	# shellcheck disable=SC2086 # several words
	run td report $args --sort tma_memory_bound "$TMP/cpus"
	expect "a key that the recording lacks is refused: $args" 2 '' 'have no tma_memory_bound .allowed: share, slots, time, ipc, tma_retiring, .*tma_backend_bound\)$'
done
for args in '-C 0' "-p $$" '-r 2 -- true'; do
	# shellcheck disable=SC2086 # several words
	run fake record --by process -o "$TMP/none" $args
	expect "all processes exclude $args" 2 '' 'allowed: without -C, -p and -r'
done
for args in '--by process' -a '-C 0'; do
	# shellcheck disable=SC2086 # several words
	run fake record $args --control fd:0 -D -1 -o "$TMP/none" -- true
	expect "nothing waits with $args" 2 '' '-D -1 waits to record tasks .allowed: without --by, -a and -C'
done
run fake record -D -1 -o "$TMP/none" -- true
expect '-D -1 needs --control' 2 '' '-D -1 .*add --control'
run fake record --latency all --control fd:0 -D -1 -o "$TMP/none" -- true
expect 'latencies do not wait' 2 '' '-D -1 .*allowed: without --latency'
run fake record --by thread -o "$TMP/none"
expect 'an unknown kind is refused' 2 '' "--by: 'thread' .*allowed: process, cgroup"
run fake record --depth 2 -o "$TMP/none"
expect '--depth needs cgroups' 2 '' 'add --by cgroup'
run fake record --by process --depth 2 -o "$TMP/none"
expect 'processes have no depth' 2 '' 'allowed: with --by cgroup'
FAKE_FEATURES=1023 run fake record --by process --timeout 100 -o "$TMP/none"
expect 'an older module is said' 3 '' 'has no owners'
FAKE_NO_CGROUPS=1 run fake record --by cgroup --timeout 100 -o "$TMP/none"
expect 'a kernel without cgroups is said' 3 '' 'CONFIG_CGROUP_PERF; --by process does not'
FAKE_OWNERS_ERRNO=13 run fake record --by process --timeout 100 -o "$TMP/none"
expect 'a missing right is said' 3 '' 'perf_event_paranoid|CAP_PERFMON'
result "$([[ ! -e $TMP/none ]]; echo $?)" 'a refused recording leaves no file'
FAKE_OWNERS_READS=4 run fake record -q --by process -I 50 --timeout 500 -o "$data"
expect 'a reading that fails is said' 1 '' 'cannot read owners through .*Input/output error'
finish
