# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The parts of the guest's initramfs.  To be sourced after common.sh.  A part is
# an uncompressed cpio archive, and a kernel takes several in a row, so that what
# never changes is packed once and a run only packs what is its own.

# The scripts of "perf test", where Debian 12 has them.
readonly PERF_TESTS=/usr/lib/perf-core/tests/shell

# stage_new DIR: an empty root, with /bin, /sbin, /lib and /lib64 as in Debian.
stage_new() {
	local dir

	mkdir -p "$1"/usr/{bin,sbin,lib,lib64}
	for dir in bin sbin lib lib64; do
		ln -sfn "usr/$dir" "$1/$dir"
	done
}

# stage_libs ROOT FILE...: the shared libraries that FILEs need.
stage_libs() {
	local root=$1 file lib

	shift
	for file; do
		# A static program or a script has none.
		ldd "$file" 2> /dev/null || true
	done | awk '$2 == "=>" && $3 ~ "^/" { print $3 } $1 ~ "^/" { print $1 }' |
		sort -u | while read -r lib; do
		[[ -e $root$lib ]] && continue
		mkdir -p "$root$(dirname "$lib")"
		cp -L "$lib" "$root$lib"
	done
}

# stage_program ROOT FILE [DEST]: a program and its libraries.
stage_program() {
	local root=$1 file=$2 dest=${3:-/usr/bin/$(basename "$2")}

	[[ -e $file ]] || die "cannot put $file into the guest: no such file"
	mkdir -p "$root$(dirname "$dest")"
	cp -LT "$file" "$root$dest"
	stage_libs "$root" "$file"
}

# stage_path ROOT FILE DEST: a file or a whole directory, with all libraries.
stage_path() {
	local root=$1 src=$2 dest=$3

	[[ -e $src ]] || die "cannot put $src into the guest: no such file or directory"
	mkdir -p "$root$(dirname "$dest")"
	cp -a -LT "$src" "$root$dest"
	local programs=()
	mapfile -d '' programs < <(find -L "$src" -type f \( -perm /111 -o -name '*.so*' \) \
		! -name '*.ko' -print0)
	((${#programs[@]})) || return 0
	stage_libs "$root" "${programs[@]}"
}

# pack ROOT: to stdout.
pack() {
	(cd "$1" && find . -print0 | LC_ALL=C sort -z |
		cpio --quiet --null -o -H newc -R 0:0)
}

# cached_part NAME KEY FUNCTION ARG...: FUNCTION fills a root; prints the path.
cached_part() {
	local name=$1 key=$2 part
	shift 2

	part=$CACHE/initramfs/$name-$key.cpio
	if [[ ! -e $part ]]; then
		mkdir -p "$CACHE/initramfs"
		local root
		root=$(mktemp -d "$CACHE/initramfs/tmp.XXXXXX")
		stage_new "$root"
		"$@" "$root"
		pack "$root" > "$part.$$"
		mv "$part.$$" "$part"
		rm -rf "$root"
	fi
	echo "$part"
}

# Tests and runners are bash scripts, and a few tools of Debian do what
# busybox's of the same name do not.
BASE_PROGRAMS=(bash timeout stdbuf setpriv unshare nproc)

base_files() {
	local prog

	command -v busybox
	for prog in "${BASE_PROGRAMS[@]}"; do
		command -v "$prog"
	done
	echo /usr/libexec/coreutils/libstdbuf.so
	echo /lib/terminfo/v/vt100
}

fill_base() {
	local root=$1 prog applet

	mkdir -p "$root"/{dev,proc,sys,tmp,run,root,etc,home/user,mnt} "$root/usr/libexec/coreutils"
	stage_program "$root" "$(command -v busybox)"
	while read -r applet; do
		ln -s busybox "$root/usr/bin/$applet"
	done < <(busybox --list | grep -vx -e busybox)
	for prog in "${BASE_PROGRAMS[@]}"; do
		rm -f "$root/usr/bin/$prog"
		stage_program "$root" "$(command -v "$prog")"
	done
	cp -L /usr/libexec/coreutils/libstdbuf.so "$root/usr/libexec/coreutils/"
	# For "topdown top": a terminal that every Debian system knows.
	mkdir -p "$root/usr/lib/terminfo/v"
	cp -L /lib/terminfo/v/vt100 "$root/usr/lib/terminfo/v/"
	cat > "$root/etc/passwd" <<- END
		root:x:0:0:root:/root:/bin/bash
		user:x:1000:1000:user:/home/user:/bin/bash
		other:x:1001:1001:other:/tmp:/bin/bash
		nobody:x:65534:65534:nobody:/tmp:/bin/bash
	END
	cat > "$root/etc/group" <<- END
		root:x:0:
		topdown:x:990:
		user:x:1000:
		other:x:1001:
		nogroup:x:65534:
	END
	cp "$TOP/selftests/vm/init" "$root/init"
	chmod 755 "$root/init"
}

part_base() {
	local files

	mapfile -t files < <(base_files)
	cached_part base "$(hash_of "${files[@]}" "$TOP/selftests/vm/init" \
		"$TOP/selftests/vm/initramfs.sh")" fill_base
}

perf_program() {
	compgen -G '/usr/bin/perf_*' || compgen -G '/usr/lib/linux-perf*/perf' || command -v perf
}

fill_perf() {
	local file=$1 root=$2

	stage_program "$root" "$file" /usr/bin/perf
	[[ ! -d $PERF_TESTS ]] || stage_path "$root" "$PERF_TESTS" "$PERF_TESTS"
}

part_perf() {
	local file

	file=$(perf_program | sort -V | tail -n 1)
	[[ -n $file ]] || die "perf is not installed; as root run: apt-get install linux-perf"
	cached_part perf "$(hash_of "$file" "$TOP/selftests/vm/initramfs.sh")" fill_perf "$file"
}
