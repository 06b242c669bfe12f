#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The part of fleet.sh that runs in an emulated Granite Rapids: topdown export and topdown top
# sample latencies of known distributions (selftests/pmu/latencies) on CPU 1.  KTAP.
set -euo pipefail

constant=MEM_INST_RETIRED.SPLIT_LOADS
bimodal=MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM
number=0
failures=0
jobs=()

# Whatever still writes to the console keeps the machine up.
trap 'kill "${jobs[@]}" 2> /dev/null || true' EXIT

result() {
	number=$((number + 1))
	if (($1)); then
		failures=$((failures + 1))
		echo "not ok $number $2"
	else
		echo "ok $number $2"
	fi
}

# holds EXPRESSION: of numbers, also fractions
holds() { awk "BEGIN { exit !($1) }"; }

listens() { (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }

# serve PORT ARG...
serve() {
	topdown export --listen --port "$1" "${@:2}" &
	jobs+=($!)
	until listens "$1"; do sleep 0.1; done
}

# scrape NAME PORT: to /tmp/NAME
scrape() { curl -sf "http://127.0.0.1:$2/metrics" > "/tmp/$1"; }

# of NAME SERIES: its value; a series has no blanks
of() { awk -v series="topdown_retire_latency_$2" '$1 == series { print $2; n++ } END { exit n != 1 }' "/tmp/$1"; }

# grown SERIES: from one scrape to the other
grown() { awk -v a="$(of before "$1")" -v b="$(of after "$1")" 'BEGIN { printf "%.6f\n", b - a }'; }

# never_falls ONE OTHER: every counter of both, and some are there
never_falls() {
	awk '/^topdown_retire_latency_[a-z_]*(_total|_bucket|_sum|_count)\{/ {
		if (NR == FNR) { was[$1] = $2; next }
		both += $1 in was
		if ($1 in was && $2 < was[$1]) { print "# " $1 " fell from " was[$1] " to " $2; bad = 1 }
	} END { exit bad || both < 50 }' "/tmp/$1" "/tmp/$2"
}

insmod /topdown.ko
insmod /topdown_latency.ko
/fleet/workload -c 1 -t 1000 -r 41d0=1000 -r 1d3=1000 compute &
jobs+=($!)
serve 7000 --latency "$constant,$bimodal"
serve 7001 --latency "$constant,$bimodal" -A
sleep 1
scrape before 7000
scrape each-before 7001
topdown latency -C 1 -e "$constant,$bimodal" --timeout 3s -j > /tmp/beside
scrape after 7000
scrape each 7001
sed 's/^/# /' /tmp/beside

count=$(grown "cycles_count{event=\"$constant\"}")
sum=$(grown "cycles_sum{event=\"$constant\"}")
echo "# constant: $count events of $(grown "samples_total{event=\"$constant\"}") samples, sum $sum"
result "$(holds "$count > 10000 && $sum == 7 * $count"; echo $?)" 'the constant latency is exact'
result "$(holds "$(grown "cycles_bucket{event=\"$constant\",le=\"7.0\"}") == $count &&
	$(grown "cycles_bucket{event=\"$constant\",le=\"5.0\"}") == 0"; echo $?)" 'its bucket has its bound'
count=$(grown "cycles_count{event=\"$bimodal\"}")
sum=$(grown "cycles_sum{event=\"$bimodal\"}")
mean=$(awk -v sum="$sum" -v n="$count" 'BEGIN { print sum / n }')
low=$(grown "cycles_bucket{event=\"$bimodal\",le=\"127.0\"}")
beside=$(sed -nE "s/.*\"event\":\"$bimodal\".*\"mean\":([0-9.]+).*/\1/p" /tmp/beside)
echo "# bimodal: $count events, mean $mean, topdown latency $beside, $low up to 127 cycles"
# Five times the error that a mean of 1000 samples has.
result "$(holds "$mean > 170 && $mean < 210 && $beside > 170 && $beside < 210"; echo $?)" \
	'the mean is near the truth of 190, as that of topdown latency'
result "$(holds "$low / $count > 0.63 && $low / $count < 0.77 &&
	$sum == 100 * $low + 400 * ($count - $low) &&
	$(grown "cycles_bucket{event=\"$bimodal\",le=\"383.0\"}") == $low &&
	$(grown "cycles_bucket{event=\"$bimodal\",le=\"511.0\"}") == $count &&
	$(grown "cycles_bucket{event=\"$bimodal\",le=\"95.0\"}") == 0"; echo $?)" 'the histogram has both kinds'
running=$(grown "running_seconds_total{event=\"$bimodal\"}")
elapsed=$(grown "elapsed_seconds_total{event=\"$bimodal\"}")
echo "# bimodal: $running s of $elapsed s"
result "$(holds "$elapsed > 6 && $running > 0.45 * $elapsed && $running < 0.55 * $elapsed"; echo $?)" \
	'two events have turns'
result "$(never_falls before after >&2 && never_falls each-before each >&2; echo $?)" 'no counter falls' 2>&1
result "$(holds "$(of each "cycles_count{cpu=\"1\",event=\"$constant\"}") > 0"; echo $?)" 'each CPU'

# A perf user with precise samples of a fixed period has PEBS for itself.  perf is slow to begin.
perf record -B -N -e cpu/event=0xd0,umask=0x41/pp -c 10007 -p "${jobs[0]}" -o /tmp/perf.data -- sleep 90 \
	> /tmp/perf.log 2>&1 &
perf=$!
start=$(date +%s)
aside=1
for _ in {1..60}; do
	sleep 1
	scrape aside 7000
	[[ $(of aside 'cpus{state="aside"}') != 1 ]] || { aside=0; break; }
done
echo "# after $(($(date +%s) - start)) s"
kill -INT "$perf"
wait "$perf" || true
result "$aside" 'a perf user of PEBS comes first'

# A CPU goes, and comes back.
scrape before 7000
scrape each-before 7001
echo 0 > /sys/devices/system/cpu/cpu1/online
scrape gone 7000
scrape each 7001
result "$(never_falls before gone >&2; echo $?)" 'the sum of a CPU that goes stays' 2>&1
result "$([[ $(of gone 'cpus{state="offline"}') == 1 ]] && ! grep -q 'retire.*cpu="1"' /tmp/each; echo $?)" \
	'it has no series of its own'
echo 1 > /sys/devices/system/cpu/cpu1/online
/fleet/workload -c 1 -t 1000 -r 41d0=1000 -r 1d3=1000 compute &
jobs+=($!)
more() {
	scrape after 7001
	never_falls each-before after || return 1
	holds "$(of after "samples_total{cpu=\"1\",event=\"$constant\"}") > \
		$(of each-before "samples_total{cpu=\"1\",event=\"$constant\"}")"
}
back=1
for _ in {1..20}; do
	sleep 1
	! more >&2 || { back=0; break; }
done 2>&1
result "$back" 'it comes back and goes on'

# The screen, at its last refresh.
TERM=linux timeout 30 script -qec "stty rows 24 cols 80; topdown top -n 4 -d 1s --latency all" /tmp/screen \
	> /dev/null < /dev/null || true
result "$(grep -q "SPLIT_LOADS" /tmp/screen && grep -qE '[^0-9.]7\.0' /tmp/screen; echo $?)" 'topdown top has the constant latency'
status=0
rmmod topdown_latency 2> /dev/null || status=$?
result "$((status == 0))" 'the module stays while there are sessions'
kill "${jobs[@]}"
wait || true
jobs=()
result "$(rmmod topdown_latency && rmmod topdown; echo $?)" 'the modules go after the last session'
result "$(! dmesg | grep -E 'WARNING|BUG:|Oops|unchecked MSR'; echo $?)" 'the kernel log is quiet'
echo "1..$number"
((failures == 0))
