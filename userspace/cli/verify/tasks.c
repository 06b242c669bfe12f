// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks: one that is alone on its CPU, and two that share one.
 *
 * A point at each switch reads the counters and mostly resets nothing.  Where two share a CPU,
 * their figures are made of such points alone.
 */
#include <string.h>
#include <unistd.h>

#include "verify.h"

#define TASK_POINTS	1.5
/* A task that shares its CPU may differ so much from alone: the kernel's switches are in it. */
#define SHARED_POINTS	3.0
/* The share of a CPU's slots that its tasks have: interrupts of others and the kernel have some. */
#define LEAST_SHARE	0.94
#define MOST_SHARE	1.03
/* Where points are dear, less of the time is known. */
#define LEAST_KNOWN	0.9
#define SHARERS		2

/**
 * struct followed - a program that is followed, from its beginning on
 * @program: which
 * @pid: its process
 * @session: descriptor of its session
 * @then: the session before the measurement
 * @figures: what it had in the measurement
 * @known: share of its time on CPUs that was measured, 0 to 1
 */
struct followed {
	enum program program;
	pid_t pid;
	int session;
	struct topdown_session then;
	struct topdown_figures figures;
	double known;
};

/* False after a line that says why. */
static bool follow(struct verify *verify, struct followed *followed, enum program program)
{
	int error;

	memset(followed, 0, sizeof(*followed));
	followed->program = program;
	followed->pid = verify_start(verify, program);
	if (followed->pid < 0)
		return false;
	error = topdown_session_attach(verify->td, followed->pid, 0, &followed->session);
	if (!error)
		return true;
	program_stop(followed->pid);
	verify_line(verify, OUTCOME_UNCHECKED, "a task cannot be followed: %s", verify_why(-error));
	return false;
}

static void leave(const struct followed *followed)
{
	program_stop(followed->pid);
	close(followed->session);
}

static int look(const struct followed *followed, struct topdown_session *session)
{
	return topdown_session_read(followed->session, TOPDOWN_SESSION_FRESH, session,
				    sizeof(*session));
}

/* The figures of each of @nr, and of their CPU in the same time.  False if there are none. */
static bool measure(struct verify *verify, struct followed *followed, unsigned int nr,
		    struct topdown_figures *cpu)
{
	struct topdown_session now;
	unsigned int i;
	int error = 0;

	verify_lead(verify);
	for (i = 0; i < nr; i++)
		error |= look(&followed[i], &followed[i].then);
	verify_begin(verify);
	verify_sleep_us(nr * verify->ms * 1000);
	verify_end(verify);
	for (i = 0; i < nr && !error; i++) {
		error = look(&followed[i], &now);
		if (error || topdown_session_between(&followed[i].then, &now, verify->level,
						     &followed[i].figures) ||
		    !followed[i].figures.slots || !followed[i].figures.enabled_ns)
			return false;
		followed[i].known = (double)followed[i].figures.running_ns /
				    followed[i].figures.enabled_ns;
	}
	return !error && verify_between(verify, verify->home, cpu);
}

/**
 * check_tasks - a task that is alone on its CPU has what the CPU has
 * @verify: run
 */
void check_tasks(struct verify *verify)
{
	struct topdown_figures cpu;
	struct followed followed;
	unsigned int worst = 0;
	double share, points;
	bool there;

	if (!follow(verify, &followed, PROGRAM_BRANCHES))
		return;
	there = measure(verify, &followed, 1, &cpu);
	leave(&followed);
	if (!there) {
		verify_line(verify, OUTCOME_OFF, "a task that ran all the time has no figures");
		return;
	}
	share = (double)followed.figures.slots / cpu.slots;
	points = verify_points(&followed.figures, &cpu, TD_NR_PARENTS, &worst);
	verify_line(verify, share > LEAST_SHARE && share < MOST_SHARE && points < TASK_POINTS ?
		    OUTCOME_RIGHT : OUTCOME_OFF,
		    "a task alone on a CPU has %.1f%% of its slots, %.2f points apart (%s)",
		    100 * share, points, topdown_node_name(worst));
}

/* False after a line that says which of the programs is not as it is alone. */
static bool shared_as_alone(struct verify *verify, const struct followed *followed)
{
	struct topdown_figures alone;
	unsigned int worst = 0;
	double points;

	if (!verify_alone(verify, followed->program, &alone))
		return false;
	points = verify_points(&followed->figures, &alone, TD_NR_PARENTS, &worst);
	if (points < SHARED_POINTS)
		return true;
	verify_line(verify, OUTCOME_OFF,
		    "%s, by points while it shares its CPU: %s is %.1f%%, and %.1f%% while it is alone",
		    program_name(followed->program), topdown_node_name(worst),
		    100 * topdown_figures_ratio(&followed->figures, worst),
		    100 * topdown_figures_ratio(&alone, worst));
	return false;
}

static void judge_shared(struct verify *verify, const struct followed *followed,
			 const struct topdown_figures *cpu)
{
	double share = 0;
	bool right = true;
	unsigned int i;

	for (i = 0; i < SHARERS; i++) {
		if (followed[i].known < LEAST_KNOWN) {
			verify_line(verify, OUTCOME_UNCHECKED,
				    "%.0f%% of the time of %s is known: events take turns, or points are dear",
				    100 * followed[i].known, program_name(followed[i].program));
			return;
		}
		share += (double)followed[i].figures.slots / cpu->slots;
		right &= shared_as_alone(verify, &followed[i]);
	}
	if (!right)
		return;
	verify_line(verify, share > LEAST_SHARE && share < MOST_SHARE ? OUTCOME_RIGHT : OUTCOME_OFF,
		    "two tasks that share a CPU have %.1f%% of its slots, and each what it has alone",
		    100 * share);
}

/**
 * check_points - tasks that share a CPU have by points what folds give each of them alone
 * @verify: run
 */
void check_points(struct verify *verify)
{
	struct followed followed[SHARERS];
	struct topdown_figures cpu;
	bool there;

	if (!follow(verify, &followed[0], PROGRAM_ADDITIONS))
		return;
	if (!follow(verify, &followed[1], PROGRAM_CHASE)) {
		leave(&followed[0]);
		return;
	}
	there = measure(verify, followed, SHARERS, &cpu);
	leave(&followed[0]);
	leave(&followed[1]);
	if (there)
		judge_shared(verify, followed, &cpu);
	else
		verify_line(verify, OUTCOME_OFF, "of two tasks that share a CPU one has no figures");
}
