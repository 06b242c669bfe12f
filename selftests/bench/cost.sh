#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: what a sample, the set-up, and the module itself cost.  Prints
# lines of "NAME CPUS KEY=VALUE...", which run.sh makes a table of.
set -euo pipefail

dir=$(cd "$(dirname "$0")" && pwd)
cpus=$(nproc)
ko=${TOPDOWN_KO:-/topdown.ko}
# Samples of a way: more where they cost less
samples_cheap=1000
samples_dear=100
intervals=20
interval_ms=100
# An idle machine, which is subtracted, varies by a tenth
stat_samples=${BENCH_STAT_SAMPLES:-300}
# The same while so many others are busy, whose timer interrupts are subtracted
load_cpus=4
load_samples=${BENCH_LOAD_SAMPLES:-100}
declare -A extra=([none]=0 [many]=$stat_samples)
# So many windows on all CPUs together that one more or less does not matter
standing_ms=${BENCH_STANDING_MS:-$((cpus > 16 ? 400 : 2000))}
idle_ms=${BENCH_IDLE_MS:-20000}

# The group that "perf stat --topdown" opens with level 2
l2='{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound'
l2+=',topdown-heavy-ops,topdown-br-mispredict,topdown-fetch-lat,topdown-mem-bound}'
perf_stat=(perf stat -a "-x," -I "$interval_ms" -e "$l2")

counted() { "$dir/counted" "$@"; }
agent=$dir/agent

say() {
	local name=$1
	shift
	echo "$name $cpus $*"
}

load() { insmod "$ko" "$@"; }
unload() { rmmod topdown; }

# way NAME SAMPLES: an agent with so many samples, and with none
way() {
	local name=$1 way=$1 samples=$2

	say "$name.none" "samples=0 $(counted "$agent" "$way" 0)"
	say "$name.many" "samples=$samples $(counted "$agent" "$way" "$samples")"
	say "$name.none" "traced=0 $(counted -s "$agent" "$way" 0)"
	say "$name.many" "traced=10 $(counted -s "$agent" "$way" 10)"
}

agents() {
	way none "$samples_cheap"
	load
	way map "$samples_cheap"
	way read "$samples_dear"
	way fresh "$samples_dear"
	say map-paced.none "samples=0 $(counted "$agent" map 1 "$interval_ms")"
	say map-paced.many \
		"samples=$intervals $(counted "$agent" map $((intervals + 1)) "$interval_ms")"
	unload
	way group "$samples_dear"
	say background "samples=0 $(counted -w $((intervals * interval_ms)))"
	perf_samples none 2
	perf_samples many $((intervals + 2))
	# To count the calls fewer will do
	say perf.none "traced=0 $(counted -s "${perf_stat[@]}" -o /tmp/perf.out --interval-count 2)"
	say perf.many "traced=10 $(counted -s "${perf_stat[@]}" -o /tmp/perf.out --interval-count 12)"
}

# printing NAME LEAST COMMAND...: with so many samples more than LEAST, and with none more;
# the word N of the command is their number
printing() {
	local name=$1 least=$2 which n
	shift 2

	for which in none many; do
		n=$((least + extra[$which]))
		say "stat.$name.$which" "samples=$stat_samples $(counted "${@/#N/$n}")"
	done
	# An idle machine does not do the same at all times
	say stat.idle "samples=0 $(counted -w $((stat_samples * interval_ms)))"
}

# Programs that print all CPUs every 100 ms, and sleep in between
stats() {
	local stat=(topdown stat -a -x "," -I "$interval_ms" -o /tmp/stat.out)

	# A machine that has just started is not idle yet
	sleep 15
	printing perf 2 "${perf_stat[@]}" -o /tmp/perf.out --interval-count N
	load
	printing windows 2 "${stat[@]}" --windows --count N
	printing fresh 2 "${stat[@]}" --fresh --count N
	printing map 1 "$agent" map N "$interval_ms"
	unload
	printing sleep 1 "$agent" none N "$interval_ms"
}

# loaded NAME LEAST COMMAND...: as printing, and some CPUs are busy
loaded() {
	local name=$1 least=$2 which n
	shift 2

	for which in none many; do
		n=$least
		[[ $which == none ]] || n=$((least + load_samples))
		say "load.$name.$which" \
			"samples=$load_samples $("$dir/standing" -b "$load_cpus" "${@/#N/$n}" | tail -n 1)"
	done
}

# The programs of stats() on a machine that has work
load_stats() {
	local stat=(topdown stat -a -x "," -I "$interval_ms" -o /tmp/stat.out)

	sleep 15
	loaded perf 2 "${perf_stat[@]}" -o /tmp/perf.out --interval-count N
	say load.bare "samples=0 $("$dir/standing" -b "$load_cpus" $((load_samples * interval_ms)))"
	load
	loaded fresh 2 "${stat[@]}" --fresh --count N
	loaded windows 2 "${stat[@]}" --windows --count N
	say load.module "samples=0 $("$dir/standing" -b "$load_cpus" $((load_samples * interval_ms)))"
	unload
}

perf_samples() {
	say "perf.$1" "samples=$(($2 - 2))" \
		"$(counted "${perf_stat[@]}" -o /tmp/perf.out --interval-count "$2")"
}

# Each then sleeps, so that its descriptors can be seen
setup() {
	say setup.program "$(counted -1 "$agent" none 2 60000)"
	load
	local way
	for way in map read fresh; do
		say "setup.$way" "$(counted -1 "$agent" "$way" 2 60000)"
	done
	unload
	say setup.group "$(counted -1 "$agent" group 2 60000)"
	say setup.perf-program "$(counted -1 perf --version)"
	say setup.perf "$(counted -1 "${perf_stat[@]}" --log-fd 1)"
}

standing() {
	local round period

	# The first round warms up; the table leaves it out
	for round in 0 1 2 3 4; do
		say standing.without "round=$round $("$dir/standing" "$standing_ms")"
		for period in 10 40; do
			load period_ms=$period
			say "standing.$period" "round=$round $("$dir/standing" "$standing_ms")"
			unload
		done
	done
}

# Samples while all other CPUs are busy.
busy() {
	load
	say busy.fresh.none "samples=0 $("$dir/standing" "$agent" fresh 0 | tail -n 1)"
	say busy.fresh.many "samples=100 $("$dir/standing" "$agent" fresh 100 | tail -n 1)"
	unload
	say busy.group.none "samples=0 $("$dir/standing" "$agent" group 0)"
	say busy.group.many "samples=100 $("$dir/standing" "$agent" group 100 | tail -n 1)"
}

# An idle machine for so long, by turns with the module and without it.
idle() {
	local round

	for round in 1 2 3; do
		say idle.without "round=$round $(counted -w "$idle_ms")"
		load period_ms=10
		# Making the groups is not idling
		sleep 3
		say idle.with "round=$round $(counted -w "$idle_ms")"
		unload
		sleep 3
	done
}

# together COUNT COMMAND...: so many at once; what they say to files
together() {
	local count=$1 i
	shift

	for ((i = 0; i < count; i++)); do
		"$@" > "/tmp/together.$i" 2>&1 &
	done
	wait
}

# Running shares in percent that perf printed, but for the first interval's.
perf_shares() {
	awk -F, '$4 == "slots" {
		seen[FILENAME]++
		if (seen[FILENAME] < 2)
			next
		share = $6 / 100
		sum += share
		n++
		if (least == "" || share < least)
			least = share
	} END { printf "share_least=%.4f share_mean=%.4f", least, n ? sum / n : 0 }' /tmp/together.*
}

many() {
	local count

	export -f together
	export interval_ms intervals agent l2
	for count in 1 8; do
		rm -f /tmp/together.*
		load period_ms=$interval_ms
		say "many.ours.$count" "$("$dir/standing" bash -c \
			"together $count $agent map $intervals $interval_ms")" \
			"share_least=$(sed -n 's/^share=//p' /tmp/together.* | sort -n | head -n 1)" \
			"agents=$(grep -c ^share= /tmp/together.* | awk -F: '{ n += $NF } END { print n }')"
		unload
	done
	for count in 1 8; do
		rm -f /tmp/together.*
		say "many.perf.$count" "$("$dir/standing" bash -c \
			"together $count perf stat -a -x, -I $interval_ms -e '$l2' --interval-count $intervals")" \
			"$(perf_shares) agents=$(grep -l slots /tmp/together.* | wc -l)"
	done
}

for part; do
	"$part"
done
