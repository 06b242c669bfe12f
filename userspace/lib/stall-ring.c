// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The memory in which perf hands over its records: the kernel writes at the head, and we
 * read at the tail.
 */
#include "stall-ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* 256 KiB where pages have 4; less where the user may not lock so much. */
#define TD_RING_PAGES		64
#define TD_RING_PAGES_MIN	2

int td_ring_open(struct td_ring *ring, int fd)
{
	size_t page_size = sysconf(_SC_PAGESIZE), pages;
	void *at = MAP_FAILED;

	memset(ring, 0, sizeof(*ring));
	for (pages = TD_RING_PAGES; pages >= TD_RING_PAGES_MIN; pages /= 2) {
		ring->map_size = (pages + 1) * page_size;
		at = mmap(NULL, ring->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (at != MAP_FAILED || (errno != EPERM && errno != ENOMEM))
			break;
	}
	if (at == MAP_FAILED)
		return -errno;
	ring->record = malloc(TD_RECORD_MAX);
	if (!ring->record) {
		munmap(at, ring->map_size);
		return -ENOMEM;
	}
	ring->page = at;
	ring->data = (const unsigned char *)at + page_size;
	ring->size = pages * page_size;
	return 0;
}

void td_ring_close(struct td_ring *ring)
{
	if (ring->page)
		munmap(ring->page, ring->map_size);
	free(ring->record);
}

static void td_ring_copy(const struct td_ring *ring, void *to, uint64_t from, size_t len)
{
	size_t at = from & (ring->size - 1);
	size_t first = len < ring->size - at ? len : ring->size - at;

	memcpy(to, ring->data + at, first);
	memcpy((char *)to + first, ring->data, len - first);
}

const void *td_ring_peek(struct td_ring *ring, size_t *len)
{
	uint64_t tail = ring->page->data_tail, head;
	struct perf_event_header header;

	/* Pairs with the kernel's barrier between the records and the head. */
	head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	if (head - tail < sizeof(header) || head - tail > ring->size) {
		td_ring_next(ring, head - tail);
		return NULL;
	}
	td_ring_copy(ring, &header, tail, sizeof(header));
	if (header.size < sizeof(header) || header.size > head - tail) {
		td_ring_next(ring, head - tail);
		return NULL;
	}
	*len = header.size;
	if ((tail & (ring->size - 1)) + header.size <= ring->size)
		return ring->data + (tail & (ring->size - 1));
	td_ring_copy(ring, ring->record, tail, header.size);
	return ring->record;
}

void td_ring_next(struct td_ring *ring, size_t len)
{
	/* The kernel may write there as soon as it sees this. */
	__atomic_store_n(&ring->page->data_tail, ring->page->data_tail + len, __ATOMIC_RELEASE);
}
