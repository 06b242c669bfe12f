/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory in which perf hands over its records.
 */
#ifndef TOPDOWN_STALL_RING_H
#define TOPDOWN_STALL_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* The size of a record has 16 bits. */
#define TD_RECORD_MAX	(1U << 16)

/**
 * struct td_ring - one such memory
 * @page: its first page
 * @data: what follows
 * @size: size of @data, a power of two
 * @map_size: size of all
 * @record: a record that went around the end
 */
struct td_ring {
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	size_t size;
	size_t map_size;
	unsigned char *record;
};

int td_ring_open(struct td_ring *ring, int fd);
void td_ring_close(struct td_ring *ring);
/*
 * The next record and its length, or NULL if there is none. It stays until td_ring_next().
 * A ring that cannot be right is emptied.
 */
const void *td_ring_peek(struct td_ring *ring, size_t *len);
void td_ring_next(struct td_ring *ring, size_t len);

#endif /* TOPDOWN_STALL_RING_H */
