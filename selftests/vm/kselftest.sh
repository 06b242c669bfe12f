#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build the in-guest tests as a kernel tree does, and print the directory that
# they are installed in, with run_kselftest.sh.
#
# selftests/guest becomes tools/testing/selftests/topdown of a tree made of
# Debian's linux-source, in the cache, with our header where "make headers"
# would put it.  Arguments go to make, for example W=1.
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/common.sh"

need make=make gcc=gcc rsync=rsync
linux=$("$TOP/selftests/vm/linux-source.sh")
mapfile -t files < <(cd "$TOP" && find selftests/guest -type f ! -name '*.o' | sort)
# What they need of other rooms.
files+=(selftests/pmu/backdoor.h selftests/proof/fuzz.corpus)
key=$(cd "$TOP" && {
	sha256sum "${files[@]}" selftests/vm/kselftest.sh
	hash_of uapi kmod/common userspace/include userspace/lib
	echo "$linux $*"
} | sha256sum | cut -c1-16)
final=$CACHE/kselftest/$key

build() {
	local tests=$final/tree/tools/testing/selftests

	[[ ! -e $final/done ]] || return 0
	rm -rf "$final"
	mkdir -p "$final"
	cp -a "$linux/tree" "$final/tree"
	mkdir -p "$final/tree/usr/include"
	cp -a "$TOP/uapi/linux" "$final/tree/usr/include/"
	mkdir -p "$tests/topdown/pmu"
	(cd "$TOP/selftests/guest" && find . -type f ! -name '*.o' -exec cp -a --parents -t "$tests/topdown" {} +)
	cp -a "$TOP/selftests/pmu/backdoor.h" "$tests/topdown/pmu/"
	cp -a "$TOP/selftests/proof/fuzz.corpus" "$tests/topdown/"
	# Tests may compile the library, and with it the module's arithmetic, as a
	# kernel tree would let them.
	mkdir -p "$tests/topdown/kmod" "$tests/topdown/userspace"
	cp -a "$TOP/kmod/common" "$tests/topdown/kmod/"
	cp -a "$TOP"/userspace/{include,lib} "$tests/topdown/userspace/"
	note "building the in-guest tests"
	if ! make -C "$tests" -j "$(nproc)" TARGETS=topdown FORCE_TARGETS=1 \
		KSFT_INSTALL_PATH="$final/install" USERCFLAGS="-O2 -g -Wall -Werror" \
		"$@" install > "$final/build.log" 2>&1; then
		tail -n 40 "$final/build.log" >&2
		die "the in-guest tests do not build (log: $final/build.log)"
	fi
	touch "$final/done"
	find "$CACHE/kselftest" -mindepth 1 -maxdepth 1 -mtime +3 -exec rm -rf {} +
}

with_lock "kselftest-$key" build "$@"
echo "$final/install"
