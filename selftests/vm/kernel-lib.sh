# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Functions that the ways of getting a kernel share.  Sourced by kernel.sh,
# which sets $here and $cache.  A fetch_KIND function gets NAME, the release
# glob and the source columns of kernels.conf, and prints the directory that
# holds the kernel; in it, the file "env" has the shell assignments and is
# there only when all the rest is.

: "${here:?}" "${cache:?}"

# Options for every apt command: another suite has lists of its own
apt_opts=()

say() {
	printf 'kernel.sh: %s\n' "$*" >&2
}

die() {
	say "$*"
	exit 1
}

# newest_cached NAME: the newest finished directory of this kernel
newest_cached() {
	local dir newest=

	for dir in "$cache/$1"-*/; do
		[ -e "$dir/env" ] || continue
		if [ -z "$newest" ] || [ "$dir/env" -nt "$newest/env" ]; then
			newest=${dir%/}
		fi
	done
	[ -n "$newest" ] && printf '%s\n' "$newest"
}

# still_current DIR: it was found to be the right one within a day, and neither
# the package lists nor our own files have changed since.  Asking apt takes
# seconds, and every boot of a test machine comes through here.
still_current() {
	local file

	[ -n "$(find "$1/checked" -mtime -1)" ] || return 1
	for file in /var/lib/apt/lists "$here"/kernel* "$here"/*.config; do
		[ "$1/checked" -nt "$file" ] || return 1
	done
}

# finish DIR HOST-PACKAGES NAME=VALUE...: the env file appears last
finish() {
	local dir=$1 var

	printf '%s\n' "$2" >"$dir/needs"
	shift 2
	for var; do
		printf '%s=%q\n' "${var%%=*}" "${var#*=}"
	done >"$dir/env.tmp"
	touch "$dir/checked"
	mv "$dir/env.tmp" "$dir/env"
}

# reuse DIR: if DIR is finished, note that it is the right one as of now
reuse() {
	[ -e "$1/env" ] && touch "$1/checked" "$1" && printf '%s\n' "$1"
}

# new_dir PATH: an empty directory; only the holder of the lock comes here,
# so what may be there is the rest of a run that was killed
new_dir() {
	rm -rf --one-file-system "$1"
	mkdir -p "$1"
}

# drop_old NAME KEEP: versions that nobody has asked for in two weeks
drop_old() {
	find "$cache" -mindepth 1 -maxdepth 1 -type d -name "$1-*" \
		! -path "$2" -mtime +14 \
		-exec rm -rf --one-file-system {} +
}

# check_release NAME RELEASE GLOB
check_release() {
	# shellcheck disable=SC2053 # the glob is meant as one
	[[ $2 == $3 ]] ||
		die "kernel $1 is now $2, which is outside '$3': kernels.conf" \
		    "(and what the documentation says we support) must follow"
}

# apt_update: fetch the package lists, when this user may
apt_update() {
	[ "$(id -u)" -eq 0 ] || {
		say "the package lists are missing or out of date, and only" \
		    "root can run: apt-get update"
		return 1
	}
	say "apt-get update"
	apt-get -q update >&2
}

# need_packages PACKAGE...: install on this machine what is missing
need_packages() {
	local pkg missing=()

	[ $# -gt 0 ] || return 0
	for pkg; do
		dpkg-query -W -f '${db:Status-Status}\n' "$pkg" 2>/dev/null |
			grep -qx installed || missing+=("$pkg")
	done
	[ ${#missing[@]} -eq 0 ] && return
	[ "$(id -u)" -eq 0 ] ||
		die "please install: apt-get install ${missing[*]}"
	say "apt-get install ${missing[*]}"
	DEBIAN_FRONTEND=noninteractive apt-get -qy --no-install-recommends \
		-o DPkg::Lock::Timeout=300 install "${missing[@]}" >&2
}

# depends PACKAGE REGEX: the dependencies of PACKAGE that match
depends() {
	apt-cache "${apt_opts[@]}" depends --important "$1" 2>/dev/null |
		awk '$1 ~ /Depends:$/ { gsub(/[<>]/, "", $2); print $2 }' |
		grep -E -- "$2" || true
}

# package_version PACKAGE: the version that apt would install
package_version() {
	LC_ALL=C apt-cache "${apt_opts[@]}" policy "$1" |
		awk '$1 == "Candidate:" { print $2 }'
}

# resolve_headers PACKAGE: the release that a headers meta package means now, or the newest of
# the packages that a glob matches
resolve_headers() {
	local pkg

	case $1 in
	*'*'*)	pkg=$(newest_package "$1") ;;
	*)	pkg=$(depends "$1" '^linux-headers-[0-9].*-amd64$' | head -n 1) ;;
	esac
	[ -n "$pkg" ] && printf '%s\n' "${pkg#linux-headers-}"
}

# newest_package GLOB
newest_package() {
	local pkg

	apt-cache "${apt_opts[@]}" pkgnames "${1%%\**}" |
		while read -r pkg; do
			# shellcheck disable=SC2053 # the glob is meant as one
			[[ $pkg != $1 ]] || printf '%s\n' "$pkg"
		done | sort -V | tail -n 1
}

# unpack_kernel DIR RELEASE: headers, kbuild programs, image and modules, and
# the image at boot/vmlinuz-RELEASE whichever way it is packaged
unpack_kernel() {
	local dir=$1 kver=$2 common image kbuild new

	common=$(depends "linux-headers-$kver" '^linux-headers-.*-common(-rt)?$')
	kbuild=$(depends "linux-headers-$kver" '^linux-kbuild-')
	[ -n "$common" ] && [ -n "$kbuild" ] || return 1

	# In 7.x the image package is empty and depends on these two
	image=$(depends "linux-image-$kver" '^linux-(binary|modules)-')
	# shellcheck disable=SC2086 # one or two words
	fetch_debs "$dir" "linux-headers-$kver" "$common" "$kbuild" \
		${image:-linux-image-$kver} || return 1

	new=$dir/usr/lib/modules/$kver/vmlinuz
	[ ! -e "$new" ] || mv "$new" "$dir/boot/vmlinuz-$kver"
	[ -e "$dir/boot/vmlinuz-$kver" ] && [ -d "$dir/lib/modules/$kver" ]
}

# finish_modules DIR RELEASE: what the packages' own scripts would have done
finish_modules() {
	depmod -b "$1" "$2" 2>/dev/null ||
		say "no depmod here: modprobe cannot use $1/lib/modules"
}

# fetch_debs DIR PACKAGE...: download and unpack packages into DIR
fetch_debs() {
	local dir=$1 tmp deb

	shift
	tmp=$(mktemp -d "$cache/deb.XXXXXX")
	say "downloading $*"
	# A cache below /root is closed to apt's own download user
	if ! (cd "$tmp" && apt-get -q "${apt_opts[@]}" -o APT::Sandbox::User="$(id -un)" \
			download "$@" >&2); then
		rm -rf "$tmp"
		return 1
	fi
	for deb in "$tmp"/*.deb; do
		dpkg-deb -x "$deb" "$dir" || { rm -rf "$tmp"; return 1; }
	done
	rm -rf "$tmp"
}
