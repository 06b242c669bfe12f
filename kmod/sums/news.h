/* SPDX-License-Identifier: GPL-2.0 */
/*
 * News for those who wait at a descriptor: some of its sessions have ended.
 */
#ifndef TOPDOWN_NEWS_H
#define TOPDOWN_NEWS_H

#include <linux/atomic.h>
#include <linux/irq_work.h>

/**
 * struct td_news - ended sessions that have not been read since
 * @nr: number of such sessions
 * @wake: wakes up those who wait
 */
struct td_news {
	atomic_t nr;
	struct irq_work wake;
};

/**
 * td_news_add() - a session has ended
 * @news: news of its descriptor; in any context
 */
static inline void td_news_add(struct td_news *news)
{
	atomic_inc(&news->nr);
	irq_work_queue(&news->wake);
}

/**
 * td_news_drop() - the end of a session has been read, or cannot be read any more
 * @news: news of its descriptor; in any context
 */
static inline void td_news_drop(struct td_news *news)
{
	atomic_dec(&news->nr);
}

/**
 * td_news_any() - has a session ended that was not read since?
 * @news: news of the descriptor
 *
 * td_news_add() changes the number before it wakes up anybody.
 *
 * Return: true or false.
 */
static inline bool td_news_any(const struct td_news *news)
{
	return atomic_read(&news->nr);
}

#endif /* TOPDOWN_NEWS_H */
