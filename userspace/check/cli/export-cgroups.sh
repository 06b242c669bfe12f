#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown export --cgroups: which cgroups have series, that their sums never fall, and labels.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"
# shellcheck source=userspace/check/cli/daemon.sh
. "$(dirname "$0")/daemon.sh"

export FAKE_FEATURES=$((1 << 16 | 1023)) FAKE_TICK=0 FAKE_CGROUPS=$TMP/cgroups
# Owners are read once a second, for which nobody waits here.
export FAKE_LATER=$TMP/later
# A step of the stand-in is so many slots of a cgroup, and of idle tasks.
unit=2400000000
idle_unit=300000000
id=3f4a0c91d5b2e87f6a1049c8bb7e55d20c9f8e7d6b5a493827160f5e4d3c2b1a
uid=0b6e2a3c-91d4-4f7a-8c25-5e1f0a9b7d43

# list LINE...: from now on these are there: ID PARENT LEVEL STEPS NAME
list() {
	printf '%s\n' "$@" > "$TMP/next"
	mv "$TMP/next" "$FAKE_CGROUPS"
}

# scrape [HEADER]...: a new reading; what it has of cgroups is in $TMP/out
scrape() {
	printf s >> "$FAKE_LATER"
	ask 'GET /metrics' "$@"
	grep 'topdown_cgroup' "$TMP/body" > "$TMP/out" || true
}

# steps [LABELS]: the slots of each cgroup, in steps, "/a=3 /b=2" in the order of paths
steps() {
	sed -nE 's/^topdown_cgroup_slots_total\{id="([^"]*)".*\} ([0-9]+)$/\1 \2/p' "$TMP/out" | sort |
		while read -r path slots; do echo "$path=$((slots / unit))"; done | paste -sd' '
}

# states: how many cgroups are shown, have ended, and are left out
states() { sed -nE 's/^topdown_cgroups\{state=.*\} ([0-9]+)$/\1/p' "$TMP/out" | paste -sd' '; }

status=0
list "1 0 0 1 " "10 1 1 0 kubepods.slice" "11 10 2 0 kubepods-burstable.slice" \
	"12 11 3 1 kubepods-burstable-pod${uid//-/_}.slice" "13 12 4 5 cri-containerd-$id.scope" \
	"20 1 1 2 system.slice" "21 20 2 7 docker-${id//3/4}.scope" "22 20 2 0 idle.service"
serve --cgroups
scrape
same_text export-cgroups.txt
grep -v topdown_cgroup "$TMP/body" | settled > "$TMP/rest"
result "$(cmp -s "$TMP/rest" "$golden/export.txt"; echo $?)" 'the rest is as without cgroups'
scrape "$prometheus"
same_text export-cgroups-openmetrics.txt
# The cgroup of the whole has all slots but those of idle tasks and of others.
is 'the root has its slots' 16 "$(steps | grep -oE '^/=[0-9]+' | cut -d= -f2)"
if command -v promtool > /dev/null; then
	ask 'GET /metrics'
	promtool check metrics < "$TMP/body" > "$TMP/lint" 2>&1 || true
	sed 's/^/# /' "$TMP/lint"
	result "$([[ ! -s $TMP/lint ]]; echo $?)" 'promtool has nothing to say of cgroups'
else
	skip 'promtool has nothing to say of cgroups' 'promtool is not installed'
fi
# One reading of owners for all that ask within a second, and one for the next.
idle() { sed -n 's/^topdown_cgroups_outside_slots_total{owner="idle"} //p' "$TMP/out"; }
scrape
before=$(idle) begun=${EPOCHREALTIME/./}
scrape
is 'a scrape reads owners once' "$idle_unit" "$(($(idle) - before))"
before=$(idle)
for _ in {1..8}; do
	ask 'GET /metrics'
	cp "$TMP/body" "$TMP/out"
done
readings=$((($(idle) - before) / idle_unit)) seconds=$(((${EPOCHREALTIME/./} - begun) / 1000000))
result "$((readings > seconds))" "eight more read them once a second at most ($readings in $seconds s)"
stop TERM
result "$status" 'it is a good end'
is 'nothing was said but where it listens' 1 "$(lines "$TMP/daemon.err")"

serve --cgroups=1
scrape
is 'a depth: deeper ones count at their ancestor' '/=16 /kubepods.slice=6 /system.slice=9' "$(steps)"
stop TERM

# Three have places: the root, and those with the most slots.  A branch of two loses none.
list "1 0 0 1 " "10 1 1 1 a" "11 10 2 9 a1" "20 1 1 5 b" "30 1 1 0 idle"
serve --cgroups --max-cgroups 3
scrape
is 'those with the most slots have places, with their parents' '/=16 /a=10 /a/a1=9' "$(steps)"
is 'one is left out, and what never ran is none' '3 0 1' "$(states)"
list "1 0 0 1 " "10 1 1 1 a" "11 10 2 9 a1" "20 1 1 500 b" "30 1 1 0 idle"
scrape
is 'series stay, and what is left out counts in its parent' '/=511 /a=10 /a/a1=9' "$(steps)"
list "1 0 0 1 " "10 1 1 10 a" "20 1 1 500 b" "30 1 1 3 idle"
scrape
is 'the place of one that ended is taken' '/=514 /a=10 /a/a1=9 /b=0' "$(steps)"
is 'the one that ended keeps its series' '3 1 1' "$(states)"
list "1 0 0 1 " "10 1 1 10 a" "20 1 1 506 b" "30 1 1 3 idle"
scrape
is 'a cgroup that takes a place counts from then on' '/=520 /a=10 /a/a1=9 /b=6' "$(steps)"
stop TERM

# A user who was first has made more cgroups than have places, and all of them run.
# crowd STEPS MORE...: so many slots of each, and these lines
crowd() {
	local n lines=("1 0 0 1 " "10 1 1 0 user.slice" "11 10 2 0 user-1000.slice")
	for n in {100..139}; do lines+=("$n 11 3 $1 run-$n.scope"); done
	list "${lines[@]}" "${@:2}"
}
# slots_of PATH: in steps, of the last scrape
slots_of() { steps | grep -oE "(^| )$1=[0-9]+" | cut -d= -f2; }
# places PREFIX: how many below it have series
places() { grep -c "^topdown_cgroup_slots_total{id=\"$1/" "$TMP/out" || true; }
crowd 1000
serve --cgroups --max-cgroups 20
scrape
is 'a crowd has all places' '20 0 23' "$(states)"
root=$(slots_of /) slice=$(slots_of /user.slice/user-1000.slice)
container=docker-${id//3/4}.scope
crowd 1500 "20 1 1 0 system.slice" "21 20 2 3 $container"
scrape
is 'one that has just come takes no place' '20 0 25  ' \
	"$(states) $(slots_of /system.slice) $(slots_of "/system.slice/$container")"
scrape
is 'a container that comes later has series, with its parent' "0 0" \
	"$(slots_of /system.slice) $(slots_of "/system.slice/$container")"
is 'no more have places' '20 0 25' "$(states)"
is 'what lost its place counts in its parent' "$((root + 40 * 500 + 3)) $((slice + 40 * 500))" \
	"$(slots_of /) $(slots_of /user.slice/user-1000.slice)"
steps | tr ' ' '\n' | cut -d= -f1 > "$TMP/first"
crowd 9000 "20 1 1 0 system.slice" "21 20 2 4 $container"
scrape
steps | tr ' ' '\n' | cut -d= -f1 > "$TMP/second"
is 'nobody takes it back' '' "$(diff "$TMP/first" "$TMP/second")"
# A user of the crowd's kind, and services until they have half of what the crowd has.
others=("20 1 1 0 system.slice" "21 20 2 4 $container" "30 10 2 0 user-1001.slice" "31 30 3 1 mine.scope")
for n in {50..69}; do others+=("$n 20 2 2 s$n.service"); done
crowd 9000 "${others[@]}"
scrape
scrape
is 'another user has series' 0 "$(slots_of /user.slice/user-1001.slice/mine.scope)"
result "$(($(places /system.slice) < 5 || $(places /user.slice) < 5))" \
	"a branch has half as many as the largest ($(places /system.slice), $(places /user.slice))"
is 'the container is still there' 1 "$(slots_of "/system.slice/$container")"
steps | tr ' ' '\n' | cut -d= -f1 > "$TMP/first"
for n in {1..4}; do
	crowd "$((9000 + n * (n & 1)))" "${others[@]}"
	scrape
done
steps | tr ' ' '\n' | cut -d= -f1 > "$TMP/second"
is 'series do not take turns' '' "$(diff "$TMP/first" "$TMP/second")"
# Names that look alike: the second one cannot have series, so nobody loses any for it.
others+=("40 1 1 3 x"$'\e' "41 1 1 2 x"$'\a')
crowd 9010 "${others[@]}"
scrape
scrape
steps | tr ' ' '\n' | cut -d= -f1 > "$TMP/first"
scrape
steps | tr ' ' '\n' | cut -d= -f1 > "$TMP/second"
is 'nobody loses a place for nothing' '20 ' "$(states | cut -d' ' -f1) $(diff "$TMP/first" "$TMP/second")"
is 'a name of two has a series' 0 "$(slots_of '/x\?')"
stop TERM
result "$status" 'a crowd: it is a good end'
# One that got a place late, lost it and gets another one counts from then on.
crowd 1000
serve --cgroups --max-cgroups 20 --max-ended 20
scrape
path=$(steps | tr ' ' '\n' | grep -oE '^/user.*scope' | tail -n 1)
crowd 1000 "20 1 1 0 system.slice" "21 20 2 3 x" "22 20 2 3 y"
scrape
scrape
is 'the one with the fewest slots loses its place' '' "$(slots_of "$path")"
crowd 1005
scrape
crowd 1009
scrape
is 'it counts from when it has a place again' 4 "$(slots_of "$path")"
stop TERM
# A branch may have all places but those that nobody else wants.
crowd 7 "20 1 1 0 system.slice" "21 20 2 1 x"
serve --cgroups --max-cgroups 45
for n in {1..3}; do scrape; done
is 'nobody loses a place where all have one' '45 0 0' "$(states)"
stop TERM

# A cgroup that ended is in its parent, whose sums neither fall nor jump.
list "1 0 0 1 " "10 1 1 2 s" "11 10 2 7 x" "12 10 2 4 y" "13 10 2 3 z"
serve --cgroups --max-ended 2
scrape
list "1 0 0 1 " "10 1 1 9 s" "12 10 2 4 y" "13 10 2 3 z"
scrape
is 'what ended is in its parent' '/=17 /s=16 /s/x=7 /s/y=4 /s/z=3' "$(steps)"
list "1 0 0 1 " "10 1 1 13 s" "13 10 2 3 z"
scrape
is 'two that ended are in their parent' '/=17 /s=16 /s/x=7 /s/y=4 /s/z=3' "$(steps)"
is 'two have ended' '3 2 0' "$(states)"
list "1 0 0 1 " "10 1 1 16 s"
scrape
is 'the first one that ended goes' '/=17 /s=16 /s/y=4 /s/z=3' "$(steps)"
# A service that is started again has another cgroup of the same path.
list "1 0 0 1 " "10 1 1 16 s" "14 10 2 1 z"
scrape
is 'made again, its series goes on' '/=18 /s=17 /s/y=4 /s/z=4' "$(steps)"
is 'it is one that lives' '3 1 0' "$(states)"
list "1 0 0 1 " "10 1 1 16 s" "14 10 2 6 z"
scrape
is 'a cgroup that took a place goes on counting' '/=23 /s=22 /s/y=4 /s/z=9' "$(steps)"
list "1 0 0 1 " "10 1 1 22 s" "15 10 2 2 z"
scrape
is 'a cgroup may be made again between two scrapes' '/=25 /s=24 /s/y=4 /s/z=11' "$(steps)"
stop TERM
list "1 0 0 1 " "10 1 1 2 s" "11 10 2 7 x"
serve --cgroups --max-ended 0
scrape
list "1 0 0 1 " "10 1 1 9 s"
scrape
is 'what has ended has no series' '/=10 /s=9' "$(steps)"
is 'none is said to have ended' '2 0 0' "$(states)"
stop TERM

# Services that run, rest, and begin again as another cgroup, in an order that is always the same.
# There are more than have places, so that some wait for hours, and some series are forgotten.
# Series stay bounded, the whole never falls, and none grows by more than its cgroups ran.
list "1 0 0 1 "
serve --cgroups --max-cgroups 10 --max-ended 7
most=0 last=0 falls=0 jumps=0 ended=0 grown=0
declare -A cgroup=() slots_of=() ran=() seen_slots=() seen_ran=()
RANDOM=7
for round in {1..16}; do
	lines=("2 1 1 $round keep")
	for n in {1..25}; do
		more=$((RANDOM % 9)) dice=$((RANDOM % 8))
		if ((dice == 0)) || [[ -z ${cgroup[$n]-} ]]; then
			# It ends, and another one begins or none.
			ended=$((ended + ${slots_of[$n]-0}))
			cgroup[$n]=$((round * 100 + n)) slots_of[$n]=0
			((RANDOM % 3)) || cgroup[$n]=
		fi
		[[ ${cgroup[$n]} ]] || continue
		slots_of[$n]=$((${slots_of[$n]} + more)) ran[$n]=$((${ran[$n]-0} + more))
		lines+=("${cgroup[$n]} 1 1 ${slots_of[$n]} $n")
	done
	list "1 0 0 $((round + ended)) " "${lines[@]}"
	scrape
	now=$(grep -c '^topdown_cgroup_slots_total' "$TMP/out")
	((now <= most)) || most=$now
	[[ $(steps) =~ ^/=([0-9]+) ]] && whole=${BASH_REMATCH[1]}
	((whole >= last)) || falls=$((falls + 1))
	last=$whole
	sort "$TMP/out" | sed -n 's/} .*//p' | uniq -d > "$TMP/twice"
	[[ ! -s $TMP/twice ]] || falls=$((falls + 1))
	while IFS='/=' read -rd ' ' _ n now; do
		[[ $n && ${ran[$n]-} ]] || continue
		if [[ ${seen_slots[$n]-} ]]; then
			# As Prometheus has it: one that fell began at 0.
			more=$((now < seen_slots[$n] ? now : now - seen_slots[$n]))
			((more <= ran[$n] - seen_ran[$n])) || jumps=$((jumps + 1))
			((more == 0)) || grown=$((grown + 1))
		fi
		seen_slots[$n]=$now seen_ran[$n]=${ran[$n]}
	done < <(steps)
done
is 'churn: series are bounded' 17 "$most"
is 'churn: nothing falls, and no series is there twice' 0 "$falls"
is 'churn: no series jumps' 0 "$jumps"
result "$((grown < 50))" "churn: series grow ($grown times)"
stop TERM
result "$status" 'churn: it is a good end'

# Names are cut and made printable, so two may look alike: a second series would spoil the scrape.
long=$(printf 'n%.0s' {1..127})
list "1 0 0 1 " "10 1 1 3 x"$'\e' "11 1 1 2 x"$'\a' "12 1 1 2 ${long}1" "13 1 1 1 ${long}2" "14 1 1 1 q\"\\"
serve --cgroups
scrape
is 'names that look alike have one series' "/=10 /$long=2 /q\\\"\\\\=1 /x?=3" \
	"$(sed 's/\\"/@/; s/\\\\/#/' "$TMP/out" > "$TMP/plain"; mv "$TMP/plain" "$TMP/out"; steps | sed 's/@/\\"/; s/#/\\\\/')"
is 'the second of two names that look alike is left out' '4 0 2' "$(states)"
list "1 0 0 6 " "11 1 1 9 x"$'\a' "12 1 1 2 ${long}1" "13 1 1 1 ${long}2"
scrape
is 'it goes on with the series from then on' '/x?=3' "$(steps | grep -o '/x?=[0-9]*')"
list "1 0 0 6 " "11 1 1 10 x"$'\a' "12 1 1 2 ${long}1" "13 1 1 1 ${long}2"
scrape
is 'a cgroup with a series of another counts on' '/x?=4' "$(steps | grep -o '/x?=[0-9]*')"
stop TERM

# Users make cgroups too, so a path that is longer than others ever are costs no memory.
deep=$(printf 'd%.0s' {1..127})
list "1 0 0 1 " "10 1 1 2 $deep" "11 10 2 3 $deep" "12 11 3 4 $deep" "13 12 4 5 $deep" "14 12 4 6 ${deep%d}" \
	"15 13 5 7 x" "16 1 1 8 y"
serve --cgroups
scrape
path=/$deep/$deep/$deep
is 'a path of 512 bytes has series, and a longer one counts above' \
	"/=36 /$deep=27 /$deep/$deep=25 $path=22 $path/${deep%d}=6 $path/$deep=12 /y=8" "$(steps)"
is 'what is below is left out' '7 0 1' "$(states)"
stop TERM

# A sum that falls would be taken for a restart by Prometheus; one beyond 64 bits would fall.
list "1 0 0 9 "
serve --cgroups
scrape
list "1 0 0 7 "
scrape
is 'a sum of the module that falls is held' '/=9' "$(steps)"
list "1 0 0 11 "
scrape
is 'it is held until it has caught up' '/=11' "$(steps)"
# Each is 7 * 10^18 slots, which the sum of the stand-in does not have room for.
lines=("1 0 0 11 ")
for n in 1 2 3 4; do
	lines+=("1$n 1 1 2900000000 c$n")
	list "${lines[@]}"
	scrape
done
slots=$(sed -n 's/^topdown_cgroup_slots_total{id="\/"} //p' "$TMP/out")
is 'a sum goes beyond 64 bits' 27840000026400000000 "$slots"
stop TERM

# bytes N: of a scrape with a pod of N containers, as it is and compressed; and series of those
bytes() {
	local lines
	mapfile -t lines < <(python3 -c '
import hashlib, sys
print("1 0 0 1000000 ", "2 1 1 0 kubepods.slice", "3 2 2 0 kubepods-burstable.slice", sep="\n")
print("4 3 3 0 kubepods-burstable-pod" + sys.argv[2].replace("-", "_") + ".slice")
for n in range(int(sys.argv[1])):
    name = hashlib.sha256(b"%d" % n).hexdigest()
    print(1000 + n, 4, 4, 1000000 + n * 977, f"cri-containerd-{name}.scope")' "$1" "$uid")
	list "${lines[@]}"
	serve --cgroups || return
	scrape
	wc -c < "$TMP/body"
	grep -c 'container_id=' "$TMP/body"
	scrape 'Accept-Encoding: gzip'
	wc -c < "$TMP/body"
	stop TERM
}
bytes 20 > "$TMP/few"
bytes 220 > "$TMP/many"
read -rd '' few series few_gzip < "$TMP/few" || true
read -rd '' many _ many_gzip < "$TMP/many" || true
each=$(((many - few) / 200)) each_gzip=$(((many_gzip - few_gzip) / 200))
page=$(dirname "$0")/../../man/topdown-export.1
said=$(sed -nE 's/^Each has some ([0-9]+) KiB of a scrape, and ([0-9]+) bytes if it is compressed\.$/\1 \2/p' "$page")
read -r said_kib said_gzip <<< "$said"
is 'series of a container are those of the manual' \
	"$(sed -nE 's/^A container of Kubernetes has ([0-9]+) series\.$/\1/p' "$page")" "$((series / 20))"
result "$((each > said_kib * 1024 || each < said_kib * 512))" "bytes of a cgroup are those of the manual ($each)"
result "$((each_gzip > said_gzip || each_gzip < said_gzip / 2))" "a cgroup compresses as the manual says ($each_gzip)"

# Clients that ask for large answers, each for another one, and take none of them: the longest paths
# there are, in characters that take two bytes of a label.  With a sanitizer it takes more of all.
clients=24
[[ $TOPDOWN != */asan/* ]] || clients=6
backslashes=$(printf '\\%.0s' {1..127})
mapfile -t lines < <(
	printf '%s\n' "1 0 0 1 " "10 1 1 1 $backslashes" "11 10 2 1 $backslashes" "12 11 3 1 $backslashes"
	for n in {1000..1495}; do echo "$n 12 4 $n ${backslashes%????}$n"; done)
list "${lines[@]}"
# slow_client: one more, $fd, which has had an answer, and so may take 150 s for the next one
slow_client() {
	exec {fd}<> "/dev/tcp/127.0.0.1/$port"
	printf 'HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n' >&"$fd"
	while read -rt 10 -u "$fd" line && [[ $line != $'\r' ]]; do :; done
	slow+=("$fd")
}
# slow_ask: it asks, in the one format or the other
slow_ask() {
	local accept='Accept: text/plain'
	((fd & 1)) || accept=$prometheus
	printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n' "$accept" >&"$fd"
}
# unsent: a line for each connection of the daemon of whose answer the kernel has more than 256 KiB
unsent() {
	local at state queues
	while read -r _ at _ state queues _; do
		[[ $at == *:$(printf %04X "$port") && $state == 01 ]] || continue
		((16#${queues%:*} <= 256 * 1024)) || echo "$queues"
	done < /proc/net/tcp
}
# small NAME: the daemon never had more memory than for older answers of 32 MB, and for those of two
# readings in two formats
small() {
	local length peak

	length=$(wc -c < "$TMP/body")
	peak=$(sed -nE 's/^VmHWM:[[:space:]]*([0-9]+) kB$/\1/p' "/proc/$daemon/status")
	result "$((length < 10000000))" "$1: an answer is large ($length bytes)"
	[[ $TOPDOWN == */asan/* ]] ||
		result "$((peak > (8 + 32) * 1024 + 4 * length / 1024))" "$1: memory is bounded ($peak KB)"
	is "$1: the kernel has little of each" '' "$(unsent)"
	for fd in "${slow[@]}"; do exec {fd}>&-; done
	stop TERM
	result "$status" "$1: the daemon ends well"
}
serve --cgroups
slow=()
for ((n = 0; n < clients; n++)); do
	printf s >> "$FAKE_LATER"
	slow_client
	slow_ask
	read -rt 60 -u "$fd" line || true
done
patience=60 scrape
before=$(idle)
patience=60 scrape
is 'slow clients: a scraper gets the figures of now' "$idle_unit" "$(($(idle) - before))"
small 'slow clients'
# All at once, and each is answered in another second.
serve --cgroups
slow=()
for ((n = 0; n < clients; n++)); do slow_client; done
kill -STOP "$daemon"
for fd in "${slow[@]}"; do slow_ask; done
for _ in {1..60}; do
	printf s >> "$FAKE_LATER"
	sleep 0.05
done &
hurry=$!
kill -CONT "$daemon"
wait "$hurry"
patience=60 scrape
small 'clients at once'

# A machine without owners, or without the right to them, still has slots.
list "1 0 0 1 "
for why in FAKE_FEATURES=1023:"has no owners ('topdown info'" FAKE_OWNERS_ERRNO=95:'CONFIG_CGROUP_PERF' \
	FAKE_OWNERS_ERRNO=13:'CAP_PERFMON' FAKE_OWNERS_ERRNO=12:'cannot read owners .*Cannot allocate memory'; do
	serve_with "${why%%:*}" --cgroups
	for _ in 1 2 3; do scrape; done
	is "${why%%:*}: no cgroups are there" 'topdown_cgroups_up 0' "$(grep -v '^#' "$TMP/out")"
	grep -v topdown_cgroup "$TMP/body" | settled > "$TMP/rest"
	result "$(cmp -s "$TMP/rest" "$golden/export.txt"; echo $?)" "${why%%:*}: the rest is as without them"
	sed 's/^/# /' "$TMP/daemon.err"
	is "${why%%:*}: it is said once" '1 1' "$(grep -c '^topdown: --cgroups: ' "$TMP/daemon.err") $(
		grep -c "^topdown: --cgroups: .*${why#*:}" "$TMP/daemon.err")"
	stop TERM
	result "$status" "${why%%:*}: it is a good end"
done
export FAKE_LOADED=$TMP/loaded
serve --cgroups
scrape
is 'no module is there yet' 'topdown_cgroups_up 0' "$(grep -v '^#' "$TMP/out")"
: > "$FAKE_LOADED"
scrape
is 'the module is there now' '/=1' "$(steps)"
stop TERM
unset FAKE_LOADED

run fake export --cgroups
expect 'cgroups of one run are refused' 2 '' '^topdown: --cgroups needs --listen.*stat --by cgroup'
for bad in '--cgroups=0' '--cgroups=32' '--cgroups=' '--cgroups 3' '--max-cgroups 5' '--max-ended 5' \
	'--cgroups --max-cgroups 0' '--cgroups --max-cgroups 4097' '--cgroups --max-ended 4097'; do
	# shellcheck disable=SC2086 # several words
	run fake export --listen $bad
	expect "$bad is refused" 2 '' '^topdown: '
done
finish
