#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Print the emulator's arguments for one of the machines it can be.
set -euo pipefail

readonly MACHINES="spr icl nometrics nopmu amd"

usage() {
	cat << END
Usage: machine.sh NAME

Prints the arguments that make the emulator this machine:
  spr        Sapphire Rapids: 6 slots a cycle, 8 bytes of PERF_METRICS
  icl        Ice Lake server: 5 slots a cycle, 4 bytes of PERF_METRICS
  nometrics  Sapphire Rapids whose PMU has no PERF_METRICS, as in most clouds
  nopmu      Sapphire Rapids without a PMU
  amd        an AMD Zen 3 without an emulated PMU

The caller adds the kernel, the memory, -smp, -accel tcg and -L DIR/share.
The variable TOPDOWN_PMU_QUANT in the emulator's environment, truncate (the
default) or round, says how the bytes of PERF_METRICS are made.
END
}

[[ $# == 1 ]] || { usage >&2; exit 2; }

base="-M q35 -nodefaults -no-user-config"
spr="Icelake-Server,model=143,stepping=8,-hypervisor"

case $1 in
-h | --help) usage ;;
spr | nometrics | nopmu)
	echo "$base -cpu $spr,topdown-pmu=$1"
	;;
icl)
	echo "$base -cpu Icelake-Server,model=106,stepping=6,-hypervisor,topdown-pmu=icl"
	;;
amd)
	echo "$base -cpu EPYC-Milan,-hypervisor,topdown-pmu=amd"
	;;
*)
	echo "machine.sh: machine '$1' is not known; there are: $MACHINES" >&2
	exit 2
	;;
esac
