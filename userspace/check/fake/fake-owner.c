// SPDX-License-Identifier: GPL-2.0
/*
 * Owners of the stand-in for the kernel.  Each reading is a step later than the one before.
 *
 * Processes: 1 (init), 42 ("serv<escape>er", the busiest), 77, which exits after the reading
 * FAKE_SHORT and is in "ended" from the second one after that on.  Cgroups: the root, a, a/b and c;
 * or those of FAKE_CGROUPS, a file with a line "ID PARENT LEVEL STEPS NAME" of each, parents first,
 * whose steps are its own.  It is read each time, so what it has may change.
 *
 *   FAKE_NO_CGROUPS     the kernel has no cgroups of perf
 *   FAKE_CGROUP_NAME    name of the cgroup c
 *   FAKE_LATE           slots of process 77 after the last reading that had it, which retired
 *   FAKE_OWNERS_READS   number of readings that succeed
 *   FAKE_SHORT          number of the last reading in which process 77 ran (2)
 *   FAKE_RENAMED        name of process 42 from the sixth reading on
 */
#include "fake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sums.h"

#define OWNERS_MAX	2048

static int owners_fd = -1;
static unsigned int owners_kind, owners_depth, owners_steps;

bool fake_is_owners(int fd)
{
	return fd >= 0 && fd == owners_fd;
}

int fake_owners(const struct topdown_owners *arg)
{
	if (!(setting("FAKE_FEATURES", 7) & TOPDOWN_FEATURE_OWNERS))
		return refuse(ENOTTY);
	if (setting("FAKE_READ_ERRNO", 0))
		return refuse(setting("FAKE_READ_ERRNO", 0));
	if (setting("FAKE_OWNERS_ERRNO", 0))
		return refuse(setting("FAKE_OWNERS_ERRNO", 0));
	if (arg->flags)
		return refuse(EOPNOTSUPP);
	if (arg->kind > TOPDOWN_OWNERS_CGROUPS || arg->depth > 31)
		return refuse(EINVAL);
	if (arg->kind == TOPDOWN_OWNERS_CGROUPS && getenv("FAKE_NO_CGROUPS"))
		return refuse(EOPNOTSUPP);
	owners_kind = arg->kind;
	owners_depth = arg->depth;
	owners_steps = 0;
	owners_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return owners_fd;
}

static struct topdown_owner *add(struct topdown_owner *owner, unsigned int *nr, unsigned int what,
				 uint64_t id, const char *name, unsigned int cpu, uint64_t steps)
{
	struct topdown_owner *new = &owner[(*nr)++];

	memset(new, 0, sizeof(*new));
	new->what = what;
	new->id = id;
	new->start_ns = what == TOPDOWN_OWNER_WHAT_PROCESS ? id * 1000 : 0;
	new->depth = 2;
	new->source = TOPDOWN_SOURCE_PERF_METRICS;
	new->nodes = fake_nodes();
	new->switches = 100 * steps;
	snprintf(new->name, sizeof(new->name), "%s", name);
	fill_counts(&new->self, cpu, steps);
	new->tree = new->self;
	new->tree_switches = new->switches;
	FAKE_GROWN(new);
	return new;
}

static void sum(struct topdown_owner *parent, const struct topdown_owner *child)
{
	unsigned int i;

	parent->tree.enabled_ns += child->tree.enabled_ns;
	parent->tree.running_ns += child->tree.running_ns;
	parent->tree.slots += child->tree.slots;
	parent->tree.cycles += child->tree.cycles;
	parent->tree.instructions += child->tree.instructions;
	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		parent->tree.node[i] += child->tree.node[i];
	for (i = 0; i < TD_NR_PARENTS; i++)
		parent->tree.children_slots[i] += child->tree.children_slots[i];
	parent->tree_switches += child->tree_switches;
}

static unsigned int processes(struct topdown_owner *owner, uint64_t steps)
{
	uint64_t last = setting("FAKE_SHORT", 2), until = steps < last ? steps : last;
	const char *renamed = steps > 5 ? getenv("FAKE_RENAMED") : NULL;
	struct topdown_owner *gone;
	unsigned int nr = 0;

	add(owner, &nr, TOPDOWN_OWNER_WHAT_IDLE, 0, "", 95, steps);
	add(owner, &nr, TOPDOWN_OWNER_WHAT_OTHERS, 0, "", 0, 0);
	gone = add(owner, &nr, TOPDOWN_OWNER_WHAT_ENDED, 0, "", 50, steps > last + 1 ? until : 0);
	if (steps > last + 1) {
		gone->self.slots += setting("FAKE_LATE", 0);
		gone->self.node[TOPDOWN_RETIRING] += setting("FAKE_LATE", 0);
		gone->self.enabled_ns += setting("FAKE_LATE", 0);
		gone->self.running_ns += setting("FAKE_LATE", 0);
	}
	add(owner, &nr, TOPDOWN_OWNER_WHAT_PROCESS, 1, "init", 90, steps);
	add(owner, &nr, TOPDOWN_OWNER_WHAT_PROCESS, 42, renamed ? renamed : "serv\033er", 10,
	    steps);
	if (steps > last + 1)
		return nr;
	gone = add(owner, &nr, TOPDOWN_OWNER_WHAT_PROCESS, 77, "short", 50, until);
	gone->flags = steps > last ? TOPDOWN_OWNER_EXITED : 0;
	return nr;
}

/* A line: its cgroup, after the ones before it. */
static void add_line(struct topdown_owner *owner, unsigned int *nr, const char *line)
{
	unsigned long long id, parent, steps;
	struct topdown_owner *new;
	unsigned int level;
	int name = 0;

	if (*nr == OWNERS_MAX ||
	    sscanf(line, "%llu %llu %u %llu %n", &id, &parent, &level, &steps, &name) != 4)
		return;
	new = add(owner, nr, TOPDOWN_OWNER_WHAT_CGROUP, id, line + name, 60, steps);
	new->name[strcspn(new->name, "\n")] = '\0';
	new->parent = parent;
	new->level = level;
}

static unsigned int listed(struct topdown_owner *owner, unsigned int nr, FILE *file)
{
	unsigned int first = nr, i, j;
	char line[512];

	while (fgets(line, sizeof(line), file))
		add_line(owner, &nr, line);
	fclose(file);
	for (i = nr; i-- > first;) {
		for (j = first; j < i; j++) {
			if (owner[j].id == owner[i].parent)
				sum(&owner[j], &owner[i]);
		}
	}
	return nr;
}

static unsigned int cgroups(struct topdown_owner *owner, uint64_t steps)
{
	struct topdown_owner *root, *a, *b, *c;
	const char *path = getenv("FAKE_CGROUPS"), *name = getenv("FAKE_CGROUP_NAME");
	FILE *file = path ? fopen(path, "re") : NULL;
	unsigned int nr = 0;

	add(owner, &nr, TOPDOWN_OWNER_WHAT_IDLE, 0, "", 95, steps);
	add(owner, &nr, TOPDOWN_OWNER_WHAT_OTHERS, 0, "", 0, 0);
	if (file)
		return listed(owner, nr, file);
	root = add(owner, &nr, TOPDOWN_OWNER_WHAT_CGROUP, 1, "", 90, steps);
	a = add(owner, &nr, TOPDOWN_OWNER_WHAT_CGROUP, 100, "a", 60, steps);
	b = add(owner, &nr, TOPDOWN_OWNER_WHAT_CGROUP, 200, "b", 20, steps);
	c = add(owner, &nr, TOPDOWN_OWNER_WHAT_CGROUP, 300, name ? name : "c", 30, steps);
	a->level = 1;
	c->level = 1;
	b->level = 2;
	a->parent = 1;
	c->parent = 1;
	b->parent = 100;
	sum(a, b);
	sum(root, a);
	sum(root, c);
	return nr;
}

/* A cgroup below the depth counts at its ancestor, whose tree has it. */
static unsigned int drop_deep(struct topdown_owner *owner, unsigned int nr)
{
	unsigned int i, j, n = 0;

	for (i = nr; i--;) {
		for (j = 0; j < i && owners_depth && owner[i].level > owners_depth; j++) {
			if (owner[j].what == owner[i].what && owner[j].id == owner[i].parent)
				td_figures_add(&owner[j].self, &owner[i].self);
		}
	}
	for (i = 0; i < nr; i++) {
		if (!owners_depth || owner[i].level <= owners_depth)
			owner[n++] = owner[i];
	}
	return n;
}

int fake_owners_read(struct topdown_owners_read *arg)
{
	static struct topdown_owner owner[OWNERS_MAX];
	size_t size = arg->record_size;
	unsigned int nr, i, n = 0;

	if (arg->flags)
		return refuse(EOPNOTSUPP);
	if (arg->out_since_ns || arg->out_time_ns || arg->out_nr_owners || arg->__reserved ||
	    size < FAKE_OWNER_SIZE_MIN)
		return refuse(EINVAL);
	if (owners_steps >= (unsigned int)setting("FAKE_OWNERS_READS", -1))
		return refuse(EIO);
	if (!arg->cursor && arg->nr_records)
		owners_steps++;
	nr = owners_kind == TOPDOWN_OWNERS_CGROUPS ? cgroups(owner, owners_steps) :
						     processes(owner, owners_steps);
	nr = drop_deep(owner, nr);
	arg->out_since_ns = 1;
	arg->out_time_ns = now_ns();
	arg->out_nr_owners = nr;
	if (!arg->nr_records) {
		arg->nr_records = nr;
		return refuse(EMSGSIZE);
	}
	if (size > sizeof(owner[0]))
		size = sizeof(owner[0]);
	for (i = arg->cursor; i < nr && n < arg->nr_records; i++, n++) {
		char *to = (char *)(uintptr_t)arg->records + (size_t)n * arg->record_size;

		memset(to, 0, arg->record_size);
		memcpy(to, &owner[i], size);
	}
	arg->cursor = i < nr ? i : 0;
	arg->nr_records = n;
	return 0;
}
