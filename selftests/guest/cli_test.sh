#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The topdown command against the real module: every option does what it says,
# and bad input ends with the right status, a message that names the value and
# what is allowed, and nothing changed.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

NODES1=(tma_retiring tma_bad_speculation tma_frontend_bound tma_backend_bound)
NODES2=(tma_heavy_operations tma_light_operations tma_branch_mispredicts
	tma_machine_clears tma_fetch_latency tma_fetch_bandwidth
	tma_memory_bound tma_core_bound)
LAST=$(($(nproc) - 1))

level() { field cpu0 level; }

# json KEY: its value in each line of a file of JSON lines.
json() { sed -n "s/.*\"$1\":\"\\{0,1\\}\\([^,\"}]*\\).*/\\1/p"; }

# stat ARG...: of a tenth of a second.
stat() { topdown stat -I 100 --count 1 "$@"; }

# Every key in every line, fractions within 0..1 or null, and sums that are right.
# shellcheck disable=SC2016 # The dollars are awk's.
CHECK_JSON='
function value(line, key) {
	if (!match(line, "\"" key "\":\"?[^,\"}]*"))
		complain("no " key)
	line = substr(line, RSTART, RLENGTH)
	sub(/^[^:]*:"?/, "", line)
	return line
}
function complain(text) { print "line " NR ": " text; bad = 1 }
function near(a, b) { return a - b < 0.00001 && b - a < 0.00001 }
{
	n = split(keys, key, " ")
	for (i = 1; i <= n; i++)
		value($0, key[i])
	# Without slots, as of a CPU that slept, no node has a figure.
	if (value($0, "slots") == 0) {
		if (gsub(/"tma_[a-z_]*":null/, "") != 14)
			complain("figures without slots")
		next
	}
	for (i = 1; i <= 4; i++) {
		parent[i] = value($0, l1[i])
		first = value($0, l2[2 * i - 1])
		second = value($0, l2[2 * i])
		if (!(parent[i] >= 0 && parent[i] <= 1))
			complain(l1[i] " is " parent[i])
		if (level < 2 && (first != "null" || second != "null"))
			complain(l1[i] " has children")
		if (level > 1 && !near(first + second, parent[i]))
			complain("children of " l1[i] " do not sum to it")
	}
	if (!near(parent[1] + parent[2] + parent[3] + parent[4], 1))
		complain("level 1 does not sum to 1")
}
BEGIN { split(names1, l1, " "); split(names2, l2, " ") }
END { exit bad }'

test_json_is_complete() {
	stat -a -A -j > "$tmp/out"
	cat "$tmp/out"
	[[ $(json cpu < "$tmp/out" | paste -sd' ') == "null $(seq -s' ' 0 "$LAST")" ]]
	awk -v keys="schema time interval row slots running state source level scaled" -v level="$(level)" \
		-v names1="${NODES1[*]}" -v names2="${NODES2[*]}" "$CHECK_JSON" "$tmp/out"
}

test_interval_and_count_are_kept() {
	topdown stat -a -j -I 200 --count 4 > "$tmp/out"
	cat "$tmp/out"
	[[ $(wc -l < "$tmp/out") == 4 ]]
	is "$(json interval < "$tmp/out" | awk '{ s += $1 } END { print s }') >= 0.7"
	# The default length is a second, and the time out ends it all.
	topdown stat -a -j --count 1 > "$tmp/out"
	is "$(json interval < "$tmp/out") >= 0.9"
	topdown stat -a -j -I 5000 --timeout 300 > "$tmp/out"
	is "$(json interval < "$tmp/out") >= 0.25 && $(json interval < "$tmp/out") < 3"
}

test_lists_choose_cpus() {
	stat -C 0 -A -j > "$tmp/out"
	[[ $(json cpu < "$tmp/out" | paste -sd' ') == "null 0" ]]
	stat -C "0,$LAST" -A -j > "$tmp/out"
	[[ $(json cpu < "$tmp/out" | paste -sd' ') == "null 0 $LAST" ]]
	stat -C "0-$LAST" -A -j > "$tmp/out"
	[[ $(json cpu < "$tmp/out" | wc -l) == $((LAST + 2)) ]]
	stat -C "$LAST" -j > "$tmp/out"
	[[ $(json cpu < "$tmp/out") == null && $(json row < "$tmp/out") == all ]]
	# Lists are joined.
	stat -C 0 -C "$LAST" -A -j > "$tmp/out"
	[[ $(json cpu < "$tmp/out" | paste -sd' ') == "null 0 $LAST" ]]
	# The sum of one CPU is that CPU.
	stat -C "$LAST" -A -j > "$tmp/out"
	[[ $(json slots < "$tmp/out" | uniq | wc -l) == 1 ]]
}

test_levels_limit_nodes() {
	stat -a -l 1 -j > "$tmp/out"
	[[ $(json tma_memory_bound < "$tmp/out") == null ]]
	[[ $(json tma_retiring < "$tmp/out") != null ]]
	if (($(level) < 2)); then
		fails 3 "-l: .*no level 2.*allowed: 1" stat -a -l 2
		[[ $(topdown info | grep '^level') == "level: 1" ]]
		return
	fi
	stat -a -l 2 -j > "$tmp/out"
	[[ $(json tma_memory_bound < "$tmp/out") != null ]]
}

test_csv_lines_have_equal_fields() {
	local sep

	for sep in ',' ';' '|' ':'; do
		stat -a -A -x "$sep" > "$tmp/out"
		[[ $(wc -l < "$tmp/out") == $((LAST + 3)) ]]
		head -n 1 "$tmp/out" | quiet_grep -F "tma_retiring${sep}tma_bad_speculation"
		# As many fields in each line.
		[[ $(tr -cd "$sep\n" < "$tmp/out" | sort -u | wc -l) == 1 ]]
	done
	stat -a -x '\t' --no-header > "$tmp/out"
	[[ $(wc -l < "$tmp/out") == 1 ]]
	grep -q $'^[0-9.]*\t' "$tmp/out"
}

test_a_table_fits_80_columns() {
	"$here/workload" -c 0 -t 60 stream &
	sleep 0.5
	stat -C 0 > "$tmp/out"
	kill $!
	cat "$tmp/out"
	grep -q 'tma_backend_bound .*%.*bottleneck' "$tmp/out"
	grep -q ' CPU; % of [0-9,]* slots$' "$tmp/out"
	! grep -q $'\033' "$tmp/out" || die "colours into a file"
	! awk 'length > 80' "$tmp/out" | grep . || die "wider than 80 columns"
	stat -a -A > "$tmp/out"
	cat "$tmp/out"
	! awk 'length > 80' "$tmp/out" | grep . || die "wider than 80 columns"
}

# By the published thresholds: 15% of the back end are none of a program that retires 78%.
test_the_bottleneck_is_marked() {
	local profile want

	for profile in compute stream branchy bigcode divide; do
		case $profile in
		compute) want= ;;
		stream | divide) want=tma_backend_bound ;;
		branchy) want=tma_bad_speculation ;;
		bigcode) want=tma_frontend_bound ;;
		esac
		topdown stat -o "$tmp/out" -l 1 -- "$here/workload" -c 0 -t 1 "$profile"
		cat "$tmp/out"
		[[ $(awk '/bottleneck$/ { print $1 }' "$tmp/out") == "$want" ]] ||
			die "$profile: not $want"
	done
	topdown stat -l 1 --locate -o "$tmp/out" -- "$here/workload" -c 0 -t 2 stream
	cat "$tmp/out"
	grep -q "tma_backend_bound *perf record -e topdown.backend_bound_slots -- $here/workload -c 0" \
		"$tmp/out"
}

# Cores, sockets and nodes have the slots of their CPUs; closed windows are slots as well.
test_topology_rows_have_their_slots() {
	local by

	for by in core socket node; do
		stat -a "--per-$by" -j > "$tmp/out"
		cat "$tmp/out"
		[[ $(json row < "$tmp/out" | sed 1d | sort -u) == "$by" ]]
		is "$(json slots < "$tmp/out" | sed 1d | paste -sd+) == $(json slots < "$tmp/out" | sed -n 1p)"
	done
	topdown stat -a -j -- sleep 0.5 2> "$tmp/out"
	cat "$tmp/out"
	[[ $(json row < "$tmp/out") == all ]]
	is "$(json interval < "$tmp/out") >= 0.5"
	"$here/workload" -c 0 -t 60 stream &
	sleep 0.5
	topdown stat -C 0 -A -j --windows --timeout 4s > "$tmp/out"
	kill $!
	cat "$tmp/out"
	is "$(json slots < "$tmp/out" | tail -n 1) > 0"
	is "$(json tma_backend_bound < "$tmp/out" | tail -n 1) > 0.8"
}

# Interrupts of a CPU by others that ask it something, of /proc/interrupts.
asked() { awk -v column=$((LAST + 2)) '$1 == "CAL:" { print $column }' /proc/interrupts; }

# Intervals of ten periods do not interrupt a CPU that is busy, and yet leave nothing out:
# each says of which time it is, and all together are what there was.
test_windows_interrupt_no_busy_cpu() {
	local before windows fresh

	((LAST > 0)) || skip "one CPU is interrupted by nobody"
	reload period_ms=20
	"$here/workload" -c "$LAST" -t 600 stream &
	sleep 0.5
	before=$(asked)
	topdown stat -C "$LAST" -A -j -I 200 --count 20 > "$tmp/out"
	windows=$(($(asked) - before))
	before=$(asked)
	topdown stat -C "$LAST" -A -j -I 200 --count 20 --fresh > "$tmp/fresh"
	fresh=$(($(asked) - before))
	kill $!
	cat "$tmp/out"
	echo "# interrupts: $windows, and $fresh afresh"
	((fresh >= 20 && windows <= 8)) || die "$windows interrupts, and $fresh afresh"
	sed -n 'n;p' "$tmp/out" > "$tmp/cpu"
	# Each interval is of the time that it says, which is none but what was counted.
	is "$(paste -d' ' <(json interval < "$tmp/cpu") <(json enabled_ns < "$tmp/cpu") |
		awk '{ off = $2 / 1e9 - $1; if (off < 0) off = -off; if (off > max) max = off }
			END { print max + 0 }') < 0.001"
	# The last ends when it is asked, so that nothing is left out.
	is "$(json interval < "$tmp/cpu" | paste -sd+) > 3.95"
	is "$(json enabled_ns < "$tmp/cpu" | paste -sd+) > 3.95e9"
	while read -r share; do
		is "$share > 0.8"
	done < <(json tma_backend_bound < "$tmp/cpu")
	reload period_ms=1000
}

# The windows of a CPU follow one another, and have what it did in their time.
test_windows_follow_one_another() {
	local numbers

	reload period_ms=50
	"$here/workload" -c 0 -t 600 stream &
	sleep 2
	topdown history -C 0 -n 20 -j > "$tmp/out"
	kill $!
	cat "$tmp/out"
	[[ $(wc -l < "$tmp/out") == 20 ]]
	numbers=$(json window < "$tmp/out" | paste -sd' ')
	[[ $numbers == "$(seq -s' ' "${numbers%% *}" "${numbers##* }")" ]] || die "not in a row"
	# Each begins where the one before it closed.
	paste -d' ' <(json time < "$tmp/out") <(json interval < "$tmp/out") |
		awk 'NR > 1 { off = $1 - $2 - last; if (off > 0.002 || off < -0.002) bad = 1 }
			{ last = $1 } END { exit bad }' || die "there are gaps"
	while read -r share; do
		is "$share > 0.8"
	done < <(json tma_backend_bound < "$tmp/out" | tail -n 10)
	while read -r share; do
		is "$share <= 0.051"
	done < <(json interval < "$tmp/out" | tail -n 10)
	topdown history --since 10s
	reload period_ms=1000
}

# A CPU that crosses a threshold, and is back.
# last CPU FILE: the highest window of the CPU in lines of JSON
last() { sed -nE "s/.*\"cpu\":$1,.*\"window\":([0-9]+).*/\1/p" "$2" | sort -n | tail -n 1; }

# A recording has what the ring has, digit by digit, and no window of a CPU is missing.
test_a_recording_has_the_ring() {
	local cpu slots

	topdown record --past --timeout 3s -q -o "$tmp/data"
	topdown history -j -n 4096 | sed 's/"time":[0-9.]*,//' > "$tmp/ring"
	topdown report --windows -j "$tmp/data" | sed 's/"time":[0-9.]*,//' > "$tmp/file"
	topdown report "$tmp/data"
	topdown report "$tmp/data" | grep -q ', none lost$'
	for ((cpu = 0; cpu <= LAST; cpu++)); do
		grep "\"cpu\":$cpu," "$tmp/file" | json window > "$tmp/numbers"
		diff "$tmp/numbers" <(seq "$(head -n 1 "$tmp/numbers")" "$(last "$cpu" "$tmp/file")")
		# Only a window that closed after the recording is not in it.
		grep "\"cpu\":$cpu," "$tmp/ring" | grep -Fxvf "$tmp/file" > "$tmp/later" || true
		[[ ! -s $tmp/later ]] ||
			is "$(json window < "$tmp/later" | sort -n | head -n 1) > $(last "$cpu" "$tmp/file")"
		grep "\"cpu\":$cpu," "$tmp/ring" | grep -Fxqf "$tmp/file"
	done
	# The slots of the windows, of the steps and of the sum of all CPUs.
	topdown record -q --timeout 2s -o "$tmp/data"
	topdown report -j "$tmp/data" > "$tmp/out"
	topdown report --steps -j "$tmp/data" > "$tmp/steps"
	topdown report -A -j "$tmp/data" | tail -n +2 > "$tmp/cpus"
	slots=$(json slots < "$tmp/out")
	is "$slots > 0"
	[[ $(json slots < "$tmp/steps" | awk '{ s += $1 } END { printf "%.0f", s }') == "$slots" ]]
	[[ $(json slots < "$tmp/cpus" | awk '{ s += $1 } END { printf "%.0f", s }') == "$slots" ]]
	topdown record -q -o "$tmp/data" -- sh -c 'exit 3' || [[ $? == 3 ]]
	topdown report -j "$tmp/data" | grep -q '"row":"process"'
}

test_watch_tells_over_and_back() {
	local status=0 pid

	reload period_ms=50
	topdown watch -C 0 -b --count 2 --timeout 60s -j 'backend_bound>60' > "$tmp/out" &
	pid=$!
	sleep 1
	"$here/workload" -c 0 -t 2 stream
	"$here/workload" -c 0 -t 2 compute
	wait "$pid" || status=$?
	cat "$tmp/out"
	((status == 0)) || die "status $status"
	[[ $(json cpu < "$tmp/out" | paste -sd' ') == "0 0" ]]
	[[ $(json back < "$tmp/out" | paste -sd' ') == "false true" ]]
	is "$(json value < "$tmp/out" | head -n 1) > 0.6"
	is "$(json value < "$tmp/out" | tail -n 1) <= 0.6"
	fails 124 "" topdown watch --count 1 --timeout 500ms 'bad_speculation>99'
	fails 3 "no CPU of this machine has it" topdown watch 'smt_contention>1'
	reload period_ms=1000
}

test_output_goes_to_a_file() {
	stat -a -x , -o "$tmp/file" > "$tmp/out"
	[[ ! -s $tmp/out ]]
	[[ $(wc -l < "$tmp/file") == 2 ]]
	stat -a -x , -o "$tmp/file" --append
	[[ $(wc -l < "$tmp/file") == 3 ]]
	stat -a -x , -o "$tmp/file"
	[[ $(wc -l < "$tmp/file") == 2 ]]
	fails 1 "/no/such/dir.*No such file or directory" stat -a -o /no/such/dir
	fails 1 "No space left" stat -a -j -o /dev/full
}

test_signals_end_with_the_last_interval() {
	local status signal

	for signal in INT TERM; do
		status=0
		# Without a terminal the shell has SIGINT ignored in the background.
		timeout -s "$signal" 1 topdown stat -a -j -I 60000 > "$tmp/out" || status=$?
		cat "$tmp/out"
		[[ $(wc -l < "$tmp/out") == 1 ]] || die "$signal: no last interval"
		[[ $status == 124 ]]
	done
	status=0
	timeout --preserve-status -s INT 1 topdown stat -a > /dev/null || status=$?
	[[ $status == 0 ]] || die "SIGINT of an endless run: $status"
	status=0
	timeout --preserve-status -s TERM 1 topdown stat -a > /dev/null || status=$?
	[[ $status == 143 ]] || die "SIGTERM: $status"
}

test_info_describes_the_machine() {
	topdown info > "$tmp/out"
	cat "$tmp/out"
	grep -q "^level: $(level)$" "$tmp/out"
	grep -q "^source: perf_metrics$" "$tmp/out"
	grep -q "^period_ms: $(< "$SYSFS/period_ms")$" "$tmp/out"
	grep -q "^module: $(< /sys/module/topdown/version)$" "$tmp/out"
	grep -q "^kernel: $(uname -r)$" "$tmp/out"
	[[ $(sed -n 's/^command: //p; s/^library: //p; s/^module: //p' "$tmp/out" |
		sort -u | wc -l) == 1 ]] || die "versions differ"
}

test_help_and_version_are_printed() {
	local command

	topdown --version | quiet_grep "$(< /sys/module/topdown/version)"
	for command in "" stat info top history watch perf; do
		# shellcheck disable=SC2086 # empty or a word
		topdown help $command | quiet_grep '^Usage: topdown'
		# shellcheck disable=SC2086 # empty or a word
		topdown $command --help > "$tmp/out" 2> "$tmp/err"
		grep -q '^Usage: topdown' "$tmp/out"
		[[ ! -s $tmp/err ]]
	done
}

# The state of the module, which a refused command may not change.
module_state() { cat "$SYSFS/period_ms" "$PARAMS"/*; }

# STATUS|REGEX|ARGUMENTS; the regular expression is what the message must have.  Input
# that is refused before the module is looked at is in userspace/check/cli/options.sh.
bad_input() {
	cat <<- END
		2|'x'.*allowed.*0-3,8|-C x
		2|4095.*allowed: 0|-C 4095
		2|9 ms is out of range.*10\.\.3600000|-I 9
		2|out of range.*allowed: 1|--count 0
		2|out of range.*allowed: 1\.\.2|-l 3
		3|/no/node: No such file or directory.*modprobe topdown|--device /no/node
		3|/dev/null.*|--device /dev/null
		3|/etc/passwd.*not a character device|--device /etc/passwd
	END
}

test_bad_input_is_refused() {
	local status regex args words before bad=0

	before=$(module_state)
	while IFS='|' read -r status regex args; do
		eval "words=($args)"
		# One that is wrongly accepted must still end.
		(fails "$status" "topdown: .*$regex" timeout 5 topdown stat "${words[@]}") ||
			bad=$((bad + 1))
	done < <(bad_input)
	[[ $(module_state) == "$before" ]] || die "the module changed"
	((bad == 0))
}

test_bad_commands_are_refused() {
	fails 2 "no command" topdown
	fails 2 "nonsense.*topdown --help" topdown nonsense
	fails 2 "option.*--nonsense" topdown --nonsense
	fails 2 "info" topdown info nonsense
}

test_an_offline_cpu_is_refused() {
	local online=/sys/devices/system/cpu/cpu$LAST/online

	[[ -e $online ]] || skip "no CPU can go offline"
	fair_server_off
	echo 0 > "$online"
	fails 2 "CPU $LAST is offline.*allowed: 0" stat -C "$LAST"
	fails 2 "offline" stat -C "0-$LAST"
	stat -a > /dev/null
	echo 1 > "$online"
	stat -C "$LAST" > /dev/null
}

as_nobody() { setpriv --reuid 65534 --regid "$1" --clear-groups "${@:2}"; }

test_missing_rights_are_said() {
	local paranoid

	paranoid=$(< /proc/sys/kernel/perf_event_paranoid)
	chown 0:990 /dev/topdown
	echo 2 > /proc/sys/kernel/perf_event_paranoid
	fails 3 "/dev/topdown: Permission denied.*group 'topdown'" \
		as_nobody 65534 topdown stat -a -I 100 --count 1
	fails 3 "Permission denied" as_nobody 65534 topdown info
	# May open, but not look at whole CPUs.
	fails 3 "perf_event_paranoid|CAP_PERFMON" as_nobody 990 topdown stat -a -I 100 --count 1
	as_nobody 990 topdown info > "$tmp/out"
	cat "$tmp/out"
	grep -q '^may_read_cpus: no' "$tmp/out"
	echo 0 > /proc/sys/kernel/perf_event_paranoid
	as_nobody 990 topdown stat -a -I 100 --count 1 > /dev/null
	echo "$paranoid" > /proc/sys/kernel/perf_event_paranoid
	chown 0:0 /dev/topdown
}

test_a_missing_module_is_said() {
	unload
	fails 3 "/dev/topdown: No such file or directory.*modprobe topdown" \
		topdown stat -a --count 1
	fails 3 "modprobe topdown" topdown info
	load
}

need_module
reload period_ms=1000
run_tests test_json_is_complete test_interval_and_count_are_kept test_lists_choose_cpus \
	test_levels_limit_nodes test_csv_lines_have_equal_fields test_a_table_fits_80_columns \
	test_the_bottleneck_is_marked test_topology_rows_have_their_slots \
	test_windows_interrupt_no_busy_cpu test_windows_follow_one_another \
	test_a_recording_has_the_ring test_watch_tells_over_and_back test_output_goes_to_a_file \
	test_signals_end_with_the_last_interval test_info_describes_the_machine \
	test_help_and_version_are_printed test_bad_input_is_refused test_bad_commands_are_refused \
	test_an_offline_cpu_is_refused test_missing_rights_are_said test_a_missing_module_is_said
