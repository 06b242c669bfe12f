#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# systemd.sh runs this in the emulated machine: systemd is the first process of a namespace, with
# Debian as its root, and the units of topdown export are enabled and used as users do it.
#
# shellcheck disable=SC2317 # try() calls them
set -euo pipefail

ROOT=/debian
number=0
failures=0

# inside COMMAND...: beside systemd
inside() { nsenter -t "$init" -m -p -u -i chroot "$ROOT" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

# pid_of COMMAND: of the process whose command line begins so
pid_of() {
	local dir

	for dir in /proc/[0-9]*; do
		[[ $(tr '\0' ' ' 2> /dev/null < "$dir/cmdline") != "$1"* ]] || { echo "${dir##*/}"; return; }
	done
}

# try NAME FUNCTION [ARG]...: with its output if it fails
try() {
	local name=$1 status=0
	shift

	number=$((number + 1))
	# Not in a condition, where "set -e" would be off.
	set +e
	(set -e; "$@") > /tmp/out 2>&1 < /dev/null
	status=$?
	set -e
	if ((status)); then
		failures=$((failures + 1))
		sed 's/^/# /' /tmp/out
		echo "not ok $number $name"
	else
		echo "ok $number $name"
	fi
}

scrape() { inside curl -sf --max-time 20 "http://127.0.0.1:18673/metrics"; }

boot() {
	mkdir "$ROOT"
	mount -t tmpfs -o size=80% debian "$ROOT"
	tar -x -C "$ROOT" -f /debian.tar
	rm /debian.tar
	cp -a /topdown-usr/. "$ROOT/usr/"
	echo topdown-guest > "$ROOT/etc/hostname"
	mount --rbind /dev "$ROOT/dev"
	mount --bind /sys "$ROOT/sys"
	umount /sys/fs/cgroup 2> /dev/null || true
	mount -t cgroup2 cgroup2 "$ROOT/sys/fs/cgroup"
	ip link set lo up 2> /dev/null || ifconfig lo up
	# As in a container, systemd finds its mounts shared.
	unshare --pid --mount --fork chroot "$ROOT" /usr/bin/env -i container=topdown PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		/bin/sh -c 'mount --make-rshared /; mount -t proc proc /proc; mount -t tmpfs tmpfs /run; exec /lib/systemd/systemd --system --log-target=console --show-status=0' \
		> /tmp/systemd.log 2>&1 &
}

# The process that unshare has begun.
find_init() {
	local _
	for _ in {1..300}; do
		init=$(pid_of '/lib/systemd/systemd --system')
		[[ -z $init ]] || ! inside systemctl is-system-running 2> /dev/null |
			grep -E 'running|degraded' > /dev/null || return 0
		sleep 1
	done
	tail -n 20 /tmp/systemd.log
	return 1
}

users() {
	inside systemd-sysusers
	inside getent group topdown
}

enable() {
	inside systemctl enable --now topdown-export.socket
	inside systemctl is-active topdown-export.socket
	[[ $(inside systemctl is-active topdown-export.service) == inactive ]]
}

without_module() {
	scrape > /tmp/metrics
	grep -x 'topdown_up 0' /tmp/metrics
	inside systemctl is-active topdown-export.service
}

# The device gets the group by the udev rule; devtmpfs has made it for root alone.
with_module() {
	insmod /topdown.ko
	inside /lib/systemd/systemd-udevd --daemon || true
	inside udevadm trigger --action=add --sysname-match=topdown
	inside udevadm settle
	inside stat -c '%G %a' /dev/topdown | grep -x 'topdown 660'
	for _ in {1..20}; do
		scrape > /tmp/metrics
		! grep -x 'topdown_up 1' /tmp/metrics || break
		sleep 1
	done
	grep -x 'topdown_up 1' /tmp/metrics
	grep 'topdown_slots_total{' /tmp/metrics
	sleep 3
	scrape > /tmp/later
	(($(sed -n 's/^topdown_slots_total.* //p' /tmp/later) > $(sed -n 's/^topdown_slots_total.* //p' /tmp/metrics)))
}

# It is a user of its own, with one capability and no network.
confined() {
	local pid
	pid=$(pid_of '/usr/bin/topdown-export')
	grep -E '^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):' "/proc/$pid/status"
	[[ $(awk '/^Uid/ { print $2 }' "/proc/$pid/status") -ge 61184 ]]
	[[ $(awk '/^CapEff/ { print $2 }' "/proc/$pid/status") == 0000004000000000 ]]
	[[ $(awk '/^NoNewPrivs/ { print $2 }' "/proc/$pid/status") == 1 ]]
	[[ $(awk '/^Seccomp:/ { print $2 }' "/proc/$pid/status") == 2 ]]
	[[ $(readlink "/proc/$pid/ns/net") != "$(readlink /proc/self/ns/net)" ]]
}

reload() {
	local before
	before=$(inside systemctl show -p MainPID topdown-export.service)
	inside systemctl reload topdown-export.service
	scrape | grep -x 'topdown_up 1'
	[[ $(inside systemctl show -p MainPID topdown-export.service) == "$before" ]]
}

# The socket stays, so a client waits and is not refused.
restart() {
	inside systemctl kill -s KILL topdown-export.service
	scrape | grep -x 'topdown_up 1'
	inside systemctl restart topdown-export.service
	scrape | grep -x 'topdown_up 1'
}

# The drop-in of topdown-export(1), as it is there.
credentials() {
	inside openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
		-subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout /etc/ssl/private/topdown.key -out /etc/ssl/topdown.pem
	inside sh -c 'umask 077; echo prom:secret > /etc/topdown-users; chmod 600 /etc/ssl/private/topdown.key'
	mkdir -p "$ROOT/etc/systemd/system/topdown-export.service.d"
	cp /override.conf "$ROOT/etc/systemd/system/topdown-export.service.d/override.conf"
	inside systemctl daemon-reload
	inside systemctl restart topdown-export.service
	inside curl -sf --max-time 20 --cacert /etc/ssl/topdown.pem -u prom:secret \
		https://localhost:18673/metrics | grep -x 'topdown_up 1'
	[[ $(inside curl -s --max-time 20 --cacert /etc/ssl/topdown.pem -o /dev/null -w '%{http_code}' \
		https://localhost:18673/metrics) == 401 ]]
}

# The other drop-in of topdown-export(1): all addresses.  The one of credentials() stays.
other_address() {
	mkdir -p "$ROOT/etc/systemd/system/topdown-export.socket.d"
	printf '[Socket]\nListenStream=\nListenStream=[::]:18673\n' \
		> "$ROOT/etc/systemd/system/topdown-export.socket.d/override.conf"
	inside systemctl daemon-reload
	inside systemctl stop topdown-export.service
	inside systemctl restart topdown-export.socket
	inside curl -sf --max-time 20 --cacert /etc/ssl/topdown.pem -u prom:secret \
		-6 --resolve 'localhost:18673:::1' https://localhost:18673/metrics | grep -x 'topdown_up 1'
}

# The line for node_exporter in topdown-export(1).
textfile() {
	local file=/var/lib/prometheus/node-exporter/topdown.prom _

	inside mkdir -p "${file%/*}"
	inside systemd-run --unit=topdown-textfile --on-calendar=minutely topdown export --textfile "$file"
	for _ in {1..90}; do
		[[ ! -e $ROOT$file ]] || break
		sleep 1
	done
	grep -x 'topdown_up 1' "$ROOT$file"
	inside systemctl stop topdown-textfile.timer
}

reload_module() {
	# The daemon has the device open.
	inside systemctl stop topdown-export.service
	rmmod topdown
	inside systemctl stop topdown-export.socket
	[[ -z $(pid_of '/usr/bin/topdown-export') ]]
}

init=
boot
find_init || { echo "Bail out! systemd does not run"; exit 1; }
try 'systemd-sysusers makes the group' users
try 'the socket is enabled' enable
try 'a scrape starts the service; no module is topdown_up 0' without_module
try 'the module comes later' with_module
try 'a user of its own, one capability, no network' confined
try 'systemctl reload' reload
try 'SIGKILL and restart are a pause, and no refusal' restart
try 'LoadCredential: TLS and users from files of root' credentials
try 'ListenStream: another address' other_address
try 'systemd-run writes the file for node_exporter' textfile
try 'all is stopped, and the module can go' reload_module
inside journalctl -b -u topdown-export.service --no-pager 2> /dev/null | tail -n 20 | sed 's/^/# /' || true
echo "1..$number"
((failures == 0))
