#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# pcp.sh runs this in its copy of the root: pmcd with Debian's agent openmetrics.
#
# shellcheck disable=SC2317 # try() calls them
set -euo pipefail

number=0
failures=0

# try NAME FUNCTION [ARG]...: with its output if it fails
try() {
	local name=$1 status=0
	shift

	number=$((number + 1))
	# Not in a condition, where "set -e" would be off.
	set +e
	(set -e; "$@") > /root/out 2>&1 < /dev/null
	status=$?
	set -e
	if ((status)); then
		failures=$((failures + 1))
		sed 's/^/# /' /root/out
		echo "not ok $number $name"
	else
		echo "ok $number $name"
	fi
}

start() {
	/etc/init.d/pmcd start
	pminfo -f pmcd.version
}

# Debian's own agent of Prometheus' formats, with "topdown export".
OPENMETRICS=/var/lib/pcp/pmdas/openmetrics
TEXTFILE=/var/lib/topdown/topdown.prom

export_of() {
	env LD_PRELOAD=/root/fake.so FAKE_NODE=/dev/topdown FAKE_FEATURES=1023 FAKE_TICK=0 \
		topdown export "$@"
}

# source_is URL: the only one; its metrics appear some seconds later.
source_is() {
	rm -f "$OPENMETRICS"/config.d/*
	echo "$1" > "$OPENMETRICS/config.d/topdown.url"
	for _ in {1..60}; do
		pminfo -f openmetrics.topdown.topdown_slots_total > /root/fetch 2> /dev/null && return
		sleep 0.5
	done
	cat /var/log/pcp/pmcd/openmetrics.log
	return 1
}

# A CPU is an instance, and has what the export says.
same_slots() {
	local cpu count

	cat /root/fetch
	for cpu in 0 1 2 3; do
		count=$(sed -n "s/^topdown_slots_total{cpu=\"$cpu\".*} //p" "$1")
		echo "CPU $cpu: $count"
		((count > 0))
		grep -E "cpu:$cpu\"\] value $count\$" /root/fetch
	done
	[[ $(grep -c value /root/fetch) == 4 ]]
}

openmetrics_file() {
	mkdir -p /var/lib/topdown
	export_of -A --textfile "$TEXTFILE"
	(cd "$OPENMETRICS" && ./Install)
	source_is "file://$TEXTFILE"
	same_slots "$TEXTFILE"
}

openmetrics_http() {
	local daemon

	export_of -A > /root/text
	export_of -A --listen &
	daemon=$!
	source_is http://127.0.0.1:18673/metrics
	same_slots /root/text
	# The shell that has begun it is another process, and the port is to be free.
	kill "$(pgrep -f '^topdown-export')"
	wait "$daemon" || true
}

# daemon: topdown export with the stand-in, where the file for pmdaopenmetrics expects it
daemon() {
	FAKE_NODE=/dev/topdown FAKE_FEATURES=1023 FAKE_TICK=20 LD_PRELOAD=/root/fake.so \
		topdown export --listen > /root/export.log 2>&1 &
	for _ in {1..100}; do
		! grep -q 'listening at' /root/export.log || return 0
		sleep 0.1
	done
	return 1
}

install_openmetrics() {
	# Another name, as PCP keeps what it has seen of a name.
	rm -f "$OPENMETRICS"/config.d/*
	cp /usr/share/topdown/pcp-openmetrics.url "$OPENMETRICS/config.d/machine.url"
	(cd "$OPENMETRICS" && ./Install)
	for _ in {1..60}; do
		pminfo openmetrics.machine 2> /dev/null | sort > /root/open && [[ -s /root/open ]] && break
		sleep 0.5
	done
	cat /root/open /var/log/pcp/pmcd/openmetrics.log
	# Each metric of the text but those of the exporter is there.
	FAKE_NODE=/dev/topdown FAKE_FEATURES=1023 LD_PRELOAD=/root/fake.so topdown export |
		sed -n 's/^# TYPE \([a-z0-9_]*\) .*/openmetrics.machine.\1/p' |
		grep -v '\.topdown_export_' | sort > /root/expected
	(($(grep -c . /root/expected) > 10))
	diff /root/expected /root/open
}

# Rates are those of the stand-in: 40% retire, and a second of a CPU has 6e9 slots or so.
openmetrics_rates() {
	pminfo -f openmetrics.machine.topdown_up | grep 'value 1$'
	pminfo -d openmetrics.machine.topdown_slots_total | grep 'Semantics: counter'
	pmrep -t 0.5 -s 6 -o csv -P 3 openmetrics.machine.topdown_level1_slots_total | tee /root/rates
	head -n 1 /root/rates | tr , '\n' | grep -n retiring
	awk -F, 'NR == 1 { for (i = 2; i <= NF; i++) if ($i ~ /node:retiring/) at = i }
		NR > 2 { sum = 0; for (i = 2; i <= NF; i++) sum += $i
			if (sum > 0) { share = $at / sum; print share; seen++; bad += share < 0.399 || share > 0.401 } }
		END { exit !at || bad || seen < 3 }' /root/rates
}

# The daemon goes and comes: no value, and no error for ever.
openmetrics_restart() {
	kill "$(pgrep -f '^topdown-export --listen')"
	sleep 1
	[[ $(pminfo -f openmetrics.machine.topdown_up) != *'value 1'* ]]
	daemon
	for _ in {1..60}; do
		! pminfo -f openmetrics.machine.topdown_up 2> /dev/null | grep 'value 1$' || return 0
		sleep 0.5
	done
	return 1
}

try 'pmcd runs' start
try 'pmdaopenmetrics reads the file of topdown export' openmetrics_file
try 'pmdaopenmetrics asks topdown export --listen' openmetrics_http
try 'topdown export for pmdaopenmetrics' daemon
try 'pmdaopenmetrics has all metrics of it' install_openmetrics
try 'pmrep shows their rates' openmetrics_rates
try 'a daemon that is started again' openmetrics_restart
echo "1..$number"
((failures == 0))
