// SPDX-License-Identifier: GPL-2.0
/*
 * Quotas: how many sessions, watches and latency sessions a user may have, sessions on how many
 * tasks, and how many may follow one task.
 *
 * Everybody who can open the device may make sessions of their own threads.  A session
 * needs memory for every CPU, and a credit at every switch of its tasks.  A timer compares
 * every window with all watches.  So each user has a limit for each of these.  All users
 * without CAP_PERFMON share another limit, which leaves some to users with CAP_PERFMON.
 * Only the limit for all users bounds these.
 *
 * A user is a container that root made, else a person.  With a user namespace a person has many
 * ids, and these are all the person's.  A container is known by its outermost PID namespace, if
 * root made that in the initial user namespace, else by its outermost user namespace.  No process
 * leaves these, or makes another one, whatever namespaces and cgroups it makes inside, and whatever
 * ids it takes.
 *
 * perf charges the memory of events to no memory cgroup.  So the events of sessions have a limit
 * too, whether the session was attached to the task or the task inherited it.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "quota.h"

/* Limits of each thing: for all users, and for all users without CAP_PERFMON. */
#define TD_QUOTA_ALL		4096
#define TD_QUOTA_OTHERS		3072

/* Limits of one user without CAP_PERFMON: each thing. */
#define TD_QUOTA_USER		64

/* Limits of the events of sessions: of one user without CAP_PERFMON, and of all such users. */
#define TD_QUOTA_EVENTS		16384
#define TD_QUOTA_EVENTS_OTHERS	131072
/* A user with no more events keeps his sessions, also where others use up the limit of all. */
#define TD_QUOTA_EVENTS_FEW	16

/*
 * Limits of one task: perf calls us for each of its sessions at each switch, with interrupts off.
 * The rest is for users with CAP_PERFMON, or a task could hide from them behind sessions of its
 * own.
 */
#define TD_QUOTA_TASK		64
#define TD_QUOTA_TASK_OTHERS	48

/**
 * struct td_owner - who is behind a process
 * @uid: the person; root for a container
 * @pid_ns: the PID namespace of a container; NULL if its user namespace says which it is
 * @user_ns: the user namespace of a container; NULL for a person
 */
struct td_owner {
	kuid_t uid;
	struct pid_namespace *pid_ns;
	struct user_namespace *user_ns;
};

/**
 * struct td_user - the account of a user; all under td_quota_lock
 * @list: entry in the list of users
 * @owner: whose it is, with references to the namespaces
 * @capable: the account is for what was made with CAP_PERFMON
 * @nr: number of each thing
 * @events: number of events of the sessions
 * @leaving: those of them whose session ended for its events
 */
struct td_user {
	struct list_head list;
	struct td_owner owner;
	bool capable;
	unsigned int nr[TD_THINGS];
	unsigned int events;
	unsigned int leaving;
};

/*
 * Every fork() of a task in a session needs it.  Whoever has a mutex, or with PREEMPT_RT another
 * spinlock, may lose the CPU for as long as a CPU limit of its cgroup wants.
 */
static DEFINE_RAW_SPINLOCK(td_quota_lock);
static LIST_HEAD(td_quota_users);
/* Numbers of all users, and of those without CAP_PERFMON; under the lock, as the list. */
static unsigned int td_quota_all[TD_THINGS], td_quota_others[TD_THINGS];
static unsigned int td_quota_events_others, td_quota_leaving_others;

/*
 * Did root make this child of the initial user namespace?  A process of a container may have root's
 * id, but not root's capabilities, when it makes a user namespace.
 */
static bool td_quota_made_by_root(const struct user_namespace *ns)
{
	return uid_eq(ns->owner, GLOBAL_ROOT_UID) && ns->parent_could_setfcap;
}

/* Find whom to charge for the calling process.  The namespaces are its own, so they stay. */
static struct td_owner td_quota_owner(void)
{
	struct pid_namespace *pid_ns = task_active_pid_ns(current);
	struct user_namespace *user_ns = current_user_ns();
	struct td_owner owner = { .uid = current_uid() };

	while (pid_ns->level > 1)
		pid_ns = pid_ns->parent;
	if (pid_ns->level && pid_ns->user_ns == &init_user_ns) {
		owner.uid = GLOBAL_ROOT_UID;
		owner.pid_ns = pid_ns;
		return owner;
	}
	if (user_ns == &init_user_ns)
		return owner;
	while (user_ns->parent != &init_user_ns)
		user_ns = user_ns->parent;
	owner.uid = user_ns->owner;
	if (td_quota_made_by_root(user_ns))
		owner.user_ns = user_ns;
	return owner;
}

/* Is this a user without limits?  The answer is no decision about a right, so no audit either. */
static bool td_quota_capable(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
}

static bool td_quota_is_of(const struct td_user *user, const struct td_owner *owner)
{
	return uid_eq(user->owner.uid, owner->uid) && user->owner.pid_ns == owner->pid_ns &&
	       user->owner.user_ns == owner->user_ns;
}

/* A new account of the calling process, which has nothing yet and is in no list. */
static struct td_user *td_quota_new(void)
{
	struct td_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);

	if (!user)
		return NULL;
	user->owner = td_quota_owner();
	user->capable = td_quota_capable();
	/* Another namespace at the same place would get what this one has used up. */
	if (user->owner.pid_ns)
		get_pid_ns(user->owner.pid_ns);
	if (user->owner.user_ns)
		get_user_ns(user->owner.user_ns);
	return user;
}

/* @user: may be NULL */
static void td_quota_free(struct td_user *user)
{
	if (!user)
		return;
	if (user->owner.pid_ns)
		put_pid_ns(user->owner.pid_ns);
	if (user->owner.user_ns)
		put_user_ns(user->owner.user_ns);
	kfree(user);
}

/* The account in the list that is of the same user as @fresh, or else @fresh, put into the list. */
static struct td_user *td_quota_find(struct td_user *fresh)
{
	struct td_user *user;

	lockdep_assert_held(&td_quota_lock);
	list_for_each_entry(user, &td_quota_users, list) {
		if (td_quota_is_of(user, &fresh->owner) && user->capable == fresh->capable)
			return user;
	}
	list_add(&fresh->list, &td_quota_users);
	return fresh;
}

static bool td_quota_full(const struct td_user *user, enum td_thing thing)
{
	lockdep_assert_held(&td_quota_lock);
	if (td_quota_all[thing] >= TD_QUOTA_ALL)
		return true;
	if (user->capable)
		return false;
	return user->nr[thing] >= TD_QUOTA_USER || td_quota_others[thing] >= TD_QUOTA_OTHERS;
}

/* Take the account out of the list if it has nothing.  Return: it, for td_quota_free(), or NULL. */
static struct td_user *td_quota_forget(struct td_user *user)
{
	lockdep_assert_held(&td_quota_lock);
	if (memchr_inv(user->nr, 0, sizeof(user->nr)) || user->events)
		return NULL;
	list_del(&user->list);
	return user;
}

/**
 * td_quota_get() - charge one more thing to the calling process's user
 * @thing: what it is
 *
 * Return: the user, for td_quota_put(); as a pointer -ENOSPC if the user, or all users
 * together, have reached the limit; -ENOMEM.
 */
struct td_user *td_quota_get(enum td_thing thing)
{
	struct td_user *user, *fresh = td_quota_new(), *unused;

	if (!fresh)
		return ERR_PTR(-ENOMEM);

	raw_spin_lock(&td_quota_lock);
	user = td_quota_find(fresh);
	unused = user == fresh ? NULL : fresh;
	if (td_quota_full(user, thing)) {
		/* Only a new account has nothing. */
		unused = td_quota_forget(user) ?: unused;
		user = ERR_PTR(-ENOSPC);
	} else {
		user->nr[thing]++;
		td_quota_all[thing]++;
		td_quota_others[thing] += !user->capable;
	}
	raw_spin_unlock(&td_quota_lock);
	td_quota_free(unused);
	return user;
}
EXPORT_SYMBOL_NS_GPL(td_quota_get, TD_NAMESPACE);

static void td_quota_count(struct td_user *user, struct td_charge *charge, int nr)
{
	lockdep_assert_held(&td_quota_lock);
	charge->events += nr;
	user->events += nr;
	td_quota_events_others += user->capable ? 0 : nr;
	if (charge->leaving) {
		user->leaving += nr;
		td_quota_leaving_others += user->capable ? 0 : nr;
	}
}

static unsigned int td_quota_staying_others(void)
{
	lockdep_assert_held(&td_quota_lock);
	return td_quota_events_others - td_quota_leaving_others;
}

/**
 * td_quota_charge() - charge one more event of a session
 * @user: result of td_quota_get()
 * @charge: the session's
 *
 * The user's own events that still have to be released count.  Those of others do not, or one user
 * with sessions that end late would have all the room.
 *
 * Return: false if the user has more events now than are allowed.
 */
bool td_quota_charge(struct td_user *user, struct td_charge *charge)
{
	bool allowed;

	raw_spin_lock(&td_quota_lock);
	td_quota_count(user, charge, 1);
	allowed = user->capable || (user->events <= TD_QUOTA_EVENTS &&
				    td_quota_staying_others() <= TD_QUOTA_EVENTS_OTHERS);
	raw_spin_unlock(&td_quota_lock);
	return allowed;
}

/**
 * td_quota_inherit() - charge one more event of a session that a task inherits
 * @user: result of td_quota_get()
 * @charge: the session's
 *
 * The events of a session that ends are there until a work releases them.  They do not count
 * here, or all sessions of the task would end before the first one has made room.
 *
 * Return: true if the session has to end.
 */
bool td_quota_inherit(struct td_user *user, struct td_charge *charge)
{
	unsigned int events;
	bool ends;

	raw_spin_lock(&td_quota_lock);
	td_quota_count(user, charge, 1);
	events = user->events - user->leaving;
	ends = !user->capable && !charge->leaving && events > TD_QUOTA_EVENTS_FEW &&
	       (events > TD_QUOTA_EVENTS ||
		td_quota_staying_others() > TD_QUOTA_EVENTS_OTHERS);
	if (ends) {
		charge->leaving = true;
		user->leaving += charge->events;
		td_quota_leaving_others += charge->events;
	}
	raw_spin_unlock(&td_quota_lock);
	return ends;
}

/**
 * td_quota_uncharge() - undo td_quota_charge() or td_quota_inherit(), also after td_quota_put()
 * @user: the same
 * @charge: the same
 */
void td_quota_uncharge(struct td_user *user, struct td_charge *charge)
{
	raw_spin_lock(&td_quota_lock);
	td_quota_count(user, charge, -1);
	user = td_quota_forget(user);
	raw_spin_unlock(&td_quota_lock);
	td_quota_free(user);
}

/**
 * td_quota_of_task() - how many sessions may a task have when a user adds one?
 * @user: result of td_quota_get()
 *
 * Return: the number, sessions of all users together.
 */
unsigned int td_quota_of_task(const struct td_user *user)
{
	return user->capable ? TD_QUOTA_TASK : TD_QUOTA_TASK_OTHERS;
}

/**
 * td_quota_put() - undo td_quota_get()
 * @user: result of td_quota_get()
 * @thing: as given to td_quota_get()
 */
void td_quota_put(struct td_user *user, enum td_thing thing)
{
	raw_spin_lock(&td_quota_lock);
	user->nr[thing]--;
	td_quota_all[thing]--;
	td_quota_others[thing] -= !user->capable;
	user = td_quota_forget(user);
	raw_spin_unlock(&td_quota_lock);
	td_quota_free(user);
}
EXPORT_SYMBOL_NS_GPL(td_quota_put, TD_NAMESPACE);
