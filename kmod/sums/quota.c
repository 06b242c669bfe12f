// SPDX-License-Identifier: GPL-2.0
/*
 * Quotas: how many sessions and watches a user may have, and sessions on how many tasks, and how
 * many may follow one task.
 *
 * Everybody who can open the device may make sessions of their own threads.  A session
 * needs memory for every CPU, and a credit at every switch of its tasks.  A timer compares
 * every window with all watches.  So each user has a limit for each of the two.  All users
 * without CAP_PERFMON share another limit, which leaves some to users with CAP_PERFMON.
 * Only the limit for all users bounds these.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

#include "quota.h"

/* Limits of each thing: for all users, and for all users without CAP_PERFMON. */
#define TD_QUOTA_ALL		4096
#define TD_QUOTA_OTHERS		3072

/* Limits of one user without CAP_PERFMON: each thing, and tasks of sessions. */
#define TD_QUOTA_USER		64
#define TD_QUOTA_TASKS		16384

/*
 * Limits of one task: perf calls us for each of its sessions at each switch, with interrupts off.
 * The rest is for users with CAP_PERFMON, or a task could hide from them behind sessions of its
 * own.
 */
#define TD_QUOTA_TASK		64
#define TD_QUOTA_TASK_OTHERS	48

/**
 * struct td_user - the account of a user; all under td_quota_mutex
 * @list: entry in the list of users with sessions or watches
 * @uid: the user
 * @capable: the account is for what was made with CAP_PERFMON
 * @nr: number of each thing
 * @tasks: number of tasks that the sessions were attached to
 */
struct td_user {
	struct list_head list;
	kuid_t uid;
	bool capable;
	unsigned int nr[TD_THINGS];
	unsigned int tasks;
};

static DEFINE_MUTEX(td_quota_mutex);
static LIST_HEAD(td_quota_users);
/* Number of each thing; under the mutex, as the list. */
static unsigned int td_quota_all[TD_THINGS], td_quota_others[TD_THINGS];

/* The account of a user; @spare, which is zeroed, is taken if there is none. */
static struct td_user *td_quota_find(kuid_t uid, bool capable, struct td_user **spare)
{
	struct td_user *user;

	lockdep_assert_held(&td_quota_mutex);
	list_for_each_entry(user, &td_quota_users, list) {
		if (uid_eq(user->uid, uid) && user->capable == capable)
			return user;
	}
	user = *spare;
	*spare = NULL;
	user->uid = uid;
	user->capable = capable;
	list_add(&user->list, &td_quota_users);
	return user;
}

static bool td_quota_full(const struct td_user *user, enum td_thing thing)
{
	lockdep_assert_held(&td_quota_mutex);
	if (td_quota_all[thing] >= TD_QUOTA_ALL)
		return true;
	if (user->capable)
		return false;
	return user->nr[thing] >= TD_QUOTA_USER || td_quota_others[thing] >= TD_QUOTA_OTHERS;
}

static void td_quota_forget(struct td_user *user)
{
	lockdep_assert_held(&td_quota_mutex);
	if (user->nr[TD_SESSION] || user->nr[TD_WATCH])
		return;
	list_del(&user->list);
	kfree(user);
}

/**
 * td_quota_get() - charge one more thing to the calling process's user
 * @thing: a session or a watch
 *
 * Return: the user, for td_quota_put(); as a pointer -ENOSPC if the user, or all users
 * together, have reached the limit; -ENOMEM.
 */
struct td_user *td_quota_get(enum td_thing thing)
{
	struct td_user *user, *spare;

	/* Outside the mutex, because memory of a cgroup at its limit may take for ever. */
	spare = kzalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
	if (!spare)
		return ERR_PTR(-ENOMEM);

	mutex_lock(&td_quota_mutex);
	user = td_quota_find(current_uid(), perfmon_capable(), &spare);
	if (td_quota_full(user, thing)) {
		td_quota_forget(user);
		user = ERR_PTR(-ENOSPC);
	} else {
		user->nr[thing]++;
		td_quota_all[thing]++;
		td_quota_others[thing] += !user->capable;
	}
	mutex_unlock(&td_quota_mutex);
	kfree(spare);
	return user;
}

/**
 * td_quota_charge() - charge one more task of a session
 * @user: result of td_quota_get()
 *
 * Return: 0, or -ENOSPC if the user has reached the limit of tasks.
 */
int td_quota_charge(struct td_user *user)
{
	int ret = 0;

	mutex_lock(&td_quota_mutex);
	if (!user->capable && user->tasks >= TD_QUOTA_TASKS)
		ret = -ENOSPC;
	else
		user->tasks++;
	mutex_unlock(&td_quota_mutex);
	return ret;
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
 * @tasks: how often td_quota_charge() succeeded for this session
 */
void td_quota_put(struct td_user *user, enum td_thing thing, unsigned int tasks)
{
	mutex_lock(&td_quota_mutex);
	user->nr[thing]--;
	user->tasks -= tasks;
	td_quota_all[thing]--;
	td_quota_others[thing] -= !user->capable;
	td_quota_forget(user);
	mutex_unlock(&td_quota_mutex);
}
