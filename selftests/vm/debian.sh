# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Chroots of this machine's own Debian, for the test of the packages.  To be
# sourced after common.sh.  Mounts are made in a mount namespace of their own and
# are gone when the command in the chroot is.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# debian_sources: where this machine's own Debian comes from, as a sources.list;
# the suite itself comes first
debian_sources() {
	# shellcheck disable=SC2016 # apt expands these
	apt-get indextargets --format '$(SITE) $(CODENAME) $(COMPONENT) $(LABEL)' \
		'Created-By: Packages' |
		awk -v key="$keyring" '$4 ~ /^Debian(-Security)?$/ {
			print length($2), "deb [signed-by=" key "] " $1, $2, $3
		}' | sort -n | cut -d' ' -f2- | uniq
}

# debian_base: a chroot with the smallest Debian, a week old at most; prints where
debian_base() {
	local dir=$CACHE/debian/base tmp=$CACHE/debian/base.tmp sources suite uri

	if [[ -z $(find "$dir/etc/apt/sources.list" -mtime -7 2> /dev/null) ]]; then
		rm -rf "$tmp"
		mkdir -p "$CACHE/debian"
		sources=$(debian_sources)
		read -r _ _ uri suite _ <<< "$sources"
		note "debootstrap of $suite, some minutes"
		unshare --mount --propagation private debootstrap --variant=minbase \
			--keyring="$keyring" "$suite" "$tmp" "$uri" >&2 || return 1
		printf '%s\n' "$sources" > "$tmp/etc/apt/sources.list"
		# Nothing here has to survive a power cut.
		echo force-unsafe-io > "$tmp/etc/dpkg/dpkg.cfg.d/unsafe-io"
		printf '#!/bin/sh\nexit 101\n' > "$tmp/usr/sbin/policy-rc.d"
		chmod +x "$tmp/usr/sbin/policy-rc.d"
		publish "$tmp" "$dir"
	fi
	cp -L /etc/resolv.conf "$dir/etc/resolv.conf"
	in_chroot "$dir" apt-get -q update >&2 || return 1
	echo "$dir"
}

# in_chroot ROOT COMMAND [ARG]...: as root there, with /proc, ptys and the cache
# of packages, which all chroots share.  Kernels there get no initrd.
in_chroot() {
	mkdir -p "$CACHE/debian/archives/partial"
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount --pid --fork --kill-child --propagation private bash -euc '
		root=$1 archives=$2
		shift 2
		mount -t proc proc "$root/proc"
		mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
		mount -t tmpfs tmpfs "$root/dev/shm"
		mount --bind "$archives" "$root/var/cache/apt/archives"
		exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
			LC_ALL=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive INITRD=No \
			http_proxy="${http_proxy:-}" "$@"
	' bash "$1" "$CACHE/debian/archives" "${@:2}"
}
