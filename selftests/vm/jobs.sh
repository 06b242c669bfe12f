# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Jobs of a test run: each has a log, says one line when it ends, and counts.
# To be sourced after common.sh.  Set LOGS to an empty directory first.
#
# A job is KIND NAME COMMAND...: of kind "step" it counts as one test; of kind
# "ktap" its output is added up; of kind "prep" it only counts when it fails.

: "${LOGS:=}"

BEGAN=$SECONDS

say() { printf '[%4d s] %s\n' $((SECONDS - BEGAN)) "$*"; }

# job KIND NAME COMMAND...: run it and wait; false if it failed.  Tests that have
# passed already, in a run that is resumed, are not run.
job() {
	local kind=$1 name=$2 status=0 start=$SECONDS totals passed failed skipped
	local dir=$LOGS/$name
	shift 2

	if [[ $kind == ktap && -e $dir/totals ]]; then
		read -r passed _ skipped < "$dir/totals"
		say "kept  $name ($(describe "$passed" "$skipped")before)"
		return 0
	fi
	mkdir -p "$dir"
	: > "$dir/running"
	say "      $name ..."
	("$@") > "$dir/log" 2>&1 < /dev/null || status=$?
	case $kind in
	ktap)
		# The kernel's reports and the emulator's messages come between the lines.
		awk -f "$TOP/selftests/vm/ktap.awk" "$dir/log" > "$dir/counts"
		totals=$(tail -n 1 "$dir/counts")
		read -r passed failed skipped <<< "$totals"
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
	echo "$passed $failed $skipped" > "$dir/totals"
	rm -f "$dir/running"
	((failed)) || {
		say "ok    $name ($(describe "$passed" "$skipped")$((SECONDS - start)) s)"
		return 0
	}
	say "FAIL  $name ($failed failed, $((SECONDS - start)) s), log: $dir/log"
	{
		grep '^!' "$dir/counts" 2> /dev/null || true
		tail -n 15 "$dir/log"
	} | sed 's/^/            /'
	return 1
}

describe() {
	if (($1 + $2 > 1)); then
		printf '%d passed, ' "$1"
		(($2 == 0)) || printf '%d skipped, ' "$2"
	fi
}

# not_run NAME WHY: a job that cannot be run at all.
not_run() {
	mkdir -p "$LOGS/$1"
	echo "0 1 0" > "$LOGS/$1/totals"
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

# sum_up: the last line; false if anything failed or nothing was run.
sum_up() {
	local totals

	repeat_failures
	totals=$(cat "$LOGS"/*/totals | awk '{ p += $1; f += $2; s += $3 }
		END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit !(p && !f) }') || {
		echo "$totals"
		return 1
	}
	echo "$totals"
}
