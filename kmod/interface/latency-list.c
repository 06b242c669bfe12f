// SPDX-License-Identifier: GPL-2.0
/*
 * The latency list of a descriptor: start, end and read latency sessions.
 *
 * A session is only a wish: some events of some CPUs.  All sessions share the samplers
 * (latency.c), so a reader costs nothing but its calls.  One that is for the tasks of a session
 * (session.c) wishes for all CPUs, and also has tallies of its own, which credit.c finds by
 * the session.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "aside.h"
#include "command.h"
#include "follow.h"
#include "known.h"
#include "latency.h"
#include "latency-list.h"
#include "quota.h"
#include "sampler.h"
#include "session.h"
#include "tallies.h"

#define TD_LATENCIES_MAX		16

/* As first released. */
#define TD_LATENCY_RECORD_SIZE_VER0	984

/**
 * struct td_latency_session - one latency session
 * @own: entry of td_latency_list.list; empty once the session has ended
 * @ref: one of the list, and one of each reader
 * @user: account that is charged for the session
 * @id: its number
 * @events: bit n for event n
 * @cpus: its CPUs
 * @samples: it has the samplers of @cpus
 * @followed: the session whose tasks are sampled, with a reference; NULL for none.  One that is
 *	closed stays too, for its records
 * @tallies: tallies of @followed
 */
struct td_latency_session {
	struct list_head own;
	struct kref ref;
	struct td_user *user;
	u32 id;
	u64 events;
	cpumask_var_t cpus;
	bool samples;
	struct td_session *followed;
	struct td_tallies *tallies;
};

/**
 * td_latency_list_init() - prepare the list of a descriptor
 * @latencies: the list
 */
void td_latency_list_init(struct td_latency_list *latencies)
{
	mutex_init(&latencies->lock);
	INIT_LIST_HEAD(&latencies->list);
}

static void td_latency_list_free(struct kref *ref)
{
	struct td_latency_session *session = container_of(ref, struct td_latency_session, ref);

	if (session->user)
		td_quota_put(session->user, TD_LATENCY);
	if (session->tallies)
		td_tallies_destroy(session->tallies);
	if (session->followed)
		td_session_put(session->followed);
	free_cpumask_var(session->cpus);
	kfree(session);
}

static void td_latency_list_unref(struct td_latency_session *session)
{
	kref_put(&session->ref, td_latency_list_free);
}

/* Let the samples in the tasks of the session that is followed count, or no longer. */
static void td_latency_list_count(struct td_latency_session *session, bool count)
{
	if (!session->followed)
		return;
	if (count)
		td_tallies_begin(session->tallies);
	rcu_assign_pointer(session->followed->tallies, count ? session->tallies : NULL);
	if (!count)
		td_session_unclaim(session->followed);
}

/* Give the samplers back. */
static void td_latency_list_rest(struct td_latency_session *session)
{
	int cpu;

	if (!session->samples)
		return;
	session->samples = false;
	for_each_cpu(cpu, session->cpus)
		td_latency_put(cpu, session->events);
}

static void td_latency_list_drop(struct td_latency_list *latencies,
				 struct td_latency_session *session)
{
	lockdep_assert_held(&latencies->lock);
	td_latency_list_count(session, false);
	td_latency_list_rest(session);
	list_del_init(&session->own);
	latencies->nr--;
	td_latency_list_unref(session);
}

/**
 * td_latency_list_check() - check the argument of TOPDOWN_LATENCY, but for its CPUs
 * @what: the argument
 *
 * Return: 0 or a negative errno as in the ABI.
 */
int td_latency_list_check(const struct topdown_latency *what)
{
	bool session = what->flags & TOPDOWN_LATENCY_SESSION;

	if (what->flags & ~TD_LATENCY_FLAGS)
		return -EOPNOTSUPP;
	if (what->out_latency || what->out_refusal || what->out_events || what->out_nr_records ||
	    (session && (what->cpus || what->cpus_words)) || (!session && what->session))
		return -EINVAL;
	if (!what->events && (what->cpus || what->cpus_words || session))
		return -EINVAL;
	if (what->flags & TOPDOWN_LATENCY_REMOVE)
		return what->events ? -EINVAL : 0;
	return what->latency ? -EINVAL : 0;
}

/**
 * td_latency_list_refusal() - why this machine, with this module, samples no latency
 *
 * Return: enum topdown_latency_refusal.
 */
enum topdown_latency_refusal td_latency_list_refusal(void)
{
	enum topdown_latency_refusal refusal = td_sampler_refusal();

	if (!refusal && !td_aside_info())
		return TOPDOWN_LATENCY_NO_ASIDE;
	return refusal;
}

/* Have the samplers of all CPUs of a session, or of none. */
static int td_latency_list_get(const struct td_latency_session *session)
{
	int cpu, done, ret = 0;

	for_each_cpu(cpu, session->cpus) {
		/* Hundreds of CPUs take a while.  Nobody who was killed sees the errno. */
		ret = fatal_signal_pending(current) ? -EINTR :
						      td_latency_get(cpu, session->events);
		if (ret)
			break;
	}
	if (!ret)
		return 0;
	for_each_cpu(done, session->cpus) {
		if (done == cpu)
			break;
		td_latency_put(done, session->events);
	}
	/* The driver has no such event, or no PEBS. */
	return ret == -EINVAL || ret == -ENOENT ? -EOPNOTSUPP : ret;
}

/* As td_latency_list_free() undoes. */
static int td_latency_list_follow(struct td_latency_session *session, struct td_session *followed)
{
	session->tallies = td_tallies_create(session->events);
	if (!session->tallies)
		return -ENOMEM;
	td_session_get(followed);
	session->followed = followed;
	return 0;
}

static struct td_latency_session *td_latency_list_create(const struct topdown_latency *what,
							 const struct cpumask *cpus,
							 struct td_session *followed)
{
	struct td_latency_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	int cpu;

	if (!session)
		return NULL;
	if (!zalloc_cpumask_var(&session->cpus, GFP_KERNEL_ACCOUNT)) {
		kfree(session);
		return NULL;
	}
	kref_init(&session->ref);
	session->events = what->events;
	for_each_cpu(cpu, cpus) {
		if (td_latency_samples(cpu))
			cpumask_set_cpu(cpu, session->cpus);
	}
	if (!followed || !td_latency_list_follow(session, followed))
		return session;
	td_latency_list_unref(session);
	return NULL;
}

/* How many records a session has. */
static unsigned int td_latency_list_records(const struct td_latency_session *session)
{
	return (session->followed ? 1 : cpumask_weight(session->cpus)) *
	       hweight64(session->events);
}

static int td_latency_list_begin(struct td_latency_session *session)
{
	int ret = td_latency_list_get(session);

	session->samples = !ret;
	return ret;
}

/* As td_latency_list_begin(), for the tasks of the session that is followed. */
static int td_latency_list_begin_tasks(struct td_latency_session *session)
{
	int ret = td_session_claim(session->followed);

	if (ret)
		return ret;
	ret = td_latency_list_begin(session);
	if (ret)
		td_session_unclaim(session->followed);
	else
		td_latency_list_count(session, true);
	return ret;
}

static int td_latency_list_put(struct td_latency_list *latencies,
			       struct td_latency_session *session)
{
	int ret;

	lockdep_assert_held(&latencies->lock);
	if (latencies->nr >= TD_LATENCIES_MAX || latencies->last == U32_MAX)
		return -ENOSPC;
	ret = session->followed ? td_latency_list_begin_tasks(session) :
				  td_latency_list_begin(session);
	if (ret)
		return ret;
	session->id = ++latencies->last;
	list_add_tail(&session->own, &latencies->list);
	latencies->nr++;
	return 0;
}

/**
 * td_latency_list_add() - start a session
 * @latencies: list of the descriptor
 * @what: the checked request; out_latency and out_nr_records are written
 * @cpus: CPUs that the caller asks for
 * @followed: session whose tasks are to be sampled; NULL for none
 *
 * Return: 0, or a negative errno as in the ABI with nothing changed.
 */
int td_latency_list_add(struct td_latency_list *latencies, struct topdown_latency *what,
			const struct cpumask *cpus, struct td_session *followed)
{
	struct td_latency_session *session;
	struct td_user *user;
	int ret = -EOPNOTSUPP;

	if (what->events & ~td_sampler_events())
		return -EOPNOTSUPP;
	user = td_quota_get(TD_LATENCY);
	if (IS_ERR(user))
		return PTR_ERR(user);
	session = td_latency_list_create(what, cpus, followed);
	if (!session) {
		td_quota_put(user, TD_LATENCY);
		return -ENOMEM;
	}
	session->user = user;
	if (!cpumask_empty(session->cpus)) {
		mutex_lock(&latencies->lock);
		ret = td_latency_list_put(latencies, session);
		/* Once it is in the list, another thread may end it. */
		if (!ret) {
			what->out_latency = session->id;
			what->out_nr_records = td_latency_list_records(session);
		}
		mutex_unlock(&latencies->lock);
	}
	if (ret)
		td_latency_list_unref(session);
	return ret;
}

static struct td_latency_session *td_latency_list_find(const struct td_latency_list *latencies,
						       u32 id)
{
	struct td_latency_session *session;

	lockdep_assert_held(&latencies->lock);
	list_for_each_entry(session, &latencies->list, own) {
		if (session->id == id)
			return session;
	}
	return NULL;
}

/**
 * td_latency_list_stop() - end all sessions of a descriptor
 * @latencies: the list
 */
void td_latency_list_stop(struct td_latency_list *latencies)
{
	struct td_latency_session *session, *next;

	mutex_lock(&latencies->lock);
	list_for_each_entry_safe(session, next, &latencies->list, own)
		td_latency_list_drop(latencies, session);
	mutex_unlock(&latencies->lock);
}

/**
 * td_latency_list_remove() - end a session
 * @latencies: list of the descriptor
 * @id: its number; 0 for all
 *
 * Return: 0, or -ENOENT.
 */
int td_latency_list_remove(struct td_latency_list *latencies, u32 id)
{
	struct td_latency_session *session;

	if (!id) {
		td_latency_list_stop(latencies);
		return 0;
	}
	mutex_lock(&latencies->lock);
	session = td_latency_list_find(latencies, id);
	if (session)
		td_latency_list_drop(latencies, session);
	mutex_unlock(&latencies->lock);
	return session ? 0 : -ENOENT;
}

static int td_latency_list_write(const struct topdown_latencies *read, unsigned int index,
				 const struct topdown_latency_record *record)
{
	return td_command_put(read->records, read->record_size, index, record, sizeof(*record));
}

/* Is the sampling counter of a CPU that had one of the tasks left to perf users? */
static bool td_latency_list_away(const struct td_latency_session *session)
{
	int cpu;

	for_each_cpu(cpu, session->cpus) {
		if (td_latency_away(cpu) && td_tallies_on(session->tallies, cpu))
			return true;
	}
	return false;
}

/* Bring the records of the tasks up to date.  Returns the flags of all of them. */
static u32 td_latency_list_fresh(struct td_latency_list *latencies,
				 struct td_latency_session *session)
{
	u32 flags = 0;

	mutex_lock(&latencies->lock);
	if (td_session_finished(session->followed))
		td_latency_list_rest(session);
	td_follow_fresh(session->followed);
	if (session->samples && td_latency_list_away(session))
		flags = TOPDOWN_LATENCY_AWAY;
	mutex_unlock(&latencies->lock);
	return flags;
}

static int td_latency_list_read_tasks(struct td_latency_list *latencies,
				      struct td_latency_session *session,
				      const struct topdown_latencies *read,
				      struct topdown_latency_record *record)
{
	u32 flags = td_latency_list_fresh(latencies, session);
	unsigned int n = 0;
	u64 events;
	int ret;

	for (events = session->events; events; events &= events - 1) {
		memset(record, 0, sizeof(*record));
		td_tallies_read(session->tallies, __ffs64(events), record);
		record->flags = flags;
		ret = td_latency_list_write(read, n++, record);
		if (ret)
			return ret;
	}
	return 0;
}

/* Read one record of a CPU, if the session has not ended meanwhile. */
static int td_latency_list_read_cpu(struct td_latency_list *latencies,
				    const struct td_latency_session *session, int cpu,
				    unsigned int event, struct topdown_latency_record *record)
{
	int ret = -ENOENT;

	/* Nobody who was killed sees the errno. */
	if (mutex_lock_killable(&latencies->lock))
		return -EINTR;
	if (!list_empty(&session->own)) {
		td_latency_read(cpu, event, record);
		ret = 0;
	}
	mutex_unlock(&latencies->lock);
	return ret;
}

static int td_latency_list_read_cpus(struct td_latency_list *latencies,
				     const struct td_latency_session *session,
				     const struct topdown_latencies *read,
				     struct topdown_latency_record *record)
{
	unsigned int n = 0;
	u64 events;
	int cpu, ret;

	for (events = session->events; events; events &= events - 1) {
		for_each_cpu(cpu, session->cpus) {
			ret = td_latency_list_read_cpu(latencies, session, cpu, __ffs64(events),
						       record);
			/* The lock is released, because a page of the caller may take for ever. */
			if (!ret)
				ret = td_latency_list_write(read, n++, record);
			if (ret)
				return ret;
			cond_resched();
		}
	}
	return 0;
}

static int td_latency_list_read_session(struct td_latency_list *latencies,
					struct td_latency_session *session,
					struct topdown_latencies *read,
					struct topdown_latency_record *record)
{
	unsigned int room = read->nr_records;

	read->nr_records = td_latency_list_records(session);
	if (read->nr_records > room)
		return -EMSGSIZE;
	if (session->followed)
		return td_latency_list_read_tasks(latencies, session, read, record);
	return td_latency_list_read_cpus(latencies, session, read, record);
}

/**
 * td_latency_list_read() - read a session
 * @latencies: list of the descriptor
 * @read: the request; nr_records is written
 *
 * Return: 0 or a negative errno as in the ABI.
 */
int td_latency_list_read(struct td_latency_list *latencies, struct topdown_latencies *read)
{
	struct td_latency_session *session;
	struct topdown_latency_record *record;
	int ret = -ENOENT;

	if (read->flags)
		return -EOPNOTSUPP;
	if (read->__reserved || read->record_size < TD_LATENCY_RECORD_SIZE_VER0)
		return -EINVAL;
	if (read->record_size > PAGE_SIZE)
		return -E2BIG;
	record = kmalloc(sizeof(*record), GFP_KERNEL_ACCOUNT);
	if (!record)
		return -ENOMEM;
	mutex_lock(&latencies->lock);
	session = td_latency_list_find(latencies, read->latency);
	if (session)
		kref_get(&session->ref);
	mutex_unlock(&latencies->lock);
	if (session) {
		ret = td_latency_list_read_session(latencies, session, read, record);
		td_latency_list_unref(session);
	}
	kfree(record);
	return ret;
}
