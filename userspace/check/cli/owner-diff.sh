#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topdown report --owners --diff: processes of a name and cgroups of a path are compared, who is in
# one recording only is named, and nothing is said of few slots.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"
golden=$(cd "$(dirname "$0")/golden" && pwd)

variant=plain
[[ $TOPDOWN != */asan/* ]] || variant=asan
export TZ=UTC
shares() { "$BUILD/$variant/shares" "$@"; }
for kind in process cgroup; do
	mkdir "$TMP/$kind"
	shares "$TMP/$kind" 1 1 $kind 3 4
done

# The paths of the recordings are in the output.
compare() { (cd "$TMP/$kind" && td report --owners --diff before.0 "$@" after.0); }

# same NAME: the last run against check/cli/golden/NAME
same() {
	local bad=0
	[[ -z ${GOLDEN_UPDATE-} ]] || cp "$TMP/out" "$golden/$1"
	((status == 0)) || bad=1
	diff "$golden/$1" "$TMP/out" > "$TMP/diff" || bad=1
	sed 's/^/# /' "$TMP/diff"
	result "$bad" "$1 is printed"
}

# line OWNER NODE KEY...: values of a line of JSON
line() {
	python3 -c '
import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    if [row["owner"], row["node"]] == sys.argv[2:4]:
        print(*(row[key] for key in sys.argv[4:]))' "$TMP/out" "$@"
}

is() {
	[[ $2 == "$3" ]] || echo "# wanted: $2, was: $3"
	result "$([[ $2 == "$3" ]]; echo $?)" "$1"
}

kind=process
run compare
same owner-diff-process.txt
run compare -j
is 'processes of a name are one owner' 'process 2 3 None' "$(line web share row owners_before owners_after only)"
is 'its nodes have changed' changed "$(line web tma_retiring verdict)"
is 'the nodes of another owner have not changed' noise "$(line db tma_retiring verdict)"
is 'a share has changed' changed "$(line db share verdict)"
is 'another share has not changed' noise "$(line app share verdict)"
is 'idle time has a share, and no nodes' 'changed ' "$(line idle share verdict) $(line idle tma_retiring verdict)"
is 'nothing is said of an owner with slots in few steps' 'unknown 5' "$(line rare tma_retiring verdict steps_before)"
is 'its share is judged' noise "$(line rare share verdict)"
is 'nothing is said of less than 0.1% of the slots' 'unknown unknown None' \
	"$(line tiny tma_retiring verdict) $(line tiny ipc verdict margin)"
is 'an owner of the one recording only has a line' 'before none None 0' "$(line old share only verdict after owners_after)"
is 'an owner of the other recording only has a line' 'after none None 0' "$(line new share only verdict before owners_before)"
# The share of the row of one recording is that of the comparison.
td report --owners -j "$TMP/process/before.0" > "$TMP/rows"
is 'the share is that of the rows' "$(grep '"web"' "$TMP/rows" | sed -E 's/.*"share":([0-9.]+).*/\1/' | sum)" \
	"$(line web share before | sum)"
margin=$(line db share margin)
run compare -j --top 2
is 'fewer owners are told apart better' 1 "$(holds "$(line db share margin) < $margin" && echo 1)"
result "$([[ $err == *'4 more are in both recordings, and are not compared (--top)' ]]; echo $?)" 'a note says who is left out'
is 'who is in one only is not left out' before "$(line old share only)"
is 'idle time is not left out' 0.4 "$(line idle share before | cut -c 1-3)"
run compare --top 2
expect 'the table says it too' 0 '
4 more in both are not compared, 6\.[23]% before and 6\.[23]% after \(--top\)
' ''
run compare --top 1 --sort ipc
expect 'rows are sorted by IPC of both' 0 'sorted by IPC of both; .*
tiny
' ''
run compare --no-header
expect '--no-header leaves out recordings and headings' 0 '^.processes: all of a name are one line' ''
run compare -l 2
expect 'a level that neither has adds no line' 0 '37 differences' ''
run compare --fail-on-change
expect 'a change has an exit code' 5 'more than noise' ''
run compare --fail-on-change --top 1 --sort ipc --since 100s
expect 'the exit code says that nothing can be said' 4 'nothing can be said of 7 of 7 lines' ''

kind=cgroup
run compare
same owner-diff-cgroup.txt
run compare -x ,
same owner-diff.csv
run compare -j
is 'a cgroup has those below it' changed "$(line /app share verdict)"
run compare -j --self
is '--self leaves out those below it' noise "$(line /app share verdict)"
run compare -G /app/db,/old
expect '--owner leaves chosen ones' 0 '
/app/db
  share .*changed
.*
only before, so not compared; % of the slots of all
 *2\.[0-9]*  /old
' ''
result "$(grep -qxE '/app/web|idle' "$TMP/out"; echo $((!$?)))" 'no other owner is compared'
run compare -G nobody
expect 'an owner that did not run is said' 0 'no owner is in both recordings' 'before.0 has no owner that -G names
.*after.0 has no owner that -G names'
run compare -G nobody --fail-on-change
expect 'nothing can be said of an owner that did not run' 4 'no owner is in both' 'has no owner'

# A pair that differs by chance alone, and one in which a change was planted.  Chance is the subject
# of the program as it is delivered, and not of the sanitizers.
pairs=50
[[ $variant == plain ]] || pairs=4
found() {
	local i status
	changed=0
	mkdir "$TMP/$1"
	shares "$TMP/$1" 7 $pairs "${@:2}"
	: > "$TMP/changes"
	for ((i = 0; i < pairs; i++)); do
		status=0
		td report -j --owners --fail-on-change --diff "$TMP/$1/before.$i" "$TMP/$1/after.$i" > "$TMP/file" || status=$?
		((status == 0 || status == 5)) || echo "# pair $i: status $status"
		((status != 5)) || changed=$((changed + 1))
		grep '"changed"' "$TMP/file" >> "$TMP/changes" || true
	done
	rm -r "${TMP:?}/$1"
	echo "# $1: $changed of $pairs pairs have a change"
}
found equal-processes process 0 0
result "$((changed > pairs * 2 / 100))" 'equal recordings of processes: at most 2% of the pairs have a change'
found equal-cgroups cgroup 0 0
result "$((changed > pairs * 2 / 100))" 'equal recordings of cgroups do not differ, too'
found points process 4 0
result "$((changed < pairs * 95 / 100))" '4 points of a node are found in 95% of the pairs'
is 'the change is found where it is' web "$(json owner "$TMP/changes" | sort -u)"

# The kinds of both, and options.
run td report --by cgroup --diff "$TMP/cgroup/before.0" "$TMP/cgroup/after.0"
expect 'cgroups are compared by their kind' 0 '/app/web' ''
run td report --by process --diff "$TMP/cgroup/before.0" "$TMP/cgroup/after.0"
expect '--by refuses a kind that they do not have' 2 '' '^topdown: --by: .*before.0 has cgroups .topdown record --by decides it.$'
run td report --by process "$TMP/process/before.0"
expect 'the owners of one recording have their kind' 0 'processes; .* web' ''
run td report --by cgroup "$TMP/process/before.0"
expect '--by refuses a kind that it does not have' 2 '' 'has processes'
run td report --by thread "$TMP/process/before.0"
expect 'an unknown kind is refused' 2 '' "--by: 'thread' is no kind of owner .allowed: process, cgroup"
run td report --owners --diff "$TMP/process/before.0" "$TMP/cgroup/after.0"
expect 'two kinds are refused' 2 '' 'before.0 and .*after.0 have owners of different kinds'
run td report --owners -p 102 --diff "$TMP/process/before.0" "$TMP/process/after.0"
expect 'numbers are not the same in both' 2 '' '-p names processes of one recording, .*allowed: without -p'
run td report --by process -A --diff "$TMP/process/before.0" "$TMP/process/after.0"
expect 'owners are of all CPUs' 2 '' '--owners excludes -A'
"$BUILD/$variant/made" noise400 "$TMP/cpus"
run td report --owners --diff "$TMP/cpus" "$TMP/process/after.0"
expect 'a recording without owners is refused' 2 '' 'cpus has no owners'
run td report --diff "$TMP/process/before.0" "$TMP/process/after.0"
expect 'CPUs are compared, and a note says so' 0 'tma_retiring' 'owners are left out .--owners compares them'
run td report --top 3 --diff "$TMP/process/before.0" "$TMP/process/after.0"
expect '--top needs owners' 2 '' 'are about owners .add --owners'
finish
