#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# On the build machine: what values of a latency every 100 ms need, by "topdown latency" and by
# the perf of kernel 7, on the emulated Granite Rapids.  Debian 12's perf 6.1 cannot: its
# "perf script" has no field for the retire latency.
#
#   interval-run.sh [KERNEL]
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

need gcc=gcc
dir=$TOP/selftests
# shellcheck disable=SC2034 # kernel-chroot.sh uses it
cache=$CACHE/kernels
# shellcheck source=selftests/vm/kernel-chroot.sh
. "$dir/vm/kernel-chroot.sh"
eval "$("$dir/vm/kernel.sh" 7)"
guest=$(mktemp -d)
trap 'rm -rf "$guest"' EXIT

# fetch_perf DIR: unpack there linux-perf and all it needs that the chroot of kernel 7 lacks
fetch_perf() {
	local apt=$1/apt suite deb opts

	mkdir -p "$apt"/{state/lists/partial,cache/archives/partial,parts}
	for suite in trixie trixie-backports; do
		echo "deb [signed-by=$keyring] $(mirror) $suite main"
	done > "$apt/sources.list"
	opts=(-q -y -t trixie-backports --no-install-recommends -o "Dir::State=$apt/state"
		-o "Dir::Cache=$apt/cache" -o "Dir::State::status=$CHROOT/var/lib/dpkg/status"
		-o "Dir::Etc::sourcelist=$apt/sources.list" -o "Dir::Etc::sourceparts=$apt/parts"
		-o "Dir::Etc::preferencesparts=$apt/parts" -o "APT::Sandbox::User=$(id -un)")
	apt-get "${opts[@]}" update
	apt-get "${opts[@]}" --download-only install linux-perf
	for deb in "$apt"/cache/archives/*.deb; do
		dpkg-deb -x "$deb" "$1/root"
	done
}

# stage_perf DIR ROOT: a root of its own, as the libraries of that suite are newer
stage_perf() {
	local lib=usr/lib/x86_64-linux-gnu loader=$CHROOT/usr/lib64/ld-linux-x86-64.so.2

	mkdir -p "$2"/{bin,usr/bin,lib64,lib/x86_64-linux-gnu,proc,sys,dev,tmp}
	cp "$1/root/usr/bin/perf" "$CHROOT/usr/bin/stdbuf" "$2/usr/bin"
	cp -r "$CHROOT/usr/libexec" "$2/usr"
	cp -L "$loader" "$2/lib64"
	"$loader" --library-path "$1/root/$lib:$CHROOT/$lib" --list "$1/root/usr/bin/perf" |
		awk '$2 == "=>" { print $3 }' | xargs cp -L -t "$2/lib/x86_64-linux-gnu"
	cp "$(command -v busybox)" "$2/bin/busybox"
	ln -s busybox "$2/bin/sh"
	ln -s busybox "$2/bin/awk"
}

gcc -O2 -Wall -std=gnu11 -D_GNU_SOURCE -static -I"$dir" -I"$dir/guest/lib" -I"$TOP/uapi" -o "$guest/interval" \
	"$dir"/bench/{interval,count}.c "$dir"/guest/lib/{backdoor,device,perf}.c -lm -lpthread
cp "$dir/bench/interval.sh" "$guest"
fetch_perf "$guest/packages" > "$guest/apt.log" 2>&1 || die "no linux-perf: $(tail -n 3 "$guest/apt.log")"
stage_perf "$guest/packages" "$guest/perf"
rm -rf "$guest/packages"
# It takes the archive apart once more to find the libraries of each program.
tar -C "$guest" -cf "$guest/perf.tar" perf
rm -rf "$guest/perf"
# With 8 ns an instruction perf stat does not wait long enough for its perf record.
# The kernel's tests of its ciphers take a CPU for half a minute.
TOPDOWN_PMU_LATENCIES=$dir/pmu/latencies "$dir/vm/run.sh" -k "${1:-6.12}" -m gnr -c 2 -i -s "${BENCH_SHIFT:-1}" -t 3000 \
	-a cryptomgr.notests=1 -x "$guest:/bench" "BENCH_ROUNDS=${BENCH_ROUNDS:-3} BENCH_VALUES=${BENCH_VALUES:-20} bash /bench/interval.sh"
