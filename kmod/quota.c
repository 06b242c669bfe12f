// SPDX-License-Identifier: GPL-2.0
/*
 * Quotas: how many sessions a user may have, and on how many tasks.
 *
 * Everybody who can open the node makes sessions of their own threads.  Each has
 * memory for every CPU, and each is credited at every switch of its tasks.  So users
 * have limits of their own, and cannot use up together what users with CAP_PERFMON,
 * who have no limit but the last one, need.
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

/* Sessions of all users, and without those that have CAP_PERFMON. */
#define TD_QUOTA_ALL		4096
#define TD_QUOTA_OTHERS		3072

/* Of one user without CAP_PERFMON: sessions, and tasks that these were attached to. */
#define TD_QUOTA_SESSIONS	64
#define TD_QUOTA_TASKS		16384

/**
 * struct td_user - what a user has; all under td_quota_mutex
 * @list: among the users that have sessions
 * @uid: the user
 * @capable: these are the sessions that were made with CAP_PERFMON
 * @sessions: how many there are
 * @tasks: to how many tasks they were attached
 */
struct td_user {
	struct list_head list;
	kuid_t uid;
	bool capable;
	unsigned int sessions;
	unsigned int tasks;
};

static DEFINE_MUTEX(td_quota_mutex);
static LIST_HEAD(td_quota_users);
/* Sessions, under the mutex as the list. */
static unsigned int td_quota_all, td_quota_others;

static struct td_user *td_quota_find(kuid_t uid, bool capable)
{
	struct td_user *user;

	lockdep_assert_held(&td_quota_mutex);
	list_for_each_entry(user, &td_quota_users, list) {
		if (uid_eq(user->uid, uid) && user->capable == capable)
			return user;
	}
	user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	if (!user)
		return NULL;
	user->uid = uid;
	user->capable = capable;
	list_add(&user->list, &td_quota_users);
	return user;
}

static bool td_quota_full(const struct td_user *user)
{
	lockdep_assert_held(&td_quota_mutex);
	if (td_quota_all >= TD_QUOTA_ALL)
		return true;
	if (user->capable)
		return false;
	return user->sessions >= TD_QUOTA_SESSIONS || td_quota_others >= TD_QUOTA_OTHERS;
}

static void td_quota_forget(struct td_user *user)
{
	lockdep_assert_held(&td_quota_mutex);
	if (user->sessions)
		return;
	list_del(&user->list);
	kfree(user);
}

/**
 * td_quota_get() - one more session of the calling process
 *
 * Return: the user, for td_quota_put(); -ENOSPC as a pointer if the user, or all users
 * together, have as many sessions as they may have; -ENOMEM.
 */
struct td_user *td_quota_get(void)
{
	struct td_user *user;

	mutex_lock(&td_quota_mutex);
	user = td_quota_find(current_uid(), perfmon_capable());
	if (!user) {
		user = ERR_PTR(-ENOMEM);
	} else if (td_quota_full(user)) {
		td_quota_forget(user);
		user = ERR_PTR(-ENOSPC);
	} else {
		user->sessions++;
		td_quota_all++;
		td_quota_others += !user->capable;
	}
	mutex_unlock(&td_quota_mutex);
	return user;
}

/**
 * td_quota_charge() - a session of the user is attached to one more task
 * @user: of td_quota_get()
 *
 * Return: 0; -ENOSPC if the user has as many as it may have.
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
 * td_quota_put() - undo td_quota_get()
 * @user: its answer
 * @tasks: how often td_quota_charge() succeeded for this session
 */
void td_quota_put(struct td_user *user, unsigned int tasks)
{
	mutex_lock(&td_quota_mutex);
	user->sessions--;
	user->tasks -= tasks;
	td_quota_all--;
	td_quota_others -= !user->capable;
	td_quota_forget(user);
	mutex_unlock(&td_quota_mutex);
}
