#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest, a machine with timed PEBS: values every 100 ms of a latency that drifts from 100
# to 1000 cycles in 1.5 s, by "topdown latency" and by the ways of perf.  Prints a table.
set -euo pipefail

dir=$(cd "$(dirname "$0")" && pwd)
ko=${TOPDOWN_KO:-/topdown.ko}
rounds=${BENCH_ROUNDS:-3}
values=${BENCH_VALUES:-20}
# It happens three million times a second: see interval.c
event=0x42d0
name=MEM_INST_RETIRED.SPLIT_STORES
encoding=cpu/event=0xd0,umask=0x42
busy=1
out=/tmp/interval.out
idle=0

# row TITLE: of the second half of the values what each took, and how long ago the latency
# was as the value says, which is 50 ms for the mean of the last 100
row() {
	awk -v title="$1" -v idle="$idle" '
		function figure(key) {
			return match($0, "(^| )" key "=[0-9.]+") ?
				substr($0, RSTART, RLENGTH) : ""
		}
		function get(key, text) {
			text = figure(key)
			sub(".*=", "", text)
			return text + 0
		}
		/^time_ns=/ {
			at[++n] = get("at")
			spent[n] = get("instructions") - idle * at[n] / 1e8
			age = get("time_ns") / 1e6 - (get("value") - 100) / 900 * 1500
			value[n] = get("value")
			ages[n] = age - 1500 * int(age / 1500)
		}
		/^values=/ { processes = get("processes"); bytes = get("bytes") }
		END {
			if (n < 4) {
				print title ": " n + 0 " values, " processes " processes, " bytes " bytes"
				exit
			}
			half = int(n / 2)
			m = 0
			least = most = value[n]
			for (i = half + 1; i <= n; i++) {
				least = value[i] < least ? value[i] : least
				most = value[i] > most ? value[i] : most
				for (j = ++m; j > 1 && sorted[j - 1] > ages[i]; j--)
					sorted[j] = sorted[j - 1]
				sorted[j] = ages[i]
			}
			printf "%-24s first after %7.0f ms, %11.0f instructions; then %9.0f " \
				"in 100 ms, every %4.0f ms, %4.0f ms old, %.0f to %.0f cycles; %2d processes, %7d bytes, " \
				"%d values\n", title, at[1] / 1e6, spent[1],
				(spent[n] - spent[half]) / (at[n] - at[half]) * 1e8,
				(at[n] - at[half]) / (n - half) / 1e6, sorted[int((m + 1) / 2)],
				least, most, processes, bytes, n
		}' "$out"
}

# way TITLE PATTERN COMMAND...
way() {
	local title=$1 pattern=$2
	shift 2

	"$dir/interval" "$event" "$values" "$pattern" "$@" > "$out" 2> "$out.err" || {
		echo "$title failed"
		cat "$out.err"
		return
	}
	row "$title"
	grep -q '^time_ns=' "$out" || tail -n 12 "$out.err"
}

alone() {
	"$dir/interval" "$event" 2000 |
		sed -nE 's/^at=([0-9]+) instructions=([0-9]+)$/\1 \2/p' |
		awk '{ printf "%.0f", $2 * 1e8 / $1 }'
}

ours() {
	insmod "$ko"
	insmod "${ko%.ko}_latency.ko"
	idle=$(alone)
	way 'topdown latency -I 100' '"mean": ?([0-9.]+)' \
		topdown latency -C "$busy" -e "$name" -I 100 -j
	rmmod topdown_latency topdown
}

perfs() {
	idle=$(alone)
	way 'perf stat -I 100' '^ *[0-9.]+,([0-9.]+),' \
		chroot "$root" perf stat --record-tpebs -C "$busy" -x, -I 100 -e "$name:R" -o /dev/stdout
	way 'perf record | script' '^mean ([0-9.]+)' \
		chroot "$root" sh -c "perf record -q -W -C $busy --synth=no --no-buffering -F 358 \
			-e $encoding/pp -o - | stdbuf -oL perf script -i - -F time,retire_lat |
			awk -f /sum.awk"
	echo "the machine alone: $idle instructions in 100 ms"
}

tar -xf "$dir/perf.tar" -C /tmp
root=/tmp/perf
for fs in proc sys dev; do
	mount --bind "/$fs" "$root/$fs"
done
cat > "$root/sum.awk" << 'END'
{
	interval = int($1 * 10)
	if (interval != last && n) {
		print "mean", sum / n
		fflush()
		n = sum = 0
	}
	last = interval
	n++
	sum += $2
}
END
# perf reads no symbols then, which would take it most of a minute here.
echo 2 > /proc/sys/kernel/kptr_restrict
chroot "$root" perf --version
for ((round = 0; round < rounds; round++)); do
	ours
	perfs
done
