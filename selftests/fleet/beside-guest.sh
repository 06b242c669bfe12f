#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The part of beside.sh that runs in the emulated machine: what a scrape costs the whole machine,
# one server after the other.  Prints lines of "WHAT CPUS SERVER KEY=VALUE...", of which beside.awk
# makes a table.
#   beside-guest.sh SCRAPES ROUNDS    so many for a figure, and so often
set -euo pipefail
# A server that fails while it is counted gives no figure.
shopt -s inherit_errexit

scrapes=$1
rounds=$2
port=7000
idle_ms=10000
cpus=$(nproc)
# All that a scrape of node_exporter gives is the collector's.
node=(/beside/node-exporter --collector.disable-defaults --web.disable-exporter-metrics
	--web.listen-address="127.0.0.1:$port")
two=(--collector.perf --collector.perf.disable-software-profilers
	--collector.perf.disable-cache-profilers --collector.perf.hardware-profilers=CpuCycles
	--collector.perf.hardware-profilers=CpuInstr)
export_slots=(topdown export --listen --port "$port")
server=

# A process that still writes to the console would keep the machine up.
trap '[[ -z $server ]] || kill "$server"' EXIT

die() {
	echo "$*" >&2
	exit 1
}

say() {
	local what=$1 name=$2
	shift 2
	echo "$what $cpus $name $*"
}

listens() { (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; }

serve() {
	"$@" > /tmp/server.log 2>&1 &
	server=$!
	until listens; do
		kill -0 "$server" || die "$(< /tmp/server.log)"
		sleep 0.1
	done
}

unserve() {
	kill "$server"
	wait "$server" || true
	server=
}

# scrape N [COUNTER]: as Prometheus does, over one connection and compressed, ten a second
scrape() {
	local n

	for ((n = 0; n < $1; n++)); do
		printf 'url = http://127.0.0.1:%s/metrics\noutput = /dev/null\n' "$port"
	done > /tmp/urls
	# The words are the shell's that is counted.
	# shellcheck disable=SC2016
	"${@:2}" bash -c 'exec curl -s -K /tmp/urls --rate 10/s -H "Accept-Encoding: gzip" \
		-w "%{http_code} %{size_download} %{num_connects}\n" > /tmp/answers'
	awk -v n="$1" '{ ok += $1 == 200; connections += $3 }
		END { exit !(NR == n && ok == n && connections == 1) }' /tmp/answers ||
		die "not $1 answers 200 over one connection: $(sort /tmp/answers | uniq -c)"
}

# every_cpu NAME: the answer has such a series above 0 of each CPU
every_cpu() {
	local cpu

	for ((cpu = 0; cpu < cpus; cpu++)); do
		grep -qE "^$1\{([^}]*,)?cpu=\"$cpu\"[^}]*\} [0-9.e+]*[1-9]" /tmp/body ||
			die "no $1 of CPU $cpu"
	done
}

# series NAME [SERIES]...: what it gives; each of these has to be there, and cpu:SERIES of each CPU
series() {
	local name=$1 status one

	status=$(curl -s -w '%{http_code}' -o /tmp/body "http://127.0.0.1:$port/metrics")
	[[ $status == 200 ]] || die "$name: status $status"
	for one in "${@:2}"; do
		[[ $one != cpu:* ]] || { every_cpu "${one#cpu:}"; continue; }
		grep -qE "^$one" /tmp/body || die "$name: no $one"
	done
	# This warms up what is counted later.
	scrape "$scrapes"
	say answer "$name" "series=$(grep -vc '^#' /tmp/body || true) bytes=$(wc -c < /tmp/body)" \
		"gzip=$(awk '{ sum += $2 } END { printf "%d", sum / NR }' /tmp/answers)"
}

# module: the seconds that its groups were to have the counters, and had them
module() {
	topdown export > /tmp/module
	awk '/^topdown_enabled_seconds_total/ { enabled += $2 }
		/^topdown_running_seconds_total/ { running += $2 }
		END { print enabled, running }' /tmp/module
}

# count NAME OF ROUND SCRAPES COMMAND...: what it prints is counted
count() {
	local words

	words=$("${@:5}")
	say count "$1" "of=$2 round=$3 scrapes=$4 $words"
}

idle() { count "$1" idle "$2" 0 /beside/counted -w "$idle_ms"; }

# costs NAME: the machine without scrapes is counted around them, as no two are the same
costs() {
	local name=$1 round before after

	before=$(module)
	for ((round = 0; round < rounds; round++)); do
		idle "$name" "$round"
		count "$name" one "$round" 1 scrape 1 /beside/counted
		count "$name" many "$round" $((scrapes + 1)) scrape $((scrapes + 1)) /beside/counted
	done
	idle "$name" "$rounds"
	after=$(module)
	awk -v cpus="$cpus" -v name="$name" -v before="$before" -v after="$after" '
		BEGIN { split(before, a); split(after, b); printf "module %d %s share=%.4f", cpus, name,
			(b[2] - a[2]) / (b[1] - a[1]) }
		/^topdown_cpus/ && $2 { split($1, part, "\""); printf " %s=%d", part[2], $2 }
		END { print "" }' /tmp/module
}

# beside NAME [SERIES]... -- COMMAND [ARG]...
beside() {
	local wanted=()

	while [[ $1 != -- ]]; do
		wanted+=("$1")
		shift
	done
	serve "${@:2}"
	sleep 3
	series "${wanted[@]}"
	costs "${wanted[0]}"
	unserve
	sleep 1
}

insmod /topdown.ko
# Its statistics are most of what an idle machine does, in bursts.
echo 600 > /proc/sys/vm/stat_interval
# A machine that has just started is not idle yet.
sleep 15
for round in 0 1 2; do
	idle nobody "$round"
done
beside empty -- /beside/empty "$port"
beside topdown 'topdown_up 1' topdown_slots_total -- "${export_slots[@]}"
beside topdown-each 'topdown_up 1' cpu:topdown_slots_total -- "${export_slots[@]}" --per-cpu
beside node node_exporter_build_info -- "${node[@]}"
beside node-two cpu:node_perf_cpucycles_total cpu:node_perf_instructions_total \
	-- "${node[@]}" "${two[@]}"
# With these counters no machine is idle, and each second is like another.
idle_ms=2000
beside node-all cpu:node_perf_cpucycles_total cpu:node_perf_instructions_total \
	cpu:node_perf_context_switches_total -- "${node[@]}" --collector.perf
rmmod topdown
serve "${node[@]}" --collector.perf
sleep 3
idle node-alone 0
