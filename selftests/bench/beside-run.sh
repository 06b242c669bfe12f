#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: one line for each case of beside.sh, with and without the module.
#
#   beside-run.sh RANGE CASE...
#
# CPU 1 runs the work and nothing else, CPU 0 all that looks on.
set -euo pipefail

dir=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C

readonly CPU=1
readonly GENERAL=cycles,instructions,branches,branch-misses
readonly GROUP='{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}'
readonly CGROUP=counted
readonly PROFILES=(compute stream branchy bigcode)

# --- the work, which perf counts from its begin to its end ---

# phases SECONDS RANGE PROFILE...: prints the truth of it, and its slots
phases() { "$dir/workload" -c "$CPU" -T -t "$1" -P "$2" "${@:3}"; }

# For four seconds phases of RANGE ms without end.  Then for each profile such phases, and a
# second and more of this profile alone.
work() {
	local profile

	touch /tmp/moves
	phases 4.2 "$1" "${PROFILES[@]}"
	for profile in "${PROFILES[@]}"; do
		phases 0.5 "$1" "${PROFILES[@]}"
		touch "/tmp/holds-$profile"
		phases 1.5 2000-2000 "$profile"
	done
}

if [[ $1 == --work ]]; then
	[[ -z ${3:-} ]] || echo $$ > "$3"
	work "$2" > /tmp/truth
	exit
fi

# --- who looks on ---

range=$1
shift

await() {
	while [[ ! -e $1 ]]; do
		sleep 0.02
	done
}

# Ours, of each second: while phases go on, and while one profile lasts.
look_on() {
	local profile

	: > /tmp/moving
	: > /tmp/held
	[[ $policy == with ]] || return 0
	await /tmp/moves
	sleep 0.7
	"$dir/measure" -n 3 -t 1000 > /tmp/moving
	for profile in "${PROFILES[@]}"; do
		await "/tmp/holds-$profile"
		sleep 0.3
		"$dir/measure" -n 1 -t 1000 >> /tmp/held
	done
}

# beside COMMAND...: it runs the work, and we look on
beside() {
	rm -f /tmp/moves /tmp/holds-* /tmp/truth
	"$@" > /tmp/output 2>> /tmp/errors &
	look_on
	wait $! || true
}

# worst FILE: "WORST SHARE" of our CPU, of all its lines: the least share in percent.  Without
# PERF_METRICS the emulator's events follow rates and not profiles, so there is no truth.
worst() {
	awk -v cpu="$CPU" -v known="$([[ $wanted == "$GROUP" ]] && echo 1)" '$2 == cpu {
			worst = $4 > worst ? $4 : worst
			least = !n++ || 100 * $10 < least ? 100 * $10 : least
		}
		END { print known && n ? sprintf("%.2f", worst) : "-", n ? sprintf("%.1f", least) : "-" }' "$1"
}

# The states of all lines, each once.
states() {
	cat /tmp/moving /tmp/held | awk -v cpu="$CPU" '
		BEGIN { split("offline unsupported contended error excluded aside", name) }
		$2 == cpu && !seen[$12]++ { out = out (n++ ? "," : "") ($12 ? name[$12] : "ok") }
		END { print n ? out : "-" }'
}

# rows FILE: "VALUE EVENT RUNNING PERCENT" of each line that is about our CPU or the work
rows() {
	sed -E "s/^ *[0-9]+\.[0-9]+,(CPU)/\1/; s/,$CGROUP,/,/" "$1" | awk -F, -v cpu="CPU$CPU" '
		/^CPU/ { if ($1 != cpu) next; sub(/^[^,]*,/, "") }
		$3 ~ /^(.*-clock|context-sw.*|cpu-mig.*|page-f.*|duration.*)$/ || NF < 5 { next }
		$3 != "" { print $1, $3, $4, $5 }'
}

# shares FILE: of each event of perf's the percent of the time in which it ran, a group once
shares() {
	rows "$1" | awk '
		!($2 in ran) { order[n++] = $2; ran[$2] = 0 }
		$4 > 0 { ran[$2] += $3; might[$2] += $3 * 100 / $4 }
		END {
			for (i = 0; i < n; i++) {
				event = order[i]
				if (event ~ /^(topdown|TOPDOWN)/ && grouped)
					continue
				grouped = grouped || event ~ /^(slots|topdown|TOPDOWN)/
				out = out (out ? "/" : "") (might[event] ? int(100 * ran[event] / might[event] + 0.5) : 0)
			}
			print out ? out : "-"
		}'
}

# perf_off FILE: "SUM WORST": level 1 of perf over its slots, and its worst node in points
perf_off() {
	rows "$1" | awk '
		NR == FNR { for (i = 1; i <= 4; i++) truth[i] += $i * $5; slots += $5; next }
		tolower($2) ~ /slots/ { seen += $1 }
		/topdown-retiring/ { node[1] += $1 }
		/topdown-bad-spec/ { node[2] += $1 }
		/topdown-fe-bound/ { node[3] += $1 }
		/topdown-be-bound/ { node[4] += $1 }
		END {
			sum = node[1] + node[2] + node[3] + node[4]
			if (!sum || !seen || !slots) {
				print "- -"
				exit
			}
			for (i = 1; i <= 4; i++) {
				off = 100 * node[i] / sum - truth[i] / slots
				off = off < 0 ? -off : off
				worst = off > worst ? off : worst
			}
			printf "%.3f %.2f\n", sum / seen, worst
		}' /tmp/truth -
}

# line CASE FILE [SAMPLES]
line() {
	echo "beside $kernel $TOPDOWN_MACHINE $range $1 $policy $(worst /tmp/moving)" \
		"$(worst /tmp/held) $(states) $(shares "$2") $(perf_off "$2") ${3:--}"
}

one_case() {
	local work=(bash "$dir/beside-run.sh" --work "$range") other file=/tmp/perf watchdog=0

	[[ $1 != watchdog* ]] || watchdog=1
	echo "$watchdog" > /proc/sys/kernel/nmi_watchdog
	rm -f /tmp/perf /tmp/data
	: > /tmp/perf
	case $1 in
	nobody | watchdog) beside "${work[@]}" ;;
	interval) beside perf stat -a -A -x, -I 100 -o "$file" -e "$wanted" -- "${work[@]}" ;;
	default | watchdog-default) beside perf stat -a -A -x, -o "$file" -- "${work[@]}" ;;
	topdown)
		[[ $wanted == "$GROUP" ]] || return 0
		beside perf stat -a -A -x, -o "$file" --topdown --no-metric-only -- "${work[@]}" ;;
	command) beside perf stat -x, -o "$file" -e "$events" -- "${work[@]}" ;;
	both)
		perf stat -a -A -x, -I 100 -o /tmp/other -e "$wanted" -- sleep 1000 &
		other=$!
		sleep 1
		beside perf stat -x, -o "$file" -e "$events" -- "${work[@]}"
		kill -INT "$other"
		wait "$other" || true ;;
	record)
		beside perf record -q -a -e cycles -c 5000000 -o /tmp/data -- "${work[@]}"
		line "$1" "$file" "$(perf script -i /tmp/data -C "$CPU" -F event 2>> /tmp/errors | wc -l)"
		return ;;
	cgroup)
		beside perf stat -a -C "$CPU" -x, -o "$file" -e "$events" -G "$CGROUP" -- \
			"${work[@]}" "/tmp/cgroup/$CGROUP/cgroup.procs" ;;
	*) echo "there is no case $1" >&2; exit 2 ;;
	esac
	line "$1" "$file"
}

# With all that it starts.
taskset -p 1 $$ > /dev/null
kernel=$(uname -r | grep -oE '^[0-9]+(\.[0-9]+)?')
mkdir -p /tmp/cgroup
mount -t cgroup -o perf_event none /tmp/cgroup
mkdir "/tmp/cgroup/$CGROUP"
wanted=$GENERAL
perf stat -e "$GROUP" true > /dev/null 2>&1 && wanted=$GROUP
events=$GENERAL
[[ $wanted != "$GROUP" ]] || events=$GENERAL,$GROUP
for name; do
	for policy in without with; do
		[[ $policy$name != without@(nobody|watchdog) ]] || continue
		if [[ $policy == with ]]; then
			insmod /topdown.ko
			# Nothing is left of who was there before.
			sleep 1
		fi
		one_case "$name"
		[[ $policy != with ]] || rmmod topdown
	done
done
