# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A kernel of this machine's own Debian: its headers, kbuild programs and
# image are unpacked into the cache, not installed (an image that is
# installed makes an initrd, and this machine will never boot it).

: "${cache:?}"

fetch_deb() {
	local name=$1 want=$2 headers=$3 attempt kver dir needs

	for attempt in 1 2; do
		if kver=$(resolve_headers "$headers"); then
			check_release "$name" "$kver" "$want"
			dir=$cache/$name-$(package_version "linux-headers-$kver")
			reuse "$dir" && return
			new_dir "$dir"
			unpack_kernel "$dir" "$kver" && break
			rm -rf "$dir"
		fi
		# No lists yet, or the mirror has replaced what they name
		if [ "$attempt" -eq 2 ] || ! apt_update; then
			die "cannot fetch $headers (this needs Debian 12)"
		fi
	done

	# These makefiles name each other by absolute paths
	sed -i "s|/usr/src/|$dir/usr/src/|" \
		"$dir/usr/src/linux-headers-$kver/Makefile"
	finish_modules "$dir" "$kver"
	# Headers from 6.12 on bring a vmlinux, and then kbuild wants pahole
	needs="make libelf1 pahole $(depends "linux-headers-$kver" '^gcc-[0-9]+$')"
	finish "$dir" "$needs" "KVER=$kver" "VMLINUZ=$dir/boot/vmlinuz-$kver" \
		"KDIR=$dir/usr/src/linux-headers-$kver" \
		"MODDIR=$dir/lib/modules/$kver"
	printf '%s\n' "$dir"
}
