#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# On the build machine: how well the kernel accounts for the time of a CPU in guests of
# KVM's, and with it the module, for guests that run for so long at a time.
#
#   guests.sh [KERNEL]
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

need gcc=gcc xz=xz-utils
dir=$TOP/selftests
kernel=${1:-6.12}
guest=$(mktemp -d)
trap 'rm -rf "$guest"' EXIT
MODDIR=
eval "$("$dir/vm/kernel.sh" "$kernel")"

gcc -O2 -Wall -std=gnu11 -D_GNU_SOURCE -static -I"$dir" -I"$dir/guest/lib" -I"$TOP/uapi" -o "$guest/guests" \
	"$dir"/bench/{guests,count,group,map,phase}.c "$dir"/guest/lib/{backdoor,device,perf,profiles}.c -lm -lpthread
# In the order in which they need each other.
modules=(virt/lib/irqbypass arch/x86/kvm/kvm drivers/crypto/ccp/ccp arch/x86/kvm/kvm-amd)
commands=""
for module in "${modules[@]}"; do
	xz -dkc "$MODDIR/kernel/$module.ko.xz" > "$guest/${module##*/}.ko"
	commands+="insmod /bench/${module##*/}.ko && "
done
# Windows end often: a nohz_full CPU is not asked for fresh figures.
commands+="insmod /topdown.ko cpus=all period_ms=20"
for us in 500 1000; do
	commands+=" && /bench/guests $us regular 2 1"
done
for us in 500 1000 1500 4000 16000; do
	commands+=" && /bench/guests $us regular 4"
done
for us in 500 1000 4000; do
	commands+=" && /bench/guests $us random 8"
done
# Emulated Zen 4 has SVM.  CPU 1 is nohz_full, where the kernel takes the time itself.
"$dir/vm/run.sh" -k "$kernel" -m zen4 -c 2 -i -s 3 -t 3000 -x "$guest:/bench" \
	-a "nohz_full=1 isolcpus=1 rcu_nocbs=1 tsc=reliable" "$commands"
