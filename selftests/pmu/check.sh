#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Test the emulated PMU itself, on emulated machines.  Nothing of the topdown
# module takes part.
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

usage() {
	cat << END
Usage: check.sh [-a] [-k KERNEL]... [-m MACHINE]... [-t TEST]

Boots the emulated machines, runs selftests/pmu/tests there and prints KTAP.
Without options: the runs that each change has to pass.

  -a          all runs; also with -k and -m
  -k KERNEL   these kernels only (6.1, 6.12, 7, debug)
  -m MACHINE  these machines only (spr, icl, adl, snb, zen4, kvm, ...; see machine.sh)
  -t TEST     only tests with this text in their name

Exit status: 0 if none failed.
END
}

# Kernel, machine, quantisation, kernel arguments; and "icount" if instructions are
# counted, "smt" if besides a core has two threads, "executed" if besides events are what is
# executed, and only the tests of that fit.  "tests=TEXT" in place of the kernel
# arguments: only the tests with this text in their name, as the others are those of spr.
readonly FEW=(
	"6.12 spr truncate threads"
	"6.12 spr round icount"
	"6.12 icl round threads nopti"
	"6.12 adl truncate icount"
	"6.12 gnr truncate icount tests=pebs"
	"6.12 spr truncate executed tests=executed"
	"6.12 skx truncate smt"
	"6.12 spr truncate smt tests=shared"
	"6.12 nometrics truncate threads"
	"6.12 nopmu truncate threads"
	"6.12 kvm truncate icount"
	"6.12 half truncate icount"
	"6.1 spr round threads nopti"
	"6.1 zen4 truncate icount"
)
readonly MORE=(
	"6.12 snb truncate icount"
	"6.12 ivb truncate smt"
	"6.12 tnt truncate icount"
	"6.12 zen4 truncate icount"
	"6.12 zen4 truncate executed tests=executed"
	"6.12 amd truncate threads"
	"6.1 icl round threads"
	"6.12 gnr rest threads"
	"6.12 mtl rest icount"
	"6.1 gnr truncate icount"
	"7 gnr rest icount"
	"7 mtl truncate icount"
	"6.1 adl round icount"
	"6.1 hsw truncate icount"
	"6.1 bdw truncate smt"
	"6.1 glp truncate icount"
	"6.1 iclnm truncate icount"
	"6.1 archonly truncate icount"
	"6.12 archskx truncate icount"
	"6.12 zerometrics truncate icount"
)
runs=("${FEW[@]}")

kernels=()
machines=()
only=
while getopts :ak:m:t:h opt; do
	case $opt in
	a) runs=("${FEW[@]}" "${MORE[@]}") ;;
	k) kernels+=("$OPTARG") ;;
	m) machines+=("$OPTARG") ;;
	t) only=$OPTARG ;;
	h) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
((!$#)) || { usage >&2; exit 2; }
((!${#kernels[@]} && !${#machines[@]})) || runs=("${FEW[@]}" "${MORE[@]}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# among VALUE LIST...: whether the list is empty or has the value.
among() {
	local value=$1 item
	shift

	(($#)) || return 0
	for item; do
		[[ $item != "$value" ]] || return 0
	done
	return 1
}

# A kernel that no run names gets the runs of 6.12.
chosen_runs() {
	local run kernel machine rest

	for kernel in "${kernels[@]}"; do
		printf '%s\n' "${runs[@]}" | grep -q "^$kernel " ||
			printf '%s\n' "${runs[@]}" | sed -n "s/^6.12 /$kernel /p"
	done
	for run in "${runs[@]}"; do
		read -r kernel machine rest <<< "$run"
		among "$kernel" "${kernels[@]}" && echo "$run"
	done
	true
}

build_tests() {
	gcc -O2 -Wall -Wextra -Werror -static -o "$work/pmu_test" "$TOP"/selftests/pmu/tests/*.c
}

# The driver that gives programs the registers is a module of the kernel's own.
find_msr_driver() {
	local MODDIR=

	eval "$("$TOP/selftests/vm/kernel.sh" "$1")"
	find "$MODDIR" "$MODDIR/" -name 'msr.ko*' -path '*/kernel/arch/x86/*' | head -n 1
}

stage_msr_driver() {
	local file

	file=$(find_msr_driver "$1")
	rm -f "$work/msr.ko"
	case $file in
	*.xz) xz -dc "$file" > "$work/msr.ko" ;;
	*.ko) cp "$file" "$work/msr.ko" ;;
	*) return 0 ;;
	esac
}

# one_run KERNEL MACHINE QUANT MODE [KERNEL ARGUMENT]
one_run() {
	local kernel=$1 machine=$2 quant=$3 mode=$4 append="iomem=relaxed ${5:-}" options=(-N -P -t 600)
	local tests=$only count=time

	if [[ ${5:-} == tests=* ]]; then
		tests=${only:-${5#tests=}}
		append="iomem=relaxed"
	fi
	stage_msr_driver "$kernel"
	[[ ! -e $work/msr.ko ]] || options+=(-x "$work/msr.ko")
	[[ $mode == threads ]] || options+=(-i)
	[[ $mode != smt ]] || options+=(-c "4,threads=2")
	# Four of each kind, so that the tests of all machines are on P-cores.
	[[ $mode != executed ]] || count=executed
	[[ $machine != adl && $machine != mtl ]] || options+=(-c 8)
	echo "5555 250000	# rates-of-a-file" > "$work/rates"
	TOPDOWN_PMU_LATENCIES=$TOP/selftests/pmu/latencies TOPDOWN_PMU_RATES=$work/rates \
		TOPDOWN_PMU_COUNT=$count \
		"$TOP/selftests/vm/run.sh" -k "$kernel" -m "$machine" -q "$quant" -a "$append" \
		"${options[@]}" -x "$work/pmu_test" -- \
		"[ ! -e /msr.ko ] || insmod /msr.ko; echo on > /sys/module/msr/parameters/allow_writes
		PMU_TEST_ONLY=$tests /pmu_test $machine $quant $mode"
}

# The numbers of all runs go on from one to the next.
number=0
passed=0
failed=0
skipped=0

report() {
	local ok=$1 name=$2 rest=${3:-}

	number=$((number + 1))
	echo "$ok $number $name$rest"
	case $ok$rest in
	ok*SKIP) skipped=$((skipped + 1)) ;;
	ok) passed=$((passed + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
}

collect() {
	local prefix=$1 line

	while IFS= read -r line; do
		line=${line%$'\r'}
		if [[ $line =~ ^(ok|not\ ok)\ [0-9]+\ ([^ ]+)(.*)$ ]]; then
			report "${BASH_REMATCH[1]}" "$prefix ${BASH_REMATCH[2]}" "${BASH_REMATCH[3]}"
		elif [[ $line == '#'* ]]; then
			echo "$line"
		fi
	done
}

need gcc=gcc xz=xz-utils
build_tests
mapfile -t runs < <(chosen_runs)

echo "KTAP version 1"
for run in "${runs[@]}"; do
	read -r kernel machine quant mode append <<< "$run"
	among "$machine" "${machines[@]}" || continue
	status=0
	one_run "$kernel" "$machine" "$quant" "$mode" "$append" > "$work/log" 2> "$work/errors" ||
		status=$?
	collect "$kernel/$machine/$quant/$mode" < "$work/log"
	# A failed test has been reported; this is about the machine under it.
	if grep -q '^1\.\.[1-9]' "$work/log" && ((status != 121)); then
		report ok "$kernel/$machine/$quant/$mode machine"
	else
		sed 's/^/# /' "$work/errors"
		report "not ok" "$kernel/$machine/$quant/$mode machine (status $status)"
	fi
done
echo "1..$number"
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0 && passed > 0))
