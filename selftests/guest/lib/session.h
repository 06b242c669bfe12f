/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the tests of sessions share: processes that work on demand,
 * and checks of a session.
 */
#ifndef TOPDOWN_SELFTESTS_SESSION_H
#define TOPDOWN_SELFTESTS_SESSION_H

#include "guest.h"

/* Percentage points, and a share of the slots: the acceptance criteria. */
#define LIMIT_POINTS	0.5
#define LIMIT_SLOTS	0.01

#define TRIES		3
#define WORKERS		3
#define THREADS		8
#define NOBODY		65534

/* A process that works on demand, and then reports how much it has executed. */
struct worker {
	int pid;
	/* One byte for each thread that is to work. */
	int go[2];
	int ready[2];
};

struct report {
	struct td_bd_truth truth;
	uint64_t cpu_ns;
	uint64_t main_ns;
	volatile int done;
};

/* The reports of all workers, in memory that they share. */
extern struct report *reports;

/*
 * The host may take a CPU away in the microseconds between a fold and the
 * change of the address space, and emulated time runs on: then once more.  Under
 * -icount a thread of the kernel may borrow the address space, and what it executes is
 * in the truth: in one row two of some forty measurements were taken twice.  An error
 * of the module does not go away.
 */
#define EXPECT_SOON(what)						\
({									\
	unsigned int try_;						\
	bool ok_ = false;						\
									\
	for (try_ = 0; try_ < TRIES && !ok_; try_++) {			\
		if (try_)						\
			say_again(#what);				\
		ok_ = what;						\
	}								\
	EXPECT_TRUE(ok_);						\
})

/* A descriptor; also makes the reports, and moves the caller to two CPUs. */
int session_open(void);

const struct td_bd_profile *profile(unsigned int i);
void spin_ms(unsigned int ms);
/* So much CPU time of the caller, however long it has to wait for it. */
void spin_cpu_ms(unsigned int ms);
/* For pthread_create(). */
void *thread_short(void *unused);

/* @threads above THREADS: so many short ones after each other. */
bool worker_start(struct worker *worker, struct report *report,
		  const struct td_bd_profile *what, unsigned int threads, unsigned int ms);
bool worker_go(struct worker *worker, unsigned int threads);
bool worker_wait(const struct report *report);
void worker_stop(struct worker *worker);
/* A process that does nothing until it is killed; its pid. */
int sleeper_start(void);
/* The id of a kernel thread by its name, or -1. */
int kernel_thread(const char *name);

/* How many times the limits figures of so many threads may be off. */
double looser(unsigned int threads);
bool has_slots(int session, struct topdown_session *seen);
/* The events, or a negative errno. */
int poll_for(int fd, short events, int ms);

#endif /* TOPDOWN_SELFTESTS_SESSION_H */
