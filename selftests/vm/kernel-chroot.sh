# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A kernel of a newer Debian suite than this machine's.  Its kbuild programs
# (modpost, objtool) are linked with that suite's C library and it is built
# with that suite's compiler, so its modules are made in a small chroot of the
# suite; chroot-make.sh enters it.  The kernel packages are only unpacked
# there: installing them would bring in an initramfs generator.
#
# Mounts are made in a mount namespace of their own, which the kernel takes
# down with the last process in it: nothing stays mounted, however we end.

: "${cache:?}"

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# mirror: the archive that this machine's own Debian comes from
mirror() {
	local uri

	# shellcheck disable=SC2016 # apt expands these
	uri=$(apt-get indextargets --format '$(SITE) $(LABEL)' \
		'Created-By: Packages' 2>/dev/null |
		awk '$2 == "Debian" { print $1; exit }')
	printf '%s\n' "${uri:-http://deb.debian.org/debian}"
}

# use_suite SUITE: point apt_opts at lists of SUITE alone, apart from ours
use_suite() {
	local dir=$cache/apt-$1

	mkdir -p "$dir/state/lists/partial" "$dir/cache/archives/partial" \
		"$dir/parts"
	: >"$dir/status"
	printf 'deb [signed-by=%s] %s %s main\n' \
		"$keyring" "$(mirror)" "$1" >"$dir/sources.list"
	apt_opts=(-o "Dir::State=$dir/state" -o "Dir::Cache=$dir/cache"
		  -o "Dir::State::status=$dir/status"
		  -o "Dir::Etc::sourcelist=$dir/sources.list"
		  -o "Dir::Etc::sourceparts=$dir/parts"
		  -o "Dir::Etc::preferencesparts=$dir/parts"
		  -o "APT::Default-Release=$1")
	say "reading the package lists of $1"
	apt-get -q "${apt_opts[@]}" -o APT::Sandbox::User="$(id -un)" \
		update >&2
}

# make_chroot DIR SUITE COMPILER: with pahole, because the headers bring a
# vmlinux with BTF and kbuild then fails without it
make_chroot() {
	say "debootstrap of $2, about half a minute"
	unshare --mount --propagation private \
		debootstrap --variant=minbase --keyring="$keyring" \
		--include="$3,make,libelf1t64,pahole" "$2" "$1" "$(mirror)" |
		grep -Ev '^I: [A-Z][a-z]+ing [a-z0-9.+:-]+( [0-9]|\.\.\.$)' >&2
	rm -f "$1"/var/cache/apt/archives/*.deb
}

fetch_chroot() {
	local name=$1 want=$2 suite=$3 kernels=$4 headers=$5
	local compiler dir kver

	[ "$(id -u)" -eq 0 ] || die "kernel $name needs a chroot, so root"
	need_packages debootstrap debian-archive-keyring kmod

	use_suite "$kernels" || die "cannot read the package lists of" \
		"$kernels; TOPDOWN_OFFLINE=1 takes what is cached"
	if ! kver=$(resolve_headers "$headers"); then
		# A release that the suite had once may still be in the cache.
		dir=$(newest_cached "$name") || die "no $headers in $kernels: take the" \
			"row '$name' out of kernels.conf"
		say "there is no $headers in $kernels any more, so take $dir"
		reuse "$dir"
		return
	fi
	check_release "$name" "$kver" "$want"
	dir=$cache/$name-$(package_version "linux-headers-$kver")
	reuse "$dir" && return
	new_dir "$dir"

	compiler=$(depends "linux-headers-$kver" '^gcc-[0-9]+' | head -n 1)
	[ -n "$compiler" ] || die "linux-headers-$kver names no compiler"
	make_chroot "$dir/root" "$suite" "${compiler%-for-host}"
	unpack_kernel "$dir/root" "$kver" || die "cannot fetch $kver"
	finish_modules "$dir/root" "$kver"
	finish "$dir" "" "KVER=$kver" \
		"VMLINUZ=$dir/root/boot/vmlinuz-$kver" \
		"KDIR=/usr/src/linux-headers-$kver" \
		"MODDIR=$dir/root/lib/modules/$kver" "CHROOT=$dir/root"
	printf '%s\n' "$dir"
}
