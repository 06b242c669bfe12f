#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Print the emulator's arguments for one of the machines it can be.
set -euo pipefail

readonly MACHINES="spr icl adl nometrics nopmu amd"

usage() {
	cat << END
Usage: machine.sh NAME

Prints the arguments that make the emulator this machine:
  spr        Sapphire Rapids: 6 slots a cycle, 8 bytes of PERF_METRICS
  icl        Ice Lake server: 5 slots a cycle, 4 bytes of PERF_METRICS
  adl        Alder Lake, hybrid: the first half of the CPUs are P-cores as spr, the
             others E-cores: 5 slots a cycle and no PERF_METRICS
  nometrics  Sapphire Rapids whose PMU has no PERF_METRICS, as in most clouds
  nopmu      Sapphire Rapids without a PMU
  amd        an AMD Zen 3 without an emulated PMU

The caller adds the kernel, the memory, -smp, -accel tcg and -L DIR/share.
Variables in the emulator's environment: TOPDOWN_PMU_QUANT, truncate (the
default) or round, says how the bytes of PERF_METRICS are made; of a hybrid
machine TOPDOWN_PMU_E_CPUS says how many of the CPUs, the last ones, are E-cores.
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
adl)
	echo "$base -cpu Icelake-Server,model=151,stepping=2,level=0x1a,-hypervisor,topdown-pmu=adl"
	;;
amd)
	echo "$base -cpu EPYC-Milan,-hypervisor,topdown-pmu=amd"
	;;
*)
	echo "machine.sh: machine '$1' is not known; there are: $MACHINES" >&2
	exit 2
	;;
esac
