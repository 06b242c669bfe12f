/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owners of all slots, and processes and cgroups whose truth is known.
 */
#ifndef TOPDOWN_SELFTESTS_OWNER_H
#define TOPDOWN_SELFTESTS_OWNER_H

#include "guest.h"

/* So many of a kind there may be. */
#define OWNERS_MAX	16384
#define RUNNERS_MAX	64

/* A reading: all owners of a kind. */
struct owners {
	unsigned int nr;
	uint64_t since_ns;
	uint64_t time_ns;
	struct topdown_owner *owner;
};

/* A descriptor, or a negative errno. */
int owners_open(int device, unsigned int kind, unsigned int depth);
/* 0 or a negative errno; by calls of @room records, 0 for one call. */
int owners_read(int fd, struct owners *owners, unsigned int room);
void owners_free(struct owners *owners);
/* NULL if there is none. */
const struct topdown_owner *owners_find(const struct owners *owners, unsigned int what,
					uint64_t id);
/* The sum of what all have alone. */
void owners_sum(const struct owners *owners, struct topdown_figures *sum);
/*
 * All CPUs together, until now; an errno, negative.  Read them just before the owners, who are
 * collected first and copied then, which takes the CPU some milliseconds where they are many.
 */
int owners_cpus(int device, struct topdown_figures *sum);
/* Its slots alone; 0: it failed. */
__u64 owners_cpus_slots(int device);
/* Do all owners together have what the CPUs counted from one reading to the next? */
bool owners_sum_right(const struct owners *then, const struct owners *now, __u64 counted);
/* The figures of an owner since the earlier reading, alone or in its tree. */
bool owners_grown(const struct owners *then, const struct owners *now, unsigned int what,
		  uint64_t id, bool tree, struct topdown_figures *figures);

/* Wait until the threads of the kernel are idle, as they are not just after boot. */
bool threads_quiet(void);

/* A process that executes phases when it may, and then says what it has executed. */
struct runner {
	int pid;
	volatile int stop;
	struct td_bd_truth truth;
	uint64_t cpu_ns;
};

/* They are in memory that they share, by runners_make(). */
extern struct runner *runners;

/*
 * Make @nr of them.  They are stopped until runners_go(), and then execute phases of 20 to 200 ms,
 * each with a profile of its own, until runners_stop(), which waits for all truths.  So they
 * execute nothing before and afterwards.
 */
bool runners_make(unsigned int nr);
void runners_go(unsigned int nr);
bool runners_stop(unsigned int nr);
void runners_end(unsigned int nr);

/* Are the figures within @points percentage points and @share of the slots?  Says so if not. */
bool figures_right(const char *who, const struct topdown_figures *figures,
		   const struct td_bd_truth *truth, double points, double share);

/* The root of cgroups of version 2, mounted if need be; NULL with a message. */
const char *cgroup_root(void);
/* Its inode number, or 0. */
uint64_t cgroup_number(const char *path);
bool cgroup_make(const char *path);
bool cgroup_enter(const char *path, int pid);
bool cgroup_remove(const char *path);
/* How many cgroups below it were removed and are still there. */
unsigned int cgroup_dying(const char *path);

#endif /* TOPDOWN_SELFTESTS_OWNER_H */
