#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Fetch or build a kernel under test, and say where it is.
#
#   kernel.sh NAME      prints shell assignments on stdout:
#                         KVER     kernel release (uname -r)
#                         VMLINUZ  bootable image
#                         KDIR     tree to build modules against (make -C)
#                         MODDIR   directory of that kernel's own modules
#                         CHROOT   set for kernels whose KDIR only works in
#                                  a chroot: KDIR is then the path as seen
#                                  in there, and chroot-make.sh runs make
#   kernel.sh -l [TIER] lists the names in kernels.conf, up to a tier
#
# Everything is kept under ${TOPDOWN_CACHE:-~/.cache/topdown}/kernels; this
# machine gets no kernel installed.  Any number may run at once.  Progress
# goes to stderr.  TOPDOWN_OFFLINE=1 takes the newest cached one as it is.

set -euo pipefail
shopt -s inherit_errexit

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${TOPDOWN_CACHE:-$HOME/.cache/topdown}/kernels

# shellcheck source=kernel-lib.sh
. "$here/kernel-lib.sh"

usage() {
	printf 'usage: %s NAME | -l [TIER]\nkernels: %s\n' "${0##*/}" \
		"$(list_kernels 9 | paste -sd' ')" >&2
	exit 2
}

# list_kernels TIER: the names whose tier is at most TIER
list_kernels() {
	awk -v t="$1" '!/^[[:space:]]*(#|$)/ && $2 <= t { print $1 }' \
		"$here/kernels.conf"
}

main() {
	local dir kind line name needs source want

	case ${1-} in
	-l)	list_kernels "${2-9}"; exit 0 ;;
	-*|'')	usage ;;
	esac
	[ $# -eq 1 ] || usage

	name=$1
	line=$(awk -v n="$name" '!/^[[:space:]]*#/ && $1 == n' \
		"$here/kernels.conf")
	if [ -z "$line" ]; then
		say "kernel '$name' is not in kernels.conf"
		usage
	fi
	read -ra source <<<"$line"
	kind=${source[2]} want=${source[3]} source=("${source[@]:4}")

	mkdir -p "$cache"
	exec 9>"$cache/$name.lock"
	if ! flock -n 9; then
		say "waiting for another run that fetches $name"
		flock 9
	fi

	dir=$(newest_cached "$name") || dir=
	if [ -n "${TOPDOWN_OFFLINE-}" ]; then
		[ -n "$dir" ] ||
			die "$name is not in $cache, and TOPDOWN_OFFLINE is set"
	elif [ -z "$dir" ] || ! still_current "$dir"; then
		# shellcheck source=/dev/null
		. "$here/kernel-$kind.sh"
		dir=$("fetch_$kind" "$name" "$want" "${source[@]}")
		drop_old "$name" "$dir"
	fi

	read -ra needs <"$dir/needs"
	need_packages "${needs[@]}"
	cat "$dir/env"
}

main "$@"
