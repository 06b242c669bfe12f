#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A copy of the headers, the library and the stand-in for the kernel in which the ABI is
# that of another release, for growth.sh.
#
#   grow.sh MODE DIRECTORY
#
# now      as it is
# longer   each structure but struct topdown_sums and struct topdown_figures has three more
#          numbers at its end, and there is a kind of core, and a child of a fifth parent, that
#          nobody knows today
set -euo pipefail

(($# == 2)) || { echo "usage: ${0##*/} MODE DIRECTORY" >&2; exit 2; }
TOP=$(cd "$(dirname "$0")/../../.." && pwd)
mode=$1 out=$2

rm -rf "$out"
mkdir -p "$out/kmod/sums" "$out/uapi/linux" "$out/userspace"
cp "$TOP"/uapi/linux/*.h "$out/uapi/linux"
cp -r "$TOP/kmod/common" "$out/kmod"
cp "$TOP"/kmod/sums/{map.[ch],share.[ch],seqlock.h} "$out/kmod/sums"
cp -r "$TOP"/userspace/{include,lib} "$out/userspace"
mkdir "$out/userspace/check"
cp -r "$TOP"/userspace/check/{check.h,abi,fake} "$out/userspace/check"
mkdir -p "$out/selftests/host"
cp "$TOP/selftests/host/ktap.h" "$out/selftests/host"
# The differences between kernels do not matter here.
echo > "$out/kmod/compat.h"

# change AWK: each structure of the ABI, by a program that prints what it has in $0
change() {
	local header
	for header in "$out"/uapi/linux/*.h "$out/userspace/include/topdown.h"; do
		awk -v name= "
			/^struct topdown_[a-z_]+ \{\$/ { name = \$2 }
			$1
			/^};\$/ { name = \"\" }
			{ print }" "$header" > "$header.new"
		mv "$header.new" "$header"
	done
}

case $mode in
now) ;;
longer)
	change '/^};$/ && name != "" && name != "topdown_sums" && name != "topdown_figures" {
		print "\t__aligned_u64 grown[3];"
	}'
	sed -i 's/^#define _UAPI_LINUX_TOPDOWN_H$/&\n#define TOPDOWN_GROWN 2/' \
		"$out/uapi/linux/topdown.h"
	sed -Ei 's/(#define TD_NR_KINDS\s+).*/\14/; s/(#define TD_NR_NODES\s+).*/\115/;
		s/(#define TD_NR_PARENTS\s+).*/\15/' \
		"$out/kmod/common/known.h"
	sed -i 's/^.*\[TOPDOWN_SMT_CONTENTION\].*/&\n\t[14] = "tma_grown",/' "$out/kmod/common/names.c"
	grep -q tma_grown "$out/kmod/common/names.c"
	sed -i 's/^\t__u32 nodes = 3U << (TOPDOWN_HEAVY_OPERATIONS + 2 \* parent);$/\t__u32 nodes = parent == 4 ? 1U << 14 : 3U << (TOPDOWN_HEAVY_OPERATIONS + 2 * parent);/' \
		"$out/kmod/common/metrics.h"
	grep -q 'parent == 4' "$out/kmod/common/metrics.h"
	sed -i -e 's/^\ttd_map_figures(&record->window, .*/&\n\tmemcpy(record->grown, entry->grown, sizeof(record->grown));/' \
		-e 's/^\twindow.clamped = slot.clamped;$/&\n\tmemcpy(window.grown, slot.grown, sizeof(window.grown));/' \
		"$out/userspace/lib/map.c"
	(($(grep -c grown "$out/userspace/lib/map.c") == 2))
	;;
*)
	echo "${0##*/}: unknown mode $mode" >&2
	exit 2
	;;
esac
# A change that finds nothing would be a test of nothing.
structs=$(cat "$out"/uapi/linux/*.h "$out/userspace/include/topdown.h" | grep -cE '^struct topdown_[a-z_]+ \{$')
grown=$(cat "$out"/uapi/linux/*.h "$out/userspace/include/topdown.h" | grep -c 'grown\[3\];' || true)
[[ $mode == longer ]] && expected=$((structs - 2)) || expected=0
((grown == expected)) || {
	echo "${0##*/}: $grown of $structs structures have grown" >&2
	exit 1
}
