#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build the library and the command for the guest, in the cache, and print the
# directory that they are installed in, as DESTDIR has it.
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/common.sh"

need make=make gcc=gcc pkg-config=pkg-config
need_files /usr/include/json-c/json.h=libjson-c-dev /usr/include/sys/capability.h=libcap-dev \
	/usr/include/curses.h=libncurses-dev /usr/include/microhttpd.h=libmicrohttpd-dev \
	/usr/include/zlib.h=zlib1g-dev /usr/include/elfutils/libdwfl.h=libdw-dev \
	/usr/include/libiberty/demangle.h=libiberty-dev
sources=(Makefile kmod uapi userspace)
key=$(cd "$TOP" && hash_of "${sources[@]}")
final=$CACHE/userspace/$key

build() {
	local dir=$final.$$

	[[ ! -e $final/done ]] || return 0
	mkdir -p "$dir/src"
	(cd "$TOP" && cp -a --parents "${sources[@]}" "$dir/src")
	note "building libtopdown and topdown"
	if ! make_all "$dir" > "$dir/build.log" 2>&1; then
		cat "$dir/build.log" >&2
		rm -rf "$dir"
		die "libtopdown and topdown do not build"
	fi
	touch "$dir/done"
	rm -rf "$final"
	mv -T "$dir" "$final"
	find "$CACHE/userspace" -mindepth 1 -maxdepth 1 -mtime +3 -exec rm -rf {} +
}

make_all() {
	local dir=$1

	make -C "$dir/src/userspace" clean
	make -C "$dir/src/userspace" all
	make -C "$dir/src/userspace" install DESTDIR="$dir/root" PREFIX=/usr prefix=/usr
}

with_lock "userspace-$key" build
echo "$final/root"
