#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The Python module topdown in an emulated machine, with the real module and Debian's python3.
#
#   python.sh [KERNEL]
#
# KTAP on stdout.
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

VM=$TOP/selftests/vm
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

need gcc=gcc make=make python3=python3
version=$(/usr/bin/python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
mkdir -p "$tmp"/{bin,lib,module}
cp "/usr/bin/$version" "$tmp/bin/python3"
# The parts for developers alone are as large as the rest.
tar -C /usr/lib -c --exclude=__pycache__ --exclude={test,idlelib,lib2to3,ensurepip,config-*,tkinter} \
	"$version" | tar -C "$tmp/lib" -x
make -s -C "$TOP/userspace"
cp "$TOP/userspace/build/libtopdown.so.1" "$tmp/module"
cp -r "$TOP/userspace/python/topdown" "$TOP/userspace/examples/notebook.py" \
	"$TOP/userspace/check/python/ktap.py" "$TOP/selftests/ship/python-guest.py" "$tmp/module"
gcc -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -std=gnu11 -I"$TOP/selftests" -I"$TOP/selftests/guest/lib" \
	-I"$TOP/uapi" -o "$tmp/module/workload" "$TOP/selftests/guest/workload.c" \
	"$TOP"/selftests/guest/lib/{backdoor,device,fact,profiles}.c
"$VM/run.sh" -k "${1:-6.12}" -m spr -c 4 -i -s 3 -t 900 -x "$tmp/bin/python3:/usr/bin/python3" \
	-x "$tmp/lib/$version:/usr/lib/$version" -x "$tmp/module:/module" \
	'insmod /topdown.ko period_ms=200 && cd /module && export LD_LIBRARY_PATH=/module PYTHONPATH=/module \
	PYTHONDONTWRITEBYTECODE=1 WORKLOAD=/module/workload EXAMPLE=/module/notebook.py &&
	/usr/bin/python3 python-guest.py'
