/* SPDX-License-Identifier: GPL-2.0 */
/*
 * News of sessions for whoever waits at their descriptor: some have ended.
 */
#ifndef TOPDOWN_NEWS_H
#define TOPDOWN_NEWS_H

#include <linux/atomic.h>
#include <linux/irq_work.h>

/**
 * struct td_news - the ends of sessions that have not been read yet
 * @nr: how many sessions have ended and not been read since
 * @wake: wakes up who waits for them
 */
struct td_news {
	atomic_t nr;
	struct irq_work wake;
};

/**
 * td_news_add() - a session has ended
 * @news: of its descriptor; in any context
 */
static inline void td_news_add(struct td_news *news)
{
	atomic_inc(&news->nr);
	irq_work_queue(&news->wake);
}

/**
 * td_news_drop() - the end of a session has been read, or nobody can read it any more
 * @news: of its descriptor; in any context
 */
static inline void td_news_drop(struct td_news *news)
{
	atomic_dec(&news->nr);
}

/**
 * td_news_any() - is there an end that has not been read?
 * @news: of the descriptor
 *
 * td_news_add() wakes up after it has changed the number.
 *
 * Return: true or false.
 */
static inline bool td_news_any(const struct td_news *news)
{
	return atomic_read(&news->nr);
}

#endif /* TOPDOWN_NEWS_H */
