#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The page of topdown report --html in a browser: Debian's chromium, without a network.
#
#   page.sh RECORDING [OUTDIR]
#
# Makes the page, takes screenshots (dark, light, narrow) to be looked at, and checks that
#   - the browser makes no request, while the page is loaded and drawn;
#   - the areas of the pictures are the shares that topdown report --steps prints;
#   - the page is drawn in both colour schemes;
#   - the tab key reaches a step, and shows its values.
# KTAP on stdout.  This is no part of make check, as a browser is large.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
topdown=${TOPDOWN:-$here/../../userspace/topdown}
(($# == 1 || $# == 2)) || { echo "usage: ${0##*/} RECORDING [OUTDIR]" >&2; exit 2; }
for command in chromium python3 unshare; do
	command -v "$command" > /dev/null || { echo "1..0 # SKIP $command is not installed"; exit 4; }
done
recording=$(realpath "$1")
out=$(realpath "${2:-.}")
mkdir -p "$out"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
number=0 failures=0

result() {
	number=$((number + 1))
	if (($1)); then
		failures=$((failures + 1))
		echo "not ok $number $2"
	else
		echo "ok $number $2"
	fi
}

# browse NAME ARG...: chromium in a network namespace that has no device but its own
browse() {
	local name=$1
	shift
	timeout 120 unshare --net chromium --headless=new --no-sandbox --disable-gpu \
		--disable-dev-shm-usage --hide-scrollbars --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--user-data-dir="$tmp/profile-$name" "$@" > "$tmp/$name.out" 2> "$tmp/$name.err"
}

# colours PICTURE: is most of it light or dark, and the number of colours
colours() { python3 "$here/page.py" colours "$1"; }

"$topdown" report -A --html "$out/page.html" "$recording"
page=file://$out/page.html
python3 "$here/page.py" areas "$out/page.html" "$topdown" "$recording" > "$tmp/areas" && bad=0 || bad=1
sed 's/^/# /' "$tmp/areas"
result "$bad" 'areas equal the figures'

browse light --window-size=1200,1500 --screenshot="$out/light.png" \
	--log-net-log="$tmp/net.json" --net-log-capture-mode=Everything "$page" && bad=0 || bad=1
result "$bad" 'a picture in light colours'
python3 "$here/page.py" requests "$tmp/net.json" "$page" > "$tmp/requests" && bad=0 || bad=1
sed 's/^/# /' "$tmp/requests"
result "$bad" 'no request but for the page'
browse dark --window-size=1200,1500 --screenshot="$out/dark.png" \
	--blink-settings=preferredColorScheme=0 "$page" && bad=0 || bad=1
result "$bad" 'a picture in dark colours'
browse narrow --window-size=500,1500 --screenshot="$out/narrow.png" "$page" && bad=0 || bad=1
result "$bad" 'a picture of a narrow window'
result "$([[ $(colours "$out/light.png") == light* ]]; echo $?)" 'light is light'
result "$([[ $(colours "$out/dark.png") == dark* ]]; echo $?)" 'dark is dark'
python3 "$here/page.py" focus "$out/page.html" > "$tmp/focus.html"
browse focus --window-size=1200,1500 --screenshot="$out/focus.png" "file://$tmp/focus.html" && bad=0 || bad=1
result "$((bad || $(cmp -s "$out/light.png" "$out/focus.png" && echo 1 || echo 0)))" \
	'a step that has the focus shows its values'
echo "1..$number"
((failures == 0))
