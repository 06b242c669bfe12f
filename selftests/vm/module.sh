#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build kmod/topdown.ko for a kernel under test, in the cache, and print where.
#   module.sh KERNEL [MAKE-ARGUMENT]...
# KERNEL is as for run.sh.  Built with W=1; warnings go to stderr, cached or not.
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/common.sh"

(($#)) || die "usage: module.sh KERNEL [MAKE-ARGUMENT]..."
kernel=$1
shift

if [[ $kernel == */* ]]; then
	assignments=$(< "$kernel")
else
	assignments=$("$TOP/selftests/vm/kernel.sh" "$kernel")
fi
CHROOT=
eval "$assignments"
[[ -n ${KDIR:-} && -n ${KVER:-} ]] || die "kernel $kernel: nothing to build modules with"

need make=make gcc=gcc
sources=(Kbuild Makefile kmod uapi)
key=$(cd "$TOP" && {
	hash_of "${sources[@]}"
	echo "$KVER $KDIR $CHROOT $*"
} | sha256sum | cut -c1-16)
final=$CACHE/modules/${KVER%%-*}-$key

build() {
	local dir=$final

	[[ ! -e $final/done ]] || return 0
	rm -rf "$dir"
	mkdir -p "$dir"
	(cd "$TOP" && cp -a --parents "${sources[@]}" "$dir")
	# Files that were built in the tree itself, for another kernel, must not be taken over.
	find "$dir" \( -name '*.o' -o -name '*.ko' -o -name '.*.cmd' -o -name '*.mod*' \) \
		-delete
	note "building the module for $KVER"
	if ! kernel_make "$dir" "$KDIR" "$CHROOT" W=1 "$@" > "$dir/build.log" 2>&1; then
		cat "$dir/build.log" >&2
		die "the module does not build for $KVER"
	fi
	touch "$dir/done"
	# Rebuilt modules must not pile up beside those of every earlier state.
	find "$CACHE/modules" -mindepth 1 -maxdepth 1 -mtime +3 -exec rm -rf {} +
}

with_lock "module-$(basename "$final")" build "$@"
# kbuild's compilers say "warning:", modpost and objtool "WARNING:".
grep -iE 'warning:' "$final/build.log" >&2 || true
echo "$final/kmod/topdown.ko"
