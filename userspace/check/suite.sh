# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# KTAP for the tests that are shell scripts, and running the command against
# the node that check/fake/fake.c answers for.

: "${BUILD:?run check/run.sh}" "${TOPDOWN:?}" "${PRELOAD:?}"

NODE=/dev/topdown-of-the-test
TMP=$(mktemp -d "$BUILD/tmp.XXXXXX")
trap 'rm -rf "$TMP"' EXIT
number=0
failures=0
# Programs of the tests are built as the command is.
variant=plain
[[ $TOPDOWN != */asan/* ]] || variant=asan

# result STATUS NAME: one line of KTAP
result() {
	local status=${1##*$'\n'}

	number=$((number + 1))
	[[ $1 == "$status" ]] || echo "${1%$'\n'*}"
	# A status that is no number is a failure of the test itself.
	if [[ ! $status =~ ^-?[0-9]+$ ]] || ((status)); then
		failures=$((failures + 1))
		echo "not ok $number $2"
	else
		echo "ok $number $2"
	fi
}

# is NAME WANTED HAS
is() {
	if [[ $2 == "$3" ]]; then
		result 0 "$1"
	else
		echo "# wanted:" "${2//$'\n'/, }" "was:" "${3//$'\n'/, }"
		result 1 "$1"
	fi
}

# damaged NR: the results of so many tests of the program damage, which are in $TMP/damage
damaged() {
	local line bad

	grep -E '^#' "$TMP/damage" || true
	result "$(($(grep -cE '^(not )?ok ' "$TMP/damage") != $1))" 'every byte was tried'
	while read -r line; do
		[[ $line == not* ]] && bad=1 || bad=0
		result "$bad" "damage: ${line#*ok * }"
	done < <(grep -E '^(not )?ok ' "$TMP/damage")
}

skip() {
	number=$((number + 1))
	echo "ok $number $1 # SKIP $2"
}

# finish: the plan comes last, as it is not known before
finish() {
	echo "1..$number"
	((failures == 0)) || exit 1
}

# td ARG...: the command as it is
td() { timeout 20 "$TOPDOWN" "$@"; }

# fake ARG...: the command with our node; FAKE_... of the environment say how
fake() {
	local command=$1
	shift
	FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD timeout 20 "$TOPDOWN" "$command" --device "$NODE" "$@"
}

# run COMMAND...: sets $status, $out and $err
run() {
	status=0
	"$@" > "$TMP/out" 2> "$TMP/err" || status=$?
	out=$(< "$TMP/out")
	err=$(< "$TMP/err")
}

# expect NAME STATUS OUT ERR: what the last run must have had, as regular
# expressions; an empty one means that there was no output at all.
expect() {
	local bad=0

	[[ $status == "$2" ]] || bad=1
	if [[ -n $3 ]]; then [[ $out =~ $3 ]] || bad=1; else [[ -z $out ]] || bad=1; fi
	if [[ -n $4 ]]; then [[ $err =~ $4 ]] || bad=1; else [[ -z $err ]] || bad=1; fi
	if ((bad)); then
		echo "# expected status $2, output '$3', errors '$4'"
		echo "# was status $status, output and errors:"
		sed 's/^/# /' "$TMP/out" "$TMP/err"
	fi
	result "$bad" "$1"
}

# await COMMAND...: until it succeeds, a minute at most
await() {
	for _ in {1..3000}; do
		"$@" && return
		sleep 0.02
	done
	echo "# waited in vain for: $*"
	return 1
}

has_lines() { (($(lines "$1") >= $2)); }

# takes_signals PID: it has said something on $TMP/err, so it is our program, and
# has SIGTERM blocked, or waits for it in rt_sigtimedwait(), where the kernel shows it as not
takes_signals() {
	local blocked

	blocked=$(sed -n 's/^SigBlk:[[:space:]]*//p' "/proc/$1/status")
	[[ -s $TMP/err ]] && { ((0x$blocked & 1 << 14)) || grep -q '^128 ' "/proc/$1/syscall"; }
}

# measures PID: wait until the background job, with -v and its errors in $TMP/err,
# measures and takes signals by itself: before that some are ignored in a job of
# this shell, and some end it
measures() {
	await takes_signals "$1" || true
	sleep 0.3
}

# json KEY FILE: its values, a line each
json() { sed -nE "s/.*\"$1\":\"?([^,\"}]*).*/\1/p" "$2"; }

# sum: of the numbers on stdin, a line each
sum() { awk '{ sum += $1 } END { printf "%.3f\n", sum }'; }

# holds EXPRESSION: of numbers, also fractions
holds() { awk "BEGIN { exit !($1) }"; }

# lines FILE: their number
lines() { wc -l < "$1"; }
