#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The installed files can be used, and uninstalling leaves no trace.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/suite.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
USERSPACE=$(dirname "$HERE")
ROOT=$TMP/root
CC=${CC:-gcc}
CXX=${CXX:-g++}

# quiet NAME COMMAND...: must succeed; its output is shown if it does not
quiet() {
	local name=$1 bad=0
	shift
	"$@" > "$TMP/log" 2>&1 || bad=1
	((!bad)) || sed 's/^/# /' "$TMP/log"
	result "$bad" "$name"
}

quiet 'make install' make -C "$USERSPACE" install DESTDIR="$ROOT" PREFIX=/usr \
	libdir=/usr/lib/somewhere
for file in bin/topdown bin/topdown-export lib/somewhere/libtopdown.so.1 lib/somewhere/libtopdown.a \
	lib/somewhere/pkgconfig/libtopdown.pc include/topdown/topdown.h include/topdown/topdown_region.h \
	include/topdown/topdown_names.h include/topdown/topdown_session.h \
	include/topdown/linux/topdown.h include/topdown/linux/topdown_session.h \
	include/topdown/topdown_owners.h include/topdown/linux/topdown_owner.h \
	include/topdown/linux/topdown_latency.h include/topdown/linux/topdown_map.h include/topdown/linux/topdown_watch.h \
	share/man/man1/topdown.1 share/man/man1/topdown-stat.1 \
	share/man/man1/topdown-history.1 share/man/man1/topdown-watch.1 share/man/man1/topdown-info.1 share/man/man1/topdown-perf.1 share/man/man1/topdown-export.1 share/man/man1/topdown-top.1 share/man/man3/libtopdown.3 \
	share/man/man3/topdown_region.3 share/man/man4/topdown.4 \
	share/bash-completion/completions/topdown share/zsh/site-functions/_topdown \
	share/fish/vendor_completions.d/topdown.fish lib/udev/rules.d/60-topdown.rules \
	lib/systemd/system/topdown-export.service lib/systemd/system/topdown-export.socket lib/systemd/system/topdown-record.service \
	share/topdown/prometheus-rules.yml share/topdown/prometheus-alerts.yml \
	share/topdown/grafana-dashboard.json share/topdown/pcp-openmetrics.url \
	share/topdown/containers/topdown-cdi.json share/topdown/containers/daemonset.yaml \
	share/topdown/containers/module.yaml share/topdown/containers/Dockerfile \
	lib/sysusers.d/topdown.conf share/doc/libtopdown-dev/examples/machine.c \
	share/doc/libtopdown-dev/examples/myself.cc \
	share/doc/libtopdown-dev/examples/percpu.py \
	share/doc/libtopdown-dev/examples/notebook.py lib/python3/dist-packages/topdown/__init__.py \
	lib/python3/dist-packages/topdown/py.typed; do
	result "$([[ -f $ROOT/usr/$file ]]; echo $?)" "installed: /usr/$file"
done

# The examples of the manual pages are the consumers.
mandoc_example() {
	sed -n '/^\.Bd -literal/,/^\.Ed/p' "$USERSPACE/man/$1.3" | sed '1d;$d;s/\\e/\\/g'
}
mandoc_example libtopdown > "$TMP/consumer.c"
mandoc_example topdown_region > "$TMP/regions.c"
export PKG_CONFIG_PATH=$ROOT/usr/lib/somewhere/pkgconfig PKG_CONFIG_SYSROOT_DIR=$ROOT
export PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
cflags=$(pkg-config --cflags libtopdown)
libs=$(pkg-config --libs libtopdown)
strict=(-Wall -Wextra -Wpedantic -Werror)
# shellcheck disable=SC2086
{
	quiet 'the example of libtopdown(3), C99, shared' "$CC" -std=c99 "${strict[@]}" \
		$cflags -o "$TMP/shared" "$TMP/consumer.c" $libs
	quiet 'the example of topdown_region(3), C99, shared' "$CC" -std=c99 "${strict[@]}" \
		$cflags -o "$TMP/regions" "$TMP/regions.c" $libs
	quiet 'the same, static' "$CC" -std=c99 "${strict[@]}" $cflags -o "$TMP/static" \
		"$TMP/consumer.c" "$ROOT/usr/lib/somewhere/libtopdown.a"
	cp "$TMP/consumer.c" "$TMP/consumer.cc"
	quiet 'the same, C++' "$CXX" -std=c++11 -Wall -Wextra -Werror $cflags -o "$TMP/cplusplus" \
		"$TMP/consumer.cc" $libs
}
for program in shared static cplusplus; do
	status=0
	LD_LIBRARY_PATH=$ROOT/usr/lib/somewhere "$TMP/$program" > "$TMP/out" 2>&1 || status=$?
	result "$((status != 1))" "consumer $program runs, and finds no module"
done
needed=$(readelf -d "$ROOT/usr/lib/somewhere/libtopdown.so.1" | grep -oE '\[lib[^]]+\]' | tr '\n' ' ')
result "$([[ $needed == '[libc.so.6] [libtopdown.so.1] ' ]]; echo $?)" \
	"libtopdown needs libc only: $needed"

# One list of functions: header, version script, shared library, archive, manual.
grep -hvE '^ \*' "$ROOT"/usr/include/topdown/*.h | grep -oE '\btopdown_[a-z_]+\(' | tr -d '(' |
	sort -u > "$TMP/header"
sed -nE 's/^\t\t(topdown_[a-z_]+);/\1/p' "$USERSPACE/lib/libtopdown.map" | sort -u > "$TMP/map"
nm -D --defined-only "$ROOT/usr/lib/somewhere/libtopdown.so.1" |
	sed -nE 's/.* T ([a-z_]+)@@.*/\1/p' | sort -u > "$TMP/so"
nm -g --defined-only "$ROOT/usr/lib/somewhere/libtopdown.a" | sed -nE 's/.* [A-Z] (.*)/\1/p' |
	sort -u > "$TMP/a"
sed -nE 's/^\.Nm (topdown_[a-z_]+).*/\1/p' "$USERSPACE"/man/*.3 | sort -u > "$TMP/man"
sed -nE 's/^\.F[no] (topdown_[a-z_]+).*/\1/p' "$USERSPACE"/man/*.3 | sort -u > "$TMP/synopsis"
result "$([[ $(lines "$TMP/header") -gt 15 ]]; echo $?)" 'the header has functions'
for list in map so a man synopsis; do
	quiet "functions of the header and of: $list" diff "$TMP/header" "$TMP/$list"
done

version=$("$TOPDOWN" --version | sed -n 's/^topdown //p')
result "$([[ $(pkg-config --modversion libtopdown) == "$version" ]]; echo $?)" \
	"pkg-config has version $version"

quiet 'make uninstall' make -C "$USERSPACE" uninstall DESTDIR="$ROOT" PREFIX=/usr \
	libdir=/usr/lib/somewhere
left=$(find "$ROOT" ! -type d)
result "$([[ -z $left ]]; echo $?)" "nothing is left: $left"

# The sources for DKMS: what is listed is all that the module needs, in its version.
if [[ -d $USERSPACE/../kmod ]]; then
	quiet 'make dkms_install' make -C "$USERSPACE/.." dkms_install DESTDIR="$ROOT"
	dkms=$ROOT/usr/src/topdown-$version
	for file in Kbuild Makefile kmod/Kbuild uapi/linux/topdown.h; do
		result "$([[ -f $dkms/$file ]]; echo $?)" "for DKMS: $file"
	done
	result "$(grep -qxF "PACKAGE_VERSION=\"$version\"" "$dkms/dkms.conf"; echo $?)" \
		'dkms.conf has the version'
	# A kernel without these has headers that compile, and then no functions.
	configs=$(sed -n 's/^BUILD_EXCLUSIVE_CONFIG="\(.*\)"$/ \1 /p' "$dkms/dkms.conf")
	for pair in perf_event=CONFIG_PERF_EVENTS tracepoint=CONFIG_TRACEPOINTS; do
		quiet "the module includes linux/${pair%=*}.h" \
			grep -xF "#include <linux/${pair%=*}.h>" -r "$dkms/kmod"
		result "$([[ $configs == *" ${pair#*=} "* ]]; echo $?)" \
			"dkms.conf asks for ${pair#*=}"
	done
	grep -rhoE '^#include "[^"]+"' "$dkms/kmod" | sed 's/.*"\(.*\)"/\1/' | sort -u |
		while read -r file; do
			[[ $(find "$dkms/kmod" -name "$file") ]] || echo "$file"
		done > "$TMP/missing"
	result "$([[ ! -s $TMP/missing ]]; echo $?)" \
		"headers of the module are there: $(tr '\n' ' ' < "$TMP/missing")"
	quiet 'make uninstall, of all' make -C "$USERSPACE/.." uninstall DESTDIR="$ROOT"
	left=$(find "$ROOT" ! -type d; find "$ROOT/usr/src" -mindepth 1)
	result "$([[ -z $left ]]; echo $?)" "nothing is left: $left"
else
	skip 'make dkms_install' 'there is no kmod directory'
fi

mkdir -p "$BUILD/static"
quiet 'make static' make -C "$USERSPACE" PROGRAM="$BUILD/static/topdown" static
run env -i "$BUILD/static/topdown.static" stat
expect 'the static command runs' 3 '' 'cannot open /dev/topdown'
run env -i PATH=/nowhere "$BUILD/static/topdown.static" export
expect 'the static command has no exporter' 127 '' 'it is not part of a static topdown'
result "$(! grep -q INTERP <<< "$(readelf -l "$BUILD/static/topdown.static")"; echo $?)" \
	'it needs no library'
finish
