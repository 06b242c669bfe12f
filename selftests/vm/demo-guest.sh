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

say "A program of another character on each CPU"
cat << 'END'
  CPU  program  what it does                          what should be seen (% of slots)
    0  compute  dense arithmetic                      78 retire: nothing is wrong with it
    1  stream   reads far memory, one line by one     82 wait in the back end, 76 for memory
    2  branchy  branches that cannot be predicted     43 are bad speculation, 40 mispredicts
    3  bigcode  code larger than the caches           51 wait in the front end, 39 for fetches

The emulated PMU counts as these programs would; the module and the kernel do not know
what it was told. The first line of figures, "all", is the four CPUs together.

END
start compute stream branchy bigcode
show topdown stat -a -A -I 2s --count 3

say "One CPU without any tool: slots since the module was loaded, share since then, and now"
show cat /sys/kernel/topdown/cpu0

say "The whole machine, every second, while all CPUs run stream: 82 wait in the back end"
start stream stream stream stream
show topdown stat -a -I 1s --count 3

say "How to find the code that does it"
show topdown stat -a -I 1s --count 1 --locate

say "And while all run compute: 78 retire"
start compute compute compute compute
show topdown stat -a -I 1s --count 3

say "One program alone, although it shares its CPU: branchy, 43 bad speculation but for its start"
show topdown stat -- "$work" -c 1 -t 5 branchy

say "For other programs: a JSON object a line; libtopdown has the same"
start bigcode bigcode bigcode bigcode
show topdown stat -a -j -I 1s --count 1
kill "${programs[@]}"
show rmmod topdown
