#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Lines of JSON are as the schema says that the command prints.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

# shellcheck disable=SC2046 # several flags
"${CC:-gcc}" -o "$TMP/schema" "$(dirname "$0")/schema.c" \
	$(pkg-config --cflags --libs json-c 2> /dev/null || echo -ljson-c)
for command in stat history watch latency; do
	td "$command" --schema > "$TMP/$command.json"
done
cp "$TMP/stat.json" "$TMP/schema.json"

# fits NAME SCHEMA COMMAND...: the lines that it prints
fits() {
	local name=$1 schema=$2 bad=0
	shift 2
	"$@" > "$TMP/lines" || bad=1
	"$TMP/schema" "$TMP/$schema.json" < "$TMP/lines" || bad=1
	result "$bad" "lines of $name fit the schema"
}

# valid NAME ARG...: those of topdown stat, which are apart from the output of its command
valid() { fits "$1" stat to_file "${@:2}"; }
to_file() { fake stat -j -o "$TMP/apart" "$@" > /dev/null && cat "$TMP/apart"; }

# others NAME COMMAND ARG...: those of another command
others() { fits "$1" "$2" fake "$2" -j "${@:3}"; }

# invalid NAME LINE: the test itself finds what is wrong
invalid() {
	local bad=0
	"$TMP/schema" "$TMP/schema.json" > /dev/null <<< "$2" || bad=1
	result "$((!bad))" "the schema refuses $1"
}

interval=(--count 1 -I 10)
valid 'CPUs' "${interval[@]}" -A
valid 'cores' "${interval[@]}" -C 0 --per-core
valid 'sockets' "${interval[@]}" -C 0 --per-socket
valid 'nodes' "${interval[@]}" -C 0 --per-node
FAKE_LOST=2 FAKE_SHARE=51 valid 'a CPU that goes away' "${interval[@]}" -A -C 2
FAKE_IDLE=1 valid 'no slots' "${interval[@]}" -A
FAKE_LEVEL=1 FAKE_FLAGS=15 valid 'flags' "${interval[@]}"
FAKE_FEATURES=$((1 << 16 | 1023)) valid 'processes' "${interval[@]}" --by process
FAKE_FEATURES=$((1 << 16 | 1023)) valid 'names of processes' "${interval[@]}" --by comm
export FAKE_FEATURES=63
valid 'a command' -- true
valid 'runs' -r 2 -- true
valid 'one run' -r 1 -- true
valid 'the machine while a command runs' -a -- true
valid 'a process' -p $$ --timeout 20
FAKE_READ_ERRNO=13 FAKE_ASLEEP=1 valid 'a thread, and no right to CPUs' -t $$ --timeout 20
FAKE_HYBRID=1 valid 'a task on a hybrid machine' -p $$ --timeout 20

fake stat -j "${interval[@]}" > "$TMP/line"
line=$(< "$TMP/line")
invalid 'a number that is a word' "${line/\"level\":2/\"level\":\"2\"}"
invalid 'a word that is null' "${line/\"state\":\"ok\"/\"state\":null}"
invalid 'a key that is not described' "${line/\"level\"/\"levels\"}"
invalid 'a key that is missing' "${line/\"level\":2,/}"
invalid 'an empty line' ''

# recorded NAME ARG...: those of a report
recorded() { fits "$1" report td report -j "${@:2}" "$TMP/data"; }
td report --schema > "$TMP/report.json"
FAKE_TICK=50 fake record -q --timeout 200 -o "$TMP/data"
recorded 'a recording' -A
recorded 'its steps' --steps -A
recorded 'its windows' --windows
td report --owners --schema > "$TMP/report.json"
for kind in process cgroup; do
	FAKE_FEATURES=$((1 << 16 | 1023)) FAKE_TICK=50 fake record -q --by "$kind" -I 100 --timeout 200 \
		-o "$TMP/data"
	recorded "recorded owners by $kind" --owners
	recorded 'recorded owners in each step' --owners --steps
	cp "$TMP/report.json" "$TMP/rows.json"
	td report --owners --diff x --schema > "$TMP/report.json"
	recorded 'owners in two recordings' --owners --diff "$TMP/data"
	cp "$TMP/rows.json" "$TMP/report.json"
done
td report --schema > "$TMP/report.json"
FAKE_TICK=50 fake record -q --timeout 200 -o "$TMP/data"
td report --diff x --schema > "$TMP/schema.json"
td report -j --diff "$TMP/data" "$TMP/data" > "$TMP/lines"
result "$("$TMP/schema" "$TMP/schema.json" < "$TMP/lines"; echo $?)" 'two recordings fit'
FAKE_HYBRID=1 fake record -q -p $$ -I 20 --timeout 60 -o "$TMP/data"
recorded 'a recording of a task'
recorded 'its steps' --steps

# Each command has its own; all of its keys are in each of its lines.
for command in stat history watch latency; do
	result "$(grep -q "\"title\":\"a line of topdown $command -j\"" "$TMP/$command.json"; echo $?)" \
		"the schema of topdown $command says so"
done
export FAKE_TICK=0
others 'windows' history
others 'windows with level 1' history -l 1 -C 1
FAKE_LEVEL=1 others 'windows of a machine without level 2' history
export FAKE_EVENT=2
others 'events' watch --count 2 'retiring>12.5' 'memory_bound<1'
FAKE_EVENT_FLAGS=1 FAKE_EVENT=4294967295 others 'events of the sum that are back' watch --count 1 -s -b 'retiring>12.5'
FAKE_EVENT_NONE=1 others 'events of windows' watch --count 1
export FAKE_FEATURES=1023
others 'latencies, with and without samples' latency -I 100 --count 2
others 'latencies of CPUs' latency -A -I 100 --count 1
td report --latency --schema > "$TMP/schema.json"
fake record -q --latency all -I 100 --timeout 100 -o "$TMP/data"
td report --latency -j -A "$TMP/data" > "$TMP/lines"
td report --latency -j --steps "$TMP/data" >> "$TMP/lines"
result "$("$TMP/schema" "$TMP/schema.json" < "$TMP/lines" && [[ $(lines "$TMP/lines") -gt 9 ]]; echo $?)" 'recorded latencies fit'
for command in history watch latency; do
	cp "$TMP/$command.json" "$TMP/schema.json"
	args=()
	[[ $command != watch ]] || args=(--count 1 'retiring>3')
	[[ $command != latency ]] || args=(--count 1 -I 100)
	fake "$command" -j "${args[@]}" > "$TMP/line"
	line=$(head -n 1 "$TMP/line")
	while read -r key; do
		invalid "a line of $command without $key" \
			"$(sed -E "s/\"$key\":(\"[^\"]*\"|[^,}]*),?//; s/,}/}/" <<< "$line")"
	done < <(grep -oE '"[a-z_]+":' <<< "$line" | tr -d '":')
	invalid "a line of $command with a key that is not described" "${line/\"time\"/\"times\"}"
	invalid "a line of topdown stat for one of $command" "$(fake stat -j "${interval[@]}")"
done
finish
