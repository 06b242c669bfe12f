# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Which tests may skip: skips.conf.  To be sourced after common.sh.

SKIPS=$TOP/selftests/vm/skips.conf

# rows_of RUN/JOB: the rows of skips.conf that are about it, "TEST | WHY", and "~" before
# those that luck decides.
rows_of() {
	local glob test why luck

	while IFS='|' read -r glob test why; do
		glob=${glob//[[:space:]]/}
		luck=
		[[ $glob != '~'* ]] || luck='~'
		# shellcheck disable=SC2053 # the rows are globs
		[[ -z $glob || $glob == '#'* || $1 != ${glob#'~'} ]] ||
			awk '{ $1 = $1; print }' <<< "$luck$test | $why"
	done < "$SKIPS"
}

# judge_skips RUN/JOB COUNTS: to COUNTS, as ktap.awk printed them, add a failure for each
# skip that no row expects, what luck decided, "~ TEST | WHY", and of each row whose test
# was there and did not skip, "? TEST | WHY".
judge_skips() {
	local line row i known programs passed failed skipped again
	local rows=() used=() extra=() luck=()

	mapfile -t rows < <(rows_of "$1")
	while IFS= read -r line; do
		known=
		for i in "${!rows[@]}"; do
			row=${rows[i]#'~'}
			# shellcheck disable=SC2053
			[[ $line == ${row# } ]] || continue
			used[i]=1
			[[ -n $known || ${rows[i]} != '~'* ]] || luck+=("~ $line")
			known=1
		done
		[[ -n $known ]] || extra+=("! skipped, and skips.conf does not have it: $line")
	done < <(sed -n 's/^- //p' "$2")

	programs=" $(sed -n 's/^= //p' "$2" | tr '\n' ' ')"
	for i in "${!rows[@]}"; do
		row=${rows[i]}
		# A job without programs has run all of it.
		[[ -n ${used[i]:-} || $row == '~'* || ($programs != ' ' && $programs != *" ${row%% *} "*) ]] ||
			extra+=("? $row")
	done
	read -r passed failed skipped again < <(tail -n 1 "$2")
	{
		sed '$d' "$2"
		printf '%s\n' "${luck[@]}" "${extra[@]}" | grep .
		known=$(printf '%s\n' "${extra[@]}" | grep -c '^!')
		echo "$passed $((failed + known)) $((skipped - known)) $((again + ${#luck[@]}))"
	} > "$2.new" || true
	mv "$2.new" "$2"
}

# say_unused: the rows that no longer tell of a skip.
say_unused() {
	local counts

	for counts in "$LOGS"/*/counts; do
		[[ ! -e $counts ]] ||
			sed -n "s/^? /      skips.conf expects of $(basename "$(dirname "$counts")"): /p" "$counts"
	done
}
