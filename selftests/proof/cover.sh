#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Say which lines of the module a test executes: the debug kernel has gcov and KCOV, and the
# module is built for both.  Not part of "make check".
set -euo pipefail

usage() {
	cat << END
Usage: cover.sh [OPTION]... [MACHINE[,threads]]...

Runs fuzz_test on these machines (default: spr gnr skx,threads zen4), and prints how many
lines of each file of kmod/ were executed on any of them.  The test gets TOPDOWN_ROUND,
TOPDOWN_PLUG and TOPDOWN_SEED of the environment.

  -c CALLS  so many calls on each (default 12000)
  -t TEST   another test than fuzz_test
  -i        count instructions (run.sh -h): no CPU waits for one that the host does not run
  -a ARGS   more arguments of the kernel; with kmemleak=off it makes three times as many calls
            in the same time, and finds no leak
  -l        print the lines that were not executed, too
  -w        write the programs that reached new code to fuzz.corpus, in place of those before
            its second comment
  -h        this text
END
}

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

VM=$TOP/selftests/vm
CORPUS=$TOP/selftests/proof/fuzz.corpus
calls=12000 name=fuzz_test lines='' write='' options=()
while getopts :c:t:ia:lwh opt; do
	case $opt in
	c) calls=$OPTARG ;;
	t) name=$OPTARG ;;
	i) options+=(-i) ;;
	a) options+=(-a "$OPTARG") ;;
	l) lines=1 ;;
	w) write=1 ;;
	h) usage; exit ;;
	*) die "option -$OPTARG is unknown or lacks its value; try cover.sh -h" ;;
	esac
done
shift $((OPTIND - 1))
(($#)) || set -- spr gnr skx,threads zen4
[[ -z $write || $name == fuzz_test ]] || die "only fuzz_test has programs to write"

# in_guest: run the test, and print what gcov counted, as an archive in text.
in_guest() {
	local variable

	for variable in ROUND PLUG SEED; do
		variable=TOPDOWN_$variable
		[[ ! -v $variable ]] || echo "export $variable=${!variable@Q}"
	done
	cat << END
cd /kselftest/topdown || exit
TOPDOWN_CALLS=$calls ./$name || exit
mkdir /tmp/cover && cd /tmp/cover || exit
find /sys/kernel/debug/gcov -name '*.gcda' | while read -r file; do
	# Such files have no size before they are read.
	cat "\$file" > "\${file##*/}" || exit
done
echo "# begin of data"
tar -cz *.gcda | base64
echo "# end of data"
END
}

# cover MACHINE[,threads]: its counts go to $work/MACHINE.
cover() {
	local machine=${1%%,*} cpus=4 dir
	dir=$work/$machine

	[[ $1 != *,threads ]] || cpus=4,threads=2
	mkdir -p "$dir"
	TOPDOWN_PMU_LATENCIES=$TOP/selftests/pmu/latencies \
		"$VM/run.sh" -k debug -m "$machine" -c "$cpus" -t 9000 "${options[@]}" -K "$ko" \
		-o "$dir/run" -x "$tests:/kselftest" "$(in_guest)" \
		> "$dir/output" 2> "$dir/err" || {
		grep -v '^# program' "$dir/output" | tail -n 15 >&2
		cat "$dir/err" >&2
		die "$name fails on $machine"
	}
	grep -E '^# .*(calls|places)' "$dir/output" | sed "s/^#/$machine:/" >&2 || true
	sed -n '/^# begin of data/,/^# end of data/p' "$dir/output" | grep -v '^#' |
		base64 -d | tar -xz -C "$dir"
	# The notes of the compiler lie beside what was counted.
	find "${ko%/*}" -name '*.gcno' -exec cp -t "$dir" {} +
}

need gcov=gcc python3=python3
ko=$("$VM/module.sh" debug KCOV_INSTRUMENT=y GCOV_PROFILE=y)
tests=$("$VM/kselftest.sh")
work=$CACHE/cover
rm -rf "$work"
for machine; do
	note "$name on $machine"
	cover "$machine"
done
if [[ -n $write ]]; then
	# The programs after the second comment were written by hand: they stay.
	sed -n '2,${/^#/,$p}' "$CORPUS" > "$work/written"
	{
		echo "# SPDX-License-Identifier: GPL-2.0"
		cat "$work"/*/output | sed -n 's/^# program //p' | awk '!seen[$0]++' |
			grep -vxF -f "$work/written" || true
		cat "$work/written"
	} > "$work/corpus"
	mv "$work/corpus" "$CORPUS"
	note "fuzz.corpus has $(grep -vc '^#' "$CORPUS") programs"
fi
python3 "$TOP/selftests/proof/cover.py" ${lines:+--lines} "$TOP" "$work"
