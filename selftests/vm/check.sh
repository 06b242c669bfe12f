#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Test what judges the other tests: run.sh's verdicts and ktap.awk's sums.
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=selftests/vm/jobs.sh
. "$TOP/selftests/vm/jobs.sh"

n=0
failed=0

# point NAME EXPECTED SEEN
point() {
	n=$((n + 1))
	if [[ $2 == "$3" ]]; then
		echo "ok $n $1"
	else
		echo "# expected '$2', seen '$3'"
		echo "not ok $n $1"
		failed=$((failed + 1))
	fi
}

# sums NAME EXPECTED LINE...: of a log of LINEs.
sums() {
	local name=$1 expected=$2
	shift 2

	point "sums: $name" "$expected" \
		"$(printf '%s\n' "$@" | awk -f "$TOP/selftests/vm/ktap.awk" | tail -n 1 | cut -d' ' -f1-3)"
}

sum_all() {
	sums "plain results" "1 1 1" 'KTAP version 1' '1..3' 'ok 1 a' 'not ok 2 b' 'ok 3 c # SKIP no'
	sums "plan at the end" "2 0 0" 'KTAP version 1' 'ok 1 a' 'ok 2 b' '1..2'
	sums "programs in a row" "3 0 0" 'KTAP version 1' '1..1' 'ok 1 a' 'ok 1 b' 'ok 2 c' '1..2'
	sums "ended too early" "1 1 0" 'KTAP version 1' '1..2' 'ok 1 a'
	sums "no plan" "1 1 0" 'KTAP version 1' 'ok 1 a'
	sums "no result at all" "0 1 0" 'Segmentation fault'
	sums "a program's own results" "2 0 0" \
		'TAP version 13' '1..1' '# 1..2' '# ok 1 a' '# ok 2 b' 'ok 1 prog'
	sums "a program that died" "1 1 0" \
		'TAP version 13' '1..1' '# 1..2' '# ok 1 a' 'not ok 1 prog # exit=139'
	sums "a program that failed at its end" "1 1 0" \
		'TAP version 13' '1..1' '# 1..1' '# ok 1 a' 'not ok 1 prog # exit=1'
	sums "a lost machine" "1 1 0" 'TAP version 13' '1..2' '# 1..1' '# ok 1 a' 'ok 1 prog'
	sums "a program that was skipped" "0 0 1" \
		'TAP version 13' '1..1' '# 1..0 # SKIP why' 'ok 1 prog # SKIP'
	sums "a program that hung" "0 1 0" 'TAP version 13' '1..1' 'not ok 1 prog # TIMEOUT 45 seconds'
	sums "indented results" "1 1 0" 'KTAP version 1' '1..1' '  KTAP version 1' '  1..2' \
		'  ok 1 a' '  not ok 2 b' 'not ok 1 prog'
}

# verdict NAME EXPECTED SECONDS COMMAND: run.sh's status.
verdict() {
	local status=0

	"$TOP/selftests/vm/run.sh" -N -c 1 -t "$3" "$4" > "$logs/verdict" 2>&1 || status=$?
	point "verdict: $1" "$2" "$status"
	[[ $2 == "$status" ]] || sed 's/^/# /' "$logs/verdict"
}

verdict_all() {
	verdict "failure" 3 120 'exit 3'
	verdict "a status of run.sh's own" 1 120 'exit 125'
	verdict "a warning in the kernel log" 121 120 'echo "WARNING: CPU: 0 planted" > /dev/kmsg'
	verdict "the trace of an allocation that a test made fail" 0 120 \
		'printf "%s\n" "fail_test: vmalloc error: it failed" "Call Trace:" > /dev/kmsg'
	verdict "a second trace" 121 120 \
		'printf "%s\n" "fail_test: vmalloc error: it failed" "Call Trace:" "Call Trace: b" > /dev/kmsg'
	verdict "the trace of a size that cannot be" 121 120 \
		'printf "%s\n" "fail_test: vmalloc error: it exceeds" "Call Trace:" > /dev/kmsg'
	verdict "a report before that trace" 121 120 \
		'printf "%s\n" "fail_test: vmalloc error: it failed" "BUG: a" "Call Trace:" > /dev/kmsg'
	verdict "a panic" 125 120 'echo c > /proc/sysrq-trigger; sleep 60'
	verdict "a hang" 125 25 'sleep 1000'
	point "and what its CPU did is said" yes "$(grep -q RIP= "$logs/verdict" && echo yes)"
	# shellcheck disable=SC2016 # it must not be expanded in the guest either
	"$TOP/selftests/vm/run.sh" -N -c 1 -t 120 -- printf '%s|\n\tno end' 'two words' '$HOME' \
		> "$logs/out" 2> /dev/null || true
	# shellcheck disable=SC2016
	point "arguments and output come through as they are" \
		$'two words|\n\tno end$HOME|\n\tno end' "$(< "$logs/out")"
}

# The end of a run's output names what failed and what that said, and not the rest.
summary() {
	local LOGS=$logs/jobs

	mkdir "$LOGS"
	{
		job ktap good printf 'KTAP version 1\n1..1\nok 1 fine\n'
		job ktap bad printf 'KTAP version 1\n1..1\n# 3 is not 4\nnot ok 1 sum\n'
	} > /dev/null || true
	point "the end of a run repeats what failed" \
		$'FAIL  bad\n      ! sum\n      1..1\n      # 3 is not 4\n      not ok 1 sum\n1 passed, 1 failed, 0 skipped' \
		"$(sum_up 0 | sed '/KTAP/d')"
}

# Jobs that passed in a run that is resumed are not run again, and count.
resumed() {
	local LOGS=$logs/resumed

	mkdir "$LOGS"
	job ktap good printf 'KTAP version 1\n1..2\nok 1 fine\nok 2 fine\n' > /dev/null
	job ktap good false > "$logs/again"
	point "a job that passed before is not run again" "kept  good (2 passed, before)" \
		"$(sed 's/^\[[^]]*\] //' "$logs/again")"
	point "and counts" "2 passed, 0 failed, 0 skipped" "$(sum_up 0)"
}

# skips_seen ROW...: what became of a program that skips a test, and of another that
# does not, if skips.conf has ROWs.
skips_seen() {
	local LOGS=$logs/run SKIPS=$logs/skips.conf

	rm -rf "$LOGS"
	mkdir "$LOGS"
	printf '%s\n' "# KERNELS" "$@" > "$SKIPS"
	job ktap guest-a printf '%s\n' 'TAP version 13' '1..2' '# selftests: topdown: one_test' \
		'# 1..2' '# # SKIP: no such thing' '# ok 1 a # SKIP' '# ok 2 b' \
		'ok 1 selftests: topdown: one_test' '# selftests: topdown: two_test' \
		'# 1..0 # SKIP not here' 'ok 2 selftests: topdown: two_test # SKIP' > /dev/null || true
	grep '^[!?~]' "$LOGS/guest-a/counts" || true
	cat "$LOGS/guest-a/totals"
}

skips() {
	local a='run/guest-* | one_test a | no such *' two='*/guest-? | two_test | not here'

	point "skips that are listed" "1 0 2 0" "$(skips_seen "$a" "$two")"
	point "a skip that is not" \
		$'! skipped, and skips.conf does not have it: two_test | not here\n1 1 1 0' \
		"$(skips_seen "$a")"
	point "a skip for another reason, by another job" \
		$'! skipped, and skips.conf does not have it: one_test a | no such thing\n'`
		`$'! skipped, and skips.conf does not have it: two_test | not here\n'`
		`$'? two_test | elsewhere\n1 2 0 0' \
		"$(skips_seen 'full/guest-* | one_test a | no such *' '* | two_test | elsewhere')"
	point "a skip of luck counts as that" $'~ two_test | not here\n1 0 2 1' \
		"$(skips_seen "$a" "~$two" '~* | one_test b | no such thing')"
	point "a row whose skip no longer happens, and one of a test that was not run" \
		$'? one_test b | no such thing\n1 0 2 0' \
		"$(skips_seen "$a" "$two" '* | one_test b | no such thing' '* | three_test | it')"
}

# A measurement that is taken again counts, and a run may have so many.
luck() {
	local LOGS=$logs/luck

	mkdir "$LOGS"
	job ktap guest printf '%s\n' 'TAP version 13' '1..1' '# selftests: topdown: a_test' '# 1..1' \
		'# # again: the rates' '# # # again: all CPUs' '# # it is not asked again: no' \
		'# ok 1 a' 'ok 1 selftests: topdown: a_test' > "$logs/said"
	point "it is said at the job" "ok    guest (1 passed, 2 taken again" \
		"$(tail -n 1 "$logs/said" | sed 's/^\[[^]]*\] //; s/, [0-9]* s)$//')"
	point "what was taken again is listed" \
		$'taken again (2, at most 2):\n      1       a_test: all CPUs\n      1       a_test: the rates' \
		"$(sum_up 2 | head -n 3)"
	point "within the budget a run passes" "1 passed, 0 failed, 0 skipped" \
		"$(sum_up 2 | tail -n 1)"
	point "over it the run fails" \
		$'FAIL  more was taken again than a run may need\n1 passed, 1 failed, 0 skipped' \
		"$(sum_up 1 | tail -n 2)"
}

# same KEY COMMAND...: as check.sh runs what need not be run again.
same() { CACHE=$logs unchanged thing "$@"; }

unchanged_all() {
	same a printf 'KTAP version 1\n1..1\n# again: x\nok 1 fine\n' > /dev/null
	point "what passed is not run again" $'# same as before\nKTAP version 1\n1..1\nok 1 fine' \
		"$(same a false)"
	point "but with another key" "ran" "$(same b echo ran)"
	same c sh -c 'echo "ok 1"; exit 1' > /dev/null || true
	point "nor what failed" "ran" "$(same c echo ran)"
}

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
echo "KTAP version 1"
sum_all
summary
resumed
skips
luck
unchanged_all
verdict_all
echo "1..$n"
((failed == 0))
