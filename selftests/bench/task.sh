#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: figures of tasks.  Prints lines as cost.sh does.
#
#   task.sh switch...   what a switch costs
#   task.sh truth...    how true a task is that is read only at its end
#   task.sh users...    one and eight perf users at once
set -euo pipefail

dir=$(cd "$(dirname "$0")" && pwd)
cpus=$(nproc)
ko=${TOPDOWN_KO:-/topdown.ko}
seconds=${BENCH_SECONDS:-60}
seed=${BENCH_SEED:-1}
rounds=${BENCH_ROUNDS:-4000}
users_s=${BENCH_USERS_S:-20}
# Turns of some 10 us, so that PERF_METRICS is reset at one switch of 25
loops=300

nodes="retiring bad_speculation frontend_bound backend_bound heavy_operations light_operations"
nodes+=" branch_mispredicts machine_clears fetch_latency fetch_bandwidth memory_bound core_bound"
# The group that "perf stat --topdown --td-level 2" opens
l2='{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound'
l2+=',topdown-heavy-ops,topdown-br-mispredict,topdown-fetch-lat,topdown-mem-bound}'

say() {
	local name=$1
	shift
	echo "$name $cpus $*"
}

switch() {
	local way

	for way in none perf-child perf-both perf-1 perf-5; do
		say "switch.perf.$way" "$("$dir/switch" "$way" "$rounds" "$loops")"
	done
	# No window ends meanwhile
	insmod "$ko" period_ms=60000
	for way in none child both together door-1 door-5 door-13; do
		say "switch.ours.$way" "$("$dir/switch" "$way" "$rounds" "$loops")"
	done
	# As short as they can be, for what is small; perf stays hooked in some seconds after
	# the last session
	for way in none unfollowed none; do
		[[ $way != none ]] || sleep 8
		say "switch.short.$way" "$("$dir/switch" "$way" $((rounds * 10)) 0)"
	done
	rmmod topdown
	say switch.short.without "$("$dir/switch" none $((rounds * 10)) 0)"
}

# ours FILE: slots and nodes of a line of topdown stat -j
ours() {
	local node
	sed -nE 's/.*"slots":([0-9]+).*/\1/p' "$1"
	for node in $nodes; do
		sed -nE "s/.*\"tma_$node\":([0-9.]+).*/\1/p" "$1"
	done
}

# counts FILE: the same of perf's counts, as perf's own formulas have it
counts() {
	awk -F, '$3 != "" || $1 + 0 > 0 { value[n++] = $1 }
		END {
			sum = value[1] + value[2] + value[3] + value[4]
			print value[0]
			for (i = 1; i <= 4; i++)
				print value[i] / sum
			for (i = 1; i <= 4; i++) {
				rest = (value[i] - value[4 + i]) / sum
				print value[4 + i] / sum
				print (rest > 0 ? rest : 0)
			}
		}' <(grep -E 'slots|topdown-' "$1")
}

# task NAME FIGURE...
compared() {
	local name=$1
	shift
	say "task.$name" "seconds=$seconds $("$dir/task" compare /tmp/truth "$@")"
}

truth() {
	local quant
	# shellcheck disable=SC2046 # one word a figure
	for quant in truncate round rest; do
		"$dir/task" quant "$quant"
		insmod "$ko"
		topdown stat -j -o /tmp/ours -- "$dir/task" work "$seconds" "$seed" /tmp/truth
		compared "ours.$quant" $(ours /tmp/ours)
		rmmod topdown
		perf stat -x, -o /tmp/perf -e "$l2" -- \
			"$dir/task" work "$seconds" "$seed" /tmp/truth
		compared "perf.$quant" $(counts /tmp/perf)
		"$dir/task" rdpmc "$seconds" "$seed" /tmp/truth > /tmp/rdpmc
		compared "rdpmc.$quant" $(cat /tmp/rdpmc)
	done
}

# The same of the PMU topdown: slots and 12 nodes
door='{topdown/slots/'
for node in $nodes; do
	door+=,topdown/tma_$node/
done
door+='}'

# together COUNT EVENTS: so many perf stat of all CPUs at once; what they say to files
together() {
	local i

	for ((i = 0; i < $1; i++)); do
		perf stat -a -x, -o "/tmp/together.$i" -e "$2" -- sleep "$users_s" &
	done
	wait
}

# shares: what part of the time the events of these users ran
shares() {
	awk -F, '$3 ~ /^(topdown.)?slots/ {
		share = $5 / 100
		n++
		if (least == "" || share < least)
			least = share
		if (share > most)
			most = share
	} END { printf "users=%d share_least=%.4f share_most=%.4f", n, least, most }' \
		/tmp/together.*
}

# Users of perf's own events have all counters, because the module is not loaded then.
users() {
	local count

	export -f together
	export door l2 users_s
	for count in 1 8; do
		insmod "$ko" period_ms=100
		rm -f /tmp/together.*
		say "users.door.$count" "$("$dir/standing" bash -c "together $count '$door'")" \
			"$(shares)"
		rmmod topdown
	done
	for count in 1 8; do
		rm -f /tmp/together.*
		say "users.perf.$count" "$("$dir/standing" bash -c "together $count '$l2'")" \
			"$(shares)"
	done
}

# The kernel still does things of its own after the boot
sleep 5
for part; do
	"$part"
done
