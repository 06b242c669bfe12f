#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deb.sh runs this in an emulated machine, with the modules of two releases.
#   deb-guest.sh VERSION NEXT    deb-guest.sh locked
set -euo pipefail

# shellcheck disable=SC2016
PS4='# '
dir=/lib/modules/$(uname -r)
depmod

loaded_version() { cat /sys/module/topdown/version; }

if [[ $1 == locked ]]; then
	if modprobe topdown; then
		echo "the module was loaded"
		exit 1
	fi
	dmesg | grep -i 'lockdown.*unsigned module'
	exit
fi

set -x
modprobe topdown
topdown stat -a -I 1000 --count 2
{ set +x; } 2> /dev/null
[[ $(loaded_version) == "$1" ]]

# The command of the systemd unit, with the rights that the unit gives, and with less.
service() {
	local caps=$1 groups=$2 command
	read -ra command < <(sed -n 's/^ExecStart=//p' /topdown-agent.service)

	setpriv --reuid nobody --regid nogroup --groups "$groups" --inh-caps="$caps" \
		--ambient-caps="$caps" --bounding-set="$caps" --no-new-privs \
		"${command[@]}" -I 200 --count 1
}
chgrp topdown /dev/topdown
chmod 660 /dev/topdown
service -all,+perfmon topdown
for less in '-all topdown' '-all,+perfmon nogroup'; do
	# shellcheck disable=SC2086 # two words
	if service $less; then
		echo "rights $less are enough"
		exit 1
	fi
done

topdown stat -a -x, -I 200 > /tmp/agent &
agent=$!
until [[ -s /tmp/agent ]]; do sleep 0.1; done

# The upgrade: another module on the disk
cp "/next/$(uname -r)/topdown.ko" "$dir/topdown.ko"
if modprobe -r topdown; then
	echo "the module went although an agent has it open"
	exit 1
fi
lines=$(wc -l < /tmp/agent)
sleep 1
(($(wc -l < /tmp/agent) > lines))
[[ $(loaded_version) == "$1" ]]

kill "$agent"
wait "$agent" || true
set -x
modprobe -r topdown
modprobe topdown
topdown stat -a -I 1000 --count 1
{ set +x; } 2> /dev/null
[[ $(loaded_version) == "$2" ]]
