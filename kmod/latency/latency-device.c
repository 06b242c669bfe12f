// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/topdown_latency: each descriptor is a latency session.
 *
 * A session is only a wish: some events of some CPUs.  All sessions share the samplers
 * (latency.c), so a reader costs nothing but its calls.  One that is for the tasks of a session
 * (session.c) wishes for all CPUs, and also has tallies of its own, which credit.c finds by
 * the session.
 */
#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "command.h"
#include "compat.h"
#include "device.h"
#include "follow.h"
#include "known.h"
#include "latency.h"
#include "latency-device.h"
#include "latency-event.h"
#include "latency-machine.h"
#include "quota.h"
#include "rights.h"
#include "session.h"
#include "session-file.h"
#include "tallies.h"

/* As first released. */
#define TD_LATENCY_EVENT_SIZE_VER0	16
#define TD_LATENCY_RECORD_SIZE_VER0	984

/**
 * struct td_latency_session - what a started descriptor has
 * @user: account that is charged for the session
 * @nr: number of its events
 * @number: number of each event (latency-event.c), in the order of the caller
 * @events: bit n for event number n
 * @cpus: its CPUs
 * @samples: it has the samplers of @cpus
 * @followed: the session whose tasks are sampled, with a reference; NULL for none.  One that is
 *	closed stays too, for its records
 * @claimed: it has the latencies of @followed
 * @tallies: tallies of @followed
 */
struct td_latency_session {
	struct td_user *user;
	unsigned int nr;
	u8 number[TOPDOWN_LATENCY_EVENTS_MAX];
	u64 events;
	cpumask_var_t cpus;
	bool samples;
	struct td_session *followed;
	bool claimed;
	struct td_tallies *tallies;
};

/**
 * struct td_latency_file - a descriptor
 * @may_sample: perf would let whoever opened it count whole CPUs, with kernel mode
 * @lock: protects @session and what it has; no memory of the caller is touched under it
 * @session: NULL until the descriptor is started, and then the same until it is closed
 */
struct td_latency_file {
	bool may_sample;
	struct mutex lock; /* session */
	struct td_latency_session *session;
};

/* Give the samplers back. */
static void td_latency_session_rest(struct td_latency_session *session)
{
	int cpu;

	if (!session->samples)
		return;
	session->samples = false;
	for_each_cpu(cpu, session->cpus)
		td_latency_put(cpu, session->events);
}

/* Undo all that the following functions did for a session, as far as they did it. */
static void td_latency_session_destroy(struct td_latency_session *session)
{
	unsigned int i;

	if (session->claimed) {
		rcu_assign_pointer(session->followed->tallies, NULL);
		td_session_unclaim(session->followed);
	}
	td_latency_session_rest(session);
	if (session->tallies)
		td_tallies_destroy(session->tallies);
	if (session->followed)
		td_session_put(session->followed);
	for (i = 0; i < session->nr; i++)
		td_latency_event_put(session->number[i]);
	if (session->user)
		td_quota_put(session->user, TD_LATENCY);
	free_cpumask_var(session->cpus);
	kfree(session);
}

/* Have the numbers of the events. */
static int td_latency_session_know(struct td_latency_session *session,
				   const struct topdown_latency_event *events, unsigned int nr)
{
	int number;

	for (; session->nr < nr; session->nr++) {
		number = td_latency_event_get(&events[session->nr]);
		if (number < 0)
			return number;
		session->number[session->nr] = number;
		session->events |= BIT_ULL(number);
	}
	return 0;
}

/* Have the samplers of all CPUs, or of none. */
static int td_latency_session_sample(struct td_latency_session *session)
{
	int cpu, done, ret = 0;

	for_each_cpu(cpu, session->cpus) {
		/* Hundreds of CPUs take a while.  Nobody who was killed sees the errno. */
		ret = fatal_signal_pending(current) ? -EINTR :
						      td_latency_get(cpu, session->events);
		if (ret)
			break;
	}
	session->samples = !ret;
	if (!ret)
		return 0;
	for_each_cpu(done, session->cpus) {
		if (done == cpu)
			break;
		td_latency_put(done, session->events);
	}
	/* Else the driver refuses the event now, whatever it says. */
	return ret == -EINTR || ret == -ENOMEM ? ret : -EOPNOTSUPP;
}

/* Have the latencies of the session, if there is one, from now on. */
static int td_latency_session_follow(struct td_latency_session *session)
{
	int ret;

	if (!session->followed)
		return 0;
	session->tallies = td_tallies_create(session->events);
	if (!session->tallies)
		return -ENOMEM;
	ret = td_session_claim(session->followed);
	session->claimed = !ret;
	return ret;
}

/* The samples in the tasks count from now on. */
static void td_latency_session_count(struct td_latency_session *session)
{
	if (!session->followed)
		return;
	td_tallies_begin(session->tallies);
	rcu_assign_pointer(session->followed->tallies, session->tallies);
}

static int td_latency_session_begin(struct td_latency_session *session,
				    const struct topdown_latency_event *events, unsigned int nr)
{
	int ret;

	session->user = td_quota_get(TD_LATENCY);
	if (IS_ERR(session->user)) {
		ret = PTR_ERR(session->user);
		session->user = NULL;
		return ret;
	}
	ret = td_latency_session_know(session, events, nr);
	if (!ret)
		ret = td_latency_session_follow(session);
	if (!ret)
		ret = td_latency_session_sample(session);
	if (!ret)
		td_latency_session_count(session);
	return ret;
}

/* How many records a session has. */
static unsigned int td_latency_session_records(const struct td_latency_session *session)
{
	return (session->followed ? 1 : cpumask_weight(session->cpus)) * session->nr;
}

/* The CPUs that the caller asks for, as far as they can be sampled. */
static int td_latency_session_cpus(struct td_latency_session *session,
				   const struct topdown_latency_start *start)
{
	int cpu, ret;

	ret = td_command_cpus(session->cpus, start->cpus, start->cpus_words);
	if (ret)
		return ret;
	for_each_cpu(cpu, session->cpus) {
		if (!td_latency_samples(cpu))
			cpumask_clear_cpu(cpu, session->cpus);
	}
	return cpumask_empty(session->cpus) ? -EOPNOTSUPP : 0;
}

/* Return: the new session, or as a pointer a negative errno. */
static struct td_latency_session *
td_latency_session_create(const struct topdown_latency_start *start,
			  const struct topdown_latency_event *events)
{
	struct td_latency_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	struct td_session *followed;
	int ret;

	if (!session)
		return ERR_PTR(-ENOMEM);
	if (!zalloc_cpumask_var(&session->cpus, GFP_KERNEL_ACCOUNT)) {
		kfree(session);
		return ERR_PTR(-ENOMEM);
	}
	ret = td_latency_session_cpus(session, start);
	if (!ret && start->flags & TOPDOWN_LATENCY_START_TASKS) {
		followed = td_session_file_get(start->session);
		if (IS_ERR(followed))
			ret = PTR_ERR(followed);
		else
			session->followed = followed;
	}
	if (!ret)
		ret = td_latency_session_begin(session, events, start->nr_events);
	if (!ret)
		return session;
	td_latency_session_destroy(session);
	return ERR_PTR(ret);
}

/* Check the argument of TOPDOWN_LATENCY_START, but for its CPUs and the events themselves. */
static int td_latency_device_check(const struct topdown_latency_start *start)
{
	bool ask = start->flags & TOPDOWN_LATENCY_START_ASK;
	bool tasks = start->flags & TOPDOWN_LATENCY_START_TASKS;

	if (start->flags & ~TD_LATENCY_START_FLAGS)
		return -EOPNOTSUPP;
	if (start->out_events || start->out_refusal || start->out_nr_records)
		return -EINVAL;
	if ((ask || tasks) && (start->cpus || start->cpus_words))
		return -EINVAL;
	if ((ask && tasks) || (!tasks && start->session))
		return -EINVAL;
	if ((!ask && !start->nr_events) || start->nr_events > TOPDOWN_LATENCY_EVENTS_MAX)
		return -EINVAL;
	if (start->event_size < TD_LATENCY_EVENT_SIZE_VER0)
		return -EINVAL;
	return start->event_size > PAGE_SIZE ? -E2BIG : 0;
}

/* Copy the events of the caller.  Return: them, for kfree(), or as a pointer a negative errno. */
static struct topdown_latency_event *
td_latency_device_events(const struct topdown_latency_start *start)
{
	struct topdown_latency_event *events;
	unsigned int i;
	u64 from;
	int ret;

	events = kcalloc(TOPDOWN_LATENCY_EVENTS_MAX, sizeof(*events), GFP_KERNEL_ACCOUNT);
	if (!events)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < start->nr_events; i++) {
		from = start->events + (u64)i * start->event_size;
		ret = copy_struct_from_user(&events[i], sizeof(*events), u64_to_user_ptr(from),
					    start->event_size);
		if (ret) {
			kfree(events);
			return ERR_PTR(ret);
		}
	}
	return events;
}

/* The session of a descriptor, which stays until it is closed; NULL if it is not started. */
static struct td_latency_session *td_latency_device_session(struct td_latency_file *file)
{
	struct td_latency_session *session;

	mutex_lock(&file->lock);
	session = file->session;
	mutex_unlock(&file->lock);
	return session;
}

static int td_latency_device_begin(struct td_latency_file *file,
				   struct topdown_latency_start *start,
				   const struct topdown_latency_event *events, u64 taken)
{
	struct td_latency_session *session;
	int ret = -EBUSY;

	if (td_latency_device_session(file))
		return -EBUSY;
	if (taken != GENMASK_ULL(start->nr_events - 1, 0))
		return -EOPNOTSUPP;
	session = td_latency_session_create(start, events);
	if (IS_ERR(session))
		return PTR_ERR(session);
	mutex_lock(&file->lock);
	if (!file->session) {
		file->session = session;
		start->out_nr_records = td_latency_session_records(session);
		ret = 0;
	}
	mutex_unlock(&file->lock);
	if (ret)
		td_latency_session_destroy(session);
	return ret;
}

static int td_latency_device_start(struct file *filp, union td_command *command)
{
	struct td_latency_file *file = filp->private_data;
	struct topdown_latency_start *start = &command->latency_start;
	struct topdown_latency_event *events;
	u64 taken = 0;
	int ret;

	ret = td_latency_device_check(start);
	if (ret)
		return ret;
	/* Each event interrupts a CPU, also if it is only tried. */
	if (start->nr_events && !(filp->f_mode & FMODE_WRITE))
		return -EBADF;
	if (start->nr_events && !file->may_sample)
		return -EACCES;
	events = td_latency_device_events(start);
	if (IS_ERR(events))
		return PTR_ERR(events);
	start->out_refusal = td_latency_refusal();
	if (!start->out_refusal)
		ret = td_latency_takes(events, start->nr_events, &taken);
	if (ret)
		goto out;
	if (start->flags & TOPDOWN_LATENCY_START_ASK)
		start->out_events = taken;
	else
		ret = td_latency_device_begin(file, start, events, taken);
out:
	kfree(events);
	return ret;
}

/* Is the sampling counter of a CPU that had one of the tasks left to perf users, for this event? */
static bool td_latency_session_away(const struct td_latency_session *session, unsigned int event)
{
	int cpu;

	for_each_cpu(cpu, session->cpus) {
		if (td_latency_away(cpu, event) && td_tallies_on(session->tallies, cpu))
			return true;
	}
	return false;
}

/**
 * struct td_latency_place - a record of a session
 * @index: which of its events
 * @cpu: the CPU; of the tasks of a session any
 */
struct td_latency_place {
	unsigned int index;
	unsigned int cpu;
};

/* The record after this one; false if there is none. */
static bool td_latency_place_next(const struct td_latency_session *session,
				  struct td_latency_place *place)
{
	place->cpu = session->followed ? nr_cpu_ids : cpumask_next(place->cpu, session->cpus);
	if (place->cpu < nr_cpu_ids)
		return true;
	place->cpu = cpumask_first(session->cpus);
	return ++place->index < session->nr;
}

/* Bring the times of the tasks up to date. */
static void td_latency_session_fresh(struct td_latency_session *session)
{
	if (!session->followed)
		return;
	if (td_session_finished(session->followed))
		td_latency_session_rest(session);
	td_follow_fresh(session->followed);
}

static void td_latency_session_record(struct td_latency_session *session,
				      const struct td_latency_place *place,
				      struct topdown_latency_record *record)
{
	unsigned int number = session->number[place->index];

	memset(record, 0, sizeof(*record));
	if (session->followed) {
		td_tallies_read(session->tallies, number, record);
		if (session->samples && td_latency_session_away(session, number))
			record->flags = TOPDOWN_LATENCY_RECORD_AWAY;
	} else {
		td_latency_read(place->cpu, number, record);
	}
	record->event = place->index;
}

/* Write all records.  Each has the lock for itself: a page of the caller may take for ever. */
static int td_latency_device_write(struct td_latency_file *file,
				   struct td_latency_session *session,
				   const struct topdown_latency_read *read,
				   struct topdown_latency_record *record)
{
	struct td_latency_place place = { .cpu = cpumask_first(session->cpus) };
	unsigned int n = 0;
	bool more = true;
	int ret = 0;

	while (more && !ret) {
		/* As below. */
		if (mutex_lock_killable(&file->lock))
			return -EINTR;
		td_latency_session_record(session, &place, record);
		more = td_latency_place_next(session, &place);
		mutex_unlock(&file->lock);
		ret = td_command_put(read->records, read->record_size, n++, record,
				     sizeof(*record));
		cond_resched();
	}
	return ret;
}

static int td_latency_device_read_all(struct td_latency_file *file,
				      struct topdown_latency_read *read,
				      struct topdown_latency_record *record)
{
	struct td_latency_session *session = td_latency_device_session(file);
	unsigned int room = read->nr_records;

	if (!session)
		return -ENOENT;
	read->nr_records = td_latency_session_records(session);
	if (read->nr_records > room)
		return -EMSGSIZE;
	/* Nobody who was killed sees the errno. */
	if (mutex_lock_killable(&file->lock))
		return -EINTR;
	td_latency_session_fresh(session);
	mutex_unlock(&file->lock);
	return td_latency_device_write(file, session, read, record);
}

static int td_latency_device_read(struct file *filp, union td_command *command)
{
	struct topdown_latency_read *read = &command->latency_read;
	struct topdown_latency_record *record;
	int ret;

	if (read->flags)
		return -EOPNOTSUPP;
	if (read->record_size < TD_LATENCY_RECORD_SIZE_VER0)
		return -EINVAL;
	if (read->record_size > PAGE_SIZE)
		return -E2BIG;
	record = kmalloc(sizeof(*record), GFP_KERNEL_ACCOUNT);
	if (!record)
		return -ENOMEM;
	ret = td_latency_device_read_all(filp->private_data, read, record);
	kfree(record);
	return ret;
}

static const struct td_ioctl td_latency_ioctls[] = {
	TD_IOCTL(LATENCY_START, struct topdown_latency_start, out_nr_records,
		 td_latency_device_start, true),
	TD_IOCTL(LATENCY_READ, struct topdown_latency_read, record_size, td_latency_device_read,
		 true),
};

static long td_latency_device_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	return td_command_run(td_latency_ioctls, ARRAY_SIZE(td_latency_ioctls), filp, cmd, arg);
}

static int td_latency_device_open(struct inode *inode, struct file *filp)
{
	/* The parameter trust_device gives figures, and not the right to program counters. */
	int may_sample = td_rights_open(false);
	struct td_latency_file *file;

	if (may_sample < 0)
		return may_sample;
	file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	if (!file)
		return -ENOMEM;
	file->may_sample = may_sample && !td_compat_allow_kernel();
	mutex_init(&file->lock);
	filp->private_data = file;
	return nonseekable_open(inode, filp);
}

static int td_latency_device_release(struct inode *inode, struct file *filp)
{
	struct td_latency_file *file = filp->private_data;

	if (file->session)
		td_latency_session_destroy(file->session);
	mutex_destroy(&file->lock);
	kfree(file);
	return 0;
}

static const struct file_operations td_latency_fops = {
	.owner		= THIS_MODULE,
	.open		= td_latency_device_open,
	.release	= td_latency_device_release,
	.unlocked_ioctl	= td_latency_device_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct td_device td_latency_node;

/**
 * td_latency_device_init() - offer /dev/topdown_latency
 *
 * Return: 0 or a negative errno.
 */
int td_latency_device_init(void)
{
	return td_device_add(&td_latency_node, "topdown_latency", &td_latency_fops);
}

/**
 * td_latency_device_exit() - undo td_latency_device_init(); no descriptor is open any more
 */
void td_latency_device_exit(void)
{
	td_device_remove(&td_latency_node);
}
