#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run one command on an emulated machine, under a kernel to be tested.
set -euo pipefail

usage() {
	cat << END
Usage: run.sh [OPTION]... [--] COMMAND [ARG]...

Boots the emulated machine with an initramfs of busybox, bash, /topdown.ko and /topdown_latency.ko for
its kernel and the topdown command, runs COMMAND there as root, and ends.  One
COMMAND without ARGs is a line of bash.

  -k KERNEL    what kernel.sh knows (6.1, 6.12, 7, debug, ...), or a file of what it
               prints (default 6.12)
  -m MACHINE   what machine.sh knows (spr, icl, nopmu, nometrics, amd, ...), or
               a file of arguments for the emulator (default spr)
  -c CPUS      number of CPUs (default 4); 4,threads=2: two of them to a core
  -q MODE      how the bytes of PERF_METRICS are made: truncate, round, or rest: bad
               speculation is what the others leave (default rest)
  -r MODE      what a restore of PERF_METRICS starts from: bytes or exact (default bytes)
  -i           count instructions: one host thread, and time passes with them and
               not with the host's, so nothing depends on what else runs there
  -s SHIFT     with -i: an instruction takes 2^SHIFT ns (default 0)
  -t SECONDS   power off after so long (default 300)
  -a ARGS      more kernel arguments; may be given again
  -o OUTDIR    keep the logs there (default a new directory in the cache)
  -x FILE[:DEST]  put a file or directory and the libraries it needs into the
               guest, as /NAME or DEST
  -P           put perf into the guest
  -K FILE      this module instead of the tree's
  -N           neither the module nor the topdown command
  -M SIZE      memory (default 1G, for the kernels "debug" and "kcsan" 3G)
  -h           this text

The output of COMMAND comes to stdout.  OUTDIR gets console.log, kernel.log
(all of it, after the end), output.log and qemu.log, and where the time was over
state.log: what each CPU was doing by then.

Exit status: that of COMMAND; 121 if it was 0 but the kernel log has a warning,
an oops, a leak or the like; 125 if the machine was lost: a panic, a hang, or
the time was over; 126 if the machine could not be started.
END
}

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=selftests/vm/initramfs.sh
. "$TOP/selftests/vm/initramfs.sh"

readonly EXIT_REPORT=121 EXIT_LOST=125 EXIT_SETUP=126

# Any of these in the kernel log fails the run.
readonly REPORTS='WARNING: |BUG: |BUG at |Oops|Kernel panic|cut here|Call Trace:'\
'|KASAN|UBSAN|KCSAN|kmemleak: [1-9][0-9]* new|topdown-vm: kmemleak:'\
'|possible recursive|possible circular|possible irq lock|inconsistent lock state|suspicious RCU'\
'|INFO: task .* blocked|rcu.* stall|detected stall|soft lockup|hard LOCKUP'\
'|general protection fault[,:]|unable to handle|unchecked MSR access|scheduling while atomic'\
'|sleeping function called|refcount_t:|list_(add|del) corruption|sysfs: cannot create duplicate'\
'|Bad page state|held when returning|DEBUG_LOCKS_WARN_ON|ODEBUG:|page allocation failure'

# Messages that look alike but are about the machine, not about us.
readonly INNOCENT='Spectre V2 : WARNING|RETBleed: WARNING|kmemleak: Kernel memory leak detector'

# The kernel says with a trace where a vmalloc() had no memory: a test makes that so.
readonly ASKED_FOR='fail_test: vmalloc error: .* failed'

kernel=6.12
machine=spr
cpus=4
quant=rest
restore=bytes
icount=
shift=0
limit=300
append=
outdir=
extra=()
perf=
ko=
bare=
memory=

while getopts :k:m:c:q:r:is:t:a:o:x:PK:NM:h opt; do
	case $opt in
	k) kernel=$OPTARG ;;
	m) machine=$OPTARG ;;
	c) cpus=$OPTARG ;;
	q) quant=$OPTARG ;;
	r) restore=$OPTARG ;;
	i) icount=1 ;;
	s) shift=$OPTARG ;;
	t) limit=$OPTARG ;;
	a) append+=" $OPTARG" ;;
	o) outdir=$OPTARG ;;
	x) extra+=("$OPTARG") ;;
	P) perf=1 ;;
	K) ko=$OPTARG ;;
	N) bare=1 ;;
	M) memory=$OPTARG ;;
	h) usage; exit 0 ;;
	*) die "option -$OPTARG is unknown or lacks its value; try run.sh -h" ;;
	esac
done
shift $((OPTIND - 1))
(($#)) || die "no command given; try run.sh -h"
[[ $cpus =~ ^[1-9][0-9]*(,threads=2)?$ ]] || die "-c $cpus: not a number of CPUs"
[[ $limit =~ ^[1-9][0-9]*$ ]] || die "-t $limit: not a number of seconds"
[[ $shift =~ ^[0-9]$ ]] || die "-s $shift: not a number in 0..9"
[[ $quant == truncate || $quant == round || $quant == rest ]] ||
	die "-q $quant: none of truncate, round and rest"
[[ $restore == bytes || $restore == exact ]] || die "-r $restore: neither bytes nor exact"

if [[ -z $memory ]]; then
	memory=1G
	[[ $kernel != debug && $kernel != kcsan ]] || memory=3G
fi

need busybox=busybox-static cpio=cpio setpriv=util-linux strip=binutils
[[ -z $perf ]] || need perf=linux-perf

# find_machine: sets machine_words.
find_machine() {
	local args

	if [[ $machine == */* ]]; then
		args=$(< "$machine")
	else
		args=$("$TOP/selftests/pmu/machine.sh" "$machine")
	fi
	read -ra machine_words <<< "${args//$'\n'/ }"
}

# find_kernel: sets VMLINUZ and KVER.
find_kernel() {
	local assignments

	if [[ $kernel == */* ]]; then
		assignments=$(< "$kernel")
	else
		assignments=$("$TOP/selftests/vm/kernel.sh" "$kernel")
	fi
	eval "$assignments"
	[[ -r ${VMLINUZ:-} ]] || die "kernel $kernel: no kernel image ${VMLINUZ:-}"
}

# make_initramfs FILE COMMAND...: all parts in one.
make_initramfs() {
	local file=$1 root spec src dest part parts
	shift

	# Called where "set -e" is off: every step says itself what happens if it fails.
	part=$(with_lock initramfs part_base) || return 1
	parts=("$part")
	if [[ -n $perf ]]; then
		part=$(with_lock initramfs part_perf) || return 1
		parts+=("$part")
	fi

	root=$outdir/root
	rm -rf "$root"
	stage_new "$root"
	mkdir -p "$root/vm"
	if [[ -z $bare ]]; then
		local module userspace
		module=$ko
		[[ -n $module ]] || module=$("$TOP/selftests/vm/module.sh" "$kernel") || return 1
		# As installed modules are: tests load it some hundred times, and it is mostly debug data.
		strip --strip-debug -o "$root/topdown.ko" "$module" || return 1
		strip --strip-debug -o "$root/topdown_latency.ko" "${module%.ko}_latency.ko" ||
			return 1
		userspace=$("$TOP/selftests/vm/userspace.sh") || return 1
		cp -a "$userspace/usr/." "$root/usr/"
		stage_libs "$root" "$userspace"/usr/bin/topdown{,-export}
	fi
	for spec in "${extra[@]}"; do
		src=${spec%%:*}
		dest=/$(basename "$src")
		[[ $spec != *:* ]] || dest=${spec#*:}
		stage_path "$root" "$src" "$dest"
	done
	guest_settings > "$root/vm/settings"
	guest_command "$@" > "$root/vm/command"
	parts+=("$outdir/own.cpio")
	pack "$root" > "$outdir/own.cpio"
	cat "${parts[@]}" > "$file"
	rm -rf "$root" "$outdir/own.cpio"
}

guest_settings() {
	local rows=24 cols=80

	if [[ -t 1 ]]; then
		read -r rows cols < <(stty size < /dev/tty 2> /dev/null || echo 24 80)
		echo "TTY=1 ROWS=$rows COLS=$cols TERM=${TERM:-vt100}"
	else
		echo "TTY=0 TERM=dumb"
	fi
	printf 'TOPDOWN_KERNEL=%q TOPDOWN_MACHINE=%q\n' "$kernel" "$machine"
}

guest_command() {
	echo "cd /"
	if (($# == 1)); then
		printf '%s\n' "$1"
	else
		printf '%q ' "$@"
		echo
	fi
}

# The reports in the logs, each line once.
find_reports() {
	cat "$outdir/console.log" "$outdir/kernel.log" 2> /dev/null | tr -d '\r' |
		sed 's/^<[0-9]*>//' | grep -aE "$REPORTS|$ASKED_FOR" | grep -avE "$INNOCENT" |
		awk -v asked="$ASKED_FOR" '$0 ~ asked { trace = 1; next }
			{ ours = trace && /Call Trace:/; trace = 0 }
			!ours && !seen[$0]++'
}

# ask_state: of a machine whose time is nearly over, what its CPUs do, three times; and
# if the emulator does not answer, what its threads wait for.
ask_state() {
	local left=3

	sleep $((limit > 6 ? limit - 4 : limit / 2))
	while ((left--)); do
		printf '%s\n' "info registers -a" > "$outdir/monitor.in"
		sleep 0.5
	done
	# The processor time shows whether the machine stands still or the host is too busy.
	awk -v hz="$(getconf CLK_TCK)" '{ print "processor time:", ($14 + $15) / hz, "s" }' \
		"/proc/$(< "$outdir/pid")/stat" > "$outdir/state.log"
	timeout 2 cat "$outdir/monitor.out" | tr -d '\r' >> "$outdir/state.log"
	grep -q '[RE]IP=' "$outdir/state.log" ||
		grep -H . "/proc/$(< "$outdir/pid")"/task/*/{comm,wchan,syscall,stat} \
			>> "$outdir/state.log" 2> /dev/null
}

if [[ -z $outdir ]]; then
	mkdir -p "$CACHE/runs"
	find "$CACHE/runs" -mindepth 1 -maxdepth 1 -mtime +3 -exec rm -rf {} + 2> /dev/null || true
	outdir=$(mktemp -d "$CACHE/runs/$(date +%m%d-%H%M%S)-${kernel##*/}-${machine##*/}.XXXX")
fi
mkdir -p "$outdir"
outdir=$(cd "$outdir" && pwd)
rm -f "$outdir"/{console,kernel,output,qemu,state}.log "$outdir"/{verdict,pid,monitor.in,monitor.out}

watcher=
trap '[[ -z $watcher ]] || kill -- "-$watcher" 2> /dev/null || true
	rm -rf "$outdir"/{root,initramfs,own.cpio,pid,monitor.in,monitor.out}' EXIT
emulator=${TOPDOWN_EMULATOR:-$(with_lock emulator "$TOP/selftests/pmu/build.sh" | tail -n 1)} ||
	exit $EXIT_SETUP
find_machine || exit $EXIT_SETUP
find_kernel || exit $EXIT_SETUP
make_initramfs "$outdir/initramfs" "$@" || exit $EXIT_SETUP

accel=(-accel "tcg,thread=multi")
# The host may take a CPU away for long, which is no stall of the kernel's making;
# one that does not end is met by the limit.  Nor is it a broken timer: the kernel waits
# for a few ticks at its start, and panics if a busy host delivers them late, unless a
# hypervisor shows.  Where time is instructions none of it happens.
patience="rcupdate.rcu_cpu_stall_timeout=300 watchdog_thresh=60 no_timer_check"
if [[ -n $icount ]]; then
	accel=(-accel "tcg,thread=single" -icount "shift=$shift,sleep=off")
	patience=
fi

mkfifo "$outdir/monitor.in" "$outdir/monitor.out"
started=$SECONDS
# A group of its own, so that its sleep ends with it.
set -m
ask_state > /dev/null 2>&1 < /dev/null &
watcher=$!
set +m
set +e
# Nothing may outlive this script, however it ends.
TOPDOWN_PMU_QUANT=$quant TOPDOWN_PMU_RESTORE=$restore setpriv --pdeathsig TERM timeout -k 5 "$limit" \
	setpriv --pdeathsig KILL "$emulator/qemu-system-x86_64" \
	-L "$emulator/share" "${machine_words[@]}" "${accel[@]}" -smp "$cpus" -m "$memory" \
	-nodefaults -no-user-config -display none -no-reboot -pidfile "$outdir/pid" \
	-chardev "pipe,id=monitor,path=$outdir/monitor" -monitor chardev:monitor \
	-chardev "file,id=console,path=$outdir/console.log" -serial chardev:console \
	-chardev "file,id=verdict,path=$outdir/verdict" -serial chardev:verdict \
	-chardev "stdio,id=output,signal=off" -serial chardev:output \
	-chardev "file,id=kernel,path=$outdir/kernel.log" -serial chardev:kernel \
	-kernel "$VMLINUZ" -initrd "$outdir/initramfs" \
	-append "console=ttyS0 quiet oops=panic panic=-1 printk.devkmsg=on log_buf_len=4M $patience$append" \
	< /dev/null 2> "$outdir/qemu.log" | tee "$outdir/output.log"
qemu_status=${PIPESTATUS[0]}
set -e

verdict=$(tr -d '\r\n' < "$outdir/verdict" 2> /dev/null || true)
reports=$(find_reports || true)
if [[ -n $reports ]]; then
	note "the kernel log has reports:"
	head -n 20 <<< "$reports" >&2
fi
if [[ ! $verdict =~ ^[0-9]+$ ]]; then
	note "machine lost after $((SECONDS - started)) s (emulator status $qemu_status); end of its console:"
	tail -n 15 "$outdir/console.log" >&2 || true
	grep -v 'warning: TCG doesn.t support' "$outdir/qemu.log" | tail -n 5 >&2 || true
	note "logs: $outdir"
	((qemu_status != 124 && qemu_status != 137)) || {
		note "its $limit s were over; what its CPUs did:"
		grep -E '^processor time|^CPU#|[RE]IP=|CR3=|comm:' "$outdir/state.log" >&2 || true
	}
	exit $EXIT_LOST
fi
if ((verdict)); then
	note "command failed with status $verdict (kernel $kernel, machine $machine; logs: $outdir)"
	case $verdict in
	# The statuses of our own must not be mistaken for the command's.
	"$EXIT_REPORT" | "$EXIT_LOST" | "$EXIT_SETUP") exit 1 ;;
	*) exit "$verdict" ;;
	esac
fi
if [[ -n $reports ]]; then
	note "logs: $outdir"
	exit $EXIT_REPORT
fi
