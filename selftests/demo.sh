#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "make demo": see topdown at work on a machine without an Intel PMU.
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/vm/common.sh"
# shellcheck source=selftests/vm/jobs.sh
. "$TOP/selftests/vm/jobs.sh"

VM=$TOP/selftests/vm
LOGS=$CACHE/demo
rm -rf "$LOGS"
mkdir -p "$LOGS"
trap '[[ -z $(jobs -p) ]] || kill $(jobs -p) 2> /dev/null || true' EXIT
trap 'exit 130' INT TERM

prepare() {
	local emulator

	# The emulator takes longest.
	job prep emulator "$TOP/selftests/pmu/build.sh" &
	emulator=$!
	job prep kernel "$VM/kernel.sh" 6.12
	job prep module "$VM/module.sh" 6.12
	job prep command "$VM/userspace.sh"
	job prep workloads "$VM/kselftest.sh"
	wait "$emulator"
}

echo "The demo builds the module, the command and an emulator with the Top-Down counters"
echo "of a Sapphire Rapids CPU (some minutes the first time), boots Debian's own 6.12"
echo "kernel in it, and measures programs whose character is known: before each figure it"
echo "says what should be seen.  It ends with the same for real hardware."
echo
heartbeat &
heart=$!
prepare
kill "$heart"

tests=$("$VM/kselftest.sh")
"$VM/run.sh" -k 6.12 -m spr -c 4 -t 300 -x "$VM/demo-guest.sh" \
	-x "$tests:/kselftest" bash /demo-guest.sh

cat << 'END'


What you saw was measured on an emulated PMU, by the module and the kernel's own
Intel driver as they are.

==> The same on real hardware, as root (Intel from Sandy Bridge on, AMD Zen 4 and 5)

  apt-get install linux-headers-$(uname -r) build-essential libjson-c-dev libcap-dev libdw-dev libiberty-dev libmicrohttpd-dev libncurses-dev zlib1g-dev
  make && make install
  modprobe topdown                # under Secure Boot it must be signed: see README.md
  topdown info                    # what was found, and who may read
  topdown stat -a -A -I 1000      # every CPU, every second
  topdown stat -- COMMAND         # one program
END
