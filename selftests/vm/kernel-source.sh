# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A kernel built from Debian's linux-source package.  The source tree is
# unpacked once and never written to; kernels are built outside it.

: "${here:?}" "${cache:?}"

build_needs="bc bison flex gcc libelf-dev libssl-dev kmod make pahole xz-utils"

# source_excludes: files that no kernel of ours is built from and nothing here reads.  They are
# most of the source by size.  Kconfig and make files stay, because the build walks through them.
source_excludes() {
	local dir

	for dir in gpu infiniband media net/ethernet net/wireless scsi staging; do
		printf -- '--exclude=*/drivers/%s/*.[ch]\n' "$dir"
	done
	for dir in alpha arc arm arm64 csky hexagon loongarch m68k microblaze \
		   mips nios2 openrisc parisc powerpc riscv s390 sh sparc \
		   um xtensa; do
		printf -- '--exclude=*/arch/%s/boot/dts/*\n' "$dir"
		printf -- '--exclude=*/arch/%s/*.[chS]\n' "$dir"
	done
	printf -- '--exclude=linux-source-*/Documentation/*/*\n'
	printf -- '--exclude=linux-source-*/sound/*.[ch]\n'
}

# source_tree: print the unpacked tree of the linux-source package
source_tree() {
	local dist dir excludes

	dist=$("$here/linux-source.sh")
	dir=$cache/linux-source-${dist##*/}
	if [ ! -e "$dir/env" ]; then
		say "unpacking the kernel source"
		new_dir "$dir/tree"
		mapfile -t excludes < <(source_excludes)
		tar -xf "$dist/linux.tar.xz" -C "$dir/tree" \
			--strip-components=1 "${excludes[@]}"
		finish "$dir" "" "SOURCE=$dir/tree"
	fi
	printf '%s\n' "$dir/tree"
}

# check_config CONFIG WANTED: every option of WANTED is in CONFIG
check_config() {
	local lost

	lost=$(grep '^CONFIG_' "$2" | grep -Fvxf "$1" || true)
	[ -z "$lost" ] ||
		die "options of ${2##*/} that this kernel did not take:" \
		    "${lost//$'\n'/ }"
}

# join_configs FILE...: print what all of them together say; the last one to name an option wins
join_configs() {
	cat "$@" | awk '
		/^CONFIG_/ || /^# CONFIG_[A-Z0-9_]* is not set$/ {
			name = $0
			sub(/^# /, "", name)
			sub(/[ =].*/, "", name)
			if (!(name in line))
				order[++n] = name
			line[name] = $0
		}

		END {
			for (i = 1; i <= n; i++)
				print line[order[i]]
		}'
}

# build_kernel TREE DIR CONFIG [VARIABLE=VALUE]...: build in DIR/build
build_kernel() {
	local tree=$1 build=$2/build config=$3 log=$2/build.log
	local run=(nice make -C "$tree" O="$build" -j"$(nproc)" "${@:4}")

	mkdir -p "$build"
	"${run[@]}" KCONFIG_ALLCONFIG="$config" allnoconfig >"$log" 2>&1 ||
		{ tail -n 30 "$log" >&2; die "configuration failed: $log"; }
	check_config "$build/.config" "$config"
	say "building $(basename "$config" .config) kernel, 10 minutes on 2" \
		"CPUs; log: $log"
	"${run[@]}" bzImage modules >>"$log" 2>&1 ||
		{ tail -n 30 "$log" >&2; die "build failed: $log"; }

	# External modules need the headers, Module.symvers and the programs
	# in scripts and tools, and people need vmlinux to read addresses
	find "$build" \( -path "$build/scripts" -o -path "$build/tools" \) \
		-prune -o -type f \( -name '*.[oa]' -o -name '.*.cmd' \
		-o -name '.tmp_vmlinux*' \) \
		-exec rm {} +
}

fetch_source() {
	local name=$1 want=$2 word
	local dir key kver tree configs=() variables=()

	for word in "${@:3}"; do
		case $word in
		*=*) variables+=("$word") ;;
		*) configs+=("$here/$word") ;;
		esac
	done

	# shellcheck disable=SC2086 # a list of words
	need_packages $build_needs
	tree=$(source_tree)
	key=$({ cat "${configs[@]}"; declare -f build_kernel join_configs; gcc --version
		printf '%s\n' "$tree" "${variables[@]}"; } | sha256sum)
	dir=$cache/$name-${key:0:12}
	reuse "$dir" && return
	new_dir "$dir"

	join_configs "${configs[@]}" > "$dir/$name.config"
	build_kernel "$tree" "$dir" "$dir/$name.config" "${variables[@]}"
	kver=$(<"$dir/build/include/config/kernel.release")
	check_release "$name" "$kver" "$want"
	make -s -C "$dir/build" INSTALL_MOD_PATH="$dir" modules_install >&2
	finish "$dir" "$build_needs" "KVER=$kver" \
		"VMLINUZ=$dir/build/arch/x86/boot/bzImage" \
		"KDIR=$dir/build" "MODDIR=$dir/lib/modules/$kver"
	printf '%s\n' "$dir"
}
