# SPDX-License-Identifier: GPL-2.0
#
# Add up a log in KTAP: awk -f ktap.awk LOG prints "PASSED FAILED SKIPPED AGAIN" and,
# before it, a line for each program that ran, "= PROGRAM", each skip, "- TEST | WHY",
# each measurement that was taken once more, "~ TEXT", and each failure, "! text".
# TEST is a program, a test, or "PROGRAM TEST" of a test in a program.
#
# A result at the top counts as the results nested in it, indented or, as the
# kernel's runner does, after "# ", or as itself where nothing is nested.  A test that
# was planned and not run is a failure, so that a program that dies cannot pass.

function fail(text)
{
	failed++
	print "! " text
}

function close_inner(name)
{
	if (inner_planned >= 0 && inner_run != inner_planned)
		fail(name ": ran " inner_run " of " inner_planned " planned tests")
	else if (inner_run && inner_planned < 0)
		fail(name ": printed no plan")
	open_inner()
}

function open_inner()
{
	inner_planned = -1
	inner_run = 0
	inner_failed = failed
}

function close_outer()
{
	if (outer_planned >= 0 && outer_run != outer_planned)
		fail("ran " outer_run " of " outer_planned " planned programs or tests")
	else if (outer_run && outer_planned < 0)
		fail("printed no plan")
	outer_planned = -1
	outer_run = 0
}

function name_of(line)
{
	sub(/^(not )?ok [0-9]+ */, "", line)
	sub(/^- /, "", line)
	return line
}

# The reason is after the word SKIP in this line, or in the line before that had it.
function reason(line, text)
{
	text = line
	sub(/.*# *[Ss][Kk][Ii][Pp]:? */, "", text)
	if (text == "" || text == line)
		text = why
	why = ""
	return text == "" ? "no reason given" : text
}

function skip(name, text)
{
	skipped++
	sub(/ *# *[Ss][Kk][Ii][Pp].*/, "", name)
	sub(/^selftests: [^:]*: /, "", name)
	sub(/ +$/, "", name)
	print "- " name " | " text
}

function point(line, prefix, name)
{
	name = name_of(line)
	if (line ~ /^not ok/)
		fail(name)
	else if (line ~ /# *[Ss][Kk][Ii][Pp]/)
		skip(prefix name, reason(line))
	else
		passed++
}

BEGIN {
	passed = failed = skipped = again = 0
	outer_planned = -1
	open_inner()
}

{ sub(/\r$/, "") }

# The runner's line before a program; what a test says before it ends as skipped, and
# where it takes a measurement once more.
/^# selftests: / {
	program = $NF
	print "= " program
	next
}

/^(# )*# *SKIP:? / {
	why = $0
	sub(/^(# )*# *SKIP:? */, "", why)
	next
}

/^(# )*again: / {
	again++
	sub(/^(# )*again: /, "")
	print "~ " (program == "" ? "" : program ": ") $0
	next
}

/^(K?TAP) version/ {
	close_outer()
	versions++
	next
}

/^1\.\.[0-9]+/ {
	# A plan may come after its tests, too.
	trailing = outer_run && outer_planned < 0
	if (!trailing)
		close_outer()
	outer_planned = substr($0, 4) + 0
	if (trailing)
		close_outer()
	# "1..0 # SKIP why" is a whole program that could not run.
	if (!outer_planned && /# *SKIP/)
		skip("all", reason($0))
	next
}

/^(  |# )1\.\.[0-9]+/ {
	inner_planned = substr($0, 6) + 0
	if (!inner_planned && /# *SKIP/)
		whole_skip = reason($0)
	next
}

/^(  |# )(not )?ok [0-9]+/ {
	inner_run++
	point(substr($0, 3), program == "" ? "" : program " ")
	next
}

/^(not )?ok [0-9]+/ {
	# Programs in a row, without a version line of their own.
	if (outer_planned >= 0 && outer_run == outer_planned)
		close_outer()
	outer_run++
	if (whole_skip != "" && /^ok/) {
		skip(name_of($0), whole_skip)
		whole_skip = ""
		open_inner()
		next
	}
	had = inner_run
	before = inner_failed
	close_inner(name_of($0))
	if (!had && failed == before)
		point($0, "")
	else if (/^not ok/ && failed == before)
		fail(name_of($0))
	inner_failed = failed
	next
}

END {
	if (inner_run || inner_planned >= 0)
		close_inner("the last program, which did not end")
	close_outer()
	if (!versions)
		fail("printed no KTAP")
	print passed, failed, skipped, again
}
