#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run make in the chroot of a kernel that kernel.sh printed a CHROOT for.
#
#   chroot-make.sh CHROOT DIR MAKE-ARGUMENT...
#
# DIR is an absolute path on this machine; it is in the chroot at the same
# path, writable, and make starts there.  To build a module whose source is
# in DIR:
#
#   eval "$(kernel.sh 7)"
#   chroot-make.sh "$CHROOT" "$DIR" -C "$KDIR" M="$DIR" W=1 modules
#
# The mounts live in a mount namespace of their own and are gone when make
# is.  Needs root.

set -euo pipefail

if [ $# -lt 2 ]; then
	echo "usage: ${0##*/} CHROOT DIR MAKE-ARGUMENT..." >&2
	exit 2
fi
chroot=$1 dir=$2
shift 2

if [[ $chroot != /?* || ! -x $chroot/usr/bin/make ]]; then
	echo "${0##*/}: '$chroot': not a chroot made by kernel.sh" >&2
	exit 2
fi
if [[ $dir != /* || $dir == / || ! -d $dir ]]; then
	echo "${0##*/}: '$dir': must be an absolute path to a directory" >&2
	exit 2
fi

# shellcheck disable=SC2016 # expanded by the inner shell
exec unshare --mount --propagation private bash -euc '
	chroot=$1 dir=$2
	shift 2
	top=${dir#/}
	top=/${top%%/*}
	case $top in
	/bin | /dev | /etc | /lib | /lib64 | /proc | /sbin | /usr)
		echo "chroot-make.sh: $dir: use a directory outside $top" >&2
		exit 2 ;;
	esac
	# The path down to DIR is made on a tmpfs: what is mounted here must
	# not leave directories behind in a chroot that others use
	mkdir -p "$chroot$top"
	if [ "$top" != "$dir" ]; then
		mount -t tmpfs tmpfs "$chroot$top"
		mkdir -p "$chroot$dir"
	fi
	mount --bind "$dir" "$chroot$dir"
	mount -t proc proc "$chroot/proc"
	[ "$top" = /tmp ] || mount -t tmpfs tmpfs "$chroot/tmp"
	[ -c "$chroot/dev/null" ] || mount --bind /dev "$chroot/dev"
	cd /
	exec chroot "$chroot" /usr/bin/env -i PATH=/usr/sbin:/usr/bin \
		HOME=/root LC_ALL=C TERM="${TERM-dumb}" \
		make "$@"
' bash "$chroot" "$dir" "$@"
