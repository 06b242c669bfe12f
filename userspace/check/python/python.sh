#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The Python module topdown: against the headers, and against the stand-in for the kernel, by
# this release of the library and by one in which every structure is longer; its
# manual and its example, as they are.
#
# PYTHON is the interpreter.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
USERSPACE=$(cd "$HERE/../.." && pwd)
CC=${CC:-gcc}
LONGER=$TMP/longer
tests=(cpus latencies tasks tables watches)

# python3 of the distribution has its numpy and pandas.
choose_python() {
	local python
	for python in ${PYTHON-} /usr/bin/python3 python3; do
		command -v "$python" && return
	done
}

# A library and a stand-in of a later release.
build_longer() {
	local flags=(-std=gnu11 -Wall -D_GNU_SOURCE -O1 -shared -fPIC)

	"$HERE/../abi/grow.sh" longer "$LONGER"
	flags+=(-I"$LONGER/userspace/include" -I"$LONGER/uapi" -I"$LONGER/kmod/common")
	"$CC" "${flags[@]}" -DTOPDOWN_VERSION='"longer"' -fvisibility=hidden \
		-Wl,--version-script="$LONGER/userspace/lib/libtopdown.map" \
		-o "$LONGER/libtopdown.so.1" "$LONGER"/userspace/lib/*.c \
		"$LONGER"/kmod/common/*.c
	"$CC" "${flags[@]}" -o "$LONGER/fake.so" \
		"$LONGER"/userspace/check/fake/fake{,-ioctl,-latency,-map,-owner,-perf,-poll,-session}.c \
		"$LONGER"/kmod/common/{metrics,sums}.c
}

# python LIBRARY-DIRECTORY STAND-IN ARGUMENT...: all features, at the usual place
python() {
	local library=$1 fake=$2
	shift 2
	env FAKE_NODE=/dev/topdown FAKE_FEATURES=1023 LD_PRELOAD="$fake" \
		LD_LIBRARY_PATH="$library" PYTHONPATH="$USERSPACE/python" \
		PYTHONDONTWRITEBYTECODE=1 timeout 300 "$PYTHON" -W error "$@"
}

# results PREFIX COMMAND...: the lines of a test program
results() {
	local prefix=$1 name=$2 status=0 line
	shift 2
	"$@" > "$TMP/log" 2>&1 || status=$?
	while IFS= read -r line; do
		case $line in
		'ok '*' # SKIP '*)
			line=${line#ok * }
			skip "$prefix${line%% # SKIP*}" "${line##*# SKIP }"
			;;
		'ok '*) result 0 "$prefix${line#ok * }" ;;
		'not ok '*) result 1 "$prefix${line#not ok * }" ;;
		'1..'*) ;;
		*) echo "# $line" ;;
		esac
	done < "$TMP/log"
	# A program that dies has no line for it, and no plan.
	grep -q '^1\.\.[1-9]' "$TMP/log" || status=2
	result "$((status > 1))" "$prefix$name, to the end"
}

PYTHON=$(choose_python)
[[ -n $PYTHON ]] || { skip 'Python' 'python3 is not installed'; finish; exit; }
run "$USERSPACE/check/abi/abi-dump.sh" "$USERSPACE/build/libtopdown.so"
cp "$TMP/out" "$TMP/abi"
export ABI_DUMP=$TMP/abi INCLUDE=$USERSPACE/include
# A recording, if the command can make one, and the slots of all CPUs that it has
if "$TOPDOWN" record --help > /dev/null 2>&1; then
	echo 40 > "$TMP/period"
	FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD FAKE_FEATURES=1023 FAKE_TICK=40 FAKE_STEP=40 \
		FAKE_EVENT=0 FAKE_PERIOD=$TMP/period timeout 60 "$TOPDOWN" record -q \
		--device "$NODE" --timeout 300 -o "$TMP/recording"
	RECORDING=$TMP/recording
	RECORDING_SLOTS=$("$TOPDOWN" report -j "$RECORDING" | sed -nE '1s/.*"slots":([0-9]+).*/\1/p')
	export RECORDING RECORDING_SLOTS
fi
for name in layout words recordings "${tests[@]}"; do
	results '' "$name" python "$USERSPACE/build" "$PRELOAD" "$HERE/${name}_test.py"
done
build_longer
for name in "${tests[@]}"; do
	results 'a later library and module: ' "$name" python "$LONGER" "$LONGER/fake.so" \
		"$HERE/${name}_test.py"
done

# The manual's lines, in one program; what they print is in it too.
MANUAL=$USERSPACE/../docs/python.md
# shellcheck disable=SC2016 # backquotes of the text
sed -n '/^```python$/,/^```$/p' "$MANUAL" | sed 's/^```.*//' > "$TMP/manual.py"
run python "$USERSPACE/build" "$PRELOAD" "$TMP/manual.py"
expect 'the manual: its lines run' 0 'memory bound' ''
# shellcheck disable=SC2016
sed -n '/^```text$/,/^```$/p' "$MANUAL" | sed '/^```/d' > "$TMP/printed"
result "$([[ -s $TMP/printed ]] && cmp -s "$TMP/printed" "$TMP/out"; echo $?)" \
	'the manual: they print what it says'
diff "$TMP/printed" "$TMP/out" | sed 's/^/# /'

run python "$USERSPACE/build" "$PRELOAD" "$USERSPACE/examples/notebook.py" 0.05 3
expect 'the example' 0 'CPU 3' ''
# Names that are imported are all that the manual says.
run python "$USERSPACE/build" "$PRELOAD" -c \
	'import topdown; [getattr(topdown, n) for n in topdown.__all__]; print(*topdown.__all__, sep="\n")'
missing=$(while read -r name; do grep -qw "$name" "$MANUAL" || echo "$name"; done <<< "$out")
result "$([[ $out == *Device* && -z $missing ]]; echo $?)" "the manual: all names are in it $missing"
# The least version that is promised: its grammar, here.
run "$PYTHON" -c '
import ast, sys
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as source:
        ast.parse(source.read(), path, feature_version=(3, 9))
print(len(sys.argv) - 1)' "$USERSPACE"/python/topdown/*.py "$USERSPACE/examples/notebook.py"
expect 'the grammar is that of Python 3.9' 0 '^[1-9][0-9]$' ''
finish
