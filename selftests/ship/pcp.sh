#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Debian's pmcd and pmrep of PCP, with its agent openmetrics, "topdown export", and the stand-in
# for the kernel of ../../userspace/check/fake.
#
#   pcp.sh
#
# PCP is installed in a copy of this machine's root that lasts as long as the test, in memory.
# KTAP on stdout.  Needs root.
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

ROOT=/mnt/root

if [[ -z ${TOPDOWN_PCP_INSIDE:-} ]]; then
	echo "KTAP version 1"
	((EUID == 0)) || { echo "1..0 # SKIP mounts need root"; exit 4; }
	need make=make gcc=gcc
	make -s -C "$TOP/userspace" all
	# All that is started there ends with it.
	TOPDOWN_PCP_INSIDE=1 exec unshare --mount --pid --fork --kill-child \
		--propagation private "$0"
fi

inside() {
	chroot "$ROOT" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive http_proxy="${http_proxy:-}" "$@"
}

mount -t tmpfs -o size=2g tmpfs /mnt
mkdir /mnt/{upper,work,root}
mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work overlay "$ROOT"
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
# There is no systemd, and nothing is to be started by an installation.
rm -f "$ROOT/usr/bin/systemctl"
printf '#!/bin/sh\nexit 101\n' > "$ROOT/usr/sbin/policy-rc.d"
chmod +x "$ROOT/usr/sbin/policy-rc.d"
inside apt-get -qy --no-install-recommends -o DPkg::Lock::Timeout=300 \
	-o DPkg::Options::=--force-unsafe-io install pcp python3-pcp python3-requests \
	> "$ROOT/root/apt.log" 2>&1 < /dev/null || {
	tail -n 20 "$ROOT/root/apt.log"
	die "PCP could not be installed"
}
gcc -std=gnu11 -D_GNU_SOURCE -O1 -shared -fPIC -I"$TOP/userspace/include" -I"$TOP/uapi" -I"$TOP/kmod/common" \
	-o "$ROOT/root/fake.so" "$TOP"/userspace/check/fake/fake{,-ioctl,-latency,-map,-owner,-perf,-poll,-session}.c \
	"$TOP"/kmod/common/{metrics,sums}.c
make -s -C "$TOP/userspace" install DESTDIR="$ROOT" PREFIX=/usr
cp "$TOP/selftests/ship/pcp-chroot.sh" "$ROOT/root"
inside bash /root/pcp-chroot.sh
