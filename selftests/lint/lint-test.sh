#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Prove that every check of lint.sh can fail: plant one defect for it in a copy
# of the tree, and see the check name it.
#
#   lint-test.sh [CHECK[:DEFECT]]...
#
# A check whose tool is not installed is skipped here as well.

set -euo pipefail

selftests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
lint=$selftests/lint/lint.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# plant CHECK[:DEFECT]: write the defect below the current directory, and set $finding
# to what the check must say about it
plant() {
	case $1 in
	spdx)
		echo 'int planted;' >userspace/lib/planted.c
		finding='userspace/lib/planted.c:1: no SPDX' ;;
	whitespace)
		printf '/* planted */ \n' >kmod/planted.h
		finding='kmod/planted.h:1:' ;;
	versions)
		echo '#if LINUX_VERSION_CODE > KERNEL_VERSION(6, 1, 0)' \
			>kmod/planted.h
		finding='kmod/planted.h:1:' ;;
	symbols)
		echo 'x = kallsyms_lookup_name("y");' >kmod/planted.h
		finding='kmod/planted.h:1:' ;;
	graph)
		echo '#include "two.h"' >kmod/sums/one.h
		echo '#include "one.h"' >kmod/sums/two.h
		finding='graph.sh: kmod: a circle: .*two' ;;
	graph:order)
		# No circle: window.h does not use quota.h.
		echo '#include "window.h"' >>kmod/sums/quota.h
		finding='graph.sh: kmod: against the order: sums (quota) uses window (window)' ;;
	graph:place)
		# Kbuild would take it, and nobody would know its layer.
		mkdir kmod/planted
		echo 'int planted;' >kmod/planted/planted.c
		finding='graph.sh: kmod: against the order: planted is in planted' ;;
	graph:rooms)
		# The lowest room of the command would use a higher one.
		echo '#include "rows.h"' >>userspace/cli/base/span.h
		finding='graph.sh: userspace/cli: against the order: base (span) uses rows (rows)' ;;
	graph:library)
		echo '#include "stall-table.h"' >>userspace/lib/stall-lookups.h
		finding='graph.sh: userspace/lib: a circle: .*stall-table' ;;
	graph:objects)
		# No circle; and what the built module calls is included no more.
		sed -i '/^#include "tallies.h"$/d' kmod/*/*.c
		finding='graph.sh: kmod: used, but not included: .* sums/tallies' ;;
	paths)
		# shellcheck disable=SC2016 # not to be expanded
		printf 'See `kmod/planted.c`.\n' >CONTRIBUTING.md
		finding='CONTRIBUTING.md:1:.*no kmod/planted.c' ;;
	errnos)
		sed -i 's/^ \*   ESRCH .*/ *   EPIPE       A planted statement./' uapi/linux/topdown.h
		finding='uapi/linux/topdown.h: no row of .*, of EPIPE: A planted' ;;
	sparse)
		# The compiler does not know address spaces, so only sparse can
		echo 'int planted(int __user *p);
		      int planted(int __user *p) { return *p; }' >>kmod/main.c
		finding='kmod/main.c:.*dereference of noderef' ;;
	checkpatch)
		printf '// SPDX-License-Identifier: GPL-2.0\nint planted( int a );\n' \
			>kmod/planted.c
		finding='kmod/planted.c:2: ERROR:SPACING' ;;
	kernel-doc)
		printf '/**\n * planted() - no parameter\n */\nint planted(int a);\n' \
			>kmod/planted.h
		finding='kmod/planted.h:.*parameter' ;;
	cppcheck)
		echo 'int planted(void) { int a[2]; a[2] = 1; return a[0]; }' \
			>selftests/planted.c
		finding='selftests/planted.c:1:.*out of bounds' ;;
	clang-tidy)
		echo 'int planted(int *p) { if (!p) return *p; return 0; }' \
			>userspace/lib/planted.c
		finding='userspace/lib/planted.c:1:.*null pointer' ;;
	shellcheck)
		# shellcheck disable=SC2016 # not to be expanded
		printf '#!/bin/bash\nrm $1\n' >selftests/planted.sh
		finding='selftests/planted.sh:2:.*SC2086' ;;
	flake8)
		printf '# SPDX-License-Identifier: GPL-2.0\nimport os\n' >userspace/planted.py
		finding='userspace/planted.py:2:.*F401' ;;
	mypy)
		echo 'planted: int = "text"' >>userspace/python/topdown/nodes.py
		finding='userspace/python/topdown/nodes.py:.*Incompatible types' ;;
	codespell)
		# Not spelt out here, or codespell would find it in this file
		echo "we rec""ieve it" >userspace/planted.md
		finding='userspace/planted.md:1:' ;;
	mandoc)
		mkdir -p userspace/man
		printf '.TH PLANTED 1\n.SH NAME\nplanted\n.PP\n.SH X\n.unknown\n' \
			>userspace/man/planted.1
		finding='.*userspace/man/planted.1:6:.*unknown macro' ;;
	*)
		echo "# no defect is known for $1"
		return 1 ;;
	esac
}

# try CHECK[:DEFECT]: 0 it found the defect, 4 it cannot run here, 1 it missed it
try() {
	local copy=$scratch/$1 check=${1%:*} finding='' out status=0

	mkdir "$copy"
	cd "$(dirname "$selftests")"
	"$lint" -f | xargs -d '\n' cp --parents -t "$copy"
	cd "$copy"
	plant "$1" || return 1
	out=$("$lint" -C "$copy" "$check") || status=$?
	if [[ $out == *' # SKIP '* ]]; then
		return 4
	fi
	if [ "$status" -ne 1 ] || ! grep -q "^# $finding" <<<"$out"; then
		printf '# exit status %s, "%s" is not in:\n' "$status" "$finding"
		tail -n 20 <<<"$out" | sed 's/^/# /'
		return 1
	fi
}

checks=("$@")
[ $# -gt 0 ] || mapfile -t checks < <("$lint" -l && printf 'graph:%s\n' order place rooms library objects)
passed=0 failed=0 skipped=0
echo "KTAP version 1"
echo "1..${#checks[@]}"
for check in "${checks[@]}"; do
	number=$((passed + failed + skipped + 1))
	status=0
	(try "$check") || status=$?
	case $status in
	0)	passed=$((passed + 1))
		echo "ok $number $check finds its defect" ;;
	4)	skipped=$((skipped + 1))
		echo "ok $number $check # SKIP its tool is not installed" ;;
	*)	failed=$((failed + 1))
		echo "not ok $number $check finds its defect" ;;
	esac
done
echo "# Totals: pass:$passed fail:$failed xfail:0 xpass:0 skip:$skipped error:0"
[ "$failed" -eq 0 ]
