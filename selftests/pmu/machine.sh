#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Print the emulator's arguments for one of the machines it can be.
set -euo pipefail

readonly MACHINES="spr icl emr gnr ptl adl rpl mtl snb ivb hsw bdw skx glp glp8 tnt zen4 nometrics iclnm nopmu amd kvm kvmgnr archonly archskx zerometrics half"

usage() {
	cat << END
Usage: machine.sh NAME

Prints the arguments that make the emulator this machine:
  spr        Sapphire Rapids: 6 slots a cycle, 8 bytes of PERF_METRICS
  icl        Ice Lake server: 5 slots a cycle, 4 bytes of PERF_METRICS
  adl        Alder Lake, hybrid: the first half of the CPUs are P-cores as spr, the
             others E-cores: 5 slots a cycle and no PERF_METRICS
  emr        Emerald Rapids: spr with PEBS
  rpl        Raptor Lake, hybrid: adl with PEBS
  gnr        Granite Rapids: spr with PEBS, whose records have the retire latency
  ptl        gnr with the model number of Panther Lake, which older kernels do not know
  mtl        Meteor Lake, hybrid: adl with PEBS, on the P-cores with the retire latency
  snb ivb hsw bdw skx
             Sandy Bridge, Ivy Bridge, Haswell, Broadwell, Skylake server: 4 slots a
             cycle, 8 general counters, or 4 where a core has two threads
  glp tnt    Goldmont Plus, Tremont: 4 slots a cycle, 4 general counters
  glp8       Goldmont Plus with the counters of skx, as there is none: all events of a
             family that has only level 1 fit them
  zen4       AMD Zen 4: 6 slots a cycle, 6 counters, PerfMonV2
  nometrics  Sapphire Rapids whose PMU has no PERF_METRICS, as in most clouds
  iclnm      Ice Lake server without PERF_METRICS
  kvm        Sapphire Rapids as KVM makes a guest: version 2, 8 general and 3 fixed
             counters, no PERF_METRICS and no PERF_CAPABILITIES
  kvmgnr     the same of Granite Rapids, for drivers that do not know this model
  archonly   kvm where a filter lets only architectural events count
  archskx    Skylake server likewise: 8 general counters, with that filter
  zerometrics  a guest with the registers of Sapphire Rapids whose PERF_METRICS read as 0
  half       spr whose counters stand still for half of each millisecond, as while a
             CPU executes a guest
  nopmu      Sapphire Rapids without a PMU
  amd        an AMD Zen 3 without an emulated PMU

The caller adds the kernel, the memory, -smp, -accel tcg and -L DIR/share.
Variables in the emulator's environment: TOPDOWN_PMU_QUANT, truncate, round or
rest (the default), says how the bytes of PERF_METRICS are made, and
TOPDOWN_PMU_RESTORE, bytes (the default) or exact, what a restore of them makes of the
counters behind them; of a hybrid machine TOPDOWN_PMU_E_CPUS says how many of the CPUs, the last ones, are E-cores;
TOPDOWN_PMU_RATES is a file of events and their rates, and TOPDOWN_PMU_LATENCIES one
of events and what the retire latencies of their PEBS records are drawn from;
TOPDOWN_PMU_COUNT says what events are made of, time (the default) or executed.
END
}

[[ $# == 1 ]] || { usage >&2; exit 2; }

base="-M q35 -nodefaults -no-user-config"
spr="Icelake-Server,model=143,stepping=8,-hypervisor"

case $1 in
-h | --help) usage ;;
spr | nometrics | nopmu | half)
	echo "$base -cpu $spr,topdown-pmu=$1"
	;;
kvm | archonly | zerometrics)
	echo "$base -cpu ${spr/-hypervisor/+hypervisor},topdown-pmu=$1"
	;;
kvmgnr)
	echo "$base -cpu Icelake-Server,model=173,stepping=1,+hypervisor,topdown-pmu=kvm"
	;;
archskx)
	echo "$base -cpu Skylake-Server,model=85,stepping=4,+hypervisor,topdown-pmu=archskx"
	;;
icl | iclnm)
	echo "$base -cpu Icelake-Server,model=106,stepping=6,-hypervisor,topdown-pmu=$1"
	;;
emr)
	echo "$base -cpu Icelake-Server,model=207,stepping=2,-hypervisor,topdown-pmu=emr"
	;;
rpl)
	echo "$base -cpu Icelake-Server,model=183,stepping=1,level=0x1a,-hypervisor,topdown-pmu=rpl"
	;;
gnr)
	echo "$base -cpu Icelake-Server,model=173,stepping=1,-hypervisor,topdown-pmu=gnr"
	;;
ptl)
	echo "$base -cpu Icelake-Server,model=204,stepping=1,-hypervisor,topdown-pmu=gnr"
	;;
mtl)
	echo "$base -cpu Icelake-Server,model=170,stepping=4,level=0x23,-hypervisor,topdown-pmu=mtl"
	;;
adl)
	echo "$base -cpu Icelake-Server,model=151,stepping=2,level=0x1a,-hypervisor,topdown-pmu=adl"
	;;
snb)
	echo "$base -cpu SandyBridge,model=42,stepping=7,-hypervisor,topdown-pmu=snb"
	;;
ivb)
	echo "$base -cpu IvyBridge,model=58,stepping=9,-hypervisor,topdown-pmu=ivb"
	;;
hsw)
	echo "$base -cpu Haswell-noTSX,model=60,stepping=3,-hypervisor,topdown-pmu=hsw"
	;;
bdw)
	echo "$base -cpu Broadwell-noTSX,model=61,stepping=4,-hypervisor,topdown-pmu=bdw"
	;;
skx)
	echo "$base -cpu Skylake-Server,model=85,stepping=4,-hypervisor,topdown-pmu=skx"
	;;
glp)
	echo "$base -cpu Denverton,model=122,stepping=1,-hypervisor,topdown-pmu=glp"
	;;
glp8)
	echo "$base -cpu Denverton,model=122,stepping=1,-hypervisor,topdown-pmu=glp8"
	;;
tnt)
	echo "$base -cpu Snowridge,model=134,stepping=5,-hypervisor,topdown-pmu=tnt"
	;;
zen4)
	echo "$base -cpu EPYC-Milan,model=17,stepping=1,xlevel=0x80000022,-hypervisor,topdown-pmu=zen4"
	;;
amd)
	echo "$base -cpu EPYC-Milan,-hypervisor,topdown-pmu=amd"
	;;
*)
	echo "machine.sh: machine '$1' is not known; there are: $MACHINES" >&2
	exit 2
	;;
esac
