#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The part of fleet.sh that runs in the emulated machine: Prometheus scrapes two daemons while
# workloads change, a daemon is started again, and the module is loaded again.  What Prometheus
# has stored goes out at the end; guest-judge.py looks at it there.
#   guest.sh SECONDS    so long for each workload
set -euo pipefail

phase=$1
work=/fleet/workload
programs=()
daemons=()

mark() { echo "MARK $1 $EPOCHREALTIME"; }

# start NAME...: these workloads, each as a service of its own, as systemd has them
start() {
	local cpu=0 name service

	((!${#programs[@]})) || kill "${programs[@]}"
	programs=()
	for name; do
		service=/sys/fs/cgroup/$name.service
		mkdir -p "$service"
		"$work" -c $cpu -t 100000 "$name" &
		programs+=($!)
		echo $! > "$service/cgroup.procs"
		cpu=$((cpu + 1))
	done
}

# listens PORT
listens() { (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }

serve() {
	local port

	topdown export --listen --cgroups &
	daemons=($!)
	topdown export --listen --per-cpu --port 18674 &
	daemons+=($!)
	for port in 18673 18674; do
		until listens "$port"; do sleep 0.1; done
	done
}

unserve() {
	kill "${daemons[@]}"
	wait "${daemons[@]}" || true
}

# The workloads have the first CPUs; what measures them has the last.
here=$(($(nproc) - 1))
taskset -p -c "$here" $$ > /dev/null || true
/fleet/truth 1 &
truth=$!
mkdir -p /tmp/prometheus
cd /fleet
serve
GOMAXPROCS=1 prometheus --config.file=/fleet/prometheus.yml \
	--storage.tsdb.path=/tmp/prometheus --web.listen-address=127.0.0.1:9090 \
	--log.level=warn &
prometheus=$!
until listens 9090; do sleep 1; done
sleep 5
mark absent
sleep 45
insmod /topdown.ko
mark loaded
for name in stream compute branchy bigcode stream; do
	start "$name" "$name"
	sleep 5
	mark "begin-$name"
	sleep "$phase"
	mark "end-$name"
done
mark restart
unserve
serve
mark restarted
sleep 40
mark reload
unserve
rmmod topdown
insmod /topdown.ko
serve
mark reloaded
sleep 90
mark end
# Nothing else writes from here on.
kill "${programs[@]}" "$truth"
kill "$prometheus"
wait "$prometheus" || true
unserve
rmmod topdown
echo 'BEGIN TSDB'
tar -C /tmp/prometheus -cz . | base64
echo 'END TSDB'
