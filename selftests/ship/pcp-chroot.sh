#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# pcp.sh runs this in its copy of the root: pmcd with the agent, as Install leaves them.
#
# shellcheck disable=SC2317 # try() calls them
set -euo pipefail

PMDA=/var/lib/pcp/pmdas/topdown
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

# The agent with the stand-in, whose settings are in a file that a start reads.
wrap() {
	mv "$PMDA/pmdatopdown" "$PMDA/pmdatopdown.real"
	cat > "$PMDA/pmdatopdown" <<- END
		#!/bin/sh
		exec env LD_PRELOAD=/root/fake.so FAKE_NODE=/dev/topdown \$(cat /root/settings) \\
			$PMDA/pmdatopdown.real "\$@"
	END
	chmod 755 "$PMDA/pmdatopdown"
}

# settings FAKE_NAME=VALUE...: let pmcd start the agent again with these
settings() {
	echo "$@" > /root/settings
	kill "$(pgrep -f '^/var/lib/pcp/pmdas/topdown/pmdatopdown.real')"
	for _ in {1..100}; do
		sleep 0.1
		/usr/lib/pcp/bin/pmsignal -a -s HUP pmcd
		# The next request starts it.
		pminfo -f topdown.up | grep 'value' && return
	done
	return 1
}

# value METRIC CPU: of a fetch
value() { pminfo -f "$1" | sed -n "s/.*\"cpu$2\"\] value //p"; }

start() {
	/etc/init.d/pmcd start
	pminfo -f pmcd.version
}

install_agent() {
	cd "$PMDA"
	./Install
	cat /var/log/pcp/pmcd/topdown.log
	pminfo topdown | sort > /root/names
	(($(grep -c . /root/names) >= 31))
	grep -x topdown.slots /root/names
}

# A fetch is a step of the stand-in, so two differ by a whole number of steps.
counts() {
	local cpu before after
	for cpu in 0 1 2 3; do
		before=$(value topdown.slots "$cpu")
		after=$(value topdown.slots "$cpu")
		echo "CPU $cpu: $before $after"
		((after > before && (after - before) % (60000000 * (100 - cpu)) == 0))
	done
	[[ -z $(value topdown.slots 4) ]]
	[[ $(value topdown.state 3) == '"ok"' && $(value topdown.source 0) == '"perf_metrics"' ]]
}

# All of one fetch: the parts of level 1, and their children, add up.
together() {
	pminfo -f topdown.slots topdown.level1 topdown.level2 topdown.children > /root/fetch
	awk '/^topdown/ { name = $1 }
		/"cpu2"/ { n = $NF; v[name] = n; if (name ~ /level1/) one += n; if (name ~ /level2/) two += n }
		END {
			print one, two, v["topdown.slots"], v["topdown.children.retiring"]
			exit !(one > 0 && one == v["topdown.slots"] && two == one &&
				v["topdown.children.retiring"] == one &&
				v["topdown.level2.fetch_latency"] * 100 == one * 6)
		}' /root/fetch
	# This CPU has no such node.
	! grep -A4 'level1.smt_contention$' /root/fetch | grep '"cpu2"'
}

help_texts() {
	while read -r name; do
		pminfo -t "$name" | grep "\[..*\]"
		pminfo -T "$name" | grep -A1 '^Help:' | tail -n 1 | grep .
	done < /root/names
	pminfo -d topdown.time.running | grep 'counter  Units: nanosec'
	pminfo -d topdown.slots | grep 'counter  Units: count'
}

# pmrep's ratios, by the derived metrics
ratios() {
	pmrep -t 0.3 -s 4 -o csv -P 3 topdown.ratio.retiring topdown.ratio.fetch_latency \
		topdown.ratio.running topdown.ipc | tee /root/ratios
	tail -n 3 /root/ratios | awk -F, '
		{ for (i = 2; i <= 5; i++) bad += $i != 0.4 || $(i + 4) != 0.06 || $(i + 8) != 1 || $(i + 12) != 1.5 }
		END { print bad, NR; exit bad || NR != 3 }'
}

level1_alone() {
	settings FAKE_FEATURES=951 FAKE_LEVEL=1 FAKE_TICK=0
	[[ -n $(value topdown.level1.retiring 1) && -z $(value topdown.level2.core_bound 1) ]]
}

by_map() {
	settings FAKE_FEATURES=1023 FAKE_TICK=0 FAKE_READ_ERRNO=5
	[[ $(value topdown.windows 1) == 10 && $(value topdown.slots 1) == 59400000000 ]]
}

no_rights() {
	settings FAKE_FEATURES=951 FAKE_READ_ERRNO=13
	pminfo -f topdown.up | grep 'value 0'
	[[ -z $(value topdown.slots 0) ]]
	grep 'no figures of CPUs: Permission denied' /var/log/pcp/pmcd/topdown.log
}

# The module comes and goes while the agent runs.
no_module() {
	settings FAKE_FEATURES=951 FAKE_NODE=/dev/other
	pminfo -f topdown.up | grep 'value 0'
	pminfo -f topdown.version topdown.slots
	[[ -z $(value topdown.slots 0) ]]
	settings FAKE_FEATURES=951
	pminfo -f topdown.up | grep 'value 1'
	pminfo -f topdown.version | grep '"9.8.7"'
}

# Print the agent's descriptors, and its own memory in KiB.  The stand-in's is shared.
holds() {
	local pid

	pid=$(pgrep -f '^/var/lib/pcp/pmdas/topdown/pmdatopdown.real')
	echo "$(find "/proc/$pid/fd" | wc -l) $(awk '/RssAnon/ { print $2 }' "/proc/$pid/status")"
}

# Fetches and help texts: no descriptor and no memory is lost.
endurance() {
	local open memory open_then memory_then

	pmval -t 0.01 -s 50 topdown.slots > /dev/null
	pminfo -T topdown > /dev/null
	read -r open_then memory_then <<< "$(holds)"
	pmval -t 0.01 -s 200 topdown.slots > /dev/null
	for _ in {1..20}; do pminfo -T topdown > /dev/null; done
	read -r open memory <<< "$(holds)"
	echo "descriptors $open_then, $open; KiB $memory_then, $memory"
	((open == open_then && memory <= memory_then + 64))
}

remove_agent() {
	cd "$PMDA"
	./Remove
	[[ -z $(pminfo topdown) ]]
	[[ $(grep -cw topdown /etc/pcp/pmcd/pmcd.conf) == 0 ]]
	[[ ! -e /var/lib/pcp/config/derived/topdown.conf ]]
}

# Debian's own agent of Prometheus' formats, with "topdown export" in place of our agent.
OPENMETRICS=/var/lib/pcp/pmdas/openmetrics
TEXTFILE=/var/lib/topdown/topdown.prom

export_of() {
	env LD_PRELOAD=/root/fake.so FAKE_NODE=/dev/topdown FAKE_FEATURES=1023 FAKE_TICK=0 \
		/root/topdown export "$@"
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
	kill "$(pgrep -f '^/root/topdown export')"
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
	kill "$(pgrep -f '^topdown export --listen')"
	sleep 1
	[[ $(pminfo -f openmetrics.machine.topdown_up) != *'value 1'* ]]
	daemon
	for _ in {1..60}; do
		! pminfo -f openmetrics.machine.topdown_up 2> /dev/null | grep 'value 1$' || return 0
		sleep 0.5
	done
	return 1
}

wrap
echo FAKE_FEATURES=951 > /root/settings
try 'pmcd runs' start
try 'Install: the metrics appear' install_agent
try 'counts of each CPU' counts
try 'level 1, level 2 and the slots of one fetch add up' together
try 'each metric has help texts and units' help_texts
try 'pmrep shows the ratios' ratios
try 'a machine without level 2' level1_alone
try 'counts from the map' by_map
try 'no rights' no_rights
try 'without the module, and with it again' no_module
try 'nothing is lost in 200 fetches' endurance
try 'Remove: nothing is left' remove_agent
try 'pmdaopenmetrics reads the file of topdown export' openmetrics_file
try 'pmdaopenmetrics asks topdown export --listen' openmetrics_http
try 'topdown export for pmdaopenmetrics' daemon
try 'pmdaopenmetrics has all metrics of it' install_openmetrics
try 'pmrep shows their rates' openmetrics_rates
try 'a daemon that is started again' openmetrics_restart
echo "1..$number"
((failures == 0))
