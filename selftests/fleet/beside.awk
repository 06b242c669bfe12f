# SPDX-License-Identifier: GPL-2.0
#
# Make a table of the lines that beside-guest.sh prints, and see that none is missing.  Set:
#   sizes    the numbers of CPUs, with blanks between
#   rounds   how often each was counted

# The rounds of a server may differ by so many percent, or by so many instructions: an idle machine
# of 64 CPUs does 100,000 between two scrapes, more or less.
BEGIN {
	spread = 8
	noise = 60000
}

function fail(text)
{
	print "FAILED: " text
	failed++
}

# The value of a KEY=VALUE on this line.
function word(key,	i)
{
	for (i = 4; i <= NF; i++)
		if (index($i, key "=") == 1)
			return substr($i, length(key) + 2)
	return ""
}

function get(key, cpus, name, round)
{
	if ((key, cpus, name, round) in value)
		return value[key, cpus, name, round]
	fail(cpus " CPUs, " name ": no " key " of round " round)
	return 0
}

# Instructions a nanosecond of the machine while nobody asks that server, around this round.
function idle(cpus, name, round)
{
	return (get("idle", cpus, name, round) + get("idle", cpus, name, round + 1)) / 2
}

# All of a run but its first scrape, less what the machine does in that time without scrapes.
function scrape(cpus, name, round,	time)
{
	time = get("many.time", cpus, name, round) - get("one.time", cpus, name, round)
	return (get("many", cpus, name, round) - get("one", cpus, name, round) - \
		time * idle(cpus, name, round)) / (get("scrapes", cpus, name, round) - 1)
}

# Millions of instructions a second, of the machine without scrapes.
function standing(cpus, name,	round, sum)
{
	for (round = 0; round < rounds; round++)
		sum += idle(cpus, name, round)
	return sum / rounds * 1e3
}

function costs(cpus, name,	round, one, sum, least, most)
{
	for (round = 0; round < rounds; round++) {
		one = scrape(cpus, name, round)
		sum += one
		least = round && least < one ? least : one
		most = most > one ? most : one
	}
	figure[name] = sum / rounds
	apart[name] = figure[name] ? (most - least) / figure[name] * 100 : 0
	if (least <= 0)
		fail(cpus " CPUs, " name ": a scrape of " least " instructions")
	if (apart[name] > spread && most - least > noise)
		fail(cpus " CPUs, " name ": the rounds differ by " apart[name] "%")
}

function row(cpus, name)
{
	costs(cpus, name)
	if (!((cpus, name) in answer))
		fail(cpus " CPUs, " name ": no answer")
	printf "%4d  %-38s %10.0f %10.0f %5.1f%% %s %7.1f M\n", cpus, title[name], figure[name],
		figure[name] - figure["empty"], apart[name], answer[cpus, name], standing(cpus, name)
}

# The share that the module has while the server is there; none but the collector may take counters.
function of_module(cpus, name)
{
	if (!((cpus, name) in share))
		fail(cpus " CPUs, " name ": nothing of the module")
	else if (name !~ /^node-/ && (share[cpus, name] + 0 != 1 || state[cpus, name] != " ok=" cpus))
		fail(cpus " CPUs, " name ": the module has not all counters")
	if (name !~ /^node-/)
		return
	printf "%4d  %-38s the module: CPUs%s, its counters have run %.1f%% of the time\n", cpus,
		title[name], state[cpus, name], share[cpus, name] * 100
}

BEGIN {
	servers = split("empty topdown topdown-each node node-two node-all", server)
	title["empty"] = "the client, and an empty answer"
	title["topdown"] = "topdown export"
	title["topdown-each"] = "topdown export --per-cpu"
	title["node"] = "node_exporter, no collector"
	title["node-two"] = "node_exporter, perf: two counters"
	title["node-all"] = "node_exporter, perf: all by default"
}

$1 == "count" && word("of") == "idle" {
	value["idle", $2, $3, word("round")] = word("instructions") / word("time_ns")
}

$1 == "count" && word("of") != "idle" {
	value[word("of"), $2, $3, word("round")] = word("instructions")
	value[word("of") ".time", $2, $3, word("round")] = word("time_ns")
	value["scrapes", $2, $3, word("round")] = word("scrapes")
}

$1 == "answer" {
	answer[$2, $3] = sprintf("%7d %8d %7d", word("series"), word("bytes"), word("gzip"))
}

$1 == "module" {
	share[$2, $3] = word("share")
	for (i = 5; i <= NF; i++)
		state[$2, $3] = state[$2, $3] " " $i
}

END {
	format = "%-44s %10s %10s %6s %7s %8s %7s %9s\n"
	printf format, "CPUs  server", "a scrape", "less the", "rounds", "series", "bytes", "gzip",
		"a second"
	printf format, "", "", "first", "differ", "", "", "", "without"
	sizes_given = split(sizes, size, " ")
	for (s = 1; s <= sizes_given; s++) {
		for (i = 1; i <= servers; i++)
			row(size[s], server[i])
		printf "%4d  %-38s %55.1f M\n", size[s], "the last, the module not loaded",
			get("idle", size[s], "node-alone", 0) * 1e3
		printf "%4d  %-38s %55.1f M\n", size[s], "none of them, with the module",
			(idle(size[s], "nobody", 0) + idle(size[s], "nobody", 1)) / 2 * 1e3
		for (i = 1; i <= servers; i++)
			of_module(size[s], server[i])
	}
	if (!sizes_given)
		fail("no numbers of CPUs")
	exit failed > 0
}
