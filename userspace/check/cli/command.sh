#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown stat -- COMMAND: what the command has and does is as without us, and only
# it is measured.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

export FAKE_FEATURES=63
# The command's own figures are one step: a fresh reading when it has ended.
one_step='"running":1.000000,"enabled_ns":1000000000,"running_ns":1000000000,"slots":6000000000'

# Exit status.
for code in 0 1 2 3 4 5 42 125 126 127 128 200 255; do
	run fake stat -- sh -c "exit $code"
	expect "exit status $code is passed on" "$code" '' 'tma_retiring +40\.0%'
done
# timeout(1) raises what ended its child, so look for ourselves.
for signal in HUP INT QUIT KILL SEGV PIPE TERM; do
	code=$((128 + $(kill -l "$signal")))
	run fake stat -- sh -c "kill -$signal \$\$"
	expect "the status says that SIG$signal ended the command" "$code" '' 'tma_retiring +40\.0%'
done
run fake stat -j -- "$TMP/none"
expect 'a command that is not there cannot be run' 127 '' "^topdown: cannot run '$TMP/none': No such file or directory$"
run fake stat -j -- no-such-command-in-the-path
expect 'a command that is not in the path cannot be run' 127 '' "^topdown: cannot run 'no-such-command-in-the-path'"
echo 'exit 0' > "$TMP/plain"
run fake stat -j -- "$TMP/plain"
expect 'a file that is not executable cannot be run' 126 '' "^topdown: cannot run '$TMP/plain': Permission denied$"
run fake stat -j -- "$TMP"
expect 'a directory cannot be run' 126 '' "^topdown: cannot run '$TMP': Permission denied$"
run fake stat -j -- "$TMP/plain/x"
expect 'a path below a file cannot be run' 126 '' 'Not a directory'
run fake stat -j -- ''
expect 'an empty name cannot be run' 127 '' "cannot run ''"
# A process that ignores SIGCHLD does not get the exit status of its children.
(trap '' CHLD; FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD "$TOPDOWN" stat --device "$NODE" \
	-o "$TMP/figures" -- sh -c 'exit 3') > "$TMP/out" 2> "$TMP/err" && status=0 || status=$?
out=$(< "$TMP/out") err=$(< "$TMP/err")
expect 'the exit status is passed on when SIGCHLD is ignored' 3 '' ''

# The command's streams are its own.
printf 'a\0b\n' > "$TMP/in"
status=0
fake stat -j -- cat < "$TMP/in" > "$TMP/out" 2> "$TMP/err" || status=$?
result "$((status))" 'cat succeeds'
result "$(cmp -s "$TMP/in" "$TMP/out"; echo $?)" 'standard input and output are untouched'
result "$(($(lines "$TMP/err") != 1))" 'figures go to standard error'
run fake stat -j -o "$TMP/figures" -- sh -c 'echo to out; echo to err >&2'
expect '-o: both streams are untouched' 0 '^to out$' '^to err$'
result "$(grep -q "$one_step" "$TMP/figures"; echo $?)" '-o has the figures'
for code in 3 7; do
	run fake stat -x , -o "$TMP/runs.csv" --append sh -c "exit $code"
done
result "$((status != 7 || $(lines "$TMP/runs.csv") != 3))" '--append adds rows'
run fake stat -j -- echo -j --help -- -x
expect "the command's options are its own" 0 '^-j --help -- -x$' "$one_step"
run fake stat -j echo -I x
expect 'they are without -- too' 0 '^-I x$' "$one_step"
status=0
fake stat -- sh -c 'exit 6' 2> /dev/full > "$TMP/out" || status=$?
result "$((status != 6))" 'no room for figures hides no failure of the command'
status=0
fake stat -- true 2> /dev/full || status=$?
result "$((status != 125))" 'no room for figures is a failure of ours'
run fake stat -o "$TMP/none/figures" -- touch "$TMP/ran"
expect 'a file that cannot be written is said' 125 '' "cannot open $TMP/none/figures"
result "$([[ ! -e $TMP/ran ]]; echo $?)" 'nothing is run'

# The machine while a command runs: it is not followed, and its status counts.
rm -f "$TMP/log"
FAKE_LOG=$TMP/log run fake stat -a -A -j -o "$TMP/figures" -- sh -c 'sleep 0.1; echo mine; exit 5'
expect '-a passes on the status of a command' 5 '^mine$' ''
result "$([[ ! -e $TMP/log && $(json row "$TMP/figures" | paste -sd' ') == 'all cpu cpu cpu cpu' ]]; echo $?)" \
	'-a measures CPUs and attaches nothing'
length=$(json interval "$TMP/figures" | head -n 1)
result "$(holds "$length >= 0.1 && $length < 3"; echo $?)" "CPUs are measured while it runs ($length s)"
run fake stat -C 1-2 -I 50 -j -- sleep 0.12
expect '-C with a command prints intervals' 0 '' '"row":"all"'
result "$(($(lines "$TMP/err") < 2))" 'there are two at least'
run fake stat -a -- "$TMP/none"
expect '-a says that a command is not there' 127 '' "cannot run '$TMP/none'"
FAKE_READ_ERRNO=13 run fake stat -a -- touch "$TMP/ran"
expect '-a needs a right to CPUs' 125 '' 'cannot read the CPUs'
result "$([[ ! -e $TMP/ran ]]; echo $?)" 'without it nothing runs'

# The first part is not measured: one reading more, from which the figures and the time count.
# On a busy machine all may take longer, so the upper limit is the time of the whole run.
for what in '-- sleep 1' '-a -- sleep 1' '-r 1 -- sleep 1'; do
	began=$(date +%s%N)
	# shellcheck disable=SC2086
	run fake stat -j -D 300 -o "$TMP/figures" $what
	took=$(($(date +%s%N) - began))
	expect "-D 300 $what succeeds" 0 '' ''
	length=$(json interval "$TMP/figures")
	result "$(holds "$length >= 0.3 && $length * 1e9 <= $took - 3e8"; echo $?)" \
		"the rest is measured ($length s)"
done
run fake stat -j --delay 50ms -o "$TMP/figures" -- sleep 0.1
result "$(grep -q "$one_step" "$TMP/figures"; echo $?)" '--delay has the figures of the rest'
run fake stat -j -I 100 -D 350 -o "$TMP/figures" -- sleep 0.6
result "$(($(lines "$TMP/figures") < 2 || $(lines "$TMP/figures") > 3))" '-D with -I: intervals begin after it'
began=$SECONDS
run fake stat -j -D 30s -o "$TMP/figures" -- sh -c 'exit 3'
expect 'a command may end before -D' 3 '' ''
result "$((SECONDS - began > 10 || $(lines "$TMP/figures") != 1))" 'one interval is printed at once'
began=$(date +%s%N)
run fake stat -j -D 300 --timeout 100 -o "$TMP/figures"
length=$(json interval "$TMP/figures")
result "$(holds "$length >= 0.1 && $length < 0.3 && $(date +%s%N) - $began >= 4e8"; echo $?)" \
	"--timeout counts after -D of CPUs ($length s)"

# Processor time, of the command and of what it waited for.
# shellcheck disable=SC2016 # for the inner shell
run fake stat -- bash -c '(for ((i = 0; i < 100000; i++)); do :; done); for ((i = 0; i < 100000; i++)); do :; done; times'
expect 'user and sys of a command are printed' 0 's$' ', user [0-9]+\.[0-9]{3} s, sys [0-9]+\.[0-9]{3} s'
# times: user and system of the shell, then of its children.
read -r theirs ours < <(tr ms '  ' <<< "$out" | awk '{ u += 60 * $1 + $2 + 0; s += 60 * $3 + $4 }
	END { printf "%.3f ", u + s }'; sed -nE 's/.* user ([0-9.]+) s, sys ([0-9.]+) s.*/\1 \2/p' <<< "$err" |
	awk '{ print $1 + $2 }')
result "$(holds "$theirs > 0.05 && $ours >= $theirs - 0.005 && $ours < $theirs + 0.1"; echo $?)" \
	"they are as the command itself says ($ours s, $theirs s)"
run fake stat -I 60000 -- true
expect 'an interval has none of them' 0 '' $'^elapsed [^,]*, interval [^,]*, process [^,]*\n'

# Where to look: of what was measured, as a shell takes it.
run fake stat --locate -- sh -c 'echo "it'"'"'s"'
expect '--locate prints a line for a command' 0 "^it's$" \
	"tma_backend_bound +perf record -e topdown.backend_bound_slots -- sh -c 'echo \"it'.''s\"'"
for want in '-a|-a -- sleep 10' '-C 0-1,3|-C 0-1,3 -- sleep 10'; do
	# shellcheck disable=SC2086
	run fake stat --locate --count 1 -I 10 ${want%|*}
	expect "--locate prints a line for ${want%|*}" 0 "perf record -e topdown.backend_bound_slots ${want#*|}
  tma_memory_bound +perf mem record ${want#*|}
  tma_core_bound +no event is published for it$" ''
done
run fake stat --locate --timeout 20 -p $$
expect '--locate prints a line for -p' 0 "perf record -e topdown.backend_bound_slots -p $$ -- sleep 10" ''
FAKE_SOURCE=5 run fake stat --locate --count 1 -I 10
expect '--locate prints a line for AMD' 0 'tma_memory_bound +perf record -e ibs_op// -a -- sleep 10' ''
FAKE_SOURCE=4 run fake stat --locate --count 1 -I 10
expect '--locate prints no line for an Atom core' 0 'tma_backend_bound +no event is published for it' ''
FAKE_IDLE=1 run fake stat --locate --count 1 -I 10
expect '--locate prints that nothing is over' 0 $'locate: no node is over its threshold$' ''

# The command inherits descriptors, signal masks and dispositions.
inherited='ls /proc/self/fd | wc -l; grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status'
(trap '' USR1; sh -c "$inherited") > "$TMP/plainly"
(trap '' USR1; run fake stat -o "$TMP/figures" -I 10 -- sh -c "$inherited")
sed '/^[0-9]/!s/^/ /' "$TMP/out" > "$TMP/ours"
sed '/^[0-9]/!s/^/ /' "$TMP/plainly" > "$TMP/theirs"
result "$(diff "$TMP/theirs" "$TMP/ours" > "$TMP/diff"; echo $?)" 'descriptors and signals of the command are as without us'
sed 's/^/# /' "$TMP/diff"
fds=$(sh -c 'ls /proc/self/fd | wc -l')
run fake stat -- sh -c 'ls /proc/self/fd | wc -l'
expect 'a command has its own descriptors when figures go to standard error' 0 "^$fds$" 'tma_retiring'
run fake stat -o "$TMP/figures" -- sh -c 'yes | head -n 1'
expect 'SIGPIPE ends who writes to nobody' 0 '^y$' ''

# Only the command is measured, and by itself.
FAKE_LOG=$TMP/log run fake stat -j -- true
result "$(grep -qx 'attach 0 0x1a' "$TMP/log"; echo $?)" 'the child attaches itself, children too, from the exec on'
expect 'what was before the exec does not count' 0 '' "$one_step"
rm "$TMP/log"
FAKE_LOG=$TMP/log run fake stat --no-inherit -j -- true
result "$(grep -qx 'attach 0 0x18' "$TMP/log"; echo $?)" '--no-inherit attaches no children'
FAKE_READ_ERRNO=13 FAKE_OTHERS_ERRNO=13 FAKE_WATCH_ERRNO=13 run fake stat -j -- echo mine
expect 'a command runs without a right but to open the node' 0 '^mine$' "$one_step"
run fake stat -j -- sh -c 'echo $$'
result "$([[ $(json pid "$TMP/err") == "$out" ]]; echo $?)" 'pid is that of the command'
result "$([[ $(json comm "$TMP/err") == sh ]]; echo $?)" 'comm is that of the program'
run fake stat -j -- sleep 0.3
length=$(json interval "$TMP/err")
result "$(awk "BEGIN { exit !($length >= 0.3 && $length < 3) }"; echo $?)" "interval is how long it ran ($length)"

# Intervals.
run fake stat -j -I 100 -- sleep 0.35
length=$(json interval "$TMP/err" | sum)
count=$(lines "$TMP/err")
# Steps that went by while nobody looked are one interval.
result "$(holds "$count >= 2 && $count <= $length / 0.1 + 1"; echo $?)" "-I ($count lines)"
result "$(holds "$length >= 0.35"; echo $?)" "intervals leave nothing out ($length s)"
result "$(grep -vqx 1000000000 <<< "$(json enabled_ns "$TMP/err")"; echo $((!$?)))" 'each line has its interval only'
result "$([[ $(json state "$TMP/err" | tail -n 1) == exited ]]; echo $?)" 'the last is of the end'
run fake stat -j -I 100 --count 2 -- sh -c 'sleep 0.5; echo done; exit 9'
expect '--count ends the measurement, not the command' 9 '^done$' 'tma_retiring'
result "$(($(lines "$TMP/err") != 2))" '--count 2 has two lines'
rm "$TMP/log"
# The command waits until it is not followed any more.
FAKE_LOG=$TMP/log run fake stat -j --timeout 50 -- \
	sh -c "until grep -qx 'close 1 0' '$TMP/log'; do sleep 0.02; done; echo done"
expect '--timeout ends the measurement, not the command' 0 '^done$' 'tma_retiring'
length=$(json interval "$TMP/err")
result "$(holds "$length >= 0.05 && $length < 5"; echo $?)" "--timeout 50 took $length s"

# Signals: what is sent to us is for the command, and we print.
# signalled SIGNAL COMMAND [OPTION]...: sends it when the command says that it is ready
signalled() {
	: > "$TMP/out"
	FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD env --default-signal=INT "$TOPDOWN" stat \
		--device "$NODE" -j "${@:3}" -- sh -c "$2" > "$TMP/out" 2> "$TMP/err" &
	pid=$!
	await test -s "$TMP/out" || true
	kill "-$1" "$pid"
	status=0
	wait "$pid" || status=$?
	out=$(< "$TMP/out") err=$(< "$TMP/err")
}
for signal in INT TERM HUP; do
	signalled "$signal" 'echo ready; exec sleep 20'
	expect "SIG$signal ends the command, we print" "$((128 + $(kill -l "$signal")))" \
		'^ready$' "$one_step"
done
signalled INT 'trap "echo got it; exit 12" INT; echo ready; while :; do sleep 0.05; done'
expect 'a command may handle SIGINT' 12 'got it' "$one_step"

# A user who interrupts one run of many does not want the next.
trapping='trap "echo got it; exit 12" INT; echo ready; while :; do sleep 0.05; done'
signalled INT "$trapping" -r 3
expect 'a run that handles SIGINT is the last' 12 $'^ready\ngot it$' '"runs":1'
echo 0 > "$TMP/nr"
signalled INT "n=\$((\$(cat '$TMP/nr') + 1)); echo \$n > '$TMP/nr'; [ \$n -gt 1 ] || exit 0; $trapping" -r 3
expect 'a run that is interrupted is not in the mean' 12 $'^ready\ngot it$' '"runs":1'
result "$([[ $(< "$TMP/nr") == 2 ]]; echo $?)" 'no run comes after it'

# The command gets a terminal's signal anyway, and must not get it twice.
cat > "$TMP/count.c" <<- 'END'
	#include <signal.h>
	#include <stdio.h>
	#include <time.h>

	static volatile sig_atomic_t count;

	static void interrupted(int signal)
	{
		count += !!signal;
	}

	/* Waits for one, and then a second for more. */
	int main(void)
	{
		struct timespec nap = { .tv_nsec = 10000000 };
		int left = 6000;

		signal(SIGINT, interrupted);
		puts("ready");
		fflush(stdout);
		while (left--) {
			nanosleep(&nap, NULL);
			if (count && left > 100)
				left = 100;
		}
		printf("interrupted %d\n", (int)count);
		return 14;
	}
END
${CC:-gcc} -o "$TMP/count" "$TMP/count.c"
# keys: Ctrl-C when the program is ready for it, and the terminal stays until its end
keys() {
	await grep -q ready "$TMP/terminal" >&2 || true
	printf '\003'
	await grep -q interrupted "$TMP/terminal" >&2 || true
}
if command -v script > /dev/null; then
	: > "$TMP/terminal"
	keys | FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD script -qec \
		"$TOPDOWN stat --device $NODE -- $TMP/count" /dev/null > "$TMP/terminal" &&
		status=0 || status=$?
	result "$((status != 14))" "Ctrl-C leaves the exit status to the command ($status)"
	count=$(sed -nE 's/.*interrupted ([0-9]+).*/\1/p' "$TMP/terminal")
	result "$((count != 1))" "Ctrl-C reaches the command once ($count)"
	result "$(grep -q 'tma_retiring.*40\.0%' "$TMP/terminal"; echo $?)" 'Ctrl-C ends with our figures'
else
	skip 'a terminal gets both outputs' 'there is no script(1)'
fi

# Several runs.  Each session of the fake retires one percent more than the last.
FAKE_MIX=1 run fake stat -j -r 3 -- sh -c 'echo run'
expect '-r 3 is one line' 0 '^run
run
run$' '"pid":null,"tid":null,"comm":"sh".*"tma_retiring":0\.410000000.*"runs":3'
result "$(($(lines "$TMP/err") != 1))" '-r 3 prints once'
for want in tma_retiring_rse:0.014082 tma_backend_bound_rse:0.013122 slots_rse:0.005832 \
	tma_frontend_bound_rse:0.000000 slots:5940000000 switches:7; do
	have=$(json "${want%:*}" "$TMP/err")
	result "$([[ $have == "${want#*:}" ]]; echo $?)" "-r 3: ${want%:*} is $have"
done
run fake stat -j -r 1 -- true
expect '-r 1 has no deviation' 0 '' '"runs":1,"interval_rse":null,"slots_rse":null,"tma_retiring_rse":null'
FAKE_IDLE=1 run fake stat -j -r 2 -- true
expect '-r of nothing counted has no figures' 0 '' '"tma_retiring":null.*"tma_retiring_rse":null'
FAKE_SESSIONS=1 run fake stat -j -r 20 -- true
expect 'runs leave no session behind' 0 '' '"runs":20'
echo 0 > "$TMP/nr"
# shellcheck disable=SC2016
count='n=$(($(cat "$0") + 1)); echo $n > "$0"'
run fake stat -j -r 4 -- sh -c "$count; case \$n in 2) exit 7;; 3) exit 8;; esac" "$TMP/nr"
expect 'the first status that is not 0 is ours' 7 '' '"runs":4'
echo 0 > "$TMP/nr"
run fake stat -j -r 4 -- sh -c "$count; [ \$n -lt 3 ] || kill -TERM \$\$" "$TMP/nr"
expect 'a run that a signal ends is the last, and not in the mean' 143 '' '"runs":2'
result "$([[ $(< "$TMP/nr") == 3 ]]; echo $?)" 'no run comes after it'
run fake stat -j -r 3 -- sh -c 'kill -TERM $$'
expect 'it is in the mean if it is the only one' 143 '' '"runs":1'
run fake stat -r 3 -- "$TMP/none"
expect '-r says that a command is not there' 127 '' "^topdown: cannot run '$TMP/none': No such file or directory$"

# Errors on our side.
FAKE_ATTACH_ERRNO=28 run fake stat -- touch "$TMP/ran"
expect 'no room for a session is said' 125 '' \
	"^topdown: cannot follow the command through $NODE: No space left on device \(at most 64 sessions"
FAKE_FEATURES=31 run fake stat -- touch "$TMP/ran"
expect 'a module without sessions is said' 125 '' \
	"^topdown: cannot follow tasks through $NODE: .* \(the loaded module is older than this command: see 'topdown info'"
FAKE_LEVEL=0 run fake stat -- touch "$TMP/ran"
expect 'a machine that cannot be measured is said' 125 '' 'no CPU of this machine can be measured'
FAKE_OPEN_ERRNO=13 run fake stat -- touch "$TMP/ran"
expect 'a node that may not be opened is said' 125 '' "is this user in group 'topdown'\?"
result "$([[ ! -e $TMP/ran ]]; echo $?)" 'no command runs without the device'
FAKE_SESSION_ERRNO=5 run fake stat -- sh -c 'sleep 0.2; echo done'
expect 'no figures are an error' 125 '^done$' "^topdown: cannot read the followed tasks through $NODE: Input/output error"
FAKE_SESSION_ERRNO=5 run fake stat -- sh -c 'exit 8'
expect 'no figures hide no failure of the command' 8 '' 'cannot read the followed tasks'

# The rest of the time is never left out.
FAKE_SHARE=97 FAKE_MERGED=2 run fake stat -- true
expect 'share and merged time are printed' 0 '' 'on CPU 1\.000 s, running 97\.0%, merged 2\.0%; % of 6,000,000,000 slots'
FAKE_ASLEEP=1 run fake stat -- true
expect 'no time on a CPU has no figures' 0 '' 'on CPU 0\.000 s, running -; % of 0 slots.*tma_retiring +-'
FAKE_INCOMPLETE=1 run fake stat -- true
expect 'threads that could not be followed are said' 0 '' $'slots\nincomplete \(some tasks are not followed\)\n'
FAKE_DROPPED=1 run fake stat -- true
expect 'a task that dropped out is said' 0 '' $'slots\nincomplete \(some tasks are not followed\)\n.*1 task dropped out and was not measured any more'
FAKE_DROPPED=2 run fake stat -I 50 -- sleep 0.2
expect 'tasks that dropped out are said' 0 '' '2 tasks dropped out and were not measured any more'
result "$(($(grep -c 'dropped out' "$TMP/err") != 1))" 'what cannot be measured is said once'
FAKE_SESSION_STATE=3 run fake stat -I 50 -- sleep 0.2
expect 'a command that made too many tasks is said' 0 '' $'slots\nended \(it made too many tasks\)\n'
result "$(($(grep -c elapsed "$TMP/err") != 1))" 'nothing is printed after that'
for setting in FAKE_SHARE=98 FAKE_INCOMPLETE=1 FAKE_SESSION_STATE=3; do
	export "${setting?}"
	run fake stat --strict -- true
	expect "--strict fails with $setting" 4 '' 'tma_retiring'
	run fake stat --strict -- sh -c 'exit 9'
	expect "--strict with $setting hides no failure" 9 '' 'tma_retiring'
	unset "${setting%%=*}"
done
for setting in FAKE_SHARE=100 FAKE_ASLEEP=1; do
	export "${setting?}"
	run fake stat --strict -- true
	expect "--strict succeeds when all is well, $setting" 0 '' 'tma_retiring'
	unset "${setting%%=*}"
done
finish
