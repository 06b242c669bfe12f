# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Functions that the scripts here share.  To be sourced; it sets:
#   TOP    the source tree
#   CACHE  where everything that can be made again is kept

# shellcheck disable=SC2034 # who sources this uses it
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CACHE=${TOPDOWN_CACHE:-$HOME/.cache/topdown}
mkdir -p "$CACHE"
export TOPDOWN_CACHE=$CACHE

note() { echo "${0##*/}: $*" >&2; }
die() { note "$*"; exit 1; }

# with_lock NAME COMMAND...: one at a time on this machine, for what is cached.
with_lock() {
	local name=$1

	shift
	mkdir -p "$CACHE/locks"
	(
		flock 9
		"$@" 9>&-
	) 9> "$CACHE/locks/$name"
}

# need COMMAND=PACKAGE...: install the packages of the commands that are absent.
need() {
	local pair pkgs=()

	for pair; do
		PATH=$PATH:/usr/sbin:/sbin command -v "${pair%%=*}" > /dev/null ||
			pkgs+=("${pair#*=}")
	done
	((${#pkgs[@]})) || return 0
	install_packages "${pkgs[@]}"
}

# need_files FILE=PACKAGE...: the same for files that are not commands.
need_files() {
	local pair pkgs=()

	for pair; do
		compgen -G "${pair%%=*}" > /dev/null || pkgs+=("${pair#*=}")
	done
	((${#pkgs[@]})) || return 0
	install_packages "${pkgs[@]}"
}

apt_install() {
	apt-get -q install -y --no-install-recommends "$@"
}

install_packages() {
	local log=$CACHE/apt.log

	if ((EUID)); then
		die "missing packages; as root run: apt-get install $*"
	fi
	note "installing $*"
	export DEBIAN_FRONTEND=noninteractive
	# The package lists of a fresh machine are empty or old: fetch and retry.
	with_lock apt apt_install "$@" > "$log" 2>&1 && return
	with_lock apt apt-get -q update >> "$log" 2>&1 || true
	with_lock apt apt_install "$@" >> "$log" 2>&1 && return
	tail -n 5 "$log" >&2
	die "cannot install $* (log: $log)"
}

# hash_of PATH...: a short hash of the contents and relative names of files
# and whole directories; build products are left out.
hash_of() {
	local path

	for path; do
		if [[ -d $path ]]; then
			(cd "$path" && find . -name build -prune -o -type f \
				! -name '*.[oa]' ! -name '*.so' ! -name '*.so.[0-9]*' ! -path './topdown*' \
				! -name '*.ko' ! -name '.*.cmd' ! -name '*.mod' ! -name '*.mod.c' \
				-print0 | sort -z | xargs -0r sha256sum)
		else
			(cd "$(dirname "$path")" && sha256sum "$(basename "$path")")
		fi
	done | sha256sum | cut -c1-16
}

# publish DIR FINAL: give a finished temporary directory its name in the cache.
publish() {
	rm -rf "$2"
	mkdir -p "$(dirname "$2")"
	mv -T "$1" "$2"
}

# kernel_make DIR KDIR CHROOT ARGUMENT...: make the module in DIR, for a kernel as kernel.sh
# has it.
kernel_make() {
	local dir=$1 kdir=$2 chroot=$3
	shift 3

	if [[ -n $chroot ]]; then
		"$TOP/selftests/vm/chroot-make.sh" "$chroot" "$dir" -C "$kdir" M="$dir" "$@" modules
	else
		make -C "$kdir" M="$dir" "$@" modules
	fi
}

# clock_of MODE: set the array clock to the options of run.sh for a mode of matrix.conf.
clock_of() {
	# Where the clock is watched, each CPU is interrupted for it now and then.
	local quiet='nohz_full=2,3 isolcpus=2,3 rcu_nocbs=2,3 tsc=reliable'

	case $1 in
	icount) clock=(-i -s 3) ;;
	fine) clock=(-i) ;;
	smp) clock=() ;;
	nohz) clock=(-i -s 3 -a "$quiet") ;;
	*) die "matrix.conf: $1 is no mode" ;;
	esac
}
