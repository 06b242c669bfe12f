#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The Debian packages: built from the source package, judged by lintian, installed,
# signed, upgraded, removed and purged in chroots, and used in emulated machines.
#
#   deb.sh [-g]    -g: leave out the emulated machines
#
# One KTAP line a step; its output comes before it.  Needs root.
#
# shellcheck disable=SC2317 # step() calls what must and step name
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"
# shellcheck source=selftests/vm/debian.sh
. "$TOP/selftests/vm/debian.sh"

WORK=$CACHE/debian/work
BUILD=$WORK/build
TARGET=$WORK/target
VM=$TOP/selftests/vm
guests=1
job=
trap '[[ -z $job ]] || kill -KILL -- "-$job"' EXIT
trap 'exit 130' INT TERM
[[ ${1:-} != -g ]] || guests=
number=0
failures=0

version=$(sed -n 's/^TOPDOWN_VERSION *:= *//p' "$TOP/Makefile")
next=$version.1

# step NAME FUNCTION [ARG]...: with all output, which is what a reader wants of it
step() {
	local name=$1 status=0
	shift

	number=$((number + 1))
	# In a process group, which is killed where this script is, with the chroots; and
	# not in a condition, where "set -e" would be off.
	set -m
	(set -e; "$@") > "$WORK/step" 2>&1 < /dev/null &
	job=$!
	set +m
	wait "$job" || status=$?
	job=
	sed 's/^/# /' "$WORK/step"
	if ((status)); then
		failures=$((failures + 1))
		echo "not ok $number $name"
	else
		echo "ok $number $name"
	fi
}

# must NAME FUNCTION...: the same, and without it the rest cannot be
must() {
	local before=$failures

	step "$@"
	((failures == before)) || finish
}

finish() {
	echo "1..$number"
	((failures == 0))
	exit
}

target() { in_chroot "$TARGET" "$@"; }
apt() { target apt-get -qy --no-install-recommends "$@"; }

# kernels: name, headers package and release of Debian's own kernels under test
kernels() {
	local name tier kind meta

	grep -vE '^[[:space:]]*(#|$)' "$VM/kernels.conf" |
		while read -r name tier kind _ meta; do
			[[ $kind == deb ]] || continue
			((tier < 4)) || continue
			echo "$name $meta $(apt-cache depends --important "$meta" |
				sed -n 's/.*Depends: linux-headers-\([0-9].*-amd64\)$/\1/p')"
		done
}

releases() { kernels | cut -d' ' -f3; }

# source_package VERSION: of the tree as it is, but for the version
source_package() {
	local tree=$WORK/tree-$1

	mkdir "$tree"
	# Other tests may build there: 1 says that something changed meanwhile, and what
	# is built does not get into a package.
	{ tar -C "$TOP" -c --exclude=.git --exclude=./deb --exclude=./userspace/build . ||
		(($? == 1)); } | tar -x -C "$tree"
	sed -i "s/^TOPDOWN_VERSION := .*/TOPDOWN_VERSION := $1/" "$tree/Makefile"
	touch -r "$TOP/Makefile" "$tree/Makefile"
	# It needs no debhelper for that.
	make -s -C "$tree" deb DEBFLAGS='-S -d -nc'
	mkdir "$BUILD/source-$1"
	find "$tree/deb" -type f -exec cp -t "$BUILD/source-$1" {} +
	ls -l "$BUILD/source-$1"
}

# build_dependencies: no more than the source package asks for
build_dependencies() {
	in_chroot "$BUILD" bash -c "apt-get -qy --no-install-recommends install build-essential
		apt-get -qy --no-install-recommends build-dep /source-$version/*.dsc
		useradd -m builder"
}

# build VERSION DIR [OPTIONS]: as any user, from the source package alone
build() {
	# shellcheck disable=SC2016 # expanded by the shells in the chroot
	in_chroot "$BUILD" bash -euc 'install -d -o builder "$2"
		cd "$2"
		exec setpriv --reuid builder --regid builder --init-groups env HOME="$2" \
			DEB_BUILD_OPTIONS="$3" bash -euc "
			dpkg-source -q -x /source-$1/*.dsc tree
			cd tree
			dpkg-buildpackage -us -uc -b"' bash "$1" "$2" "${3-}"
	ls -l "$BUILD$2"/*.deb
}

# Which files the packages have, and no other: those of make install
compare_lists() {
	local lists=$WORK/lists triplet

	triplet=$(in_chroot "$BUILD" dpkg-architecture -qDEB_HOST_MULTIARCH)
	mkdir "$lists"
	make -s -C "$TOP/userspace" install O="$lists/build" PROGRAM="$lists/topdown" \
		DESTDIR="$lists/root" PREFIX=/usr libdir="/usr/lib/$triplet" \
		pythondir=/usr/lib/python3/dist-packages systemdunitdir=/lib/systemd/system
	make -s -C "$TOP" dkms_install DESTDIR="$lists/root"
	(cd "$lists/root" && find . ! -type d | sed 's/^\.//') |
		grep -v '^/usr/src/.*/COPYING$' | sort > "$lists/installed"
	for package in "$BUILD"/out/*.deb; do
		[[ $package == *-dbgsym_* ]] || dpkg-deb -c "$package"
	done | awk '$1 !~ /^d/ { print substr($6, 2) }' |
		grep -vE '^/usr/share/(doc/([^/]+/[^/]+$|topdown)|lintian/overrides/)' |
		sed 's/\(\/man\/.*\)\.gz$/\1/' | sort > "$lists/packaged"
	wc -l "$lists/installed" "$lists/packaged"
	diff "$lists/installed" "$lists/packaged"
	make -s -C "$TOP/userspace" uninstall DESTDIR="$lists/root" PREFIX=/usr \
		libdir="/usr/lib/$triplet" pythondir=/usr/lib/python3/dist-packages \
		systemdunitdir=/lib/systemd/system
	make -s -C "$TOP" uninstall DESTDIR="$lists/root" > /dev/null
	[[ -z $(find "$lists/root" ! -type d) ]]
}

reproducible() {
	local file bad=0

	for file in "$BUILD"/out/*.deb; do
		sha256sum "$file" "${file/out/again}"
		cmp "$file" "${file/out/again}" || bad=1
	done
	return "$bad"
}

judge() {
	lintian --version
	# Experimental tags and those of taste are shown and do not count.
	lintian --allow-root --fail-on error,warning,info -EIL +pedantic \
		"$BUILD/out"/*.changes "$BUILD/source-$version"/*.changes
}

# prepare_target: install all that the packages depend on, and kernel headers
prepare_target() {
	local release

	cp -a "$base" "$TARGET"
	# shellcheck disable=SC2046
	apt install $(kernels | cut -d' ' -f2) dkms openssl systemd udev gcc pkgconf libc6-dev
	cp "$BUILD/out"/*.deb "$TARGET/root"
	rm "$TARGET"/root/*-dbgsym_*
	# shellcheck disable=SC2046
	apt install $(apt install -s $(packages) | awk '$1 == "Inst" { print $2 }' |
		grep -v topdown)
	target openssl req -new -x509 -nodes -days 30 -newkey rsa:2048 -outform DER \
		-subj '/CN=The key of a test' -keyout /root/mok.key -out /root/mok.der
	snapshot > "$WORK/before"
	release=$(releases | tail -n 1)
	target apt-get -qy purge "linux-headers-$release"
}

packages() { (cd "$TARGET" && find root -name '*.deb' -printf '/%p\n'); }

# snapshot: every file with its mode, and what /etc has in it
snapshot() {
	(cd "$TARGET" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./root \
		-o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache \
		-o -path ./var/log -o -path ./run \) -prune -o -printf '%M %u:%g %p %l\n' &&
		find etc lib/modules -type f -exec sha256sum {} +) | sort -k 3
}

install_packages_of() {
	cp "$BUILD/$1"/*.deb "$TARGET/root"
	# In Debian's order 1.0~rc1 comes before 1.0.
	# shellcheck disable=SC2046
	apt install $(packages | grep "_${2/-/'~'}-" | grep -v dbgsym)
}

first_install() {
	install_packages_of out "$version"
	target dkms status topdown
	target getent group topdown
	target topdown --version
}

# Upgrades and removals do nothing with a daemon that runs if debhelper found no unit.
scripts() {
	local at=$TARGET/var/lib/dpkg/info/topdown

	cat "$at"{,-export}.{postinst,prerm,postrm}
	grep 'deb-systemd-invoke try-restart .*topdown-record.service' "$at.postinst"
	grep 'deb-systemd-invoke try-restart .*topdown-export.socket' "$at-export.postinst"
	grep 'deb-systemd-invoke stop topdown-record.service' "$at.prerm"
	grep 'deb-systemd-invoke stop topdown-export.socket topdown-export.service' "$at-export.prerm"
	grep 'daemon-reload' "$at.postrm"
	grep 'daemon-reload' "$at-export.postrm"
	# Nothing starts it unasked.
	! grep -E 'deb-systemd-invoke (re)?start' "$at"{,-export}.postinst
}

# plain_module RELEASE FILE: what DKMS has built, as FILE.  From 6.12 on Debian's kernels
# have compressed modules.
plain_module() {
	local file=$TARGET/lib/modules/$1/updates/dkms/topdown.ko

	if [[ -e $file.xz ]]; then
		xz -dc "$file.xz" > "$2"
	else
		cp "$file" "$2"
	fi
}

# module RELEASE VERSION: the module of DKMS, of that version, for that kernel
module() {
	target modinfo -k "$1" topdown
	[[ $(target modinfo -k "$1" -F filename topdown) == "/lib/modules/$1/updates/dkms/"* ]]
	[[ $(target modinfo -k "$1" -F version topdown) == "$2" ]]
	[[ $(target modinfo -k "$1" -F vermagic topdown) == "$1 "* ]]
}

# signed RELEASE NAME CERTIFICATE: by that key, over these bytes
signed() {
	local file=$WORK/plain.ko length size

	plain_module "$1" "$file"
	[[ $(target modinfo -k "$1" -F signer topdown) == "$2" ]]
	[[ $(target modinfo -k "$1" -F sig_id topdown) == 'PKCS#7' ]]
	# struct module_signature ends with the length of the signature, then a mark.
	[[ $(tail -c 28 "$file") == '~Module signature appended~' ]]
	length=$((16#$(tail -c 32 "$file" | head -c 4 | od -An -tx1 | tr -d ' ')))
	size=$(($(stat -c %s "$file") - 40 - length))
	head -c "$size" "$file" > "$WORK/signed"
	tail -c $((length + 40)) "$file" | head -c "$length" > "$WORK/signature"
	openssl x509 -inform DER -in "$TARGET$3" -out "$WORK/certificate"
	verify_signature
	# A verification that always succeeds would prove nothing.
	printf x >> "$WORK/signed"
	! verify_signature
}

verify_signature() {
	openssl cms -verify -binary -inform DER -in "$WORK/signature" -content "$WORK/signed" \
		-certfile "$WORK/certificate" -nointern -noverify -out /dev/null
}

# A kernel that comes later gets its module from the hook of its headers.
later_kernel() {
	local release

	release=$(releases | tail -n 1)
	[[ ! -e $TARGET/lib/modules/$release/updates/dkms ]]
	# shellcheck disable=SC2046
	apt install $(kernels | tail -n 1 | cut -d' ' -f2)
	module "$release" "$version"
}

# boot_all: what DKMS does when the machine boots a kernel.  An upgrade builds for the
# newest one and, where it is not that of another machine as here, for the running one.
boot_all() {
	for release in $(releases); do
		target /usr/lib/dkms/dkms_autoinstaller start "$release"
	done
}

test_key() {
	local conf=$TARGET/etc/dkms/framework.conf

	cp -a "$conf" "$WORK/framework.conf"
	printf 'mok_signing_key=/root/mok.key\nmok_certificate=/root/mok.der\n' >> "$conf"
	target dpkg-reconfigure topdown-dkms
	boot_all
	cp -a "$WORK/framework.conf" "$conf"
	for release in $(releases); do
		signed "$release" 'The key of a test' /root/mok.der
	done
}

# An older kernel is left alone, with a word.
too_old() {
	local output status=0

	output=$(target dkms build -m topdown -v "$version" -k 6.0.19-amd64 \
		--kernelsourcedir "/usr/src/linux-headers-$(releases | head -n 1)" 2>&1) ||
		status=$?
	echo "status $status: $output"
	((status)) && [[ $output == *BUILD_EXCLUSIVE* ]]
}

no_module() {
	local output status=0

	output=$(target topdown stat 2>&1) || status=$?
	echo "status $status: $output"
	((status == 3)) && [[ $output == *'cannot open /dev/topdown'*modprobe* ]]
}

examples() {
	local doc=/usr/share/doc

	mkdir -p "$TARGET/tmp/units"
	cp "$TARGET$doc/topdown/examples/topdown-agent.service" "$TARGET/tmp/units"
	target systemd-analyze verify --man=no /tmp/units/topdown-agent.service
	target systemd-analyze security --offline=yes --threshold=20 \
		/tmp/units/topdown-agent.service
	# The unit that is installed; nothing starts it unasked.
	target systemd-analyze verify --man=no /lib/systemd/system/topdown-export.service
	target systemd-analyze security --offline=yes --threshold=20 \
		/lib/systemd/system/topdown-export.service
	target systemd-analyze verify --man=no /lib/systemd/system/topdown-record.service
	target systemd-analyze security --offline=yes --threshold=20 \
		/lib/systemd/system/topdown-record.service
	[[ $(target systemctl is-enabled topdown-export.socket) == disabled ]]
	[[ $(target systemctl is-enabled topdown-record.service) == disabled ]]
	# With every parameter that it has, and a module that has all of them.
	sed 's/^#options/options/' "$TARGET$doc/topdown-dkms/examples/modprobe.conf" \
		> "$TARGET/etc/modprobe.d/topdown.conf"
	target modprobe --config /etc/modprobe.d --show-config | grep '^options topdown ' |
		tr ' ' '\n' | sed -n 's/=.*//p' | sort > "$WORK/options"
	rm "$TARGET/etc/modprobe.d/topdown.conf"
	target modinfo -k "$(releases | head -n 1)" -p topdown | sed 's/:.*//' | sort \
		> "$WORK/parameters"
	cat "$WORK/options"
	[[ -s $WORK/options && -z $(comm -23 "$WORK/options" "$WORK/parameters") ]]
	[[ $(grep -v '^#' "$TARGET$doc/topdown-dkms/examples/modules-load.conf") == topdown ]]
}

# The example of the manual, with what libtopdown-dev installs
consumer() {
	zcat "$TARGET/usr/share/man/man3/libtopdown.3.gz" |
		sed -n '/^\.Bd -literal/,/^\.Ed/p' | sed '1d;$d;s/\\e/\\/g' \
		> "$TARGET/tmp/consumer.c"
	# shellcheck disable=SC2016 # expanded by the shell in the chroot
	target bash -euc 'cd /tmp
		gcc -Wall -Werror $(pkg-config --cflags libtopdown) -o consumer consumer.c \
			$(pkg-config --libs libtopdown)
		ldd ./consumer | grep libtopdown
		dpkg -S "$(readlink -f /usr/lib/*/libtopdown.so)"
		./consumer && exit 1
		[ $? = 1 ]'
}

# The Python module finds the library, whose words it has.
python_module() {
	local output

	output=$(target python3 -c 'import topdown
print(topdown.version(), len(topdown.nodes()))
try:
    topdown.Device()
except FileNotFoundError as error:
    print(error)')
	echo "$output"
	[[ $output == "$version "* && $output == *'the module is not loaded'* ]]
	[[ -d $TARGET/usr/lib/python3/dist-packages/topdown/__pycache__ ]]
}

upgrade() {
	install_packages_of next "$next"
	target dkms status
	module "$(releases | tail -n 1)" "$next"
	boot_all
	target dkms status
	[[ $(target dkms status) != *"topdown/$version,"* ]]
	[[ ! -e $TARGET/usr/src/topdown-$version ]]
	for release in $(releases); do
		module "$release" "$next"
	done
}

remove_packages() {
	apt remove '?name(topdown)'
	target dkms status
	[[ -z $(target dkms status) && -z $(find "$TARGET/lib/modules" -name 'topdown.ko*') ]]
	[[ ! -e $TARGET/usr/src/topdown-$next ]]
}

# All is as before, but for the group, and DKMS's key, which is not only ours.
purge_packages() {
	apt purge '?name(topdown)'
	rm -rf "$TARGET"/tmp/*
	snapshot > "$WORK/after"
	diff "$WORK/before" "$WORK/after" | tee "$WORK/diff" || true
	target getent group topdown
	# Where there are only headers of a kernel, depmod, which DKMS runs, makes its lists.
	! grep '^[<>]' "$WORK/diff" | grep -vE \
		'/var/lib/dkms/mok\.(key|pub) |etc/g(roup|shadow)-?$|lib/modules/[^/]+/modules\.[a-z.]+ ?$'
}

# keep_modules VERSION: of all kernels, for the emulated machines
keep_modules() {
	for release in $(releases); do
		mkdir -p "$WORK/modules-$1/$release"
		plain_module "$release" "$WORK/modules-$1/$release/topdown.ko"
	done
	cp "$TARGET/usr/bin/topdown" "$WORK/modules-$1"
}

# guest NAME RELEASE ARG...: a machine with what the packages installed, under the
# kernel that DKMS built for
guest() {
	local name=$1 release=$2
	shift 2

	(KVER=''; eval "$("$VM/kernel.sh" "$name")"; [[ $KVER == "$release" ]])
	"$VM/run.sh" -k "$name" -m spr -c 2 -N -x "$WORK/modules-$version/topdown:/usr/bin/topdown" \
		-x "$WORK/modules-$version/$release:/lib/modules/$release" \
		-x "$WORK/modules-$next/$release:/next/$release" \
		-x "$TOP/userspace/examples/topdown-agent.service" \
		-x "$TOP/selftests/ship/deb-guest.sh" "$@"
}

mkdir -p "$WORK.lock.d"
exec 8> "$WORK.lock.d/lock"
flock 8
# The directory itself stays: a tmpfs mounted there makes all of this much faster.
mkdir -p "$WORK"
rm -rf --one-file-system "${WORK:?}"/*

echo "KTAP version 1"
((EUID == 0)) || { echo "1..0 # SKIP chroots need root"; exit 4; }
need lintian=lintian debootstrap=debootstrap dpkg-source=dpkg-dev git=git openssl=openssl \
	xz=xz-utils make=make gcc=gcc
need_files $keyring=debian-archive-keyring

base=$(with_lock debian-base debian_base 2> "$WORK/base.log") || {
	tail -n 20 "$WORK/base.log"
	die "no chroot of this machine's Debian could be made"
}
cp -a "$base" "$BUILD"
echo "# Debian $(< "$base/etc/debian_version"), kernels: $(releases | tr '\n' ' ')"

must "the source package" source_package "$version"
must "the source package of the next release" source_package "$next"
must "what it needs to be built can be installed" build_dependencies
must "the packages are built, and pass their tests" build "$version" /out
must "they are built in another place, without tests" build "$version" /again nocheck
step "they are the same to the bit" reproducible
must "those of the next release are built" build "$next" /next nocheck
step "lintian accepts them" judge
step "they have the files of make install, which make uninstall removes" compare_lists
must "a machine to install them on" prepare_target
must "they are installed" first_install
step "an upgrade restarts the daemon, and a removal ends it" scripts
step "DKMS has built the module" module "$(releases | head -n 1)" "$version"
step "DKMS has signed it with its own key" \
	signed "$(releases | head -n 1)" 'DKMS module signing key' /var/lib/dkms/mok.pub
must "a kernel that comes later gets its module" later_kernel
step "with another key, the modules are signed with that" test_key
step "for Linux before 6.1 nothing is built" too_old
step "the command says that there is no module" no_module
step "the examples are right" examples
step "a program is built with libtopdown-dev" consumer
step "the Python module works" python_module
keep_modules "$version"
must "they are upgraded" upgrade
keep_modules "$next"
step "they are removed" remove_packages
step "they are purged without a trace" purge_packages
if [[ -n $guests ]]; then
	while read -r name _ release; do
		step "kernel $name: modprobe, the first figure, and an upgrade with an agent" \
			guest "$name" "$release" bash /deb-guest.sh "$version" "$next"
		step "kernel $name: locked down it refuses a key that is not enrolled" \
			guest "$name" "$release" -a lockdown=integrity \
			bash /deb-guest.sh locked
	done < <(kernels)
fi
finish
