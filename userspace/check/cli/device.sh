#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# No module, no rights, an older or a newer one, somebody else's node.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

for command in stat top history watch info; do
	# Without the module, info says what the machine has.
	says=''
	[[ $command != info ]] || says='^cpu_name: .+
cpu_family: [0-9]+
.*hypervisor: (yes|no).*
module: (not )?installed'
	run td "$command" --device "$TMP/none"
	expect "$command says that there is no node" 3 "$says" \
		"^topdown: cannot open $TMP/none: No such file or directory \(load the module with 'modprobe topdown'"
	: > "$TMP/file"
	run td "$command" --device "$TMP/file"
	expect "$command refuses a regular file" 3 '' \
		"^topdown: cannot open $TMP/file: Inappropriate ioctl for device \(it is not a character device"
	run td "$command" --device "$TMP"
	expect "$command refuses a directory" 3 '' 'it is not a character device'
	mkfifo "$TMP/fifo"
	run td "$command" --device "$TMP/fifo"
	expect "$command does not hang at a fifo" 3 '' 'it is not a character device'
	rm "$TMP/fifo"
	for node in /dev/null /dev/zero /dev/tty; do
		run td "$command" --device "$node"
		expect "$command refuses $node" 3 '' \
			"^topdown: cannot open $node: No such device \(it is a device, but not that of"
	done
	run td "$command" --device ''
	expect "$command refuses an empty path" 2 '' '--device: the path is empty'
	run td "$command" --device /dev/null/x
	expect "$command refuses a path below a device" 3 '' 'Not a directory'

	FAKE_MINOR_OF=hpet run fake "$command"
	expect "$command refuses another misc device" 3 '' 'not that of a loaded topdown module'
	FAKE_OPEN_ERRNO=13 run fake "$command"
	expect "$command explains EACCES on open" 3 '' \
		"^topdown: cannot open $NODE: Permission denied \(the node's group may use it: is this user in group 'topdown'\? 'usermod -aG topdown USER' as root, then log in again\)$"
	FAKE_OPEN_ERRNO=6 run fake "$command"
	expect "$command explains ENXIO on open" 3 '' 'left-over.*modprobe topdown'
	FAKE_INFO_ERRNO=25 run fake "$command"
	expect "$command explains that INFO is not known" 3 '' 'not that of a loaded topdown module'
	FAKE_INFO_RETURN=1 run fake "$command"
	expect "$command refuses an answer out of contract" 3 '' 'its answer is invalid'
	FAKE_CPUS=0 run fake "$command"
	expect "$command refuses an answer without CPUs" 3 '' 'its answer is invalid'
done

FAKE_READ_ERRNO=13 run fake stat
expect 'EACCES on READ is explained' 3 '' "^topdown: cannot read the CPUs through $NODE: Permission denied"
if [[ $(id -u) == 0 ]] && command -v setpriv > /dev/null; then
	FAKE_READ_ERRNO=13 run fake stat
	expect 'EACCES is explained with the capability' 3 '' 'this process has CAP_PERFMON or CAP_SYS_ADMIN'
	chmod 777 "$TMP"
	FAKE_READ_ERRNO=13 run setpriv --bounding-set=-all --inh-caps=-all \
		env "FAKE_NODE=$NODE" "LD_PRELOAD=$PRELOAD" "$TOPDOWN" stat --device "$NODE"
	expect 'EACCES is explained without it' 3 '' \
		'CAP_PERFMON \(this process lacks it\), or kernel.perf_event_paranoid at 0 or less \(it is -?[0-9]+\), or .*trust_device=1'
else
	skip 'EACCES is explained with the capability' 'needs root'
	skip 'EACCES is explained without it' 'needs root'
fi
FAKE_READ_ERRNO=13 run fake info
expect 'info says that the right to read lacks' 0 'may_read_cpus: no' 'CAP_PERFMON'
expect 'its last line is the verdict' 0 'verdict: not known: the CPUs cannot be read$' 'CAP_PERFMON'
for state in 2:unsupported 3:contended 6:aside; do
	FAKE_FEATURES=255 FAKE_STATE=${state%:*} run fake info
	expect "info counts CPUs that are ${state#*:}" 0 "verdict: bad: 0 of [34] CPUs are measured all the time, [34] ${state#*:}$" ''
done
FAKE_FEATURES=255 FAKE_STATE=1 run fake info
expect 'no CPU lacks where all are offline' 0 'verdict: bad: no CPU is to be measured$' ''

# holder: a process with three events of software, which any user may count.
holder() {
	exec python3 -c "
import ctypes, struct, time
attr = struct.pack('IIQ', 1, 112, 9) + bytes(96)
fds = [ctypes.CDLL(None).syscall(298, attr, 0, -1, -1, 8) for _ in range(3)]
print('open' if min(fds) >= 0 else 'refused', flush=True)
time.sleep(60)"
}
if command -v python3 > /dev/null; then
	holder > "$TMP/holder" 2> "$TMP/err" &
	holder=$!
	await has_lines "$TMP/holder" 1 || true
	if [[ $(< "$TMP/holder") == open ]]; then
		run fake info
		expect 'info names who has perf events' 0 "perf_users: python3[^ ]* \($holder\), 3 events" ''
		run fake info -j
		expect 'info -j names who has perf events' 0 "\"pid\":$holder,\"comm\":\"python3[^\"]*\",\"events\":3" ''
	else
		skip 'info names who has perf events' 'perf is refused here'
		skip 'info -j names who has perf events' 'perf is refused here'
	fi
	kill "$holder"
	wait "$holder" || true
else
	skip 'info names who has perf events' 'python3 is not installed'
	skip 'info -j names who has perf events' 'python3 is not installed'
fi
FAKE_READ_ERRNO=13 run fake info -j
expect 'info -j says that the right to read lacks' 0 '"may_read_cpus":false.*"cpus":\[\]' ''
for error in 25 95; do
	FAKE_READ_ERRNO=$error run fake stat --count 1
	expect "READ is not known, errno $error" 3 '' 'the loaded module is older than this command'
done
FAKE_FEATURES=7 run fake top
expect 'top says that a module has no map' 3 '' 'the loaded module is older than this command'
FAKE_FEATURES=31 FAKE_MAP_ERRNO=13 run fake top
expect 'top says that the right to read lacks' 3 '' \
	"^topdown: cannot read the CPUs through $NODE: Permission denied"
FAKE_FEATURES=31 FAKE_MAP_BAD=magic run fake top
expect 'top refuses a map that makes no sense' 1 '' 'cannot read the CPUs.*Protocol error'
FAKE_READ_ERRNO=5 run fake info
expect 'info says where READ fails' 1 'may_read_cpus: yes' "cannot read the CPUs through $NODE"
FAKE_READ_ERRNO=12 run fake stat --count 1
expect 'READ fails otherwise' 1 '' "cannot read the CPUs through $NODE: Cannot allocate memory"

FAKE_FEATURES=2 run fake stat --count 1 -I 10
expect 'a module without FRESH is read' 0 'tma_retiring +40.0%' \
	'^topdown: the loaded module cannot count until now on request: intervals end up to 1000 ms early$'
FAKE_FEATURES=2 run fake stat --count 1 -I 10 -q
expect '-q says nothing of a module without FRESH' 0 'tma_retiring' ''
# Whoever asks for closed windows needs no more, and no remark.
FAKE_FEATURES=2 run fake stat --count 1 -I 10 --windows
expect '--windows asks for nothing fresh' 0 'tma_retiring +40.0%' ''
FAKE_FEATURES=1 run fake stat --count 1 -I 10
expect 'a module without TOTAL is refused' 3 '' 'older than this command'
FAKE_INFO_SIZE=64 run fake info
expect 'a module with a shorter INFO is described' 0 'module: -.*codename: -.*features: fresh total' ''
FAKE_FEATURES=255 FAKE_SOURCE=9 FAKE_STATE=9 FAKE_LEVEL=3 run fake stat -A --count 1 -I 10 -j
expect 'a newer module is read' 0 \
	'"row":"all","cpu":null,"state":"unknown","source":"unknown","level":2,.*"tma_core_bound":0\.15' ''
FAKE_FEATURES=255 FAKE_SOURCE=9 FAKE_LEVEL=3 run fake info
expect 'info describes a newer module' 0 'source: unknown.*level: 3' ''
FAKE_SOURCE=0 FAKE_LEVEL=0 FAKE_STATE=2 run fake stat --count 1
expect 'no CPU can be measured' 3 '' 'none of the CPUs asked for can be measured'
FAKE_BACK=1 run fake stat --count 1 -I 10
expect 'counts that go backwards are an error' 1 '' 'cannot read the CPUs'
FAKE_EINTR=1 run fake stat --count 1 -I 10
expect 'interrupted calls are repeated' 0 'tma_retiring' ''
FAKE_GROW=3 run fake stat -A --count 1 -I 10 -l 1
expect 'more CPUs than INFO said have rows' 0 '  6 +40.0' ''
FAKE_CPUS=8192 run fake stat -A -C 0-8191 --count 1 -I 10 -x , --no-header
result "$(($(lines "$TMP/out") != 8193))" 'as many CPUs as there can be have rows'
expect 'the last of them has its row' 0 ',8191,ok,' ''

# Intervals of ten periods end where the CPUs have counted by themselves, but for the last.
# The map of the test counts only when it is asked.
echo 10 > "$TMP/period"
export FAKE_FEATURES=15 FAKE_TICK=0 FAKE_TOGETHER=1 FAKE_PERIOD=$TMP/period
run fake stat -j -I 100 --count 3
want='0
0
23640000000'
result "$([[ $(json slots "$TMP/out") == "$want" ]]; echo $?)" 'ten periods: only the ends are asked for'
lengths=$(json interval "$TMP/out" | paste -sd' ')
result "$([[ $lengths == '0.000000000 0.000000000 0.'[3-9]* || \
	$lengths == '0.000000000 0.000000000 '[1-9]* ]]; echo $?)" "intervals are of what was counted ($lengths)"
# The time that is shown ends with the interval.
result "$(holds "$(json time "$TMP/out" | tail -n 1) - $(json time "$TMP/out" | head -n 1) \
	- $(json interval "$TMP/out" | tail -n 1) < 0.001"; echo $?)" 'times are of what was counted'
run fake stat -j -I 100 --count 3 --windows
want='0
0
0'
result "$([[ $(json slots "$TMP/out") == "$want" ]]; echo $?)" '--windows: no end is asked for'
want='23640000000
23640000000
23640000000'
run fake stat -j -I 100 --count 3 --fresh
result "$([[ $(json slots "$TMP/out") == "$want" ]]; echo $?)" '--fresh: all ends are asked for'
echo 11 > "$TMP/period"
run fake stat -j -I 100 --count 3
result "$([[ $(json slots "$TMP/out") == "$want" ]]; echo $?)" 'fewer than ten periods: all ends are asked for'
echo 10 > "$TMP/period"
# A map that stopped in the middle, or that there is not, is no end: the module is asked.
for setting in FAKE_STUCK=1 FAKE_MAP_ERRNO=12; do
	export "${setting?}"
	unset FAKE_TOGETHER
	run fake stat -j -I 100 --count 3
	expect "all ends are asked for with $setting" 0 '"slots":23640000000' ''
	unset "${setting%%=*}"
done
unset FAKE_FEATURES FAKE_TICK FAKE_PERIOD
finish
