#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Plant mistakes in the module, one after the other, and see a test notice each: "make
# mutate".  The mistakes are in mutations/, as data.  The last line is "N passed, N failed,
# N skipped"; a mistake that no test notices fails.
set -euo pipefail

usage() {
	cat << END
Usage: mutate.sh [OPTION]... [WHICH]...

WHICH is a number, a range of numbers, or a glob of files of kmod/ (default: all).

  -n        list the mutations, and check that each fits the sources
  -s N      only those of host tests, and N others, which depend on the sources
  -j N      so many at once (default 1)
  -r        take results of the same sources and tests from before
  -h        this text

Logs are in the cache, in "mutate/logs".  TOPDOWN_MUTATE is another directory in place of
"mutate", for a second run at once.
END
}

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

VM=$TOP/selftests/vm
WORK=${TOPDOWN_MUTATE:-$CACHE/mutate}
# Limits in seconds.  A host test may take HOST_LIMIT.  A guest may take GUEST_LIMIT and
# GUEST_TIMES its time without a mutation.
readonly HOST_LIMIT=300 GUEST_LIMIT=120 GUEST_TIMES=4

# Mutation N (from 1) has a file, old lines, new lines, the tests that notice it, and the reason
# if none does.
files=() old=() new=() where=() why=()
list='' sample='' resume='' slots=1
which=()
while (($#)); do
	case $1 in
	-n) list=1 ;;
	-s) sample=${2:?-s lacks its value}; shift ;;
	-j) slots=${2:?-j lacks its value}; shift ;;
	-r) resume=1 ;;
	-h | --help) usage; exit ;;
	-*) usage >&2; exit 2 ;;
	*) which+=("$1") ;;
	esac
	shift
done

# read_list: the files of mutations/, in the order of their names.
read_list() {
	local conf line text file n=0 begun=

	for conf in "$TOP"/selftests/proof/mutations/*.conf; do
		file=
		while IFS= read -r line; do
			text=${line#??}
			case $line in
			'' | '#'*) ;;
			'file '*) file=${line#file } ;;
			'- '*)
				# The first line of a mutation.
				if [[ -z $begun ]]; then
					n=$((n + 1))
					begun=1
					files[n]=$file old[n]=$text new[n]='' where[n]='' why[n]=''
				else
					old[n]+=$'\n'$text
				fi ;;
			'+ '*) new[n]+=${new[n]:+$'\n'}$text ;;
			'= '*) where[n]=$text begun='' ;;
			'! '*) why[n]=$text ;;
			*) die "${conf##*/}: cannot read: $line" ;;
			esac
		done < "$conf"
	done
}

# mutate FILE N: print FILE with mutation N; false if its lines are not there exactly once.
mutate() {
	OLD=${old[$2]} NEW=${new[$2]} awk '
		function bare(text)
		{
			gsub(/^[ \t]+|[ \t]+$/, "", text)
			return text ""
		}

		BEGIN {
			n = split(ENVIRON["OLD"], old, "\n")
			for (i = 1; i <= n; i++)
				old[i] = bare(old[i])
		}

		{ line[NR] = $0 }

		END {
			for (i = 1; i + n - 1 <= NR; i++) {
				for (j = 1; j <= n && bare(line[i + j - 1]) == old[j]; j++)
					;
				if (j > n) {
					at = i
					found++
				}
			}
			if (found != 1)
				exit 1
			for (i = 1; i <= NR; i++) {
				if (i < at || i >= at + n)
					print line[i]
				else if (i == at && ENVIRON["NEW"] != "")
					print ENVIRON["NEW"]
			}
		}' "$1"
}

# name_of N: what a result line calls it.
name_of() {
	local text=${new[$1]%%$'\n'*}

	[[ -n $text ]] || text="without: ${old[$1]%%$'\n'*}"
	# No comment: KTAP has directives after a "#".
	awk '{ $1 = $1; gsub(/#/, "%"); print }' <<< "${files[$1]}: $text"
}

# fits N: says why a mutation cannot be run.
fits() {
	local words

	read -ra words <<< "${where[$1]}"
	if [[ ! -e $TOP/${files[$1]} ]]; then
		echo "there is no ${files[$1]}"
	elif ! mutate "$TOP/${files[$1]}" "$1" > /dev/null; then
		echo "its lines are not in ${files[$1]} exactly once"
	elif mutate "$TOP/${files[$1]}" "$1" | cmp -s - "$TOP/${files[$1]}"; then
		echo "it changes nothing"
	elif [[ ${words[0]:-} != host && ${#words[@]} != 5 ]]; then
		echo "nobody is named who notices it"
	elif [[ ${words[0]} != host && ! -e $TOP/selftests/guest/${words[4]%%:*} &&
		! -e $TOP/selftests/guest/${words[4]%%:*}.c ]]; then
		echo "there is no test ${words[4]}"
	fi
}

# chosen N: was it asked for?
chosen() {
	local word

	((${#which[@]})) || return 0
	for word in "${which[@]}"; do
		if [[ $word =~ ^([0-9]+)(-([0-9]+))?$ ]]; then
			(($1 < BASH_REMATCH[1] || $1 > ${BASH_REMATCH[3]:-BASH_REMATCH[1]})) || return 0
		else
			# shellcheck disable=SC2053 # a glob
			[[ ${files[$1]} != kmod/${word#kmod/} && ${files[$1]} != kmod/*/$word ]] || return 0
		fi
	done
	return 1
}

# wanted: the numbers of those to run.
wanted() {
	local n key

	key=$(hash_of "$TOP/kmod")
	for ((n = 1; n <= ${#files[@]}; n++)); do
		chosen "$n" || continue
		# The same sample of the same sources, and others of others.
		if [[ -z $sample || ${where[n]} == host* ]]; then
			echo "- $n"
		else
			echo "$(sha256sum <<< "$key $n" | cut -c1-16) $n"
		fi
	done | sort | awk -v sample="$sample" '$1 == "-" || sample == "" || n++ < sample { print $2 }' |
		sort -n
}

# Files that make builds: keep them where the sources are renewed.
built=(--exclude='*.o' --exclude='*.ko' --exclude='.*.cmd' --exclude='*.mod' --exclude='*.mod.c'
	--exclude=Module.symvers --exclude=modules.order --exclude='.tmp_*')

# tree SLOT: the sources as they are, and what was built there from them.  A file that
# differs gets the time of now, so that make builds it again.
tree() {
	mkdir -p "$WORK/$1"
	# A file there without a dot in its name is a program.
	rsync -rlpc --delete "${built[@]}" --include='*.*' --include=Makefile --include='*/' \
		--exclude='/selftests/host/*' "$WORK/tree/" "$WORK/$1/"
}

# module SLOT KERNEL: build it from the slot's tree; sets ko.
module() {
	local KVER='' KDIR='' CHROOT='' dir

	eval "$("$VM/kernel.sh" "$2")"
	dir=$WORK/$1-$KVER
	mkdir -p "$dir"
	rsync -rlpc --delete "${built[@]}" "$WORK/$1"/{Kbuild,Makefile,kmod,uapi} "$dir/"
	ko=$dir/kmod/topdown.ko
	# No test needs the types.
	kernel_make "$dir" "$KDIR" "$CHROOT" CONFIG_DEBUG_INFO_BTF_MODULES=
}

# host DIR PROGRAM: build and run a host test; 99 if it does not build.
host() {
	make -s -C "$1/selftests/host" all PROGRAMS="$2" || return 99
	timeout -k 5 "$HOST_LIMIT" make -s -C "$1/selftests/host" check PROGRAMS="$2" LAYOUT=
}

# guest OUT KO LIMIT KERNEL MACHINE CPUS MODE PROGRAM[:TEST,...]: KO is empty for the
# module of the true sources.
guest() {
	local out=$1 ko=$2 limit=$3 kernel=$4 machine=$5 cpus=$6 mode=$7 program=${8%%:*}
	local only='' command options=() name clock=()

	[[ $8 != *:* ]] || only=${8#*:}
	clock_of "$mode"
	# Only scripts call perf.
	[[ $program != *.sh ]] || clock+=(-P)
	command="cd /kselftest && ./run_kselftest.sh -t topdown:$program"
	if [[ -n $only && $program == *.sh ]]; then
		command="cd /kselftest/topdown && TOPDOWN_ONLY=$only ./$program"
	elif [[ -n $only ]]; then
		for name in ${only//,/ }; do
			options+=(-t "$name")
		done
		command="cd /kselftest/topdown && ./$program ${options[*]}"
	fi
	TOPDOWN_PMU_LATENCIES=$TOP/selftests/pmu/latencies \
		"$VM/run.sh" ${ko:+-K "$ko"} -k "$kernel" -m "$machine" -c "$cpus" -t "$limit" \
		"${clock[@]}" -o "$out" -x "$tests:/kselftest" "$command"
}

# totals LOG: "PASSED FAILED SKIPPED" of the tests in it.
totals() { awk -f "$VM/ktap.awk" "$1" | tail -n 1 | cut -d' ' -f1-3; }

# base WHERE...: the same program without a mutation, once for the same sources and tests;
# prints the file with "SECONDS PASSED FAILED SKIPPED".  False if it fails.
base() {
	local key file

	# All tests of a program at once.
	set -- "${@%%:*}"
	key="$sources $tests $userspace"
	[[ $1 != host ]] || key=$host_sources
	key=$(sha256sum <<< "$key $*" | cut -c1-16)
	file=$WORK/base/$key
	with_lock "mutate-$key" base_once "$file" "$@" >&2 || return 1
	echo "$file"
}

base_once() {
	local file=$1 status=0 began=$SECONDS log
	shift

	[[ ! -e $file ]] || return 0
	mkdir -p "$WORK/base"
	log=$logs/base-$(tr -c 'a-z0-9._\n' - <<< "$*").log
	if [[ $1 == host ]]; then
		tree host
		make -s -C "$WORK/host/selftests/host" check > "$log" 2>&1 || status=$?
	else
		guest "${log%.log}" "" 1800 "$@" > "$log" 2>&1 || status=$?
	fi
	((status == 0)) && [[ $(totals "$log") =~ ^[1-9][0-9]*\ 0\  ]] || return 1
	echo "$((SECONDS - began)) $(totals "$log")" > "$file"
}

# judge N SLOT: prints KIND and a text.  KIND is host, test, log or lost (noticed, and by
# what), none (a survivor) or error.
judge() {
	local n=$1 slot=$2 row words file log=$logs/$1.log status=0

	read -ra words <<< "${where[n]}"
	: > "$log"
	file=$(base "${words[@]}" 2>> "$log") ||
		{ echo "error its test fails without it, too"; return; }
	tree "$slot"
	mutate "$WORK/tree/${files[n]}" "$n" > "$WORK/$slot/${files[n]}"
	if [[ ${words[0]} == host ]]; then
		judge_host "$WORK/$slot" "$log"
		return
	fi
	module "$slot" "${words[0]}" >> "$log" 2>&1 || { echo "error it does not build"; return; }
	read -ra row < "$file"
	# If only some tests of the program were asked for, each of these has to run.
	[[ ${words[4]} != *:* ]] || row[1]=$(tr ',' '\n' <<< "${words[4]#*:}" | grep -c .)
	guest "$logs/$n" "$ko" $((GUEST_LIMIT + GUEST_TIMES * row[0])) "${words[@]}" \
		>> "$log" 2>&1 || status=$?
	judge_guest "$log" "$status" "${row[@]:1}"
	rm -f "$logs/$n"/{initramfs,own.cpio}
}

# judge_host DIR LOG: by the first of the host tests that fails.
judge_host() {
	local program status

	for program in $(make -s -C "$1/selftests/host" list); do
		status=0
		host "$1" "$program" >> "$2" 2>&1 || status=$?
		case $status in
		0) ;;
		99) echo "error it does not build"; return ;;
		124 | 137) echo "lost $program: the time was over"; return ;;
		*) echo "host $program"; return ;;
		esac
	done
	echo "none"
}

# judge_guest LOG STATUS PASSED FAILED SKIPPED: the numbers are those without a mutation.
judge_guest() {
	local passed failed skipped

	read -r passed failed skipped < <(totals "$1")
	case $2 in
	126) echo "error the machine does not start" ;;
	125)
		if grep -q 's were over' "$1"; then
			echo "lost a hang"
		else
			echo "lost a panic"
		fi ;;
	121) echo "log $(sed -n '/the kernel log has reports/{n;p;q}' "$1" | tr -d '#' | cut -c1-90)" ;;
	*)
		if (($2 || failed || skipped > $5 || passed < $3)); then
			echo "test $(awk -f "$VM/ktap.awk" "$1" | sed -n 's/^! //p' | head -n 1)"
		else
			echo "none"
		fi ;;
	esac
}

# one N SLOT: its KTAP line; to logs/N.result "KIND FILE".
one() {
	local n=$1 result kind text key kept listed=''

	key="$sources $tests"
	[[ ${where[n]} != host ]] || key=$host_sources
	key=$(sha256sum <<< "$key ${files[n]} ${old[n]} ${new[n]} ${where[n]}" | cut -c1-16)
	kept=$WORK/results/$key
	if [[ -n $resume && -e $kept ]]; then
		result=$(< "$kept")
	else
		result=$(judge "$n" "$2")
		mkdir -p "$WORK/results"
		[[ $result == error* ]] || echo "$result" > "$kept"
	fi
	read -r kind text <<< "$result"
	[[ -z ${why[n]} ]] || listed=1
	text=${text//#/}
	case $kind${listed:+-listed} in
	error*) echo "not ok $n $(name_of "$n") # error: $text, log: $logs/$n.log" ;;
	none) echo "not ok $n $(name_of "$n") # SURVIVED ${where[n]}" ;;
	none-listed) echo "ok $n $(name_of "$n") # survives: ${why[n]}" ;;
	*-listed) echo "not ok $n $(name_of "$n") # listed as a survivor, but noticed: $kind, $text" ;;
	*) echo "ok $n $(name_of "$n") # noticed: $kind, $text" ;;
	esac
	echo "$kind${listed:+ listed}" > "$logs/$n.result"
}

# table: file, mutations, who noticed them.
table() {
	local n kind

	for n in "${numbers[@]}"; do
		[[ ! -e $logs/$n.result ]] || echo "${files[n]} $(< "$logs/$n.result")"
	done | sort | awk '
		function row(name, of) {
			printf "# %-34s %5d %5d %5d %5d %5d %9d %7d %6d\n", name, of["all"], of["host"],
				of["test"], of["log"], of["lost"], of["none"], of["listed"], of["error"]
		}

		{
			if ($1 != file && file != "") {
				row(file, own)
				delete own
			}
			file = $1
			own["all"]++
			sum["all"]++
			own[$2]++
			sum[$2]++
			if ($2 == "none" && $3 == "listed") {
				own["listed"]++
				sum["listed"]++
			}
		}

		BEGIN {
			printf "# %-34s %5s %5s %5s %5s %5s %9s %7s %6s\n", "file", "all", "host", "test",
				"log", "lost", "survivors", "listed", "errors"
		}

		END {
			row(file, own)
			row("sum", sum)
		}'
}

run_all() {
	local n slot s pid
	local -A busy=()

	for n in "${numbers[@]}"; do
		slot=
		until [[ -n $slot ]]; do
			for ((s = 1; s <= slots; s++)); do
				pid=${busy[$s]:-}
				[[ -n $pid ]] && kill -0 "$pid" 2> /dev/null || slot=$s
			done
			[[ -n $slot ]] || wait -n "${busy[@]}" || true
		done
		one "$n" "$slot" &
		busy[$slot]=$!
	done
	wait
}

# prepare: what all mutations need, and the sources as they are now.
prepare() {
	need make=make gcc=gcc rsync=rsync
	mkdir -p "$WORK/tree/selftests"
	rsync -rlpc --delete "${built[@]}" "$TOP"/{Kbuild,Makefile,kmod,uapi} "$WORK/tree/"
	rsync -rlpc --delete --include='*.[ch]' --include='*.csv' --include='*.sh' --include='*/' \
		--include=Makefile --exclude='*' "$TOP/selftests/host" "$WORK/tree/selftests/"
	# Host tests of the library's stalls build with its sources.
	mkdir -p "$WORK/tree/userspace"
	rsync -rlpc --delete --include='*.[ch]' --include='*/' --exclude='*' \
		"$TOP"/userspace/{include,lib} "$WORK/tree/userspace/"
	sources=$(cd "$WORK/tree" && hash_of Kbuild Makefile kmod uapi)
	host_sources=$(hash_of "$WORK/tree")
}

read_list
mapfile -t numbers < <(wanted)
((${#numbers[@]})) || die "there is no such mutation"
bad=0
for n in "${numbers[@]}"; do
	text=$(fits "$n")
	[[ -z $list ]] || echo "$n $(name_of "$n") | ${where[n]}"
	[[ -z $text ]] || {
		bad=1
		note "mutation $n, $(name_of "$n"): $text"
	}
done
((!bad)) || die "the list does not fit the sources"
[[ -z $list ]] || exit 0

# Kill our jobs at the end; run.sh ends its machine by itself.
trap '[[ -z $(jobs -p) ]] || kill $(jobs -p) 2> /dev/null || true' EXIT
trap 'exit 130' INT TERM
logs=$WORK/logs
mkdir -p "$logs"
exec 8> "$WORK/lock"
flock -n 8 || die "another run uses $WORK"
sources=
host_sources=
tests=
userspace=
ko=
prepare
find "$logs" -name '*.result' -delete
for n in "${numbers[@]}"; do
	[[ ${where[n]} != host* && -z $tests ]] || continue
	tests=$("$VM/kselftest.sh")
	userspace=$("$VM/userspace.sh")
done
echo "KTAP version 1"
echo "1..${#numbers[@]}"
run_all
table
cat "$logs"/*.result | awk '
	/^(none|error)$/ || / listed$/ && !/^none/ { f++; next }
	{ p++ }
	END { printf "%d passed, %d failed, 0 skipped\n", p, f; exit f > 0 || !p }'
