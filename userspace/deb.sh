#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "make deb": source and binary packages for Debian, in a directory of their own.
#
#   deb.sh DIRECTORY [ARGUMENT]...
#
# ARGUMENTs are those of dpkg-buildpackage.  The names of the packages follow
# from the Makefiles (version, SONAME) and from lib/libtopdown.map (symbols), and
# from nothing in debian/.  The packages are built from a copy, so that debian/
# is at the top only there.  DEBFULLNAME and DEBEMAIL name the maintainer.
set -euo pipefail

if (($# < 1)); then
	echo "usage: ${0##*/} DIRECTORY [DPKG-BUILDPACKAGE-ARGUMENT]..." >&2
	exit 2
fi
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift

for pair in dpkg-buildpackage=dpkg-dev git=git xz=xz-utils; do
	command -v "${pair%%=*}" > /dev/null && continue
	echo "${0##*/}: ${pair%%=*} is missing: apt-get install ${pair#*=}" >&2
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

# sources: what was written and not built, also where the tree is no repository
sources() {
	git init -q "$tmp/repository"
	git --git-dir="$tmp/repository/.git" --work-tree="$top" -C "$top" \
		ls-files -o --exclude-standard -- . ':!/debian' ':!/deb' ':!/rpm'
}

# when: the time of the last commit, or else of the last change
when() {
	git -C "$top" log -1 --format=%ct 2> /dev/null && return
	sources | (cd "$top" && xargs -d '\n' stat -c %Y) | sort -n | tail -n 1
}

# fill FILE...: what the templates leave open; their licence is that of the tree
fill() {
	sed -e "s/@VERSION@/$version/g; s/@DEBVERSION@/$upstream-$revision/g" \
		-e "s/@SOVERSION@/$soversion/g; s/@DATE@/$(date -uRd "@$epoch")/" \
		-e "s/@MAINTAINER@/${maintainer//\//\\/}/" -e '/^# SPDX-/d' "$@"
}

version=$(value TOPDOWN_VERSION Makefile)
soversion=$(value SOVERSION userspace/Makefile)
# In Debian's order 1.0~rc1 comes before 1.0.
upstream=${version/-/'~'}
# Debian's own packages begin with revision 1 and are to replace these.
revision=0topdown1
epoch=${SOURCE_DATE_EPOCH:-$(when)}
maintainer="${DEBFULLNAME:-The topdown developers} <${DEBEMAIL:-topdown@maintainer.invalid}>"

tree=$tmp/topdown-$upstream
mkdir "$tree"
sources > "$tmp/files"
tar -C "$top" -c --verbatim-files-from -T "$tmp/files" | tar -C "$tree" -x
chmod -R u+rwX,go+rX,go-w "$tree"
tar -C "$tmp" -c --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner \
	"${tree##*/}" | xz > "$tmp/topdown_$upstream.orig.tar.xz"

data=$top/userspace/debian
mkdir -p "$tree/debian/source"
echo '3.0 (quilt)' > "$tree/debian/source/format"
# There is no address yet where releases could be looked for.
echo 'debian-watch-file-is-missing' > "$tree/debian/source/lintian-overrides"
for file in "$data"/*; do
	name=$(basename "$file" .in)
	# debhelper wants the files of a package under its name.
	fill "$file" > "$tree/debian/${name/#libtopdown./libtopdown$soversion.}"
done
chmod +x "$tree/debian/rules"
{
	echo "libtopdown.so.$soversion libtopdown$soversion #MINVER#"
	echo '* Build-Depends-Package: libtopdown-dev'
	sed -n 's/^TOPDOWN_\([0-9.]*\) {$/ (symver)TOPDOWN_\1 \1~/p' \
		"$top/userspace/lib/libtopdown.map"
} > "$tree/debian/libtopdown$soversion.symbols"

(cd "$tree" && dpkg-buildpackage -us -uc "$@")
find "$tmp" -maxdepth 1 -type f ! -name files -exec mv -t "$out" {} +
