#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Count the cost of a scrape of "topdown export" to the whole machine, and of one of
# node_exporter's perf collector in the same machine.
#
#   beside.sh LOGS [CPUS]...     without any: 4 64
#
# BESIDE_SCRAPES (200 on 4 CPUs, 100 on more) and BESIDE_ROUNDS (3) are how many for a figure, and
# how often it is counted.
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

FLEET=$TOP/selftests/fleet
beside=$1/beside
guest=$beside/guest
shift
(($#)) || set -- 4 64
rounds=${BESIDE_ROUNDS:-3}

build() {
	local dir=$TOP/selftests

	gcc -O2 -Wall -Wextra -Werror -std=gnu11 -static -o "$guest/empty" "$dir/fleet/empty.c"
	gcc -O2 -Wall -std=gnu11 -D_GNU_SOURCE -static -I"$dir" -I"$dir/guest/lib" -I"$TOP/uapi" \
		-o "$guest/counted" "$dir/bench/counted.c" "$dir"/bench/count.c \
		"$dir"/guest/lib/{backdoor,device,perf}.c
	cp "$dir/fleet/beside-guest.sh" "$guest"
}

# fetch_exporter DIR: of Debian 13, as the one of Debian 12 opens all its events or none.  Kernels
# of that suite come in the same way, from functions with messages and an end of their own.
fetch_exporter() (
	here=$TOP/selftests/vm cache=$beside
	# shellcheck source=selftests/vm/kernel-lib.sh
	. "$here/kernel-lib.sh"
	# shellcheck source=selftests/vm/kernel-chroot.sh
	. "$here/kernel-chroot.sh"
	say() { note "$*"; }
	use_suite trixie
	fetch_debs "$1" prometheus-node-exporter
)

# node_exporter: a day old at most
node_exporter() {
	local package=$beside/package

	if [[ -z $(find "$beside/fetched" -mtime -1 2> /dev/null) ]]; then
		rm -rf "$package"
		fetch_exporter "$package"
		touch "$beside/fetched"
	fi
	cp "$package/usr/bin/prometheus-node-exporter" "$guest/node-exporter"
	"$guest/node-exporter" --version | head -n 1
}

need gcc=gcc curl=curl
rm -rf "$guest"
mkdir -p "$guest"
build
node_exporter
: > "$beside/counted"
for cpus; do
	scrapes=${BESIDE_SCRAPES:-$((cpus > 4 ? 100 : 200))}
	"$TOP/selftests/vm/run.sh" -k 6.12 -m spr -c "$cpus" -i -t "${BESIDE_LIMIT:-3600}" -M 2G \
		-a skew_tick=1 -o "$beside/vm-$cpus" -x "$guest:/beside" \
		-x /usr/bin/curl:/usr/bin/curl \
		"bash /beside/beside-guest.sh $scrapes $rounds" >> "$beside/counted" || {
		tail -n 5 "$beside/counted" >&2
		die "$cpus CPUs: not all was counted"
	}
done
tr -d '\r' < "$beside/counted" | awk -v sizes="$*" -v rounds="$rounds" -f "$FLEET/beside.awk"
