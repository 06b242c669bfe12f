#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Let another project judge the emulated PMU: boot what kvm-unit-tests has about PMUs.
# Nothing of the topdown module takes part, and no kernel.
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

readonly LIST=$TOP/selftests/pmu/unit-tests.conf
readonly RUNS=(pmu/spr pmu/icl pmu/skx pmu/snb pmu/tnt pmu/mtl pmu/kvm pmu/zen4 pmu_pebs/gnr pmu_pebs/mtl)
sources=${TOPDOWN_UNIT_TESTS:-$CACHE/kvm-unit-tests.tar.gz}
# Events are what is executed.  "time" shows what that is good for.
export TOPDOWN_PMU_COUNT=${TOPDOWN_PMU_COUNT:-executed}
# The list is of machines as they are by default.
unset TOPDOWN_PMU_RATES TOPDOWN_PMU_QUANT TOPDOWN_PMU_LATENCIES TOPDOWN_PMU_E_CPUS

usage() {
	cat << END
Usage: unit-tests.sh [-v] [PROGRAM/MACHINE]...

Builds kvm-unit-tests' programs about PMUs, boots each on emulated machines and prints
KTAP, one line a machine.  A check that does not pass has to be in unit-tests.conf with
its reason, and a check that is there must not pass.
Without names: ${RUNS[*]}

  -v   the programs' own lines, too

TOPDOWN_UNIT_TESTS is the archive of the sources; the default is
\${TOPDOWN_CACHE:-~/.cache/topdown}/kvm-unit-tests.tar.gz.  ../README.md says how to make it.
Without it all is skipped.  Exit status: 0 if nothing failed.
END
}

verbose=
while getopts :vh opt; do
	case $opt in
	v) verbose=1 ;;
	h) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
runs=("$@")
(($#)) || runs=("${RUNS[@]}")

# build DIR: in the cache, where the next one looks for it.
build() {
	local new=$1.new

	[[ ! -e $1 ]] || return 0
	note "building kvm-unit-tests' programs"
	need gcc=gcc make=make
	rm -rf "$new"
	mkdir -p "$new/tree"
	tar -xzf "$sources" --strip-components=1 -C "$new/tree"
	(
		cd "$new/tree"
		./configure --arch=x86_64
		make -j "$(nproc)" x86/pmu.flat x86/pmu_pebs.flat
	) > "$CACHE/unit-tests/build.log" 2>&1 ||
		die "cannot build kvm-unit-tests (log: $CACHE/unit-tests/build.log)"
	mv "$new"/tree/x86/pmu{,_pebs}.flat "$new"
	rm -rf "$new/tree"
	publish "$new" "$1"
	# Programs of earlier archives.
	find "$CACHE/unit-tests" -mindepth 1 -maxdepth 1 -type d ! -name "${1##*/}" -exec rm -rf {} +
}

# boot PROGRAM MACHINE: its exit status is twice the program's, and 1.
boot() {
	local words

	read -ra words <<< "$("$TOP/selftests/pmu/machine.sh" "$2" | tr '\n' ' ')"
	timeout -k 5 300 "$emulator/qemu-system-x86_64" -L "$emulator/share" "${words[@]}" \
		-accel tcg,thread=single -icount shift=0,sleep=off -smp 1 -m 512M \
		-display none -no-reboot -serial stdio -monitor none \
		-device isa-debug-exit,iobase=0xf4,iosize=4 -kernel "$programs/$1.flat" < /dev/null
}

# results LOG: "PASS NAME", "FAIL NAME" and "SKIP NAME".  The programs print values that they
# have read as failures, too; those lines are no checks.
results() {
	tr -d '\r' < "$1" | sed -nE '/^FAIL: ([0-9]+ <= |The )/d; s/^(PASS|FAIL|SKIP): /\1 /p'
}

# rows_of RUN: sets expected and checks.
rows_of() {
	local where result check why

	expected=() checks=()
	while IFS='|' read -r where result check why; do
		read -r where <<< "$where"
		# shellcheck disable=SC2053 # globs
		[[ $1 == $where ]] || continue
		read -r result <<< "$result"
		read -r check <<< "$check"
		[[ $why ]] || die "unit-tests.conf: no reason for '$check'"
		expected+=("$result") checks+=("$check")
	done < <(grep -vE '^[[:space:]]*(#|$)' "$LIST")
}

# find_row NAME: sets found to the number of its row, or to nothing, and want.
find_row() {
	for found in "${!checks[@]}"; do
		want=${expected[found]}
		# shellcheck disable=SC2053 # globs
		[[ $1 != ${checks[found]} ]] || return 0
	done
	found='' want=PASS
}

# judge RUN LOG: what is not as the list has it, and the numbers.
judge() {
	local result name found want i checked=0 passed=0 listed=0 wrong=0 total
	local -A used=()

	rows_of "$1"
	while read -r result name; do
		checked=$((checked + 1))
		find_row "$name"
		if [[ $result != "$want" ]]; then
			wrong=$((wrong + 1))
			echo "# $1: $result, not $want: $name"
		elif [[ $want == PASS ]]; then
			passed=$((passed + 1))
		else
			listed=$((listed + 1))
		fi
		[[ -z $found ]] || used[$found]=1
	done < <(results "$2")
	for i in "${!checks[@]}"; do
		[[ -n ${used[$i]-} ]] && continue
		wrong=$((wrong + 1))
		echo "# $1: unit-tests.conf has what is not checked: ${checks[i]}"
	done
	# The numbers have to agree with the program's own: it may have died, or say more than we read.
	total=$(sed -nE 's/^SUMMARY: ([0-9]+) tests.*/\1/p' "$2" | tail -n 1)
	if ((${total:-0} == 0 || total != checked)); then
		tail -n 3 "$2" | tr -d '\r' | sed 's/^/# /'
		wrong=$((wrong + 1))
		echo "# $1: $checked checks, and ${total:-none} in its summary"
	fi
	echo "# $1: $passed passed, $listed as unit-tests.conf has it, $wrong not"
	((wrong == 0))
}

skip_all() {
	local i

	echo "KTAP version 1"
	for i in "${!runs[@]}"; do
		echo "ok $((i + 1)) ${runs[i]} # SKIP the sources of kvm-unit-tests are not there"
	done
	echo "1..${#runs[@]}"
	echo "0 passed, 0 failed, ${#runs[@]} skipped"
	exit 0
}

[[ -r $sources ]] || skip_all
mkdir -p "$CACHE/unit-tests"
programs=$CACHE/unit-tests/$(sha256sum < "$sources" | cut -c1-16)
with_lock unit-tests build "$programs"
emulator=${TOPDOWN_EMULATOR:-$(with_lock emulator "$TOP/selftests/pmu/build.sh" | tail -n 1)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "KTAP version 1"
number=0 failed=0
for run in "${runs[@]}"; do
	number=$((number + 1)) ok=ok
	boot "${run%/*}" "${run#*/}" > "$work/log" 2> "$work/errors" || true
	[[ -z $verbose ]] || tr -d '\r' < "$work/log"
	judge "$run" "$work/log" || ok="not ok"
	if [[ $ok != ok ]]; then
		failed=$((failed + 1))
		grep -v 'warning: TCG doesn.t support' "$work/errors" | sed 's/^/# /' || true
	fi
	echo "$ok $number $run"
done
echo "1..$number"
echo "$((number - failed)) passed, $failed failed, 0 skipped"
((failed == 0))
