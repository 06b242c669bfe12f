#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown perf: lines for the events that the PMU has, and ratios of what perf 6.1 and a newer
# one have printed.  That perf takes the lines, selftests/guest/perf_stat_test.sh shows.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

PMUS=$TMP/pmus
mkdir -p "$PMUS/topdown/events"
for node in retiring bad_speculation frontend_bound backend_bound memory_bound; do
	echo > "$PMUS/topdown/events/tma_$node"
done
level1='topdown/slots/,topdown/tma_retiring/,topdown/tma_bad_speculation/'
level1+=',topdown/tma_frontend_bound/,topdown/tma_backend_bound/'
all=$level1,topdown/tma_memory_bound/

perf() { FAKE_PMUS=$PMUS LD_PRELOAD=$PRELOAD td perf "$@"; }

# printed NAME LINE: the last run printed it
printed() {
	result "$(grep -qxF -- "$2" "$TMP/out"; echo $?)" "the line for $1 is printed"
}

run perf
expect 'all lines are printed' 0 'COMMAND.*PID.*-A -I 1000.*topdown_window.*CGROUP' ''
printed 'a command' \
	"perf stat -x, --log-fd 3 -e '{$all}' -- COMMAND 3>&1 >&2 | topdown perf --ratios"
printed 'its functions' "perf record -o perf.data -c 1000000 -e '{cpu-clock,$all}:S' -- COMMAND"
printed 'ratios of functions' 'perf script -i perf.data -F event,period,ip,sym | topdown perf --ratios'
printed 'a process' "perf stat -x, -e '{$all}' -p PID -- sleep 10 2>&1 | topdown perf --ratios"
printed 'CPUs' \
	"perf stat -x, -a -A -I 1000 -e '{$all}' -- sleep 10 2>&1 | topdown perf --ratios"
printed 'a cgroup' \
	"perf stat -x, -a -e '{$all}' --for-each-cgroup CGROUP -- sleep 10 2>&1 | topdown perf --ratios"
printed 'windows' "perf record -a -e 'topdown*:topdown_window' -- sleep 10"
cp "$TMP/out" "$TMP/all"
result "$(bash -n "$TMP/all"; echo $?)" 'a shell takes them'

run perf -l 1 -p 12,34
expect 'lines are of processes only' 0 '^# Processes' ''
printed 'level 1' "perf stat -x, -e '{$level1}' -p 12,34 -- sleep 10 2>&1 | topdown perf --ratios"
result "$(grep -qE 'COMMAND|-a |CGROUP' "$TMP/out"; echo $((!$?)))" 'a command line for processes has nothing else'
run perf -G 'my group/a'
printed 'a name with a space' \
	"perf stat -x, -a -e '{$all}' --for-each-cgroup 'my group/a' -- sleep 10 2>&1 | topdown perf --ratios"
# shellcheck disable=SC2016 # another shell is to expand it
run perf -- sh -c 'echo "it'"'"'s" $x'
printed 'a command as a shell takes it' \
	"perf record -o perf.data -c 1000000 -e '{cpu-clock,$all}:S' -- sh -c 'echo \"it'\\''s\" \$x'"
run perf -a
expect 'lines are of CPUs only' 0 'topdown_window' ''
result "$(grep -qE 'COMMAND|PID|NAME' "$TMP/out"; echo $((!$?)))" 'a command line for CPUs has no task'
FAKE_PMUS=$TMP/none LD_PRELOAD=$PRELOAD run td perf
expect 'a missing module is said' 3 '' '^topdown: there is no PMU topdown: .*: No such file'

run perf -p 12 -l 1
result "$(grep -q ':u' "$TMP/out"; echo $((!$?)))" 'no leader is of user mode alone'
run perf -a
printed 'samples of processes' "perf record -o perf.data -a -c 10000000 -e '{cpu-clock,$all}:S' -- sleep 10"
printed 'ratios of processes' \
	'perf script -i perf.data -F comm,pid,event,period | topdown perf --ratios --by comm'
# A perf that says what it was asked for, and a topdown that reads nothing.
mkdir -p "$TMP/bin"
printf '#!/bin/sh\necho "perf $*" >> "%s"\n' "$TMP/ran" > "$TMP/bin/perf"
printf '#!/bin/sh\nexec cat > /dev/null\n' > "$TMP/bin/topdown"
chmod +x "$TMP/bin/perf" "$TMP/bin/topdown"
PATH=$TMP/bin:$PATH run perf --run -l 1 -p 12
expect '--run runs the lines' 0 '' ''
result "$(grep -qx "perf stat -x, -e {$level1} -p 12 -- sleep 10" "$TMP/ran" &&
	grep -q '^perf script' "$TMP/ran"; echo $?)" 'runs the lines'
# A user without rights hears it once, and not from each line; perf may have rights of its own.
paranoid=$(< /proc/sys/kernel/perf_event_paranoid)
if [[ $(id -u) == 0 && $paranoid -gt 1 ]] && command -v setpriv > /dev/null; then
	nobody() {
		FAKE_PMUS=$PMUS PATH=$TMP/bin:$PATH run setpriv --bounding-set=-all --inh-caps=-all \
			env LD_PRELOAD="$PRELOAD" timeout 20 "$TOPDOWN" perf --run -l 1 "$@"
	}
	rm "$TMP/ran"
	printf '#!/bin/sh\necho "perf $*" >> "%s"\nexit 255\n' "$TMP/ran" > "$TMP/bin/perf"
	nobody -a
	expect '--run says that rights are missing' 3 '' "^topdown: --run: perf needs CAP_PERFMON to count whole CPUs \\(this process lacks it\\), or kernel.perf_event_paranoid at 0 or less \\(it is $paranoid\\); 'topdown info' says what you may see\$"
	result "$(($(lines "$TMP/ran") != 1))" 'runs none of the lines'
	nobody -- true
	expect '--run runs a command' 125 '' "count tasks .*at 1 or less .*'topdown stat -- COMMAND' needs no such right\$"
	printf '#!/bin/sh\necho "perf $*" >> "%s"\n' "$TMP/ran" > "$TMP/bin/perf"
	nobody -a
	expect 'perf may have rights of its own' 0 '' ''
	result "$(grep -q '^perf record -o perf.data -a' "$TMP/ran"; echo $?)" 'runs the lines'
else
	skip '--run says that rights are missing' 'no root, no setpriv, or perf_event_paranoid is less than 2'
fi
# without PMUS ARG...: in a PATH without perf
without() { FAKE_PMUS=$1 run env LD_PRELOAD="$PRELOAD" PATH="$TMP/none" "$TOPDOWN" perf "${@:2}"; }
without "$PMUS" --run -a
expect '--run needs perf' 3 '' 'there is no program perf in PATH$'
without "$PMUS" --run -- true
expect '--run of a command needs perf' 125 '' 'there is no program perf in PATH$'
without "$TMP/none" --run -- true
expect '--run of a command needs the module' 125 '' 'there is no PMU topdown'
without "$TMP/none" -- true
expect 'lines for a command need the module' 3 '' 'there is no PMU topdown'
for wrong in --run '--by comm' '--ratios --by cpu' '--folded tma_none' '--ratios --folded slots' '--folded slots -a'; do
	# shellcheck disable=SC2086
	run perf $wrong
	expect "$wrong is refused" 2 '' 'allowed:|--by is about|take no subject'
done

# ratios: of what is in the file; golden NAME: that is what they were
ratios() { run td perf --ratios < "$TMP/in"; }
golden() {
	cat > "$TMP/golden"
	result "$(diff "$TMP/golden" "$TMP/out" > "$TMP/diff"; echo $?)" "$1 are right"
	sed 's/^/# /' "$TMP/diff"
}

cat > "$TMP/in" << END
# started on Mon Nov 23 00:00:00 2026

     0.300678344,CPU0,1000,,topdown/slots/,301803696,100.00,,
     0.300678344,CPU1,2000000,,topdown/slots/,301656904,50.00,,
     0.300678344,CPU0,302,slots,topdown/tma_retiring/,301804368,100.00,,
     0.300678344,CPU1,1400000,slots,topdown/tma_retiring/,301656360,50.00,,
     0.300678344,CPU0,500,,cycles,301656360,100.00,,
     0.610698824,CPU0,<not counted>,,topdown/slots/,0,0.00,,
     0.610698824,CPU1,4000,,topdown/slots/,309989928,100.00,,
     0.610698824,CPU1,1000,slots,topdown/tma_retiring/,309963616,100.00,,
     0.610698824,CPU1,400,slots,topdown/tma_heavy_operations/,309963616,100.00,,
     0.610698824,CPU1,2000,slots,topdown/tma_backend_bound/,309963616,100.00,,
     0.610698824,CPU1,1400,slots,topdown/tma_memory_bound/,309963616,100.00,,
END
ratios
golden 'ratios of CPUs at intervals' << END
0.300678344 s CPU0: 1,000 slots
  tma_retiring                  30.2%
0.300678344 s CPU1: 2,000,000 slots, counted 50.0% of the time
  tma_retiring                  70.0%
0.610698824 s CPU1: 4,000 slots
  tma_retiring                  25.0%
    tma_heavy_operations        10.0%
  tma_backend_bound             50.0%
    tma_memory_bound            35.0%
END

cat > "$TMP/in" << END
6294264624,,topdown/slots/,demo,350240352,100.00,,
1698925383,slots,topdown/tma_retiring/,demo,350240352,100.00,,
100,,topdown/slots/,a/b.slice,350240352,100.00,,
50,slots,topdown/tma_retiring/,a/b.slice,350240352,100.00,,
END
ratios
golden 'ratios of cgroups' << END
demo: 6,294,264,624 slots
  tma_retiring                  27.0%
a/b.slice: 100 slots
  tma_retiring                  50.0%
END

cat > "$TMP/in" << END
S0,8,1000,,topdown/tma_info_thread_slots/,301803696,100.00,,
S0,8,500,slots,topdown/tma_retiring/u,301803696,100.00,,
END
ratios
expect 'sockets have ratios' 0 $'^S0: 1,000 slots\n  tma_retiring +50.0%$' ''
printf '1000,,topdown/slots/,0.51%%,301803696,100.00,,\n250,slots,topdown/tma_retiring/,0.11%%,3018,100.00,,\n' \
	> "$TMP/in"
ratios
expect 'ratios of several runs are added up' 0 $'^1,000 slots\n  tma_retiring +25.0%$' ''

# No counter of perf has such a number; a double could not even be printed as one.
printf '%s,,topdown/%s/,5,100.00,,\n' 1000 slots 500 tma_retiring 20000000000000000000 tma_frontend_bound \
	1e300 tma_backend_bound -5 tma_bad_speculation nan tma_core_bound > "$TMP/in"
ratios
expect 'counts that cannot be are none' 0 $'^1,000 slots\n  tma_retiring +50.0%$' ''
printf '20000000000000000000 topdown/slots/: 1 main\n' > "$TMP/in"
ratios
result "$([[ $status -ne 0 || -z $out ]]; echo $?)" 'no ratios are made of samples that cannot be'
printf '18000000000000000000 topdown/slots/: 1 main\n%.0s' 1 2 > "$TMP/in"
ratios
expect 'a sum that is too large stays below' 0 '^main: 18,446,744,073,709,549,568 slots' ''

cat > "$TMP/in" << END
        workload   10150008                     cycles:u:      55a890068544 main
        workload   1000               topdown/slots/:      55a890068544 main
        workload   430 topdown/tma_bad_speculation/:      55a890068544 main
        work load  1105280                  cpu-clock:u:      55a890068547 std::map<int, int>::find(int const&)
        work load  3000               topdown/slots/:      55a890068547 std::map<int, int>::find(int const&)
        work load  300 topdown/tma_bad_speculation/:      55a890068547 std::map<int, int>::find(int const&)
           1000 topdown/slots/:      55a890068544 main
            130 topdown/tma_bad_speculation/:      55a890068544 main
           5000 topdown/slots/:      55a890068544 [unknown]
           1000 topdown/tma_bad_speculation/:      55a890068544 [unknown]
END
ratios
golden 'ratios of functions' << END
[unknown]: 5,000 slots, 50.0% of all
  tma_bad_speculation           20.0%
std::map<int, int>::find(int const&): 3,000 slots, 30.0% of all
  tma_bad_speculation           10.0%
main: 2,000 slots, 20.0% of all
  tma_bad_speculation           28.0%
END
expect 'a function is printed of which nothing is an error' 0 'main' ''

run td perf --ratios --by comm < "$TMP/in"
expect 'a process without a number is named' 0 'work load: 3,000 slots, 30\.0% of all' ''
cat > "$TMP/in" << END
          worker 2  1234        500                 topdown/slots/:  ffffffff81000000 do_it
          worker 2  1235       1500                 topdown/slots/:  ffffffff81000000 do_it
          worker 2  1235        500  topdown/tma_backend_bound/:  ffffffff81000000 do_it
              java    77       8000                 topdown/slots/:  7f0000000000 run
              java    77       6000  topdown/tma_backend_bound/:  7f0000000000 run
END
run td perf --ratios --by comm < "$TMP/in"
golden 'ratios of processes by name' << END
java: 8,000 slots, 80.0% of all
  tma_backend_bound             75.0%
worker 2: 2,000 slots, 20.0% of all
  tma_backend_bound             25.0%
END
run td perf --ratios --by pid < "$TMP/in"
expect '--by pid has a row for each process' 0 'java    77: 8,000.*worker 2  1235: 1,500.*worker 2  1234: 500' ''
cat > "$TMP/in" << END
java    77       8000                 topdown/slots/:
	    7f0000000010 inner;of(int)+0x1
	    7f0000000020 outer

java    77       5000  topdown/tma_memory_bound/:
	    7f0000000010 inner;of(int)+0x1
	    7f0000000020 outer

java    78       1000  topdown/tma_memory_bound/:
	    7f0000000010 inner;of(int)+0x1
	    7f0000000020 outer

java    78       20  topdown/tma_memory_bound/:      7f0000000020 outer
END
run td perf --folded tma_memory_bound < "$TMP/in"
golden 'stacks for a flame graph' << END
java;outer;inner:of(int)+0x1 6000
java;outer 20
END
run td perf --folded tma_core_bound < "$TMP/in"
expect 'stacks need a sample' 1 '' 'there is no sample of topdown/tma_core_bound/'

# A locale with decimal commas has a field more.
cat > "$TMP/in" << END
6000000,,topdown/slots/,2011741096,41,37,,
1500000,,topdown/tma_retiring/,2011741100,100,00,,
END
ratios
golden 'ratios in a locale with commas' << END
6,000,000 slots, counted 41.4% of the time
  tma_retiring                  25.0%
END
cat > "$TMP/in" << END
     0,300678344,CPU0,1000,,topdown/slots/,301803696,50,00,,
     0,300678344,CPU0,302,slots,topdown/tma_retiring/,301804368,100,00,,
     0,610698824,CPU0,2000,,topdown/slots/,301803696,100,00,,
END
ratios
golden 'intervals in such a locale' << END
0.300678344 s CPU0: 1,000 slots, counted 50.0% of the time
  tma_retiring                  30.2%
0.610698824 s CPU0: 2,000 slots
END
printf '%s\n' '1000,,topdown/slots/,0,51%,301803696,41,37,,' '250,slots,topdown/tma_retiring/,a/b,3018,100,00,,' > "$TMP/in"
ratios
expect 'a deviation of runs and a cgroup are passed over' 0 '^1,000 slots, counted 41\.4%' ''
printf '%s\n' '1000;;topdown/slots/;2011741096;41,37;;' '250;;topdown/tma_retiring/;2011741100;100,00;;' \
	'77;;cycles;2011741100;100,00;;' > "$TMP/in"
ratios
golden 'ratios with other separators' << END
1,000 slots, counted 41.4% of the time
  tma_retiring                  25.0%
END

printf 'Error: perf has something to say\n1000,,topdown/slots/,301803696,100.00,,\n' > "$TMP/in"
ratios
expect "perf's own messages are passed on" 0 '^1,000 slots$' '^Error: perf has something to say$'
printf '1000,,cycles,301803696,100.00,,\n250,slots,topdown/tma_retiring/,3018,100.00,,\n' > "$TMP/in"
ratios
expect 'a lack of slots is said' 1 '' 'there are no counts of topdown/slots/'
: > "$TMP/in"
ratios
expect 'an empty input is said' 1 '' 'there are no counts of topdown/slots/'
printf '1000,,topdown/slots/,301803696,100.00,,\n' > "$TMP/in"
status=0
td perf --ratios < "$TMP/in" > /dev/full 2> "$TMP/err" || status=$?
out='' err=$(< "$TMP/err")
expect 'a full standard output is an error' 1 '' 'cannot write to standard output: No space left'
run td perf --ratios < "$TMP"
expect 'standard input that cannot be read has no counts' 1 '' 'no counts'
finish
