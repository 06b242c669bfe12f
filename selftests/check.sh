#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run the tests: "make check" and, with --full, "make check-full".  The last
# line is "N passed, N failed, N skipped".
set -euo pipefail

usage() {
	cat << END
Usage: check.sh [--full] [--resume] [-k KERNEL] [-m MACHINE] [-t TEST]

  --full      all tiers: also the debug kernel and the newest kernel
  --resume    go on with a run of the same tree that did not end, or not well: what
              passed there is not run again
  -k KERNEL   in-guest tests on this kernel only
  -m MACHINE  in-guest tests on this machine only
  -t TEST     this in-guest test only (a glob)

TOPDOWN_JOBS is the number of machines emulated at once (default: as many as
there are processors, 4 at most).  Logs are kept in the cache, in "check" or "check-full".
END
}

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/vm/common.sh"
# shellcheck source=selftests/vm/jobs.sh
. "$TOP/selftests/vm/jobs.sh"

VM=$TOP/selftests/vm
# So many measurements may be taken once more in a run of tier 2, and of tier 3.
readonly LUCK=([2]=10 [3]=25)
# So many mistakes that guests notice are planted in tier 3, beside all of the host tests.
readonly MUTATIONS=12
args=("$@")
tier=2
resume=
only_kernel='*'
only_machine='*'
only_test='*'
while (($#)); do
	case $1 in
	--full) tier=3 ;;
	--resume) resume=1 ;;
	-k) only_kernel=${2:?-k lacks its value}; shift ;;
	-m) only_machine=${2:?-m lacks its value}; shift ;;
	-t) only_test=${2:?-t lacks its value}; shift ;;
	-h | --help) usage; exit ;;
	*) usage >&2; exit 2 ;;
	esac
	shift
done

LOGS=$CACHE/check
((tier == 2)) || LOGS=$CACHE/check-full
slots=${TOPDOWN_JOBS:-$(($(nproc) < 4 ? $(nproc) : 4))}
pool=()
# Where prepare_promtool() puts it.
PATH=$PATH:$CACHE/promtool

# All at once, because apt takes seconds each time and only one can run.
prepare_packages() {
	need gcc=gcc g++=g++ make=make pkg-config=pkg-config cpio=cpio rsync=rsync xz=xz-utils \
		busybox=busybox-static setpriv=util-linux perf=linux-perf bc=bc bison=bison flex=flex \
		ninja=ninja-build meson=meson patch=patch dpkg-source=dpkg-dev strip=binutils \
		python3=python3 git=git kmod=kmod tmux=tmux gcc-12=gcc-12 pgrep=procps \
		sparse=sparse shellcheck=shellcheck codespell=codespell cppcheck=cppcheck mandoc=mandoc \
		flake8=flake8 mypy=mypy openssl=openssl zsh=zsh fish=fish
	need_files /usr/include/json-c/json.h=libjson-c-dev \
		/usr/include/sys/capability.h=libcap-dev /usr/include/curses.h=libncurses-dev \
		/usr/include/microhttpd.h=libmicrohttpd-dev /usr/include/zlib.h=zlib1g-dev \
		/usr/include/glib-2.0=libglib2.0-dev \
		/usr/lib/python3/dist-packages/pandas=python3-pandas \
		/usr/include/pixman-1=libpixman-1-dev /usr/include/libfdt.h=libfdt-dev \
		/usr/include/gelf.h=libelf-dev /usr/include/elfutils/libdwfl.h=libdw-dev \
		/usr/include/libiberty/demangle.h=libiberty-dev '/usr/include/*/gnu/libc-version.h=libc6-dev'
}

# download_promtool: into the current directory.
download_promtool() {
	apt-get -q download prometheus &&
		dpkg --fsys-tarfile prometheus_*.deb |
		tar -x --strip-components=3 ./usr/bin/promtool &&
		rm prometheus_*.deb
}

# promtool judges the metrics of "topdown export".  To install its package starts a server.
prepare_promtool() {
	! command -v promtool > /dev/null || return 0
	mkdir -p "$CACHE/promtool" && cd "$CACHE/promtool" || return
	# The package lists of a fresh machine are empty or old: fetch and retry.
	download_promtool || { apt-get -q update && download_promtool; }
}

# The runs of matrix.conf for this tier: NAME KERNEL MACHINE QUANT CPUS MODE SECONDS TESTS...
matrix() {
	local line_tier kernels machine quant cpus mode rest kernel

	grep -vE '^[[:space:]]*(#|$)' "$VM/matrix.conf" |
		while read -r line_tier kernels machine quant cpus mode rest; do
			((line_tier <= tier)) || continue
			for kernel in ${kernels//,/ }; do
				# shellcheck disable=SC2053 # the choices are globs
				[[ $kernel == $only_kernel && $machine == $only_machine ]] || continue
				echo "guest-$kernel-$machine-$quant-$mode $kernel $machine $quant $cpus $mode $rest"
			done
		done | awk '{ if (n[$1]++) $1 = $1 "-" n[$1]; print }'
}

# The long forms of the tests are for the kernels that make check has: what is new
# in another one shows in the short forms, and an instrumented one is slow.
in_tier_2() { "$VM/kernel.sh" -l 2 | grep -x "$1" > /dev/null; }

kernels() { matrix | cut -d' ' -f2 | sort -u; }

# built_for: the kernels that the module is built for: in the full tier also those that run no
# test.
built_for() {
	kernels
	((tier == 2)) || [[ "$only_kernel$only_machine" != '**' ]] || "$VM/kernel.sh" -l 4 |
		grep -vxF "$(kernels)"
}

# tests_of GLOB...: programs that are there, but for those of !GLOB, and of these
# the ones that were asked for; a glob that matches none is an error.  SCRIPT:TEST,TEST
# stays as it is in tier 2.
tests_of() {
	local glob name names found part settings=()
	local -A wanted=()

	for glob; do
		if [[ $glob == *=* ]]; then
			settings+=("$glob")
			continue
		fi
		found='' part=${glob#"${glob%%:*}"}
		[[ -z $part || $glob == *.sh:* ]] || die "only a script can run in part: $glob"
		((tier == 2)) || part=
		glob=${glob%%:*}
		while IFS=: read -r _ name; do
			# shellcheck disable=SC2053
			[[ $name == ${glob#!} ]] || continue
			found=1
			wanted[$name]=$name$part
			[[ $glob != !* ]] || unset "wanted[$name]"
		done < "$tests/kselftest-list.txt"
		[[ -n $found ]] || die "no in-guest test is called ${glob#!}"
	done
	names=$(for name in "${!wanted[@]}"; do
		# shellcheck disable=SC2053
		[[ $name != $only_test ]] || echo "${wanted[$name]}"
	done | sort)
	# Settings alone are no test that was asked for.
	[[ -z $names ]] || printf '%s\n' "${settings[@]}" "$names"
}

# module KERNEL: a warning fails it.
module() {
	local output status=0

	output=$("$VM/module.sh" "$1" 2>&1) || status=$?
	echo "$output"
	((status == 0)) && ! grep -qi 'warning:' <<< "$output"
}

# guest NAME KERNEL MACHINE QUANT CPUS MODE SECONDS TEST...
guest() {
	local name=$1 kernel=$2 machine=$3 quant=$4 cpus=$5 mode=$6 seconds=$7 args full clock=()
	local test parts='' environment=''
	shift 7

	while [[ ${1-} == *=* ]]; do
		environment+="$1 "
		shift
	done
	args=("${@%%:*}")
	args=("${args[@]/#/-t topdown:}")
	clock_of "$mode"
	# With threads for interrupts, PREEMPT_RT takes the many of a serial port for stray ones.
	[[ $kernel != *rt ]] || clock+=(-a noirqdebug)
	if ((tier == 2)); then
		for test; do [[ $test != *:* ]] || parts+=" $test"; done
		# In the emulator each system call and each switch of tasks pays for
		# mitigations, and no test is about them.
		clock+=(-a mitigations=off)
		# perf looks at all symbols of the kernel for each of its files, unless it may
		# not: twenty seconds of a guest.
		full="echo 2 > /proc/sys/kernel/kptr_restrict && TOPDOWN_PARTS='${parts# }' "
	elif in_tier_2 "$kernel"; then
		full="TOPDOWN_FULL=1 "
	else
		full=
	fi
	TOPDOWN_PMU_LATENCIES=$TOP/selftests/pmu/latencies \
		"$VM/run.sh" -k "$kernel" -m "$machine" -q "$quant" -c "$cpus" -t "$seconds" -P \
		"${clock[@]}" -o "$LOGS/$name/guest" -x "$tests:/kselftest" \
		"cd /kselftest && $full$environment./run_kselftest.sh ${args[*]}"
}

build_lane() {
	local kernel

	job prep promtool prepare_promtool || true
	job prep linux-source "$VM/linux-source.sh" || true
	job prep in-guest-tests "$VM/kselftest.sh" || true
	job step userspace "$VM/userspace.sh" || true
	for kernel in $(built_for); do
		job prep "kernel-$kernel" "$VM/kernel.sh" "$kernel" || continue
		job step "module-$kernel" module "$kernel" || true
	done
}

# The tests that need no guest, in one lane: lint looks at the tree that the others build in.
host_tests() {
	job ktap host make -s -C "$TOP/selftests/host" check || true
	if ((tier == 2)); then
		job ktap userspace-check unchanged userspace "$(userspace_key)" \
			make -s -C "$TOP/userspace" check || true
	else
		job ktap userspace-check make -s -C "$TOP/userspace" check || true
	fi
	job ktap lint "$TOP/selftests/lint/lint.sh" || true
}

# A key of all that the emulator's tests and the runner's depend on.  kernel.sh names the kernels.
emulator_key() {
	local kernel emulator

	emulator=${TOPDOWN_EMULATOR:-$("$TOP/selftests/pmu/build.sh" | tail -n 1)}
	{
		sha256sum < "$emulator/qemu-system-x86_64"
		hash_of "$TOP"/selftests/pmu/{check.sh,machine.sh,backdoor.h,latencies,tests} \
			"$VM"/{run.sh,initramfs.sh,init,common.sh}
		for kernel in 6.1 6.12; do "$VM/kernel.sh" "$kernel"; done
	} | sha256sum | cut -c1-16
}

runner_key() {
	{
		emulator_key
		hash_of "$VM"
	} | sha256sum | cut -c1-16
}

# A key of all that the checks of userspace read, of the packages that they build with, and of who
# runs them: some need root.
userspace_key() {
	{
		hash_of "$TOP"/{docs,kmod,uapi,userspace,selftests/host} "$TOP"/*.md "$TOP/Makefile"
		dpkg-query -W
		promtool --version 2>&1
		echo "$(id -u) ${CC-}"
	} | sha256sum | cut -c1-16
}

# failures JOB: how many; a job that was not begun failed.
failures() {
	local failed=1

	[[ ! -e $LOGS/$1/totals ]] || read -r _ failed _ < "$LOGS/$1/totals"
	echo "$failed"
}

# spawn JOB...: begin a job as soon as there is a slot for it.
spawn() {
	if ((${#pool[@]} >= slots)); then
		wait -n "${pool[@]}" || true
		mapfile -t pool < <(jobs -pr | grep -vx "$heart")
	fi
	job "$@" &
	pool+=($!)
}

# run_guests: in the order of the matrix.
run_guests() {
	local name kernel machine quant cpus mode seconds globs programs found=

	while read -r name kernel machine quant cpus mode seconds globs; do
		# shellcheck disable=SC2086 # several globs, not for the files here
		if ! programs=$(set -f && tests_of $globs); then
			not_run "$name" "its tests are not there"
			continue
		fi
		[[ -n $programs ]] || continue
		found=1
		if [[ $(failures "module-$kernel") != 0 ]]; then
			not_run "$name" "there is no module for its kernel"
			continue
		fi
		# shellcheck disable=SC2086
		spawn ktap "$name" guest "$name" "$kernel" "$machine" "$quant" "$cpus" "$mode" \
			"$seconds" $programs
	done < <(matrix)
	[[ -n $found ]] || not_run guests "nothing that runs there was asked for"
}

# table: kernel x machine x result.
table() {
	local name kernel machine quant cpus mode rest passed failed skipped result

	printf '\n%-8s %-10s %-9s %4s %-7s %7s %7s %7s  %s\n' kernel machine bytes CPUs mode \
		passed failed skipped result
	while read -r name kernel machine quant cpus mode rest; do
		[[ -e $LOGS/$name/totals ]] || continue
		read -r passed failed skipped _ < "$LOGS/$name/totals"
		result=ok
		((failed == 0)) || result=FAILED
		printf '%-8s %-10s %-9s %4s %-7s %7s %7s %7s  %s\n' "$kernel" "$machine" "$quant" \
			"$cpus" "$mode" "$passed" "$failed" "$skipped" "$result"
	done < <(matrix)
	echo
}

main() {
	local emulator

	prepare_packages
	heartbeat 8>&- &
	heart=$!
	# The emulator takes longest, and nothing before the guests needs it.
	job prep emulator "$TOP/selftests/pmu/build.sh" &
	emulator=$!
	build_lane
	host_tests &
	pool+=($!)
	wait "$emulator" || true
	if [[ $(failures emulator) != 0 ]]; then
		not_run guests "there is no emulator"
	elif [[ $(failures in-guest-tests) != 0 ]]; then
		not_run guests "the in-guest tests did not build"
	else
		tests=$("$VM/kselftest.sh")
		# Long, and in one lane: not at the end.
		if ((tier == 2)); then
			spawn ktap emulator-tests unchanged emulator "$(emulator_key)" \
				"$TOP/selftests/pmu/check.sh"
			spawn ktap runner-tests unchanged runner "$(runner_key)" "$VM/check.sh"
		else
			spawn ktap emulator-tests "$TOP/selftests/pmu/check.sh" -a
			spawn ktap unit-tests "$TOP/selftests/pmu/unit-tests.sh"
			spawn ktap runner-tests "$VM/check.sh"
			spawn ktap packages "$TOP/selftests/ship/deb.sh"
			spawn ktap rpm "$TOP/selftests/ship/rpm.sh"
			spawn ktap pcp "$TOP/selftests/ship/pcp.sh"
			spawn ktap python "$TOP/selftests/ship/python.sh"
			spawn ktap systemd "$TOP/selftests/ship/systemd.sh"
			spawn ktap mutations "$TOP/selftests/proof/mutate.sh" -s "$MUTATIONS"
		fi
		run_guests
	fi
	wait "${pool[@]}" || true
	((tier == 2)) || [[ -z $tests ]] || table
	longest 12
	sum_up "${LUCK[tier]}"
}

# snapshot: the tree as it is now, so that a change made meanwhile can neither
# mix two states in one result nor pull this script from under the shell.
snapshot() {
	local new=$LOGS.new

	rm -rf "$new"
	mkdir -p "$new/tree"
	if git -C "$TOP" rev-parse 2> /dev/null; then
		# Files that git ignores were built, not written.
		(cd "$TOP" && git ls-files -coz --exclude-standard |
			tar -c --null --files-from=- --ignore-failed-read 2> /dev/null) |
			tar -x -C "$new/tree"
	else
		(cd "$TOP" && tar -c --exclude=.git .) | tar -x -C "$new/tree"
	fi
	hash_of "$new/tree" > "$new/hash"
	if [[ -n $resume ]] && cmp -s "$new/hash" "$LOGS/hash"; then
		keep_passed
		rm -rf "$new"
	else
		rm -rf "$LOGS"
		mv -T "$new" "$LOGS"
	fi
}

# keep_passed: of an earlier run leave the tests that passed, which job() does not run
# again; what they need has to be there anyway.
keep_passed() {
	local dir failed

	for dir in "$LOGS"/*/; do
		[[ $dir != */tree/ ]] || continue
		failed=1
		[[ ! -e $dir/counts || ! -e $dir/totals ]] || read -r _ failed _ < "$dir/totals"
		((failed == 0)) || rm -rf "$dir"
	done
}

if [[ -z ${TOPDOWN_CHECK_SNAPSHOT:-} ]]; then
	exec 8> "$LOGS.lock"
	if ! flock -n 8; then
		say "      another run uses $LOGS: waiting for its end"
		flock 8
	fi
	snapshot
	TOPDOWN_CHECK_SNAPSHOT=1 exec "$LOGS/tree/selftests/check.sh" "${args[@]}"
fi

heart=
tests=
# The jobs end with us; run.sh takes its machine along.
trap '[[ -z $(jobs -p) ]] || kill $(jobs -p) 2> /dev/null || true' EXIT
trap 'exit 130' INT TERM
main
