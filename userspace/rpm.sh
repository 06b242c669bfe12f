#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "make rpm": source and binary packages for distributions with RPM, in a directory of their own.
#
#   rpm.sh DIRECTORY [ARGUMENT]...
#
# ARGUMENTs are those of rpmbuild; without any, -ba.  The version and the SONAME are those of the
# Makefiles.  On Debian --nodeps is needed, as its rpmbuild knows no package of Debian, nor the
# directories of systemd and of Python.
set -euo pipefail

if (($# < 1)); then
	echo "usage: ${0##*/} DIRECTORY [RPMBUILD-ARGUMENT]..." >&2
	exit 2
fi
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
(($#)) || set -- -ba

for pair in rpmbuild=rpm-build git=git xz=xz; do
	command -v "${pair%%=*}" > /dev/null && continue
	echo "${0##*/}: ${pair%%=*} is missing: install the package ${pair#*=}" >&2
	exit 1
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# value NAME FILE: of an assignment in a Makefile
value() {
	sed -n "s/^$1 *:= *//p" "$top/$2" | grep . && return
	echo "${0##*/}: $2 sets no $1" >&2
	return 1
}

version=$(value TOPDOWN_VERSION Makefile)
soversion=$(value SOVERSION userspace/Makefile)
# In RPM's order 1.0~rc1 comes before 1.0.
upstream=${version/-/'~'}
maintainer="${DEBFULLNAME:-The topdown developers} <${DEBEMAIL:-topdown@maintainer.invalid}>"
mkdir -p "$out"/{SOURCES,SPECS} "$tmp/topdown-$upstream"
# What was written and not built, also where the tree is no repository.
git init -q "$tmp/repository"
git --git-dir="$tmp/repository/.git" --work-tree="$top" -C "$top" \
	ls-files -o --exclude-standard -- . ':!/debian' ':!/deb' ':!/rpm' > "$tmp/files"
tar -C "$top" -c --verbatim-files-from -T "$tmp/files" | tar -C "$tmp/topdown-$upstream" -x
tar -C "$tmp" -c --owner=0 --group=0 "topdown-$upstream" | xz -1 > "$out/SOURCES/topdown-$upstream.tar.xz"
sed -e "s/@RPMVERSION@/$upstream/g; s/@VERSION@/$version/g; s/@SOVERSION@/$soversion/g" \
	-e "s/@DATE@/$(LC_ALL=C date -u '+%a %b %d %Y')/; s/@MAINTAINER@/${maintainer//\//\\/}/" \
	"$top/userspace/rpm/topdown.spec.in" > "$out/SPECS/topdown.spec"
macros=()
# default NAME VALUE: a macro that this rpm may lack
default() {
	[[ $(rpm --eval "%{?$1}") ]] || macros+=(--define "$1 $2")
}
default _unitdir /usr/lib/systemd/system
default _sysusersdir /usr/lib/sysusers.d
default _udevrulesdir /usr/lib/udev/rules.d
default python3_sitelib /usr/lib/python3/dist-packages
rpmbuild --define "_topdir $out" "${macros[@]}" "$@" "$out/SPECS/topdown.spec"
