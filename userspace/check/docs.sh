#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Manual pages, help texts and completion say the same, and it is true.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/suite.sh"

USERSPACE=$(cd "$(dirname "$0")/.." && pwd)

same() {
	local bad=0
	diff "$2" "$3" > "$TMP/diff" || bad=1
	((!bad)) || sed 's/^/# /' "$TMP/diff"
	[[ -s $2 ]] || bad=1
	result "$bad" "$1"
}

keys_of() { grep -oE '"[a-z0-9_]+":' "$1" | tr -d '":'; }

for page in "$USERSPACE"/man/*; do
	if command -v mandoc > /dev/null; then
		found=$(mandoc -T lint -W warning "$page" || true)
		[[ -z $found ]] || echo "# ${found//$'\n'/$'\n'# }"
		result "$([[ -z $found ]]; echo $?)" "mandoc has nothing to say of ${page##*/}"
	else
		skip "mandoc on ${page##*/}" 'mandoc is not installed'
	fi
done

# Pages that are referred to are there, but for those of others.
grep -hoE '^\.Xr [a-z_-]+ [1-9]' "$USERSPACE"/man/* | sort -u | while read -r _ name section; do
	case $name in
	perf* | chmod | objdump | chown | close | epoll | execve | fork | ioctl | mmap | poll | read | setpriv) continue ;;
	esac
	echo "$USERSPACE/man/$name.$section"
done > "$TMP/pages"
missing=$(xargs -r ls -d < "$TMP/pages" 2>&1 > /dev/null || true)
result "$([[ -s $TMP/pages && -z $missing ]]; echo $?)" "references lead somewhere $missing"

# words: the options of the text on stdin, one a line
words() { grep -oE '(^|[[:blank:]])--?[A-Za-z][a-z-]*' | tr -d '[:blank:]' | sort -u; }

help_options() {
	# shellcheck disable=SC2086
	"$TOPDOWN" $1 --help | sed '/^Examples:/,$d' | grep -E '^ +-' |
		sed -E 's/^ +//; s/  .*//' | words
}
man_options() {
	grep -E '^\.It Fl' "$1" | sed -E 's/ , / /g' | grep -oE 'Fl -?[A-Za-z-]+' |
		sed -E 's/Fl /-/' | sort -u
}
# The options that a shell completes.
completion_options() {
	"$TOPDOWN" "$1" --completion | awk -F '|' '{ print "--" $2 } $1 { print "-" $1 }' | sort -u
}

for command in stat top history watch where latency record report export perf info verify ''; do
	page=$USERSPACE/man/topdown${command:+-$command}.1
	help_options "$command" > "$TMP/help"
	man_options "$page" > "$TMP/man"
	same "options of '$command' in --help and manual" "$TMP/help" "$TMP/man"
	[[ $command ]] || continue
	completion_options "$command" > "$TMP/completion"
	same "options of '$command' in --help and completion" "$TMP/help" "$TMP/completion"
done

# knows PAGE HEADER LIMIT...: the manual page has the limits of the header
knows() {
	local page=$1 header=$2 limit value

	shift 2
	for limit; do
		value=$(sed -nE "s/^#define $limit\s+([0-9]+)$/\1/p" "$USERSPACE/cli/$header")
		result "$([[ $value ]] && grep -qw -- "$value" "$USERSPACE/man/$page.1"; echo $?)" \
			"$page(1) knows $limit $value"
	done
}

knows topdown-stat stat/stat-options.h INTERVAL_MIN_MS INTERVAL_MAX_MS COUNT_MAX \
	TIMEOUT_MIN_MS TIMEOUT_MAX_MS RUNS_MAX
knows topdown-top top/top.h DELAY_MIN_MS DELAY_MAX_MS DELAY_DEFAULT_MS REFRESHES_MAX
knows topdown-history windows/history.h WINDOWS_MAX WINDOWS_DEFAULT
knows topdown-history base/moment.h SINCE_MAX_MS
knows topdown-watch windows/watch.h WATCHES_MAX EVENTS_MAX HOLD_MAX_MS \
	WATCH_TIMEOUT_MIN_MS WATCH_TIMEOUT_MAX_MS EXIT_TIMED_OUT
knows topdown-where where/where.h WHERE_TIMEOUT_MIN_MS WHERE_TIMEOUT_MAX_MS \
	WHERE_ROWS_DEFAULT WHERE_ROWS_MAX
sed -nE 's/^\t\{ "([a-z_]+)", get_[a-z_]+, (true|false) \},$/\1/p' "$USERSPACE/cli/where/programs.c" > "$TMP/keys"
sed -nE '/^\.Sh OUTPUT/,/^\.Sh E/s/^\.It ([a-z_]+)$/\1/p' "$USERSPACE/man/topdown-where.1" > "$TMP/explained"
same 'keys of where and topdown-where(1)' "$TMP/keys" "$TMP/explained"
# The table of fields that the decoder goes by.
cat > "$TMP/fields.c" << 'END'
#include <stdio.h>
#include <topdown.h>

int main(void)
{
	struct topdown_stall_field f;
	unsigned int i;

	for (i = 0; !topdown_stall_field_get(i, &f); i++) {
		printf("%s Ta %u Ta %u", topdown_stall_layout_name(f.layout), f.word,
		       f.shift + f.width - 1);
		if (f.width > 1)
			printf(":%u", f.shift);
		printf(" Ta %s%s\n", f.what, f.unconfirmed ? " (unconfirmed)" : "");
	}
	return 0;
}
END
"${CC:-cc}" -I"$USERSPACE/include" -I"$USERSPACE/../uapi" -o "$TMP/fields" "$TMP/fields.c" \
	"$USERSPACE/build/libtopdown.a"
"$TMP/fields" | sort > "$TMP/source"
sed -nE '/^\.Ss Layouts/,/^\.El/s/^\.It ([a-z0-9-]+ Ta [0-9].*)/\1/p' "$USERSPACE/man/topdown_stall.3" |
	sort > "$TMP/man"
same 'fields of registers and topdown_stall(3)' "$TMP/source" "$TMP/man"
knows topdown-record record/record.h SAMPLE_MIN_MS SAMPLE_MAX_MS RECORD_RUNS_MAX ROTATE_FILES_MAX \
	RECORD_TIMEOUT_MIN_MS RECORD_TIMEOUT_MAX_MS
knows topdown-report report/report.h STEP_MIN_MS STEP_MAX_MS TIMELINE_MAX
# Fields and blocks of the file, as the header has them.
grep -oE '^\s+(uint32_t|uint64_t|int32_t|char|struct [a-z_]+) [a-z_]+(\[[0-9]+\])?;' "$USERSPACE/cli/recording/format.h" |
	sed -E 's/.* //; s/[[;].*//' | grep -vxE '__reserved|magic|version|number|crc|type|size|entry_size|nr|(monotonic|realtime|boottime)_ns' | sort -u > "$TMP/source"
sed -nE 's/^\.It [0-9]+ Ta .* Ta ([a-z_]+)$/\1/p' "$USERSPACE/man/topdown-record.5" |
	grep -vxE 'reserved|nr|size|entry_size' | sort -u > "$TMP/man"
same 'fields of a recording and topdown-record(5)' "$TMP/source" "$TMP/man"
sed -nE 's/^\tRECORD_[A-Z]+\s+= ([0-9]+),$/\1/p' "$USERSPACE/cli/recording/format.h" | sort > "$TMP/source"
sed -nE 's/^\.It ([0-9]+) [A-Za-z]+$/\1/p' "$USERSPACE/man/topdown-record.5" | sort > "$TMP/man"
same 'blocks of a recording and topdown-record(5)' "$TMP/source" "$TMP/man"
# Keys of reports are those of stat, those of windows, and these.
td report --schema | sed -nE 's/^"([a-z_0-9]+)":\{"type".*/\1/p' | sed -E 's/tma_.*_p(5|50|95)$/tma_NODE_p\1/' | sort -u > "$TMP/report"
{ td stat --schema; td history --schema; } | sed -nE 's/^"([a-z_0-9]+)":\{"type".*/\1/p' | sort -u > "$TMP/others"
comm -23 "$TMP/report" "$TMP/others" > "$TMP/keys"
sed -nE '/^\.Sh OUTPUT/,/^\.Sh/s/^\.It ([a-zA-Z_ ,0-9]+)$/\1/p' "$USERSPACE/man/topdown-report.1" |
	sed 's/ , /\n/g' | sort > "$TMP/explained"
same 'keys of reports and topdown-report(1)' "$TMP/keys" "$TMP/explained"
knows topdown-export export/export-options.h EXPORT_PORT_DEFAULT EXPORT_CONNECTIONS_DEFAULT \
	EXPORT_CONNECTIONS_MAX EXPORT_CGROUPS_DEFAULT EXPORT_CGROUPS_MAX EXPORT_ENDED_DEFAULT \
	EXPORT_DEPTH_MAX
for limit in EXPORT_PORT_DEFAULT EXPORT_CONNECTIONS_DEFAULT EXPORT_CONNECTIONS_MAX \
	EXPORT_CGROUPS_DEFAULT EXPORT_CGROUPS_MAX EXPORT_ENDED_DEFAULT EXPORT_DEPTH_MAX; do
	value=$(sed -nE "s/^#define $limit\s+([0-9]+)$/\1/p" "$USERSPACE/cli/export/export-options.h")
	result "$("$TOPDOWN" export --help | grep -qw -- "$value"; echo $?)" "--help knows $limit"
done
# Limits of the exporter: both texts have these numbers, and no others.
while read -r header limit less; do
	value=$(sed -nE "s/^#define $limit\\s+([0-9]+)$/\\1/p" "$USERSPACE/$header")
	echo $((${value:-0} - ${less:-0}))
done << 'END' | sort -un > "$TMP/source"
cli/export/export-options.h EXPORT_CONNECTIONS_DEFAULT
cli/export/export-options.h EXPORT_CONNECTIONS_MAX
cli/export/clients.h EXPORT_FIRST_S
cli/export/clients.h EXPORT_NEXT_S
cli/export/answer.h EXPORT_SNAPSHOT_MS
cli/export/answer.h EXPORT_CGROUPS_MS
cli/export/export-data.h EXPORT_TRIES
cli/export/export-data.h EXPORT_TRY_MS
cli/export/http.h EXPORT_REQUEST_BYTES
cli/export/http.h EXPORT_CPU_BURST_S
cli/export/files.h EXPORT_FILE_BYTES
cli/export/export-options.h EXPORT_CGROUPS_DEFAULT
cli/export/export-options.h EXPORT_CGROUPS_MAX
cli/export/export-options.h EXPORT_ENDED_DEFAULT
cli/export/export-options.h EXPORT_DEPTH_MAX
../uapi/linux/topdown_owner.h TOPDOWN_OWNER_NAME_MAX 1
cli/export/export-latency.h EXPORT_BUCKETS
END
sed -n '/^\.Sh LIMITS/,/^\.Sh EXIT/p' "$USERSPACE/man/topdown-export.1" | grep -oE '[0-9]+' |
	sort -un > "$TMP/man"
same 'limits of the exporter and topdown-export(1)' "$TMP/source" "$TMP/man"
# shellcheck disable=SC2016 # these are backquotes of Markdown
sed -n '/^- `topdown export`/,/^- /p' "$USERSPACE/../docs/limits.md" | grep -oE '[0-9]+' |
	sort -un > "$TMP/man"
same 'limits of the exporter and docs/limits.md' "$TMP/source" "$TMP/man"
# Each metric is explained.  Only a daemon has latencies and cgroups; its suites have the text.
{
	FAKE_FEATURES=1023 FAKE_TICK=0 fake export
	cat "$USERSPACE"/check/cli/golden/export-{latency,cgroups}.txt
} | sed -n 's/^# TYPE \([a-z0-9_]*\) .*/\1/p' | sort > "$TMP/metrics"
sed -nE '/^\.Sh METRICS/,/^\.Sh F/s/^\.It (topdown_[a-z0-9_]+)$/\1/p' \
	"$USERSPACE/man/topdown-export.1" | sort > "$TMP/explained"
same 'metrics and topdown-export(1)' "$TMP/metrics" "$TMP/explained"
FAKE_FEATURES=63 FAKE_EVENT=2 fake watch --count 1 -j 'retiring>3' | keys_of /dev/stdin | sort > "$TMP/keys"
sed -nE '/^\.Sh OUTPUT/,/^\.Sh/s/^\.It ([a-z_]+)$/\1/p' "$USERSPACE/man/topdown-watch.1" |
	sort > "$TMP/explained"
same 'keys of events and topdown-watch(1)' "$TMP/keys" "$TMP/explained"
knows topdown-latency latency/latency.h LATENCY_INTERVAL_MIN_MS LATENCY_INTERVAL_MAX_MS LATENCY_COUNT_MAX \
	LATENCY_TIMEOUT_MIN_MS LATENCY_TIMEOUT_MAX_MS
fake latency --timeout 100 -j | head -n 1 | keys_of /dev/stdin | sort > "$TMP/keys"
sed -nE '/^\.Sh OUTPUT/,/^\.Sh/s/^\.It ([a-z0-9_]+)$/\1/p' "$USERSPACE/man/topdown-latency.1" |
	sort > "$TMP/explained"
same 'keys of latencies and topdown-latency(1)' "$TMP/keys" "$TMP/explained"
# Keys: those of the source, of the help screen and of the manual.
grep -oE "^	case '.'" "$USERSPACE/cli/top/view.c" | grep -oE "'.'" | tr -d "'" |
	grep -v ' ' | sort -u > "$TMP/keys"
while read -r key; do
	[[ $key != '?' ]] || continue
	result "$(grep -E '^\.It Ic' "$USERSPACE/man/topdown-top.1" |
		grep -qE "[ ,]$key( |$)"; echo $?)" "topdown-top(1) knows key $key"
done < "$TMP/keys"

# Every key of the machine formats is in the schema, in CSV, and explained.
td stat --schema | sed -nE 's/^"([a-z_]+)":\{"type".*/\1/p' > "$TMP/schema"
# keys ARG...: those of JSON, and the columns of CSV, in the order of the schema
keys() {
	fake stat -o "$TMP/json" -j "$@"
	fake stat -o "$TMP/csv" -x , "$@"
	head -n 1 "$TMP/json" | keys_of /dev/stdin > "$TMP/keys"
	grep -vx schema "$TMP/keys" > "$TMP/keys-of-csv"
	head -n 1 "$TMP/csv" | tr , '\n' > "$TMP/columns"
	grep -xf "$TMP/columns" "$TMP/schema" > "$TMP/ordered"
	sort -u "$TMP/keys" "$TMP/all" -o "$TMP/all"
}
: > "$TMP/all"
for kind in CPUs tasks runs names; do
	case $kind in
	CPUs) keys --count 1 -I 10 ;;
	tasks) FAKE_FEATURES=63 keys true ;;
	runs) FAKE_FEATURES=63 keys -r 2 true ;;
	names) FAKE_FEATURES=$((1 << 16 | 1023)) keys --by comm --count 1 -I 10 ;;
	esac
	same "keys of JSON and columns of CSV, $kind" "$TMP/keys-of-csv" "$TMP/columns"
	same "columns of CSV and keys of the schema, $kind" "$TMP/columns" "$TMP/ordered"
done
FAKE_FEATURES=63 FAKE_HYBRID=1 fake stat -o "$TMP/json" -j true
keys_of "$TMP/json" | sort -u - "$TMP/all" -o "$TMP/all"
sort "$TMP/schema" > "$TMP/schema-keys"
same 'keys of JSON and of its schema' "$TMP/all" "$TMP/schema-keys"
# Those of errors are explained as one.
grep _rse "$TMP/all" | sed 's/_rse//' > "$TMP/errors"
result "$(($(comm -23 "$TMP/errors" "$TMP/all" | wc -l) || $(lines "$TMP/errors") < 10))" \
	'errors are of keys'
grep -v _rse "$TMP/all" > "$TMP/keys"
# The lists of states are inside of the list of keys.
states='/^\.Bl.*-width unsupported/,/^\.El/'
sed "${states}d" "$USERSPACE/man/topdown-stat.1" |
	sed -nE '/^\.Sh OUTPUT/,/^\.Sh/s/^\.It ([a-z_ ,0-9]+)$/\1/p' |
	sed 's/ , /\n/g' | sort > "$TMP/explained"
same 'keys of JSON and topdown-stat(1)' "$TMP/keys" "$TMP/explained"
# Headings of nodes, in the order in which lines have them.  A table of CPUs has no room for all.
FAKE_NODES=16383 FAKE_FEATURES=63 fake stat -q -o "$TMP/lines" -p $$ --per-thread -l 2 --timeout 20
FAKE_NODES=16383 FAKE_FEATURES=63 fake stat -o "$TMP/tree" -a --count 1 -I 10
sed -nE '/^ +ID +name /s/ +/\n/gp' "$TMP/lines" | sed '1,/^name$/d; /^on$/,$d' > "$TMP/headings"
sed -nE 's/^ +(tma_[a-z_]+).*/\1/p' "$TMP/tree" | paste "$TMP/headings" - > "$TMP/named"
sed -nE 's/^\.It ([A-Za-z.]+) Ta (tma_[a-z_]+)$/\1\t\2/p' "$USERSPACE/man/topdown-stat.1" \
	> "$TMP/explained"
same 'headings of nodes and topdown-stat(1)' "$TMP/named" "$TMP/explained"
fake info | sed -E 's/^cpus .*/cpus:/; s/:.*//' | sort -u > "$TMP/keys"
sed -nE '/^\.Sh OUTPUT/,/^\.Sh/s/^\.It (.*)/\1/p' "$USERSPACE/man/topdown-info.1" |
	sed 's/ , /\n/g' | sort -u > "$TMP/explained"
same 'names of topdown info and topdown-info(1)' "$TMP/keys" "$TMP/explained"

# The module's parameters and files, as its source has them.
if [[ -d $USERSPACE/../kmod ]]; then
	grep -rhoE 'module_param_(named|cb)\([a-z_]+|module_param\([a-z_]+' --include='*.c' "$USERSPACE/../kmod" |
		sed 's/.*(//' | sort -u > "$TMP/source"
	sed -nE 's/^\.It Va (.*)/\1/p' "$USERSPACE/man/topdown.4" | sed 's/ , /\n/g' |
		sort -u > "$TMP/man"
	same 'parameters of the module and topdown(4)' "$TMP/source" "$TMP/man"
	# A task that was detached has no row.
	{
		sed -nE 's/^\t\[TOPDOWN_STATE_[A-Z]+\][[:blank:]]*= "([a-z]+)",$/\1/p' "$USERSPACE/../kmod/common/names.c"
		sed -nE 's/^\t\[TOPDOWN_SESSION_STATE_[A-Z]+\] = "([a-z]+)",$/\1/p' "$USERSPACE/lib/names.c" |
			grep -vx detached
		echo unknown
	} | sort > "$TMP/source"
	sed -nE "${states}s/^\.It ([a-z]+)$/\1/p" "$USERSPACE/man/topdown-stat.1" |
		sort > "$TMP/explained"
	same 'states and topdown-stat(1)' "$TMP/source" "$TMP/explained"
	sed -nE 's/^\t\[TOPDOWN_STATE_[A-Z]+\][[:blank:]]*= "([a-z]+)",$/\1/p' "$USERSPACE/../kmod/common/names.c" |
		sort > "$TMP/source"
	sed -nE '/^\.Ss States/,/^\.Ss/s/^\.It ([a-z]+)$/\1/p' "$USERSPACE/man/topdown.4" |
		sort > "$TMP/explained"
	same 'states of CPUs and topdown(4)' "$TMP/source" "$TMP/explained"
	sed -nE 's|^What:[[:blank:]]*/sys/kernel/topdown/||p' "$USERSPACE/../uapi/ABI/"* | sort -u > "$TMP/source"
	sed -nE '/^\.Ss Files/,/^\.Ss/s/^\.It Pa (.*)/\1/p' "$USERSPACE/man/topdown.4" |
		sort > "$TMP/explained"
	same 'files in sysfs and topdown(4)' "$TMP/source" "$TMP/explained"
else
	skip 'parameters of the module and topdown(4)' 'there is no kmod directory'
	skip 'states and topdown-stat(1)' 'there is no kmod directory'
	skip 'states of CPUs and topdown(4)' 'there is no kmod directory'
	skip 'files in sysfs and topdown(4)' 'there is no kmod directory'
fi
sed -nE '/^ \*   ([A-Z0-9]+) +[A-Z].*/s//\1/p' "$USERSPACE/../uapi/linux/topdown.h" |
	sort -u > "$TMP/source"
sed -nE '/^\.Sh ERRORS/,/^\.Sh SEE/s/^\.It Er (.*)/\1/p' "$USERSPACE/man/topdown.4" |
	sort -u > "$TMP/man"
same 'errors of the ABI and topdown(4)' "$TMP/source" "$TMP/man"

# Each feature has a name, which is explained.
grep -hoE '^#define TOPDOWN_FEATURE_[A-Z_]+' "$USERSPACE"/../uapi/linux/*.h |
	sed 's/.*TOPDOWN_FEATURE_//' | sort -u > "$TMP/source"
sed -nE 's/^\t\{ TOPDOWN_FEATURE_([A-Z_]+), "[a-z_]+" \},$/\1/p' "$USERSPACE/cli/info/info.c" |
	sort -u > "$TMP/names"
same 'features of the ABI and topdown info' "$TMP/source" "$TMP/names"
sed -nE 's/^\.Dv TOPDOWN_FEATURE_([A-Z_]+).*/\1/p' "$USERSPACE/man/libtopdown.3" |
	sort -u > "$TMP/man"
same 'features of the ABI and libtopdown(3)' "$TMP/source" "$TMP/man"
sed -nE 's/^\t\{ TOPDOWN_FEATURE_[A-Z_]+, "([a-z_]+)" \},$/\1/p' "$USERSPACE/cli/info/info.c" |
	sort -u > "$TMP/names"
sed -nE '/^\.It features/,/^\.It pinned/s/^\.Ql (.*)/\1/p' "$USERSPACE/man/topdown-info.1" |
	sort -u > "$TMP/man"
same 'features of topdown info and topdown-info(1)' "$TMP/names" "$TMP/man"

# The words of --sort are the same wherever it is, and in all that is said of it.
for command in stat top report; do
	td "$command" --completion | sed -nE 's/^[^|]*\|sort\|KEY\|(.*), tma_retiring, .*/\1/p'
	td "$command" --help | sed -nE '/--sort KEY/s/.* by (.*), or$/\1/p'
	{ td "$command" --sort none 2>&1 || true; } | sed -nE 's/.*allowed: (.*), or a node such as .*/\1/p'
	sed -nE '/^\.It Fl -sort Ar key/,/^\.It Fl -(top|latency)/s/^\.Cm ([a-z]+)( ,)?$/\1/p' \
		"$USERSPACE/man/topdown-$command.1" | sort -u | paste -sd'|' |
		sed 's/^ipc|share|slots|time$/share, slots, time, ipc/'
done > "$TMP/keys"
result "$(($(lines "$TMP/keys") != 12 || $(sort -u "$TMP/keys" | wc -l) != 1))" \
	"keys of --sort: $(sort -u "$TMP/keys" | paste -sd';')"

# Completion works in a shell, which asks the command.
mkdir "$TMP/bin"
cat > "$TMP/bin/topdown" << 'END'
#!/bin/bash
[[ $* != 'latency --list' ]] || exec printf '%s\n' BR_X.A MEM_X.A MEM_X.B
exec "$TOPDOWN" "$@"
END
chmod +x "$TMP/bin/topdown"
PATH=$TMP/bin:$PATH
complete_line() {
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _topdown
		printf "%s\n" "${COMPREPLY[@]}"' bash "$USERSPACE/completions/topdown" "$@"
}
result "$([[ $(complete_line topdown st) == stat ]]; echo $?)" 'completes a command'
result "$([[ $(complete_line topdown stat --inter | paste -sd' ') == '--interval --interval-print --interval-count' ]]; echo $?)" 'completes an option'
result "$([[ $(complete_line topdown stat -l '') == $'1\n2' ]]; echo $?)" 'completes a level'
result "$([[ $(complete_line topdown top --del) == --delay ]]; echo $?)" 'completes an option of top'
result "$([[ $(complete_line topdown history --si) == --since ]]; echo $?)" 'completes an option of history'
result "$([[ $(complete_line topdown record --pa) == --past ]]; echo $?)" 'completes an option of record'
result "$([[ $(complete_line topdown report --st) == --steps ]]; echo $?)" 'completes an option of report'
result "$([[ $(complete_line topdown watch --ba) == --back ]]; echo $?)" 'completes an option of watch'
result "$([[ $(complete_line topdown watch mem) == 'memory_bound>' ]]; echo $?)" 'completes a node'
result "$([[ $(complete_line topdown where --by l) == line ]]; echo $?)" 'completes an argument of where'
result "$([[ $(complete_line topdown export --li) == --listen ]]; echo $?)" 'completes an option of export'
result "$([[ $(complete_line topdown perf --ra) == --ratios ]]; echo $?)" 'completes an option of perf'
result "$([[ $(complete_line topdown info --j) == --json ]]; echo $?)" 'completes an option of info'
result "$([[ $(complete_line topdown latency -e MEM | paste -sd' ') == 'MEM_X.A MEM_X.B' ]]; echo $?)" \
	'completes an event of latency'
result "$([[ $(complete_line topdown latency -e BR_X.A,mem_x.a) == BR_X.A,MEM_X.A ]]; echo $?)" \
	'completes another event of the list, in small letters'
result "$([[ -z $(complete_line topdown stat -- ls --interv) ]]; echo $?)" \
	'offers the measured command no option of its own'
result "$(grep -qx grep <<< "$(complete_line topdown stat -- gre)"; echo $?)" 'completes that command'
result "$(grep -qx grep <<< "$(complete_line topdown stat -I 1s gre)"; echo $?)" 'stat completes a command without --'
result "$([[ -z $(complete_line topdown stat -a -I 1s ls --interv) ]]; echo $?)" \
	'offers a command without -- no option of its own'
result "$([[ $(complete_line topdown stat -I 1s --timeo) == --timeout ]]; echo $?)" \
	'takes no argument of an option for a command'
result "$([[ $(complete_line topdown watch tma_mem) == 'tma_memory_bound>' ]]; echo $?)" 'completes a long name of a node'
result "$([[ $(complete_line topdown help core) == core_bound ]]; echo $?)" 'completes a node of help'
result "$([[ $(complete_line topdown stat -o "$TMP/bi") == "$TMP/bin" ]]; echo $?)" 'completes a file'
result "$([[ -z $(complete_line topdown stat -I '') ]]; echo $?)" 'completes no time'
result "$([[ $(complete_line topdown report --sort tma_mem) == tma_memory_bound ]]; echo $?)" 'completes a key'
result "$([[ $(PATH=${PATH#"$TMP/bin:"} complete_line "$TMP/bin/topdown" history --si) == --since ]]; echo $?)" \
	'completes options of a command that is not in PATH'
result "$([[ -z $(complete_line topdown watch -- /) ]]; echo $?)" 'takes -- for no option'
result "$([[ $(complete_line topdown stat --by = pro) == process ]]; echo $?)" 'completes the value of --option='
result "$([[ $(complete_line topdown stat --by = | paste -sd' ') == 'process cgroup comm' ]]; echo $?)" \
	'offers the values of --option='
result "$(grep -qx grep <<< "$(complete_line topdown stat --by = process gre)"; echo $?)" \
	'completes a command after --option=value'
result "$([[ $(complete_line topdown verify --only w | paste -sd' ') == 'width windows' ]]; echo $?)" \
	'completes a check of verify'
result "$([[ $(complete_line topdown verify --execute chas) == chase ]]; echo $?)" 'completes a program of verify'
result "$([[ $(complete_line topdown where --node mem) == memory_bound ]]; echo $?)" 'completes a node of an option'
if command -v zsh > /dev/null; then
	run zsh -fc '
		_arguments() { print -rl -- "$@"; state=arguments; }
		words=(stat)
		. "$1"' zsh "$USERSPACE/completions/_topdown"
	expect 'zsh has options, their words and their files' 0 '--by\[process or cgroup a row for each that ran\]:KIND:\(process cgroup comm\).*
\(-I --interval\)-I\[print at this interval\]:TIME: .*
\(-o --output\)--output\[write to FILE\]:FILE:_files' ''
	run zsh -fc '
		_arguments() { print -rl -- "$@"; state=arguments; }
		words=(where)
		. "$1"' zsh "$USERSPACE/completions/_topdown"
	result "$(grep -q -- '--folded\[[^]]*\]$' "$TMP/out"; echo $?)" \
		'zsh: an option without an argument has no words'
	run zsh -fc '
		_arguments() { print -r -- "grep is $commands[grep]"; state=arguments; }
		words=(stat)
		. "$1"' zsh "$USERSPACE/completions/_topdown"
	result "$(grep -q '^grep is /' "$TMP/out"; echo $?)" 'zsh knows the commands that can be measured'
else
	skip 'zsh knows the commands that can be measured' 'zsh is not installed'
	skip 'zsh: an option without an argument has no words' 'zsh is not installed'
	skip 'zsh has options, their words and their files' 'zsh is not installed'
fi
if command -v fish > /dev/null; then
	run fish --private --no-config -c "source '$USERSPACE/completions/topdown.fish'
		complete -C 'topdown st'; complete -C 'topdown stat --per-c'; complete -C 'topdown watch mem'"
	expect 'fish completes a command, an option and a node' 0 '^stat.*
--per-core.*
memory_bound.?>$' ''
	run fish --private --no-config -c "source '$USERSPACE/completions/topdown.fish'
		complete -C 'topdown where -g '"
	result "$(grep -qw core_bound "$TMP/out"; echo $((!$?)))" \
		'fish: an option without an argument has no words'
else
	skip 'fish: an option without an argument has no words' 'fish is not installed'
	skip 'fish completes a command, an option and a node' 'fish is not installed'
fi
finish
