#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Bad input: every message names the value and what is allowed, the status is 2,
# nothing is printed, and no file is touched.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

# bad NAME ERR ARG...: refused before the device is looked at
bad() {
	local name=$1 message=$2
	shift 2
	run td "$@"
	expect "$name is refused" 2 '' "^topdown: $message"
}

bad 'a line without a command' 'no command \(allowed: those below\).*Usage: topdown .*  stat .*  top .*  info '
bad 'an unknown command' "there is no command 'recall' \(allowed: stat, top, history, watch, where, latency, record, report, export, perf, info, verify, help" recall
for word in 'stta stat' 'stats stat' 'repotr report' 'lat latency' 'hlep help' 'hsitory history'; do
	bad "a word like ${word#* }" "there is no command '${word% *}'; did you mean ${word#* }\?$" "${word% *}"
done
bad 'a node that is nearer than a command' "there is no command 'fetch'; for the node: topdown help tma_fetch_latency$" fetch
bad 'an unknown option' "unknown option '-Z' \(try 'topdown --help'\)" -Z
bad 'an unknown long option' "unknown option '--bogus' \(try 'topdown --help'\)" --bogus
bad 'an unknown option of stat' "unknown option '-Z' \(try 'topdown stat --help'\)" stat -Z
bad 'an unknown letter in a cluster of stat' "unknown option '-Z'" stat -aZ
bad 'an unknown long option of stat' "unknown option '--bogus'" stat --bogus
bad 'an argument too much of stat' "'--json' takes no argument \(try 'topdown stat --help'\)" stat --json=1
bad 'an argument for no option of stat' "unknown option '--jason=1'" stat --jason=1
# An abbreviation of one option today may be an abbreviation of two tomorrow.
bad 'an abbreviated option of stat' "unknown option '--cou': options are not abbreviated \(there is '--count'\)" stat --cou 1
bad 'an abbreviated option with its argument of stat' "unknown option '--timeo=5s': options are not abbreviated" stat --timeo=5s
bad 'an ambiguous abbreviation of stat' "unknown option '--p'" stat --p
bad 'an abbreviated option of top' "unknown option '--del': options are not abbreviated" top --del 100
bad 'an abbreviated option of info' "unknown option '--js': options are not abbreviated" info --js
bad 'an abbreviated option' "unknown option '--vers': options are not abbreviated" --vers
bad '-- without a command of stat' "'--' without a command \(allowed: -- COMMAND" stat --
bad 'options and -- without a command of stat' "'--' without a command" stat -a -I 100 --
bad 'a word that nothing has of help' "there is no command 'recall'" help recall
bad 'a second word of help' "help: unexpected argument 'top'" help stat top
for command in stat top history watch export info; do
	bad "--device '' of $command" '--device: the path is empty \(allowed: a device node' \
		"$command" --device ''
done
bad 'a missing argument of stat' "'-I' needs an argument" stat -I
bad 'a missing argument of a long option of stat' "'--count' needs an argument" stat --count
bad 'an unknown option of info' "unknown option '-Z' \(try 'topdown info --help'\)" info -Z
bad 'an argument of info' "info: unexpected argument 'cpu0'" info cpu0

bad 'an unknown option of perf' "unknown option '-Z' \(try 'topdown perf --help'\)" perf -Z
bad 'an abbreviated option of perf' "unknown option '--ratio': options are not abbreviated" perf --ratio
bad '-- without a command of perf' "'--' without a command \(allowed: -- COMMAND" perf --
bad '-l 3 of perf' '-l: 3 is out of range \(allowed: 1\.\.2 levels\)' perf -l 3
bad '-p 0 of perf' '-p: 0 is out of range \(allowed: 1\.\.4194304 processes\)' perf -p 0
bad "-G '' of perf" '-G: the name is empty \(allowed: the path of a cgroup' perf -G ''
bad 'ratios of a subject of perf' '--ratios and --folded read what perf prints and take no subject' perf --ratios -a

# Options after other arguments, where no command follows.
FAKE_FEATURES=31 run fake watch 'memory_bound>99' --timeout 20ms
expect 'watch takes an option after a threshold' 0 '' ''
bad 'an option after the file of report' "--html: the file name is empty" report "$TMP/none" --html ''
bad "--diff '' of report" '--diff: the file name is empty \(allowed: a recording' report "$TMP/none" --diff ''
bad "-o '' of verify" '-o: the file name is empty' verify -o ''
bad "--table '' of latency" '--table: the file name is empty \(allowed: a table' latency --table ''
bad "-G '' of report" '-G: the name is empty \(allowed: the path of a cgroup' report "$TMP/none" --owners -G ''
run td report -- -A
expect 'report takes no option after --' 1 '' '^topdown: cannot open -A: '
bad 'an argument of an option of report' '-I: .* is not a time' report "$TMP/none" -I x

bad 'an unknown option of top' "unknown option '-Z' \(try 'topdown top --help'\)" top -Z
bad 'an argument of top' "top: unexpected argument 'cpu0'" top cpu0
for value in 9 3600001 x ''; do
	bad "-d '$value' of top" "-d: .*\(allowed: 10\.\.3600000 milliseconds" top -d "$value"
	bad "-I '$value' of top" "-I: .*\(allowed: 10\.\.3600000 milliseconds" top -a -I "$value"
done
bad '-n 0 of top' '-n: 0 is out of range \(allowed: 1\.\.1000000000 refreshes\)' top -n 0
bad '-l 3 of top' '-l: 3 is out of range \(allowed: 1\.\.2 levels\)' top -l 3
bad '-a and -C of top' '-a and -C exclude each other' top -a -C 2
bad '-a and -C of watch' '-a and -C exclude each other' watch -a -C 2
bad '-a and -C of history' '-a and -C exclude each other' history -a -C 2
FAKE_FEATURES=31 run fake history -a -n 1 --no-header
expect 'history takes -a' 0 '.' ''
FAKE_FEATURES=31 run fake watch -a --timeout 20ms 'memory_bound>99'
expect 'watch takes -a' 0 '' ''
FAKE_FEATURES=31 run fake top -C 3-4
expect 'top refuses -C beyond the machine' 2 '' '^topdown: -C: CPU 4 is not in this machine \(allowed: 0-3\)$'
FAKE_FEATURES=31 FAKE_LEVEL=1 run fake top -l 2
expect 'top refuses -l above the machine' 3 '' '-l: this machine has no level 2 \(allowed: 1\)$'

for value in '' ' ' 12abc abc -5 +5 0x10 ' 5' '5 ' 1e3 ١٢; do
	bad "-I '$value'" "-I: '.*' is not a time \(allowed: 10\.\.3600000 milliseconds, or with a unit" \
		stat -I "$value"
	bad "--count '$value'" "--count: '.*' is not a whole number \(allowed: 1\.\." \
		stat --count "$value"
	bad "--timeout '$value'" "--timeout: '.*' is not a time \(allowed: 10\.\." \
		stat --timeout "$value"
	bad "-l '$value'" "-l: '.*' is not a whole number \(allowed: 1\.\.2 levels\)" \
		stat -l "$value"
done
for value in 5ns 1S 1sec 1s1 1.5 1.s .5s 1.0005s 1..5s 1.5.5s 1,5s s -1s '1 s' 1.0000000000s; do
	bad "-I '$value'" "-I: '.*' is not a time" stat -I "$value"
done
bad '-I 1.5' "-I: '1\.5' is not a time \(a number with decimals needs a unit: 1\.5s\)$" stat -I 1.5
for value in 9ms 0s 0.009s 3600.001s 1.1h 3601s 61m 2h 18446744073709551616s 5124095576030432h; do
	bad "-I $value" "-I: $value is out of range \(allowed: 10\.\.3600000 milliseconds\)$" \
		stat -I "$value"
done
for value in 0 9 3600001 18446744073709551616 18446744073709551626 99999999999999999999999; do
	bad "-I $value" "-I: $value ms is out of range \(allowed: 10\.\.3600000 milliseconds, or with a unit: 500ms" \
		stat -I "$value"
done
for value in 0 1000000001 18446744073709551617; do
	bad "--count $value" "--count: $value is out of range \(allowed: 1\.\.1000000000 intervals\)" \
		stat --count "$value"
done
for value in 0 9 2147483648; do
	bad "--timeout $value" "--timeout: $value ms is out of range \(allowed: 10\.\.2147483647" \
		stat --timeout "$value"
done
for value in '' x -5 1.s ' 1'; do
	bad "-D '$value'" "-D: '.*' is not a time \(allowed: 0\.\.2147483647 milliseconds" stat -D "$value"
done
bad '-D -1' '-D: -1 waits for a word to begin, and there is none \(allowed: a time, or --control' \
	stat -D -1 true
bad '-D 2147483648' '-D: 2147483648 ms is out of range \(allowed: 0\.\.2147483647' stat --delay 2147483648
for value in 0 3 18446744073709551617; do
	bad "-l $value" "-l: $value is out of range \(allowed: 1\.\.2 levels\)" stat -l "$value"
done

bad 'an empty -C' '-C: the list of CPUs is empty \(allowed: CPU numbers and ranges' stat -C ''
for value in ',' '0,' ',0' '0,,1'; do
	bad "-C $value" '-C: a CPU number is missing \(allowed:' stat -C "$value"
done
for value in a 0a 0-a - 0- -1 0-1-2 0x1 ' 0' 0:1 '0 1' all 0-3/2; do
	bad "-C '$value'" "-C: '$value' is not a CPU or a range of CPUs \(allowed:" \
		stat -C "$value"
done
bad '-C with a bad CPU in the middle' "-C: 'x' is not a CPU" stat -C 0,x,2
bad '-C with a reversed range' "-C: the range '3-1' is reversed \(allowed: 1-3\)" stat -C 3-1
bad '-C with a reversed range in the middle' "-C: the range '5-4' is reversed" stat -C 0,5-4,7
run fake stat -C 2,1-2,2 -C 2-3 -A -l 1 --no-header --count 1 -I 10
expect 'a CPU that is named twice has one row' 0 $'^elapsed [^\n]*, 3 CPUs; [^\n]*\nall [^\n]*\n  1 [^\n]*\n  2 [^\n]*\n  3 [^\n]*$' ''
for value in 8192 0-8192 18446744073709551616 99999999999999999999-1; do
	bad "-C $value" "-C: '$value' is above the largest possible CPU number \(allowed: 0\.\.8191\)" \
		stat -C "$value"
done

for value in '' 0 9 . - _ a Z '"' "'" $'\n' $'\r' ab ',,' '\n' "\\" é; do
	bad "-x '${value@Q}'" "-x: '.*' cannot separate fields \(allowed: one of , ; :" \
		stat -x "$value"
done
bad '-a with -C' '-a and -C exclude each other' stat -a -C 0
bad '-j with -x' '-j and -x exclude each other' stat -j -x ,
bad '-x with -j' '-j and -x exclude each other' stat -x , -j
bad '-q with -v' '-q and -v exclude each other' stat -q -v
bad '--append alone' '--append needs the file' stat --append
bad 'an empty -o' '-o: the file name is empty' stat -o ''

bad "-p ''" "-p has no value: did the command that was to print it print nothing" stat -p ''
for option in -p -t; do
	for value in ',' '1,' ',1' '1,,2' x 1x 1-2 -1 +1 0x1 ' 1' '1 2' 1.5; do
		bad "$option '$value'" "$option: '.*' is not a whole number \(allowed: 1\.\.4194304 (process|thread) numbers\)" \
			stat "$option" "$value"
	done
	for value in 0 4194305 1,0 18446744073709551617; do
		bad "$option $value" "$option: [0-9]+ is out of range \(allowed: 1\.\.4194304" \
			stat "$option" "$value"
	done
	bad "one task twice in $option" "$option: 7 is named twice" stat "$option" 7,8,7
	bad "one task in two lists of $option" "$option: 7 is named twice" stat "$option" 7 "$option" 8,7
	bad "$option without an argument" "'$option' needs an argument" stat "$option"
done
bad 'a list of -p that is too long' '-p: the list is too long \(allowed: 1024\)' stat -p "$(seq -s, 1 1025)"
for cpus in -a -A '-C 0' --per-core --per-socket --per-node --windows --fresh; do
	for tasks in '-p 1' '-t 1'; do
		# shellcheck disable=SC2086
		bad "$cpus with $tasks" '-a, -C, -A, --per-core and the like, --windows and --fresh are about CPUs and exclude -p and -t' \
			stat $cpus $tasks
	done
done
for cpus in -A --per-core --per-socket --per-node --windows --fresh; do
	for tasks in true '-- true'; do
		# shellcheck disable=SC2086
		bad "$cpus with $tasks" '-A, --per-core and the like, --windows and --fresh are about CPUs \(with a command add -a or -C' \
			stat $cpus $tasks
	done
done
for two in '--per-core --per-socket' '--per-node --per-core'; do
	# shellcheck disable=SC2086
	bad "$two" '--per-core, --per-socket and --per-node exclude each other' stat $two
done
bad '--windows with --fresh' '--windows and --fresh exclude each other' stat --windows --fresh
bad '-A with --per-core' '-A and --per-core and the like exclude each other' stat -A --per-core
for cpus in -a '-C 0'; do
	# shellcheck disable=SC2086
	bad "-r with $cpus" '-r needs a command to run and to measure by itself' stat -r 2 $cpus true
	# shellcheck disable=SC2086
	bad "--no-inherit with $cpus and a command" '--no-inherit is about the children' \
		stat -i $cpus true
done
for also in -j '-x ,' -A --per-core '-p 1,2' '-p 1 --per-thread' '-t 1,2'; do
	# shellcheck disable=SC2086
	bad "--locate with $also" '--locate is about one row of a table' stat --locate $also
done
for both in '-p 1 -t 1' '-p 1 -t 1 true'; do
	# shellcheck disable=SC2086
	bad "$both" '-p and -t exclude each other \(allowed: one of them' stat $both
done
bad '-p without a value' "-p has no value, as '--per-thread' is an option" stat -p --per-thread
bad '--tree alone' '--tree is about the children' stat --tree -a
for known in 'stat -e cycles' 'top -G a' 'stat --topdown' 'top --for-each-cgroup=a'; do
	# shellcheck disable=SC2086
	run td $known
	expect "perf's $known is refused" 2 '' "^topdown: unknown option '[^']*'(: | \(try)"
done
bad "perf's -G" "unknown option '-G': 'topdown stat -G NAME' counts cgroups" top -G a
bad "perf's -e" "unknown option '-e': events are perf's: 'topdown perf' prints" stat -e cycles
bad "perf's --topdown" "unknown option '--topdown': leave it out" stat --topdown
run td stat -l 3
expect 'a level that only perf has is refused' 2 '' "perf stat --topdown --td-level 3"
for alone in '' '-t 1' true -a; do
	# shellcheck disable=SC2086
	bad "--per-thread with '$alone'" '--per-thread needs the process' stat --per-thread $alone
done
for alone in '' '-t 1' -a; do
	# shellcheck disable=SC2086
	bad "--no-inherit with '$alone'" '--no-inherit is about the children of processes' \
		stat --no-inherit $alone
	# shellcheck disable=SC2086
	bad "-r with '$alone'" '-r needs a command to run' stat -r 2 $alone
done
for also in '-I 100' '--count 2' '--timeout 100'; do
	# shellcheck disable=SC2086
	bad "-r with $also" '-r measures each run from its start to its end' stat -r 2 $also true
done
for value in 0 100001 x ''; do
	bad "-r '$value'" '-r: .*\(allowed: 1\.\.100000 runs\)' stat -r "$value" true
done

# Each long option that --help has, so those of later as well: an argument that it does not
# take, or none where it needs one.
for command in stat top history watch export info; do
	td "$command" --help > "$TMP/help"
	options=0
	while read -r option word; do
		options=$((options + 1))
		if [[ $word == [A-Z]* ]]; then
			bad "$option without $word of $command" "'$option' needs an argument" "$command" "$option"
		else
			bad "$option=1 of $command" "'$option' takes no argument" "$command" "$option=1"
		fi
	done < <(sed -nE 's/^ +(-[A-Za-z], )?(--[a-z-]+) ([A-Z]*) *[a-z].*/\2 \3/p' "$TMP/help")
	result "$((options < 3))" "$command: $options options of --help"
done

# Options that only a look at the machine can refuse: no row is printed, no file written.
run fake stat -C 2,4
expect '-C beyond the machine is refused' 2 '' '^topdown: -C: CPU 4 is not in this machine \(allowed: 0-3\)$'
FAKE_OFFLINE=2 run fake stat -C 1-2
expect '-C of an offline CPU is refused' 2 '' '^topdown: -C: CPU 2 is offline \(allowed: 0-1,3\)$'
FAKE_LEVEL=1 run fake stat -l 2
expect '-l above the machine is refused' 3 '' \
	'^topdown: -l: this machine has no level 2: test-lake, source perf_metrics \(allowed: 1\)$'

FAKE_FEATURES=63 FAKE_LEVEL=1 run fake stat -l 2 -- touch "$TMP/ran"
expect '-l above the machine is refused for a command' 125 '' 'this machine has no level 2'
result "$([[ ! -e $TMP/ran ]]; echo $?)" 'a refused command is not run'

echo precious > "$TMP/file"
run fake stat -C 4 -o "$TMP/file"
expect 'a bad -C is refused with -o' 2 '' 'CPU 4'
run td stat -I 5 -o "$TMP/file"
expect 'a bad -I is refused with -o' 2 '' 'out of range'
run td stat --device /dev/null -o "$TMP/file"
expect 'a bad device is refused with -o' 3 '' '/dev/null'
run td stat -A -o "$TMP/file" -- touch "$TMP/ran"
expect 'a bad -A is refused with -o and a command' 2 '' 'are about CPUs \(with a command add -a or -C'
result "$([[ ! -e $TMP/ran ]]; echo $?)" 'the command is not run'
FAKE_FEATURES=31 run fake stat -o "$TMP/file" true
expect 'an old module is refused with -o and a command' 125 '' 'cannot follow tasks'
FAKE_FEATURES=63 run fake stat -o "$TMP/file" -p 4194300
expect 'a process that there is not is refused with -o' 1 '' '4194300'
FAKE_FEATURES=63 run fake stat -o "$TMP/file" "$TMP/none"
expect 'a command that there is not is refused with -o' 127 '' 'none'
FAKE_READ_ERRNO=5 run fake stat -o "$TMP/file" --timeout 20
expect 'CPUs that cannot be read are said with -o' 1 '' 'cannot read'
result "$([[ $(< "$TMP/file") == precious ]]; echo $?)" 'a refused run touches no file'
run fake stat -x , -o "$TMP/file" --timeout 20
result "$(grep -c precious "$TMP/file")" 'one that measures leaves nothing of what was there'

# Where SIGPIPE is ignored, as in services.
mkfifo "$TMP/fifo"
exec 3<> "$TMP/fifo"
exec 4> "$TMP/fifo" 3>&-
status=0
(trap '' PIPE && td --help >&4 2> "$TMP/err") || status=$?
exec 4>&-
result "$([[ $status == 141 && ! -s $TMP/err ]]; echo $?)" 'a reader that leaves --help'

# All that is printed has a word of its own.
td help nodes > "$TMP/nodes"
result "$(($(wc -L < "$TMP/nodes") > 80 || $(grep -c ^tma_ "$TMP/nodes") != 14))" 'help nodes has 80 columns'
sed -nE 's/^(tma_[a-z_]+) .*/\1/p' "$TMP/nodes" > "$TMP/node-names"
while read -r node; do
	run td help "$node"
	expect "help explains $node" 0 $'^tma_.*meaning: .*\nusual causes: .*\nnext: ' ''
	result "$(($(wc -L < "$TMP/out") > 80))" 'it fits 80 columns'
done < "$TMP/node-names"
run td help memory_bound
expect 'help explains a node, with its thresholds' 0 'threshold: 20% of the slots on Intel' ''
run td help BACK
expect 'help explains the heading of a node' 0 '^tma_backend_bound ' ''
run td help node
expect 'help explains the word for all nodes' 0 '^node: A part of the tree' ''
for word in contended aside merged incomplete clamped unsupported excluded offline idle running \
	slot slots level threshold window step owner owners others ended session group turns; do
	run td help $word
	expect "help explains $word" 0 "^$word: [A-Z]" ''
	result "$(($(wc -L < "$TMP/out") > 80))" 'it fits 80 columns'
done
for word in oncpu_ns run% IPC busy share cgroup samples; do
	run td help $word
	expect "help explains the column $word" 0 "^$word: [a-z]" ''
done
# The tables and the schema of report are printed from what explains its words.
for word in mean p5 p50 p95 share% sort%; do
	run td help "$word"
	expect "help knows a column of report: $word" 0 "(^|"$'\n'")$word \\(topdown report\\): [a-z0-9]" ''
	result "$(($(wc -L < "$TMP/out") > 80))" 'in 80 columns'
done
{ td report --schema --diff x; td report --schema --owners --diff x; } |
	sed -nE '/^"schema"/d; s/^"([a-z_]+)":\{"type".*/\1/p' | sort -u > "$TMP/keys"
result "$(($(lines "$TMP/keys") < 18))" 'report --diff has keys'
{
	# These are explained as words of all tables.
	grep -vxE 'node|slots|owner' "$TMP/keys"
	printf '%s\n' change +- elapsed cycles changed noise unknown none
} > "$TMP/words"
while read -r word; do
	run td help "$word"
	result "$(grep -qE -- "^[a-z_+-]+ \(topdown report --diff\): [a-zA-Z0-9]" "$TMP/out" &&
		grep -qF -- "$word (" "$TMP/out" && ((status == 0)); echo $?)" "help of a word of report --diff: $word"
done < "$TMP/words"
run td help event
expect 'a word of two tables has both meanings, and whose they are' 0 $'^event \\(topdown latency\\): .*\nevent \\(topdown report --diff\\): .*$' ''
# Columns of other commands have their names, and the help of a command is that.
run td help watch
expect 'a command is no column' 0 '^Usage: topdown watch' ''
run td help mem
expect 'a short heading is that of its node' 0 '^tma_memory_bound ' ''

for command in '' stat top history watch export perf info; do
	# shellcheck disable=SC2086
	run td $command --help
	expect "${command:-topdown} --help succeeds" 0 '^Usage: topdown' ''
	# shellcheck disable=SC2086
	run td $command -h
	expect "${command:-topdown} -h succeeds" 0 '^Usage: topdown.*Examples:' ''
done
run td --version
expect '--version is printed' 0 "^topdown [0-9][0-9a-z.-]+
libtopdown [0-9][0-9a-z.-]+
module" ''
finish
