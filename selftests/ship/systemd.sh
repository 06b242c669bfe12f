#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The units of topdown export under Debian's own systemd, in an emulated machine with the real
# module.
#
#   systemd.sh
#
# KTAP on stdout.  Needs root and debootstrap.  The root of Debian 12 stays in the cache.
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

VM=$TOP/selftests/vm
ROOT=$CACHE/systemd/root

((EUID == 0)) || { echo "1..0 # SKIP debootstrap needs root"; exit 4; }
need debootstrap=debootstrap make=make
if [[ ! -e $CACHE/systemd/done ]]; then
	rm -rf "$CACHE/systemd"
	mkdir -p "$CACHE/systemd"
	debootstrap --variant=minbase \
		--include=systemd,systemd-sysv,dbus,udev,curl,openssl,procps,libmicrohttpd12,libjson-c5,libncursesw6 \
		bookworm "$ROOT" > "$CACHE/systemd/log" 2>&1 ||
		die "debootstrap fails, see $CACHE/systemd/log"
	# Nobody reads these there.
	rm -rf "$ROOT"/usr/share/{doc,locale,man,info} "$ROOT"/var/cache/apt "$ROOT"/var/lib/apt
	touch "$CACHE/systemd/done"
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make -s -C "$TOP/userspace" install DESTDIR="$tmp" PREFIX=/usr libdir=/usr/lib/x86_64-linux-gnu \
	> "$tmp/log" 2>&1 || { cat "$tmp/log"; die "it cannot be installed"; }
sed -n '/^# systemctl edit topdown-export.service/,/^\.Ed/p' "$TOP/userspace/man/topdown-export.1" |
	sed '1d;$d;s/\\e$/\\/' > "$tmp/override.conf"
# Its links lead nowhere here.
tar -C "$ROOT" -c . > "$tmp/debian.tar"
"$VM/run.sh" -k 6.12 -m spr -c 2 -t "${SYSTEMD_LIMIT:-600}" -M 2G -x "$tmp/debian.tar:/debian.tar" -x "$tmp/usr:/topdown-usr" \
	-x "$tmp/override.conf:/override.conf" \
	-x "$TOP/selftests/ship/systemd-guest.sh:/systemd-guest.sh" 'bash /systemd-guest.sh'
