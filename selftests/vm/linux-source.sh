#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Fetch Debian's linux-source package once and print the directory that holds
#   linux.tar.xz   the kernel's source
#   tree/          of it: the framework of the kernel's selftests, and the
#                  scripts that lint needs
# None of it is ever copied into the repository.
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/common.sh"

package=linux-source-6.12
members=(
	tools/testing/selftests/Makefile
	tools/testing/selftests/lib.mk
	tools/testing/selftests/run_kselftest.sh
	tools/testing/selftests/kselftest.h
	tools/testing/selftests/kselftest_harness.h
	tools/testing/selftests/kselftest
	scripts/subarch.include
	scripts/checkpatch.pl
	scripts/spelling.txt
	scripts/const_structs.checkpatch
	scripts/kernel-doc
)

fetch() {
	local dir=$1 paths

	[[ ! -e $dir/done ]] || return 0
	need xz=xz-utils
	rm -rf "$dir"
	mkdir -p "$dir/tree"
	note "fetching $package $version (150 MB)"
	(cd "$dir" && apt-get -q download "$package=$version") > "$dir/fetch.log" 2>&1 ||
		die "cannot download $package (log: $dir/fetch.log)"
	dpkg-deb --fsys-tarfile "$dir"/*.deb |
		tar -xO --wildcards "./usr/src/$package.tar.xz" > "$dir/linux.tar.xz"
	rm "$dir"/*.deb
	note "unpacking what is needed of it"
	paths=("${members[@]/#/$package/}")
	tar -xf "$dir/linux.tar.xz" -C "$dir/tree" --strip-components=1 "${paths[@]}"
	touch "$dir/done"
}

candidate() {
	apt-cache policy "$package" | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }'
}

version=$(candidate)
if [[ -z $version ]]; then
	((EUID == 0)) || die "no package $package is known; as root run: apt-get update"
	with_lock apt apt-get -q update >&2
	version=$(candidate)
fi
[[ -n $version ]] || die "no package $package is known to apt"
dir=$CACHE/linux-source/$version
with_lock linux-source fetch "$dir"
echo "$dir"
