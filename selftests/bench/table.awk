# SPDX-License-Identifier: GPL-2.0
#
# Make one table, and a verdict for every bound, of the lines that cost.sh,
# precision.sh and task.sh print: NAME CPUS KEY=VALUE...

function get(name, cpus, key)
{
	return value[name, cpus, key]
}

function has(name, cpus)
{
	return (name, cpus) in seen
}

# The cost of a sample: many less none, less the work of an idle machine meanwhile.
function sample(name, cpus, key,	more, time, rate)
{
	more = get(name ".many", cpus, key) - get(name ".none", cpus, key)
	time = get(name ".many", cpus, "time_ns") - get(name ".none", cpus, "time_ns")
	rate = get("background", cpus, key) / get("background", cpus, "time_ns")
	return (more - time * rate) / get(name ".many", cpus, "samples")
}

# System calls of a sample, less those of an agent that samples nothing.
function calls(name, cpus)
{
	return (get(name ".many", cpus, "syscalls") - get(name ".none", cpus, "syscalls") - \
		(name == "perf" ? 0 : get("none.many", cpus, "syscalls") - \
		 get("none.none", cpus, "syscalls"))) / get(name ".many", cpus, "traced")
}

# The cost of a window: the kernel's work on the busy CPUs, less its work without the
# module for as many timer interrupts.
function window(period, cpus, key,	base)
{
	base = get("standing.without", cpus, key) / get("standing.without", cpus, "ticks")
	return (get("standing." period, cpus, key) - \
		base * get("standing." period, cpus, "ticks")) / \
		get("standing." period, cpus, "windows")
}

# A sample while the other CPUs are busy, likewise.
function busy(name, cpus,	base, many, none)
{
	base = get("standing.without", cpus, "kernel") / get("standing.without", cpus, "ticks")
	many = get(name ".many", cpus, "kernel") + get(name ".many", cpus, "home") - \
		base * get(name ".many", cpus, "ticks")
	none = get(name ".none", cpus, "kernel") + get(name ".none", cpus, "home") - \
		base * get(name ".none", cpus, "ticks")
	return (many - none) / get(name ".many", cpus, "samples")
}

function verdict(good, text)
{
	result[++results] = (good ? "ok " : "not ok ") results " " text
	if (good)
		passed++
	else
		failed++
}

function row(cpus, what, figure, ratio,	line)
{
	line = sprintf("%4s  %-52s %14s  %s", cpus, what, figure, ratio)
	sub(/ +$/, "", line)
	print line
}

function sample_row(name, text, cpus,	cost)
{
	cost = sample(name, cpus, "instructions")
	row(cpus, "sample, " text, sprintf("%.0f", cost), \
	    sprintf("perf stat %.1fx, raw fds %.1fx; %.1f calls, %.1f IPIs", \
		    sample("perf", cpus, "instructions") / cost, \
		    sample("group", cpus, "instructions") / cost, \
		    calls(name, cpus), sample(name, cpus, "calls")))
}

function agents(cpus,	map, group, perf)
{
	if (!has("perf.many", cpus))
		return
	sample_row("map", "mapped page", cpus)
	sample_row("read", "READ, last window", cpus)
	sample_row("fresh", "READ, fresh", cpus)
	sample_row("group", "raw perf descriptors", cpus)
	sample_row("perf", "perf stat -a -I 100", cpus)
	row(cpus, "the same, mapped page, asleep 100 ms in between", \
	    sprintf("%.0f", sample("map-paced", cpus, "instructions")), \
	    sprintf("perf stat %.1fx", sample("perf", cpus, "instructions") / \
		    sample("map-paced", cpus, "instructions")))

	map = sample("map", cpus, "instructions")
	group = sample("group", cpus, "instructions")
	perf = sample("perf", cpus, "instructions")
	verdict(perf >= 200 * map, cpus " CPUs: mapped page 200 times cheaper than perf stat: " \
		sprintf("%.0f", perf / map))
	verdict(group >= 20 * map, cpus " CPUs: mapped page 20 times cheaper than raw fds: " \
		sprintf("%.1f", group / map))
	verdict(calls("map", cpus) == 0 && sample("map", cpus, "calls") < 0.01, \
		cpus " CPUs: mapped page without system calls and IPIs")
	verdict(calls("read", cpus) == 1 && sample("read", cpus, "calls") < 0.1, \
		cpus " CPUs: READ of the last window in one call without IPIs")
	verdict(sample("fresh", cpus, "instructions") <= group / 2, \
		cpus " CPUs: fresh READ at most half of raw fds: " \
		sprintf("%.2f", sample("fresh", cpus, "instructions") / group))
}

# The cost of a sample of a program that prints every 100 ms, minus that of an idle machine.
function printed(name, cpus,	more, time, rate)
{
	more = get("stat." name ".many", cpus, "instructions") - \
		get("stat." name ".none", cpus, "instructions")
	time = get("stat." name ".many", cpus, "time_ns") - \
		get("stat." name ".none", cpus, "time_ns")
	rate = get("stat.idle", cpus, "instructions") / get("stat.idle", cpus, "time_ns")
	return (more - time * rate) / get("stat." name ".many", cpus, "samples")
}

function printed_row(name, text, cpus)
{
	row(cpus, "every 100 ms, " text, sprintf("%.0f", printed(name, cpus)), \
	    sprintf("perf stat %.1fx", printed("perf", cpus) / printed(name, cpus)))
}

# The same while some CPUs are busy: the kernel's part of theirs, and all that the others do.
function loaded(name, cpus, base,	more, rate)
{
	more = all_of("load." name ".many", cpus) - all_of("load." name ".none", cpus)
	rate = all_of(base, cpus) / get(base, cpus, "time_ns")
	return (more - rate * (get("load." name ".many", cpus, "time_ns") - \
		get("load." name ".none", cpus, "time_ns"))) / \
		get("load." name ".many", cpus, "samples")
}

function all_of(name, cpus)
{
	return get(name, cpus, "kernel") + get(name, cpus, "home") + get(name, cpus, "others")
}

function loaded_row(name, text, cpus, base)
{
	row(cpus, "the same, " get("load.bare", cpus, "cpus") " CPUs busy, " text, \
	    sprintf("%.0f", loaded(name, cpus, base)), \
	    sprintf("perf stat %.1fx", loaded("perf", cpus, "load.bare") / \
		    loaded(name, cpus, base)))
}

function load_stats(cpus)
{
	if (!has("load.perf.many", cpus))
		return
	loaded_row("perf", "perf stat", cpus, "load.bare")
	loaded_row("fresh", "topdown stat --fresh", cpus, "load.module")
	loaded_row("windows", "topdown stat --windows", cpus, "load.module")
}

function stats(cpus,	cheaper, sleep)
{
	if (!has("stat.perf.many", cpus))
		return
	printed_row("perf", "perf stat -a -x, -o FILE", cpus)
	printed_row("fresh", "topdown stat -a -x, -o FILE --fresh", cpus)
	printed_row("windows", "topdown stat -a -x, -o FILE --windows", cpus)
	printed_row("map", "mapped page, nothing printed", cpus)
	printed_row("sleep", "nothing but the sleep", cpus)
	cheaper = printed("perf", cpus) / printed("windows", cpus)
	if (cpus == 16)
		verdict(cheaper >= 20, cpus " CPUs: topdown stat of windows 20 times cheaper than" \
			" perf stat: " sprintf("%.1f", cheaper))
	cheaper = printed("perf", cpus) / printed("fresh", cpus)
	sleep = printed("sleep", cpus)
	if (cpus != 16)
		return
	verdict(cheaper >= 20, cpus " CPUs: topdown stat 20 times cheaper than perf stat: " \
		sprintf("%.1f", cheaper))
	cheaper = (printed("perf", cpus) - sleep) / (printed("fresh", cpus) - sleep)
	verdict(cheaper >= 20, cpus " CPUs: and without the sleep: " sprintf("%.1f", cheaper))
}

function setups(cpus,	map, perf)
{
	if (!has("setup.perf", cpus))
		return
	map = get("setup.map", cpus, "instructions")
	perf = get("setup.perf", cpus, "instructions")
	row(cpus, "start to first sample, mapped page", map, \
	    get("setup.map", cpus, "descriptors") " descriptor")
	row(cpus, "start to first sample, raw perf descriptors", \
	    get("setup.group", cpus, "instructions"), \
	    get("setup.group", cpus, "descriptors") " descriptors")
	row(cpus, "start to first sample, perf stat -a", perf, \
	    sprintf("%d descriptors, %.0fx", get("setup.perf", cpus, "descriptors"), perf / map))
	row(cpus, "of it, perf as a program (perf --version)", \
	    get("setup.perf-program", cpus, "instructions"), "")
	verdict(perf >= 50 * map, cpus " CPUs: set-up 50 times cheaper than perf stat: " \
		sprintf("%.0f", perf / map))
	verdict(get("setup.map", cpus, "descriptors") == 1 && \
		get("setup.perf", cpus, "descriptors") == 9 * cpus, \
		cpus " CPUs: 1 descriptor against " 9 * cpus)
}

function standings(cpus,	i, period, cost)
{
	if (!has("standing.without", cpus))
		return
	for (i = 1; i <= 2; i++) {
		period = i == 1 ? 10 : 40
		cost = window(period, cpus, "kernel")
		row(cpus, "window of one CPU, period " period " ms", sprintf("%.0f", cost), \
		    sprintf("%.2f RDPMC, %.2f WRMSR, %d windows", window(period, cpus, "rdpmc"), \
			    window(period, cpus, "wrmsr"), \
			    get("standing." period, cpus, "windows")))
	}
	cost = window(10, cpus, "kernel")
	if (!flat_cpus) {
		flat_cpus = cpus
		flat_cost = cost
	}
	verdict(window(10, cpus, "rdpmc") <= 2.05 && window(10, cpus, "wrmsr") <= 4.05, \
		cpus " CPUs: a window at most 2 RDPMC and 4 WRMSR")
	verdict(cost <= 3000, cpus " CPUs: a window at most 3000 instructions, timer included: " \
		sprintf("%.0f", cost))
	if (cpus != flat_cpus)
		verdict(cost <= 1.1 * flat_cost, cpus " CPUs: cost of a window as with " \
			flat_cpus ": " sprintf("%.2fx", cost / flat_cost))
}

function idles(cpus,	with, without)
{
	if (!has("idle.with", cpus))
		return
	with = get("idle.with", cpus, "wakeups")
	without = get("idle.without", cpus, "wakeups")
	row(cpus, "wake-ups of idle CPUs, without the module", without, \
	    sprintf("in %.0f s", get("idle.without", cpus, "time_ns") / 1e9))
	row(cpus, "wake-ups of idle CPUs, with it, period 10 ms", with, \
	    sprintf("in %.0f s", get("idle.with", cpus, "time_ns") / 1e9))
	verdict(with <= 1.05 * without, cpus " CPUs: no wake-up of an idle CPU: " \
		sprintf("%+d", with - without))
}

function busies(cpus)
{
	if (!has("busy.group.many", cpus))
		return
	row(cpus, "sample, others busy, READ fresh", sprintf("%.0f", busy("busy.fresh", cpus)), \
	    sprintf("raw fds %.1fx", busy("busy.group", cpus) / busy("busy.fresh", cpus)))
	row(cpus, "sample, others busy, raw perf descriptors", \
	    sprintf("%.0f", busy("busy.group", cpus)), "")
}

function many_row(name, text, cpus)
{
	row(cpus, text, sprintf("%.1f%%", 100 * get(name, cpus, "share_least")), \
	    sprintf("%d RDPMC, %d WRMSR on busy CPUs", get(name, cpus, "rdpmc"), \
		    get(name, cpus, "wrmsr")))
}

function accesses(name, cpus)
{
	return (get(name, cpus, "rdpmc") + get(name, cpus, "wrmsr")) / get(name, cpus, "windows")
}

function manies(cpus)
{
	if (!has("many.perf.8", cpus))
		return
	many_row("many.ours.1", "least running share, 1 agent", cpus)
	many_row("many.ours.8", "least running share, 8 agents", cpus)
	many_row("many.perf.1", "least running share, 1 perf stat", cpus)
	many_row("many.perf.8", "least running share, 8 perf stat", cpus)
	verdict(get("many.ours.8", cpus, "agents") == 8 && \
		get("many.ours.8", cpus, "share_least") >= 0.9999, \
		cpus " CPUs: 8 agents at once all see 100%")
	verdict(accesses("many.ours.8", cpus) <= 1.02 * accesses("many.ours.1", cpus), \
		cpus " CPUs: PMU accesses of a window with 8 agents as with 1: " \
		sprintf("%.2f, %.2f", accesses("many.ours.8", cpus), \
			accesses("many.ours.1", cpus)))
}

function users_accesses(name, cpus)
{
	return get("users." name, cpus, "rdpmc") + get("users." name, cpus, "wrmsr")
}

function users_row(name, text, cpus)
{
	row(cpus, text, sprintf("%.1f%%", 100 * get("users." name, cpus, "share_least")), \
	    sprintf("%.1f%% at most; %.0f accesses to the PMU in 1 s", \
		    100 * get("users." name, cpus, "share_most"), \
		    users_accesses(name, cpus) / get("users." name, cpus, "time_ns") * 1e9))
}

# Each window is a fold, and so are the begin, the end and 13 reads of each user: perf stat reads
# one event after the other.  A fold has eight accesses at most
function users(cpus,	folds)
{
	if (!has("users.perf.8", cpus))
		return
	users_row("door.1", "least running share, 1 perf stat of the PMU topdown", cpus)
	users_row("door.8", "least running share, 8 of them at once", cpus)
	users_row("perf.1", "least running share, 1 perf stat of perf's events", cpus)
	users_row("perf.8", "least running share, 8 of them at once", cpus)
	verdict(get("users.door.8", cpus, "users") == 8 && \
		get("users.door.8", cpus, "share_least") >= 0.9999, \
		"8 users of the PMU topdown all have 100%")
	folds = get("users.door.8", cpus, "windows") + 8 * (1 + 1 + 13)
	verdict(users_accesses("door.8", cpus) <= 8 * folds, \
		"their PMU accesses are those of windows, begin, end and reads: " \
		sprintf("%d of %d", users_accesses("door.8", cpus), 8 * folds))
	verdict(get("users.perf.8", cpus, "share_most") <= 0.5, \
		"8 users of perf's own events have 50% at most")
}

function precision_row(name, text, cpus, quant)
{
	name = "precision." name "." quant
	row(cpus, text ", " quant, \
	    sprintf("%.3f %.3f", get(name, cpus, "l1_mean"), get(name, cpus, "l2_mean")), \
	    sprintf("largest %.3f %.3f; slots %.3f%%", get(name, cpus, "l1_max"), \
		    get(name, cpus, "l2_max"), get(name, cpus, "slots_max")))
}

function precisions(cpus,	i, quant, name)
{
	for (i = 1; i <= 3; i++) {
		quant = i == 1 ? "truncate" : i == 2 ? "round" : "rest"
		name = "precision.ours-1000." quant
		if (!has(name, cpus))
			continue
		row(cpus, "mean error in points, L1 and L2, over " get(name, cpus, "seconds") " s:", \
		    "", "")
		precision_row("ours-1000", "  period 1000 ms", cpus, quant)
		precision_row("ours-100", "  period 100 ms", cpus, quant)
		precision_row("ours-10", "  period 10 ms", cpus, quant)
		precision_row("perf-1000", "  perf stat -I 1000", cpus, quant)
		precision_row("once", "  read once at the end", cpus, quant)
		verdict(get(name, cpus, "l1_mean") <= 0.1 && get(name, cpus, "l2_mean") <= 0.1, \
			"default period, " quant ": mean errors within 0.1 points")
	}
}

# The cost of a switch: the mean of all switches, less the mean when nobody is counted.
function switched(name, none, cpus, key)
{
	return get("switch." name, cpus, key) / get("switch." name, cpus, "switches") - \
		get("switch." none, cpus, key) / get("switch." none, cpus, "switches")
}

function switch_row(way, text, cpus,	kind)
{
	kind = substr(way, 1, 4)
	row(cpus, text, sprintf("%.0f", switched(way, kind ".none", cpus, "instructions")), \
	    sprintf("%.2f RDPMC, %.2f WRMSR", switched(way, kind ".none", cpus, "rdpmc"), \
		    switched(way, kind ".none", cpus, "wrmsr")))
}

function switches(cpus,	unfollowed, absent)
{
	if (!has("switch.ours.child", cpus))
		return
	switch_row("ours.child", "a switch from or to a followed task", cpus)
	switch_row("perf.perf-child", "the same, perf group of the task", cpus)
	switch_row("ours.both", "a switch between two followed tasks", cpus)
	switch_row("perf.perf-both", "the same, perf group of each", cpus)
	switch_row("ours.together", "a switch between two tasks of one session", cpus)
	switch_row("ours.door-1", "a switch, 1 event of the PMU topdown on the task", cpus)
	switch_row("perf.perf-1", "the same, perf group of 1", cpus)
	switch_row("ours.door-5", "a switch, 5 such events", cpus)
	switch_row("perf.perf-5", "the same, perf group of 5", cpus)
	switch_row("ours.door-13", "a switch, 13 such events", cpus)
	unfollowed = switched("short.unfollowed", "short.none", cpus, "instructions")
	row(cpus, "a switch of others while there is a session", sprintf("%.1f", unfollowed), "")
	absent = switched("short.none", "short.without", cpus, "instructions")
	row(cpus, "a switch of others while there is none", sprintf("%.1f", absent), "")
	verdict(switched("ours.child", "ours.none", cpus, "instructions") <= \
		switched("perf.perf-child", "perf.none", cpus, "instructions"), \
		"a switch of a followed task takes no more instructions than perf's group")
	verdict(switched("ours.child", "ours.none", cpus, "rdpmc") <= \
		switched("perf.perf-child", "perf.none", cpus, "rdpmc") && \
		switched("ours.child", "ours.none", cpus, "wrmsr") <= \
		switched("perf.perf-child", "perf.none", cpus, "wrmsr") + 0.05, \
		"and no more register accesses")
	verdict(unfollowed <= 30, "a switch of others takes at most 30 instructions more: " \
		sprintf("%.1f", unfollowed))
	# As exact as the timer interrupts of a second allow
	verdict(absent < 5 && absent > -5, "and none without sessions: " sprintf("%.1f", absent))
}

function task_row(name, text, cpus)
{
	name = "task." name
	row(cpus, text, sprintf("%.3f %.3f", get(name, cpus, "l1_mean"), \
				get(name, cpus, "l2_mean")), \
	    sprintf("largest %.3f %.3f; slots %.4f", get(name, cpus, "l1_max"), \
		    get(name, cpus, "l2_max"), get(name, cpus, "slots")))
}

# The mean error of both levels together: 4 nodes and 8.
function task_mean(name, cpus)
{
	name = "task." name
	return (get(name, cpus, "l1_mean") + 2 * get(name, cpus, "l2_mean")) / 3
}

function tasks(cpus,	i, quant)
{
	for (i = 1; i <= 3; i++) {
		quant = i == 1 ? "truncate" : i == 2 ? "round" : "rest"
		if (!has("task.ours." quant, cpus))
			continue
		row(cpus, "mean error of a task of " get("task.ours." quant, cpus, "seconds") \
		    " s, L1 and L2:", "", "")
		task_row("ours." quant, "  topdown stat -- task, " quant, cpus)
		task_row("perf." quant, "  perf stat --topdown -- task, " quant, cpus)
		task_row("rdpmc." quant, "  RDPMC without reset, " quant, cpus)
		verdict(get("task.ours." quant, cpus, "l1_mean") <= 0.2 && \
			get("task.ours." quant, cpus, "l2_mean") <= 0.2, \
			"task, " quant ": mean errors within 0.2 points")
		verdict(task_mean("ours." quant, cpus) <= task_mean("perf." quant, cpus) && \
			task_mean("ours." quant, cpus) <= task_mean("rdpmc." quant, cpus), \
			"task, " quant ": smaller than those of perf and of RDPMC")
	}
}

function torns(cpus)
{
	if (!has("torn.careful", cpus))
		return
	row(cpus, "reads of the mapped page", get("torn.careful", cpus, "reads"), \
	    sprintf("%d torn; record changed %d times, %d hotplugs", \
		    get("torn.careful", cpus, "torn"), get("torn.careful", cpus, "changes"), \
		    get("torn.careful", cpus, "hotplugs")))
	row(cpus, "the same without sequence numbers", get("torn.careless", cpus, "reads"), \
	    get("torn.careless", cpus, "torn") " torn")
	verdict(get("torn.careful", cpus, "torn") == 0 && get("torn.careful", cpus, "changes") > 0, \
		"no torn record in " get("torn.careful", cpus, "reads") " reads")
	verdict(get("torn.careless", cpus, "torn") > 0, \
		"without sequence numbers torn records are noticed")
}

NF > 2 && $2 ~ /^[0-9]+$/ && $3 ~ /=/ {
	if (!($2 in known)) {
		known[$2]
		size[++sizes] = $2
	}
	if ($0 ~ / round=0 /)
		next
	seen[$1, $2]
	for (i = 3; i <= NF; i++) {
		split($i, pair, "=")
		# Rounds add up; the others have one line for each key
		if ($1 ~ /^(standing|idle|stat\.idle)/)
			value[$1, $2, pair[1]] += pair[2]
		else
			value[$1, $2, pair[1]] = pair[2]
	}
}

END {
	printf "%4s  %-52s %14s  %s\n", "CPUs", "what", "figure", "against"
	for (i_size = 1; i_size <= sizes; i_size++) {
		agents(size[i_size])
		stats(size[i_size])
		load_stats(size[i_size])
		busies(size[i_size])
		setups(size[i_size])
		standings(size[i_size])
		idles(size[i_size])
		manies(size[i_size])
		precisions(size[i_size])
		switches(size[i_size])
		users(size[i_size])
		tasks(size[i_size])
		torns(size[i_size])
	}
	print "KTAP version 1"
	print "1.." results
	for (i = 1; i <= results; i++)
		print result[i]
	printf "%d passed, %d failed, 0 skipped\n", passed, failed
	exit failed || !passed
}
