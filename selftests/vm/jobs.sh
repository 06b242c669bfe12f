# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Jobs of a test run: each has a log, says one line when it ends, and counts.
# To be sourced after common.sh.  Set LOGS to an empty directory first.
#
# A job is KIND NAME COMMAND...: of kind "step" it counts as one test; of kind
# "ktap" its output is added up; of kind "prep" it only counts when it fails.
#
# LOGS/NAME of a ktap job has "log"; "counts", as ktap.awk prints them; "totals", its
# last line; "times", the second in which each of its programs or tests ended.

# shellcheck source=selftests/vm/skips.sh
. "$TOP/selftests/vm/skips.sh"

: "${LOGS:=}"

BEGAN=$SECONDS
readonly SAME="# same as before"

say() { printf '[%4d s] %s\n' $((SECONDS - BEGAN)) "$*"; }

# job KIND NAME COMMAND...: run it and wait; false if it failed.  Tests that have
# passed already, in a run that is resumed, are not run.
job() {
	local kind=$1 name=$2 status=0 start=$SECONDS passed failed skipped again=0
	local dir=$LOGS/$name
	shift 2

	if [[ $kind == ktap && -e $dir/totals ]]; then
		read -r passed _ skipped again < "$dir/totals"
		say "kept  $name ($(describe "$passed" "$skipped" "$again")before)"
		return 0
	fi
	mkdir -p "$dir"
	: > "$dir/running"
	say "      $name ..."
	if [[ $kind == ktap ]]; then
		("$@") 2>&1 < /dev/null | clocked "$dir" || status=$?
	else
		("$@") > "$dir/log" 2>&1 < /dev/null || status=$?
	fi
	case $kind in
	ktap)
		# The kernel's reports and the emulator's messages come between the lines.
		awk -f "$TOP/selftests/vm/ktap.awk" "$dir/log" > "$dir/counts"
		judge_skips "${LOGS##*/}/$name" "$dir/counts"
		read -r passed failed skipped again < <(tail -n 1 "$dir/counts")
		if ((status && !failed)); then
			echo "! ended with status $status" >> "$dir/counts"
			failed=1
		fi
		;;
	*)
		passed=$((status == 0)) failed=$((status != 0)) skipped=0
		[[ $kind != prep ]] || passed=0
		;;
	esac
	echo "$passed $failed $skipped $again" > "$dir/totals"
	rm -f "$dir/running"
	((failed)) || {
		say "ok    $name ($(describe "$passed" "$skipped" "$again")$(
			! grep -qx -m 1 "$SAME" "$dir/log" || echo "${SAME#??}, ")$((SECONDS - start)) s)"
		return 0
	}
	say "FAIL  $name ($failed failed, $((SECONDS - start)) s), log: $dir/log"
	{
		grep '^!' "$dir/counts" 2> /dev/null || true
		tail -n 15 "$dir/log"
	} | sed 's/^/            /'
	return 1
}

# clocked DIR: what is read goes to DIR/log, and when a result came, to DIR/times.
clocked() {
	local line start=$SECONDS

	while IFS= read -r line || [[ -n $line ]]; do
		printf '%s\n' "$line"
		[[ ! $line =~ ^(not )?ok\ [0-9]+\ (.*) ]] ||
			echo "$((SECONDS - start)) ${BASH_REMATCH[2]}" >&3
	done > "$1/log" 3> "$1/times"
}

# unchanged NAME KEY COMMAND...: what COMMAND said when it passed with that KEY, of
# all that it depends on; if it has not yet, it is run.
unchanged() {
	local kept=$CACHE/passed/$1-$2
	shift 2

	if [[ -e $kept ]]; then
		touch "$kept"
		echo "$SAME"
		grep -vE '^(# )*again: ' "$kept"
		return
	fi
	mkdir -p "$CACHE/passed"
	find "$CACHE/passed" -type f -mtime +30 -delete
	"$@" 2>&1 | tee "$kept.$$" || { rm -f "$kept.$$"; return 1; }
	mv "$kept.$$" "$kept"
}

# describe PASSED SKIPPED AGAIN
describe() {
	if (($1 + $2 + ${3:-0} > 1)); then
		printf '%d passed, ' "$1"
		(($2 == 0)) || printf '%d skipped, ' "$2"
		((${3:-0} == 0)) || printf '%d taken again, ' "$3"
	fi
}

# not_run NAME WHY: a job that cannot be run at all.
not_run() {
	mkdir -p "$LOGS/$1"
	echo "0 1 0 0" > "$LOGS/$1/totals"
	say "FAIL  $1: not run, $2"
}

# heartbeat: says what is still under way, every half minute.
heartbeat() {
	local file names

	while sleep 30; do
		names=
		for file in "$LOGS"/*/running; do
			[[ -e $file ]] && names+=" $(basename "$(dirname "$file")")"
		done
		[[ -z $names ]] || say "      still at:$names"
	done
}

# repeat_failures: what failed and what was said before it, once more where a long
# log is read first: at its end.
repeat_failures() {
	local totals failed dir

	for totals in "$LOGS"/*/totals; do
		read -r _ failed _ < "$totals"
		((failed)) || continue
		dir=$(dirname "$totals")
		echo "FAIL  $(basename "$dir")"
		{
			grep '^!' "$dir/counts" || true
			grep -B 8 -E '^(# |  )?not ok' "$dir/log" | head -n 60 || true
		} 2> /dev/null | sed 's/^/      /'
	done
}

# longest N: the programs of guests that took longest.
longest() {
	local times

	echo "seconds, the longest programs in a guest:"
	for times in "$LOGS"/guest-*/times; do
		[[ ! -e $times ]] || awk -v job="$(basename "$(dirname "$times")")" '
			{ printf "%6d  %s, %s\n", $1 - before, $NF == "SKIP" ? $(NF - 2) : $NF, job
			  before = $1 }' "$times"
	done | sort -rn | head -n "$1"
}

# sum_up AT_MOST: the last line; false if anything failed, nothing was run, or more
# than AT_MOST measurements had to be taken again.
sum_up() {
	local totals again

	repeat_failures
	say_unused
	again=$(cat "$LOGS"/*/totals | awk '{ n += $4 } END { print n + 0 }')
	((again == 0)) || {
		echo "taken again ($again, at most $1):"
		grep -h '^~' "$LOGS"/*/counts | sed 's/^~/     /' | sort | uniq -c
	}
	totals=$(cat "$LOGS"/*/totals | awk -v luck="$((again > $1))" '
		{ p += $1; f += $2; s += $3 }
		END {
			f += luck
			printf "%d passed, %d failed, %d skipped\n", p, f, s
			exit !(p && !f)
		}') || {
		((again <= $1)) || echo "FAIL  more was taken again than a run may need"
		echo "$totals"
		return 1
	}
	echo "$totals"
}
