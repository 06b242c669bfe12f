#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build the emulator with the PMU of this directory, unless it is in the cache
# already, and print the directory that holds it as the last line.
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

PMU=$TOP/selftests/pmu
SERIES=1:7.2+dfsg			# Debian 12's source package.
# To the emulator's own files, in this order.
PATCHES=(hooks.patch smc.patch turns.patch cmpxchg.patch branches.patch resume.patch)
CODE=(topdown-model.c topdown-constraints.c topdown-pmu.c topdown-rate.c topdown-executed.c
	topdown-msr.c topdown-space.c topdown-pebs.c topdown-latency.c
	topdown-ibs.c topdown-ibs-draw.c topdown-pmu.h backdoor.h)
DIR=target/i386/tcg/sysemu		# Where CODE goes in the source.
BIOS=(usr/share/seabios/bios-256k.bin usr/share/qemu/kvmvapic.bin usr/share/qemu/linuxboot_dma.bin
	usr/share/qemu/multiboot_dma.bin)
KEEP=3					# Older emulators are deleted.

if (($#)); then
	cat << END
Usage: build.sh

Builds the emulator from Debian's source package of qemu and the files here, or
finds it in \${TOPDOWN_CACHE:-~/.cache/topdown}/pmu.  Prints on its last line the
directory of qemu-system-x86_64 and share/ (for -L).  A changed C file is rebuilt
in half a minute; a changed patch, or nothing cached, takes some minutes.
END
	[[ $1 == -h || $1 == --help ]] || exit 2
	exit
fi

root=$CACHE/pmu
final=$root/$(cd "$PMU" && hash_of build.sh "${PATCHES[@]}" "${CODE[@]}")

# shellcheck disable=SC2016  # The fields are for apt to fill in.
find_debian() {
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' | sort -u
}

# fetch DIR: the source package and the BIOS files, in lists and caches of ours.
fetch() {
	local dir=$1 apt version pkg
	mkdir -p "$dir/lists/partial" "$dir/archives/partial"
	find_debian | sed 's/^/deb-src /; p; s/^deb-src/deb/' > "$dir/sources.list"
	[[ -s $dir/sources.list ]] ||
		die "apt knows no Debian archive; as root run apt-get update, with Debian 12 in /etc/apt"
	apt=(apt-get -q -o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=/dev/null
		-o Dir::State::lists="$dir/lists" -o Dir::Cache="$dir" -o APT::Sandbox::User=)
	"${apt[@]}" update
	cd "$dir"
	for pkg in seabios qemu-system-data; do
		"${apt[@]}" download "$pkg"
		dpkg-deb -x "${pkg}"_*.deb data
	done
	"${apt[@]}" source --download-only qemu
	version=$(sed -n 's/^Version: //p' qemu_*.dsc | head -n 1)
	[[ $version == "$SERIES"* ]] ||
		die "this Debian has qemu $version, but our patches are for $SERIES: use Debian 12"
	dpkg-source --no-check -x qemu_*.dsc src
	rm -rf lists archives ./*.tar.xz ./*.deb
}

# Configured down to what boots a kernel: four minutes on two processors.
configure() {
	local file

	for file in "${PATCHES[@]}"; do
		patch -s -d "$tree/src" -p1 < "$PMU/$file"
	done
	printf 'CONFIG_PCI_DEVICES=n\nCONFIG_Q35=y\nCONFIG_ISA_DEBUG=y\n' > \
		"$tree/src/configs/devices/x86_64-softmmu/topdown.mak"
	rm -rf "$tree/build"
	mkdir "$tree/build"
	cd "$tree/build"
	../src/configure --target-list=x86_64-softmmu \
		--without-default-features --enable-tcg --enable-system --disable-kvm --disable-tools \
		--disable-docs --disable-guest-agent --disable-werror --without-default-devices \
		--enable-fdt=system --with-devices-x86_64=topdown
}

# Only a change of these needs a new tree.
tree_key() {
	{
		echo "$SERIES"
		declare -f configure
		cd "$PMU" && cat "${PATCHES[@]}"
	} | sha256sum | cut -c1-16
}

# The tree gets its name before it is configured: meson keeps absolute paths.
make_tree() {
	local new=$tree.new

	[[ ! -e $tree/build/build.ninja ]] || return 0
	note "fetching and configuring Debian's qemu"
	rm -rf "$root"/tree-*
	mkdir -p "$new"
	logged fetch "fetch Debian's qemu" fetch "$new"
	mv -T "$new" "$tree"
	copy_code
	logged configure "configure qemu" configure
}

# logged NAME WHAT COMMAND...: its output goes to NAME.log, and its first error
# ends it and us.  (In a condition bash would not let the first error end it.)
logged() {
	local log=$root/$1.log what=$2 status
	shift 2

	set +e
	(set -e; "$@") > "$log" 2>&1
	status=$?
	set -e
	((status == 0)) || {
		grep -A 10 -m 3 -E 'error:|FAILED' "$log" >&2 || tail -n 20 "$log" >&2
		die "cannot $what (log: $log)"
	}
}

copy_code() {
	mkdir -p "$tree/src/$DIR"
	(cd "$PMU" && cp "${CODE[@]}" "$tree/src/$DIR/")
}

compile() {
	note "compiling the emulator"
	copy_code
	logged compile "compile the emulator" \
		ninja -C "$tree/build" -j "$(nproc)" qemu-system-x86_64
}

collect() {
	local new=$root/new.$$ file

	rm -rf "$root"/new.*
	mkdir -p "$new/share"
	strip -o "$new/qemu-system-x86_64" "$tree/build/qemu-system-x86_64"
	for file in "${BIOS[@]}"; do
		cp -L "$tree/data/$file" "$new/share/"
	done
	sed -n 's/^Version: /qemu /p' "$tree"/qemu_*.dsc | head -n 1 > "$new/version"
	# What cannot even say its name must not get into the cache.
	"$new/qemu-system-x86_64" --version > /dev/null || die "the emulator that was built does not run"
	publish "$new" "$final"
}

# The newest few stay, so that two branches do not throw each other out.
prune() {
	find "$root" -mindepth 1 -maxdepth 1 -type d -regex '.*/[0-9a-f]+' -printf '%T@ %p\n' |
		sort -rn | tail -n +$((KEEP + 1)) | cut -d' ' -f2- | xargs -r rm -rf
}

build() {
	[[ ! -e $final/qemu-system-x86_64 ]] || return 0
	local start=$SECONDS

	need gcc=gcc ninja=ninja-build meson=meson pkg-config=pkg-config patch=patch \
		dpkg-source=dpkg-dev xz=xz-utils strip=binutils bison=bison flex=flex
	need_files '/usr/include/glib-2.0=libglib2.0-dev' '/usr/include/pixman-1=libpixman-1-dev' \
		'/usr/include/libfdt.h=libfdt-dev' '/usr/bin/python3=python3'
	make_tree
	compile
	collect
	prune
	note "the emulator is ready after $((SECONDS - start)) s"
}

mkdir -p "$root"
tree=$root/tree-$(tree_key)
with_lock pmu build
echo "$final"
