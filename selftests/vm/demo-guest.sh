#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The part of the demo that runs in the emulated machine.
set -euo pipefail

work=/kselftest/topdown/workload
programs=()

say() { printf '\n\n==> %s\n\n' "$*"; }

# show COMMAND...: as a person would type it.
show() {
	echo "# $*"
	"$@"
}

# start CPU NAME...: one program a CPU, in place of those before.
start() {
	local cpu=0 name

	((!${#programs[@]})) || kill "${programs[@]}"
	programs=()
	for name; do
		"$work" -c $cpu -t 60 "$name" &
		programs+=($!)
		cpu=$((cpu + 1))
	done
	# One window of each program by itself.
	sleep 2
}

say "A machine with $(nproc) emulated Sapphire Rapids CPUs, Linux $(uname -r)"
show insmod /topdown.ko
dmesg | grep 'topdown: ' | tail -n 1
echo
show topdown info

say "A program of another character on each CPU: compute, stream, branchy, bigcode"
"$work" -h | tail -n +3
start compute stream branchy bigcode
echo
show topdown stat -a -A -I 2000 --count 3

say "The same without any tool"
show cat /sys/kernel/topdown/cpu0

say "All CPUs stream, then all compute: the whole machine, every second"
start stream stream stream stream
show topdown stat -a -I 1000 --count 3
start compute compute compute compute
show topdown stat -a -I 1000 --count 3

say "For programs"
show topdown stat -a -j -I 1000 --count 1
kill "${programs[@]}"
show rmmod topdown
