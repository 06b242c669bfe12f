#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The ABI has one layout, whoever compiles its header: layout.h for 64 bits, for
# 32 bits (checked without a 32-bit C library) and as C++.  And the header is
# all that a program needs.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
flags=(-Wall -Wextra -Werror -Wpadded -fsyntax-only -fno-diagnostics-show-caret -ftrack-macro-expansion=0 "-I$here/../../uapi")
i386=(-m32 -idirafter "/usr/include/$(gcc -print-multiarch)")
n=0
failed=0

# try NAME COMMAND...
try() {
	local name=$1 out
	shift

	n=$((n + 1))
	if out=$("$@" 2>&1); then
		echo "ok $n $name"
		return
	fi
	printf '# %s\n' "${out//$'\n'/$'\n'# }"
	echo "not ok $n $name"
	failed=1
}

echo "KTAP version 1"
echo "1..8"
try "the layout is right with 64 bits" "${CC:-gcc}" "${flags[@]}" -x c "$here/layout.h"
try "the layout is right with 32 bits" "${CC:-gcc}" "${flags[@]}" "${i386[@]}" -x c "$here/layout.h"
try "the layout is right in C++" "${CXX:-g++}" "${flags[@]}" -x c++ -std=c++11 "$here/layout.h"
try "the layout is right in C++ with 32 bits" "${CXX:-g++}" "${flags[@]}" "${i386[@]}" \
	-x c++ -std=c++11 "$here/layout.h"
for header in topdown topdown_latency; do
	try "$header.h compiles alone as strict ISO C99" "${CC:-gcc}" "${flags[@]}" -std=c99 -pedantic \
		-x c "$here/../../uapi/linux/$header.h"
	try "$header.h compiles alone as C++98" "${CXX:-g++}" "${flags[@]}" -std=c++98 \
		-x c++ "$here/../../uapi/linux/$header.h"
done
exit $failed
