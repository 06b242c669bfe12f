#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The RPM packages: they are built, rpmlint has nothing to say of them, and they have the files
# that "make install" has.
#
#   rpm.sh
#
# KTAP on stdout.  Nothing is installed but rpmbuild and rpmlint.
# shellcheck disable=SC2317 # check() calls them
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

need rpmbuild=rpm rpmlint=rpmlint cpio=cpio git=git xz=xz-utils make=make
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
number=0 failed=0

# check NAME COMMAND...: one line of KTAP, and what it printed if it fails
check() {
	local name=$1
	shift
	number=$((number + 1))
	if "$@" > "$WORK/log" 2>&1; then
		echo "ok $number $name"
		return
	fi
	tail -n 40 "$WORK/log" | sed 's/^/# /'
	echo "not ok $number $name"
	failed=1
}

is_quiet() {
	rpmlint -c "$TOP/userspace/rpm/rpmlint.toml" "$WORK/out/SPECS/topdown.spec" \
		"$WORK"/out/RPMS/*/*.rpm > "$WORK/lint" 2>&1 || true
	grep -E ': [EW]: ' "$WORK/lint" && return 1
	grep -q '6 packages and 1 specfiles checked; 0 errors, 0 warnings' "$WORK/lint"
}

packages() { ls "$WORK"/out/RPMS/*/*.rpm; }

# The files of the packages, and those that are installed: but for licences, documents, and the module
has_all() {
	local file
	for file in "$WORK"/out/RPMS/*/*.rpm; do
		rpm2cpio "$file" | cpio -idm --quiet -D "$WORK/root"
	done
	[[ $("$WORK/root/usr/bin/topdown" --help) == *'Usage: topdown'* ]] || return 1
	make -s -C "$TOP/userspace" install DESTDIR="$WORK/installed" PREFIX=/usr libdir=/usr/lib64 \
		mandir=/usr/share/man pythondir="$(rpm --eval '%{?python3_sitelib}' | grep . ||
		echo /usr/lib/python3/dist-packages)" examplesdir=/usr/share/doc/libtopdown-devel/examples
	diff <(list installed) <(list root)
}

list() {
	(cd "$WORK/$1" && find . -type f -o -type l) | sed -E 's/\.(gz|bz2|zst)$//' |
		grep -vE '^\./usr/(src|share/licenses|share/doc/(topdown|libtopdown|python3-topdown)[^/]*/|lib/\.build-id)' |
		grep -vE 'share/doc/libtopdown-devel/[^/]*$|\.pyc$' | sort
}

echo 'KTAP version 1'
echo 1..4
mkdir "$WORK/root"
check 'packages are built' "$TOP/userspace/rpm.sh" "$WORK/out" -ba --nodeps --nocheck
check 'six of them, and the sources' test "$(packages | wc -l)" = 6 -a -n "$(ls "$WORK"/out/SRPMS/*.src.rpm)"
check 'rpmlint has nothing to say' is_quiet
check 'they have what is installed' has_all
exit $failed
