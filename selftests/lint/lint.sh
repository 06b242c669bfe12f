#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Static checks over the whole tree, "make lint".
#
#   lint.sh [-C TREE] [-l | -f] [CHECK]...
#
# One KTAP line a check; a finding fails it and is shown, a tool that is not
# installed skips it.  -l lists the checks, -f the files that are looked at.  -C looks at another copy of the
# tree, which is how lint-test.sh proves that every check can fail.  Exit
# status: 0 no finding, 1 findings, 2 wrong usage, 4 nothing was run.
#
# The slow checks look at a file again only if it, or what they judge it by, has changed
# since it was clean: marks of that are in the cache.  TOPDOWN_LINT_ALL=1 looks at all.
#
# A check is a function check_NAME.  It prints its findings; any output, or a
# status other than 0, is a failure.  Status 4 skips it, with the reason as
# output.  lint_src() and lint_files() say what there is to look at.

set -euo pipefail
shopt -s inherit_errexit

selftests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tree=$(dirname "$selftests")
marks=${TOPDOWN_CACHE:-$HOME/.cache/topdown}/lint
width=100
beside=

checks=(spdx whitespace versions symbols graph paths errnos sparse checkpatch kernel-doc cppcheck
	clang-tidy shellcheck flake8 mypy codespell mandoc)

usage() {
	echo "usage: ${0##*/} [-C TREE] [-l | -f] [CHECK]..." >&2
	echo "checks: ${checks[*]}" >&2
	exit 2
}

skip() {
	echo "$*"
	exit 4
}

need() {
	command -v "$1" >/dev/null || skip "$1 is not installed"
}

# list_tree: the text files of the project.  Files that git ignores are built, not
# written.  Without git, know built files by their names, and programs by being no text.
list_tree() {
	if git -C "$tree" rev-parse --show-cdup >/dev/null 2>&1; then
		git -C "$tree" ls-files -co --exclude-standard
	else
		find . -type f ! -path '*/.git/*' ! -path './userspace/build/*' \
			! -name '*.mod*' ! -name '.*.cmd' -printf '%P\n'
	fi | sort | xargs -r -d '\n' grep -lI '' 2>/dev/null || :
}

# lint_files [GLOB]...: those that match one of the globs; * also matches /
lint_files() {
	local file glob

	while IFS= read -r file; do
		for glob in "${@:-*}"; do
			# shellcheck disable=SC2053 # a glob
			if [[ $file == $glob ]]; then
				printf '%s\n' "$file"
				break
			fi
		done
	done <"$scratch/files"
}

# lint_scripts: what a shell runs; lint_libraries: what scripts source, which
# says so by naming its shell for shellcheck
lint_scripts() {
	lint_files | while IFS= read -r file; do
		if [[ $(head -n 1 "$file" | tr -d '\0') =~ ^'#!'.*[/\ ](ba)?sh ]]; then
			printf '%s\n' "$file"
		fi
	done
}

lint_libraries() {
	lint_files | xargs -r -d '\n' grep -lE '^# shellcheck shell=' || :
}

# kernel_source: a tree with checkpatch.pl and kernel-doc
kernel_source() {
	local dir

	dir=$("$selftests/vm/linux-source.sh" 2>/dev/null) ||
		skip "no kernel source: selftests/vm/linux-source.sh fails"
	printf '%s\n' "$dir/tree"
}

# Line 1 of a file says its licence; line 2 after the interpreter.  Data that
# has no comments, and what people read as it is, are left out.
check_spdx() {
	local file

	lint_files | grep -Ev '(^|/)(COPYING|LICEN[CS]E[^/]*|.*\.(md|csv|json|txt))$' |
	grep -v '^uapi/ABI/' |
	while IFS= read -r file; do
		[ -s "$file" ] || continue
		{ read -r first || :; read -r second || :; } <"$file"
		# A kernel, zsh, and pmdaopenmetrics, want the first line for themselves.
		[[ $first == '#!'* || $first == '#compdef '* || $file == *.url ]] && first=$second
		[[ $first == *'SPDX-License-Identifier: '* ]] ||
			echo "$file:1: no SPDX-License-Identifier"
	done
}

check_whitespace() {
	local file

	# A patch has the blank lines of what it changes, and output is what it is
	lint_files | grep -vE '\.patch$|/golden/' | while IFS= read -r file; do
		grep -HnE '[[:blank:]]+$' "$file" | sed 's/$/<- blanks/' || :
		[ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] ||
			echo "$file: no newline at the end"
	done
}

# compat.h is the only place that knows kernel versions
check_versions() {
	lint_files 'kmod/*' 'uapi/*' 'userspace/*' | grep -vx kmod/compat.h |
		xargs -r grep -nwE 'KERNEL_VERSION|LINUX_VERSION_CODE' || :
}

# Nothing that the kernel does not export, and no false label
check_symbols() {
	lint_files 'kmod/*' | xargs -r grep -nE \
		'kallsyms_|register_k(ret)?probe|__symbol_get|MODULE_INFO\(intree' || :
}

# Each folder of kmod/ uses only those below it, and files include what they use
check_graph() {
	local module

	{ "$tree/selftests/lint/graph.sh" userspace/cli userspace/lib > /dev/null; } 2>&1 || :
	module=$("$selftests/vm/module.sh" 6.12 2>/dev/null) ||
		skip "no module for 6.12: selftests/vm/module.sh 6.12 fails"
	{ "$tree/selftests/lint/graph.sh" -o "${module%/*}" kmod > /dev/null; } 2>&1 || :
}

# The files that CONTRIBUTING.md and docs/ name, in backquotes, are there
check_paths() {
	local line path

	# shellcheck disable=SC2016 # no substitution is meant
	lint_files CONTRIBUTING.md 'docs/*.md' |
		xargs -r grep -HonE '`(docs|kmod|uapi|userspace|selftests)/[^` ]+' |
		while IFS='`' read -r line path; do
			[[ -e $path ]] || echo "$line there is no $path"
		done
}

# Each statement of the table of errors has a test, of 64 and of 32 bits
check_errnos() {
	need python3
	"$tree/selftests/proof/errnos.py" "$tree"
}

# sparse_module: sparse, and W=1 of the compiler on the way, in a copy of the module
sparse_module() {
	local copy log sources

	copy=$scratch/sparse
	mkdir "$copy"
	lint_files Kbuild Makefile 'kmod/*' 'uapi/*' | xargs cp --parents -t "$copy"
	log=$scratch/sparse.log
	make -C "$KDIR" M="$copy" C=2 W=1 CF=-Wsparse-all=n modules >"$log" 2>&1 ||
		{ grep -v '^  [A-Z]' "$log" | tail -n 20; return 1; }
	grep -E "^($copy/)?(kmod|uapi)/[^ ]*: .*(warning|error):" "$log" |
		sed "s|^$copy/||" | sort -u || :

	# A sparse that did not look at a file has nothing to say about it
	sources=$(find "$copy/kmod" -name '*.c' ! -name '*.mod.c' | wc -l)
	[ "$(grep -c '^ *CHECK .*/kmod/' "$log")" -ge "$sources" ] ||
		echo "sparse looked at fewer than $sources files of kmod"
}

# The module is judged as a whole, with the kernel's headers and their configuration.
check_sparse() {
	local KDIR=''

	need sparse
	eval "$("$selftests/vm/kernel.sh" 6.12 2>/dev/null)" || :
	[ -n "$KDIR" ] || skip "no kernel 6.12: selftests/vm/kernel.sh 6.12 fails"
	echo Kbuild | each_of "$(judged_by sparse "$KDIR" "$(sparse --version)" \
		"$(gcc --version)" "$(declare -f sparse_module)" \
		"$(lint_files Makefile 'kmod/*' 'uapi/*' | xargs sha256sum)")" sparse_module
}

# judged_by TEXT...: one name of all that a verdict depends on, but for the file
judged_by() { printf '%s\n' "$@" | sha256sum | cut -c1-16; }

# include: where C files outside of the module find their headers
include=(-I. -Iuapi -Iuserspace/include -Iuserspace/cli -Ikmod/common)
for room in "$tree"/userspace/cli/*/; do
	include+=(-I"userspace/cli/$(basename "$room")")
done
# Tests outside of the module may compile files of it.
include+=(-Ikmod/sums -I/usr/include/libiberty)

# included FILE: what else of the tree a C file is judged with, and what it is now
included() {
	gcc -MM -MG -D_GNU_SOURCE -DTOPDOWN_VERSION='"0"' "${include[@]}" "$1" |
		tr -s ' \\\n' '\n' | sed '1d; /^$/d' | xargs -r sha256sum 2>&1
}

# mark FILE BASIS: where it says that the file was clean; $beside prints what else it is
# judged with
mark() {
	printf '%s/%s-%s\n' "$marks" "$2" "$({
		echo "$1"
		cat "$1"
		${beside:+"$beside" "$1"}
	} | sha256sum | cut -c1-32)"
}

# not_clean BASIS: those of the files on stdin that were not found clean before
not_clean() {
	local file

	while IFS= read -r file; do
		[[ -z ${TOPDOWN_LINT_ALL-} && -e $(mark "$file" "$1") ]] || printf '%s\n' "$file"
	done
}

# each_of BASIS FUNCTION: what it says of each file on stdin, and a mark for a file of
# which it says nothing
each_of() {
	local file said

	mkdir -p "$marks"
	while IFS= read -r file; do
		said=$("$2" "$file")
		[[ -z $said ]] || { printf '%s\n' "$said"; continue; }
		: > "$(mark "$file" "$1")"
	done < <(not_clean "$1")
}

# drop_misread: leave out what checkpatch says of lines that it cannot read,
# type by type: 1e-6, unsigned __int128, and glib's way to declare
drop_misread() {
	local finding file line text

	while IFS= read -r finding; do
		IFS=: read -r file line _ <<<"$finding"
		text=$(sed -n "${line}p" "$file" 2>/dev/null || :)
		case $finding in
		*:SPACING:*"around that '-'"*)
			[[ $text =~ [0-9.][ep]-[0-9] ]] && continue ;;
		*:SPACING:*'after a cast'*)
			[[ $text == *g_auto* ]] && continue ;;
		*:UNSPECIFIED_INT:*)
			[[ $text == *'unsigned __int128'* ]] && continue ;;
		esac
		printf '%s\n' "$finding"
	done
}

# checkpatch_one FILE: with the rules $ignored left out
checkpatch_one() {
	local out

	out=$(perl "$source/scripts/checkpatch.pl" --no-tree --strict --terse \
		--show-types --max-line-length=$width --ignore "$ignored" \
		-f "$1" 2>&1) || [ -n "$out" ] ||
		echo "checkpatch.pl failed"
	# Without git it looks for the kernel's names where there is no kernel.
	{ grep -Ev '^(total: .*)?$|uninitialized value .root in|^find: .*/include' <<<"$out" || :; } |
	drop_misread
}

# checkpatch IGNORED-RULES: run it on the files that stdin names
checkpatch() {
	local ignored=$1

	each_of "$(judged_by checkpatch "$ignored" "$(sha256sum < "$source/scripts/checkpatch.pl")" \
		"$(declare -f checkpatch_one drop_misread)")" checkpatch_one
}

# A message is never broken, wherever it is.  compat.h exists to compare
# versions; the files of kmod/common are compiled in userspace too; uapi has no BIT().  Outside
# the kernel there are neither its types nor its macros, but PRIu64, QEMU's
# names, processors that a library is compiled for, busy loops that the compiler
# must leave alone, words in messages that are also functions, and macros that
# declare.
check_checkpatch() {
	local any=LONG_LINE_STRING outside source

	outside=$any,ARCH_DEFINES,ARRAY_SIZE,AVOID_EXTERNS,BIT_MACRO,CAMELCASE
	outside+=,CONSTANT_COMPARISON,EMBEDDED_FUNCTION_NAME,MACRO_ARG_REUSE
	outside+=,MULTISTATEMENT_MACRO_USE_DO_WHILE
	outside+=,QUOTED_WHITESPACE_BEFORE_NEWLINE
	outside+=,PREFER_DEFINED_ATTRIBUTE_MACRO,PREFER_KERNEL_TYPES,VOLATILE
	need perl
	source=$(kernel_source) || skip "$source"
	lint_files 'kmod/*.[ch]' | grep -Ev '/(compat.h|trace.h|model-table.c|common/.*)$' |
		checkpatch $any
	lint_files kmod/compat.h |
		checkpatch $any,LINUX_VERSION_CODE,CONSTANT_COMPARISON,MACRO_ARG_UNUSED
	# TRACE_EVENT() is laid out as the kernel's own trace headers are.
	lint_files kmod/sums/trace.h | checkpatch $any,OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT
	lint_files 'kmod/common/*.[ch]' kmod/meter/model-table.c |
		checkpatch $any,ARRAY_SIZE,BIT_MACRO,COMPLEX_MACRO
	lint_files 'uapi/*.h' | checkpatch $any,BIT_MACRO
	lint_files 'userspace/*.[ch]' 'selftests/*.[ch]' |
		grep -v '^selftests/pmu/' | checkpatch "$outside"
	lint_files 'selftests/pmu/*.[ch]' | checkpatch "$outside,NEW_TYPEDEFS"
}

check_kernel-doc() {
	local source

	need perl
	source=$(kernel_source) || skip "$source"
	lint_files 'kmod/*.[ch]' 'uapi/*.h' 'userspace/include/*.h' |
		xargs -r perl "$source/scripts/kernel-doc" -none -Wall 2>&1
}

# The module is left to sparse and the compiler: cppcheck takes the kernel's
# loops for calls
check_cppcheck() {
	need cppcheck
	# It knows itself which results of its own still hold.
	mkdir -p "$marks/cppcheck"
	[[ -z ${TOPDOWN_LINT_ALL-} ]] || rm -rf "$marks"/cppcheck/*
	lint_files 'userspace/*.c' 'selftests/*.c' |
		xargs -r cppcheck --quiet --cppcheck-build-dir="$marks/cppcheck" --enable=warning,performance,portability \
			--inline-suppr --std=c11 --template=gcc \
			--suppress=missingInclude --suppress=unknownMacro \
			-D__linux__ -D__x86_64__ -DTOPDOWN_VERSION='"0"' \
			"${include[@]}" 2>&1
}

# clang_tidy_one FILE: by the rules $rules
clang_tidy_one() {
	{ clang-tidy --quiet --checks="$rules" "$1" -- \
		-std=gnu11 -D_GNU_SOURCE -DTOPDOWN_VERSION='"0"' \
		"${include[@]}" 2>&1 || echo "$1: clang-tidy failed"; } |
		sed "s|^$tree/||; /^[0-9]* warnings\\? generated\\.$/d"
}

# The analyzer's view of va_list is wrong in LLVM 14, and it wants Annex K
check_clang-tidy() {
	local rules='-*,clang-analyzer-*,-clang-analyzer-valist.*' beside=included

	need clang-tidy
	rules+=',-clang-analyzer-security.insecureAPI.*'
	rules+=',bugprone-sizeof-expression,bugprone-infinite-loop'
	rules+=',bugprone-misplaced-widening-cast,bugprone-macro-parentheses'
	lint_files 'userspace/*.c' |
		each_of "$(judged_by clang-tidy "$rules" "$(clang-tidy --version)" \
			"$(declare -f clang_tidy_one)")" clang_tidy_one
}

# judge_script FILE: with the rules $ignored left out.  Sourced files are named from the
# top, or from the script that does so.
judge_script() { shellcheck -x -P . -P SCRIPTDIR -f gcc -e "$ignored" "$1" 2>&1 || :; }

# judge_scripts IGNORED-RULES: run it on the files that stdin names, each judged with all
# libraries
judge_scripts() {
	local ignored=$1

	each_of "$(judged_by shellcheck "$ignored" "$(shellcheck --version)" \
		"$(declare -f judge_script)" \
		"$(lint_libraries | xargs -r sha256sum)")" judge_script
}

check_shellcheck() {
	need shellcheck
	# SC2119 takes every function with arguments for a script's main.
	# Scripts elsewhere use and set the variables of a library.
	lint_scripts | judge_scripts SC2119
	lint_libraries | judge_scripts SC2119,SC2034,SC2154
}

# No settings of the user's, nor of a directory above
check_flake8() {
	need flake8
	lint_files '*.py' | xargs -r flake8 --isolated --max-line-length $width
}

# Types of the least version of Python that is promised.  Debian has no types of pandas.
check_mypy() {
	need mypy
	mypy --config-file= --cache-dir="$scratch/mypy" --no-error-summary --strict \
		--python-version 3.9 --ignore-missing-imports userspace/python/topdown
}

check_codespell() {
	need codespell
	# filp is what the kernel calls it; Nd and Fo are macros of manual pages; ot is QEMU's
	lint_files | grep -v '\.csv$' |
		xargs -r codespell --ignore-words-list=filp,fo,nd,ot
}

check_mandoc() {
	need mandoc
	lint_files 'userspace/man/*' | grep -E '\.[1-9]$' |
		xargs -r mandoc -Tlint -W warning || :
}

# run NUMBER CHECK: its KTAP line, and its findings before it
run() {
	local out=$scratch/out status

	# Not "|| status=$?", which would let a check go on after an error
	set +e
	(set -e; check_"$2") >"$out" 2>&1
	status=$?
	set -e
	if [ "$status" -eq 4 ]; then
		skipped=$((skipped + 1))
		echo "ok $1 $2 # SKIP $(tail -n 1 "$out")"
	elif [ "$status" -eq 0 ] && [ ! -s "$out" ]; then
		passed=$((passed + 1))
		echo "ok $1 $2"
	else
		failed=$((failed + 1))
		sed 's/^/# /' "$out"
		echo "not ok $1 $2"
	fi
}

main() {
	local check list=no number=0 option

	while getopts C:fl option; do
		case $option in
		C)	tree=$(cd "$OPTARG" && pwd) ;;
		f)	list=yes ;;
		l)	printf '%s\n' "${checks[@]}"; exit 0 ;;
		*)	usage ;;
		esac
	done
	shift $((OPTIND - 1))
	for check; do
		declare -F "check_$check" >/dev/null || usage
	done
	[ $# -eq 0 ] || checks=("$@")

	cd "$tree"
	if [ "$list" = yes ]; then
		list_tree
		exit 0
	fi
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	# Marks of files that are gone
	[[ ! -d $marks ]] || find "$marks" -type f -mtime +30 -delete
	list_tree >"$scratch/files"
	passed=0 failed=0 skipped=0
	echo "KTAP version 1"
	echo "1..${#checks[@]}"
	for check in "${checks[@]}"; do
		number=$((number + 1))
		run "$number" "$check"
	done
	echo "# Totals: pass:$passed fail:$failed xfail:0 xpass:0" \
		"skip:$skipped error:0"
	[ "$failed" -eq 0 ] || exit 1
	[ "$passed" -gt 0 ] || exit 4
}

main "$@"
